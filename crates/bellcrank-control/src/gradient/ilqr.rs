//! Iterative LQR with control limits in minimal coordinates (box-DDP) [Tassa, Mansard, Todorov 2014]: derivatives along the plan at hand,
//! a pass backwards for changes and feedback, and a pass forwards that tries several lengths of the change at once, one per world.

use super::Receding;
use super::backward::{self, Gain, Stage};
use super::smooth::SmoothCost;
use super::trajectory::{Linear, Trajectory, Tried};
use crate::start::listened_to;
use crate::{ControlError, Plan, PlantState};
use bellcrank_sim::Batch;
use std::time::Instant;

/// How to follow derivatives. The number of lengths that are tried at once is that of the batch's worlds.
#[derive(Clone, Debug, PartialEq)]
pub struct IlqrOptions {
    /// Steps.
    pub horizon: usize,
    /// Rounds of derivatives in a plan, at most.
    pub iterations: usize,
    /// A round that saves less than this share of the cost is the last.
    pub tolerance: f64,
    /// Smoothing of contacts and limits in derivatives, as `Smoothness::kappa` of the crate `bellcrank-gradient`; that of the batch's
    /// solver where it is none.
    pub kappa: Option<f64>,
    /// Each length that is tried as a share of the one before.
    pub shorter: f64,
    /// Threads of the derivatives; zero for one per core.
    pub threads: usize,
}

impl Default for IlqrOptions {
    fn default() -> Self {
        IlqrOptions { horizon: 50, iterations: 10, tolerance: 1e-4, kappa: None, shorter: 0.5, threads: 0 }
    }
}

impl IlqrOptions {
    fn check(&self) -> Result<(), ControlError> {
        let bad = |what, expected, found| Err(ControlError::BadOption { what, expected, found });
        if self.horizon == 0 {
            return bad("the horizon", "one step or more", 0.0);
        }
        if self.iterations == 0 {
            return bad("the number of iterations", "one or more", 0.0);
        }
        if !(self.shorter > 0.0 && self.shorter < 1.0) {
            return bad("the share of the next length", "between zero and one", self.shorter);
        }
        if !(self.tolerance >= 0.0 && self.tolerance.is_finite()) {
            return bad("the tolerance", "a number from zero up", self.tolerance);
        }
        Ok(())
    }
}

/// μ where a pass backwards failed or no length was good; raised tenfold until it helps, at most to the last.
const DAMPING: [f64; 2] = [1e-4, 1e6];

/// Plans by derivatives of steps.
pub struct Ilqr {
    options: IlqrOptions,
    trajectory: Trajectory,
    /// (horizon, motors)
    sequence: Vec<f64>,
    gains: Vec<Gain>,
    alphas: Vec<f64>,
}

impl Ilqr {
    /// A planner that tries lengths in the worlds of this batch, which it takes; eight are a good number. Numbers of 64 bits are worth
    /// their time here.
    ///
    /// # Errors
    /// When the options make no sense, the batch has different models, or its model has no motor.
    pub fn new(batch: Batch, cost: &dyn SmoothCost, options: IlqrOptions) -> Result<Self, ControlError> {
        options.check()?;
        let how = (options.horizon, options.threads, options.kappa);
        let alphas = (0..batch.worlds()).map(|k| options.shorter.powi(k as i32)).collect();
        let trajectory = Trajectory::new(batch, cost, how)?;
        let mut planner = Ilqr { options, trajectory, sequence: Vec::new(), gains: Vec::new(), alphas };
        planner.rest();
        Ok(planner)
    }

    /// Forgets the plan at hand: motors are told what they are told at rest.
    pub fn rest(&mut self) {
        let batch = &self.trajectory.rollouts.batch;
        let motors = batch.models()[0].actuators().iter().enumerate();
        let row: Vec<f64> =
            motors.map(|(a, motor)| batch.group(0).get(0, listened_to(&motor.control), a)).collect();
        self.sequence = row.repeat(self.options.horizon);
        self.gains.clear();
    }

    /// Takes controls as the plan at hand: (horizon, actuators).
    ///
    /// # Errors
    /// When there are not as many numbers, or one is not finite.
    pub fn adopt(&mut self, controls: &[f64]) -> Result<(), ControlError> {
        let expected = self.sequence.len();
        if controls.len() != expected {
            return Err(ControlError::WrongCount { what: "controls", found: controls.len(), expected });
        }
        if let Some(index) = controls.iter().position(|u| !u.is_finite()) {
            return Err(ControlError::StateNotFinite { quantity: "controls", index });
        }
        self.sequence.copy_from_slice(controls);
        self.gains.clear();
        Ok(())
    }

    /// The worlds in which it tries lengths: to change their parameters. Those of the derivatives keep the model's.
    pub fn batch(&self) -> &Batch {
        &self.trajectory.rollouts.batch
    }

    /// How it plans.
    pub fn options(&self) -> &IlqrOptions {
        &self.options
    }

    /// K of the plan's first step, by motor and then δq, δq̇ of the freedoms in the order of `Transition`: how controls should follow
    /// the state until the next plan. Empty before the first plan that found something.
    pub fn feedback(&self) -> &[f64] {
        self.gains.first().map_or(&[], |gain| gain.K.as_slice())
    }

