//! Window after window: plan from where the plant is, let it go on, measure how far it is from the motion.

use super::cost::{Follow, FollowWeights};
use super::motion::Motion;
use crate::terms::quat_error;
use crate::{Action, ControlError, Method, Options, Planner, PlantState, Spline, Sum, Temperature};
use bellcrank_math::{Pose, Twist, Vec3, so3};
use bellcrank_model::Model;
use bellcrank_sim::{Batch, BatchOptions, ComFree, Precision, Quantity, Settings};
use std::sync::Arc;
use std::time::Instant;

/// How a motion is followed.
#[derive(Clone, Debug, PartialEq)]
pub struct FollowOptions {
    /// How to plan; actions are offsets from the motion's own targets.
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
    pub weights: FollowWeights,
    /// From plan to plan [s].
    pub window: f64,
    /// Steps of the plant, which is the exact solver, in one of the planner.
    pub substeps: usize,
    /// It is given up when the torso is farther from the motion than this [m].
    pub lost: f64,
}

impl Default for FollowOptions {
    fn default() -> Self {
        let law = ComFree { sweeps: 4, ..ComFree::default() };
        FollowOptions {
            planner: Options {
                method: Method::Mppi { temperature: Temperature::Relative(0.1) },
                horizon: 40,
                knots: Some(5),
                spline: Spline::Cubic,
                sigma: vec![0.15],
                action: Action::Offset,
                iterations: 3,
                anneal: 0.6,
                settled: 0.5,
                ..Options::default()
            },
            samples: 64,
            dt: 0.01,
            settings: Settings { gap_tolerance: Some(1e-4), ..law.into() },
            threads: 0,
            weights: FollowWeights::default(),
            window: 0.05,
            substeps: 5,
            lost: 0.5,
        }
    }
}

/// How far the robot is from the motion at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Errors {
    /// ‖p − p*‖ of the torso [m].
    pub position: f64,
    /// 1 − (q*·q)² of the torso.
    pub quat: f64,
    /// Angle between the torso's orientations [rad].
    pub angle: f64,
    /// ‖q − q*‖ over the joints with a motor [rad or m].
    pub joints: f64,
}

/// What following a motion came to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Tracked {
    /// Each row of `control` holds for this time [s].
    pub dt: f64,
    /// What the motors were told: (rows, actuators).
    pub control: Vec<f64>,
    /// By row, at its end.
    pub errors: Vec<Errors>,
    /// What each plan took [s].
    pub seconds: Vec<f64>,
    /// Plans that found nothing: the one before went on.
    pub failed: usize,
    /// It was given up: the torso was too far away.
    pub lost: bool,
}

/// A plant that follows a motion.
pub struct Following {
    plant: Batch,
    planner: Planner,
    cost: Follow,
    options: FollowOptions,
    state: PlantState,
    fresh: Vec<f64>,
    tracked: Tracked,
    duration: f64,
}

impl Following {
    /// The plant takes the motion's first pose, and its velocity. `others` are bodies whose places count besides the torso's pose: feet, hands.
    ///
    /// # Errors
    /// When motion and model do not fit, the model lacks a body, or the options make no sense.
    pub fn new(
        model: &Arc<Model>,
        motion: Arc<Motion>,
        (torso, others): (&str, &[String]),
        options: FollowOptions,
    ) -> Result<Self, ControlError> {
        motion.check(model)?;
        let per_window = (options.window / options.dt).round();
        if !(per_window >= 1.0 && per_window <= options.planner.horizon as f64) {
            let what = "the window";
            let expected = "between a step of the planner and its horizon";
            return Err(ControlError::BadOption { what, expected, found: options.window });
        }
        let plant_dt = options.dt / options.substeps.max(1) as f64;
        let exact = BatchOptions { dt: Some(plant_dt), threads: 1, ..BatchOptions::default() };
        let mut plant = Batch::new(model.clone(), 1, exact)?;
        let cost = Follow {
            weights: options.weights,
            now: 0.0,
            frames: motion.frames(model),
            bodies: model.bodies().len(),
            torso: Sum::body(model, torso)?,
            others: others.iter().map(|name| Sum::body(model, name)).collect::<Result<_, _>>()?,
            joints: driven(model),
            coordinates: model.coordinate_count(),
            motors: model.actuators().len(),
            dt: options.dt,
            motion,
        };
        cost.begin(&mut plant)?;
        let rollouts = BatchOptions {
            dt: Some(options.dt),
            precision: Precision::F32,
            threads: options.threads,
            settings: options.settings,
            ..BatchOptions::default()
        };
        let planner = Options { action: Action::Offset, ..options.planner.clone() };
        Ok(Following {
            planner: Planner::new(Batch::new(model.clone(), options.samples, rollouts)?, &cost, planner)?,
            state: PlantState::default(),
            fresh: plant.group(0).save(0),
            tracked: Tracked { dt: options.dt, ..Tracked::default() },
            duration: cost.motion.duration(model),
            plant,
            cost,
            options,
        })
    }

    /// Plans and goes on by a window; false when the motion is over, or it is lost.
    ///
    /// # Errors
    /// When the plant stops being finite.
    pub fn advance(&mut self) -> Result<bool, ControlError> {
        let motors = self.cost.motors;
        let first = self.tracked.control.len() / motors.max(1);
        self.cost.now = first as f64 * self.options.dt;
        if self.tracked.lost || self.cost.now >= self.duration - 1e-9 {
            return Ok(false);
        }
        self.plan()?;
        for row in 0..(self.options.window / self.options.dt).round() as usize {
            let told = &self.planner.sequence()[row * motors..][..motors];
            self.tracked.control.extend(told);
            let errors = self.cost.act(&mut self.plant, told, (first + row, self.options.substeps))?;
            self.tracked.errors.push(errors);
            self.tracked.lost |= errors.position > self.options.lost;
        }
        Ok(true)
    }

