//! `bellcrank-bench`: scenes, each giving records.
//!
//! A scene is a name, a line of text and a function; to add one, write the function and its entry in [`SCENES`].
//!
//! | file | what |
//! |---|---|
//! | `case` | one way to run some worlds: how it is timed, and its record |
//! | `robots` `step` `access` `pictures` `scaling` `contact` `linear` `tree` | the scenes |
//! | `describe` | scenes as files, for other programs |
//! | `adrift` | scenes in empty space, to see who keeps momentum and energy |
//! | `page` | records as a page with pictures |
#![forbid(unsafe_code)]

mod access;
mod adrift;
mod case;
mod contact;
mod describe;
mod linear;
mod page;
mod pictures;
mod robots;
mod scaling;
mod step;
mod tree;

use bellcrank::model::{Model, library};
use bellcrank::sim::{BatchOptions, Precision};
use bellcrank_cli::{Error, at_least_one, say};
use clap::Parser;
use serde_json::{Map, Value};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    let done = Bench::parse().run();
    if let Err(error) = &done {
        eprintln!("error: {error}");
    }
    ExitCode::from(u8::from(done.is_err()))
}

/// Measures how fast the engine is on this machine.
#[derive(Parser)]
#[command(
    version,
    after_help = "Example:\n  bellcrank-bench robots --only biped\n  bellcrank-bench all --plot bench.html\n  bellcrank-bench tree --json --only rnea"
)]
pub struct Bench {
    /// What to measure, or `all`; nothing lists what there is
    pub scene: Option<String>,
    /// States at a time, for operators on trees
    #[arg(long, default_value_t = 4096, value_parser = at_least_one)]
    pub batch: usize,
    /// Time for each figure in each round [s]
    #[arg(long, default_value_t = 0.2, value_parser = a_time)]
    pub seconds: f64,
    /// Rounds, all figures in turn; the median counts
    #[arg(long, default_value_t = 3, value_parser = at_least_one)]
    pub rounds: usize,
    /// Only what has this in its name: of a model, an operator, a solver, a precision
    #[arg(long)]
    pub only: Option<String>,
    /// A folder with robots of others (agility_cassie/scene.xml, robotiq_2f85/2f85.xml) for the scene `robots`
    #[arg(long)]
    pub robots: Option<PathBuf>,
    /// Also write the models into this folder, for other programs to measure
    #[arg(long)]
    pub export: Option<PathBuf>,
    /// With `robots` and `contact`: add what the bodies of one world do to each record
    #[arg(long)]
    pub states: bool,
    /// Print JSON: a list of records
    #[arg(long)]
    pub json: bool,
    /// Write a page with pictures
    #[arg(long, value_name = "OUT.html")]
    pub plot: Option<PathBuf>,
}

