//! Newton's law in 64 and in 32 bits, on every shipped model: momentum of what coasts, velocity of what falls, energy of
//! what swings.

use crate::common::{batch, built};
use bellcrank_math::{Twist, Vec3};
use bellcrank_model::{JointKind, Model, library};
use bellcrank_sim::{Batch, Precision};
use std::sync::Arc;

const PRECISIONS: [Precision; 2] = [Precision::F64, Precision::F32];

/// Whether nothing fastens the model to the world.
fn floats(model: &Model) -> bool {
    model.joints().iter().all(|j| j.predecessor.body().is_some() || j.kind == JointKind::Free)
}

/// The shipped models that nothing fastens, far above the ground, without motors.
fn floating() -> Vec<(&'static str, Arc<Model>)> {
    let built = library::ALL.iter().map(|(name, _, build)| (*name, built(build())));
    built.filter(|(_, model)| floats(model)).collect()
}

/// One world far above everything that could be touched, all of it moving with V.
fn thrown(model: &Arc<Model>, precision: Precision, gravity: Vec3, V: Vec3) -> Batch {
    let mut batch = batch(model, 1, 0.004, precision);
    batch.change_parameters(0, |parameters| parameters.gravity.set_all(gravity)).unwrap();
    for b in 0..model.bodies().len() {
        let mut X = batch.body_pose(0, b).unwrap();
        X.p.z += 3.0;
        batch.set_body_pose(0, b, X).unwrap();
        batch.set_body_velocity(0, b, Twist::new(V, Vec3::zero())).unwrap();
    }
    batch
}

fn center_of_mass(batch: &Batch) -> Vec3 {
    let model = batch.model(0).unwrap();
    let (mut sum, mut mass) = (Vec3::zero(), 0.0);
    for (b, body) in model.bodies().iter().enumerate() {
        sum += batch.body_pose(0, b).unwrap().p * body.mass;
        mass += body.mass;
    }
    sum * (1.0 / mass)
}

/// Without forces from outside p = m v and L = r × p stay: 1,000 steps of 4 ms at 1 m/s.
#[test]
fn what_coasts_keeps_its_momentum() {
    for (name, model) in floating() {
        for (precision, most) in [(Precision::F64, 1e-12), (Precision::F32, 1e-5)] {
            let mut batch = thrown(&model, precision, Vec3::zero(), Vec3::new(0.8, -0.6, 0.0));
            let (p, L) = batch.momentum(0).unwrap();
            batch.step(1000);
            let (p_end, L_end) = batch.momentum(0).unwrap();
            let (off, turned) = ((p_end - p).norm() / p.norm(), (L_end - L).norm() / L.norm());
            assert!(off < most && turned < most, "{name} {precision:?}: p {off:.1e}, L {turned:.1e}");
        }
    }
}

/// v = g n Δt, and with it the centre of mass falls by g Δt² n (n + 1)/2: semi-implicit Euler's own sum.
#[test]
fn what_falls_falls_with_g() {
    const STEPS: usize = 500;
    let dt: f64 = 0.004;
    for (name, model) in floating() {
        for precision in PRECISIONS {
            let mut batch = thrown(&model, precision, Vec3::new(0.0, 0.0, -9.81), Vec3::zero());
            // far enough up for two seconds
            for b in 0..model.bodies().len() {
                let mut X = batch.body_pose(0, b).unwrap();
                X.p.z += 25.0;
                batch.set_body_pose(0, b, X).unwrap();
            }
            let start = center_of_mass(&batch);
            let mass: f64 = model.bodies().iter().map(|body| body.mass).sum();
            batch.step(STEPS);
            let v = batch.momentum(0).unwrap().0.z / mass;
            let fallen = start.z - center_of_mass(&batch).z;
            let exact = (9.81 * dt * STEPS as f64, 9.81 * dt * dt * (STEPS * (STEPS + 1) / 2) as f64);
            assert!((v + exact.0).abs() < 1e-4 * exact.0, "{name} {precision:?}: {v} m/s");
            assert!((fallen - exact.1).abs() < 1e-4 * exact.1, "{name} {precision:?}: {fallen} m");
        }
    }
}

/// Where a passive mechanism starts: some coordinates away from rest.
type Start = (&'static str, &'static [(&'static str, &'static [f64])]);

const SWINGING: [Start; 8] = [
    ("pendulum", &[("hinge", &[1.5])]),
    ("double_pendulum", &[("shoulder", &[1.2]), ("elbow", &[0.5])]),
    ("chain", &[]),
    ("four_bar", &[]),
    ("watt", &[]),
    ("peaucellier", &[]),
    ("three_rrr", &[]),
    ("bricard", &[]),
];

/// Mean energy in the first and in the last tenth of a run, and the largest kinetic energy [J].
fn swing((name, start): Start, rate: f64, precision: Precision, seconds: f64) -> [f64; 3] {
    let model = built(library::by_name(name).expect("shipped"));
    let mut batch = batch(&model, 1, 1.0 / rate, precision);
    batch
        .change_parameters(0, |parameters| {
            for a in 0..model.actuators().len() {
                let mut motor = *parameters.actuator(a).get(0);
                motor.control = bellcrank_model::Control::Effort;
                parameters.actuator_mut(a).set_all(motor);
            }
        })
        .unwrap();
    if !start.is_empty() {
        assert_eq!(batch.assemble(&[0], start).unwrap(), [true]);
    }
    let steps = (rate * seconds) as usize;
    let each = steps / 600;
    let mut energies = Vec::new();
    let (mut most, mut least) = (f64::MIN, f64::MAX);
    for _ in 0..600 {
        let report = batch.step(each);
        assert!(report.loop_gap[0].0 < 1e-3, "{name}");
        energies.push(batch.energy(0).unwrap());
        let potential: f64 = model
            .bodies()
            .iter()
            .enumerate()
            .map(|(b, body)| body.mass * 9.81 * batch.body_pose(0, b).unwrap().p.z)
            .sum();
        (most, least) = (most.max(potential), least.min(potential));
    }
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    [mean(&energies[..60]), mean(&energies[540..]), most - least]
}

/// A minute without friction: the mean energy of the last tenth is that of the first within 1 % of what changes hands
/// in a swing, and numbers of 32 bits add no more than another 1.5 %: parts of a step are so short there that rounding of
/// positions counts, and a platform that passes its dead points has 1.1 %.
fn keeps_its_energy(start: Start) {
    for rate in [240.0, 1000.0] {
        let [f64_drift, f32_drift] = PRECISIONS.map(|precision| {
            let [first, last, swing] = swing(start, rate, precision, 60.0);
            (last - first).abs() / swing
        });
        assert!(f64_drift < 0.01, "{} at {rate} Hz: {f64_drift:.1e}", start.0);
        assert!(f32_drift < f64_drift + 0.015, "{} at {rate} Hz: {f32_drift:.1e} in 32 bits", start.0);
    }
}

#[test]
fn pendulums_keep_their_energy() {
    SWINGING[..2].iter().for_each(|start| keeps_its_energy(*start));
}

#[test]
fn a_whipping_chain_keeps_its_energy_for_a_minute() {
    keeps_its_energy(SWINGING[2]);
}

#[test]
fn linkages_keep_their_energy() {
    SWINGING[3..6].iter().for_each(|start| keeps_its_energy(*start));
}

#[test]
fn a_platform_and_a_ring_keep_their_energy() {
    SWINGING[6..].iter().for_each(|start| keeps_its_energy(*start));
}
