//! The command line.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(bellcrank::cli::run(std::env::args_os()))
}
