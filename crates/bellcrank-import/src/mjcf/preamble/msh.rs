//! MSH, MuJoCo's own binary mesh format: four counts, then vertices, normals, texture coordinates and faces.

use crate::ImportFaultKind;
use bellcrank_math::Vec3;
use bellcrank_model::Mesh;

/// Reads a whole file; all numbers are four bytes, little end first.
pub(in crate::mjcf) fn read(bytes: &[u8], name: &str) -> Result<Mesh, ImportFaultKind> {
    let damaged = || {
        ImportFaultKind::other(format!("the mesh file {name:?} is damaged"), "export it again, as STL or OBJ")
    };
    let mut words = bytes.chunks_exact(4).map(|word| [word[0], word[1], word[2], word[3]]);
    let mut count = || usize::try_from(i32::from_le_bytes(words.next()?)).ok();
    let counts = [count(), count(), count(), count()];
    let [Some(vertices), Some(normals), Some(texture), Some(faces)] = counts else { return Err(damaged()) };
    let expected = 4 + 3 * vertices + 3 * normals + 2 * texture + 3 * faces;
    if bytes.len() / 4 != expected || !bytes.len().is_multiple_of(4) {
        return Err(damaged());
    }
    let words: Vec<[u8; 4]> = words.collect();
    let (points, rest) = words.split_at(3 * vertices);
    let (places, corners) = rest[3 * normals..].split_at(2 * texture);
    let number = |word: &[u8; 4]| f64::from(f32::from_le_bytes(*word));
    let vertices: Vec<Vec3> =
        points.chunks_exact(3).map(|p| Vec3::new(number(&p[0]), number(&p[1]), number(&p[2]))).collect();
    let triangles: Vec<[u32; 3]> = corners
        .chunks_exact(3)
        .map(|f| [u32::from_le_bytes(f[0]), u32::from_le_bytes(f[1]), u32::from_le_bytes(f[2])])
        .collect();
    let inside = |t: &[u32; 3]| t.iter().all(|v| (*v as usize) < vertices.len());
    if !triangles.iter().all(inside) {
        return Err(damaged());
    }
    let mut mesh = Mesh::new(vertices, triangles);
    if texture == mesh.vertices.len() {
        // one for each vertex; v counts from the top, as in the picture
        let places: Vec<[f32; 2]> =
            places.chunks_exact(2).map(|p| [f32::from_le_bytes(p[0]), f32::from_le_bytes(p[1])]).collect();
        mesh.uvs = mesh.triangles.iter().map(|t| t.map(|v| places[v as usize])).collect();
    }
    Ok(mesh)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_triangle_is_read_and_a_cut_file_is_refused() {
        let mut bytes: Vec<u8> = [3_i32, 0, 0, 1].iter().flat_map(|n| n.to_le_bytes()).collect();
        let points = [0.0_f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 2.0, 0.0];
        bytes.extend(points.iter().flat_map(|x| x.to_le_bytes()));
        bytes.extend([0_i32, 1, 2].iter().flat_map(|n| n.to_le_bytes()));
        let mesh = read(&bytes, "a.msh").unwrap();
        assert_eq!(mesh.vertices[2], Vec3::new(0.0, 2.0, 0.0));
        assert_eq!(mesh.triangles, [[0, 1, 2]]);
        assert!(read(&bytes[..bytes.len() - 4], "a.msh").is_err());
        assert!(read(&[0xff; 16], "a.msh").is_err());
    }
}
