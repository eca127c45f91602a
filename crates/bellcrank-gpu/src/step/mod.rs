//! The time step by a table, for mechanisms that joints, springs, dampers and motors without bounds act on, and that the world holds.
//!
//! `bellcrank-step` has a function for each stage, which goes over all bodies and joints. Each is recorded on a mechanism of which only one
//! body or one joint is left; what it reads and writes is found by looking at all numbers of a world before and after. Items that do the same
//! to different things share an operation, so that a robot with 36 hinges has one for a hinge, and its structure is a table of (operation,
//! places). Factor and solves are the block operations of [`crate::blocks`].
//!
//! The table does what `bellcrank_step::step::step` does where two rounds close all joints. It does not look whether they do: the gap at the end
//! of the step is one of its results, and a world whose gap is beyond the tolerance, or that is not finite, has to be stepped by the
//! processor instead.

mod items;
mod narrow;
mod program;
mod stages;
mod world;

pub use program::{NoStepProgram, StepKernel, StepProgram, WIDTH};
