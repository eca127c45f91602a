//! `bellcrank train`

use super::figures::grouped;
use super::opening::Brought;
use super::say::{Progress, say};
use super::{Error, stop};
use bellcrank::learn::{CHECKPOINT, Config, Events, POLICY, Record, Trainer};
use bellcrank::tasks::Choice;
use clap::Args;
use serde::Serialize;
use std::path::PathBuf;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long between two checkpoints.
const INTERVAL: Duration = Duration::from_secs(60);

#[derive(Args)]
pub struct Train {
    /// Name of a task (`biped_walk`, `cartpole_swing_up`, …)
    pub(super) task: String,
    /// How long it learns, all in all
    #[arg(long, default_value_t = 15.0, value_name = "M")]
    pub(super) minutes: f64,
    /// The same seed gives the same policy, bit for bit
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Number of worlds [default: what suits the task]
    #[arg(long, value_name = "N", value_parser = super::at_least_one)]
    pub(super) worlds: Option<usize>,
    /// Threads; 0 for one per core
    #[arg(long, default_value_t = 0, value_name = "T")]
    pub(super) threads: usize,
    /// Ends after so many updates [default: no end but the time]
    #[arg(long, value_name = "N")]
    pub(super) updates: Option<u64>,
    /// Settings that differ from those that suit the task, as TOML
    #[arg(long, value_name = "FILE.toml")]
    pub(super) config: Option<PathBuf>,
    /// Folder of the run [default: runs/TASK-SEED]
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
    /// Begin episodes in one of N safe random poses instead of the task's own
    #[arg(long, value_name = "N", value_parser = super::at_least_one)]
    pub(super) random_poses: Option<usize>,
    /// Train on a cluster of Ray: its address, or auto for the one at hand, or for this machine (Python package)
    #[arg(long, value_name = "auto|ADDRESS")]
    pub(super) ray: Option<String>,
    /// Actors that own the worlds [default: one per node and NUMA domain, with all its cores]
    #[arg(long, value_name = "N", requires = "ray", value_parser = super::at_least_one)]
    pub(super) actors: Option<usize>,
    /// How many updates old the policy that acts may be: 1 lets actors act while the learner learns
    #[arg(long, default_value_t = 0, requires = "ray", value_name = "N", value_parser = clap::value_parser!(u8).range(0..=1))]
    pub(super) staleness: u8,
    #[command(flatten)]
    pub(super) brought: Brought,
    /// Go on where the run in the folder stopped
    #[arg(long)]
    pub(super) resume: bool,
    /// Print JSON
    #[arg(long)]
    pub(super) json: bool,
}

/// The figures, under the names that scripts rely on.
#[derive(Serialize)]
struct Figures {
    task: String,
    seed: u64,
    minutes: f64,
    processor_minutes: f64,
    updates: u64,
    transitions: u64,
    transitions_per_second: f64,
    learner_share: f64,
    return_mean: Option<f64>,
    fall_fraction: Option<f64>,
    policy: PathBuf,
}

impl Train {
    pub fn run(self) -> Result<(), Error> {
        if self.ray.is_some() {
            return self.hand_over();
        }
        let folder = self.out.clone().unwrap_or_else(|| format!("runs/{}-{}", self.task, self.seed).into());
        let mut trainer = self.trainer(&folder)?;
        let stopped = stop::asked();
        let mut events = Events::create(&folder).map_err(Error::Learn)?;
        let (mut progress, mut saved, processor) =
            (Progress::new(!self.json), Instant::now(), super::figures::cpu_seconds());
        let (limit, updates) = (60.0 * self.minutes, trainer.config().updates);
        let goes_on =
            |t: &Trainer| t.seconds() < limit && (updates == 0 || (t.curve().len() as u64) < updates);
        while goes_on(&trainer) && !stopped.load(Ordering::Relaxed) {
            let record = trainer.update().map_err(Error::Learn)?.clone();
            events.add(&record).map_err(Error::Learn)?;
            let by_updates = if updates > 0 { record.update as f64 / updates as f64 } else { 0.0 };
            let part = (record.seconds / limit).max(by_updates);
            progress.show(part, || words(&trainer, &record));
            if saved.elapsed() > INTERVAL {
                trainer.save(&folder).map_err(Error::Learn)?;
                progress.note(|| format!("{:5.1} min  {}", record.seconds / 60.0, words(&trainer, &record)));
                saved = Instant::now();
            }
        }
        progress.clear();
        trainer.save(&folder).map_err(Error::Learn)?;
        self.tell(&trainer, folder, super::figures::cpu_seconds() - processor);
        Ok(())
    }

