//! The variational integrator: what discrete mechanics keeps, it keeps to rounding.

use crate::common::built;
use bellcrank_math::{Pose, Quat, Sym3, Twist, Vec3, so3};
use bellcrank_model::{Actuator, Body, Dof, Joint, JointKind, Model, ModelBuilder, Spring, WORLD, library};
use bellcrank_sim::{Batch, BatchOptions, Integrator, InteriorPoint, Method, Settings};
use std::sync::Arc;

/// Tight tolerances, as the published engine's own tests have them.
pub fn tight() -> InteriorPoint {
    InteriorPoint { kappa: 1e-12, tolerance: 1e-12, ..InteriorPoint::default() }
}

pub fn variational(model: &Arc<Model>, dt: f64, point: InteriorPoint) -> Batch {
    let settings = Settings {
        integrator: Integrator::Variational,
        method: Method::InteriorPoint(point),
        ..Settings::default()
    };
    let options = BatchOptions { dt, settings: Some(settings), scalar: true, ..BatchOptions::default() };
    Batch::new(model.clone(), 1, options).unwrap()
}

/// Kinetic energy of the last interval plus potential energy at its middle.
fn energy(batch: &Batch) -> f64 {
    batch.energy(0).unwrap()
}

/// The momentum that arrives at the present node, all bodies together.
fn momentum(batch: &Batch) -> (Vec3, Vec3) {
    batch.momentum(0).unwrap()
}

fn cube(gravity: Vec3) -> Arc<Model> {
    let mut m = ModelBuilder::new("cube");
    m.gravity(gravity);
    m.body(Body::new("cube").solid_box(1.0, Vec3::new(0.5, 0.5, 0.5)));
    built(m)
}

/// A cube thrown with v (1, 2, 3) and ω (1, 1, 1): the chord of a parabola lies g Δt²/8 below its arc, in every interval
/// alike, so that the energy at the middles does not change at all.
#[test]
fn a_thrown_cube_keeps_its_energy() {
    let mut b = variational(&cube(Vec3::new(0.0, 0.0, -10.0)), 0.01, tight());
    b.set_body_velocity(0, 0, Twist::new(Vec3::new(1.0, 2.0, 3.0), Vec3::new(1.0, 1.0, 1.0))).unwrap();
    b.step(1);
    let start = energy(&b);
    let report = b.step(500);
    assert_eq!(report.converged[0], 500);
    assert!((energy(&b) / start - 1.0).abs() < 1e-8, "{} from {start}", energy(&b));
}

/// J = diag(0.03, 0.011, 0.04), ω = (10, 0.01, 0): the middle axis flips over and over; momentum and energy stay.
#[test]
fn a_tumbling_body_keeps_energy_and_angular_momentum() {
    for dt in [0.01, 0.05] {
        let mut m = ModelBuilder::new("handle");
        m.gravity(Vec3::zero());
        m.body(Body::new("handle").mass(1.0).inertia(Sym3::diagonal(0.03, 0.011, 0.04)));
        // ω · δL of a thousand steps: residuals of 1e-14 add up to less than 1e-10 J of 1.5 J
        let point = InteriorPoint { tolerance: 1e-14, ..tight() };
        let mut b = variational(&built(m), dt, point);
        b.set_body_velocity(0, 0, Twist::new(Vec3::zero(), Vec3::new(10.0, 0.01, 0.0))).unwrap();
        b.step(1);
        let (E, (_, L)) = (energy(&b), momentum(&b));
        let mut flipped = false;
        for _ in 0..(10.0 / dt) as usize {
            b.step(1);
            let X = b.body_pose(0, 0).unwrap();
            flipped |= X.R.rotate_inverse(b.body_velocity(0, 0).unwrap().angular).x < -5.0;
        }
        assert!((energy(&b) / E - 1.0).abs() < 1e-11, "Δt {dt}: {:e}", energy(&b) / E - 1.0);
        assert!((momentum(&b).1 - L).norm() / L.norm() < 1e-11, "Δt {dt}: {:?}", momentum(&b).1 - L);
        assert!(flipped || dt > 0.01, "the handle never turned over");
    }
}

/// A rod of 1 m and 1 kg, hinged at its upper end about x, turned by `angle` from hanging.
fn pendulum(angle: f64, gravity: f64) -> ModelBuilder {
    let mut m = ModelBuilder::new("pendulum");
    m.gravity(Vec3::new(0.0, 0.0, gravity));
    let turn: Quat = so3::exp(Vec3::new(angle, 0.0, 0.0));
    let place = Pose::new(turn, turn.rotate(Vec3::new(0.0, 0.0, -0.5)));
    m.body(Body::new("rod").at(place).solid_box(1.0, Vec3::new(0.1, 0.1, 1.0)));
    m
}

