//! Unit quaternions: rotations without singularities.

use crate::mat3::Mat3;
use crate::real::{Elem, Real};
use crate::vec3::Vec3;
use core::ops::Mul;

/// A rotation R_AB as the unit quaternion w + x i + y j + z k. Where it becomes an array the name says the order.
#[derive(Clone, Copy, Debug, PartialEq)]
#[allow(missing_docs)]
pub struct Quat<R = f64> {
    pub w: R,
    pub x: R,
    pub y: R,
    pub z: R,
}

impl<R: Real> Default for Quat<R> {
    #[inline(always)]
    fn default() -> Self {
        Self::identity()
    }
}

impl<R: Real> Quat<R> {
    /// From scalar part and components of the vector part; not normalised.
    #[inline(always)]
    pub fn from_wxyz([w, x, y, z]: [R; 4]) -> Self {
        Quat { w, x, y, z }
    }
    /// From scalar and vector part; not normalised.
    #[inline(always)]
    pub fn from_parts(w: R, v: Vec3<R>) -> Self {
        Quat { w, x: v.x, y: v.y, z: v.z }
    }
    /// [w, x, y, z]
    #[inline(always)]
    pub fn to_wxyz(self) -> [R; 4] {
        [self.w, self.x, self.y, self.z]
    }
    /// The vector part.
    #[inline(always)]
    pub fn vector(self) -> Vec3<R> {
        Vec3::new(self.x, self.y, self.z)
    }
    /// No rotation.
    #[inline(always)]
    pub fn identity() -> Self {
        Quat { w: R::one(), x: R::zero(), y: R::zero(), z: R::zero() }
    }
    /// The same constant rotation in every lane.
    #[inline(always)]
    pub fn constant(q: Quat<f64>) -> Self {
        Quat { w: R::constant(q.w), x: R::constant(q.x), y: R::constant(q.y), z: R::constant(q.z) }
    }
    /// The rotation by `angle` [rad] about a unit axis.
    #[inline(always)]
    pub fn from_axis_angle(axis: Vec3<R>, angle: R) -> Self {
        let (s, c) = (angle * R::constant(0.5)).sin_cos();
        Quat::from_parts(c, axis * s)
    }
    /// The inverse rotation, R_BA.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        Quat { w: self.w, x: -self.x, y: -self.y, z: -self.z }
    }
    /// The same rotation with opposite sign of all components.
    #[inline(always)]
    pub fn negated(self) -> Self {
        Quat { w: -self.w, x: -self.x, y: -self.y, z: -self.z }
    }
    /// Sum of squares; one for a rotation.
    #[inline(always)]
    pub fn norm_squared(self) -> R {
        self.w.mul_add(self.w, self.vector().norm_squared())
    }
    /// Scaled to length one; not finite for zero.
    #[inline(always)]
    pub fn normalized(self) -> Self {
        let s = self.norm_squared().sqrt().recip();
        Quat { w: self.w * s, x: self.x * s, y: self.y * s, z: self.z * s }
    }
    /// Turns a vector: v_A = R_AB v_B.
    #[inline(always)]
    pub fn rotate(self, v: Vec3<R>) -> Vec3<R> {
        // v + 2 u × (u × v + w v), u the vector part: 15 multiplications
        let u = self.vector();
        let t = u.cross_add(v, v * self.w);
        let t = t + t;
        u.cross_add(t, v)
    }
    /// Turns a vector back: v_B = R_BA v_A.
    #[inline(always)]
    pub fn rotate_inverse(self, v: Vec3<R>) -> Vec3<R> {
        self.inverse().rotate(v)
    }
    /// As a matrix, B's axes in its columns.
    #[inline(always)]
    pub fn to_mat3(self) -> Mat3<R> {
        let (x2, y2, z2) = (self.x + self.x, self.y + self.y, self.z + self.z);
        let (wx, wy, wz) = (self.w * x2, self.w * y2, self.w * z2);
        let (xx, yy, zz) = (self.x * x2, self.y * y2, self.z * z2);
        let (xy, xz, yz) = (self.x * y2, self.x * z2, self.y * z2);
        let one = R::one();
        Mat3 {
            x: Vec3::new(one - (yy + zz), xy + wz, xz - wy),
            y: Vec3::new(xy - wz, one - (xx + zz), yz + wx),
            z: Vec3::new(xz + wy, yz - wx, one - (xx + yy)),
        }
    }
    /// The sign with w ≥ 0: the short way round.
    #[inline(always)]
    pub fn short_way(self) -> Self {
        Self::select(self.w.lt(R::zero()), self.negated(), self)
    }
    /// `mask ? yes : no`, lane by lane.
    #[inline(always)]
    pub fn select(mask: R::Mask, yes: Self, no: Self) -> Self {
        Quat::from_parts(R::select(mask, yes.w, no.w), Vec3::select(mask, yes.vector(), no.vector()))
    }
    /// False where a component is infinite or not a number.
    #[inline(always)]
    pub fn is_finite(self) -> R::Mask {
        self.w.is_finite() & self.vector().is_finite()
    }
    /// The rotation of lane `i`.
    #[inline(always)]
    pub fn lane(self, i: usize) -> Quat<R::Elem> {
        Quat { w: self.w.lane(i), x: self.x.lane(i), y: self.y.lane(i), z: self.z.lane(i) }
    }
}

impl<E: Elem> Quat<E> {
    /// From a rotation matrix (Shepperd's method: divides by the largest component).
    pub fn from_mat3(m: Mat3<E>) -> Self {
        let one = E::one();
        let (xx, yy, zz) = (m.x.x, m.y.y, m.z.z);
        let candidates = [
            (one + xx + yy + zz, [one + xx + yy + zz, m.y.z - m.z.y, m.z.x - m.x.z, m.x.y - m.y.x]),
            (one + xx - yy - zz, [m.y.z - m.z.y, one + xx - yy - zz, m.y.x + m.x.y, m.z.x + m.x.z]),
            (one - xx + yy - zz, [m.z.x - m.x.z, m.y.x + m.x.y, one - xx + yy - zz, m.z.y + m.y.z]),
            (one - xx - yy + zz, [m.x.y - m.y.x, m.z.x + m.x.z, m.z.y + m.y.z, one - xx - yy + zz]),
        ];
        let mut best = candidates[0];
        for candidate in &candidates[1..] {
            if candidate.0 > best.0 {
                best = *candidate;
            }
        }
        Quat::from_wxyz(best.1).normalized()
    }

    /// The rotation that takes the x axis to `axis` (a unit vector), with some choice of the other two axes.
    pub fn x_axis_to(axis: Vec3<E>) -> Self {
        if axis == Vec3::x_axis() {
            return Quat::identity();
        }
        let y = axis.any_perpendicular();
        Quat::from_mat3(Mat3::from_columns(axis, y, axis.cross(y)))
    }
}

impl<R: Real> Mul for Quat<R> {
    type Output = Self;
    /// R_AC = R_AB R_BC
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let a = self;
        Quat {
            w: a.z.neg_mul_add(b.z, a.y.neg_mul_add(b.y, a.x.neg_mul_add(b.x, a.w * b.w))),
            x: a.z.neg_mul_add(b.y, a.y.mul_add(b.z, a.x.mul_add(b.w, a.w * b.x))),
            y: a.x.neg_mul_add(b.z, a.z.mul_add(b.x, a.y.mul_add(b.w, a.w * b.y))),
            z: a.y.neg_mul_add(b.x, a.x.mul_add(b.y, a.z.mul_add(b.w, a.w * b.z))),
        }
    }
}
