//! `bellcrank view`

use super::watch::{Listen, announce};
use super::{Error, open, stop};
use bellcrank::sim::{Batch, BatchOptions, Precision};
use bellcrank::view::{Live, serve_recording};
use clap::Args;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

#[derive(Args)]
pub struct View {
    /// A mechanism (.urdf, .xml, .usda, or a shipped name), or a recording (.html)
    file: String,
    /// Number of worlds
    #[arg(long, default_value_t = 1)]
    worlds: usize,
    /// Step [s]
    #[arg(long, default_value_t = 0.004, allow_negative_numbers = true)]
    dt: f64,
    /// Worlds that are shown [default: up to 100]
    #[arg(long, value_name = "N")]
    show: Option<usize>,
    /// Begin paused
    #[arg(long)]
    paused: bool,
    #[command(flatten)]
    listen: Listen,
}

impl View {
    pub fn run(self) -> Result<(), Error> {
        let path = Path::new(&self.file);
        let recording = path.extension().is_some_and(|end| end == "html" || end == "part");
        if recording && path.exists() {
            return self.replay(path);
        }
        let model = Arc::new(open(&self.file)?);
        let precision = if self.worlds > 1 { Precision::F32 } else { Precision::F64 };
        let options = BatchOptions { dt: self.dt, precision, threads: 0, ..BatchOptions::default() };
        let mut batch = Batch::new(model, self.worlds, options).map_err(Error::Batch)?;
        let mut options = self.listen.live(&batch, self.show);
        options.playing = !self.paused;
        let mut live = Live::start(&batch, options).map_err(Error::View)?;
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
