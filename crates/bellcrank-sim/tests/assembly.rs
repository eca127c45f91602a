//! Poses that close, from any subset of joint coordinates.

use crate::common::{batch, bits, built, noise};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::library;
use bellcrank_sim::{BatchError, Precision};

/// A crank turned to 40 angles round the circle: the rocker follows Freudenstein's law, since the loop is closed.
#[test]
fn a_four_bar_closes_at_every_crank_angle() {
    let model = built(library::four_bar());
    for (precision, tolerance) in [(Precision::F64, 1e-7), (Precision::F32, 1e-5)] {
        let mut b = batch(&model, 40, 0.004, precision);
        let worlds: Vec<usize> = (0..40).collect();
        let crank = &model.joints()[0].name;
        let angles: Vec<f64> = worlds.iter().map(|w| -3.0 + 0.15 * *w as f64).collect();
        let done = b.assemble(&worlds, &[(crank, &angles)]).unwrap();
        assert!(done.iter().all(|d| *d), "{precision:?}: {done:?}");
        for w in worlds {
            let q = b.joint_position(w).unwrap()[0];
            assert!((q - angles[w]).abs() < tolerance, "{q} against {}", angles[w]);
        }
        // the gap of the first step from there tells whether the pose was closed
        let report = b.step(1);
        assert!(report.loop_gap.iter().all(|gap| gap.0 < 10.0 * tolerance), "{precision:?}");
    }
}

/// All twelve motors of the biped to random angles: every leg closes through its six loops, the pelvis stays.
#[test]
fn the_biped_closes_with_random_motor_angles() {
    let model = built(library::hybrid_biped());
    let mut b = batch(&model, 16, 0.004, Precision::F64);
    let worlds: Vec<usize> = (0..16).collect();
    let pelvis = b.body_pose(0, 0).unwrap();
    let values: Vec<Vec<f64>> =
        (0..12).map(|a| worlds.iter().map(|w| 0.15 * noise(w + 100, a)).collect()).collect();
    let name = |a: usize| model.joints()[model.actuators()[a].coordinate().unwrap().0.index()].name.as_str();
    let targets: Vec<(&str, &[f64])> = (0..12).map(|a| (name(a), values[a].as_slice())).collect();
    let done = b.assemble(&worlds, &targets).unwrap();
    assert!(done.iter().all(|d| *d), "{done:?}");
    for w in worlds {
        let q = b.joint_position(w).unwrap();
        for a in 0..12 {
            let joint = model.actuators()[a].coordinate().unwrap().0.index();
            assert!((q[joint] - values[a][w]).abs() < 1e-6);
        }
        assert!((b.body_pose(w, 0).unwrap().p - pelvis.p).norm() < 1e-3, "the base moved");
    }
}

/// A rocker cannot turn right round: asked for the impossible, a world says so and stays as it was.
#[test]
fn what_cannot_close_is_refused_and_left_alone() {
    let model = built(library::four_bar());
    let mut b = batch(&model, 3, 0.004, Precision::F64);
    b.step(10);
    let before = bits(&b, 1);
    // the joint between ground and rocker
    let on_rocker = |j: &&bellcrank_model::Joint| {
        j.predecessor.body().is_none() && j.successor.body() == model.body_id("rocker")
    };
    let name = model.joints().iter().find(on_rocker).map(|j| j.name.clone()).expect("a rocker on the ground");
    let done = b.assemble(&[1], &[(&name, &[3.0])]).unwrap();
    assert_eq!(done, [false]);
    assert_eq!(bits(&b, 1), before);
}

#[test]
fn wrong_questions_get_answers() {
    let model = built(library::four_bar());
    let mut b = batch(&model, 2, 0.004, Precision::F64);
    assert!(matches!(b.assemble(&[0], &[("knee", &[0.0])]), Err(BatchError::NoSuchJoint(..))));
    let name = model.joints()[0].name.clone();
    assert!(matches!(b.assemble(&[0, 1], &[(&name, &[0.0])]), Err(BatchError::WrongCount { .. })));
    assert!(matches!(b.assemble(&[5], &[]), Err(BatchError::NoSuchWorld { .. })));
    assert_eq!(b.assemble(&[], &[]).unwrap(), Vec::<bool>::new());
}

