//! The velocity form and the trajectory form: bounds are kept, goals are arrived at.

use crate::support::{frames, gap, model, within_limits};
use bellcrank_kinematics::{Bounds, Goal, Kinematics, KinematicsError, Pace, Settings};
use bellcrank_math::Vec3;

const DT: f64 = 1e-3;

/// Periods until a frame that is dragged by (6, 2, 3) cm at once is there, motors turning or sliding at 2 per second at most. In every period loops
/// are closed to 1e-9, limits and speeds hold to rounding, and the frame comes nearer.
fn periods_until_there(name: &str, frame: &str, dt: f64) -> usize {
    let model = model(name);
    let robot = Kinematics::<f64>::new(&model);
    let tree = robot.tree();
    let problem = robot.problem(&[Goal::position(frame)], Settings::default()).expect("goals");
    let home = frames(tree, robot.rest(), &[frame])[0].p;
    let want = home + Vec3::new(0.06, 0.02, 0.03);
    let pace = Pace { dt, speed: robot.motor_bounds(&model, 2.0) };
    let (mut q, mut far) = (robot.rest().to_vec(), (want - home).norm());
    let mut periods = 0;
    while far > 1e-6 && periods < 400 {
        let stepped = problem.step(&want.to_array(), &q, &pace).expect("sizes");
        let open = gap(tree, &stepped.pose.q);
        assert!(open < 1e-9, "{name} {periods}: open by {open}");
        assert!(within_limits(&model, tree, &stepped.pose.q, 1e-12));
        for (v, most) in stepped.v.iter().zip(&pace.speed) {
            assert!(v.abs() <= most * (1.0 + 1e-9), "{v} rad/s");
        }
        q = stepped.pose.q;
        let now = (want - frames(tree, &q, &[frame])[0].p).norm();
        assert!(now < far, "{name} {periods}: {now} after {far}");
        far = now;
        periods += 1;
    }
    periods
}

/// A motor of the Delta robot needs about 0.35 rad for it, so 0.2 s.
#[test]
fn a_robot_led_by_hand_keeps_speeds_limits_and_loops() {
    let periods = periods_until_there("delta", "platform", DT);
    assert!((120..300).contains(&periods), "{periods} periods");
}

/// How long it takes follows from the speeds of the motors, not from the period: in long ones, where loops are curved, nothing stalls.
#[test]
fn a_robot_led_by_hand_arrives_in_the_same_time_with_any_period() {
    let robots = [
        ("delta", "platform"),
        ("stewart", "platform"),
        ("hybrid_biped", "left_foot"),
        ("five_bar_quadruped", "front_left_toe"),
    ];
    for (name, frame) in robots {
        let short = periods_until_there(name, frame, 2e-3) as f64 * 2e-3;
        for dt in [5e-3, 1e-2, 2e-2] {
            let time = periods_until_there(name, frame, dt) as f64 * dt;
            // the last period is not full, and the ways of longer periods differ a little
            assert!((time - short).abs() < 2.0 * dt + 0.1 * short, "{name}: {time} s at {dt} s, {short} s");
        }
    }
}

/// A goal far beyond reach for two seconds: the arm stretches towards it and stays there, at rest, within its limits.
#[test]
fn a_hand_that_asks_too_much_does_no_harm() {
    let model = model("hybrid_biped");
    let robot = Kinematics::<f64>::new(&model);
    let tree = robot.tree();
    let problem = robot.problem(&[Goal::position("left_foot")], Settings::default()).expect("goals");
    let pace = Pace { dt: 0.01, speed: robot.motor_bounds(&model, 3.0) };
    let mut q = robot.rest().to_vec();
    let mut fastest = 0.0_f64;
    for _ in 0..200 {
        let stepped = problem.step(&[2.0, 1.0, 1.0], &q, &pace).expect("sizes");
        assert!(gap(tree, &stepped.pose.q) < 1e-9 && within_limits(&model, tree, &stepped.pose.q, 1e-9));
        fastest = stepped.v.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        q = stepped.pose.q;
    }
    assert!(fastest < 0.05, "still moving at {fastest} rad/s");
}

