//! Lanes: one number per world in one vector register.
//!
//! How many numbers a value holds depends on the processor: 64 bytes, `Lanes<f64, 8>` and `Lanes<f32, 16>`, in one
//! AVX-512 register, four NEON registers or a plain array ([`Portable`], the default); 32 bytes, `Lanes<f64, 4>` and
//! `Lanes<f32, 8>`, in one AVX2 register. Which of them computes is the third parameter, the backend. The vector
//! backends cannot be named outside this crate; a program obtains them from [`Elem::with_lanes`], which asks the
//! processor first. That keeps their use sound. On a processor without any of them it gives the scalar itself, which is
//! as fast as plain arrays and smaller.
//!
//! All backends give the same bits (see [`crate::Real`]). What is saved or handed to the user is told world by world,
//! never lane by lane, so a state saved on one machine can be loaded on another.

mod dispatch;
mod portable;

// A build may leave a lane type out (`build.rs`).
#[cfg(target_arch = "x86_64")]
#[cfg_attr(not(bellcrank_avx2), allow(dead_code))]
mod avx2;
#[cfg(target_arch = "x86_64")]
#[cfg_attr(not(bellcrank_avx512), allow(dead_code))]
mod avx512;
#[cfg(target_arch = "aarch64")]
#[cfg_attr(not(bellcrank_neon), allow(dead_code))]
mod neon;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod transpose;

pub(crate) use dispatch::enter_scalar;
pub use dispatch::{LaneJob, Level, UnsupportedProcessor, check_processor};
pub use portable::Portable;

use crate::real::{Elem, Kernel, Mask, Real};
use crate::trig::{self, Bits};
use core::fmt;
use core::ops::{Add, AddAssign, BitAnd, BitOr, Div, Mul, MulAssign, Neg, Not, Sub, SubAssign};

/// `N` numbers, one per world, computed on by backend `B`.
#[repr(transparent)]
#[derive(Clone, Copy)]
pub struct Lanes<E: Elem, const N: usize, B: Backend<E, N> = Portable>(pub(crate) B::Vector);

/// One truth value per lane of [`Lanes`].
#[derive(Clone, Copy)]
pub struct LaneMask<E: Elem, const N: usize, B: Backend<E, N> = Portable>(pub(crate) B::Bools);

