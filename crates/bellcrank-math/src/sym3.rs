//! Symmetric matrices of three by three: rotational inertia.

use crate::mat3::Mat3;
use crate::real::{Elem, Real};
use crate::vec3::Vec3;
use core::ops::{Add, Mul, Sub};

/// A symmetric matrix; six numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Sym3<R = f64> {
    pub xx: R,
    pub xy: R,
    pub xz: R,
    pub yy: R,
    pub yz: R,
    pub zz: R,
}

impl<R: Real> Sym3<R> {
    /// All zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Self::diagonal(R::zero(), R::zero(), R::zero())
    }
    /// From the diagonal.
    #[inline(always)]
    pub fn diagonal(xx: R, yy: R, zz: R) -> Self {
        let zero = R::zero();
        Sym3 { xx, xy: zero, xz: zero, yy, yz: zero, zz }
    }
    /// The same constant matrix in every lane.
    #[inline(always)]
    pub fn constant(s: Sym3<f64>) -> Self {
        let c = R::constant;
        Sym3 { xx: c(s.xx), xy: c(s.xy), xz: c(s.xz), yy: c(s.yy), yz: c(s.yz), zz: c(s.zz) }
    }
    /// The upper triangle of a matrix that is symmetric.
    #[inline(always)]
    pub fn from_upper(m: Mat3<R>) -> Self {
        Sym3 { xx: m.x.x, xy: m.y.x, xz: m.z.x, yy: m.y.y, yz: m.z.y, zz: m.z.z }
    }
    /// All nine entries.
    #[inline(always)]
    pub fn to_mat3(self) -> Mat3<R> {
        Mat3 {
            x: Vec3::new(self.xx, self.xy, self.xz),
            y: Vec3::new(self.xy, self.yy, self.yz),
            z: Vec3::new(self.xz, self.yz, self.zz),
        }
    }
    /// m (|p|² 1 − p pᵀ): what a point mass `m` at `p` adds to the inertia about the origin.
    #[inline(always)]
    pub fn point_mass(m: R, p: Vec3<R>) -> Self {
        let q = p * m;
        Sym3 {
            xx: p.y.mul_add(q.y, p.z * q.z),
            xy: -(p.x * q.y),
            xz: -(p.x * q.z),
            yy: p.x.mul_add(q.x, p.z * q.z),
            yz: -(p.y * q.z),
            zz: p.x.mul_add(q.x, p.y * q.y),
        }
    }
    /// R S Rᵀ for a rotation R.
    #[inline(always)]
    pub fn rotated(self, rotation: Mat3<R>) -> Self {
        Sym3::from_upper(rotation * self.to_mat3() * rotation.transpose())
    }
    /// Sum of the diagonal.
    #[inline(always)]
    pub fn trace(self) -> R {
        self.xx + self.yy + self.zz
    }
    /// The inverse; not finite for a singular matrix.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        let cxx = self.yz.neg_mul_add(self.yz, self.yy * self.zz);
        let cxy = self.xy.neg_mul_add(self.zz, self.xz * self.yz);
        let cxz = self.xz.neg_mul_add(self.yy, self.xy * self.yz);
        let scale = self.xx.mul_add(cxx, self.xy.mul_add(cxy, self.xz * cxz)).recip();
        let cyy = self.xz.neg_mul_add(self.xz, self.xx * self.zz);
        let cyz = self.xx.neg_mul_add(self.yz, self.xy * self.xz);
        let czz = self.xy.neg_mul_add(self.xy, self.xx * self.yy);
        Sym3 { xx: cxx, xy: cxy, xz: cxz, yy: cyy, yz: cyz, zz: czz } * scale
    }
}

