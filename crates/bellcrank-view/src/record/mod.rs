//! Recordings: a header that says what there is, then compressed frames (docs/reference/recording.md).
//!
//! Bytes of a recording: `BELLREC1`, u32 length of the header, the header as JSON (format, version, quanta, scene), then
//! blocks until the end, each u32 number of frames, u32 number of bytes, and the bytes: a deflate stream.

mod decode;
mod encode;
mod recorder;
mod target;
mod writer;

pub use decode::{Playback, read_recording};
pub use recorder::{RecordOptions, Recorder};

use crate::scene::Scene;
use serde::Serialize;

/// First bytes.
pub(crate) const MAGIC: &[u8; 8] = b"BELLREC1";
/// Of the format; readers refuse others.
pub(crate) const VERSION: u32 = 2;
/// Frames to a block: the first stands alone, the others are differences.
pub(crate) const BLOCK_FRAMES: usize = 60;

/// One unit of the stored whole numbers.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, serde::Deserialize)]
pub(crate) struct Quanta {
    /// Positions [m].
    pub position: f64,
    /// Components of quaternions.
    pub quaternion: f64,
    /// Joint coordinates [rad or m].
    pub joint: f64,
    /// Joint velocities [rad/s or m/s].
    pub joint_velocity: f64,
    /// Contact forces [N].
    pub force: f64,
}

impl Quanta {
    /// A 65 536th of the largest model, and a 4096th of its weight: below what can be seen.
    pub fn of(scene: &Scene) -> Self {
        Quanta {
            position: scene.size() / 65536.0,
            quaternion: 1.0 / 32767.0,
            joint: 1e-4,
            joint_velocity: 1e-3,
            force: scene.weight() / 4096.0,
        }
    }
}

#[derive(Serialize)]
pub(crate) struct Header<'a> {
    pub format: &'static str,
    pub version: u32,
    pub engine: &'static str,
    pub frames_per_second: f64,
    pub quanta: Quanta,
    pub scene: &'a Scene,
}

/// Magic, length and JSON.
pub(crate) fn header_bytes(scene: &Scene, quanta: Quanta, frames_per_second: f64) -> Vec<u8> {
    let header = Header {
        format: "bellcrank-recording",
        version: VERSION,
        engine: env!("CARGO_PKG_VERSION"),
        frames_per_second,
        quanta,
        scene,
    };
    let json = serde_json::json!(header).to_string();
    let mut bytes = MAGIC.to_vec();
    bytes.extend((json.len() as u32).to_le_bytes());
    bytes.extend(json.as_bytes());
    bytes
}
