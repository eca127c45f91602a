//! Push rods between ball joints: a thousand times less inertia about their own line than across it, in loops that springs press.

use crate::common::coasting::{THROW, thrown, whole};
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::{Body, Joint, Model, ModelBuilder};
use bellcrank_sim::Precision;
use std::sync::Arc;

/// A hip and a shin on a hinge, and a rod that keeps the hinge from moving while a spring of 300 N·m tries to: it is pressed with
/// about 1 kN. All of it floats.
fn pressed(damping: f64) -> Arc<Model> {
    let mut m = ModelBuilder::new("pressed_rod");
    m.gravity(Vec3::zero());
    m.body(Body::new("hip").solid_box(5.0, Vec3::new(0.2, 0.2, 0.2)));
    m.body(Body::new("shin").at(Pose::translation(0.6, 0.0, 0.0)).solid_box(2.0, Vec3::new(1.0, 0.05, 0.05)));
    let (head, foot) = (Vec3::new(0.0, 0.05, 0.1), Vec3::new(0.95, 0.03, 0.3));
    let (middle, along) = ((head + foot) * 0.5, foot - head);
    // x along the rod: half a turn about the middle between x and the rod's line
    let between = along * (1.0 / along.norm()) + Vec3::x_axis();
    let half_turn = Quat::from_axis_angle(between * (1.0 / between.norm()), std::f64::consts::PI);
    let rod = Body::new("rod").at(Pose::new(half_turn, middle)).mass(0.3);
    m.body(rod.inertia_diagonal(1e-6, 0.024, 0.024));
    let hinge = Joint::revolute("knee", "hip", "shin").placed(Vec3::new(0.1, 0.0, 0.0), Vec3::y_axis());
    m.joint(hinge.spring(1500.0, 0.2));
    m.joint(Joint::spherical("head", "hip", "rod").placed(head, Vec3::y_axis()).damping(damping));
    m.joint(Joint::spherical("foot", "rod", "shin").placed(foot, Vec3::y_axis()));
    Arc::new(m.build().expect("a sound model"))
}

/// Everything turns as one rigid body, at 1 to 4 rad/s, so the rod turns with the hip about its own line as well. A damper of 1 mN·m·s makes it
/// follow within I/c = 1 ms, so that it lags behind a whole that tumbles by at most ω² I/c = 0.016 rad/s. In 32 bits the rows that hold the
/// rod's ends have moments of 1 kN · 0.5 m · 2 ms, of which 2⁻²⁴ = 6e-8 N·m·s is rounded off in each step; that turns the rod by
/// 6e-8/(I + c Δt) = 0.02 rad/s, a few of them together by 0.1. L is kept as by every mechanism.
#[test]
fn a_pressed_rod_turns_with_what_damps_it() {
    for (precision, rate, lost) in [(Precision::F64, 0.016, 1e-12), (Precision::F32, 0.1, 1e-5)] {
        for times in 1..=4 {
            let (v, w) = THROW;
            let mut batch = thrown(&pressed(1e-3), precision, 0.002, (v, w * f64::from(times)));
            batch.step(1);
            let start = whole(&batch).spin;
            let mut worst: f64 = 0.0;
            for step in 0..1000 {
                let report = batch.step(1);
                assert_eq!(report.converged, [1], "{precision:?} × {times}, step {step}");
                let along = batch.body_pose(0, 2).unwrap().R.rotate(Vec3::x_axis());
                let [hip, rod] = [0, 2].map(|b| batch.body_velocity(0, b).unwrap().angular);
                worst = worst.max(along.dot(rod - hip).abs());
            }
            let share = (whole(&batch).spin - start).norm() / start.norm();
            let told =
                format!("{precision:?} × {times}: {worst:.1e} rad/s against the hip, L {share:.1e} off");
            assert!(worst < rate && share < lost, "{told}");
        }
    }
}

/// Without a damper nothing turns the rod about its own line: a rod that spins at 20 rad/s against the hip spins so after a second. What
/// is rounded off (6e-8 N·m·s, as above) wanders by 6e-8/I · √500 = 1.3 rad/s in 32 bits.
#[test]
fn a_free_rod_keeps_its_spin() {
    for (precision, most) in [(Precision::F64, 1e-3), (Precision::F32, 4.0)] {
        let mut batch = thrown(&pressed(0.0), precision, 0.002, (Vec3::zero(), Vec3::zero()));
        let along = batch.body_pose(0, 2).unwrap().R.rotate(Vec3::x_axis());
        let mut V = batch.body_velocity(0, 2).unwrap();
        V.angular += along * 20.0;
        batch.set_body_velocity(0, 2, V).unwrap();
        batch.step(500);
        let along = batch.body_pose(0, 2).unwrap().R.rotate(Vec3::x_axis());
        let spin = along.dot(batch.body_velocity(0, 2).unwrap().angular);
        assert!((spin - 20.0).abs() < most, "{precision:?}: {spin} rad/s");
    }
}
