//! Steer a walking machine on eight of Jansen's legs by the speeds of its two crankshafts: 24 loops, 50 Hz, episodes of 20 s.
//!
//! | observation | numbers |
//! |---|---|
//! | direction of gravity, velocity and angular velocity of the trunk, in its axes | 9 |
//! | sine and cosine of the heading error | 2 |
//! | command: forward velocity, nothing, turning rate | 3 |
//! | sine and cosine of both cranks; their speeds (× 0.1) | 6 |
//! | the last action | 2 |
//!
//! Together 22. An action of one is a crank at [`SPEED`]. A stride is 0.07 m per radian. The machine has failed when its trunk touches
//! the ground or tilts by more than 60°.

use crate::biped_chance::Chance;
use crate::env::EnvError;
use crate::mirror;
use crate::task::{Controls, Mirror, Spec, Start, Task, Tracking, World};
use crate::walking::{Ball, Block, balls_of, block_of, follow, heading, velocity_ahead, wrapped};
use bellcrank_math::{Pose, Random, Twist, Vec3};
use bellcrank_model::{Model, Parameters, library};
use bellcrank_sim::Quantity;
use std::sync::Arc;

/// Crank speed at an action of one [rad/s].
const SPEED: f32 = 5.0;
/// Time per action [s].
const SECONDS: f64 = 0.02;
/// Cosine of the tilt at which it has failed.
const UPRIGHT: f64 = 0.5;
/// Scale of speeds among the observations.
const RATE: f32 = 0.1;
const START: [&str; 2] = ["left_crank_hinge", "right_crank_hinge"];
const TERMS: [&str; 9] =
    ["velocity", "forward", "sideways", "turning", "heading", "action_rate", "bounce", "tumble", "fall"];

/// Where things stand in a world's memory: command (3), commanded heading, means of velocities (3), the last two actions.
const HEADING: usize = 3;
const MEAN: usize = 4;
const ACTIONS: usize = 7;
const COUNT: usize = 11;

/// See the module.
pub(crate) struct JansenWalk {
    model: Arc<Model>,
    hull: Block,
    feet: Vec<Ball>,
    /// Places of the cranks' hinges among the coordinates.
    cranks: [usize; 2],
    chance: Chance,
}

impl JansenWalk {
    pub fn new() -> Result<Self, EnvError> {
        let model = library::jansen_walker().build()?;
        let lacks = |what: &str| EnvError::OtherRobot { what: what.to_owned() };
        let crank = |name: &str| model.joint_id(name).map(|id| id.index()).ok_or_else(|| lacks(name));
        Ok(JansenWalk {
            hull: block_of(&model, 0).ok_or_else(|| lacks("a trunk"))?,
            feet: balls_of(&model),
            cranks: [crank(START[0])?, crank(START[1])?],
            chance: Chance::jansen(),
            model: Arc::new(model),
        })
    }
}

impl Task for JansenWalk {
    fn spec(&self) -> Spec {
        Spec {
            dt: 0.005,
            decimation: 4,
            episode_steps: 1000,
            observation_count: 22,
            action_count: 2,
            memory_count: COUNT,
        }
    }

    fn model(&self) -> &Arc<Model> {
        &self.model
    }

    fn start_joints(&self) -> &[&str] {
        &START
    }

    fn start(&self, random: &mut Random, memory: &mut [f32]) -> Start {
        let coordinates = START.iter().map(|_| random.between(-0.5, 0.5)).collect();
        self.chance.command(random, &mut memory[..HEADING]);
        let twist = Twist::new(Vec3::new(random.between(-0.05, 0.05), 0.0, 0.0), Vec3::zero());
        Start { coordinates, twist, ..Start::default() }
    }

    /// Puts the lowest foot onto the ground.
    fn settle(&self, poses: &mut [Pose]) {
        let low = self.feet.iter().map(|foot| foot.lowest(poses[foot.body])).fold(f64::MAX, f64::min);
        poses.iter_mut().for_each(|X| X.p.z -= low);
    }

    fn drive(&self, action: &[f32], memory: &mut [f32], controls: Controls<'_>) {
        memory.copy_within(ACTIONS..ACTIONS + 2, ACTIONS + 2);
        memory[ACTIONS..ACTIONS + 2].copy_from_slice(action);
        controls.target_velocity.iter_mut().zip(action).for_each(|(target, x)| *target = SPEED * x);
        memory[HEADING] += memory[2] * SECONDS as f32;
    }

