//! Turning objects in a hand: scenes hold together, and a trial goes on in order.

use bellcrank_control::hand::{Goal, Hand, Object, Trial, TrialOptions};

fn few(seed: u64) -> TrialOptions {
    let mut options = TrialOptions { samples: 16, threads: 1, seed, ..Hand::linkage().options() };
    options.planner.horizon = 6;
    options
}

/// Each object settles in the hand without falling, and the goal is a turn of 60° to 90° away: 1 − (q*·q)² = sin² of half of that, 0.25
/// to 0.5.
#[test]
fn every_object_lies_in_the_hand_with_its_goal_ahead() {
    for object in Object::ALL {
        for goal in [Goal::Yaw, Goal::RollPitch] {
            let trial = Trial::new(&Hand::linkage(), object, goal, few(3)).unwrap();
            let standing = trial.standing().unwrap();
            let name = (object.name(), goal.name());
            assert!(!standing.over && standing.position_error < 1e-12, "{name:?} {standing:?}");
            assert!((0.249..0.501).contains(&standing.quat_error), "{name:?} {standing:?}");
        }
    }
}

/// The same seed gives the same bits, another one another trial; nothing freezes.
#[test]
fn a_trial_is_the_same_for_its_seed() {
    let run = |seed| {
        let mut trial = Trial::new(&Hand::linkage(), Object::Cube, Goal::Yaw, few(seed)).unwrap();
        for _ in 0..4 {
            trial.advance().unwrap();
            let plan = trial.plan().unwrap();
            assert_eq!((plan.usable, plan.frozen, plan.not_finite), (16, 0, 0));
        }
        let standing = trial.standing().unwrap();
        (standing.position_error.to_bits(), standing.quat_error.to_bits())
    };
    let first = run(1);
    assert_eq!(first, run(1));
    assert_ne!(first, run(2));
}
