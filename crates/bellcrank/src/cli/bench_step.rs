//! `bellcrank bench step|lanes|chain|mixed|solvers`: what a time step costs and how exact it is.
//!
//! Cases of a scene are run in turn, round after round, and each keeps its best round: other programs on the machine
//! disturb all of them alike.

use super::Error;
use super::bench::{Bench, Record};
use super::figures::{cpu_seconds, quantile};
use super::run::noise;
use bellcrank::model::{Model, library};
use bellcrank::sim::{AllRows, Batch, BatchOptions, InteriorPoint, Method, Precision, Settings};
use bellcrank::solve::{LinearSolver, Padmm, Penalty};
use std::sync::Arc;
use std::time::Instant;

/// One way to run some worlds.
struct Case {
    name: String,
    solver: &'static str,
    worlds: Vec<Arc<Model>>,
    options: BatchOptions,
    /// Targets at random, changed every ten steps.
    tumbling: bool,
}

/// What a case came to.
#[derive(Clone, Copy, Default)]
struct Figures {
    per_second: f64,
    per_core_second: f64,
    gap: f64,
    penetration: f64,
    iterations: usize,
    converged: f64,
    memory: usize,
}

const ROUNDS: usize = 3;

fn shipped(name: &str) -> Result<Arc<Model>, Error> {
    let builder = library::by_name(name).ok_or_else(|| Error::UnknownModel(name.to_owned()))?;
    Ok(Arc::new(builder.build().map_err(Error::Faults)?))
}

fn options(precision: Precision, threads: usize) -> BatchOptions {
    BatchOptions { precision, threads, ..BatchOptions::default() }
}

/// The usual worlds, in both precisions.
pub fn step(bench: &Bench) -> Result<Vec<Record>, Error> {
    let mut cases = Vec::new();
    let scenes = [
        ("four_bar", 1024, false),
        ("slider_crank", 1024, false),
        ("hybrid_biped", 256, false),
        ("hybrid_biped", 256, true),
        ("five_bar_quadruped", 256, false),
        ("tree_and_loops", 16, false),
        ("cartpole", 1024, false),
    ];
    for (name, worlds, tumbling) in scenes {
        let model = shipped(name)?;
        for precision in [Precision::F32, Precision::F64] {
            let label = if tumbling { format!("{name} (tumbling)") } else { name.to_owned() };
            let worlds = vec![model.clone(); worlds];
            cases.push(Case {
                name: label,
                solver: "padmm",
                worlds,
                options: options(precision, 1),
                tumbling,
            });
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
            let worlds = vec![model.clone(); if scalar { 32 } else { 512 }];
            cases.push(Case { name: label.to_owned(), solver: "padmm", worlds, options, tumbling: false });
        }
    }
    measure(bench, cases)
}

/// Hanging chains of 10 to 200 links: cost and memory per link.
pub fn chain(bench: &Bench) -> Result<Vec<Record>, Error> {
    let mut cases = Vec::new();
    for links in [10, 20, 50, 100, 200] {
        let model = Arc::new(
            library::Chain { links, ..library::Chain::default() }.builder().build().map_err(Error::Faults)?,
        );
        let worlds = vec![model; 64];
        let name = format!("{links} links");
        cases.push(Case {
            name,
            solver: "padmm",
            worlds,
            options: options(Precision::F64, 1),
            tumbling: false,
        });
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
    let mut cases = Vec::new();
    for (name, worlds) in models.iter().map(alone).chain([("all in one batch".to_owned(), all)]) {
        cases.push(Case {
            name,
            solver: "padmm",
            worlds,
            options: options(Precision::F32, 1),
            tumbling: false,
        });
    }
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
        Method::AllRows(AllRows { solver, ..all })
    };
    let cr = LinearSolver::ConjugateResidual { iterations: 9 };
    let methods = [
        ("joints eliminated", Method::Eliminate),
        ("interior point", Method::InteriorPoint(InteriorPoint::default())),
        ("all rows, dense LLT, ρ = 1", published(1.0, LinearSolver::Dense)),
        ("all rows, dense LLT, ρ = 0.1", published(0.1, LinearSolver::Dense)),
        ("all rows, CR(9), ρ = 0.1", published(0.1, cr)),
    ];
    let mut cases = Vec::new();
    for name in ["four_bar", "hybrid_biped"] {
        let model = shipped(name)?;
        for (solver, method) in methods {
            let settings = Settings { method, ..Settings::default() };
            let options = BatchOptions { settings: Some(settings), ..options(Precision::F64, 1) };
            let worlds = vec![model.clone(); 16];
            cases.push(Case { name: name.to_owned(), solver, worlds, options, tumbling: false });
        }
    }
    measure(bench, cases)
}

