//! Nanoseconds per state on one thread, row-major arrays in and out: `cargo bench -p bellcrank-tree`.
//!
//! An argument restricts the operators (`cargo bench -p bellcrank-tree -- rnea`). Scalar and lanes take turns; the best
//! of many short runs counts.

#[path = "../tests/support/mod.rs"]
mod support;

use bellcrank_math::{Elem, Level};
use bellcrank_model::{Model, library};
use bellcrank_tree::TreeModel;
use support::robots::Robot;
use support::timing::{OPERATORS, best};

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

fn report<E: Elem>(precision: &str, name: &str, model: &Model, only: Option<&str>) {
    let tree = TreeModel::<E>::new(model);
    for operator in OPERATORS.into_iter().filter(|o| only.is_none_or(|only| o.contains(only))) {
        let [scalar, lanes] = best(&tree, operator, [tree.batch().one_by_one(), tree.batch()], 60);
        println!(
            "{name:<20} {precision} {operator:<18} scalar {scalar:>8.1} ns   lanes {lanes:>8.1} ns   {:>5.1} times",
            scalar / lanes
        );
    }
}

fn main() {
    let only = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    println!("{}, one thread, nanoseconds per state", Level::best());
    for (name, model) in models() {
        report::<f64>("f64", &name, &model, only.as_deref());
        report::<f32>("f32", &name, &model, only.as_deref());
    }
}
