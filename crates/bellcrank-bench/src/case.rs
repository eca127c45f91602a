//! One way to run some worlds, and what it comes to.
//!
//! Cases are run in turn, round after round, so that other programs on the machine disturb all of them alike. The median
//! round counts; the slowest and the fastest are told beside it.

use crate::{Bench, Record};
use bellcrank::model::{Control, Keyframe, Model};
use bellcrank::sim::{Batch, BatchOptions, Precision, StepReport, WorldStatus};
use bellcrank_cli::Error;
use bellcrank_cli::noise;
use bellcrank_cli::start_at_keyframe;
use bellcrank_cli::{cpu_seconds, quantile};
use std::sync::Arc;
use std::time::Instant;

/// Steps between two orders to the motors, and between two looks at the figures.
pub const STRIDE: usize = 10;

/// What the motors are told.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion {
    /// To hold the pose in which the world starts.
    Hold,
    /// To turn so fast [rad/s].
    Speed(f64),
    /// To go somewhere else every [`STRIDE`] steps, up to 0.3 rad from the reference.
    Random,
    /// The upper end of their range of controls.
    Full,
}

/// One way to run some worlds.
pub struct Case {
    pub name: String,
    pub solver: &'static str,
    pub worlds: Vec<Arc<Model>>,
    pub options: BatchOptions,
    pub motion: Motion,
    /// Steps before the clock starts.
    pub settle: usize,
}

/// What one round of a case came to.
#[derive(Clone, Default)]
struct Figures {
    per_second: f64,
    per_core_second: f64,
    gap: f64,
    penetration: f64,
    residual: f64,
    contacts: f64,
    iterations: usize,
    converged: f64,
    memory: usize,
    /// Worlds that stopped: their steps are not work.
    frozen: usize,
}

/// Runs all wanted cases in turn.
pub fn measure(bench: &Bench, cases: Vec<Case>) -> Result<Vec<Record>, Error> {
    let cases: Vec<Case> = cases.into_iter().filter(|case| bench.wants(&case.label())).collect();
    let mut found: Vec<Vec<Figures>> = vec![Vec::new(); cases.len()];
    for _ in 0..bench.rounds {
        for (case, found) in cases.iter().zip(&mut found) {
            found.push(case.measure(bench.seconds)?);
        }
    }
    Ok(cases.iter().zip(found).map(|(case, rounds)| case.record(rounds)).collect())
}

impl Case {
    /// By which `--only` chooses: all that tells this case from others.
    pub fn label(&self) -> String {
        let (threads, worlds) = (self.options.threads, self.worlds.len());
        format!(
            "{} {} {} {threads} threads {worlds} worlds",
            self.name,
            self.solver,
            precision(&self.options)
        )
    }

    /// The same of the first world alone.
    pub fn one(&self) -> Case {
        Case { worlds: self.worlds[..1].to_vec(), name: self.name.clone(), ..*self }
    }

    /// Worlds where they start.
    pub fn start(&self) -> Result<Batch, Error> {
        let mut batch = Batch::of(&self.worlds, self.options).map_err(Error::Batch)?;
        // a keyframe that says nothing is the reference pose, where worlds are anyway; assembling thousands takes seconds
        let moves =
            |key: &Keyframe| !(key.joints.is_empty() && key.bodies.is_empty() && key.velocities.is_empty());
        if batch.models().iter().any(|model| model.keyframes().first().is_some_and(moves)) {
            start_at_keyframe(&mut batch, None)?;
        }
        Ok(batch)
    }

