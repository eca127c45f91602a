//! Lanes as one AVX2 register: 4 × `f64` or 8 × `f32`; masks are all-ones lanes.
//!
//! One register per value, not a pair: there are sixteen of them only, and with pairs kernels of spatial algebra keep
//! half of what they compute with in memory.

// SAFETY of every block below: a value of this backend exists only where `Level::best` or `Level::available`
// has found AVX2 and FMA on this processor (the type cannot be named outside the crate).

use super::{Backend, sealed::Sealed, transpose};
use crate::real::Kernel;
use core::arch::x86_64::*;

#[derive(Clone, Copy)]
pub struct Avx2;

impl Sealed for Avx2 {}

/// Runs `kernel` compiled for AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(super) fn enter<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

macro_rules! backend {
    (
        $t:ident, $n:literal, $vector:ident, $splat:ident, $splat_int:ident, $load:ident, $store:ident,
        $add:ident, $sub:ident, $mul:ident, $div:ident, $xor:ident, $fmadd:ident, $fnmadd:ident, $sqrt:ident,
        $min:ident, $max:ident, $and:ident, $andnot:ident, $or:ident, $cmp:ident, $equal:ident, $to_int:ident,
        $from_int:ident, $movemask:ident, $blend:ident, $bit_lanes:expr, $load_masked:ident,
        $store_masked:ident, $transpose:path
    ) => {
        impl Backend<$t, $n> for Avx2 {
            type Vector = $vector;
            type Bools = $vector;

            #[inline(always)]
            fn splat(x: $t) -> $vector {
                unsafe { $splat(x) }
            }
            #[inline(always)]
            fn load(values: &[$t; $n]) -> $vector {
                unsafe { $load(values.as_ptr()) }
            }
            #[inline(always)]
            fn store(v: $vector) -> [$t; $n] {
                let mut values = [0.0; $n];
                unsafe { $store(values.as_mut_ptr(), v) };
                values
            }
            #[inline(always)]
            fn add(a: $vector, b: $vector) -> $vector {
                unsafe { $add(a, b) }
            }
            #[inline(always)]
            fn sub(a: $vector, b: $vector) -> $vector {
                unsafe { $sub(a, b) }
            }
            #[inline(always)]
            fn mul(a: $vector, b: $vector) -> $vector {
                unsafe { $mul(a, b) }
            }
            #[inline(always)]
            fn div(a: $vector, b: $vector) -> $vector {
                unsafe { $div(a, b) }
            }
            #[inline(always)]
            fn neg(a: $vector) -> $vector {
                unsafe { $xor(a, $splat(-0.0)) }
            }
            #[inline(always)]
            fn mul_add(a: $vector, b: $vector, c: $vector) -> $vector {
                unsafe { $fmadd(a, b, c) }
            }
            #[inline(always)]
            fn neg_mul_add(a: $vector, b: $vector, c: $vector) -> $vector {
                unsafe { $fnmadd(a, b, c) }
            }
            #[inline(always)]
            fn sqrt(a: $vector) -> $vector {
                unsafe { $sqrt(a) }
            }
            #[inline(always)]
            fn abs(a: $vector) -> $vector {
                unsafe { $andnot($splat(-0.0), a) }
            }
            #[inline(always)]
            fn min(a: $vector, b: $vector) -> $vector {
                unsafe { $min(a, b) }
            }
            #[inline(always)]
            fn max(a: $vector, b: $vector) -> $vector {
                unsafe { $max(a, b) }
            }
            #[inline(always)]
            fn copy_sign(a: $vector, sign: $vector) -> $vector {
                unsafe {
                    let bit = $splat(-0.0);
                    $or($andnot(bit, a), $and(bit, sign))
                }
            }
            #[inline(always)]
            fn lt(a: $vector, b: $vector) -> $vector {
                unsafe { $cmp::<_CMP_LT_OQ>(a, b) }
            }
            #[inline(always)]
            fn le(a: $vector, b: $vector) -> $vector {
                unsafe { $cmp::<_CMP_LE_OQ>(a, b) }
            }
            #[inline(always)]
            fn bit(a: $vector, i: u32) -> $vector {
                unsafe {
                    let bit = $splat_int(1 << i);
                    $from_int($equal(_mm256_and_si256($to_int(a), bit), bit))
                }
            }
            #[inline(always)]
            fn select(mask: $vector, yes: $vector, no: $vector) -> $vector {
                unsafe { $blend(no, yes, mask) }
            }
            #[inline(always)]
            fn and(a: $vector, b: $vector) -> $vector {
                unsafe { $and(a, b) }
            }
            #[inline(always)]
            fn or(a: $vector, b: $vector) -> $vector {
                unsafe { $or(a, b) }
            }
            #[inline(always)]
            fn not(a: $vector) -> $vector {
                unsafe { $xor(a, $from_int(_mm256_set1_epi32(-1))) }
            }
            #[inline(always)]
            fn to_bits(a: $vector) -> u32 {
                unsafe { $movemask(a) as u32 }
            }
            #[inline(always)]
            fn from_bits(bits: u32) -> $vector {
                unsafe {
                    let own = $bit_lanes;
                    $from_int($equal(_mm256_and_si256($splat_int(bits as _), own), own))
                }
            }
            #[inline(always)]
            fn load_part(values: &[$t]) -> $vector {
                if let Some(all) = values.first_chunk() {
                    return <Self as Backend<$t, $n>>::load(all);
                }
                let mask = <Self as Backend<$t, $n>>::from_bits((1 << values.len()) - 1);
                // SAFETY: lanes beyond the slice are masked and not read.
                unsafe { $load_masked(values.as_ptr(), $to_int(mask)) }
            }
            #[inline(always)]
            fn store_part(v: $vector, values: &mut [$t]) {
                if let Some(all) = values.first_chunk_mut() {
                    *all = <Self as Backend<$t, $n>>::store(v);
                    return;
                }
                let mask = <Self as Backend<$t, $n>>::from_bits((1 << values.len()) - 1);
                // SAFETY: lanes beyond the slice are masked and not written.
                unsafe { $store_masked(values.as_mut_ptr(), $to_int(mask), v) };
            }
            #[inline(always)]
            fn transpose(square: [$vector; $n]) -> [$vector; $n] {
                unsafe { $transpose(square) }
            }
            #[inline(always)]
            fn enter<K: Kernel>(kernel: K) -> K::Output {
                unsafe { enter(kernel) }
            }
        }
    };
}

