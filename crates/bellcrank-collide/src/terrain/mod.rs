//! Ground made of triangles: height fields and meshes that do not move.
//!
//! A triangle knows the far corner of the neighbour across each of its edges. That is enough to tell whether an edge
//! sticks out, and so to drop contacts with edges that do not: something that slides over a flat ground made of many
//! triangles must not feel the seams.

mod bvh;
mod field;
mod mesh;

pub use mesh::TriangleMesh;

use bellcrank_math::Vec3;
use bellcrank_model::HeightField;

/// One triangle of the ground, in the ground's frame.
#[derive(Clone, Copy, Debug)]
pub struct Triangle {
    /// Counter-clockwise seen from outside \[m\].
    pub corners: [Vec3; 3],
    /// Unit, outward.
    pub normal: Vec3,
    /// The far corner of the neighbour across the edge from corner k to corner k + 1; `None` at a border.
    pub across: [Option<Vec3>; 3],
}

/// An axis-aligned box in the ground's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Least coordinates \[m\].
    pub low: Vec3,
    /// Largest coordinates \[m\].
    pub high: Vec3,
}

impl Bounds {
    /// Around some points.
    pub fn around(points: impl IntoIterator<Item = Vec3>) -> Self {
        let (low, high) = (f64::INFINITY, f64::NEG_INFINITY);
        let empty = Bounds { low: Vec3::new(low, low, low), high: Vec3::new(high, high, high) };
        points.into_iter().fold(empty, |b, p| b.joined(Bounds { low: p, high: p }))
    }

    /// Around both.
    #[inline(always)]
    pub fn joined(self, other: Self) -> Self {
        let (a, b, c, d) = (self.low, other.low, self.high, other.high);
        Bounds {
            low: Vec3::new(a.x.min(b.x), a.y.min(b.y), a.z.min(b.z)),
            high: Vec3::new(c.x.max(d.x), c.y.max(d.y), c.z.max(d.z)),
        }
    }

    /// Whether the two have a point in common.
    #[inline(always)]
    pub fn meets(&self, other: &Self) -> bool {
        self.low.x <= other.high.x
            && other.low.x <= self.high.x
            && self.low.y <= other.high.y
            && other.low.y <= self.high.y
            && self.low.z <= other.high.z
            && other.low.z <= self.high.z
    }
}

/// Ground that can list its triangles.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Ground<'a> {
    Field(&'a HeightField),
    Mesh(&'a TriangleMesh),
}

/// A walk over the triangles near a box.
pub(crate) struct Walk<'a> {
    ground: Ground<'a>,
    near: Bounds,
    cells: field::Cells,
    nodes: bvh::Stack,
}

impl<'a> Ground<'a> {
    /// Starts a walk over the triangles that may meet `near`. Below a height field everything is near.
    #[inline(always)]
    pub fn walk(self, near: Bounds) -> Walk<'a> {
        let cells = match self {
            Ground::Field(field) => field::Cells::under(field, &near),
            Ground::Mesh(_) => field::Cells::default(),
        };
        Walk { ground: self, near, cells, nodes: bvh::Stack::new() }
    }

    /// Whether something below the surface is inside the ground. A mesh is only a skin.
    #[inline(always)]
    pub fn is_thick(self) -> bool {
        matches!(self, Ground::Field(_))
    }
}

impl Walk<'_> {
    /// The next triangle.
    #[inline(always)]
    pub fn next(&mut self) -> Option<Triangle> {
        match self.ground {
            Ground::Field(field) => self.cells.next(field, &self.near),
            Ground::Mesh(mesh) => mesh.next(&mut self.nodes, &self.near),
        }
    }
}
