//! The same seed gives the same bits: for any number of threads, and through a stop in between.

use bellcrank_learn::{Config, LearnError, Policy, Trainer};
use std::path::PathBuf;

fn config(task: &str) -> Config {
    let small =
        Config { horizon: 6, hidden: vec![32, 16], minibatches: 2, epochs: 2, ..Config::of_task(task) };
    // more than one chunk of rows per minibatch, and worlds that do not fill their lanes
    Config { worlds: if task == "biped_walk" { 72 } else { 360 }, ..small }
}

fn trainer(task: &str, threads: usize) -> Trainer {
    Trainer::new(task, config(task), 7, threads).expect("a trainer")
}

fn learn(trainer: &mut Trainer, updates: usize) {
    (0..updates).for_each(|_| drop(trainer.update().expect("learns").clone()));
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("bellcrank_learn_{name}_{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

#[test]
fn one_and_two_threads_learn_the_same_policy() {
    for task in ["cartpole_swing_up", "biped_walk"] {
        let policy = |threads: usize| {
            let mut trainer = trainer(task, threads);
            learn(&mut trainer, 3);
            trainer.policy().to_bytes()
        };
        assert!(policy(1) == policy(2), "{task}");
    }
}

#[test]
fn another_seed_learns_another_policy() {
    let policy = |seed: u64| {
        let mut trainer =
            Trainer::new("cartpole_swing_up", config("cartpole_swing_up"), seed, 1).expect("a trainer");
        learn(&mut trainer, 1);
        trainer.policy()
    };
    assert_ne!(policy(1).act(&[0.1; 5]).expect("acts"), policy(2).act(&[0.1; 5]).expect("acts"));
}

#[test]
fn a_resumed_run_goes_on_bit_for_bit() {
    for task in ["cartpole_swing_up", "biped_walk"] {
        let path = folder(task);
        let mut whole = trainer(task, 1);
        learn(&mut whole, 5);
        let mut first = trainer(task, 1);
        learn(&mut first, 2);
        first.save(&path).expect("saved");
        learn(&mut first, 1); // lost with the process
        let mut second = Trainer::resume(&path, 2).expect("resumed");
        assert_eq!((second.transitions(), second.curve().len()), (2 * config(task).worlds as u64 * 6, 2));
        assert_eq!(second.curve(), &first.curve()[..2], "{task}"); // to the last bit, through the file
        learn(&mut second, 3);
        assert!(whole.policy().to_bytes() == second.policy().to_bytes(), "{task}");
        assert_eq!(whole.curve()[4].terms, second.curve()[4].terms, "{task}");
        std::fs::remove_dir_all(path).expect("cleaned up");
    }
}

/// What a broken or foreign file is told.
#[test]
fn damaged_and_foreign_files_are_refused_in_words() {
    let path = folder("damaged");
    let mut trainer = trainer("cartpole_swing_up", 1);
    learn(&mut trainer, 1);
    trainer.save(&path).expect("saved");
    let file = path.join("policy.safetensors");
    let bytes = std::fs::read(&file).expect("a policy");
    assert_eq!(Policy::load(&file).expect("whole"), trainer.policy());
    let told = |bytes: &[u8]| {
        std::fs::write(&file, bytes).expect("written");
        let error = Policy::load(&file).err().map(|error| error.to_string());
        error.map(|text| text.replace(&file.display().to_string(), "FILE"))
    };
    for length in (0..bytes.len()).step_by(101) {
        assert!(told(&bytes[..length]).is_some(), "{length} bytes of {}", bytes.len());
    }
    let hint = "\n  hint: train it anew (`bellcrank train`), or copy the file again";
    let cut = told(&bytes[..bytes.len() - 1]).expect("refused");
    assert_eq!(cut, format!("FILE: \"observation_mean\" is damaged or cut off{hint}"));
    let swapped = |from: &str, to: &str| {
        let at = bytes.windows(from.len()).position(|w| w == from.as_bytes()).expect("there");
        let mut other = bytes.clone();
        other[at..at + to.len()].copy_from_slice(to.as_bytes());
        other
    };
    let version = told(&swapped("\"version\":\"1\"", "\"version\":\"9\"")).expect("refused");
    assert_eq!(
        version,
        format!("FILE: it is a bellcrank policy of version 9; this program reads version 1{hint}")
    );
    let format = told(&swapped("bellcrank policy", "somebody's model")).expect("refused");
    assert_eq!(format, format!("FILE: it is a safetensors file, but no bellcrank policy{hint}"));
    let gone = Policy::load(&path.join("none")).expect_err("an error");
    assert!(matches!(gone, LearnError::CannotRead { .. }));
    std::fs::remove_dir_all(path).expect("cleaned up");
}

#[test]
fn a_policy_of_another_task_is_refused() {
    let policy = trainer("cartpole_swing_up", 1).policy();
    let spec = |task: &str| {
        bellcrank_tasks::Env::new(task, bellcrank_tasks::EnvOptions::default()).expect("a task").spec()
    };
    assert!(policy.check_task("cartpole_swing_up", spec("cartpole_swing_up"), "p".as_ref()).is_ok());
    let told = policy.check_task("ant", spec("ant"), "p".as_ref()).expect_err("refused").to_string();
    assert!(told.starts_with("p: the policy was trained on \"cartpole_swing_up\", not on \"ant\""), "{told}");
    let changed = policy.check_task("cartpole_swing_up", spec("ant"), "p".as_ref()).expect_err("refused");
    assert!(changed.to_string().contains("it is of another version"), "{changed}");
}

#[test]
fn configs_say_what_is_wrong() {
    let told = |text: &str| Config::read("biped_walk", text).err().map(|error| error.to_string());
    assert_eq!(told("epochs = 2\n[task]\npush = 0.1"), None);
    let wrong = told("horizon = 24\nhorizont = 3").expect("refused");
    assert!(wrong.contains("horizont") && wrong.contains("line 2"), "{wrong}");
    assert!(told("epochs = 0").expect("refused").contains("must be at least 1"));
    assert!(told("discount = 1.5").expect("refused").contains("between 0 and 1"));
    let setting = Config { task: [("pusch".to_owned(), 1.0)].into(), ..config("biped_walk") };
    let error = Trainer::new("biped_walk", setting, 1, 1).err().expect("refused").to_string();
    assert!(error.starts_with("the task has no setting \"pusch\"; it has forward_min, "), "{error}");
}
