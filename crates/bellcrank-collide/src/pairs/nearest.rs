//! The nearest point of a solid's surface, from outside and from within.

use super::{TINY, unit_or};
use bellcrank_math::{Real, Vec3};

/// The point of a surface nearest to a query point, in the solid's frame.
#[derive(Clone, Copy, Debug)]
pub struct Nearest<R = f64> {
    /// On the surface \[m\].
    pub point: Vec3<R>,
    /// Unit vector out of the solid, along the shortest way.
    pub normal: Vec3<R>,
    /// Distance of the query point \[m\]; negative inside.
    pub distance: R,
}

impl<R: Real> Nearest<R> {
    #[inline(always)]
    fn select(mask: R::Mask, yes: Self, no: Self) -> Self {
        Nearest {
            point: Vec3::select(mask, yes.point, no.point),
            normal: Vec3::select(mask, yes.normal, no.normal),
            distance: R::select(mask, yes.distance, no.distance),
        }
    }
}

/// +1 or −1 like `x`, times `unit`.
#[inline(always)]
fn toward<R: Real>(x: R, unit: Vec3<R>) -> Vec3<R> {
    unit * x.signum_or_one()
}

/// On a box with half edges `half`. From within, the way leads out of the nearest face.
#[inline(always)]
pub fn nearest_on_box<R: Real>(half: Vec3<R>, p: Vec3<R>) -> Nearest<R> {
    let clamped =
        Vec3::new(p.x.clamp(-half.x, half.x), p.y.clamp(-half.y, half.y), p.z.clamp(-half.z, half.z));
    // from within: the least of the three depths
    let (dx, dy, dz) = (half.x - p.x.abs(), half.y - p.y.abs(), half.z - p.z.abs());
    let x_first = dx.le(dy) & dx.le(dz);
    let y_first = dy.le(dz);
    let face = Vec3::select(
        x_first,
        toward(p.x, Vec3::x_axis()),
        Vec3::select(y_first, toward(p.y, Vec3::y_axis()), toward(p.z, Vec3::z_axis())),
    );
    let depth = R::select(x_first, dx, R::select(y_first, dy, dz));
    let (normal, distance) = unit_or(p - clamped, face);
    let outside = distance.gt(R::constant(TINY));
    let within = Nearest { point: face.mul_add(depth, p), normal: face, distance: -depth };
    Nearest::select(outside, Nearest { point: clamped, normal, distance }, within)
}

/// On a cylinder or cone of `size` (radius at −z, half length, radius at +z).
///
/// In the half-plane (ρ, z) through the axis the solid is the quadrilateral (0, −h), (r₀, −h), (r₁, h), (0, h).
/// The nearest of bottom, side and top is the answer; a point is inside when it is behind all three.
#[inline(always)]
pub fn nearest_on_round<R: Real>(size: Vec3<R>, p: Vec3<R>) -> Nearest<R> {
    let (r0, h, r1) = (size.x, size.y, size.z);
    let zero = R::zero();
    let (outward, _) = unit_or(Vec3::new(p.x, p.y, zero), Vec3::x_axis());
    let rho = (p.x * p.x + p.y * p.y).sqrt();
    let (along_r, along_z) = (r1 - r0, h + h); // the side, from bottom to top
    let slant = (along_r * along_r + along_z * along_z).sqrt().recip();
    let (side_r, side_z) = (along_z * slant, -along_r * slant); // its outward normal
    let behind_side = (rho - r0) * side_r + (p.z + h) * side_z;
    let inside = p.z.abs().le(h) & behind_side.le(zero);
    // nearest points of the three lines
    let t = ((rho - r0) * along_r + (p.z + h) * along_z) * slant * slant;
    let t = t.clamp(zero, R::one());
    let on_side = [along_r.mul_add(t, r0), along_z.mul_add(t, -h)];
    let on_bottom = [rho.min(r0), -h];
    let on_top = [rho.min(r1), h];
    let d_side = (rho - on_side[0]).square() + (p.z - on_side[1]).square();
    let d_bottom = (rho - on_bottom[0]).square() + (p.z - on_bottom[1]).square();
    let d_top = (rho - on_top[0]).square() + (p.z - on_top[1]).square();
    let side_best = d_side.le(d_bottom) & d_side.le(d_top);
    let flat = pick(d_bottom.le(d_top), [on_bottom[0], -h, zero, -R::one()], [on_top[0], h, zero, R::one()]);
    let q = pick(side_best, [on_side[0], on_side[1], side_r, side_z], flat);
    let (face_r, face_z) = (q[2], q[3]);
    let face = outward * face_r + Vec3::z_axis() * face_z;
    let point = outward * q[0] + Vec3::z_axis() * q[1];
    let (away, distance) = unit_or(p - point, face);
    let outside = !inside & distance.gt(R::constant(TINY));
    let normal = Vec3::select(outside, away, face);
    Nearest { point, normal, distance: R::select(outside, distance, -distance) }
}

/// `mask ? yes : no` for four numbers.
#[inline(always)]
fn pick<R: Real>(mask: R::Mask, yes: [R; 4], no: [R; 4]) -> [R; 4] {
    [
        R::select(mask, yes[0], no[0]),
        R::select(mask, yes[1], no[1]),
        R::select(mask, yes[2], no[2]),
        R::select(mask, yes[3], no[3]),
    ]
}
