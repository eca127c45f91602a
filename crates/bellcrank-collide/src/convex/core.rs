//! Support functions: the point of a solid that lies furthest in a direction.

use crate::data::Placed;
use crate::pairs::TINY;
use crate::plan::Form;
use bellcrank_math::Vec3;

/// A convex solid in the world: its core, and the radius around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Core<'a> {
    pub at: Placed,
    pub form: Form,
    /// For hulls and triangles, in the shape's frame.
    pub corners: &'a [Vec3],
    /// Around the core; zero but for spheres and capsules.
    pub radius: f64,
}

impl<'a> Core<'a> {
    #[inline(always)]
    pub fn new(at: Placed, form: Form, corners: &'a [Vec3]) -> Self {
        let radius = if matches!(form, Form::Sphere | Form::Capsule) { at.size.x } else { 0.0 };
        Core { at, form, corners, radius }
    }

    /// The point of the core furthest in direction `d` of the world.
    #[inline(always)]
    pub fn support(&self, d: Vec3) -> Vec3 {
        let (m, size) = (self.at.R.transpose_mul(d), self.at.size);
        let p = match self.form {
            Form::Sphere => Vec3::zero(),
            Form::Capsule => Vec3::new(0.0, 0.0, toward(size.y, m.z)),
            Form::Box => Vec3::new(toward(size.x, m.x), toward(size.y, m.y), toward(size.z, m.z)),
            Form::Round => self.round_support(m),
            Form::Ellipsoid => {
                // D²m / |Dm|
                let s = Vec3::new(m.x * size.x, m.y * size.y, m.z * size.z);
                let scale = 1.0 / s.norm().max(TINY);
                Vec3::new(s.x * size.x, s.y * size.y, s.z * size.z) * scale
            }
            _ => self.furthest_corner(m),
        };
        self.at.world(p)
    }

    /// The better of the two rims.
    #[inline(always)]
    fn round_support(&self, m: Vec3) -> Vec3 {
        let (r0, h, r1) = (self.at.size.x, self.at.size.y, self.at.size.z);
        let across = (m.x * m.x + m.y * m.y).sqrt();
        let (x, y) = if across > TINY { (m.x / across, m.y / across) } else { (1.0, 0.0) };
        let top = r1 * across + h * m.z >= r0 * across - h * m.z;
        let (r, z) = if top { (r1, h) } else { (r0, -h) };
        Vec3::new(r * x, r * y, z)
    }

    #[inline(always)]
    fn furthest_corner(&self, m: Vec3) -> Vec3 {
        let mut best = (f64::NEG_INFINITY, Vec3::zero());
        for corner in self.corners {
            let reach = m.dot(*corner);
            if reach > best.0 {
                best = (reach, *corner);
            }
        }
        best.1
    }

    /// How the surface around the furthest point in some direction is best described: flat as far as the
    /// tolerance goes, straight along one direction, or round.
    #[inline(always)]
    pub fn touch_kind(&self, n: Vec3) -> Feature {
        match self.form {
            Form::Sphere | Form::Ellipsoid => Feature::Point,
            Form::Capsule => Feature::Line(self.at.R.z),
            Form::Round if self.at.R.z.dot(n).abs() < 0.9 => Feature::Line(self.at.R.z),
            _ => Feature::Face,
        }
    }
}

/// What supports a solid in a direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Feature {
    Point,
    /// With its direction.
    Line(Vec3),
    Face,
}

#[inline(always)]
fn toward(half: f64, direction: f64) -> f64 {
    if direction < 0.0 { -half } else { half }
}
