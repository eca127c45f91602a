//! See it: recordings that play in any browser, and a live viewer on the local machine.
//!
//! One page shows both. A *scene* says once what there is (models, shapes, joints, where each world stands); *frames*
//! say where everything is. A recording is a scene and compressed frames inside one HTML file; the live server sends the
//! same scene and frames over a WebSocket and takes commands back.
//!
//! | file | what |
//! |---|---|
//! | `scene/` | what there is, as JSON: models, stand-ins for bodies without shapes, places of the worlds |
//! | `frame` | where everything is: poses, joint coordinates, figures, contacts |
//! | `record/` | frames → quantised, compressed → one HTML file, written by a thread of its own |
//! | `page` | the page, built from `web/` |
//! | `server/` | HTTP and WebSocket on loopback; who may connect |
//! | `probe` | what outsiders can reach of it, for fuzzing |
//! | `live/` | a batch that is watched and touched: play, pause, targets, joints, dragging |
//!
//! ```
//! use bellcrank_model::library;
//! use bellcrank_sim::{Batch, BatchOptions};
//! use bellcrank_view::{RecordOptions, Recorder};
//!
//! let model = library::four_bar().build()?;
//! let mut batch = Batch::new(model.into(), 4, BatchOptions::default())?;
//! let mut recorder = Recorder::in_memory(&batch, RecordOptions::default())?;
//! for step in 0..50 {
//!     batch.step(1);
//!     recorder.observe(&batch, f64::from(step + 1) * batch.dt())?;
//! }
//! let html: Vec<u8> = recorder.finish_html()?; // opens in any browser, without a network
//! assert!(html.starts_with(b"<!doctype html>"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod error;
mod frame;
mod live;
pub mod page;
mod probe;
mod record;
mod scene;
mod server;

pub use error::ViewError;
pub use frame::{Frame, TRACES, Touching};
pub use live::{
    Dial, Hand, Line, Live, LiveOptions, Pin, Posing, Program, Running, Start, serve_recording, spawn,
};
#[doc(hidden)]
pub use probe::Probe;
pub use record::{Playback, RecordOptions, Recorder, read_recording};
pub use scene::{Drawn, Scene, drawn, is_seen, png};
pub use server::Address;
