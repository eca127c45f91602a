//! Little-endian numbers from a slice, never beyond its end.

use crate::error::ImportFaultKind;

pub(super) type Read<T> = Result<T, ImportFaultKind>;

/// The file is not what it says.
pub(super) fn damaged(how: &str) -> ImportFaultKind {
    let what = format!("the binary USD file cannot be read: {how}");
    ImportFaultKind::other(what, "write it again, or convert it to text: usdcat robot.usdc --out robot.usda")
}

/// Where reading has come to.
#[derive(Clone, Copy)]
pub(super) struct Bytes<'a> {
    rest: &'a [u8],
}

impl<'a> Bytes<'a> {
    pub fn new(rest: &'a [u8]) -> Self {
        Bytes { rest }
    }

    pub fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    pub fn take(&mut self, count: usize) -> Read<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(count).ok_or_else(|| damaged("it ends too early"))?;
        self.rest = rest;
        Ok(taken)
    }

    fn array<const N: usize>(&mut self) -> Read<[u8; N]> {
        Ok(self.take(N)?.try_into().unwrap_or([0; N]))
    }

    pub fn u8(&mut self) -> Read<u8> {
        Ok(self.array::<1>()?[0])
    }

    pub fn u16(&mut self) -> Read<u16> {
        Ok(u16::from_le_bytes(self.array()?))
    }

    pub fn u32(&mut self) -> Read<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    pub fn u64(&mut self) -> Read<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    pub fn i64(&mut self) -> Read<i64> {
        Ok(i64::from_le_bytes(self.array()?))
    }

    /// A count of things that take at least `least` bytes each of what is left.
    pub fn count(&mut self, least: usize) -> Read<usize> {
        let count = usize::try_from(self.u64()?).map_err(|_| damaged("a count is too large"))?;
        let most = self.rest.len() / least.max(1);
        if count > most { Err(damaged("a count is larger than the file")) } else { Ok(count) }
    }
}
