//! `bellcrank demo`: mechanisms with loops at work, what they cost, how closed they stay, and a page to watch them.

mod show;
mod squat;
mod walk;

use super::figures::{Figures, grouped, small};
use super::run::{Bits, Motors, Run};
use super::say::say;
use super::watch::{Listen, Watch, announce};
use super::{Error, stop};
use bellcrank::math::Level;
use bellcrank::view::Live;
use clap::{Args, ValueEnum};
use show::Show;
use std::io::{IsTerminal, stdin, stdout};

#[derive(Args)]
pub struct Demo {
    /// What to show
    #[arg(value_enum, default_value_t = Name::All)]
    name: Name,
    /// Print figures only; also when the output is no terminal and no port is asked for
    #[arg(long)]
    headless: bool,
    /// Port of the viewer; 0 for any free one
    #[arg(long)]
    port: Option<u16>,
    /// Print JSON; implies --headless
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum Name {
    /// Bipeds that walk and squat, beside a four-bar and a Jansen walker
    All,
    /// Different four-bars in one batch
    Fourbar,
    /// Bipeds that walk by a trained policy, and some that squat
    Biped,
    /// Machines that walk on Theo Jansen's legs, two motors for eight of them
    Jansen,
    /// One of each mechanism
    Zoo,
    /// 125 loose solids that fall into a heap
    Pile,
}

/// Mechanism, worlds, what its motors do: the table of `demo --headless`.
const BATCHES: [(&str, usize, Motors); 5] = [
    ("hybrid_biped", 512, Motors::Hold),
    ("hybrid_biped", 256, Motors::Random),
    ("four_bar", 2048, Motors::Random),
    ("jansen_walker", 128, Motors::Hold),
    ("five_bar_quadruped", 512, Motors::Hold),
];

impl Demo {
    pub fn run(self) -> Result<(), Error> {
        let piped = !(stdin().is_terminal() && stdout().is_terminal()) && self.port.is_none();
        if self.headless || self.json || piped { self.print_figures() } else { self.serve() }
    }

    fn serve(&self) -> Result<(), Error> {
        let mut show = Show::of(self.name)?;
        let figures = show.measure()?;
        print_head();
        print_row(&figures, "program");
        show.restart()?;
        let listen = Listen { port: self.port.unwrap_or(0), ..Listen::default() };
        let mut live = Live::start(&show.batch, listen.live(&show.batch, None)).map_err(Error::View)?;
        announce(&live.address().url);
        live.run(&mut show.batch, Some(show.program), stop::asked()).map_err(Error::View)
    }

    fn print_figures(&self) -> Result<(), Error> {
        let mut records = Vec::new();
        if !self.json {
            print_head();
        }
        let mut add = |figures: Figures, motors: &str| {
            if self.json {
                let mut record = serde_json::json!(figures);
                record["scene"] = record["model"].clone();
                records.push(record);
            } else {
                print_row(&figures, motors);
            }
        };
        add(Show::of(self.name)?.measure()?, "program");
        if self.name == Name::All {
            for (name, worlds, control) in BATCHES {
                let figures = batch_run(name, worlds, control).measure()?;
                add(figures, if control == Motors::Hold { "hold" } else { "random" });
            }
        }
        if self.json {
            say(serde_json::Value::from(records));
        }
        Ok(())
    }
}

fn batch_run(name: &str, worlds: usize, control: Motors) -> Run {
    Run {
        file: name.into(),
        worlds,
        steps: 250,
        dt: Some(0.004),
        solver: None,
        integrator: None,
        precision: Bits::F32,
        threads: 0,
        seed: 1,
        control,
        device: "cpu".to_owned(),
        keyframe: None,
        opening: Default::default(),
        watch: Watch::default(),
        strict: false,
        json: false,
    }
}

fn print_head() {
    say(format_args!("at 4 ms, f32 in {} lanes, all cores", Level::best()));
    say(format_args!(
        "{:<26} {:>7} {:>9} {:>15} {:>12}",
        "mechanism", "worlds", "motors", "world-steps/s", "loop gap"
    ));
}

fn print_row(figures: &Figures, motors: &str) {
    say(format_args!(
        "{:<26} {:>7} {motors:>9} {:>15} {:>10} m",
        figures.model,
        figures.worlds,
        grouped(figures.world_steps_per_second),
        small(figures.loop_gap_max_m)
    ));
}
