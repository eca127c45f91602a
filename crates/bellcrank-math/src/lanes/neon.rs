//! Lanes as four NEON registers: 4 × 2 × `f64` or 4 × 4 × `f32`; masks are all-ones integer lanes.

// SAFETY of every block below: NEON is part of every aarch64 processor that Rust targets.

use super::{Backend, sealed::Sealed, transpose};
use crate::real::Kernel;
use core::arch::aarch64::*;
use core::array::from_fn;

#[derive(Clone, Copy)]
pub struct Neon;

impl Sealed for Neon {}

macro_rules! backend {
    (
        $t:ident, $n:literal, $part:literal, $vector:ident, $mask:ident, $int:ident, $splat:ident, $splat_int:ident,
        $load:ident, $load_int:ident, $store:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $neg:ident,
        $fma:ident, $fms:ident, $sqrt:ident, $abs:ident, $lt:ident, $le:ident, $test:ident, $to_int:ident,
        $select:ident, $and:ident, $or:ident, $xor:ident, $sum:ident, $transpose:path
    ) => {
        impl Backend<$t, $n> for Neon {
            type Vector = [$vector; 4];
            type Bools = [$mask; 4];

            #[inline(always)]
            fn splat(x: $t) -> [$vector; 4] {
                unsafe { [$splat(x); 4] }
            }
            #[inline(always)]
            fn load(values: &[$t; $n]) -> [$vector; 4] {
                from_fn(|i| unsafe { $load(values.as_ptr().add(i * $part)) })
            }
            #[inline(always)]
            fn store(v: [$vector; 4]) -> [$t; $n] {
                let mut values = [0.0; $n];
                for i in 0..4 {
                    unsafe { $store(values.as_mut_ptr().add(i * $part), v[i]) };
                }
                values
            }
            #[inline(always)]
            fn add(a: [$vector; 4], b: [$vector; 4]) -> [$vector; 4] {
                from_fn(|i| unsafe { $add(a[i], b[i]) })
            }
            #[inline(always)]
            fn sub(a: [$vector; 4], b: [$vector; 4]) -> [$vector; 4] {
                from_fn(|i| unsafe { $sub(a[i], b[i]) })
            }
            #[inline(always)]
            fn mul(a: [$vector; 4], b: [$vector; 4]) -> [$vector; 4] {
                from_fn(|i| unsafe { $mul(a[i], b[i]) })
            }
            #[inline(always)]
            fn div(a: [$vector; 4], b: [$vector; 4]) -> [$vector; 4] {
                from_fn(|i| unsafe { $div(a[i], b[i]) })
            }
            #[inline(always)]
            fn neg(a: [$vector; 4]) -> [$vector; 4] {
                from_fn(|i| unsafe { $neg(a[i]) })
            }
            #[inline(always)]
            fn mul_add(a: [$vector; 4], b: [$vector; 4], c: [$vector; 4]) -> [$vector; 4] {
                from_fn(|i| unsafe { $fma(c[i], a[i], b[i]) })
            }
            #[inline(always)]
            fn neg_mul_add(a: [$vector; 4], b: [$vector; 4], c: [$vector; 4]) -> [$vector; 4] {
                from_fn(|i| unsafe { $fms(c[i], a[i], b[i]) })
            }
            #[inline(always)]
            fn sqrt(a: [$vector; 4]) -> [$vector; 4] {
                from_fn(|i| unsafe { $sqrt(a[i]) })
            }
            #[inline(always)]
            fn abs(a: [$vector; 4]) -> [$vector; 4] {
                from_fn(|i| unsafe { $abs(a[i]) })
            }
            // NEON's own minimum treats NaN and signed zeros in another way; these follow `Real`.
            #[inline(always)]
            fn min(a: [$vector; 4], b: [$vector; 4]) -> [$vector; 4] {
                from_fn(|i| unsafe { $select($lt(a[i], b[i]), a[i], b[i]) })
            }
            #[inline(always)]
            fn max(a: [$vector; 4], b: [$vector; 4]) -> [$vector; 4] {
                from_fn(|i| unsafe { $select($lt(b[i], a[i]), a[i], b[i]) })
            }
            #[inline(always)]
            fn copy_sign(a: [$vector; 4], sign: [$vector; 4]) -> [$vector; 4] {
                from_fn(|i| unsafe { $select($to_int($splat(-0.0)), sign[i], a[i]) })
            }
            #[inline(always)]
            fn lt(a: [$vector; 4], b: [$vector; 4]) -> [$mask; 4] {
                from_fn(|i| unsafe { $lt(a[i], b[i]) })
            }
            #[inline(always)]
            fn le(a: [$vector; 4], b: [$vector; 4]) -> [$mask; 4] {
                from_fn(|i| unsafe { $le(a[i], b[i]) })
            }
            #[inline(always)]
            fn bit(a: [$vector; 4], bit: u32) -> [$mask; 4] {
                from_fn(|i| unsafe { $test($to_int(a[i]), $splat_int(1 << bit)) })
            }
            #[inline(always)]
            fn select(mask: [$mask; 4], yes: [$vector; 4], no: [$vector; 4]) -> [$vector; 4] {
                from_fn(|i| unsafe { $select(mask[i], yes[i], no[i]) })
            }
            #[inline(always)]
            fn and(a: [$mask; 4], b: [$mask; 4]) -> [$mask; 4] {
                from_fn(|i| unsafe { $and(a[i], b[i]) })
            }
            #[inline(always)]
            fn or(a: [$mask; 4], b: [$mask; 4]) -> [$mask; 4] {
                from_fn(|i| unsafe { $or(a[i], b[i]) })
            }
            #[inline(always)]
            fn not(a: [$mask; 4]) -> [$mask; 4] {
                from_fn(|i| unsafe { $xor(a[i], $splat_int($int::MAX)) })
            }
            #[inline(always)]
            fn to_bits(a: [$mask; 4]) -> u32 {
                let weights: [$int; $part] = from_fn(|i| 1 << i);
                (0..4).fold(0, |bits, i| {
                    let part = unsafe { $sum($and(a[i], $load_int(weights.as_ptr()))) };
                    bits | (part as u32) << (i * $part)
                })
            }
            #[inline(always)]
            fn from_bits(bits: u32) -> [$mask; 4] {
                let weights: [$int; $part] = from_fn(|i| 1 << i);
                from_fn(|i| unsafe {
                    $test($splat_int((bits >> (i * $part)) as $int), $load_int(weights.as_ptr()))
                })
            }
            #[inline(always)]
            fn load_part(values: &[$t]) -> [$vector; 4] {
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
            fn store_part(v: [$vector; 4], values: &mut [$t]) {
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
            fn transpose(square: [[$vector; 4]; $n]) -> [[$vector; 4]; $n] {
                unsafe { $transpose(square) }
            }
            #[inline(always)]
            fn enter<K: Kernel>(kernel: K) -> K::Output {
                kernel.run()
            }
        }
    };
}

backend!(
    f64,
    8,
    2,
    float64x2_t,
    uint64x2_t,
    u64,
    vdupq_n_f64,
    vdupq_n_u64,
    vld1q_f64,
    vld1q_u64,
    vst1q_f64,
    vaddq_f64,
    vsubq_f64,
    vmulq_f64,
    vdivq_f64,
    vnegq_f64,
    vfmaq_f64,
    vfmsq_f64,
    vsqrtq_f64,
    vabsq_f64,
    vcltq_f64,
    vcleq_f64,
    vtstq_u64,
    vreinterpretq_u64_f64,
    vbslq_f64,
    vandq_u64,
    vorrq_u64,
    veorq_u64,
    vaddvq_u64,
    transpose::neon_f64
);
backend!(
    f32,
    16,
    4,
    float32x4_t,
    uint32x4_t,
    u32,
    vdupq_n_f32,
    vdupq_n_u32,
    vld1q_f32,
    vld1q_u32,
    vst1q_f32,
    vaddq_f32,
    vsubq_f32,
    vmulq_f32,
    vdivq_f32,
    vnegq_f32,
    vfmaq_f32,
    vfmsq_f32,
    vsqrtq_f32,
    vabsq_f32,
    vcltq_f32,
    vcleq_f32,
    vtstq_u32,
    vreinterpretq_u32_f32,
    vbslq_f32,
    vandq_u32,
    vorrq_u32,
    veorq_u32,
    vaddvq_u32,
    transpose::neon_f32
);
