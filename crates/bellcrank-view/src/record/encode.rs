//! Frames → blocks of bytes.
//!
//! A number x is stored as round(x / quantum), as the difference to the same number one frame before, zigzag
//! (0, −1, 1, −2, … → 0, 1, 2, 3, …) in groups of seven bits, low ones first: things at rest take one byte, and deflate
//! makes little of many equal bytes. Quaternions keep the sign that is nearer to the frame before.

use super::Quanta;
use crate::frame::{CONTACT_NUMBERS, Frame, POSE_NUMBERS};

/// Collects frames into a block.
pub(crate) struct BlockEncoder {
    quanta: Quanta,
    /// The last frame's whole numbers: poses, joints, joint velocities. Empty at the start of a block.
    last: Vec<i32>,
    bytes: Vec<u8>,
    pub frames: usize,
}

impl BlockEncoder {
    pub fn new(quanta: Quanta) -> Self {
        BlockEncoder { quanta, last: Vec::new(), bytes: Vec::new(), frames: 0 }
    }

    pub fn push(&mut self, frame: &Frame) {
        self.bytes.extend(frame.time.to_le_bytes());
        let numbers = self.whole_numbers(frame);
        for (k, &now) in numbers.iter().enumerate() {
            let before = self.last.get(k).copied().unwrap_or(0);
            write_signed(&mut self.bytes, now.wrapping_sub(before));
        }
        self.last = numbers;
        frame.traces.iter().for_each(|x| self.bytes.extend(x.to_le_bytes()));
        write_unsigned(&mut self.bytes, (frame.contacts.len() / CONTACT_NUMBERS) as u32);
        for contact in frame.contacts.chunks_exact(CONTACT_NUMBERS) {
            write_unsigned(&mut self.bytes, contact[0] as u32);
            for (k, &x) in contact[1..].iter().enumerate() {
                let quantum = if k < 3 { self.quanta.position } else { self.quanta.force };
                write_signed(&mut self.bytes, whole(x, quantum));
            }
        }
        self.frames += 1;
    }

    /// The block so far, compressed, with its head; the next frame starts a new one.
    pub fn take(&mut self) -> Vec<u8> {
        let packed = miniz_oxide::deflate::compress_to_vec(&self.bytes, 6);
        let mut block = (self.frames as u32).to_le_bytes().to_vec();
        block.extend((packed.len() as u32).to_le_bytes());
        block.extend(packed);
        (self.frames, self.last, self.bytes) = (0, Vec::new(), Vec::new());
        block
    }

    fn whole_numbers(&self, frame: &Frame) -> Vec<i32> {
        let mut numbers =
            Vec::with_capacity(frame.poses.len() + frame.joints.len() + frame.joint_velocities.len());
        for (body, pose) in frame.poses.chunks_exact(POSE_NUMBERS).enumerate() {
            numbers.extend(pose[..3].iter().map(|&x| whole(x, self.quanta.position)));
            let quat: Vec<i32> = pose[3..].iter().map(|&x| whole(x, self.quanta.quaternion)).collect();
            let start = POSE_NUMBERS * body + 3;
            let before = self.last.get(start..start + 4).unwrap_or(&[0; 4]);
            let alike: i64 = quat.iter().zip(before).map(|(&a, &b)| i64::from(a) * i64::from(b)).sum();
            numbers.extend(quat.iter().map(|&x| if alike < 0 { -x } else { x }));
        }
        numbers.extend(frame.joints.iter().map(|&q| whole(q, self.quanta.joint)));
        numbers.extend(frame.joint_velocities.iter().map(|&v| whole(v, self.quanta.joint_velocity)));
        numbers
    }
}

/// The nearest multiple; what is beyond the range stays at its end, what is not a number becomes zero.
fn whole(x: f32, quantum: f64) -> i32 {
    (f64::from(x) / quantum).round() as i32
}

fn write_signed(bytes: &mut Vec<u8>, x: i32) {
    write_unsigned(bytes, ((x << 1) ^ (x >> 31)) as u32);
}

fn write_unsigned(bytes: &mut Vec<u8>, mut x: u32) {
    while x >= 0x80 {
        bytes.push(x as u8 | 0x80);
        x >>= 7;
    }
    bytes.push(x as u8);
}
