//! Lanes as a pair of AVX2 registers: 2 × 4 × `f64` or 2 × 8 × `f32`; masks are all-ones lanes.
//!
//! Two registers per value keep both multiply–add pipes busy and give the same lane count as AVX-512.

// SAFETY of every block below: a value of this backend exists only where `Level::best` or `Level::available`
// has found AVX2 and FMA on this processor (the type cannot be named outside the crate).

use super::{Backend, sealed::Sealed, transpose};
use crate::real::Kernel;
use core::arch::x86_64::*;

#[derive(Clone, Copy)]
#[cfg_attr(bellcrank_quick_build, allow(dead_code))]
pub struct Avx2;

impl Sealed for Avx2 {}

/// Runs `kernel` compiled for AVX2 and FMA.
#[target_feature(enable = "avx2,fma")]
pub(super) fn enter<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

macro_rules! backend {
    (
        $t:ident, $n:literal, $half:literal, $vector:ident, $splat:ident, $splat_int:ident, $load:ident, $store:ident,
        $add:ident, $sub:ident, $mul:ident, $div:ident, $xor:ident, $fmadd:ident, $fnmadd:ident, $sqrt:ident,
        $min:ident, $max:ident, $and:ident, $andnot:ident, $or:ident, $cmp:ident, $equal:ident, $to_int:ident,
        $from_int:ident, $movemask:ident, $blend:ident, $bit_lanes:expr, $transpose:path
    ) => {
        impl Backend<$t, $n> for Avx2 {
            type Vector = [$vector; 2];
            type Bools = [$vector; 2];

            #[inline(always)]
            fn splat(x: $t) -> [$vector; 2] {
                unsafe { [$splat(x); 2] }
            }
            #[inline(always)]
            fn load(values: &[$t; $n]) -> [$vector; 2] {
                unsafe { [$load(values.as_ptr()), $load(values.as_ptr().add($half))] }
            }
            #[inline(always)]
            fn store(v: [$vector; 2]) -> [$t; $n] {
                let mut values = [0.0; $n];
                unsafe {
                    $store(values.as_mut_ptr(), v[0]);
                    $store(values.as_mut_ptr().add($half), v[1]);
                }
                values
            }
            #[inline(always)]
            fn add(a: [$vector; 2], b: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$add(a[0], b[0]), $add(a[1], b[1])] }
            }
            #[inline(always)]
            fn sub(a: [$vector; 2], b: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$sub(a[0], b[0]), $sub(a[1], b[1])] }
            }
            #[inline(always)]
            fn mul(a: [$vector; 2], b: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$mul(a[0], b[0]), $mul(a[1], b[1])] }
            }
            #[inline(always)]
            fn div(a: [$vector; 2], b: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$div(a[0], b[0]), $div(a[1], b[1])] }
            }
            #[inline(always)]
            fn neg(a: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$xor(a[0], $splat(-0.0)), $xor(a[1], $splat(-0.0))] }
            }
            #[inline(always)]
            fn mul_add(a: [$vector; 2], b: [$vector; 2], c: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$fmadd(a[0], b[0], c[0]), $fmadd(a[1], b[1], c[1])] }
            }
            #[inline(always)]
            fn neg_mul_add(a: [$vector; 2], b: [$vector; 2], c: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$fnmadd(a[0], b[0], c[0]), $fnmadd(a[1], b[1], c[1])] }
            }
            #[inline(always)]
            fn sqrt(a: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$sqrt(a[0]), $sqrt(a[1])] }
            }
            #[inline(always)]
            fn abs(a: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$andnot($splat(-0.0), a[0]), $andnot($splat(-0.0), a[1])] }
            }
            #[inline(always)]
            fn min(a: [$vector; 2], b: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$min(a[0], b[0]), $min(a[1], b[1])] }
            }
            #[inline(always)]
            fn max(a: [$vector; 2], b: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$max(a[0], b[0]), $max(a[1], b[1])] }
            }
            #[inline(always)]
            fn copy_sign(a: [$vector; 2], sign: [$vector; 2]) -> [$vector; 2] {
                unsafe {
                    let bit = $splat(-0.0);
                    [$or($andnot(bit, a[0]), $and(bit, sign[0])), $or($andnot(bit, a[1]), $and(bit, sign[1]))]
                }
            }
            #[inline(always)]
            fn lt(a: [$vector; 2], b: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$cmp::<_CMP_LT_OQ>(a[0], b[0]), $cmp::<_CMP_LT_OQ>(a[1], b[1])] }
            }
            #[inline(always)]
            fn le(a: [$vector; 2], b: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$cmp::<_CMP_LE_OQ>(a[0], b[0]), $cmp::<_CMP_LE_OQ>(a[1], b[1])] }
            }
            #[inline(always)]
            fn bit(a: [$vector; 2], i: u32) -> [$vector; 2] {
                unsafe {
                    let bit = $splat_int(1 << i);
                    let test = |v| $from_int($equal(_mm256_and_si256($to_int(v), bit), bit));
                    [test(a[0]), test(a[1])]
                }
            }
            #[inline(always)]
            fn select(mask: [$vector; 2], yes: [$vector; 2], no: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$blend(no[0], yes[0], mask[0]), $blend(no[1], yes[1], mask[1])] }
            }
            #[inline(always)]
            fn and(a: [$vector; 2], b: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$and(a[0], b[0]), $and(a[1], b[1])] }
            }
            #[inline(always)]
            fn or(a: [$vector; 2], b: [$vector; 2]) -> [$vector; 2] {
                unsafe { [$or(a[0], b[0]), $or(a[1], b[1])] }
            }
            #[inline(always)]
            fn not(a: [$vector; 2]) -> [$vector; 2] {
                unsafe {
                    let ones = $from_int(_mm256_set1_epi32(-1));
                    [$xor(a[0], ones), $xor(a[1], ones)]
                }
            }
            #[inline(always)]
            fn to_bits(a: [$vector; 2]) -> u32 {
                unsafe { $movemask(a[0]) as u32 | ($movemask(a[1]) as u32) << $half }
            }
            #[inline(always)]
            fn from_bits(bits: u32) -> [$vector; 2] {
                unsafe {
                    let own = $bit_lanes;
                    let spread = |b: u32| $from_int($equal(_mm256_and_si256($splat_int(b as _), own), own));
                    [spread(bits), spread(bits >> $half)]
                }
            }
            #[inline(always)]
            fn load_part(values: &[$t]) -> [$vector; 2] {
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
            fn store_part(v: [$vector; 2], values: &mut [$t]) {
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
            fn transpose(square: [[$vector; 2]; $n]) -> [[$vector; 2]; $n] {
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
    8,
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
    transpose::avx2_f64
);
backend!(
    f32,
    16,
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
    transpose::avx2_f32
);
