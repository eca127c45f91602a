//! A trained policy: networks, normalisation, and where it comes from; in one file.

use crate::agent::evaluate;
use crate::config::Config;
use crate::error::LearnError;
use crate::network::Network;
use crate::normaliser::Scale;
use crate::tensors::{Tensors, read_regular, write_whole};
use bellcrank_tasks::{Choice, Env, EnvOptions, ModelBuilder};
use rayon::prelude::*;
use std::path::{Path, PathBuf};

/// What a file of ours says it is.
const FORMAT: &str = "bellcrank policy";
/// Versions of that; a reader takes its own only.
const VERSION: &str = "1";
/// Bounds of the networks that are read: files are not trusted.
const MOST_LAYERS: usize = 32;
const WIDEST_LAYER: usize = 1 << 16;
const AGAIN: &str = "train it anew (`bellcrank train`), or copy the file again";

/// Policies in the box, by name.
const SHIPPED: &[(&str, &[u8])] = &[("biped_walk", include_bytes!("../policies/biped_walk.safetensors"))];

/// What acts: means of actions for observations.
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Name of the task it was trained on.
    pub task: String,
    /// How it was trained.
    pub config: Config,
    /// Of the training.
    pub seed: u64,
    /// Actions that it learned from.
    pub transitions: u64,
    pub(crate) network: Network,
    pub(crate) parameters: Vec<f32>,
    pub(crate) log_deviations: Vec<f32>,
    pub(crate) scale: Scale,
}

impl Policy {
    /// Numbers per observation and per action.
    pub fn ends(&self) -> (usize, usize) {
        self.network.ends()
    }

    /// Actions for rows of observations, within −1 and 1, by the threads of the pool that calls.
    ///
    /// # Errors
    /// When the observations do not make whole rows.
    pub fn act(&self, observations: &[f32]) -> Result<Vec<f32>, LearnError> {
        let (n, m) = self.ends();
        if !observations.len().is_multiple_of(n) {
            return Err(LearnError::WrongObservations { found: observations.len(), expected: n });
        }
        let mut x = vec![0.0; observations.len()];
        x.par_chunks_mut(256 * n)
            .zip(observations.par_chunks(256 * n))
            .for_each(|(x, seen)| self.scale.apply(seen, x));
        let mut actions = vec![0.0; observations.len() / n * m];
        evaluate(&self.network, &self.parameters, &x, &mut actions);
        actions.iter_mut().for_each(|a| *a = a.clamp(-1.0, 1.0));
        Ok(actions)
    }

