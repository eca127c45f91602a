//! Squares of as many values as lanes, transposed in registers.
//!
//! Row-major arrays hold one state per row, lanes one state per lane. Element by element, going from one to the other
//! costs as much as the dynamics of a robot; by whole registers it is a tenth of that. Each function exchanges the
//! halves of pairs of rows, first neighbours, then neighbours of neighbours: log₂ n rounds.

// SAFETY of every function below: called by the backend of its instruction set alone.

#[cfg(target_arch = "aarch64")]
pub(super) use neon::{neon_f32, neon_f64};
#[cfg(target_arch = "x86_64")]
#[cfg_attr(not(all(bellcrank_avx2, bellcrank_avx512)), allow(unused_imports))]
pub(super) use x86::{avx2_f32, avx2_f64, avx512_f32, avx512_f64};

#[cfg(target_arch = "x86_64")]
#[cfg_attr(not(all(bellcrank_avx2, bellcrank_avx512)), allow(dead_code))]
mod x86 {
    use core::arch::x86_64::*;

    /// Blocks of 128 bits: block `b` of row `g` becomes block `g` of row `b`.
    #[inline(always)]
    unsafe fn blocks([a, b, c, d]: [__m512d; 4]) -> [__m512d; 4] {
        unsafe {
            // the even and the odd blocks of two rows
            let (ab, cd) = (_mm512_shuffle_f64x2::<0x88>(a, b), _mm512_shuffle_f64x2::<0x88>(c, d));
            let (ab_odd, cd_odd) = (_mm512_shuffle_f64x2::<0xdd>(a, b), _mm512_shuffle_f64x2::<0xdd>(c, d));
            [
                _mm512_shuffle_f64x2::<0x88>(ab, cd),
                _mm512_shuffle_f64x2::<0x88>(ab_odd, cd_odd),
                _mm512_shuffle_f64x2::<0xdd>(ab, cd),
                _mm512_shuffle_f64x2::<0xdd>(ab_odd, cd_odd),
            ]
        }
    }

    #[inline(always)]
    pub(crate) unsafe fn avx512_f64(rows: [__m512d; 8]) -> [__m512d; 8] {
        unsafe {
            let mut out = rows;
            let (mut even, mut odd) = ([rows[0]; 4], [rows[0]; 4]);
            for g in 0..4 {
                even[g] = _mm512_unpacklo_pd(rows[2 * g], rows[2 * g + 1]);
                odd[g] = _mm512_unpackhi_pd(rows[2 * g], rows[2 * g + 1]);
            }
            let (even, odd) = (blocks(even), blocks(odd));
            for b in 0..4 {
                (out[2 * b], out[2 * b + 1]) = (even[b], odd[b]);
            }
            out
        }
    }

    #[inline(always)]
    pub(crate) unsafe fn avx512_f32(rows: [__m512; 16]) -> [__m512; 16] {
        unsafe {
            let mut out = rows;
            // within blocks of four lanes, four rows at a time: column[j][g] has column j of every block of group g
            let mut column = [[_mm512_castps_pd(rows[0]); 4]; 4];
            for g in 0..4 {
                let [a, b, c, d] = [rows[4 * g], rows[4 * g + 1], rows[4 * g + 2], rows[4 * g + 3]];
                let ab = _mm512_castps_pd(_mm512_unpacklo_ps(a, b));
                let cd = _mm512_castps_pd(_mm512_unpacklo_ps(c, d));
                let ab_high = _mm512_castps_pd(_mm512_unpackhi_ps(a, b));
                let cd_high = _mm512_castps_pd(_mm512_unpackhi_ps(c, d));
                column[0][g] = _mm512_unpacklo_pd(ab, cd);
                column[1][g] = _mm512_unpackhi_pd(ab, cd);
                column[2][g] = _mm512_unpacklo_pd(ab_high, cd_high);
                column[3][g] = _mm512_unpackhi_pd(ab_high, cd_high);
            }
            for j in 0..4 {
                let placed = blocks(column[j]);
                for b in 0..4 {
                    out[4 * b + j] = _mm512_castpd_ps(placed[b]);
                }
            }
            out
        }
    }

