//! Forward-mode dual numbers: a value and its derivatives in `K` directions, over any [`Real`].
//!
//! For a function f of the physics, `f(Dual::variable(x, k))` carries ∂f/∂x in tangent `k`, exact to rounding.
//! Used to test analytical Jacobians and for parameters that are not worth a formula of their own.
//! Where a function has no derivative (|x| and min at a tie, √ at 0) the value's branch decides; keep √ away
//! from zero with a select *before* it, as everywhere in the engine.

use crate::real::{Kernel, Real};
use core::ops::{Add, AddAssign, Div, Mul, MulAssign, Neg, Sub, SubAssign};

/// One number per direction, in a plain loop: `array::from_fn` and `map` would lose the instruction set.
macro_rules! each {
    ($k:ident, $tangent:expr) => {{
        let mut all = [R::zero(); K];
        for $k in 0..K {
            all[$k] = $tangent;
        }
        all
    }};
}

/// `value + Σ tangent[k]·ε_k` with ε_i·ε_j = 0.
#[derive(Clone, Copy, Debug)]
pub struct Dual<R, const K: usize> {
    /// The number.
    pub value: R,
    /// Its derivative in each of `K` directions.
    pub tangent: [R; K],
}

impl<R: Real, const K: usize> Dual<R, K> {
    /// A constant: all derivatives zero.
    #[inline(always)]
    pub fn constant_of(value: R) -> Self {
        Dual { value, tangent: [R::zero(); K] }
    }

    /// The `k`-th independent variable.
    ///
    /// # Panics
    /// When `k >= K`.
    #[inline(always)]
    pub fn variable(value: R, k: usize) -> Self {
        let mut tangent = [R::zero(); K];
        tangent[k] = R::one();
        Dual { value, tangent }
    }

    /// f(self), given f and f′ at the value.
    #[inline(always)]
    fn chain(self, value: R, slope: R) -> Self {
        Dual { value, tangent: each!(k, self.tangent[k] * slope) }
    }
}

impl<R: Real, const K: usize> Default for Dual<R, K> {
    #[inline(always)]
    fn default() -> Self {
        Self::constant_of(R::zero())
    }
}

impl<R: Real, const K: usize> Add for Dual<R, K> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Dual { value: self.value + b.value, tangent: each!(k, self.tangent[k] + b.tangent[k]) }
    }
}

impl<R: Real, const K: usize> Sub for Dual<R, K> {
    type Output = Self;
    #[inline(always)]
    fn sub(self, b: Self) -> Self {
        Dual { value: self.value - b.value, tangent: each!(k, self.tangent[k] - b.tangent[k]) }
    }
}

impl<R: Real, const K: usize> Mul for Dual<R, K> {
    type Output = Self;
    #[inline(always)]
    fn mul(self, b: Self) -> Self {
        let tangent = each!(k, self.tangent[k].mul_add(b.value, self.value * b.tangent[k]));
        Dual { value: self.value * b.value, tangent }
    }
}

impl<R: Real, const K: usize> Div for Dual<R, K> {
    type Output = Self;
    #[inline(always)]
    fn div(self, b: Self) -> Self {
        let (value, inverse) = (self.value / b.value, b.value.recip());
        // (a/b)′ = (a′ − (a/b) b′) / b
        Dual { value, tangent: each!(k, value.neg_mul_add(b.tangent[k], self.tangent[k]) * inverse) }
    }
}

impl<R: Real, const K: usize> Neg for Dual<R, K> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Dual { value: -self.value, tangent: each!(k, -self.tangent[k]) }
    }
}

impl<R: Real, const K: usize> AddAssign for Dual<R, K> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        *self = *self + b;
    }
}

impl<R: Real, const K: usize> SubAssign for Dual<R, K> {
    #[inline(always)]
    fn sub_assign(&mut self, b: Self) {
        *self = *self - b;
    }
}

impl<R: Real, const K: usize> MulAssign for Dual<R, K> {
    #[inline(always)]
    fn mul_assign(&mut self, b: Self) {
        *self = *self * b;
    }
}

impl<R: Real, const K: usize> Real for Dual<R, K> {
    type Elem = R::Elem;
    type Mask = R::Mask;
    const LANES: usize = R::LANES;

