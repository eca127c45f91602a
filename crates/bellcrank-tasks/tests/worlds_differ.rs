//! What chance does to walking worlds.

use bellcrank_model::{BodyId, Control};
use bellcrank_tasks::{Env, EnvOptions};

fn env(worlds: usize) -> Env {
    Env::new("biped_walk", EnvOptions { worlds, threads: 1, ..EnvOptions::default() }).expect("a task")
}

/// Masses and strengths of every world.
fn drawn(env: &Env) -> Vec<[f64; 2]> {
    let parameters = env.batch().parameters(0).expect("a model");
    let strength = |world: usize| match parameters.actuator(0).get(world).control {
        Control::Position { kp, .. } => kp,
        _ => 0.0,
    };
    let worlds = env.batch().worlds();
    (0..worlds).map(|w| [parameters.body(BodyId::new(0)).get(w).mass, strength(w)]).collect()
}

/// The pelvis has 1.6 kg ± 10 %, motors 60 N·m/rad ± 10 %; however often a seed is given, it gives the same.
#[test]
fn masses_and_motors_stay_within_their_spread_and_follow_from_the_seed() {
    let mut env = env(50);
    let mut of = |seed: u64| {
        env.reset(Some(seed)).expect("resets");
        drawn(&env)
    };
    let (one, two, again) = (of(1), of(2), of(1));
    assert_eq!(one, again);
    assert_ne!(one, two);
    for [mass, strength] in one.iter().chain(&two) {
        assert!((mass / 1.6 - 1.0).abs() <= 0.1 && (strength / 60.0 - 1.0).abs() <= 0.1, "{mass} {strength}");
    }
    let spread = one.iter().map(|x| x[0]).fold(0.0, f64::max) - one.iter().map(|x| x[0]).fold(9.0, f64::min);
    assert!(spread > 0.2, "50 uniform numbers of a width of 0.32 span {spread}");
}

/// 0.02 s of 4 s: one action in 200 comes after a push. Of 6,000 actions 30 on average, with a deviation of √30 = 5.5; five of
/// those either way. The command (numbers 15 to 17 of an observation) changes once in 250.
#[test]
fn pushes_and_commands_come_as_often_as_they_should() {
    let mut env = env(60);
    let still = vec![0.0; 60 * 12];
    let (mut pushes, mut changes) = (0, 0);
    let mut before = env.observations().to_vec();
    for _ in 0..100 {
        env.step(&still).expect("steps");
        pushes += env.pushed().iter().filter(|pushed| **pushed).count();
        let after = env.final_observations();
        let told = |seen: &[f32], w: usize| seen[94 * w + 15..94 * w + 18].to_vec();
        changes += (0..60).filter(|w| told(&before, *w) != told(after, *w)).count();
        before = env.observations().to_vec();
    }
    assert!((3..=57).contains(&pushes), "{pushes}");
    assert!((1..=48).contains(&changes), "{changes}");
}

/// All terms together are the reward.
#[test]
fn terms_add_up_to_the_reward() {
    let mut env = env(5);
    env.step(&[0.1; 60]).expect("steps");
    let count = env.reward_term_names().len();
    for (terms, reward) in env.reward_terms().chunks(count).zip(env.rewards()) {
        assert!((terms.iter().sum::<f32>() - reward).abs() < 1e-6 && terms.iter().any(|x| *x != 0.0));
    }
}
