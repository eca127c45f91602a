//! The sections of the file: words, strings, fields, paths and specs.

use super::bytes::{Bytes, Read, damaged};
use super::compress::{blocks, integers};
use super::values::Values;
use crate::error::ImportFaultKind;
use crate::options::Limits;
use std::cell::Cell;

/// What one spec is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Attribute,
    Prim,
    Root,
    Relationship,
    Variant,
    Other,
}

/// A path with what is said about it.
pub(super) struct Spec {
    pub path: usize,
    pub fields: usize,
    pub kind: Kind,
}

/// Everything but the values, which are read when they are asked for.
pub(super) struct Sections<'a> {
    pub words: Vec<String>,
    pub strings: Vec<usize>,
    /// Number of the word that names a field, and its value.
    fields: Vec<(usize, u64)>,
    /// Numbers of fields, set after set, each ended by −1.
    sets: Vec<i64>,
    pub paths: Vec<String>,
    pub specs: Vec<Spec>,
    pub bytes: &'a [u8],
    pub version: [u8; 3],
    /// Numbers that may still be read.
    pub budget: Cell<usize>,
}

/// Paths are not longer than this: they are as deep as the tree.
const PATH_LENGTH: usize = 4_000;

impl<'a> Sections<'a> {
    pub fn read(bytes: &'a [u8], limits: &Limits) -> Read<Self> {
        let version = [8, 9, 10].map(|k| bytes.get(k).copied().unwrap_or(0));
        if version[0] != 0 || !(4..=13).contains(&version[1]) {
            let what =
                format!("binary USD of version {}.{}.{} is not known", version[0], version[1], version[2]);
            return Err(ImportFaultKind::other(
                what,
                "convert it to text: usdcat robot.usdc --out robot.usda",
            ));
        }
        let table = Table::read(bytes)?;
        let words = words(table.section("TOKENS")?, limits)?;
        let strings = strings(table.section("STRINGS")?)?;
        let fields = fields(table.section("FIELDS")?, limits)?;
        let sets = counted(&mut Bytes::new(table.section("FIELDSETS")?), limits)?;
        let paths = paths(table.section("PATHS")?, &words, limits)?;
        let specs = specs(table.section("SPECS")?, limits)?;
        let budget = Cell::new(limits.mesh_parts.saturating_mul(8));
        Ok(Sections { words, strings, fields, sets, paths, specs, bytes, version, budget })
    }

    /// Names and values of a set of fields.
    pub fn fields(&self, set: usize) -> impl Iterator<Item = (&str, u64)> {
        let ids = self.sets.get(set..).unwrap_or(&[]).iter().take_while(|id| **id >= 0);
        ids.filter_map(|id| self.fields.get(*id as usize))
            .filter_map(|(word, value)| Some((self.words.get(*word)?.as_str(), *value)))
    }

    pub fn values(&self) -> Values<'_, 'a> {
        Values { sections: self }
    }
}

/// Name, start and length of each section.
struct Table<'a> {
    sections: Vec<(&'a [u8], u64, u64)>,
    bytes: &'a [u8],
}

impl<'a> Table<'a> {
    fn read(bytes: &'a [u8]) -> Read<Self> {
        let start = Bytes::new(bytes.get(16..).unwrap_or(&[])).u64()?;
        let at = usize::try_from(start).ok().and_then(|start| bytes.get(start..));
        let mut rest = Bytes::new(at.ok_or_else(|| damaged("the table of contents lies outside"))?);
        let count = rest.count(32)?;
        let section = |rest: &mut Bytes<'a>| Ok((rest.take(16)?, rest.u64()?, rest.u64()?));
        let sections = (0..count).map(|_| section(&mut rest)).collect::<Read<_>>()?;
        Ok(Table { sections, bytes })
    }

    fn section(&self, name: &str) -> Read<&'a [u8]> {
        let is_named = |title: &[u8]| title.split(|b| *b == 0).next() == Some(name.as_bytes());
        let found = self.sections.iter().find(|(title, _, _)| is_named(title));
        let slice = found.and_then(|(_, start, size)| {
            let start = usize::try_from(*start).ok()?;
            self.bytes.get(start..start.checked_add(usize::try_from(*size).ok()?)?)
        });
        slice.ok_or_else(|| damaged(&format!("the section {name} is missing")))
    }
}

fn too_many(what: &str, found: usize, limits: &Limits) -> ImportFaultKind {
    ImportFaultKind::TooLarge { what: what.into(), found: found as u64, limit: u64::from(limits.elements) }
}

/// A count that compression may make larger than the bytes; bounded by the limits.
fn bounded(bytes: &mut Bytes<'_>, what: &str, limits: &Limits) -> Read<usize> {
    let count = usize::try_from(bytes.u64()?).map_err(|_| damaged("a count is too large"))?;
    if count > 4 * limits.elements as usize { Err(too_many(what, count, limits)) } else { Ok(count) }
}

/// A compressed list of integers with its size before it.
fn list(bytes: &mut Bytes<'_>, count: usize) -> Read<Vec<i64>> {
    let size = bytes.count(1)?;
    integers(bytes.take(size)?, count, false)
}

