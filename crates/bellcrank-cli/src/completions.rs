//! `bellcrank completions`

use super::{Arguments, Error};
use bellcrank::model::library;
use clap::builder::{PossibleValue, TypedValueParser};
use clap::{Arg, Args, Command, CommandFactory};
use clap_complete::{Shell, generate};
use std::ffi::OsStr;

#[derive(Args)]
pub struct Completions {
    /// Which shell
    shell: Shell,
}

impl Completions {
    pub fn run(self) -> Result<(), Error> {
        let mut script = Vec::new();
        generate(self.shell, &mut Arguments::command(), "bellcrank", &mut script);
        let script = with_names(self.shell, &String::from_utf8_lossy(&script));
        super::say::say(script.trim_end());
        Ok(())
    }
}

/// Shells complete shipped names and files alike. What is generated does so in bash; in zsh it knows names alone, in fish files alone.
fn with_names(shell: Shell, script: &str) -> String {
    let names = library::names().collect::<Vec<_>>().join(" ");
    match shell {
        Shell::Zsh => {
            let function = format!("\n_bellcrank_file() {{ compadd {names}; _files }}\n");
            let script = script.replace(&format!(":({names})'"), ":_bellcrank_file'");
            script.replacen('\n', &function, 1) // after the line that says for what it completes
        }
        Shell::Fish => {
            let commands = "run view check convert";
            format!(
                "{script}complete -c bellcrank -n \"__fish_seen_subcommand_from {commands}\" -a \"{names}\"\n"
            )
        }
        _ => script.to_owned(),
    }
}

/// A file, or the name of a shipped mechanism: anything is taken, the names are what shells complete.
#[derive(Clone)]
pub struct Named;

impl TypedValueParser for Named {
    type Value = String;

    fn parse_ref(&self, _: &Command, _: Option<&Arg>, value: &OsStr) -> Result<String, clap::Error> {
        // what is no Unicode is told as a file that is not there
        Ok(value.to_string_lossy().into_owned())
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(library::names().map(PossibleValue::new)))
    }
}
