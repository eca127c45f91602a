//! It does not matter how the worlds of a run are dealt out, by whole blocks of sixteen: several samplers give the rollout of one, and a learner that gathers theirs
//! learns the same policy, bit for bit.

use bellcrank_learn::{Config, LearnError, Learner, Part, Sampler, Trainer};
use std::ops::Range;

const SEED: u64 = 7;

fn config(task: &str) -> Config {
    let small =
        Config { horizon: 6, hidden: vec![32, 16], minibatches: 2, epochs: 2, ..Config::of_task(task) };
    Config { worlds: if task == "cartpole_swing_up" { 300 } else { 70 }, ..small }
}

fn samplers(task: &str, ends: &[usize]) -> Vec<Sampler> {
    let sampler = |worlds: Range<usize>| Sampler::new(task, &config(task), worlds, SEED, 1).expect("worlds");
    ends.windows(2).map(|w| sampler(w[0]..w[1])).collect()
}

/// Rollouts and updates in turn.
fn learn(learner: &mut Learner, samplers: &mut [Sampler], rounds: Range<u64>) {
    for round in rounds {
        let (policy, horizon) = (learner.policy(), learner.config().horizon);
        let sample = |s: &mut Sampler| s.sample(&policy, horizon, round).expect("acts");
        let parts: Vec<Part<'_>> = samplers.iter_mut().map(sample).collect();
        learner.gather(&parts).expect("gathers");
        learner.learn(0.1).expect("learns");
    }
}

/// Array by array, so that a difference has a name.
#[test]
fn several_samplers_give_the_rollout_of_one() {
    for (task, ends) in [("cartpole_swing_up", [0, 16, 128, 300]), ("biped_walk", [0, 16, 48, 70])] {
        let policy = Learner::new(task, config(task), SEED, 1).expect("a learner").policy();
        let mut all = samplers(task, &[ends[0], ends[3]]);
        let mut some = samplers(task, &ends);
        for round in 0..2 {
            let whole = all[0].sample(&policy, 6, round).expect("acts");
            for (part, first) in some.iter_mut().map(|s| s.sample(&policy, 6, round).expect("acts")).zip(ends)
            {
                let same = |name: &str, whole: &[f32], part_of: &[f32]| {
                    let steps = if name == "observations" { 7 } else { 6 };
                    let width = part_of.len() / (steps * part.worlds);
                    for step in 0..steps {
                        let at = (step * ends[3] + first) * width;
                        let (a, b) = (&whole[at..at + part.worlds * width], step * part.worlds * width);
                        let b = &part_of[b..b + part.worlds * width];
                        let miss = (0..a.len()).find(|k| a[*k].to_bits() != b[*k].to_bits());
                        assert_eq!(
                            miss.map(|k| (k / width, k % width, a[k], b[k])),
                            None,
                            "{task} {name} step {step} from {first}, round {round}"
                        );
                    }
                };
                same("means", &whole.means, &part.means);
                same("actions", &whole.actions, &part.actions);
                same("log_densities", &whole.log_densities, &part.log_densities);
                same("observations", &whole.observations, &part.observations);
                same("rewards", &whole.rewards, &part.rewards);
            }
        }
    }
}

/// Few worlds beside many: products of matrices take other ways for such sizes.
#[test]
fn several_samplers_learn_what_one_trainer_learns() {
    for (task, deals) in [
        ("cartpole_swing_up", vec![vec![0, 144, 300], vec![0, 16, 32, 288, 300]]),
        ("biped_walk", vec![vec![0, 32, 70], vec![0, 16, 48, 64, 70]]),
        ("biped_stand", vec![vec![0, 16, 70]]),
    ] {
        let mut trainer = Trainer::new(task, config(task), SEED, 2).expect("a trainer");
        (0..4).for_each(|_| drop(trainer.update().expect("learns").clone()));
        for ends in deals {
            let mut learner = Learner::new(task, config(task), SEED, 1).expect("a learner");
            learn(&mut learner, &mut samplers(task, &ends), 0..4);
            assert!(learner.policy().to_bytes() == trainer.policy().to_bytes(), "{task} {ends:?}");
            let figures = |curve: &[bellcrank_learn::Record]| {
                let last = &curve[3];
                (last.reward_mean, last.terms.clone(), last.kl, last.episodes, last.tracking_error)
            };
            assert_eq!(figures(learner.curve()), figures(trainer.curve()), "{task} {ends:?}");
        }
    }
}

