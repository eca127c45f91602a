//! Training on one machine: a sampler and a learner in turn, with the same threads.

use crate::config::Config;
use crate::curve::Record;
use crate::error::LearnError;
use crate::learner::Learner;
use crate::policy::Policy;
use crate::sampler::Sampler;
use bellcrank_sim::Threads;
use bellcrank_tasks::{Choice, Environment};
use std::sync::Arc;
use std::time::Instant;

/// A policy that learns.
pub struct Trainer {
    pub(crate) sampler: Sampler,
    pub(crate) learner: Learner,
}

impl Trainer {
    /// Begins with a policy that knows nothing.
    ///
    /// # Errors
    /// When there is no such task, or the config makes no sense for it.
    pub fn new(
        task: impl Into<Choice>,
        config: Config,
        seed: u64,
        threads: usize,
    ) -> Result<Self, LearnError> {
        config.check()?;
        let task: Choice = task.into();
        let name = task.name.clone();
        let sampler = Sampler::new(task, &config, 0..config.worlds, seed, threads)?;
        let learner = Learner::of(&name, sampler.env.as_ref(), config, seed, sampler.threads())?;
        Ok(Trainer { sampler, learner })
    }

    /// The same with an environment of your own, in Rust or elsewhere, under a name of your own. It has as many worlds as the config says.
    ///
    /// # Errors
    /// When the config makes no sense.
    pub fn of(
        name: &str,
        env: impl Environment + 'static,
        config: Config,
        seed: u64,
        threads: usize,
    ) -> Result<Self, LearnError> {
        config.check()?;
        if env.worlds() != config.worlds {
            let found = env.worlds();
            return Err(LearnError::BadConfig(format!(
                "worlds is {}, the environment has {found}",
                config.worlds
            )));
        }
        let threads = Arc::new(Threads::new(threads).map_err(LearnError::Threads)?);
        let sampler = Sampler::of(Box::new(env), 0, seed, threads)?;
        let learner = Learner::of(name, sampler.env.as_ref(), config, seed, sampler.threads())?;
        Ok(Trainer { sampler, learner })
    }

    /// One horizon of actions and one update; gives their figures.
    ///
    /// # Errors
    /// When the environment fails, or learning diverges.
    pub fn update(&mut self) -> Result<&Record, LearnError> {
        let begin = Instant::now();
        let (policy, horizon) = (self.learner.policy(), self.learner.config().horizon);
        let part = self.sampler.sample(&policy, horizon, self.learner.updates())?;
        let waited = begin.elapsed().as_secs_f64();
        self.learner.gather(&[part])?;
        self.learner.learn(waited)
    }

    /// The policy as it is now.
    pub fn policy(&self) -> Policy {
        self.learner.policy()
    }

    /// Actions so far, of all worlds.
    pub fn transitions(&self) -> u64 {
        self.learner.transitions()
    }

    /// Figures of all updates so far.
    pub fn curve(&self) -> &[Record] {
        self.learner.curve()
    }

    /// Means of the last episodes: return, length, part that fell; none before the first has ended.
    pub fn recent(&self) -> Option<[f64; 3]> {
        self.learner.recent()
    }

    /// Name of the task.
    pub fn task(&self) -> &str {
        self.learner.task()
    }

    /// Of all chance.
    pub fn seed(&self) -> u64 {
        self.learner.seed()
    }

    /// How it learns.
    pub fn config(&self) -> &Config {
        self.learner.config()
    }

    /// Changes after how many updates it ends.
    pub fn set_updates(&mut self, updates: u64) {
        self.learner.set_updates(updates);
    }

    /// Time that training has taken [s].
    pub fn seconds(&self) -> f64 {
        self.learner.seconds()
    }
}
