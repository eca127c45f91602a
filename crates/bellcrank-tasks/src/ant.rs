//! Run forward on four legs with eight motors: a round torso, and per leg a hip that swings about z and an ankle.
//!
//! Observation (27): height of the torso, its quaternion relative to the world (4), joint positions (8), velocity of the
//! torso linear and angular in its own axes (6), joint velocities (8). Action (8): motor torque, 15 N·m at one.
//! Reward: forward velocity + 1 for being alive − 0.5·|action|²/8; ends when the torso is below 0.2 m or above 1 m.
//! Episodes of 20 s at 20 Hz.

use crate::task::{Controls, Spec, Start, Task, World};
use bellcrank_math::Random;
use bellcrank_math::{Pose, Quat, Twist, Vec3};
use bellcrank_model::{Actuator, Body, BodyId, Faults, Geometry, Joint, Model, ModelBuilder, Shape, WORLD};
use std::f64::consts::FRAC_PI_4;
use std::sync::Arc;

const TORSO: f64 = 0.25; // [m] radius
const HEIGHT: f64 = 0.55; // [m] of the torso's middle, standing
const THIGH: f64 = 0.20; // [m] beyond the torso's surface
const FOOT: f64 = 0.08; // [m] radius
const TORQUE: f32 = 15.0; // [N·m] at an action of one
const JOINTS: [&str; 8] = ["hip_0", "ankle_0", "hip_1", "ankle_1", "hip_2", "ankle_2", "hip_3", "ankle_3"];

/// See the module.
pub(crate) struct Ant {
    model: Arc<Model>,
}

impl Ant {
    pub fn new() -> Result<Self, Faults> {
        let mut b = ModelBuilder::new("ant");
        b.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(1.0));
        let at = Pose::translation(0.0, 0.0, HEIGHT);
        let torso = b.body(Body::new("torso").at(at).solid_sphere(6.0, TORSO));
        b.shape(Shape::new("torso", torso, Geometry::Sphere { radius: TORSO }));
        for leg in 0..4 {
            add_leg(&mut b, torso, leg);
        }
        Ok(Ant { model: Arc::new(b.build()?) })
    }
}

/// A leg at 45° + 90°·k about z: the thigh goes straight out, the shin from its end down to the ground.
fn add_leg(b: &mut ModelBuilder, torso: BodyId, leg: usize) {
    let turn = Quat::from_axis_angle(Vec3::z_axis(), FRAC_PI_4 * (2 * leg + 1) as f64);
    let (out, across) = (turn.rotate(Vec3::x_axis()), turn.rotate(Vec3::y_axis()));
    let hip = Vec3::new(0.0, 0.0, HEIGHT) + out * TORSO;
    let knee = hip + out * THIGH;
    let toe = Vec3::new(knee.x, knee.y, FOOT) + out * 0.1;
    let drop = (toe - knee).norm();
    let thigh = b.body(
        Body::new(format!("thigh_{leg}"))
            .at(Pose::new(turn, (hip + knee) * 0.5))
            .solid_cylinder_x(0.5, 0.06, THIGH),
    );
    let shin = b.body(
        Body::new(format!("shin_{leg}"))
            .at(Pose::new(turn, (knee + toe) * 0.5))
            .solid_cylinder_z(0.5, 0.05, drop),
    );
    let tip = turn.rotate_inverse((toe - knee) * 0.5);
    b.shape(
        Shape::new(format!("foot_{leg}"), shin, Geometry::Sphere { radius: FOOT })
            .at(Pose::from_position(tip))
            .friction(1.0),
    );
    let hinge = Joint::revolute(format!("hip_{leg}"), torso, thigh).placed(hip, Vec3::z_axis());
    let hinge = b.joint(hinge.limits(-0.6, 0.6).armature(0.02).damping(0.5));
    b.actuator(Actuator::effort(format!("hip_{leg}_motor"), hinge));
    let ankle = Joint::revolute(format!("ankle_{leg}"), thigh, shin).placed(knee, across);
    let ankle = b.joint(ankle.limits(-0.8, 0.8).armature(0.02).damping(0.5));
    b.actuator(Actuator::effort(format!("ankle_{leg}_motor"), ankle));
}

impl Task for Ant {
    fn spec(&self) -> Spec {
        Spec {
            dt: 0.005,
            decimation: 10,
            episode_steps: 400,
            observation_count: 27,
            action_count: 8,
            memory_count: 8, // the last action
        }
    }

    fn model(&self) -> &Arc<Model> {
        &self.model
    }

    fn start_joints(&self) -> &[&str] {
        &JOINTS
    }

    fn start(&self, random: &mut Random, _memory: &mut [f32]) -> Start {
        let coordinates = JOINTS.iter().map(|_| random.between(-0.1, 0.1)).collect();
        let mut jolt = || random.between(-0.1, 0.1);
        let twist = Twist::new(Vec3::new(jolt(), jolt(), 0.0), Vec3::zero());
        Start { coordinates, twist, ..Start::default() }
    }

    fn drive(&self, action: &[f32], memory: &mut [f32], controls: Controls<'_>) {
        memory.copy_from_slice(action);
        controls.effort.iter_mut().zip(action).for_each(|(effort, x)| *effort = TORQUE * x);
    }

    fn observe(&self, world: World<'_>, _memory: &[f32], out: &mut [f32]) {
        let (R, V) = (world.quat(0), world.twist(0));
        out[0] = world.position(0).z as f32;
        out[1..5].copy_from_slice(&world.quats[..4]);
        out[5..13].copy_from_slice(world.q);
        for (k, v) in [R.rotate_inverse(V.linear), R.rotate_inverse(V.angular)].into_iter().enumerate() {
            out[13 + 3 * k..16 + 3 * k].copy_from_slice(&v.to_array().map(|x| x as f32));
        }
        out[19..27].copy_from_slice(world.v);
    }

    fn judge(&self, world: World<'_>, memory: &mut [f32], terms: &mut [f32]) -> bool {
        let effort = memory.iter().map(|x| x * x).sum::<f32>() / 8.0;
        let height = world.position(0).z;
        let reward = world.twist(0).linear.x as f32 + 1.0 - 0.5 * effort;
        terms[0] = reward;
        !(0.2..=1.0).contains(&height)
    }
}
