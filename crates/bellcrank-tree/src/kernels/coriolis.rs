//! The Coriolis operator of a subtree, for derivatives of inverse dynamics and the centroidal map's rate.
//!
//! 2B of a body is V ×* I − I V × + (·) ×* (I V) = [[0, −2[p]×], [0, Y − [ℓ]×]], p and ℓ its linear and angular
//! momentum and Y = [ω]×J + ([ω]×J)ᵀ − v hᵀ − h vᵀ + 2 (v·h) 1: twelve numbers, and they add over the subtree.

use bellcrank_math::{Inertia, Mat3, Real, Twist, Vec3, Wrench};

/// Twice the Coriolis operator of a subtree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Coriolis<R> {
    /// Twice the linear momentum.
    pub p: Vec3<R>,
    /// Y − [ℓ]×
    turning: Mat3<R>,
}

impl<R: Real> Coriolis<R> {
    /// Of a body with this motion and momentum.
    #[inline(always)]
    pub fn of(inertia: &Inertia<R>, V: Twist<R>, momentum: Wrench<R>) -> Self {
        let (v, w, h, J, l) = (V.linear, V.angular, inertia.h, inertia.J, momentum.moment);
        // entries of Y written out: [ω]× has zeros, and Y is symmetric
        let (a, b, c) = (w.x * J.yz, w.y * J.xz, w.z * J.xy);
        let xx = v.y.mul_add(h.y, v.z.mul_add(h.z, b - c));
        let yy = v.z.mul_add(h.z, v.x.mul_add(h.x, c - a));
        let zz = v.x.mul_add(h.x, v.y.mul_add(h.y, a - b));
        let xy = w.y.mul_add(J.yz, w.x.neg_mul_add(J.xz, w.z * (J.xx - J.yy)));
        let xz = w.x.mul_add(J.xy, w.z.neg_mul_add(J.yz, w.y * (J.zz - J.xx)));
        let yz = w.z.mul_add(J.xz, w.y.neg_mul_add(J.xy, w.x * (J.yy - J.zz)));
        let xy = v.x.neg_mul_add(h.y, v.y.neg_mul_add(h.x, xy));
        let xz = v.x.neg_mul_add(h.z, v.z.neg_mul_add(h.x, xz));
        let yz = v.y.neg_mul_add(h.z, v.z.neg_mul_add(h.y, yz));
        let turning = Mat3::from_columns(
            Vec3::new(xx + xx, xy - l.z, xz + l.y),
            Vec3::new(xy + l.z, yy + yy, yz - l.x),
            Vec3::new(xz - l.y, yz + l.x, zz + zz),
        );
        Coriolis { p: momentum.force + momentum.force, turning }
    }

    /// Another body joins the subtree.
    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        self.p += other.p;
        self.turning = self.turning + other.turning;
    }

    /// Linear momentum, and angular about the common point.
    #[inline(always)]
    pub fn momentum(&self) -> Wrench<R> {
        let (half, m) = (R::constant(0.5), self.turning);
        let l = Vec3::new(m.z.y - m.y.z, m.x.z - m.z.x, m.y.x - m.x.y);
        Wrench::new(self.p * half, l * half)
    }

    /// 2B S + f
    #[inline(always)]
    pub fn apply_add(&self, S: Twist<R>, f: Wrench<R>) -> Wrench<R> {
        let (w, m) = (S.angular, &self.turning);
        let moment = m.z.mul_add(w.z, m.y.mul_add(w.y, m.x.mul_add(w.x, f.moment)));
        Wrench::new(w.cross_add(self.p, f.force), moment)
    }

    /// The angular part of 2Bᵀ S; the linear part is zero.
    #[inline(always)]
    pub fn apply_transpose(&self, S: Twist<R>) -> Vec3<R> {
        self.p.cross_add(S.linear, self.turning.transpose_mul(S.angular))
    }
}
