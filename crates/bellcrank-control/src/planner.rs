//! One planning step: perturb the controls at hand, try them all, keep what was cheap.

use crate::knots::{Knots, Mix};
use crate::method::{Memory, Method, Tried};
use crate::noise::Noise;
use crate::options::{Action, Bounds, Options, bounds, next_control};
use crate::paths::{self, Paths};
use crate::report::{Plan, Trouble, Unusable};
use crate::rollouts::Rollouts;
use crate::start::{PlantState, listened_to};
use crate::{ControlError, Cost, Near};
use bellcrank_sim::Batch;
use std::time::Instant;

/// Plans controls for a plant by trying them in a batch of worlds.
pub struct Planner {
    options: Options,
    rollouts: Rollouts,
    knots: Knots,
    /// What each step of the horizon is made of.
    mixes: Vec<Mix>,
    /// By motor: bounds of the action, and of the control.
    bounds: Vec<Bounds>,
    /// (knots, motors)
    mean: Vec<f64>,
    sigma: Vec<f64>,
    first_sigma: Vec<f64>,
    /// (samples, knots, motors)
    samples: Vec<f64>,
    costs: Vec<f64>,
    /// By world, of those that go on: what its sample costs so far.
    totals: Vec<f64>,
    order: Vec<usize>,
    bad: Vec<Option<Trouble>>,
    memory: Memory,
    scratch: Vec<f64>,
    /// What the motors are told: (horizon, motors).
    sequence: Vec<f64>,
    /// What offsets are added to: (horizon, motors).
    reference: Vec<f64>,
    paths: Option<Paths>,
    plans: u64,
}

impl Planner {
    /// A planner that tries its samples in the worlds of this batch, which it takes. Needs of the cost are asked for here.
    ///
    /// # Errors
    /// When the options make no sense, the batch has different models, or its model has no motor.
    pub fn new(batch: Batch, cost: &dyn Cost, options: Options) -> Result<Self, ControlError> {
        if batch.models().len() > 1 {
            let other = (0..batch.worlds()).find(|world| batch.find(*world).is_ok_and(|(g, _)| g > 0));
            return Err(bellcrank_sim::BatchError::MixedModels(0, other.unwrap_or(0)).into());
        }
        let model = batch.models()[0].clone();
        options.check(&model)?;
        let (samples, motors) = (batch.worlds(), model.actuators().len());
        let count = options.knots.unwrap_or(options.horizon);
        let knots = Knots { spline: options.spline, count, horizon: options.horizon };
        let mean = vec![0.0; count * motors];
        let settled = |knot: usize| options.settled.powf(1.0 - (knot + 1) as f64 / count as f64);
        let of_motor = |a: usize| options.sigma.get(a).copied().unwrap_or(options.sigma[0]);
        let sigma: Vec<f64> =
            (0..count * motors).map(|k| of_motor(k % motors) * settled(k / motors)).collect();
        let mut planner = Planner {
            rollouts: Rollouts::new(batch, &cost.needs())?,
            knots,
            mixes: (0..options.horizon).map(|t| knots.at(t as f64)).collect(),
            bounds: bounds(&model, options.action),
            scratch: mean.clone(),
            first_sigma: sigma.clone(),
            sigma,
            samples: vec![0.0; samples * count * motors],
            costs: vec![0.0; samples],
            totals: vec![0.0; samples],
            order: Vec::with_capacity(samples),
            bad: vec![None; samples],
            memory: Memory::new(samples),
            sequence: vec![0.0; options.horizon * motors],
            reference: vec![0.0; options.horizon * motors],
            mean,
            options,
            paths: None,
            plans: 0,
        };
        planner.rest();
        Ok(planner)
    }

    /// Forgets the plan at hand: motors hold what they are told, or what they are told at rest.
    pub fn rest(&mut self) {
        self.mean.fill(0.0);
        let held = match self.options.action {
            Action::Absolute => Some(&mut self.mean),
            Action::Increment { .. } => None,
            Action::Offset => Some(&mut self.reference),
        };
        if let Some(list) = held {
            let model = self.rollouts.batch.models()[0].clone();
            let motors = model.actuators().len();
            for (a, motor) in model.actuators().iter().enumerate() {
                let rest = self.rollouts.batch.group(0).get(0, listened_to(&motor.control), a);
                list.iter_mut().skip(a).step_by(motors).for_each(|x| *x = rest);
            }
        }
        self.sigma.copy_from_slice(&self.first_sigma);
    }

