//! `bellcrank-bench contact`: what a step costs against the number of contacts, by solver, with the depth that is left.

use crate::adrift::{self, Companion};
use crate::robots::look_on;
use crate::{Bench, Record, describe};
use bellcrank::import::to_mjcf;
use bellcrank::math::Vec3;
use bellcrank::model::library::{Pile, Solid};
use bellcrank::model::{Model, ModelBuilder};
use bellcrank::sim::{Batch, BatchOptions, ComFree, Precision, Solver};
use bellcrank_cli::Error;
use bellcrank_cli::cpu_seconds;
use bellcrank_cli::noise;
use serde_json::Value;
use std::sync::Arc;

/// Step of all scenes [s].
const DT: f64 = 0.002;

/// A name and how to make it.
type Candidate = (&'static str, fn() -> Solver);

/// What is compared.
const SOLVERS: [Candidate; 3] = [
    ("padmm", Solver::default),
    ("comfree", Solver::comfree),
    ("comfree published", || ComFree::published(0.2, 0.001).into()),
];

struct Case {
    name: String,
    model: Arc<Model>,
    worlds: usize,
    steps: usize,
    precision: Precision,
}

/// Piles from one solid to five layers of 5 × 5, by solver.
pub fn run(bench: &Bench) -> Result<Vec<Record>, Error> {
    let mut records = Vec::new();
    for case in cases(bench)? {
        for (name, solver) in SOLVERS {
            records.push(case.measure(bench, name, solver())?);
        }
    }
    records.extend(fits(&records));
    Ok(records)
}

fn cases(bench: &Bench) -> Result<Vec<Case>, Error> {
    let mut cases = Vec::new();
    let mut add = |name: &str, pile: ModelBuilder, worlds, steps, precision| -> Result<(), Error> {
        if bench.wants(name) {
            let model = Arc::new(pile.build().map_err(Error::Faults)?);
            if let Some(folder) = &bench.export {
                let description = describe::describe_companion(&Companion::of_pile(&model));
                describe::save(folder, &format!("{name}.xml"), to_mjcf(&model).text.as_bytes())?;
                describe::save(folder, &format!("{name}.json"), description.to_string().as_bytes())?;
            }
            cases.push(Case { name: name.to_owned(), model, worlds, steps, precision });
        }
        Ok(())
    };
    for precision in [Precision::F32, Precision::F64] {
        add("pile_2x2x3", Pile::small().builder(), 64, 750, precision)?;
    }
    let ball = Pile { across: 1, layers: vec![Solid::Ball], ..Pile::default() };
    add("pile_1x1x1", ball.builder(), 1, 500, Precision::F64)?;
    for across in [1, 2, 3, 4, 5] {
        let pile = Pile { across, layers: vec![Solid::Cube, Solid::Capsule, Solid::Ball], ..Pile::default() };
        add(&format!("pile_{across}x{across}x3"), pile.builder(), 1, 500, Precision::F64)?;
    }
    add("pile_5x5x5", Pile::default().builder(), 1, 1000, Precision::F64)?;
    Ok(cases)
}

impl Case {
    fn measure(&self, bench: &Bench, name: &'static str, solver: Solver) -> Result<Record, Error> {
        let options = BatchOptions {
            dt: Some(DT),
            precision: self.precision,
            settings: solver.into(),
            scalar: self.worlds == 1,
            ..BatchOptions::default()
        };
        let start = |worlds: usize| -> Result<Batch, Error> {
            let mut batch = Batch::new(self.model.clone(), worlds, options).map_err(Error::Batch)?;
            scatter(&mut batch)?;
            Ok(batch)
        };
        let (rounds, mut counted, mut used, mut passes) = (self.steps / 10, 0, 0.0, 0);
        while used < bench.seconds {
            let mut batch = start(self.worlds)?;
            let before = cpu_seconds();
            for _ in 0..rounds {
                counted += batch.step(10).contact_count.iter().sum::<usize>();
            }
            (used, passes) = (used + cpu_seconds() - before, passes + 1);
        }
        let used = used / f64::from(passes);
        let contacts = counted as f64 / (rounds * self.worlds) as f64 / f64::from(passes);
        // the same again, for the depths: listing contacts takes time of its own
        let (mut batch, mut sum, mut deepest, mut listed) = (start(1)?, 0.0, 0.0_f64, 0);
        for _ in 0..rounds {
            batch.step(10);
            for contact in batch.contacts(0).map_err(Error::Batch)? {
                if contact.force.norm() > 0.0 {
                    sum += contact.depth.max(0.0);
                    deepest = deepest.max(contact.depth);
                    listed += 1;
                }
            }
        }
        let states = bench.states.then(|| rise(&self.model, options)).transpose()?;
        let total = (self.steps * self.worlds) as f64;
        let micro = |x: f64| (x * 1e6 * 100.0).round() / 100.0;
        let figures = vec![
            ("model", self.name.clone().into()),
            ("worlds", self.worlds.into()),
            ("solver", name.into()),
            ("precision", if self.precision == Precision::F32 { "f32" } else { "f64" }.into()),
            ("threads", 1.into()),
            ("contacts_mean", contacts.round().into()),
            ("microseconds_per_step", micro(used / total).into()),
            ("world_steps_per_core_second", (total / used.max(1e-3)).round().into()),
            ("penetration_mean_um", micro(sum / f64::from(listed.max(1))).into()),
            ("penetration_max_um", micro(deepest).into()),
        ];
        Ok(Record(figures.into_iter().chain(states.map(|states| ("states", states))).collect()))
    }
}

/// The pile's companion: weightless, its solids rise and hit each other.
fn rise(model: &Arc<Model>, options: BatchOptions) -> Result<Value, Error> {
    let mut batch = Batch::new(model.clone(), 1, options).map_err(Error::Batch)?;
    batch
        .change_parameters(0, |parameters| parameters.gravity.set_all(Vec3::zero()))
        .map_err(Error::Batch)?;
    Companion::of_pile(model).throw(&mut batch)?;
    look_on(&mut batch, adrift::DURATION, |_, _| Ok(()))
}

/// Worlds that fall differently: up to 5 cm/s sideways.
fn scatter(batch: &mut Batch) -> Result<(), Error> {
    for world in 0..batch.worlds() {
        let bodies = batch.model(world).map_err(Error::Batch)?.bodies().len();
        for body in 0..bodies {
            let push = |k: usize| 0.05 * noise(1, [world, body, k]);
            let mut V = batch.body_velocity(world, body).map_err(Error::Batch)?;
            (V.linear.x, V.linear.y) = (push(0), push(1));
            batch.set_body_velocity(world, body, V).map_err(Error::Batch)?;
        }
    }
    Ok(())
}

/// Time = a + b · contacts over the piles of one world and the same three kinds of solids, with the share of its variance
/// that the line explains (R²).
fn fits(records: &[Record]) -> Vec<Record> {
    let mut lines = Vec::new();
    for (solver, _) in SOLVERS {
        let text = |record: &Record, key: &str| {
            let field = record.0.iter().find(|(name, _)| *name == key);
            field.and_then(|(_, value)| value.as_str()).unwrap_or_default().to_owned()
        };
        let points: Vec<[f64; 2]> = records
            .iter()
            .filter(|r| {
                text(r, "solver") == solver && r.number("worlds") == 1.0 && text(r, "model").ends_with("x3")
            })
            .map(|r| [r.number("contacts_mean"), r.number("microseconds_per_step")])
            .collect();
        if points.len() < 3 {
            continue;
        }
        let n = points.len() as f64;
        let mean = |k: usize| points.iter().map(|p| p[k]).sum::<f64>() / n;
        let (x, y) = (mean(0), mean(1));
        let product =
            |i: usize, j: usize| points.iter().map(|p| (p[i] - [x, y][i]) * (p[j] - [x, y][j])).sum::<f64>();
        let slope = product(0, 1) / product(0, 0);
        let explained = slope * product(0, 1) / product(1, 1);
        let round = |x: f64| (x * 1e4).round() / 1e4;
        lines.push(Record(vec![
            ("model", "line through the piles of one world".into()),
            ("solver", solver.into()),
            ("microseconds_per_contact", round(slope).into()),
            ("microseconds_at_zero", round(y - slope * x).into()),
            ("r_squared", round(explained).into()),
        ]));
    }
    lines
}
