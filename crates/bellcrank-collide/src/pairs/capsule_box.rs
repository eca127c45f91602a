//! Capsule on box, in the box's frame. The axis is p(t) = c + t e, −1 ≤ t ≤ 1.
//!
//! Outside, the nearest point of the axis minimises the convex function |p(t) − clamp(p(t))|². Its derivative
//! g(t) = e · (p(t) − clamp(p(t))) is monotone and piecewise linear with kinks where the axis crosses the six
//! face planes, so that the root lies between two kinks and is found exactly. When the axis enters the box, the
//! shortest way out is that of the separating axes: three face normals and three products of e with an edge.

use super::capsule::{SHORT, SpreadRule, spread};
use super::{TINY, unit_or};
use crate::collide::{Narrow, Near, Side};
use crate::contacts::Contact;
use crate::data::Placed;
use bellcrank_math::{Elem, Real, Vec3};

/// The normal counts as a face's when its component along it is above this (1°).
const ON_FACE: f64 = 0.9998;
/// sin of the angle to the face below which a capsule lies on it (10°); steeper, it stands on its end.
const LIES: f64 = 0.17;
/// An edge must be shallower than the faces by this factor to win: rounding must not choose.
const PREFER_FACE: f64 = 0.99;

/// Two contacts: on a face, features 0 and 1 are the lower and upper end (along the capsule's z) of the stretch
/// above the face; elsewhere feature 0 is the nearest point.
pub struct CapsuleBox;

/// The axis of the capsule in the box's frame.
#[derive(Clone, Copy)]
struct Axis<R> {
    c: Vec3<R>,
    e: Vec3<R>,
    half: Vec3<R>,
}

/// Where the capsule's axis is nearest to the box or deepest in it.
struct Closest<R> {
    t: R,
    /// Out of the box, unit.
    normal: Vec3<R>,
    /// From the axis to the box; negative where it is inside.
    distance: R,
}

impl Narrow for CapsuleBox {
    #[inline(always)]
    fn touch<R: Real>(capsule: &Side<'_, R>, cube: &Side<'_, R>, _: Near<R>, slots: &mut [Contact<R>]) {
        let (capsule, cube) = (capsule.at, cube.at);
        let e = cube.R.transpose_mul(capsule.R.z) * capsule.size.y;
        let axis = Axis { c: cube.local(capsule.p), e, half: cube.size };
        let closest = axis.closest();
        let (low, high, face) = axis.stretch_on_face(closest.normal);
        let radius = capsule.size.x;
        let at_low = axis.above_face(low, closest.normal);
        let at_high = axis.above_face(high, closest.normal);
        let ends =
            [contact(capsule, cube, axis.at(low), at_low), contact(capsule, cube, axis.at(high), at_high)];
        let long = ((high - low) * e.norm()).gt(radius * R::constant(SHORT));
        let lies = e.dot(closest.normal).abs().lt(e.norm() * R::constant(LIES));
        let rule = SpreadRule { two: face & long & lies, at: [low, high, closest.t], radii: radius };
        spread(ends, contact(capsule, cube, axis.at(closest.t), closest), rule, slots);
    }
}

/// The ball at `p` (box frame) against the point of the box at `distance` behind it.
#[inline(always)]
fn contact<R: Real>(capsule: &Placed<R>, cube: &Placed<R>, p: Vec3<R>, found: Closest<R>) -> Contact<R> {
    let on_box = cube.world(found.normal.mul_add(-found.distance, p));
    Contact::at_b(on_box, -(cube.R * found.normal), found.distance - capsule.size.x)
}

impl<R: Real> Axis<R> {
    #[inline(always)]
    fn at(&self, t: R) -> Vec3<R> {
        self.e.mul_add(t, self.c)
    }

    /// p(t) − clamp(p(t)): out of the box.
    #[inline(always)]
    fn excess(&self, t: R) -> Vec3<R> {
        let (p, h) = (self.at(t), self.half);
        p - Vec3::new(p.x.clamp(-h.x, h.x), p.y.clamp(-h.y, h.y), p.z.clamp(-h.z, h.z))
    }

    #[inline(always)]
    fn closest(&self) -> Closest<R> {
        let t = self.nearest_t();
        let (deep_normal, depth, deep_t) = self.way_out(t);
        let (normal, distance) = unit_or(self.excess(t), deep_normal);
        // the axis may touch the surface from outside: then both agree
        let outside = distance.gt(R::splat(<R::Elem as Elem>::EPSILON) * self.half.norm());
        Closest {
            t: R::select(outside, t, deep_t),
            normal: Vec3::select(outside, normal, deep_normal),
            distance: R::select(outside, distance, -depth),
        }
    }

    /// The root of g, or the end of the axis where g keeps its sign; the middle of a stretch where g is zero.
    #[inline(always)]
    fn nearest_t(&self) -> R {
        let one = R::one();
        let (mut low, mut high) = (-one, one);
        let (mut g_low, mut g_high) = (self.e.dot(self.excess(low)), self.e.dot(self.excess(high)));
        let (ends_low, ends_high) = (g_low.ge(R::zero()), g_high.le(R::zero()));
        let (c, e, h) = (self.c.to_array(), self.e.to_array(), self.half.to_array());
        for k in 0..3 {
            let flat = e[k].abs().lt(R::constant(TINY));
            let scale = R::select(flat, R::zero(), R::select(flat, one, e[k]).recip());
            for face in [-h[k], h[k]] {
                let t = ((face - c[k]) * scale).clamp(-one, one);
                let g = self.e.dot(self.excess(t));
                let (below, above) = (g.le(R::zero()) & t.gt(low), g.ge(R::zero()) & t.lt(high));
                (low, g_low) = (R::select(below, t, low), R::select(below, g, g_low));
                (high, g_high) = (R::select(above, t, high), R::select(above, g, g_high));
            }
        }
        let rise = g_high - g_low;
        let steep = rise.gt(R::constant(1e-30));
        let inner = (-g_low / R::select(steep, rise, one)).clamp(R::zero(), one);
        let inner = R::select(steep, inner, R::constant(0.5));
        let t = (high - low).mul_add(inner, low).clamp(-one, one);
        let at_low = R::select(ends_low & !ends_high, -one, t);
        R::select(ends_high & !ends_low, one, at_low)
    }

