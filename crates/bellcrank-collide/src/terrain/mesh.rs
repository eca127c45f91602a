//! Triangle meshes that do not move: triangles with their neighbours, and a tree to find them.

use super::bvh::{Bvh, Stack};
use super::{Bounds, Triangle};
use bellcrank_math::Vec3;
use bellcrank_model::Mesh;
use std::collections::HashMap;

/// A mesh, prepared for contact.
#[derive(Clone, Debug, Default)]
pub struct TriangleMesh {
    triangles: Vec<Triangle>,
    tree: Bvh,
}

impl TriangleMesh {
    /// Prepares a mesh. Triangles without area are left out; corners at the same place count as one, since many
    /// files repeat them for every triangle.
    pub fn new(mesh: &Mesh) -> Self {
        let mut places: HashMap<[u64; 3], u32> = HashMap::new();
        let mut place = |v: u32| {
            // + 0.0 makes one zero of the two
            let bits = mesh.vertices[v as usize].to_array().map(|x| (x + 0.0).to_bits());
            let next = places.len() as u32;
            *places.entry(bits).or_insert(next)
        };
        let kept: Vec<([u32; 3], [Vec3; 3], Vec3)> = mesh
            .triangles
            .iter()
            .filter_map(|t| {
                let corners = t.map(|v| mesh.vertices[v as usize]);
                let area = (corners[1] - corners[0]).cross(corners[2] - corners[0]);
                let normal = area.normalized();
                normal.is_finite().then(|| (t.map(&mut place), corners, normal))
            })
            .collect();
        let mut edges: HashMap<(u32, u32), Vec3> = HashMap::new();
        for (ids, corners, _) in &kept {
            for k in 0..3 {
                edges.insert((ids[k], ids[(k + 1) % 3]), corners[(k + 2) % 3]);
            }
        }
        // the neighbour runs along the same edge the other way
        let across = |ids: &[u32; 3], k: usize| edges.get(&(ids[(k + 1) % 3], ids[k])).copied();
        let triangle = |(ids, corners, normal): &([u32; 3], [Vec3; 3], Vec3)| Triangle {
            corners: *corners,
            normal: *normal,
            across: [across(ids, 0), across(ids, 1), across(ids, 2)],
        };
        let triangles: Vec<Triangle> = kept.iter().map(triangle).collect();
        let boxes: Vec<Bounds> = triangles.iter().map(|t| Bounds::around(t.corners)).collect();
        TriangleMesh { tree: Bvh::new(&boxes), triangles }
    }

    /// All triangles.
    pub fn triangles(&self) -> &[Triangle] {
        &self.triangles
    }

    pub(super) fn next(&self, stack: &mut Stack, near: &Bounds) -> Option<Triangle> {
        while let Some(index) = self.tree.next(stack, near) {
            let triangle = &self.triangles[index as usize];
            if Bounds::around(triangle.corners).meets(near) {
                return Some(*triangle);
            }
        }
        None
    }
}
