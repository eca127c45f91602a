//! `bellcrank view`

use super::opening::Opening;
use super::watch::{Listen, announce};
use super::{Error, stop};
use bellcrank::model::Model;
use bellcrank::sim::{Batch, BatchOptions, Precision};
use bellcrank::view::{Live, serve_recording};
use clap::Args;
use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// Worlds of each of several mechanisms: more than anybody can look at.
const MOST_OF_EACH: usize = 1000;

#[derive(Args)]
pub struct View {
    /// Mechanisms (.urdf, .xml, .usda, .usdc, .usdz, or shipped names), chosen from a list in the page; or a recording (.html)
    #[arg(required = true, value_name = "FILE", value_parser = super::completions::Named, hide_possible_values = true)]
    files: Vec<String>,
    /// Number of worlds of each
    #[arg(long, default_value_t = 1, value_parser = super::at_least_one)]
    worlds: usize,
    /// Step [s] [default: that of the file, or 0.004]
    #[arg(long, allow_negative_numbers = true, value_parser = super::time_step)]
    dt: Option<f64>,
    /// Worlds that are shown [default: up to 100]
    #[arg(long, value_name = "N", value_parser = super::at_least_one)]
    show: Option<usize>,
    /// Begin paused
    #[arg(long)]
    paused: bool,
    /// Where to start [default: the model's first keyframe, else the reference pose]
    #[arg(long, value_name = "NAME")]
    keyframe: Option<String>,
    #[command(flatten)]
    listen: Listen,
    #[command(flatten)]
    opening: Opening,
}

impl View {
    pub fn run(self) -> Result<(), Error> {
        if let Some(path) = self.files.iter().map(Path::new).find(|path| is_recording(path)) {
            return if self.files.len() == 1 { self.replay(path) } else { Err(Error::OneRecording) };
        }
        let mut batch = self.batch()?;
        super::start_at_keyframe(&mut batch, self.keyframe.as_deref())?;
        let mut options = self.listen.live(&batch, self.show);
        options.playing = !self.paused;
        let mut live = Live::start(&batch, options).map_err(Error::View)?;
        live.pose_with(Box::new(bellcrank::posing::Puppet::default()));
        let keyframe = self.keyframe;
        // what keeps a world from its keyframe was said above
        live.begin_with(Box::new(move |batch| drop(super::start_at_keyframe(batch, keyframe.as_deref()))));
        announce(&live.address().url);
        live.run(&mut batch, None, stop::asked()).map_err(Error::View)
    }

    /// So many worlds of every mechanism, with the smallest of their steps.
    fn batch(&self) -> Result<Batch, Error> {
        let models: Vec<Arc<Model>> =
            self.files.iter().map(|file| self.opening.open(file).map(Arc::new)).collect::<Result<_, _>>()?;
        let one = models.len() == 1 && self.worlds == 1;
        let precision = if one { Precision::F64 } else { Precision::F32 };
        let own = models.iter().map(|model| model.time_step()).reduce(f64::min);
        let options = BatchOptions { dt: self.dt.or(own), precision, threads: 0, ..BatchOptions::default() };
        if let [model] = &models[..] {
            return super::make_batch(model.clone(), self.worlds, options);
        }
        if self.worlds > MOST_OF_EACH {
            return Err(Error::TooManyOfEach(MOST_OF_EACH));
        }
        let all: Vec<_> = models.into_iter().flat_map(|m| std::iter::repeat_n(m, self.worlds)).collect();
        Batch::of(&all, options).map_err(Error::Batch)
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
