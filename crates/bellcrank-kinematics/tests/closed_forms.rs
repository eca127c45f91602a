//! Joints of parallel robots against their closed forms, to 1e-9.

use crate::support::{frames, model};
use bellcrank_kinematics::{Goal, Kinematics, Settings, Solution};
use bellcrank_math::{Pose, Random, Vec3, so3};
use bellcrank_model::{Model, library};

const COUNT: usize = 200;

/// So exact that what is left of the goals shows in no joint.
fn exact() -> Settings {
    let loops = 1e-11;
    Settings {
        position_tolerance: 1e-10,
        angle_tolerance: 1e-10,
        loop_tolerance: loops,
        ..Settings::default()
    }
}

/// Coordinates of the named joints in pose `i`.
fn joints(model: &Model, robot: &Kinematics<f64>, found: &Solution, i: usize, names: &[String]) -> Vec<f64> {
    let nq = robot.tree().coordinate_count();
    let all = robot.joint_positions(&found.q[i * nq..(i + 1) * nq]).expect("sizes");
    let place = |name: &String| {
        let before = model.joints().iter().take_while(|joint| joint.name != *name);
        before.map(|joint| joint.kind.coordinate_count()).sum::<usize>()
    };
    names.iter().map(|name| all[place(name)]).collect()
}

/// A leg is as long as the way from its foot to its head, | p + R h − f |.
#[test]
fn legs_of_a_stewart_platform_are_as_long_as_the_pose_says() {
    let model = model("stewart");
    let robot = Kinematics::<f64>::new(&model);
    let rest = frames(robot.tree(), robot.rest(), &["platform"])[0];
    let mut random = Random::new(3, 0, 0);
    let poses: Vec<Pose> = (0..COUNT)
        .map(|_| {
            let mut x = |size: f64| random.between(-size, size);
            let turn = so3::exp(Vec3::new(x(0.1), x(0.1), x(0.1)));
            Pose::new(turn * rest.R, rest.p + Vec3::new(x(0.03), x(0.03), x(0.03)))
        })
        .collect();
    let numbers = |X: &Pose| X.p.to_array().into_iter().chain(X.R.to_wxyz()).collect::<Vec<f64>>();
    let targets: Vec<f64> = poses.iter().flat_map(numbers).collect();
    let goals = [Goal::position("platform"), Goal::orientation("platform")];
    let found = robot.problem(&goals, exact()).expect("goals").solve(&targets, &[]).expect("sizes");
    let part = |name: String| model.joints().iter().find(|joint| joint.name == name).expect("there");
    for (i, X) in poses.iter().enumerate() {
        assert!(found.solved[i], "{i}: {} m off", found.error[2 * i]);
        let names: Vec<String> = (0..6).map(|leg| format!("slide_{leg}")).collect();
        for (leg, slide) in joints(&model, &robot, &found, i, &names).into_iter().enumerate() {
            let (foot, head) = (part(format!("foot_{leg}")).X_PF.p, part(format!("head_{leg}")).X_SM.p);
            let length = (*X * head - foot).norm() - (rest * head - foot).norm();
            assert!((slide - length).abs() < 1e-9, "{i} leg {leg}: {slide} instead of {length}");
        }
    }
}

