//! Lanes as plain arrays: the reference for the vector backends, and lanes that can be named anywhere.
//!
//! Always right, never fast: the compiler may or may not vectorise the loops.

use super::{Backend, enter_scalar, sealed::Sealed};
use crate::real::{Kernel, Real};
use core::array::from_fn;

/// Lanes computed one after the other in an array.
#[derive(Clone, Copy, Debug)]
pub struct Portable;

impl Sealed for Portable {}

macro_rules! backend {
    ($t:ident, $n:literal) => {
        impl Backend<$t, $n> for Portable {
            type Vector = [$t; $n];
            type Bools = [bool; $n];

            #[inline(always)]
            fn splat(x: $t) -> [$t; $n] {
                [x; $n]
            }
            #[inline(always)]
            fn load(values: &[$t; $n]) -> [$t; $n] {
                *values
            }
            #[inline(always)]
            fn store(v: [$t; $n]) -> [$t; $n] {
                v
            }
            #[inline(always)]
            fn add(a: [$t; $n], b: [$t; $n]) -> [$t; $n] {
                from_fn(|i| a[i] + b[i])
            }
            #[inline(always)]
            fn sub(a: [$t; $n], b: [$t; $n]) -> [$t; $n] {
                from_fn(|i| a[i] - b[i])
            }
            #[inline(always)]
            fn mul(a: [$t; $n], b: [$t; $n]) -> [$t; $n] {
                from_fn(|i| a[i] * b[i])
            }
            #[inline(always)]
            fn div(a: [$t; $n], b: [$t; $n]) -> [$t; $n] {
                from_fn(|i| a[i] / b[i])
            }
            #[inline(always)]
            fn neg(a: [$t; $n]) -> [$t; $n] {
                from_fn(|i| -a[i])
            }
            #[inline(always)]
            fn mul_add(a: [$t; $n], b: [$t; $n], c: [$t; $n]) -> [$t; $n] {
                from_fn(|i| Real::mul_add(a[i], b[i], c[i]))
            }
            #[inline(always)]
            fn neg_mul_add(a: [$t; $n], b: [$t; $n], c: [$t; $n]) -> [$t; $n] {
                from_fn(|i| Real::neg_mul_add(a[i], b[i], c[i]))
            }
            #[inline(always)]
            fn sqrt(a: [$t; $n]) -> [$t; $n] {
                from_fn(|i| a[i].sqrt())
            }
            #[inline(always)]
            fn abs(a: [$t; $n]) -> [$t; $n] {
                from_fn(|i| a[i].abs())
            }
            #[inline(always)]
            fn min(a: [$t; $n], b: [$t; $n]) -> [$t; $n] {
                from_fn(|i| Real::min(a[i], b[i]))
            }
            #[inline(always)]
            fn max(a: [$t; $n], b: [$t; $n]) -> [$t; $n] {
                from_fn(|i| Real::max(a[i], b[i]))
            }
            #[inline(always)]
            fn copy_sign(a: [$t; $n], sign: [$t; $n]) -> [$t; $n] {
                from_fn(|i| a[i].copysign(sign[i]))
            }
            #[inline(always)]
            fn lt(a: [$t; $n], b: [$t; $n]) -> [bool; $n] {
                from_fn(|i| a[i] < b[i])
            }
            #[inline(always)]
            fn le(a: [$t; $n], b: [$t; $n]) -> [bool; $n] {
                from_fn(|i| a[i] <= b[i])
            }
            #[inline(always)]
            fn bit(a: [$t; $n], bit: u32) -> [bool; $n] {
                from_fn(|i| a[i].to_bits() >> bit & 1 == 1)
            }
            #[inline(always)]
            fn select(mask: [bool; $n], yes: [$t; $n], no: [$t; $n]) -> [$t; $n] {
                from_fn(|i| if mask[i] { yes[i] } else { no[i] })
            }
            #[inline(always)]
            fn and(a: [bool; $n], b: [bool; $n]) -> [bool; $n] {
                from_fn(|i| a[i] & b[i])
            }
            #[inline(always)]
            fn or(a: [bool; $n], b: [bool; $n]) -> [bool; $n] {
                from_fn(|i| a[i] | b[i])
            }
            #[inline(always)]
            fn not(a: [bool; $n]) -> [bool; $n] {
                from_fn(|i| !a[i])
            }
            #[inline(always)]
            fn to_bits(a: [bool; $n]) -> u32 {
                (0..$n).fold(0, |bits, i| bits | (a[i] as u32) << i)
            }
            #[inline(always)]
            fn from_bits(bits: u32) -> [bool; $n] {
                from_fn(|i| bits >> i & 1 == 1)
            }
            #[inline(always)]
            fn load_part(values: &[$t]) -> [$t; $n] {
                if let Some(all) = values.first_chunk() {
                    return <Self as Backend<$t, $n>>::load(all);
                }
                let mut padded = [0.0; $n];
                for (to, from) in padded.iter_mut().zip(values) {
                    *to = *from;
                }
                <Self as Backend<$t, $n>>::load(&padded)
            }
            #[inline(always)]
            fn store_part(v: [$t; $n], values: &mut [$t]) {
                let lanes = <Self as Backend<$t, $n>>::store(v);
                if let Some(all) = values.first_chunk_mut() {
                    *all = lanes;
                    return;
                }
                for (to, from) in values.iter_mut().zip(lanes) {
                    *to = from;
                }
            }
            #[inline(always)]
            fn transpose(square: [[$t; $n]; $n]) -> [[$t; $n]; $n] {
                from_fn(|i| from_fn(|j| square[j][i]))
            }
            #[inline(always)]
            fn enter<K: Kernel>(kernel: K) -> K::Output {
                enter_scalar(kernel)
            }
        }
    };
}
backend!(f64, 8);
backend!(f32, 16);
