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
//! | on rough ground: heights of each foot's centre over nine places around it | 18 |
//!
//! Together 94, or 112. An action gives the twelve motor targets, 0.35 rad from the standing pose at one. The robot has
//! failed when the pelvis touches the ground or the feet touch each other.

use crate::biped_chance::Chance;
use crate::env::EnvError;
use crate::ground::Ground;
use crate::robot::{MOTORS, Robot};
use crate::task::{Controls, Mirror, Spec, Start, Task, Tracking, World};
use crate::walking::{heading, velocity_ahead, wrapped};
use crate::{biped_reward, mirror};
use bellcrank_math::Random;
use bellcrank_math::{Pose, Quat, Twist, Vec3};
use bellcrank_model::{Model, ModelBuilder, Parameters};
use bellcrank_sim::Quantity;
use std::f64::consts::TAU;
use std::sync::Arc;

/// A step of both feet [s].
const PERIOD: f64 = 0.7;
/// A foot stands on flat ground below this clearance [m], and on rough ground under more than this force [N].
const TOUCH: f64 = 0.002;
const LOADED: f32 = 1.0;
/// Heights around each foot that a walker on rough ground sees, and the distance of these places [m].
const SAMPLES: usize = 9;
const SAMPLE_REACH: [f64; 2] = [0.15, 0.1];
/// Feet that come nearer to each other than this over the soles collide [m].
const APART: f64 = 0.02;

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
    pub const MEAN: usize = ACTIONS + 3 * crate::robot::MOTORS;
    /// All of it.
    pub const COUNT: usize = MEAN + 3;
}

/// See the module.
pub(crate) struct Biped {
    pub robot: Robot,
    pub ground: Ground,
    /// Roughness [m] and steepest slope of the ground; flat where there are none.
    terrain: Option<[f64; 2]>,
    walks: bool,
    chance: Chance,
}

impl Biped {
    pub fn stand() -> Result<Self, EnvError> {
        Ok(Self::of(Robot::hybrid(&Ground::Flat)?, Chance::none()))
    }

    pub fn walk() -> Result<Self, EnvError> {
        Ok(Self { walks: true, ..Self::of(Robot::hybrid(&Ground::Flat)?, Chance::walk()) })
    }

    /// Ground and robot are made when the settings are known.
    pub fn rough() -> Result<Self, EnvError> {
        Ok(Self { terrain: Some([0.02, 0.1]), ..Self::walk()? })
    }

    /// DR Legs from its makers' file.
    pub fn dr_legs(robot: ModelBuilder) -> Result<Self, EnvError> {
        Ok(Self { walks: true, ..Self::of(Robot::dr_legs(robot)?, Chance::walk()) })
    }

    fn of(robot: Robot, chance: Chance) -> Self {
        Biped { robot, ground: Ground::Flat, terrain: None, walks: false, chance }
    }

    /// Whether its feet shall lift in turn.
    pub fn walks(&self) -> bool {
        self.walks
    }

    /// Forward and sideways velocity of the pelvis in the axes of its heading [m/s], and its turning rate [rad/s].
    pub fn velocity(&self, world: World<'_>) -> [f64; 3] {
        velocity_ahead(world.quat(self.robot.pelvis), world.twist(self.robot.pelvis))
    }

    /// Target of a motor [rad] for an action.
    pub fn target(&self, action: f32) -> f32 {
        self.robot.reach * action
    }

    /// Height of a foot's lowest corner over the ground below the foot [m].
    pub fn clearance(&self, world: World<'_>, foot: usize) -> f64 {
        let X_WB = world.pose(self.robot.feet[foot]);
        self.robot.soles[foot].lowest(X_WB) - self.ground.height(X_WB.p.x, X_WB.p.y)
    }

    /// Whether a foot carries weight: on a plane its sole tells, elsewhere the force on it.
    pub fn touches(&self, world: World<'_>, foot: usize) -> bool {
        if matches!(self.ground, Ground::Flat) {
            return self.clearance(world, foot) < TOUCH;
        }
        let force = world.read_out(Quantity::ContactForce);
        force.get(3 * self.robot.feet[foot] + 2).is_some_and(|z| *z > LOADED)
    }

    fn pelvis_clearance(&self, world: World<'_>) -> f64 {
        let X_WB = world.pose(self.robot.pelvis);
        self.robot.hull.lowest(X_WB) - self.ground.height(X_WB.p.x, X_WB.p.y)
    }

    /// Whether the two soles overlap, seen from above in the left one's axes and in the right one's.
    fn feet_collide(&self, world: World<'_>) -> bool {
        let sole = |k: usize| world.pose(self.robot.feet[k]) * self.robot.soles[k].X_BG;
        let apart = |a: usize, b: usize| {
            let (R, d) = (sole(a).R.inverse() * sole(b).R, sole(a).R.rotate_inverse(sole(b).p - sole(a).p));
            let (x, y) = (R.rotate(Vec3::x_axis()), R.rotate(Vec3::y_axis()));
            let (own, other) = (self.robot.soles[a].half, self.robot.soles[b].half);
            let reach_x = own.x + x.x.abs() * other.x + y.x.abs() * other.y;
            let reach_y = own.y + x.y.abs() * other.x + y.y.abs() * other.y;
            d.x.abs() > reach_x || d.y.abs() > reach_y || d.z.abs() > own.z + other.z + APART
        };
        !(apart(0, 1) || apart(1, 0))
    }

