//! One trial: an object in a hand, to be turned to a goal by a planner whose model is a little wrong.
//!
//! The plant is the exact solver at 1 ms, with masses and frictions that the planner does not know. The hand's joints are measured
//! exactly, the object's pose at 25 Hz with noise. A plan takes a latency to make, in which the plant goes on with the last one: the
//! planner therefore begins where its model says that the plant will be by then. The latency is told, on the plant's clock: how busy
//! the machine is changes nothing.

use super::object::Object;
use super::scene::Hand;
use super::weights::Weights;
use crate::live::Predictor;
use crate::noise::Noise;
use crate::terms::quat_error;
use crate::{ControlError, Method, Near, Options, Plan, Planner, PlantState, Spline, Sum, Temperature};
use bellcrank_math::{Quat, Vec3};
use bellcrank_model::{Faults, Model};
use bellcrank_sim::{Batch, BatchOptions, ComFree, Precision, Quantity, Settings};
use std::sync::Arc;

/// About which axes the object shall be turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    /// About the vertical.
    Yaw,
    /// About a horizontal axis: forward, backward, left or right.
    RollPitch,
}

impl Goal {
    /// As commands name it.
    pub fn name(self) -> &'static str {
        match self {
            Goal::Yaw => "yaw",
            Goal::RollPitch => "roll_pitch",
        }
    }

    /// The one with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        [Goal::Yaw, Goal::RollPitch].into_iter().find(|goal| goal.name() == name)
    }

    /// A turn by 60° to 90° about one of the axes, for a seed.
    fn turn(self, seed: u64) -> Quat {
        let mut random = bellcrank_math::Random::new(seed, 0, 17);
        let sign = if random.unit() < 0.5 { -1.0 } else { 1.0 };
        let angle = random.between(60.0, 90.0).to_radians();
        let axis = match self {
            Goal::Yaw => Vec3::z_axis(),
            Goal::RollPitch if random.unit() < 0.5 => Vec3::x_axis(),
            Goal::RollPitch => Vec3::y_axis(),
        };
        Quat::from_axis_angle(axis, sign * angle)
    }
}

/// How a trial goes. The default is [ComFree] section V with this plant, except for noise and temperature: increments add up from step
/// to step here, and with the deviation of 0.02 rad fingers flick the object (docs/guides/control.md).
#[derive(Clone, Debug, PartialEq)]
pub struct TrialOptions {
    /// How to plan.
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
    pub weights: Weights,
    /// Between plans [s].
    pub period: f64,
    /// From a state to the plan that was made from it, on the plant's clock [s]: at most a period.
    pub latency: f64,
    /// The plant's step [s].
    pub plant_dt: f64,
    /// Masses and frictions of the plant are off by this share at most.
    pub model_error: f64,
    /// Deviation of the measured position [m] and angle [rad] of the object.
    pub pose_noise: [f64; 2],
    /// Between measurements of its pose [s].
    pub measure_period: f64,
    /// The goal counts as reached when the object has been there for so long [s]; zero, as [ComFree] has it, for at once.
    pub hold: f64,
    /// A trial ends after this time [s].
    pub time_limit: f64,
    /// Draws of goal, noise and model errors.
    pub seed: u64,
}

impl Default for TrialOptions {
    fn default() -> Self {
        TrialOptions {
            planner: gentle(),
            samples: 256,
            dt: 0.004,
            settings: quick(),
            threads: 0,
            weights: Weights::default(),
            period: 0.02,
            latency: 0.02,
            plant_dt: 0.001,
            model_error: 0.1,
            pose_noise: [0.002, 1.0_f64.to_radians()],
            measure_period: 0.04,
            hold: 0.0,
            time_limit: 60.0,
            seed: 0,
        }
    }
}

/// Fingers go smoothly: eight knots over the horizon with straight lines between them, so that noise lasts for some 25 ms instead of
/// cancelling out from step to step, and a temperature that follows the spread of the costs. The worse half of the samples is given up
/// halfway.
fn gentle() -> Options {
    Options {
        method: Method::Mppi { temperature: Temperature::Relative(0.1) },
        knots: Some(8),
        spline: Spline::Linear,
        sigma: vec![0.01],
        survivors: 0.5,
        ..Options::default()
    }
}

/// Contacts in closed form, as exact as plans need them: four sweeps over all contacts instead of up to a hundred leave velocities
/// off by centimetres per second, and joints are closed to a tenth of a millimetre. That halves the time of a plan.
fn quick() -> Settings {
    let law = ComFree { sweeps: 4, ..ComFree::default() };
    Settings { gap_tolerance: Some(1e-4), ..law.into() }
}

/// How a trial stands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// Time of the plant since the start [s].
    pub time: f64,
    /// ‖p − p*‖ of the true object [m].
    pub position_error: f64,
    /// 1 − (q*·q)² of the true object.
    pub quat_error: f64,
    /// Both errors are as [ComFree] Table I asks, below 0.02 m and 0.04, and have been for [`TrialOptions::hold`].
    pub reached: bool,
    /// The object has fallen out of the hand.
    pub fallen: bool,
    /// Nothing more will come of it: reached, fallen, or out of time.
    pub over: bool,
}

