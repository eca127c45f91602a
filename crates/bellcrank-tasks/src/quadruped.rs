//! Walk at a commanded velocity on four five-bar legs with twelve motors: a trot, 50 Hz, episodes of 20 s.
//!
//! | observation | numbers |
//! |---|---|
//! | direction of gravity, velocity and angular velocity of the trunk, in its axes | 9 |
//! | sine and cosine of the heading error | 2 |
//! | command: forward and sideways velocity, turning rate | 3 |
//! | gait phase, sine and cosine | 2 |
//! | positions and velocities (× 0.1) of the motors' joints | 24 |
//! | the last action | 12 |
//!
//! Together 52. An action gives the motors' targets, [`REACH`] rad from the standing pose at one. The robot has failed when its trunk
//! touches the ground or tilts by more than 60°.

use crate::biped_chance::Chance;
use crate::env::EnvError;
use crate::mirror;
use crate::quadruped_reward;
use crate::task::{Controls, Mirror, Spec, Start, Task, Tracking, World};
use crate::walking::{Ball, Block, Motor, balls_of, block_of, heading, velocity_ahead, wrapped};
use bellcrank_math::{Pose, Random, Twist, Vec3};
use bellcrank_model::{Model, Parameters, library};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Motor target at an action of one [rad].
const REACH: f32 = 0.4;
/// Time per action, and of a step of all feet [s].
const SECONDS: f64 = 0.02;
const PERIOD: f64 = 0.5;
/// Cosine of the tilt at which it has failed.
const UPRIGHT: f64 = 0.5;
pub(crate) const MOTORS: usize = 12;
/// Scale of velocities among the observations.
const RATE: f32 = 0.1;

/// Joints that a start chooses: both cranks of every leg.
const START: [&str; 8] = [
    "front_left_fore_hip",
    "front_left_aft_hip",
    "front_right_fore_hip",
    "front_right_aft_hip",
    "rear_left_fore_hip",
    "rear_left_aft_hip",
    "rear_right_fore_hip",
    "rear_right_aft_hip",
];

/// Where things stand in a world's memory.
pub(crate) mod memory {
    /// Forward and sideways velocity [m/s], turning rate [rad/s].
    pub const COMMAND: usize = 0;
    /// Commanded heading [rad].
    pub const HEADING: usize = 3;
    /// Gait phase, 0 to 1.
    pub const PHASE: usize = 4;
    /// Velocities, averaged.
    pub const MEAN: usize = 5;
    /// The last two actions, newest first.
    pub const ACTIONS: usize = 8;
    /// All of it.
    pub const COUNT: usize = ACTIONS + 2 * super::MOTORS;
}

/// See the module.
pub(crate) struct Quadruped {
    model: Arc<Model>,
    hull: Block,
    /// Front left, front right, rear left, rear right.
    pub toes: Vec<Ball>,
    pub motors: Vec<Motor>,
    chance: Chance,
}

impl Quadruped {
    pub fn walk() -> Result<Self, EnvError> {
        let model = library::five_bar_quadruped().build()?;
        let lacks = |what: &str| EnvError::OtherRobot { what: what.to_owned() };
        Ok(Quadruped {
            hull: block_of(&model, 0).ok_or_else(|| lacks("a trunk"))?,
            toes: balls_of(&model),
            motors: model.actuators().iter().map(Motor::of).collect(),
            model: Arc::new(model),
            chance: Chance::quadruped(),
        })
    }

    /// Torque [N·m] of a motor that follows the last action without delay.
    pub fn torque(&self, k: usize, world: World<'_>, memory: &[f32]) -> f64 {
        self.motors[k].torque(REACH * memory[memory::ACTIONS + k], world)
    }

    /// Whether toe k shall stand at this phase of the gait: diagonal pairs in turn.
    pub fn stands(k: usize, phase: f64) -> bool {
        let own = if matches!(k, 0 | 3) { phase } else { (phase + 0.5).fract() };
        own < 0.55
    }
}

