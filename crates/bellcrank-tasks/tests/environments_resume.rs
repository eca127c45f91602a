//! An environment taken back from its bytes goes on as if nothing had happened.

use bellcrank_tasks::{Env, EnvError, EnvOptions, Random, TASKS};

const WORLDS: usize = 24;

fn env(name: &str) -> Env {
    let options = EnvOptions { worlds: WORLDS, threads: 1, ..EnvOptions::default() };
    let mut env = Env::new(name, options).expect("a task");
    env.reset(Some(3)).expect("resets");
    env
}

fn step(env: &mut Env, moment: u64) {
    let mut random = Random::new(8, 1, moment);
    let count = WORLDS * env.spec().action_count;
    let actions: Vec<f32> = (0..count).map(|_| random.between(-0.5, 0.5) as f32).collect();
    env.step(&actions).expect("steps");
}

#[test]
fn every_task_goes_on_bit_for_bit() {
    for (name, _, _) in TASKS {
        let mut whole = env(name);
        (0..30).for_each(|k| step(&mut whole, k));
        let bytes = whole.snapshot();
        let mut other = env(name);
        other.reset(Some(77)).expect("resets");
        other.restore(&bytes).expect("restored");
        assert_eq!(other.observations(), whole.observations(), "{name}");
        for k in 30..60 {
            step(&mut whole, k);
            step(&mut other, k);
            let n = whole.spec().observation_count;
            for w in 0..WORLDS {
                let row = |env: &Env| env.observations()[w * n..(w + 1) * n].to_vec();
                assert_eq!(row(&other), row(&whole), "{name}, step {k}, world {w}");
            }
            assert_eq!(other.rewards(), whole.rewards(), "{name}, step {k}");
        }
    }
}

#[test]
fn damaged_bytes_are_refused() {
    let mut walk = env("biped_walk");
    let bytes = walk.snapshot();
    let told = |env: &mut Env, bytes: &[u8]| env.restore(bytes).err().map(|error| error.to_string());
    assert_eq!(told(&mut walk, &bytes), None);
    let cut = "the state of an environment is cut off, or of another task or number of worlds";
    let damaged = "the state of an environment is damaged: its checksum does not fit";
    assert_eq!(told(&mut walk, &bytes[..100]).as_deref(), Some(damaged));
    assert_eq!(told(&mut env("ant"), &bytes).as_deref(), Some(cut));
    assert_eq!(walk.restore(b"else"), Err(EnvError::BadSnapshot("of another kind or version")));
    assert!(told(&mut walk, &bytes[..bytes.len() - 8]).is_some());
}
