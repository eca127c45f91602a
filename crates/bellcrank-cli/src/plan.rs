//! `bellcrank plan`

use super::figures::cpu_seconds;
use super::say::{Progress, say};
use super::{Error, stop};
use bellcrank::control::ControlError;
use bellcrank::control::hand::{Goal, Hand, Object, Standing, Trial, TrialOptions};
use bellcrank::import;
use bellcrank::model::nearest;
use clap::Args;
use clap::builder::RangedU64ValueParser;
use serde::Serialize;
use std::sync::atomic::Ordering;

#[derive(Args)]
pub struct Plan {
    /// What to turn and how: cube, duck, tin or cylinder, then _yaw or _roll_pitch, as in cube_yaw
    scene: String,
    /// MJCF file of the right Allegro hand (`right_hand.xml`) [default: the shipped linkage_hand]
    #[arg(long, value_name = "FILE")]
    hand: Option<String>,
    /// Trials, each with another goal, model error and noise
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = super::at_least_one)]
    trials: usize,
    /// Controls that are tried for a plan
    #[arg(long, default_value_t = 256, value_name = "N", value_parser = super::at_least_one)]
    samples: usize,
    /// Steps of 4 ms that a plan looks ahead
    #[arg(long, default_value_t = 48, value_name = "N", value_parser = super::at_least_one)]
    horizon: usize,
    /// A trial ends after this time of the plant [s]
    #[arg(long, default_value_t = 60.0, value_name = "S")]
    seconds: f64,
    /// The goal is reached when the object has been there for so long [s]
    #[arg(long, default_value_t = 0.0, value_name = "S")]
    hold: f64,
    /// Seed of the first trial; the next ones count on
    #[arg(long, default_value_t = 0)]
    seed: u64,
    /// Threads; 0 for one per core
    #[arg(long, default_value_t = 0, value_name = "T", value_parser = RangedU64ValueParser::<usize>::new().range(0..=1024))]
    threads: usize,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What the trials came to; means are over those that reached their goal.
#[derive(Serialize)]
struct Found {
    scene: String,
    hand: String,
    planner: &'static str,
    samples: usize,
    horizon: usize,
    threads: usize,
    hold_s: f64,
    plan_ms_median: f64,
    plan_ms_p95: f64,
    plan_cpu_ms_median: f64,
    plans: usize,
    trials: usize,
    success_fraction: f64,
    fallen: usize,
    seconds_mean: Option<f64>,
    position_error_mean_m: Option<f64>,
    quat_error_mean: Option<f64>,
    interrupted: bool,
}

/// Times of all plans and ends of all trials.
#[derive(Default)]
struct Tally {
    wall_ms: Vec<f64>,
    cpu_ms: Vec<f64>,
    ends: Vec<Standing>,
}

impl Plan {
    pub fn run(self) -> Result<(), Error> {
        let (object, goal) = read_scene(&self.scene)?;
        let hand = self.open_hand()?;
        let mut tally = Tally::default();
        let mut progress = Progress::new(!self.json);
        for k in 0..self.trials {
            let words = || format!("trial {} of {}", k + 1, self.trials);
            let seed = self.seed.wrapping_add(k as u64);
            let mut trial = Trial::new(&hand, object, goal, self.options(&hand, seed)).map_err(told)?;
            let mut shown =
                |time: f64| progress.show((k as f64 + time / self.seconds) / self.trials as f64, words);
            let Some(end) = one_trial(&mut trial, &mut tally, &mut shown)? else { break };
            tally.ends.push(end);
            progress.note(|| format!("{}: {}", words(), in_words(&end)));
        }
        progress.clear();
        let found = self.found(&hand, tally);
        if self.json {
            say(serde_json::json!(found));
        } else {
            found.print();
        }
        Ok(())
    }

    fn open_hand(&self) -> Result<Hand, Error> {
        let Some(file) = &self.hand else { return Ok(Hand::linkage()) };
        let builder = import::load_builder(file, &import::Options::default()).map_err(Error::Import)?;
        Ok(Hand::allegro(builder))
    }

