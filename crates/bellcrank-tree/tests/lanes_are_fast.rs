//! A guard, not a benchmark: operators on lanes must be at least four times as fast per state as one by one.
//!
//! What it catches is a lost `#[inline(always)]`, or a closure in a kernel: code compiled outside the lanes'
//! instruction set is ten to thirty times slower. Both sides take turns in this process, the best of many short runs
//! counts. Results stay in lanes: writing large ones costs both sides the same. Meaningful with optimisation only.
#![cfg(not(debug_assertions))]

use bellcrank_math::Level;
use bellcrank_model::library;
use bellcrank_tree::measure::{Contestant, Settings, measure};

#[test]
fn lanes_are_at_least_four_times_as_fast_as_the_scalar() {
    let level = Level::best();
    // four numbers per register of AVX2, of which some are lost in overheads
    let least = match level {
        Level::Avx512 => 4.0,
        Level::Avx2 if !cfg!(bellcrank_quick_build) => 2.5,
        _ => return println!("skipped: {level} has no wide vectors, or this build leaves them out"),
    };
    let one = |level| Contestant { level, threads: 1, rows: false };
    let settings = Settings {
        batch: 256,
        seconds: 0.05,
        contestants: vec![one(Level::Scalar), one(level)],
        operators: vec!["fk", "rnea", "crba", "aba", "rnea_derivatives", "aba_vjp"],
    };
    let biped = library::hybrid_biped().build().expect("shipped");
    let timings = measure(&biped, &settings).expect("arrays of the right size");
    for pair in timings.chunks_exact(2) {
        let (operator, precision) = (pair[0].operator, pair[0].precision);
        let times = pair[0].ns_per_state / pair[1].ns_per_state;
        println!("{level}, {operator} in {precision}: lanes are {times:.1} times as fast as the scalar");
        assert!(
            times >= least,
            "{operator} on {precision} lanes is only {times:.2} times as fast as on {precision}"
        );
    }
}
