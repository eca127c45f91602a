//! Sine, cosine and arctangent without branches, from IEEE operations only.
//!
//! libm's functions branch on their argument, so lanes cannot call them, and they differ between systems.
//! These are the same few dozen multiply–adds for a scalar and for a lane, hence the same bits.
//!
//! Sine and cosine: Cody–Waite reduction by π/2 in two fused steps that keep the low part, then the
//! minimax polynomials of Sun's fdlibm (`f64`) and of Cephes (`f32`). Arctangent: fdlibm's interval
//! reduction with one division, and its degree-11 polynomial (`f64`), Cephes' (`f32`).
//!
//! Public for those who write a number type of their own (`bellcrank-gpu` records what is done to numbers): what they
//! compute is then the same, operation by operation.

use crate::real::{Elem, Real};
use core::f64::consts::{FRAC_2_PI, FRAC_PI_2, FRAC_PI_4, PI};

/// Access to the binary form of a number, for range reduction.
pub trait Bits: Real {
    /// Bit `i` of the representation.
    fn bit(self, i: u32) -> Self::Mask;
    /// Magnitude of `self`, sign of `sign`.
    fn copy_sign(self, sign: Self) -> Self;
}

/// The nearest whole number: a sum with a number so large that its last bit counts ones.
#[inline(always)]
pub fn round<R: Real>(x: R) -> R {
    let rounder = R::splat(R::Elem::ROUNDER);
    (x + rounder) - rounder
}

/// Horner's rule with fused steps, highest coefficient first.
#[inline(always)]
fn horner<R: Real, const N: usize>(x: R, coefficients: [f64; N]) -> R {
    let mut sum = R::constant(coefficients[0]);
    for c in &coefficients[1..] {
        sum = sum.mul_add(x, R::constant(*c));
    }
    sum
}

/// Puts (sin r, cos r) of the reduced angle into the quadrant held in the low bits of `quadrant`.
#[inline(always)]
fn to_quadrant<R: Bits>(quadrant: R, sin: R, cos: R) -> (R, R) {
    let (odd, upper) = (quadrant.bit(0), quadrant.bit(1));
    let differ = (odd | upper) & !(odd & upper);
    let (s, c) = (R::select(odd, cos, sin), R::select(odd, sin, cos));
    (R::select(upper, -s, s), R::select(differ, -c, c))
}

/// Sine and cosine in 64 bits.
#[inline(always)]
pub fn sin_cos_f64<R: Bits<Elem = f64>>(x: R) -> (R, R) {
    let rounder = R::splat(f64::ROUNDER);
    let shifted = x.mul_add(R::constant(FRAC_2_PI), rounder); // its low bits count the quadrant
    let k = shifted - rounder;
    // x − k·π/2 with π/2 as a sum of two numbers; r + low is good to 106 bits.
    let r0 = k.neg_mul_add(R::constant(FRAC_PI_2), x);
    let pi_low = R::constant(6.123_233_995_736_766e-17);
    let r = k.neg_mul_add(pi_low, r0);
    let low = k.neg_mul_add(pi_low, r0 - r);
    let z = r * r;
    let sin_poly = horner(
        z,
        [
            1.589_690_995_211_55e-10,
            -2.505_076_025_340_686_3e-8,
            2.755_731_370_707_006_8e-6,
            -1.984_126_982_985_795e-4,
            8.333_333_333_322_49e-3,
            -1.666_666_666_666_663_2e-1,
        ],
    );
    let sin = r + (z * r).mul_add(sin_poly, low);
    let cos_poly = horner(
        z,
        [
            -1.135_964_755_778_819_5e-11,
            2.087_572_321_298_175e-9,
            -2.755_731_435_139_066_3e-7,
            2.480_158_728_947_673e-5,
            -1.388_888_888_887_411e-3,
            4.166_666_666_666_66e-2,
        ],
    );
    let half_z = z * R::constant(0.5);
    let w = R::one() - half_z;
    let cos = w + (((R::one() - w) - half_z) + (z * z).mul_add(cos_poly, -(r * low)));
    to_quadrant(shifted, sin, cos)
}

/// Sine and cosine in 32 bits.
#[inline(always)]
pub fn sin_cos_f32<R: Bits<Elem = f32>>(x: R) -> (R, R) {
    let rounder = R::splat(f32::ROUNDER);
    let shifted = x.mul_add(R::constant(FRAC_2_PI), rounder);
    let k = shifted - rounder;
    // π/2 as the sum of three f32 numbers.
    let r = k.neg_mul_add(R::constant(1.570_796_4_f32 as f64), x);
    let r = k.neg_mul_add(R::constant(-4.371_139e-8), r);
    let r = k.neg_mul_add(R::constant(-1.715_124_9e-15), r);
    let z = r * r;
    let sin_poly = horner(z, [-1.951_529_589_1e-4, 8.332_160_873_6e-3, -1.666_665_461_1e-1]);
    let sin = (z * r).mul_add(sin_poly, r);
    let cos_poly = horner(z, [2.443_315_711_809_948e-5, -1.388_731_625_493_765e-3, 4.166_664_568_298_827e-2]);
    let cos = (z * z).mul_add(cos_poly, z.mul_add(R::constant(-0.5), R::one()));
    to_quadrant(shifted, sin, cos)
}

/// From the angle in the first octant to the whole circle.
#[inline(always)]
fn to_octant<R: Bits>(angle: R, y: R, x: R) -> R {
    let steep = x.abs().lt(y.abs());
    let angle = R::select(steep, R::constant(FRAC_PI_2) - angle, angle);
    let left = x.lt(R::zero());
    let angle = R::select(left, R::constant(PI) - angle, angle);
    angle.copy_sign(y)
}