    fn options(&self, hand: &Hand, seed: u64) -> TrialOptions {
        let mut options =
            TrialOptions { samples: self.samples, threads: self.threads, seed, ..hand.options() };
        (options.planner.horizon, options.planner.seed) = (self.horizon, seed);
        (options.time_limit, options.hold) = (self.seconds, self.hold);
        options
    }

    fn found(&self, hand: &Hand, tally: Tally) -> Found {
        let Tally { mut wall_ms, mut cpu_ms, ends } = tally;
        let plans = wall_ms.len();
        let reached: Vec<Standing> = ends.iter().copied().filter(|end| end.reached).collect();
        let mean = |of: fn(&Standing) -> f64| {
            (!reached.is_empty()).then(|| reached.iter().map(of).sum::<f64>() / reached.len() as f64)
        };
        Found {
            scene: self.scene.clone(),
            hand: hand.name.clone(),
            planner: hand.options().planner.method.name(),
            samples: self.samples,
            horizon: self.horizon,
            threads: self.threads,
            hold_s: self.hold,
            plan_ms_p95: quantile(&mut wall_ms, 0.95),
            plan_ms_median: quantile(&mut wall_ms, 0.5),
            plan_cpu_ms_median: quantile(&mut cpu_ms, 0.5),
            plans,
            trials: ends.len(),
            success_fraction: reached.len() as f64 / ends.len().max(1) as f64,
            fallen: ends.iter().filter(|end| end.fallen).count(),
            seconds_mean: mean(|end| end.time),
            position_error_mean_m: mean(|end| end.position_error),
            quat_error_mean: mean(|end| end.quat_error),
            interrupted: stop::asked().load(Ordering::Relaxed),
        }
    }
}

/// Plans and acts until the trial is over; `None` where Ctrl-C came first.
fn one_trial(
    trial: &mut Trial,
    tally: &mut Tally,
    shown: &mut impl FnMut(f64),
) -> Result<Option<Standing>, Error> {
    loop {
        trial.advance().map_err(told)?;
        let standing = trial.standing().map_err(told)?;
        if standing.over {
            return Ok(Some(standing));
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
        shown(standing.time);
    }
}

fn read_scene(scene: &str) -> Result<(Object, Goal), Error> {
    let known: Vec<String> = Object::ALL
        .iter()
        .flat_map(|object| {
            [Goal::Yaw, Goal::RollPitch].map(|goal| format!("{}_{}", object.name(), goal.name()))
        })
        .collect();
    let parts = scene
        .split_once('_')
        .and_then(|(object, goal)| Some((Object::by_name(object)?, Goal::by_name(goal)?)));
    parts.ok_or_else(|| {
        let hint = match nearest(scene, known.iter()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("known are {}", known.join(", ")),
        };
        Error::Other(format!("there is no scene {scene:?}\n  hint: {hint}"))
    })
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

fn in_words(end: &Standing) -> String {
    let how = match end {
        Standing { reached: true, .. } => "reached",
        Standing { fallen: true, .. } => "fallen",
        _ => "out of time",
    };
    format!(
        "{how} after {:.1} s, {:.1} mm and {:.3} from the goal",
        end.time,
        1e3 * end.position_error,
        end.quat_error
    )
}

impl Found {
    fn print(&self) {
        say(format_args!(
            "{} in {}, {} of {} × {}",
            self.scene, self.hand, self.planner, self.samples, self.horizon
        ));
        let line = |name: &str, value: String| say(format_args!("  {name:<22}{value}"));
        line(
            "reached",
            format!("{:.0} % of {} trials, {} fell", 100.0 * self.success_fraction, self.trials, self.fallen),
        );
        if let (Some(s), Some(p), Some(q)) =
            (self.seconds_mean, self.position_error_mean_m, self.quat_error_mean)
        {
            line("when reached", format!("after {s:.1} s, {:.1} mm and {q:.3} from the goal", 1e3 * p));
        }
        line(
            "a plan",
            format!(
                "{:.1} ms (95 %: {:.1} ms), {:.1} ms of processor time",
                self.plan_ms_median, self.plan_ms_p95, self.plan_cpu_ms_median
            ),
        );
    }
}
