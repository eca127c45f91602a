//! What an action led to, in all worlds: judged and observed by all threads.

use crate::env::EnvError;
use crate::episode::Rows;
use crate::task::{Task, Tracking};
use bellcrank_sim::{BatchError, Threads};
use rayon::prelude::*;

/// Worlds that a thread takes at a time.
const CHUNK: usize = 64;

/// Arrays with one row per world.
pub(crate) struct Outcome {
    pub rewards: Vec<f32>,
    pub terms: Vec<f32>,
    pub terminated: Vec<bool>,
    pub truncated: Vec<bool>,
    pub tracking: Vec<Tracking>,
    term_count: usize,
    threads: Option<Threads>,
}

/// What a thread fills: rows of some worlds.
struct Part<'a> {
    first: usize,
    memory: &'a mut [f32],
    observations: &'a mut [f32],
    terms: &'a mut [f32],
    rewards: &'a mut [f32],
    terminated: &'a mut [bool],
    tracking: &'a mut [Tracking],
    /// The task has no commands to be followed.
    untold: bool,
}

impl Outcome {
    pub fn new(task: &dyn Task, worlds: usize, threads: usize) -> Result<Self, EnvError> {
        let threads = if worlds > CHUNK { threads } else { 1 };
        let threads = match threads {
            1 => None,
            n => Some(Threads::new(n).map_err(BatchError::Threads)?),
        };
        let term_count = task.reward_terms().len();
        Ok(Outcome {
            rewards: vec![0.0; worlds],
            terms: vec![0.0; worlds * term_count],
            terminated: vec![false; worlds],
            truncated: vec![false; worlds],
            tracking: vec![Tracking::default(); worlds],
            term_count,
            threads,
        })
    }

    /// Threads that may help, if there are any.
    pub fn pool(&self) -> Option<&rayon::ThreadPool> {
        self.threads.as_ref().and_then(Threads::pool)
    }

    /// Judges and observes every world; places are memory and observations.
    pub fn judge(&mut self, task: &dyn Task, rows: &Rows, places: (&mut [f32], &mut [f32])) {
        let (spec, terms) = (task.spec(), self.term_count);
        let (mut memory, mut observations) = places;
        let mut parts = Vec::new();
        let arrays = self.terms.chunks_mut(CHUNK * terms).zip(self.rewards.chunks_mut(CHUNK));
        let mut tracking = self.tracking.chunks_mut(CHUNK);
        for (k, ((terms, rewards), terminated)) in arrays.zip(self.terminated.chunks_mut(CHUNK)).enumerate() {
            let (mine, rest) = std::mem::take(&mut memory).split_at_mut(rewards.len() * spec.memory_count);
            let (seen, others) =
                std::mem::take(&mut observations).split_at_mut(rewards.len() * spec.observation_count);
            (memory, observations) = (rest, others);
            let tracking = tracking.next().unwrap_or_default();
            parts.push(Part {
                first: k * CHUNK,
                memory: mine,
                observations: seen,
                terms,
                rewards,
                terminated,
                tracking,
                untold: false,
            });
        }
        match self.threads.as_ref().and_then(Threads::pool) {
            None => parts.iter_mut().for_each(|part| part.judge(task, rows)),
            Some(pool) => pool.install(|| parts.par_iter_mut().for_each(|part| part.judge(task, rows))),
        }
        if parts.iter().any(|part| part.untold) {
            self.tracking.clear();
        }
    }

    /// Settles whether a world's episode is over.
    pub fn end(&mut self, world: usize, frozen: bool, too_old: bool) -> bool {
        self.terminated[world] |= frozen;
        self.truncated[world] = !self.terminated[world] && too_old;
        self.terminated[world] || self.truncated[world]
    }
}

impl Part<'_> {
    fn judge(&mut self, task: &dyn Task, rows: &Rows) {
        let (spec, count) = (task.spec(), self.terms.len() / self.rewards.len());
        for k in 0..self.rewards.len() {
            let world = rows.world(self.first + k);
            let memory = &mut self.memory[k * spec.memory_count..(k + 1) * spec.memory_count];
            let terms = &mut self.terms[k * count..(k + 1) * count];
            self.terminated[k] = task.judge(world, memory, terms);
            if !terms.iter().all(|term| term.is_finite()) {
                terms.fill(0.0);
            }
            self.rewards[k] = terms.iter().sum();
            let seen = &mut self.observations[k * spec.observation_count..(k + 1) * spec.observation_count];
            task.observe(world, memory, seen);
            if let Some(tracking) = self.tracking.get_mut(k) {
                match task.tracking(world, memory) {
                    Some(found) => *tracking = found,
                    None => self.untold = true,
                }
            }
        }
    }
}
