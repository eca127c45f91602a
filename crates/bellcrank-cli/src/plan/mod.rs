//! `bellcrank plan`

mod balance;
mod hand;
mod window;

use super::figures::cpu_seconds;
use super::record::{Record, Recording};
use super::say::{Progress, say};
use super::watch::Listen;
use super::{Error, stop};
use bellcrank::control::{self, ControlError, Planner};
use bellcrank::model::nearest;
use bellcrank::sim::Batch;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use std::sync::atomic::Ordering;
use window::Window;

#[derive(Args)]
pub struct Plan {
    /// What to do: turn an object (cube, duck, tin or cylinder, then _yaw or _roll_pitch, as in cube_yaw; in_hand for all eight), or biped_stand, biped_step
    scene: String,
    /// MJCF file of the right Allegro hand (`right_hand.xml`) [default: the shipped linkage_hand]
    #[arg(long, value_name = "FILE")]
    hand: Option<String>,
    /// MJCF file of Cassie (`scene.xml`), to stand and step [default: the shipped hybrid_biped]
    #[arg(long, value_name = "FILE")]
    model: Option<String>,
    /// Trials, each with another goal or other pushes, model error and noise
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = super::at_least_one)]
    trials: usize,
    /// Controls that are tried for a plan [default: 256 in a hand, 64 on legs]
    #[arg(long, value_name = "N", value_parser = super::at_least_one)]
    samples: Option<usize>,
    /// Steps that a plan looks ahead [default: 48 of 4 ms in a hand, 50 of 10 ms on legs]
    #[arg(long, value_name = "N", value_parser = super::at_least_one)]
    horizon: Option<usize>,
    /// A trial ends after this time of the plant [s] [default: 60 in a hand, 30 on legs]
    #[arg(long, value_name = "S")]
    seconds: Option<f64>,
    /// Samples that go on after half of the horizon, as a share [default: all]
    #[arg(long, value_name = "SHARE", value_parser = share)]
    survivors: Option<f64>,
    /// From a state to the plan that was made from it, on the plant's clock, in a hand [s] [default: 0.02]
    #[arg(long, value_name = "S")]
    latency: Option<f64>,
    /// The goal is reached when the object has been there for so long [s]
    #[arg(long, default_value_t = 0.0, value_name = "S")]
    hold: f64,
    /// Momentum of each push on the torso, shared over 0.1 s every 5 s [N·s]
    #[arg(long, default_value_t = 0.0, value_name = "NS", allow_negative_numbers = true)]
    push: f64,
    /// Seed of the first trial; the next ones count on
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads; 0 for one per core
    #[arg(long, default_value_t = 0, value_name = "T", value_parser = RangedU64ValueParser::<usize>::new().range(0..=1024))]
    threads: usize,
    /// Show the plant in the browser while it is planned for, with the paths of fingertips or feet in some of the samples
    #[arg(long)]
    view: bool,
    #[command(flatten)]
    listen: Listen,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// The first trial is recorded
    #[command(flatten)]
    record: Record,
}

/// A trial that goes on period by period.
trait Course {
    /// How it stands.
    type End: Copy;
    fn advance(&mut self) -> Result<(), ControlError>;
    fn plan(&mut self) -> Result<control::Plan, ControlError>;
    /// How it stands, the plant's time, and whether nothing more will come of it.
    fn end(&self) -> Result<(Self::End, f64, bool), ControlError>;
    fn plant(&self) -> &Batch;
    fn plant_mut(&mut self) -> &mut Batch;
    fn planner(&self) -> &Planner;
    /// Keeps where fingertips or feet go in rollouts.
    fn watch(&mut self) -> Result<(), ControlError>;
    fn words(end: &Self::End) -> String;
}

/// Times of all plans and ends of all trials.
struct Tally<End> {
    wall_ms: Vec<f64>,
    cpu_ms: Vec<f64>,
    ends: Vec<End>,
}

impl<End> Tally<End> {
    fn new() -> Self {
        Tally { wall_ms: Vec::new(), cpu_ms: Vec::new(), ends: Vec::new() }
    }
}

