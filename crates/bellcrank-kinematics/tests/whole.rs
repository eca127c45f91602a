//! Distances, ways of assembly, workspaces and motions of others.

use crate::support::{frames, gap, model};
use bellcrank_kinematics::{
    Clearance, Goal, Kinematics, KinematicsError, Pace, Retargeting, Settings, Slice, Workspace, tracks_of,
};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{
    Actuator, Body, Control, Geometry, Joint, Model, ModelBuilder, Shape, Target, Tendon, WORLD,
};

/// Two links of 1 m in the x–z plane with a ball of 0.1 m at the tip, beside a ball of 0.2 m in the world.
fn two_links_and_a_ball(at: Vec3) -> Model {
    let mut b = ModelBuilder::new("two links");
    let link = |name: &str, x: f64| Body::new(name).at(Pose::translation(x, 0.0, 0.0)).solid_sphere(1.0, 0.1);
    let (upper, lower) = (b.body(link("upper", 0.0)), b.body(link("lower", 1.0)));
    b.joint(Joint::revolute("shoulder", WORLD, upper).placed(Vec3::zero(), Vec3::y_axis()));
    b.joint(Joint::revolute("elbow", upper, lower).placed(Vec3::x_axis(), Vec3::y_axis()));
    let ball = |radius: f64| Geometry::Sphere { radius };
    b.shape(Shape::new("tip", lower, ball(0.1)).at(Pose::translation(1.0, 0.0, 0.0)));
    b.shape(Shape::new("obstacle", WORLD, ball(0.2)).at(Pose::from_position(at)));
    b.build().expect("builds")
}

/// The goal lies 0.18 m from the centre of the obstacle; surfaces shall be 5 cm apart, centres 0.35 m: so the nearest place is 0.35 − 0.18 m
/// from the goal, on the line from the centre through it.
#[test]
fn distances_to_obstacles_are_kept_and_the_nearest_pose_is_found() {
    let centre = Vec3::new(1.2, 0.0, 0.0);
    let model = two_links_and_a_ball(centre);
    let robot = Kinematics::<f64>::new(&model);
    let goals = [Goal::position("lower").point(Vec3::x_axis())];
    let goal = centre + Vec3::new(0.1, 0.0, -0.15);
    let clearance = Clearance { least: 0.05, ..Clearance::default() };
    let start = [0.9, 0.9];
    let clear = robot
        .solve_clear(&model, (&goals, Settings::default()), &clearance, (&goal.to_array(), &start))
        .expect("goals");
    let error = 0.35 - (goal - centre).norm();
    assert!(clear.distance[0] > 0.05 - 2e-6, "{} m apart", clear.distance[0]);
    assert!(!clear.pose.solved[0] && (clear.pose.error[0] - error).abs() < 1e-3, "{} m", clear.pose.error[0]);
    // what is far from the obstacle is reached as ever
    let free = [0.5, 0.0, -1.5];
    let clear =
        robot.solve_clear(&model, (&goals, Settings::default()), &clearance, (&free, &start)).expect("goals");
    assert!(clear.pose.solved[0] && clear.distance[0] > 0.05);
    let bad = Clearance { least: f64::NAN, ..Clearance::default() };
    let wrong = robot.solve_clear(&model, (&goals, Settings::default()), &bad, (&free, &start));
    assert!(matches!(wrong, Err(KinematicsError::BadBound { .. })));
}

/// Led by hand towards a goal behind the obstacle at 2 rad/s: surfaces stay 5 cm apart in every period, the tip slides along until it is at the place
/// that is nearest to the goal (as above), and no joint is faster than it may be.
#[test]
fn a_robot_led_by_hand_slides_along_an_obstacle() {
    let centre = Vec3::new(1.2, 0.0, 0.0);
    let model = two_links_and_a_ball(centre);
    let robot = Kinematics::<f64>::new(&model);
    let goals = [Goal::position("lower").point(Vec3::x_axis())];
    let goal = centre + Vec3::new(0.1, 0.0, -0.15);
    let clearance = Clearance { least: 0.05, ..Clearance::default() };
    let pace = Pace { dt: 0.01, speed: vec![2.0; 2] };
    let (mut q, mut missed) = (vec![0.9, 0.9], f64::INFINITY);
    for period in 0..200 {
        let asked = (&goals[..], Settings::default());
        let target = (&goal.to_array()[..], &q[..], &pace);
        let done = robot.step_clear(&model, asked, &clearance, target).expect("goals");
        assert!(done.distance[0] > 0.05 - 2e-6, "{} m apart in period {period}", done.distance[0]);
        assert!(done.stepped.v.iter().all(|v| v.abs() < 2.0 + 1e-9));
        missed = done.stepped.pose.error[0];
        q = done.stepped.pose.q;
    }
    let error = 0.35 - (goal - centre).norm();
    assert!((missed - error).abs() < 2e-3, "{missed} m, the nearest is {error} m off");
    // without asking for it the tip goes right there
    let through = robot.problem(&goals, Settings::default()).expect("goals");
    let mut q = vec![0.9, 0.9];
    for _ in 0..200 {
        q = through.step(&goal.to_array(), &q, &pace).expect("sizes").pose.q;
    }
    let tip = robot.body_poses(&q).expect("sizes")[0][1] * Vec3::x_axis();
    assert!((tip - goal).norm() < 1e-5);
}