fn counted(bytes: &mut Bytes<'_>, limits: &Limits) -> Read<Vec<i64>> {
    let count = bounded(bytes, "the number of fields", limits)?;
    list(bytes, count)
}

fn words(section: &[u8], limits: &Limits) -> Read<Vec<String>> {
    let mut bytes = Bytes::new(section);
    let count = bounded(&mut bytes, "the number of words", limits)?;
    let size = usize::try_from(bytes.u64()?).map_err(|_| damaged("a size is too large"))?;
    if size as u64 > limits.text_bytes {
        return Err(ImportFaultKind::TooLarge {
            what: "the words [bytes]".into(),
            found: size as u64,
            limit: limits.text_bytes,
        });
    }
    let packed = bytes.count(1)?;
    let text = blocks(bytes.take(packed)?, size)?;
    let words: Vec<String> =
        text.split(|b| *b == 0).take(count).map(|w| String::from_utf8_lossy(w).into_owned()).collect();
    if words.len() == count { Ok(words) } else { Err(damaged("words are missing")) }
}

fn strings(section: &[u8]) -> Read<Vec<usize>> {
    let mut bytes = Bytes::new(section);
    let count = bytes.count(4)?;
    (0..count).map(|_| Ok(bytes.u32()? as usize)).collect()
}

fn fields(section: &[u8], limits: &Limits) -> Read<Vec<(usize, u64)>> {
    let mut bytes = Bytes::new(section);
    let count = bounded(&mut bytes, "the number of fields", limits)?;
    let names = list(&mut bytes, count)?;
    let size = bytes.count(1)?;
    let values = blocks(bytes.take(size)?, 8 * count)?;
    let mut values = Bytes::new(&values);
    names.into_iter().map(|name| Ok((usize::try_from(name).unwrap_or(usize::MAX), values.u64()?))).collect()
}

fn specs(section: &[u8], limits: &Limits) -> Read<Vec<Spec>> {
    let mut bytes = Bytes::new(section);
    let count = bounded(&mut bytes, "the number of specs", limits)?;
    let (paths, fields, kinds) =
        (list(&mut bytes, count)?, list(&mut bytes, count)?, list(&mut bytes, count)?);
    let index = |x: i64| usize::try_from(x).unwrap_or(usize::MAX);
    let kind = |k: i64| match k {
        1 => Kind::Attribute,
        6 => Kind::Prim,
        7 => Kind::Root,
        8 => Kind::Relationship,
        10 => Kind::Variant,
        _ => Kind::Other,
    };
    let specs = paths.into_iter().zip(fields).zip(kinds);
    Ok(specs
        .map(|((path, fields), k)| Spec { path: index(path), fields: index(fields), kind: kind(k) })
        .collect())
}

/// The tree of paths: for each its number, the word that it adds, and where its sibling is.
fn paths(section: &[u8], words: &[String], limits: &Limits) -> Read<Vec<String>> {
    let mut bytes = Bytes::new(section);
    let all = bounded(&mut bytes, "the number of paths", limits)?;
    let count = bounded(&mut bytes, "the number of paths", limits)?;
    let (numbers, added, jumps) =
        (list(&mut bytes, count)?, list(&mut bytes, count)?, list(&mut bytes, count)?);
    let mut paths = vec![String::new(); all];
    // places still to go on from, each with the path around it; every place is entered once
    let mut waiting = vec![(0, None::<String>)];
    let (mut entered, mut length) = (0, 0);
    while let Some((mut at, mut around)) = waiting.pop() {
        while at < count {
            entered += 1;
            let path = match &around {
                None => "/".to_owned(),
                Some(around) => longer(around, added[at], words)?,
            };
            length += path.len();
            if entered > count || path.len() > PATH_LENGTH || length > limits.text_bytes as usize {
                return Err(damaged("its paths have no end"));
            }
            let slot = usize::try_from(numbers[at]).ok().and_then(|n| paths.get_mut(n));
            *slot.ok_or_else(|| damaged("a path has no number"))? = path.clone();
            let jump = jumps[at];
            if jump > 0 {
                waiting.push((at + jump as usize, Some(around.clone().unwrap_or_else(|| "/".into()))));
            }
            match jump {
                -1 | 1.. => around = Some(path),           // a child comes next
                0 => around = around.or(Some("/".into())), // a sibling does
                _ => break,
            }
            at += 1;
        }
    }
    Ok(paths)
}

/// A path with one more part; a negative number means a property.
fn longer(around: &str, added: i64, words: &[String]) -> Read<String> {
    let word = words.get(added.unsigned_abs() as usize).ok_or_else(|| damaged("a path names no word"))?;
    Ok(match (added < 0, around, word.starts_with('{')) {
        (true, _, _) => format!("{around}.{word}"),
        (_, _, true) => format!("{around}{word}"),
        (_, "/", _) => format!("/{word}"),
        (_, around, _) if around.ends_with('}') => format!("{around}{word}"),
        _ => format!("{around}/{word}"),
    })
}
