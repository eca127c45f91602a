//! glTF and GLB: the triangles of all meshes that the scene places.

use super::{Fetch, MeshBuilder, damaged};
use crate::error::ImportFaultKind;
use bellcrank_math::{Mat3, Quat, Vec3};
use serde_json::Value;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::rc::Rc;

/// JSON takes many times its length in memory.
const JSON_BYTES: usize = 32 << 20;
const DEPTH: usize = 64;
/// Nodes and parts of meshes that may be placed in all.
const PLACED: usize = 50_000;
/// Numbers of points and corners that may be decoded in all: files may name the same bytes again and again.
const DECODED: usize = 12_000_000;

pub(super) fn read(bytes: &[u8], fetch: Fetch<'_>, mesh: &mut MeshBuilder) -> Result<(), ImportFaultKind> {
    let (json, binary) = if bytes.starts_with(b"glTF") { chunks(bytes)? } else { (bytes, None) };
    if json.len() > JSON_BYTES {
        let (what, found) = ("the JSON part of the mesh [bytes]".to_owned(), json.len() as u64);
        return Err(ImportFaultKind::TooLarge { what, found, limit: JSON_BYTES as u64 });
    }
    let json: Value =
        serde_json::from_slice(json).map_err(|e| damaged("", &format!("its JSON is wrong: {e}")))?;
    let buffers = buffers(&json, binary, fetch)?;
    let (points, indices) = (HashMap::new(), HashMap::new());
    let mut reader = Reader { json: &json, buffers, points, indices, decoded: 0, placed: 0, mesh };
    let scene = json["scene"].as_u64().unwrap_or(0) as usize;
    match json["scenes"][scene]["nodes"].as_array() {
        Some(roots) => {
            for root in roots {
                reader.node(root, (Mat3::identity(), Vec3::zero()), 0)?;
            }
        }
        None => {
            for shape in list(&json["meshes"]) {
                reader.shape(shape, (Mat3::identity(), Vec3::zero()))?;
            }
        }
    }
    Ok(())
}

/// The JSON and the binary part of a GLB file.
fn chunks(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), ImportFaultKind> {
    let word = |at: usize| {
        let b = bytes.get(at..at + 4)?;
        Some(u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize)
    };
    let chunk = |at: usize| bytes.get(at + 8..(at + 8).checked_add(word(at)?)?);
    let json = chunk(12).ok_or_else(|| damaged("", "it ends too early"))?;
    let next = 20 + json.len().next_multiple_of(4);
    Ok((json, chunk(next)))
}

/// The content of each buffer; one that several name is read once.
fn buffers(json: &Value, binary: Option<&[u8]>, fetch: Fetch<'_>) -> Result<Vec<Rc<[u8]>>, ImportFaultKind> {
    let mut known: HashMap<Option<&str>, Rc<[u8]>> = HashMap::new();
    let read = |buffer: &Value| -> Result<Rc<[u8]>, ImportFaultKind> {
        let bytes = match buffer["uri"].as_str() {
            None => binary.map(Rc::from).ok_or_else(|| damaged("", "its binary part is missing"))?,
            Some(uri) if uri.starts_with("data:") => {
                let coded = uri.split_once("base64,").map(|(_, coded)| coded);
                coded.and_then(decode_base64).ok_or_else(|| damaged("", "its data is not base64"))?.into()
            }
            Some(uri) => fetch(uri)?.into(),
        };
        Ok(bytes)
    };
    let mut found = Vec::new();
    for buffer in list(&json["buffers"]) {
        let uri = buffer["uri"].as_str();
        let bytes = match known.entry(uri) {
            Entry::Occupied(bytes) => bytes.into_mut(),
            Entry::Vacant(place) => place.insert(read(buffer)?),
        };
        found.push(bytes.clone());
    }
    Ok(found)
}

