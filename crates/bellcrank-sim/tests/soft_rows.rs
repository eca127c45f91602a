//! Rows that give as MuJoCo makes them: its law of impedance and reference acceleration, by hand.

use bellcrank_model::{SoftRow, Softness};
use bellcrank_step::rows::soft::{impedance, row};

fn soft(reference: [f64; 2], impedance: [f64; 5]) -> SoftRow {
    SoftRow { law: Softness { reference, impedance }, mobility: 2.0 }
}

/// By hand: with the midpoint in the middle and the power 2, d rises by (x/½)²/2 up to half of it at half the width and has all of it
/// at the width and beyond.
#[test]
fn the_impedance_rises_over_its_width() {
    let law = soft([0.02, 1.0], [0.5, 0.9, 0.01, 0.5, 2.0]).law;
    for (gap, expected) in [
        (0.0_f64, 0.5),
        (-0.0025, 0.5 + 0.4 * 0.125),
        (-0.005, 0.7),
        (-0.0075, 0.9 - 0.4 * 0.125),
        (-0.02, 0.9),
    ] {
        assert!((impedance(&law, gap) - expected).abs() < 1e-12, "{gap}");
    }
}

/// By hand: T = 0.1 s, ζ = 0.5, d = 0.8 throughout give k = 1/(0.8² 0.1² 0.5²) = 625 and b = 2/(0.8·0.1) = 25; a step of 0.01 s from
/// r = −0.02 and v = −1 has the bias 0.01·625·0.8·(−0.02) + (1 − 0.25)·1 = 0.65, and R = 0.2/0.8·2 = 0.5.
#[test]
fn a_row_has_the_bias_and_the_compliance_of_the_law() {
    let found = row(&soft([0.1, 0.5], [0.8, 0.8, 0.001, 0.5, 2.0]), -0.02_f64, -1.0, 0.01);
    assert!((found.bias - 0.65).abs() < 1e-12 && (found.compliance - 0.5).abs() < 1e-12);
    // −k and −b themselves
    let found = row(&soft([-400.0, -16.0], [0.8, 0.8, 0.001, 0.5, 2.0]), -0.02_f64, -1.0, 0.01);
    assert!((found.bias - (1.0 - 0.2 - 0.01 * 625.0 * 0.8 * 0.02)).abs() < 1e-12);
}
