//! Motors against freedoms, and branches.

use crate::support::{frames, model};
use bellcrank_kinematics::{Goal, Kinematics, Settings};
use bellcrank_math::Vec3;
use bellcrank_model::{Body, Joint, ModelBuilder, WORLD};

fn exact() -> Settings {
    let loops = 1e-12;
    Settings {
        restarts: 0,
        position_tolerance: 1e-11,
        angle_tolerance: 1e-11,
        loop_tolerance: loops,
        ..Settings::default()
    }
}

/// One motor at the crank: with q(θ) all joints of the tree, the singular value is θ̇/|q̇| = 1/|dq/dθ|, here by central differences of
/// poses found for θ ± 1e-4, whose error is of the order of 1e-8.
#[test]
fn the_singular_value_of_a_crank_is_its_rate_against_all_joints() {
    let model = model("four_bar");
    let robot = Kinematics::<f64>::new(&model);
    let crank = model.actuators()[0].coordinate().expect("a joint").0.index();
    let problem = robot.problem(&[Goal::joint(&*model.joints()[crank].name)], exact()).expect("goals");
    let analysis = robot.analysis(1).expect("a model");
    let mut start = robot.rest().to_vec();
    for step in 0..20 {
        let (angle, h) = (0.1 * f64::from(step), 1e-4);
        let poses = problem.solve(&[angle - h, angle, angle + h], &start).expect("sizes");
        assert!(poses.solved.iter().all(|solved| *solved), "{step}");
        let nq = start.len();
        let far =
            (0..nq).map(|k| ((poses.q[2 * nq + k] - poses.q[k]) / (2.0 * h)).powi(2)).sum::<f64>().sqrt();
        start.copy_from_slice(&poses.q[nq..2 * nq]);
        let holds = &analysis.holds(&start).expect("sizes")[0];
        assert_eq!(holds.mobility, 1);
        assert!(
            (holds.smallest - 1.0 / far).abs() < 1e-6,
            "{step}: {} instead of {}",
            holds.smallest,
            1.0 / far
        );
    }
}

/// Turning each shoulder of the Delta robot by ±1e-4 moves the platform as the motors' Jacobian says.
#[test]
fn motors_move_a_frame_as_their_jacobian_says() {
    let model = model("delta");
    let robot = Kinematics::<f64>::new(&model);
    let goals: Vec<Goal> = (0..3).map(|arm| Goal::joint(format!("shoulder_{arm}"))).collect();
    let problem = robot.problem(&goals, exact()).expect("goals");
    let at = [0.1, -0.2, 0.3];
    let q = problem.solve(&at, &[]).expect("sizes").q;
    let K = robot.analysis(1).expect("a model").motor_jacobian(&q, "platform").expect("there");
    for motor in 0..3 {
        let h = 1e-4;
        let place = |by: f64| {
            let mut angles = at;
            angles[motor] += by;
            frames(robot.tree(), &problem.solve(&angles, &q).expect("sizes").q, &["platform"])[0].p
        };
        let rate = (place(h) - place(-h)) * (0.5 / h);
        let told = Vec3::new(K[motor], K[3 + motor], K[6 + motor]);
        assert!((rate - told).norm() < 1e-6, "{motor}: {rate:?} instead of {told:?}");
        for r in 3..6 {
            assert!(K[3 * r + motor].abs() < 1e-9, "the platform never turns");
        }
    }
}

/// Two links of 1 m, stretched along x, turning about y: shoulder and elbow move the tip by 2 and 1 m/rad in the same direction, so
/// the singular values are √5, 0, 0. With the elbow bent by a right angle: columns (1, 1) and (1, 0) in the plane, JJᵀ = [[2,1],[1,1]],
/// eigenvalues (3 ± √5)/2.
#[test]
fn a_stretched_arm_cannot_move_along_itself() {
    let mut b = ModelBuilder::new("two links");
    let link = |name: &str, x: f64| {
        Body::new(name).at(bellcrank_math::Pose::translation(x, 0.0, 0.0)).solid_sphere(1.0, 0.1)
    };
    let (upper, lower, tip) =
        (b.body(link("upper", 0.0)), b.body(link("lower", 1.0)), b.body(link("tip", 2.0)));
    b.joint(Joint::revolute("shoulder", WORLD, upper).placed(Vec3::zero(), Vec3::y_axis()));
    b.joint(Joint::revolute("elbow", upper, lower).placed(Vec3::x_axis(), Vec3::y_axis()));
    b.joint(Joint::fixed("end", lower, tip).placed(Vec3::x_axis() * 2.0, Vec3::y_axis()));
    let model = b.build().expect("builds");
    let robot = Kinematics::<f64>::new(&model);
    let analysis = robot.analysis(1).expect("a model");
    let values = |elbow: f64| analysis.frame_singular_values(&[0.3, elbow], "tip").expect("there");
    let [a, b, c] = values(0.0);
    assert!((a - 5.0_f64.sqrt()).abs() < 1e-12 && b < 1e-7 && c < 1e-7, "{a} {b} {c}");
    let [a, b, _] = values(core::f64::consts::FRAC_PI_2);
    let root = 5.0_f64.sqrt();
    assert!((a * a - (3.0 + root) / 2.0).abs() < 1e-12 && (b * b - (3.0 - root) / 2.0).abs() < 1e-12);
}

/// A four-bar closes in two ways at the same crank angle; they lie on different sides of a dead point.
#[test]
fn the_two_ways_to_assemble_a_four_bar_have_different_signs() {
    let model = model("four_bar");
    let robot = Kinematics::<f64>::new(&model);
    let crank = model.actuators()[0].coordinate().expect("a joint").0.index();
    let goals = [Goal::joint(&*model.joints()[crank].name)];
    let problem = robot.problem(&goals, Settings { restarts: 0, ..Settings::default() }).expect("goals");
    let analysis = robot.analysis(1).expect("a model");
    let mut ways: Vec<(Vec<f64>, i8)> = Vec::new();
    for i in 0..60 {
        let start: Vec<f64> =
            (0..robot.rest().len()).map(|k| ((i * 7 + k * 13) % 31) as f64 * 0.2 - 3.0).collect();
        let found = problem.solve(&[0.3], &start).expect("sizes");
        if found.solved[0] {
            let place = frames(robot.tree(), &found.q, &[&*model.bodies()[1].name])[0];
            let key = vec![place.p.x, place.p.z, place.R.w.abs(), place.R.y.abs()];
            let sign = analysis.branch(&found.q).expect("sizes")[0];
            if ways.iter().all(|(other, _)| other.iter().zip(&key).any(|(a, b)| (a - b).abs() > 1e-4)) {
                ways.push((key, sign));
            }
        }
    }
    assert_eq!(ways.len(), 2, "{ways:?}");
    assert_eq!(ways[0].1 * ways[1].1, -1, "{ways:?}");
}