    /// The controls that offsets are added to in the next plan, for the steps of the horizon: (horizon, actuators). They stay until
    /// they are set again, and do not move on by themselves.
    ///
    /// # Errors
    /// When there are not as many numbers, one is not finite, or actions are no offsets.
    pub fn set_reference(&mut self, controls: &[f64]) -> Result<(), ControlError> {
        if self.options.action != Action::Offset {
            return Err(ControlError::NoOffsets);
        }
        let expected = self.reference.len();
        if controls.len() != expected {
            return Err(ControlError::WrongCount { what: "reference", found: controls.len(), expected });
        }
        if let Some(index) = controls.iter().position(|u| !u.is_finite()) {
            return Err(ControlError::StateNotFinite { quantity: "reference", index });
        }
        self.reference.copy_from_slice(controls);
        Ok(())
    }

    /// Takes controls for the steps of the horizon, (horizon, actuators), as the plan at hand: those that another planner found. `last` is
    /// what the motors are told before. Knots take what is told at their times, or the mean change; a knot per step keeps
    /// every number.
    ///
    /// # Errors
    /// When there are not as many numbers, or one is not finite.
    pub fn adopt(&mut self, controls: &[f64], last: &[f64]) -> Result<(), ControlError> {
        let (expected, motors) = (self.sequence.len(), self.bounds.len());
        for (list, expected) in [(controls, expected), (last, motors)] {
            if list.len() != expected {
                return Err(ControlError::WrongCount { what: "controls", found: list.len(), expected });
            }
            if let Some(index) = list.iter().position(|u| !u.is_finite()) {
                return Err(ControlError::StateNotFinite { quantity: "controls", index });
            }
        }
        let horizon = self.options.horizon;
        let step_of = |knot: usize| (self.knots.time(knot).round() as usize).min(horizon - 1);
        for knot in 0..self.knots.count {
            let first = step_of(knot);
            let end = if knot + 1 < self.knots.count { step_of(knot + 1).max(first + 1) } else { horizon };
            for a in 0..motors {
                let told = |step: usize| controls[step * motors + a];
                let before = if first == 0 { last[a] } else { told(first - 1) };
                self.mean[knot * motors + a] = match self.options.action {
                    Action::Absolute => told(first),
                    Action::Offset => told(first) - self.reference[first * motors + a],
                    Action::Increment { .. } => (told(end - 1) - before) / (end - first) as f64,
                };
            }
        }
        self.sequence.copy_from_slice(controls);
        Ok(())
    }

    /// Keeps where these points go in the rollouts of the next plans: fingertips, to be drawn. None to keep nothing.
    ///
    /// # Errors
    /// When the model has no such body.
    pub fn watch(&mut self, points: Vec<Near>) -> Result<(), ControlError> {
        let expected = self.rollouts.batch.models()[0].bodies().len();
        if let Some(near) = points.iter().find(|near| near.body >= expected) {
            return Err(ControlError::WrongCount { what: "number of a body", found: near.body, expected });
        }
        paths::NEEDS.iter().try_for_each(|quantity| self.rollouts.need(*quantity))?;
        let new = || Paths::new(points.clone(), self.costs.len(), self.options.horizon);
        self.paths = (!points.is_empty()).then(new);
        Ok(())
    }

    /// Where they went in the last round; none before [`Planner::watch`].
    pub fn paths(&self) -> Option<&Paths> {
        self.paths.as_ref()
    }

    /// How it plans.
    pub fn options(&self) -> &Options {
        &self.options
    }

    /// The worlds in which it tries controls: to change their parameters or settings.
    pub fn batch_mut(&mut self) -> &mut Batch {
        &mut self.rollouts.batch
    }

    /// The same, to be looked at: after a plan they are at the end of their rollouts, in another order where samples were given up.
    pub fn batch(&self) -> &Batch {
        &self.rollouts.batch
    }

    /// What each sample of the last round costs; infinite for those that cannot be chosen.
    pub fn costs(&self) -> &[f64] {
        &self.costs
    }

    /// What the motors shall be told, step after step from the start of the last plan: (horizon, actuators).
    pub fn sequence(&self) -> &[f64] {
        &self.sequence
    }

