//! The time step by a table: mechanisms of joints, springs, dampers and motors, with limits and contacts in closed form.
//!
//! `bellcrank-step` has a function for each stage, which goes over all bodies, joints or rows. Each is recorded on a mechanism of which only
//! one of them is left; what it reads and writes is found by looking at all numbers of a world before and after. Items that do the same
//! to different things share an operation, so that a robot with 36 hinges has one for a hinge, and its structure is a table of (operation,
//! places). Factor and solves are the block operations of [`crate::blocks`]. Rounds, sweeps and what acts in no world are lines that lead to other lines.
//!
//! The table does what `bellcrank_step::step::step` does with a whole step. Where joints close so badly that the processor would divide it,
//! or mend poses after it, the gap says so: it is one of the results.
//!
//! | file | what |
//! |---|---|
//! | `world` | all numbers of a world |
//! | `stages` `float` | the functions, and the masks that they are given |
//! | `narrow` | a mechanism of which one thing is left |
//! | `items` | what a function does to that thing |
//! | `builder` `schedule` `sweeps` | in which order, for all things |
//! | `program` `kernel` | the table; what reads it |
//! | `group` | worlds of a batch that step by tables |

mod builder;
mod float;
mod group;
mod items;
mod kernel;
mod narrow;
mod program;
mod schedule;
mod stages;
mod sweeps;
mod world;

pub use group::{DeviceGroup, Interpreted, MakeStepper, NoDeviceGroup, Stepper};
pub use kernel::{StepKernel, WIDTH};
pub use program::{NoStepProgram, StepProgram};
