//! Stand or walk on two legs whose twelve motors act through six loops; observation and reward have the structure of
//! [Kamino] section 6.3. 250 Hz, one action every five steps (50 Hz), episodes of 20 s.
//!
//! | observation | numbers |
//! |---|---|
//! | orientation of the pelvis: quaternion from the commanded heading, direction of gravity, sine and cosine of the heading error | 4 + 3 + 2 |
//! | velocity of the pelvis in its own axes, linear and angular | 6 |
//! | command: forward and sideways velocity, turning rate | 3 |
//! | gait phase of each foot, sine and cosine | 4 |
//! | positions of all joints, passive ones too | 36 |
//! | the last three actions | 36 |
//!
//! Together 94. An action gives the twelve motor targets, [`REACH`] rad from the standing pose at one. The robot has
//! failed when the pelvis touches the ground or the feet touch each other.

use crate::biped_chance::Chance;
use crate::task::{Controls, Mirror, Spec, Start, Task, Tracking, World};
use crate::{biped_reward, mirror};
use bellcrank_math::Random;
use bellcrank_math::{Pose, Quat, Twist, Vec3};
use bellcrank_model::{Control, Faults, Model, Parameters, library};
use std::f64::consts::TAU;
use std::sync::Arc;

/// Motor target at an action of one [rad].
const REACH: f32 = 0.35;
/// A step of both feet [s].
const PERIOD: f64 = 0.7;
/// Half of pelvis and of sole, and of the sole the middle's height over the centre of mass [m].
const PELVIS_HALF: Vec3 = Vec3 { x: 0.065, y: 0.15, z: 0.045 };
pub(crate) const SOLE_HALF: Vec3 = Vec3 { x: 0.105, y: 0.06, z: 0.008 };
const SOLE_FROM_COM: f64 = 0.008 - 0.018;
const MOTORS: usize = 12;

/// Where things stand in a world's memory.
pub(crate) mod memory {
    /// Forward and sideways velocity [m/s], turning rate [rad/s].
    pub const COMMAND: usize = 0;
    /// Commanded heading [rad].
    pub const HEADING: usize = 3;
    /// Gait phase of the left foot, 0 to 1.
    pub const PHASE: usize = 4;
    /// Whether each foot touched before, 0 or 1.
    pub const TOUCHED: usize = 5;
    /// Vertical speed of each foot before [m/s].
    pub const FOOT_SPEED: usize = 7;
    /// The last three actions, newest first.
    pub const ACTIONS: usize = 9;
    /// Forward and sideways velocity and turning rate, averaged over about half a second.
    pub const MEAN: usize = ACTIONS + 3 * super::MOTORS;
    /// All of it.
    pub const COUNT: usize = MEAN + 3;
}

/// What a motor's target becomes, for the torque in the reward.
#[derive(Clone, Copy)]
pub(crate) struct Motor {
    /// Its joint's place among the coordinates.
    pub coordinate: usize,
    pub kp: f32,
    pub kd: f32,
    pub limit: f32,
}

/// See the module.
pub(crate) struct Biped {
    model: Arc<Model>,
    pub pelvis: usize,
    pub feet: [usize; 2],
    pub motors: Vec<Motor>,
    walks: bool,
    chance: Chance,
}

impl Biped {
    pub fn stand() -> Result<Self, Faults> {
        Self::new(false)
    }

    pub fn walk() -> Result<Self, Faults> {
        Self::new(true)
    }

    fn new(walks: bool) -> Result<Self, Faults> {
        let model = library::hybrid_biped().build()?;
        let body = |name: &str| model.body_id(name).map_or(0, |id| id.index());
        let starts = model.joints().iter().scan(0, |sum, joint| {
            let start = *sum;
            *sum += joint.kind.coordinate_count();
            Some(start)
        });
        let starts: Vec<usize> = starts.collect();
        let motor = |actuator: &bellcrank_model::Actuator| {
            let (kp, kd) = match actuator.control {
                Control::Position { kp, kd } => (kp, kd),
                _ => (0.0, 0.0),
            };
            let coordinate = actuator.coordinate().map_or(0, |(joint, _)| starts[joint.index()]);
            Motor { coordinate, kp: kp as f32, kd: kd as f32, limit: actuator.effort_limit as f32 }
        };
        Ok(Biped {
            pelvis: body("pelvis"),
            feet: [body("left_foot"), body("right_foot")],
            motors: model.actuators().iter().map(motor).collect(),
            model: Arc::new(model),
            walks,
            chance: if walks { Chance::walk() } else { Chance::none() },
        })
    }