/// Law of cosines: with the crank at angle φ, d² = crank² + ground² − 2 crank ground cos φ from crank pin to rocker hinge, and the angle between
/// coupler and rocker has cos μ = (coupler² + rocker² − d²) / (2 coupler rocker). Both ways of assembly have the same μ.
#[test]
fn a_four_bar_has_two_ways_of_assembly_and_its_transmission_angle_is_that_of_the_formula() {
    let model = model("four_bar");
    let robot = Kinematics::<f64>::new(&model);
    let modes = robot.assembly_modes(&model, robot.rest(), 60).expect("sizes");
    assert_eq!(modes.len(), 2, "{modes:?}");
    let joint = |name: &str| model.joints().iter().find(|joint| joint.name == name).expect("there");
    let names = ["crank_hinge", "crank_pin", "rocker_pin", "rocker_hinge"];
    for q in &modes {
        assert!(gap(robot.tree(), q) < 1e-9);
        let bodies = robot.body_poses(q).expect("sizes").remove(0);
        let place = |name: &str| {
            let at = joint(name);
            (at.predecessor.body().map_or(Pose::identity(), |body| bodies[body.index()]) * at.X_PF).p
        };
        let [a, b, c, d] = names.map(place);
        let (coupler, rocker, across) = ((c - b).norm(), (d - c).norm(), (d - b).norm());
        let cosine = (coupler.powi(2) + rocker.powi(2) - across.powi(2)) / (2.0 * coupler * rocker);
        let told = robot.transmission_angle(q, "crank_pin", "rocker_pin", "rocker_hinge").expect("there");
        assert!((told.cos() - cosine.abs()).abs() < 1e-9, "{told}");
        assert!((a - b).norm() > 0.0);
    }
    let wrong = robot.transmission_angle(robot.rest(), "a", "rocker_pin", "rocker_hinge");
    assert_eq!(wrong, Err(KinematicsError::NoSuchJoint("a".to_owned())));
}

/// All three shoulders of the Delta robot turned by h lift the platform by dz, each by a third of it; so one motor's unit of effort holds
/// 3 h/dz along z.
#[test]
fn the_mechanical_advantage_of_a_delta_robots_motors_is_one_over_their_rate() {
    let model = model("delta");
    let robot = Kinematics::<f64>::new(&model);
    let goals: Vec<Goal> = (0..3).map(|arm| Goal::joint(format!("shoulder_{arm}"))).collect();
    let settings = Settings { loop_tolerance: 1e-12, angle_tolerance: 1e-11, ..Settings::default() };
    let problem = robot.problem(&goals, settings).expect("goals");
    let height = |angle: f64| {
        let found = problem.solve(&[angle; 3], &[]).expect("sizes");
        frames(robot.tree(), &found.q, &["platform"])[0].p.z
    };
    let h = 1e-4;
    let expected = 3.0 * 2.0 * h / (height(h) - height(-h)).abs();
    let told = robot.mechanical_advantage(robot.rest(), "platform", Vec3::z_axis()).expect("there");
    assert_eq!(robot.motor_joints(&model), ["shoulder_0", "shoulder_1", "shoulder_2"]);
    assert!(told.iter().all(|x| (x - expected).abs() < 1e-5 * expected), "{told:?} {expected}");
}

/// The tool of a Delta robot gets round its axis alike in all directions, and the picture has every point in its three views.
#[test]
fn a_workspace_is_a_cloud_a_slice_and_a_picture() {
    let model = model("delta");
    let space = Workspace::draw::<f64>(&model, "tool", 600, 1).expect("there");
    assert!(space.points.len() > 550 && space.holds.len() == space.points.len());
    let [low, high] = space.bounds();
    assert!(high.x > 0.15 && low.x < -0.15 && high.y > 0.15 && low.y < -0.15, "{low:?} {high:?}");
    let middle = Slice { through: Vec3::zero(), normal: Vec3::y_axis() * 2.0, thickness: 0.04 };
    let slice = space.slice(middle);
    assert!(!slice.points.is_empty() && slice.points.iter().all(|p| p.y.abs() <= 0.02));
    assert!(slice.points.len() < space.points.len() / 3);
    let svg = space.svg("delta <tool>");
    assert_eq!(svg.matches("<circle").count(), 3 * space.points.len());
    assert!(svg.contains("delta &lt;tool&gt;"));
    let wrong = Workspace::draw::<f64>(&model, "tail", 10, 1);
    assert_eq!(wrong, Err(KinematicsError::NoSuchFrame("tail".to_owned())));
}