/// The energy of a pendulum swings with Δt² and does not drift: the band of ten seconds is four times narrower with
/// half the step, and the second five seconds are as wide as the first. Read at the middles of the intervals the band is
/// twice that of the nodes (4.4e-2, 1.1e-2, 4.2e-4 of the swing).
#[test]
fn a_pendulum_keeps_its_energy_within_a_band() {
    let band = |dt: f64| {
        let mut m = pendulum(core::f64::consts::FRAC_PI_4, -9.81);
        m.joint(Joint::revolute("hinge", WORLD, "rod").placed(Vec3::zero(), Vec3::x_axis()));
        let mut b = variational(&built(m), dt, tight());
        b.step(1);
        let mut halves = [(f64::MAX, f64::MIN); 2];
        for half in &mut halves {
            for _ in 0..(5.0 / dt) as usize {
                let report = b.step(1);
                assert!(
                    report.loop_gap[0].0 < 1e-12 && report.loop_gap[0].1 < 1e-12,
                    "{:?}",
                    report.loop_gap
                );
                assert_eq!(report.converged[0], 1, "{report:?}");
                let E = energy(&b);
                *half = (half.0.min(E), half.1.max(E));
            }
        }
        let width = |h: (f64, f64)| h.1 - h.0;
        assert!((width(halves[0]) / width(halves[1]) - 1.0).abs() < 0.2, "{halves:?}");
        // 1.437 J is what the swing exchanges
        width(halves[0]).max(width(halves[1])) / 1.437
    };
    let widths = [0.1, 0.05, 0.01].map(band);
    println!("bands {widths:?}");
    assert!(widths[0] < 9.0e-2 && widths[1] < 2.2e-2 && widths[2] < 8.8e-4, "{widths:?}");
    let ratio = widths[0] / widths[1];
    assert!(3.0 < ratio && ratio < 5.0, "{widths:?}");
}

/// A torsion spring of 1 N·m/rad, no gravity, pushed by 0.5 N·m for a second: what it then has, it keeps for 24 s.
/// I = (1 + 0.01)/12 + 0.25 = 0.334 kg·m², ω₀ = 1.73 rad/s.
#[test]
fn a_torsion_spring_keeps_its_energy() {
    for (dt, most) in [(0.01, 1e-4), (0.05, 2.5e-3)] {
        let mut m = pendulum(core::f64::consts::FRAC_PI_2, 0.0);
        m.joint(Joint::revolute("hinge", WORLD, "rod").placed(Vec3::zero(), Vec3::x_axis()).spring(1.0, 0.3));
        m.actuator(Actuator::effort("motor", "hinge"));
        let mut b = variational(&built(m), dt, tight());
        b.set_effort(0, 0, 0.5).unwrap();
        b.step((1.0 / dt) as usize);
        b.set_effort(0, 0, 0.0).unwrap();
        b.step(2);
        let (start, mut worst) = (energy(&b), 0.0_f64);
        for _ in 0..(24.0 / dt) as usize {
            b.step(1);
            worst = worst.max((energy(&b) / start - 1.0).abs());
        }
        println!("spring Δt {dt}: {worst:e}");
        assert!(worst < most, "Δt {dt}: {worst:e}");
    }
}

/// A mass of 1 kg on a spring of 10 N/m let go 0.5 m out: amplitude 0.5 m, largest speed 0.5 √10 m/s, energy constant.
/// A stiffness for which an explicit step would explode (ω Δt = 10) keeps its energy too.
#[test]
fn a_sliding_mass_on_a_spring_keeps_amplitude_and_energy() {
    let slider = |k: f64, gravity: f64| {
        let mut m = ModelBuilder::new("slider");
        m.gravity(Vec3::new(0.0, 0.0, gravity));
        m.body(
            Body::new("mass").at(Pose::translation(0.0, 0.0, 0.5)).solid_box(1.0, Vec3::new(0.1, 0.1, 1.0)),
        );
        let slide = Joint::prismatic("slide", WORLD, "mass").placed(Vec3::new(0.0, 0.0, 0.5), Vec3::z_axis());
        m.joint(if k > 0.0 { slide.spring(k, -0.5) } else { slide });
        built(m)
    };
    let run = |k: f64, gravity: f64, seconds: f64| {
        let mut b = variational(&slider(k, gravity), 0.01, tight());
        b.step(1);
        let start = energy(&b);
        let (mut worst, mut far, mut fast) = (0.0_f64, 0.0_f64, 0.0_f64);
        for _ in 0..(seconds * 100.0) as usize {
            b.step(1);
            worst = worst.max((energy(&b) - start).abs());
            far = far.max((b.joint_position(0).unwrap()[0] + 0.5).abs());
            fast = fast.max(b.joint_velocity(0).unwrap()[0].abs());
        }
        (worst / start.abs().max(0.1), far, fast)
    };
    let (energy, far, fast) = run(10.0, 0.0, 5.0);
    println!("slider {energy:e} {far} {fast}");
    assert!(energy < 1e-9, "{energy:e}"); // the midpoint rule keeps quadratic energies exactly
    assert!((far - 0.5).abs() < 1e-4 && (fast - 0.5 * 10_f64.sqrt()).abs() < 4e-4, "{far} {fast}");
    let (stiff, ..) = run(1e6, 0.0, 1.0);
    assert!(stiff < 1e-6, "{stiff:e}");
    let (fall, ..) = run(0.0, -9.81, 1.5);
    assert!(fall < 1e-6, "{fall:e}");
    let (both, ..) = run(1.0, -9.81, 10.0);
    assert!(both < 1e-3, "{both:e}");
}

