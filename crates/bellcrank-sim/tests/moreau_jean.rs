//! Moreau–Jean by its own laws, in both precisions: energy at large steps, second order with springs, limits that are met.

use crate::common::built;
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::{
    Actuator, Body, Control, Coupling, Geometry, Joint, Model, ModelBuilder, Shape, WORLD, library,
};
use bellcrank_sim::{Batch, BatchOptions, Precision, Solver};
use std::sync::Arc;

const PRECISIONS: [Precision; 2] = [Precision::F64, Precision::F32];

fn world(model: &Arc<Model>, dt: f64, precision: Precision) -> Batch {
    let settings = Solver::moreau_jean().into();
    let options = BatchOptions { dt: Some(dt), precision, settings, ..BatchOptions::default() };
    Batch::new(model.clone(), 1, options).unwrap()
}

/// A rod of 1 m and 1 kg on a hinge about y, out of the vertical by an angle.
fn rod(angle: f64) -> Arc<Model> {
    let mut m = ModelBuilder::new("rod");
    let turn = Quat::from_axis_angle(Vec3::y_axis(), -angle);
    let place = Pose::new(turn, Vec3::new(angle.sin(), 0.0, -angle.cos()) * 0.5);
    m.body(Body::new("rod").at(place).solid_box(1.0, Vec3::new(0.02, 0.02, 1.0)));
    m.joint(Joint::revolute("hinge", WORLD, "rod").placed(Vec3::zero(), Vec3::y_axis()));
    built(m)
}

/// From 45° for 20 s: m g ℓ/2 (1 − cos 45°) changes hands. A method of second order is off by (ω Δt)² of that, ω² = 3 g/2ℓ:
/// 2.1e-3 at 12 ms, 3.3e-3 at 15 and 5.9e-3 at 20, in every swing anew and without trend.
#[test]
fn a_rod_keeps_its_energy_at_large_steps() {
    let model = rod(std::f64::consts::FRAC_PI_4);
    let swing = 9.81 * 0.5 * (1.0 - 0.5_f64.sqrt());
    for precision in PRECISIONS {
        for dt in [0.004, 0.012, 0.015, 0.020] {
            let mut b = world(&model, dt, precision);
            let (start, steps) = (b.energy(0).unwrap(), (20.0 / dt) as usize);
            let (mut worst, mut exact) = (0.0_f64, 0);
            for _ in 0..steps {
                exact += b.step(1).converged[0];
                worst = worst.max((b.energy(0).unwrap() - start).abs() / swing);
            }
            let most = 1.5 * 9.81 * dt * dt + 1e-4; // rounding in 32 bits, seen at 4 ms
            assert!(worst < most, "{precision:?} at {dt} s: {worst:.1e} of a swing, {most:.1e} allowed");
            assert_eq!(exact, steps, "{precision:?} at {dt} s");
        }
    }
}

/// A platform on three arms that falls and swings without motors for 20 s at 240 Hz, its loops passing their dead points:
/// the mean energy of the last tenth is that of the first within 1 % of what changes hands.
#[test]
fn a_platform_on_three_arms_keeps_its_energy() {
    let model = built(library::three_rrr());
    for precision in PRECISIONS {
        let mut b = world(&model, 1.0 / 240.0, precision);
        b.change_parameters(0, |parameters| {
            for a in 0..model.actuators().len() {
                let mut motor = *parameters.actuator(a).get(0);
                motor.control = Control::Effort;
                parameters.actuator_mut(a).set_all(motor);
            }
        })
        .unwrap();
        let (mut energies, mut low, mut high) = (Vec::new(), f64::MAX, f64::MIN);
        for _ in 0..4800 {
            b.step(1);
            energies.push(b.energy(0).unwrap());
            let weights = model.bodies().iter().enumerate();
            let potential: f64 =
                weights.map(|(k, body)| body.mass * 9.81 * b.body_pose(0, k).unwrap().p.z).sum();
            (low, high) = (low.min(potential), high.max(potential));
        }
        let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
        let drift = (mean(&energies[4320..]) - mean(&energies[..480])) / (high - low);
        assert!(drift.abs() < 0.01, "{precision:?}: {drift:+.1e} of {} J", high - low);
    }
}

/// x = A cos ω t with ω = 10/s: after 1 s at 10, 5 and 2.5 ms the error falls by four each time, and is that of the
/// average-acceleration method: its frequency is lower by (ω Δt)²/12, so that the phase is off by ω³ Δt² t/12.
#[test]
fn springs_are_of_second_order() {
    let mut m = ModelBuilder::new("spring");
    m.gravity(Vec3::zero());
    m.body(Body::new("mass").solid_sphere(1.0, 0.1));
    m.joint(Joint::prismatic("slide", WORLD, "mass").placed(Vec3::zero(), Vec3::x_axis()).spring(100.0, 0.0));
    let model = built(m);
    for precision in PRECISIONS {
        let errors = [0.01, 0.005, 0.0025].map(|dt: f64| {
            let mut b = world(&model, dt, precision);
            assert_eq!(b.assemble(&[0], &[("slide", &[0.1])]).unwrap(), [true]);
            b.step((1.0 / dt).round() as usize);
            b.joint_position(0).unwrap()[0] - 0.1 * 10_f64.cos()
        });
        for (pair, dt) in errors.windows(2).zip([0.01, 0.005]) {
            let ratio = pair[0] / pair[1];
            assert!((3.8..4.2).contains(&ratio), "{precision:?}: {errors:?}");
            let phase = 1000.0 * dt * dt / 12.0;
            let by_hand = 0.1 * ((10_f64 - phase).cos() - 10_f64.cos());
            assert!((pair[0] / by_hand - 1.0).abs() < 0.05, "{precision:?} at {dt} s: {} {by_hand}", pair[0]);
        }
    }
}

