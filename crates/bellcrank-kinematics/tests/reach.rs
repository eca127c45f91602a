//! Random goals that can be reached are reached: at least 95 % from the rest pose, 99.5 % with further starts.

use crate::support::{frames, gap, model, reachable, within_limits};
use bellcrank_kinematics::{Goal, Kinematics, Settings};
use bellcrank_math::{Vec3, so3};
use bellcrank_model::Model;

const COUNT: usize = 1000;

/// What is to be reached, and the stride of the walk that makes goals where there are loops \[rad\].
struct Case {
    frame: &'static str,
    point: Vec3,
    with_orientation: bool,
    stride: f64,
    /// What loops are closed to \[m and rad\].
    loops: f64,
    /// Poses in which the frame is turned by more are another way to assemble the mechanism \[rad\].
    most_turn: f64,
}

/// Share of solved goals without and with restarts. What the solver calls solved is looked at again by the tree's own operators:
/// position to 1 µm, loops to 1e-9, every joint's limits.
fn shares(model: &Model, case: &Case) -> [f64; 2] {
    let robot = at_keyframe(model);
    let tree = robot.tree();
    let mut targets = Vec::new();
    let upright = frames(tree, robot.rest(), &[case.frame])[0].R;
    let accept =
        |q: &[f64]| so3::log(upright.inverse() * frames(tree, q, &[case.frame])[0].R).norm() < case.most_turn;
    for q in reachable(model, &robot, (COUNT, case.stride, 0.5 * case.loops), accept) {
        let X = frames(tree, &q, &[case.frame])[0];
        targets.extend((X * case.point).to_array());
        if case.with_orientation {
            targets.extend(X.R.to_wxyz());
        }
    }
    let mut goals = vec![Goal::position(case.frame).point(case.point)];
    if case.with_orientation {
        goals.push(Goal::orientation(case.frame));
    }
    let solved = |restarts: usize| {
        let problem = robot
            .problem(&goals, Settings { restarts, loop_tolerance: case.loops, ..Settings::default() })
            .expect("goals");
        let found = problem.solve(&targets, &[]).expect("sizes");
        let (nq, width) = (tree.coordinate_count(), problem.target_width());
        for i in (0..COUNT).filter(|i| found.solved[*i]) {
            let q = &found.q[i * nq..(i + 1) * nq];
            let want = Vec3::from_array([0, 1, 2].map(|k| targets[i * width + k]));
            let far = (frames(tree, q, &[case.frame])[0] * case.point - want).norm();
            assert!(far < 1.001e-6, "{} {i}: {far} m off", model.name());
            assert!(gap(tree, q) < 1.001 * case.loops, "{} {i}: open by {}", model.name(), gap(tree, q));
            assert!(within_limits(model, tree, q, 1.001 * case.loops), "{} {i}: beyond limits", model.name());
        }
        found.solved.iter().filter(|solved| **solved).count() as f64 / COUNT as f64
    };
    [solved(0), solved(Settings::default().restarts)]
}

/// At rest as its first keyframe says, closed.
fn at_keyframe(model: &Model) -> Kinematics<f64> {
    let robot = Kinematics::<f64>::new(model);
    let told = model.keyframes().first().map_or(robot.rest().to_vec(), |keyframe| robot.keyframe(keyframe));
    let (mut q, mut left) = (told.clone(), [0.0]);
    robot
        .tree()
        .batch()
        .constraint_consistent(&told, &Default::default(), [&mut q, &mut left])
        .expect("sizes");
    robot.with_rest(&q)
}

fn check(model: &Model, case: &Case) {
    let [once, again] = shares(model, case);
    println!("{} {}: {once} without, {again} with restarts", model.name(), case.frame);
    assert!(once >= 0.95 && again >= 0.995, "{} {}: {once}, {again}", model.name(), case.frame);
}

fn case(frame: &'static str, stride: f64) -> Case {
    Case { frame, point: Vec3::zero(), with_orientation: false, stride, loops: 1e-9, most_turn: 10.0 }
}

#[test]
fn goals_of_the_arm_are_reached() {
    check(&model("arm"), &case("tool", 0.3));
}

/// Position and orientation anywhere within the joints' ranges: from one start many end at a limit or in a local minimum, as with
/// any descent; further starts find nearly all. The bound is the one of goals of positions.
#[test]
fn poses_of_the_arm_are_reached_with_restarts() {
    let [_, again] = shares(&model("arm"), &Case { with_orientation: true, ..case("tool", 0.3) });
    assert!(again >= 0.995, "{again}");
}

#[test]
fn goals_of_the_delta_robot_are_reached() {
    check(&model("delta"), &Case { most_turn: 1e-6, ..case("tool", 0.3) });
}

#[test]
fn poses_of_the_stewart_platform_are_reached() {
    check(&model("stewart"), &Case { with_orientation: true, ..case("top", 0.2) });
}

#[test]
fn goals_of_a_five_bar_leg_are_reached() {
    check(&model("five_bar_quadruped"), &case("front_left_toe", 0.3));
}

#[test]
fn poses_of_a_foot_of_the_hybrid_biped_are_reached() {
    check(&model("hybrid_biped"), &Case { with_orientation: true, ..case("left_foot", 0.2) });
}

#[test]
fn poses_of_hand_and_foot_of_the_humanoid_are_reached() {
    check(&model("humanoid"), &case("left_hand", 0.3));
    check(&model("humanoid"), &Case { with_orientation: true, ..case("left_foot", 0.3) });
}

/// Robots from files, with a frame each; DR Legs, Cassie and the gripper 2F-85.
#[cfg_attr(not(shared_data), allow(dead_code))]
fn from_file(path: &str) -> Model {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let options = bellcrank_import::Options::default();
    bellcrank_import::load(root.join(path), &options).unwrap_or_else(|error| panic!("{error}"))
}

/// The file tells joint frames with seven digits, and its planar loops of parallel hinges have rows more than freedoms: most poses
/// leave some of them open by 1e-8 to 1e-7. A micrometre is what can be asked of it.
#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn goals_of_dr_legs_are_reached() {
    let model = from_file("dr_legs/dr_legs_with_boxes.usda");
    check(&model, &Case { loops: 1e-6, ..case("foot_l", 0.1) });
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn goals_of_cassie_are_reached() {
    let model = from_file("menagerie/agility_cassie/scene.xml");
    check(&model, &case("left-foot", 0.1));
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn goals_of_a_linkage_gripper_are_reached() {
    let model = from_file("menagerie/robotiq_2f85/scene.xml");
    check(&model, &case("left_follower", 0.05));
}
