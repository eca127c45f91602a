//! Every task that ships can be learned on: a few updates with its own settings, made small.

use bellcrank_learn::{Config, EvaluateOptions, Trainer, evaluate};
use bellcrank_tasks::TASKS;
use std::sync::atomic::AtomicBool;

#[test]
fn every_task_takes_a_few_updates_and_an_evaluation() {
    for (task, _, _) in TASKS {
        let own = Config::of_task(task);
        own.check().expect("settings that make sense");
        let config = Config { worlds: 16, horizon: 8, hidden: vec![16], minibatches: 2, ..own };
        let mut trainer = Trainer::new(task, config, 1, 0).expect("a trainer");
        for _ in 0..2 {
            let record = trainer.update().expect("learns");
            let figures = [record.reward_mean, record.policy_loss, record.value_loss, record.kl];
            assert!(figures.iter().all(|x| x.is_finite()), "{task}: {record:?}");
            let terms: f64 = record.terms.values().sum();
            assert!((terms - record.reward_mean).abs() < 1e-3, "{task}: {terms} and {}", record.reward_mean);
        }
        let options = EvaluateOptions { episodes: 2, ..EvaluateOptions::default() };
        let found = evaluate(&trainer.policy(), "policy".as_ref(), &options, &AtomicBool::new(false), |_| ());
        assert_eq!(found.expect("evaluated").episodes, 2, "{task}");
    }
}
