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

use crate::config::Config;
use crate::error::LearnError;
use crate::page::page;
use crate::policy::check_format;
use crate::tensors::{Tensors, read_regular, write_whole};
use crate::trainer::Trainer;
use bellcrank_tasks::Choice;
use std::path::Path;

const FORMAT: &str = "bellcrank checkpoint";
const VERSION: &str = "1";
const HINT: &str = "begin anew: without --resume, or in another folder";

/// Names of the files of a run.
pub const POLICY: &str = "policy.safetensors";
/// See above.
pub const CHECKPOINT: &str = "checkpoint.safetensors";
const CURVE: &str = "curve.json";
const REPORT: &str = "report.html";
const CONFIG: &str = "config.toml";

impl Trainer {
    /// Writes policy, checkpoint, curve and report into a folder; each file is whole at any time.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn save(&self, folder: &Path) -> Result<(), LearnError> {
        std::fs::create_dir_all(folder)
            .map_err(|error| LearnError::CannotWrite { path: folder.to_owned(), error })?;
        write_whole(&folder.join(CONFIG), self.config.to_toml().as_bytes())?;
        write_whole(&folder.join(CURVE), serde_json::json!(self.curve).to_string().as_bytes())?;
        write_whole(&folder.join(REPORT), page(&self.task, self.seed, &self.curve).as_bytes())?;
        self.policy().save(&folder.join(POLICY))?;
        match self.env.snapshot() {
            Some(env) => write_whole(&folder.join(CHECKPOINT), &self.to_tensors(env).to_bytes()),
            None => Ok(()), // somebody else's worlds, which cannot be resumed
        }
    }

    fn to_tensors(&self, env: Vec<u8>) -> Tensors {
        let mut t = Tensors::default();
        let mut put = |name: &str, values: &[f32]| t.put_f32(name, &[values.len()], values);
        put("actor", &self.agent.actor_parameters);
        put("critic", &self.agent.critic_parameters);
        for (name, adam) in [("actor", &self.optimiser.actor), ("critic", &self.optimiser.critic)] {
            put(&format!("adam.{name}.mean"), &adam.mean);
            put(&format!("adam.{name}.square"), &adam.square);
        }
        put("running.returns", &self.running.returns);
        put("running.lengths", &self.running.lengths);
        put("rate", &[self.optimiser.rate]);
        t.put_f64("normaliser.mean", &self.normaliser.mean);
        t.put_f64("normaliser.variance", &self.normaliser.variance);
        t.put_f64("normaliser.count", &[self.normaliser.count]);
        t.put_bytes("env", env);
        t.put_text("format", FORMAT);
        t.put_text("version", VERSION);
        t.put_text("task", &self.task);
        t.put_text("config", self.config.to_toml());
        t.put_text("seed", self.seed);
        t.put_text("updates", self.updates);
        t.put_text("adam_steps", self.optimiser.actor.steps);
        t.put_text("seconds", self.seconds);
        t
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
        let wrong = |what: String| LearnError::BadFile { path: path.clone(), what, hint: HINT };
        let tensors = Tensors::from_bytes(&read(&path)?).map_err(wrong)?;
        let mut trainer = Self::from_tensors(&tensors, given, threads).map_err(|error| match error {
            LearnError::BadConfig(what) => wrong(what),
            other => other,
        })?;
        let curve = folder.join(CURVE);
        let records = serde_json::from_slice(&read(&curve)?);
        trainer.curve = records.map_err(|error| {
            let what = format!("the curve cannot be read: {error}");
            LearnError::BadFile { path: curve, what, hint: HINT }
        })?;
        trainer.curve.retain(|record| record.update <= trainer.updates);
        Ok(trainer)
    }

    fn from_tensors(tensors: &Tensors, given: Choice, threads: usize) -> Result<Self, LearnError> {
        let bad = LearnError::BadConfig;
        check_format(tensors, FORMAT, VERSION).map_err(bad)?;
        let task = tensors.text("task").map_err(bad)?;
        let config = Config::read(task, tensors.text("config").map_err(bad)?)?;
        let choice = Choice { name: task.to_owned(), ..given };
        let mut t = Trainer::new(choice, config, tensors.number("seed").map_err(bad)?, threads)?;
        t.fill(tensors).map_err(bad)?;
        t.env.restore(tensors.bytes("env").map_err(bad)?)?;
        Ok(t)
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
        take("running.returns", &mut self.running.returns)?;
        take("running.lengths", &mut self.running.lengths)?;
        self.optimiser.rate = tensors.f32("rate", 1)?[0];
        let width = self.normaliser.mean.len();
        self.normaliser.mean = tensors.f64("normaliser.mean", width)?;
        self.normaliser.variance = tensors.f64("normaliser.variance", width)?;
        self.normaliser.count = tensors.f64("normaliser.count", 1)?[0];
        self.updates = tensors.number("updates")?;
        self.seconds = tensors.number("seconds")?;
        Ok(())
    }
}
