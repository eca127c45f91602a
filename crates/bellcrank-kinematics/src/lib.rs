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
//! | `descent` `detour` | the search in lanes; further descents from the same start |
//! | `solve` | many goals, many starts |
//! | `parts` `analysis` | motors against freedoms: singular values, branches, mechanical advantage |
//! | `servo` `trajectory` | one period of a robot led by hand; a path with bounds on speed and acceleration |
//! | `retarget` | motions of other skeletons or markers, with feet that stand |
//! | `clear` | distances kept, from obstacles and from itself |
//! | `modes` `workspace` | ways of assembly, transmission angle, mechanical advantage; where a frame can be |
//! | `sample` `overlap` | random poses that are safe to start from |
//! | `joints` | coordinates of all joints from configurations |
#![forbid(unsafe_code)]

mod analysis;
mod clear;
mod descent;
mod detour;
mod error;
mod goal;
mod joints;
mod modes;
mod normal;
mod overlap;
mod parts;
mod placed;
mod precision;
mod retarget;
mod robot;
mod rows;
mod sample;
mod servo;
mod solve;
mod task;
mod trajectory;
mod workspace;

pub use analysis::{Analysis, Holds};
pub use clear::{Clear, Clearance, SteppedClear};
pub use error::KinematicsError;
pub use goal::{Goal, Priority, What};
pub use precision::Number;
pub use retarget::{Contact, Retargeted, Retargeting, Track, tracks_of};
pub use robot::Kinematics;
pub use sample::{Sampler, Samples, Sampling};
pub use servo::{Pace, Stepped};
pub use solve::{Problem, Settings, Solution};
pub use trajectory::{Bounds, Trajectory};
pub use workspace::{Slice, Workspace};
