//! How good a policy is, without the noise of exploration.

use crate::error::LearnError;
use crate::policy::Policy;
use bellcrank_sim::Precision;
use bellcrank_tasks::{Env, EnvOptions, Environment, ModelBuilder, Tracking};
use serde::Serialize;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// How it is tried.
#[derive(Clone, Debug)]
pub struct EvaluateOptions {
    /// Episodes, one per world.
    pub episodes: usize,
    /// Threads; zero for one per core.
    pub threads: usize,
    /// Of the simulation.
    pub precision: Precision,
    /// Steps of the simulation per step of the task's own.
    pub finer: usize,
    /// Of the starts, commands and pushes.
    pub seed: u64,
    /// Settings of the task that differ from those of the training.
    pub task: Vec<(String, f64)>,
    /// The robot, for tasks whose robot does not ship.
    pub robot: Option<ModelBuilder>,
}

impl Default for EvaluateOptions {
    fn default() -> Self {
        EvaluateOptions {
            episodes: 1000,
            threads: 0,
            precision: Precision::F32,
            finer: 1,
            seed: 1_000_000,
            task: Vec::new(),
            robot: None,
        }
    }
}

/// What came out, under the names that scripts rely on.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Evaluation {
    /// Episodes that were run.
    pub episodes: usize,
    /// Part of them that ended by a fall.
    pub fall_fraction: f64,
    /// Mean absolute error of the velocity over one gait cycle [m/s]; null for tasks without commands.
    pub forward_error_mps: Option<f64>,
    /// See above.
    pub sideways_error_mps: Option<f64>,
    /// Of the turning rate [rad/s].
    pub turn_error_radps: Option<f64>,
    /// The same at every instant, sway of the gait and all: forward, sideways [m/s], turning [rad/s].
    pub instant_error: Option<[f64; 3]>,
    /// Mean reward of an action.
    pub reward_mean: f64,
    /// Mean return of an episode.
    pub return_mean: f64,
    /// Mean mechanical power of all motors [W].
    pub power_w: Option<f64>,
    /// Pushes, and the part of them that no fall followed within two seconds.
    pub pushes: usize,
    /// See above.
    pub pushes_survived_fraction: Option<f64>,
}

impl Evaluation {
    /// As `bellcrank evaluate --json` prints it.
    pub fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }
}

/// A gait cycle [s]: errors are means over windows of this length.
const WINDOW: f64 = 0.7;
/// The start is left out [s].
const START: f64 = 1.0;
/// A fall so soon after a push counts as its doing [s].
const AFTERMATH: f64 = 2.0;

/// One world's episode.
#[derive(Clone, Default)]
struct Trial {
    over: bool,
    fell: bool,
    total: f64,
    steps: usize,
    window: [f64; 3],
    windows: Vec<[f64; 3]>,
    instant: [f64; 3],
    power: f64,
    tracked: usize,
    pushed: Vec<usize>,
}

impl Trial {
    /// What the last action led to.
    fn add(&mut self, env: &dyn Environment, world: usize, seconds: f64) {
        self.steps += 1;
        self.total += f64::from(env.rewards()[world]);
        if env.pushed().get(world) == Some(&true) {
            self.pushed.push(self.steps);
        }
        if let Some(tracking) = env.tracking().get(world) {
            self.track(tracking, seconds);
        }
        self.fell = env.terminated()[world];
        self.over = self.fell || env.truncated()[world];
    }

    fn track(&mut self, tracking: &Tracking, seconds: f64) {
        let length = (WINDOW / seconds).round() as usize;
        let start = (START / seconds).round() as usize;
        if self.steps <= start {
            return;
        }
        self.tracked += 1;
        self.power += f64::from(tracking.power);
        for k in 0..3 {
            let error = f64::from(tracking.velocity[k] - tracking.command[k]);
            self.window[k] += error;
            self.instant[k] += error.abs();
        }
        if self.tracked.is_multiple_of(length) {
            self.windows.push(std::mem::take(&mut self.window).map(|sum| (sum / length as f64).abs()));
        }
    }
}

