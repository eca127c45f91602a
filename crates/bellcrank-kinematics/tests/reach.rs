//! Goals drawn from the whole reachable set are reached: at least 95 % from the rest pose, 99.5 % with random starts. The table of
//! 1,000 goals each is printed by `cargo run --release -p bellcrank-kinematics --example acceptance`.

use crate::robots::CASES;
use bellcrank_kinematics::{Sampler, Sampling};

/// Goals per robot here: all of them where the reachable set is drawn without walking there.
const COUNT: usize = 100;
const OF_TREES: usize = 1000;

fn check(robot: &str) {
    for case in CASES.iter().filter(|case| case.robot == robot) {
        let counted = case.count(if ["arm", "humanoid"].contains(&robot) { OF_TREES } else { COUNT });
        println!(
            "{robot} {}: {} by one descent, {} without, {} with restarts, {:.1} steps; {} draws of {} coordinates",
            case.frame,
            counted.descent,
            counted.once,
            counted.again,
            counted.steps,
            counted.drawn.drawn,
            counted.drawn.independent
        );
        assert!(
            counted.once >= 0.95 && counted.again >= 0.995,
            "{robot} {}: {} without, {} with restarts",
            case.frame,
            counted.once,
            counted.again
        );
    }
}

#[test]
fn goals_and_poses_of_the_arm_are_reached() {
    check("arm");
}

#[test]
fn goals_of_the_delta_robot_are_reached() {
    check("delta");
}

#[test]
fn poses_of_the_stewart_platform_are_reached() {
    check("stewart");
}

#[test]
fn goals_of_a_five_bar_leg_are_reached() {
    check("five_bar_quadruped");
}

#[test]
fn goals_and_poses_of_a_foot_of_the_hybrid_biped_are_reached() {
    check("hybrid_biped");
}

#[test]
fn poses_of_hand_and_foot_of_the_humanoid_are_reached() {
    check("humanoid");
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn goals_of_dr_legs_are_reached() {
    check("dr_legs");
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn goals_of_cassie_are_reached() {
    check("cassie");
}

#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn goals_of_a_linkage_gripper_are_reached() {
    check("2f85");
}

/// The loops of DR Legs have more rows than freedoms, and its file tells numbers with seven digits. At poses that least squares close as far as they can
/// be, what is left of c is at right angles to all columns of G, Gᵀc = 0: no motion of joints closes the loops further. It is far above the
/// rounding of the computation and far below what the file's digits stand for.
#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn loops_of_dr_legs_contradict_each_other() {
    let case = CASES.iter().find(|case| case.robot == "dr_legs").expect("listed");
    let model = case.load();
    let sampling = Sampling { loop_floor: case.floor, ..Sampling::default() };
    let sampler = Sampler::<f64>::new(&model, sampling).expect("there");
    let tree = sampler.robot().tree();
    let (nq, nv, rows) = (tree.coordinate_count(), tree.dof_count(), tree.loops.rows);
    let drawn = sampler.draw(20).expect("goals").q;
    let (mut closed, mut left) = (drawn.clone(), vec![0.0; 20]);
    tree.batch().constraint_consistent(&drawn, &Default::default(), [&mut closed, &mut left]).expect("sizes");
    let mut most = 0.0_f64;
    for q in closed.chunks_exact(nq) {
        let (mut c, mut G) = (vec![0.0; rows], vec![0.0; rows * nv]);
        tree.batch().loop_closure(q, &mut c, &mut G).expect("sizes");
        let length = c.iter().map(|x| x * x).sum::<f64>().sqrt();
        let push = |v: usize| (0..rows).map(|r| G[r * nv + v] * c[r]).sum::<f64>().abs();
        let along = (0..nv).map(push).fold(0.0, f64::max);
        println!("open by {length:.1e}, of which joints can do something about {along:.1e}");
        assert!((1e-9..1e-6).contains(&length) && along < 1e-3 * length, "{along} of {length}");
        most = most.max(length);
    }
    assert!(most > 1e-8, "{most}");
}