fn list(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

type Placement = (Mat3, Vec3);

struct Reader<'a, 'm> {
    json: &'a Value,
    buffers: Vec<Rc<[u8]>>,
    /// What was decoded before, by the number of its accessor.
    points: HashMap<u64, Rc<[Vec3]>>,
    indices: HashMap<u64, Rc<[usize]>>,
    decoded: usize,
    placed: usize,
    mesh: &'m mut MeshBuilder,
}

impl<'a> Reader<'a, '_> {
    fn node(&mut self, index: &Value, (L, t): Placement, depth: usize) -> Result<(), ImportFaultKind> {
        self.count(1)?;
        if depth > DEPTH {
            return Err(endless());
        }
        let json = self.json;
        let node = &json["nodes"][index.as_u64().unwrap_or(u64::MAX) as usize];
        let (inner, p) = placement(node);
        let X = (L * inner, L * p + t);
        if let Some(shape) = node["mesh"].as_u64() {
            self.shape(&json["meshes"][shape as usize], X)?;
        }
        list(&node["children"]).try_for_each(|child| self.node(child, X, depth + 1))
    }

    fn count(&mut self, placed: usize) -> Result<(), ImportFaultKind> {
        self.placed += placed;
        if self.placed > PLACED { Err(endless()) } else { Ok(()) }
    }

    fn shape(&mut self, shape: &'a Value, (L, t): Placement) -> Result<(), ImportFaultKind> {
        for part in list(&shape["primitives"]) {
            self.count(1)?;
            if !part["extensions"]["KHR_draco_mesh_compression"].is_null() {
                return Err(damaged("", "it is compressed with Draco"));
            }
            let mode = part["mode"].as_u64().unwrap_or(4);
            if !(4..=6).contains(&mode) {
                continue; // points and lines
            }
            let points = self.points(&part["attributes"]["POSITION"])?;
            let place = |i: usize| points.get(i).map(|p| L * *p + t);
            let corner = |i: usize| place(i).ok_or_else(|| damaged("", "a face names no such vertex"));
            let corners: Vec<Vec3> = match part["indices"].as_u64() {
                Some(_) => {
                    self.indices(&part["indices"])?.iter().map(|i| corner(*i)).collect::<Result<_, _>>()?
                }
                None => (0..points.len()).map(corner).collect::<Result<_, _>>()?,
            };
            match mode {
                4 => corners.chunks_exact(3).try_for_each(|c| self.mesh.triangle([c[0], c[1], c[2]]))?,
                5 => corners.windows(3).enumerate().try_for_each(|(i, w)| {
                    self.mesh.triangle(if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] })
                })?,
                _ => self.mesh.polygon(&corners)?,
            }
        }
        Ok(())
    }

    /// The points of an accessor, decoded once.
    fn points(&mut self, accessor: &Value) -> Result<Rc<[Vec3]>, ImportFaultKind> {
        let key = accessor.as_u64().unwrap_or(u64::MAX);
        if let Some(points) = self.points.get(&key) {
            return Ok(points.clone());
        }
        let (bytes, count, stride) = self.view(accessor, 12)?;
        let number = |b: &[u8], k: usize| f64::from(f32::from_le_bytes([b[k], b[k + 1], b[k + 2], b[k + 3]]));
        let point = |i: usize| {
            let b = bytes.get(i * stride..i * stride + 12)?;
            Some(Vec3::new(number(b, 0), number(b, 4), number(b, 8)))
        };
        let missing = || damaged("", "its positions end too early");
        let points: Rc<[Vec3]> =
            (0..count).map(|i| point(i).ok_or_else(missing)).collect::<Result<_, _>>()?;
        self.decoded += count;
        self.points.insert(key, points.clone());
        Ok(points)
    }

    /// The corners that an accessor lists, decoded once.
    fn indices(&mut self, accessor: &Value) -> Result<Rc<[usize]>, ImportFaultKind> {
        let key = accessor.as_u64().unwrap_or(u64::MAX);
        if let Some(indices) = self.indices.get(&key) {
            return Ok(indices.clone());
        }
        let kind = self.accessor(accessor)?["componentType"].as_u64();
        let size = match kind {
            Some(5121) => 1,
            Some(5123) => 2,
            Some(5125) => 4,
            _ => return Err(damaged("", "its indices are of an unknown type")),
        };
        let (bytes, count, stride) = self.view(accessor, size)?;
        let index = |i: usize| {
            let b = bytes.get(i * stride..i * stride + size)?;
            Some(b.iter().rev().fold(0, |sum, byte| sum << 8 | usize::from(*byte)))
        };
        let missing = || damaged("", "its indices end too early");
        let indices: Rc<[usize]> =
            (0..count).map(|i| index(i).ok_or_else(missing)).collect::<Result<_, _>>()?;
        self.decoded += count;
        self.indices.insert(key, indices.clone());
        Ok(indices)
    }

    fn accessor(&self, index: &Value) -> Result<&'a Value, ImportFaultKind> {
        let found = index.as_u64().map(|i| &self.json["accessors"][i as usize]);
        let found = found.filter(|a| a.is_object() && a["sparse"].is_null());
        found.ok_or_else(|| damaged("", "a part has no plain positions or indices"))
    }

    /// Bytes, number of items and distance between them; bounded by the bytes that there are.
    fn view(&self, index: &Value, size: usize) -> Result<(&[u8], usize, usize), ImportFaultKind> {
        let wrong = || damaged("", "a view lies outside its buffer");
        let accessor = self.accessor(index)?;
        let number = |value: &Value| value.as_u64().unwrap_or(0) as usize;
        let view = &self.json["bufferViews"][number(&accessor["bufferView"])];
        let start =
            number(&view["byteOffset"]).checked_add(number(&accessor["byteOffset"])).ok_or_else(wrong)?;
        let buffer = self.buffers.get(number(&view["buffer"])).ok_or_else(wrong)?;
        let bytes = buffer.get(start..).ok_or_else(wrong)?;
        let stride = view["byteStride"].as_u64().map_or(size, |s| s as usize).clamp(size, 4096);
        let count = number(&accessor["count"]);
        if count.saturating_sub(1).saturating_mul(stride).saturating_add(size) > bytes.len() {
            return Err(wrong());
        }
        if count > DECODED.saturating_sub(self.decoded) {
            let what = "the number of points and corners".to_owned();
            let found = self.decoded.saturating_add(count) as u64;
            return Err(ImportFaultKind::TooLarge { what, found, limit: DECODED as u64 });
        }
        Ok((bytes, count, stride))
    }
}

