//! `bellcrank bench`: scenes, each giving records.
//!
//! A scene is a name, a line of text and a function; to add one, write the function and its entry in [`SCENES`].

use super::{Error, bench_contact, bench_linear, bench_step, bench_tree};
use clap::Args;
use serde_json::{Map, Value};
use std::path::PathBuf;

#[derive(Args)]
pub struct Bench {
    /// What to measure; nothing lists what there is
    pub scene: Option<String>,
    /// States or worlds at a time
    #[arg(long, default_value_t = 4096)]
    pub batch: usize,
    /// Time for each figure [s]
    #[arg(long, default_value_t = 0.2)]
    pub seconds: f64,
    /// Only what has this in its name: of an operator, or of a model
    #[arg(long)]
    pub only: Option<String>,
    /// Also write the models as URDF into this folder, for other programs to measure
    #[arg(long)]
    pub urdf: Option<PathBuf>,
    /// Print JSON: a list of records
    #[arg(long)]
    pub json: bool,
}

/// One figure with what it belongs to, in the order in which it is shown.
pub struct Record(pub Vec<(&'static str, Value)>);

/// Something that can be measured.
pub struct Scene {
    pub name: &'static str,
    pub about: &'static str,
    pub run: fn(&Bench) -> Result<Vec<Record>, Error>,
}

/// All scenes.
pub const SCENES: &[Scene] = &[
    Scene {
        name: "step",
        about: "time steps of the shipped mechanisms, in both precisions",
        run: bench_step::step,
    },
    Scene {
        name: "lanes",
        about: "lanes against one world at a time, two threads against one",
        run: bench_step::lanes,
    },
    Scene {
        name: "chain",
        about: "chains of 10 to 200 links: cost and memory per link",
        run: bench_step::chain,
    },
    Scene {
        name: "mixed",
        about: "1,024 worlds of eight models, in one batch and model by model",
        run: bench_step::mixed,
    },
    Scene {
        name: "solvers",
        about: "joints eliminated, against all rows inside the solver as published",
        run: bench_step::solvers,
    },
    Scene {
        name: "contact",
        about: "piles: time against the number of contacts, and penetration, by solver",
        run: bench_contact::run,
    },
    Scene {
        name: "linear",
        about: "block factor of the biped against the dense factor of its Delassus matrix",
        run: bench_linear::run,
    },
    Scene {
        name: "tree",
        about: "operators on trees (kinematics, dynamics, derivatives) of an arm, a quadruped and a humanoid",
        run: bench_tree::run,
    },
];

impl Record {
    /// A field that is a number; zero for others.
    pub fn number(&self, key: &str) -> f64 {
        self.0.iter().find(|(name, _)| *name == key).and_then(|(_, value)| value.as_f64()).unwrap_or(0.0)
    }
}

impl Bench {
    pub fn run(self) -> Result<(), Error> {
        let Some(name) = &self.scene else {
            SCENES.iter().for_each(|scene| println!("{:<12} {}", scene.name, scene.about));
            return Ok(());
        };
        let scene = SCENES.iter().find(|scene| scene.name == name);
        let scene = scene.ok_or_else(|| Error::UnknownScene(name.clone()))?;
        let records = (scene.run)(&self)?;
        if self.json {
            let named = |record: Record| -> Value {
                let scene = [("scene".to_owned(), Value::from(scene.name))];
                let fields = record.0.into_iter().map(|(key, value)| (key.to_owned(), value));
                Value::from(scene.into_iter().chain(fields).collect::<Map<String, Value>>())
            };
            println!("{}", Value::from(records.into_iter().map(named).collect::<Vec<Value>>()));
        } else {
            print_table(&records);
        }
        Ok(())
    }

    /// Whether something of this name is wanted.
    pub fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    }
}

/// One line per record, one column per field.
fn print_table(records: &[Record]) {
    let Some(first) = records.first() else { return println!("nothing has such a name") };
    let mut lines = vec![first.0.iter().map(|(key, _)| (*key).to_owned()).collect::<Vec<String>>()];
    lines.extend(records.iter().map(|record| record.0.iter().map(|(_, value)| text(value)).collect()));
    let width = |column: usize| {
        lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count()).max()
    };
    let widths: Vec<usize> = (0..first.0.len()).map(|column| width(column).unwrap_or(0)).collect();
    for line in &lines {
        let cells: Vec<String> =
            line.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
        println!("{}", cells.join("  "));
    }
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) => match number.as_f64() {
            Some(x) if x != 0.0 && x.abs() < 1e-2 => format!("{x:.1e}"),
            Some(x) if x.fract() != 0.0 && x.abs() < 10.0 => format!("{x:.4}"),
            Some(x) if x.fract() != 0.0 => format!("{x:.1}"),
            Some(x) if x.abs() >= 1e3 => format!("{x:.0}"),
            _ => number.to_string(),
        },
        other => other.to_string(),
    }
}
