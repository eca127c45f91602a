//! The command line: one file per command. The benchmarks use its parts.
#![forbid(unsafe_code)]

mod bench;
mod check;
mod completions;
mod convert;
mod demo;
mod evaluate;
mod export;
mod figures;
mod models;
mod opening;
mod plan;
mod play;
mod record;
mod run;
mod say;
mod stop;
mod train;
mod train_far;
mod view;
mod watch;
mod workspace;

pub use figures::{cpu_seconds, quantile};
pub use run::noise;
pub use say::say;

use bellcrank::import::ImportError;
use bellcrank::learn::LearnError;
use bellcrank::model::{Faults, Model, library, nearest};
use bellcrank::render::RenderError;
use bellcrank::sim::{Batch, BatchError, BatchOptions, KeyframeFault};
use bellcrank::tasks::EnvError;
use bellcrank::view::ViewError;
use clap::{Parser, Subcommand};
use std::ffi::OsString;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// Runs the command line with these words, the program's name first; gives the exit code. The binary and
/// `python -m bellcrank` are both nothing but this.
pub fn run(words: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> u8 {
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(message) => {
            let _ = message.print(); // nowhere to tell it when the terminal is gone
            return message.exit_code() as u8;
        }
    };
    if let Err(error) = bellcrank::math::check_processor() {
        eprintln!("error: {error}");
        return 1;
    }
    match arguments.run() {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("error: {error}");
            1
        }
    }
}

/// The physics engine for mechanisms that close on themselves.
#[derive(Parser)]
#[command(
    name = "bellcrank",
    bin_name = "bellcrank",
    version,
    arg_required_else_help = true,
    after_help = "First steps:\n  bellcrank demo                    bipeds walk on their linkages: figures, and a page to watch them\n  bellcrank train biped_walk        teach one to walk, in minutes\n  bellcrank view hybrid_biped       a mechanism in the browser, to be pulled at with the mouse\n  bellcrank check robot.urdf        what the engine sees in your own robot\n\nExit codes:\n  0  done\n  1  it cannot be done, and why\n  2  wrong arguments"
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show the engine at work and print figures
    #[command(
        after_help = "Example:\n  bellcrank demo\n  bellcrank demo zoo\n  bellcrank demo --headless --json"
    )]
    Demo(demo::Demo),
    /// Inspect a mechanism: counts, loops, mobility, redundant rows, what looks wrong, what is ignored
    #[command(
        after_help = "Exit codes:\n  0  the file loads\n  1  it does not, and why\n  2  wrong arguments\n  3  it loads with warnings or ignores something, and --strict was given\n\nExample:\n  bellcrank check robot.urdf --base floating\n  bellcrank check hybrid_biped --json"
    )]
    Check(check::Check),
    /// Simulate many worlds of a mechanism and print figures
    #[command(
        after_help = "Exit codes:\n  0    done\n  1    it cannot be done, and why\n  2    wrong arguments\n  3    a step was inexact or lost contacts, and --strict was given\n  4    a world froze\n  130  ended by Ctrl-C before all steps were done\n\nExample:\n  bellcrank run hybrid_biped --worlds 1024 --steps 250 --precision f32\n  bellcrank run four_bar --control random --json\n  bellcrank run hybrid_biped --worlds 16 --steps 2500 --record bipeds.html\n  bellcrank run jansen_walker --worlds 64 --view"
    )]
    Run(run::Run),
    /// Write a mechanism in another format: URDF, MJCF or USD text
    #[command(
        after_help = "Exit codes:\n  0  written\n  1  it cannot be read or written, and why\n  2  wrong arguments\n  3  something is left out, and --strict was given\n\nExample:\n  bellcrank convert robot.urdf robot.xml\n  bellcrank convert robot.xml robot.usda --strict\n  bellcrank convert hybrid_biped biped.urdf --json"
    )]
    Convert(convert::Convert),
    /// Show a mechanism or a recording in the browser
    #[command(
        after_help = "Example:\n  bellcrank view robot.urdf\n  bellcrank view hybrid_biped --worlds 100\n  bellcrank view delta stewart jansen_walker\n  bellcrank view bipeds.html"
    )]
    View(view::View),
    /// Let a policy learn a task
    #[command(
        after_help = "Example:\n  bellcrank train biped_walk --seed 1\n  bellcrank train biped_walk --minutes 5 --config walk.toml --out runs/mine\n  bellcrank train biped_walk --out runs/mine --resume\n  bellcrank train biped_walk --ray auto"
    )]
    Train(train::Train),
    /// Try a policy over many episodes: falls, tracking, energy, pushes
    #[command(
        after_help = "Example:\n  bellcrank evaluate biped_walk\n  bellcrank evaluate runs/biped_walk-1/policy.safetensors --push 0.3 --json\n  bellcrank evaluate biped_walk --precision f64 --dt 0.002"
    )]
    Evaluate(evaluate::Evaluate),
    /// Let a policy act in the browser's view
    #[command(
        after_help = "Example:\n  bellcrank play biped_walk\n  bellcrank play runs/biped_walk-1/policy.safetensors --forward 0.3 --turn 0.2"
    )]
    Play(play::Play),
    /// Turn an object in a hand, or stand and step, by planning: trials, successes, time per plan
    #[command(
        after_help = "Example:\n  bellcrank plan cube_yaw\n  bellcrank plan tin_roll_pitch --trials 20 --json\n  bellcrank plan cube_yaw --hand wonik_allegro/right_hand.xml\n  bellcrank plan biped_stand --push 3 --record stand.html\n  bellcrank plan biped_step --model agility_cassie/scene.xml"
    )]
    Plan(plan::Plan),
    /// Write a policy as an ONNX model
    #[command(after_help = "Example:\n  bellcrank export biped_walk walk.onnx")]
    Export(export::Export),
    /// Measure how fast the engine is on this machine (by the program bellcrank-bench)
    #[command(
        disable_help_flag = true,
        after_help = "Example:\n  bellcrank bench robots\n  bellcrank bench all --plot bench.html"
    )]
    Bench(bench::Bench),
    /// List the mechanisms that ship with Bellcrank
    #[command(after_help = "Example:\n  bellcrank models")]
    Models(models::Models),
    /// Print a script that completes commands in your shell
    #[command(
        after_help = "Example:\n  bellcrank completions bash > ~/.local/share/bash-completion/completions/bellcrank\n  bellcrank completions zsh > ~/.zfunc/_bellcrank\n  bellcrank completions fish > ~/.config/fish/completions/bellcrank.fish"
    )]
    Completions(completions::Completions),
}