/// A sampler that is lost is made anew from its last snapshot, does the horizon again that was lost with it, and nobody sees a difference.
#[test]
fn a_sampler_from_a_snapshot_goes_on_bit_for_bit() {
    let task = "biped_walk";
    let mut first = samplers(task, &[0, 32, 70]);
    let mut learner = Learner::new(task, config(task), SEED, 1).expect("a learner");
    learn(&mut learner, &mut first, 0..2);
    let snapshot = first[1].snapshot().expect("a snapshot");
    let policy = learner.policy();
    let lost = first[1].sample(&policy, 6, 2).expect("acts");
    let mut second = samplers(task, &[32, 70]);
    second[0].restore(&snapshot).expect("restored");
    assert_eq!(second[0].sample(&policy, 6, 2).expect("acts"), lost);
    let told = |bytes: &[u8], sampler: &mut Sampler| sampler.restore(bytes).expect_err("refused").to_string();
    assert!(told(&snapshot, &mut first[0]).contains("of other worlds"));
    assert!(told(&snapshot[..snapshot.len() - 1], &mut second[0]).contains("cut off"));
}

/// Through the files of a run: learner and samplers go on where they stopped; so does a trainer, where there was one sampler.
#[test]
fn a_run_of_several_samplers_resumes_from_its_files() {
    let task = "cartpole_swing_up";
    let run = |ends: &[usize], stop: bool| {
        let (mut worlds, mut learner) =
            (samplers(task, ends), Learner::new(task, config(task), SEED, 1).expect("a learner"));
        learn(&mut learner, &mut worlds, 0..2);
        if stop {
            let snapshots: Vec<Vec<u8>> = worlds.iter().map(|s| s.snapshot().expect("a snapshot")).collect();
            let files = learner.files(Some(&snapshots));
            let file = |name: &str| &files.iter().find(|(known, _)| *known == name).expect("there").1;
            let read = Learner::from_files(file("checkpoint.safetensors"), file("curve.json"), "".into(), 1);
            let (again, kept) = read.expect("resumed");
            learner = again;
            worlds = samplers(task, ends);
            worlds.iter_mut().zip(kept).for_each(|(s, bytes)| s.restore(&bytes).expect("restored"));
        }
        learn(&mut learner, &mut worlds, 2..4);
        (learner.policy().to_bytes(), learner.transitions())
    };
    assert!(run(&[0, 96, 300], false) == run(&[0, 96, 300], true));
    assert!(run(&[0, 300], false) == run(&[0, 96, 300], true));
}

/// Worlds that are late are left out: the update is of those that are there.
#[test]
fn an_update_may_lack_worlds_but_not_double_them() {
    let task = "cartpole_swing_up";
    let mut worlds = samplers(task, &[0, 96, 192, 300]);
    let mut learner = Learner::new(task, config(task), SEED, 1).expect("a learner");
    let policy = learner.policy();
    let parts: Vec<Part<'_>> = worlds.iter_mut().map(|s| s.sample(&policy, 6, 0).expect("acts")).collect();
    let wrong = |learner: &mut Learner, parts: &[Part<'_>]| {
        matches!(learner.gather(parts), Err(LearnError::WrongWorlds { worlds: 300 }))
    };
    let [a, b, c] = [0, 1, 2].map(|k| parts[k].clone());
    assert!(wrong(&mut learner, &[]) && wrong(&mut learner, &[a.clone(), a.clone()]));
    assert!(wrong(&mut learner, &[b.clone(), a.clone()]) && learner.learn(0.0).is_err());
    let short = Part { rewards: vec![0.0; 7].into(), ..b };
    let told = learner.gather(&[a.clone(), short]).expect_err("refused").to_string();
    assert_eq!(told, "a rollout has 7 numbers of rewards, expected: 576");
    learner.gather(&[a, c]).expect("gathers");
    assert_eq!(learner.learn(0.0).expect("learns").transitions, 204 * 6);
}