#[test]
fn paces_that_are_none_are_errors_and_what_is_no_number_stays_where_it_is() {
    let model = model("delta");
    let robot = Kinematics::<f64>::new(&model);
    let problem = robot.problem(&[Goal::position("platform")], Settings::default()).expect("goals");
    let step = |dt: f64, speed: Vec<f64>| problem.step(&[0.0; 3], robot.rest(), &Pace { dt, speed });
    let wrong = |dt: f64, speed: Vec<f64>| step(dt, speed).map(|_| ()).expect_err("wrong");
    assert!(matches!(wrong(f64::NAN, vec![]), KinematicsError::BadBound { what: "period", .. }));
    assert!(matches!(wrong(0.0, vec![]), KinematicsError::BadBound { what: "period", .. }));
    let none = vec![f64::NAN; robot.tree().dof_count()];
    assert!(matches!(wrong(DT, none), KinematicsError::BadBound { what: "speed", .. }));
    assert!(matches!(wrong(DT, vec![1.0]), KinematicsError::WrongSize { what: "speed", .. }));
    let pace = Pace { dt: DT, speed: vec![] };
    let lost = problem.step(&[f64::NAN, 0.0, 0.0], robot.rest(), &pace).expect("sizes");
    assert!(!lost.pose.solved[0] && lost.pose.q == robot.rest() && lost.v.iter().all(|v| *v == 0.0));
}

/// The platform of the Delta robot goes round a circle of 5 cm. Speeds and accelerations of motors, by differences of poses over times, are
/// within their bounds but for what differences of 400 points leave, and some bound is nearly reached nearly everywhere: it is fast.
#[test]
fn a_path_is_followed_as_fast_as_bounds_allow() {
    let model = model("delta");
    let robot = Kinematics::<f64>::new(&model);
    let (tree, n) = (robot.tree(), 400);
    let home = frames(tree, robot.rest(), &["platform"])[0].p;
    let point = |i: usize| {
        let angle = core::f64::consts::TAU * i as f64 / (n - 1) as f64;
        (home + Vec3::new(0.05 * angle.cos(), 0.05 * angle.sin(), 0.02)).to_array()
    };
    let targets: Vec<f64> = (0..n).flat_map(point).collect();
    let problem = robot.problem(&[Goal::position("platform")], Settings::default()).expect("goals");
    let (speed, acceleration) = (robot.motor_bounds(&model, 1.5), robot.motor_bounds(&model, 6.0));
    let bounds = Bounds { speed: speed.clone(), acceleration: acceleration.clone() };
    let path = problem.follow(&targets, &[], &bounds).expect("sizes");
    assert!(path.solved.iter().all(|solved| *solved));
    let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
    let q = |i: usize| &path.q[i * nq..(i + 1) * nq];
    let motors: Vec<usize> = (0..nv).filter(|v| speed[*v].is_finite()).collect();
    let place = |v: usize| tree.slots().iter().find(|slot| slot.v.contains(&v)).expect("there").q.start;
    let mut busy = 0;
    for i in 1..n - 1 {
        let (before, after) = (path.times[i] - path.times[i - 1], path.times[i + 1] - path.times[i]);
        let mut share = 0.0_f64;
        for &v in &motors {
            let k = place(v);
            let (was, will) = ((q(i)[k] - q(i - 1)[k]) / before, (q(i + 1)[k] - q(i)[k]) / after);
            let gain = 2.0 * (will - was) / (before + after);
            share = share.max(0.5 * (was + will).abs() / speed[v]).max(gain.abs() / acceleration[v]);
        }
        // the first and last steps start from rest: differences there are of the first order
        assert!(share < if (4..n - 4).contains(&i) { 1.05 } else { 2.5 }, "{i}: {share}");
        busy += usize::from(share > 0.9);
    }
    assert!(busy > 7 * n / 10, "only {busy} of {n} points are at a bound");
    let still = |i: usize| path.v[i * nv..(i + 1) * nv].iter().all(|v| v.abs() < 1e-12);
    assert!(still(0) && still(n - 1));
}