impl Arguments {
    fn run(self) -> Result<(), Error> {
        match self.command {
            Command::Demo(demo) => demo.run(),
            Command::Bench(bench) => bench.run(),
            Command::Check(check) => check.run(),
            Command::Convert(convert) => convert.run(),
            Command::Run(run) => run.run(),
            Command::View(view) => view.run(),
            Command::Train(train) => train.run(),
            Command::Evaluate(evaluate) => evaluate.run(),
            Command::Play(play) => play.run(),
            Command::Plan(plan) => plan.run(),
            Command::Export(export) => export.run(),
            Command::Models(models) => models.run(),
            Command::Completions(completions) => completions.run(),
        }
    }
}

/// Why a command failed, told to a person.
#[derive(Debug)]
#[allow(missing_docs)] // what they say is below
pub enum Error {
    UnknownModel(String),
    UnknownFormat(String),
    Keyframe(KeyframeFault),
    NoBench(std::io::Error),
    Write(PathBuf, std::io::Error),
    Faults(Faults),
    Import(ImportError),
    Batch(BatchError),
    View(ViewError),
    Render(RenderError),
    Learn(LearnError),
    Env(EnvError),
    Read(PathBuf, std::io::Error),
    RunExists(PathBuf),
    OtherRun(PathBuf, String),
    WrongStep { dt: f64, own: f64 },
    OneRecording,
    TooManyOfEach(usize),
    NotTogether { integrator: &'static str, solver: &'static str, hint: &'static str },
    Other(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownModel(name) if name.contains(['.', '/', '\\']) => {
                let here =
                    std::env::current_dir().map_or_else(|_| ".".into(), |path| path.display().to_string());
                write!(f, "there is no file {name:?}\n  hint: looked for it from {here}")
            }
            Error::UnknownModel(name) => {
                write!(f, "there is no file and no shipped mechanism {name:?}\n  hint: ")?;
                let known: Vec<String> = library::names().map(str::to_owned).collect();
                match nearest(name, known.iter()) {
                    Some(meant) => write!(f, "did you mean {meant:?}? `bellcrank models` lists all"),
                    None => write!(f, "the shipped ones are {}", known.join(", ")),
                }
            }
            Error::UnknownFormat(name) => {
                write!(f, "{name:?} has no ending of a format\n  hint: .urdf, .xml (MJCF) or .usda")
            }
            Error::Keyframe(fault) => write!(f, "{fault}\n  hint: give another --keyframe, or none"),
            Error::NoBench(error) => write!(
                f,
                "cannot start bellcrank-bench: {error}\n  hint: build it beside this program (cargo build --release -p bellcrank-bench), or put it on the search path"
            ),
            Error::Write(path, error) => {
                write!(f, "cannot write {}: {error}\n  hint: does the folder exist?", path.display())
            }
            Error::Other(text) => f.write_str(text),
            Error::Batch(error @ BatchError::OutOfMemory { .. }) => {
                write!(f, "{error}\n  hint: fewer --worlds, or --precision f32")
            }
            Error::Batch(error) => error.fmt(f),
            Error::View(error) => error.fmt(f),
            Error::Render(error) => error.fmt(f),
            Error::Learn(error) => error.fmt(f),
            Error::Env(error) => error.fmt(f),
            Error::Read(path, error) => write!(f, "cannot read {}: {error}", path.display()),
            Error::RunExists(folder) => write!(
                f,
                "{} holds a run already\n  hint: --resume goes on with it; --out names another folder",
                folder.display()
            ),
            Error::OtherRun(folder, task) => {
                write!(f, "the run in {} is of {task}\n  hint: --out names another folder", folder.display())
            }
            Error::WrongStep { dt, own } => {
                write!(
                    f,
                    "--dt {dt}: the task's step is {own} s\n  hint: that, or a whole part of it: {}",
                    own / 2.0
                )
            }
            Error::TooManyOfEach(most) => {
                write!(
                    f,
                    "several mechanisms are shown with at most {most} worlds of each\n  hint: fewer --worlds"
                )
            }
            Error::OneRecording => {
                f.write_str("a recording is shown alone\n  hint: give its file and nothing else")
            }
            Error::NotTogether { integrator, solver, hint } => {
                write!(f, "--integrator {integrator} does not go with --solver {solver}\n  hint: {hint}")
            }
            Error::Faults(faults) => write!(f, "the model cannot be built\n{faults}"),
            Error::Import(error) => write!(f, "the model cannot be loaded\n{}", opening::told(error)),
        }
    }
}

