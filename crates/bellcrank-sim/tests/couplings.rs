//! Couplings in both precisions: gears and differentials against hand calculations, and a status that tells when one is
//! not kept.

use crate::common::{batch, built};
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::{Actuator, Body, Coupling, Joint, Model, ModelBuilder, WORLD};
use bellcrank_sim::{Precision, WorldStatus};
use std::sync::Arc;

const PRECISIONS: [Precision; 2] = [Precision::F64, Precision::F32];

/// Wheels with such inertias about their axles [kg·m²], side by side, the first driven; one coupling with such coefficients.
fn wheels(inertias: &[f64], coefficients: &[f64]) -> Arc<Model> {
    let mut m = ModelBuilder::new("wheels");
    m.gravity(Vec3::zero());
    let mut teeth = Coupling::new("teeth");
    for (k, (&i, &coefficient)) in inertias.iter().zip(coefficients).enumerate() {
        let (name, axle, at) = (format!("wheel{k}"), format!("axle{k}"), Vec3::new(k as f64, 0.0, 0.0));
        m.body(Body::new(&name).at(Pose::from_position(at)).mass(1.0).inertia_diagonal(i, i, i));
        m.joint(Joint::revolute(&axle, WORLD, name.as_str()).placed(at, Vec3::z_axis()));
        teeth = teeth.term(axle.as_str(), coefficient);
    }
    m.coupling(teeth);
    m.actuator(Actuator::effort("motor", "axle0"));
    built(m)
}

/// Drives the first wheel of a train with τ for one second, lets it coast for another, and compares all rates with what is
/// expected after the first. The step has ε = 3e-5 of a wheel's own mobility in 32 bits; what the rounds leave of it is far
/// below 1e-4. Besides, a rate closes what rounding left open of an angle: 2⁻²³ rad in a step.
fn drive_and_coast(model: &Arc<Model>, effort: f64, expected: &[f64]) {
    let (dt, bits) = (0.001, f64::from(f32::EPSILON));
    for (precision, most, grid) in
        [(Precision::F64, 1e-10, f64::EPSILON / dt), (Precision::F32, 1e-4, bits / dt)]
    {
        for worlds in [1, 3] {
            let mut b = batch(model, worlds, dt, precision);
            for world in 0..worlds {
                b.set_effort(world, 0, effort).unwrap();
            }
            let driven = b.step(1000);
            let world = worlds - 1;
            let check = |rates: Vec<f64>, when: &str| {
                for (k, (rate, right)) in rates.iter().zip(expected).enumerate() {
                    let off = rate / right - 1.0;
                    assert!(
                        (rate - right).abs() < most * right.abs() + grid,
                        "{precision:?}, {when}, wheel {k}: {rate} for {right}, {off:.1e}"
                    );
                }
            };
            check(b.joint_velocity(world).unwrap(), "driven");
            b.set_effort(world, 0, 0.0).unwrap();
            let coasted = b.step(1000);
            check(b.joint_velocity(world).unwrap(), "coasting");
            assert_eq!((driven.converged[world], coasted.converged[world]), (1000, 1000), "{precision:?}");
        }
    }
}

/// q₀ = 50 q₁: the rotor of 1e-4 kg·m² feels 1e-4 + 0.1/50² = 1.4e-4 kg·m², so that 0.05 N·m bring it to 357 rad/s.
#[test]
fn a_gear_of_fifty_to_one_is_right_in_both_precisions() {
    let rotor = 0.05 / (1e-4 + 0.1 / 2500.0);
    drive_and_coast(&wheels(&[1e-4, 0.1], &[1.0, -50.0]), 0.05, &[rotor, rotor / 50.0]);
}

/// The same told the other way round, q₁ = q₀/50.
#[test]
fn a_gear_of_one_to_fifty_is_the_same() {
    let rotor = 0.05 / (1e-4 + 0.1 / 2500.0);
    drive_and_coast(&wheels(&[1e-4, 0.1], &[-0.02, 1.0]), 0.05, &[rotor, rotor / 50.0]);
}

/// A differential, q₀ + q₁ = 2 q₂: I₀ a₀ = τ + λ, I₁ a₁ = λ, I₂ a₂ = −2 λ, so λ = −(τ/I₀)/(1/I₀ + 1/I₁ + 4/I₂).
#[test]
fn a_differential_is_right_in_both_precisions() {
    for inertias in [[0.01, 0.01, 0.05], [1e-4, 0.02, 1.0]] {
        let [left, right, carrier] = inertias;
        let effort = 50.0 * left;
        let reaction = -(effort / left) / (1.0 / left + 1.0 / right + 4.0 / carrier);
        let expected = [(effort + reaction) / left, reaction / right, -2.0 * reaction / carrier];
        drive_and_coast(&wheels(&inertias, &[1.0, 1.0, -2.0]), effort, &expected);
    }
}

/// q = 0 and q = 1 at once: neither is kept, and no step may call that exact.
#[test]
fn couplings_that_contradict_each_other_are_not_ok() {
    let mut m = ModelBuilder::new("torn");
    m.gravity(Vec3::zero());
    m.body(Body::new("wheel").mass(1.0).inertia_diagonal(0.1, 0.1, 0.1));
    m.joint(Joint::revolute("axle", WORLD, "wheel").placed(Vec3::zero(), Vec3::z_axis()));
    m.coupling(Coupling::new("low").term("axle", 1.0));
    m.coupling(Coupling::new("high").term("axle", 1.0).constant(1.0));
    let model = built(m);
    for precision in PRECISIONS {
        let mut b = batch(&model, 1, 0.001, precision);
        let report = b.step(100);
        assert_eq!(report.status[0], WorldStatus::Inexact, "{precision:?}: {report:?}");
        assert_eq!(report.converged[0], 0, "{precision:?}: {report:?}");
        // they meet half-way, half a radian from each, in peace
        assert!(report.loop_gap[0].1 >= 0.5 - 1e-3, "{precision:?}: {report:?}");
        let rate = b.joint_velocity(0).unwrap()[0];
        assert!(rate.abs() < 2.0, "{precision:?}: {rate} rad/s");
    }
}

/// A wheel that was put 0.4 rad off its gear comes back by a fifth of that per step and no faster than the recovery
/// speed, 1 rad/s: no blow. Until then the steps are inexact; then they are exact, and the gear runs as before.
#[test]
fn a_torn_gear_is_mended_gently() {
    let model = wheels(&[0.1, 0.1], &[1.0, 2.0]);
    for precision in PRECISIONS {
        let mut b = batch(&model, 1, 0.004, precision);
        let turned = Quat::from_axis_angle(Vec3::z_axis(), 0.4);
        b.set_body_pose(0, 0, Pose::new(turned, Vec3::zero())).unwrap();
        let first = b.step(1);
        assert_eq!(first.status[0], WorldStatus::Inexact, "{precision:?}: {first:?}");
        let mut fastest = 0.0_f64;
        for _ in 0..500 {
            b.step(1);
            fastest = b.joint_velocity(0).unwrap().iter().fold(fastest, |most, rate| most.max(rate.abs()));
        }
        // the sum closes at 1 rad/s or less
        assert!(fastest < 1.01, "{precision:?}: {fastest} rad/s");
        let q = b.joint_position(0).unwrap();
        assert!((q[0] + 2.0 * q[1]).abs() < 1e-5, "{precision:?}: {q:?}");
        assert_eq!(b.report().status[0], WorldStatus::Ok, "{precision:?}");
    }
}
