//! Mechanisms that coast or fall in empty space, and their momentum, worked out from what every body is and does.

use bellcrank_math::{Twist, Vec3};
use bellcrank_model::{Dof, Model, adrift};
use bellcrank_sim::{Batch, BatchOptions, Precision, Quantity};
use std::sync::Arc;

/// How fast all of it goes [m/s], and how fast it spins [rad/s].
pub const THROW: (Vec3, Vec3) = (Vec3 { x: 0.8, y: -0.6, z: 0.0 }, Vec3 { x: 0.48, y: -0.6, z: 0.64 });

/// All bodies of a world together.
#[derive(Clone, Copy, Debug)]
pub struct Whole {
    /// [kg·m/s]
    pub momentum: Vec3,
    /// About the centre of mass [kg·m²/s].
    pub spin: Vec3,
    /// Centre of mass [m].
    pub center: Vec3,
    /// [kg]
    pub mass: f64,
}

/// The mechanism without world, motors and shapes; springs, dampers, friction and limits stay, since forces inside change no
/// momentum.
pub fn floating(model: &Model, gravity: Vec3) -> Arc<Model> {
    let mut builder = adrift(model, Dof::clone);
    builder.gravity(gravity);
    Arc::new(builder.build().unwrap_or_else(|faults| panic!("{}: {faults}", model.name())))
}

/// One world in which everything moves as one rigid body, with v and ω at its centre of mass.
pub fn thrown(model: &Arc<Model>, precision: Precision, dt: f64, (v, w): (Vec3, Vec3)) -> Batch {
    let options = BatchOptions { dt: Some(dt), precision, ..BatchOptions::default() };
    let mut batch = Batch::new(model.clone(), 1, options).expect("a sound batch");
    let center = whole(&batch).center;
    for b in 0..model.bodies().len() {
        let arm = batch.body_pose(0, b).unwrap().p - center;
        batch.set_body_velocity(0, b, Twist::new(v + w.cross(arm), w)).unwrap();
    }
    batch
}

/// Σ m v and Σ (p − c) × m (v − v_c) + L_b, where L_b is the momentum of a body that turns by exp(h ω) in the interval of length h
/// that ends now: L = I ω − ½h ω × I ω + γ h² ω × (ω × I ω), γ = 1/12 + h²ω²/720 + …, told at the end where it arrives. A velocity
/// of a step is that of an interval, and I ω with the inertia of either end would be off by ½h ω × I ω.
pub fn whole(batch: &Batch) -> Whole {
    let model = batch.model(0).unwrap();
    let mut interval = [0.0];
    batch.read(Quantity::VelocityInterval, &mut interval).unwrap();
    let h = batch.dt() * interval[0];
    let (mut mass, mut center, mut momentum) = (0.0, Vec3::zero(), Vec3::zero());
    for (b, body) in model.bodies().iter().enumerate() {
        mass += body.mass;
        center += batch.body_pose(0, b).unwrap().p * body.mass;
        momentum += batch.body_velocity(0, b).unwrap().linear * body.mass;
    }
    center = center * (1.0 / mass);
    let mut spin = Vec3::zero();
    for (b, body) in model.bodies().iter().enumerate() {
        let (X, V) = (batch.body_pose(0, b).unwrap(), batch.body_velocity(0, b).unwrap());
        let w = V.angular;
        let inertia = body.inertia.expect("a body with an inertia");
        let still = X.R.rotate(inertia * X.R.rotate_inverse(w));
        let (turning, t) = (w.cross(still), h * h * w.norm_squared());
        let gamma = 1.0 / 12.0 + t / 720.0 + t * t / 30240.0;
        spin += still - turning * (0.5 * h) + w.cross(turning) * (gamma * h * h);
        spin += (X.p - center).cross((V.linear - momentum * (1.0 / mass)) * body.mass);
    }
    Whole { momentum, spin, center, mass }
}

/// How far both momenta are from what they were after the first step, each as a share of itself, 1,000 steps later.
pub fn lost_coasting(model: &Model, precision: Precision, dt: f64) -> [f64; 2] {
    let mut batch = thrown(&floating(model, Vec3::zero()), precision, dt, THROW);
    batch.step(1); // velocities that were written are those of an instant: from now on they are those of intervals
    let start = whole(&batch);
    batch.step(1000);
    let end = whole(&batch);
    let share = |a: Vec3, b: Vec3| (b - a).norm() / a.norm();
    [share(start.momentum, end.momentum), share(start.spin, end.spin)]
}

/// How far the velocity and the fall of the centre of mass are from free fall, as shares of it. At rest at the start: the velocity of
/// the interval before is −½Δt g. Then the centre falls by ½ g t², and the velocity of the last interval, of length h, is g (t − ½h),
/// whatever the parts in which steps are taken.
pub fn off_falling(model: &Model, precision: Precision, dt: f64, steps: usize) -> [f64; 2] {
    let gravity = Vec3::new(0.0, 0.0, -9.81);
    let before = gravity * (-0.5 * dt);
    let mut batch = thrown(&floating(model, gravity), precision, dt, (before, Vec3::zero()));
    batch.write(Quantity::VelocityInterval, &[1.0]).unwrap();
    let start = whole(&batch);
    batch.step(steps);
    let (end, mut interval, t) = (whole(&batch), [0.0], steps as f64 * dt);
    batch.read(Quantity::VelocityInterval, &mut interval).unwrap();
    let (v, way) = (gravity * (t - 0.5 * dt * interval[0]), gravity * (0.5 * t * t));
    let speed = end.momentum * (1.0 / end.mass) - v;
    [speed.norm() / v.norm(), (end.center - start.center - way).norm() / way.norm()]
}
