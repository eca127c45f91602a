//! The laws of kinematics, one module each. They are one program, so that the engine is linked once.

mod closed_forms;
mod hard_cases;
mod motions;
mod poses;
mod reach;
mod reachable;
mod robots;
mod safe_poses;
mod support;
mod whole;
