//! How a policy learns: the settings, and files of them.

use crate::error::LearnError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The settings of proximal policy optimisation [Schulman et al. 2017] and of the task. Files are TOML with the same names;
/// what a file does not name has the value that suits the task.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Config {
    /// Number of worlds.
    pub worlds: usize,
    /// Actions per world and update.
    pub horizon: usize,
    /// Passes over the data of an update.
    pub epochs: usize,
    /// Parts that a pass is divided into.
    pub minibatches: usize,
    /// γ
    pub discount: f32,
    /// λ of generalised advantage estimation.
    pub trace: f32,
    /// ε: probabilities of actions change by this part before the objective is cut.
    pub clip: f32,
    /// Kullback–Leibler divergence of an update that the learning rate is steered to.
    pub target_kl: f32,
    /// Learning rate at the start, and its bounds.
    pub learning_rate: f32,
    /// Smallest and largest learning rate.
    pub learning_rate_range: [f32; 2],
    /// Weight of the entropy.
    pub entropy: f32,
    /// Gradients are shortened to this length, actor and critic each.
    pub gradient_length: f32,
    /// Rewards are multiplied by this.
    pub reward_scale: f32,
    /// Sizes of the hidden layers, actor and critic alike.
    pub hidden: Vec<usize>,
    /// Standard deviation of actions at the start, and the smallest and largest that are allowed.
    pub deviation: f32,
    /// Bounds of the deviation.
    pub deviation_range: [f32; 2],
    /// Weight of the difference between what the policy does and the mirror image of what it does in the mirror image; zero for
    /// none. Tasks without symmetry ignore it.
    pub mirror: f32,
    /// Part of the rows that the mirror image is worked out for.
    pub mirror_share: f32,
    /// Updates after which training ends; zero for no end but the time.
    pub updates: u64,
    /// Episodes begin in one of so many safe random poses, drawn once; zero for the task's own.
    #[serde(skip_serializing_if = "is_zero")]
    pub random_poses: usize,
    /// Settings of the task, by name.
    pub task: BTreeMap<String, f64>,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Default for Config {
    fn default() -> Self {
        Config {
            worlds: 1024,
            horizon: 16,
            epochs: 5,
            minibatches: 4,
            discount: 0.99,
            trace: 0.95,
            clip: 0.2,
            target_kl: 0.015,
            learning_rate: 1e-3,
            learning_rate_range: [1e-5, 5e-3],
            entropy: 0.002,
            gradient_length: 1.0,
            reward_scale: 0.1,
            hidden: vec![128, 128, 64],
            deviation: 0.35,
            deviation_range: [0.05, 1.0],
            mirror: 1.0,
            mirror_share: 0.5,
            updates: 0,
            random_poses: 0,
            task: BTreeMap::new(),
        }
    }
}

impl Config {
    /// What suits a task of ours; the defaults for any other.
    pub fn of_task(task: &str) -> Self {
        match task {
            "cartpole_swing_up" => Config {
                worlds: 128,
                horizon: 32,
                hidden: vec![64, 64],
                mirror: 0.0,
                reward_scale: 0.1,
                entropy: 0.001,
                ..Config::default()
            },
            // two motors only: a small network will do
            "jansen_walk" => Config { worlds: 512, hidden: vec![64, 64], ..Config::default() },
            // nothing is won by small motions: a robot that lies has to roll
            "quadruped_get_up" => Config { deviation: 0.45, entropy: 0.001, ..Config::default() },
            _ => Config::default(),
        }
    }

    /// Reads a file's text over what suits the task.
    ///
    /// # Errors
    /// When it is no TOML, names something unknown, or a value makes no sense.
    pub fn read(task: &str, text: &str) -> Result<Self, LearnError> {
        let bad =
            |error: &dyn std::fmt::Display| LearnError::BadConfig(error.to_string().trim_end().to_owned());
        let given: toml::Table = text.parse().map_err(|error: toml::de::Error| bad(&error))?;
        // a file's own line numbers are in the error of the whole text, so unknown names are found in it first
        toml::from_str::<Config>(text).map_err(|error| bad(&error))?;
        let mut table = toml::Table::try_from(Config::of_task(task)).map_err(|error| bad(&error))?;
        table.extend(given);
        let config: Config = table.try_into().map_err(|error: toml::de::Error| bad(&error))?;
        config.check()?;
        Ok(config)
    }

    /// As a file.
    pub fn to_toml(&self) -> String {
        toml::to_string(self).unwrap_or_default() // numbers and texts always have a form
    }

    /// Whether every value makes sense.
    ///
    /// # Errors
    /// Names the first that does not.
    pub fn check(&self) -> Result<(), LearnError> {
        let rows = self.worlds * self.horizon;
        let counts = [self.worlds, self.horizon, self.epochs, self.minibatches];
        let shares = [self.discount, self.trace, self.clip, self.mirror_share];
        let above =
            [self.target_kl, self.learning_rate, self.gradient_length, self.reward_scale, self.deviation];
        let wrong = if counts.contains(&0) || self.hidden.contains(&0) {
            "worlds, horizon, epochs, minibatches and hidden sizes must be at least 1"
        } else if !rows.is_multiple_of(self.minibatches) {
            "worlds × horizon must be a multiple of minibatches"
        } else if !shares.iter().all(|x| (0.0..=1.0).contains(x)) {
            "discount, trace, clip and mirror_share must be between 0 and 1"
        } else if !above.iter().all(|x| *x > 0.0 && x.is_finite()) {
            "target_kl, learning_rate, gradient_length, reward_scale and deviation must be above 0"
        } else if [self.learning_rate_range, self.deviation_range]
            .iter()
            .any(|r| !(r[0] > 0.0 && r[0] <= r[1]))
        {
            "learning_rate_range and deviation_range must be above 0 and in order"
        } else if !(self.mirror >= 0.0 && self.entropy >= 0.0) {
            "mirror and entropy must be 0 or more"
        } else {
            return Ok(());
        };
        Err(LearnError::BadConfig(wrong.into()))
    }

    /// The task's settings as a list.
    pub(crate) fn task_settings(&self) -> Vec<(String, f64)> {
        self.task.iter().map(|(name, value)| (name.clone(), *value)).collect()
    }
}
