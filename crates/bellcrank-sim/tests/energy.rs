//! What moves without friction keeps its energy and its momentum.

use crate::common::{built, energy, push, world};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Body, Joint, ModelBuilder, WORLD, library};
use bellcrank_sim::{Batch, BatchOptions, Precision};

/// Crank-rocker of 0.1/0.3/0.25/0.3 m bars, 1 kg each, undamped: ten seconds at 1 ms.
#[test]
fn an_undamped_four_bar_keeps_its_energy() {
    let (a, b, c, d) = (0.1_f64, 0.3_f64, 0.25_f64, 0.3_f64);
    let base = d - a;
    let x = a + (base * base + b * b - c * c) / (2.0 * base);
    let z = (b * b - (x - a) * (x - a)).sqrt();
    let mut m = ModelBuilder::new("four_bar");
    let (o, p, r, g) = (Vec3::zero(), Vec3::new(a, 0.0, 0.0), Vec3::new(x, 0.0, z), Vec3::new(d, 0.0, 0.0));
    for (name, from, to) in [("crank", o, p), ("coupler", p, r), ("rocker", r, g)] {
        let length = (to - from).norm();
        let middle = Pose::from_position((from + to) * 0.5);
        m.body(Body::new(name).at(middle).solid_box(1.0, Vec3::new(length, 0.02, 0.02)));
    }
    for (name, ends, at) in [
        ("o", (WORLD, "crank"), o),
        ("p", ("crank".into(), "coupler"), p),
        ("r", ("coupler".into(), "rocker"), r),
        ("g", (WORLD, "rocker"), g),
    ] {
        m.joint(Joint::revolute(name, ends.0, ends.1).placed(at, Vec3::y_axis()));
    }
    let model = built(m);
    let mut batch = world(&model, 0.001);
    let start = energy(&batch);
    // the swing: how much energy changes hands
    let (mut low, mut high, mut worst) = (f64::MAX, f64::MIN, 0.0_f64);
    for _ in 0..1000 {
        batch.step(10);
        let kinetic =
            energy(&batch) + (0..3).map(|i| -9.81 * batch.body_pose(0, i).unwrap().p.z).sum::<f64>();
        (low, high) = (low.min(kinetic), high.max(kinetic));
        worst = worst.max((energy(&batch) - start).abs());
    }
    assert!(high - low > 0.5, "it hardly moved");
    assert!(worst < 0.01 * (high - low), "{worst} J of a swing of {} J", high - low);
}

/// Ten links held out straight fall and whip for ten seconds at 1 ms.
#[test]
fn a_falling_chain_keeps_its_energy() {
    let model = built(library::chain());
    let mut batch = world(&model, 0.001);
    let start = energy(&batch);
    let depth: f64 = model.bodies().iter().map(|b| b.mass * 9.81 * b.X_WB().p.norm()).sum();
    batch.step(10_000);
    let drift = (energy(&batch) - start).abs();
    assert!(drift < 0.01 * depth, "{drift} J of {depth} J");
}

/// A brick that spins about its middle axis tumbles, and keeps its angular momentum L = I ω.
#[test]
fn a_tumbling_brick_keeps_its_angular_momentum() {
    let mut m = ModelBuilder::new("brick");
    m.gravity(Vec3::zero());
    m.body(Body::new("brick").solid_box(1.0, Vec3::new(0.1, 0.2, 0.4)));
    let model = built(m);
    let mut batch = world(&model, 0.001);
    push(&mut batch, 0, Vec3::new(0.3, -0.2, 0.1), Vec3::new(0.02, 5.0, 0.01));
    let L = |batch: &bellcrank_sim::Batch| {
        let X = batch.body_pose(0, 0).unwrap();
        let w = X.R.rotate_inverse(batch.body_velocity(0, 0).unwrap().angular);
        X.R.rotate(model.bodies()[0].inertia.unwrap() * w)
    };
    let start = L(&batch);
    batch.step(10_000);
    let turned = (L(&batch) - start).norm() / start.norm();
    assert!((L(&batch).norm() / start.norm() - 1.0).abs() < 1e-3);
    assert!(turned < 0.05, "direction changed by {turned}");
    let V = batch.body_velocity(0, 0).unwrap().linear;
    assert!((V - Vec3::new(0.3, -0.2, 0.1)).norm() < 1e-12);
}

