//! Masses from grains to engines by the implicit step: what is light moves, what is light and carries much holds.

use crate::common::built;
use bellcrank_math::{Pose, Sym3, Twist, Vec3};
use bellcrank_model::{Body, Joint, Model, ModelBuilder, WORLD};
use bellcrank_sim::{Batch, BatchOptions, Integrator, InteriorPoint, Method, Precision, Settings};
use std::sync::Arc;

const INTEGRATORS: [Integrator; 2] = [Integrator::Variational, Integrator::SemiImplicitEuler];

/// The defaults of a precision with the interior point.
pub fn implicit(model: &Arc<Model>, dt: f64, integrator: Integrator, precision: Precision) -> Batch {
    let (base, point) = match precision {
        Precision::F64 => (Settings::default(), InteriorPoint::default()),
        Precision::F32 => (Settings::single(), InteriorPoint::single()),
    };
    let settings = Settings { integrator, method: Method::InteriorPoint(point), ..base };
    let options = BatchOptions { dt, settings: Some(settings), precision, ..BatchOptions::default() };
    Batch::new(model.clone(), 1, options).unwrap()
}

/// Free fall of 1 mg to 1 t: Δv = g t. In 50 steps rounding adds up to less than 50 · 2 ε = 1.2e-5 in 32 bits, if always to the same side.
#[test]
fn everything_falls_alike() {
    for (precision, tolerance) in [(Precision::F64, 1e-10), (Precision::F32, 1e-5)] {
        for integrator in INTEGRATORS {
            for dt in [1e-3, 4e-3] {
                for mass in [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0, 1e3] {
                    let mut m = ModelBuilder::new("grain");
                    let size = 0.01 * f64::cbrt(mass / 1e-3);
                    m.body(Body::new("grain").solid_box(mass, Vec3::new(size, size, size)));
                    let mut b = implicit(&built(m), dt, integrator, precision);
                    b.step(1);
                    let start = b.body_velocity(0, 0).unwrap().linear.z;
                    let report = b.step(50);
                    assert_eq!(report.converged[0], 50, "{mass} kg, {dt} s, {precision:?}: {report:?}");
                    let fell = b.body_velocity(0, 0).unwrap().linear.z - start;
                    let off = (fell / (-9.81 * dt * 50.0) - 1.0).abs();
                    assert!(off < tolerance, "{mass} kg, {dt} s, {integrator:?}, {precision:?}: {off:e}");
                }
            }
        }
    }
}

/// A rod from horizontal, of any mass: after 0.1 s it has turned by 3 g t²/(4 ℓ) but for its second order in the angle.
#[test]
fn light_pendulums_swing_like_heavy_ones() {
    for precision in [Precision::F64, Precision::F32] {
        let angle = |mass: f64| {
            let mut m = ModelBuilder::new("rod");
            let place = Pose::translation(0.5, 0.0, 0.0);
            m.body(Body::new("rod").at(place).solid_box(mass, Vec3::new(1.0, 0.02, 0.02)));
            m.joint(Joint::revolute("hinge", WORLD, "rod").placed(Vec3::zero(), Vec3::y_axis()));
            let mut b = implicit(&built(m), 1e-3, Integrator::Variational, precision);
            let report = b.step(300);
            assert_eq!(report.converged[0], 300, "{mass} kg, {precision:?}: {report:?}");
            b.joint_position(0).unwrap()[0]
        };
        let heavy = angle(1.0);
        assert!(heavy > 0.6, "{heavy}");
        for mass in [1e-6, 1e-4, 1e-2, 100.0] {
            // 300 steps of 1e-5 m/s each, in 32 bits, all to the same side
            let most = if precision == Precision::F64 { 1e-6 } else { 1e-3 };
            assert!((angle(mass) - heavy).abs() < most, "{mass} kg, {precision:?}: {} {heavy}", angle(mass));
        }
    }
}

/// A four-bar of plastic, links of 10 mm and some milligrams, falls as one of 1 m does that is ten times slower: x(t) = ℓ f(t √(g/ℓ)).
#[test]
fn a_small_four_bar_is_a_large_one_in_haste() {
    let turned = |size: f64, density: f64| {
        let mut m = ModelBuilder::new("four_bar");
        let corner =
            [(0.0, 0.0), (0.5, 0.9), (1.7, 1.2), (1.5, 0.0)].map(|(x, z)| Vec3::new(x, 0.0, z) * size);
        for (k, name) in ["left", "top", "right"].into_iter().enumerate() {
            let (from, to) = (corner[k], corner[k + 1]);
            let (along, length) = ((to - from).normalized(), (to - from).norm());
            let turn = bellcrank_math::so3::exp(Vec3::new(0.0, along.x.atan2(along.z), 0.0));
            let across = 0.1 * size;
            let mass = density * length * across * across;
            let place = Pose::new(turn, (from + to) * 0.5);
            m.body(Body::new(name).at(place).solid_box(mass, Vec3::new(across, across, length)));
        }
        for (k, (a, b)) in
            [("", "left"), ("left", "top"), ("top", "right"), ("right", "")].into_iter().enumerate()
        {
            let joint = match (a, b) {
                ("", b) => Joint::revolute("a", WORLD, b),
                (a, "") => Joint::revolute("d", WORLD, a),
                (a, b) => Joint::revolute(format!("joint{k}"), a, b),
            };
            m.joint(joint.placed(corner[k], Vec3::y_axis()));
        }
        let dt = 4e-3 * size.sqrt();
        let mut b = implicit(&built(m), dt, Integrator::Variational, Precision::F64);
        b.set_body_velocity(0, 0, Twist::zero()).unwrap();
        let report = b.step(150);
        assert_eq!(report.converged[0], 150, "{size} m: {report:?}");
        b.joint_position(0).unwrap()[0]
    };
    let (large, small) = (turned(1.0, 1000.0), turned(0.01, 1000.0));
    assert!(large.abs() > 0.1, "{large}");
    assert!((large - small).abs() < 1e-5, "{large} {small}");
}

/// A T-handle in 32 bits turns over as it does in 64.
#[test]
fn a_handle_turns_over_in_single_precision() {
    let mut m = ModelBuilder::new("handle");
    m.gravity(Vec3::zero());
    m.body(Body::new("handle").mass(1.0).inertia(Sym3::diagonal(0.03, 0.011, 0.04)));
    let model = built(m);
    for precision in [Precision::F64, Precision::F32] {
        let mut b = implicit(&model, 1e-3, Integrator::Variational, precision);
        b.set_body_velocity(0, 0, Twist::new(Vec3::zero(), Vec3::new(10.0, 0.01, 0.0))).unwrap();
        let mut flips = 0;
        let mut side = 1.0;
        for _ in 0..10_000 {
            b.step(1);
            let X = b.body_pose(0, 0).unwrap();
            let along = X.R.rotate_inverse(b.body_velocity(0, 0).unwrap().angular).x;
            if along * side < -5.0 {
                (flips, side) = (flips + 1, -side);
            }
        }
        assert!(flips >= 3, "{precision:?}: {flips}");
    }
}