impl Task for Quadruped {
    fn spec(&self) -> Spec {
        Spec {
            dt: 0.005,
            decimation: 4,
            episode_steps: 1000,
            observation_count: 52,
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

    fn start(&self, random: &mut Random, memory: &mut [f32]) -> Start {
        let coordinates = START.iter().map(|_| random.between(-0.1, 0.1)).collect();
        self.chance.command(random, &mut memory[memory::COMMAND..memory::HEADING]);
        memory[memory::PHASE] = random.unit() as f32;
        let mut jolt = || random.between(-0.1, 0.1);
        let twist = Twist::new(Vec3::new(jolt(), jolt(), 0.0), Vec3::zero());
        Start { coordinates, twist, ..Start::default() }
    }

    /// Puts the lowest toe onto the ground.
    fn settle(&self, poses: &mut [Pose]) {
        let low = self.toes.iter().map(|toe| toe.lowest(poses[toe.body])).fold(f64::MAX, f64::min);
        poses.iter_mut().for_each(|X| X.p.z -= low);
    }

    fn drive(&self, action: &[f32], memory: &mut [f32], controls: Controls<'_>) {
        let history = &mut memory[memory::ACTIONS..];
        history.copy_within(..MOTORS, MOTORS);
        history[..MOTORS].copy_from_slice(action);
        controls.target_position.iter_mut().zip(action).for_each(|(target, x)| *target = REACH * x);
        memory[memory::PHASE] = (memory[memory::PHASE] + (SECONDS / PERIOD) as f32).fract();
        memory[memory::HEADING] += memory[memory::COMMAND + 2] * SECONDS as f32;
    }

    fn observe(&self, world: World<'_>, memory: &[f32], out: &mut [f32]) {
        let (R, V) = (world.quat(0), world.twist(0));
        let error = wrapped(heading(R) - f64::from(memory[memory::HEADING]));
        let phase = TAU * f64::from(memory[memory::PHASE]);
        let gravity = R.rotate_inverse(Vec3::new(0.0, 0.0, -1.0)).to_array();
        let (linear, angular) =
            (R.rotate_inverse(V.linear).to_array(), R.rotate_inverse(V.angular).to_array());
        let seen = gravity.into_iter().chain(linear).chain(angular).chain([error.sin(), error.cos()]);
        let seen = seen.map(|x| x as f32).chain(memory[memory::COMMAND..memory::HEADING].iter().copied());
        let seen = seen.chain([phase.sin() as f32, phase.cos() as f32]);
        let seen = seen.chain(self.motors.iter().map(|motor| world.q[motor.coordinate]));
        let seen = seen.chain(self.motors.iter().map(|motor| RATE * world.v[motor.coordinate]));
        let seen = seen.chain(memory[memory::ACTIONS..memory::ACTIONS + MOTORS].iter().copied());
        out.iter_mut().zip(seen).for_each(|(place, x)| *place = x);
    }

    fn reward_terms(&self) -> &'static [&'static str] {
        &quadruped_reward::TERMS
    }

    fn judge(&self, world: World<'_>, memory: &mut [f32], terms: &mut [f32]) -> bool {
        let tilted = world.quat(0).rotate(Vec3::z_axis()).z < UPRIGHT;
        let fallen = tilted || self.hull.lowest(world.pose(0)) < 0.0;
        quadruped_reward::reward(self, world, memory, terms);
        terms[quadruped_reward::FALL] = if fallen { -1.0 } else { 0.0 };
        fallen
    }

    fn tracking(&self, world: World<'_>, memory: &[f32]) -> Option<Tracking> {
        let told = &memory[memory::COMMAND..memory::HEADING];
        Some(Tracking {
            command: [told[0], told[1], told[2]],
            velocity: velocity_ahead(world.quat(0), world.twist(0)).map(|x| x as f32),
            power: quadruped_reward::power(self, world, memory) as f32,
        })
    }

    fn tell(&self, memory: &mut [f32], command: [f32; 3]) -> bool {
        memory[memory::COMMAND..memory::HEADING].copy_from_slice(&command);
        true
    }

    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        self.chance.settings()
    }

    fn disturb(&self, random: &mut Random, memory: &mut [f32]) -> Vec3 {
        self.chance.disturb(random, &mut memory[memory::COMMAND..memory::HEADING], SECONDS)
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
        let vector = mirror::signs([1.0, -1.0, 1.0]);
        let angular = mirror::signs([-1.0, 1.0, -1.0]);
        let heading = mirror::signs([-1.0, 1.0]);
        let command = mirror::signs([1.0, -1.0, -1.0]);
        let phase = mirror::signs([-1.0, -1.0]); // the diagonal pairs change places: half a step later
        let all = motors.entries.as_slice();
        let blocks: [&[(usize, f32)]; 9] =
            [&vector, &vector, &angular, &heading, &command, &phase, all, all, all];
        Some([mirror::joined(&blocks), motors])
    }
}