/// Bounds of [ComFree] Table I.
const REACHED: (f64, f64) = (0.02, 0.04);
/// A measurement corrects this share of what it says.
const TRUST: f64 = 0.35;
/// The object settles in the hand before the trial begins [s].
const SETTLE: f64 = 0.6;

/// A plant, a planner that knows it roughly, and a goal.
pub struct Trial {
    options: TrialOptions,
    plant: Batch,
    planner: Planner,
    cost: Sum,
    predictor: Predictor,
    /// What is believed of the plant now.
    belief: PlantState,
    /// What is believed of it when the next plan is in force.
    ahead: PlantState,
    object: usize,
    tips: Vec<Near>,
    fallen: f64,
    target: ([f64; 3], [f64; 4]),
    noise: Noise,
    periods: usize,
    /// Periods at the end of which the object was at its goal, without a break.
    there: usize,
    planned: bool,
}

impl Trial {
    /// The object lies in the hand, and the goal is drawn.
    ///
    /// # Errors
    /// When the hand and its description do not fit, or the options make no sense.
    pub fn new(hand: &Hand, object: Object, goal: Goal, options: TrialOptions) -> Result<Self, ControlError> {
        if !(options.latency >= 0.0 && options.latency <= options.period) {
            let (what, expected) = ("the latency", "between zero and the period of plans");
            return Err(ControlError::BadOption { what, expected, found: options.latency });
        }
        let bad = |faults: Faults| ControlError::BadModel(faults.to_string());
        let model = hand.holding(object).map_err(bad)?;
        let mut plant = plant(&model, &options)?;
        settle(&mut plant, hand)?;
        let body = Hand::object(&model)?;
        let belief = PlantState::of(&plant, 0)?;
        let pose = plant.body_pose(0, body)?;
        let target = (pose.p.to_array(), (goal.turn(options.seed) * pose.R).to_wxyz());
        let cost = options.weights.cost(hand, &model, target)?;
        let tips = hand.points(&model)?;
        let planned = hand.planned(object).map_err(bad)?;
        let rollouts = BatchOptions {
            dt: Some(options.dt),
            precision: Precision::F32,
            threads: options.threads,
            settings: options.settings,
            ..BatchOptions::default()
        };
        let planner =
            Planner::new(Batch::new(planned, options.samples, rollouts)?, &cost, options.planner.clone())?;
        Ok(Trial {
            predictor: Predictor::new(planner.batch())?,
            ahead: belief.clone(),
            belief,
            plant,
            planner,
            cost,
            object: body,
            tips,
            fallen: hand.fallen,
            target,
            noise: Noise::new(options.seed, 0, usize::MAX),
            periods: 0,
            there: 0,
            planned: false,
            options,
        })
    }

    /// Lets the plant go on by a period with the plan in force. It is measured when the next plan is asked for, a latency before the end of
    /// the period.
    ///
    /// # Errors
    /// When the plant or the prediction stops being finite.
    pub fn advance(&mut self) -> Result<(), ControlError> {
        let (period, latency) = (self.options.period, self.options.latency);
        let asked = period - latency;
        self.predict([0.0, asked])?;
        self.act([0.0, asked])?;
        self.belief.read(&self.plant, 0)?;
        self.measure_object();
        self.ahead.clone_from(&self.belief);
        self.predict([asked, period])?;
        self.act([asked, period])?;
        self.periods += 1;
        let (position, quat) = self.errors()?;
        self.there = if position < REACHED.0 && quat < REACHED.1 { self.there + 1 } else { 0 };
        Ok(())
    }

    /// Moves what is expected on through a part of the period [s].
    fn predict(&mut self, [from, to]: [f64; 2]) -> Result<(), ControlError> {
        let (planner, planned, held) = (&self.planner, self.planned, &self.belief.control);
        let told = |since: f64| if planned { planner.control_at(from + since) } else { held.as_slice() };
        self.predictor.advance(&mut self.ahead, to - from, told)
    }

    /// Moves the plant on through a part of the period [s].
    fn act(&mut self, [from, to]: [f64; 2]) -> Result<(), ControlError> {
        let dt = self.options.plant_dt;
        for step in (from / dt).round() as usize..(to / dt).round() as usize {
            let told = self.planner.control_at(step as f64 * dt);
            let told = if self.planned { told } else { self.belief.control.as_slice() };
            self.plant.write(Quantity::Control, told)?;
            self.plant.advance(1);
        }
        Ok(())
    }

    /// Plans from where the plant was expected to be now; the plan is in force in the next [`Trial::advance`].
    ///
    /// # Errors
    /// When nothing can be planned.
    pub fn plan(&mut self) -> Result<Plan, ControlError> {
        let elapsed = if self.planned { self.options.period } else { 0.0 };
        self.planned = true;
        self.planner.plan(&self.ahead, &mut self.cost, elapsed)
    }

