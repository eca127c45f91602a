//! What walking tasks share: headings, how a command is followed, balls and boxes over the ground.

use crate::task::World;
use bellcrank_math::{Pose, Quat, Twist, Vec3};
use bellcrank_model::{Actuator, Control, Geometry, Model, Shape};
use std::f64::consts::TAU;

/// Heading of a body: the angle of its x axis about the world's z [rad].
pub(crate) fn heading(R: Quat) -> f64 {
    let ahead = R.rotate(Vec3::x_axis());
    ahead.y.atan2(ahead.x)
}

/// An angle between −π and π.
pub(crate) fn wrapped(angle: f64) -> f64 {
    angle - TAU * (angle / TAU).round()
}

/// Forward and sideways velocity in the axes of a body's heading [m/s], and its turning rate [rad/s].
pub(crate) fn velocity_ahead(R: Quat, V: Twist) -> [f64; 3] {
    let (sin, cos) = heading(R).sin_cos();
    [cos * V.linear.x + sin * V.linear.y, cos * V.linear.y - sin * V.linear.x, V.angular.z]
}

/// Part of a mean velocity that one action renews: 0.02 s of 0.5 s.
const RENEWED: f64 = 0.02 / 0.5;

/// How well a command is followed, each between 0 and 1.
pub(crate) struct Followed {
    /// Now: exp(−(eₓ² + e_y²/4)/0.05) with e = v − v*. A step sways by more than it may miss.
    pub now: f64,
    /// On average over about half a second: exp(−ē²/0.01) forward and sideways, exp(−ē²/0.02) turning.
    pub mean: [f64; 3],
}

/// Compares velocities with what was told; `mean` are the means of the velocities, carried on from action to action.
pub(crate) fn follow(velocity: [f64; 3], told: [f64; 3], mean: &mut [f32]) -> Followed {
    let now = (velocity[0] - told[0]).powi(2) + 0.25 * (velocity[1] - told[1]).powi(2);
    let mut errors = [0.0; 3];
    for k in 0..3 {
        let old = f64::from(mean[k]);
        let renewed = old + RENEWED * (velocity[k] - old);
        mean[k] = renewed as f32;
        errors[k] = (renewed - told[k]).powi(2);
    }
    let mean = [(-errors[0] / 0.01).exp(), (-errors[1] / 0.01).exp(), (-errors[2] / 0.02).exp()];
    Followed { now: (-now / 0.05).exp(), mean }
}

/// A motor on a hinge of a robot whose joints are all hinges: what its target becomes, for the torque in the reward.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Motor {
    /// Its joint's place among the coordinates.
    pub coordinate: usize,
    kp: f32,
    kd: f32,
    limit: f32,
}

impl Motor {
    pub fn of(actuator: &Actuator) -> Self {
        let (kp, kd) = match actuator.control {
            Control::Position { kp, kd } => (kp, kd),
            _ => (0.0, 0.0),
        };
        let coordinate = actuator.coordinate().map_or(0, |(joint, _)| joint.index());
        Motor { coordinate, kp: kp as f32, kd: kd as f32, limit: actuator.effort_limit as f32 }
    }

    /// Torque [N·m] if it follows a target [rad] without delay, with the model's own gains.
    pub fn torque(&self, target: f32, world: World<'_>) -> f64 {
        let torque = self.kp * (target - world.q[self.coordinate]) - self.kd * world.v[self.coordinate];
        f64::from(torque.clamp(-self.limit, self.limit))
    }
}

/// A box on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Block {
    pub half: Vec3,
    /// X_BG: its middle from the body's centre of mass.
    pub X_BG: Pose,
}

impl Block {
    /// Height of its lowest corner [m] for the body at X_WB.
    pub fn lowest(&self, X_WB: Pose) -> f64 {
        let X_WG = X_WB * self.X_BG;
        let up = X_WG.R.rotate_inverse(Vec3::z_axis()); // the world's z in the box's axes
        X_WG.p.z - (up.x.abs() * self.half.x + up.y.abs() * self.half.y + up.z.abs() * self.half.z)
    }
}

/// A ball on a body: a foot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Ball {
    pub body: usize,
    pub radius: f64,
    /// p_BG: its middle from the body's centre of mass, in the body's axes.
    pub p_BG: Vec3,
}

impl Ball {
    /// Height of its lowest point [m] for its body at X_WB.
    pub fn lowest(&self, X_WB: Pose) -> f64 {
        (X_WB * self.p_BG).z - self.radius
    }
}

/// The first box that touches, of a body.
pub(crate) fn block_of(model: &Model, body: usize) -> Option<Block> {
    shapes_of(model).find_map(|(on, X_BG, shape)| match shape.geometry {
        Geometry::Box { half } if on == body => Some(Block { half, X_BG }),
        _ => None,
    })
}

/// All balls that touch, in the model's order.
pub(crate) fn balls_of(model: &Model) -> Vec<Ball> {
    let ball = |(body, X_BG, shape): (usize, Pose, &Shape)| match shape.geometry {
        Geometry::Sphere { radius } => Some(Ball { body, radius, p_BG: X_BG.p }),
        _ => None,
    };
    shapes_of(model).filter_map(ball).collect()
}

/// An ellipsoid on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Lens {
    pub body: usize,
    pub radii: Vec3,
    /// X_BG: its middle from the body's centre of mass.
    pub X_BG: Pose,
}

impl Lens {
    /// Height of its lowest point [m] for its body at X_WB: |D m| below its middle, with D the half axes and m the world's z in its axes.
    pub fn lowest(&self, X_WB: Pose) -> f64 {
        let X_WG = X_WB * self.X_BG;
        let up = X_WG.R.rotate_inverse(Vec3::z_axis());
        X_WG.p.z - Vec3::new(self.radii.x * up.x, self.radii.y * up.y, self.radii.z * up.z).norm()
    }
}

/// All ellipsoids that touch, in the model's order.
pub(crate) fn lenses_of(model: &Model) -> Vec<Lens> {
    let lens = |(body, X_BG, shape): (usize, Pose, &Shape)| match shape.geometry {
        Geometry::Ellipsoid { radii } => Some(Lens { body, radii, X_BG }),
        _ => None,
    };
    shapes_of(model).filter_map(lens).collect()
}

/// Shapes that touch: on which body, and where from its centre of mass.
fn shapes_of(model: &Model) -> impl Iterator<Item = (usize, Pose, &Shape)> {
    let touching = model.shapes().iter().filter(|shape| shape.collides);
    touching.filter_map(|shape| {
        let body = shape.link.body()?.index();
        Some((body, model.bodies()[body].X_LB().inverse_mul(shape.X_LG), shape))
    })
}
