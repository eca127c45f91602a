//! `bellcrank completions`

use super::{Arguments, Error};
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

#[derive(Args)]
pub struct Completions {
    /// Which shell
    shell: Shell,
}

impl Completions {
    pub fn run(self) -> Result<(), Error> {
        let mut script = Vec::new();
        generate(self.shell, &mut Arguments::command(), "bellcrank", &mut script);
        super::say::say(String::from_utf8_lossy(&script).trim_end());
        Ok(())
    }
}
