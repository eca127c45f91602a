//! The laws of the tree operators, one module each. They are one program, so that the engine is linked once.

mod agrees_with_pinocchio;
mod agrees_with_references;
mod identification;
mod lanes_are_fast;
mod laws;
mod loops;
mod support;
