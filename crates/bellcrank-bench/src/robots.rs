//! `bellcrank-bench robots`: the scenes that other engines are measured on, by solver, precision and number of threads.
//!
//! The scenes are told here once. `--export` writes them for others: MJCF and URDF, and a description with everything that
//! a program needs to build the same thing and to judge the result. `--states` adds what world 0 did to each record.

use crate::adrift::{self, Companion};
use crate::case::{Case, Motion, STRIDE, measure};
use crate::{Bench, Record, describe, options, shipped};
use bellcrank::import::{Options, load};
use bellcrank::model::Model;
use bellcrank::sim::{Batch, BatchOptions, InteriorPoint, Precision, Solver};
use bellcrank_cli::Error;
use serde_json::{Value, json};
use std::sync::Arc;

/// A mechanism and what it is to do.
pub struct Robot {
    pub name: &'static str,
    /// The name of a shipped mechanism, or a file in the folder of `--robots`.
    pub source: &'static str,
    pub motion: Motion,
    /// Steps before the clock starts.
    pub settle: usize,
    /// How long world 0 is looked at [s].
    pub duration: f64,
    /// How many at a time.
    pub worlds: usize,
}

/// One revolution per second.
const TURN: f64 = std::f64::consts::TAU;

const ROBOTS: &[Robot] = &[
    robot("four_bar", "four_bar", Motion::Speed(TURN), 2.0, 1024),
    robot("chain", "chain", Motion::Hold, 2.0, 1024),
    robot("biped", "hybrid_biped", Motion::Hold, 1.0, 256),
    robot("biped_moving", "hybrid_biped", Motion::Random, 1.0, 256),
    robot("five_bar", "five_bar_quadruped", Motion::Hold, 1.0, 256),
    robot("quadruped", "quadruped", Motion::Hold, 1.0, 512),
    robot("quadruped_moving", "quadruped", Motion::Random, 1.0, 512),
    robot("humanoid", "humanoid", Motion::Hold, 1.0, 256),
    robot("cassie", "agility_cassie/scene.xml", Motion::Hold, 1.0, 256),
    robot("2f85", "robotiq_2f85/2f85.xml", Motion::Full, 1.0, 256),
];

const fn robot(
    name: &'static str,
    source: &'static str,
    motion: Motion,
    duration: f64,
    worlds: usize,
) -> Robot {
    Robot { name, source, motion, settle: 100, duration, worlds }
}

