//! Motors against freedoms, branches, and safe poses.

use crate::support::{frames, gap, model, within_limits};
use bellcrank_collide::{ContactPlan, Contacts, ShapeData, collide};
use bellcrank_kinematics::{Goal, Kinematics, Sampler, Sampling, Settings};
use bellcrank_math::{Vec3, factor_cholesky, solve_cholesky};
use bellcrank_model::{Body, Joint, JointKind, Model, ModelBuilder, Parameters, WORLD};

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

/// Draws poses; every one is looked at again by other code: loops and limits by the tree's operators, overlap by the routines of contacts, the
/// singular value by finite differences of nothing but loops (see [`loosest`]).
fn drawn(name: &str, sampling: &Sampling, count: usize) -> (Sampler<'static, f64>, Vec<Vec<f64>>) {
    let model: &'static Model = Box::leak(Box::new(model(name)));
    let sampler = Sampler::<f64>::new(model, sampling.clone()).expect("there");
    let begin = std::time::Instant::now();
    let samples = sampler.draw(count).expect("goals");
    let speed = count as f64 / begin.elapsed().as_secs_f64();
    println!("{name}: {} draws for {count} poses, {speed:.0} per second", samples.draws.iter().sum::<u32>());
    assert!(samples.found.iter().all(|found| *found), "{name}");
    let robot = Kinematics::<f64>::new(model);
    let plan = ContactPlan::of(model);
    let (shapes, mut contacts) = (ShapeData::of(&plan, &Parameters::of(model), 0), Contacts::new(&plan));
    let nq = robot.tree().coordinate_count();
    let poses: Vec<Vec<f64>> = samples.q.chunks_exact(nq).map(<[f64]>::to_vec).collect();
    for q in &poses {
        assert!(gap(robot.tree(), q) < 1.001e-9 && within_limits(model, robot.tree(), q, 1e-9));
        assert!(loosest(&robot, q) > sampling.singular_margin - 1e-6);
        let X_WL = robot.body_poses(q).expect("sizes").remove(0);
        let X_WB: Vec<_> = X_WL.iter().zip(model.bodies()).map(|(X, body)| *X * body.X_LB()).collect();
        collide(&plan, &shapes, &X_WB, 0.0, &mut contacts);
        for (slot, contact) in
            plan.slots().iter().zip(contacts.slots()).filter(|(slot, _)| slot.body_a.is_some())
        {
            assert!(!(contact.active && contact.distance < 0.0), "{name}: {slot:?} {contact:?}");
        }
    }
    (sampler, poses)
}

/// Least |A v| over all v of length one with G v = 0, bases at rest: the smallest singular value, by inverse iteration on
/// AᵀA + 10⁶ GᵀG with G from the tree's own operator, whose rows are made orthonormal first.
fn loosest(robot: &Kinematics<f64>, q: &[f64]) -> f64 {
    let tree = robot.tree();
    let (nv, rows) = (tree.dof_count(), tree.loops.rows);
    let (mut c, mut G) = (vec![0.0; rows], vec![0.0; rows * nv]);
    tree.batch().loop_closure(q, &mut c, &mut G).expect("sizes");
    let moves: Vec<usize> = tree
        .slots()
        .iter()
        .filter(|slot| slot.kind != JointKind::Free)
        .flat_map(|slot| slot.v.clone())
        .collect();
    let n = moves.len();
    let mut basis: Vec<Vec<f64>> = Vec::new();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for row in G.chunks_exact(nv.max(1)) {
        let mut row: Vec<f64> = moves.iter().map(|v| row[*v]).collect();
        for _ in 0..2 {
            for other in &basis {
                let along = dot(&row, other);
                row.iter_mut().zip(other).for_each(|(x, y)| *x -= along * y);
            }
        }
        let length = dot(&row, &row).sqrt();
        if length > 1e-6 {
            basis.push(row.iter().map(|x| x / length).collect());
        }
    }
    let driven =
        |v: usize| tree.loops.driven[tree.v_order.place.iter().position(|p| *p == v).expect("there")];
    let mut H = vec![0.0; n * n];
    for i in 0..n {
        H[i * n + i] = 1e-9 + f64::from(u8::from(driven(moves[i])));
        for j in 0..n {
            H[i * n + j] += 1e6 * basis.iter().map(|row| row[i] * row[j]).sum::<f64>();
        }
    }
    factor_cholesky(&mut H, n);
    let mut x: Vec<f64> = (0..n).map(|k| 1.0 + 0.1 * (k as f64 * 1.7).sin()).collect();
    let mut value = 0.0;
    for _ in 0..60 {
        let length = dot(&x, &x).sqrt();
        x.iter_mut().for_each(|x| *x /= length);
        let before = x.clone();
        solve_cholesky(&H, n, &mut x);
        value = 1.0 / dot(&before, &x);
    }
    (value - 1e-9_f64).max(0.0).sqrt()
}

