//! `bellcrank-bench step|lanes|mixed|solvers`: what a time step costs and how exact it is.

use crate::case::{Case, Motion, measure};
use crate::{Bench, Record, options, shipped};
use bellcrank::model::Model;
use bellcrank::sim::{AllRows, BatchOptions, Precision, Solver};
use bellcrank::solve::{LinearSolver, Padmm, Penalty};
use bellcrank_cli::Error;
use std::sync::Arc;

/// Worlds of one kind that hold still, with the default solver.
fn plain(name: impl Into<String>, worlds: Vec<Arc<Model>>, options: BatchOptions) -> Case {
    Case { name: name.into(), solver: "padmm", worlds, options, motion: Motion::Hold, settle: 30 }
}

/// The usual worlds, in both precisions.
pub fn step(bench: &Bench) -> Result<Vec<Record>, Error> {
    let mut cases = Vec::new();
    let scenes = [
        ("four_bar", 1024, Motion::Hold),
        ("slider_crank", 1024, Motion::Hold),
        ("hybrid_biped", 256, Motion::Hold),
        ("hybrid_biped", 256, Motion::Random),
        ("five_bar_quadruped", 256, Motion::Hold),
        ("tree_and_loops", 16, Motion::Hold),
        ("cartpole", 1024, Motion::Hold),
    ];
    for (name, worlds, motion) in scenes {
        let model = shipped(name)?;
        for precision in [Precision::F32, Precision::F64] {
            let label = if motion == Motion::Random { format!("{name} (tumbling)") } else { name.to_owned() };
            let case = plain(label, vec![model.clone(); worlds], options(precision, 1));
            cases.push(Case { motion, ..case });
        }
    }
    measure(bench, cases)
}

/// Lanes against one world at a time, and two threads against one.
pub fn lanes(bench: &Bench) -> Result<Vec<Record>, Error> {
    let (model, mut cases) = (shipped("hybrid_biped")?, Vec::new());
    for precision in [Precision::F32, Precision::F64] {
        for (label, scalar, threads) in
            [("one by one", true, 1), ("lanes", false, 1), ("lanes, 2 threads", false, 2)]
        {
            let options = BatchOptions { scalar, ..options(precision, threads) };
            cases.push(plain(label, vec![model.clone(); 512], options));
        }
    }
    measure(bench, cases)
}

/// 1,024 worlds of eight models: in one batch, and model by model.
pub fn mixed(bench: &Bench) -> Result<Vec<Record>, Error> {
    let names =
        ["four_bar", "slider_crank", "jansen_leg", "bennett", "cartpole", "pendulum", "box", "hybrid_biped"];
    let models = names.iter().map(|name| shipped(name)).collect::<Result<Vec<_>, _>>()?;
    let all: Vec<Arc<Model>> = (0..1024).map(|world| models[world % 8].clone()).collect();
    let alone = |model: &Arc<Model>| (model.name().to_owned(), vec![model.clone(); 128]);
    let named = models.iter().map(alone).chain([("all in one batch".to_owned(), all)]);
    let cases = named.map(|(name, worlds)| plain(name, worlds, options(Precision::F32, 1))).collect();
    let mut records = measure(bench, cases)?;
    // the same worlds model by model take the sum of the times
    let rate = |record: &Record| record.number("world_steps_per_core_second");
    let (apart, together) = records.split_at(records.len().saturating_sub(1));
    if apart.len() == names.len() {
        let seconds: f64 = apart.iter().map(|record| 128.0 / rate(record)).sum();
        let ratio = together.iter().map(|record| 1024.0 / rate(record) / seconds).sum::<f64>();
        if let Some(last) = records.last_mut() {
            last.0.push(("time_over_model_by_model", ratio.into()));
        }
    }
    Ok(records)
}

/// Our method against the published one, which iterates on all rows.
pub fn solvers(bench: &Bench) -> Result<Vec<Record>, Error> {
    let published = |penalty: f64, linear: LinearSolver| {
        let all = AllRows::default();
        let solver = Padmm { penalty: Penalty::Fixed(penalty), linear, ..all.solver };
        Solver::AllRows(AllRows { solver, ..all })
    };
    let cr = LinearSolver::ConjugateResidual { iterations: 9 };
    let methods = [
        ("joints eliminated", Solver::exact()),
        ("interior point", Solver::interior_point()),
        ("all rows, dense LLT, ρ = 1", published(1.0, LinearSolver::Dense)),
        ("all rows, dense LLT, ρ = 0.1", published(0.1, LinearSolver::Dense)),
        ("all rows, CR(9), ρ = 0.1", published(0.1, cr)),
    ];
    let mut cases = Vec::new();
    for name in ["four_bar", "hybrid_biped"] {
        let model = shipped(name)?;
        for (name_of, solver) in methods {
            let options = BatchOptions { settings: solver.into(), ..options(Precision::F64, 1) };
            cases.push(Case { solver: name_of, ..plain(name, vec![model.clone(); 16], options) });
        }
    }
    measure(bench, cases)
}
