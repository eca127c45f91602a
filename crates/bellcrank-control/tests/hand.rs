//! Turning objects in a hand: scenes hold together, and a trial goes on in order.

use bellcrank_control::hand::{Goal, Hand, Object, Trial, TrialOptions};
use bellcrank_model::Geometry;

fn few(seed: u64) -> TrialOptions {
    let mut options = TrialOptions { samples: 16, threads: 1, seed, ..Hand::linkage().options() };
    (options.planner.horizon, options.planner.knots) = (6, Some(3));
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
            assert_eq!((plan.usable + plan.hopeless, plan.frozen, plan.not_finite), (16, 0, 0));
            assert!((8..=9).contains(&plan.usable), "half of them, and the plan at hand");
        }
        let standing = trial.standing().unwrap();
        (standing.position_error.to_bits(), standing.quat_error.to_bits())
    };
    let first = run(1);
    assert_eq!(first, run(1));
    assert_ne!(first, run(2));
}

/// A cylinder's planner sees staves: parts with the same bodies, joints and motors, none of which reaches beyond the cylinder (30 mm about
/// its axis, 32 mm above and below its middle) or leaves its sides uncovered by more than a stave's sagitta, 30 − (22 cos 30° + 8) = 3 mm.
#[test]
fn a_cylinder_as_its_planner_sees_it_fits_into_the_cylinder() {
    let hand = Hand::linkage();
    let (real, planned) = (hand.holding(Object::Cylinder).unwrap(), hand.planned(Object::Cylinder).unwrap());
    let names = |model: &bellcrank_model::Model| {
        let bodies = model.bodies().iter().map(|body| (body.name.clone(), body.mass));
        (bodies.collect::<Vec<_>>(), model.joints().len(), model.actuators().len())
    };
    assert_eq!(names(&real), names(&planned));
    let staves = planned.shapes().iter().filter(|shape| shape.name.starts_with("object_"));
    let mut count = 0;
    for stave in staves {
        let Geometry::Capsule { radius, half_length } = stave.geometry else { panic!("{}", stave.name) };
        let p = stave.X_LG.p;
        assert!(
            (p.x.hypot(p.y) + radius - 0.030).abs() < 1e-12 && (half_length + radius - 0.032).abs() < 1e-12
        );
        count += 1;
    }
    assert_eq!(count, 6);
}

/// Fingertips and their paths: as many points as fingers, each path as long as the horizon, from where the tip is.
#[test]
fn fingertips_are_watched_and_a_latency_beyond_the_period_is_refused() {
    let mut trial = Trial::new(&Hand::linkage(), Object::Cube, Goal::Yaw, few(3)).unwrap();
    trial.watch().unwrap();
    trial.advance().unwrap();
    trial.plan().unwrap();
    let paths = trial.planner().paths().unwrap();
    assert_eq!((paths.points(), paths.of(0, 0).len(), paths.of(15, 3).len()), (4, 6, 6));
    // in a step of 4 ms a tip that is held goes less than a millimetre
    let steps = paths.of(0, 0).windows(2).map(|pair| (pair[1] - pair[0]).norm());
    assert!(steps.fold(0.0, f32::max) < 1e-3);
    let options = TrialOptions { latency: 0.03, ..few(3) };
    let error = Trial::new(&Hand::linkage(), Object::Cube, Goal::Yaw, options).err().unwrap();
    assert!(error.to_string().contains("the latency must be between zero and the period"), "{error}");
    let options = TrialOptions { latency: 0.005, ..few(3) };
    let mut trial = Trial::new(&Hand::linkage(), Object::Cube, Goal::Yaw, options).unwrap();
    for _ in 0..3 {
        trial.advance().unwrap();
        trial.plan().unwrap();
    }
    assert!((trial.standing().unwrap().time - 0.06).abs() < 1e-12);
}
