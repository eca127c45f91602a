//! A world's state as bytes, to resume bit for bit.
//!
//! Format, little endian: `BCSN`, version, number of worlds; then each world as its number of values and the values
//! as `f64` (exact for both precisions). Versions that this program does not know are refused.

use crate::batch::BatchError;

const MAGIC: [u8; 4] = *b"BCSN";
const VERSION: u32 = 3;

/// Writes a snapshot.
pub(crate) struct Writer {
    bytes: Vec<u8>,
}

impl Writer {
    pub fn new(worlds: usize) -> Self {
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend((worlds as u64).to_le_bytes());
        Writer { bytes }
    }

    pub fn world(&mut self, values: &[f64]) {
        self.bytes.extend((values.len() as u64).to_le_bytes());
        values.iter().for_each(|x| self.bytes.extend(x.to_bits().to_le_bytes()));
    }

    pub fn finish(self) -> Vec<u8> {
        self.bytes
    }
}

/// Reads a whole snapshot: one list of values per world.
pub(crate) fn read(bytes: &[u8], worlds: usize) -> Result<Vec<Vec<f64>>, BatchError> {
    let bad = |why: &'static str| BatchError::BadSnapshot(why);
    let mut rest = bytes.strip_prefix(&MAGIC).ok_or(bad("it does not begin like one"))?;
    let version = u32::from_le_bytes(take(&mut rest).ok_or(bad("it is cut off"))?);
    if version != VERSION {
        return Err(bad("it was written by another version"));
    }
    if number(&mut rest).ok_or(bad("it is cut off"))? != worlds {
        return Err(bad("it has another number of worlds"));
    }
    let mut all = Vec::with_capacity(worlds);
    for _ in 0..worlds {
        let count = number(&mut rest).ok_or(bad("it is cut off"))?;
        if count > rest.len() / 8 {
            return Err(bad("it is cut off"));
        }
        let (values, after) = rest.split_at(8 * count);
        let value =
            |chunk: &[u8]| f64::from_bits(chunk.iter().rev().fold(0, |bits, b| bits << 8 | *b as u64));
        all.push(values.chunks_exact(8).map(value).collect());
        rest = after;
    }
    if rest.is_empty() { Ok(all) } else { Err(bad("there is more in it than the worlds")) }
}

fn take<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_first_chunk::<N>()?;
    *rest = tail;
    Some(*head)
}

fn number(rest: &mut &[u8]) -> Option<usize> {
    take(rest).map(u64::from_le_bytes).and_then(|n| usize::try_from(n).ok())
}