/// A chain of five boxes with one kind of joint, springs, dampers and motors, thrown spinning into empty space: nothing
/// from outside acts, so both momenta stay, whatever the joints do (a slider across the link included).
#[test]
fn actuated_chains_keep_both_momenta() {
    for kind in JointKind::ALL {
        for axis in [Vec3::z_axis(), Vec3::x_axis()] {
            let mut b = variational(&built(chain(kind, axis)), 0.01, tight());
            for body in 0..5 {
                // the whole chain moves as one body: the joints are closed
                let omega = Vec3::new(0.5, -1.0, 2.0);
                let p = b.body_pose(0, body).unwrap().p;
                let v = Vec3::new(0.3, 0.2, -0.1) + omega.cross(p);
                b.set_body_velocity(0, body, Twist::new(v, omega)).unwrap();
            }
            let motors = b.model(0).unwrap().actuators().len();
            for a in 0..motors {
                b.set_effort(0, a, if a % 2 == 0 { 0.05 } else { -0.03 }).unwrap();
            }
            b.step(1);
            let (p, L) = momentum(&b);
            let report = b.step(300);
            assert_eq!(report.converged[0], 300, "{kind:?}: {report:?}");
            let (p1, L1) = momentum(&b);
            assert!((p1 - p).norm() < 1e-9 && (L1 - L).norm() < 1e-9, "{kind:?}: {:?} {:?}", p1 - p, L1 - L);
            assert!(
                report.loop_gap[0].0 < 1e-10 && report.loop_gap[0].1 < 1e-10,
                "{kind:?}: {:?}",
                report.loop_gap
            );
        }
    }
}

/// Five boxes in a row along z, joined 1 m apart.
fn chain(kind: JointKind, axis: Vec3) -> ModelBuilder {
    let mut m = ModelBuilder::new("chain");
    m.gravity(Vec3::zero());
    for i in 0..5 {
        let at = Pose::translation(0.0, 0.0, i as f64);
        m.body(Body::new(format!("link{i}")).at(at).solid_box(1.0, Vec3::new(0.1, 0.2, 0.9)));
    }
    for i in 0..4 {
        let (name, from, to) = (format!("joint{i}"), format!("link{i}"), format!("link{}", i + 1));
        let mut joint = Joint::new(&name, kind, from.as_str(), to.as_str())
            .placed(Vec3::new(0.0, 0.0, i as f64 + 0.5), axis);
        for k in 0..kind.dof_count() {
            let spring = kind.has_scalar_coordinates().then_some(Spring { stiffness: 0.3, rest: 0.0 });
            joint = joint.dof(k, Dof { damping: 0.1, spring, ..Dof::default() });
        }
        m.joint(joint);
        for k in 0..kind.dof_count() {
            m.actuator(Actuator::effort(format!("motor{i}_{k}"), name.as_str()).dof(k));
        }
    }
    m
}

/// 1 N on 1 kg for 50 steps of 10 ms: 0.5 m/s. 1 N·m about an inertia of 1 kg·m²: 0.5 rad/s.
#[test]
fn a_push_from_outside_is_an_impulse() {
    let mut m = ModelBuilder::new("block");
    m.gravity(Vec3::zero());
    m.body(Body::new("block").mass(1.0).inertia(Sym3::diagonal(1.0, 1.0, 1.0)));
    let mut b = variational(&built(m), 0.01, tight());
    let (f, t) = (Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 0.0, 1.0));
    b.set_body_wrench(0, 0, f, t).unwrap();
    b.step(50);
    let V = b.body_velocity(0, 0).unwrap();
    assert!((V.linear - f * 0.5).norm() < 1e-12, "{V:?}");
    assert!((V.angular - t * 0.5).norm() < 1e-5, "{V:?}"); // c = √(1 − (Δt ω/2)²) of it
}

/// A four-bar with a redundant row (a planar loop in space), driven by changing torques: loops stay closed to rounding at
/// any step, and opposite angles of the parallelogram agree.
#[test]
fn a_driven_four_bar_stays_closed_at_any_step() {
    for dt in [0.1, 0.05, 0.01, 0.005] {
        let mut b =
            variational(&built(library::four_bar()), dt, InteriorPoint { tolerance: 1e-10, ..tight() });
        let motors = b.model(0).unwrap().actuators().len();
        let mut worst = (0.0_f64, 0.0_f64);
        for i in 0..(2.0 / dt) as usize {
            for a in 0..motors {
                b.set_effort(0, a, 0.05 * crate::common::noise(i, a)).unwrap();
            }
            let report = b.step(1);
            assert_eq!(report.converged[0], 1, "Δt {dt}, step {i}: {report:?}");
            worst = (worst.0.max(report.loop_gap[0].0), worst.1.max(report.loop_gap[0].1));
        }
        assert!(worst.0 < 1e-9 && worst.1 < 1e-9, "Δt {dt}: {worst:?}");
    }
}