    fn observe(&self, world: World<'_>, memory: &[f32], out: &mut [f32]) {
        let (R, V) = (world.quat(0), world.twist(0));
        let error = wrapped(heading(R) - f64::from(memory[HEADING]));
        let gravity = R.rotate_inverse(Vec3::new(0.0, 0.0, -1.0)).to_array();
        let (linear, angular) =
            (R.rotate_inverse(V.linear).to_array(), R.rotate_inverse(V.angular).to_array());
        let seen = gravity.into_iter().chain(linear).chain(angular).chain([error.sin(), error.cos()]);
        let seen = seen.map(|x| x as f32).chain(memory[..HEADING].iter().copied());
        let seen = seen.chain(self.cranks.iter().flat_map(|k| [world.q[*k].sin(), world.q[*k].cos()]));
        let seen = seen.chain(self.cranks.iter().map(|k| RATE * world.v[*k]));
        let seen = seen.chain(memory[ACTIONS..ACTIONS + 2].iter().copied());
        out.iter_mut().zip(seen).for_each(|(place, x)| *place = x);
    }

    fn reward_terms(&self) -> &'static [&'static str] {
        &TERMS
    }

    /// At most 4: velocity 1, forward 1.5, sideways 0.25 (the machine cannot, and shall not be pushed off), turning 0.75, heading 0.5.
    fn judge(&self, world: World<'_>, memory: &mut [f32], terms: &mut [f32]) -> bool {
        let (R, V) = (world.quat(0), world.twist(0));
        let told = [0, 1, 2].map(|k| f64::from(memory[k]));
        let followed = follow(velocity_ahead(R, V), told, &mut memory[MEAN..MEAN + 3]);
        let error = wrapped(heading(R) - f64::from(memory[HEADING]));
        let change = |k: usize| f64::from(memory[ACTIONS + k] - memory[ACTIONS + 2 + k]).powi(2);
        let tilted = R.rotate(Vec3::z_axis()).z < UPRIGHT;
        let fallen = tilted || self.hull.lowest(world.pose(0)) < 0.0;
        let all = [
            followed.now,
            1.5 * followed.mean[0],
            0.25 * followed.mean[1],
            0.75 * followed.mean[2],
            0.5 * (-error * error / 0.1).exp(),
            -0.05 * (change(0) + change(1)),
            -0.5 * V.linear.z.powi(2),
            -0.05 * (V.angular.x.powi(2) + V.angular.y.powi(2)),
            if fallen { -1.0 } else { 0.0 },
        ];
        terms.iter_mut().zip(all).for_each(|(term, x)| *term = x as f32);
        fallen
    }

    /// The torque of a motor that gives a velocity follows from the step, not from the action.
    fn read_outs(&self) -> &'static [Quantity] {
        &[Quantity::AppliedEffort]
    }

    fn tracking(&self, world: World<'_>, memory: &[f32]) -> Option<Tracking> {
        let velocity = velocity_ahead(world.quat(0), world.twist(0)).map(|x| x as f32);
        let torques = world.read_out(Quantity::AppliedEffort);
        let power =
            self.cranks.iter().zip(torques).map(|(crank, torque)| (torque * world.v[*crank]).abs()).sum();
        Some(Tracking { command: [memory[0], memory[1], memory[2]], velocity, power })
    }

    fn tell(&self, memory: &mut [f32], command: [f32; 3]) -> bool {
        memory[..HEADING].copy_from_slice(&command);
        true
    }

    fn settings(&mut self) -> Vec<(&'static str, &mut f64)> {
        self.chance.settings()
    }

    fn disturb(&self, random: &mut Random, memory: &mut [f32]) -> Vec3 {
        self.chance.disturb(random, &mut memory[..HEADING], SECONDS)
    }

    fn randomise(&self, worlds: usize, random: &dyn Fn(usize) -> Random, parameters: &mut Parameters) {
        self.chance.randomise(&self.model, (worlds, random), parameters);
    }

    fn delay(&self, random: &mut Random) -> usize {
        self.chance.delay(random)
    }

    fn mirrors(&self) -> Option<[Mirror; 2]> {
        let vector = mirror::signs([1.0, -1.0, 1.0]);
        let angular = mirror::signs([-1.0, 1.0, -1.0]);
        let heading = mirror::signs([-1.0, 1.0]);
        let command = mirror::signs([1.0, -1.0, -1.0]);
        let cranks = [(2, 1.0), (3, 1.0), (0, 1.0), (1, 1.0)]; // both about +y: they change places only
        let pair = [(1, 1.0), (0, 1.0)];
        let blocks: [&[(usize, f32)]; 8] =
            [&vector, &vector, &angular, &heading, &command, &cranks, &pair, &pair];
        Some([mirror::joined(&blocks), mirror::joined(&[&pair])])
    }
}
