//! What the worlds did in one horizon, and how episodes went.

use crate::advantage::{Outcomes, advantages};
use crate::agent::{Agent, CHUNK, log_density, sample};
use crate::config::Config;
use crate::error::LearnError;
use crate::normaliser::Scale;
use bellcrank_tasks::{Environment, Random};
use rayon::prelude::*;

/// Streams of chance of their own.
const NOISE: u64 = 0x2545_F491_4F6C_DD1D;

/// Rows of all steps and worlds, step after step.
#[derive(Default)]
pub(crate) struct Rollout {
    /// As the task gave them, and normalised.
    pub raw: Vec<f32>,
    pub observations: Vec<f32>,
    pub actions: Vec<f32>,
    pub means: Vec<f32>,
    pub log_densities: Vec<f32>,
    pub advantages: Vec<f32>,
    pub returns: Vec<f32>,
    rewards: Vec<f32>,
    values: Vec<f32>,
    ended: Vec<bool>,
    /// Episodes that were cut off: row, and their last observation, normalised.
    cut: Vec<usize>,
    cut_observations: Vec<f32>,
}

/// Sums of the episodes that go on, by world: part of what must be saved to resume.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Running {
    pub returns: Vec<f32>,
    pub lengths: Vec<f32>,
}

/// Figures of a rollout.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// Sums over the episodes that ended.
    pub returns: f64,
    pub lengths: f64,
    pub episodes: f64,
    pub falls: f64,
    pub steps: f64,
    pub rewards: f64,
    /// Sums over all steps.
    pub terms: Vec<f64>,
    pub errors: [f64; 3],
}

impl Rollout {
    /// Lets the policy act for one horizon.
    pub fn collect(
        &mut self,
        env: &mut dyn Environment,
        (agent, scale): (&Agent, &Scale),
        (config, seed, update): (&Config, u64, u64),
        running: &mut Running,
    ) -> Result<Tally, LearnError> {
        let (n, m) = agent.actor.ends();
        let rows = config.worlds * config.horizon;
        self.make_room(rows, n, m);
        let mut tally = Tally { terms: vec![0.0; env.reward_term_names().len()], ..Tally::default() };
        for step in 0..config.horizon {
            let at = step * config.worlds;
            let moment = update * config.horizon as u64 + step as u64;
            self.act(env.observations(), at, (agent, scale), (seed ^ NOISE, moment));
            env.step(&self.actions[at * m..(at + config.worlds) * m])?;
            self.keep(env, at, scale, config);
            tally.add(env, running);
        }
        Ok(tally)
    }

    fn make_room(&mut self, rows: usize, n: usize, m: usize) {
        for (list, width) in [
            (&mut self.raw, n),
            (&mut self.observations, n),
            (&mut self.actions, m),
            (&mut self.means, m),
            (&mut self.log_densities, 1),
            (&mut self.rewards, 1),
        ] {
            list.resize(rows * width, 0.0);
        }
        self.ended.resize(rows, false);
        self.cut.clear();
        self.cut_observations.clear();
    }

    /// Chooses actions for one step of all worlds, whose rows begin at `at`.
    fn act(&mut self, seen: &[f32], at: usize, (agent, scale): (&Agent, &Scale), (seed, moment): (u64, u64)) {
        let (n, m) = agent.actor.ends();
        let worlds = seen.len() / n;
        self.raw[at * n..(at + worlds) * n].copy_from_slice(seen);
        let x = &mut self.observations[at * n..(at + worlds) * n];
        x.par_chunks_mut(CHUNK * n)
            .zip(seen.par_chunks(CHUNK * n))
            .for_each(|(x, seen)| scale.apply(seen, x));
        let means = &mut self.means[at * m..(at + worlds) * m];
        agent.means(x, means);
        let rows = self.actions[at * m..(at + worlds) * m].par_chunks_mut(m).zip(means.par_chunks(m));
        let rows = rows.zip(&mut self.log_densities[at..at + worlds]).enumerate().with_min_len(CHUNK);
        rows.for_each(|(world, ((action, mean), density))| {
            sample(mean, agent.log_deviations(), &mut Random::new(seed, world, moment), action);
            *density = log_density(action, mean, agent.log_deviations());
        });
    }

    /// Keeps what the actions led to.
    fn keep(&mut self, env: &dyn Environment, at: usize, scale: &Scale, config: &Config) {
        let n = env.spec().observation_count;
        for world in 0..config.worlds {
            self.rewards[at + world] = config.reward_scale * env.rewards()[world];
            self.ended[at + world] = env.terminated()[world] || env.truncated()[world];
            if env.truncated()[world] {
                self.cut.push(at + world);
                let first = self.cut_observations.len();
                self.cut_observations.resize(first + n, 0.0);
                let last = &env.final_observations()[world * n..(world + 1) * n];
                scale.apply(last, &mut self.cut_observations[first..]);
            }
        }
    }

    /// Advantages and returns, with the values of what came after the last step.
    pub fn estimate(&mut self, agent: &Agent, scale: &Scale, after: &[f32], config: &Config) {
        let rows = self.rewards.len();
        let mut next = vec![0.0; after.len()];
        scale.apply(after, &mut next);
        self.values.resize(rows + config.worlds, 0.0);
        let (now, later) = self.values.split_at_mut(rows);
        agent.values(&self.observations, now);
        agent.values(&next, later);
        let mut last = vec![0.0; self.cut.len()];
        agent.values(&self.cut_observations, &mut last);
        for (row, value) in self.cut.iter().zip(last) {
            self.rewards[*row] += config.discount * value;
        }
        let outcomes = Outcomes {
            rewards: &self.rewards,
            values: &self.values,
            ended: &self.ended,
            worlds: config.worlds,
        };
        self.advantages = advantages(&outcomes, config.discount, config.trace);
        self.returns.clear();
        self.returns.extend(self.advantages.iter().zip(&self.values).map(|(a, v)| a + v));
        standardise(&mut self.advantages);
    }
}

/// Mean zero, deviation one.
fn standardise(values: &mut [f32]) {
    let count = values.len() as f64;
    let mean = values.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
    let variance = values.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / count;
    let factor = 1.0 / (variance.sqrt() + 1e-8);
    values.iter_mut().for_each(|x| *x = ((f64::from(*x) - mean) * factor) as f32);
}

impl Running {
    pub fn new(worlds: usize) -> Self {
        Running { returns: vec![0.0; worlds], lengths: vec![0.0; worlds] }
    }
}

impl Tally {
    fn add(&mut self, env: &dyn Environment, running: &mut Running) {
        for (world, reward) in env.rewards().iter().enumerate() {
            running.returns[world] += reward;
            running.lengths[world] += 1.0;
            self.rewards += f64::from(*reward);
            if env.terminated()[world] || env.truncated()[world] {
                self.returns += f64::from(std::mem::take(&mut running.returns[world]));
                self.lengths += f64::from(std::mem::take(&mut running.lengths[world]));
                self.episodes += 1.0;
                self.falls += if env.terminated()[world] { 1.0 } else { 0.0 };
            }
        }
        self.steps += env.rewards().len() as f64;
        let count = self.terms.len();
        for row in env.reward_terms().chunks_exact(count) {
            self.terms.iter_mut().zip(row).for_each(|(sum, x)| *sum += f64::from(*x));
        }
        for tracking in env.tracking() {
            for (k, sum) in self.errors.iter_mut().enumerate() {
                *sum += f64::from((tracking.velocity[k] - tracking.command[k]).abs());
            }
        }
    }
}
