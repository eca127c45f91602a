//! `bellcrank._native.Env`: worlds of a learning task behind a lock.

use crate::error::{Problem, said};
use crate::settings::read_precision;
use bellcrank::tasks::{self, EnvOptions, TASKS};
use numpy::{PyArrayDyn, PyArrayMethods};
use pyo3::prelude::*;
use std::sync::{Mutex, MutexGuard, TryLockError};

#[pyclass(frozen, module = "bellcrank._native", name = "Env")]
pub struct Env {
    inner: Mutex<tasks::Env>,
    spec: tasks::Spec,
}

/// An array to fill.
type Out<'a, 'py, T> = &'a Bound<'py, PyArrayDyn<T>>;

impl Env {
    fn lock(&self) -> PyResult<MutexGuard<'_, tasks::Env>> {
        match self.inner.try_lock() {
            Ok(guard) => Ok(guard),
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                let hint = "one thread at a time: give each thread an environment of its own";
                Err(said("BatchBusy", "another thread is using this environment", hint))
            }
        }
    }
}

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
        let options = EnvOptions { worlds, threads, precision, autoreset };
        let inner = py.detach(|| tasks::Env::new(task, options)).map_err(Problem::from)?;
        Ok(Env { spec: inner.spec(), inner: Mutex::new(inner) })
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
        let mut guard = self.lock()?;
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
        let mut guard = self.lock()?;
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
        let mut guard = self.lock()?;
        let env: &mut tasks::Env = &mut guard;
        let actions = actions.readonly();
        let actions = actions.as_slice().map_err(|_| wrong())?;
        py.detach(|| env.step(actions)).map_err(Problem::from)?;
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
