//! A guard, not a benchmark: dynamics on lanes must be at least four times as fast per state as one by one.
//!
//! What it catches is a lost `#[inline(always)]`, or a closure in a kernel: code compiled outside the lanes'
//! instruction set is ten to thirty times slower. Both sides take turns in this process, the best of many short runs
//! counts. Results stay in lanes: writing large ones costs both sides the same. Meaningful with optimisation only.
#![cfg(not(debug_assertions))]

use bellcrank_math::Level;
use bellcrank_model::library;
use bellcrank_tree::measure::{Contestant, Settings, measure};

/// Operators and how many times as fast lanes must be. One by one, the compiler puts several numbers of one state into a
/// register where an operator moves many side by side; what is left for lanes is less there.
const LEAST: [(&str, f64); 6] =
    [("rnea", 4.0), ("crba", 4.0), ("aba", 4.0), ("fk", 4.0), ("rnea_derivatives", 3.0), ("aba_vjp", 3.0)];

#[test]
#[cfg_attr(
    not(wide_lanes),
    ignore = "this build has no wide vectors: BELLCRANK_LANES or the target leaves them out"
)]
fn lanes_are_at_least_four_times_as_fast_as_the_scalar() {
    let level = Level::best();
    // registers of AVX2 have half the width
    let share = match level {
        Level::Avx512 => 1.0,
        Level::Avx2 => 0.5,
        _ => panic!("{level}: this processor has no wide vectors to be fast with"),
    };
    let one = |level| Contestant { level, threads: 1, rows: false };
    let settings = Settings {
        batch: 1024,
        seconds: 0.05,
        contestants: vec![one(Level::Scalar), one(level)],
        operators: LEAST.iter().map(|(operator, _)| *operator).collect(),
    };
    let biped = library::hybrid_biped().build().expect("shipped");
    let mut best = vec![0.0_f64; 2 * LEAST.len()];
    for _ in 0..3 {
        // other work on the machine can hide the difference, but not make one
        let timings = measure(&biped, &settings).expect("arrays of the right size");
        for (best, pair) in best.iter_mut().zip(timings.chunks_exact(2)) {
            *best = best.max(pair[0].ns_per_state / pair[1].ns_per_state);
        }
    }
    let names = ["f64", "f32"].into_iter().flat_map(|precision| LEAST.map(|least| (precision, least)));
    for (times, (precision, (operator, least))) in best.into_iter().zip(names) {
        let least = least * share;
        println!("{level}, {operator} in {precision}: lanes are {times:.1} times as fast as the scalar");
        assert!(
            times >= least,
            "{operator} on {precision} lanes is only {times:.2} times as fast, not {least}"
        );
    }
}
