//! Vectors of three.

use crate::real::{Elem, Real};
use core::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// A vector in some frame; its name says which (`p_WB`, `w_WB_W`).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[allow(missing_docs)]
pub struct Vec3<R = f64> {
    pub x: R,
    pub y: R,
    pub z: R,
}

impl<R: Real> Vec3<R> {
    /// From components.
    #[inline(always)]
    pub fn new(x: R, y: R, z: R) -> Self {
        Vec3 { x, y, z }
    }
    /// From an array.
    #[inline(always)]
    pub fn from_array([x, y, z]: [R; 3]) -> Self {
        Vec3 { x, y, z }
    }
    /// As an array.
    #[inline(always)]
    pub fn to_array(self) -> [R; 3] {
        [self.x, self.y, self.z]
    }
    /// The same constant vector in every lane.
    #[inline(always)]
    pub fn constant(v: Vec3<f64>) -> Self {
        Vec3::new(R::constant(v.x), R::constant(v.y), R::constant(v.z))
    }
    /// (0, 0, 0)
    #[inline(always)]
    pub fn zero() -> Self {
        Vec3::new(R::zero(), R::zero(), R::zero())
    }
    /// (1, 0, 0)
    #[inline(always)]
    pub fn x_axis() -> Self {
        Vec3::new(R::one(), R::zero(), R::zero())
    }
    /// (0, 1, 0)
    #[inline(always)]
    pub fn y_axis() -> Self {
        Vec3::new(R::zero(), R::one(), R::zero())
    }
    /// (0, 0, 1)
    #[inline(always)]
    pub fn z_axis() -> Self {
        Vec3::new(R::zero(), R::zero(), R::one())
    }
    /// self · b
    #[inline(always)]
    pub fn dot(self, b: Self) -> R {
        self.z.mul_add(b.z, self.y.mul_add(b.y, self.x * b.x))
    }
    /// self × b
    #[inline(always)]
    pub fn cross(self, b: Self) -> Self {
        Vec3::new(
            self.z.neg_mul_add(b.y, self.y * b.z),
            self.x.neg_mul_add(b.z, self.z * b.x),
            self.y.neg_mul_add(b.x, self.x * b.y),
        )
    }
    /// self × b + c, with fused steps.
    #[inline(always)]
    pub fn cross_add(self, b: Self, c: Self) -> Self {
        Vec3::new(
            self.z.neg_mul_add(b.y, self.y.mul_add(b.z, c.x)),
            self.x.neg_mul_add(b.z, self.z.mul_add(b.x, c.y)),
            self.y.neg_mul_add(b.x, self.x.mul_add(b.y, c.z)),
        )
    }
    /// self · s + c, with fused steps.
    #[inline(always)]
    pub fn mul_add(self, s: R, c: Self) -> Self {
        Vec3::new(self.x.mul_add(s, c.x), self.y.mul_add(s, c.y), self.z.mul_add(s, c.z))
    }
    /// |self|²
    #[inline(always)]
    pub fn norm_squared(self) -> R {
        self.dot(self)
    }
    /// |self|
    #[inline(always)]
    pub fn norm(self) -> R {
        self.norm_squared().sqrt()
    }
    /// self / |self|; not finite for the zero vector.
    #[inline(always)]
    pub fn normalized(self) -> Self {
        self * self.norm().recip()
    }
    /// `mask ? yes : no`, lane by lane.
    #[inline(always)]
    pub fn select(mask: R::Mask, yes: Self, no: Self) -> Self {
        Vec3::new(R::select(mask, yes.x, no.x), R::select(mask, yes.y, no.y), R::select(mask, yes.z, no.z))
    }
    /// False where a component is infinite or not a number.
    #[inline(always)]
    pub fn is_finite(self) -> R::Mask {
        self.x.is_finite() & self.y.is_finite() & self.z.is_finite()
    }
    /// The vector of lane `i`.
    #[inline(always)]
    pub fn lane(self, i: usize) -> Vec3<R::Elem> {
        Vec3 { x: self.x.lane(i), y: self.y.lane(i), z: self.z.lane(i) }
    }
}

impl<E: Elem> Vec3<E> {
    /// A unit vector at right angles to this one, for building a frame around an axis.
    pub fn any_perpendicular(self) -> Self {
        let (x, y, z) = (self.x.abs(), self.y.abs(), self.z.abs());
        // the base vector least aligned with self
        let base = if x <= y && x <= z {
            Vec3::x_axis()
        } else if y <= z {
            Vec3::y_axis()
        } else {
            Vec3::z_axis()
        };
        self.cross(base).normalized()
    }
}

impl<R: Real> Add for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Vec3::new(self.x + b.x, self.y + b.y, self.z + b.z)
    }
}

impl<R: Real> Sub for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Vec3::new(self.x - b.x, self.y - b.y, self.z - b.z)
    }
}

impl<R: Real> Mul<R> for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, s: R) -> Self {
        Vec3::new(self.x * s, self.y * s, self.z * s)
    }
}

impl<R: Real> Neg for Vec3<R> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Vec3::new(-self.x, -self.y, -self.z)
    }
}

impl<R: Real> AddAssign for Vec3<R> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl<R: Real> SubAssign for Vec3<R> {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}
