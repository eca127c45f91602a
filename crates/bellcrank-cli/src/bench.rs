//! `bellcrank bench`: hands its words to `bellcrank-bench`, a program of its own, so that nobody compiles benchmarks to see a robot.

use super::Error;
use clap::Args;
use std::env::consts::EXE_SUFFIX;
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

#[derive(Args)]
pub struct Bench {
    /// What to measure, and how: the words of `bellcrank-bench`
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "SCENE|--help")]
    words: Vec<OsString>,
}

impl Bench {
    pub fn run(self) -> Result<(), Error> {
        let status = Command::new(program()).args(self.words).status().map_err(Error::NoBench)?;
        match status.code() {
            Some(0) => Ok(()),
            code => std::process::exit(code.unwrap_or(1)), // it has said why
        }
    }
}

/// The one beside this program, or the one on the search path.
fn program() -> PathBuf {
    let name = format!("bellcrank-bench{EXE_SUFFIX}");
    let beside = std::env::current_exe().ok().map(|own| own.with_file_name(&name));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| name.into())
}