    /// Whether its feet shall lift in turn.
    pub fn walks(&self) -> bool {
        self.walks
    }

    /// Forward and sideways velocity of the pelvis in the axes of its heading [m/s], and its turning rate [rad/s].
    pub fn velocity(&self, world: World<'_>) -> [f64; 3] {
        let (R, V) = (world.quat(self.pelvis), world.twist(self.pelvis));
        let (sin, cos) = heading(R).sin_cos();
        [cos * V.linear.x + sin * V.linear.y, cos * V.linear.y - sin * V.linear.x, V.angular.z]
    }

    /// Target of a motor [rad] for an action.
    pub fn target(action: f32) -> f32 {
        REACH * action
    }

    /// Height of a foot's lowest corner over the ground [m].
    pub fn clearance(&self, world: World<'_>, foot: usize) -> f64 {
        let R = world.quat(foot);
        let up = R.rotate_inverse(Vec3::z_axis()); // the world's z in the foot's axes
        let half = SOLE_HALF;
        let reach = up.x.abs() * half.x + up.y.abs() * half.y + up.z.abs() * half.z;
        world.position(foot).z + up.z * SOLE_FROM_COM - reach
    }

    fn pelvis_clearance(&self, world: World<'_>) -> f64 {
        let up = world.quat(self.pelvis).rotate_inverse(Vec3::z_axis());
        let half = PELVIS_HALF;
        world.position(self.pelvis).z - (up.x.abs() * half.x + up.y.abs() * half.y + up.z.abs() * half.z)
    }

    /// Whether the two soles overlap, seen from above in the left one's axes and in the right one's.
    fn feet_collide(&self, world: World<'_>) -> bool {
        let [left, right] = self.feet;
        let apart = |a: usize, b: usize| {
            let R = world.quat(a).inverse() * world.quat(b);
            let d = world.quat(a).rotate_inverse(world.position(b) - world.position(a));
            let (x, y) = (R.rotate(Vec3::x_axis()), R.rotate(Vec3::y_axis()));
            let reach_x = SOLE_HALF.x + x.x.abs() * SOLE_HALF.x + y.x.abs() * SOLE_HALF.y;
            let reach_y = SOLE_HALF.y + x.y.abs() * SOLE_HALF.x + y.y.abs() * SOLE_HALF.y;
            d.x.abs() > reach_x || d.y.abs() > reach_y || d.z.abs() > 2.0 * SOLE_HALF.z + 0.02
        };
        !(apart(left, right) || apart(right, left))
    }
}

/// Heading of a body: the angle of its x axis about the world's z [rad].
pub(crate) fn heading(R: Quat) -> f64 {
    let ahead = R.rotate(Vec3::x_axis());
    ahead.y.atan2(ahead.x)
}