/// A rod that turns at 2 rad/s hits a stop at 0.5 rad: it stays there. The stop yields by its softness, 1e-4 of the rod's
/// mobility about its own centre, which is four times that about the hinge: 4 · 1e-4 · 2 rad/s · Δt, and gives that back at a
/// tenth per step. In 32 bits rates are known to the tolerance of gaps over half a step, 5e-7 m/(0.5 m · 0.5 ms) = 2e-3 rad/s.
/// At 1cb9b16 it went 1.8 mrad beyond and came back at 0.2 rad/s.
#[test]
fn a_stop_is_neither_overrun_nor_a_spring() {
    let mut m = ModelBuilder::new("stop");
    m.gravity(Vec3::zero());
    m.body(Body::new("rod").at(Pose::translation(0.5, 0.0, 0.0)).solid_box(1.0, Vec3::new(1.0, 0.02, 0.02)));
    m.joint(Joint::revolute("hinge", WORLD, "rod").placed(Vec3::zero(), Vec3::z_axis()).limits(-1.0, 0.5));
    let model = built(m);
    for precision in PRECISIONS {
        for dt in [0.001, 0.0017, 0.004, 0.01] {
            let mut b = world(&model, dt, precision);
            assert_eq!(b.assemble_moving(&[0], &[], &[("hinge", &[2.0])]).unwrap(), [true]);
            let (mut beyond, mut back) = (f64::MIN, 0.0_f64);
            for _ in 0..(1.0 / dt) as usize {
                b.step(1);
                beyond = beyond.max(b.joint_position(0).unwrap()[0] - 0.5);
                back = back.min(b.joint_velocity(0).unwrap()[0]);
            }
            assert!(beyond < 8e-4 * dt + 1e-6, "{precision:?} at {dt} s: {beyond:.1e} rad beyond");
            assert!(back > -5e-3, "{precision:?} at {dt} s: back at {back:.1e} rad/s");
        }
    }
}

/// A ball that falls on the ground at 2 m/s and does not bounce: it comes to rest on it, no deeper than 10 µm, and does not
/// come off again.
#[test]
fn a_ball_lands_without_a_rebound() {
    let mut m = ModelBuilder::new("ball");
    m.shape(Shape::new("ground", WORLD, Geometry::Plane));
    m.body(Body::new("ball").at(Pose::translation(0.0, 0.0, 0.3)).solid_sphere(1.0, 0.1));
    m.shape(Shape::new("ball", "ball", Geometry::Sphere { radius: 0.1 }));
    let model = built(m);
    for precision in PRECISIONS {
        for dt in [0.001, 0.004, 0.01] {
            let mut b = world(&model, dt, precision);
            let (mut lowest, mut landed, mut up) = (f64::MAX, false, 0.0_f64);
            for _ in 0..(1.0 / dt) as usize {
                b.step(1);
                let z = b.body_pose(0, 0).unwrap().p.z - 0.1;
                lowest = lowest.min(z);
                landed |= z < 1e-4;
                if landed {
                    up = up.max(b.body_velocity(0, 0).unwrap().linear.z);
                }
            }
            assert!(landed && lowest > -1e-5, "{precision:?} at {dt} s: {lowest:.1e} m");
            assert!(up < 1e-3, "{precision:?} at {dt} s: {up:.1e} m/s");
        }
    }
}

/// A gear of 2 : 1 that is driven for a second and coasts for another keeps its speed and its ratio at every moment: in 32 bits to
/// 1e-5, some roundings of its acceleration. Rates that change their sign in every step had 0.3 %.
#[test]
fn a_gear_coasts_at_its_ratio() {
    let mut m = ModelBuilder::new("gear");
    m.gravity(Vec3::zero());
    for (name, x, i) in [("first", 0.0, 1e-4), ("second", 1.0, 0.1)] {
        m.body(Body::new(name).at(Pose::translation(x, 0.0, 0.0)).mass(1.0).inertia_diagonal(i, i, i));
        let axle = Joint::revolute(format!("{name}_axle"), WORLD, name);
        m.joint(axle.placed(Vec3::new(x, 0.0, 0.0), Vec3::z_axis()));
    }
    m.coupling(Coupling::new("teeth").term("first_axle", 1.0).term("second_axle", -2.0));
    m.actuator(Actuator::effort("motor", "first_axle"));
    let model = built(m);
    let right = 0.05 / (1e-4 + 0.1 / 4.0); // rad/s after one second
    for (precision, most) in [(Precision::F64, 1e-12), (Precision::F32, 2e-5)] {
        let mut b = world(&model, 0.001, precision);
        b.set_effort(0, 0, 0.05).unwrap();
        b.step(1000);
        b.set_effort(0, 0, 0.0).unwrap();
        for _ in 0..1000 {
            b.step(1);
            let w = b.joint_velocity(0).unwrap();
            let off = (w[0] / right - 1.0).abs().max((2.0 * w[1] / right - 1.0).abs());
            assert!(off < most, "{precision:?}: {w:?} for {right}, {off:.1e}");
        }
    }
}
