//! A task of one's own, learned to its known bound: a pole that starts near upright and is kept there for the whole episode.

use bellcrank_learn::{Config, Policy, Trainer};
use bellcrank_model::{Faults, Model, library};
use bellcrank_tasks::{Controls, Env, EnvOptions, Random, Spec, Start, Task, World};
use std::sync::Arc;

struct Balance {
    model: Arc<Model>,
}

impl Balance {
    fn new() -> Result<Self, Faults> {
        Ok(Balance { model: Arc::new(library::cartpole().build()?) })
    }
}

impl Task for Balance {
    fn spec(&self) -> Spec {
        Spec {
            dt: 0.01,
            decimation: 2,
            episode_steps: 250,
            observation_count: 4,
            action_count: 1,
            memory_count: 0,
        }
    }

    fn model(&self) -> &Arc<Model> {
        &self.model
    }

    fn start_joints(&self) -> &[&str] {
        &["slide", "hinge"]
    }

    fn start(&self, random: &mut Random, _memory: &mut [f32]) -> Start {
        Start { coordinates: vec![random.between(-0.1, 0.1), random.between(-0.1, 0.1)], ..Start::default() }
    }

    fn drive(&self, action: &[f32], _memory: &mut [f32], controls: Controls<'_>) {
        controls.effort[0] = 10.0 * action[0];
    }

    fn observe(&self, world: World<'_>, _memory: &[f32], out: &mut [f32]) {
        out.copy_from_slice(&[world.q[0], world.q[1], world.v[0], world.v[1]]);
    }

    fn judge(&self, world: World<'_>, _memory: &mut [f32], terms: &mut [f32]) -> bool {
        terms[0] = 1.0;
        world.q[1].abs() > 0.3 || world.q[0].abs() > 1.0
    }
}

fn env(worlds: usize) -> Env {
    let task = Balance::new().expect("a model");
    Env::of(Box::new(task), EnvOptions { worlds, ..EnvOptions::default() }).expect("an environment")
}

/// Return of the first episode of every world, without exploration.
fn returns(policy: &Policy, worlds: usize) -> Vec<f32> {
    let mut env = env(worlds);
    env.reset(Some(99)).expect("resets");
    let (mut sums, mut over) = (vec![0.0; worlds], vec![false; worlds]);
    for _ in 0..250 {
        let actions = policy.act(env.observations()).expect("actions");
        env.step(&actions).expect("steps");
        for k in (0..worlds).filter(|k| !over[*k]).collect::<Vec<_>>() {
            sums[k] += env.rewards()[k];
            over[k] = env.terminated()[k];
        }
    }
    sums
}

/// One per action: nothing earns more than the 250 actions of an episode. The pole falls by itself (its time constant is about
/// √(2l/3g) = 0.2 s), so that doing nothing earns a tenth of that.
#[test]
fn a_pole_is_balanced_for_every_action_of_an_episode() {
    let config =
        Config { worlds: 64, horizon: 32, hidden: vec![32, 32], deviation: 0.5, ..Config::default() };
    let mut trainer = Trainer::of("balance", env(64), config, 1, 0).expect("a trainer");
    let mean = |policy: &Policy| returns(policy, 64).iter().sum::<f32>() / 64.0;
    let before = mean(&trainer.policy());
    for _ in 0..150 {
        trainer.update().expect("learns");
    }
    let after = mean(&trainer.policy());
    assert!(before < 100.0, "{before}");
    assert_eq!(after, 250.0);
}

#[test]
fn an_environment_with_another_number_of_worlds_is_refused() {
    let config = Config { worlds: 65, minibatches: 1, ..Config::default() };
    let error = Trainer::of("balance", env(64), config, 1, 0).err().expect("an error").to_string();
    assert_eq!(error, "the config cannot be used: worlds is 65, the environment has 64");
}
