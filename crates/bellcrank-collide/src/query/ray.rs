//! Ray casts.
//!
//! Convex solids: the plane through the nearest point of the solid, across the way to it, has the solid behind it.
//! So a ray may advance to that plane without missing anything; near the surface that is Newton's method.

use super::{Queries, core_of, ground_of};
use crate::convex::{Core, gjk};
use crate::data::Placed;
use crate::plan::{Form, PlanShape};
use crate::terrain::{Bounds, Ground, Triangle};
use bellcrank_math::{Kernel, Pose, Real, Vec3};
use bellcrank_model::{BodyId, ShapeId};

/// Where to look.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ray {
    /// Start, in the world \[m\].
    pub origin: Vec3,
    /// Direction, of any length above zero.
    pub direction: Vec3,
    /// How far to look \[m\].
    pub reach: f64,
    /// A body that the ray passes through: the one that carries the sensor.
    pub ignore: Option<BodyId>,
}

impl Ray {
    /// A ray that sees everything within 100 m.
    pub fn new(origin: Vec3, direction: Vec3) -> Self {
        Ray { origin, direction, reach: 100.0, ignore: None }
    }

    /// How far to look \[m\].
    pub fn reach(mut self, reach: f64) -> Self {
        self.reach = reach;
        self
    }

    /// Passes through a body.
    pub fn ignore(mut self, body: BodyId) -> Self {
        self.ignore = Some(body);
        self
    }
}

/// What a ray met first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RayHit {
    /// The shape.
    pub shape: ShapeId,
    /// Its body; `None` for the world.
    pub body: Option<BodyId>,
    /// From the start \[m\].
    pub distance: f64,
    /// In the world \[m\].
    pub point: Vec3,
    /// Out of the shape, unit.
    pub normal: Vec3,
}

/// Rounds of the advance; grazing rays take the most.
const ROUNDS: usize = 64;
/// A ray has arrived when it is this near \[m\].
const ARRIVED: f64 = 1e-9;

impl Queries {
    /// The first shape that a ray meets. Solids in which it starts are not seen; nor is anything by a ray without
    /// direction.
    pub fn ray_cast(&self, X_WB: &[Pose], ray: &Ray) -> Option<RayHit> {
        let direction = ray.direction.normalized();
        if !direction.is_finite() {
            return None;
        }
        let mut nearest: Option<RayHit> = None;
        for (i, shape) in self.shapes.iter().enumerate() {
            if ray.ignore.is_some() && shape.body == ray.ignore {
                continue;
            }
            // relative to the start, so that digits are not lost far from the world's origin
            let at = self.placed(i, X_WB, ray.origin);
            let reach = nearest.map_or(ray.reach, |hit| hit.distance);
            let job = Cast { shape, at: &at, direction, reach };
            let Some((distance, normal)) = <f64 as Real>::run(job) else { continue };
            let point = direction.mul_add(distance, ray.origin);
            nearest = Some(RayHit { shape: shape.id, body: shape.body, distance, point, normal });
        }
        nearest
    }

    /// Many rays at one pose; `hits` has one entry per ray.
    pub fn ray_cast_many(&self, X_WB: &[Pose], rays: &[Ray], hits: &mut [Option<RayHit>]) {
        for (ray, hit) in rays.iter().zip(hits) {
            *hit = self.ray_cast(X_WB, ray);
        }
    }
}

/// One ray from the origin against one shape.
struct Cast<'a> {
    shape: &'a PlanShape,
    at: &'a Placed,
    direction: Vec3,
    reach: f64,
}

impl Kernel for Cast<'_> {
    type Output = Option<(f64, Vec3)>;
    #[inline(always)]
    fn run(self) -> Self::Output {
        let (at, d) = (self.at, self.direction);
        if self.shape.form == Form::Plane {
            let (height, rate) = (-at.R.z.dot(at.p), at.R.z.dot(d));
            let t = -height / rate;
            return (height >= 0.0 && rate < 0.0 && t <= self.reach).then_some((t, at.R.z));
        }
        if let Some(ground) = ground_of(&self.shape.solid) {
            return cast_on_ground(ground, at, d, self.reach);
        }
        // does it pass the bounding sphere?
        let along = at.p.dot(d);
        let beside2 = at.p.norm_squared() - along * along;
        let bound2 = at.bound * at.bound * (1.0 + 1e-9);
        let outside = at.p.norm_squared() > bound2;
        if beside2 > bound2 || along - at.bound > self.reach || (outside && along < 0.0) {
            return None;
        }
        cast_on_convex(&core_of(self.shape, *at), d, self.reach)
    }
}

#[inline(always)]
fn cast_on_convex(solid: &Core<'_>, d: Vec3, reach: f64) -> Option<(f64, Vec3)> {
    let (mut t, mut last) = (0.0, d);
    for round in 0..ROUNDS {
        let eye = Placed { p: d * t, ..Placed::origin() };
        let apart = gjk(&Core::new(eye, Form::Sphere, &[]), solid, (Vec3::zero(), f64::INFINITY), d);
        let (distance, normal) = match apart {
            Some(apart) => (apart.distance - solid.radius, apart.normal),
            None if round == 0 => return None, // starts inside
            None => (0.0, last),               // on the plane of the step before, to the last digit
        };
        if distance < ARRIVED {
            return (round > 0 || distance >= 0.0).then_some((t, -normal));
        }
        last = normal;
        let rate = normal.dot(d);
        if rate <= 0.0 {
            return None;
        }
        t += distance / rate;
        if t > reach {
            return None;
        }
    }
    None
}

#[inline(always)]
fn cast_on_ground(ground: Ground<'_>, at: &Placed, d: Vec3, reach: f64) -> Option<(f64, Vec3)> {
    let (from, along) = (at.local(Vec3::zero()), at.R.transpose_mul(d));
    let mut best: Option<(f64, Vec3)> = None;
    let mut walk = ground.walk(Bounds::around([from, along.mul_add(reach, from)]));
    while let Some(triangle) = walk.next() {
        let t = cast_on_triangle(&triangle, from, along);
        if let Some(t) = t.filter(|t| *t <= best.map_or(reach, |b| b.0)) {
            let side = if triangle.normal.dot(along) < 0.0 { 1.0 } else { -1.0 };
            best = Some((t, at.R * triangle.normal * side));
        }
    }
    best
}

/// Möller and Trumbore 1997: p + t d = a + u (b − a) + v (c − a).
#[inline(always)]
fn cast_on_triangle(triangle: &Triangle, p: Vec3, d: Vec3) -> Option<f64> {
    let [a, b, c] = triangle.corners;
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let cross = d.cross(ac);
    let determinant = ab.dot(cross);
    if determinant == 0.0 {
        return None;
    }
    let u = ap.dot(cross) / determinant;
    let other = ap.cross(ab);
    let (v, t) = (d.dot(other) / determinant, ac.dot(other) / determinant);
    (u >= -1e-12 && v >= -1e-12 && u + v <= 1.0 + 1e-12 && t >= 0.0).then_some(t)
}
