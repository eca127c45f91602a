//! The exponential linear unit: x above zero, eˣ − 1 below. Written so that compilers make vectors of it, and with plain
//! multiplications and additions only, so that it has the same bits in every build.

const LOG2_E: f32 = std::f32::consts::LOG2_E;
/// 1.5 · 2²³: adding it leaves a small number rounded to a whole one in the last bits.
const ROUNDER: f32 = 12_582_912.0;

/// eˣ for x ≤ 0 with an error below 2e-7: 2ⁿ·2ᶠ with |f| ≤ ½, and 2ᶠ by its series. Three roundings of numbers up to one are
/// 3·2⁻²⁴ = 1.8e-7; that of x·log₂e adds |x|·eˣ·2⁻²⁴, at most 0.2e-7, and the series leaves out 2⁻⁷·(ln 2)⁷/7! = 1.2e-7·2⁻³.
#[inline(always)]
fn exp_below_zero(x: f32) -> f32 {
    let t = x.max(-87.0) * LOG2_E;
    let shifted = t + ROUNDER;
    let f = t - (shifted - ROUNDER);
    // (ln 2)ᵏ / k!
    let series = 1.540_353e-4;
    let series = series * f + 1.333_355_8e-3;
    let series = series * f + 9.618_129e-3;
    let series = series * f + 5.550_411e-2;
    let series = series * f + 2.402_265e-1;
    let series = series * f + 6.931_472e-1;
    let series = series * f + 1.0;
    let power = (shifted.to_bits().wrapping_sub(ROUNDER.to_bits()).wrapping_add(127)) << 23;
    series * f32::from_bits(power)
}

/// Applies it to every number.
pub(crate) fn elu(values: &mut [f32]) {
    for x in values {
        let below = exp_below_zero(x.min(0.0)) - 1.0;
        *x = if *x > 0.0 { *x } else { below };
    }
}

/// Multiplies by its derivative, which follows from its value y: 1 above zero, y + 1 below.
pub(crate) fn times_slope(back: &mut [f32], values: &[f32]) {
    back.iter_mut().zip(values).for_each(|(d, y)| *d *= y.min(0.0) + 1.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_exponential_below_zero_and_the_number_itself_above() {
        for k in 0..20_000 {
            let x = -0.005 * k as f32;
            let exact = f64::from(x).exp();
            let error = (f64::from(exp_below_zero(x)) - exact).abs();
            assert!(error < 2e-7, "{x}: {error}");
        }
        let mut values = [2.5, 0.0, -1.0, -1e9];
        elu(&mut values);
        assert_eq!((values[0], values[1], values[3]), (2.5, 0.0, -1.0));
        assert!((values[2] - (f32::exp(-1.0) - 1.0)).abs() < 1e-7);
    }
}