/// An arm of length L turns by θ below the horizontal so that its elbow is a rod's length from the rim of the platform: with (x, y, z)
/// from shoulder to rim, outwards, aside and up, (x − L cos θ)² + y² + (z + L sin θ)² = rod². Of two solutions the arm takes
/// the one with the elbow outside.
#[test]
fn shoulders_of_a_delta_robot_turn_as_the_closed_form_says() {
    let size = library::Delta::default();
    let model = size.builder().build().expect("builds");
    let robot = Kinematics::<f64>::new(&model);
    let home = frames(robot.tree(), robot.rest(), &["platform"])[0].p;
    let mut random = Random::new(4, 0, 0);
    let mut x = |size: f64| random.between(-size, size);
    let points: Vec<Vec3> = (0..COUNT).map(|_| home + Vec3::new(x(0.07), x(0.07), x(0.05))).collect();
    let targets: Vec<f64> = points.iter().flat_map(|p| p.to_array()).collect();
    let problem = robot.problem(&[Goal::position("platform")], exact()).expect("goals");
    let found = problem.solve(&targets, &[]).expect("sizes");
    for (i, p) in points.iter().enumerate() {
        assert!(found.solved[i], "{i}: {} m off", found.error[i]);
        let names: Vec<String> = (0..3).map(|arm| format!("shoulder_{arm}")).collect();
        for (arm, angle) in joints(&model, &robot, &found, i, &names).into_iter().enumerate() {
            let azimuth = core::f64::consts::TAU * arm as f64 / 3.0;
            let outward = Vec3::new(azimuth.cos(), azimuth.sin(), 0.0);
            let rim = *p + outward * size.platform_radius;
            let way = rim - outward * size.base_radius - Vec3::z_axis() * size.height;
            let (x, y, z) = (way.dot(outward), way.dot(Vec3::z_axis().cross(outward)), way.z);
            // −2 x L cos θ + 2 z L sin θ = rod² − x² − y² − z² − L²
            let (a, b) = (-2.0 * x * size.arm, 2.0 * z * size.arm);
            let c = size.rod.powi(2) - x * x - y * y - z * z - size.arm.powi(2);
            let (middle, half) = (b.atan2(a), (c / a.hypot(b)).acos());
            let outside =
                [middle - half, middle + half].into_iter().max_by(|s, t| s.cos().total_cmp(&t.cos()));
            let expected = outside.expect("two") - size.arm_angle;
            assert!((angle - expected).abs() < 1e-9, "{i} arm {arm}: {angle} instead of {expected}");
        }
    }
}

/// Where the leg stands upright (abduction zero), each crank of length c turns so that its knee is a shank's length from the toe. With
/// (x, z) from axle to toe in the leg's plane and φ the crank's angle: |(x, z) − c (cos φ, sin φ)| = shank, so
/// φ = atan2(z, x) ± acos((x² + z² + c² − shank²) / (2 c r)). Knees point outwards.
#[test]
fn cranks_of_a_five_bar_leg_turn_as_the_closed_form_says() {
    let model = model("five_bar_quadruped");
    let robot = Kinematics::<f64>::new(&model);
    let part = |name: &str| model.joints().iter().find(|joint| joint.name == name).expect("there");
    let body = |name: &str| model.bodies().iter().find(|body| body.name == name).expect("there").X_WL;
    let toe = frames(robot.tree(), robot.rest(), &["front_left_toe"])[0].p;
    let mut random = Random::new(5, 0, 0);
    let mut x = |size: f64| random.between(-size, size);
    let points: Vec<Vec3> = (0..COUNT).map(|_| toe + Vec3::new(x(0.05), 0.0, 0.04 + x(0.04))).collect();
    let targets: Vec<f64> = points.iter().flat_map(|p| p.to_array()).collect();
    let problem = robot.problem(&[Goal::position("front_left_toe")], exact()).expect("goals");
    let found = problem.solve(&targets, &[]).expect("sizes");
    for (i, p) in points.iter().enumerate() {
        assert!(found.solved[i], "{i}: {} m off", found.error[i]);
        let names = ["abduction", "fore_hip", "aft_hip"].map(|part| format!("front_left_{part}"));
        let angles = joints(&model, &robot, &found, i, &names);
        assert!(angles[0].abs() < 1e-9, "{i}: abduction {}", angles[0]);
        for (half, outward, angle) in [("fore", 1.0, angles[1]), ("aft", -1.0, angles[2])] {
            let in_world = |joint: &str, of: &str| {
                let joint = part(&format!("front_left_{half}_{joint}"));
                (body(&format!("front_left_{of}")) * joint.X_PF).p
            };
            let (axle, knee) = (in_world("hip", "hip"), in_world("knee", &format!("{half}_crank")));
            let (crank, shank) = ((knee - axle).norm(), (toe - knee).norm());
            let (x, z) = (outward * (p.x - axle.x), p.z - axle.z);
            let r = x.hypot(z);
            let turn = ((r * r + crank * crank - shank * shank) / (2.0 * crank * r)).acos();
            let now = z.atan2(x) + turn; // the knee lies outwards of the line to the toe
            let was = (knee.z - axle.z).atan2(outward * (knee.x - axle.x));
            // a positive angle about +y turns z to x: it lowers what points forward
            let expected = -outward * (now - was);
            assert!((angle - expected).abs() < 1e-9, "{i} {half}: {angle} instead of {expected}");
        }
    }
}
