//! STL: triangles and nothing else, in binary or in text.

use super::{MeshBuilder, damaged};
use crate::error::ImportFaultKind;
use bellcrank_math::Vec3;

const HEADER: usize = 84; // 80 bytes of anything, then the number of triangles
const RECORD: usize = 50; // normal, three corners, two spare bytes

pub(super) fn read(bytes: &[u8], mesh: &mut MeshBuilder) -> Result<(), ImportFaultKind> {
    // binary files may start with "solid" too: the length tells them apart
    let count = bytes.get(80..HEADER).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]]) as usize);
    let room = bytes.len().saturating_sub(HEADER) / RECORD;
    match count {
        Some(count) if HEADER + count.saturating_mul(RECORD) == bytes.len() => read_binary(bytes, mesh),
        _ if bytes.trim_ascii_start().starts_with(b"solid") => read_text(bytes, mesh),
        Some(count) if count <= room => read_binary(&bytes[..HEADER + count * RECORD], mesh),
        Some(count) => {
            let how = format!("it announces {count} triangles and ends after {room}");
            Err(damaged("", &how))
        }
        None => Err(damaged("", "it is too short for an STL file")),
    }
}

fn read_binary(bytes: &[u8], mesh: &mut MeshBuilder) -> Result<(), ImportFaultKind> {
    bytes[HEADER..].chunks_exact(RECORD).try_for_each(|record| {
        let number = |i: usize| {
            let at = 12 + 4 * i;
            f64::from(f32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]))
        };
        let corner = |k: usize| Vec3::new(number(3 * k), number(3 * k + 1), number(3 * k + 2));
        mesh.triangle([corner(0), corner(1), corner(2)])
    })
}

fn read_text(bytes: &[u8], mesh: &mut MeshBuilder) -> Result<(), ImportFaultKind> {
    let text = String::from_utf8_lossy(bytes);
    let mut corners = Vec::with_capacity(3);
    for (line, said) in text.lines().enumerate() {
        let mut words = said.split_ascii_whitespace();
        match words.next() {
            Some(word) if word.eq_ignore_ascii_case("vertex") => {
                let numbers: Vec<f64> = words.map_while(|w| w.parse().ok()).collect();
                let [x, y, z] = numbers[..] else {
                    return Err(damaged("", &format!("line {} is not a vertex of three numbers", line + 1)));
                };
                corners.push(Vec3::new(x, y, z));
            }
            Some(word) if word.eq_ignore_ascii_case("endloop") => {
                mesh.polygon(&corners)?;
                corners.clear();
            }
            _ => {}
        }
    }
    Ok(())
}
