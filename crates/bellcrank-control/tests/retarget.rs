//! Motions are followed, replay without a planner, and what does not fit is named.

use bellcrank_control::retarget::{FollowOptions, Following, Motion};
use bellcrank_control::{ControlError, PlantState};
use bellcrank_model::{Model, library};
use bellcrank_sim::{Batch, BatchOptions};
use std::sync::Arc;

/// The biped stands, and its targets say so: `frames` times the same pose.
fn standing(model: &Arc<Model>, frames: usize) -> Motion {
    let batch = Batch::new(model.clone(), 1, BatchOptions::default()).unwrap();
    let state = PlantState::of(&batch, 0).unwrap();
    Motion {
        dt: 0.05,
        body_position: state.body_position.repeat(frames),
        body_quat_wxyz: state.body_quat_wxyz.repeat(frames),
        joint_position: batch.joint_position(0).unwrap().repeat(frames),
        target_position: state.control.repeat(frames),
    }
}

fn few() -> FollowOptions {
    let mut options = FollowOptions { samples: 24, threads: 1, window: 0.1, ..FollowOptions::default() };
    options.planner.horizon = 20;
    options
}

fn feet() -> Vec<String> {
    ["left_foot", "right_foot"].map(str::to_owned).to_vec()
}

/// Somebody has tilted the targets of both hips by 0.2 rad: told so, the robot ends far from where the motion says, and planned it stays
/// within two centimetres. What the motors were told brings it to the same places when nobody plans, bit for bit.
#[test]
fn a_motion_with_targets_that_are_off_is_followed_and_replays_by_itself() {
    let model = Arc::new(library::hybrid_biped().build().unwrap());
    let mut motion = standing(&model, 21);
    let motors = model.actuators();
    for (k, target) in motion.target_position.iter_mut().enumerate() {
        if motors[k % motors.len()].name.ends_with("hip_pitch_motor") {
            *target += 0.2;
        }
    }
    let motion = Arc::new(motion);
    let follow = |options: FollowOptions| {
        let names = ("pelvis", &feet()[..]);
        let mut following = Following::new(&model, motion.clone(), names, options).unwrap();
        while following.advance().unwrap() {}
        following
    };
    let mut told = few();
    told.planner.sigma = vec![0.0];
    let blind = follow(FollowOptions { samples: 1, ..told });
    let mut planned = follow(few());
    let last = |following: &Following| following.tracked().errors.last().copied().unwrap();
    assert!(last(&blind).position > 0.05, "{:?}", last(&blind));
    assert!(last(&planned).position < 0.02, "{:?}", last(&planned));
    let tracked = planned.tracked().clone();
    assert_eq!((tracked.errors.len(), tracked.control.len(), tracked.seconds.len()), (100, 1200, 10));
    assert!(!tracked.lost && tracked.failed == 0);
    assert_eq!(planned.replay().unwrap(), tracked.errors);
}

#[test]
fn motions_that_do_not_fit_are_named() {
    let model = Arc::new(library::hybrid_biped().build().unwrap());
    let said = |change: &dyn Fn(&mut Motion), torso: &str, options: FollowOptions| {
        let mut motion = standing(&model, 3);
        change(&mut motion);
        let names = (torso, &feet()[..]);
        Following::new(&model, Arc::new(motion), names, options).err().expect("refused").to_string()
    };
    assert!(said(&|m| m.dt = 0.0, "pelvis", few()).contains("time between frames"));
    assert!(said(&|m| m.joint_position.truncate(5), "pelvis", few()).contains("joint_position"));
    assert!(said(&|m| m.body_position[4] = f64::NAN, "pelvis", few()).contains("body_position number 4"));
    assert!(said(&|m| m.body_position.clear(), "pelvis", few()).contains("body_position"));
    assert!(said(&|_| {}, "pelvs", few()).contains("did you mean \"pelvis\""));
    assert!(said(&|_| {}, "pelvis", FollowOptions { window: 0.5, ..few() }).contains("the window"));
    let mut none = few();
    none.planner.horizon = 0;
    let error = Following::new(&model, Arc::new(standing(&model, 3)), ("pelvis", &[]), none).err();
    assert!(matches!(error, Some(ControlError::BadOption { .. })), "{error:?}");
}