/// Solver, precision, threads (0: all), and whether the world is alone.
type Way = (&'static str, Precision, usize, bool);

const WAYS: [Way; 6] = [
    ("padmm", Precision::F32, 1, false),
    ("padmm", Precision::F64, 1, false),
    ("padmm", Precision::F64, 1, true),
    ("padmm", Precision::F32, 0, false),
    ("comfree", Precision::F32, 1, false),
    ("interior-point", Precision::F64, 1, false),
];

/// One world in 64 bits.
const ALONE: Way = WAYS[2];

pub fn run(bench: &Bench) -> Result<Vec<Record>, Error> {
    let mut cases = Vec::new();
    let mut told = Vec::new();
    for robot in ROBOTS {
        let Some(model) = robot.load(bench)? else { continue };
        if let Some(folder) = &bench.export {
            let start = robot.case(&model, &ALONE).one().start()?;
            describe::write(folder, robot, (&model, &Companion::of(&start)?))?;
        }
        let found = WAYS.iter().map(|way| robot.case(&model, way)).filter(|case| bench.wants(&case.label()));
        for case in found {
            if bench.states {
                told.push(robot.watch(&case)?);
            }
            cases.push(case);
        }
    }
    let mut records = measure(bench, cases)?;
    for (record, states) in records.iter_mut().zip(told) {
        record.0.push(("states", states));
    }
    Ok(records)
}

impl Robot {
    /// None where it is a file and there is no folder with it.
    fn load(&self, bench: &Bench) -> Result<Option<Arc<Model>>, Error> {
        if !self.source.contains('/') {
            return shipped(self.source).map(Some);
        }
        let Some(path) = bench.robots.as_ref().map(|folder| folder.join(self.source)) else {
            return Ok(None);
        };
        if !path.exists() {
            eprintln!("{}: there is no {}", self.name, path.display());
            return Ok(None);
        }
        let name = path.to_string_lossy();
        load(&*name, &Options::default()).map(|model| Some(Arc::new(model))).map_err(Error::Import)
    }

    /// The file of a robot that does not ship.
    pub fn file(&self) -> Option<&str> {
        self.source.contains('/').then_some(self.source)
    }

    /// Step [s]: of the file, or ours.
    pub fn dt(&self, model: &Model) -> f64 {
        if self.file().is_some() { model.time_step() } else { 0.004 }
    }

    fn case(&self, model: &Arc<Model>, (solver, precision, threads, alone): &Way) -> Case {
        let threads = match threads {
            0 => std::thread::available_parallelism().map_or(1, |n| n.get()),
            n => *n,
        };
        let options = BatchOptions {
            dt: Some(self.dt(model)),
            settings: self::solver(solver).into(),
            scalar: *alone,
            ..options(*precision, threads)
        };
        Case {
            name: self.name.to_owned(),
            solver,
            worlds: vec![model.clone(); if *alone { 1 } else { self.worlds }],
            options,
            motion: self.motion,
            settle: self.settle,
        }
    }

    /// What the first world does from its start: the state of all bodies, about a hundred times. And what its companion does in
    /// empty space.
    fn watch(&self, case: &Case) -> Result<Value, Error> {
        let one = case.one();
        let mut batch = one.start()?;
        let companion = Companion::of(&batch)?;
        let mut watched = look_on(&mut batch, self.duration, |batch, step| one.order(batch, step))?;
        let mut alone = Batch::new(companion.model.clone(), 1, one.options).map_err(Error::Batch)?;
        companion.throw(&mut alone)?;
        watched["adrift"] = look_on(&mut alone, adrift::DURATION, |_, _| Ok(()))?;
        Ok(watched)
    }
}

/// The states of all bodies, about a hundred times; `order` tells the motors what to do from a step on.
pub fn look_on(
    batch: &mut Batch,
    duration: f64,
    order: impl Fn(&mut Batch, usize) -> Result<(), Error>,
) -> Result<Value, Error> {
    let steps = (duration / batch.dt()).round() as usize;
    let every = (steps / 100).max(1);
    let (mut samples, mut contacts) = (vec![bodies(batch)?], Vec::new());
    for step in 0..steps {
        if step % STRIDE == 0 {
            order(batch, step)?;
        }
        let report = batch.step(1);
        if (step + 1) % every == 0 {
            samples.push(bodies(batch)?);
            contacts.push(report.contact_count[0]);
        }
    }
    let mean = contacts.iter().sum::<usize>() as f64 / contacts.len().max(1) as f64;
    Ok(json!({ "every": every, "contacts_mean": mean, "samples": samples }))
}

/// Position, quaternion (wxyz) and velocity (linear, angular) of all bodies' centres of mass.
fn bodies(batch: &Batch) -> Result<Vec<Vec<f64>>, Error> {
    let count = batch.model(0).map_err(Error::Batch)?.bodies().len();
    let one = |body: usize| {
        let X = batch.body_pose(0, body).map_err(Error::Batch)?;
        let V = batch.body_velocity(0, body).map_err(Error::Batch)?;
        let [w, x, y, z] = X.R.to_wxyz();
        let (v, o) = (V.linear, V.angular);
        Ok(vec![X.p.x, X.p.y, X.p.z, w, x, y, z, v.x, v.y, v.z, o.x, o.y, o.z])
    };
    (0..count).map(one).collect()
}

fn solver(name: &str) -> Solver {
    match name {
        "comfree" => Solver::comfree(),
        "interior-point" => InteriorPoint::default().into(), // in both precisions
        _ => Solver::exact(),
    }
}
