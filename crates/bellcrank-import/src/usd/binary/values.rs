//! Values: within the eight bytes that describe them, or at a place in the file.

use super::bytes::{Bytes, Read, damaged};
use super::compress::integers;
use super::sections::Sections;
use crate::error::ImportFaultKind;
use crate::usd::layer::Value;

const ARRAY: u64 = 1 << 63;
const INLINED: u64 = 1 << 62;
const COMPRESSED: u64 = 1 << 61;
/// Shorter lists are never compressed, whatever they say.
const WORTH_COMPRESSING: usize = 16;
/// Dictionaries within dictionaries.
const DEPTH: usize = 16;

/// Reads values of one file.
pub(super) struct Values<'s, 'a> {
    pub sections: &'s Sections<'a>,
}

/// What a number is made of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Scalar {
    U8,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

/// Scalar, how many make one value, and whether it is a quaternion, whose real part comes last in the file.
fn numeric(kind: u8) -> Option<(Scalar, usize, bool)> {
    use Scalar::{F16, F32, F64, I32, I64, U8, U32, U64};
    Some(match kind {
        2 => (U8, 1, false),
        3 => (I32, 1, false),
        4 => (U32, 1, false),
        5 => (I64, 1, false),
        6 => (U64, 1, false),
        7 => (F16, 1, false),
        8 => (F32, 1, false),
        9 | 56 => (F64, 1, false),
        13 => (F64, 4, false),
        14 => (F64, 9, false),
        15 => (F64, 16, false),
        16 => (F64, 4, true),
        17 => (F32, 4, true),
        18 => (F16, 4, true),
        19 | 23 | 27 => (F64, usize::from(kind - 19) / 4 + 2, false),
        20 | 24 | 28 => (F32, usize::from(kind - 20) / 4 + 2, false),
        21 | 25 | 29 => (F16, usize::from(kind - 21) / 4 + 2, false),
        22 | 26 | 30 => (I32, usize::from(kind - 22) / 4 + 2, false),
        _ => return None,
    })
}

