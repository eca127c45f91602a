//! Contacts that cannot be resolved: pushed out at bounded speed and with bounded force, and never at the expense of joints.

use crate::common::{batch, built};
use bellcrank_math::{Pose, Twist, Vec3};
use bellcrank_model::{Body, Geometry, Joint, Model, ModelBuilder, Shape, WORLD};
use bellcrank_sim::{Batch, Precision, WorldStatus};
use std::sync::Arc;

const DT: f64 = 0.004;
const BOTH: [Precision; 2] = [Precision::F64, Precision::F32];

/// What a run showed at worst.
#[derive(Debug, Default)]
struct Worst {
    speed: f64,
    force: f64,
    gap: f64,
    not_ok: usize,
    penetration: f64,
}

fn watch(b: &mut Batch, steps: usize) -> Worst {
    let mut worst = Worst::default();
    for _ in 0..steps {
        let report = b.step(1);
        for body in 0..b.model(0).unwrap().bodies().len() {
            worst.speed = worst.speed.max(b.body_velocity(0, body).unwrap().linear.norm());
        }
        for contact in b.contacts(0).unwrap() {
            worst.force = worst.force.max(contact.force.norm());
        }
        worst.gap = worst.gap.max(report.loop_gap[0].0.max(report.loop_gap[0].1));
        worst.not_ok += usize::from(report.status[0] != WorldStatus::Ok);
        worst.penetration = report.penetration[0];
    }
    worst
}

/// A ball of 1 kg and radius 10 cm between two fixed walls that leave it 16 cm; by itself, or hanging from a second body.
fn squeezed(hangs: bool) -> Arc<Model> {
    let mut m = ModelBuilder::new("squeezed");
    let half = Vec3::new(0.1, 1.0, 1.0);
    for (name, x) in [("left", -0.18), ("right", 0.18)] {
        m.shape(Shape::new(name, WORLD, Geometry::Box { half }).at(Pose::translation(x, 0.0, 0.0)));
    }
    let ball = m.body(Body::new("ball").solid_sphere(1.0, 0.1));
    m.shape(Shape::new("ball", ball, Geometry::Sphere { radius: 0.1 }));
    if hangs {
        let size = Vec3::new(0.1, 0.1, 0.1);
        let above = Pose::translation(0.0, 0.0, 0.5);
        let block = m.body(Body::new("block").at(above).solid_box(1.0, size));
        m.shape(Shape::new("block", block, Geometry::Box { half: size * 0.5 }));
        m.joint(Joint::revolute("hinge", block, ball).placed(above.p, Vec3::new(0.0, 1.0, 0.0)));
    }
    built(m)
}

/// Each wall asks for b = 0.1 · 2 cm/4 ms = 0.5 m/s, in opposite directions. Nobody moves: R Δλ = b on both sides, with
/// R = ε/m = 0.1/kg (a little more where the ball can also turn about the hinge: 1/m is the least). So the force is at most
/// b m/(ε Δt) = 1,250 N from each wall, and with friction μ ≤ 1 at most √2 times that.
#[test]
fn walls_that_ask_for_opposite_things_press_with_bounded_force() {
    let most = 2.0_f64.sqrt() * 0.5 / (0.1 * DT);
    for precision in BOTH {
        for hangs in [false, true] {
            let worst = watch(&mut batch(&squeezed(hangs), 1, DT, precision), 250);
            assert!(worst.force < most && worst.speed < 1.0, "{precision:?} {hangs}: {worst:?}");
            assert!(worst.not_ok == 0 && worst.gap < 1e-5, "{precision:?} {hangs}: {worst:?}");
        }
    }
}

/// The same between walls that are barely too near, where the contacts ask for 2.5 mm/s and 0.25 mm/s.
#[test]
fn walls_that_are_barely_too_near_press_with_bounded_force_too() {
    for precision in BOTH {
        for depth in [1e-4, 1e-5] {
            let mut m = ModelBuilder::new("tight");
            let half = Vec3::new(0.1, 1.0, 1.0);
            for (name, x) in [("left", -0.2 + depth), ("right", 0.2 - depth)] {
                m.shape(Shape::new(name, WORLD, Geometry::Box { half }).at(Pose::translation(x, 0.0, 0.0)));
            }
            let ball = m.body(Body::new("ball").solid_sphere(1.0, 0.1));
            m.shape(Shape::new("ball", ball, Geometry::Sphere { radius: 0.1 }));
            let worst = watch(&mut batch(&built(m), 1, DT, precision), 250);
            // a contact that is hardly inside may press until R λ = 0.1 m/s: λ = 1 N·s, or 250 N, and √2 with friction;
            // where that does not hold the ball, it falls out within the second
            assert!(worst.force < 360.0 && worst.speed < 9.82, "{precision:?} {depth}: {worst:?}");
            assert!(worst.not_ok == 0, "{precision:?} {depth}: {worst:?}");
        }
    }
}

