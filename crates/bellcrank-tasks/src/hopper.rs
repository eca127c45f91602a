//! Hop forward in a plane on a five-bar leg: both motors sit on the body, the loop closes at the toe.
//!
//! ```text
//!      [ body ]      moves in the x–z plane and pitches
//!      o      o      two motors
//!     /        \     cranks 0.14 m
//!    o          o
//!      \      /      shanks 0.24 m
//!         o          toe
//! ```
//! Observation (14): height, sine and cosine of the pitch, motor angles (2), body velocity x and z, pitch rate, motor
//! rates (2), whether the toe touches, its height, the last action (2). Action (2): motor targets, 0.6 rad from the reference
//! at one. Reward: forward velocity (at most 2 m/s) + 1 for being upright − effort; ends when the body pitches beyond
//! 0.8 rad or sinks below 0.15 m. Episodes of 10 s at 50 Hz.

use crate::task::{Controls, Spec, Start, Task, World};
use bellcrank_math::Random;
use bellcrank_math::{Pose, Quat, Twist, Vec3};
use bellcrank_model::{Actuator, Body, BodyId, Faults, Geometry, Joint, Model, ModelBuilder, Shape, WORLD};
use std::sync::Arc;

const AXLE: f64 = 0.04; // [m] from the middle to each motor
const CRANK: f64 = 0.14; // [m]
const SHANK: f64 = 0.24; // [m]
const DROP: f64 = 0.6; // [rad] cranks below the horizontal at the reference pose
const TOE: f64 = 0.03; // [m] radius
const REACH: f32 = 0.6; // [rad] of an action of one

/// See the module.
pub(crate) struct Hopper {
    model: Arc<Model>,
    toe_body: usize,
}

impl Hopper {
    pub fn new() -> Result<Self, Faults> {
        let mut b = ModelBuilder::new("hopper");
        b.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(1.0));
        let centre = Vec3::new(0.0, 0.0, hip_height());
        let size = Vec3::new(0.30, 0.10, 0.10);
        let body = b.body(Body::new("body").at(Pose::from_position(centre)).solid_box(3.0, size));
        b.shape(Shape::new("body", body, Geometry::Box { half: size * 0.5 }));
        // a planar joint slides in its y and z and turns about its x: the world's −y is its x
        let plane = Pose::new(Quat::from_axis_angle(Vec3::z_axis(), -std::f64::consts::FRAC_PI_2), centre);
        b.joint(Joint::planar("plane", WORLD, body).placed_pose(plane));
        let toe = Vec3::new(0.0, 0.0, TOE);
        let fore = add_half(&mut b, body, ("fore", 1.0), toe);
        let aft = add_half(&mut b, body, ("aft", -1.0), toe);
        b.joint(Joint::revolute("toe", fore, aft).placed(toe, Vec3::y_axis()));
        let tip = Pose::from_position(Vec3::new(0.0, 0.0, -0.5 * SHANK));
        b.shape(Shape::new("toe", fore, Geometry::Sphere { radius: TOE }).at(tip).friction(1.0));
        Ok(Hopper { model: Arc::new(b.build()?), toe_body: fore.index() })
    }

    /// Where the toe is [m]: at the lower end of the fore shank.
    fn toe(&self, world: World<'_>) -> Vec3 {
        let down = world.quat(self.toe_body).rotate(Vec3::new(0.0, 0.0, -0.5 * SHANK));
        world.position(self.toe_body) + down
    }
}

/// Height of the motors when the toe touches the ground [m].
fn hip_height() -> f64 {
    let across = AXLE + CRANK * DROP.cos();
    TOE + CRANK * DROP.sin() + (SHANK * SHANK - across * across).sqrt()
}

