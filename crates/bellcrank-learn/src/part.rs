//! What some worlds did in one horizon: what a sampler gives, and a learner gathers.

use crate::error::LearnError;
use bellcrank_tasks::Environment;
use std::borrow::Cow;

/// How an action's step ended.
pub(crate) const GOES_ON: u8 = 0;
/// The robot failed.
pub(crate) const FAILED: u8 = 1;
/// The episode was cut off.
pub(crate) const CUT: u8 = 2;

/// Rows of all steps and of some worlds, step after step. Its arrays may belong to somebody else: to a store that processes share.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Part<'a> {
    /// Number of its first world among all of the run.
    pub first_world: usize,
    /// Number of its worlds.
    pub worlds: usize,
    /// `(horizon + 1, worlds, observation_count)`, as the task gives them; the last are those after the last action.
    pub observations: Cow<'a, [f32]>,
    /// `(horizon, worlds, action_count)`
    pub actions: Cow<'a, [f32]>,
    /// `(horizon, worlds, action_count)`: what the policy would have done without noise.
    pub means: Cow<'a, [f32]>,
    /// `(horizon, worlds)`: logarithm of the density of the action.
    pub log_densities: Cow<'a, [f32]>,
    /// `(horizon, worlds)`
    pub rewards: Cow<'a, [f32]>,
    /// `(horizon, worlds)`: 0 where the episode goes on, 1 where the robot failed, 2 where it was cut off.
    pub ends: Cow<'a, [u8]>,
    /// `(cut, observation_count)`: last observations of the episodes that were cut off, in the order of their rows.
    pub cut_observations: Cow<'a, [f32]>,
    /// `(action_count,)`: logarithms of the deviations of the policy that acted.
    pub log_deviations: Cow<'a, [f32]>,
    /// `(worlds, 8 + terms)`: figures of every world, as a rollout tallies them.
    pub tallies: Cow<'a, [f64]>,
}

/// Sums of the episodes that go on, by world: part of what must be saved to resume.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Running {
    pub returns: Vec<f32>,
    pub lengths: Vec<f32>,
}

/// Figures of a horizon: of one world, or of all, added in the order of their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Tally {
    /// Sums over the episodes that ended.
    pub returns: f64,
    pub lengths: f64,
    pub episodes: f64,
    pub falls: f64,
    pub rewards: f64,
    /// Sums over all steps; not numbers where the task has no commands.
    pub errors: [f64; 3],
    pub terms: Vec<f64>,
    /// Actions.
    pub steps: f64,
}

/// Numbers of a tally before its terms.
pub(crate) const FIGURES: usize = 8;

impl Part<'_> {
    /// Whether its arrays have the sizes that they should have, for numbers per observation and action, horizon and terms.
    ///
    /// # Errors
    /// Names the first that has not.
    pub(crate) fn check(
        &self,
        (n, m): (usize, usize),
        horizon: usize,
        terms: usize,
    ) -> Result<(), LearnError> {
        let rows = self.worlds * horizon;
        let cut = self.ends.iter().filter(|end| **end == CUT).count();
        let sizes = [
            ("observations", self.observations.len(), (rows + self.worlds) * n),
            ("actions", self.actions.len(), rows * m),
            ("means", self.means.len(), rows * m),
            ("log_densities", self.log_densities.len(), rows),
            ("rewards", self.rewards.len(), rows),
            ("ends", self.ends.len(), rows),
            ("cut_observations", self.cut_observations.len(), cut * n),
            ("log_deviations", self.log_deviations.len(), m),
            ("tallies", self.tallies.len(), self.worlds * (FIGURES + terms)),
        ];
        match sizes.into_iter().find(|(_, found, expected)| found != expected) {
            Some((what, found, expected)) => Err(LearnError::WrongPart { what, found, expected }),
            None => Ok(()),
        }
    }
}

impl Running {
    pub fn new(worlds: usize) -> Self {
        Running { returns: vec![0.0; worlds], lengths: vec![0.0; worlds] }
    }

    /// Adds what the last action led to, to the figures of every world.
    pub fn add(&mut self, env: &dyn Environment, tallies: &mut [f64]) {
        let terms = env.reward_term_names().len();
        let (rewards, tracking) = (env.rewards(), env.tracking());
        for (world, row) in tallies.chunks_exact_mut(FIGURES + terms).enumerate() {
            self.returns[world] += rewards[world];
            self.lengths[world] += 1.0;
            row[4] += f64::from(rewards[world]);
            if env.terminated()[world] || env.truncated()[world] {
                row[0] += f64::from(std::mem::take(&mut self.returns[world]));
                row[1] += f64::from(std::mem::take(&mut self.lengths[world]));
                row[2] += 1.0;
                row[3] += if env.terminated()[world] { 1.0 } else { 0.0 };
            }
            for k in 0..3 {
                row[5 + k] += tracking
                    .get(world)
                    .map_or(f64::NAN, |told| f64::from((told.velocity[k] - told.command[k]).abs()));
            }
            let given = &env.reward_terms()[world * terms..(world + 1) * terms];
            row[FIGURES..].iter_mut().zip(given).for_each(|(sum, x)| *sum += f64::from(*x));
        }
    }
}

impl Tally {
    /// Those of all worlds of some parts.
    pub fn of(parts: &[Part<'_>], terms: usize, horizon: usize) -> Self {
        let mut sum = vec![0.0; FIGURES + terms];
        for row in parts.iter().flat_map(|part| part.tallies.chunks_exact(FIGURES + terms)) {
            sum.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
        }
        let worlds: usize = parts.iter().map(|part| part.worlds).sum();
        Tally {
            returns: sum[0],
            lengths: sum[1],
            episodes: sum[2],
            falls: sum[3],
            rewards: sum[4],
            errors: [sum[5], sum[6], sum[7]],
            terms: sum.split_off(FIGURES),
            steps: (worlds * horizon) as f64,
        }
    }
}