impl Plan {
    pub fn run(self) -> Result<(), Error> {
        match self.scene.as_str() {
            "biped_stand" | "biped_step" => balance::run(&self),
            _ => hand::run(&self),
        }
    }

    /// All trials, one after the other; `seconds` is the time that one takes at most.
    fn trials<C: Course>(
        &self,
        seconds: f64,
        mut begin: impl FnMut(u64) -> Result<C, ControlError>,
    ) -> Result<Tally<C::End>, Error> {
        let mut tally = Tally::new();
        let mut progress = Progress::new(!self.json);
        let mut window = None;
        for k in 0..self.trials {
            let words = || format!("trial {} of {}", k + 1, self.trials);
            let mut trial = begin(self.seed.wrapping_add(k as u64)).map_err(told)?;
            if self.view {
                trial.watch().map_err(told)?;
                if window.is_none() {
                    window = Some(Window::open(trial.plant(), &self.listen)?);
                }
            }
            let mut film = if k == 0 { self.record.start(trial.plant(), Vec::new())? } else { None };
            let mut shown =
                |time: f64| progress.show((k as f64 + time / seconds) / self.trials as f64, words);
            let end = one_trial(&mut trial, &mut tally, (&mut film, &mut window), &mut shown)?;
            if let Some(film) = film {
                film.finish()?;
            }
            let Some(end) = end else { break };
            tally.ends.push(end);
            progress.note(|| format!("{}: {}", words(), C::words(&end)));
        }
        progress.clear();
        Ok(tally)
    }
}

/// Plans and acts until the trial is over; `None` where Ctrl-C came first.
fn one_trial<C: Course>(
    trial: &mut C,
    tally: &mut Tally<C::End>,
    (film, window): (&mut Option<Recording>, &mut Option<Window>),
    shown: &mut impl FnMut(f64),
) -> Result<Option<C::End>, Error> {
    loop {
        trial.advance().map_err(told)?;
        let (end, time, over) = trial.end().map_err(told)?;
        if let Some(film) = film {
            film.observe(trial.plant(), time)?;
        }
        if let Some(window) = window {
            window.look(trial, time)?;
        }
        if over {
            return Ok(Some(end));
        }
        if stop::asked().load(Ordering::Relaxed) {
            return Ok(None);
        }
        let cpu = cpu_seconds();
        match trial.plan() {
            Ok(plan) => tally.wall_ms.push(1e3 * plan.seconds),
            Err(ControlError::NoUsableSample { .. }) => {} // the plan at hand goes on
            Err(error) => return Err(told(error)),
        }
        tally.cpu_ms.push(1e3 * (cpu_seconds() - cpu));
        shown(time);
    }
}

/// Refuses a scene, with the nearest name that is known.
fn unknown(scene: &str, mut known: Vec<String>) -> Error {
    known.extend(["in_hand", "biped_stand", "biped_step"].map(str::to_owned));
    let hint = match nearest(scene, known.iter()) {
        Some(near) => format!("did you mean {near:?}?"),
        None => format!("known are {}", known.join(", ")),
    };
    Error::Other(format!("there is no scene {scene:?}\n  hint: {hint}"))
}

/// The value that a share of all are not above; zero where there are none.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let last = values.len().saturating_sub(1);
    values.get((share * last as f64).round() as usize).copied().unwrap_or(0.0)
}

fn told(error: ControlError) -> Error {
    Error::Other(error.to_string())
}

fn line(name: &str, value: impl std::fmt::Display) {
    say(format_args!("  {name:<22}{value}"));
}

/// The line about the time of a plan.
fn plan_times([least, median, p95, cpu]: [f64; 4]) {
    line(
        "a plan",
        format_args!("{median:.1} ms (at least {least:.1}, 95 %: {p95:.1}), {cpu:.1} ms of processor time"),
    );
}

fn share(text: &str) -> Result<f64, String> {
    let share: f64 = text.parse().unwrap_or(f64::NAN);
    (share > 0.0 && share <= 1.0).then_some(share).ok_or_else(|| "expected: above 0 and at most 1".to_owned())
}
