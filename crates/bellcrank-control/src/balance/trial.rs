//! One trial: a robot that stands or steps, is pushed, and knows neither pushes nor its exact masses.
//!
//! The plant is the exact solver. A plan takes a period to make, in which the plant goes on with the last one: the planner therefore
//! begins where its model says that the plant will be by then.

use super::cost::{Balance, Clock};
use super::walker::Walker;
use crate::live::Predictor;
use crate::{Action, ControlError, Method, Options, Plan, Planner, PlantState, Spline, Temperature};
use bellcrank_math::{Random, Vec3};
use bellcrank_sim::{Batch, BatchOptions, ComFree, Precision, Quantity, Settings};

/// How a trial goes.
#[derive(Clone, Debug, PartialEq)]
pub struct BalanceOptions {
    /// How to plan; noise is that of the robot where `sigma` is empty.
    pub planner: Options,
    /// Worlds of the planner.
    pub samples: usize,
    /// Its step [s].
    pub dt: f64,
    /// Its solver.
    pub settings: Settings,
    /// Its threads; zero for one per core.
    pub threads: usize,
    /// What costs how much.
    pub weights: super::Weights,
    /// Steps in place with this period [s]; stands where there is none.
    pub step_period: Option<f64>,
    /// Between plans, and from a state to the plan that was made from it [s].
    pub period: f64,
    /// The plant's step [s].
    pub plant_dt: f64,
    /// Masses and frictions of the plant are off by this share at most.
    pub model_error: f64,
    /// Of each push, a change of momentum of the robot per its mass [m/s]; the direction is drawn, horizontal.
    pub push: f64,
    /// A push is shared over this time [s].
    pub push_time: f64,
    /// From one push to the next, and from the start to the first [s].
    pub push_period: f64,
    /// A trial ends after this time [s].
    pub time_limit: f64,
    /// Draws of pushes, noise and model errors.
    pub seed: u64,
}

impl Default for BalanceOptions {
    fn default() -> Self {
        BalanceOptions {
            planner: Options {
                method: Method::Mppi { temperature: Temperature::Relative(0.1) },
                horizon: 50,
                knots: Some(6),
                spline: Spline::Cubic,
                sigma: Vec::new(),
                action: Action::Offset,
                ..Options::default()
            },
            samples: 64,
            dt: 0.01,
            settings: Settings {
                gap_tolerance: Some(1e-4),
                ..ComFree { sweeps: 4, ..ComFree::default() }.into()
            },
            threads: 0,
            weights: super::Weights::default(),
            step_period: None,
            period: 0.04,
            plant_dt: 0.002,
            model_error: 0.1,
            push: 0.0,
            push_time: 0.1,
            push_period: 5.0,
            time_limit: 30.0,
            seed: 0,
        }
    }
}

/// How a trial stands.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Stance {
    /// Time of the plant since the start [s].
    pub time: f64,
    /// Of the centre of mass, from where it stood, on the ground [m].
    pub away: f64,
    /// The torso's tilt [rad].
    pub tilt: f64,
    /// How often the left and the right foot were lifted, by half of what the robot lifts them when it steps.
    pub steps: [usize; 2],
    /// Pushes so far.
    pub pushes: usize,
    /// Predictions that stopped being finite.
    pub lost: usize,
    /// The torso has come down.
    pub fallen: bool,
    /// Fallen, or out of time.
    pub over: bool,
}

/// A plant that is pushed, and a planner that knows it roughly.
pub struct BalanceTrial {
    options: BalanceOptions,
    plant: Batch,
    planner: Planner,
    cost: Balance,
    predictor: Predictor,
    belief: PlantState,
    ahead: PlantState,
    torso: usize,
    mass: f64,
    lift: f64,
    random: Random,
    force: Vec3,
    periods: usize,
    planned: bool,
    up: [bool; 2],
    steps: [usize; 2],
    fallen: bool,
    lost: usize,
}

impl BalanceTrial {
    /// The robot stands.
    ///
    /// # Errors
    /// When robot and description do not fit, or the options make no sense.
    pub fn new(walker: &Walker, mut options: BalanceOptions) -> Result<Self, ControlError> {
        if options.planner.sigma.is_empty() {
            options.planner.sigma = vec![walker.sigma[usize::from(options.step_period.is_some())]];
        }
        let model = walker.model()?;
        let settings = BatchOptions { dt: Some(options.plant_dt), threads: 1, ..BatchOptions::default() };
        let mut plant = Batch::new(model.clone(), 1, settings)?;
        let range = [1.0 - options.model_error, 1.0 + options.model_error];
        plant.randomize(options.seed, &[(Quantity::BodyMass, range), (Quantity::Friction, range)], &[0])?;
        let home = walker.stand(&mut plant, 0)?;
        let rollouts = BatchOptions {
            dt: Some(options.dt),
            precision: Precision::F32,
            threads: options.threads,
            settings: options.settings,
            ..BatchOptions::default()
        };
        let mut cost = Balance::new(walker, &plant, home, options.dt)?;
        cost.weights = options.weights;
        cost.clock = options.step_period.map(|period| Clock { period, lift: walker.lift });
        let mut planner = Planner::new(
            Batch::new(model.clone(), options.samples, rollouts)?,
            &cost,
            options.planner.clone(),
        )?;
        planner.set_reference(&cost.home().repeat(options.planner.horizon))?;
        let belief = PlantState::of(&plant, 0)?;
        Ok(BalanceTrial {
            predictor: Predictor::new(planner.batch())?,
            torso: crate::Sum::body(&model, &walker.torso)?,
            mass: model.mass(),
            lift: walker.lift,
            ahead: belief.clone(),
            random: Random::new(options.seed, 0, 23),
            force: Vec3::zero(),
            periods: 0,
            planned: false,
            up: [false; 2],
            steps: [0; 2],
            fallen: false,
            lost: 0,
            belief,
            plant,
            planner,
            cost,
            options,
        })
    }

