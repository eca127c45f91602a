//! Robots on two legs stay up by planning alone.

use bellcrank_control::ControlError;
use bellcrank_control::balance::{BalanceOptions, BalanceTrial, Stance, Walker};
use bellcrank_model::{Actuator, library};

fn pushed(seconds: f64, samples: usize) -> BalanceOptions {
    BalanceOptions {
        samples,
        threads: 1,
        push: 0.7,
        push_period: 0.4,
        time_limit: seconds,
        ..Walker::hybrid_biped().options()
    }
}

fn run(options: BalanceOptions, plans: bool) -> Stance {
    let mut trial = BalanceTrial::new(&Walker::hybrid_biped(), options).unwrap();
    loop {
        trial.advance().unwrap();
        let stance = trial.stance().unwrap();
        if stance.over {
            return stance;
        }
        if plans {
            let plan = trial.plan().unwrap();
            assert_eq!((plan.frozen, plan.not_finite), (0, 0));
        }
    }
}

/// A push that changes the velocity of the whole by 0.7 m/s moves the point ξ = p + v √(z/g) by 0.7 √(0.4/9.81) m = 14 cm, and feet
/// reach 10.5 cm from their middle: who holds still falls, and who plans steps.
#[test]
fn a_pushed_biped_falls_unless_it_plans() {
    let one = BalanceOptions { push_period: 0.4, ..pushed(1.6, 32) };
    let held = run(BalanceOptions { push_period: 2.0, push: 0.0, ..one.clone() }, false);
    assert!(!held.fallen, "it does not even stand: {held:?}");
    let held = run(BalanceOptions { time_limit: 3.0, ..one.clone() }, false);
    assert!(held.fallen, "{held:?}");
    let planned = run(BalanceOptions { push_period: 0.8, ..one }, true);
    assert!(!planned.fallen && planned.pushes == 2, "{planned:?}");
}

/// With a clock of 0.8 s each foot is lifted once in each period, in turn; the robot stays where it is within a step.
#[test]
fn a_biped_steps_in_place_by_a_clock() {
    let options = BalanceOptions { step_period: Some(0.8), push: 0.0, ..pushed(2.4, 32) };
    let stance = run(options, true);
    assert!(!stance.fallen && stance.away < 0.2, "{stance:?}");
    assert!(stance.steps.iter().all(|count| (2..=4).contains(count)), "{stance:?}");
}

#[test]
fn a_trial_is_the_same_for_its_seed() {
    let after = |seed| {
        let mut options = BalanceOptions { seed, ..pushed(0.2, 8) };
        options.planner.horizon = 8;
        let stance = run(options, true);
        (stance.away.to_bits(), stance.tilt.to_bits())
    };
    assert_eq!(after(1), after(1));
    assert_ne!(after(1), after(2));
}

/// Robots that do not fit are refused with the reason, not with a panic.
#[test]
fn robots_that_cannot_stand_are_named() {
    let text = |walker: Result<Walker, ControlError>| match walker {
        Ok(walker) => BalanceTrial::new(&walker, walker.options()).err().expect("refused").to_string(),
        Err(error) => error.to_string(),
    };
    let mut motor = library::hybrid_biped();
    motor.actuator(Actuator::effort("tail", "left_inner_knee"));
    let walker = Walker::hybrid_biped();
    assert!(text(Ok(Walker { builder: motor, ..walker.clone() })).contains("\"tail\""));
    let torso = Walker { torso: "pelvs".into(), ..walker.clone() };
    assert!(text(Ok(torso)).contains("did you mean \"pelvis\""));
    let keyframe = Walker { keyframe: "sit".into(), ..walker };
    assert!(text(Ok(keyframe)).contains("sit"));
    assert!(text(Walker::cassie(library::hybrid_biped())).contains("none of Cassie's"));
}