/// A biped in motion, lifted and turned upside down: it keeps its joint angles and speeds, its loops stay closed, and what
/// it weighs and carries in momentum turns along. What is bolted to the ground refuses.
#[test]
fn a_floating_robot_is_placed_as_a_whole() {
    let mut b = batch(&built(library::hybrid_biped()), 1, 0.004, Precision::F64);
    b.step(20);
    let before = (b.joint_position(0).unwrap(), b.joint_velocity(0).unwrap(), b.momentum(0).unwrap().0);
    let R = bellcrank_math::so3::exp(Vec3::new(std::f64::consts::PI, 0.0, 0.0));
    let X_move = Pose::new(R, Vec3::new(1.0, 2.0, 3.0));
    let goal = X_move * b.body_pose(0, 0).unwrap();
    b.place(0, 0, goal).unwrap();
    let (q, v) = (b.joint_position(0).unwrap(), b.joint_velocity(0).unwrap());
    for (old, new) in before.0.iter().chain(&before.1).zip(q.iter().chain(&v)) {
        assert!((old - new).abs() < 1e-9, "{old} became {new}");
    }
    assert!((b.body_pose(0, 0).unwrap().p - goal.p).norm() < 1e-12);
    assert!((b.momentum(0).unwrap().0 - R.rotate(before.2)).norm() < 1e-9);

    let mut bolted = batch(&built(library::four_bar()), 1, 0.004, Precision::F64);
    let refused = bolted.place(0, 0, Pose::identity()).unwrap_err().to_string();
    assert_eq!(refused, "\"crank\" is fastened to the world and cannot be placed; assemble moves its joints");
    let nowhere = Pose::new(R, Vec3::new(f64::NAN, 0.0, 0.0));
    assert!(b.place(0, 0, nowhere).unwrap_err().to_string().contains("not finite"));
}

/// A hip far outward, and the robot rolled about that hip's own axis in steps of 2.5 rad, which is 0.4 turns: on the way from one body
/// to the next the hip would seem to turn by more than half a turn, and a whole turn would be counted.
#[test]
fn a_robot_that_is_rolled_counts_no_turns() {
    let model = built(library::tumbling_quadruped());
    let hip = "front_left_abduction";
    for precision in [Precision::F64, Precision::F32] {
        let mut b = batch(&model, 3, 0.004, precision);
        assert_eq!(b.assemble(&[1], &[(hip, &[2.4])]).unwrap(), [true]);
        let before = b.joint_position(1).unwrap();
        let R = bellcrank_math::so3::exp(Vec3::new(2.5, 0.0, 0.0));
        for _ in 0..5 {
            let poses: Vec<Pose> = (0..model.bodies().len()).map(|k| b.body_pose(1, k).unwrap()).collect();
            b.set_body_poses(1, &poses.iter().map(|X| Pose::new(R, Vec3::zero()) * *X).collect::<Vec<_>>())
                .unwrap();
            b.place(1, 0, Pose::new(R, Vec3::zero()) * b.body_pose(1, 0).unwrap()).unwrap();
        }
        let after = b.joint_position(1).unwrap();
        let worst = before.iter().zip(&after).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        // 21 bodies' quaternions are rounded ten times
        assert!(worst < if precision == Precision::F64 { 1e-13 } else { 1e-5 }, "{precision:?}: {worst:e}");
        assert!(matches!(b.set_body_poses(1, &[]), Err(BatchError::WrongCount { .. })));
    }
}

/// What a world is asked for alone, it gets among others who have a longer way, or none that leads anywhere.
#[test]
fn what_others_are_asked_for_changes_no_bit() {
    for (robot, joint, reach) in [
        (library::cartpole as fn() -> bellcrank_model::ModelBuilder, "hinge", 3.0),
        (library::quadruped, "front_left_knee", 0.6),
        (library::hybrid_biped, "", 0.2),
    ] {
        let model = built(robot());
        let known = model.joints().iter().find(|j| j.name.contains(joint) && j.kind.dof_count() == 1);
        let joint = known.expect("such a joint").name.clone();
        let ask = |k: usize| if k == 5 { 1e9 } else { reach * (k as f64 / 10.0 - 1.0) };
        for precision in [Precision::F64, Precision::F32] {
            let mut together = batch(&model, 21, 0.004, precision);
            let worlds: Vec<usize> = (0..21).collect();
            let done =
                together.assemble(&worlds, &[(&joint, &worlds.iter().map(|k| ask(*k)).collect::<Vec<_>>())]);
            assert!(done.expect("such a joint").iter().filter(|d| **d).count() > 10);
            for world in [0, 3, 10, 16, 20] {
                let mut alone = batch(&model, 21, 0.004, precision);
                alone.assemble(&[world], &[(&joint, &[ask(world)])]).expect("such a joint");
                assert_eq!(
                    bits(&alone, world),
                    bits(&together, world),
                    "{} {precision:?} {world}",
                    model.name()
                );
            }
        }
    }
}
