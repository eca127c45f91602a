//! Worlds that a policy acts in: half of a trainer, and all that a machine needs that only gives rollouts.
//!
//! All chance goes by seed, number of the world and moment, and what a network gives for a row does not depend on the rows beside it: it does not
//! matter how the worlds of a run are dealt out to samplers.

use crate::agent::{CHUNK, evaluate, log_density, sample};
use crate::config::Config;
use crate::error::LearnError;
use crate::part::{CUT, FAILED, FIGURES, GOES_ON, Part, Running};
use crate::policy::Policy;
use crate::tensors::Tensors;
use bellcrank_sim::{Precision, Threads};
use bellcrank_tasks::{Choice, Env, EnvOptions, Environment, Random};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Arc;

/// Streams of chance of their own.
const NOISE: u64 = 0x2545_F491_4F6C_DD1D;
const OTHER: &str = "the snapshot is of other worlds";
const NO_KINEMATICS: &str = "random_poses are drawn by kinematics, which this program does not hand to its \
    trainers: in Rust, make the task with a Choice whose draw_poses is given (bellcrank::starts::safe_poses, feature kinematics)";

/// See the module.
pub struct Sampler {
    pub(crate) env: Box<dyn Environment>,
    running: Running,
    first_world: usize,
    seed: u64,
    threads: Arc<Threads>,
}

impl Sampler {
    /// Some of a run's worlds, by number. Ranges that begin at multiples of 16 give the rollouts of one sampler of all worlds, bit for bit: so many
    /// share a vector's lanes.
    ///
    /// # Errors
    /// When there is no such task, or the config makes no sense for it.
    pub fn new(
        task: impl Into<Choice>,
        config: &Config,
        worlds: Range<usize>,
        seed: u64,
        threads: usize,
    ) -> Result<Self, LearnError> {
        let env = make_env(task.into(), config, worlds.clone(), threads)?;
        let threads = Arc::new(Threads::new(threads).map_err(LearnError::Threads)?);
        Self::of(Box::new(env), worlds.start, seed, threads)
    }

    /// The same with an environment of your own, whose worlds are those from a number on.
    ///
    /// # Errors
    /// When the environment fails.
    pub fn of(
        mut env: Box<dyn Environment>,
        first_world: usize,
        seed: u64,
        threads: Arc<Threads>,
    ) -> Result<Self, LearnError> {
        env.reset(seed)?;
        env.stagger();
        Ok(Sampler { running: Running::new(env.worlds()), env, first_world, seed, threads })
    }

