//! The distance of two bodies.

use super::{Queries, core_of, ground_of};
use crate::convex::{OnTriangle, part, touch_triangle};
use crate::data::Placed;
use crate::plan::{Form, PlanShape};
use crate::terrain::{Bounds, Ground};
use bellcrank_math::{Kernel, Mat3, Pose, Real, Vec3};
use bellcrank_model::{BodyId, ShapeId};

/// The nearest points of two bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Closest {
    /// Of the first body.
    pub shape_a: ShapeId,
    /// Of the second.
    pub shape_b: ShapeId,
    /// Between the surfaces, without margins \[m\]; negative when they overlap.
    pub distance: f64,
    /// In the world \[m\].
    pub point_a: Vec3,
    /// In the world \[m\].
    pub point_b: Vec3,
    /// From the first to the second, unit.
    pub normal: Vec3,
}

impl Queries {
    /// Where two bodies (`None` is the world) are nearest; `None` when they are further apart than `within` \[m\].
    pub fn closest(
        &self,
        X_WB: &[Pose],
        a: Option<BodyId>,
        b: Option<BodyId>,
        within: f64,
    ) -> Option<Closest> {
        let mut nearest: Option<Closest> = None;
        let of = |body| self.shapes.iter().enumerate().filter(move |(_, shape)| shape.body == body);
        for (i, one) in of(a) {
            for (j, other) in of(b) {
                let limit = nearest.map_or(within, |found| found.distance);
                let origin = self.placed(i, X_WB, Vec3::zero()).p;
                let (at_a, at_b) = (self.placed(i, X_WB, origin), self.placed(j, X_WB, origin));
                let job = Between { shapes: [one, other], at: [&at_a, &at_b], limit };
                let Some((distance, normal, point_b)) = <f64 as Real>::run(job) else { continue };
                if distance <= limit {
                    let point_b = point_b + origin;
                    let point_a = normal.mul_add(-distance, point_b);
                    let (shape_a, shape_b) = (one.id, other.id);
                    nearest = Some(Closest { shape_a, shape_b, distance, point_a, point_b, normal });
                }
            }
        }
        nearest
    }
}

/// Distance, normal from the first to the second, and point on the second.
type Found = (f64, Vec3, Vec3);

struct Between<'a> {
    shapes: [&'a PlanShape; 2],
    at: [&'a Placed; 2],
    limit: f64,
}

impl Kernel for Between<'_> {
    type Output = Option<Found>;
    #[inline(always)]
    fn run(self) -> Option<Found> {
        // planes and ground are looked at from the other's side
        let swap = is_ground(self.shapes[1]) && !is_ground(self.shapes[0]);
        let (a, b) = if swap { (1, 0) } else { (0, 1) };
        let (shapes, at) = ([self.shapes[a], self.shapes[b]], [self.at[a], self.at[b]]);
        let found = between(shapes, at, self.limit)?;
        let (distance, normal, point_b) = found;
        Some(if swap { (distance, -normal, normal.mul_add(-distance, point_b)) } else { found })
    }
}

fn is_ground(shape: &PlanShape) -> bool {
    matches!(shape.form, Form::Plane | Form::HeightField | Form::TriangleMesh)
}

#[inline(always)]
fn between([one, other]: [&PlanShape; 2], [a, b]: [&Placed; 2], limit: f64) -> Option<Found> {
    if is_ground(other) {
        return None; // two that stand still
    }
    let solid = core_of(other, *b);
    if one.form == Form::Plane {
        let n = a.R.z;
        let lowest = n.mul_add(-solid.radius, solid.support(-n));
        return Some((n.dot(lowest - a.p), n, lowest));
    }
    if let Some(ground) = ground_of(&one.solid) {
        return over_ground(ground, a, other, b, limit);
    }
    let found = part(&core_of(one, *a), &solid, limit);
    Some((found.distance, found.normal, found.point_b))
}

#[inline(always)]
fn over_ground(ground: Ground<'_>, at: &Placed, other: &PlanShape, b: &Placed, limit: f64) -> Option<Found> {
    let turn =
        Mat3::from_columns(at.R.transpose_mul(b.R.x), at.R.transpose_mul(b.R.y), at.R.transpose_mul(b.R.z));
    let solid = core_of(other, Placed { R: turn, p: at.local(b.p), ..*b });
    let reach = b.bound + limit;
    let corner = Vec3::new(reach, reach, reach);
    let mut walk = ground.walk(Bounds { low: solid.at.p - corner, high: solid.at.p + corner });
    let mut best: Option<Found> = None;
    while let Some(triangle) = walk.next() {
        let query = OnTriangle { limit, thick: ground.is_thick() };
        let Some(contacts) = touch_triangle(&triangle, &solid, query) else { continue };
        for contact in contacts.iter().filter(|contact| contact.active) {
            if best.is_none_or(|(least, ..)| contact.distance < least) {
                best = Some((contact.distance, at.R * contact.normal, at.world(contact.point_b)));
            }
        }
    }
    best
}