    #[inline(always)]
    fn splat(x: R::Elem) -> Self {
        Self::constant_of(R::splat(x))
    }
    #[inline(always)]
    fn lane(self, i: usize) -> R::Elem {
        self.value.lane(i)
    }
    /// Replaces the value of lane `i` by a constant.
    #[inline(always)]
    fn with_lane(self, i: usize, x: R::Elem) -> Self {
        let zero = R::Elem::zero();
        Dual { value: self.value.with_lane(i, x), tangent: each!(k, self.tangent[k].with_lane(i, zero)) }
    }
    #[inline(always)]
    fn mul_add(self, b: Self, c: Self) -> Self {
        let tangent =
            each!(k, self.tangent[k].mul_add(b.value, self.value.mul_add(b.tangent[k], c.tangent[k])));
        Dual { value: self.value.mul_add(b.value, c.value), tangent }
    }
    #[inline(always)]
    fn neg_mul_add(self, b: Self, c: Self) -> Self {
        (-self).mul_add(b, c)
    }
    #[inline(always)]
    fn scale(self, x: R::Elem) -> Self {
        Dual { value: self.value.scale(x), tangent: each!(k, self.tangent[k].scale(x)) }
    }
    #[inline(always)]
    fn sqrt(self) -> Self {
        let root = self.value.sqrt();
        self.chain(root, R::constant(0.5) / root)
    }
    #[inline(always)]
    fn abs(self) -> Self {
        Self::select(self.value.lt(R::zero()), -self, self)
    }
    #[inline(always)]
    fn min(self, other: Self) -> Self {
        Self::select(self.lt(other), self, other)
    }
    #[inline(always)]
    fn max(self, other: Self) -> Self {
        Self::select(other.lt(self), self, other)
    }
    #[inline(always)]
    fn lt(self, other: Self) -> R::Mask {
        self.value.lt(other.value)
    }
    #[inline(always)]
    fn le(self, other: Self) -> R::Mask {
        self.value.le(other.value)
    }
    #[inline(always)]
    fn select(mask: R::Mask, yes: Self, no: Self) -> Self {
        let tangent = each!(k, R::select(mask, yes.tangent[k], no.tangent[k]));
        Dual { value: R::select(mask, yes.value, no.value), tangent }
    }
    #[inline(always)]
    fn round(self) -> Self {
        Self::constant_of(self.value.round())
    }
    #[inline(always)]
    fn sin_cos(self) -> (Self, Self) {
        let (s, c) = self.value.sin_cos();
        (self.chain(s, c), self.chain(c, -s))
    }
    #[inline(always)]
    fn atan2(self, x: Self) -> Self {
        let scale = self.value.mul_add(self.value, x.value * x.value).recip();
        let tangent = each!(k, (self.value.neg_mul_add(x.tangent[k], x.value * self.tangent[k])) * scale);
        Dual { value: self.value.atan2(x.value), tangent }
    }
    #[inline(always)]
    fn is_finite(self) -> R::Mask {
        let mut all = self.value.is_finite();
        for k in 0..K {
            all = all & self.tangent[k].is_finite();
        }
        all
    }
    /// Constants: all tangents are zero.
    #[inline(always)]
    fn load(values: &[R::Elem]) -> Self {
        Self::constant_of(R::load(values))
    }
    /// The values, without tangents.
    #[inline(always)]
    fn store(self, values: &mut [R::Elem]) {
        self.value.store(values);
    }
    #[inline(always)]
    fn transpose(square: &mut [Self]) {
        assert!(square.len() == R::LANES, "a square has as many values as there are lanes");
        for i in 1..R::LANES {
            for j in 0..i {
                let (a, b) = (square[i], square[j]);
                square[i].value = a.value.with_lane(j, b.value.lane(i));
                square[j].value = b.value.with_lane(i, a.value.lane(j));
                for k in 0..K {
                    square[i].tangent[k] = a.tangent[k].with_lane(j, b.tangent[k].lane(i));
                    square[j].tangent[k] = b.tangent[k].with_lane(i, a.tangent[k].lane(j));
                }
            }
        }
    }
    #[inline(always)]
    fn run<J: Kernel>(kernel: J) -> J::Output {
        R::run(kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each elementary function against a central difference; h = 1e-6 leaves an error of order 1e-10.
    #[test]
    fn elementary_functions_have_the_slopes_of_their_differences() {
        type D = Dual<f64, 1>;
        type Function = fn(D) -> D;
        let functions: [(&str, Function); 8] = [
            ("product", |x| x * x * x),
            ("quotient", |x| (x + D::one()) / (x * x + D::one())),
            ("fused", |x| x.mul_add(x, x).neg_mul_add(x, x)),
            ("square root", |x| x.sqrt()),
            ("sine", |x| x.sin_cos().0),
            ("cosine", |x| x.sin_cos().1),
            ("arctangent", |x| x.atan2(x * x - D::one())),
            ("absolute value", |x| (x - D::constant(3.0)).abs()),
        ];
        for (name, f) in functions {
            for x in [0.3, 0.9, 1.7, 2.2] {
                let slope = f(D::variable(x, 0)).tangent[0];
                let at = |x: f64| f(D::constant_of(x)).value;
                let difference = (at(x + 1e-6) - at(x - 1e-6)) / 2e-6;
                assert!((slope - difference).abs() < 1e-8, "{name} at {x}: {slope} against {difference}");
            }
        }
    }

    #[test]
    fn each_variable_has_its_own_tangent() {
        let (x, y) = (Dual::<f64, 2>::variable(3.0, 0), Dual::<f64, 2>::variable(5.0, 1));
        let f = x * y + y;
        assert_eq!((f.value, f.tangent), (20.0, [5.0, 4.0]));
    }
}
