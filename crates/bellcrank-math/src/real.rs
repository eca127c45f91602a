//! The one scalar of the engine.
//!
//! A *lane* is one world. `f64` and `f32` have one lane; [`crate::Lanes`] have 4, 8 or 16. Whatever is written
//! over `R: Real` runs on all of them, and a lane never sees its neighbours: the result of a world does not
//! depend on which lane it sits in, and `f64` gives the same bits as any lane of `Lanes<f64, 8>`.
//!
//! That promise rests on three rules, kept by every implementation:
//! 1. `+ − × ÷ √` and [`Real::mul_add`] are the correctly rounded IEEE operations; `mul_add` is always
//!    *fused*, on every processor, so results also agree between instruction sets.
//! 2. `min`, `max` return the second operand when the first does not win (`a < b ? a : b`), as x86 does.
//! 3. Transcendental functions are polynomials written once in `trig` from the operations above.

use core::fmt::Debug;
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, MulAssign, Neg, Not, Sub, SubAssign};

/// One truth value per lane.
pub trait Mask:
    Copy + Debug + BitAnd<Output = Self> + BitOr<Output = Self> + Not<Output = Self> + Send + Sync + 'static
{
    /// The same truth value in every lane.
    fn splat(value: bool) -> Self;
    /// True when at least one lane is.
    fn any(self) -> bool;
    /// True when every lane is.
    fn all(self) -> bool;
    /// Bit `i` is lane `i`.
    fn bits(self) -> u32;
    /// Lane `i` is bit `i`; bits beyond the lane count are ignored.
    fn from_bits(bits: u32) -> Self;
}

/// A unit of work for one type of number, to be run where that type's instructions are enabled.
///
/// Implement `run` with `#[inline(always)]`, and mark so everything it calls: code that is not inlined into
/// the entry point is compiled without the instruction set and becomes tens of times slower.
pub trait Kernel {
    /// What the work gives back.
    type Output;
    /// The work. Must be `#[inline(always)]`.
    fn run(self) -> Self::Output;
}

/// A closure as a [`Kernel`]. Mark the closure itself: `R::run(Inline(#[inline(always)] || …))`.
///
/// Only `FnMut` will do: calling a closure through `FnOnce` goes by way of a shim that is never inlined, and all
/// that is in it loses its instruction set. So do `array::from_fn`, `array::map` and `Option::map_or`.
pub struct Inline<F>(pub F);

impl<T, F: FnMut() -> T> Kernel for Inline<F> {
    type Output = T;
    #[inline(always)]
    fn run(mut self) -> T {
        (self.0)()
    }
}

/// Computes one expression inside the instruction set of a number type; for whole functions there is
/// [`kernel`](crate::kernel).
#[macro_export]
macro_rules! enter {
    ($R:ident, $work:expr) => {
        <$R as $crate::Real>::run($crate::Inline(
            #[inline(always)]
            || $work,
        ))
    };
}

/// A plain machine number, `f64` or `f32`: the type of model constants.
pub trait Elem: Real<Elem = Self, Mask = bool> + PartialOrd {
    /// Distance from one to the next larger number.
    const EPSILON: Self;
    /// The nearest value to `x`.
    fn from_f64(x: f64) -> Self;
    /// Exact.
    fn to_f64(self) -> f64;
    /// Adding this number and taking it away again rounds to a whole number.
    const ROUNDER: Self;
    /// The most lanes of this element that any instruction set has.
    const LANE_COUNT: usize;
    /// Runs `job` on the lane type that suits this processor best.
    fn with_lanes<J: crate::LaneJob<Self>>(job: J) -> J::Output;
}