    /// What the motors shall be told a time after the start of the last plan [s]; after the horizon, its last control.
    pub fn control_at(&self, seconds: f64) -> &[f64] {
        let motors = self.bounds.len();
        let step = (seconds / self.rollouts.batch.dt() + 1e-9).max(0.0) as usize;
        &self.sequence[step.min(self.options.horizon - 1) * motors..][..motors]
    }

    /// Plans from a state; the plan at hand is that of `elapsed` seconds ago and is moved on by it.
    ///
    /// # Errors
    /// When the state or the cost cannot be used, or no sample can: the plan at hand then stays, moved on.
    pub fn plan(
        &mut self,
        start: &PlantState,
        cost: &mut dyn Cost,
        elapsed: f64,
    ) -> Result<Plan, ControlError> {
        let began = Instant::now();
        start.check(&self.rollouts.batch.models()[0])?;
        let steps = (elapsed / self.rollouts.batch.dt()).max(0.0);
        let after = (self.options.action != Action::Absolute).then_some(0.0);
        self.knots.shift(steps, after, &mut self.mean, &mut self.scratch);
        if let Method::CrossEntropy { .. } = self.options.method {
            self.sigma.copy_from_slice(&self.first_sigma);
        }
        let mut done = Ok(Plan::default());
        let mut cost_seconds = 0.0;
        for round in 0..self.options.iterations {
            self.draw(round);
            done = self.roll_out(start, cost).and_then(|seconds| {
                cost_seconds += seconds;
                self.learn()
            });
            self.plans += 1;
            if done.is_err() {
                break;
            }
        }
        self.write_sequence(&start.control);
        done.map(|plan| Plan { seconds: began.elapsed().as_secs_f64(), cost_seconds, ..plan })
    }

    /// Perturbs the plan at hand; the first sample is that plan itself.
    fn draw(&mut self, round: usize) {
        let share = self.options.anneal.powi(round as i32);
        let (width, motors) = (self.mean.len(), self.bounds.len());
        for (sample, values) in self.samples.chunks_exact_mut(width).enumerate() {
            if sample == 0 {
                values.copy_from_slice(&self.mean);
                continue;
            }
            let mut noise = Noise::new(self.options.seed, self.plans, sample);
            let around = values.chunks_exact_mut(motors).zip(self.mean.chunks_exact(motors));
            for ((values, mean), sigma) in around.zip(self.sigma.chunks_exact(motors)) {
                for a in 0..motors {
                    let [low, high] = self.bounds[a].action;
                    values[a] = (mean[a] + share * sigma[a] * noise.next()).clamp(low, high);
                }
            }
        }
    }

    /// Tries all samples and adds up what they cost. Returns how long the cost took [s].
    fn roll_out(&mut self, start: &PlantState, cost: &mut dyn Cost) -> Result<f64, ControlError> {
        self.rollouts.begin(start)?;
        self.totals.fill(0.0);
        self.bad.fill(None);
        let (horizon, mut seconds) = (self.options.horizon, 0.0);
        for step in 0..horizon {
            self.tell(step);
            self.rollouts.step()?;
            let began = Instant::now();
            self.rollouts.look()?;
            self.rollouts.add_cost(cost, (step, horizon), &mut self.totals)?;
            seconds += began.elapsed().as_secs_f64();
            if let Some(paths) = &mut self.paths {
                paths.note(step, &self.rollouts);
            }
            if self.note_bad(step) == self.rollouts.going {
                break; // nothing is left to be chosen
            }
            if step + 1 < horizon {
                self.give_up(step)?;
            }
        }
        self.costs.fill(f64::INFINITY);
        for world in 0..self.rollouts.going {
            let sample = self.rollouts.sample[world];
            if self.bad[sample].is_none() && self.rollouts.is_frozen(world) {
                self.bad[sample] = Some(Trouble { sample, step: horizon - 1, why: Unusable::Frozen });
            }
            if self.bad[sample].is_none() {
                self.costs[sample] = self.totals[world];
            }
        }
        Ok(seconds)
    }

