//! `bellcrank._native.Sampler` and `.Learner`: the two halves of a trainer, for worlds on several machines. Arrays go from the one to the other
//! as Python hands them on: the learner reads them where they lie.

use crate::env::brought;
use crate::error::{Problem, said};
use crate::learn::{Given, Policy, aside, read_config, told};
use crate::learn_env::{PythonEnv, Trouble};
use bellcrank::learn::{self, Part};
use bellcrank::sim::Threads;
use bellcrank::starts::safe_poses;
use bellcrank::tasks::Choice;
use numpy::{Element, IntoPyArray, PyArrayMethods, PyReadonlyArrayDyn};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Worlds that a policy acts in.
#[pyclass(frozen, module = "bellcrank._native", name = "Sampler")]
pub struct Sampler {
    inner: Mutex<learn::Sampler>,
    horizon: usize,
    trouble: Option<Trouble>,
}

#[pymethods]
impl Sampler {
    /// Worlds `worlds[0]` to `worlds[1]` of a run; `config` is that of all.
    #[new]
    #[pyo3(signature = (task, env, config, worlds, seed, threads))]
    fn new(
        py: Python<'_>,
        task: &str,
        env: Option<PythonEnv>,
        config: Given,
        worlds: (usize, usize),
        seed: u64,
        threads: usize,
    ) -> PyResult<Self> {
        let (config, robot) = read_config(task, config)?;
        let trouble = env.as_ref().map(PythonEnv::trouble);
        let choice = Choice { name: task.to_owned(), robot, draw_poses: Some(safe_poses) };
        let made = py.detach(|| match env {
            None => learn::Sampler::new(choice, &config, worlds.0..worlds.1, seed, threads),
            Some(env) => {
                let threads = Arc::new(Threads::new(threads).map_err(learn::LearnError::Threads)?);
                learn::Sampler::of(Box::new(env), worlds.0, seed, threads)
            }
        });
        told(trouble.clone())?;
        Ok(Sampler { inner: Mutex::new(made.map_err(Problem::from)?), horizon: config.horizon, trouble })
    }

    /// Lets a policy (the bytes of its file) act for one horizon, the run's `round`-th; gives arrays by name.
    fn sample<'py>(&self, py: Python<'py>, policy: &[u8], round: u64) -> PyResult<Bound<'py, PyDict>> {
        let policy = learn::Policy::from_bytes(policy).map_err(|what| said("BadFile", what, ""))?;
        let work = || {
            let mut sampler = self.inner.lock().unwrap_or_else(PoisonError::into_inner);
            sampler.sample(&policy, self.horizon, round)
        };
        let done = py.detach(work);
        told(self.trouble.clone())?;
        given(py, done.map_err(Problem::from)?, self.horizon, policy.ends())
    }

    /// The worlds as bytes; none where Python steps them.
    fn snapshot<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        let bytes = py.detach(|| self.inner.lock().unwrap_or_else(PoisonError::into_inner).snapshot());
        bytes.map(|bytes| PyBytes::new(py, &bytes))
    }

    fn restore(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<()> {
        let work = || self.inner.lock().unwrap_or_else(PoisonError::into_inner).restore(bytes);
        Ok(py.detach(work).map_err(Problem::from)?)
    }
}

/// A rollout as arrays, none of them copied.
fn given<'py>(
    py: Python<'py>,
    part: Part<'static>,
    horizon: usize,
    (n, m): (usize, usize),
) -> PyResult<Bound<'py, PyDict>> {
    fn put<T: Element>(out: &Bound<'_, PyDict>, name: &str, list: Vec<T>, shape: &[usize]) -> PyResult<()> {
        out.set_item(name, list.into_pyarray(out.py()).reshape(shape)?)
    }
    let (out, worlds) = (PyDict::new(py), part.worlds);
    let cut = part.cut_observations.len() / n;
    out.set_item("first_world", part.first_world)?;
    out.set_item("worlds", worlds)?;
    put(&out, "observations", part.observations.into_owned(), &[horizon + 1, worlds, n])?;
    put(&out, "actions", part.actions.into_owned(), &[horizon, worlds, m])?;
    put(&out, "means", part.means.into_owned(), &[horizon, worlds, m])?;
    put(&out, "log_densities", part.log_densities.into_owned(), &[horizon, worlds])?;
    put(&out, "rewards", part.rewards.into_owned(), &[horizon, worlds])?;
    put(&out, "ends", part.ends.into_owned(), &[horizon, worlds])?;
    put(&out, "cut_observations", part.cut_observations.into_owned(), &[cut, n])?;
    put(&out, "log_deviations", part.log_deviations.into_owned(), &[m])?;
    let figures = part.tallies.len() / worlds;
    put(&out, "tallies", part.tallies.into_owned(), &[worlds, figures])?;
    Ok(out)
}

/// The arrays of a rollout, held while they are read.
struct Held<'py> {
    first_world: usize,
    worlds: usize,
    floats: Vec<PyReadonlyArrayDyn<'py, f32>>,
    ends: PyReadonlyArrayDyn<'py, u8>,
    tallies: PyReadonlyArrayDyn<'py, f64>,
}

const FLOATS: [&str; 7] =
    ["observations", "actions", "means", "log_densities", "rewards", "cut_observations", "log_deviations"];

impl<'py> Held<'py> {
    fn of(part: &Bound<'py, PyDict>) -> PyResult<Self> {
        let missing = |name: &str| said("WrongType", format!("a rollout has no array {name:?}"), "");
        let get = |name: &str| part.get_item(name)?.ok_or_else(|| missing(name));
        let floats = FLOATS.iter().map(|name| get(name)?.extract()).collect::<PyResult<_>>()?;
        Ok(Held {
            first_world: get("first_world")?.extract()?,
            worlds: get("worlds")?.extract()?,
            floats,
            ends: get("ends")?.extract()?,
            tallies: get("tallies")?.extract()?,
        })
    }

