//! `bellcrank evaluate`

use super::opening::Brought;
use super::run::Bits;
use super::say::{Progress, say};
use super::{Error, stop};
use bellcrank::learn::{EvaluateOptions, Evaluation, Policy, evaluate};
use bellcrank::sim::Precision;
use clap::Args;

#[derive(Args)]
pub struct Evaluate {
    /// A policy's file, or the name of one that ships (`biped_walk`)
    policy: String,
    /// Episodes, one per world
    #[arg(long, default_value_t = 1000, value_name = "N", value_parser = super::at_least_one)]
    episodes: usize,
    /// Velocity that a push gives the robot [m/s] [default: as in training]
    #[arg(long, value_name = "MPS")]
    push: Option<f64>,
    /// Numbers of the simulation
    #[arg(long, default_value = "f32", value_enum)]
    precision: Bits,
    /// Step of the simulation [s]: the task's own, or a whole part of it [default: the task's]
    #[arg(long, value_name = "S")]
    dt: Option<f64>,
    /// Seed of starts, commands and pushes
    #[arg(long, default_value_t = 1_000_000)]
    seed: u64,
    /// Threads; 0 for one per core
    #[arg(long, default_value_t = 0, value_name = "T")]
    threads: usize,
    #[command(flatten)]
    brought: Brought,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Evaluate {
    pub fn run(self) -> Result<(), Error> {
        let (policy, path) = Policy::open(&self.policy).map_err(Error::Learn)?;
        let options = EvaluateOptions {
            episodes: self.episodes,
            threads: self.threads,
            precision: if self.precision == Bits::F32 { Precision::F32 } else { Precision::F64 },
            finer: self.finer(&policy)?,
            robot: self.brought.robot()?,
            seed: self.seed,
            task: self.push.map(|push| ("push".to_owned(), push)).into_iter().collect(),
        };
        let mut progress = Progress::new(!self.json);
        let shown = |part: f64| progress.show(part, || format!("{} episodes", self.episodes));
        let found = evaluate(&policy, &path, &options, stop::asked(), shown).map_err(Error::Learn)?;
        progress.clear();
        if self.json {
            say(serde_json::json!(found));
        } else {
            tell(&policy, &found);
        }
        Ok(())
    }

    /// Steps per step of the task's own.
    fn finer(&self, policy: &Policy) -> Result<usize, Error> {
        let Some(dt) = self.dt else { return Ok(1) };
        let own = policy.step(self.brought.robot()?).map_err(Error::Learn)?;
        let parts = (own / dt).round();
        if (1.0..=1000.0).contains(&parts) && (own / parts - dt).abs() < 1e-9 {
            Ok(parts as usize)
        } else {
            Err(Error::WrongStep { dt, own })
        }
    }
}

fn tell(policy: &Policy, e: &Evaluation) {
    say(format_args!("{}, {} episodes without exploration", policy.task, e.episodes));
    let line = |name: &str, value: String| say(format_args!("  {name:<34}{value}"));
    line("ended by a fall", format!("{:.2} %", 100.0 * e.fall_fraction));
    if let (Some(forward), Some(sideways), Some(turn), Some(now)) =
        (e.forward_error_mps, e.sideways_error_mps, e.turn_error_radps, e.instant_error)
    {
        line(
            "error per gait cycle",
            format!("{forward:.3} m/s forward, {sideways:.3} m/s sideways, {turn:.3} rad/s"),
        );
        line(
            "error at every instant",
            format!("{:.3} m/s forward, {:.3} m/s sideways, {:.3} rad/s", now[0], now[1], now[2]),
        );
    }
    line("reward of an action", format!("{:.3}", e.reward_mean));
    line("return of an episode", format!("{:.0}", e.return_mean));
    if let Some(power) = e.power_w {
        line("mechanical power", format!("{power:.1} W"));
    }
    if let Some(survived) = e.pushes_survived_fraction {
        line("pushes survived", format!("{:.2} % of {}", 100.0 * survived, e.pushes));
    }
}
