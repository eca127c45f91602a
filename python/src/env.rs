//! `bellcrank._native.Env`: worlds of a learning task behind a lock, and the same worlds as a batch.
//!
//! A step that takes long runs on a thread of its own, so that Ctrl-C is seen at once: the step is then finished in the
//! background, and whoever uses the environment next waits for it. Between calls the worlds are in the hands of
//! `bellcrank._native.Batch`, so that they can be read, written, recorded and shown.

use crate::batch::{Batch, PATIENCE};
use crate::checks::in_use;
use crate::error::{Problem, broken, said};
use crate::held::{Held, Onlookers, Shared};
use crate::model::Model;
use crate::settings::read_precision;
use bellcrank::import::{Options, load_builder};
use bellcrank::sim::{self, BatchOptions, Precision};
use bellcrank::starts::safe_poses;
use bellcrank::tasks::{self, Choice, EnvOptions, ModelBuilder, TASKS};
use bellcrank::view::ViewError;
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

#[pyclass(frozen, module = "bellcrank._native", name = "Env")]
pub struct Env {
    /// Locked before the worlds are.
    inner: Arc<Mutex<tasks::Env>>,
    worlds: Arc<Shared>,
    precision: Precision,
    spec: tasks::Spec,
    /// Whether the last step was too long to wait for with closed ears; so is the first, for all we know.
    slow: AtomicBool,
    /// A step that was interrupted may still be running.
    left_alone: AtomicBool,
}

/// An array to fill.
type Out<'a, 'py, T> = &'a Bound<'py, PyArrayDyn<T>>;

impl Env {
    fn lock(&self, py: Python<'_>) -> PyResult<MutexGuard<'_, tasks::Env>> {
        loop {
            match self.inner.try_lock() {
                Ok(guard) => {
                    self.left_alone.store(false, Ordering::Relaxed);
                    return Ok(guard);
                }
                Err(TryLockError::Poisoned(poisoned)) => return Ok(poisoned.into_inner()),
                Err(TryLockError::WouldBlock) if self.left_alone.load(Ordering::Relaxed) => {
                    py.detach(|| std::thread::sleep(GLANCE));
                    py.check_signals()?;
                }
                Err(TryLockError::WouldBlock) => {
                    let hint = "one thread at a time: give each thread an environment of its own";
                    return Err(said("BatchBusy", "another thread is using this environment", hint));
                }
            }
        }
    }

    /// One action per world.
    fn act(&self, py: Python<'_>, actions: &[f32]) -> PyResult<()> {
        let begin = Instant::now();
        let done = if self.slow.load(Ordering::Relaxed) {
            drop(self.lock(py)?);
            self.act_aside(py, actions.to_vec())
        } else {
            let mut guard = self.lock(py)?;
            let env: &mut tasks::Env = &mut guard;
            let mut worlds = self.worlds.lock(py)?;
            let held = worlds.get()?;
            Ok(py.detach(|| step(env, held, actions))?)
        };
        self.slow.store(begin.elapsed() > PATIENCE, Ordering::Relaxed);
        done
    }

    /// The same on a thread of its own.
    fn act_aside(&self, py: Python<'_>, actions: Vec<f32>) -> PyResult<()> {
        let (env, worlds) = (self.inner.clone(), self.worlds.clone());
        let work = move || {
            let mut env = env.lock().unwrap_or_else(PoisonError::into_inner);
            worlds.wait(|held| step(&mut env, held, &actions))
        };
        let thread = std::thread::Builder::new().name("step".into()).spawn(work);
        let thread = thread.map_err(|error| said("Threads", error.to_string(), ""))?;
        while !thread.is_finished() {
            py.detach(|| std::thread::sleep(GLANCE));
            if let Err(signal) = py.check_signals() {
                self.left_alone.store(true, Ordering::Relaxed);
                return Err(signal);
            }
        }
        let done = thread.join().map_err(|_| broken("the thread of a step ended early"))?;
        Ok(done.ok_or_else(|| said("BatchClosed", "the environment's batch is closed", "make a new one"))??)
    }

    /// Something that needs the worlds and does not take long; fills the observations.
    fn with_worlds(
        &self,
        py: Python<'_>,
        observations: Out<'_, '_, f32>,
        work: impl FnOnce(&mut tasks::Env) -> Result<(), tasks::EnvError> + Send,
    ) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let env: &mut tasks::Env = &mut guard;
        let mut worlds = self.worlds.lock(py)?;
        let held = worlds.get()?;
        py.detach(|| held.lend(env, |env, _| work(env))).map_err(Problem::from)?;
        fill(observations, env.observations())
    }
}

