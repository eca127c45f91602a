//! Nanoseconds per state, whichever instruction sets this processor has: `cargo bench -p bellcrank-tree --bench tree`.
//!
//! An argument restricts the operators, a number is the batch (`cargo bench -p bellcrank-tree --bench tree -- rnea 256`).
//! The same figures on models that ship with the program: `bellcrank-bench tree`.

#[path = "../tests/support/mod.rs"]
mod support;

use bellcrank_model::{Model, library};
use bellcrank_tree::measure::{OPERATORS, Settings, Timing, measure};
use support::robots::Robot;

/// Arm, quadruped and humanoid: the reference robots where they are at hand, otherwise mechanisms of our own.
fn models() -> Vec<(String, Model)> {
    let known = |name: &'static str| Robot::are_at_hand().then(|| (name.to_owned(), Robot::load(name).model));
    let own = |name: &str| {
        let model = library::by_name(name).and_then(|builder| builder.build().ok()).expect("shipped");
        (name.to_owned(), model)
    };
    let pick = |robot: &'static str, name: &str| known(robot).unwrap_or_else(|| own(name));
    vec![pick("iiwa14", "chain"), pick("go2", "five_bar_quadruped"), pick("g1_29", "hybrid_biped")]
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|a| !a.starts_with('-')).collect();
    let batch = arguments.iter().find_map(|a| a.parse().ok()).unwrap_or(4096);
    let only = arguments.iter().find(|a| a.parse::<usize>().is_err()).cloned().unwrap_or_default();
    let operators = OPERATORS.into_iter().filter(|operator| operator.contains(&only)).collect();
    let settings = Settings { batch, operators, ..Settings::default() };
    for (name, model) in models() {
        let timings = measure(&model, &settings).expect("arrays of the right size");
        for group in timings.chunks(settings.contestants.len()) {
            let figures: Vec<String> = group.iter().map(figure).collect();
            println!("{name:<8} {} {:<25} {}", group[0].precision, group[0].operator, figures.join("  "));
        }
    }
}

/// "AVX-512 rows 35.2", "AVX-512 rows, 2 threads 20.1"
fn figure(timing: &Timing) -> String {
    let contestant = timing.contestant;
    let place = if contestant.rows { "rows" } else { "lanes" };
    let threads =
        if contestant.threads > 1 { format!(", {} threads", contestant.threads) } else { String::new() };
    format!("{} {place}{threads} {:.1}", contestant.level, timing.ns_per_state)
}