/// Runs all wanted cases in turn; each keeps its best round.
fn measure(bench: &Bench, cases: Vec<Case>) -> Result<Vec<Record>, Error> {
    let cases: Vec<Case> = cases.into_iter().filter(|case| bench.wants(&case.name)).collect();
    let mut best = vec![Figures::default(); cases.len()];
    for _ in 0..ROUNDS {
        for (case, best) in cases.iter().zip(&mut best) {
            let found = case.measure(bench.seconds)?;
            if found.per_core_second > best.per_core_second {
                *best = found;
            }
        }
    }
    Ok(cases.iter().zip(&best).map(|(case, figures)| case.record(figures)).collect())
}

impl Case {
    /// Runs for about `seconds`, after a second of simulated time to settle.
    fn measure(&self, seconds: f64) -> Result<Figures, Error> {
        let mut batch = Batch::of(&self.worlds, self.options).map_err(Error::Batch)?;
        self.advance(&mut batch, 25, 0)?;
        let (wall, cpu, mut steps, mut round) = (Instant::now(), cpu_seconds(), 0, 1);
        let mut figures = Figures { memory: batch.memory_bytes_per_world(), ..Figures::default() };
        let (mut counts, mut converged) = (vec![0_u64; batch.iteration_counts().len()], 0);
        while wall.elapsed().as_secs_f64() < seconds || steps < 50 {
            let report = self.advance(&mut batch, 10, round)?;
            (steps, round) = (steps + 10, round + 1);
            converged += report.converged.iter().sum::<usize>();
            counts.iter_mut().zip(batch.iteration_counts()).for_each(|(sum, n)| *sum += n);
            figures.gap = report.loop_gap.iter().fold(figures.gap, |most, gap| most.max(gap.0));
            figures.penetration = report.penetration.iter().fold(figures.penetration, |most, p| most.max(*p));
        }
        let total = (steps * self.worlds.len()) as f64;
        let (passed, used) = (wall.elapsed().as_secs_f64(), cpu_seconds() - cpu);
        figures.per_second = total / passed;
        // the system counts in hundredths of a second
        figures.per_core_second = total / if used > 0.1 { used } else { passed };
        figures.converged = converged as f64 / total;
        figures.iterations = quantile(&counts, 0.5);
        Ok(figures)
    }

    fn advance(
        &self,
        batch: &mut Batch,
        steps: usize,
        round: usize,
    ) -> Result<bellcrank::sim::StepReport, Error> {
        if self.tumbling {
            for world in 0..batch.worlds() {
                let count = batch.model(world).map_err(Error::Batch)?.actuators().len();
                for actuator in 0..count {
                    let target = 0.3 * noise(0, [round, world, actuator]);
                    batch.set_target_position(world, actuator, target).map_err(Error::Batch)?;
                }
            }
        }
        Ok(batch.step(steps))
    }

    fn record(&self, figures: &Figures) -> Record {
        let precision = if self.options.precision == Precision::F32 { "f32" } else { "f64" };
        Record(vec![
            ("model", self.name.clone().into()),
            ("worlds", self.worlds.len().into()),
            ("solver", self.solver.into()),
            ("precision", precision.into()),
            ("threads", self.options.threads.into()),
            ("world_steps_per_second", figures.per_second.round().into()),
            ("world_steps_per_core_second", figures.per_core_second.round().into()),
            ("loop_gap_max_m", format!("{:.1e}", figures.gap).parse::<f64>().unwrap_or(figures.gap).into()),
            (
                "penetration_max_m",
                format!("{:.1e}", figures.penetration).parse::<f64>().unwrap_or(0.0).into(),
            ),
            ("iterations_median", figures.iterations.into()),
            ("converged_fraction", ((figures.converged * 1e4).round() / 1e4).into()),
            ("memory_bytes_per_world", figures.memory.into()),
        ])
    }
}