impl<E: Elem> Sym3<E> {
    /// Eigenvalues in rising order and the rotation whose columns are the eigenvectors (cyclic Jacobi).
    pub fn eigen(self) -> ([E; 3], Mat3<E>) {
        let m = self.to_mat3();
        let mut a = [m.x.to_array(), m.y.to_array(), m.z.to_array()];
        let mut v = [Vec3::<E>::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
        // Convergence is quadratic: five sweeps reach machine precision for any 3×3 matrix, ten are safe.
        for (p, q) in [(0, 1), (0, 2), (1, 2)].into_iter().cycle().take(30) {
            if a[p][q] == E::zero() {
                continue;
            }
            let theta = (a[q][q] - a[p][p]) / (E::constant(2.0) * a[p][q]);
            let t = theta.signum_or_one() / (Real::abs(theta) + (theta * theta + E::one()).sqrt());
            let c = (t * t + E::one()).sqrt().recip();
            let s = t * c;
            for k in 0..3 {
                let (kp, kq) = (a[k][p], a[k][q]);
                (a[k][p], a[k][q]) = (c * kp - s * kq, s * kp + c * kq);
            }
            for k in 0..3 {
                let (pk, qk) = (a[p][k], a[q][k]);
                (a[p][k], a[q][k]) = (c * pk - s * qk, s * pk + c * qk);
            }
            (v[p], v[q]) = (v[p] * c - v[q] * s, v[p] * s + v[q] * c);
        }
        let mut order = [0, 1, 2];
        order.sort_by(|&i, &j| a[i][i].partial_cmp(&a[j][j]).unwrap_or(core::cmp::Ordering::Equal));
        let [i, j, k] = order;
        // the third column from the first two keeps it a proper rotation
        let axes = Mat3::from_columns(v[i], v[j], v[i].cross(v[j]));
        ([a[i][i], a[j][j], a[k][k]], axes)
    }
}

impl<R: Real> Mul<Vec3<R>> for Sym3<R> {
    type Output = Vec3<R>;
    #[inline(always)]
    fn mul(self, v: Vec3<R>) -> Vec3<R> {
        Vec3::new(
            self.xz.mul_add(v.z, self.xy.mul_add(v.y, self.xx * v.x)),
            self.yz.mul_add(v.z, self.yy.mul_add(v.y, self.xy * v.x)),
            self.zz.mul_add(v.z, self.yz.mul_add(v.y, self.xz * v.x)),
        )
    }
}

impl<R: Real> Mul<R> for Sym3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: R) -> Self {
        Sym3 {
            xx: self.xx * s,
            xy: self.xy * s,
            xz: self.xz * s,
            yy: self.yy * s,
            yz: self.yz * s,
            zz: self.zz * s,
        }
    }
}

impl<R: Real> Add for Sym3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Sym3 {
            xx: self.xx + b.xx,
            xy: self.xy + b.xy,
            xz: self.xz + b.xz,
            yy: self.yy + b.yy,
            yz: self.yz + b.yz,
            zz: self.zz + b.zz,
        }
    }
}

impl<R: Real> Sub for Sym3<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        self + b * -R::one()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A = diag(2, 3, 7) turned by a rotation: the eigenvalues come back, and A v = λ v.
    #[test]
    fn eigenvectors_of_a_turned_diagonal_are_its_axes() {
        let turn = crate::so3::exp(Vec3::new(0.3, -1.1, 0.7)).to_mat3();
        let a = Sym3::diagonal(7.0, 2.0, 3.0).rotated(turn);
        let (values, axes) = a.eigen();
        for (value, expected) in values.into_iter().zip([2.0, 3.0, 7.0]) {
            assert!((value - expected).abs() < 1e-14);
        }
        for (value, axis) in values.into_iter().zip([axes.x, axes.y, axes.z]) {
            assert!((a * axis - axis * value).norm() < 1e-14);
        }
        assert!((axes.determinant() - 1.0).abs() < 1e-14);
    }

    #[test]
    fn a_matrix_times_its_inverse_is_one() {
        let a: Sym3 = Sym3 { xx: 2.0, xy: 0.3, xz: -0.4, yy: 3.0, yz: 0.7, zz: 1.5 };
        let product = a.to_mat3() * a.inverse().to_mat3();
        let error = product - Mat3::identity();
        assert!(error.x.norm() + error.y.norm() + error.z.norm() < 1e-15);
    }
}
