//! Shapes for the page: primitives by their lengths, meshes once each.

use bellcrank_model::{Geometry, HeightField, Mesh};
use data_encoding::BASE64;
use serde::Serialize;
use std::sync::Arc;

/// Points and triangles as base64 of little-endian numbers.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct MeshView {
    /// f32, three per point [m].
    points: String,
    /// u32, three per triangle; empty for the hull of the points.
    triangles: String,
    /// f32, two per corner of each triangle: where it lies in a picture; empty without one.
    uvs: String,
}

/// The form of a shape, lengths in metres.
#[derive(Clone, Debug, Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum GeometryView {
    Plane,
    Sphere {
        radius: f64,
    },
    Capsule {
        radius: f64,
        half_length: f64,
    },
    Box {
        half: [f64; 3],
    },
    Cylinder {
        radius: f64,
        half_length: f64,
    },
    Ellipsoid {
        radii: [f64; 3],
    },
    Cone {
        radius: f64,
        half_length: f64,
    },
    /// Number of the mesh in the scene.
    Mesh {
        mesh: usize,
    },
    HeightField {
        rows: usize,
        columns: usize,
        size: [f64; 2],
        heights: String,
    },
}

/// Meshes that several shapes share are sent once.
#[derive(Default)]
pub(crate) struct MeshTable {
    known: Vec<(Arc<Mesh>, bool)>,
}

impl MeshTable {
    pub fn view(&mut self, geometry: &Geometry) -> GeometryView {
        match geometry {
            Geometry::Plane => GeometryView::Plane,
            &Geometry::Sphere { radius } => GeometryView::Sphere { radius },
            &Geometry::Capsule { radius, half_length } => GeometryView::Capsule { radius, half_length },
            Geometry::Box { half } => GeometryView::Box { half: half.to_array() },
            &Geometry::Cylinder { radius, half_length } => GeometryView::Cylinder { radius, half_length },
            Geometry::Ellipsoid { radii } => GeometryView::Ellipsoid { radii: radii.to_array() },
            &Geometry::Cone { radius, half_length } => GeometryView::Cone { radius, half_length },
            Geometry::ConvexMesh(mesh) => GeometryView::Mesh { mesh: self.number(mesh, true) },
            Geometry::TriangleMesh(mesh) => GeometryView::Mesh { mesh: self.number(mesh, false) },
            Geometry::HeightField(field) => height_field(field),
        }
    }

    /// A mesh and its hull are two entries.
    fn number(&mut self, mesh: &Arc<Mesh>, hull: bool) -> usize {
        let known = self.known.iter().position(|(other, h)| *h == hull && Arc::ptr_eq(other, mesh));
        known.unwrap_or_else(|| {
            self.known.push((mesh.clone(), hull));
            self.known.len() - 1
        })
    }

    pub fn finish(self) -> Vec<MeshView> {
        let view = |(mesh, hull): &(Arc<Mesh>, bool)| MeshView {
            points: floats(mesh.vertices.iter().flat_map(|v| v.to_array())),
            uvs: if *hull {
                String::new()
            } else {
                floats(mesh.uvs.iter().flatten().flatten().map(|x| f64::from(*x)))
            },
            triangles: if *hull { String::new() } else { numbers(mesh.triangles.iter().flatten().copied()) },
        };
        self.known.iter().map(view).collect()
    }
}

fn height_field(field: &HeightField) -> GeometryView {
    GeometryView::HeightField {
        rows: field.rows,
        columns: field.columns,
        size: field.size,
        heights: floats(field.heights.iter().copied()),
    }
}

fn floats(values: impl Iterator<Item = f64>) -> String {
    BASE64.encode(&values.flat_map(|v| (v as f32).to_le_bytes()).collect::<Vec<u8>>())
}

fn numbers(values: impl Iterator<Item = u32>) -> String {
    BASE64.encode(&values.flat_map(u32::to_le_bytes).collect::<Vec<u8>>())
}
