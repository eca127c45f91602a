//! Matrices of three by three.

use crate::real::Real;
use crate::vec3::Vec3;
use core::ops::{Add, Mul, Sub};

/// Three columns; column `k` is the image of axis `k`, so a rotation R_AB has B's axes (in A) as its columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Mat3<R = f64> {
    pub x: Vec3<R>,
    pub y: Vec3<R>,
    pub z: Vec3<R>,
}

impl<R: Real> Mat3<R> {
    /// From columns.
    #[inline(always)]
    pub fn from_columns(x: Vec3<R>, y: Vec3<R>, z: Vec3<R>) -> Self {
        Mat3 { x, y, z }
    }
    /// From rows, as written on paper.
    #[inline(always)]
    pub fn from_rows(rows: [[R; 3]; 3]) -> Self {
        let [a, b, c] = rows;
        Mat3 {
            x: Vec3::new(a[0], b[0], c[0]),
            y: Vec3::new(a[1], b[1], c[1]),
            z: Vec3::new(a[2], b[2], c[2]),
        }
    }
    /// All zero.
    #[inline(always)]
    pub fn zero() -> Self {
        Mat3 { x: Vec3::zero(), y: Vec3::zero(), z: Vec3::zero() }
    }
    /// The unit matrix.
    #[inline(always)]
    pub fn identity() -> Self {
        Mat3 { x: Vec3::x_axis(), y: Vec3::y_axis(), z: Vec3::z_axis() }
    }
    /// [v]×, with [v]× b = v × b.
    #[inline(always)]
    pub fn skew(v: Vec3<R>) -> Self {
        let zero = R::zero();
        Mat3 { x: Vec3::new(zero, v.z, -v.y), y: Vec3::new(-v.z, zero, v.x), z: Vec3::new(v.y, -v.x, zero) }
    }
    /// a bᵀ
    #[inline(always)]
    pub fn outer(a: Vec3<R>, b: Vec3<R>) -> Self {
        Mat3 { x: a * b.x, y: a * b.y, z: a * b.z }
    }
    /// Entry in row `r`, column `c`.
    #[inline(always)]
    pub fn entry(self, r: usize, c: usize) -> R {
        [self.x, self.y, self.z][c].to_array()[r]
    }
    /// The transpose.
    #[inline(always)]
    pub fn transpose(self) -> Self {
        Mat3 {
            x: Vec3::new(self.x.x, self.y.x, self.z.x),
            y: Vec3::new(self.x.y, self.y.y, self.z.y),
            z: Vec3::new(self.x.z, self.y.z, self.z.z),
        }
    }
    /// selfᵀ v, without forming the transpose.
    #[inline(always)]
    pub fn transpose_mul(self, v: Vec3<R>) -> Vec3<R> {
        Vec3::new(self.x.dot(v), self.y.dot(v), self.z.dot(v))
    }
    /// The determinant.
    #[inline(always)]
    pub fn determinant(self) -> R {
        self.x.dot(self.y.cross(self.z))
    }
    /// The inverse; not finite for a singular matrix.
    #[inline(always)]
    pub fn inverse(self) -> Self {
        let (a, b, c) = (self.y.cross(self.z), self.z.cross(self.x), self.x.cross(self.y));
        let scale = self.x.dot(a).recip();
        Mat3 { x: a * scale, y: b * scale, z: c * scale }.transpose()
    }
}

impl<R: Real> Mul<Vec3<R>> for Mat3<R> {
    type Output = Vec3<R>;
    #[inline(always)]
    fn mul(self, v: Vec3<R>) -> Vec3<R> {
        self.z.mul_add(v.z, self.y.mul_add(v.y, self.x * v.x))
    }
}

impl<R: Real> Mul for Mat3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        Mat3 { x: self * b.x, y: self * b.y, z: self * b.z }
    }
}

impl<R: Real> Mul<R> for Mat3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: R) -> Self {
        Mat3 { x: self.x * s, y: self.y * s, z: self.z * s }
    }
}

impl<R: Real> Add for Mat3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Mat3 { x: self.x + b.x, y: self.y + b.y, z: self.z + b.z }
    }
}

impl<R: Real> Sub for Mat3<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Mat3 { x: self.x - b.x, y: self.y - b.y, z: self.z - b.z }
    }
}
