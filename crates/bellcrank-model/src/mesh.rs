//! Shapes made of many points: triangle meshes and height fields.

use bellcrank_math::Vec3;

/// Points, and triangles between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions in the shape's frame [m].
    pub vertices: Vec<Vec3>,
    /// Three vertex numbers each, counter-clockwise seen from outside. Empty for a hull given by its points.
    pub triangles: Vec<[u32; 3]>,
    /// Where the corners of each triangle lie in a picture, from its left and from its top as shares of its size; empty without a
    /// [`crate::Texture`]. Corners have them, not points: along a seam one point lies at several places of the picture.
    pub uvs: Vec<[[f32; 2]; 3]>,
}

impl Mesh {
    /// Points and triangles, without a picture.
    pub fn new(vertices: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Self {
        Mesh { vertices, triangles, uvs: Vec::new() }
    }

    /// Turns every triangle round, as a mirror does.
    pub fn turn_inside_out(&mut self) {
        self.triangles.iter_mut().for_each(|corners| corners.swap(1, 2));
        self.uvs.iter_mut().for_each(|corners| corners.swap(1, 2));
    }
}

/// Heights on a regular grid in the shape's x–y plane, centred on its origin.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HeightField {
    /// Number of grid points along y.
    pub rows: usize,
    /// Number of grid points along x.
    pub columns: usize,
    /// Distance between the outermost grid points along x and y [m].
    pub size: [f64; 2],
    /// z of each grid point [m], row by row, x running fastest.
    pub heights: Vec<f64>,
}