    /// The belief of the object: the model's prediction, corrected by a measurement where there is one.
    fn measure_object(&mut self) {
        let b = self.object;
        let truth_p = Vec3::from_array([0, 1, 2].map(|k| self.belief.body_position[3 * b + k]));
        let truth_R = Quat::from_wxyz([0, 1, 2, 3].map(|k| self.belief.body_quat_wxyz[4 * b + k]));
        let mut p = Vec3::from_array([0, 1, 2].map(|k| self.ahead.body_position[3 * b + k]));
        let mut R = Quat::from_wxyz([0, 1, 2, 3].map(|k| self.ahead.body_quat_wxyz[4 * b + k]));
        let every = (self.options.measure_period / self.options.period).round().max(1.0) as usize;
        if self.periods.is_multiple_of(every) {
            let [metres, radians] = self.options.pose_noise;
            let mut three = || Vec3::new(self.noise.next(), self.noise.next(), self.noise.next());
            let (shift, turn) = (three() * metres, three() * radians);
            let measured_R = Quat::from_parts(1.0, turn * 0.5).normalized() * truth_R;
            p += (truth_p + shift - p) * TRUST;
            R = share_of(measured_R * R.inverse(), TRUST) * R;
        }
        self.belief.body_position[3 * b..3 * b + 3].copy_from_slice(&p.to_array());
        self.belief.body_quat_wxyz[4 * b..4 * b + 4].copy_from_slice(&R.to_wxyz());
        self.belief.body_velocity[6 * b..6 * b + 6]
            .copy_from_slice(&self.ahead.body_velocity[6 * b..6 * b + 6]);
    }

    /// ‖p − p*‖ [m] and 1 − (q*·q)² of the true object.
    fn errors(&self) -> Result<(f64, f64), ControlError> {
        let pose = self.plant.body_pose(0, self.object)?;
        let (p, q) = self.target;
        Ok(((pose.p - Vec3::from_array(p)).norm(), quat_error(&pose.R.to_wxyz(), &q)))
    }

    /// How it stands, by the true pose of the object.
    ///
    /// # Errors
    /// Never for a trial that could be made.
    pub fn standing(&self) -> Result<Standing, ControlError> {
        let (position_error, quat_error) = self.errors()?;
        let reached = self.there > 0 && (self.there - 1) as f64 * self.options.period >= self.options.hold;
        let fallen = self.plant.body_pose(0, self.object)?.p.z < self.fallen;
        let time = self.periods as f64 * self.options.period;
        let over = reached || fallen || time >= self.options.time_limit;
        Ok(Standing { time, position_error, quat_error, reached, fallen, over })
    }

    /// The plant, to be recorded or shown.
    pub fn plant(&self) -> &Batch {
        &self.plant
    }

    /// The same, to be pulled at.
    pub fn plant_mut(&mut self) -> &mut Batch {
        &mut self.plant
    }

    /// Keeps where fingertips go in the rollouts of the next plans: [`Planner::paths`].
    ///
    /// # Errors
    /// Never for a trial that could be made.
    pub fn watch(&mut self) -> Result<(), ControlError> {
        self.planner.watch(self.tips.clone())
    }

    /// The planner, to be looked at.
    pub fn planner(&self) -> &Planner {
        &self.planner
    }
}

/// Part of a turn, about its axis.
fn share_of(turn: Quat, share: f64) -> Quat {
    let turn = turn.short_way();
    let sine = turn.vector().norm();
    if sine < 1e-12 {
        return Quat::identity();
    }
    Quat::from_axis_angle(turn.vector() * (1.0 / sine), share * 2.0 * sine.atan2(turn.w))
}

/// One world, exact, with masses and frictions that nobody told the planner.
fn plant(model: &Arc<Model>, options: &TrialOptions) -> Result<Batch, ControlError> {
    let settings = BatchOptions { dt: Some(options.plant_dt), threads: 1, ..BatchOptions::default() };
    let mut plant = Batch::new(model.clone(), 1, settings)?;
    let range = [1.0 - options.model_error, 1.0 + options.model_error];
    plant.randomize(options.seed, &[(Quantity::BodyMass, range), (Quantity::Friction, range)], &[0])?;
    Ok(plant)
}

/// The hand at home, the object at rest in it.
fn settle(plant: &mut Batch, hand: &Hand) -> Result<(), ControlError> {
    let values: Vec<[f64; 1]> = hand.home.iter().map(|(_, q)| [*q]).collect();
    let joints: Vec<(&str, &[f64])> =
        hand.home.iter().zip(&values).map(|((name, _), q)| (name.as_str(), q.as_slice())).collect();
    let home = plant.assemble(&[0], &joints)?;
    if home != [true] {
        return Err(ControlError::BadModel(format!("{} cannot take its home pose", hand.name)));
    }
    let model = plant.models()[0].clone();
    for (a, motor) in model.actuators().iter().enumerate() {
        let Some((joint, _)) = motor.coordinate() else { continue };
        let name = &model.joints()[joint.index()].name;
        if let Some((_, q)) = hand.home.iter().find(|(home, _)| home == name) {
            plant.set_target_position(0, a, motor.gear * q)?;
        }
    }
    let dt = plant.dt();
    plant.advance((SETTLE / dt) as usize);
    Ok(())
}
