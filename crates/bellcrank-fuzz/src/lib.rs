//! Everything that reads bytes from outside, as functions of bytes: they may refuse, but neither panic, nor hang, nor show numbers that
//! are none.
//!
//! The program of this crate feeds them with mutations of its own seeds and of the files in `fuzz/corpus`, on any compiler; `fuzz/` has the same
//! functions as targets of cargo-fuzz, which is guided by coverage but needs a nightly compiler.
#![forbid(unsafe_code)]

#[allow(missing_docs)] // a part of the importer's tests
#[path = "../../bellcrank-import/tests/mutate/mod.rs"]
pub mod mutate;
mod seeds;
mod targets;

pub use seeds::seeds;
pub use targets::Target;
