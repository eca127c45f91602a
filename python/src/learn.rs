//! `bellcrank._native.Policy` and `.Trainer`: what acts, and what learns.
//!
//! An update runs on a thread of its own, so that Ctrl-C is seen at once; the update is then finished in the background, and whoever
//! uses the trainer next waits for it.

use crate::convert::array;
use crate::env::{GLANCE, brought};
use crate::error::{Problem, broken, said};
use crate::learn_env::{PythonEnv, Trouble};
use bellcrank::learn::{self, CHECKPOINT, Config, EvaluateOptions, Evaluation, Events, LearnError};
use bellcrank::sim::{Precision, Threads};
use bellcrank::starts::safe_poses;
use bellcrank::tasks::{Choice, ModelBuilder};
use numpy::PyReadonlyArrayDyn;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What acts.
#[pyclass(frozen, module = "bellcrank._native", name = "Policy")]
pub struct Policy {
    inner: Arc<learn::Policy>,
    threads: Threads,
    /// Where it comes from, for the texts of errors.
    path: PathBuf,
}

impl Policy {
    pub fn of(policy: learn::Policy, path: PathBuf) -> PyResult<Self> {
        let threads = Threads::new(0).map_err(|error| said("Threads", error, ""))?;
        Ok(Policy { inner: Arc::new(policy), threads, path })
    }
}

#[pymethods]
impl Policy {
    /// A file, or the policy of that name that ships.
    #[staticmethod]
    fn open(name: &str) -> PyResult<Self> {
        let (policy, path) = learn::Policy::open(name).map_err(Problem::from)?;
        Policy::of(policy, path)
    }

    /// The bytes of a file.
    #[staticmethod]
    fn from_bytes(bytes: &[u8]) -> PyResult<Self> {
        let policy = learn::Policy::from_bytes(bytes).map_err(|what| said("BadFile", what, ""))?;
        Policy::of(policy, "policy".into())
    }

    fn to_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.inner.to_bytes())
    }

    fn save(&self, path: PathBuf) -> PyResult<()> {
        Ok(self.inner.save(&path).map_err(Problem::from)?)
    }

    fn export_onnx(&self, path: PathBuf) -> PyResult<()> {
        Ok(self.inner.export_onnx(&path).map_err(Problem::from)?)
    }

    #[getter]
    fn task(&self) -> &str {
        &self.inner.task
    }

    #[getter]
    fn seed(&self) -> u64 {
        self.inner.seed
    }

    #[getter]
    fn transitions(&self) -> u64 {
        self.inner.transitions
    }

    /// Numbers per observation and per action.
    #[getter]
    fn ends(&self) -> (usize, usize) {
        self.inner.ends()
    }

    /// How it was trained, as TOML.
    #[getter]
    fn config(&self) -> String {
        self.inner.config.to_toml()
    }

    /// Settings of its task that it was trained with.
    fn settings(&self) -> Vec<(String, f64)> {
        self.inner.settings()
    }

    /// Actions for rows of observations, within −1 and 1.
    fn act<'py>(&self, py: Python<'py>, seen: PyReadonlyArrayDyn<'py, f32>) -> PyResult<Bound<'py, PyAny>> {
        let not_contiguous = |_| said("WrongShape", "observations must be C-contiguous", "");
        let rows = seen.as_slice().map_err(not_contiguous)?.to_vec(); // others may write meanwhile
        let (count, width) = (rows.len() / self.inner.ends().0, self.inner.ends().1);
        let act = || match self.threads.pool() {
            Some(pool) => pool.install(|| self.inner.act(&rows)),
            None => self.inner.act(&rows),
        };
        array(py, py.detach(act).map_err(Problem::from)?, &[count, width])
    }

    /// One episode per world, of its own task or of an environment of Python's; gives figures as JSON.
    #[pyo3(signature = (env, episodes, how, settings))]
    fn evaluate(
        &self,
        py: Python<'_>,
        env: Option<PythonEnv>,
        episodes: usize,
        how: (usize, String, u64, Option<PathBuf>),
        settings: Vec<(String, f64)>,
    ) -> PyResult<String> {
        let (threads, precision, seed, robot) = how;
        let precision = if precision == "f64" { Precision::F64 } else { Precision::F32 };
        let robot = brought(robot)?;
        let finer = EvaluateOptions::default().finer;
        let options = EvaluateOptions { episodes, threads, precision, finer, seed, task: settings, robot };
        let (policy, path) = (self.inner.clone(), self.path.clone());
        let (stop, trouble) = (Arc::new(AtomicBool::new(false)), env.as_ref().map(PythonEnv::trouble));
        let stopped = stop.clone();
        let work = move || -> Result<Evaluation, LearnError> {
            match env {
                None => learn::evaluate(&policy, &path, &options, &stopped, |_| ()),
                Some(mut env) => learn::evaluate_in(&policy, &mut env, threads, &stopped, |_| ()),
            }
        };
        let done = aside(py, work, || stop.store(true, Ordering::Relaxed))?;
        told(trouble)?;
        Ok(done.map_err(Problem::from)?.to_json())
    }
}

/// The exception that a task in Python has raised, if it has.
pub fn told(trouble: Option<Trouble>) -> PyResult<()> {
    let raised = trouble.and_then(|trouble| trouble.lock().unwrap_or_else(PoisonError::into_inner).take());
    raised.map_or(Ok(()), Err)
}

