//! `bellcrank run`

use super::Error;
use super::figures::{Figures, Tally};
use super::opening::Opening;
use super::say::say;
use super::watch::{Watch, Watcher};
use bellcrank::model::Model;
use bellcrank::sim::{self, Batch, BatchOptions, ImplicitIntegrator, Precision};
use bellcrank::solve::ComFree;
use clap::builder::RangedU64ValueParser;
use clap::{Args, ValueEnum};
use std::sync::Arc;

#[derive(Args)]
pub struct Run {
    /// A file (.urdf, .xml, .usda, .usdc, .usdz), or the name of a shipped mechanism (`bellcrank models` lists them)
    #[arg(value_parser = super::completions::Named, hide_possible_values = true)]
    pub file: String,
    /// Number of worlds
    #[arg(long, default_value_t = 1, value_parser = super::at_least_one)]
    pub worlds: usize,
    /// Number of steps
    #[arg(long, default_value_t = 1000, value_parser = super::whole_number)]
    pub steps: usize,
    /// Step [s] [default: that of the file, or 0.004]
    #[arg(long, allow_negative_numbers = true, value_parser = super::time_step)]
    pub dt: Option<f64>,
    /// How reactions are found [default: padmm]
    #[arg(long, value_enum)]
    pub solver: Option<Solver>,
    /// How velocities become poses [default: euler]; moreau-jean goes with padmm and comfree, variational is interior-point
    #[arg(long, value_enum)]
    pub integrator: Option<Poses>,
    /// Floating-point numbers
    #[arg(long, value_enum, default_value_t = Bits::F64)]
    pub precision: Bits,
    /// Threads; 0 for one per core
    #[arg(long, default_value_t = 0, value_parser = RangedU64ValueParser::<usize>::new().range(0..=1024))]
    pub threads: usize,
    /// Where steps are computed: cpu; in builds with the feature wgpu also wgpu, with --precision f32 --solver comfree
    #[arg(long, default_value = "cpu", value_parser = super::device)]
    pub device: String,
    /// Seed of `--control random`
    #[arg(long, default_value_t = 0)]
    pub seed: u64,
    /// What the motors are told
    #[arg(long, value_enum, default_value_t = Motors::Hold)]
    pub control: Motors,
    /// Where to start [default: the model's first keyframe, else the reference pose]
    #[arg(long, value_name = "NAME")]
    pub keyframe: Option<String>,
    #[command(flatten)]
    pub watch: Watch,
    #[command(flatten)]
    pub opening: Opening,
    /// End with code 3 unless every step of every world met all tolerances
    #[arg(long)]
    pub strict: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What a run ends with that Ctrl-C or a signal ended, as shells have it.
const INTERRUPTED: i32 = 130;
/// What a run ends with in which a world froze.
const FROZEN: i32 = 4;
/// What `--strict` ends with when a step was not exact.
const INEXACT: i32 = 3;

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Bits {
    F32,
    F64,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Solver {
    /// Exact to a tolerance: a linear solve where nothing slides, else Newton, else Proximal-ADMM
    #[value(alias = "exact")]
    Padmm,
    /// Closed form: each contact, limit and motor for itself, without iterations
    Comfree,
    /// Interior point: everything at the end of the step, contacts relaxed to κ
    InteriorPoint,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Poses {
    /// Semi-implicit
    Euler,
    /// Half a step before and after the reactions: second order
    MoreauJean,
    /// Discrete mechanics: keeps momentum exactly
    Variational,
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

/// Steps between two random targets.
const RANDOM_STRIDE: usize = 10;

impl Run {
    pub fn run(self) -> Result<(), Error> {
        self.warn_of_threads();
        let model = Arc::new(self.opening.open(&self.file)?);
        let mut batch = self.batch(model)?;
        let (figures, watcher) = self.drive(&mut batch)?;
        if self.json {
            say(serde_json::json!(figures));
        } else {
            figures.print();
        }
        let interrupted = figures.interrupted;
        watcher.finish(&mut batch)?;
        let code = match (interrupted, figures.frozen(), self.strict && !figures.is_sound()) {
            (true, ..) => INTERRUPTED,
            (_, 1.., _) => FROZEN,
            (.., true) => INEXACT,
            _ => return Ok(()),
        };
        std::process::exit(code);
    }

    /// Threads beyond the processors only wait for each other.
    fn warn_of_threads(&self) {
        let processors = std::thread::available_parallelism().map_or(1, |n| n.get());
        if self.threads > 2 * processors {
            eprintln!(
                "warning: {} threads on {processors} processors are slower than {processors}\n  hint: leave --threads out",
                self.threads
            );
        }
    }

    /// Runs the worlds and gathers the figures.
    pub fn measure(&self) -> Result<Figures, Error> {
        let model = Arc::new(self.opening.open(&self.file)?);
        let mut batch = self.batch(model)?;
        let (figures, watcher) = self.drive(&mut batch)?;
        watcher.finish(&mut batch)?;
        Ok(figures)
    }

    /// The solver with its integrator: the variational integrator has but one solver, which has no half steps.
    pub fn solver(&self) -> Result<sim::Solver, Error> {
        use sim::Integrator::{MoreauJean, SemiImplicitEuler};
        let plain = if self.integrator == Some(Poses::MoreauJean) { MoreauJean } else { SemiImplicitEuler };
        match (self.solver, self.integrator) {
            (Some(Solver::InteriorPoint), Some(Poses::MoreauJean)) => Err(Error::NotTogether {
                integrator: "moreau-jean",
                solver: "interior-point",
                hint: "euler or variational",
            }),
            (Some(Solver::Padmm), Some(Poses::Variational)) => Err(Error::NotTogether {
                integrator: "variational",
                solver: "padmm",
                hint: "--solver interior-point, or leave it out",
            }),
            (Some(Solver::Comfree), Some(Poses::Variational)) => Err(Error::NotTogether {
                integrator: "variational",
                solver: "comfree",
                hint: "--solver interior-point, or leave it out",
            }),
            (_, Some(Poses::Variational)) => Ok(sim::Solver::variational()),
            (Some(Solver::InteriorPoint), _) => {
                Ok(sim::Solver::InteriorPoint { point: None, integrator: ImplicitIntegrator::default() })
            }
            (Some(Solver::Comfree), _) => {
                Ok(sim::Solver::ComFree { law: ComFree::default(), integrator: plain })
            }
            (None | Some(Solver::Padmm), _) => Ok(sim::Solver::Exact { padmm: None, integrator: plain }),
        }
    }

    fn batch(&self, model: Arc<Model>) -> Result<Batch, Error> {
        let options = self.options()?;
        if self.device == "cpu" {
            return super::make_batch(model, self.worlds, options);
        }
        let worlds = vec![model; self.worlds];
        bellcrank::devices::batch_on(&self.device, &worlds, options).map_err(Error::Batch)
    }

    pub fn options(&self) -> Result<BatchOptions, Error> {
        let precision = if self.precision == Bits::F32 { Precision::F32 } else { Precision::F64 };
        let settings = self.solver()?.into();
        Ok(BatchOptions {
            dt: self.dt,
            precision,
            threads: self.threads,
            settings,
            ..BatchOptions::default()
        })
    }

    /// All steps, or as many as there were before Ctrl-C.
    fn drive(&self, batch: &mut Batch) -> Result<(Figures, Watcher), Error> {
        super::start_at_keyframe(batch, self.keyframe.as_deref())?;
        if self.control == Motors::Zero {
            self.set_targets(batch, |_, _| 0.0)?;
        }
        let mut tally = Tally::start(self, batch)?;
        let mut watcher = Watcher::start(&self.watch, batch, self.steps)?;
        while tally.figures.steps < self.steps && !watcher.is_stopped() {
            let done = tally.figures.steps;
            let mut count = watcher.stride().min(self.steps - done);
            if self.control == Motors::Random {
                // targets change at the same steps whether someone looks on or not
                count = count.min(RANDOM_STRIDE - done % RANDOM_STRIDE);
                if done % RANDOM_STRIDE == 0 {
                    self.set_targets(batch, |world, actuator| {
                        0.3 * noise(self.seed, [done, world, actuator])
                    })?;
                }
            }
            let report = tally.measure(batch, count, |batch| watcher.step(batch, count))?;
            watcher.look(batch, &tally, &report)?;
        }
        watcher.clear_progress();
        Ok((tally.finish(batch)?, watcher))
    }

    fn set_targets(&self, batch: &mut Batch, target: impl Fn(usize, usize) -> f64) -> Result<(), Error> {
        for world in 0..batch.worlds() {
            let count = batch.model(world).map_err(Error::Batch)?.actuators().len();
            for actuator in 0..count {
                batch.set_target_position(world, actuator, target(world, actuator)).map_err(Error::Batch)?;
            }
        }
        Ok(())
    }
}

/// Between −1 and 1, a function of the seed and the three numbers only (a hash, after SplitMix64).
pub fn noise(seed: u64, numbers: [usize; 3]) -> f64 {
    let mut x = seed;
    for part in numbers {
        x = x.wrapping_add(part as u64).wrapping_add(0x9E37_79B9_7F4A_7C15);
        x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        x ^= x >> 31;
    }
    (x >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

#[cfg(test)]
mod tests {
    use super::noise;

    /// The same figures stand in benches/peers/test_measure.py: other engines are told the same targets.
    #[test]
    fn noise_is_the_same_in_every_program() {
        assert_eq!(noise(0, [1, 2, 3]), -0.16488388099119455);
        assert_eq!(noise(7, [0, 0, 0]), 0.21878904913635);
    }
}
