//! `bellcrank train … --ray`: Ray is Python's, so the Python package's interpreter takes over.

use super::Error;
use super::train::Train;
use std::ffi::OsString;
use std::process::Command;

/// Where the Python package's command line tells which interpreter runs it.
const INTERPRETER: &str = "BELLCRANK_INTERPRETER";
const WITHOUT: &str = "--ray needs the command line of the Python package: this one knows no interpreter\n  hint: pip \
    install \"bellcrank[ray]\", then bellcrank train … --ray auto, or python -m bellcrank.distributed train …";

impl Train {
    /// Lets the interpreter do it; comes back only with its exit code, or when there is none.
    pub fn hand_over(&self) -> Result<(), Error> {
        let interpreter = std::env::var_os(INTERPRETER).ok_or_else(|| Error::Other(WITHOUT.into()))?;
        let mut command = Command::new(&interpreter);
        command.args(["-m", "bellcrank.distributed", "train"]).args(self.words());
        let failed = |error| Error::Other(format!("{} cannot be started: {error}", interpreter.display()));
        #[cfg(unix)]
        {
            // it takes this process over: Ctrl-C and the exit code are its own
            Err(failed(std::os::unix::process::CommandExt::exec(&mut command)))
        }
        #[cfg(not(unix))]
        {
            let status = command.status().map_err(failed)?;
            std::process::exit(status.code().unwrap_or(1))
        }
    }

    /// The words that were given, once more.
    fn words(&self) -> Vec<OsString> {
        let mut words: Vec<OsString> = vec![self.task.clone().into()];
        let mut put = |name: &str, value: Option<OsString>| {
            if let Some(value) = value {
                words.extend([name.into(), value]);
            }
        };
        let text = |number: &dyn ToString| Some(number.to_string().into());
        put("--minutes", text(&self.minutes));
        put("--seed", text(&self.seed));
        put("--worlds", self.worlds.and_then(|n| text(&n)));
        put("--threads", text(&self.threads));
        put("--updates", self.updates.and_then(|n| text(&n)));
        put("--config", self.config.clone().map(Into::into));
        put("--out", self.out.clone().map(Into::into));
        put("--random-poses", self.random_poses.and_then(|n| text(&n)));
        put("--model", self.brought.file().map(Into::into));
        put("--ray", self.ray.clone().map(Into::into));
        put("--actors", self.actors.and_then(|n| text(&n)));
        put("--staleness", text(&self.staleness));
        words.extend(self.resume.then(|| "--resume".into()));
        words.extend(self.json.then(|| "--json".into()));
        words
    }
}
