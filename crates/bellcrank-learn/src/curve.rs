//! Figures of a training, update by update.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// One update.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// Its number, from one.
    pub update: u64,
    /// Actions so far, of all worlds.
    pub transitions: u64,
    /// Time so far [s].
    pub seconds: f64,
    /// Of this update.
    pub transitions_per_second: f64,
    /// Part of the time that learning took; the rest is simulation.
    pub learner_share: f64,
    /// Episodes that ended, and those of them that ended by a fall.
    pub episodes: f64,
    /// See above.
    pub falls: f64,
    /// Sums of returns and of lengths [actions] of the episodes that ended.
    pub return_sum: f64,
    /// See above.
    pub length_sum: f64,
    /// Mean reward of an action.
    pub reward_mean: f64,
    /// Mean absolute error, at every instant, of forward and sideways velocity [m/s] and turning rate [rad/s].
    pub tracking_error: Option<[f64; 3]>,
    /// Means over minibatches.
    pub policy_loss: f64,
    /// See above.
    pub value_loss: f64,
    /// See above.
    pub mirror_loss: f64,
    /// See above.
    pub kl: f64,
    /// At the end of the update.
    pub learning_rate: f64,
    /// Mean standard deviation of the actions.
    pub deviation: f64,
    /// Mean of every term of the reward.
    pub terms: BTreeMap<String, f64>,
}

impl Record {
    /// As in a run's `curve.json`.
    pub fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }
}

/// Updates back that a mean looks.
const RECENT: usize = 20;

/// Means of the last episodes: return, length, part that fell.
pub(crate) fn recent(curve: &[Record]) -> Option<[f64; 3]> {
    let last = &curve[curve.len().saturating_sub(RECENT)..];
    let sum = |of: fn(&Record) -> f64| last.iter().map(of).sum::<f64>();
    let episodes = sum(|r| r.episodes);
    (episodes > 0.0).then(|| {
        [sum(|r| r.return_sum) / episodes, sum(|r| r.length_sum) / episodes, sum(|r| r.falls) / episodes]
    })
}