    fn trainer(&self, folder: &std::path::Path) -> Result<Trainer, Error> {
        if self.resume {
            let mut trainer =
                Trainer::resume_with(folder, self.choice()?, self.threads).map_err(Error::Learn)?;
            trainer.set_updates(self.updates.unwrap_or(trainer.config().updates));
            return if trainer.task() == self.task {
                Ok(trainer)
            } else {
                Err(Error::OtherRun(folder.to_owned(), trainer.task().to_owned()))
            };
        }
        if folder.join(CHECKPOINT).exists() {
            return Err(Error::RunExists(folder.to_owned()));
        }
        let mut config = match &self.config {
            None => Config::of_task(&self.task),
            Some(path) => {
                let text = std::fs::read_to_string(path).map_err(|error| Error::Read(path.clone(), error))?;
                Config::read(&self.task, &text).map_err(Error::Learn)?
            }
        };
        config.worlds = self.worlds.unwrap_or(config.worlds);
        config.updates = self.updates.unwrap_or(config.updates);
        config.random_poses = self.random_poses.unwrap_or(config.random_poses);
        Trainer::new(self.choice()?, config, self.seed, self.threads).map_err(Error::Learn)
    }

    /// The task, with what it may need from elsewhere.
    fn choice(&self) -> Result<Choice, Error> {
        let draw_poses = Some(bellcrank::starts::safe_poses as bellcrank::tasks::DrawPoses);
        Ok(Choice { name: self.task.clone(), robot: self.brought.robot()?, draw_poses })
    }

    fn tell(&self, trainer: &Trainer, folder: PathBuf, processor: f64) {
        let curve = trainer.curve();
        let seconds = trainer.seconds();
        let recent = trainer.recent();
        let figures = Figures {
            task: trainer.task().to_owned(),
            seed: trainer.seed(),
            minutes: seconds / 60.0,
            processor_minutes: processor / 60.0,
            updates: curve.len() as u64,
            transitions: trainer.transitions(),
            transitions_per_second: trainer.transitions() as f64 / seconds.max(1e-9),
            learner_share: curve.iter().map(|r| r.learner_share).sum::<f64>() / curve.len().max(1) as f64,
            return_mean: recent.map(|r| r[0]),
            fall_fraction: recent.map(|r| r[2]),
            policy: folder.join(POLICY),
        };
        if self.json {
            say(serde_json::json!(figures));
            return;
        }
        say(format_args!(
            "{}, seed {}: {:.1} min, {} transitions, {}/s, learner {:.0} % of the time",
            figures.task,
            figures.seed,
            figures.minutes,
            grouped(figures.transitions as f64),
            grouped(figures.transitions_per_second),
            100.0 * figures.learner_share
        ));
        if let Some([total, length, falls]) = recent {
            say(format_args!(
                "last episodes: return {total:.0}, {length:.0} actions, {:.1} % fell",
                100.0 * falls
            ));
        }
        say(format_args!(
            "policy: {}\ncurves: {}",
            figures.policy.display(),
            folder.join("report.html").display()
        ));
        say(format_args!(
            "try it: bellcrank evaluate {0}\n        bellcrank play {0}",
            figures.policy.display()
        ));
    }
}

/// Return, falls, tracking, speed.
fn words(trainer: &Trainer, record: &Record) -> String {
    let mut text = match trainer.recent() {
        Some([total, _, falls]) => format!("return {total:.0}  falls {:.1} %", 100.0 * falls),
        None => "no episode has ended yet".into(),
    };
    if let Some([forward, sideways, turn]) = record.tracking_error {
        text += &format!("  error {forward:.3} {sideways:.3} m/s {turn:.2} rad/s");
    }
    text + &format!(
        "  {:.2} M transitions  {}/s  learner {:.0} %",
        record.transitions as f64 / 1e6,
        grouped(record.transitions_per_second),
        100.0 * record.learner_share
    )
}