/// A double pendulum whose bob is inside a wall beside its plane (or far from it): its hinges leave no freedom along the
/// normal.
fn beside_a_wall(depth: f64) -> Arc<Model> {
    let mut m = ModelBuilder::new("beside");
    let wall = Shape::new("wall", WORLD, Geometry::Box { half: Vec3::new(2.0, 0.1, 2.0) });
    m.shape(wall.at(Pose::translation(0.0, 0.15 - depth, 0.0)));
    let arm = m.body(Body::new("arm").at(Pose::translation(0.0, 0.0, 0.6)).solid_sphere(3.0, 0.1));
    let across = Vec3::new(0.0, 1.0, 0.0);
    m.joint(Joint::revolute("shoulder", WORLD, arm).placed(Vec3::new(0.0, 0.0, 1.0), across));
    let bob = m.body(Body::new("bob").solid_sphere(1.0, 0.05));
    m.shape(Shape::new("bob", bob, Geometry::Sphere { radius: 0.05 }));
    m.joint(Joint::revolute("elbow", arm, bob).placed(Vec3::new(0.0, 0.0, 0.5), across));
    built(m)
}

/// What joints hold, the contact does not: the pendulum swings as if the wall were not there, and its joints stay closed.
#[test]
fn a_wall_that_joints_keep_a_body_in_does_not_stop_it() {
    for (precision, tolerance) in [(Precision::F64, 1e-6), (Precision::F32, 1e-3)] {
        let swing = |depth: f64| {
            let mut b = batch(&beside_a_wall(depth), 1, DT, precision);
            let V = Twist::new(Vec3::new(0.5, 0.0, 0.0), Vec3::new(0.0, -1.0, 0.0));
            b.set_body_velocity(0, 1, V).unwrap();
            let worst = watch(&mut b, 250);
            (b.joint_position(0).unwrap(), worst)
        };
        let (free, _) = swing(-1.0);
        for depth in [0.03, 0.01, 1e-3, 1e-5] {
            let (q, worst) = swing(depth);
            for (q, free) in q.iter().zip(&free) {
                assert!((q - free).abs() < tolerance, "{precision:?} {depth}: {q} {free} {worst:?}");
            }
            assert!(worst.force < 1.0 && worst.gap < 1e-5, "{precision:?} {depth}: {worst:?}");
            assert!(worst.not_ok == 0, "{precision:?} {depth}: {worst:?}");
            // it is not hidden either
            assert!((worst.penetration - depth).abs() < 2e-6, "{precision:?} {depth}: {worst:?}");
        }
    }
}

/// Who can get out does: a box 5 cm inside the floor asks for 1 m/s and gets b G/(G + R) or more; what carries a heavy one
/// gets out as well, and both lie on the floor in the end.
#[test]
fn what_can_get_out_does_at_the_recovery_speed() {
    for precision in BOTH {
        let mut m = ModelBuilder::new("sunk");
        m.shape(Shape::new("floor", WORLD, Geometry::Plane));
        let size = Vec3::new(0.2, 0.2, 0.2);
        for (name, mass, z) in [("light", 1.0, 0.05), ("heavy", 30.0, 0.25)] {
            let body = m.body(Body::new(name).at(Pose::translation(0.0, 0.0, z)).solid_box(mass, size));
            m.shape(Shape::new(name, body, Geometry::Box { half: size * 0.5 }));
        }
        let mut b = batch(&built(m), 1, DT, precision);
        let worst = watch(&mut b, 500);
        assert!(worst.speed < 1.0 && worst.not_ok == 0, "{precision:?}: {worst:?}");
        // 1 m/s in 4 ms for 31 kg is 7.8 kN; no corner carries more than all of it
        assert!(worst.force < 1.1 * 31.0 * (1.0 / DT + 9.81), "{precision:?}: {worst:?}");
        let z: Vec<f64> = (0..2).map(|k| b.body_pose(0, k).unwrap().p.z).collect();
        assert!((z[0] - 0.1).abs() < 1e-4 && (z[1] - 0.3).abs() < 1e-4, "{precision:?}: {z:?} {worst:?}");
    }
}
