//! Shapes made of many points: triangle meshes and height fields.

use bellcrank_math::Vec3;

/// Points, and triangles between them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Mesh {
    /// Positions in the shape's frame [m].
    pub vertices: Vec<Vec3>,
    /// Three vertex numbers each, counter-clockwise seen from outside. Empty for a hull given by its points.
    pub triangles: Vec<[u32; 3]>,
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