/// Between two looks for Ctrl-C.
pub const GLANCE: Duration = Duration::from_millis(1);

/// The robot of a task whose robot does not ship, from its file.
pub fn brought(file: Option<PathBuf>) -> PyResult<Option<ModelBuilder>> {
    let read = |path: PathBuf| load_builder(path, &Options::default());
    Ok(file.map(read).transpose().map_err(Problem::from)?)
}

/// One action per world, with whoever looks on.
fn step(env: &mut tasks::Env, held: &mut Held, actions: &[f32]) -> Result<(), Problem> {
    let mut trouble: Option<ViewError> = None;
    let mut advance = |onlookers: &mut Onlookers<'_>, batch: &mut sim::Batch, count: usize| {
        let mut left = count;
        while left > 0 && trouble.is_none() {
            match onlookers.advance(batch, left) {
                Ok(done) => left -= done,
                Err(error) => trouble = Some(error),
            }
        }
    };
    let act = |env: &mut tasks::Env, onlookers: &mut Onlookers<'_>| {
        env.step_by(actions, &mut |batch, count| advance(onlookers, batch, count))
    };
    held.lend(env, act)?;
    trouble.map_or(Ok(()), |error| Err(error.into()))
}

#[pymethods]
impl Env {
    #[new]
    fn new(
        py: Python<'_>,
        task: &str,
        worlds: usize,
        how: (usize, String, bool, Option<PathBuf>, usize),
        settings: Vec<(String, f64)>,
    ) -> PyResult<Self> {
        let (threads, precision, autoreset, robot, random_poses) = how;
        let task = Choice { name: task.to_owned(), robot: brought(robot)?, draw_poses: None };
        let precision = read_precision(&precision)?;
        let options = EnvOptions { worlds, threads, precision, autoreset, ..EnvOptions::default() };
        let made = py.detach(|| -> Result<_, Problem> {
            let mut env = tasks::Env::with_settings(task, options, &settings)?;
            if random_poses > 0 {
                let wrong = |why| {
                    Problem::Said("WrongValue", why, "begin in the task's own poses: random_poses=0".into())
                };
                let poses = safe_poses(env.model(), random_poses).map_err(wrong)?;
                env.begin_from(&poses)?;
            }
            // stands in the environment while the worlds are somewhere else
            let small = BatchOptions { threads: 1, ..BatchOptions::default() };
            let mut batch = sim::Batch::new(env.model().clone(), 1, small)?;
            env.exchange_worlds(&mut batch);
            Ok((env, Shared::new(batch)))
        });
        let (inner, worlds) = made?;
        Ok(Env {
            spec: inner.spec(),
            inner: Arc::new(Mutex::new(inner)),
            worlds,
            precision,
            slow: AtomicBool::new(true),
            left_alone: AtomicBool::new(false),
        })
    }

    /// The worlds as a batch.
    fn batch(&self) -> Batch {
        Batch::of(self.worlds.clone(), self.precision)
    }

    /// The robot.
    fn model(&self, py: Python<'_>) -> PyResult<Model> {
        Ok(Model::shared(self.lock(py)?.model().clone()))
    }