    fn part(&self) -> PyResult<Part<'_>> {
        fn slice<'a, T: Element>(array: &'a PyReadonlyArrayDyn<'_, T>) -> PyResult<Cow<'a, [T]>>
        where
            [T]: ToOwned,
        {
            let wrong = |_| said("WrongShape", "arrays of a rollout must be C-contiguous", "");
            Ok(Cow::Borrowed(array.as_slice().map_err(wrong)?))
        }
        let float = |k: usize| slice(&self.floats[k]);
        Ok(Part {
            first_world: self.first_world,
            worlds: self.worlds,
            observations: float(0)?,
            actions: float(1)?,
            means: float(2)?,
            log_densities: float(3)?,
            rewards: float(4)?,
            ends: slice(&self.ends)?,
            cut_observations: float(5)?,
            log_deviations: float(6)?,
            tallies: slice(&self.tallies)?,
        })
    }
}

/// What learns from rollouts.
#[pyclass(frozen, module = "bellcrank._native", name = "Learner")]
pub struct Learner {
    inner: Arc<Mutex<learn::Learner>>,
}

impl Learner {
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut learn::Learner) -> T + Send) -> T {
        py.detach(|| work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl Learner {
    #[new]
    #[pyo3(signature = (task, env, config, seed, threads))]
    fn new(
        py: Python<'_>,
        task: &str,
        env: Option<PythonEnv>,
        config: Given,
        seed: u64,
        threads: usize,
    ) -> PyResult<Self> {
        let (config, robot) = read_config(task, config)?;
        let choice = Choice { name: task.to_owned(), robot, draw_poses: Some(safe_poses) };
        let made = py.detach(|| match env {
            None => learn::Learner::new(choice, config, seed, threads),
            Some(env) => {
                let threads = Arc::new(Threads::new(threads).map_err(learn::LearnError::Threads)?);
                learn::Learner::of(task, &env, config, seed, threads)
            }
        });
        Ok(Learner { inner: Arc::new(Mutex::new(made.map_err(Problem::from)?)) })
    }

    /// Goes on with a run from its files' bytes; gives the snapshots of its samplers besides.
    #[staticmethod]
    #[pyo3(signature = (checkpoint, curve, robot, threads))]
    fn from_files<'py>(
        py: Python<'py>,
        checkpoint: &[u8],
        curve: &[u8],
        robot: Option<PathBuf>,
        threads: usize,
    ) -> PyResult<(Self, Vec<Bound<'py, PyBytes>>)> {
        let given = Choice { name: String::new(), robot: brought(robot)?, draw_poses: Some(safe_poses) };
        let read = py.detach(|| learn::Learner::from_files(checkpoint, curve, given, threads));
        let (learner, samplers) = read.map_err(Problem::from)?;
        let samplers = samplers.iter().map(|bytes| PyBytes::new(py, bytes)).collect();
        Ok((Learner { inner: Arc::new(Mutex::new(learner)) }, samplers))
    }

    /// Takes over rollouts, as samplers give them, in the order of their worlds.
    fn gather(&self, py: Python<'_>, parts: Vec<Bound<'_, PyDict>>) -> PyResult<()> {
        let held = parts.iter().map(Held::of).collect::<PyResult<Vec<_>>>()?;
        let parts = held.iter().map(Held::part).collect::<PyResult<Vec<_>>>()?;
        Ok(self.with(py, |learner| learner.gather(&parts)).map_err(Problem::from)?)
    }

    /// Learns from what was gathered, for which one has waited so many seconds; gives the figures as JSON.
    fn learn(&self, py: Python<'_>, waited: f64) -> PyResult<String> {
        let learner = self.inner.clone();
        let work = move || {
            let mut learner = learner.lock().unwrap_or_else(PoisonError::into_inner);
            learner.learn(waited).map(learn::Record::to_json)
        };
        Ok(aside(py, work, || ())?.map_err(Problem::from)?)
    }

    /// The bytes of the policy's file.
    fn policy_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.with(py, |learner| learner.policy().to_bytes()))
    }

    fn policy(&self, py: Python<'_>) -> PyResult<Policy> {
        Policy::of(self.with(py, |learner| learner.policy()), "policy".into())
    }

    /// The files of a run: names and contents, the checkpoint last; none of it without snapshots of the samplers.
    #[pyo3(signature = (samplers))]
    fn files<'py>(
        &self,
        py: Python<'py>,
        samplers: Option<Vec<Vec<u8>>>,
    ) -> Vec<(&'static str, Bound<'py, PyBytes>)> {
        let files = self.with(py, |learner| learner.files(samplers.as_deref()));
        files.into_iter().map(|(name, bytes)| (name, PyBytes::new(py, &bytes))).collect()
    }

    /// Means of the last episodes: return, length, part that fell.
    fn recent(&self, py: Python<'_>) -> Option<[f64; 3]> {
        self.with(py, |learner| learner.recent())
    }

    /// Time that training has taken [s], updates and actions so far.
    fn so_far(&self, py: Python<'_>) -> (f64, u64, u64) {
        self.with(py, |learner| (learner.seconds(), learner.updates(), learner.transitions()))
    }

    /// Task, seed, worlds, and after how many updates it ends (0: never).
    fn about(&self, py: Python<'_>) -> (String, u64, usize, u64) {
        self.with(py, |learner| {
            let config = learner.config();
            (learner.task().to_owned(), learner.seed(), config.worlds, config.updates)
        })
    }

    /// The settings, as TOML.
    fn config(&self, py: Python<'_>) -> String {
        self.with(py, |learner| learner.config().to_toml())
    }
}
