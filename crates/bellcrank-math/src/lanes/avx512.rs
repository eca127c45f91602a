//! Lanes as one AVX-512 register: 8 × `f64` or 16 × `f32`; masks are mask registers.

// SAFETY of every block below: a value of this backend exists only where `Level::best` or `Level::available`
// has found AVX-512 on this processor (the type cannot be named outside the crate).

use super::{Backend, sealed::Sealed, transpose};
use crate::real::Kernel;
use core::arch::x86_64::*;

#[derive(Clone, Copy)]
pub struct Avx512;

impl Sealed for Avx512 {}

/// Runs `kernel` compiled for AVX-512.
#[target_feature(enable = "avx512f,avx512dq,avx512bw,avx512vl,avx2,fma")]
pub(super) fn enter<K: Kernel>(kernel: K) -> K::Output {
    kernel.run()
}

/// A mask of the first `count` lanes.
#[inline(always)]
fn first_lanes(count: usize) -> u32 {
    (1_u32 << count) - 1
}

macro_rules! backend {
    (
        $t:ident, $n:literal, $vector:ident, $mask:ident, $splat:ident, $splat_int:ident, $load:ident,
        $store:ident, $add:ident, $sub:ident, $mul:ident, $div:ident, $xor:ident, $fmadd:ident, $fnmadd:ident,
        $sqrt:ident, $abs:ident, $min:ident, $max:ident, $and:ident, $andnot:ident, $or:ident, $cmp:ident,
        $test:ident, $cast:ident, $blend:ident, $load_masked:ident, $store_masked:ident, $transpose:path
    ) => {
        impl Backend<$t, $n> for Avx512 {
            type Vector = $vector;
            type Bools = $mask;

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
                unsafe { $abs(a) }
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
            fn lt(a: $vector, b: $vector) -> $mask {
                unsafe { $cmp::<_CMP_LT_OQ>(a, b) }
            }
            #[inline(always)]
            fn le(a: $vector, b: $vector) -> $mask {
                unsafe { $cmp::<_CMP_LE_OQ>(a, b) }
            }
            #[inline(always)]
            fn bit(a: $vector, i: u32) -> $mask {
                unsafe { $test($cast(a), $splat_int(1 << i)) }
            }
            #[inline(always)]
            fn select(mask: $mask, yes: $vector, no: $vector) -> $vector {
                unsafe { $blend(mask, no, yes) }
            }
            #[inline(always)]
            fn and(a: $mask, b: $mask) -> $mask {
                a & b
            }
            #[inline(always)]
            fn or(a: $mask, b: $mask) -> $mask {
                a | b
            }
            #[inline(always)]
            fn not(a: $mask) -> $mask {
                !a
            }
            #[inline(always)]
            fn to_bits(a: $mask) -> u32 {
                a as u32
            }
            #[inline(always)]
            fn from_bits(bits: u32) -> $mask {
                bits as $mask
            }
            #[inline(always)]
            fn load_part(values: &[$t]) -> $vector {
                if let Some(all) = values.first_chunk() {
                    return <Self as Backend<$t, $n>>::load(all);
                }
                // SAFETY: lanes beyond the slice are masked and not read.
                unsafe { $load_masked(first_lanes(values.len()) as $mask, values.as_ptr()) }
            }
            #[inline(always)]
            fn store_part(v: $vector, values: &mut [$t]) {
                if let Some(all) = values.first_chunk_mut() {
                    *all = <Self as Backend<$t, $n>>::store(v);
                    return;
                }
                // SAFETY: lanes beyond the slice are masked and not written.
                unsafe { $store_masked(values.as_mut_ptr(), first_lanes(values.len()) as $mask, v) };
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
    8,
    __m512d,
    __mmask8,
    _mm512_set1_pd,
    _mm512_set1_epi64,
    _mm512_loadu_pd,
    _mm512_storeu_pd,
    _mm512_add_pd,
    _mm512_sub_pd,
    _mm512_mul_pd,
    _mm512_div_pd,
    _mm512_xor_pd,
    _mm512_fmadd_pd,
    _mm512_fnmadd_pd,
    _mm512_sqrt_pd,
    _mm512_abs_pd,
    _mm512_min_pd,
    _mm512_max_pd,
    _mm512_and_pd,
    _mm512_andnot_pd,
    _mm512_or_pd,
    _mm512_cmp_pd_mask,
    _mm512_test_epi64_mask,
    _mm512_castpd_si512,
    _mm512_mask_blend_pd,
    _mm512_maskz_loadu_pd,
    _mm512_mask_storeu_pd,
    transpose::avx512_f64
);
backend!(
    f32,
    16,
    __m512,
    __mmask16,
    _mm512_set1_ps,
    _mm512_set1_epi32,
    _mm512_loadu_ps,
    _mm512_storeu_ps,
    _mm512_add_ps,
    _mm512_sub_ps,
    _mm512_mul_ps,
    _mm512_div_ps,
    _mm512_xor_ps,
    _mm512_fmadd_ps,
    _mm512_fnmadd_ps,
    _mm512_sqrt_ps,
    _mm512_abs_ps,
    _mm512_min_ps,
    _mm512_max_ps,
    _mm512_and_ps,
    _mm512_andnot_ps,
    _mm512_or_ps,
    _mm512_cmp_ps_mask,
    _mm512_test_epi32_mask,
    _mm512_castps_si512,
    _mm512_mask_blend_ps,
    _mm512_maskz_loadu_ps,
    _mm512_mask_storeu_ps,
    transpose::avx512_f32
);
