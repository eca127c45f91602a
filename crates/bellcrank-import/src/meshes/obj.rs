//! OBJ: `v x y z` and `f a b c …`; corners may be `vertex/texture/normal`, numbers may count from the end.

use super::{MeshBuilder, damaged};
use crate::error::ImportFaultKind;
use bellcrank_math::Vec3;

pub(super) fn read(bytes: &[u8], mesh: &mut MeshBuilder) -> Result<(), ImportFaultKind> {
    let text = String::from_utf8_lossy(bytes);
    let mut vertices: Vec<Vec3> = Vec::new();
    let mut corners: Vec<Vec3> = Vec::new();
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
            Some("f") => {
                has_faces = true;
                corners.clear();
                for word in words {
                    let corner =
                        corner(word, vertices.len()).ok_or_else(|| wrong("a face names no such vertex"))?;
                    corners.push(vertices[corner]);
                }
                mesh.polygon(&corners)?;
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

/// The vertex of `7/1/3` or `-1`, from zero.
fn corner(word: &str, count: usize) -> Option<usize> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let index = if number < 0 { i64::try_from(count).ok()?.checked_add(number)? } else { number - 1 };
    usize::try_from(index).ok().filter(|i| *i < count)
}