backend!(
    f64,
    4,
    __m256d,
    _mm256_set1_pd,
    _mm256_set1_epi64x,
    _mm256_loadu_pd,
    _mm256_storeu_pd,
    _mm256_add_pd,
    _mm256_sub_pd,
    _mm256_mul_pd,
    _mm256_div_pd,
    _mm256_xor_pd,
    _mm256_fmadd_pd,
    _mm256_fnmadd_pd,
    _mm256_sqrt_pd,
    _mm256_min_pd,
    _mm256_max_pd,
    _mm256_and_pd,
    _mm256_andnot_pd,
    _mm256_or_pd,
    _mm256_cmp_pd,
    _mm256_cmpeq_epi64,
    _mm256_castpd_si256,
    _mm256_castsi256_pd,
    _mm256_movemask_pd,
    _mm256_blendv_pd,
    _mm256_setr_epi64x(1, 2, 4, 8),
    _mm256_maskload_pd,
    _mm256_maskstore_pd,
    transpose::avx2_f64
);
backend!(
    f32,
    8,
    __m256,
    _mm256_set1_ps,
    _mm256_set1_epi32,
    _mm256_loadu_ps,
    _mm256_storeu_ps,
    _mm256_add_ps,
    _mm256_sub_ps,
    _mm256_mul_ps,
    _mm256_div_ps,
    _mm256_xor_ps,
    _mm256_fmadd_ps,
    _mm256_fnmadd_ps,
    _mm256_sqrt_ps,
    _mm256_min_ps,
    _mm256_max_ps,
    _mm256_and_ps,
    _mm256_andnot_ps,
    _mm256_or_ps,
    _mm256_cmp_ps,
    _mm256_cmpeq_epi32,
    _mm256_castps_si256,
    _mm256_castsi256_ps,
    _mm256_movemask_ps,
    _mm256_blendv_ps,
    _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128),
    _mm256_maskload_ps,
    _mm256_maskstore_ps,
    transpose::avx2_f32
);
