//! A batch that is watched and touched.

mod command;
mod dial;
mod drag;
mod line;
mod pose;
mod session;
mod spawn;

pub use dial::Dial;
pub use drag::{Hand, Pin, Posing};
pub use line::Line;
pub use session::{Live, LiveOptions, Program, Start};
pub use spawn::{Running, serve_recording, spawn};
