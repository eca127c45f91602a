//! Goals out of reach, goals that are no goals, goals in conflict, and lanes.

use crate::support::{frames, gap, model, within_limits};
use bellcrank_kinematics::{Goal, Kinematics, KinematicsError, Settings};
use bellcrank_math::{Random, Vec3, so3};
use bellcrank_model::{Body, Joint, ModelBuilder, WORLD};

fn once() -> Settings {
    Settings { restarts: 0, ..Settings::default() }
}

/// Two links of 1 m in the x–z plane. A goal 3 m away along x is missed by 1 m, with both links stretched towards it.
#[test]
fn a_goal_out_of_reach_ends_at_the_nearest_pose_and_says_by_how_much() {
    let mut b = ModelBuilder::new("two links");
    let link = |name: &str, x: f64| {
        Body::new(name).at(bellcrank_math::Pose::translation(x, 0.0, 0.0)).solid_sphere(1.0, 0.1)
    };
    let (upper, lower) = (b.body(link("upper", 0.0)), b.body(link("lower", 1.0)));
    b.joint(Joint::revolute("shoulder", WORLD, upper).placed(Vec3::zero(), Vec3::y_axis()));
    b.joint(Joint::revolute("elbow", upper, lower).placed(Vec3::x_axis(), Vec3::y_axis()));
    let model = b.build().expect("builds");
    let robot = Kinematics::<f64>::new(&model);
    let goal = Goal::position("lower").point(Vec3::x_axis());
    let problem = robot.problem(&[goal], Settings::default()).expect("goals");
    let found = problem.solve(&[0.0, 0.0, -3.0], &[0.3, 0.4]).expect("sizes");
    assert!(!found.solved[0]);
    assert!((found.error[0] - 1.0).abs() < 1e-6, "{} m off", found.error[0]);
    // down is a quarter turn about +y
    assert!(
        (found.q[0] - core::f64::consts::FRAC_PI_2).abs() < 1e-3 && found.q[1].abs() < 2e-3,
        "{:?}",
        found.q
    );
}

/// The platform of a Delta robot a metre too low: it stays closed, keeps its limits and goes straight down; all three arms alike.
#[test]
fn loops_stay_closed_and_limits_hold_where_a_goal_is_out_of_reach() {
    let model = model("delta");
    let robot = Kinematics::<f64>::new(&model);
    let home = frames(robot.tree(), robot.rest(), &["platform"])[0].p;
    let problem = robot.problem(&[Goal::position("platform")], once()).expect("goals");
    let found = problem.solve(&[home.x, home.y, home.z - 1.0], &[]).expect("sizes");
    let (p, tree) = (frames(robot.tree(), &found.q, &["platform"])[0].p, robot.tree());
    assert!(!found.solved[0] && gap(tree, &found.q) < 1e-9 && within_limits(&model, tree, &found.q, 1e-9));
    assert!((p.x - home.x).abs() < 1e-4 && (p.y - home.y).abs() < 1e-4 && p.z < home.z - 0.05, "{p:?}");
    assert!((found.error[0] - (p.z - home.z + 1.0)).abs() < 1e-6);
}

#[test]
fn what_is_no_number_is_not_solved_and_harms_no_neighbour() {
    let model = model("delta");
    let robot = Kinematics::<f64>::new(&model);
    let goals = [Goal::position("platform"), Goal::orientation("platform")];
    let home = frames(robot.tree(), robot.rest(), &["platform"])[0];
    let good: Vec<f64> = home.p.to_array().into_iter().chain(home.R.to_wxyz()).collect();
    let mut targets = good.repeat(20);
    targets[7] = f64::NAN;
    targets[14 + 1] = f64::INFINITY;
    targets[21 + 3..21 + 7].fill(0.0); // a quaternion without direction
    let problem = robot.problem(&goals, Settings::default()).expect("goals");
    let found = problem.solve(&targets, &[]).expect("sizes");
    for i in 0..20 {
        assert_eq!(found.solved[i], !(1..4).contains(&i), "{i}");
    }
    assert!(found.q.iter().all(|x| x.is_finite()));
    let mut start = robot.rest().to_vec();
    start[0] = f64::NAN;
    assert!(!problem.solve(&good, &start).expect("sizes").solved[0]);
}

