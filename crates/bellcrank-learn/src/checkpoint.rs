//! Everything that training needs to go on, in one file; and the folder of a run.
//!
//! | file | what |
//! |---|---|
//! | `policy.safetensors` | the policy |
//! | `checkpoint.safetensors` | all that is needed to resume, bit for bit; not for tasks that somebody else steps |
//! | `curve.json` | figures of every update |
//! | `report.html` | the curves |
//! | `config.toml` | the settings, as used |
//! | `events.out.tfevents.…` | the curves for TensorBoard |
//!
//! A run on many machines writes the same files; its checkpoint has snapshots of several samplers.

use crate::config::Config;
use crate::error::LearnError;
use crate::learner::Learner;
use crate::page::page;
use crate::policy::check_format;
use crate::tensors::{Tensors, read_regular, write_whole};
use crate::trainer::Trainer;
use bellcrank_tasks::Choice;
use std::path::Path;

const FORMAT: &str = "bellcrank checkpoint";
const VERSION: &str = "2";
const HINT: &str = "begin anew: without --resume, or in another folder";
const SEVERAL: &str = "it is of a run on several machines: go on with --ray";

/// Names of the files of a run.
pub const POLICY: &str = "policy.safetensors";
/// See above.
pub const CHECKPOINT: &str = "checkpoint.safetensors";
const CURVE: &str = "curve.json";
const REPORT: &str = "report.html";
const CONFIG: &str = "config.toml";

