//! OBJ: `v x y z`, `vt u v` and `f a b c …`; corners may be `vertex/texture/normal`, numbers may count from the end.

use super::{MeshBuilder, damaged};
use crate::error::ImportFaultKind;
use bellcrank_math::Vec3;

pub(super) fn read(bytes: &[u8], mesh: &mut MeshBuilder) -> Result<(), ImportFaultKind> {
    let text = String::from_utf8_lossy(bytes);
    let mut vertices: Vec<Vec3> = Vec::new();
    let mut places: Vec<[f32; 2]> = Vec::new();
    let (mut corners, mut uvs): (Vec<Vec3>, Vec<[f32; 2]>) = (Vec::new(), Vec::new());
    let mut has_faces = false;
    for (line, said) in text.lines().enumerate() {
        let wrong = |how: &str| damaged("", &format!("line {}: {how}", line + 1));
        let mut words = said.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                // a weight or a colour may follow
                let numbers: Vec<f64> = words.take(3).map_while(|w| w.parse().ok()).collect();
                let [x, y, z] = numbers[..] else { return Err(wrong("a vertex needs three numbers")) };
                vertices.push(Vec3::new(x, y, z));
                mesh.check_count("vertices", vertices.len())?;
            }
            Some("vt") => {
                let numbers: Vec<f64> = words.take(2).map_while(|w| w.parse().ok()).collect();
                let (u, v) =
                    (numbers.first().copied().unwrap_or(0.0), numbers.get(1).copied().unwrap_or(0.0));
                places.push([u as f32, (1.0 - v) as f32]); // OBJ counts from the bottom
                mesh.check_count("texture coordinates", places.len())?;
            }
            Some("f") => {
                has_faces = true;
                corners.clear();
                uvs.clear();
                for word in words {
                    let corner = numbered(word.split('/').next(), vertices.len())
                        .ok_or_else(|| wrong("a face names no such vertex"))?;
                    corners.push(vertices[corner]);
                    // a place that is not there costs the picture on this face, not the face
                    uvs.extend(numbered(word.split('/').nth(1), places.len()).map(|place| places[place]));
                }
                mesh.covered_polygon(&corners, &uvs)?;
            }
            _ => {}
        }
    }
    // points without faces are meant as their hull
    if mesh.mesh.triangles.is_empty() && !has_faces {
        for vertex in vertices {
            mesh.point(vertex)?;
        }
    }
    Ok(())
}

/// What `7` or `-1` counts, from zero.
fn numbered(word: Option<&str>, count: usize) -> Option<usize> {
    let number: i64 = word?.parse().ok()?;
    let index = if number < 0 { i64::try_from(count).ok()?.checked_add(number)? } else { number - 1 };
    usize::try_from(index).ok().filter(|i| *i < count)
}
