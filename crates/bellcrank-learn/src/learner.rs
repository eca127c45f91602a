//! What learns from rollouts, wherever they come from: half of a trainer, and the middle of a run on many machines.

use crate::agent::Agent;
use crate::config::Config;
use crate::curve::{Record, recent};
use crate::error::LearnError;
use crate::normaliser::Normaliser;
use crate::part::{Part, Tally};
use crate::policy::Policy;
use crate::rollout::Rollout;
use crate::update::{Losses, Optimiser};
use bellcrank_sim::Threads;
use bellcrank_tasks::{Choice, Env, EnvOptions, Environment, Mirror, Random, Spec};
use std::sync::Arc;
use std::time::Instant;

/// Streams of chance of their own.
const START: u64 = 0xD6E8_FEB8_6659_FD93;

/// See the module.
pub struct Learner {
    pub(crate) task: String,
    pub(crate) config: Config,
    pub(crate) seed: u64,
    pub(crate) agent: Agent,
    pub(crate) optimiser: Optimiser,
    pub(crate) normaliser: Normaliser,
    pub(crate) updates: u64,
    /// Actions that were learned from.
    pub(crate) transitions: u64,
    pub(crate) curve: Vec<Record>,
    /// Time that training has taken, before a resume too [s].
    pub(crate) seconds: f64,
    spec: Spec,
    terms: Vec<String>,
    mirrors: Option<[Mirror; 2]>,
    rollout: Rollout,
    tally: Tally,
    /// Time since the last update that was spent here [s].
    busy: f64,
    threads: Arc<Threads>,
}

impl Learner {
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
        let one = EnvOptions { threads: 1, ..EnvOptions::default() };
        let env = Env::with_settings(task, one, &config.task_settings())?;
        let threads = Arc::new(Threads::new(threads).map_err(LearnError::Threads)?);
        Self::of(&name, &env, config, seed, threads)
    }

    /// The same for worlds of your own, one of which tells what they are like.
    ///
    /// # Errors
    /// When the config makes no sense.
    pub fn of(
        name: &str,
        env: &dyn Environment,
        config: Config,
        seed: u64,
        threads: Arc<Threads>,
    ) -> Result<Self, LearnError> {
        config.check()?;
        let spec = env.spec();
        let ends = (spec.observation_count, spec.action_count);
        let mut random = Random::new(seed ^ START, 0, 0);
        let agent = Agent::new(ends, &config.hidden, config.deviation, &mut random);
        Ok(Learner {
            task: name.to_owned(),
            optimiser: Optimiser::new(&agent, config.learning_rate),
            normaliser: Normaliser::new(ends.0),
            updates: 0,
            transitions: 0,
            curve: Vec::new(),
            seconds: 0.0,
            spec,
            terms: env.reward_term_names().into_iter().map(str::to_owned).collect(),
            mirrors: env.mirrors(),
            rollout: Rollout::default(),
            tally: Tally::default(),
            busy: 0.0,
            threads,
            config,
            seed,
            agent,
        })
    }

    /// Takes over what worlds did in one horizon: parts in the order of their worlds. Worlds may be missing, not doubled.
    ///
    /// # Errors
    /// When sizes do not fit; nothing has happened then.
    pub fn gather(&mut self, parts: &[Part<'_>]) -> Result<(), LearnError> {
        let begin = Instant::now();
        let ends = (self.spec.observation_count, self.spec.action_count);
        let mut next = 0;
        for part in parts {
            let end = part.first_world.saturating_add(part.worlds);
            if part.worlds == 0 || part.first_world < next || end > self.config.worlds {
                return Err(LearnError::WrongWorlds { worlds: self.config.worlds });
            }
            next = end;
            part.check(ends, self.config.horizon, self.terms.len())?;
        }
        if parts.is_empty() {
            return Err(LearnError::WrongWorlds { worlds: self.config.worlds });
        }
        self.tally = Tally::of(parts, self.terms.len(), self.config.horizon);
        let threads = self.threads.clone();
        threads.pool().ok_or_else(no_threads)?.install(|| self.take(parts));
        self.busy += begin.elapsed().as_secs_f64();
        Ok(())
    }

    fn take(&mut self, parts: &[Part<'_>]) {
        self.rollout.gather(parts, &self.normaliser.scale(), &self.config);
        let n = self.spec.observation_count;
        let owners: Vec<(usize, usize)> =
            parts.iter().enumerate().flat_map(|(k, part)| (0..part.worlds).map(move |w| (k, w))).collect();
        let row = |r: usize| {
            let (step, (k, world)) = (r / owners.len(), owners[r % owners.len()]);
            let at = (step * parts[k].worlds + world) * n;
            &parts[k].observations[at..at + n]
        };
        self.normaliser.add(owners.len() * self.config.horizon, row);
        if let (Some([mirror, _]), true) = (&self.mirrors, self.config.mirror > 0.0) {
            self.normaliser.symmetrise(mirror);
        }
    }

    /// Learns from what was gathered; `waited` is the time that the rollouts took [s].
    ///
    /// # Errors
    /// When nothing was gathered, or learning diverges.
    pub fn learn(&mut self, waited: f64) -> Result<&Record, LearnError> {
        if self.tally.steps == 0.0 {
            return Err(LearnError::WrongWorlds { worlds: self.config.worlds });
        }
        let begin = Instant::now();
        let threads = self.threads.clone();
        let losses = threads.pool().ok_or_else(no_threads)?.install(|| {
            self.rollout.estimate(&self.agent, &self.config);
            let how = (&self.config, self.mirrors.as_ref());
            self.optimiser.update(&mut self.agent, &self.rollout, how, (self.seed, self.updates))
        });
        let losses = losses.ok_or(LearnError::Diverged { update: self.updates })?;
        let learning = std::mem::take(&mut self.busy) + begin.elapsed().as_secs_f64();
        let tally = std::mem::take(&mut self.tally);
        let seconds = waited + learning;
        self.seconds += seconds;
        self.updates += 1;
        self.transitions += tally.steps as u64;
        let record = self.record(&tally, losses, (seconds, learning));
        self.curve.push(record);
        Ok(&self.curve[self.curve.len() - 1])
    }

    fn record(&self, tally: &Tally, losses: Losses, (seconds, learning): (f64, f64)) -> Record {
        let deviations = self.agent.log_deviations();
        let deviation = deviations.iter().map(|s| s.exp()).sum::<f32>() / deviations.len() as f32;
        let tracks = tally.errors.iter().all(|sum| !sum.is_nan());
        Record {
            update: self.updates,
            transitions: self.transitions,
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
            terms: self.terms.iter().cloned().zip(tally.terms.iter().map(|sum| sum / tally.steps)).collect(),
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
            transitions: self.transitions,
            network: self.agent.actor.clone(),
            parameters: weights.to_vec(),
            log_deviations: log_deviations.to_vec(),
            scale: self.normaliser.scale(),
        }
    }

    /// Works with somebody's threads from now on.
    pub(crate) fn use_threads(&mut self, threads: Arc<Threads>) {
        self.threads = threads;
    }

    /// Updates so far.
    pub fn updates(&self) -> u64 {
        self.updates
    }

    /// Actions so far, of all worlds.
    pub fn transitions(&self) -> u64 {
        self.transitions
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

fn no_threads() -> LearnError {
    LearnError::Threads("a process that was forked from forked ones has none".into())
}
