//! `bellcrank._native.Env`: worlds of a learning task behind a lock.
//!
//! A step that takes long runs on a thread of its own, so that Ctrl-C is seen at once: the step is then finished in the
//! background, and whoever uses the environment next waits for it.

use crate::batch::PATIENCE;
use crate::checks::in_use;
use crate::error::{Problem, broken, said};
use crate::settings::read_precision;
use bellcrank::tasks::{self, EnvOptions, TASKS};
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

#[pyclass(frozen, module = "bellcrank._native", name = "Env")]
pub struct Env {
    inner: Arc<Mutex<tasks::Env>>,
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
            py.detach(|| env.step(actions)).map_err(|error| Problem::from(error).into())
        };
        self.slow.store(begin.elapsed() > PATIENCE, Ordering::Relaxed);
        done
    }

    /// The same on a thread of its own.
    fn act_aside(&self, py: Python<'_>, actions: Vec<f32>) -> PyResult<()> {
        let env = self.inner.clone();
        let work = move || env.lock().unwrap_or_else(PoisonError::into_inner).step(&actions);
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
        Ok(done.map_err(Problem::from)?)
    }
}

/// Between two looks for Ctrl-C.
const GLANCE: Duration = Duration::from_millis(1);

#[pymethods]
impl Env {
    #[new]
    fn new(
        py: Python<'_>,
        task: &str,
        worlds: usize,
        threads: usize,
        precision: &str,
        autoreset: bool,
    ) -> PyResult<Self> {
        let precision = read_precision(precision)?;
        let options = EnvOptions { worlds, threads, precision, autoreset, ..EnvOptions::default() };
        let inner = py.detach(|| tasks::Env::new(task, options)).map_err(Problem::from)?;
        Ok(Env {
            spec: inner.spec(),
            inner: Arc::new(Mutex::new(inner)),
            slow: AtomicBool::new(true),
            left_alone: AtomicBool::new(false),
        })
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

    /// Time per action [s].
    #[getter]
    fn seconds_per_action(&self) -> f64 {
        self.spec.dt * self.spec.decimation as f64
    }

    #[pyo3(signature = (seed, observations))]
    fn reset(&self, py: Python<'_>, seed: Option<u64>, observations: Out<'_, '_, f32>) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let env: &mut tasks::Env = &mut guard;
        py.detach(|| env.reset(seed)).map_err(Problem::from)?;
        fill(observations, env.observations())
    }

    /// New episodes in some worlds.
    fn reset_worlds(
        &self,
        py: Python<'_>,
        worlds: Vec<usize>,
        observations: Out<'_, '_, f32>,
    ) -> PyResult<()> {
        let mut guard = self.lock(py)?;
        let env: &mut tasks::Env = &mut guard;
        py.detach(|| env.reset_worlds(&worlds)).map_err(Problem::from)?;
        fill(observations, env.observations())
    }

    /// One action per world; `observations` has two tables, those of the new episodes and those of the ended ones.
    fn step(
        &self,
        py: Python<'_>,
        actions: Out<'_, '_, f32>,
        observations: [Bound<'_, PyArrayDyn<f32>>; 2],
        rewards: Out<'_, '_, f32>,
        ended: [Bound<'_, PyArrayDyn<bool>>; 2],
    ) -> PyResult<()> {
        let borrowed = actions.try_readonly().map_err(|_| in_use("actions"))?;
        let actions = borrowed.as_slice().map_err(|_| wrong())?.to_vec(); // others may write meanwhile
        drop(borrowed);
        self.act(py, &actions)?;
        let env = self.lock(py)?;
        fill(&observations[0], env.observations())?;
        fill(&observations[1], env.final_observations())?;
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