/// The humanoid marks time: hips, knees and ankles as sines, one leg after the other; the hybrid biped, half its height, does the same. Its
/// feet stand where the humanoid's do, without slipping.
#[test]
fn a_humanoids_steps_are_done_by_the_hybrid_biped() {
    let (other, own) = (model("humanoid"), model("hybrid_biped"));
    let (source, robot) = (Kinematics::<f64>::new(&other), Kinematics::<f64>::new(&own));
    let (dt, n) = (0.01, 300);
    let place = |name: &str| source.tree().slot(name).expect("in the tree").q.start;
    let mut motion = Vec::new();
    for i in 0..n {
        let mut q = source.rest().to_vec();
        for (side, shift) in [("left", 0.0), ("right", 0.5)] {
            let phase = (i as f64 * dt / 1.5 + shift).fract();
            let lift = if phase < 0.5 { (core::f64::consts::TAU * phase).sin().powi(2) } else { 0.0 };
            q[place(&format!("{side}_thigh_hinge"))] += -0.5 * lift;
            q[place(&format!("{side}_shin_hinge"))] += 1.0 * lift;
            q[place(&format!("{side}_ankle_hinge"))] += -0.5 * lift;
        }
        motion.extend(q);
    }
    let pairs = [("left_foot", "left_foot"), ("right_foot", "right_foot"), ("pelvis", "pelvis")];
    let mut tracks = tracks_of(&source, &motion, &robot, &pairs, 0.5).expect("there");
    tracks[..2].iter_mut().for_each(|track| track.foot = true);
    let done = robot.retarget(&tracks, Retargeting::every(dt)).expect("tracks");
    assert!(done.solved.iter().all(|solved| *solved));
    let nq = robot.tree().coordinate_count();
    let feet: Vec<Vec<Pose>> =
        done.q.chunks_exact(nq).map(|q| frames(robot.tree(), q, &["left_foot", "right_foot"])).collect();
    let (mut stood, mut highest) = (0, 0.0_f64);
    for i in 1..n {
        for foot in 0..2 {
            if done.contact[2 * i + foot] && done.contact[2 * (i - 1) + foot] {
                stood += 1;
                assert!((feet[i][foot].p - feet[i - 1][foot].p).norm() < 3e-6, "foot {foot} slips at {i}");
            }
            highest = highest.max(feet[i][foot].p.z - feet[0][foot].p.z);
        }
    }
    assert!((n..2 * n - 40).contains(&stood) && highest > 0.02, "{stood} {highest}");
    let gap = (done.q.chunks_exact(nq)).map(|q| gap(robot.tree(), q)).fold(0.0, f64::max);
    assert!(gap < 1e-9, "{gap}");
    assert!(matches!(
        robot.retarget(&tracks, Retargeting::every(0.0)),
        Err(KinematicsError::BadBound { what: "period", .. })
    ));
}

/// At angles (0.2, −0.5): a motor with gear 3 on the elbow is told −1.5; one with gear 2 on a tendon of length ½ shoulder − 4 elbow is told
/// 2 (0.1 + 2) = 4.2; one on a site has no coordinate.
#[test]
fn motors_are_told_their_own_coordinates() {
    let mut b = ModelBuilder::new("two links");
    let link = |name: &str, x: f64| Body::new(name).at(Pose::translation(x, 0.0, 0.0)).solid_sphere(1.0, 0.1);
    let (upper, lower) = (b.body(link("upper", 0.0)), b.body(link("lower", 1.0)));
    let shoulder = b.joint(Joint::revolute("shoulder", WORLD, upper).placed(Vec3::zero(), Vec3::y_axis()));
    let elbow = b.joint(Joint::revolute("elbow", upper, lower).placed(Vec3::x_axis(), Vec3::y_axis()));
    let tendon = b.tendon(Tendon::new("cable").term(shoulder, 0.5).term(elbow, -4.0));
    let tip = b.site(bellcrank_model::Site::new("tip", lower));
    b.actuator(Actuator::position("geared", elbow, 1.0, 0.0).gear(3.0));
    let held = Control::Position { kp: 1.0, kd: 0.0 };
    b.actuator(Actuator::new("pull", Target::tendon(tendon), held).gear(2.0));
    b.actuator(Actuator::new("push", Target::site(tip, [1.0, 0.0, 0.0, 0.0, 0.0, 0.0]), Control::Effort));
    let robot = Kinematics::<f64>::new(&b.build().expect("builds"));
    let joints = robot.joint_positions(&[0.2, -0.5, 0.0, 0.0]).expect("sizes");
    let told = robot.target_positions(&joints);
    let wanted = [-1.5, 4.2, 0.0, 0.0, 0.0, 0.0];
    assert!(told.len() == 6 && told.iter().zip(wanted).all(|(a, b)| (a - b).abs() < 1e-15), "{told:?}");
}