/// Works on a thread of its own, with an ear for Ctrl-C.
pub fn aside<T: Send + 'static>(
    py: Python<'_>,
    work: impl FnOnce() -> T + Send + 'static,
    interrupted: impl FnOnce(),
) -> PyResult<T> {
    let thread = std::thread::Builder::new().name("learn".into()).spawn(work);
    let thread = thread.map_err(|error| said("Threads", error.to_string(), ""))?;
    while !thread.is_finished() {
        py.detach(|| std::thread::sleep(GLANCE));
        if let Err(signal) = py.check_signals() {
            interrupted();
            return Err(signal);
        }
    }
    py.detach(|| thread.join()).map_err(|_| broken("the thread of the learner ended early"))
}

/// How it learns, as TOML; number of worlds; settings of the task; the robot's file.
pub type Given = (String, Option<usize>, Vec<(String, f64)>, Option<PathBuf>);

/// The config, and the robot.
pub fn read_config(task: &str, given: Given) -> PyResult<(Config, Option<ModelBuilder>)> {
    let (text, worlds, settings, robot) = given;
    let mut config = Config::read(task, &text).map_err(Problem::from)?;
    config.worlds = worlds.unwrap_or(config.worlds);
    config.task.extend(settings);
    Ok((config, brought(robot)?))
}

/// What learns.
#[pyclass(frozen, module = "bellcrank._native", name = "Trainer")]
pub struct Trainer {
    inner: Arc<Mutex<learn::Trainer>>,
    events: Mutex<Option<Events>>,
    trouble: Option<Trouble>,
}

impl Trainer {
    fn of(trainer: learn::Trainer, trouble: Option<Trouble>) -> Self {
        Trainer { inner: Arc::new(Mutex::new(trainer)), events: Mutex::new(None), trouble }
    }

    /// The trainer, when the update that was interrupted is over.
    fn with<T: Send>(&self, py: Python<'_>, work: impl FnOnce(&mut learn::Trainer) -> T + Send) -> T {
        py.detach(|| work(&mut self.inner.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

#[pymethods]
impl Trainer {
    /// A task of ours by its name, or an environment of Python's under a name of its own; `config` is TOML.
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
        let trouble = env.as_ref().map(PythonEnv::trouble);
        let choice = Choice { name: task.to_owned(), robot, draw_poses: Some(safe_poses) };
        let made = py.detach(|| match env {
            None => learn::Trainer::new(choice, config, seed, threads),
            Some(env) => learn::Trainer::of(task, env, config, seed, threads),
        });
        told(trouble.clone())?;
        Ok(Trainer::of(made.map_err(Problem::from)?, trouble))
    }

    /// Goes on where the run in a folder stopped.
    #[staticmethod]
    #[pyo3(signature = (folder, robot, threads))]
    fn resume(py: Python<'_>, folder: PathBuf, robot: Option<PathBuf>, threads: usize) -> PyResult<Self> {
        let given = Choice { name: String::new(), robot: brought(robot)?, draw_poses: Some(safe_poses) };
        let trainer = py.detach(|| learn::Trainer::resume_with(&folder, given, threads));
        let trainer = trainer.map_err(Problem::from)?;
        Ok(Trainer::of(trainer, None))
    }

    /// Writes the curves for TensorBoard into a folder from now on.
    fn tell_tensorboard(&self, folder: PathBuf) -> PyResult<()> {
        let events = Events::create(&folder).map_err(Problem::from)?;
        *self.events.lock().unwrap_or_else(PoisonError::into_inner) = Some(events);
        Ok(())
    }

    /// One horizon of actions and one update; gives their figures as JSON.
    fn update(&self, py: Python<'_>) -> PyResult<String> {
        let trainer = self.inner.clone();
        let work = move || {
            let mut trainer = trainer.lock().unwrap_or_else(PoisonError::into_inner);
            trainer.update().cloned()
        };
        let done = aside(py, work, || ())?;
        told(self.trouble.clone())?;
        let record = done.map_err(Problem::from)?;
        if let Some(events) = self.events.lock().unwrap_or_else(PoisonError::into_inner).as_mut() {
            events.add(&record).map_err(Problem::from)?;
        }
        Ok(record.to_json())
    }

    /// Means of the last episodes: return, length, part that fell.
    fn recent(&self, py: Python<'_>) -> Option<[f64; 3]> {
        self.with(py, |trainer| trainer.recent())
    }

    /// Time that training has taken [s], and updates so far.
    fn so_far(&self, py: Python<'_>) -> (f64, usize) {
        self.with(py, |trainer| (trainer.seconds(), trainer.curve().len()))
    }

    fn task(&self, py: Python<'_>) -> String {
        self.with(py, |trainer| trainer.task().to_owned())
    }

    fn policy(&self, py: Python<'_>) -> PyResult<Policy> {
        Policy::of(self.with(py, |trainer| trainer.policy()), "policy".into())
    }

    /// Writes the files of a run.
    fn save(&self, py: Python<'_>, folder: PathBuf) -> PyResult<()> {
        Ok(self.with(py, |trainer| trainer.save(&folder)).map_err(Problem::from)?)
    }
}

/// Whether there is a run in a folder already.
#[pyfunction]
pub fn holds_run(folder: PathBuf) -> bool {
    folder.join(CHECKPOINT).exists()
}
