//! A plane against shapes whose lowest points are known in closed form. The plane is A, its z axis the normal.

use crate::collide::{Narrow, Near, Side, near_plane};
use crate::contacts::Contact;
use crate::data::Placed;
use bellcrank_math::{Real, Vec3};

/// Height of a point above the plane.
#[inline(always)]
pub(crate) fn height<R: Real>(plane: &Placed<R>, p: Vec3<R>) -> R {
    plane.R.z.dot(p - plane.p)
}

/// The contact of the plane with a point of the other shape.
#[inline(always)]
pub(crate) fn point<R: Real>(plane: &Placed<R>, p: Vec3<R>) -> Contact<R> {
    Contact::at_b(p, plane.R.z, height(plane, p))
}

/// One contact: the lowest point.
pub struct PlaneSphere;

impl Narrow for PlaneSphere {
    #[inline(always)]
    fn near<R: Real>(plane: &Placed<R>, other: &Placed<R>, limit: R) -> R::Mask {
        near_plane(plane, other, limit)
    }
    #[inline(always)]
    fn touch<R: Real>(plane: &Side<'_, R>, ball: &Side<'_, R>, _: Near<R>, slots: &mut [Contact<R>]) {
        let lowest = plane.at.R.z.mul_add(-ball.at.size.x, ball.at.p);
        slots[0] = point(plane.at, lowest);
    }
}

/// Two contacts, one per cap: feature 0 at +z, feature 1 at −z.
pub struct PlaneCapsule;

impl Narrow for PlaneCapsule {
    #[inline(always)]
    fn near<R: Real>(plane: &Placed<R>, other: &Placed<R>, limit: R) -> R::Mask {
        near_plane(plane, other, limit)
    }
    #[inline(always)]
    fn touch<R: Real>(plane: &Side<'_, R>, capsule: &Side<'_, R>, _: Near<R>, slots: &mut [Contact<R>]) {
        let (radius, half) = (capsule.at.size.x, capsule.at.size.y);
        for (slot, end) in slots.iter_mut().zip([half, -half]) {
            let centre = capsule.at.R.z.mul_add(end, capsule.at.p);
            *slot = point(plane.at, plane.at.R.z.mul_add(-radius, centre));
        }
    }
}

/// Four contacts: the lower end of each space diagonal.
///
/// Corner heights relative to the centre are ±a ± b ± c, so a corner and its opposite differ in sign only, and
/// the four corners below the centre are one end of each of the four diagonals. They are the four lowest: all
/// others are above the centre. So four slots hold exactly the deepest corners without sorting, and slot k
/// changes from one end of its diagonal to the other only when both are at the centre's height, far from touching.
pub struct PlaneBox;

impl Narrow for PlaneBox {
    #[inline(always)]
    fn near<R: Real>(plane: &Placed<R>, other: &Placed<R>, limit: R) -> R::Mask {
        near_plane(plane, other, limit)
    }
    #[inline(always)]
    fn touch<R: Real>(plane: &Side<'_, R>, cube: &Side<'_, R>, _: Near<R>, slots: &mut [Contact<R>]) {
        let (axes, half) = (cube.at.R, cube.at.size);
        let (x, y, z) = (axes.x * half.x, axes.y * half.y, axes.z * half.z);
        let diagonals = [x + y + z, x - y + z, x + y - z, x - y - z];
        for (slot, diagonal) in slots.iter_mut().zip(diagonals) {
            let up = plane.at.R.z.dot(diagonal).signum_or_one();
            *slot = point(plane.at, cube.at.p - diagonal * up);
        }
    }
}

/// One contact. With D the half axes and m the normal in the ellipsoid's frame, the lowest point is −D²m / |Dm|.
pub struct PlaneEllipsoid;

impl Narrow for PlaneEllipsoid {
    #[inline(always)]
    fn near<R: Real>(plane: &Placed<R>, other: &Placed<R>, limit: R) -> R::Mask {
        near_plane(plane, other, limit)
    }
    #[inline(always)]
    fn touch<R: Real>(plane: &Side<'_, R>, egg: &Side<'_, R>, _: Near<R>, slots: &mut [Contact<R>]) {
        let (m, d) = (egg.at.R.transpose_mul(plane.at.R.z), egg.at.size);
        let scaled = Vec3::new(m.x * d.x, m.y * d.y, m.z * d.z);
        let s = -scaled.norm().recip();
        let lowest = Vec3::new(scaled.x * d.x * s, scaled.y * d.y * s, scaled.z * d.z * s);
        slots[0] = point(plane.at, egg.at.world(lowest));
    }
}
