//! What every task promises, and what a random policy must not break.

use bellcrank_sim::Precision;
use bellcrank_tasks::{Env, EnvError, EnvOptions, Random, TASKS};

fn env(name: &str, worlds: usize, threads: usize) -> Env {
    Env::new(name, EnvOptions { worlds, threads, ..EnvOptions::default() }).expect("a task")
}

/// Actions of a random policy: a function of step, world and place only.
fn actions(env: &Env, worlds: usize, step: u64) -> Vec<f32> {
    let mut random = Random::new(99, 0, step);
    (0..worlds * env.spec().action_count).map(|_| random.between(-1.0, 1.0) as f32).collect()
}

#[test]
fn observations_and_rewards_are_finite_and_of_the_promised_size() {
    for (name, _, _) in TASKS {
        let mut env = env(name, 5, 1);
        for step in 0..20 {
            let actions = actions(&env, 5, step);
            env.step(&actions).expect("steps");
            assert_eq!(env.observations().len(), 5 * env.spec().observation_count, "{name}");
            assert!(env.observations().iter().all(|x| x.is_finite()), "{name}: {:?}", env.observations());
            assert!(env.rewards().iter().all(|x| x.is_finite()), "{name}");
        }
    }
}

#[test]
fn a_rollout_is_the_same_for_one_and_two_threads() {
    for (name, _, _) in TASKS {
        let rollout = |threads: usize| {
            let mut env = env(name, 40, threads);
            env.reset(Some(5)).expect("resets");
            let mut seen = env.observations().to_vec();
            for step in 0..15 {
                let actions = actions(&env, 40, step);
                env.step(&actions).expect("steps");
                seen.extend_from_slice(env.observations());
                seen.extend_from_slice(env.rewards());
            }
            seen.into_iter().map(f32::to_bits).collect::<Vec<_>>()
        };
        assert!(rollout(1) == rollout(2), "{name}");
    }
}

#[test]
fn seeds_decide_everything() {
    for (name, _, _) in TASKS {
        let mut env = env(name, 3, 1);
        let mut first = |seed| {
            env.reset(Some(seed)).expect("resets");
            env.observations().to_vec()
        };
        let (one, two, again) = (first(1), first(2), first(1));
        assert_eq!(one, again, "{name}");
        assert_ne!(one, two, "{name}");
        let n = one.len() / 3;
        assert_ne!(one[..n], one[n..2 * n], "{name}: worlds differ");
    }
}

/// The cartpole's episodes last 500 actions and never fail: all worlds are cut off together.
#[test]
fn a_cut_off_world_begins_anew_in_the_same_step() {
    let mut env = env("cartpole_swing_up", 2, 1);
    let still = [0.0; 2];
    for _ in 0..499 {
        env.step(&still).expect("steps");
        assert_eq!(env.truncated(), [false; 2]);
        assert_eq!(env.observations(), env.final_observations());
    }
    env.step(&still).expect("steps");
    assert_eq!((env.truncated(), env.terminated()), ([true; 2].as_slice(), [false; 2].as_slice()));
    assert_ne!(env.observations(), env.final_observations());
    // cos θ of a start is that of π ± 0.3; the hanging pole was damped by nothing and may be anywhere near
    assert!(env.observations()[2] < -0.95);
    env.step(&still).expect("steps");
    assert_eq!(env.truncated(), [false; 2]);
}

#[test]
fn without_autoreset_an_ended_world_goes_on() {
    let options = EnvOptions { worlds: 1, autoreset: false, threads: 1, ..EnvOptions::default() };
    let mut env = Env::new("cartpole_swing_up", options).expect("a task");
    for _ in 0..500 {
        env.step(&[0.0]).expect("steps");
    }
    assert_eq!((env.truncated(), env.observations()), ([true].as_slice(), env.final_observations()));
}

/// Standing still is what the motors do by themselves: action zero is the standing pose. What it earns at most: 1
/// velocity + 1.5 forward + 0.5 sideways on average + 0.75 heading + 0.5 turning + 1.5 contacts + 0.5 upright + 0.25 parallel feet + 0.5 for being
/// alive = 7; a little is lost to torques that carry the weight (0.001·12·0.6² = 0.005) and to a lean of 0.02 rad.
#[test]
fn a_biped_that_does_nothing_stands_for_two_seconds() {
    let mut env = Env::new(
        "biped_stand",
        EnvOptions { worlds: 4, threads: 1, precision: Precision::F64, ..EnvOptions::default() },
    )
    .expect("a task");
    let still = vec![0.0; 4 * 12];
    for _ in 0..100 {
        env.step(&still).expect("steps");
        assert_eq!(env.terminated(), [false; 4]);
    }
    assert!(env.rewards().iter().all(|reward| (6.9..=7.0).contains(reward)), "{:?}", env.rewards());
}

#[test]
fn a_biped_that_kicks_about_falls_and_is_set_up_again() {
    let mut env = env("biped_walk", 8, 1);
    let mut falls = 0;
    for step in 0..250 {
        let actions: Vec<f32> = actions(&env, 8, step / 10).iter().map(|x| x.signum()).collect();
        env.step(&actions).expect("steps");
        falls += env.terminated().iter().filter(|ended| **ended).count();
    }
    assert!(falls > 0);
    assert!(env.observations().iter().all(|x| x.is_finite()));
}

#[test]
fn wrong_actions_and_tasks_are_refused() {
    let mut env = env("ant", 2, 1);
    assert_eq!(env.step(&[0.0; 15]), Err(EnvError::WrongActions { found: 15, expected: 16 }));
    let mut actions = [0.0; 16];
    actions[9] = f32::NAN;
    assert_eq!(env.step(&actions), Err(EnvError::BadAction { world: 1, at: 1 }));
    let missing = Env::new("juggle", EnvOptions::default()).err().expect("an error");
    assert!(missing.to_string().starts_with("there is no task \"juggle\"; known are cartpole_swing_up"));
}
