//! Motors and springs that act on several coordinates at once, and motors that push at a site, by hand calculation.

use crate::common::{batch, bits, built, world};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{
    Actuator, Body, Control, Joint, Model, ModelBuilder, Sensor, SensorKind, Site, Target, Tendon, WORLD,
};
use bellcrank_sim::{Batch, BatchOptions, Precision, Settings};
use std::sync::Arc;

const DT: f64 = 1e-3;

/// Two carts of 2 kg and 3 kg on rails along x, and the tendon ℓ = q₁ + 2 q₂, whose mobility is 1/2 + 4/3.
fn carts(tendon: Tendon, motor: Option<Actuator>) -> Batch {
    world(&carts_model(tendon, motor), DT)
}

fn carts_model(tendon: Tendon, motor: Option<Actuator>) -> Arc<Model> {
    let mut m = ModelBuilder::new("carts");
    for (name, rail, mass, y) in [("one", "rail_one", 2.0, 0.0), ("two", "rail_two", 3.0, 1.0)] {
        let cube = Vec3::new(0.2, 0.2, 0.2);
        m.body(Body::new(name).at(Pose::translation(0.0, y, 0.0)).solid_box(mass, cube));
        m.joint(Joint::prismatic(rail, WORLD, name).placed(Vec3::new(0.0, y, 0.0), Vec3::x_axis()));
    }
    m.tendon(tendon.term("rail_one", 1.0).term("rail_two", 2.0));
    motor.into_iter().for_each(|motor| {
        m.actuator(motor);
    });
    m.sensor(Sensor::new("length", SensorKind::TendonState("cable".into())));
    let model = built(m);
    assert!(model.ignored().is_empty(), "{:?}", model.ignored());
    model
}

const MOBILITY: f64 = 0.5 + 4.0 / 3.0;

fn cable() -> Tendon {
    Tendon::new("cable")
}

fn winch(control: Control) -> Actuator {
    Actuator::new("winch", Target::tendon("cable"), control)
}

/// F on ℓ is F on the first cart and 2 F on the second.
#[test]
fn a_motor_on_a_tendon_pulls_every_coordinate_by_its_coefficient() {
    let mut b = carts(cable(), Some(winch(Control::Effort).gear(2.0).effort_range(-1.0, 3.0)));
    b.set_effort(0, 0, 10.0).unwrap();
    b.step(100);
    // the motor's 3 N through a gear of 2
    let (force, t) = (6.0, 0.1);
    let v = b.joint_velocity(0).unwrap();
    assert!((v[0] - force * t / 2.0).abs() < 1e-9 && (v[1] - 2.0 * force * t / 3.0).abs() < 1e-9, "{v:?}");
    assert!((b.actuator_effort(0, 0).unwrap() - force).abs() < 1e-9);
    let state = b.sensor(0, "length").unwrap();
    let q = b.joint_position(0).unwrap();
    assert!((state[0] - q[0] - 2.0 * q[1]).abs() < 1e-15 && (state[1] - v[0] - 2.0 * v[1]).abs() < 1e-12);
}

/// One implicit step from rest: λ = Δt k rest/(1 + (a + Δt b + ¼Δt² k) W), W the tendon's mobility.
#[test]
fn a_tendon_is_an_implicit_spring_with_damping_and_armature() {
    let (k, rest, damping, armature) = (2e4, 0.5, 30.0, 0.7);
    let mut tendon = cable().spring(k, rest).damping(damping);
    tendon.dof.armature = armature;
    let mut b = carts(tendon, None);
    let before = b.energy(0).unwrap();
    assert!((before - 0.5 * k * rest * rest).abs() < 1e-9, "{before}");
    b.step(1);
    let lambda = DT * k * rest / (1.0 + (armature + DT * damping + 0.25 * DT * DT * k) * MOBILITY);
    let v = b.joint_velocity(0).unwrap();
    // the held rows leave 1e-6 of their own, corrected twice: 1e-12 of 5 m/s
    assert!((v[0] - lambda / 2.0).abs() < 1e-9 && (v[1] - 2.0 * lambda / 3.0).abs() < 1e-9, "{v:?}");
    // the damper only takes
    b.step(400);
    assert!(b.energy(0).unwrap() < before);
}

/// Far from its target a position drive gives its bound; in the end it holds the length.
#[test]
fn a_winch_is_held_to_its_bound_and_arrives() {
    let drive = winch(Control::Position { kp: 4000.0, kd: 120.0 }).effort_range(-1.0, 4.0);
    let mut b = carts(cable(), Some(drive));
    b.set_target_position(0, 0, 0.5).unwrap();
    b.step(50);
    let v = b.joint_velocity(0).unwrap();
    assert!((v[0] - 4.0 * 0.05 / 2.0).abs() < 1e-9, "{v:?}");
    assert!((b.actuator_effort(0, 0).unwrap() - 4.0).abs() < 1e-9);
    b.step(10_000);
    let [length, rate] = [0, 1].map(|k| b.sensor(0, "length").unwrap()[k]);
    assert!((length - 0.5).abs() < 1e-6 && rate.abs() < 1e-6, "{length} {rate}");
}

