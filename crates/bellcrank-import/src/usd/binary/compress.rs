//! The two compressions of binary USD: LZ4 blocks, and lists of integers as differences of one to four bytes.

use super::bytes::{Bytes, Read, damaged};

/// Decompresses into exactly `size` bytes. The first byte counts chunks; none means that the rest is one block.
pub(super) fn blocks(data: &[u8], size: usize) -> Read<Vec<u8>> {
    let (&chunks, mut rest) = data.split_first().ok_or_else(|| damaged("an empty block"))?;
    let mut out = Vec::with_capacity(size.min(64 * data.len() + 64));
    if chunks == 0 {
        block(rest, &mut out, size)?;
    }
    for _ in 0..chunks {
        let mut bytes = Bytes::new(rest);
        let length = bytes.u32()? as usize;
        let part = bytes.take(length)?;
        block(part, &mut out, size)?;
        rest = bytes.rest();
    }
    if out.len() == size { Ok(out) } else { Err(damaged("a block is shorter than it says")) }
}

/// One LZ4 block: runs of literal bytes, each followed by a copy of earlier output.
fn block(data: &[u8], out: &mut Vec<u8>, most: usize) -> Read<()> {
    let mut bytes = Bytes::new(data);
    while !bytes.is_empty() {
        let token = bytes.u8()?;
        let literal = length(token >> 4, &mut bytes)?;
        let part = bytes.take(literal)?;
        grow(out, literal, most)?;
        out.extend_from_slice(part);
        if bytes.is_empty() {
            return Ok(()); // the last run has no copy
        }
        let back = bytes.u16()? as usize;
        let copied = length(token & 15, &mut bytes)? + 4;
        grow(out, copied, most)?;
        let start =
            out.len().checked_sub(back).filter(|_| back > 0).ok_or_else(|| damaged("a copy from nowhere"))?;
        // a copy may overlap what it writes
        for k in 0..copied {
            out.push(out[start + k]);
        }
    }
    Ok(())
}

fn grow(out: &[u8], by: usize, most: usize) -> Read<()> {
    if out.len() + by > most { Err(damaged("a block is longer than it says")) } else { Ok(()) }
}

/// Four bits, and as many bytes more as are 255, and one.
fn length(nibble: u8, bytes: &mut Bytes<'_>) -> Read<usize> {
    let mut length = nibble as usize;
    if nibble == 15 {
        loop {
            let more = bytes.u8()?;
            length += more as usize;
            if more != 255 {
                break;
            }
        }
    }
    Ok(length)
}

/// `count` integers of `wide` (64) or narrow (32) bits: a common difference, two bits for each that say how many bytes its
/// own difference has, then these.
pub(super) fn integers(data: &[u8], count: usize, wide: bool) -> Read<Vec<i64>> {
    let unit = if wide { 8 } else { 4 };
    let codes = count.div_ceil(4);
    let most = unit + codes + count * unit;
    // the size is not told: what comes out is at most this
    let encoded = up_to(data, most)?;
    let mut bytes = Bytes::new(&encoded);
    let common = if wide { bytes.i64()? } else { i64::from(bytes.u32()? as i32) };
    let codes = bytes.take(codes)?;
    let mut value: i64 = 0;
    let mut out = Vec::with_capacity(count);
    for k in 0..count {
        let code = codes[k / 4] >> (2 * (k % 4)) & 3;
        let step = match (code, wide) {
            (0, _) => common,
            (1, false) => i64::from(bytes.u8()? as i8),
            (2, false) | (1, true) => i64::from(bytes.u16()? as i16),
            (3, false) | (2, true) => i64::from(bytes.u32()? as i32),
            _ => bytes.i64()?,
        };
        value = value.wrapping_add(step);
        out.push(if wide { value } else { i64::from(value as i32) });
    }
    Ok(out)
}

/// Like [`blocks`], but the result may be shorter.
fn up_to(data: &[u8], most: usize) -> Read<Vec<u8>> {
    let (&chunks, mut rest) = data.split_first().ok_or_else(|| damaged("an empty block"))?;
    let mut out = Vec::new();
    if chunks == 0 {
        block(rest, &mut out, most)?;
    }
    for _ in 0..chunks {
        let mut bytes = Bytes::new(rest);
        let length = bytes.u32()? as usize;
        block(bytes.take(length)?, &mut out, most)?;
        rest = bytes.rest();
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: three letters, then a copy of six from three back, then a letter: "abcabcabc!".
    #[test]
    fn copies_may_overlap_themselves() {
        let data = [0, 0x32, b'a', b'b', b'c', 3, 0, 0x10, b'!'];
        assert_eq!(blocks(&data, 10).unwrap(), b"abcabcabc!");
        assert!(blocks(&data, 9).is_err() && blocks(&data, 11).is_err());
        assert!(blocks(&[0, 0x02, 1, 0], 10).is_err());
    }

    /// Common difference 1: 1, 2, then a byte of −5 to −3, then a word of 1000 to 997.
    #[test]
    fn integers_are_sums_of_differences() {
        let codes = 0b10_01_00_00;
        let mut plain = vec![1, 0, 0, 0, codes, 0xfb];
        plain.extend(1000i16.to_le_bytes());
        let mut data = vec![0, (plain.len() as u8) << 4];
        data.extend(&plain);
        assert_eq!(integers(&data, 4, false).unwrap(), [1, 2, -3, 997]);
        assert!(integers(&data, 5, false).is_err());
    }
}