    /// Lets a policy act for one horizon, the run's `round`-th.
    ///
    /// # Errors
    /// When the policy is of another task, or the environment fails.
    pub fn sample(
        &mut self,
        policy: &Policy,
        horizon: usize,
        round: u64,
    ) -> Result<Part<'static>, LearnError> {
        let spec = self.env.spec();
        if policy.ends() != (spec.observation_count, spec.action_count) {
            let what =
                format!("a policy with {:?} observations and actions is of another task", policy.ends());
            return Err(LearnError::BadConfig(what));
        }
        let threads = self.threads.clone();
        let none = || LearnError::Threads("a process that was forked from forked ones has none".into());
        threads.pool().ok_or_else(none)?.install(|| self.collect(policy, horizon, round))
    }

    fn collect(&mut self, policy: &Policy, horizon: usize, round: u64) -> Result<Part<'static>, LearnError> {
        let (worlds, (n, m)) = (self.env.worlds(), policy.ends());
        let rows = worlds * horizon;
        let mut seen = Vec::with_capacity((rows + worlds) * n);
        let (mut rewards, mut ends) = (Vec::with_capacity(rows), Vec::with_capacity(rows));
        let (mut actions, mut means, mut densities) =
            (vec![0.0; rows * m], vec![0.0; rows * m], vec![0.0; rows]);
        let mut cut = Vec::new();
        let mut tallies = vec![0.0; worlds * (FIGURES + self.env.reward_term_names().len())];
        for step in 0..horizon {
            let (row, part) =
                (step * worlds..(step + 1) * worlds, step * worlds * m..(step + 1) * worlds * m);
            seen.extend_from_slice(self.env.observations());
            let places = (&mut actions[part.clone()], &mut means[part.clone()], &mut densities[row]);
            self.act(policy, round * horizon as u64 + step as u64, places);
            self.env.step(&actions[part])?;
            rewards.extend_from_slice(self.env.rewards());
            for world in 0..worlds {
                ends.push(self.end(world));
                if self.env.truncated()[world] {
                    cut.extend_from_slice(&self.env.final_observations()[world * n..(world + 1) * n]);
                }
            }
            self.running.add(self.env.as_ref(), &mut tallies);
        }
        seen.extend_from_slice(self.env.observations());
        Ok(Part {
            first_world: self.first_world,
            worlds,
            observations: seen.into(),
            actions: actions.into(),
            means: means.into(),
            log_densities: densities.into(),
            rewards: rewards.into(),
            ends: ends.into(),
            cut_observations: cut.into(),
            log_deviations: policy.log_deviations.clone().into(),
            tallies: tallies.into(),
        })
    }

    /// Chooses actions for one step of all worlds; gives them, their means and their densities.
    fn act(&self, policy: &Policy, moment: u64, places: (&mut [f32], &mut [f32], &mut [f32])) {
        let (seen, (n, m)) = (self.env.observations(), policy.ends());
        let (actions, means, densities) = places;
        let mut x = vec![0.0; seen.len()];
        x.par_chunks_mut(CHUNK * n)
            .zip(seen.par_chunks(CHUNK * n))
            .for_each(|(x, seen)| policy.scale.apply(seen, x));
        evaluate(&policy.network, &policy.parameters, &x, means);
        let (seed, first, deviations) = (self.seed ^ NOISE, self.first_world, &policy.log_deviations);
        let rows = actions.par_chunks_mut(m).zip(means.par_chunks(m)).zip(densities).enumerate();
        rows.with_min_len(CHUNK).for_each(|(world, ((action, mean), density))| {
            sample(mean, deviations, &mut Random::new(seed, first + world, moment), action);
            *density = log_density(action, mean, deviations);
        });
    }

    fn end(&self, world: usize) -> u8 {
        match (self.env.terminated()[world], self.env.truncated()[world]) {
            (_, true) => CUT,
            (true, false) => FAILED,
            (false, false) => GOES_ON,
        }
    }

    /// Number of worlds.
    pub fn worlds(&self) -> usize {
        self.env.worlds()
    }

    /// What it works with.
    pub(crate) fn threads(&self) -> Arc<Threads> {
        self.threads.clone()
    }

    /// The worlds as bytes, to go on from bit for bit; none where somebody else steps them.
    pub fn snapshot(&self) -> Option<Vec<u8>> {
        let mut t = Tensors::default();
        t.put_bytes("env", self.env.snapshot()?);
        t.put_f32("running.returns", &[self.running.returns.len()], &self.running.returns);
        t.put_f32("running.lengths", &[self.running.lengths.len()], &self.running.lengths);
        t.put_text("first_world", self.first_world);
        Some(t.to_bytes())
    }

    /// Takes a snapshot of the same worlds back.
    ///
    /// # Errors
    /// When the bytes are damaged or of other worlds.
    pub fn restore(&mut self, bytes: &[u8]) -> Result<(), LearnError> {
        let bad = LearnError::BadConfig;
        let t = Tensors::from_bytes(bytes).map_err(bad)?;
        if t.number::<usize>("first_world").map_err(bad)? != self.first_world {
            return Err(bad(OTHER.into()));
        }
        let running = Running {
            returns: t.f32("running.returns", self.worlds()).map_err(|_| bad(OTHER.into()))?,
            lengths: t.f32("running.lengths", self.worlds()).map_err(|_| bad(OTHER.into()))?,
        };
        self.env.restore(t.bytes("env").map_err(bad)?)?;
        self.running = running;
        Ok(())
    }
}

/// Worlds of a task as a config wants them.
fn make_env(task: Choice, config: &Config, worlds: Range<usize>, threads: usize) -> Result<Env, LearnError> {
    let draw_poses = task.draw_poses;
    let options = EnvOptions {
        worlds: worlds.len(),
        first_world: worlds.start,
        threads,
        precision: Precision::F32,
        ..EnvOptions::default()
    };
    let mut env = Env::with_settings(task, options, &config.task_settings())?;
    if config.random_poses > 0 {
        let draw = draw_poses.ok_or_else(|| LearnError::BadConfig(NO_KINEMATICS.into()))?;
        let poses = draw(env.model(), config.random_poses).map_err(LearnError::BadConfig)?;
        env.begin_from(&poses)?;
    }
    Ok(env)
}
