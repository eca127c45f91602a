//! Nanoseconds per state on one thread, row-major arrays in and out: `cargo bench -p bellcrank-tree --bench tree`.
//!
//! An argument restricts the operators (`cargo bench -p bellcrank-tree --bench tree -- rnea`). The same figures on
//! models that ship with the program: `bellcrank bench tree`.

#[path = "../tests/support/mod.rs"]
mod support;

use bellcrank_math::Level;
use bellcrank_model::{Model, library};
use bellcrank_tree::measure::{OPERATORS, Settings, measure};
use support::robots::Robot;

/// Arm, quadruped and humanoid: the reference robots where they are at hand, otherwise mechanisms of our own.
fn models() -> Vec<(String, Model)> {
    let known = |name: &'static str| Robot::load(name).map(|robot| (name.to_owned(), robot.model));
    let own = |name: &str| {
        let model = library::by_name(name).and_then(|builder| builder.build().ok()).expect("shipped");
        (name.to_owned(), model)
    };
    let pick = |robot: &'static str, name: &str| known(robot).unwrap_or_else(|| own(name));
    vec![pick("iiwa14", "chain"), pick("go2", "five_bar_quadruped"), pick("g1_29", "hybrid_biped")]
}

fn main() {
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-')).unwrap_or_default();
    println!("{}, one thread, nanoseconds per state", Level::best());
    let operators = OPERATORS.into_iter().filter(|operator| operator.contains(&only)).collect();
    let settings = Settings { threads: vec![1], operators, ..Settings::default() };
    for (name, model) in models() {
        let timings = measure(&model, &settings).expect("arrays of the right size");
        for pair in timings.chunks_exact(2) {
            let (scalar, lanes) = (pair[0].ns_per_state, pair[1].ns_per_state);
            println!(
                "{name:<20} {} {:<18} scalar {scalar:>8.1} ns   lanes {lanes:>8.1} ns   {:>5.1} times",
                pair[0].precision,
                pair[0].operator,
                scalar / lanes
            );
        }
    }
}