    /// Four rows of four.
    #[inline(always)]
    pub(crate) unsafe fn avx2_f64([a, b, c, d]: [__m256d; 4]) -> [__m256d; 4] {
        unsafe {
            let (ab, cd) = (_mm256_unpacklo_pd(a, b), _mm256_unpacklo_pd(c, d));
            let (ab_odd, cd_odd) = (_mm256_unpackhi_pd(a, b), _mm256_unpackhi_pd(c, d));
            [
                _mm256_permute2f128_pd::<0x20>(ab, cd),
                _mm256_permute2f128_pd::<0x20>(ab_odd, cd_odd),
                _mm256_permute2f128_pd::<0x31>(ab, cd),
                _mm256_permute2f128_pd::<0x31>(ab_odd, cd_odd),
            ]
        }
    }

    /// Eight rows of eight.
    #[inline(always)]
    pub(crate) unsafe fn avx2_f32(rows: [__m256; 8]) -> [__m256; 8] {
        unsafe {
            let mut out = rows;
            // column[j][g] has column j of both halves of rows 4g … 4g+3
            let mut column = [[rows[0]; 2]; 4];
            for g in 0..2 {
                let [a, b, c, d] = [rows[4 * g], rows[4 * g + 1], rows[4 * g + 2], rows[4 * g + 3]];
                let ab = _mm256_castps_pd(_mm256_unpacklo_ps(a, b));
                let cd = _mm256_castps_pd(_mm256_unpacklo_ps(c, d));
                let ab_high = _mm256_castps_pd(_mm256_unpackhi_ps(a, b));
                let cd_high = _mm256_castps_pd(_mm256_unpackhi_ps(c, d));
                column[0][g] = _mm256_castpd_ps(_mm256_unpacklo_pd(ab, cd));
                column[1][g] = _mm256_castpd_ps(_mm256_unpackhi_pd(ab, cd));
                column[2][g] = _mm256_castpd_ps(_mm256_unpacklo_pd(ab_high, cd_high));
                column[3][g] = _mm256_castpd_ps(_mm256_unpackhi_pd(ab_high, cd_high));
            }
            for j in 0..4 {
                out[j] = _mm256_permute2f128_ps::<0x20>(column[j][0], column[j][1]);
                out[4 + j] = _mm256_permute2f128_ps::<0x31>(column[j][0], column[j][1]);
            }
            out
        }
    }
}

#[cfg(target_arch = "aarch64")]
mod neon {
    use core::arch::aarch64::*;

    /// Sixteen squares of two.
    #[inline(always)]
    pub(crate) unsafe fn neon_f64(rows: [[float64x2_t; 4]; 8]) -> [[float64x2_t; 4]; 8] {
        let mut out = rows;
        for i in 0..4 {
            for j in 0..4 {
                let (a, b) = (rows[2 * i][j], rows[2 * i + 1][j]);
                (out[2 * j][i], out[2 * j + 1][i]) = unsafe { (vtrn1q_f64(a, b), vtrn2q_f64(a, b)) };
            }
        }
        out
    }

    /// Sixteen squares of four.
    #[inline(always)]
    pub(crate) unsafe fn neon_f32(rows: [[float32x4_t; 4]; 16]) -> [[float32x4_t; 4]; 16] {
        let mut out = rows;
        for i in 0..4 {
            for j in 0..4 {
                let [a, b, c, d] =
                    [rows[4 * i][j], rows[4 * i + 1][j], rows[4 * i + 2][j], rows[4 * i + 3][j]];
                let square = unsafe { square_f32([a, b, c, d]) };
                for k in 0..4 {
                    out[4 * j + k][i] = square[k];
                }
            }
        }
        out
    }

    #[inline(always)]
    unsafe fn square_f32([a, b, c, d]: [float32x4_t; 4]) -> [float32x4_t; 4] {
        unsafe {
            let (ab, cd) = (vreinterpretq_f64_f32(vtrn1q_f32(a, b)), vreinterpretq_f64_f32(vtrn1q_f32(c, d)));
            let (ab_odd, cd_odd) =
                (vreinterpretq_f64_f32(vtrn2q_f32(a, b)), vreinterpretq_f64_f32(vtrn2q_f32(c, d)));
            [
                vreinterpretq_f32_f64(vtrn1q_f64(ab, cd)),
                vreinterpretq_f32_f64(vtrn1q_f64(ab_odd, cd_odd)),
                vreinterpretq_f32_f64(vtrn2q_f64(ab, cd)),
                vreinterpretq_f32_f64(vtrn2q_f64(ab_odd, cd_odd)),
            ]
        }
    }
}
