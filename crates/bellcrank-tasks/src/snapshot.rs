//! An environment as bytes: what it needs to go on bit for bit.
//!
//! `BELLENV2`, then numbers of 64 bits, little-endian: seed; worlds; numbers of memory and of controls; by world episode and
//! age; memory and controls as bits of 32-bit floats; and the batch's own snapshot, which knows its models. A checksum of all
//! of it comes last. Masses, frictions and delays follow from the seed.

use crate::env::{Env, EnvError};
use bellcrank_model::Checksum;

const MAGIC: &[u8; 8] = b"BELLENV2";

impl Env {
    /// The whole environment; with [`Env::restore`] it goes on bit for bit.
    pub fn snapshot(&self) -> Vec<u8> {
        let mut out = MAGIC.to_vec();
        let mut put = |x: u64| out.extend(x.to_le_bytes());
        [self.seed, self.episode.len() as u64, self.memory.len() as u64, self.controls[0].len() as u64]
            .into_iter()
            .for_each(&mut put);
        self.episode.iter().for_each(|x| put(*x));
        self.age.iter().for_each(|x| put(*x as u64));
        self.memory.iter().chain(self.controls.iter().flatten()).for_each(|x| put(x.to_bits().into()));
        out.extend(self.batch.snapshot());
        out.extend(checksum(&out).to_le_bytes());
        out
    }

    /// Takes a snapshot of an environment of the same task, settings and number of worlds back.
    ///
    /// # Errors
    /// When the bytes are damaged or of another environment; this one must be reset then.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), EnvError> {
        let rest = bytes.strip_prefix(MAGIC).ok_or(EnvError::BadSnapshot("of another kind or version"))?;
        let damaged = EnvError::BadSnapshot("damaged: its checksum does not fit");
        let (content, sum) = bytes.split_last_chunk::<8>().ok_or(damaged.clone())?;
        if checksum(content) != u64::from_le_bytes(*sum) {
            return Err(damaged);
        }
        let rest = rest.get(..rest.len().saturating_sub(8)).unwrap_or_default();
        let (worlds, memory, controls) = (self.episode.len(), self.memory.len(), self.controls[0].len());
        let count = 4 + 2 * worlds + memory + 3 * controls;
        let cut = EnvError::BadSnapshot("cut off, or of another task or number of worlds");
        let (numbers, batch) = rest.split_at_checked(8 * count).ok_or(cut.clone())?;
        let word = |k: usize| {
            let mut eight = [0; 8];
            eight.copy_from_slice(&numbers[8 * k..8 * k + 8]);
            u64::from_le_bytes(eight)
        };
        if [word(1), word(2), word(3)] != [worlds as u64, memory as u64, controls as u64] {
            return Err(cut);
        }
        self.seed = word(0);
        self.randomise()?;
        self.batch.restore(batch)?;
        let mut words = (4..count).map(word);
        let mut next = || words.next().unwrap_or_default();
        self.episode.iter_mut().for_each(|x| *x = next());
        self.age.iter_mut().for_each(|x| *x = next() as usize);
        let floats = self.memory.iter_mut().chain(self.controls.iter_mut().flatten());
        floats.for_each(|x| *x = f32::from_bits(next() as u32));
        self.write_controls()?;
        self.look()
    }
}

fn checksum(bytes: &[u8]) -> u64 {
    let mut sum = Checksum::default();
    sum.bytes(bytes);
    sum.finish()
}
