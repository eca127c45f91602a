//! Get up after a fall: a quadruped between two shields is dropped in any orientation, its legs anywhere, and has to stand within
//! [`PATIENCE`] and stay up: it has to tuck its legs in, to roll on the shields, and to push itself up. 50 Hz, episodes of 8 s.
//!
//! | observation | numbers |
//! |---|---|
//! | direction of gravity, velocity and angular velocity of the trunk, in its axes | 9 |
//! | positions and velocities (× 0.1) of the motors' joints | 24 |
//! | the last action | 12 |
//!
//! Together 45. An action gives the motors' targets: zero stands, one is [`HIP`] rad for hips and [`CRANK`] rad for cranks. It has
//! failed when it does not stand after [`PATIENCE`].
//!
//! | term of the reward | weight |
//! |---|---|
//! | upright: 1 − tilt/π | 1 |
//! | height of the trunk while it is upright, up to that of standing | 1 |
//! | posture while it stands: exp(−mean of (target − standing)²/0.1) | 1 |
//! | still while it stands: exp(−(v² + ω²/10)/0.1) | 0.5 |
//! | torque: Σ τ² | −0.00005 |
//! | action_rate: Σ (a − a′)² | −0.005 |
//! | fall: failed | −5 |

use crate::biped_chance::Chance;
use crate::env::EnvError;
use crate::mirror;
use crate::task::{Controls, Mirror, Spec, Start, Task, World};
use crate::walking::{Ball, Block, Lens, Motor, balls_of, block_of, lenses_of};
use bellcrank_math::{Pose, Quat, Random, Vec3};
use bellcrank_model::{Actuator, Model, Parameters, library};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// Targets of hips and of cranks at an action of one [rad]: nearly as far as they go.
const HIP: f32 = 0.55;
const CRANK: f32 = 0.85;
/// Time per action [s], and the time that it has to get up.
const SECONDS: f64 = 0.02;
const PATIENCE: f64 = 5.0;
/// Height above the ground at which it is dropped [m].
const DROP: f64 = 0.02;
/// It stands when the cosine of its tilt and the part of its standing height are above these.
const UPRIGHT: f64 = 0.9;
const HIGH: f64 = 0.7;
const MOTORS: usize = 12;
/// Scale of velocities among the observations.
const RATE: f32 = 0.1;

const TERMS: [&str; 7] = ["upright", "height", "posture", "still", "torque", "action_rate", "fall"];

/// Joints that a start chooses: all that have motors, leg by leg an abduction and two cranks.
const START: [&str; MOTORS] = [
    "front_left_abduction",
    "front_left_fore_hip",
    "front_left_aft_hip",
    "front_right_abduction",
    "front_right_fore_hip",
    "front_right_aft_hip",
    "rear_left_abduction",
    "rear_left_fore_hip",
    "rear_left_aft_hip",
    "rear_right_abduction",
    "rear_right_fore_hip",
    "rear_right_aft_hip",
];

/// Where things stand in a world's memory.
mod memory {
    /// Actions since the drop.
    pub const AGE: usize = 0;
    /// The last two actions, newest first.
    pub const ACTIONS: usize = 1;
    /// All of it.
    pub const COUNT: usize = ACTIONS + 2 * super::MOTORS;
}

/// See the module.
pub(crate) struct GetUp {
    model: Arc<Model>,
    /// All that may touch the ground.
    trunk: Block,
    shields: Vec<Lens>,
    balls: Vec<Ball>,
    motors: Vec<Motor>,
    /// Targets of the motors at an action of one [rad].
    reach: Vec<f32>,
    /// Height of the trunk's centre when it stands [m].
    height: f64,
    /// The largest tilt at the start [rad].
    tilt: f64,
    chance: Chance,
}

impl GetUp {
    pub fn new() -> Result<Self, EnvError> {
        let model = library::tumbling_quadruped().build()?;
        let lacks = |what: &str| EnvError::OtherRobot { what: what.to_owned() };
        let is_hip = |actuator: &Actuator| {
            let joint = actuator.coordinate().map(|(joint, _)| &model.joints()[joint.index()]);
            joint.is_some_and(|joint| joint.name.ends_with("abduction"))
        };
        Ok(GetUp {
            trunk: block_of(&model, 0).ok_or_else(|| lacks("a trunk"))?,
            shields: lenses_of(&model),
            balls: balls_of(&model),
            motors: model.actuators().iter().map(Motor::of).collect(),
            reach: model.actuators().iter().map(|a| if is_hip(a) { HIP } else { CRANK }).collect(),
            height: model.bodies()[0].X_WB().p.z,
            tilt: PI,
            chance: Chance::get_up(),
            model: Arc::new(model),
        })
    }

