//! Files in the safetensors format: eight bytes with the length of a JSON header, the header, and the numbers one after
//! another, little-endian. Names are sorted, so that the same content has the same bytes.

use crate::error::LearnError;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// Headers beyond this are damage, not data.
const LONGEST_HEADER: usize = 10_000_000;

/// Tensors and texts by name.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tensors {
    pub texts: BTreeMap<String, String>,
    entries: BTreeMap<String, Entry>,
}

#[derive(Clone, Debug, PartialEq)]
struct Entry {
    kind: &'static str,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

const KINDS: [(&str, usize); 3] = [("F32", 4), ("F64", 8), ("U8", 1)];

impl Tensors {
    pub fn put_f32(&mut self, name: &str, shape: &[usize], values: &[f32]) {
        let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.entries.insert(name.into(), Entry { kind: "F32", shape: shape.into(), bytes });
    }

    pub fn put_f64(&mut self, name: &str, values: &[f64]) {
        let bytes = values.iter().flat_map(|x| x.to_le_bytes()).collect();
        self.entries.insert(name.into(), Entry { kind: "F64", shape: vec![values.len()], bytes });
    }

    pub fn put_bytes(&mut self, name: &str, bytes: Vec<u8>) {
        self.entries.insert(name.into(), Entry { kind: "U8", shape: vec![bytes.len()], bytes });
    }

    pub fn put_text(&mut self, name: &str, text: impl ToString) {
        self.texts.insert(name.into(), text.to_string());
    }

    fn get(&self, name: &str, kind: &str) -> Result<&[u8], String> {
        match self.entries.get(name) {
            Some(entry) if entry.kind == kind => Ok(&entry.bytes),
            Some(entry) => Err(format!("{name:?} holds {}, not {kind}", entry.kind)),
            None => Err(format!("{name:?} is missing")),
        }
    }

    /// A tensor of so many numbers.
    pub fn f32(&self, name: &str, count: usize) -> Result<Vec<f32>, String> {
        let values = self.get(name, "F32")?.as_chunks().0.iter().map(|four| f32::from_le_bytes(*four));
        sized(name, values.collect(), count)
    }

    pub fn f64(&self, name: &str, count: usize) -> Result<Vec<f64>, String> {
        let values = self.get(name, "F64")?.as_chunks().0.iter().map(|eight| f64::from_le_bytes(*eight));
        sized(name, values.collect(), count)
    }

    pub fn bytes(&self, name: &str) -> Result<&[u8], String> {
        self.get(name, "U8")
    }

    /// A text.
    pub fn text(&self, name: &str) -> Result<&str, String> {
        self.texts.get(name).map(String::as_str).ok_or_else(|| format!("the text {name:?} is missing"))
    }

    /// A number written as text.
    pub fn number<T: std::str::FromStr>(&self, name: &str) -> Result<T, String> {
        let text = self.text(name)?;
        text.parse().map_err(|_| format!("{name:?} is {text:?}, which is no such number"))
    }

    /// The file.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut header = Map::new();
        header.insert("__metadata__".into(), json!(self.texts));
        let mut at = 0;
        for (name, entry) in &self.entries {
            let end = at + entry.bytes.len();
            header.insert(
                name.clone(),
                json!({ "dtype": entry.kind, "shape": entry.shape, "data_offsets": [at, end] }),
            );
            at = end;
        }
        let mut text = Value::Object(header).to_string();
        while !text.len().is_multiple_of(8) {
            text.push(' '); // numbers begin at multiples of eight
        }
        let mut out = (text.len() as u64).to_le_bytes().to_vec();
        out.extend(text.as_bytes());
        self.entries.values().for_each(|entry| out.extend(&entry.bytes));
        out
    }

    /// Reads a file's bytes; says what is wrong with them.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let cut = || "the file is cut off, or no safetensors file".to_owned();
        let (length, rest) = bytes.split_first_chunk().ok_or_else(cut)?;
        let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
        if length > LONGEST_HEADER {
            return Err("the file is no safetensors file".into());
        }
        let (header, data) = rest.split_at_checked(length).ok_or_else(cut)?;
        let header: Map<String, Value> =
            serde_json::from_slice(header).map_err(|error| format!("the header cannot be read: {error}"))?;
        let mut found = Tensors::default();
        let mut left = data.len();
        for (name, value) in header {
            if name == "__metadata__" {
                let texts = serde_json::from_value(value);
                found.texts = texts.map_err(|error| format!("the metadata cannot be read: {error}"))?;
            } else {
                let entry = entry(&value, data).ok_or_else(|| format!("{name:?} is damaged or cut off"))?;
                // copies of the same bytes under many names would need more memory than the file has
                left = left.checked_sub(entry.bytes.len()).ok_or("its tensors overlap")?;
                found.entries.insert(name, entry);
            }
        }
        Ok(found)
    }
}

fn sized<T>(name: &str, values: Vec<T>, count: usize) -> Result<Vec<T>, String> {
    if values.len() == count {
        Ok(values)
    } else {
        Err(format!("{name:?} has {} numbers where {count} belong", values.len()))
    }
}

fn entry(value: &Value, data: &[u8]) -> Option<Entry> {
    let &(kind, size) = KINDS.iter().find(|(kind, _)| value["dtype"] == *kind)?;
    let shape: Vec<usize> = serde_json::from_value(value["shape"].clone()).ok()?;
    let [from, to]: [usize; 2] = serde_json::from_value(value["data_offsets"].clone()).ok()?;
    let bytes = data.get(from..to)?;
    let count = shape.iter().try_fold(size, |product, n| product.checked_mul(*n))?;
    (count == bytes.len()).then(|| Entry { kind, shape, bytes: bytes.to_vec() })
}

/// Reads a file; not a pipe, which would be waited for, nor a folder.
pub(crate) fn read_regular(path: &Path) -> std::io::Result<Vec<u8>> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is not a regular file"));
    }
    std::fs::read(path)
}

/// Writes a file under another name and renames it: whoever looks finds the old one or the new one, whole.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), LearnError> {
    let wrong = |error| LearnError::CannotWrite { path: path.to_owned(), error };
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(".part");
    let part = path.with_file_name(name);
    let mut file = File::create(&part).map_err(wrong)?;
    let written = file.write_all(bytes).and_then(|()| file.sync_all());
    drop(file);
    written.and_then(|()| std::fs::rename(&part, path)).map_err(|error| {
        let _ = std::fs::remove_file(&part); // half a file is of use to nobody
        wrong(error)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_and_what_is_cut_off_is_refused() {
        let mut tensors = Tensors::default();
        tensors.put_f32("a", &[2, 1], &[1.5, -2.0]);
        tensors.put_f64("b", &[0.1]);
        tensors.put_bytes("c", vec![7, 8, 9]);
        tensors.put_text("task", "walk");
        let bytes = tensors.to_bytes();
        let again = Tensors::from_bytes(&bytes).expect("whole");
        assert_eq!(again, tensors);
        assert_eq!(again.f32("a", 2).expect("there"), [1.5, -2.0]);
        assert!(again.f32("a", 3).is_err_and(|why| why.contains("2 numbers where 3 belong")));
        assert!(again.f64("a", 2).is_err() && again.bytes("d").is_err());
        for length in 0..bytes.len() {
            assert!(Tensors::from_bytes(&bytes[..length]).is_err(), "{length} bytes");
        }
    }
}
