//! One file per command.

mod check;
mod demo;
mod models;

use bellcrank::model::{Faults, Model, library};
use clap::{Parser, Subcommand};
use std::fmt;

/// The physics engine for mechanisms that close on themselves.
#[derive(Parser)]
#[command(name = "bellcrank", version, arg_required_else_help = true)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Show the engine at work and print figures
    #[command(after_help = "Example:\n  bellcrank demo\n  bellcrank demo --json")]
    Demo(demo::Demo),
    /// Inspect a mechanism: counts, loops, mobility, redundant rows
    #[command(after_help = "Example:\n  bellcrank check hybrid_biped\n  bellcrank check four_bar --json")]
    Check(check::Check),
    /// List the mechanisms that ship with Bellcrank
    #[command(after_help = "Example:\n  bellcrank models")]
    Models(models::Models),
}

impl Arguments {
    pub fn run(self) -> Result<(), Error> {
        match self.command {
            Command::Demo(demo) => demo.run(),
            Command::Check(check) => check.run(),
            Command::Models(models) => models.run(),
        }
    }
}

/// Why a command failed, told to a person.
#[derive(Debug)]
pub enum Error {
    UnknownModel(String),
    Faults(Faults),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::UnknownModel(name) => {
                let known: Vec<&str> = library::names().collect();
                write!(f, "there is no mechanism {name:?}\n  hint: the shipped ones are {}", known.join(", "))
            }
            Error::Faults(faults) => write!(f, "the model has faults\n{faults}"),
        }
    }
}

/// The shipped mechanism of that name.
fn shipped(name: &str) -> Result<Model, Error> {
    let builder = library::by_name(name).ok_or_else(|| Error::UnknownModel(name.into()))?;
    builder.build().map_err(Error::Faults)
}