    /// One round of about so long.
    fn measure(&self, seconds: f64) -> Result<Figures, Error> {
        let mut batch = self.start()?;
        let mut step = 0;
        while step < self.settle {
            self.order(&mut batch, step)?;
            batch.advance(STRIDE);
            step += STRIDE;
        }
        let mut figures = Figures { memory: batch.memory_bytes_per_world(), ..Figures::default() };
        let (mut counts, mut converged) = (vec![0_u64; batch.iteration_counts().len()], 0);
        let (mut passed, mut used, mut steps, mut looks) = (0.0, 0.0, 0, 0.0);
        while passed < seconds || steps < 2 * STRIDE {
            self.order(&mut batch, step)?;
            let (wall, cpu) = (Instant::now(), cpu_seconds());
            batch.advance(STRIDE);
            (used, passed) = (used + cpu_seconds() - cpu, passed + wall.elapsed().as_secs_f64());
            (steps, step, looks) = (steps + STRIDE, step + STRIDE, looks + 1.0);
            let report = batch.report();
            converged += report.converged.iter().sum::<usize>();
            counts.iter_mut().zip(batch.iteration_counts()).for_each(|(sum, n)| *sum += n);
            figures.add(&report);
        }
        let total = (steps * self.worlds.len()) as f64;
        figures.per_second = total / passed;
        figures.per_core_second = total / if used > 0.0 { used } else { passed };
        figures.converged = converged as f64 / total;
        figures.contacts /= looks * self.worlds.len() as f64;
        figures.iterations = quantile(&counts, 0.5);
        figures.frozen =
            batch.report().status.iter().filter(|s| matches!(s, WorldStatus::Frozen { .. })).count();
        Ok(figures)
    }

    /// Tells the motors what to do from this step on.
    pub fn order(&self, batch: &mut Batch, step: usize) -> Result<(), Error> {
        let again = step == 0 || self.motion == Motion::Random;
        if self.motion == Motion::Hold || !again {
            return Ok(());
        }
        for world in 0..batch.worlds() {
            let model = batch.model(world).map_err(Error::Batch)?.clone();
            for (a, actuator) in model.actuators().iter().enumerate() {
                let told = match (self.motion, actuator.control) {
                    (Motion::Speed(speed), _) => batch.set_target_velocity(world, a, speed),
                    (Motion::Random, _) => {
                        batch.set_target_position(world, a, 0.3 * noise(0, [step / STRIDE, world, a]))
                    }
                    (Motion::Full, Control::Position { .. }) => {
                        batch.set_target_position(world, a, actuator.control_range[1])
                    }
                    (Motion::Full, _) => batch.set_effort(world, a, actuator.control_range[1]),
                    (Motion::Hold, _) => Ok(()),
                };
                told.map_err(Error::Batch)?;
            }
        }
        Ok(())
    }

    fn record(&self, mut rounds: Vec<Figures>) -> Record {
        rounds.sort_by(|a, b| a.per_core_second.total_cmp(&b.per_core_second));
        let middle = rounds[rounds.len() / 2].clone();
        let worst = |field: fn(&Figures) -> f64| rounds.iter().map(field).fold(0.0, f64::max);
        let rate = |figures: &Figures| figures.per_core_second.round();
        Record(vec![
            ("model", self.name.clone().into()),
            ("worlds", self.worlds.len().into()),
            ("solver", self.solver.into()),
            ("precision", precision(&self.options).into()),
            ("threads", self.options.threads.into()),
            ("world_steps_per_second", middle.per_second.round().into()),
            ("world_steps_per_core_second", rate(&middle).into()),
            ("slowest_round", rate(&rounds[0]).into()),
            ("fastest_round", rate(&rounds[rounds.len() - 1]).into()),
            ("loop_gap_max_m", short(worst(|f| f.gap)).into()),
            ("penetration_max_m", short(worst(|f| f.penetration)).into()),
            ("residual_max", short(worst(|f| f.residual)).into()),
            ("contacts_mean", short(middle.contacts).into()),
            ("iterations_median", middle.iterations.into()),
            ("converged_fraction", ((middle.converged * 1e4).round() / 1e4).into()),
            ("frozen_worlds", middle.frozen.into()),
            ("memory_bytes_per_world", middle.memory.into()),
        ])
    }
}

impl Figures {
    fn add(&mut self, report: &StepReport) {
        self.gap = report.loop_gap.iter().fold(self.gap, |most, gap| most.max(gap.0));
        self.penetration = report.penetration.iter().fold(self.penetration, |most, p| most.max(*p));
        self.residual = report.residual.iter().fold(self.residual, |most, r| most.max(*r));
        self.contacts += report.contact_count.iter().sum::<usize>() as f64;
    }
}

pub fn precision(options: &BatchOptions) -> &'static str {
    if options.precision == Precision::F32 { "f32" } else { "f64" }
}

/// Two digits; a number that is not finite as the largest there is, so that JSON can say it.
fn short(x: f64) -> f64 {
    if x.is_finite() { format!("{x:.1e}").parse().unwrap_or(x) } else { f64::MAX }
}
