//! Blocks of bytes → frames: for tools, for tests, and to check a file before it is served.

use super::{MAGIC, Quanta, VERSION};
use crate::error::ViewError;
use crate::frame::{Frame, POSE_NUMBERS};
use serde_json::Value;

/// No block of frames is larger than this when unpacked [bytes]; a hostile file cannot ask for more.
const LARGEST_BLOCK: usize = 1 << 30;

/// A recording, read back.
pub struct Playback {
    /// The header as written.
    pub header: Value,
    /// All frames in order.
    pub frames: Vec<Frame>,
}

/// How many numbers a frame has.
struct Sizes {
    poses: usize,
    joints: usize,
    velocities: usize,
    traces: usize,
}

/// Reads the bytes of a recording: the `.html` file, or the bare recording.
///
/// # Errors
/// When the bytes are damaged or of another version.
pub fn read_recording(bytes: &[u8]) -> Result<Playback, ViewError> {
    let bare;
    let bytes = match std::str::from_utf8(bytes).ok().and_then(crate::page::find_recording) {
        Some(found) => {
            bare = found;
            &bare
        }
        None => bytes,
    };
    let rest = bytes.strip_prefix(MAGIC).ok_or(ViewError::BadRecording("it does not begin with BELLREC1"))?;
    let mut reader = Reader { bytes: rest };
    let length = reader.number()?;
    let header: Value = serde_json::from_slice(reader.take(length)?)
        .map_err(|_| ViewError::BadRecording("its header is no JSON"))?;
    if header["version"].as_u64() != Some(u64::from(VERSION)) {
        return Err(ViewError::BadRecording("it is of another version"));
    }
    let quanta: Quanta = serde_json::from_value(header["quanta"].clone())
        .map_err(|_| ViewError::BadRecording("its header names no quanta"))?;
    let sizes = sizes(&header).ok_or(ViewError::BadRecording("its header describes no worlds"))?;
    let mut frames = Vec::new();
    while !reader.bytes.is_empty() {
        let count = reader.number()?;
        let length = reader.number()?;
        let packed = reader.take(length)?;
        let block = miniz_oxide::inflate::decompress_to_vec_with_limit(packed, LARGEST_BLOCK)
            .map_err(|_| ViewError::BadRecording("a block is damaged"))?;
        read_block(&block, count, (&sizes, quanta), &mut frames)?;
    }
    Ok(Playback { header, frames })
}

fn sizes(header: &Value) -> Option<Sizes> {
    let scene = &header["scene"];
    let mut sizes = Sizes { poses: 0, joints: 0, velocities: 0, traces: 0 };
    for world in scene["worlds"].as_array()? {
        let model = &scene["models"][usize::try_from(world["model"].as_u64()?).ok()?];
        sizes.poses += model["bodies"].as_array()?.len() * POSE_NUMBERS;
        for joint in model["joints"].as_array()? {
            // a free joint has seven; a hostile file may say anything
            sizes.joints += joint["coordinate_count"].as_u64().filter(|&n| n <= 7)? as usize;
            sizes.velocities += joint["angle"].as_array()?.len();
        }
        sizes.traces += scene["traces"].as_array()?.len();
    }
    Some(sizes)
}

fn read_block(
    block: &[u8],
    count: usize,
    (sizes, quanta): (&Sizes, Quanta),
    frames: &mut Vec<Frame>,
) -> Result<(), ViewError> {
    let mut reader = Reader { bytes: block };
    let mut numbers = vec![0_i32; sizes.poses + sizes.joints + sizes.velocities];
    for _ in 0..count {
        let mut frame = Frame { time: f64::from_le_bytes(reader.array()?), ..Frame::default() };
        for number in &mut numbers {
            *number = number.wrapping_add(reader.signed()?);
        }
        let (poses, rest) = numbers.split_at(sizes.poses);
        let (joints, velocities) = rest.split_at(sizes.joints);
        let pose = |(k, &n): (usize, &i32)| {
            let quantum = if k % POSE_NUMBERS < 3 { quanta.position } else { quanta.quaternion };
            (f64::from(n) * quantum) as f32
        };
        frame.poses = poses.iter().enumerate().map(pose).collect();
        let all = |list: &[i32], quantum| list.iter().map(|&n| (f64::from(n) * quantum) as f32).collect();
        frame.joints = all(joints, quanta.joint);
        frame.joint_velocities = all(velocities, quanta.joint_velocity);
        for _ in 0..sizes.traces {
            frame.traces.push(f32::from_le_bytes(reader.array()?));
        }
        for _ in 0..reader.unsigned()? {
            frame.contacts.push(reader.unsigned()? as f32);
            for k in 0..6 {
                let quantum = if k < 3 { quanta.position } else { quanta.force };
                frame.contacts.push((f64::from(reader.signed()?) * quantum) as f32);
            }
        }
        frames.push(frame);
    }
    Ok(())
}

struct Reader<'a> {
    bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take(&mut self, count: usize) -> Result<&'a [u8], ViewError> {
        let (head, rest) =
            self.bytes.split_at_checked(count).ok_or(ViewError::BadRecording("it ends too early"))?;
        self.bytes = rest;
        Ok(head)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ViewError> {
        let head = self.take(N)?;
        head.try_into().map_err(|_| ViewError::BadRecording("it ends too early"))
    }

    fn number(&mut self) -> Result<usize, ViewError> {
        Ok(u32::from_le_bytes(self.array()?) as usize)
    }

    fn unsigned(&mut self) -> Result<u32, ViewError> {
        let mut x = 0_u32;
        for shift in (0..35).step_by(7) {
            let [byte] = self.array()?;
            x |= u32::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(x);
            }
        }
        Err(ViewError::BadRecording("a number has too many bytes"))
    }

    fn signed(&mut self) -> Result<i32, ViewError> {
        let x = self.unsigned()?;
        Ok((x >> 1) as i32 ^ -((x & 1) as i32))
    }
}
