//! One routine per kind of pair, each a pure function over `R: Real` without branches on numbers.

mod box_box;
mod capsule;
mod capsule_box;
mod clip;
mod convex;
mod nearest;
mod plane;
mod plane_many;
mod sat;
mod sphere;
mod terrain;

pub use box_box::BoxBox;
pub use capsule::CapsuleCapsule;
pub use capsule_box::CapsuleBox;
pub use convex::ConvexConvex;
pub use nearest::{Nearest, nearest_on_box, nearest_on_round};
pub use plane::{PlaneBox, PlaneCapsule, PlaneEllipsoid, PlaneSphere};
pub use plane_many::{PlaneHull, PlaneRound};
pub use sphere::{SphereBox, SphereCapsule, SphereRound, SphereSphere};
pub use terrain::ConvexGround;

use crate::contacts::Contact;
use bellcrank_math::{Real, Vec3};

/// Lengths below this count as zero \[m\]: directions are then taken from elsewhere. Squares stay normal in f32.
pub(crate) const TINY: f64 = 1e-15;

/// v/|v|, or `fallback` (a unit vector) where v has no direction; and |v|.
#[inline(always)]
pub(crate) fn unit_or<R: Real>(v: Vec3<R>, fallback: Vec3<R>) -> (Vec3<R>, R) {
    let length = v.norm();
    let usable = length.gt(R::constant(TINY));
    let safe = R::select(usable, length, R::one());
    (Vec3::select(usable, v * safe.recip(), fallback), length)
}

/// Balls around two points; `fallback` is the normal where they coincide.
#[inline(always)]
pub(crate) fn balls<R: Real>([a, b]: [Vec3<R>; 2], [ra, rb]: [R; 2], fallback: Vec3<R>) -> Contact<R> {
    let (normal, length) = unit_or(b - a, fallback);
    Contact::at_b(normal.mul_add(-rb, b), normal, length - ra - rb)
}