    fn plan(&mut self) -> Result<(), ControlError> {
        let (motion, motors) = (self.cost.motion.clone(), self.cost.motors);
        let told = (0..self.options.planner.horizon).flat_map(|step| {
            let at = motion.at(self.cost.now + step as f64 * self.options.dt, self.cost.frames);
            (0..motors).map(move |a| (at, a))
        });
        let told: Vec<f64> = told.map(|(at, a)| at.number(&motion.target_position, motors, a)).collect();
        self.planner.set_reference(&told)?;
        self.state.read(&self.plant, 0)?;
        let elapsed = if self.tracked.control.is_empty() { 0.0 } else { self.options.window };
        let began = Instant::now();
        match self.planner.plan(&self.state, &mut self.cost, elapsed) {
            Ok(_) => {}
            Err(ControlError::NoUsableSample { .. }) => self.tracked.failed += 1,
            Err(error) => return Err(error),
        }
        self.tracked.seconds.push(began.elapsed().as_secs_f64());
        Ok(())
    }

    /// What it has come to so far.
    pub fn tracked(&self) -> &Tracked {
        &self.tracked
    }

    /// The plant, to be recorded or shown.
    pub fn plant(&self) -> &Batch {
        &self.plant
    }

    /// From the start again, with the motors told what was found and nobody planning: how far it is from the motion, row by row.
    ///
    /// # Errors
    /// When the plant stops being finite.
    pub fn replay(&mut self) -> Result<Vec<Errors>, ControlError> {
        self.plant.group_mut(0).load(0, &self.fresh);
        let (motors, substeps) = (self.cost.motors, self.options.substeps);
        let rows = self.tracked.control.chunks_exact(motors.max(1)).enumerate();
        rows.map(|(row, told)| self.cost.act(&mut self.plant, told, (row, substeps))).collect()
    }
}

/// Coordinates of joints with a motor.
fn driven(model: &Model) -> Vec<usize> {
    let mut first = 0;
    let mut list = Vec::new();
    for (j, joint) in model.joints().iter().enumerate() {
        let numbers = joint.kind.coordinate_count();
        let drives = |dof: usize| model.actuators().iter().any(|motor| motor.drives(j, dof));
        list.extend(
            (0..numbers)
                .filter(|dof| numbers == joint.kind.dof_count() && drives(*dof))
                .map(|dof| first + dof),
        );
        first += numbers;
    }
    list
}

impl Follow {
    /// World 0 takes the motion's first pose and moves as it does from there to the next frame.
    fn begin(&self, plant: &mut Batch) -> Result<(), ControlError> {
        let (motion, n) = (&*self.motion, self.bodies);
        let pose = |time: f64, b: usize| {
            let at = motion.at(time, self.frames);
            let R = at.rotation(&motion.body_quat_wxyz, 4 * n, 4 * b);
            Pose::new(R, at.vector(&motion.body_position, 3 * n, 3 * b))
        };
        let poses: Vec<Pose> = (0..n).map(|b| pose(0.0, b)).collect();
        plant.set_body_poses(0, &poses)?;
        // closes what frames leave open
        if plant.assemble(&[0], &[])? != [true] {
            return Err(ControlError::BadModel(
                "the first pose of the motion does not close the robot's loops".into(),
            ));
        }
        for (b, X) in poses.iter().enumerate() {
            let (next, per_second) = (pose(motion.dt, b), 1.0 / motion.dt);
            let turn = so3::log((next.R * X.R.inverse()).short_way());
            plant.set_body_velocity(0, b, Twist::new((next.p - X.p) * per_second, turn * per_second))?;
        }
        let at = motion.at(0.0, self.frames);
        for a in 0..self.motors {
            plant.set_target_position(0, a, at.number(&motion.target_position, self.motors, a))?;
        }
        Ok(())
    }

    /// Tells the motors a row, and measures at its end.
    fn act(
        &self,
        plant: &mut Batch,
        told: &[f64],
        (row, substeps): (usize, usize),
    ) -> Result<Errors, ControlError> {
        plant.write(Quantity::Control, told)?;
        plant.advance(substeps.max(1));
        PlantState::of(plant, 0)?; // a plant that is frozen is named
        let (motion, n) = (&*self.motion, self.bodies);
        let at = motion.at((row + 1) as f64 * self.dt, self.frames);
        let X = plant.body_pose(0, self.torso)?;
        let R = at.rotation(&motion.body_quat_wxyz, 4 * n, 4 * self.torso);
        let p: Vec3 = at.vector(&motion.body_position, 3 * n, 3 * self.torso);
        let q = plant.joint_position(0)?;
        let bent = self
            .joints
            .iter()
            .map(|k| (q[*k] - at.number(&motion.joint_position, self.coordinates, *k)).powi(2));
        Ok(Errors {
            position: (X.p - p).norm(),
            quat: quat_error(&X.R.to_wxyz(), &R.to_wxyz()),
            angle: so3::log((X.R * R.inverse()).short_way()).norm(),
            joints: bent.sum::<f64>().sqrt(),
        })
    }
}
