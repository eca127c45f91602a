//! A plane against cylinders, cones and hulls: several spread points of a curved or many-cornered surface.

use super::plane::point;
use super::{TINY, unit_or};
use crate::collide::{Narrow, Near, Side, near_plane};
use crate::contacts::Contact;
use crate::data::Placed;
use bellcrank_math::{Mask, Real, Vec3};

/// A rim is flat on the plane when its tilt is below this \[rad\]: its lowest point then has no certain place, and
/// the four fixed points miss less than (1 − cos 45°) · radius · FLAT of its depth.
const FLAT: f64 = 1e-4;

/// Cylinder or cone, six contacts: features 0 and 1 are the lowest points of the rims at +z and −z (the line on
/// which it rolls), features 2 to 5 are fixed points on the lower rim (the disc on which it stands).
pub struct PlaneRound;

impl Narrow for PlaneRound {
    #[inline(always)]
    fn near<R: Real>(plane: &Placed<R>, other: &Placed<R>, limit: R) -> R::Mask {
        near_plane(plane, other, limit)
    }
    #[inline(always)]
    fn touch<R: Real>(plane: &Side<'_, R>, round: &Side<'_, R>, _: Near<R>, slots: &mut [Contact<R>]) {
        let (plane, at) = (plane.at, round.at);
        let (bottom, half, top) = (at.size.x, at.size.y, at.size.z);
        let (n, axis) = (plane.R.z, at.R.z);
        let c = n.dot(axis);
        // steepest way down within the disc; |n − (n·z) z| = sin(tilt)
        let (down, tilt) = unit_or(axis.mul_add(c, -n), at.R.x);
        let ends = [axis.mul_add(half, at.p), axis.mul_add(-half, at.p)];
        let stands = tilt.lt(R::constant(FLAT));
        for ((slot, centre), radius) in slots.iter_mut().zip(ends).zip([top, bottom]) {
            *slot = point(plane, down.mul_add(radius, centre));
            slot.active = !(stands & radius.gt(R::constant(TINY))); // a tip always counts
        }
        let upright = c.ge(R::zero());
        let radius = R::select(upright, bottom, top);
        let centre = Vec3::select(upright, ends[1], ends[0]);
        let diagonal = R::constant(core::f64::consts::FRAC_1_SQRT_2) * radius;
        let (x, y) = (at.R.x * diagonal, at.R.y * diagonal);
        for (slot, spoke) in slots[2..].iter_mut().zip([x + y, y - x, -(x + y), x - y]) {
            *slot = point(plane, centre + spoke);
            slot.active = radius.gt(R::constant(TINY));
        }
    }
}

/// Convex hull, four contacts: its extreme points in four directions that lean a little from straight down.
///
/// On a face these are spread corners of the face; on an edge its two ends; on a corner the same corner four
/// times, of which the first is kept. Feature k belongs to the k-th leaning direction.
pub struct PlaneHull;

/// tan of the angle by which the four directions lean: a face counts as lying flat below about 3°.
const LEAN: f64 = 0.05;

impl Narrow for PlaneHull {
    #[inline(always)]
    fn near<R: Real>(plane: &Placed<R>, other: &Placed<R>, limit: R) -> R::Mask {
        near_plane(plane, other, limit)
    }
    #[inline(always)]
    fn touch<R: Real>(plane: &Side<'_, R>, hull: &Side<'_, R>, _: Near<R>, slots: &mut [Contact<R>]) {
        let at = hull.at;
        let down = -at.R.transpose_mul(plane.at.R.z);
        let (t, o) = crate::contacts::tangents(down);
        let lean = R::constant(LEAN);
        let mut directions = [t + o, o - t, -(t + o), t - o];
        for direction in &mut directions {
            *direction = direction.mul_add(lean, down);
        }
        let corners = hull.solid.corners();
        let mut best = [(R::constant(-1e30), Vec3::zero()); 4];
        for corner in corners {
            let corner = Vec3::constant(*corner);
            for (direction, (most, which)) in directions.iter().zip(&mut best) {
                let reach = direction.dot(corner);
                let better = reach.gt(*most);
                (*most, *which) = (R::select(better, reach, *most), Vec3::select(better, corner, *which));
            }
        }
        for k in 0..slots.len().min(4) {
            let mut fresh = R::Mask::splat(!corners.is_empty());
            for earlier in 0..k {
                fresh = fresh & (best[k].1 - best[earlier].1).norm_squared().gt(R::zero());
            }
            slots[k] = point(plane.at, at.world(best[k].1));
            slots[k].active = fresh;
        }
    }
}
