//! Goals drawn from the whole reachable set are reached: at least 95 % from the rest pose, 99.5 % with random starts. The table of
//! 1,000 goals each is printed by `cargo run --release -p bellcrank-kinematics --example acceptance`.

use crate::robots::CASES;

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
