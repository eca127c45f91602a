//! Turning an object in a hand.

use super::{Course, Plan, Tally, line, plan_times, quantile, unknown};
use crate::Error;
use crate::say::say;
use crate::stop;
use bellcrank::control::hand::{Goal, Hand, Object, Standing, Trial, TrialOptions};
use bellcrank::control::{ControlError, Planner};
use bellcrank::import;
use bellcrank::sim::Batch;
use serde::Serialize;
use std::sync::atomic::Ordering;

/// Every object and goal.
const ALL: &str = "in_hand";

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
    latency_s: f64,
    plan_ms_min: f64,
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

impl Course for Trial {
    type End = Standing;

    fn advance(&mut self) -> Result<(), ControlError> {
        Trial::advance(self)
    }

    fn plan(&mut self) -> Result<bellcrank::control::Plan, ControlError> {
        Trial::plan(self)
    }

    fn end(&self) -> Result<(Standing, f64, bool), ControlError> {
        self.standing().map(|standing| (standing, standing.time, standing.over))
    }

    fn plant(&self) -> &Batch {
        Trial::plant(self)
    }

    fn plant_mut(&mut self) -> &mut Batch {
        Trial::plant_mut(self)
    }

    fn planner(&self) -> &Planner {
        Trial::planner(self)
    }

    fn watch(&mut self) -> Result<(), ControlError> {
        Trial::watch(self)
    }

    fn words(end: &Standing) -> String {
        in_words(end)
    }
}

/// Trials of a scene, and what they came to.
pub(super) fn run(plan: &Plan) -> Result<(), Error> {
    if plan.scene == ALL {
        return run_all(plan);
    }
    let found = one_scene(plan, &plan.open_hand()?, read_scene(&plan.scene)?)?;
    if plan.json {
        say(serde_json::json!(found));
    } else {
        found.print();
    }
    Ok(())
}

/// All objects and goals, one line or one record each.
fn run_all(plan: &Plan) -> Result<(), Error> {
    let hand = plan.open_hand()?;
    let mut all = Vec::new();
    for object in Object::ALL {
        for goal in [Goal::Yaw, Goal::RollPitch] {
            let found = one_scene(plan, &hand, (object, goal))?;
            if !plan.json {
                if all.is_empty() {
                    found.print_head();
                }
                found.print_row();
            }
            all.push(found);
            if stop::asked().load(Ordering::Relaxed) {
                break;
            }
        }
    }
    if plan.json {
        say(serde_json::json!(all));
    }
    Ok(())
}

fn one_scene(plan: &Plan, hand: &Hand, (object, goal): (Object, Goal)) -> Result<Found, Error> {
    let seconds = plan.hand_options(hand, 0).time_limit;
    let tally = plan.trials(seconds, |seed| Trial::new(hand, object, goal, plan.hand_options(hand, seed)))?;
    let scene = format!("{}_{}", object.name(), goal.name());
    Ok(Found { scene, ..plan.found(hand, tally) })
}

impl Plan {
    fn open_hand(&self) -> Result<Hand, Error> {
        let Some(file) = &self.hand else { return Ok(Hand::linkage()) };
        let builder = import::load_builder(file, &import::Options::default()).map_err(Error::Import)?;
        Ok(Hand::allegro(builder))
    }

    fn hand_options(&self, hand: &Hand, seed: u64) -> TrialOptions {
        let known = hand.options();
        let mut options = TrialOptions {
            samples: self.samples.unwrap_or(known.samples),
            threads: self.threads,
            time_limit: self.seconds.unwrap_or(known.time_limit),
            hold: self.hold,
            latency: self.latency.unwrap_or(known.latency),
            seed,
            ..known
        };
        options.planner.horizon = self.horizon.unwrap_or(options.planner.horizon);
        options.planner.knots = options.planner.knots.map(|knots| knots.min(options.planner.horizon));
        options.planner.survivors = self.survivors.unwrap_or(options.planner.survivors);
        options.planner.seed = seed;
        options
    }

    fn found(&self, hand: &Hand, tally: Tally<Standing>) -> Found {
        let Tally { mut wall_ms, mut cpu_ms, ends } = tally;
        let (plans, options) = (wall_ms.len(), self.hand_options(hand, self.seed));
        let reached: Vec<Standing> = ends.iter().copied().filter(|end| end.reached).collect();
        let mean = |of: fn(&Standing) -> f64| {
            (!reached.is_empty()).then(|| reached.iter().map(of).sum::<f64>() / reached.len() as f64)
        };
        Found {
            scene: self.scene.clone(),
            hand: hand.name.clone(),
            planner: options.planner.method.name(),
            samples: options.samples,
            horizon: options.planner.horizon,
            threads: self.threads,
            hold_s: self.hold,
            latency_s: options.latency,
            plan_ms_p95: quantile(&mut wall_ms, 0.95),
            plan_ms_median: quantile(&mut wall_ms, 0.5),
            plan_ms_min: quantile(&mut wall_ms, 0.0),
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
    parts.ok_or_else(|| unknown(scene, known))
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
    fn print_head(&self) {
        say(format_args!(
            "{}, {} of {} × {}, plans {:.0} ms late",
            self.hand,
            self.planner,
            self.samples,
            self.horizon,
            1e3 * self.latency_s
        ));
        say(
            "scene                 reached  fell  after [s]  off [mm]  1-(q.q)^2  plan [ms]: least  median  processor",
        );
    }

    fn print_row(&self) {
        let number = |x: Option<f64>, scale: f64, digits: usize| {
            x.map_or_else(|| "-".to_owned(), |x| format!("{:.digits$}", scale * x))
        };
        let reached = (self.success_fraction * self.trials as f64).round();
        say(format_args!(
            "{:<20} {reached:>3} of {:<3} {:>3} {:>9} {:>9} {:>10} {:>17.1} {:>7.1} {:>10.1}",
            self.scene,
            self.trials,
            self.fallen,
            number(self.seconds_mean, 1.0, 1),
            number(self.position_error_mean_m, 1e3, 1),
            number(self.quat_error_mean, 1.0, 3),
            self.plan_ms_min,
            self.plan_ms_median,
            self.plan_cpu_ms_median,
        ));
    }

    fn print(&self) {
        say(format_args!(
            "{} in {}, {} of {} × {}",
            self.scene, self.hand, self.planner, self.samples, self.horizon
        ));
        line(
            "reached",
            format!("{:.0} % of {} trials, {} fell", 100.0 * self.success_fraction, self.trials, self.fallen),
        );
        if let (Some(s), Some(p), Some(q)) =
            (self.seconds_mean, self.position_error_mean_m, self.quat_error_mean)
        {
            line("when reached", format!("after {s:.1} s, {:.1} mm and {q:.3} from the goal", 1e3 * p));
        }
        plan_times([self.plan_ms_min, self.plan_ms_median, self.plan_ms_p95, self.plan_cpu_ms_median]);
    }
}