/// Some winches are at their bound, some are not: each world moves as if it were alone, bit for bit.
#[test]
fn winches_do_not_see_their_neighbours() {
    let drive = winch(Control::Position { kp: 400.0, kd: 20.0 }).effort_range(-1.0, 4.0);
    let model = carts_model(cable().spring(30.0, 0.1), Some(drive));
    let target = |world: usize| 0.02 * (world as f64 - 4.0);
    let mut all = batch(&model, 9, DT, Precision::F64);
    (0..9).for_each(|w| all.set_target_position(w, 0, target(w)).unwrap());
    all.step(60);
    for w in 0..9 {
        let mut alone = world(&model, DT);
        alone.set_target_position(0, 0, target(w)).unwrap();
        alone.step(60);
        assert_eq!(bits(&all, w), bits(&alone, 0), "world {w}");
    }
}

/// Two hinges in a chain share a body; a tendon q₁ + q₂ with F is a motor with F on each.
#[test]
fn a_tendon_along_a_chain_is_a_motor_on_each_joint() {
    let arm = |with_tendon: bool| {
        let mut m = ModelBuilder::new("arm");
        m.gravity(Vec3::zero());
        for (name, x) in [("upper", 0.15), ("lower", 0.45)] {
            let bar = Vec3::new(0.3, 0.04, 0.04);
            m.body(Body::new(name).at(Pose::translation(x, 0.0, 0.0)).solid_box(1.0, bar));
        }
        m.joint(Joint::revolute("shoulder", WORLD, "upper").placed(Vec3::zero(), Vec3::z_axis()));
        m.joint(Joint::revolute("elbow", "upper", "lower").placed(Vec3::new(0.3, 0.0, 0.0), Vec3::z_axis()));
        if with_tendon {
            m.tendon(cable().term("shoulder", 1.0).term("elbow", 1.0));
            m.actuator(winch(Control::Effort));
            m.sensor(Sensor::new("torque", SensorKind::JointEffort("elbow".into())));
        } else {
            m.actuator(Actuator::effort("first", "shoulder"));
            m.actuator(Actuator::effort("second", "elbow"));
        }
        let settings = Settings { metrics: true, ..Settings::default() };
        let options = BatchOptions { dt: Some(DT), settings, ..BatchOptions::default() };
        Batch::new(built(m), 1, options).unwrap()
    };
    let (mut one, mut two) = (arm(true), arm(false));
    one.set_effort(0, 0, 0.3).unwrap();
    two.set_effort(0, 0, 0.3).unwrap();
    two.set_effort(0, 1, 0.3).unwrap();
    one.step(300);
    two.step(300);
    let (a, b) = (one.joint_position(0).unwrap(), two.joint_position(0).unwrap());
    assert!(b[1].abs() > 0.1, "it moves: {b:?}");
    assert!((a[0] - b[0]).abs() < 1e-9 && (a[1] - b[1]).abs() < 1e-9, "{a:?} {b:?}");
    assert!((one.sensor(0, "torque").unwrap()[0] - 0.3).abs() < 1e-12);
    // the tendon's impulse is in the balance of the step: without it 0.3 N·m · 1 ms = 3e-4 would be missing
    assert!(one.metrics(0).unwrap().equation_of_motion < 1e-9, "{:?}", one.metrics(0));
}

/// A jet at r from the centre along the body's z: a = F/m, α = r × F/I.
fn drone(jet: Actuator) -> Batch {
    let mut m = ModelBuilder::new("drone");
    m.gravity(Vec3::zero());
    m.body(Body::new("hull").com(Vec3::new(0.05, 0.0, 0.0)).mass(2.0).inertia_diagonal(0.1, 0.2, 0.3));
    m.site(Site::new("nozzle", "hull").at(Pose::translation(0.15, 0.0, 0.0)));
    m.actuator(jet);
    world(&built(m), DT)
}

fn jet(control: Control) -> Actuator {
    Actuator::new("jet", Target::site("nozzle", [0.0, 0.0, 1.0, 0.0, 0.0, 0.2]), control)
}

#[test]
fn a_motor_at_a_site_pushes_and_turns_its_body() {
    let mut b = drone(jet(Control::Effort).effort_limit(5.0));
    b.set_effort(0, 0, 8.0).unwrap(); // bounded to 5 N
    b.step(1);
    let V = b.body_velocity(0, 0).unwrap();
    let force = 5.0;
    assert!((V.linear - Vec3::new(0.0, 0.0, force * DT / 2.0)).norm() < 1e-15, "{V:?}");
    // 0.1 m from the centre of mass: (0.1, 0, 0) × (0, 0, F) = (0, −0.1 F, 0); and 0.2 F about z
    let spin = Vec3::new(0.0, -0.1 * force * DT / 0.2, 0.2 * force * DT / 0.3);
    assert!((V.angular - spin).norm() < 1e-15, "{V:?}");
    assert!((b.actuator_effort(0, 0).unwrap() - force).abs() < 1e-12);
}

/// A thruster that holds a speed s: implicit, λ = Δt kd s/(1 + Δt kd W), W = 1/m + 0.1²/I_y + 0.2²/I_z.
#[test]
fn a_motor_at_a_site_damps_implicitly() {
    let kd = 1e5;
    let mut b = drone(jet(Control::Velocity { kd }));
    b.set_target_velocity(0, 0, 0.3).unwrap();
    b.step(1);
    let mobility = 0.5 + 0.01 / 0.2 + 0.04 / 0.3;
    let lambda = DT * kd * 0.3 / (1.0 + DT * kd * mobility);
    let v = b.body_velocity(0, 0).unwrap().linear.z;
    assert!((v - lambda / 2.0).abs() < 1e-12, "{v}");
}
