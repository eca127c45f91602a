//! Whole collections of robots, wherever they are: `BELLCRANK_CORPUS=folder cargo test -p bellcrank --test corpus`.
//!
//! Every robot in the folder (MJCF, URDF, USD) is loaded, compared with MuJoCo or Pinocchio where the Python named in
//! `BELLCRANK_PYTHON` has them (mass, and where bodies are at the first keyframe), and simulated for a second. The table goes
//! to `BELLCRANK_CORPUS_TABLE`, else to the tests' temporary folder. What another reader takes and ours refuses is a failure,
//! and so is a mass or a place that differs, and a world that freezes.

#![cfg(corpus)] // without a folder there is nothing to ask

#[path = "corpus/reference.rs"]
mod reference;

use bellcrank::import::{ImportError, Options, load};
use bellcrank::model::Model;
use bellcrank::sim::{Batch, BatchOptions, WorldStatus};
use reference::{Reference, ask};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Masses and places agree to this [kg or m, relative above one]. Meshes of other readers are in single precision.
const TOLERANCE: f64 = 1e-6;
/// A robot that takes longer than this for its second is left there.
const PATIENCE: Duration = Duration::from_secs(30);

/// Files that describe a robot, in order.
fn robots(folder: &Path) -> Vec<PathBuf> {
    let (mut found, mut waiting) = (Vec::new(), vec![folder.to_owned()]);
    while let Some(folder) = waiting.pop() {
        for path in std::fs::read_dir(&folder).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.is_dir() {
                waiting.push(path);
            } else if is_robot(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn is_robot(path: &Path) -> bool {
    match path.extension().and_then(|e| e.to_str()).unwrap_or("") {
        "urdf" | "usda" | "usdc" | "usdz" | "usd" => true,
        "xml" => std::fs::read_to_string(path)
            .is_ok_and(|text| text.contains("<mujoco") && !text.contains("<mujocoinclude")),
        _ => false,
    }
}

/// As it is, else with its inertias mended.
fn read(path: &Path, root: &Path) -> Result<(Model, bool), ImportError> {
    let options = Options::default().folder(root);
    load(path, &options).map(|model| (model, false)).or_else(|error| {
        match load(path, &options.mend_inertia()) {
            Ok(model) => Ok((model, true)),
            Err(_) => Err(error),
        }
    })
}

/// What became of a robot.
#[derive(Default)]
struct Row {
    loads: String,
    counts: String,
    error: String,
    second: String,
    faults: Vec<String>,
}

fn tried(path: &Path, root: &Path) -> Row {
    let theirs = ask(path);
    let (model, mended) = match read(path, root) {
        Ok(read) => read,
        Err(error) => {
            let first = error.faults.first().map_or(String::new(), ToString::to_string);
            let also = matches!(theirs, Reference::Refuses);
            let faults = if matches!(theirs, Reference::Loads { .. }) {
                vec![format!("refused: {first}")]
            } else {
                Vec::new()
            };
            let loads = if also {
                "no, nor elsewhere".into()
            } else {
                format!("no: {}", first.lines().next().unwrap_or(""))
            };
            return Row { loads, faults, ..Row::default() };
        }
    };
    let mut row = Row { loads: if mended { "mended" } else { "yes" }.into(), ..Row::default() };
    row.counts = format!(
        "{} | {} | {} | {:.4}",
        model.bodies().len(),
        model.loops().len(),
        model.ignored().len(),
        model.mass()
    );
    let model = Arc::new(model);
    let options = BatchOptions { dt: Some(model.time_step()), ..BatchOptions::default() };
    let mut batch = match Batch::new(model.clone(), 1, options) {
        Ok(batch) => batch,
        Err(error) => return Row { faults: vec![format!("cannot be simulated: {error}")], ..row },
    };
    let started = model
        .keyframes()
        .first()
        .is_none_or(|key| batch.reset_to_keyframe(0, &key.name).is_ok_and(|closed| closed));
    if let (Reference::Loads { mass, places }, false) = (&theirs, mended) {
        let places = if started { &places[..] } else { &[] };
        row.compare(&model, &batch, *mass, places);
    }
    row.simulate(&mut batch, model.time_step());
    row
}

impl Row {
    fn compare(&mut self, model: &Model, batch: &Batch, mass: f64, places: &[(String, [f64; 3])]) {
        let apart = |ours: f64, theirs: f64| (ours - theirs).abs() / theirs.abs().max(1.0);
        let mut worst = apart(model.mass(), mass);
        if worst > TOLERANCE {
            self.faults.push(format!("mass {} instead of {mass}", model.mass()));
        }
        for (name, expected) in places {
            let Some(body) = model.body_id(name) else { continue };
            let Ok(X_WB) = batch.body_pose(0, body.index()) else { continue };
            let origin = X_WB.p - X_WB.R.rotate(model.bodies()[body.index()].com);
            let error =
                origin.to_array().into_iter().zip(*expected).map(|(a, b)| apart(a, b)).fold(0.0, f64::max);
            worst = worst.max(error);
            // a mechanism with loops or couplings is closed first, which moves it
            if error > TOLERANCE && model.loops().is_empty() && model.couplings().is_empty() {
                self.faults
                    .push(format!("body {name:?} is at {:?} instead of {expected:?}", origin.to_array()));
            }
        }
        self.error = format!("{worst:.1e}");
    }

    fn simulate(&mut self, batch: &mut Batch, dt: f64) {
        let (all, start) = ((1.0 / dt).ceil().clamp(1.0, 1e5) as usize, Instant::now());
        let (mut done, mut exact, mut gap, mut frozen) = (0, 0, 0.0_f64, false);
        while done < all && start.elapsed() < PATIENCE && !frozen {
            let count = (all - done).min(50);
            let report = batch.step(count);
            done += count;
            exact += report.converged[0];
            gap = gap.max(report.loop_gap[0].0);
            frozen = matches!(report.status[0], WorldStatus::Frozen { .. });
        }
        if frozen {
            self.faults.push(format!("freezes within {:.3} s", done as f64 * dt));
        }
        self.second = format!("{done} of {all} | {exact} | {gap:.1e} | {:.1}", start.elapsed().as_secs_f64());
    }
}

#[test]
fn every_robot_of_a_collection_loads_agrees_and_moves() {
    let folder = PathBuf::from(std::env::var("BELLCRANK_CORPUS").expect("it was set when this was built"));
    let files = robots(&folder);
    assert!(!files.is_empty(), "there are no robots in {}", folder.display());
    let mut table = String::from(
        "| robot | loads | bodies | loops | ignored | mass [kg] | worst error | steps | converged | gap [m] | time [s] |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    let mut faults = Vec::new();
    for path in &files {
        let name = path.strip_prefix(&folder).unwrap_or(path).display().to_string();
        let row = tried(path, &folder);
        let counts = if row.counts.is_empty() { " | | |".into() } else { row.counts };
        let second = if row.second.is_empty() { " | | |".into() } else { row.second };
        table += &format!("| {name} | {} | {counts} | {} | {second} |\n", row.loads, row.error);
        faults.extend(row.faults.into_iter().map(|fault| format!("{name}: {fault}")));
    }
    let out = std::env::var("BELLCRANK_CORPUS_TABLE")
        .map_or_else(|_| PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("corpus.md"), PathBuf::from);
    std::fs::write(&out, &table).expect("a table");
    println!("{table}\n{} robots; the table is in {}", files.len(), out.display());
    assert!(faults.is_empty(), "{} faults:\n{}", faults.len(), faults.join("\n"));
}
