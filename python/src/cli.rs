//! `python -m bellcrank` is the command line.

use pyo3::prelude::*;

/// Runs the command line with these words (the first is the program's name); gives the exit code.
#[pyfunction]
pub fn run_command_line(py: Python<'_>, words: Vec<String>) -> u8 {
    py.detach(|| bellcrank_cli::run(words))
}
