//! The laws of contact geometry, one module each. They are one program, so that the engine is linked once.

mod against_parry;
mod closed_forms;
mod common;
mod degenerate;
mod filters;
mod ground;
mod hints;
mod lanes_agree;
mod margins;
#[path = "common/oracle.rs"]
mod oracle;
mod pile;
mod queries;