    #[getter]
    fn observation_count(&self) -> usize {
        self.spec.observation_count
    }

    #[getter]
    fn action_count(&self) -> usize {
        self.spec.action_count
    }

    #[getter]
    fn episode_steps(&self) -> usize {
        self.spec.episode_steps
    }

    /// Step of the simulation [s].
    #[getter]
    fn dt(&self) -> f64 {
        self.spec.dt
    }

    /// Time per action [s].
    #[getter]
    fn seconds_per_action(&self) -> f64 {
        self.spec.dt * self.spec.decimation as f64
    }

    /// Names of the terms that a reward is the sum of.
    fn reward_term_names(&self, py: Python<'_>) -> PyResult<Vec<&'static str>> {
        Ok(self.lock(py)?.reward_term_names().to_vec())
    }

    #[pyo3(signature = (seed, observations))]
    fn reset(&self, py: Python<'_>, seed: Option<u64>, observations: Out<'_, '_, f32>) -> PyResult<()> {
        self.with_worlds(py, observations, |env| env.reset(seed))
    }

    /// New episodes in some worlds.
    fn reset_worlds(
        &self,
        py: Python<'_>,
        worlds: Vec<usize>,
        observations: Out<'_, '_, f32>,
    ) -> PyResult<()> {
        self.with_worlds(py, observations, |env| env.reset_worlds(&worlds))
    }

    /// Makes worlds of different age, so that they are not all cut off at once.
    fn stagger(&self, py: Python<'_>) -> PyResult<()> {
        let mut env = self.lock(py)?;
        let mut worlds = self.worlds.lock(py)?;
        worlds.get()?.lend(&mut env, |env, _| env.stagger());
        Ok(())
    }

    /// Gives robots commands: forward and sideways velocity [m/s], turning rate [rad/s], by world.
    fn tell(
        &self,
        py: Python<'_>,
        commands: Vec<(usize, [f32; 3])>,
        observations: Out<'_, '_, f32>,
    ) -> PyResult<()> {
        self.with_worlds(py, observations, |env| {
            commands.iter().try_for_each(|(world, command)| env.tell(*world, *command))
        })
    }

    /// One action per world; `tables` are the observations of the new episodes, those of the ended ones, and the terms of the rewards.
    fn step(
        &self,
        py: Python<'_>,
        actions: Out<'_, '_, f32>,
        tables: [Bound<'_, PyArrayDyn<f32>>; 3],
        rewards: Out<'_, '_, f32>,
        ended: [Bound<'_, PyArrayDyn<bool>>; 2],
    ) -> PyResult<()> {
        let borrowed = actions.try_readonly().map_err(|_| in_use("actions"))?;
        let actions = borrowed.as_slice().map_err(|_| wrong())?.to_vec(); // others may write meanwhile
        drop(borrowed);
        self.act(py, &actions)?;
        let env = self.lock(py)?;
        fill(&tables[0], env.observations())?;
        fill(&tables[1], env.final_observations())?;
        fill(&tables[2], env.reward_terms())?;
        fill(rewards, env.rewards())?;
        fill(&ended[0], env.terminated())?;
        fill(&ended[1], env.truncated())
    }
}

fn wrong() -> PyErr {
    said("WrongShape", "arrays must be C-contiguous, writable and of the environment's shapes", "")
}

fn fill<T: numpy::Element + Copy>(out: Out<'_, '_, T>, values: &[T]) -> PyResult<()> {
    let mut out = out.try_readwrite().map_err(|_| wrong())?;
    let out = out.as_slice_mut().map_err(|_| wrong())?;
    if out.len() != values.len() {
        return Err(wrong());
    }
    out.copy_from_slice(values);
    Ok(())
}

/// The tasks: name and one line about each.
#[pyfunction]
pub fn tasks_known() -> Vec<(&'static str, &'static str)> {
    TASKS.iter().map(|(name, about, _)| (*name, *about)).collect()
}
