//! A batch that is watched and touched.

mod command;
mod drag;
mod pose;
mod session;
mod spawn;

pub use drag::{Hand, Posing};
pub use session::{Live, LiveOptions, Program};
pub use spawn::{Running, serve_recording, spawn};
