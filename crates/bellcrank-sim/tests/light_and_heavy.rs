//! Masses from grains to engines by the implicit step: what is light moves, what is light and carries much holds.

use crate::common::{bits, built, noise};
use bellcrank_math::{Pose, Sym3, Twist, Vec3};
use bellcrank_model::{Body, Joint, Model, ModelBuilder, WORLD, library};
use bellcrank_sim::{Batch, BatchOptions, ImplicitIntegrator as Integrator, Precision, Solver, WorldStatus};
use std::sync::Arc;

const INTEGRATORS: [Integrator; 2] = [Integrator::Variational, Integrator::SemiImplicitEuler];

/// The defaults of a precision with the interior point.
pub fn implicit(model: &Arc<Model>, dt: f64, integrator: Integrator, precision: Precision) -> Batch {
    let settings = Solver::InteriorPoint { point: None, integrator }.into();
    let options = BatchOptions { dt: Some(dt), settings, precision, ..BatchOptions::default() };
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

/// Three links and the ground in a plane that falls over, of a size [m] and a density [kg/m³]; hinge "a" is that of the first link.
pub fn four_bar(size: f64, density: f64) -> ModelBuilder {
    let mut m = ModelBuilder::new("four_bar");
    let corner = [(0.0, 0.0), (0.5, 0.9), (1.7, 1.2), (1.5, 0.0)].map(|(x, z)| Vec3::new(x, 0.0, z) * size);
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
    m
}

/// A four-bar of plastic, links of 10 mm and some milligrams, falls as one of 1 m does that is ten times slower: x(t) = ℓ f(t √(g/ℓ)).
#[test]
fn a_small_four_bar_is_a_large_one_in_haste() {
    let turned = |size: f64, density: f64| {
        let dt = 4e-3 * size.sqrt();
        let mut b = implicit(&built(four_bar(size, density)), dt, Integrator::Variational, Precision::F64);
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

/// A crank and a rod of 0.5 m each and a piston on a slide along x, the crank at `angle` and turning with `rate`. With equal lengths it folds
/// together at 90°, where piston and crank hinge meet and the mechanism may go on in two ways.
fn toggle(masses: [f64; 3], gravity: Vec3, angle: f64) -> Arc<Model> {
    let mut m = ModelBuilder::new("toggle");
    m.gravity(gravity);
    let length = 0.5;
    let pin = Vec3::new(angle.cos(), 0.0, angle.sin()) * length;
    let wrist = Vec3::new(2.0 * pin.x, 0.0, 0.0);
    let bar = Vec3::new(length, 0.05, 0.05);
    let turned = |a: f64| bellcrank_math::so3::exp(Vec3::new(0.0, -a, 0.0));
    m.body(Body::new("crank").at(Pose::new(turned(angle), pin * 0.5)).solid_box(masses[0], bar));
    m.body(Body::new("rod").at(Pose::new(turned(-angle), (pin + wrist) * 0.5)).solid_box(masses[1], bar));
    m.body(Body::new("piston").at(Pose::from_position(wrist)).solid_box(masses[2], Vec3::new(0.1, 0.1, 0.1)));
    m.joint(Joint::revolute("hinge", WORLD, "crank").placed(Vec3::zero(), Vec3::y_axis()));
    m.joint(Joint::revolute("pin", "crank", "rod").placed(pin, Vec3::y_axis()));
    m.joint(Joint::revolute("wrist", "rod", "piston").placed(wrist, Vec3::y_axis()));
    m.joint(Joint::prismatic("slide", WORLD, "piston").placed(wrist, Vec3::x_axis()));
    built(m)
}

/// Sets the toggle going: θ̇ of the crank, −θ̇ of the rod.
fn turn(b: &mut Batch, angle: f64, rate: f64) {
    let (s, c) = (angle.sin() * 0.5 * rate, angle.cos() * 0.5 * rate);
    let spin = Vec3::new(0.0, -rate, 0.0);
    b.set_body_velocity(0, 0, Twist::new(Vec3::new(-0.5 * s, 0.0, 0.5 * c), spin)).unwrap();
    b.set_body_velocity(0, 1, Twist::new(Vec3::new(-1.5 * s, 0.0, 0.5 * c), -spin)).unwrap();
    b.set_body_velocity(0, 2, Twist::new(Vec3::new(-2.0 * s, 0.0, 0.0), Vec3::zero())).unwrap();
}

/// What a run of a mechanism does at worst.
struct Worst {
    gap: f64,
    energy: f64,
    inexact: usize,
}

fn run(b: &mut Batch, steps: usize) -> Worst {
    let mut worst = Worst { gap: 0.0, energy: f64::MIN, inexact: 0 };
    for step in 0..steps {
        let report = b.step(1);
        assert!(!matches!(report.status[0], WorldStatus::Frozen { .. }), "step {step}: {report:?}");
        let (metres, radians) = report.loop_gap[0];
        worst.gap = worst.gap.max(metres).max(radians);
        worst.energy = worst.energy.max(b.energy(0).unwrap());
        // a status never lies
        let exact = metres.max(radians) < 1e-4;
        assert!(exact || report.status[0] == WorldStatus::Inexact, "step {step}: {report:?}");
        worst.inexact += usize::from(report.converged[0] == 0);
    }
    worst
}

/// A linkage that folds with 57 J and more: it goes through its change points for two seconds, stays together, and gains no more than a step that is
/// long for it may be off by.
#[test]
fn a_folding_toggle_stays_together() {
    for (dt, rate, masses) in [
        (0.002, 13.0, [0.1, 0.1, 2.0]),
        (0.002, 20.0, [0.1, 0.1, 2.0]),
        (0.004, 13.0, [0.1, 0.1, 2.0]),
        (0.004, 40.0, [1.0, 1.0, 1.0]),
        (0.01, 13.0, [0.1, 0.1, 2.0]),
        (0.01, 25.0, [1.0, 1.0, 1.0]),
        (0.01, 17.0, [0.25, 0.15, 0.3]),
    ] {
        let model = toggle(masses, Vec3::zero(), 0.6);
        let mut b = implicit(&model, dt, Integrator::Variational, Precision::F64);
        turn(&mut b, 0.6, rate);
        let start = b.energy(0).unwrap();
        let worst = run(&mut b, (2.0 / dt) as usize);
        println!(
            "toggle Δt {dt} {rate} {masses:?}: gap {:e}, energy {} of {start}, inexact {}",
            worst.gap, worst.energy, worst.inexact
        );
        assert!(worst.gap < 0.01, "Δt {dt}, {rate} rad/s: {:e} m", worst.gap);
        assert!(worst.energy < 2.0 * start, "Δt {dt}, {rate} rad/s: {} J of {start} J", worst.energy);
    }
}

/// Links of 10 g under 100 kg: what falls has at most the energy of its fall, 1000 N · 1 m.
#[test]
fn light_links_hold_a_heavy_load() {
    for dt in [0.001, 0.004] {
        let gravity = Vec3::new(-9.81, 0.0, 0.0);
        let model = toggle([0.01, 0.01, 100.0], gravity, 0.3);
        let mut b = implicit(&model, dt, Integrator::Variational, Precision::F64);
        let start = b.energy(0).unwrap();
        let worst = run(&mut b, (3.0 / dt) as usize);
        println!(
            "load Δt {dt}: gap {:e}, energy {} of {start}, inexact {}",
            worst.gap, worst.energy, worst.inexact
        );
        assert!(worst.gap < 0.01, "Δt {dt}: {:e} m", worst.gap);
        assert!(worst.energy < start + 1000.0, "Δt {dt}: {} J of {start} J", worst.energy);
    }
}

/// A four-bar thrown about by its motors at steps of 0.1 s.
#[test]
fn a_four_bar_stays_closed_at_steps_of_a_tenth_of_a_second() {
    let model = built(library::four_bar());
    let mut b = implicit(&model, 0.1, Integrator::Variational, Precision::F64);
    let mut worst = 0.0_f64;
    for i in 0..100 {
        for a in 0..model.actuators().len() {
            b.set_effort(0, a, 2.0 * noise(i, a)).unwrap();
        }
        worst = worst.max(run(&mut b, 1).gap);
    }
    println!("four-bar at 0.1 s: {worst:e}");
    assert!(worst < 0.01, "{worst:e}");
}

/// Toggles at eight speeds in one block, of which some need shorter steps: each has the bits that it has alone.
#[test]
fn who_takes_a_step_again_is_not_seen_by_its_neighbours() {
    let model = toggle([1.0, 1.0, 1.0], Vec3::zero(), 0.6);
    let settings = Solver::variational().into();
    let run = |worlds: std::ops::Range<usize>| {
        let options = BatchOptions { dt: Some(0.01), settings, ..BatchOptions::default() };
        let mut b = Batch::new(model.clone(), worlds.len(), options).unwrap();
        for (w, world) in worlds.clone().enumerate() {
            for body in 0..3 {
                b.set_body_wrench(
                    w,
                    body,
                    Vec3::new(-5.0 * world as f64, 0.0, 0.3 * world as f64),
                    Vec3::zero(),
                )
                .unwrap();
            }
        }
        b.step(200);
        let joints = |w: usize| (0..4).map(|j| b.joint_reaction(w, j).unwrap()).collect::<Vec<_>>();
        (0..worlds.len()).map(|w| (bits(&b, w), joints(w))).collect::<Vec<_>>()
    };
    let together = run(0..8);
    for world in 0..8 {
        assert!(run(world..world + 1)[0] == together[world], "world {world}");
    }
}