/// Free fall for 1 s: z = −g t (t + Δt)/2 with semi-implicit Euler, exactly.
#[test]
fn a_body_falls_freely() {
    let mut m = ModelBuilder::new("stone");
    m.body(Body::new("stone").solid_sphere(2.0, 0.1));
    let mut batch = world(&built(m), 0.01);
    batch.step(100);
    let z = batch.body_pose(0, 0).unwrap().p.z;
    assert!((z + 9.81 * 1.0 * 1.01 / 2.0).abs() < 1e-12, "{z}");
}

/// A pendulum of 1 m and 0.05 rad has the period 2π√(I/(m g l)) (1 + θ²/16).
#[test]
fn a_pendulum_keeps_time() {
    let mut m = ModelBuilder::new("pendulum");
    let angle = 0.05_f64;
    let at = Pose::translation(angle.sin(), 0.0, -angle.cos());
    m.body(Body::new("bob").at(at).solid_sphere(1.0, 0.05));
    m.joint(Joint::revolute("hinge", WORLD, "bob").placed(Vec3::zero(), Vec3::y_axis()));
    let mut batch = world(&built(m), 0.001);
    let period =
        core::f64::consts::TAU * ((1.0 + 0.4 * 0.0025) / 9.81_f64).sqrt() * (1.0 + angle * angle / 16.0);
    let steps = (5.0 * period / 0.001).round() as usize;
    batch.step(steps);
    let x = batch.body_pose(0, 0).unwrap().p.x;
    assert!((x - angle.sin()).abs() < 0.01 * angle, "{x}");
}

/// Steps far too large for a falling rope (links turn by half a radian in each) are taken in parts: it stays a rope, keeps its
/// energy, and its joints stay closed.
#[test]
fn a_whip_in_large_steps_does_not_explode() {
    for links in [10, 20] {
        let mut b = world(&built(library::Chain { links, ..library::Chain::default() }.builder()), 0.004);
        let before = energy(&b);
        let mut worst = 0.0_f64;
        for _ in 0..200 {
            let report = b.step(10);
            worst = worst.max(report.loop_gap[0].0);
            // what is exchanged is links · m g l links/2: 2.6 J and 10 J; of that a twentieth may be gained
            let exchanged = 0.054 * 9.81 * 0.1 * (links * links) as f64 / 2.0;
            assert!(energy(&b) < before + 0.05 * exchanged, "{links} links: {} J from {before}", energy(&b));
        }
        assert!(worst < 1e-6, "{links} links: {worst} m");
    }
}

/// Asked for together or one by one, in either precision, and for worlds of two models: the same bits, in the order asked.
#[test]
fn energies_of_many_are_those_of_each() {
    for precision in [Precision::F64, Precision::F32] {
        let models = ["hybrid_biped", "four_bar"].map(|name| built(library::by_name(name).expect("shipped")));
        let list: Vec<_> = (0..40).map(|k| models[k % 2].clone()).collect();
        let options = BatchOptions { precision, ..BatchOptions::default() };
        let mut batch = Batch::of(&list, options).unwrap();
        batch.step(5);
        for worlds in [(0..40).rev().collect::<Vec<usize>>(), vec![17], vec![3, 3, 38]] {
            let each: Vec<f64> = worlds.iter().map(|world| batch.energy(*world).unwrap()).collect();
            assert_eq!(batch.energy_of(&worlds).unwrap(), each);
        }
        assert!(batch.energy_of(&[3, 40]).is_err());
    }
}
