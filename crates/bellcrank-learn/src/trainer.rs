//! Training: rollouts and updates in turn, and everything that must be saved to go on.

use crate::agent::Agent;
use crate::config::Config;
use crate::curve::{Record, recent};
use crate::error::LearnError;
use crate::normaliser::Normaliser;
use crate::policy::Policy;
use crate::rollout::{Rollout, Running, Tally};
use crate::update::{Losses, Optimiser};
use bellcrank_sim::{Precision, Threads};
use bellcrank_tasks::{Choice, Env, EnvOptions, Environment, Mirror, Random};
use std::sync::Arc;
use std::time::Instant;

/// Streams of chance of their own.
const START: u64 = 0xD6E8_FEB8_6659_FD93;

const NO_KINEMATICS: &str = "random_poses are drawn by kinematics, which is not there: take the Python package, or a \
    command line that was built with --features kinematics";

/// A policy that learns.
pub struct Trainer {
    pub(crate) task: String,
    pub(crate) config: Config,
    pub(crate) seed: u64,
    pub(crate) env: Box<dyn Environment>,
    pub(crate) agent: Agent,
    pub(crate) optimiser: Optimiser,
    pub(crate) normaliser: Normaliser,
    pub(crate) running: Running,
    pub(crate) updates: u64,
    pub(crate) curve: Vec<Record>,
    /// Time that training has taken, before a resume too [s].
    pub(crate) seconds: f64,
    mirrors: Option<[Mirror; 2]>,
    rollout: Rollout,
    threads: Arc<Threads>,
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
        let (name, draw_poses) = (task.name.clone(), task.draw_poses);
        let options =
            EnvOptions { worlds: config.worlds, threads, precision: Precision::F32, ..EnvOptions::default() };
        let mut env = Env::with_settings(task, options, &config.task_settings())?;
        if config.random_poses > 0 {
            let draw = draw_poses.ok_or_else(|| LearnError::BadConfig(NO_KINEMATICS.into()))?;
            let poses = draw(env.model(), config.random_poses).map_err(LearnError::BadConfig)?;
            env.begin_from(&poses)?;
        }
        Self::of(&name, env, config, seed, threads)
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
        let mut env: Box<dyn Environment> = Box::new(env);
        if env.worlds() != config.worlds {
            let found = env.worlds();
            return Err(LearnError::BadConfig(format!(
                "worlds is {}, the environment has {found}",
                config.worlds
            )));
        }
        env.reset(seed)?;
        env.stagger();
        let spec = env.spec();
        let ends = (spec.observation_count, spec.action_count);
        let mut random = Random::new(seed ^ START, 0, 0);
        let agent = Agent::new(ends, &config.hidden, config.deviation, &mut random);
        let threads = Arc::new(Threads::new(threads).map_err(LearnError::Threads)?);
        Ok(Trainer {
            task: name.to_owned(),
            optimiser: Optimiser::new(&agent, config.learning_rate),
            normaliser: Normaliser::new(ends.0),
            running: Running::new(config.worlds),
            updates: 0,
            curve: Vec::new(),
            seconds: 0.0,
            mirrors: env.mirrors(),
            rollout: Rollout::default(),
            threads,
            config,
            seed,
            env,
            agent,
        })
    }

    /// One horizon of actions and one update; gives their figures.
    ///
    /// # Errors
    /// When the environment fails, or learning diverges.
    pub fn update(&mut self) -> Result<&Record, LearnError> {
        let threads = self.threads.clone();
        let none = || LearnError::Threads("a process that was forked from forked ones has none".into());
        let pool = threads.pool().ok_or_else(none)?;
        let begin = Instant::now();
        let (tally, losses, learning) = pool.install(|| self.advance())?;
        let seconds = begin.elapsed().as_secs_f64();
        self.seconds += seconds;
        self.updates += 1;
        let record = self.record(&tally, losses, (seconds, learning));
        self.curve.push(record);
        Ok(&self.curve[self.curve.len() - 1])
    }

    fn advance(&mut self) -> Result<(Tally, Losses, f64), LearnError> {
        let scale = self.normaliser.scale();
        let moment = (&self.config, self.seed, self.updates);
        let tally =
            self.rollout.collect(self.env.as_mut(), (&self.agent, &scale), moment, &mut self.running)?;
        let begin = Instant::now();
        self.rollout.estimate(&self.agent, &scale, self.env.observations(), &self.config);
        self.normaliser.add(&self.rollout.raw);
        if let (Some([mirror, _]), true) = (&self.mirrors, self.config.mirror > 0.0) {
            self.normaliser.symmetrise(mirror);
        }
        let how = (&self.config, self.mirrors.as_ref());
        let losses = self.optimiser.update(&mut self.agent, &self.rollout, how, (self.seed, self.updates));
        let losses = losses.ok_or(LearnError::Diverged { update: self.updates })?;
        Ok((tally, losses, begin.elapsed().as_secs_f64()))
    }

    fn record(&self, tally: &Tally, losses: Losses, (seconds, learning): (f64, f64)) -> Record {
        let names = self.env.reward_term_names().into_iter();
        let deviations = self.agent.log_deviations();
        let deviation = deviations.iter().map(|s| s.exp()).sum::<f32>() / deviations.len() as f32;
        let tracks = !self.env.tracking().is_empty();
        Record {
            update: self.updates,
            transitions: self.transitions(),
            seconds: self.seconds,
            transitions_per_second: tally.steps / seconds,
            learner_share: learning / seconds,
            episodes: tally.episodes,
            falls: tally.falls,
            return_sum: tally.returns,
            length_sum: tally.lengths,
            reward_mean: tally.rewards / tally.steps,
            tracking_error: tracks.then(|| tally.errors.map(|sum| sum / tally.steps)),
            policy_loss: losses.policy,
            value_loss: losses.value,
            mirror_loss: losses.mirror,
            kl: losses.kl,
            learning_rate: self.optimiser.rate.into(),
            deviation: deviation.into(),
            terms: names.zip(&tally.terms).map(|(name, sum)| (name.into(), sum / tally.steps)).collect(),
        }
    }

    /// The policy as it is now.
    pub fn policy(&self) -> Policy {
        let (weights, log_deviations) =
            self.agent.actor_parameters.split_at(self.agent.actor.parameter_count());
        Policy {
            task: self.task.clone(),
            config: self.config.clone(),
            seed: self.seed,
            transitions: self.transitions(),
            network: self.agent.actor.clone(),
            parameters: weights.to_vec(),
            log_deviations: log_deviations.to_vec(),
            scale: self.normaliser.scale(),
        }
    }

    /// Actions so far, of all worlds.
    pub fn transitions(&self) -> u64 {
        self.updates * (self.config.worlds * self.config.horizon) as u64
    }

    /// Figures of all updates so far.
    pub fn curve(&self) -> &[Record] {
        &self.curve
    }

    /// Means of the last episodes: return, length, part that fell; none before the first has ended.
    pub fn recent(&self) -> Option<[f64; 3]> {
        recent(&self.curve)
    }

    /// Name of the task.
    pub fn task(&self) -> &str {
        &self.task
    }

    /// Of all chance.
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// How it learns.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Changes after how many updates it ends.
    pub fn set_updates(&mut self, updates: u64) {
        self.config.updates = updates;
    }

    /// Time that training has taken [s].
    pub fn seconds(&self) -> f64 {
        self.seconds
    }
}