#[test]
fn wrong_questions_are_errors() {
    let model = model("arm");
    let robot = Kinematics::<f64>::new(&model);
    let ask = |goal: Goal| robot.problem(&[goal], once()).map(|_| ()).expect_err("wrong");
    assert_eq!(ask(Goal::position("tail")), KinematicsError::NoSuchFrame("tail".to_owned()));
    assert_eq!(ask(Goal::joint("tail")), KinematicsError::NoSuchJoint("tail".to_owned()));
    assert_eq!(
        ask(Goal::position("tool").weight(-1.0)),
        KinematicsError::BadWeight { goal: 0, weight: -1.0 }
    );
    assert_eq!(robot.problem(&[], once()).map(|_| ()).expect_err("wrong"), KinematicsError::NoGoal);
    let problem = robot.problem(&[Goal::position("tool")], once()).expect("goals");
    let size = |what, found, rows, width| KinematicsError::WrongSize { what, found, rows, width };
    assert_eq!(problem.solve(&[0.0; 4], &[]).expect_err("wrong"), size("targets", 4, 1, 3));
    assert_eq!(problem.solve(&[0.0; 6], &[0.0; 5]).expect_err("wrong"), size("start", 5, 2, 9));
}

/// The tool is where it shall be, exactly, and the joints as near to the start as that allows: of all poses found from other starts
/// none is nearer.
#[test]
fn goals_of_second_priority_give_way() {
    let model = model("arm");
    let robot = Kinematics::<f64>::new(&model);
    let start = [0.3, 0.4, -0.2, -0.8, 0.1, 0.9, 0.0, 0.0, 0.0];
    let here = frames(robot.tree(), &start, &["tool"])[0].p + Vec3::new(0.05, -0.03, 0.04);
    let problem = robot.problem(&[Goal::position("tool"), Goal::stay()], once()).expect("goals");
    let found = problem.solve(&here.to_array(), &start).expect("sizes");
    assert!(found.solved[0] && found.error[0] < 1e-6);
    let far = |q: &[f64]| q.iter().zip(&start).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let near = far(&found.q);
    let plain = robot.problem(&[Goal::position("tool")], once()).expect("goals");
    let mut random = Random::new(8, 0, 0);
    for _ in 0..50 {
        let other: Vec<f64> = start.iter().map(|x| x + random.between(-0.05, 0.05)).collect();
        let also = plain.solve(&here.to_array(), &other).expect("sizes");
        assert!(also.solved[0] && far(&also.q) > near - 1e-3, "{} is nearer than {near}", far(&also.q));
    }
}

/// Feet held where they are, the centre of mass of the biped 3 cm lower and 1 cm to the side: a squat. Both feet stay flat.
#[test]
fn the_hybrid_biped_squats_by_a_goal_of_its_centre_of_mass() {
    let model = model("hybrid_biped");
    let robot = Kinematics::<f64>::new(&model);
    let tree = robot.tree();
    let center = |q: &[f64]| {
        let (mut com, mut jacobian) = ([0.0; 3], vec![0.0; 3 * tree.dof_count()]);
        tree.batch().center_of_mass(q, &mut com, &mut jacobian).expect("sizes");
        Vec3::from_array(com)
    };
    let feet = ["left_foot", "right_foot"];
    let mut goals = vec![Goal::center_of_mass()];
    let want = center(robot.rest()) + Vec3::new(0.0, 0.01, -0.03);
    let mut targets = want.to_array().to_vec();
    for (foot, X) in feet.iter().zip(frames(tree, robot.rest(), &feet)) {
        goals.extend([Goal::position(*foot), Goal::orientation(*foot)]);
        targets.extend(X.p.to_array().into_iter().chain(X.R.to_wxyz()));
    }
    let settings = Settings { free_base: true, ..once() };
    let found = robot.problem(&goals, settings).expect("goals").solve(&targets, &[]).expect("sizes");
    assert!(found.solved[0], "{:?} {:?}", found.error, found.loop_gap);
    assert!((center(&found.q) - want).norm() < 1e-6 && gap(tree, &found.q) < 1e-9);
    for (now, was) in frames(tree, &found.q, &feet).iter().zip(frames(tree, robot.rest(), &feet)) {
        assert!((now.p - was.p).norm() < 1e-6 && so3::log(now.R.inverse() * was.R).norm() < 1e-6);
    }
}