/// A number, or one number per lane.
pub trait Real:
    Copy
    + Debug
    + Default
    + Send
    + Sync
    + 'static
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
    + SubAssign
    + MulAssign
{
    /// The type of constants: `f64` or `f32`.
    type Elem: Elem;
    /// What comparisons give.
    type Mask: Mask;
    /// How many worlds one value holds.
    const LANES: usize;

    /// The same value in every lane.
    fn splat(x: Self::Elem) -> Self;
    /// The value of lane `i`.
    ///
    /// # Panics
    /// When `i >= Self::LANES`.
    fn lane(self, i: usize) -> Self::Elem;
    /// This value with lane `i` replaced.
    ///
    /// # Panics
    /// When `i >= Self::LANES`.
    fn with_lane(self, i: usize, x: Self::Elem) -> Self;
    /// Writes one lane. Where many numbers of one world are written this is a store each, inside an instruction set and outside.
    #[inline(always)]
    fn set_lane(&mut self, i: usize, x: Self::Elem) {
        *self = self.with_lane(i, x);
    }

    /// `self · b + c`, rounded once.
    fn mul_add(self, b: Self, c: Self) -> Self;
    /// `c − self · b`, rounded once.
    fn neg_mul_add(self, b: Self, c: Self) -> Self;
    /// Square root; NaN for negative values.
    fn sqrt(self) -> Self;
    /// Absolute value.
    fn abs(self) -> Self;
    /// `self < other ? self : other`.
    fn min(self, other: Self) -> Self;
    /// `self > other ? self : other`.
    fn max(self, other: Self) -> Self;
    /// `self < other`; false where either is NaN.
    fn lt(self, other: Self) -> Self::Mask;
    /// `self ≤ other`; false where either is NaN.
    fn le(self, other: Self) -> Self::Mask;
    /// `mask ? yes : no`, lane by lane.
    fn select(mask: Self::Mask, yes: Self, no: Self) -> Self;
    /// The nearest whole number, ties to even; for |x| < 2²² (`f32`) or 2⁵¹ (`f64`).
    fn round(self) -> Self;
    /// Sine and cosine of an angle [rad]; 1 ulp for |x| ≤ 1e8 (`f64`), 1e4 (`f32`).
    fn sin_cos(self) -> (Self, Self);
    /// The angle of the point (x, self) from the x axis, in [−π, π]; zero at the origin.
    fn atan2(self, x: Self) -> Self;
    /// False where the value is infinite or not a number.
    fn is_finite(self) -> Self::Mask;
    /// Numbers that stand next to each other, one per lane; zero in the lanes for which there are none.
    fn load(values: &[Self::Elem]) -> Self;
    /// Writes the lanes next to each other, as many as there is room for.
    fn store(self, values: &mut [Self::Elem]);
    /// Lane `j` of value `i` becomes lane `i` of value `j`, for as many values as there are lanes: rows of an array,
    /// loaded one state per value, become one state per lane, and back.
    ///
    /// # Panics
    /// When there are not exactly `Self::LANES` values.
    fn transpose(square: &mut [Self]);
    /// Runs `kernel` with this type's instruction set enabled.
    fn run<K: Kernel>(kernel: K) -> K::Output;

    /// A constant written in the source.
    #[inline(always)]
    fn constant(x: f64) -> Self {
        Self::splat(Self::Elem::from_f64(x))
    }
    /// 0 in every lane.
    #[inline(always)]
    fn zero() -> Self {
        Self::constant(0.0)
    }
    /// 1 in every lane.
    #[inline(always)]
    fn one() -> Self {
        Self::constant(1.0)
    }
    /// `self · x` for a constant.
    #[inline(always)]
    fn scale(self, x: Self::Elem) -> Self {
        self * Self::splat(x)
    }
    /// `1 / self`.
    #[inline(always)]
    fn recip(self) -> Self {
        Self::one() / self
    }
    /// `self²`.
    #[inline(always)]
    fn square(self) -> Self {
        self * self
    }
    /// `self > other`; false where either is NaN.
    #[inline(always)]
    fn gt(self, other: Self) -> Self::Mask {
        other.lt(self)
    }
    /// `self ≥ other`; false where either is NaN.
    #[inline(always)]
    fn ge(self, other: Self) -> Self::Mask {
        other.le(self)
    }
    /// The nearest value in [low, high].
    #[inline(always)]
    fn clamp(self, low: Self, high: Self) -> Self {
        self.max(low).min(high)
    }
    /// −1 where negative, else +1.
    #[inline(always)]
    fn signum_or_one(self) -> Self {
        Self::select(self.lt(Self::zero()), -Self::one(), Self::one())
    }
    /// A value from one number per lane.
    #[inline(always)]
    fn from_lanes(f: impl Fn(usize) -> Self::Elem) -> Self {
        let mut value = Self::zero();
        for i in 0..Self::LANES {
            value = value.with_lane(i, f(i));
        }
        value
    }
}

impl Mask for bool {
    #[inline(always)]
    fn splat(value: bool) -> bool {
        value
    }
    #[inline(always)]
    fn any(self) -> bool {
        self
    }
    #[inline(always)]
    fn all(self) -> bool {
        self
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        self as u32
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> bool {
        bits & 1 == 1
    }
}
