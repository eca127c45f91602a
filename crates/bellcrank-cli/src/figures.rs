//! The figures of a run, under the names that scripts rely on.

use super::Error;
use super::run::{Bits, Run};
use super::say::say;
use bellcrank::sim::{Batch, StepReport, WorldStatus};
use serde::Serialize;
use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::time::Instant;

#[derive(Serialize)]
pub struct Figures {
    pub model: String,
    pub worlds: usize,
    pub steps: usize,
    pub dt: f64,
    pub solver: &'static str,
    pub precision: &'static str,
    pub threads: usize,
    pub world_steps_per_second: f64,
    pub world_steps_per_core_second: f64,
    pub loop_gap_max_m: f64,
    pub loop_gap_max_rad: f64,
    pub penetration_max_m: f64,
    pub iterations_median: usize,
    pub iterations_p95: usize,
    pub residual_max: f64,
    pub converged_fraction: f64,
    pub energy_start_j: f64,
    pub energy_end_j: f64,
    pub status: BTreeMap<&'static str, usize>,
    pub memory_bytes_per_world: usize,
    /// Steps that were asked for; `steps` were done.
    pub steps_asked: usize,
    /// It was ended from outside before all steps were done.
    pub interrupted: bool,
    /// World-steps that did not meet all tolerances.
    pub inexact_world_steps: usize,
    /// The first world that froze, for people.
    #[serde(skip)]
    pub first_frozen: Option<String>,
}

/// Figures while they grow.
pub struct Tally {
    pub figures: Figures,
    counts: Vec<u64>,
    converged: usize,
    seconds: f64,
    core_seconds: f64,
}

impl Tally {
    pub fn start(run: &Run, batch: &Batch) -> Result<Self, Error> {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        let figures = Figures {
            model: run.file.clone(),
            worlds: batch.worlds(),
            steps: 0,
            dt: batch.dt(),
            solver: batch.settings().solver.name(),
            precision: if run.precision == Bits::F32 { "f32" } else { "f64" },
            threads: if run.threads == 0 { cores } else { run.threads },
            world_steps_per_second: 0.0,
            world_steps_per_core_second: 0.0,
            loop_gap_max_m: 0.0,
            loop_gap_max_rad: 0.0,
            penetration_max_m: 0.0,
            iterations_median: 0,
            iterations_p95: 0,
            residual_max: 0.0,
            converged_fraction: 0.0,
            energy_start_j: batch.energy(0).map_err(Error::Batch)?,
            energy_end_j: 0.0,
            status: BTreeMap::new(),
            memory_bytes_per_world: batch.memory_bytes_per_world(),
            steps_asked: run.steps,
            interrupted: false,
            inexact_world_steps: 0,
            first_frozen: None,
        };
        let counts = vec![0; batch.iteration_counts().len()];
        Ok(Tally { figures, counts, converged: 0, seconds: 0.0, core_seconds: 0.0 })
    }

    /// Times some steps and adds what they report.
    pub fn measure(
        &mut self,
        batch: &mut Batch,
        count: usize,
        step: impl FnOnce(&mut Batch) -> Result<(), Error>,
    ) -> Result<StepReport, Error> {
        let (wall, cpu) = (Instant::now(), cpu_seconds());
        step(batch)?;
        self.seconds += wall.elapsed().as_secs_f64();
        self.core_seconds += cpu_seconds() - cpu;
        let report = batch.report();
        self.figures.steps += count;
        self.converged += report.converged.iter().sum::<usize>();
        self.counts.iter_mut().zip(batch.iteration_counts()).for_each(|(sum, n)| *sum += n);
        self.figures.add(&report);
        Ok(report)
    }

    /// World-steps per second so far.
    pub fn speed(&self) -> f64 {
        self.total() / self.seconds.max(1e-9)
    }

    fn total(&self) -> f64 {
        (self.figures.worlds * self.figures.steps) as f64
    }

    pub fn finish(mut self, batch: &Batch) -> Result<Figures, Error> {
        let (total, speed) = (self.total(), self.speed());
        let figures = &mut self.figures;
        figures.world_steps_per_second = speed;
        let cores =
            if self.core_seconds > 0.0 { self.core_seconds } else { self.seconds * figures.threads as f64 };
        figures.world_steps_per_core_second = total / cores.max(1e-9);
        figures.converged_fraction = self.converged as f64 / total.max(1.0);
        figures.interrupted = figures.steps < figures.steps_asked;
        figures.inexact_world_steps = (figures.worlds * figures.steps).saturating_sub(self.converged);
        (figures.iterations_median, figures.iterations_p95) =
            (quantile(&self.counts, 0.5), quantile(&self.counts, 0.95));
        figures.energy_end_j = batch.energy(0).map_err(Error::Batch)?;
        for (world, status) in batch.report().status.into_iter().enumerate() {
            *figures.status.entry(status.name()).or_default() += 1;
            if let (WorldStatus::Frozen { body, step }, None) = (status, &figures.first_frozen) {
                let model = batch.model(world).map_err(Error::Batch)?;
                let name = model.bodies().get(body as usize).map_or("a body", |body| &body.name);
                figures.first_frozen =
                    Some(format!("world {world} at step {step}: {name} stopped being finite"));
            }
        }
        Ok(self.figures)
    }
}

