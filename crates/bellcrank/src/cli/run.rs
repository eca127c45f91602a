//! `bellcrank run`

use super::{Error, open};
use bellcrank::sim::{Batch, BatchOptions, Precision};
use clap::{Args, ValueEnum};
use serde::Serialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

#[derive(Args)]
pub struct Run {
    /// A file (.urdf, .xml, .usda), or the name of a shipped mechanism (`bellcrank models` lists them)
    pub file: String,
    /// Number of worlds
    #[arg(long, default_value_t = 1)]
    pub worlds: usize,
    /// Number of steps
    #[arg(long, default_value_t = 1000)]
    pub steps: usize,
    /// Step [s]
    #[arg(long, default_value_t = 0.004)]
    pub dt: f64,
    /// Numbers of 64 or 32 bits
    #[arg(long, value_enum, default_value_t = Bits::F64)]
    pub precision: Bits,
    /// Threads; 0 for one per core
    #[arg(long, default_value_t = 0)]
    pub threads: usize,
    /// Seed of `--control random`
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// What the motors are told
    #[arg(long, value_enum, default_value_t = Motors::Hold)]
    pub control: Motors,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Bits {
    F32,
    F64,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Motors {
    /// Targets and efforts zero
    Zero,
    /// New random position targets every ten steps, up to 0.3 rad or m from the reference
    Random,
    /// Hold the reference pose
    Hold,
}

/// The figures of a run, under the names that scripts rely on.
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
}

impl Run {
    pub fn run(self) -> Result<(), Error> {
        let figures = self.measure()?;
        if self.json {
            println!("{}", serde_json::json!(figures));
        } else {
            figures.print();
        }
        Ok(())
    }

    /// Runs the worlds and gathers the figures.
    pub fn measure(&self) -> Result<Figures, Error> {
        let model = Arc::new(open(&self.file)?);
        let precision = if self.precision == Bits::F32 { Precision::F32 } else { Precision::F64 };
        let options =
            BatchOptions { dt: self.dt, precision, threads: self.threads, ..BatchOptions::default() };
        let mut batch = Batch::new(model.clone(), self.worlds, options).map_err(Error::Batch)?;
        if self.control == Motors::Zero {
            self.set_targets(&mut batch, |_, _| 0.0)?;
        }
        let mut figures = Figures::start(self, &batch)?;
        let mut counts = vec![0; batch.iteration_counts().len()];
        let (mut done, mut converged, mut seconds, mut core_seconds) = (0, 0, 0.0, 0.0);
        while done < self.steps {
            let chunk = if self.control == Motors::Random { 10 } else { 100 }.min(self.steps - done);
            if self.control == Motors::Random {
                self.set_targets(&mut batch, |world, actuator| 0.3 * self.noise(done, world, actuator))?;
            }
            let (wall, cpu) = (Instant::now(), cpu_seconds());
            let report = batch.step(chunk);
            seconds += wall.elapsed().as_secs_f64();
            core_seconds += cpu_seconds() - cpu;
            done += chunk;
            converged += report.converged.iter().sum::<usize>();
            counts.iter_mut().zip(batch.iteration_counts()).for_each(|(sum, n)| *sum += n);
            figures.add(&report);
        }
        let total = (self.worlds * self.steps) as f64;
        figures.world_steps_per_second = total / seconds;
        let cores = if core_seconds > 0.1 { core_seconds } else { seconds * figures.threads as f64 };
        figures.world_steps_per_core_second = total / cores;
        figures.converged_fraction = converged as f64 / total;
        (figures.iterations_median, figures.iterations_p95) =
            (quantile(&counts, 0.5), quantile(&counts, 0.95));
        figures.energy_end_j = batch.energy(0).map_err(Error::Batch)?;
        for status in batch.report().status {
            *figures.status.entry(status.name()).or_default() += 1;
        }
        Ok(figures)
    }

    fn set_targets(&self, batch: &mut Batch, target: impl Fn(usize, usize) -> f64) -> Result<(), Error> {
        for world in 0..self.worlds {
            let count = batch.model(world).map_err(Error::Batch)?.actuators().len();
            for actuator in 0..count {
                batch.set_target_position(world, actuator, target(world, actuator)).map_err(Error::Batch)?;
            }
        }
        Ok(())
    }

    /// Between −1 and 1, a function of seed, step, world and actuator only (a hash, after SplitMix64).
    fn noise(&self, step: usize, world: usize, actuator: usize) -> f64 {
        let mut x = self.seed;
        for part in [step, world, actuator] {
            x = x.wrapping_add(part as u64).wrapping_add(0x9E37_79B9_7F4A_7C15);
            x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            x ^= x >> 31;
        }
        (x >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }
}

impl Figures {
    fn start(run: &Run, batch: &Batch) -> Result<Self, Error> {
        let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
        Ok(Figures {
            model: run.file.clone(),
            worlds: run.worlds,
            steps: run.steps,
            dt: run.dt,
            solver: "padmm",
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
        })
    }

    fn add(&mut self, report: &bellcrank::sim::StepReport) {
        let most = |old: f64, new: &mut dyn Iterator<Item = f64>| new.fold(old, f64::max);
        self.loop_gap_max_m = most(self.loop_gap_max_m, &mut report.loop_gap.iter().map(|g| g.0));
        self.loop_gap_max_rad = most(self.loop_gap_max_rad, &mut report.loop_gap.iter().map(|g| g.1));
        self.penetration_max_m = most(self.penetration_max_m, &mut report.penetration.iter().copied());
        self.residual_max = most(self.residual_max, &mut report.residual.iter().copied());
    }

    fn print(&self) {
        println!(
            "{}: {} worlds × {} steps of {} s, {}",
            self.model, self.worlds, self.steps, self.dt, self.precision
        );
        println!(
            "  world-steps/s    {:>12.0}   {:.0} per core",
            self.world_steps_per_second, self.world_steps_per_core_second
        );
        println!(
            "  loop gap         {:>12.1e} m, {:.1e} rad at most",
            self.loop_gap_max_m, self.loop_gap_max_rad
        );
        println!("  penetration      {:>12.1e} m at most", self.penetration_max_m);
        println!(
            "  iterations       {:>12}   median, {} at the 95th percentile",
            self.iterations_median, self.iterations_p95
        );
        println!(
            "  residual         {:>12.1e}   at most; {:.2} % converged",
            self.residual_max,
            100.0 * self.converged_fraction
        );
        println!(
            "  energy           {:>12.4} J at the start, {:.4} J at the end (world 0)",
            self.energy_start_j, self.energy_end_j
        );
        let status: Vec<String> = self.status.iter().map(|(name, n)| format!("{n} {name}")).collect();
        println!("  status           {:>12}", status.join(", "));
        println!("  memory           {:>12} bytes per world", self.memory_bytes_per_world);
    }
}

/// The number of iterations that this share of all world-steps did not exceed.
fn quantile(counts: &[u64], share: f64) -> usize {
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
fn cpu_seconds() -> f64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/stat") else { return 0.0 };
    // fields 14 and 15 after the name in brackets, in ticks of 1/100 s
    let Some((_, fields)) = text.rsplit_once(')') else { return 0.0 };
    let ticks = fields.split_whitespace().skip(11).take(2).filter_map(|x| x.parse::<f64>().ok()).sum::<f64>();
    ticks / 100.0
}
