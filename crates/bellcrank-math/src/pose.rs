//! Rigid placements: where a frame is.

use crate::quat::Quat;
use crate::real::Real;
use crate::vec3::Vec3;
use core::ops::Mul;

/// X_AB: frame B seen from frame A. Products cancel by eye: X_AC = X_AB * X_BC, p_AQ = X_AB * p_BQ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pose<R = f64> {
    /// R_AB
    pub R: Quat<R>,
    /// p_AB [m]: B's origin in A.
    pub p: Vec3<R>,
}

impl<R: Real> Default for Pose<R> {
    #[inline(always)]
    fn default() -> Self {
        Self::identity()
    }
}

impl<R: Real> Pose<R> {
    /// From rotation R_AB and position p_AB.
    #[inline(always)]
    pub fn new(rotation: Quat<R>, p: Vec3<R>) -> Self {
        Pose { R: rotation, p }
    }
    /// A = B.
    #[inline(always)]
    pub fn identity() -> Self {
        Pose { R: Quat::identity(), p: Vec3::zero() }
    }
    /// The same constant pose in every lane.
    #[inline(always)]
    pub fn constant(X: Pose<f64>) -> Self {
        Pose { R: Quat::constant(X.R), p: Vec3::constant(X.p) }
    }
    /// Axes parallel, B's origin at (x, y, z) in A.
    #[inline(always)]
    pub fn translation(x: R, y: R, z: R) -> Self {
        Pose { R: Quat::identity(), p: Vec3::new(x, y, z) }
    }
    /// Axes parallel, B's origin at `p` in A.
    #[inline(always)]
    pub fn from_position(p: Vec3<R>) -> Self {
        Pose { R: Quat::identity(), p }
    }
    /// X_BA
    #[inline(always)]
    pub fn inverse(self) -> Self {
        let back = self.R.inverse();
        Pose { R: back, p: -back.rotate(self.p) }
    }
    /// X_AB⁻¹ X_AC = X_BC, without forming the inverse.
    #[inline(always)]
    pub fn inverse_mul(self, other: Self) -> Self {
        let back = self.R.inverse();
        Pose { R: back * other.R, p: back.rotate(other.p - self.p) }
    }
    /// p_AQ = X_AB p_BQ
    #[inline(always)]
    pub fn transform_point(self, p: Vec3<R>) -> Vec3<R> {
        self.R.rotate(p) + self.p
    }
    /// False where a component is infinite or not a number.
    #[inline(always)]
    pub fn is_finite(self) -> R::Mask {
        self.R.is_finite() & self.p.is_finite()
    }
    /// The pose of lane `i`.
    #[inline(always)]
    pub fn lane(self, i: usize) -> Pose<R::Elem> {
        Pose { R: self.R.lane(i), p: self.p.lane(i) }
    }
}

impl<R: Real> Mul for Pose<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Pose { R: self.R * b.R, p: self.transform_point(b.p) }
    }
}

impl<R: Real> Mul<Vec3<R>> for Pose<R> {
    type Output = Vec3<R>;
    #[inline(always)]
    fn mul(self, p: Vec3<R>) -> Vec3<R> {
        self.transform_point(p)
    }
}