    /// Heights of a foot's centre over the ground around it [m], in the axes of its heading: three by three places.
    fn samples(&self, world: World<'_>, foot: usize) -> [f32; SAMPLES] {
        let X_WB = world.pose(self.robot.feet[foot]);
        let (sin, cos) = heading(X_WB.R).sin_cos();
        let mut out = [0.0; SAMPLES];
        for (k, z) in out.iter_mut().enumerate() {
            let (x, y) = ((k / 3) as f64 - 1.0, (k % 3) as f64 - 1.0);
            let (x, y) = (x * SAMPLE_REACH[0], y * SAMPLE_REACH[1]);
            let below = self.ground.height(X_WB.p.x + cos * x - sin * y, X_WB.p.y + sin * x + cos * y);
            *z = (X_WB.p.z - below) as f32;
        }
        out
    }
}

impl Task for Biped {
    fn spec(&self) -> Spec {
        Spec {
            dt: 0.004,
            decimation: 5,
            episode_steps: 1000,
            observation_count: 94 + if self.terrain.is_some() { 2 * SAMPLES } else { 0 },
            action_count: MOTORS,
            memory_count: memory::COUNT,
        }
    }

    fn model(&self) -> &Arc<Model> {
        &self.robot.model
    }

    fn prepare(&mut self) -> Result<(), EnvError> {
        if let Some([roughness, slope]) = self.terrain {
            self.ground = Ground::rough(roughness, slope);
            self.robot = Robot::hybrid(&self.ground)?;
        }
        Ok(())
    }

    fn read_outs(&self) -> &'static [Quantity] {
        if self.terrain.is_some() { &[Quantity::ContactForce] } else { &[] }
    }

    fn start_joints(&self) -> &[&str] {
        self.robot.start_joints
    }

    fn start(&self, random: &mut Random, memory: &mut [f32]) -> Start {
        let spread = self.robot.start_spread;
        let coordinates = self.robot.start_joints.iter().map(|_| random.between(-spread, spread)).collect();
        if self.walks {
            self.chance.command(random, &mut memory[memory::COMMAND..memory::HEADING]);
            memory[memory::PHASE] = random.unit() as f32;
        }
        let mut jolt = |most: f64| random.between(-most, most);
        let twist = Twist::new(Vec3::new(jolt(0.1), jolt(0.1), 0.0), Vec3::zero());
        Start { coordinates, twist, place: self.ground.start(random), ..Start::default() }
    }

    /// Puts the lower foot onto the ground.
    fn settle(&self, poses: &mut [Pose]) {
        let lowest = |k: usize| self.robot.soles[k].lowest(poses[self.robot.feet[k]]);
        let low = lowest(0).min(lowest(1));
        poses.iter_mut().for_each(|X| X.p.z -= low);
    }

    fn drive(&self, action: &[f32], memory: &mut [f32], controls: Controls<'_>) {
        let history = &mut memory[memory::ACTIONS..memory::MEAN];
        history.copy_within(..2 * MOTORS, MOTORS);
        history[..MOTORS].copy_from_slice(action);
        controls.target_position.iter_mut().zip(action).for_each(|(target, x)| *target = self.target(*x));
        let seconds = 0.02;
        if self.walks {
            memory[memory::PHASE] = (memory[memory::PHASE] + (seconds / PERIOD) as f32).fract();
        }
        memory[memory::HEADING] += memory[memory::COMMAND + 2] * seconds as f32;
    }

    fn observe(&self, world: World<'_>, memory: &[f32], out: &mut [f32]) {
        let (R, V) = (world.quat(self.robot.pelvis), world.twist(self.robot.pelvis));
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
        if self.terrain.is_some() {
            (0..2).flat_map(|foot| self.samples(world, foot)).for_each(put);
        }
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
        let mut settings = self.chance.settings();
        if let Some([roughness, slope]) = &mut self.terrain {
            settings.extend([("roughness", roughness), ("slope", slope)]);
        }
        settings
    }

    fn disturb(&self, random: &mut Random, memory: &mut [f32]) -> Vec3 {
        self.chance.disturb(random, &mut memory[memory::COMMAND..memory::HEADING], 0.02)
    }

    fn randomise(&self, worlds: usize, random: &dyn Fn(usize) -> Random, parameters: &mut Parameters) {
        self.chance.randomise(&self.robot.model, (worlds, random), parameters);
    }

    fn delay(&self, random: &mut Random) -> usize {
        self.chance.delay(random)
    }

    fn mirrors(&self) -> Option<[Mirror; 2]> {
        let joints = mirror::of_joints(&self.robot.model)?;
        let motors = mirror::of_motors(&self.robot.model, &joints)?;
        let turned = mirror::signs([1.0, -1.0, 1.0, -1.0]); // a quaternion's axis is a pseudovector
        let vector = mirror::signs([1.0, -1.0, 1.0]);
        let heading = mirror::signs([-1.0, 1.0]);
        let angular = mirror::signs([-1.0, 1.0, -1.0]);
        let command = mirror::signs([1.0, -1.0, -1.0]);
        let gait = [(2, 1.0), (3, 1.0), (0, 1.0), (1, 1.0)]; // the feet change places
        let (joints, actions) = (joints.entries.as_slice(), motors.entries.as_slice());
        let mut blocks: Vec<&[(usize, f32)]> = vec![
            &turned, &vector, &heading, &vector, &angular, &command, &gait, joints, actions, actions, actions,
        ];
        // the feet change places, and what was on the left of a foot is on the right of the other
        let around: Vec<(usize, f32)> =
            (0..2 * SAMPLES).map(|k| ((k + SAMPLES) % (2 * SAMPLES) / 3 * 3 + 2 - k % 3, 1.0)).collect();
        if self.terrain.is_some() {
            blocks.push(&around);
        }
        Some([mirror::joined(&blocks), motors])
    }
}