/// A crank and its shank; gives the shank, whose link frame is at its middle with z from the toe to the knee.
fn add_half(b: &mut ModelBuilder, body: BodyId, (half, sign): (&str, f64), toe: Vec3) -> BodyId {
    let axle = Vec3::new(sign * AXLE, 0.0, hip_height());
    let knee = axle + Vec3::new(sign * CRANK * DROP.cos(), 0.0, -CRANK * DROP.sin());
    let turn = |from: Vec3, to: Vec3| {
        let d = to - from;
        Quat::from_axis_angle(Vec3::y_axis(), d.x.atan2(d.z))
    };
    let bar = |name: String, from: Vec3, to: Vec3, mass: f64| {
        Body::new(name).at(Pose::new(turn(from, to), (from + to) * 0.5)).solid_cylinder_z(
            mass,
            0.01,
            (to - from).norm(),
        )
    };
    let crank = b.body(bar(format!("{half}_crank"), axle, knee, 0.2));
    let shank = b.body(bar(format!("{half}_shank"), toe, knee, 0.15));
    let hip = Joint::revolute(format!("{half}_hip"), body, crank).placed(axle, Vec3::y_axis());
    let hip = b.joint(hip.limits(-0.9, 0.9).armature(0.01).damping(0.05));
    b.joint(Joint::revolute(format!("{half}_knee"), crank, shank).placed(knee, Vec3::y_axis()));
    b.actuator(Actuator::position(format!("{half}_motor"), hip, 80.0, 2.0).effort_limit(25.0));
    shank
}

/// Joints in the model's order: plane (3), fore hip, fore knee, aft hip, aft knee, toe.
const FORE_HIP: usize = 3;
const AFT_HIP: usize = 5;

impl Task for Hopper {
    fn spec(&self) -> Spec {
        Spec {
            dt: 0.005,
            decimation: 4,
            episode_steps: 500,
            observation_count: 14,
            action_count: 2,
            memory_count: 2, // the last action
        }
    }

    fn model(&self) -> &Arc<Model> {
        &self.model
    }

    fn start_joints(&self) -> &[&str] {
        &["fore_hip", "aft_hip"]
    }

    fn start(&self, random: &mut Random, _memory: &mut [f32]) -> Start {
        let coordinates = vec![random.between(-0.2, 0.2), random.between(-0.2, 0.2)];
        let twist = Twist::new(Vec3::new(random.between(-0.2, 0.2), 0.0, 0.0), Vec3::zero());
        Start { coordinates, twist, ..Start::default() }
    }

    /// Puts the toe onto the ground.
    fn settle(&self, poses: &mut [Pose]) {
        let X = poses[self.toe_body];
        let toe = X * Vec3::new(0.0, 0.0, -0.5 * SHANK);
        poses.iter_mut().for_each(|X| X.p.z -= toe.z - TOE);
    }

    fn drive(&self, action: &[f32], memory: &mut [f32], controls: Controls<'_>) {
        memory.copy_from_slice(action);
        controls.target_position.iter_mut().zip(action).for_each(|(target, x)| *target = REACH * x);
    }

    fn observe(&self, world: World<'_>, memory: &[f32], out: &mut [f32]) {
        let (V, toe) = (world.twist(0), self.toe(world));
        let ahead = world.quat(0).rotate(Vec3::x_axis());
        let touches = if toe.z < TOE + 0.002 { 1.0 } else { 0.0 };
        out.copy_from_slice(&[
            world.position(0).z as f32,
            -ahead.z as f32,
            ahead.x as f32,
            world.q[FORE_HIP],
            world.q[AFT_HIP],
            V.linear.x as f32,
            V.linear.z as f32,
            V.angular.y as f32,
            world.v[FORE_HIP],
            world.v[AFT_HIP],
            touches,
            (toe.z - TOE) as f32,
            memory[0],
            memory[1],
        ]);
    }

    fn judge(&self, world: World<'_>, memory: &mut [f32], terms: &mut [f32]) -> bool {
        let ahead = world.quat(0).rotate(Vec3::x_axis());
        let pitch = (-ahead.z).atan2(ahead.x);
        let forward = (world.twist(0).linear.x as f32).min(2.0);
        let effort = memory.iter().map(|x| x * x).sum::<f32>();
        terms[0] = forward + 1.0 - 0.05 * effort;
        pitch.abs() > 0.8 || world.position(0).z < 0.15
    }
}
