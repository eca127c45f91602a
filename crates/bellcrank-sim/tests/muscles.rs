//! Muscles' curves of force over length and speed, and the times of their activation, by hand calculation.

use bellcrank_model::Muscle;
use bellcrank_step::law::{muscle, muscle_time};

fn force(a: f64, length: f64, rate: f64) -> f64 {
    let own = Muscle::new(100.0, 0.2).tendon_length(0.1).numbers();
    let pull = muscle(&own, a, [length, rate]);
    pull.effort - pull.kd * rate
}

/// F₀ at L = 1 and rest; half of it half-way to each end, L = 0.75 and 1.3; nothing at the ends but what is passive; F_V = ¼ at half the
/// largest speed 0.3 m/s, 1.2 drawn out fast; F_P = ½ · 1.3 at L = 1.3.
#[test]
fn a_muscle_pulls_as_its_curves_say() {
    let close = |x: f64, hand: f64| assert!((x + hand).abs() < 1e-9, "{x}, not {}", -hand);
    close(force(1.0, 0.3, 0.0), 100.0);
    close(force(0.4, 0.3, 0.0), 40.0);
    close(force(1.0, 0.25, 0.0), 50.0);
    close(force(1.0, 0.2, 0.0), 0.0);
    close(force(1.0, 0.36, 0.0), 50.0 + 65.0);
    close(force(0.0, 0.36, 0.0), 65.0);
    close(force(1.0, 0.3, -0.15), 25.0);
    close(force(1.0, 0.3, -0.3), 0.0);
    close(force(1.0, 0.3, 0.2), 120.0);
}

/// The slope by the rate is that of the force, and the pieces meet.
#[test]
fn what_damps_is_the_slope_of_the_force() {
    let own = Muscle::new(100.0, 0.2).tendon_length(0.1).numbers();
    for k in -40..40 {
        let (rate, h) = (0.01 * f64::from(k) + 0.005, 1e-6);
        let kd = muscle(&own, 0.7, [0.31, rate]).kd;
        let numeric = -(force(0.7, 0.31, rate + h) - force(0.7, 0.31, rate - h)) / (2.0 * h);
        assert!((kd - numeric).abs() < 1e-3 * (1.0 + kd), "{rate}: {kd} {numeric}");
    }
}

/// T₀ (½ + 1½ a) on the way up, T₁/(½ + 1½ a) on the way down, their mean where a smooth change stands half-way.
#[test]
fn activation_has_two_times() {
    let times = [0.01, 0.04];
    assert!((muscle_time(0.2, 0.9, times, 0.0) - 0.008f64).abs() < 1e-15);
    assert!((muscle_time(0.2, 0.1, times, 0.0) - 0.05f64).abs() < 1e-15);
    assert!((muscle_time(0.2, 0.2, times, 0.3) - 0.029f64).abs() < 1e-15);
    assert!((muscle_time(0.2, 0.9, times, 0.3) - 0.008f64).abs() < 1e-15);
}