    /// After half of the horizon those that are far behind stay behind; worlds of samples that are given up are stepped no more.
    fn give_up(&mut self, step: usize) -> Result<(), ControlError> {
        let going = &self.rollouts.sample[..self.rollouts.going];
        if self.options.survivors < 1.0 && step + 1 == self.options.horizon / 2 {
            let (order, totals) = (&mut self.order, &self.totals);
            order.clear();
            order.extend((0..going.len()).filter(|world| self.bad[going[*world]].is_none()));
            order.sort_unstable_by(|a, b| totals[*a].total_cmp(&totals[*b]).then(going[*a].cmp(&going[*b])));
            let kept = (self.options.survivors * order.len() as f64).ceil() as usize;
            for sample in order.iter().skip(kept).map(|world| going[*world]).filter(|sample| *sample != 0) {
                self.bad[sample] = Some(Trouble { sample, step, why: Unusable::Hopeless });
            }
        }
        let bad = &self.bad;
        self.rollouts.leave_out(|sample| bad[sample].is_some(), &mut self.totals)
    }

    /// The controls of a step in all worlds.
    fn tell(&mut self, step: usize) {
        let (width, motors, mix) = (self.mean.len(), self.bounds.len(), self.mixes[step]);
        let rows = self.rollouts.control.chunks_exact_mut(motors);
        let reference = &self.reference[step * motors..][..motors];
        let offset = self.options.action == Action::Offset;
        for (row, sample) in rows.zip(&self.rollouts.sample[..self.rollouts.going]) {
            let knots = &self.samples[sample * width..][..width];
            for a in 0..motors {
                let last = if offset { reference[a] } else { row[a] };
                row[a] = next_control(self.options.action, &self.bounds[a], mix.of(knots, motors, a), last);
            }
        }
    }

    /// Notes samples that cannot be chosen any more; returns how many there are.
    fn note_bad(&mut self, step: usize) -> usize {
        let mut count = 0;
        for (&sample, cost) in self.rollouts.sample[..self.rollouts.going].iter().zip(&self.totals) {
            let bad = &mut self.bad[sample];
            if bad.is_none() && !(cost.is_finite() && *cost <= self.options.hopeless) {
                let why = if cost.is_finite() { Unusable::Hopeless } else { Unusable::NotFinite };
                *bad = Some(Trouble { sample, step, why });
            }
            count += usize::from(bad.is_some());
        }
        count
    }

    /// Counts, and moves the plan towards what was cheap.
    fn learn(&mut self) -> Result<Plan, ControlError> {
        let count = |why| self.bad.iter().flatten().filter(|trouble| trouble.why == why).count();
        let mut plan = Plan {
            frozen: count(Unusable::Frozen),
            not_finite: count(Unusable::NotFinite),
            hopeless: count(Unusable::Hopeless),
            trouble: self.bad.iter().flatten().next().copied(),
            nominal_cost: self.costs[0],
            ..Plan::default()
        };
        let usable = || self.costs.iter().copied().enumerate().filter(|(_, cost)| cost.is_finite());
        let Some((best, best_cost)) = usable().min_by(|a, b| a.1.total_cmp(&b.1)) else {
            let Plan { frozen, not_finite, hopeless, .. } = plan;
            return Err(ControlError::NoUsableSample { frozen, not_finite, hopeless });
        };
        (plan.best, plan.best_cost, plan.usable) = (best, best_cost, usable().count());
        plan.mean_cost = usable().map(|(_, cost)| cost).sum::<f64>() / plan.usable as f64;
        let squares = usable().map(|(_, cost)| (cost - plan.mean_cost).powi(2)).sum::<f64>();
        plan.spread = (squares / plan.usable as f64).sqrt();
        let tried = Tried { samples: &self.samples, costs: &self.costs, best, spread: plan.spread };
        let (mean, sigma) = (&mut self.mean, &mut self.sigma);
        plan.effective_samples =
            self.memory.update(&self.options.method, &tried, mean, sigma, &self.first_sigma);
        Ok(plan)
    }

    /// What the plan at hand tells the motors, from what they were told last.
    fn write_sequence(&mut self, last: &[f64]) {
        let motors = self.bounds.len();
        for (a, bounds) in self.bounds.iter().enumerate() {
            let mut told = last[a];
            for (step, mix) in self.mixes.iter().enumerate() {
                if self.options.action == Action::Offset {
                    told = self.reference[step * motors + a];
                }
                told = next_control(self.options.action, bounds, mix.of(&self.mean, motors, a), told);
                self.sequence[step * motors + a] = told;
            }
        }
    }
}