/// The operations of one instruction set on `N` numbers of type `E`. One file each, sealed.
///
/// Every function is the IEEE operation named, lane by lane; see [`Real`] for the exact meanings.
pub trait Backend<E, const N: usize>: sealed::Sealed + Copy + Send + Sync + 'static {
    /// `N` numbers in registers.
    type Vector: Copy + Send + Sync;
    /// `N` truth values in registers.
    type Bools: Copy + Send + Sync;

    #[doc(hidden)]
    fn splat(x: E) -> Self::Vector;
    #[doc(hidden)]
    fn load(values: &[E; N]) -> Self::Vector;
    #[doc(hidden)]
    fn store(v: Self::Vector) -> [E; N];
    #[doc(hidden)]
    fn add(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    #[doc(hidden)]
    fn sub(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    #[doc(hidden)]
    fn mul(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    #[doc(hidden)]
    fn div(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    #[doc(hidden)]
    fn neg(a: Self::Vector) -> Self::Vector;
    /// `a · b + c`
    #[doc(hidden)]
    fn mul_add(a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    /// `c − a · b`
    #[doc(hidden)]
    fn neg_mul_add(a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    #[doc(hidden)]
    fn sqrt(a: Self::Vector) -> Self::Vector;
    #[doc(hidden)]
    fn abs(a: Self::Vector) -> Self::Vector;
    #[doc(hidden)]
    fn min(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    #[doc(hidden)]
    fn max(a: Self::Vector, b: Self::Vector) -> Self::Vector;
    #[doc(hidden)]
    fn copy_sign(a: Self::Vector, sign: Self::Vector) -> Self::Vector;
    #[doc(hidden)]
    fn lt(a: Self::Vector, b: Self::Vector) -> Self::Bools;
    #[doc(hidden)]
    fn le(a: Self::Vector, b: Self::Vector) -> Self::Bools;
    /// Whether bit `i` of the representation is set.
    #[doc(hidden)]
    fn bit(a: Self::Vector, i: u32) -> Self::Bools;
    #[doc(hidden)]
    fn select(mask: Self::Bools, yes: Self::Vector, no: Self::Vector) -> Self::Vector;
    #[doc(hidden)]
    fn and(a: Self::Bools, b: Self::Bools) -> Self::Bools;
    #[doc(hidden)]
    fn or(a: Self::Bools, b: Self::Bools) -> Self::Bools;
    #[doc(hidden)]
    fn not(a: Self::Bools) -> Self::Bools;
    #[doc(hidden)]
    fn to_bits(a: Self::Bools) -> u32;
    #[doc(hidden)]
    fn from_bits(bits: u32) -> Self::Bools;
    /// At most `N` numbers, zeros behind them.
    #[doc(hidden)]
    fn load_part(values: &[E]) -> Self::Vector;
    /// As many numbers as there is room for.
    #[doc(hidden)]
    fn store_part(v: Self::Vector, values: &mut [E]);
    #[doc(hidden)]
    fn transpose(square: [Self::Vector; N]) -> [Self::Vector; N];
    /// Runs `kernel` in a function compiled for this instruction set.
    #[doc(hidden)]
    fn enter<K: Kernel>(kernel: K) -> K::Output;
}

pub(crate) mod sealed {
    /// Backends are made in this crate only: their use is sound only where the processor was asked.
    pub trait Sealed {}
}

impl<E: Elem, const N: usize, B: Backend<E, N>> Lanes<E, N, B> {
    /// From one number per lane.
    #[inline(always)]
    pub fn from_array(values: [E; N]) -> Self {
        Lanes(B::load(&values))
    }
    /// One number per lane.
    #[inline(always)]
    pub fn to_array(self) -> [E; N] {
        B::store(self.0)
    }
}

impl<E: Elem, const N: usize, B: Backend<E, N>> Default for Lanes<E, N, B> {
    #[inline(always)]
    fn default() -> Self {
        Lanes(B::splat(E::zero()))
    }
}

impl<E: Elem, const N: usize, B: Backend<E, N>> fmt::Debug for Lanes<E, N, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_array().fmt(f)
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $assign:ident, $assign_method:ident) => {
        impl<E: Elem, const N: usize, B: Backend<E, N>> $trait for Lanes<E, N, B> {
            type Output = Self;
            #[inline(always)]
            fn $method(self, other: Self) -> Self {
                Lanes(B::$method(self.0, other.0))
            }
        }
        impl<E: Elem, const N: usize, B: Backend<E, N>> $assign for Lanes<E, N, B> {
            #[inline(always)]
            fn $assign_method(&mut self, other: Self) {
                self.0 = B::$method(self.0, other.0);
            }
        }
    };
}
operator!(Add, add, AddAssign, add_assign);
operator!(Sub, sub, SubAssign, sub_assign);
operator!(Mul, mul, MulAssign, mul_assign);

impl<E: Elem, const N: usize, B: Backend<E, N>> Div for Lanes<E, N, B> {
    type Output = Self;
    #[inline(always)]
    fn div(self, other: Self) -> Self {
        Lanes(B::div(self.0, other.0))
    }
}

impl<E: Elem, const N: usize, B: Backend<E, N>> Neg for Lanes<E, N, B> {
    type Output = Self;
    #[inline(always)]
    fn neg(self) -> Self {
        Lanes(B::neg(self.0))
    }
}

macro_rules! real {
    ($t:ident, $n:literal, $sin_cos:path, $atan2:path) => {
        impl<B: Backend<$t, $n>> Real for Lanes<$t, $n, B> {
            type Elem = $t;
            type Mask = LaneMask<$t, $n, B>;
            const LANES: usize = $n;

            #[inline(always)]
            fn splat(x: $t) -> Self {
                Lanes(B::splat(x))
            }
            #[inline(always)]
            fn lane(self, i: usize) -> $t {
                assert!(i < $n);
                // SAFETY: as in `set_lane`
                unsafe { (&raw const self).cast::<$t>().add(i).read() }
            }
            #[inline(always)]
            fn with_lane(self, i: usize, x: $t) -> Self {
                let mut values = self.to_array();
                values[i] = x;
                Self::from_array(values)
            }
            #[inline(always)]
            fn set_lane(&mut self, i: usize, x: $t) {
                const { assert!(size_of::<Self>() == $n * size_of::<$t>()) };
                assert!(i < $n);
                // SAFETY: `Lanes` is transparent, a backend's vector is its N numbers one after the other without padding
                // (as large as N of them, checked above), any bits are a number, and lane `i` is one of them.
                unsafe { (&raw mut *self).cast::<$t>().add(i).write(x) };
            }
            #[inline(always)]
            fn mul_add(self, b: Self, c: Self) -> Self {
                Lanes(B::mul_add(self.0, b.0, c.0))
            }
            #[inline(always)]
            fn neg_mul_add(self, b: Self, c: Self) -> Self {
                Lanes(B::neg_mul_add(self.0, b.0, c.0))
            }
            #[inline(always)]
            fn sqrt(self) -> Self {
                Lanes(B::sqrt(self.0))
            }
            #[inline(always)]
            fn abs(self) -> Self {
                Lanes(B::abs(self.0))
            }
            #[inline(always)]
            fn min(self, other: Self) -> Self {
                Lanes(B::min(self.0, other.0))
            }
            #[inline(always)]
            fn max(self, other: Self) -> Self {
                Lanes(B::max(self.0, other.0))
            }
            #[inline(always)]
            fn lt(self, other: Self) -> Self::Mask {
                LaneMask(B::lt(self.0, other.0))
            }
            #[inline(always)]
            fn le(self, other: Self) -> Self::Mask {
                LaneMask(B::le(self.0, other.0))
            }
            #[inline(always)]
            fn select(mask: Self::Mask, yes: Self, no: Self) -> Self {
                Lanes(B::select(mask.0, yes.0, no.0))
            }
            #[inline(always)]
            fn round(self) -> Self {
                trig::round(self)
            }
            #[inline(always)]
            fn sin_cos(self) -> (Self, Self) {
                $sin_cos(self)
            }
            #[inline(always)]
            fn atan2(self, x: Self) -> Self {
                $atan2(self, x)
            }
            #[inline(always)]
            fn is_finite(self) -> Self::Mask {
                self.abs().le(Self::splat($t::MAX))
            }
            #[inline(always)]
            fn load(values: &[$t]) -> Self {
                Lanes(B::load_part(values))
            }
            #[inline(always)]
            fn store(self, values: &mut [$t]) {
                B::store_part(self.0, values);
            }
            #[inline(always)]
            fn transpose(square: &mut [Self]) {
                assert!(square.len() == $n, "a square has as many values as there are lanes");
                let mut rows = [square[0].0; $n];
                for i in 1..$n {
                    rows[i] = square[i].0;
                }
                let columns = B::transpose(rows);
                for i in 0..$n {
                    square[i] = Lanes(columns[i]);
                }
            }
            #[inline(always)]
            fn run<K: Kernel>(kernel: K) -> K::Output {
                B::enter(kernel)
            }
        }

        impl<B: Backend<$t, $n>> Bits for Lanes<$t, $n, B> {
            #[inline(always)]
            fn bit(self, i: u32) -> Self::Mask {
                LaneMask(B::bit(self.0, i))
            }
            #[inline(always)]
            fn copy_sign(self, sign: Self) -> Self {
                Lanes(B::copy_sign(self.0, sign.0))
            }
        }
    };
}
real!(f64, 8, trig::sin_cos_f64, trig::atan2_f64);
real!(f32, 16, trig::sin_cos_f32, trig::atan2_f32);
#[cfg(target_arch = "x86_64")]
real!(f64, 4, trig::sin_cos_f64, trig::atan2_f64);
#[cfg(target_arch = "x86_64")]
real!(f32, 8, trig::sin_cos_f32, trig::atan2_f32);

impl<E: Elem, const N: usize, B: Backend<E, N>> Mask for LaneMask<E, N, B> {
    #[inline(always)]
    fn splat(value: bool) -> Self {
        LaneMask(B::from_bits(if value { u32::MAX } else { 0 }))
    }
    #[inline(always)]
    fn any(self) -> bool {
        B::to_bits(self.0) != 0
    }
    #[inline(always)]
    fn all(self) -> bool {
        B::to_bits(self.0) == (1_u32 << N) - 1
    }
    #[inline(always)]
    fn bits(self) -> u32 {
        B::to_bits(self.0)
    }
    #[inline(always)]
    fn from_bits(bits: u32) -> Self {
        LaneMask(B::from_bits(bits))
    }
}

impl<E: Elem, const N: usize, B: Backend<E, N>> fmt::Debug for LaneMask<E, N, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0width$b}", B::to_bits(self.0), width = N)
    }
}

impl<E: Elem, const N: usize, B: Backend<E, N>> BitAnd for LaneMask<E, N, B> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        LaneMask(B::and(self.0, other.0))
    }
}

impl<E: Elem, const N: usize, B: Backend<E, N>> BitOr for LaneMask<E, N, B> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        LaneMask(B::or(self.0, other.0))
    }
}

impl<E: Elem, const N: usize, B: Backend<E, N>> Not for LaneMask<E, N, B> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        LaneMask(B::not(self.0))
    }
}