/// A count that may be zero.
fn whole_number(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "it must be a whole number".into())
}

/// A time step [s].
fn time_step(text: &str) -> Result<f64, String> {
    let wrong = || "it must be a number above zero, in seconds".to_owned();
    text.parse().ok().filter(|dt: &f64| *dt > 0.0 && dt.is_finite()).ok_or_else(wrong)
}

/// Where steps are computed. Places that this build does not know are known by name, so that whoever asks for them is told what there is.
fn device(text: &str) -> Result<String, String> {
    let (kind, number) = text.split_once(':').map_or((text, None), |(kind, number)| (kind, Some(number)));
    match (kind, number.map(str::parse::<u32>)) {
        ("cpu" | "wgpu", None) | ("cuda", None | Some(Ok(_)))
            if bellcrank::devices::NAMES.contains(&kind) =>
        {
            Ok(text.to_owned())
        }
        ("cuda", None | Some(Ok(_))) | ("wgpu", None) => Err("this build does not compute steps there\n  \
             hint: leave --device out, or say cpu; what runs elsewhere is told in docs/computation/gpu.md"
            .to_owned()),
        _ => Err("it must be cpu, cuda:0 (or another number) or wgpu".to_owned()),
    }
}

/// A count of at least one.
pub fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&n| n > 0).ok_or_else(|| "it must be a whole number of at least 1".into())
}

/// Puts all worlds at a keyframe: the named one, else their model's first, where it has one: that is where its author wants
/// it to start. Worlds whose loops do not close at the first one stay at the reference pose, and why is told.
pub fn start_at_keyframe(batch: &mut Batch, named: Option<&str>) -> Result<(), Error> {
    let mut of_model: Vec<(Arc<Model>, Vec<usize>)> = Vec::new();
    for world in 0..batch.worlds() {
        let model = batch.model(world).map_err(Error::Batch)?;
        match of_model.iter_mut().find(|(known, _)| Arc::ptr_eq(known, model)) {
            Some((_, worlds)) => worlds.push(world),
            None => of_model.push((model.clone(), vec![world])),
        }
    }
    for (model, worlds) in of_model {
        let Some(key) = named.or(model.keyframes().first().map(|key| key.name.as_str())) else { continue };
        let closed = batch.reset_worlds_to_keyframe(&worlds, key).map_err(Error::Batch)?;
        let open = worlds.iter().zip(closed).find(|(_, closed)| !closed);
        if let Some((&world, _)) = open
            && let Some(fault) = batch.keyframe_fault(world, key).map_err(Error::Batch)?
        {
            if named.is_some() {
                return Err(Error::Keyframe(fault));
            }
            eprintln!("warning: {fault}; the run starts at the reference pose");
        }
    }
    Ok(())
}

/// A batch of one model.
fn make_batch(model: Arc<Model>, worlds: usize, options: BatchOptions) -> Result<Batch, Error> {
    Batch::new(model, worlds, options).map_err(Error::Batch)
}