/// The angle of the point (x, y) in 64 bits.
#[inline(always)]
pub fn atan2_f64<R: Bits<Elem = f64>>(y: R, x: R) -> R {
    let (ax, ay) = (x.abs(), y.abs());
    let (short, long) = (R::select(ax.lt(ay), ax, ay), R::select(ax.lt(ay), ay, ax));
    // The tangent short/long lies in [0, 1]; subtract the angle of ½ or 1 when that brings it nearer zero.
    let near_one = (long * R::constant(0.6875)).lt(short);
    let near_half = (long * R::constant(0.4375)).lt(short) & !near_one;
    let pick = |one: R, half: R, zero: R| R::select(near_one, one, R::select(near_half, half, zero));
    let two = R::constant(2.0);
    let numerator = pick(short - long, two.mul_add(short, -long), short);
    let denominator = pick(short + long, two.mul_add(long, short), long);
    let origin = denominator.le(R::zero());
    let t = numerator / R::select(origin, R::one(), denominator);
    let high = pick(R::constant(FRAC_PI_4), R::constant(4.636_476_090_008_061e-1), R::zero());
    let low =
        pick(R::constant(3.061_616_997_868_383e-17), R::constant(2.269_877_745_296_168_7e-17), R::zero());
    let z = t * t;
    let poly = horner(
        z,
        [
            1.628_582_011_536_578_2e-2,
            -3.653_157_274_421_691_6e-2,
            4.976_877_994_615_932e-2,
            -5.833_570_133_790_573_5e-2,
            6.661_073_137_387_531e-2,
            -7.691_876_205_044_83e-2,
            9.090_887_133_436_507e-2,
            -1.111_111_040_546_235_6e-1,
            1.428_571_427_250_346_6e-1,
            -1.999_999_999_987_648_3e-1,
            3.333_333_333_333_293e-1,
        ],
    );
    let angle = high - ((t * z).mul_add(poly, -low) - t);
    to_octant(angle, y, x)
}

/// The angle of the point (x, y) in 32 bits.
#[inline(always)]
pub fn atan2_f32<R: Bits<Elem = f32>>(y: R, x: R) -> R {
    let (ax, ay) = (x.abs(), y.abs());
    let (short, long) = (R::select(ax.lt(ay), ax, ay), R::select(ax.lt(ay), ay, ax));
    let near_one = (long * R::constant(0.414_213_56)).lt(short);
    let numerator = R::select(near_one, short - long, short);
    let denominator = R::select(near_one, short + long, long);
    let origin = denominator.le(R::zero());
    let t = numerator / R::select(origin, R::one(), denominator);
    let high = R::select(near_one, R::constant(FRAC_PI_4), R::zero());
    let z = t * t;
    let poly =
        horner(z, [8.053_744_495_38e-2, -1.387_768_560_32e-1, 1.997_771_064_78e-1, -3.333_294_915_39e-1]);
    let angle = high + (t * z).mul_add(poly, t);
    to_octant(angle, y, x)
}

#[cfg(test)]
mod tests {
    use crate::Real;

    /// Against the system's libm, itself good to about one ulp.
    #[test]
    fn sine_and_cosine_are_within_two_ulps() {
        for i in -200_000..200_000 {
            let x = i as f64 * 0.000_731 * if i % 7 == 0 { 1e4 } else { 1.0 };
            let (s, c) = Real::sin_cos(x);
            assert!((s - x.sin()).abs() <= 2.3e-16, "sin({x}) = {s}, libm {}", x.sin());
            assert!((c - x.cos()).abs() <= 2.3e-16, "cos({x}) = {c}, libm {}", x.cos());
            let x = i as f32 * 0.000_731;
            let (s, c) = Real::sin_cos(x);
            assert!((s as f64 - (x as f64).sin()).abs() < 1.2e-7, "sin({x})");
            assert!((c as f64 - (x as f64).cos()).abs() < 1.2e-7, "cos({x})");
        }
    }

    #[test]
    fn arctangent_is_within_two_ulps_all_round_the_circle() {
        for i in 0..200_000 {
            let angle = i as f64 * 3.3e-5 - 3.2;
            for radius in [1e-150, 1.0, 7.3e9] {
                let (y, x) = (radius * angle.sin(), radius * angle.cos());
                let (ours, libm) = (Real::atan2(y, x), y.atan2(x));
                assert!((ours - libm).abs() <= 4.5e-16, "atan2({y}, {x}) = {ours}, libm {libm}");
            }
            let (y, x) = (angle.sin() as f32, angle.cos() as f32);
            assert!((Real::atan2(y, x) as f64 - (y as f64).atan2(x as f64)).abs() < 3.5e-7);
        }
        assert_eq!(Real::atan2(0.0_f64, 0.0), 0.0);
        assert_eq!(Real::atan2(0.0_f64, -1.0), core::f64::consts::PI);
        assert_eq!(Real::atan2(-2.0_f64, 0.0), -core::f64::consts::FRAC_PI_2);
    }

    #[test]
    fn not_a_number_stays_not_a_number() {
        assert!(Real::sin_cos(f64::NAN).0.is_nan() && Real::sin_cos(f64::INFINITY).1.is_nan());
        assert!(Real::atan2(f64::NAN, 1.0).is_nan() && Real::atan2(1.0, f64::NAN).is_nan());
        assert!(Real::sin_cos(f32::NAN).0.is_nan() && Real::atan2(f32::NAN, 1.0).is_nan());
    }
}
