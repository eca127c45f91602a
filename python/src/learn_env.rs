//! Worlds that Python steps, as the learner sees them: whole arrays in, whole arrays out, one call per action of all worlds.
//!
//! The object on the other side has `num_envs`, `_figures()`, `_begin(seed)`, `_stagger()` and `_act(actions)`; `_begin` gives an array of
//! observations, `_act` arrays of observations, of those that ended episodes, of rewards, of their terms, and of who failed and was cut off.

use bellcrank::tasks::{EnvError, Environment, Spec};
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::sync::{Arc, Mutex, PoisonError};

/// The exception that a task has raised.
pub type Trouble = Arc<Mutex<Option<PyErr>>>;

/// See the module.
pub struct PythonEnv {
    env: Py<PyAny>,
    spec: Spec,
    worlds: usize,
    names: Vec<String>,
    observations: Vec<f32>,
    final_observations: Vec<f32>,
    rewards: Vec<f32>,
    terms: Vec<f32>,
    terminated: Vec<bool>,
    truncated: Vec<bool>,
    trouble: Trouble,
}

/// Simulation step [s], steps per action, actions per episode, numbers per observation and action, names of terms.
type Figures = (f64, usize, usize, usize, usize, Vec<String>);
/// What an action led to.
type Step<'py> = (
    PyReadonlyArray2<'py, f32>,
    PyReadonlyArray2<'py, f32>,
    PyReadonlyArray1<'py, f32>,
    PyReadonlyArray2<'py, f32>,
    PyReadonlyArray1<'py, bool>,
    PyReadonlyArray1<'py, bool>,
);

impl<'py> FromPyObject<'_, 'py> for PythonEnv {
    type Error = PyErr;

    fn extract(env: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let worlds: usize = env.getattr("num_envs")?.extract()?;
        let figures: Figures = env.call_method0("_figures")?.extract()?;
        let (dt, decimation, episode_steps, observation_count, action_count, names) = figures;
        let spec = Spec { dt, decimation, episode_steps, observation_count, action_count, memory_count: 0 };
        Ok(PythonEnv {
            env: env.to_owned().unbind(),
            spec,
            worlds,
            observations: vec![0.0; worlds * observation_count],
            final_observations: vec![0.0; worlds * observation_count],
            rewards: vec![0.0; worlds],
            terms: vec![0.0; worlds * names.len()],
            names,
            terminated: vec![false; worlds],
            truncated: vec![false; worlds],
            trouble: Trouble::default(),
        })
    }
}

impl PythonEnv {
    /// Where an exception of the task is kept, until the learner's call is over.
    pub fn trouble(&self) -> Trouble {
        self.trouble.clone()
    }

    /// Calls Python; an exception is kept, and ends the learner's call.
    fn call(&mut self, work: impl FnOnce(Python<'_>, &mut Self) -> PyResult<()>) -> Result<(), EnvError> {
        Python::attach(|py| work(py, self)).map_err(|error| {
            let text = error.to_string();
            *self.trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
            EnvError::Elsewhere(text)
        })
    }
}

/// Takes an array over, which has as many numbers as promised: Python's side has checked that.
fn take<T: Copy + numpy::Element, D: numpy::ndarray::Dimension>(
    place: &mut [T],
    from: &numpy::PyReadonlyArray<'_, T, D>,
) -> PyResult<()> {
    let values = from.as_slice()?;
    if values.len() != place.len() {
        let text = format!("the environment gave {} numbers instead of {}", values.len(), place.len());
        return Err(crate::error::said("WrongShape", text, ""));
    }
    place.copy_from_slice(values);
    Ok(())
}

impl Environment for PythonEnv {
    fn worlds(&self) -> usize {
        self.worlds
    }

    fn spec(&self) -> Spec {
        self.spec
    }

    fn reset(&mut self, seed: u64) -> Result<(), EnvError> {
        self.call(|py, me| {
            let seen = me.env.bind(py).call_method1("_begin", (seed,))?;
            take(&mut me.observations, &seen.extract::<PyReadonlyArray2<'_, f32>>()?)
        })
    }

    fn stagger(&mut self) {
        // what it raises ends the next step
        let _ = self.call(|py, me| me.env.bind(py).call_method0("_stagger").map(drop));
    }

    fn step(&mut self, actions: &[f32]) -> Result<(), EnvError> {
        self.call(|py, me| {
            let actions = PyArray1::from_slice(py, actions);
            let actions: Bound<'_, PyArray2<f32>> = actions.reshape([me.worlds, me.spec.action_count])?;
            let (seen, last, rewards, terms, terminated, truncated): Step<'_> =
                me.env.bind(py).call_method1("_act", (actions,))?.extract()?;
            take(&mut me.observations, &seen)?;
            take(&mut me.final_observations, &last)?;
            take(&mut me.rewards, &rewards)?;
            take(&mut me.terms, &terms)?;
            take(&mut me.terminated, &terminated)?;
            take(&mut me.truncated, &truncated)
        })
    }

    fn observations(&self) -> &[f32] {
        &self.observations
    }

    fn final_observations(&self) -> &[f32] {
        &self.final_observations
    }

    fn rewards(&self) -> &[f32] {
        &self.rewards
    }

    fn reward_terms(&self) -> &[f32] {
        &self.terms
    }

    fn reward_term_names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    fn terminated(&self) -> &[bool] {
        &self.terminated
    }

    fn truncated(&self) -> &[bool] {
        &self.truncated
    }
}
