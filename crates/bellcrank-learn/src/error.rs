//! Why learning, or a file of it, fails.

use bellcrank_tasks::EnvError;
use std::path::PathBuf;

/// Told to a person, with the way out.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs)] // the texts say it
pub enum LearnError {
    #[error(transparent)]
    Env(#[from] EnvError),
    #[error("the config cannot be used: {0}")]
    BadConfig(String),
    #[error("cannot read {}: {error}", path.display())]
    CannotRead { path: PathBuf, error: std::io::Error },
    #[error("cannot write {}: {error}", path.display())]
    CannotWrite { path: PathBuf, error: std::io::Error },
    #[error("{}: {what}\n  hint: {hint}", path.display())]
    BadFile { path: PathBuf, what: String, hint: &'static str },
    #[error("threads could not be started: {0}")]
    Threads(String),
    #[error(
        "learning has diverged in update {update}: a gradient is not finite\n  hint: a smaller learning_rate, or a smaller reward_scale"
    )]
    Diverged { update: u64 },
    #[error("{found} observations do not make whole rows of {expected}")]
    WrongObservations { found: usize, expected: usize },
    #[error("a rollout has {found} numbers of {what}, expected: {expected}")]
    WrongPart { what: &'static str, found: usize, expected: usize },
    #[error("the rollouts are not of different worlds, in order, of the {worlds} that there are")]
    WrongWorlds { worlds: usize },
}
