//! What is printed. A reader that goes away (`| head`) ends the program quietly; progress shows only on a terminal.

use std::fmt::Display;
use std::io::{IsTerminal, Write, stderr, stdout};
use std::time::{Duration, Instant};

/// A line on standard output.
pub fn say(line: impl Display) {
    if writeln!(stdout(), "{line}").is_err() {
        std::process::exit(0); // nobody reads any more
    }
}

/// How long between two lines of progress.
const PAUSE: Duration = Duration::from_millis(100);
const WIDTH: usize = 24;

/// One line on standard error that is written over and over; nothing when standard error is no terminal.
pub struct Progress {
    shown: Option<Instant>,
    started: Instant,
    terminal: bool,
}

impl Progress {
    pub fn new(wanted: bool) -> Self {
        Progress { shown: None, started: Instant::now(), terminal: wanted && stderr().is_terminal() }
    }

    /// Shows how much is done, 0 to 1, and a few words.
    pub fn show(&mut self, part: f64, words: impl FnOnce() -> String) {
        if !self.terminal
            || self.started.elapsed() < 3 * PAUSE
            || self.shown.is_some_and(|t| t.elapsed() < PAUSE)
        {
            return;
        }
        self.shown = Some(Instant::now());
        let full = (part.clamp(0.0, 1.0) * WIDTH as f64) as usize;
        let bar: String = (0..WIDTH).map(|k| if k < full { '━' } else { '─' }).collect();
        // a terminal that does not take it does not need it
        let _ = write!(stderr(), "\r{bar} {:3.0} %  {}\x1b[K", 100.0 * part, words());
        let _ = stderr().flush();
    }

    pub fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(stderr(), "\r\x1b[K");
            let _ = stderr().flush();
        }
    }
}
