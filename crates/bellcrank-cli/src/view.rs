//! `bellcrank view`

use super::opening::Opening;
use super::watch::{Listen, announce};
use super::{Error, stop};
use bellcrank::sim::{BatchOptions, Precision};
use bellcrank::view::{Live, serve_recording};
use clap::Args;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

#[derive(Args)]
pub struct View {
    /// A mechanism (.urdf, .xml, .usda, .usdc, .usdz, or a shipped name), or a recording (.html)
    file: String,
    /// Number of worlds
    #[arg(long, default_value_t = 1, value_parser = super::at_least_one)]
    worlds: usize,
    /// Step [s] [default: that of the file, or 0.004]
    #[arg(long, allow_negative_numbers = true)]
    dt: Option<f64>,
    /// Worlds that are shown [default: up to 100]
    #[arg(long, value_name = "N", value_parser = super::at_least_one)]
    show: Option<usize>,
    /// Begin paused
    #[arg(long)]
    paused: bool,
    /// Where to start [default: the reference pose]
    #[arg(long, value_name = "NAME")]
    keyframe: Option<String>,
    #[command(flatten)]
    listen: Listen,
    #[command(flatten)]
    opening: Opening,
}

impl View {
    pub fn run(self) -> Result<(), Error> {
        let path = Path::new(&self.file);
        if is_recording(path) {
            return self.replay(path);
        }
        let model = Arc::new(self.opening.open(&self.file)?);
        let precision = if self.worlds > 1 { Precision::F32 } else { Precision::F64 };
        let options = BatchOptions { dt: self.dt, precision, threads: 0, ..BatchOptions::default() };
        let mut batch = super::make_batch(model, self.worlds, options)?;
        if let Some(name) = &self.keyframe {
            super::start_at_keyframe(&mut batch, Some(name))?;
        }
        let mut options = self.listen.live(&batch, self.show);
        options.playing = !self.paused;
        let mut live = Live::start(&batch, options).map_err(Error::View)?;
        #[cfg(feature = "kinematics")]
        live.pose_with(Box::new(bellcrank::posing::Puppet::default()));
        announce(&live.address().url);
        live.run(&mut batch, None, stop::asked()).map_err(Error::View)
    }

    fn replay(&self, path: &Path) -> Result<(), Error> {
        let address = serve_recording(path, self.listen.bind, self.listen.port).map_err(Error::View)?;
        announce(&address.url);
        while !stop::asked().load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    }
}

/// By its name, or by how it begins: a page, or the bare recording.
fn is_recording(path: &Path) -> bool {
    let mut head = Vec::new();
    if !path.is_file() {
        return false; // opening a pipe waits for somebody who writes to it
    }
    let Ok(file) = File::open(path) else { return false };
    let named = path.extension().is_some_and(|end| end == "html" || end == "part");
    let read = file.take(15).read_to_end(&mut head).is_ok();
    named || read && (head.starts_with(b"BELLREC1") || head.eq_ignore_ascii_case(b"<!doctype html>"))
}