    fn shift(&mut self, elapsed: f64) {
        let motors = self.trajectory.bounds.len();
        let steps = (elapsed / self.batch().dt()).round().max(0.0) as usize;
        let steps = steps.min(self.options.horizon - 1);
        self.sequence.copy_within(steps * motors.., 0);
        for step in self.options.horizon - steps..self.options.horizon {
            self.sequence.copy_within((step - 1) * motors..step * motors, step * motors);
        }
    }

    /// Rounds from a start: the report, with the plan improved in place.
    fn improve(&mut self, start: &PlantState, cost: &mut dyn SmoothCost) -> Result<Plan, ControlError> {
        let mut tried = self.trajectory.try_all(start, cost, &self.sequence, None)?;
        let nominal_cost = tried.costs[0];
        if !nominal_cost.is_finite() {
            let (frozen, not_finite) = (tried.frozen, tried.not_finite);
            return Err(ControlError::NoUsableSample { frozen, not_finite, hopeless: 0 });
        }
        let (mut now, mut world, mut mu) = (nominal_cost, 0, 0.0);
        let mut plan = Plan {
            nominal_cost,
            best_cost: now,
            mean_cost: now,
            usable: tried.costs.len(),
            ..Plan::default()
        };
        for _ in 0..self.options.iterations {
            let linear = self.trajectory.linearise(world, &self.sequence, &*cost)?;
            let Some(better) = self.search(start, cost, &linear, (now, &mut mu))? else { break };
            (world, tried) = better;
            let saved = now - tried.costs[world];
            self.keep(&tried, world);
            now = tried.costs[world];
            plan = Plan { best: world, best_cost: now, ..plan };
            (plan.frozen, plan.not_finite) = (tried.frozen, tried.not_finite);
            plan.usable = tried.costs.iter().filter(|cost| cost.is_finite()).count();
            if saved <= self.options.tolerance * now.abs() {
                break;
            }
        }
        plan.effective_samples = 1.0;
        Ok(plan)
    }

    /// A length that costs less, with as much damping as it takes; none where there is none.
    fn search(
        &mut self,
        start: &PlantState,
        cost: &mut dyn SmoothCost,
        linear: &Linear,
        (now, mu): (f64, &mut f64),
    ) -> Result<Option<(usize, Tried)>, ControlError> {
        while *mu <= DAMPING[1] {
            let stages = self.stages(linear);
            if let Some((gains, promised)) = backward::pass(&stages, *mu) {
                if promised[0].abs() <= 1e-14 * now.abs() {
                    self.gains = gains; // nothing to gain: the plan is the best one, with its feedback
                    return Ok(None);
                }
                let change = Some((&gains[..], linear, &self.alphas[..]));
                let tried = self.trajectory.try_all(start, cost, &self.sequence, change)?;
                let best = tried.costs.iter().copied().enumerate().min_by(|a, b| a.1.total_cmp(&b.1));
                if let Some((world, _)) = best.filter(|(_, least)| *least < now) {
                    self.gains = gains;
                    *mu = if *mu <= DAMPING[0] { 0.0 } else { *mu * 0.1 };
                    return Ok(Some((world, tried)));
                }
            }
            *mu = (*mu * 10.0).max(DAMPING[0]);
        }
        Ok(None)
    }

    fn stages<'a>(&self, linear: &'a Linear) -> Vec<Stage<'a>> {
        let motors = self.trajectory.bounds.len();
        let each = linear.transitions.iter().zip(&linear.costs).zip(self.sequence.chunks_exact(motors));
        let stages = each.map(|((linear, cost), told)| {
            let to = |end: usize| {
                let bounds = self.trajectory.bounds.iter().zip(told);
                bounds.map(|(bounds, u)| bounds.control[end] - u).collect()
            };
            Stage { linear, cost, range: [to(0), to(1)] }
        });
        stages.collect()
    }

    fn keep(&mut self, tried: &Tried, world: usize) {
        let (worlds, motors) = (self.trajectory.worlds(), self.trajectory.bounds.len());
        for (step, row) in self.sequence.chunks_exact_mut(motors).enumerate() {
            row.copy_from_slice(&tried.told[(step * worlds + world) * motors..][..motors]);
        }
    }
}

impl Receding for Ilqr {
    fn plan(
        &mut self,
        start: &PlantState,
        cost: &mut dyn SmoothCost,
        elapsed: f64,
    ) -> Result<Plan, ControlError> {
        let began = Instant::now();
        start.check(&self.batch().models()[0])?;
        self.shift(elapsed);
        let bounds = self.trajectory.bounds.clone();
        for (u, k) in self.sequence.iter_mut().zip((0..bounds.len()).cycle()) {
            *u = u.clamp(bounds[k].control[0], bounds[k].control[1]);
        }
        let plan = self.improve(start, cost)?;
        Ok(Plan { seconds: began.elapsed().as_secs_f64(), ..plan })
    }

    fn sequence(&self) -> &[f64] {
        &self.sequence
    }

    fn control_at(&self, seconds: f64) -> &[f64] {
        let motors = self.trajectory.bounds.len();
        let step = (seconds / self.batch().dt() + 1e-9).max(0.0) as usize;
        &self.sequence[step.min(self.options.horizon - 1) * motors..][..motors]
    }

    fn batch(&self) -> &Batch {
        Ilqr::batch(self)
    }
}