/// Runs one episode per world. Ends early, with the episodes as far as they are, when `stop` becomes true.
///
/// # Errors
/// When the policy does not fit its task.
pub fn evaluate(
    policy: &Policy,
    path: &Path,
    options: &EvaluateOptions,
    stop: &AtomicBool,
    progress: impl FnMut(f64),
) -> Result<Evaluation, LearnError> {
    let mut env = environment(policy, path, options)?;
    evaluate_in(policy, &mut env, options.threads, stop, progress)
}

/// The same in worlds that somebody else has made and reset.
///
/// # Errors
/// When the policy does not fit them.
pub fn evaluate_in(
    policy: &Policy,
    env: &mut dyn Environment,
    threads: usize,
    stop: &AtomicBool,
    mut progress: impl FnMut(f64),
) -> Result<Evaluation, LearnError> {
    let spec = env.spec();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|error| LearnError::Threads(error.to_string()))?;
    let seconds = spec.dt * spec.decimation as f64;
    let mut trials = vec![Trial::default(); env.worlds()];
    for step in 0..spec.episode_steps {
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let seen = env.observations();
        let actions = pool.install(|| policy.act(seen))?;
        env.step(&actions)?;
        for (world, trial) in trials.iter_mut().enumerate().filter(|(_, trial)| !trial.over) {
            trial.add(env, world, seconds);
        }
        progress((step + 1) as f64 / spec.episode_steps as f64);
    }
    Ok(summed(&trials, !env.tracking().is_empty(), seconds))
}

/// The policy's task with the settings of its training but for those that are asked for.
fn environment(policy: &Policy, path: &Path, options: &EvaluateOptions) -> Result<Env, LearnError> {
    let env_options = EnvOptions {
        worlds: options.episodes.max(1),
        threads: options.threads,
        precision: options.precision,
        autoreset: true,
        finer: options.finer,
        first_world: 0,
    };
    let mut settings = policy.config.task_settings();
    settings.extend(options.task.iter().cloned());
    let mut env = Env::with_settings(policy.choice(options.robot.clone()), env_options, &settings)?;
    policy.check_task(&policy.task, env.spec(), path)?;
    env.reset(Some(options.seed))?;
    Ok(env)
}

fn summed(trials: &[Trial], tracks: bool, seconds: f64) -> Evaluation {
    let sum = |of: &dyn Fn(&Trial) -> f64| trials.iter().map(of).sum::<f64>();
    let count = trials.len() as f64;
    let tracked = sum(&|t| t.tracked as f64).max(1.0);
    let windows = sum(&|t| t.windows.len() as f64).max(1.0);
    let mean = |k: usize| tracks.then(|| sum(&|t| t.windows.iter().map(|w| w[k]).sum()) / windows);
    let instant = [0, 1, 2].map(|k| sum(&|t| t.instant[k]) / tracked);
    let aftermath = (AFTERMATH / seconds) as usize;
    let fatal = |t: &Trial| t.pushed.iter().filter(|at| t.fell && t.steps < **at + aftermath).count();
    let pushes: usize = trials.iter().map(|t| t.pushed.len()).sum();
    let deaths: usize = trials.iter().map(fatal).sum();
    Evaluation {
        episodes: trials.len(),
        fall_fraction: sum(&|t| if t.fell { 1.0 } else { 0.0 }) / count,
        forward_error_mps: mean(0),
        sideways_error_mps: mean(1),
        turn_error_radps: mean(2),
        instant_error: tracks.then_some(instant),
        reward_mean: sum(&|t| t.total) / sum(&|t| t.steps as f64).max(1.0),
        return_mean: sum(&|t| t.total) / count,
        power_w: tracks.then(|| sum(&|t| t.power) / tracked),
        pushes,
        pushes_survived_fraction: (pushes > 0).then(|| 1.0 - deaths as f64 / pushes as f64),
    }
}