    /// Lets the plant go on by a period with the plan in force, while the next one would be made.
    ///
    /// # Errors
    /// When the plant stops being finite.
    pub fn advance(&mut self) -> Result<(), ControlError> {
        self.predict()?;
        let steps = (self.options.period / self.options.plant_dt).round() as usize;
        let start = self.periods as f64 * self.options.period;
        for step in 0..steps {
            let since = step as f64 * self.options.plant_dt;
            let push = self.pushed_at(start + since);
            let (plan, held) = (&self.planner, &self.belief.control);
            let told = if self.planned { plan.control_at(since) } else { held.as_slice() };
            self.plant.write(Quantity::Control, told)?;
            self.plant.set_body_wrench(0, self.torso, push, Vec3::zero())?;
            self.plant.advance(1);
        }
        self.periods += 1;
        self.belief.read(&self.plant, 0)?;
        self.count_steps()
    }

    /// Where the plant will be when the next plan is in force; where the planner's model stops being finite on the way there, the
    /// plan begins at what is known now.
    fn predict(&mut self) -> Result<(), ControlError> {
        self.ahead.clone_from(&self.belief);
        let (planner, planned, held) = (&self.planner, self.planned, &self.belief.control);
        let told = |since: f64| if planned { planner.control_at(since) } else { held.as_slice() };
        match self.predictor.advance(&mut self.ahead, self.options.period, told) {
            Err(ControlError::PlantFrozen { .. } | ControlError::StateNotFinite { .. }) => {
                self.ahead.clone_from(&self.belief);
                self.lost += 1;
                Ok(())
            }
            other => other,
        }
    }

    /// The push at a time of the plant [N].
    fn pushed_at(&mut self, time: f64) -> Vec3 {
        let since = time % self.options.push_period;
        if self.options.push == 0.0 || time < self.options.push_period || since >= self.options.push_time {
            self.force = Vec3::zero();
        } else if self.force == Vec3::zero() {
            let angle = self.random.between(0.0, std::f64::consts::TAU);
            let size = self.options.push * self.mass / self.options.push_time;
            self.force = Vec3::new(angle.cos(), angle.sin(), 0.0) * size;
        }
        self.force
    }

    fn count_steps(&mut self) -> Result<(), ControlError> {
        let heights = self.cost.lifted(&self.plant, 0)?;
        for k in 0..2 {
            let up = heights[k] > if self.up[k] { 0.25 * self.lift } else { 0.5 * self.lift };
            self.steps[k] += usize::from(up && !self.up[k]);
            self.up[k] = up;
        }
        self.fallen |= self.plant.body_pose(0, self.torso)?.p.z < self.cost.fallen();
        Ok(())
    }

    /// Plans from where the plant was expected to be now; the plan is in force in the next [`BalanceTrial::advance`].
    ///
    /// # Errors
    /// When nothing can be planned; the plan at hand goes on.
    pub fn plan(&mut self) -> Result<Plan, ControlError> {
        let elapsed = if self.planned { self.options.period } else { 0.0 };
        self.planned = true;
        self.cost.now = self.periods as f64 * self.options.period;
        self.planner.plan(&self.ahead, &mut self.cost, elapsed)
    }

    /// How it stands.
    ///
    /// # Errors
    /// Never for a trial that could be made.
    pub fn stance(&self) -> Result<Stance, ControlError> {
        let (away, upright) = self.cost.moved(&self.plant, 0)?;
        let time = self.periods as f64 * self.options.period;
        let pushes =
            if self.options.push == 0.0 { 0 } else { (time / self.options.push_period + 1e-9) as usize };
        let over = self.fallen || time >= self.options.time_limit - 1e-9;
        let tilt = upright.clamp(-1.0, 1.0).acos();
        Ok(Stance { time, away, tilt, steps: self.steps, pushes, lost: self.lost, fallen: self.fallen, over })
    }

    /// The plant, to be recorded or shown.
    pub fn plant(&self) -> &Batch {
        &self.plant
    }

    /// The same, to be pulled at.
    pub fn plant_mut(&mut self) -> &mut Batch {
        &mut self.plant
    }

    /// Keeps where feet go in the rollouts of the next plans: [`Planner::paths`].
    ///
    /// # Errors
    /// Never for a trial that could be made.
    pub fn watch(&mut self) -> Result<(), ControlError> {
        self.planner.watch(self.cost.soles())
    }

    /// The planner, to be looked at.
    pub fn planner(&self) -> &Planner {
        &self.planner
    }
}