    /// The shortest way out of the box for the axis: normal, depth, and where the axis is deepest.
    #[inline(always)]
    fn way_out(&self, inside: R) -> (Vec3<R>, R, R) {
        let (c, e, h) = (self.c.to_array(), self.e.to_array(), self.half.to_array());
        let units = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
        let (mut normal, mut depth, mut t) = (units[2], R::constant(1e30), R::zero());
        for k in 0..3 {
            let side = c[k].signum_or_one();
            let d = h[k] + e[k].abs() - c[k].abs();
            let better = d.lt(depth);
            normal = Vec3::select(better, units[k] * side, normal);
            // the end that is deepest; the middle of the inner part when both are equally deep
            let tilted = e[k].abs().gt(h[k] * R::constant(1e-6));
            t = R::select(better, R::select(tilted, -(side * e[k]).signum_or_one(), inside), t);
            depth = R::select(better, d, depth);
        }
        for unit in units {
            let across = self.e.cross(unit);
            let (a, length) = unit_or(across, unit);
            let usable = length.gt(self.e.norm() * R::constant(1e-3)) & length.gt(R::constant(TINY));
            let reach = a.x.abs() * h[0] + a.y.abs() * h[1] + a.z.abs() * h[2];
            let out = a.dot(self.c);
            let d = reach - out.abs();
            let better = usable & d.lt(depth * R::constant(PREFER_FACE));
            normal = Vec3::select(better, a * out.signum_or_one(), normal);
            t = R::select(better, inside, t);
            depth = R::select(better, d, depth);
        }
        (normal, depth, t)
    }

    /// The stretch of the axis that lies above the face most like the normal, and whether there is one.
    #[inline(always)]
    fn stretch_on_face(&self, normal: Vec3<R>) -> (R, R, R::Mask) {
        let one = R::one();
        let (n, c, e, h) = (normal.to_array(), self.c.to_array(), self.e.to_array(), self.half.to_array());
        let on_face = R::constant(ON_FACE);
        let (mut low, mut high) = (-one, one);
        for k in 0..3 {
            let own = n[k].abs().gt(on_face); // the face's own axis does not bound the stretch
            let flat = e[k].abs().lt(R::constant(TINY));
            let scale = R::select(flat, R::constant(1e20), R::select(flat, one, e[k]).recip());
            let (one_side, other) = ((-h[k] - c[k]) * scale, (h[k] - c[k]) * scale);
            low = R::select(own, low, low.max(one_side.min(other)));
            high = R::select(own, high, high.min(one_side.max(other)));
        }
        let face = n[0].abs().gt(on_face) | n[1].abs().gt(on_face) | n[2].abs().gt(on_face);
        (low.clamp(-one, one), high.clamp(-one, one), face & low.le(high))
    }

    /// From p(t) against the normal to the plane of the face most like it.
    #[inline(always)]
    fn above_face(&self, t: R, normal: Vec3<R>) -> Closest<R> {
        let (p, n, h) = (self.at(t).to_array(), normal.to_array(), self.half.to_array());
        let mut distance = R::zero();
        for k in 0..3 {
            let own = n[k].abs().gt(R::constant(ON_FACE));
            let side = n[k].signum_or_one();
            let way = side.mul_add(p[k], -h[k]) / R::select(own, n[k].abs(), R::one());
            distance = R::select(own, way, distance);
        }
        Closest { t, normal, distance }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nearest point of the axis against ten thousand samples of it: the distance of a sample is off by at most
    /// |e| / 10,000.
    #[test]
    fn the_nearest_point_of_the_axis_is_the_nearest_of_all() {
        let half = Vec3::new(0.1, 0.07, 0.05);
        let mut seed = 1_u64;
        let mut number = || {
            seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (seed >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
        };
        for _ in 0..500 {
            let c = Vec3::new(number(), number(), number()) * 0.2;
            let e = Vec3::new(number(), number(), number()) * 0.15;
            let axis = Axis { c, e, half };
            let sampled = (0..=10_000).map(|k| axis.excess(k as f64 / 5000.0 - 1.0).norm());
            let least = sampled.fold(f64::INFINITY, f64::min);
            let found = axis.excess(axis.nearest_t()).norm();
            assert!((found - least).abs() < 2e-5, "{found} against {least}: {c:?} {e:?}");
            // and the way out is one: every point of the axis leaves the box
            let closest = axis.closest();
            let out = closest.normal * (1e-9 - closest.distance);
            for k in 0..=100 {
                let moved = Axis { c: c + out, ..axis };
                let inside = moved.excess(k as f64 / 50.0 - 1.0).norm() == 0.0;
                assert!(!inside || closest.distance > 0.0, "{c:?} {e:?}");
            }
        }
    }
}
