//! The recorder that a program holds.

use super::target::{self, Files};
use super::writer::{Store, Writer};
use super::{Quanta, header_bytes};
use crate::error::ViewError;
use crate::frame::{Frame, Touching};
use crate::page;
use crate::scene::Scene;
use bellcrank_sim::Batch;
use std::io::BufWriter;
use std::path::{Path, PathBuf};

/// What is recorded.
#[derive(Clone, Debug)]
pub struct RecordOptions {
    /// Frames per simulated second.
    pub frames_per_second: f64,
    /// Which worlds; empty for the first sixteen.
    pub worlds: Vec<usize>,
}

impl Default for RecordOptions {
    fn default() -> Self {
        RecordOptions { frames_per_second: 30.0, worlds: Vec::new() }
    }
}

/// Worlds that are recorded when none are named.
const FIRST_WORLDS: usize = 16;

/// Watches a batch and makes one self-contained HTML file.
pub struct Recorder {
    scene: Scene,
    writer: Writer,
    interval: f64,
    next: f64,
    /// None in memory.
    files: Option<Files>,
    count: usize,
}

impl Recorder {
    /// Keeps the recording in memory; see [`Recorder::finish_html`].
    ///
    /// # Errors
    /// When a world does not exist or the rate makes no sense.
    pub fn in_memory(batch: &Batch, options: RecordOptions) -> Result<Self, ViewError> {
        Self::start(batch, options, Store::Memory(Vec::new()), None)
    }

    /// Writes to disk while running: `OUT.html.part` grows, and becomes `OUT.html` in [`Recorder::finish`].
    ///
    /// # Errors
    /// When the file cannot be written, a world does not exist, or the rate makes no sense.
    pub fn to_file(batch: &Batch, options: RecordOptions, path: &Path) -> Result<Self, ViewError> {
        let part = target::beside(path, ".part");
        let file = target::try_out(path, &part, page::size())?;
        let files = Files::new(part, path.to_owned()); // an error from here on leaves nothing behind
        Self::start(batch, options, Store::File(BufWriter::new(file)), Some(files))
    }

    fn start(
        batch: &Batch,
        options: RecordOptions,
        store: Store,
        files: Option<Files>,
    ) -> Result<Self, ViewError> {
        let rate = options.frames_per_second;
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(ViewError::BadRate(rate));
        }
        let worlds = match options.worlds.as_slice() {
            [] => (0..batch.worlds().min(FIRST_WORLDS)).collect(),
            chosen => chosen.to_vec(),
        };
        let scene = Scene::of(batch, &worlds)?;
        let quanta = Quanta::of(&scene);
        let writer = Writer::start(store, header_bytes(&scene, quanta, rate), quanta)?;
        Ok(Recorder { scene, writer, interval: 1.0 / rate, next: f64::NEG_INFINITY, files, count: 0 })
    }

    /// Takes a frame if one is due at this simulated time [s].
    ///
    /// # Errors
    /// When the recording cannot be written.
    pub fn observe(&mut self, batch: &Batch, time: f64) -> Result<(), ViewError> {
        // half a step early is nearer than half a step late
        if time + 0.5 * batch.dt() < self.next {
            return Ok(());
        }
        self.next = if self.next.is_finite() { self.next + self.interval } else { time + self.interval };
        self.next = self.next.max(time);
        self.count += 1;
        let frame = Frame::of(batch, self.scene.worlds(), time, Touching::All)?;
        let half = |source| match &self.files {
            Some(files) => files.half_written(source),
            None => ViewError::Write(source),
        };
        self.writer.push(frame).map_err(half)
    }

    /// Frames so far.
    pub fn frame_count(&self) -> usize {
        self.count
    }

    /// Ends a recording to a file and says where the page is.
    ///
    /// # Errors
    /// When the file cannot be written, or the recording was made in memory.
    pub fn finish(mut self) -> Result<PathBuf, ViewError> {
        let stored = self.writer.finish().map(drop);
        let files = self.files.take().ok_or(ViewError::BadRecording("it is in memory"))?;
        stored.and_then(|()| files.become_page()).map_err(|source| files.half_written(source))?;
        Ok(files.page.clone())
    }

    /// Ends a recording in memory and gives its bytes, without a page around them.
    ///
    /// # Errors
    /// When the thread that writes failed, or the recording went to a file.
    pub fn finish_bare(mut self) -> Result<Vec<u8>, ViewError> {
        match self.writer.finish()? {
            Store::Memory(bytes) => Ok(bytes),
            Store::File(_) => Err(ViewError::BadRecording("it went to a file")),
        }
    }

    /// Ends a recording in memory and gives the page's bytes.
    ///
    /// # Errors
    /// When the thread that writes failed, or the recording went to a file.
    pub fn finish_html(self) -> Result<Vec<u8>, ViewError> {
        let bytes = self.finish_bare()?;
        let mut html = Vec::new();
        page::write_recorded(&bytes[..], &mut html)?;
        Ok(html)
    }
}