/// A squat with feet that stay as contacts: no targets for them. The left and the right leg do the same, as pairs of joints.
#[test]
fn contacts_stay_and_pairs_of_joints_move_alike() {
    let model = model("hybrid_biped");
    let robot = Kinematics::<f64>::new(&model);
    let tree = robot.tree();
    let feet = ["left_foot", "right_foot"];
    let goals = [
        Goal::hold("left_foot"),
        Goal::hold("right_foot"),
        Goal::position("pelvis"),
        Goal::pair("left_inner_hip_pitch", "right_inner_hip_pitch", 1.0),
    ];
    let was = frames(tree, robot.rest(), &["left_foot", "right_foot", "pelvis"]);
    let want = was[2].p - Vec3::z_axis() * 0.04;
    let targets: Vec<f64> = want.to_array().into_iter().chain([0.0]).collect();
    let settings = Settings { free_base: true, ..Settings::default() };
    let found = robot.problem(&goals, settings).expect("goals").solve(&targets, &[]).expect("sizes");
    assert!(found.solved[0], "{:?} {:?}", found.error, found.loop_gap);
    let now = frames(tree, &found.q, &["left_foot", "right_foot", "pelvis"]);
    for foot in 0..2 {
        let turn = so3::log(now[foot].R.inverse() * was[foot].R).norm();
        assert!((now[foot].p - was[foot].p).norm() < 1e-6 && turn < 1e-6, "{}", feet[foot]);
    }
    assert!((now[2].p - want).norm() < 1e-6 && gap(tree, &found.q) < 1e-9);
    let angle = |name: &str| found.q[tree.slot(name).expect("in the tree").q.start];
    let (left, right) = (angle("left_inner_hip_pitch"), angle("right_inner_hip_pitch"));
    assert!((left - right).abs() < 1e-6 && left.abs() > 0.05, "{left} {right}");
    let ask = |goal: Goal| robot.problem(&[goal], once()).map(|_| ()).expect_err("wrong");
    assert_eq!(
        ask(Goal::pair("left_knee", "tail", 1.0)),
        KinematicsError::NoSuchJoint("left_knee".to_owned())
    );
}

/// The left hand of the humanoid 20 cm in front of the right, whatever the body does; its head looks at a point.
#[test]
fn goals_may_be_told_in_another_frame_and_heads_look_at_things() {
    let model = model("humanoid");
    let robot = Kinematics::<f64>::new(&model);
    let (forward, thing) = (Vec3::new(0.2, 0.1, 0.0), Vec3::new(2.0, 0.3, 1.5));
    let goals = [
        Goal::position("left_hand").relative_to("right_hand"),
        Goal::look_at("head", Vec3::x_axis()).axes([1.0; 3]),
    ];
    let targets: Vec<f64> = forward.to_array().into_iter().chain(thing.to_array()).collect();
    let found =
        robot.problem(&goals, Settings::default()).expect("goals").solve(&targets, &[]).expect("sizes");
    assert!(found.solved[0], "{:?}", found.error);
    let [left, right, head] = frames(robot.tree(), &found.q, &["left_hand", "right_hand", "head"])[..] else {
        panic!()
    };
    assert!((right.inverse() * left.p - forward).norm() < 1e-6);
    let (axis, way) = (head.R.rotate(Vec3::x_axis()), (thing - head.p).normalized());
    assert!(axis.cross(way).norm() < 2e-6 && axis.dot(way) > 0.0);
}

/// A pose is the same to the bit alone, among others, and on several threads; in f32 it is the same to 1e-4.
#[test]
fn a_pose_depends_on_no_neighbour_and_little_on_precision() {
    let model = model("hybrid_biped");
    let robot = Kinematics::<f64>::new(&model);
    let foot = frames(robot.tree(), robot.rest(), &["left_foot"])[0].p;
    let mut random = Random::new(9, 0, 0);
    let mut x = |size: f64| random.between(-size, size);
    let points: Vec<Vec3> = (0..37).map(|_| foot + Vec3::new(x(0.05), x(0.05), 0.05 + x(0.05))).collect();
    let targets: Vec<f64> = points.iter().flat_map(|p| p.to_array()).collect();
    let goals = [Goal::position("left_foot")];
    let problem = robot.problem(&goals, Settings::default()).expect("goals");
    let all = problem.solve(&targets, &[]).expect("sizes");
    let threads = Settings { threads: 2, ..Settings::default() };
    assert_eq!(robot.problem(&goals, threads).expect("goals").solve(&targets, &[]).expect("sizes"), all);
    let nq = robot.tree().coordinate_count();
    for i in 0..37 {
        let alone = problem.solve(&targets[3 * i..3 * i + 3], &[]).expect("sizes");
        assert_eq!(alone.q, all.q[i * nq..(i + 1) * nq], "{i}");
        assert!(all.solved[i], "{i}");
    }
    let single = Kinematics::<f32>::new(&model);
    let settings = Settings { position_tolerance: 1e-5, angle_tolerance: 1e-5, ..Settings::default() };
    let targets: Vec<f32> = targets.iter().map(|x| *x as f32).collect();
    let found = single.problem(&goals, settings).expect("goals").solve(&targets, &[]).expect("sizes");
    for i in 0..37 {
        assert!(
            found.solved[i] && found.error[i] < 1e-5 && found.loop_gap[i] < 1e-5,
            "{i}: {}",
            found.error[i]
        );
    }
}