    /// Writes it to a file: the old one stays until the new one is whole.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), LearnError> {
        write_whole(path, &self.to_bytes())
    }

    /// The file's bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut tensors = Tensors::default();
        for (l, (inputs, outputs, first, bias)) in self.network.layers().into_iter().enumerate() {
            tensors.put_f32(&format!("actor.{l}.weight"), &[outputs, inputs], &self.parameters[first..bias]);
            tensors.put_f32(&format!("actor.{l}.bias"), &[outputs], &self.parameters[bias..bias + outputs]);
        }
        let (n, m) = self.ends();
        tensors.put_f32("log_deviation", &[m], &self.log_deviations);
        tensors.put_f32("observation_mean", &[n], &self.scale.mean);
        tensors.put_f32("observation_inverse_deviation", &[n], &self.scale.inverse);
        tensors.put_text("format", FORMAT);
        tensors.put_text("version", VERSION);
        tensors.put_text("task", &self.task);
        tensors.put_text("sizes", serde_json::json!(self.network.sizes()));
        tensors.put_text("config", self.config.to_toml());
        tensors.put_text("seed", self.seed);
        tensors.put_text("transitions", self.transitions);
        tensors.to_bytes()
    }

    /// A file, or the policy of that name that ships; with the path that errors name.
    ///
    /// # Errors
    /// As those of [`Policy::load`].
    pub fn open(name: &str) -> Result<(Self, PathBuf), LearnError> {
        let path = PathBuf::from(name);
        let policy = match SHIPPED.iter().find(|(known, _)| *known == name) {
            Some((_, bytes)) if !path.exists() => Self::from_bytes(bytes)
                .map_err(|what| LearnError::BadFile { path: path.clone(), what, hint: AGAIN })?,
            _ => Self::load(&path)?,
        };
        Ok((policy, path))
    }

    /// Its task, with the robot that the user brings where it does not ship.
    pub fn choice(&self, robot: Option<ModelBuilder>) -> Choice {
        Choice { name: self.task.clone(), robot, draw_poses: None }
    }

    /// Step of the simulation of its task [s].
    ///
    /// # Errors
    /// When there is no such task any more, or its robot is missing.
    pub fn step(&self, robot: Option<ModelBuilder>) -> Result<f64, LearnError> {
        Ok(Env::new(self.choice(robot), EnvOptions::default())?.spec().dt)
    }

    /// Settings of the task that it was trained with.
    pub fn settings(&self) -> Vec<(String, f64)> {
        self.config.task_settings()
    }

    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is damaged, or is no policy of this version.
    pub fn load(path: &Path) -> Result<Self, LearnError> {
        let bytes =
            read_regular(path).map_err(|error| LearnError::CannotRead { path: path.to_owned(), error })?;
        Self::from_bytes(&bytes).map_err(|what| LearnError::BadFile {
            path: path.to_owned(),
            what,
            hint: AGAIN,
        })
    }

    /// Reads the bytes of a file; says what is wrong with them.
    ///
    /// # Errors
    /// When they are damaged, or no policy of this version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let tensors = Tensors::from_bytes(bytes)?;
        check_format(&tensors, FORMAT, VERSION)?;
        let sizes: Vec<usize> =
            serde_json::from_str(tensors.text("sizes")?).map_err(|error| format!("\"sizes\": {error}"))?;
        let [inputs, hidden @ .., outputs] = sizes.as_slice() else {
            return Err("\"sizes\" names no layers".into());
        };
        if sizes.len() > MOST_LAYERS || sizes.iter().any(|size| !(1..=WIDEST_LAYER).contains(size)) {
            return Err(format!(
                "\"sizes\": {MOST_LAYERS} layers of 1 to {WIDEST_LAYER} numbers are the most"
            ));
        }
        let network = Network::new(*inputs, hidden, *outputs);
        let mut parameters = Vec::new();
        for (l, (inputs, outputs, ..)) in network.layers().into_iter().enumerate() {
            parameters.extend(tensors.f32(&format!("actor.{l}.weight"), inputs * outputs)?);
            parameters.extend(tensors.f32(&format!("actor.{l}.bias"), outputs)?);
        }
        let scale = Scale {
            mean: tensors.f32("observation_mean", *inputs)?,
            inverse: tensors.f32("observation_inverse_deviation", *inputs)?,
        };
        let task = tensors.text("task")?.to_owned();
        let config = Config::read(&task, tensors.text("config")?).map_err(|error| error.to_string())?;
        let log_deviations = tensors.f32("log_deviation", *outputs)?;
        if !parameters.iter().chain(&scale.mean).chain(&scale.inverse).all(|x| x.is_finite()) {
            return Err("a number is not finite".into());
        }
        let (seed, transitions) = (tensors.number("seed")?, tensors.number("transitions")?);
        Ok(Policy { task, config, seed, transitions, network, parameters, log_deviations, scale })
    }

    /// Whether it fits a task.
    ///
    /// # Errors
    /// When it was trained on another, or on one with other observations or actions.
    pub fn check_task(&self, task: &str, spec: bellcrank_tasks::Spec, path: &Path) -> Result<(), LearnError> {
        let ends = (spec.observation_count, spec.action_count);
        let what = if self.task != task {
            format!("the policy was trained on {:?}, not on {task:?}", self.task)
        } else if self.ends() != ends {
            format!(
                "the policy has {:?} observations and actions, {task:?} has {ends:?}: it is of another version",
                self.ends()
            )
        } else {
            return Ok(());
        };
        Err(LearnError::BadFile { path: path.to_owned(), what, hint: AGAIN })
    }
}

/// A file of ours, of the version at hand.
pub(crate) fn check_format(tensors: &Tensors, format: &str, version: &str) -> Result<(), String> {
    match (tensors.text("format"), tensors.text("version")) {
        (Ok(found), Ok(number)) if found == format && number == version => Ok(()),
        (Ok(found), Ok(number)) if found == format => {
            Err(format!("it is a {format} of version {number}; this program reads version {version}"))
        }
        _ => Err(format!("it is a safetensors file, but no {format}")),
    }
}