/// An angle between −π and π.
pub(crate) fn wrapped(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

impl Task for Biped {
    fn spec(&self) -> Spec {
        Spec {
            dt: 0.004,
            decimation: 5,
            episode_steps: 1000,
            observation_count: 94,
            action_count: MOTORS,
            memory_count: memory::COUNT,
        }
    }

    fn model(&self) -> &Arc<Model> {
        &self.model
    }

    fn start_joints(&self) -> &[&str] {
        &["left_inner_hip_pitch", "left_inner_knee_drive", "right_inner_hip_pitch", "right_inner_knee_drive"]
    }

    fn start(&self, random: &mut Random, memory: &mut [f32]) -> Start {
        let coordinates = (0..4).map(|_| random.between(-0.08, 0.08)).collect();
        if self.walks {
            self.chance.command(random, &mut memory[memory::COMMAND..memory::HEADING]);
            memory[memory::PHASE] = random.unit() as f32;
        }
        let mut jolt = |most: f64| random.between(-most, most);
        let twist = Twist::new(Vec3::new(jolt(0.1), jolt(0.1), 0.0), Vec3::zero());
        Start { coordinates, twist }
    }

    /// Puts the lower foot onto the ground.
    fn settle(&self, poses: &mut [Pose]) {
        let lowest = |X: &Pose| {
            let up = X.R.rotate_inverse(Vec3::z_axis());
            let half = SOLE_HALF;
            let reach = up.x.abs() * half.x + up.y.abs() * half.y + up.z.abs() * half.z;
            X.p.z + up.z * SOLE_FROM_COM - reach
        };
        let low = lowest(&poses[self.feet[0]]).min(lowest(&poses[self.feet[1]]));
        poses.iter_mut().for_each(|X| X.p.z -= low);
    }

    fn drive(&self, action: &[f32], memory: &mut [f32], controls: Controls<'_>) {
        let history = &mut memory[memory::ACTIONS..memory::MEAN];
        history.copy_within(..2 * MOTORS, MOTORS);
        history[..MOTORS].copy_from_slice(action);
        controls.target_position.iter_mut().zip(action).for_each(|(target, x)| *target = Self::target(*x));
        let seconds = 0.02;
        if self.walks {
            memory[memory::PHASE] = (memory[memory::PHASE] + (seconds / PERIOD) as f32).fract();
        }
        memory[memory::HEADING] += memory[memory::COMMAND + 2] * seconds as f32;
    }

    fn observe(&self, world: World<'_>, memory: &[f32], out: &mut [f32]) {
        let (R, V) = (world.quat(self.pelvis), world.twist(self.pelvis));
        let error = wrapped(heading(R) - f64::from(memory[memory::HEADING]));
        let ahead = Quat::from_axis_angle(Vec3::z_axis(), f64::from(memory[memory::HEADING]));
        let relative = (ahead.inverse() * R).short_way().to_wxyz();
        let gravity = R.rotate_inverse(Vec3::new(0.0, 0.0, -1.0)).to_array();
        let linear = R.rotate_inverse(V.linear).to_array();
        let angular = R.rotate_inverse(V.angular).to_array();
        let phase = TAU * f64::from(memory[memory::PHASE]);
        let walking = if self.walks { 1.0 } else { 0.0 };
        let gait = [phase.sin(), phase.cos(), -phase.sin(), -phase.cos()].map(|x| x * walking);
        let heading_error = [error.sin(), error.cos()];
        let told: [&[f64]; 6] = [&relative, &gravity, &heading_error, &linear, &angular, &[]];
        let mut next = out.iter_mut();
        let mut put = |x: f32| {
            if let Some(place) = next.next() {
                *place = x;
            }
        };
        told.iter().flat_map(|list| list.iter()).for_each(|x| put(*x as f32));
        memory[memory::COMMAND..memory::HEADING].iter().for_each(|x| put(*x));
        gait.iter().for_each(|x| put(*x as f32));
        world.q.iter().for_each(|x| put(*x));
        memory[memory::ACTIONS..memory::MEAN].iter().for_each(|x| put(*x));
    }

    fn reward_terms(&self) -> &'static [&'static str] {
        &biped_reward::TERMS
    }

    fn judge(&self, world: World<'_>, memory: &mut [f32], terms: &mut [f32]) -> bool {
        let fallen = self.pelvis_clearance(world) < 0.0 || self.feet_collide(world);
        biped_reward::reward(self, world, memory, terms);
        terms[biped_reward::FALL] = if fallen { -1.0 } else { 0.0 };
        fallen
    }

    fn tracking(&self, world: World<'_>, memory: &[f32]) -> Option<Tracking> {
        let command = &memory[memory::COMMAND..memory::HEADING];
        self.walks.then(|| Tracking {
            command: [command[0], command[1], command[2]],
            velocity: self.velocity(world).map(|x| x as f32),
            power: biped_reward::power(self, world, memory) as f32,
        })
    }

    fn tell(&self, memory: &mut [f32], command: [f32; 3]) -> bool {
        if self.walks {
            memory[memory::COMMAND..memory::HEADING].copy_from_slice(&command);
        }
        self.walks
    }

    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        self.chance.settings()
    }

    fn disturb(&self, random: &mut Random, memory: &mut [f32]) -> Vec3 {
        self.chance.disturb(random, &mut memory[memory::COMMAND..memory::HEADING], 0.02)
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
        let turned = mirror::signs([1.0, -1.0, 1.0, -1.0]); // a quaternion's axis is a pseudovector
        let vector = mirror::signs([1.0, -1.0, 1.0]);
        let heading = mirror::signs([-1.0, 1.0]);
        let angular = mirror::signs([-1.0, 1.0, -1.0]);
        let command = mirror::signs([1.0, -1.0, -1.0]);
        let gait = [(2, 1.0), (3, 1.0), (0, 1.0), (1, 1.0)]; // the feet change places
        let (joints, actions) = (joints.entries.as_slice(), motors.entries.as_slice());
        let blocks: [&[(usize, f32)]; 11] = [
            &turned, &vector, &heading, &vector, &angular, &command, &gait, joints, actions, actions, actions,
        ];
        Some([mirror::joined(&blocks), motors])
    }
}
