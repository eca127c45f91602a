//! What all worlds did in one horizon, gathered from its parts and judged.

use crate::advantage::{Outcomes, advantages};
use crate::agent::Agent;
use crate::config::Config;
use crate::normaliser::Scale;
use crate::part::{CUT, GOES_ON, Part};
use rayon::prelude::*;

/// Rows of all steps and worlds, step after step; worlds in the order of their numbers.
#[derive(Default)]
pub(crate) struct Rollout {
    pub worlds: usize,
    /// Normalised.
    pub observations: Vec<f32>,
    pub actions: Vec<f32>,
    pub means: Vec<f32>,
    pub log_densities: Vec<f32>,
    pub advantages: Vec<f32>,
    pub returns: Vec<f32>,
    /// By world: those of the policy that acted in it.
    pub log_deviations: Vec<f32>,
    rewards: Vec<f32>,
    values: Vec<f32>,
    ended: Vec<bool>,
    /// Normalised, after the last action.
    after: Vec<f32>,
    /// Episodes that were cut off: row, and their last observation, normalised.
    cut: Vec<usize>,
    cut_observations: Vec<f32>,
}

impl Rollout {
    /// Takes over what the worlds of some parts did, in the parts' order.
    pub fn gather(&mut self, parts: &[Part<'_>], scale: &Scale, config: &Config) {
        let n = scale.mean.len();
        self.worlds = parts.iter().map(|part| part.worlds).sum();
        let rows = self.worlds * config.horizon;
        let m = parts.first().map_or(0, |part| part.log_deviations.len());
        self.observations.resize(rows * n, 0.0);
        self.actions.resize(rows * m, 0.0);
        self.means.resize(rows * m, 0.0);
        self.log_densities.resize(rows, 0.0);
        self.rewards.resize(rows, 0.0);
        self.ended.resize(rows, false);
        let copy = |to: &mut [f32], from: &[f32]| to.copy_from_slice(from);
        let worlds: Vec<usize> = parts.iter().map(|part| part.worlds).collect();
        let scaled = |to: &mut [f32], from: &[f32]| {
            to.iter_mut().zip(from).for_each(|(to, from)| *to = config.reward_scale * from);
        };
        spread(&mut self.observations, n, (&worlds, &lists(parts, |p| &p.observations)), |x, seen| {
            scale.apply(seen, x);
        });
        spread(&mut self.actions, m, (&worlds, &lists(parts, |p| &p.actions)), copy);
        spread(&mut self.means, m, (&worlds, &lists(parts, |p| &p.means)), copy);
        spread(&mut self.log_densities, 1, (&worlds, &lists(parts, |p| &p.log_densities)), copy);
        spread(&mut self.rewards, 1, (&worlds, &lists(parts, |p| &p.rewards)), scaled);
        self.take_ends(parts, scale);
    }

    fn take_ends(&mut self, parts: &[Part<'_>], scale: &Scale) {
        let n = scale.mean.len();
        self.after.resize(self.worlds * n, 0.0);
        self.log_deviations.clear();
        let mut cut = Vec::new();
        let mut first = 0;
        for part in parts {
            let mut last_seen = part.cut_observations.chunks_exact(n);
            for (k, end) in part.ends.iter().enumerate() {
                let row = k / part.worlds * self.worlds + first + k % part.worlds;
                self.ended[row] = *end != GOES_ON;
                if *end == CUT {
                    cut.push((row, last_seen.next().unwrap_or_default()));
                }
            }
            let last = &part.observations[part.observations.len() - part.worlds * n..];
            scale.apply(last, &mut self.after[first * n..(first + part.worlds) * n]);
            (0..part.worlds).for_each(|_| self.log_deviations.extend_from_slice(&part.log_deviations));
            first += part.worlds;
        }
        cut.sort_unstable_by_key(|(row, _)| *row);
        self.cut = cut.iter().map(|(row, _)| *row).collect();
        self.cut_observations.resize(cut.len() * n, 0.0);
        let places = self.cut_observations.chunks_exact_mut(n);
        places.zip(cut).for_each(|(x, (_, seen))| scale.apply(seen, x));
    }

    /// Advantages and returns.
    pub fn estimate(&mut self, agent: &Agent, config: &Config) {
        let rows = self.rewards.len();
        self.values.resize(rows + self.worlds, 0.0);
        let (now, later) = self.values.split_at_mut(rows);
        agent.values(&self.observations, now);
        agent.values(&self.after, later);
        let mut last = vec![0.0; self.cut.len()];
        agent.values(&self.cut_observations, &mut last);
        for (row, value) in self.cut.iter().zip(last) {
            self.rewards[*row] += config.discount * value;
        }
        let outcomes = Outcomes {
            rewards: &self.rewards,
            values: &self.values,
            ended: &self.ended,
            worlds: self.worlds,
        };
        self.advantages = advantages(&outcomes, config.discount, config.trace);
        self.returns.clear();
        self.returns.extend(self.advantages.iter().zip(&self.values).map(|(a, v)| a + v));
        standardise(&mut self.advantages);
    }

    /// Logarithms of the deviations of the policy that acted in a row.
    pub fn deviations_of(&self, row: usize) -> &[f32] {
        let m = self.log_deviations.len() / self.worlds;
        let world = row % self.worlds;
        &self.log_deviations[world * m..(world + 1) * m]
    }
}

/// One array of every part.
fn lists<'a>(parts: &'a [Part<'_>], list: impl Fn(&'a Part<'_>) -> &'a [f32]) -> Vec<&'a [f32]> {
    parts.iter().map(list).collect()
}

/// Puts rows of `width` numbers of some parts, that many worlds each, beside each other, step by step.
fn spread(
    out: &mut [f32],
    width: usize,
    (worlds, lists): (&[usize], &[&[f32]]),
    take: impl Fn(&mut [f32], &[f32]) + Sync,
) {
    let total: usize = worlds.iter().sum();
    out.par_chunks_exact_mut(total * width).enumerate().for_each(|(step, mut out)| {
        for (list, count) in lists.iter().zip(worlds) {
            let (here, rest) = std::mem::take(&mut out).split_at_mut(count * width);
            take(here, &list[step * count * width..(step + 1) * count * width]);
            out = rest;
        }
    });
}

/// Mean zero, deviation one.
fn standardise(values: &mut [f32]) {
    let count = values.len() as f64;
    let mean = values.iter().map(|x| f64::from(*x)).sum::<f64>() / count;
    let variance = values.iter().map(|x| (f64::from(*x) - mean).powi(2)).sum::<f64>() / count;
    let factor = 1.0 / (variance.sqrt() + 1e-8);
    values.iter_mut().for_each(|x| *x = ((f64::from(*x) - mean) * factor) as f32);
}