impl<'a> Values<'_, 'a> {
    /// The value, or `None` for kinds that no mechanism needs.
    pub fn value(&self, described: u64) -> Read<Option<Value>> {
        self.value_at(described, 0)
    }

    fn value_at(&self, described: u64, depth: usize) -> Read<Option<Value>> {
        if depth > DEPTH {
            return Err(damaged("dictionaries have no end"));
        }
        let kind = (described >> 48) as u8;
        let payload = described & 0xffff_ffff_ffff;
        if described & ARRAY != 0 {
            return self.array(kind, payload, described & COMPRESSED != 0);
        }
        if described & INLINED != 0 {
            return self.inlined(kind, payload as u32);
        }
        let mut at = self.at(payload)?;
        Ok(match kind {
            10 => Some(Value::Text(self.string(at.u32()?)?)),
            11 => Some(Value::Text(self.word(at.u32()?)?)),
            31 => Some(Value::Dictionary(self.dictionary(&mut at, depth)?)),
            32 | 33 => Some(Value::List(
                self.list_of(&mut at, |v, b| Ok(Value::Text(v.name(kind == 33, b.u32()?)?)))?,
            )),
            34 => Some(Value::List(self.list_of(&mut at, |v, b| Ok(Value::Path(v.path(b.u32()?)?)))?)),
            35 => Some(Value::List(self.list_of(&mut at, |v, b| v.reference(b, true))?)),
            55 => Some(Value::List(self.list_of(&mut at, |v, b| v.reference(b, false))?)),
            40 => Some(Value::List(self.row(&mut at, |v, b| Ok(Value::Path(v.path(b.u32()?)?)))?)),
            41 => Some(Value::List(self.row(&mut at, |v, b| Ok(Value::Text(v.word(b.u32()?)?)))?)),
            50 => Some(Value::List(self.row(&mut at, |v, b| Ok(Value::Text(v.string(b.u32()?)?)))?)),
            45 => Some(Value::Dictionary(self.selections(&mut at)?)),
            47 => Some(self.reference(&mut at, false)?),
            _ => match numeric(kind) {
                Some((scalar, count, turn)) => {
                    Some(Value::Numbers(self.numbers(&mut at, scalar, count, turn, 1)?))
                }
                None => None,
            },
        })
    }

    fn at(&self, place: u64) -> Read<Bytes<'a>> {
        let rest = usize::try_from(place).ok().and_then(|place| self.sections.bytes.get(place..));
        rest.map(Bytes::new).ok_or_else(|| damaged("a value lies outside"))
    }

    fn inlined(&self, kind: u8, payload: u32) -> Read<Option<Value>> {
        let bytes = payload.to_le_bytes();
        let one = |x: f64| Ok(Some(Value::Numbers(vec![x])));
        match kind {
            1 => Ok(Some(Value::Text(if payload != 0 { "true" } else { "false" }.into()))),
            2 | 4 | 6 => one(f64::from(payload)),
            3 | 5 => one(f64::from(payload as i32)),
            7 => one(half(payload as u16)),
            // numbers of 64 bits that 32 can hold
            8 | 9 | 56 => one(f64::from(f32::from_bits(payload))),
            10 => Ok(Some(Value::Text(self.string(payload)?))),
            11 => Ok(Some(Value::Text(self.word(payload)?))),
            12 => Ok(Some(Value::Asset(self.word(payload)?, String::new()))),
            // diagonals of small integers
            13..=15 => {
                let size = usize::from(kind) - 11;
                let entry = |k: usize| {
                    if k.is_multiple_of(size + 1) { f64::from(bytes[k / (size + 1)] as i8) } else { 0.0 }
                };
                Ok(Some(Value::Numbers((0..size * size).map(entry).collect())))
            }
            19..=30 => {
                let count = usize::from(kind - 19) / 4 + 2;
                Ok(Some(Value::Numbers(bytes[..count].iter().map(|b| f64::from(*b as i8)).collect())))
            }
            31 => Ok(Some(Value::Dictionary(Vec::new()))),
            42 => Ok(Some(Value::Text(
                ["def", "over", "class"].get(payload as usize).unwrap_or(&"over").to_string(),
            ))),
            _ => Ok(None),
        }
    }

    fn array(&self, kind: u8, place: u64, compressed: bool) -> Read<Option<Value>> {
        if place == 0 {
            return Ok(Some(if numeric(kind).is_some() {
                Value::Numbers(Vec::new())
            } else {
                Value::List(Vec::new())
            }));
        }
        let mut at = self.at(place)?;
        if self.sections.version[1] < 5 {
            at.u32()?; // the number of dimensions, always one
        }
        let count = if self.sections.version[1] < 7 { u64::from(at.u32()?) } else { at.u64()? };
        let count = usize::try_from(count).map_err(|_| damaged("a count is too large"))?;
        if let Some((scalar, each, turn)) = numeric(kind) {
            let packed = compressed && count >= WORTH_COMPRESSING && each == 1;
            let row = if packed {
                self.packed(&mut at, scalar, count)?
            } else {
                self.numbers(&mut at, scalar, each, turn, count)?
            };
            return Ok(Some(Value::Numbers(row)));
        }
        self.spend(count)?;
        let item = |at: &mut Bytes<'a>| match kind {
            1 => Ok(Value::Text(if at.u8()? != 0 { "true" } else { "false" }.into())),
            10 => Ok(Value::Text(self.string(at.u32()?)?)),
            11 => Ok(Value::Text(self.word(at.u32()?)?)),
            _ => Ok(Value::Asset(self.word(at.u32()?)?, String::new())),
        };
        if ![1, 10, 11, 12].contains(&kind) {
            return Ok(None);
        }
        Ok(Some(Value::List((0..count).map(|_| item(&mut at)).collect::<Read<_>>()?)))
    }

    /// A list of numbers that is worth compressing.
    fn packed(&self, at: &mut Bytes<'a>, scalar: Scalar, count: usize) -> Read<Vec<f64>> {
        self.spend(count)?;
        let integers_of = |at: &mut Bytes<'a>, wide: bool| {
            let size = at.count(1)?;
            integers(at.take(size)?, count, wide)
        };
        let plain = |row: Vec<i64>| row.into_iter().map(|x| x as f64).collect::<Vec<f64>>();
        match scalar {
            Scalar::I32 => Ok(plain(integers_of(at, false)?)),
            Scalar::U32 => Ok(integers_of(at, false)?.into_iter().map(|x| f64::from(x as u32)).collect()),
            Scalar::I64 | Scalar::U64 => Ok(plain(integers_of(at, true)?)),
            Scalar::U8 => Err(damaged("a list is compressed in an unknown way")),
            Scalar::F16 | Scalar::F32 | Scalar::F64 => match at.u8()? {
                b'i' => Ok(plain(integers_of(at, false)?)),
                b't' => {
                    let size = at.u32()? as usize;
                    let table = self.numbers(at, scalar, 1, false, size)?;
                    let places = integers_of(at, false)?;
                    let look = |k: i64| usize::try_from(k).ok().and_then(|k| table.get(k)).copied();
                    places
                        .into_iter()
                        .map(|k| look(k).ok_or_else(|| damaged("a number is not in its table")))
                        .collect()
                }
                _ => Err(damaged("a list is compressed in an unknown way")),
            },
        }
    }

    /// `count` values of `each` numbers as one row.
    fn numbers(
        &self,
        at: &mut Bytes<'a>,
        scalar: Scalar,
        each: usize,
        turn: bool,
        count: usize,
    ) -> Read<Vec<f64>> {
        let all = each.checked_mul(count).ok_or_else(|| damaged("a count is too large"))?;
        let size = match scalar {
            Scalar::U8 => 1,
            Scalar::F16 => 2,
            Scalar::I32 | Scalar::U32 | Scalar::F32 => 4,
            Scalar::I64 | Scalar::U64 | Scalar::F64 => 8,
        };
        if at.rest().len() / size < all {
            return Err(damaged("a count is larger than the file"));
        }
        self.spend(all)?;
        let one = |at: &mut Bytes<'a>| {
            Ok(match scalar {
                Scalar::U8 => f64::from(at.u8()?),
                Scalar::F16 => half(at.u16()?),
                Scalar::I32 => f64::from(at.u32()? as i32),
                Scalar::U32 => f64::from(at.u32()?),
                Scalar::F32 => f64::from(f32::from_bits(at.u32()?)),
                Scalar::I64 => at.i64()? as f64,
                Scalar::U64 => at.u64()? as f64,
                Scalar::F64 => f64::from_bits(at.u64()?),
            })
        };
        let mut row: Vec<f64> = (0..all).map(|_| one(at)).collect::<Read<_>>()?;
        if turn {
            // text writes the real part first
            row.chunks_exact_mut(4).for_each(|q| q.rotate_right(1));
        }
        Ok(row)
    }

    /// Counts what is read, so that small files do not become large models.
    fn spend(&self, count: usize) -> Read<()> {
        let left = self.sections.budget.get().checked_sub(count);
        let found = count as u64;
        let limit = self.sections.budget.get() as u64;
        self.sections.budget.set(left.ok_or(ImportFaultKind::TooLarge {
            what: "the numbers of the file".into(),
            found,
            limit,
        })?);
        Ok(())
    }

    fn word(&self, number: u32) -> Read<String> {
        self.sections.words.get(number as usize).cloned().ok_or_else(|| damaged("a word is missing"))
    }

    fn string(&self, number: u32) -> Read<String> {
        let word =
            self.sections.strings.get(number as usize).ok_or_else(|| damaged("a string is missing"))?;
        self.word(u32::try_from(*word).unwrap_or(u32::MAX))
    }

    fn name(&self, is_string: bool, number: u32) -> Read<String> {
        if is_string { self.string(number) } else { self.word(number) }
    }

    fn path(&self, number: u32) -> Read<String> {
        self.sections.paths.get(number as usize).cloned().ok_or_else(|| damaged("a path is missing"))
    }

    /// A count and as many items.
    fn row<T>(&self, at: &mut Bytes<'a>, item: impl Fn(&Self, &mut Bytes<'a>) -> Read<T>) -> Read<Vec<T>> {
        let count = at.count(4)?;
        self.spend(count)?;
        (0..count).map(|_| item(self, at)).collect()
    }

    /// Edits of a list: those that add something, in their order of strength.
    fn list_of<T>(
        &self,
        at: &mut Bytes<'a>,
        item: impl Fn(&Self, &mut Bytes<'a>) -> Read<T>,
    ) -> Read<Vec<T>> {
        let has = at.u8()?;
        let mut all = Vec::new();
        // explicit, added, prepended, appended; deleted and ordered come after them and add nothing
        for bit in [2, 4, 32, 64] {
            if has & bit != 0 {
                all.extend(self.row(at, &item)?);
            }
        }
        Ok(all)
    }

    /// `@file@</path>`, with an offset in time and, for references, data of the user's own.
    fn reference(&self, at: &mut Bytes<'a>, is_reference: bool) -> Read<Value> {
        let file = self.string(at.u32()?)?;
        let path = match at.u32()? {
            u32::MAX => String::new(),
            number => self.path(number)?,
        };
        if is_reference || self.sections.version[1] >= 8 {
            at.take(16)?;
        }
        if is_reference {
            self.dictionary(at, 0)?;
        }
        let path = if path == "/" { String::new() } else { path };
        Ok(Value::Asset(file, path))
    }

    /// Names with values, each behind the things that it is made of.
    fn dictionary(&self, at: &mut Bytes<'a>, depth: usize) -> Read<Vec<(String, Value)>> {
        let count = at.count(12)?;
        self.spend(count)?;
        let mut entries = Vec::new();
        for _ in 0..count {
            let key = self.string(at.u32()?)?;
            let start = *at;
            let skip = at.i64()?;
            let behind = usize::try_from(skip).ok().and_then(|skip| start.rest().get(skip..));
            *at = Bytes::new(behind.ok_or_else(|| damaged("an entry lies outside"))?);
            let described = at.u64()?;
            entries.extend(self.value_at(described, depth + 1)?.map(|value| (key, value)));
        }
        Ok(entries)
    }

    fn selections(&self, at: &mut Bytes<'a>) -> Read<Vec<(String, Value)>> {
        let count = at.count(8)?;
        (0..count).map(|_| Ok((self.string(at.u32()?)?, Value::Text(self.string(at.u32()?)?)))).collect()
    }
}

/// A number of 16 bits.
fn half(bits: u16) -> f64 {
    let (sign, exponent, part) = (bits >> 15, i32::from(bits >> 10 & 31), f64::from(bits & 1023));
    let size = match exponent {
        0 => part * 2f64.powi(-24),
        31 if part == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        e => (1.0 + part / 1024.0) * 2f64.powi(e - 15),
    };
    if sign == 1 { -size } else { size }
}

#[cfg(test)]
mod tests {
    #[test]
    fn halves_are_what_they_are() {
        for (bits, value) in
            [(0x3c00, 1.0), (0xc000, -2.0), (0x3555, 0.333_251_953_125), (0x0001, 5.960_464_477_539_063e-8)]
        {
            assert_eq!(super::half(bits), value);
        }
    }
}