impl Figures {
    /// Worlds that stopped being finite and stand still since.
    pub fn frozen(&self) -> usize {
        self.status.get("frozen").copied().unwrap_or(0)
    }

    /// Whether every step of every world was done and met all tolerances.
    pub fn is_sound(&self) -> bool {
        self.inexact_world_steps == 0
            && !self.interrupted
            && self.status.iter().all(|(name, count)| *name == "ok" || *count == 0)
    }

    fn add(&mut self, report: &StepReport) {
        let most = |old: f64, new: &mut dyn Iterator<Item = f64>| new.fold(old, f64::max);
        self.loop_gap_max_m = most(self.loop_gap_max_m, &mut report.loop_gap.iter().map(|g| g.0));
        self.loop_gap_max_rad = most(self.loop_gap_max_rad, &mut report.loop_gap.iter().map(|g| g.1));
        self.penetration_max_m = most(self.penetration_max_m, &mut report.penetration.iter().copied());
        self.residual_max = most(self.residual_max, &mut report.residual.iter().copied());
    }

    pub fn print(&self) {
        say(format_args!(
            "{}: {} × {} of {} s, {}, {}, {}",
            self.model,
            counted(self.worlds, "world"),
            counted(self.steps, "step"),
            if (1e-9..1e9).contains(&self.dt) { self.dt.to_string() } else { format!("{:e}", self.dt) },
            self.solver,
            self.precision,
            counted(self.threads, "thread")
        ));
        say(format_args!(
            "  world-steps/s    {:>12}   {} per core",
            grouped(self.world_steps_per_second),
            grouped(self.world_steps_per_core_second)
        ));
        say(format_args!(
            "  loop gap         {:>12} m, {} rad at most",
            small(self.loop_gap_max_m),
            small(self.loop_gap_max_rad)
        ));
        say(format_args!("  penetration      {:>12} m at most", small(self.penetration_max_m)));
        say(format_args!(
            "  iterations       {:>12}   median, {} at the 95th percentile",
            self.iterations_median, self.iterations_p95
        ));
        say(format_args!(
            "  residual         {:>12}   at most; {:.2} % converged",
            small(self.residual_max),
            100.0 * self.converged_fraction
        ));
        say(format_args!(
            "  energy           {:>12.4} J at the start, {:.4} J at the end (world 0)",
            self.energy_start_j, self.energy_end_j
        ));
        let status: Vec<String> = self.status.iter().map(|(name, n)| format!("{n} {name}")).collect();
        say(format_args!("  status           {:>12}", status.join(", ")));
        if let Some(told) = &self.first_frozen {
            say(format_args!("  frozen           {told}"));
        }
        let memory = grouped(self.memory_bytes_per_world as f64);
        say(format_args!("  memory           {memory:>12} bytes per world"));
    }
}

/// 1234567.8 → "1 234 568" for people, with spaces that do not break; for programs that read along, the digits alone.
pub fn grouped(x: f64) -> String {
    if std::io::stdout().is_terminal() { in_groups(x) } else { format!("{x:.0}") }
}

fn in_groups(x: f64) -> String {
    let digits = format!("{x:.0}");
    let mut text = String::new();
    for (k, digit) in digits.chars().enumerate() {
        if k > 0 && digit.is_ascii_digit() && (digits.len() - k) % 3 == 0 && !text.ends_with('-') {
            text.push('\u{a0}');
        }
        text.push(digit);
    }
    text
}

/// "1.2e-7"; plain "0" for nothing at all.
pub fn small(x: f64) -> String {
    if x == 0.0 { "0".into() } else { format!("{x:.1e}") }
}

/// "1 world", "2 worlds".
pub fn counted(n: usize, noun: &str) -> String {
    format!("{n} {noun}{}", if n == 1 { "" } else { "s" })
}

/// The number of iterations that this share of all world-steps did not exceed.
pub fn quantile(counts: &[u64], share: f64) -> usize {
    let total: u64 = counts.iter().sum();
    let mut seen = 0;
    for (iterations, count) in counts.iter().enumerate() {
        seen += count;
        if seen as f64 >= share * total as f64 {
            return iterations;
        }
    }
    0
}

/// Processor time of all threads so far [s]; zero where the system does not tell.
#[cfg(unix)]
pub fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + 1e-9 * time.tv_nsec as f64
}

/// Processor time of all threads so far [s]; zero where the system does not tell.
#[cfg(not(unix))]
pub fn cpu_seconds() -> f64 {
    0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_numbers_are_written_in_groups_of_three() {
        let plain = |x| in_groups(x).replace('\u{a0}', " ");
        assert_eq!([0.4, 999.0, 1000.0, 1234567.8].map(plain), ["0", "999", "1 000", "1 234 568"]);
        assert_eq!(plain(-123456.0), "-123 456");
    }

    /// Of ten world-steps three took 1 iteration, six 2 and one 9.
    #[test]
    fn quantiles_are_read_off_the_counts() {
        let counts = [0, 3, 6, 0, 0, 0, 0, 0, 0, 1];
        assert_eq!((quantile(&counts, 0.5), quantile(&counts, 0.95)), (2, 9));
        assert_eq!(quantile(&[0, 0], 0.5), 0);
    }
}
