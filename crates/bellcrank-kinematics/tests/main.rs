//! The laws of kinematics, one module each. They are one program, so that the engine is linked once.

mod closed_forms;
mod hard_cases;
mod poses;
mod reach;
mod support;