/// One figure with what it belongs to, in the order in which it is shown.
pub struct Record(pub Vec<(&'static str, Value)>);

/// Something that can be measured.
pub struct Scene {
    /// As it is asked for.
    pub name: &'static str,
    /// In a few words.
    pub about: &'static str,
    /// Measures it.
    pub run: fn(&Bench) -> Result<Vec<Record>, Error>,
}

/// All scenes.
pub const SCENES: &[Scene] = &[
    Scene {
        name: "robots",
        about: "robots that stand, move and turn, by solver, precision and threads",
        run: robots::run,
    },
    Scene {
        name: "worlds",
        about: "1 to 8,192 bipeds at a time, on one thread and on all",
        run: scaling::worlds,
    },
    Scene {
        name: "chain",
        about: "chains of 10 to 200 links: cost and memory per link",
        run: scaling::chain,
    },
    Scene {
        name: "contact",
        about: "piles: time against the number of contacts, and penetration, by solver",
        run: contact::run,
    },
    Scene {
        name: "step",
        about: "time steps of the shipped mechanisms, in both precisions",
        run: step::step,
    },
    Scene {
        name: "lanes",
        about: "lanes against one world at a time, two threads against one",
        run: step::lanes,
    },
    Scene {
        name: "access",
        about: "what it costs to look at 1,024 bipeds and to change some, beside a step",
        run: access::run,
    },
    Scene {
        name: "pictures",
        about: "drawing worlds on the processor: depths and colours, by raster and by rays",
        run: pictures::run,
    },
    Scene {
        name: "mixed",
        about: "1,024 worlds of eight models, in one batch and model by model",
        run: step::mixed,
    },
    Scene {
        name: "solvers",
        about: "joints eliminated, against all rows inside the solver as published",
        run: step::solvers,
    },
    Scene {
        name: "linear",
        about: "block factor of the biped against the dense factor of its Delassus matrix",
        run: linear::run,
    },
    Scene {
        name: "tree",
        about: "operators on trees (kinematics, dynamics, derivatives) of an arm, a quadruped and a humanoid",
        run: tree::run,
    },
];

/// What `all` stands for: each scene and its curves, none of them twice.
const OVERVIEW: [&str; 4] = ["robots", "worlds", "chain", "contact"];

impl Record {
    /// A field that is a number; zero for others.
    pub fn number(&self, key: &str) -> f64 {
        self.get(key).and_then(Value::as_f64).unwrap_or(0.0)
    }

    /// A field that is a text; empty for others.
    pub fn text(&self, key: &str) -> &str {
        self.get(key).and_then(Value::as_str).unwrap_or_default()
    }

    /// The number with which a text begins: 20 of "20 links".
    pub fn leading_number(&self, key: &str) -> f64 {
        self.text(key).split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(f64::NAN)
    }

    /// A field in words: "f32", "2 threads"; empty where there is none.
    fn words(&self, key: &str) -> String {
        match self.get(key) {
            Some(value) if key == "threads" => format!("{value} threads").replace("1 threads", "1 thread"),
            Some(value) => text(value),
            None => String::new(),
        }
    }

    fn copy(&self) -> Record {
        Record(self.0.clone())
    }

    /// What is shown to people: all but long lists.
    fn shown(&self) -> impl Iterator<Item = &(&'static str, Value)> {
        self.0.iter().filter(|(_, value)| !value.is_object())
    }

    fn keys(&self) -> Vec<&'static str> {
        self.shown().map(|(key, _)| *key).collect()
    }

    fn cells(&self) -> Vec<String> {
        self.shown().map(|(_, value)| text(value)).collect()
    }

    fn get(&self, key: &str) -> Option<&Value> {
        self.0.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }
}

impl Bench {
    /// Measures, and prints what was found.
    pub fn run(self) -> Result<(), Error> {
        let Some(name) = &self.scene else {
            SCENES.iter().for_each(|scene| say(format_args!("{:<12} {}", scene.name, scene.about)));
            say(format_args!("{:<12} {}", "all", OVERVIEW.join(", ")));
            return Ok(());
        };
        let wanted = |scene: &&Scene| scene.name == name || name == "all" && OVERVIEW.contains(&scene.name);
        let scenes: Vec<&Scene> = SCENES.iter().filter(wanted).collect();
        if scenes.is_empty() {
            let known: Vec<&str> = SCENES.iter().map(|scene| scene.name).collect();
            return Err(Error::Other(format!(
                "there is no benchmark {name:?}\n  hint: there are {}",
                known.join(", ")
            )));
        }
        let mut found = Vec::new();
        for scene in scenes {
            let records = (scene.run)(&self)?;
            if !self.json {
                say(format_args!("{}: {}", scene.name, scene.about));
                print_table(&records);
            }
            found.push((scene, records));
        }
        if let Some(path) = &self.plot {
            std::fs::write(path, page::html(&found)).map_err(|error| Error::Write(path.clone(), error))?;
        }
        if self.json {
            let named = |(scene, records): (&Scene, Vec<Record>)| {
                records.into_iter().map(|record| record.json(scene.name)).collect::<Vec<Value>>()
            };
            say(format_args!("{}", Value::from(found.into_iter().flat_map(named).collect::<Vec<Value>>())));
        }
        Ok(())
    }

    /// Whether something of this name is wanted.
    pub fn wants(&self, name: &str) -> bool {
        self.only.as_ref().is_none_or(|only| name.contains(only.as_str()))
    }
}

impl Record {
    fn json(self, scene: &str) -> Value {
        let fields = self.0.into_iter().map(|(key, value)| (key.to_owned(), value));
        let scene = [("scene".to_owned(), Value::from(scene))];
        Value::from(scene.into_iter().chain(fields).collect::<Map<String, Value>>())
    }
}

/// A time above zero.
fn a_time(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|x: &f64| *x > 0.0 && x.is_finite())
        .ok_or_else(|| "it must be above zero".into())
}

/// A shipped mechanism, built.
fn shipped(name: &str) -> Result<Arc<Model>, Error> {
    let builder = library::by_name(name).ok_or_else(|| Error::UnknownModel(name.to_owned()))?;
    Ok(Arc::new(builder.build().map_err(Error::Faults)?))
}

fn options(precision: Precision, threads: usize) -> BatchOptions {
    BatchOptions { precision, threads, ..BatchOptions::default() }
}

/// One line per record, one column per field; a new head where the fields change.
fn print_table(records: &[Record]) {
    if records.is_empty() {
        say("nothing has such a name");
    }
    for alike in records.chunk_by(|a, b| a.keys() == b.keys()) {
        let mut lines = vec![alike[0].keys().iter().map(|key| (*key).to_owned()).collect::<Vec<String>>()];
        lines.extend(alike.iter().map(Record::cells));
        let width = |column: usize| lines.iter().map(|line| line[column].chars().count()).max();
        let widths: Vec<usize> = (0..lines[0].len()).map(|column| width(column).unwrap_or(0)).collect();
        for line in &lines {
            let cells: Vec<String> =
                line.iter().zip(&widths).map(|(cell, width)| format!("{cell:>width$}")).collect();
            say(format_args!("{}", cells.join("  ")));
        }
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
