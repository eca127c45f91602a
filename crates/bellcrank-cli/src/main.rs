//! The command line.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(bellcrank_cli::run(std::env::args_os()))
}
