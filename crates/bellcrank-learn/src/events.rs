//! TensorBoard's event files: records of a length (64 bits), its checksum, a message, and the message's checksum. The message
//! is a protocol buffer `Event { wall_time = 1: double, step = 2: int64, file_version = 3: string, summary = 5: Summary }` with
//! `Summary { value = 1: Value { tag = 1: string, simple_value = 2: float } }`.

use crate::curve::Record;
use crate::error::LearnError;
use crate::wire::Message;
use std::fs::{File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A file that grows with a training.
pub struct Events {
    path: PathBuf,
    file: File,
}

impl Events {
    /// A new file in a folder.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn create(folder: &Path) -> Result<Self, LearnError> {
        let path = folder.join(format!("events.out.tfevents.{:010}.bellcrank", now() as u64));
        let wrong = |error| LearnError::CannotWrite { path: path.clone(), error };
        std::fs::create_dir_all(folder).map_err(wrong)?;
        let file = OpenOptions::new().create(true).append(true).open(&path).map_err(wrong)?;
        let mut events = Events { path, file };
        let mut first = Message::default();
        first.double(1, now());
        first.text(3, "brain.Event:2");
        events.append(&first.bytes)?;
        Ok(events)
    }

    /// Adds the figures of an update.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn add(&mut self, record: &Record) -> Result<(), LearnError> {
        let mut summary = Message::default();
        for (tag, value) in scalars(record) {
            let mut entry = Message::default();
            entry.text(1, &tag);
            entry.float(2, value as f32);
            summary.message(1, &entry);
        }
        let mut event = Message::default();
        event.double(1, now());
        event.integer(2, record.transitions);
        event.message(5, &summary);
        self.append(&event.bytes)
    }

    fn append(&mut self, message: &[u8]) -> Result<(), LearnError> {
        let written = self.file.write_all(&framed(message));
        written.map_err(|error| LearnError::CannotWrite { path: self.path.clone(), error })
    }
}

/// Names and values of what TensorBoard shows.
fn scalars(record: &Record) -> Vec<(String, f64)> {
    let mut all: Vec<(String, f64)> = [
        ("train/reward_mean", record.reward_mean),
        ("train/transitions_per_second", record.transitions_per_second),
        ("train/learner_share", record.learner_share),
        ("loss/policy", record.policy_loss),
        ("loss/value", record.value_loss),
        ("loss/mirror", record.mirror_loss),
        ("policy/kl", record.kl),
        ("policy/learning_rate", record.learning_rate),
        ("policy/deviation", record.deviation),
    ]
    .map(|(tag, value)| (tag.to_owned(), value))
    .into();
    if record.episodes > 0.0 {
        for (tag, sum) in
            [("return", record.return_sum), ("length", record.length_sum), ("fall_fraction", record.falls)]
        {
            all.push((format!("episode/{tag}"), sum / record.episodes));
        }
    }
    for (tag, value) in ["forward", "sideways", "turn"].iter().zip(record.tracking_error.unwrap_or_default())
    {
        if record.tracking_error.is_some() {
            all.push((format!("error/{tag}"), value));
        }
    }
    all.extend(record.terms.iter().map(|(name, value)| (format!("reward/{name}"), *value)));
    all
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

fn framed(message: &[u8]) -> Vec<u8> {
    let length = (message.len() as u64).to_le_bytes();
    let mut out = length.to_vec();
    out.extend(masked(&length).to_le_bytes());
    out.extend(message);
    out.extend(masked(message).to_le_bytes());
    out
}

/// The checksum as these files have it: turned by 15 bits, and a constant added.
fn masked(bytes: &[u8]) -> u32 {
    crc32c(bytes).rotate_right(15).wrapping_add(0xA282_EAD8)
}

/// Castagnoli's checksum, bit by bit: a few hundred bytes a second need no table.
fn crc32c(bytes: &[u8]) -> u32 {
    !bytes.iter().fold(!0_u32, |crc, byte| {
        (0..8).fold(crc ^ u32::from(*byte), |crc, _| crc >> 1 ^ if crc & 1 == 1 { 0x82F6_3B78 } else { 0 })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// RFC 3720, appendix B.4: the checksum of "123456789" is E3069283, of 32 zeros 8A9136AA.
    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!((crc32c(b"123456789"), crc32c(&[0; 32])), (0xE306_9283, 0x8A91_36AA));
    }

    #[test]
    fn a_record_has_its_length_and_both_checksums() {
        let out = framed(b"abc");
        assert_eq!(out.len(), 8 + 4 + 3 + 4);
        assert_eq!((&out[..8], &out[12..15]), (&[3, 0, 0, 0, 0, 0, 0, 0][..], &b"abc"[..]));
        assert_eq!(out[15..], masked(b"abc").to_le_bytes());
    }
}