/// Two thousand poses. A motor's range is not all within reach: an inner and an outer half-leg that disagree cannot both be had. Every
/// motor gets through at least half of its range, on both sides of the rest.
#[test]
fn poses_of_the_hybrid_biped_are_safe_and_cover_its_ranges() {
    let sampling = Sampling { singular_margin: 0.05, clearance: 0.002, ..Sampling::default() };
    let (sampler, poses) = drawn("hybrid_biped", &sampling, 2000);
    for (name, [low, high]) in sampler.ranges() {
        let place = sampler.robot().tree().slot(&name).expect("in the tree").q.start;
        let (mut least, mut most) = (0.0_f64, 0.0_f64);
        poses.iter().for_each(|q| (least, most) = (least.min(q[place]), most.max(q[place])));
        println!("{name}: {least:.2} to {most:.2} of {low:.2} to {high:.2}");
        assert!(
            most - least > 0.5 * (high - low) && least < 0.3 * low && most > 0.3 * high,
            "{name}: {least} to {most}"
        );
    }
}

/// Without loops values are as drawn: evenly spread, by the test of Kolmogorov and Smirnov at one in a thousand, D < 1.95/√n.
#[test]
fn poses_of_the_arm_are_spread_evenly() {
    let (sampler, poses) = drawn("arm", &Sampling { clearance: -1.0, ..Sampling::default() }, 2000);
    for (name, [low, high]) in sampler.ranges() {
        let place = sampler.robot().tree().slot(&name).expect("in the tree").q.start;
        let mut values: Vec<f64> = poses.iter().map(|q| (q[place] - low) / (high - low)).collect();
        values.sort_by(f64::total_cmp);
        let far = |(i, x): (usize, &f64)| (x - (i as f64 + 0.5) / 2000.0).abs();
        let most = values.iter().enumerate().map(far).fold(0.0, f64::max);
        assert!(most < 1.95 / 2000.0_f64.sqrt(), "{name}: {most}");
    }
}

/// Both soles as high and as level as at rest, while the pelvis and the joints go elsewhere; the i-th pose does not depend on how many are drawn.
#[test]
fn feet_stand_on_the_ground_where_asked() {
    let feet = vec!["left_foot".to_owned(), "right_foot".to_owned()];
    let sampling = Sampling { feet, ..Sampling::default() };
    let (sampler, poses) = drawn("hybrid_biped", &sampling, 100);
    let names = ["left_foot", "right_foot", "pelvis"];
    let rest = frames(sampler.robot().tree(), sampler.robot().rest(), &names);
    let mut far: f64 = 0.0;
    for q in &poses {
        let now = frames(sampler.robot().tree(), q, &names);
        for foot in 0..2 {
            assert!((now[foot].p.z - rest[foot].p.z).abs() < 1e-6);
            let up = now[foot].R.rotate(rest[foot].R.rotate_inverse(Vec3::z_axis()));
            assert!((up - Vec3::z_axis()).norm() < 2e-6, "{up:?}");
        }
        far = far.max((now[2].p - rest[2].p).norm());
    }
    assert!(far > 0.03, "the pelvis went {far} m at most");
    let few = sampler.draw(7).expect("goals");
    assert_eq!(few.q, poses[..7].concat());
}
