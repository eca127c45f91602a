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
    wanted: bool,
}

impl Progress {
    pub fn new(wanted: bool) -> Self {
        Progress { shown: None, started: Instant::now(), terminal: wanted && stderr().is_terminal(), wanted }
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
        let left = left(self.started.elapsed(), part);
        // a terminal that does not take it does not need it; in a narrow one the line is cut off, not wrapped (?7l, ?7h)
        let _ = write!(stderr(), "\r\x1b[?7l{bar} {:3.0} %{left}  {}\x1b[K\x1b[?7h", 100.0 * part, words());
        let _ = stderr().flush();
    }

    /// A line that stays, for who reads along without a terminal.
    pub fn note(&self, words: impl FnOnce() -> String) {
        if self.wanted && !self.terminal {
            let _ = writeln!(stderr(), "{}", words());
        }
    }

    pub fn clear(&mut self) {
        if self.shown.take().is_some() {
            let _ = write!(stderr(), "\r\x1b[K");
            let _ = stderr().flush();
        }
    }
}

/// "  3 min left" when it is worth saying: after the first three seconds, and not for the last two.
fn left(elapsed: Duration, part: f64) -> String {
    let seconds = elapsed.as_secs_f64() * (1.0 / part.clamp(1e-9, 1.0) - 1.0);
    if elapsed < Duration::from_secs(3) || seconds < 2.0 {
        return String::new();
    }
    match seconds {
        s if s < 100.0 => format!("  {s:.0} s left"),
        s if s < 6000.0 => format!("  {:.0} min left", s / 60.0),
        s => format!("  {:.0} h left", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter done after 10 s: 30 s are left. After 400 s: 20 minutes.
    #[test]
    fn what_is_left_follows_from_what_is_done() {
        let after = |seconds, part| left(Duration::from_secs(seconds), part);
        assert_eq!((after(10, 0.25), after(400, 0.25)), ("  30 s left".into(), "  20 min left".into()));
        assert_eq!((after(1, 0.25), after(10, 1.0)), (String::new(), String::new()));
    }
}
