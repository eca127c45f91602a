//! The variational integrator: what discrete mechanics keeps, it keeps to rounding.

use crate::common::{begin_with_an_interval, block, built, tight, variational};
use bellcrank_math::{Pose, Quat, Sym3, Twist, Vec3, so3};
use bellcrank_model::{Actuator, Body, Dof, Joint, JointKind, Model, ModelBuilder, Spring, WORLD, library};
use bellcrank_sim::{Batch, InteriorPoint};
use std::sync::Arc;

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
    begin_with_an_interval(&mut b);
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

/// Where a mechanism is after a second, with steps of `dt`.
fn after_a_second(model: &Arc<Model>, dt: f64, begin: impl Fn(&mut Batch)) -> Vec<f64> {
    let mut b = variational(model, dt, tight());
    begin(&mut b);
    b.step((1.0 / dt).round() as usize);
    (0..model.bodies().len()).flat_map(|body| b.body_pose(0, body).unwrap().p.to_array()).collect()
}

/// The velocities that a user gives are those of the instant, and half of a step's impulses take them to the first interval: errors of
/// positions after a second fall by four with half the step. The reference is the extrapolation of two much smaller steps, whose own error
/// is of fourth order.
fn has_second_order(name: &str, model: &Arc<Model>, begin: impl Fn(&mut Batch)) {
    let (coarse, fine) = (after_a_second(model, 2.5e-4, &begin), after_a_second(model, 1.25e-4, &begin));
    let exact: Vec<f64> = coarse.iter().zip(&fine).map(|(c, f)| (4.0 * f - c) / 3.0).collect();
    let error = |dt: f64| {
        let found = after_a_second(model, dt, &begin);
        found.iter().zip(&exact).fold(0.0_f64, |most, (x, y)| most.max((x - y).abs()))
    };
    let errors = [8e-3, 4e-3, 2e-3, 1e-3, 5e-4].map(error);
    println!("{name}: {errors:?}");
    for pair in errors.windows(2) {
        let ratio = pair[0] / pair[1];
        assert!(3.4 < ratio && ratio < 4.6, "{name}: {errors:?}");
    }
}

#[test]
fn a_double_pendulum_converges_with_second_order() {
    let mut m = ModelBuilder::new("double");
    for (k, name) in ["upper", "lower"].into_iter().enumerate() {
        let at = Pose::translation(0.25 + 0.5 * k as f64, 0.0, 0.0);
        m.body(Body::new(name).at(at).solid_box(1.0, Vec3::new(0.5, 0.05, 0.05)));
    }
    m.joint(Joint::revolute("shoulder", WORLD, "upper").placed(Vec3::zero(), Vec3::y_axis()));
    m.joint(Joint::revolute("elbow", "upper", "lower").placed(Vec3::new(0.5, 0.0, 0.0), Vec3::y_axis()));
    let spin = |w: f64| Vec3::new(0.0, w, 0.0);
    has_second_order("double pendulum", &built(m), |b| {
        // the upper turns with 1 rad/s, the lower with −2: v = ω × r, each about its joint
        b.set_body_velocity(0, 0, Twist::new(Vec3::new(0.0, 0.0, -0.25), spin(1.0))).unwrap();
        b.set_body_velocity(0, 1, Twist::new(Vec3::new(0.0, 0.0, -0.5 + 0.5), spin(-2.0))).unwrap();
    });
}

/// Motors and springs as well. (Dampers are implicit, by the velocity of the coming interval, and of first order.)
#[test]
fn a_driven_four_bar_converges_with_second_order() {
    let mut m = crate::light_and_heavy::four_bar(3.0, 10.0);
    m.actuator(Actuator::effort("motor", "a"));
    has_second_order("four-bar", &built(m), |b| b.set_effort(0, 0, 5.0).unwrap());
    let mut m = pendulum(core::f64::consts::FRAC_PI_2, -9.81);
    let hinge = Joint::revolute("hinge", WORLD, "rod").placed(Vec3::zero(), Vec3::x_axis());
    m.joint(hinge.spring(5.0, 0.3));
    has_second_order("spring", &built(m), |b| {
        b.set_body_velocity(0, 0, Twist::new(Vec3::new(0.0, 0.0, 0.5), Vec3::x_axis())).unwrap();
    });
}

/// A disc of 1 kg on a rod of 0.1 m, spinning with 200 rad/s about the rod, which lies: it precesses with m g ℓ/(I₃ ω₃) = 0.981 rad/s.
#[test]
fn a_heavy_top_precesses_at_the_textbook_rate() {
    let mut m = ModelBuilder::new("top");
    let inertia = Sym3::diagonal(0.005, 0.0025, 0.0025);
    m.body(Body::new("disc").at(Pose::translation(0.1, 0.0, 0.0)).mass(1.0).inertia(inertia));
    m.joint(Joint::spherical("pivot", WORLD, "disc").placed(Vec3::zero(), Vec3::z_axis()));
    let rate = 1.0 * 9.81 * 0.1 / (0.005 * 200.0);
    let mut b = variational(&built(m), 0.002, InteriorPoint::default());
    let omega = Vec3::new(200.0, 0.0, rate);
    b.set_body_velocity(0, 0, Twist::new(omega.cross(Vec3::new(0.1, 0.0, 0.0)), omega)).unwrap();
    b.step(1000);
    let p = b.body_pose(0, 0).unwrap().p;
    let found = p.y.atan2(p.x) / 2.0;
    println!("precession {found} of {rate}");
    assert!((found / rate - 1.0).abs() < 2e-3, "{found} of {rate}");
}

/// A start from rest after a reset is a start from an instant; a snapshot knows it; a step ends it. Free fall is ½ g t² to rounding, and the
/// forces that are read do not depend on it.
#[test]
fn written_velocities_are_those_of_the_instant() {
    let model = cube(Vec3::new(0.0, 0.0, -10.0));
    let mut b = variational(&model, 0.01, tight());
    let fall = |b: &mut Batch, steps: usize| {
        let from = b.body_pose(0, 0).unwrap().p.z;
        b.step(steps);
        b.body_pose(0, 0).unwrap().p.z - from
    };
    assert!((fall(&mut b, 100) + 5.0).abs() < 1e-9);
    b.reset(0).unwrap();
    let blob = b.snapshot();
    assert!((fall(&mut b, 50) + 1.25).abs() < 1e-9);
    b.restore(&blob).unwrap();
    assert!((fall(&mut b, 50) + 1.25).abs() < 1e-9);
    b.set_body_velocity(0, 0, Twist::new(Vec3::new(0.0, 0.0, 5.0), Vec3::zero())).unwrap();
    assert!(fall(&mut b, 100).abs() < 1e-9);
    // m g = 9.81 N from the first step on, not half of it
    let mut b = variational(&block(0.5, Vec3::new(0.0, 0.0, 0.25)), 0.01, InteriorPoint::default());
    b.step(100);
    b.set_body_velocity(0, 0, Twist::zero()).unwrap();
    b.step(1);
    let carried: f64 = b.contacts(0).unwrap().iter().map(|c| c.force.z).sum();
    assert!((carried - 9.81).abs() < 0.02, "{carried} N"); // it hovers a little less high now
}