/// Names of files of a run, and what is in them.
pub type Files = Vec<(&'static str, Vec<u8>)>;

impl Learner {
    /// The files of a run, the checkpoint last, with snapshots of all its samplers; without those there is no checkpoint.
    pub fn files(&self, samplers: Option<&[Vec<u8>]>) -> Files {
        let mut files = vec![
            (CONFIG, self.config.to_toml().into_bytes()),
            (CURVE, serde_json::json!(self.curve).to_string().into_bytes()),
            (REPORT, page(&self.task, self.seed, &self.curve).into_bytes()),
            (POLICY, self.policy().to_bytes()),
        ];
        files.extend(samplers.map(|samplers| (CHECKPOINT, self.to_tensors(samplers).to_bytes())));
        files
    }

    fn to_tensors(&self, samplers: &[Vec<u8>]) -> Tensors {
        let mut t = Tensors::default();
        let mut put = |name: &str, values: &[f32]| t.put_f32(name, &[values.len()], values);
        put("actor", &self.agent.actor_parameters);
        put("critic", &self.agent.critic_parameters);
        for (name, adam) in [("actor", &self.optimiser.actor), ("critic", &self.optimiser.critic)] {
            put(&format!("adam.{name}.mean"), &adam.mean);
            put(&format!("adam.{name}.square"), &adam.square);
        }
        put("rate", &[self.optimiser.rate]);
        t.put_f64("normaliser.mean", &self.normaliser.mean);
        t.put_f64("normaliser.variance", &self.normaliser.variance);
        t.put_f64("normaliser.count", &[self.normaliser.count]);
        for (k, sampler) in samplers.iter().enumerate() {
            t.put_bytes(&format!("sampler.{k}"), sampler.clone());
        }
        t.put_text("format", FORMAT);
        t.put_text("version", VERSION);
        t.put_text("task", &self.task);
        t.put_text("config", self.config.to_toml());
        t.put_text("seed", self.seed);
        t.put_text("updates", self.updates);
        t.put_text("transitions", self.transitions);
        t.put_text("adam_steps", self.optimiser.actor.steps);
        t.put_text("seconds", self.seconds);
        t.put_text("samplers", samplers.len());
        t
    }

    /// Goes on where the run with this checkpoint and this curve stopped; gives the snapshots of its samplers besides. The task's name is the
    /// run's.
    ///
    /// # Errors
    /// Says what is wrong with the files.
    pub fn from_files(
        checkpoint: &[u8],
        curve: &[u8],
        given: Choice,
        threads: usize,
    ) -> Result<(Self, Vec<Vec<u8>>), LearnError> {
        let bad = LearnError::BadConfig;
        let tensors = Tensors::from_bytes(checkpoint).map_err(bad)?;
        check_format(&tensors, FORMAT, VERSION).map_err(bad)?;
        let task = tensors.text("task").map_err(bad)?;
        let config = Config::read(task, tensors.text("config").map_err(bad)?)?;
        let choice = Choice { name: task.to_owned(), ..given };
        let mut learner = Learner::new(choice, config, tensors.number("seed").map_err(bad)?, threads)?;
        learner.fill(&tensors).map_err(bad)?;
        learner.curve = serde_json::from_slice(curve)
            .map_err(|error| bad(format!("the curve cannot be read: {error}")))?;
        learner.curve.retain(|record| record.update <= learner.updates);
        let count: usize = tensors.number("samplers").map_err(bad)?;
        let snapshot = |k: usize| Ok(tensors.bytes(&format!("sampler.{k}")).map_err(bad)?.to_vec());
        Ok((learner, (0..count).map(snapshot).collect::<Result<_, LearnError>>()?))
    }

    fn fill(&mut self, tensors: &Tensors) -> Result<(), String> {
        let take = |name: &str, place: &mut Vec<f32>| {
            *place = tensors.f32(name, place.len())?;
            Ok::<(), String>(())
        };
        take("actor", &mut self.agent.actor_parameters)?;
        take("critic", &mut self.agent.critic_parameters)?;
        let steps = tensors.number("adam_steps")?;
        for (name, adam) in [("actor", &mut self.optimiser.actor), ("critic", &mut self.optimiser.critic)] {
            take(&format!("adam.{name}.mean"), &mut adam.mean)?;
            take(&format!("adam.{name}.square"), &mut adam.square)?;
            adam.steps = steps;
        }
        self.optimiser.rate = tensors.f32("rate", 1)?[0];
        let width = self.normaliser.mean.len();
        self.normaliser.mean = tensors.f64("normaliser.mean", width)?;
        self.normaliser.variance = tensors.f64("normaliser.variance", width)?;
        self.normaliser.count = tensors.f64("normaliser.count", 1)?[0];
        self.updates = tensors.number("updates")?;
        self.transitions = tensors.number("transitions")?;
        self.seconds = tensors.number("seconds")?;
        Ok(())
    }
}

impl Trainer {
    /// Writes policy, checkpoint, curve and report into a folder; each file is whole at any time.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), LearnError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| LearnError::CannotWrite { path: folder.to_owned(), error })?;
        let snapshot = self.sampler.snapshot(); // none of somebody else's worlds, which cannot be resumed
        let files = self.learner.files(snapshot.map(|bytes| [bytes]).as_ref().map(<[Vec<u8>; 1]>::as_slice));
        files.iter().try_for_each(|(name, bytes)| write_whole(&folder.join(name), bytes))
    }

    /// Goes on where the run in a folder stopped.
    ///
    /// # Errors
    /// When there is no checkpoint, or it is damaged.
    pub fn resume(folder: &Path, threads: usize) -> Result<Self, LearnError> {
        Self::resume_with(folder, Choice::from(""), threads)
    }

    /// The same where the run needs what does not ship: the task's robot, or somebody who draws poses. The task's name is the run's.
    ///
    /// # Errors
    /// As those of [`Trainer::resume`], and when it is another robot.
    pub fn resume_with(folder: &Path, given: Choice, threads: usize) -> Result<Self, LearnError> {
        let path = folder.join(CHECKPOINT);
        let read = |path: &Path| {
            read_regular(path).map_err(|error| LearnError::CannotRead { path: path.to_owned(), error })
        };
        let (checkpoint, curve) = (read(&path)?, read(&folder.join(CURVE))?);
        Self::from_files(&checkpoint, &curve, given, threads).map_err(|error| match error {
            LearnError::BadConfig(what) => LearnError::BadFile { path, what, hint: HINT },
            other => other,
        })
    }

    fn from_files(
        checkpoint: &[u8],
        curve: &[u8],
        given: Choice,
        threads: usize,
    ) -> Result<Self, LearnError> {
        let (mut learner, samplers) = Learner::from_files(checkpoint, curve, given.clone(), threads)?;
        let [snapshot] = samplers.as_slice() else { return Err(LearnError::BadConfig(SEVERAL.into())) };
        let choice = Choice { name: learner.task.clone(), ..given };
        let mut trainer = Trainer::new(choice, learner.config.clone(), learner.seed, threads)?;
        trainer.sampler.restore(snapshot)?;
        learner.use_threads(trainer.sampler.threads());
        Ok(Trainer { learner, ..trainer })
    }
}
