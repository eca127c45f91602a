//! Mesh files: STL (binary and text), OBJ, DAE (COLLADA), glTF and GLB.
//!
//! Only the triangles are read. Coordinates stay as the file gives them, in metres; a DAE file's own unit and the
//! placements of the parts within a DAE or glTF file are applied, a declared "up" axis is not (as in RViz).

mod collada;
mod gltf;
mod obj;
mod polygon;
mod stl;

use crate::error::ImportFaultKind;
use crate::files::{File, Files};
use crate::options::Limits;
use bellcrank_math::Vec3;
use bellcrank_model::Mesh;
use std::collections::HashMap;

/// Reads a mesh file that names no other files; its ending and content say the format.
///
/// # Errors
/// When the format is not known, or the file is damaged or too large.
pub fn read(file: &File, limits: &Limits) -> Result<Mesh, ImportFaultKind> {
    read_any(file, limits, &|name| Err(ImportFaultKind::NoSuchFile(name.to_owned())))
}

/// Reads a mesh file, and the files that it names.
///
/// # Errors
/// When the format is not known, or a file is missing, damaged or too large.
pub fn read_with(file: &File, files: &Files) -> Result<Mesh, ImportFaultKind> {
    read_any(file, files.limits(), &|name| files.binary(name, Some(file)).map(|f| f.bytes))
}

/// Gets the content of another file by its name.
type Fetch<'a> = &'a dyn Fn(&str) -> Result<Vec<u8>, ImportFaultKind>;

fn read_any(file: &File, limits: &Limits, fetch: Fetch<'_>) -> Result<Mesh, ImportFaultKind> {
    let ending = file.name.rsplit('.').next().unwrap_or("").to_ascii_lowercase();
    let mut builder = MeshBuilder::new(limits.mesh_parts);
    match ending.as_str() {
        "stl" | "stlb" => stl::read(&file.bytes, &mut builder),
        "obj" => obj::read(&file.bytes, &mut builder),
        "dae" => collada::read(file, limits, &mut builder),
        "gltf" | "glb" => gltf::read(&file.bytes, fetch, &mut builder),
        other => {
            let what = format!("the mesh format {other:?} of {:?} is not known", file.name);
            Err(ImportFaultKind::other(what, "convert it to STL, OBJ, DAE or glTF"))
        }
    }
    .map_err(|kind| named(kind, &file.name))?;
    if builder.mesh.vertices.is_empty() {
        return Err(damaged(&file.name, "it has no triangles"));
    }
    Ok(builder.mesh)
}

/// The mesh stretched along its axes. A mirror image keeps its triangles counter-clockwise from outside.
pub fn scaled(mesh: &Mesh, scale: Vec3) -> Mesh {
    let stretch = |v: &Vec3| Vec3::new(v.x * scale.x, v.y * scale.y, v.z * scale.z);
    let mirrored = scale.x * scale.y * scale.z < 0.0;
    let mut out = Mesh { vertices: mesh.vertices.iter().map(stretch).collect(), ..mesh.clone() };
    if mirrored {
        out.turn_inside_out();
    }
    out
}

fn damaged(name: &str, how: &str) -> ImportFaultKind {
    let what =
        if name.is_empty() { how.to_owned() } else { format!("the mesh {name:?} cannot be used: {how}") };
    ImportFaultKind::other(what, "export it again; STL is the simplest format")
}

/// Readers say what is wrong; here it gets the file's name.
fn named(kind: ImportFaultKind, name: &str) -> ImportFaultKind {
    match kind {
        ImportFaultKind::Other { what, hint } if !what.contains(name) => {
            ImportFaultKind::Other { what: format!("the mesh {name:?} cannot be used: {what}"), hint }
        }
        other => other,
    }
}

/// Corners that may be compared with each other to cut the polygons of one file: the time for a polygon grows with the square of
/// its corners, at worst with the cube.
const PATIENCE: usize = 100_000_000;

/// Collects triangles; equal corners are stored once.
struct MeshBuilder {
    mesh: Mesh,
    known: HashMap<[u64; 3], u32>,
    /// Triangles that files offered, those without area included.
    offered: usize,
    /// What is left of [`PATIENCE`].
    patience: usize,
    limit: usize,
}

impl MeshBuilder {
    fn new(limit: usize) -> Self {
        MeshBuilder { mesh: Mesh::default(), known: HashMap::new(), offered: 0, patience: PATIENCE, limit }
    }

    fn triangle(&mut self, corners: [Vec3; 3]) -> Result<(), ImportFaultKind> {
        self.covered(corners, None)
    }

    /// A triangle whose corners may lie at places of a picture. Those without, in a mesh where others have one, lie at its corner.
    fn covered(&mut self, corners: [Vec3; 3], uvs: Option<[[f32; 2]; 3]>) -> Result<(), ImportFaultKind> {
        self.offered += 1;
        self.check_count("triangles", self.offered)?;
        if !corners.iter().all(|c| c.is_finite()) {
            return Err(damaged("", "a corner is not a finite number"));
        }
        let [a, b, c] = corners.map(|corner| self.vertex(corner));
        if a != b && b != c && c != a {
            let before = self.mesh.triangles.len();
            self.mesh.triangles.push([a, b, c]); // others have no area and no sides
            if uvs.is_some() || !self.mesh.uvs.is_empty() {
                self.mesh.uvs.resize(before, [[0.0; 2]; 3]);
                self.mesh.uvs.push(uvs.unwrap_or_default());
            }
        }
        Ok(())
    }

    fn check_count(&self, of: &str, found: usize) -> Result<(), ImportFaultKind> {
        if found > self.limit {
            let (what, found, limit) = (format!("the number of {of}"), found as u64, self.limit as u64);
            return Err(ImportFaultKind::TooLarge { what, found, limit });
        }
        Ok(())
    }

    /// A corner that belongs to no triangle.
    fn point(&mut self, v: Vec3) -> Result<(), ImportFaultKind> {
        if !v.is_finite() {
            return Err(damaged("", "a corner is not a finite number"));
        }
        self.vertex(v);
        Ok(())
    }

    fn vertex(&mut self, v: Vec3) -> u32 {
        let key = v.to_array().map(|x| (x + 0.0).to_bits()); // −0 and 0 are the same place
        let next = self.mesh.vertices.len() as u32;
        let index = *self.known.entry(key).or_insert(next);
        if index == next {
            self.mesh.vertices.push(v);
        }
        index
    }

    /// A flat polygon.
    fn polygon(&mut self, corners: &[Vec3]) -> Result<(), ImportFaultKind> {
        self.covered_polygon(corners, &[])
    }

    /// A flat polygon whose corners lie at places of a picture, if there is one for each.
    fn covered_polygon(&mut self, corners: &[Vec3], uvs: &[[f32; 2]]) -> Result<(), ImportFaultKind> {
        let cuts = polygon::triangles(corners, &mut self.patience);
        let placed = uvs.len() == corners.len();
        cuts.into_iter()
            .try_for_each(|cut| self.covered(cut.map(|k| corners[k]), placed.then(|| cut.map(|k| uvs[k]))))
    }
}

#[cfg(test)]
mod tests;
