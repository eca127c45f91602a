//! Shapes made of many points, prepared once per model.

use crate::hull::{HULL_BUDGET, Hull};
use crate::plan::Form;
use crate::terrain::{Bounds, TriangleMesh};
use bellcrank_math::Vec3;
use bellcrank_model::{Geometry, HeightField};
use std::sync::Arc;

/// What a shape consists of beyond its size.
#[derive(Clone, Debug, Default)]
pub enum Solid {
    /// Its size says it all.
    #[default]
    Plain,
    /// The corners of a convex hull in the shape's frame \[m\].
    Hull(Arc<[Vec3]>),
    /// Heights on a grid; everything below is inside.
    Field(Arc<HeightField>),
    /// A skin of triangles at rest.
    Triangles(Arc<TriangleMesh>),
}

impl Solid {
    /// Prepares a geometry. Triangles that move are taken as their hull.
    pub(crate) fn of(geometry: &Geometry, at_rest: bool) -> Self {
        match geometry {
            Geometry::ConvexMesh(mesh) => Solid::hull(&mesh.vertices),
            Geometry::TriangleMesh(mesh) if !at_rest => Solid::hull(&mesh.vertices),
            Geometry::TriangleMesh(mesh) => Solid::Triangles(Arc::new(TriangleMesh::new(mesh))),
            Geometry::HeightField(field) => Solid::Field(field.clone()),
            _ => Solid::Plain,
        }
    }

    /// Flat hulls are thin solids; the model has checked that there are points and that they are finite.
    fn hull(points: &[Vec3]) -> Self {
        Solid::Hull(Hull::cut_down(points, HULL_BUDGET).corners.into())
    }

    /// The corners, for a hull.
    #[inline(always)]
    pub fn corners(&self) -> &[Vec3] {
        match self {
            Solid::Hull(corners) => corners,
            _ => &[],
        }
    }

    pub(crate) fn form(&self) -> Option<Form> {
        match self {
            Solid::Plain => None,
            Solid::Hull(_) => Some(Form::Hull),
            Solid::Field(_) => Some(Form::HeightField),
            Solid::Triangles(_) => Some(Form::TriangleMesh),
        }
    }

    /// The box around it in its own frame.
    pub(crate) fn bounds(&self) -> Option<Bounds> {
        match self {
            Solid::Plain => None,
            Solid::Hull(corners) => Some(Bounds::around(corners.iter().copied())),
            Solid::Triangles(mesh) => Some(Bounds::around(mesh.triangles().iter().flat_map(|t| t.corners))),
            Solid::Field(field) => {
                let (x, y) = (0.5 * field.size[0], 0.5 * field.size[1]);
                let heights = field.heights.iter();
                Some(Bounds::around(heights.flat_map(|z| [Vec3::new(-x, -y, *z), Vec3::new(x, y, *z)])))
            }
        }
    }

    /// Radius about the origin within which it lies \[m\]; without end where there is an inside below.
    pub(crate) fn bound(&self) -> Option<f64> {
        match self {
            Solid::Plain => None,
            Solid::Hull(corners) => corners.iter().map(|v| v.norm()).reduce(f64::max),
            Solid::Field(_) => Some(1e9),
            Solid::Triangles(_) => self.bounds().map(reach),
        }
    }
}

/// The furthest corner of a box from the origin.
fn reach(b: Bounds) -> f64 {
    let far = |low: f64, high: f64| low.abs().max(high.abs());
    Vec3::new(far(b.low.x, b.high.x), far(b.low.y, b.high.y), far(b.low.z, b.high.z)).norm()
}
