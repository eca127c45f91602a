//! Standing and stepping on two legs.

use super::{Course, Plan, Tally, line, plan_times, quantile, told};
use crate::Error;
use crate::say::say;
use crate::stop;
use bellcrank::control::balance::{BalanceOptions, BalanceTrial, Stance, Walker};
use bellcrank::control::{ControlError, Planner};
use bellcrank::import;
use bellcrank::sim::Batch;
use serde::Serialize;
use std::sync::atomic::Ordering;

/// What the trials came to; a success is not to have fallen.
#[derive(Serialize)]
struct Found {
    scene: String,
    model: String,
    planner: &'static str,
    samples: usize,
    horizon: usize,
    threads: usize,
    push_ns: f64,
    mass_kg: f64,
    plan_ms_min: f64,
    plan_ms_median: f64,
    plan_ms_p95: f64,
    plan_cpu_ms_median: f64,
    plans: usize,
    trials: usize,
    success_fraction: f64,
    pushes: usize,
    seconds_min: f64,
    away_max_m: f64,
    steps: usize,
    predictions_lost: usize,
    interrupted: bool,
}

/// Between two steps of the same foot when it steps in place [s].
const STEP_PERIOD: f64 = 0.8;

impl Course for BalanceTrial {
    type End = Stance;

    fn advance(&mut self) -> Result<(), ControlError> {
        BalanceTrial::advance(self)
    }

    fn plan(&mut self) -> Result<bellcrank::control::Plan, ControlError> {
        BalanceTrial::plan(self)
    }

    fn end(&self) -> Result<(Stance, f64, bool), ControlError> {
        self.stance().map(|stance| (stance, stance.time, stance.over))
    }

    fn plant(&self) -> &Batch {
        BalanceTrial::plant(self)
    }

    fn plant_mut(&mut self) -> &mut Batch {
        BalanceTrial::plant_mut(self)
    }

    fn planner(&self) -> &Planner {
        BalanceTrial::planner(self)
    }

    fn watch(&mut self) -> Result<(), ControlError> {
        BalanceTrial::watch(self)
    }

    fn words(end: &Stance) -> String {
        let Stance { time, away, tilt, steps: [left, right], pushes, fallen, .. } = *end;
        let how = if fallen { "fell" } else { "stood" };
        let tilt = tilt.to_degrees();
        format!(
            "{how}, {time:.1} s, {pushes} pushes, {left} + {right} steps, {away:.2} m from its place, tilted by {tilt:.0}°"
        )
    }
}

/// Trials of a robot, and what they came to.
pub(super) fn run(plan: &Plan) -> Result<(), Error> {
    let walker = match &plan.model {
        None => Walker::hybrid_biped(),
        Some(file) => {
            let builder = import::load_builder(file, &import::Options::default()).map_err(Error::Import)?;
            Walker::cassie(builder).map_err(told)?
        }
    };
    let mass = walker.model().map_err(told)?.mass();
    let options = |seed| plan.balance_options(&walker, mass, seed);
    let tally = plan.trials(options(0).time_limit, |seed| BalanceTrial::new(&walker, options(seed)))?;
    let found = plan.balanced(&walker, mass, tally);
    if plan.json {
        say(serde_json::json!(found));
    } else {
        found.print();
    }
    Ok(())
}

impl Plan {
    fn balance_options(&self, walker: &Walker, mass: f64, seed: u64) -> BalanceOptions {
        let known = walker.options();
        let mut options = BalanceOptions {
            samples: self.samples.unwrap_or(known.samples),
            threads: self.threads,
            step_period: (self.scene == "biped_step").then_some(STEP_PERIOD),
            push: self.push / mass,
            time_limit: self.seconds.unwrap_or(known.time_limit),
            seed,
            ..known
        };
        options.planner.horizon = self.horizon.unwrap_or(options.planner.horizon);
        options.planner.knots = options.planner.knots.map(|knots| knots.min(options.planner.horizon));
        options.planner.survivors = self.survivors.unwrap_or(options.planner.survivors);
        options.planner.seed = seed;
        options
    }

    fn balanced(&self, walker: &Walker, mass: f64, tally: Tally<Stance>) -> Found {
        let Tally { mut wall_ms, mut cpu_ms, ends } = tally;
        let options = self.balance_options(walker, mass, self.seed);
        let stood = ends.iter().filter(|end| !end.fallen).count();
        Found {
            scene: self.scene.clone(),
            model: walker.name.clone(),
            planner: options.planner.method.name(),
            samples: options.samples,
            horizon: options.planner.horizon,
            threads: self.threads,
            push_ns: self.push,
            mass_kg: mass,
            plans: wall_ms.len(),
            plan_ms_p95: quantile(&mut wall_ms, 0.95),
            plan_ms_median: quantile(&mut wall_ms, 0.5),
            plan_ms_min: quantile(&mut wall_ms, 0.0),
            plan_cpu_ms_median: quantile(&mut cpu_ms, 0.5),
            trials: ends.len(),
            success_fraction: stood as f64 / ends.len().max(1) as f64,
            pushes: ends.iter().map(|end| end.pushes).sum(),
            seconds_min: ends.iter().map(|end| end.time).reduce(f64::min).unwrap_or(0.0),
            away_max_m: ends.iter().map(|end| end.away).fold(0.0, f64::max),
            steps: ends.iter().map(|end| end.steps[0] + end.steps[1]).sum(),
            predictions_lost: ends.iter().map(|end| end.lost).sum(),
            interrupted: stop::asked().load(Ordering::Relaxed),
        }
    }
}

impl Found {
    fn print(&self) {
        let Found { scene, model, planner, samples, horizon, .. } = self;
        say(format_args!("{scene}, {model}, {planner} of {samples} × {horizon}"));
        line(
            "stood",
            format_args!(
                "{:.0} % of {} trials, the first to fall after {:.1} s",
                100.0 * self.success_fraction,
                self.trials,
                self.seconds_min
            ),
        );
        line("pushes", format_args!("{} of {:.1} N·s on {:.1} kg", self.pushes, self.push_ns, self.mass_kg));
        line("steps", self.steps);
        plan_times([self.plan_ms_min, self.plan_ms_median, self.plan_ms_p95, self.plan_cpu_ms_median]);
    }
}
