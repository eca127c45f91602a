//! The task of [Kamino] section 6.3 on its own robot, DR Legs, whose file the user brings.

use bellcrank::import::{Options, load_builder};
use bellcrank::learn::{Config, EvaluateOptions, Trainer, evaluate};
use bellcrank::model::ModelBuilder;
use bellcrank::sim::Precision;
use bellcrank::tasks::{Choice, Env, EnvOptions, Random};
use std::sync::atomic::AtomicBool;

fn robot() -> ModelBuilder {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/data/dr_legs/dr_legs_with_boxes.usda");
    load_builder(file, &Options::default()).expect("the robot")
}

fn choice() -> Choice {
    Choice { name: "dr_legs_walk".into(), robot: Some(robot()), draw_poses: None }
}

/// 250 Hz, 50 Hz policy, 94 observations and 12 actions, as the paper says; action zero is the pose of the file, in which the motors
/// (15 N·m/rad, 0.6 N·m·s/rad) let the robot stand; a thousand random actions leave everything finite.
#[test]
#[cfg_attr(not(shared_data), ignore = "needs the folder shared beside the repository")]
fn the_papers_task_runs_on_the_papers_robot() {
    let options = EnvOptions { worlds: 2, precision: Precision::F64, ..EnvOptions::default() };
    let quiet: Vec<(String, f64)> =
        ["push", "mass_spread", "strength_spread", "delay_max"].map(|name| (name.to_owned(), 0.0)).to_vec();
    let mut env = Env::with_settings(choice(), options, &quiet).expect("the task");
    let spec = env.spec();
    assert_eq!((spec.dt, spec.decimation, spec.observation_count, spec.action_count), (0.004, 5, 94, 12));
    for step in 0..50 {
        env.step(&[0.0; 24]).expect("steps");
        assert_eq!(env.terminated(), [false; 2], "step {step}");
    }
    let mut random = Random::new(1, 2, 3);
    for _ in 0..1000 {
        let actions: Vec<f32> = (0..24).map(|_| random.between(-1.0, 1.0) as f32).collect();
        env.step(&actions).expect("steps");
        assert!(env.observations().iter().chain(env.rewards()).all(|x| x.is_finite()));
    }
    let [seen, acted] = env.mirrors().expect("left and right are mirror images");
    for mirror in [seen, acted] {
        for (k, &(from, sign)) in mirror.entries.iter().enumerate() {
            assert_eq!(mirror.entries[from], (k, sign));
        }
    }
}

/// Through the learner, its files and the evaluation; without the robot each says what is missing.
#[test]
#[cfg_attr(not(shared_data), ignore = "needs the folder shared beside the repository")]
fn a_policy_is_trained_resumed_and_evaluated_with_the_robot_that_was_brought() {
    let config = Config { worlds: 16, horizon: 4, hidden: vec![16], ..Config::of_task("dr_legs_walk") };
    let mut trainer = Trainer::new(choice(), config, 1, 0).expect("a trainer");
    trainer.update().expect("learns");
    let folder = std::env::temp_dir().join(format!("bellcrank_dr_legs_{}", std::process::id()));
    trainer.save(&folder).expect("saved");
    let resumed = Trainer::resume_with(&folder, choice(), 0).expect("resumed");
    assert_eq!(resumed.policy(), trainer.policy());
    let missing = Trainer::resume(&folder, 0).err().expect("refused").to_string();
    assert!(missing.contains("a robot that does not ship"), "{missing}");
    let options = EvaluateOptions { episodes: 2, robot: Some(robot()), ..EvaluateOptions::default() };
    let found = evaluate(&trainer.policy(), "policy".as_ref(), &options, &AtomicBool::new(false), |_| ());
    assert_eq!(found.expect("evaluated").episodes, 2);
    std::fs::remove_dir_all(folder).expect("cleaned up");
}
