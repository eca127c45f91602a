//! Derivatives of steps, and states in minimal coordinates, one module each. They are one program, so that the engine is linked
//! once.

mod blocks_of_derivatives;
#[path = "../../bellcrank-sim/tests/common/mod.rs"]
mod common;
mod errors_fall_with_the_step;
mod free_flight;
mod gradients;
mod gradients_of_loops;
mod minimal_coordinates;
mod refusals;
mod transitions;