fn endless() -> ImportFaultKind {
    damaged("", "its nodes name each other without end, or place far too many parts")
}

/// A node's matrix, or its translation, rotation and scale.
fn placement(node: &Value) -> Placement {
    let numbers = |key: &str| -> Vec<f64> { list(&node[key]).filter_map(Value::as_f64).collect() };
    if let [a, b, c, _, d, e, f, _, g, h, i, _, x, y, z, _] = numbers("matrix")[..] {
        let L = Mat3::from_columns(Vec3::new(a, b, c), Vec3::new(d, e, f), Vec3::new(g, h, i));
        return (L, Vec3::new(x, y, z));
    }
    let vector = |key: &str, default: f64| match numbers(key)[..] {
        [x, y, z] => Vec3::new(x, y, z),
        _ => Vec3::new(default, default, default),
    };
    let R = match numbers("rotation")[..] {
        [x, y, z, w] if x * x + y * y + z * z + w * w > 0.0 => Quat::from_wxyz([w, x, y, z]).normalized(),
        _ => Quat::identity(),
    };
    let (m, s) = (R.to_mat3(), vector("scale", 1.0));
    (Mat3::from_columns(m.x * s.x, m.y * s.y, m.z * s.z), vector("translation", 0.0))
}

fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut held) = (0u32, 0);
    for letter in text.bytes().filter(|b| !b.is_ascii_whitespace() && *b != b'=') {
        let value = match letter {
            b'A'..=b'Z' => letter - b'A',
            b'a'..=b'z' => letter - b'a' + 26,
            b'0'..=b'9' => letter - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => return None,
        };
        bits = bits << 6 | u32::from(value);
        held += 6;
        if held >= 8 {
            held -= 8;
            bytes.push((bits >> held) as u8);
            bits &= (1 << held) - 1;
        }
    }
    Some(bytes)
}
