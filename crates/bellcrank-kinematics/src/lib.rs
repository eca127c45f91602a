//! Kinematics of mechanisms with closed loops: choose what a hand or foot does, and the whole linkage follows.
//!
//! ```
//! use bellcrank_kinematics::{Goal, Kinematics, Settings};
//! use bellcrank_model::library;
//!
//! let model = library::delta().build()?;
//! let robot = Kinematics::<f64>::new(&model);
//! let problem = robot.problem(&[Goal::position("tool")], Settings::default())?;
//! let found = problem.solve(&[0.05, 0.0, 0.25, 0.0, 0.05, 0.28], &[])?; // two goals at once
//! assert_eq!(found.solved, [true, true]);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Poses are configurations of the spanning tree ([`Kinematics::tree`]); joints that close loops follow from them. Lanes
//! run across goals, and a goal's result does not depend on its neighbours.
//!
//! | file | what |
//! |---|---|
//! | `goal` | what a pose shall achieve |
//! | `robot` | a mechanism: tree, limits, rest |
//! | `task` | goals and loops of one question, worked out once |
//! | `placed` `rows` `normal` | where everything is, what is missed, the normal equations |
//! | `descent` | the search in lanes |
//! | `solve` | many goals, many starts |
//! | `parts` `analysis` | motors against freedoms: singular values, branches, mechanical advantage |
//! | `sample` | random poses that are safe to start from |
//! | `joints` | coordinates of all joints from configurations |

mod analysis;
mod descent;
mod error;
mod goal;
mod joints;
mod normal;
mod parts;
mod placed;
mod precision;
mod robot;
mod rows;
mod sample;
mod solve;
mod task;

pub use analysis::{Analysis, Holds};
pub use error::KinematicsError;
pub use goal::{Goal, Priority, What};
pub use precision::Number;
pub use robot::Kinematics;
pub use sample::{Sampler, Samples, Sampling};
pub use solve::{Problem, Settings, Solution};
