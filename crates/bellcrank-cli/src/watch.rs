//! Whoever looks on while a batch runs: the recorder, a browser, the progress line, and Ctrl-C.

use super::figures::{Tally, counted, grouped, small};
use super::record::{Record, Recording};
use super::say::{Progress, say};
use super::{Error, stop};
use bellcrank::sim::{Batch, StepReport};
use bellcrank::view::{Live, LiveOptions};
use clap::Args;
use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Steps between two looks when nothing is shown.
const LONGEST_STRIDE: usize = 100;

#[derive(Args, Clone, Default)]
pub struct Watch {
    #[command(flatten)]
    pub record: Record,
    /// Show the worlds in the browser while they run
    #[arg(long)]
    pub view: bool,
    /// How many worlds are recorded or shown [default: 16 recorded, 100 shown]
    #[arg(long, value_name = "N", value_parser = super::at_least_one)]
    pub show: Option<usize>,
    #[command(flatten)]
    pub listen: Listen,
}

#[derive(Args, Clone)]
pub struct Listen {
    /// Port of the viewer; 0 for any free one
    #[arg(long, default_value_t = 0)]
    pub port: u16,
    /// Where the viewer listens; beyond this machine the printed address holds a token
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), value_name = "ADDRESS")]
    pub bind: IpAddr,
}

impl Default for Listen {
    fn default() -> Self {
        Listen { port: 0, bind: IpAddr::V4(Ipv4Addr::LOCALHOST) }
    }
}

impl Listen {
    /// The options of a live viewer that shows the first `show` worlds.
    pub fn live(&self, batch: &Batch, show: Option<usize>) -> LiveOptions {
        let worlds = show.map(|n| (0..n.min(batch.worlds())).collect()).unwrap_or_default();
        LiveOptions { bind: self.bind, port: self.port, worlds, ..LiveOptions::default() }
    }
}

pub struct Watcher {
    recording: Option<Recording>,
    live: Option<Live>,
    progress: Progress,
    stride: usize,
    steps: usize,
}

impl Watcher {
    pub fn start(watch: &Watch, batch: &Batch, steps: usize) -> Result<Self, Error> {
        let worlds = watch.show.map(|n| (0..n.min(batch.worlds())).collect()).unwrap_or_default();
        let recording = watch.record.start(batch, worlds)?;
        stop::asked(); // before anybody is told that it runs
        let live = if watch.view {
            let live = Live::start(batch, watch.listen.live(batch, watch.show)).map_err(Error::View)?;
            eprintln!("viewer: {}", live.address().url);
            Some(live)
        } else {
            None
        };
        let per_frame =
            (1.0 / (watch.record.fps * batch.dt())).floor().clamp(1.0, LONGEST_STRIDE as f64) as usize;
        let stride = if recording.is_some() || live.is_some() { per_frame } else { LONGEST_STRIDE };
        let mut watcher = Watcher { recording, live, progress: Progress::new(true), stride, steps };
        watcher.record(batch, 0.0)?;
        Ok(watcher)
    }

    /// How many steps until the next look.
    pub fn stride(&self) -> usize {
        self.stride
    }

    pub fn is_stopped(&self) -> bool {
        stop::asked().load(Ordering::Relaxed)
    }

    /// Steps, with what the mouse pulls at; waits while a browser has paused.
    pub fn step(&mut self, batch: &mut Batch, count: usize) -> Result<(), Error> {
        match &mut self.live {
            None => drop(batch.step(count)),
            Some(live) => live.advance(batch, count).map_err(Error::View)?,
        }
        Ok(())
    }

    /// Lets everyone look.
    pub fn look(&mut self, batch: &mut Batch, tally: &Tally, report: &StepReport) -> Result<(), Error> {
        let done = tally.figures.steps;
        self.record(batch, done as f64 * batch.dt())?;
        self.attend(batch)?;
        self.progress.show(done as f64 / self.steps.max(1) as f64, || progress_words(tally, report));
        Ok(())
    }

    fn record(&mut self, batch: &Batch, time: f64) -> Result<(), Error> {
        self.recording.as_mut().map_or(Ok(()), |recording| recording.observe(batch, time))
    }

    fn attend(&mut self, batch: &mut Batch) -> Result<(), Error> {
        let stopped = stop::asked();
        let Some(live) = &mut self.live else { return Ok(()) };
        loop {
            live.attend(batch).and_then(|()| live.publish(batch)).map_err(Error::View)?;
            if !live.is_paused() || stopped.load(Ordering::Relaxed) {
                return Ok(());
            }
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Takes the progress line away, so that figures can be printed.
    pub fn clear_progress(&mut self) {
        self.progress.clear();
    }

    /// Ends the recording, prints where it is, and hands the browser over to the reader until Ctrl-C.
    pub fn finish(mut self, batch: &mut Batch) -> Result<(), Error> {
        self.clear_progress();
        if let Some(recording) = self.recording.take() {
            recording.finish()?;
        }
        if let Some(live) = &mut self.live
            && !stop::asked().load(Ordering::Relaxed)
        {
            eprintln!("the run is over; the page stays open until Ctrl-C: {}", live.address().url);
            live.run(batch, None, stop::asked()).map_err(Error::View)?;
        }
        Ok(())
    }
}

fn progress_words(tally: &Tally, report: &StepReport) -> String {
    let mut counts = BTreeMap::<&str, usize>::new();
    report.status.iter().for_each(|status| *counts.entry(status.name()).or_default() += 1);
    let status: Vec<String> = counts.iter().map(|(name, n)| format!("{n} {name}")).collect();
    format!(
        "{} × {}  {} world-steps/s  gap {} m  {}",
        counted(tally.figures.worlds, "world"),
        counted(tally.figures.steps, "step"),
        grouped(tally.speed()),
        small(tally.figures.loop_gap_max_m),
        status.join(", ")
    )
}

/// Prints the address of a page, and how to end: from here on Ctrl-C ends in order.
pub fn announce(url: &str) {
    stop::asked();
    say(format_args!("open {url}   (Ctrl-C ends)"));
}
