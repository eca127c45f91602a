//! `bellcrank demo`: mechanisms with loops, in batches, with what they cost and how closed they stay.

use super::Error;
use super::run::{Bits, Motors, Run};
use bellcrank::math::Level;
use clap::Args;

#[derive(Args)]
pub struct Demo {
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Mechanism, worlds, what its motors do.
const SCENES: [(&str, usize, Motors); 5] = [
    ("hybrid_biped", 512, Motors::Hold),
    ("hybrid_biped", 256, Motors::Random),
    ("four_bar", 2048, Motors::Random),
    ("jansen_leg", 512, Motors::Hold),
    ("five_bar_quadruped", 512, Motors::Hold),
];

impl Demo {
    pub fn run(self) -> Result<(), Error> {
        let mut records = Vec::new();
        if !self.json {
            println!("one second of each at 4 ms, f32 in {} lanes, all cores", Level::best());
            println!(
                "{:<20} {:>7} {:>9} {:>15} {:>12}",
                "mechanism", "worlds", "motors", "world-steps/s", "loop gap"
            );
        }
        for (name, worlds, control) in SCENES {
            let run = Run {
                file: name.into(),
                worlds,
                steps: 250,
                dt: 0.004,
                precision: Bits::F32,
                threads: 0,
                seed: 1,
                control,
                json: self.json,
            };
            let figures = run.measure()?;
            if self.json {
                let mut record = serde_json::json!(figures);
                record["scene"] = name.into();
                records.push(record);
            } else {
                let motors = if control == Motors::Hold { "hold" } else { "random" };
                println!(
                    "{name:<20} {worlds:>7} {motors:>9} {:>15.0} {:>10.1e} m",
                    figures.world_steps_per_second, figures.loop_gap_max_m
                );
            }
        }
        if self.json {
            println!("{}", serde_json::Value::from(records));
        }
        Ok(())
    }
}