    /// Fills all terms but the last; whether it stands.
    fn reward(&self, world: World<'_>, memory: &[f32], terms: &mut [f32]) -> bool {
        let (R, V) = (world.quat(0), world.twist(0));
        let up = R.rotate(Vec3::z_axis()).z;
        let high = (world.position(0).z / self.height).clamp(0.0, 1.0);
        let stands = up > UPRIGHT && high > HIGH;
        let bent: f64 = self.motors.iter().map(|motor| f64::from(world.q[motor.coordinate]).powi(2)).sum();
        let moved = V.linear.norm_squared() + 0.1 * V.angular.norm_squared();
        let history = &memory[memory::ACTIONS..];
        let torque = |k: usize| self.motors[k].torque(self.reach[k] * history[k], world).powi(2);
        let change: f64 = (0..MOTORS).map(|k| f64::from(history[k] - history[MOTORS + k]).powi(2)).sum();
        let only = |stands: bool, reward: f64| if stands { reward } else { 0.0 };
        let all = [
            1.0 - up.clamp(-1.0, 1.0).acos() / PI,
            only(up > 0.5, high),
            only(stands, (-bent / (0.1 * MOTORS as f64)).exp()),
            only(stands, 0.5 * (-moved / 0.1).exp()),
            -0.00005 * (0..MOTORS).map(torque).sum::<f64>(),
            -0.005 * change,
        ];
        terms.iter_mut().zip(all).for_each(|(term, x)| *term = x as f32);
        stands
    }
}

impl Task for GetUp {
    fn spec(&self) -> Spec {
        Spec {
            dt: 0.005,
            decimation: 4,
            episode_steps: 400,
            observation_count: 45,
            action_count: MOTORS,
            memory_count: memory::COUNT,
        }
    }

    fn model(&self) -> &Arc<Model> {
        &self.model
    }

    fn start_joints(&self) -> &[&str] {
        &START
    }

    /// Legs anywhere and the trunk turned by any angle, up to the largest, about any axis. Most falls end on a side or on the back.
    fn start(&self, random: &mut Random, _memory: &mut [f32]) -> Start {
        let mut coordinates = Vec::with_capacity(MOTORS);
        for outward in [1.0, -1.0, 1.0, -1.0] {
            coordinates.push(outward * random.between(-0.05, 0.4)); // farther in, knees would be in the trunk
            coordinates.extend([random.between(-0.6, 0.6), random.between(-0.6, 0.6)]);
        }
        let (sin, cos) = random.between(0.0, TAU).sin_cos();
        let tilt = Quat::from_axis_angle(Vec3::new(cos, sin, 0.0), random.between(0.0, self.tilt));
        Start { coordinates, turn: tilt, ..Start::default() }
    }

    /// Puts the lowest of trunk, shields, knees and toes a little above the ground.
    fn settle(&self, poses: &mut [Pose]) {
        let balls = self.balls.iter().map(|ball| ball.lowest(poses[ball.body]));
        let shields = self.shields.iter().map(|shield| shield.lowest(poses[shield.body]));
        let low = balls.chain(shields).fold(self.trunk.lowest(poses[0]), f64::min);
        poses.iter_mut().for_each(|X| X.p.z += DROP - low);
    }

    fn drive(&self, action: &[f32], memory: &mut [f32], controls: Controls<'_>) {
        memory[memory::AGE] += 1.0;
        let history = &mut memory[memory::ACTIONS..];
        history.copy_within(..MOTORS, MOTORS);
        history[..MOTORS].copy_from_slice(action);
        let targets = controls.target_position.iter_mut().zip(action).enumerate();
        targets.for_each(|(k, (target, action))| *target = self.reach[k] * action);
    }

    fn observe(&self, world: World<'_>, memory: &[f32], out: &mut [f32]) {
        let (R, V) = (world.quat(0), world.twist(0));
        let own = [Vec3::new(0.0, 0.0, -1.0), V.linear, V.angular];
        let seen = own.into_iter().flat_map(|x| R.rotate_inverse(x).to_array()).map(|x| x as f32);
        let seen = seen.chain(self.motors.iter().map(|motor| world.q[motor.coordinate]));
        let seen = seen.chain(self.motors.iter().map(|motor| RATE * world.v[motor.coordinate]));
        let seen = seen.chain(memory[memory::ACTIONS..memory::ACTIONS + MOTORS].iter().copied());
        out.iter_mut().zip(seen).for_each(|(place, x)| *place = x);
    }

    fn reward_terms(&self) -> &'static [&'static str] {
        &TERMS
    }

    fn judge(&self, world: World<'_>, memory: &mut [f32], terms: &mut [f32]) -> bool {
        let stands = self.reward(world, memory, terms);
        let lies = !stands && f64::from(memory[memory::AGE]) * SECONDS > PATIENCE;
        terms[TERMS.len() - 1] = if lies { -5.0 } else { 0.0 };
        lies
    }

    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        let mut settings = self.chance.settings();
        settings.retain(|(name, _)| {
            ["friction", "mass", "strength", "delay"].iter().any(|k| name.starts_with(k))
        });
        settings.push(("tilt_max", &mut self.tilt));
        settings
    }

    fn randomise(&self, worlds: usize, random: &dyn Fn(usize) -> Random, parameters: &mut Parameters) {
        self.chance.randomise(&self.model, (worlds, random), parameters);
    }

    fn delay(&self, random: &mut Random) -> usize {
        self.chance.delay(random)
    }

    fn mirrors(&self) -> Option<[Mirror; 2]> {
        let joints = mirror::of_joints(&self.model)?;
        let motors = mirror::of_motors(&self.model, &joints)?;
        let (vector, angular) = (mirror::signs([1.0, -1.0, 1.0]), mirror::signs([-1.0, 1.0, -1.0]));
        let all = motors.entries.as_slice();
        Some([mirror::joined(&[&vector, &vector, &angular, all, all, all]), motors])
    }
}
