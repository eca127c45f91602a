//! A film of a batch while it runs: the camera frames all worlds and goes along with them.

use crate::camera::Camera;
use crate::error::RenderError;
use crate::film::Film;
use crate::moment::Moment;
use crate::renderer::{Renderer, Size};
use bellcrank_math::Vec3;
use bellcrank_sim::Batch;
use std::path::{Path, PathBuf};

/// How it is filmed.
#[derive(Clone, Debug)]
pub struct ShotOptions {
    /// Pixels.
    pub size: Size,
    /// Pictures per simulated second.
    pub frames_per_second: f64,
    /// The shown worlds; all, up to 16, when there are none.
    pub worlds: Vec<usize>,
    /// The camera goes along with the robots.
    pub follows: bool,
}

impl Default for ShotOptions {
    fn default() -> Self {
        ShotOptions {
            size: Size { width: 640, height: 360 },
            frames_per_second: 30.0,
            worlds: Vec::new(),
            follows: true,
        }
    }
}

/// Worlds that are shown unless told otherwise.
const SHOWN: usize = 16;
/// Time in which the camera makes up for two thirds of what the robots have gone ahead [s].
const LAG: f64 = 0.4;

/// See the module.
pub struct Shot {
    renderer: Renderer,
    camera: Camera,
    begun: Option<Moment>,
    /// How far the camera has gone [m].
    gone: Vec3,
    film: Film,
    interval: f64,
    follows: bool,
    frames: usize,
}

impl Shot {
    /// Begins a film whose kind the path's ending says; see [`crate::FilmKind`].
    ///
    /// # Errors
    /// When the ending is of no kind, or options make no sense.
    pub fn new(batch: &Batch, path: &Path, options: ShotOptions) -> Result<Self, RenderError> {
        let film = Film::new(path, options.frames_per_second)?;
        let all: Vec<usize> = (0..batch.worlds().min(SHOWN)).collect();
        let worlds = if options.worlds.is_empty() { all } else { options.worlds };
        let renderer = Renderer::new(batch, &worlds, options.size)?;
        Ok(Shot {
            camera: Camera::framing(renderer.stage(), options.size),
            begun: None,
            gone: Vec3::zero(),
            renderer,
            film,
            interval: 1.0 / options.frames_per_second,
            follows: options.follows,
            frames: 0,
        })
    }

    /// Takes a picture if the time for it has come [s].
    ///
    /// # Errors
    /// When it cannot be drawn or written.
    pub fn observe(&mut self, batch: &Batch, time: f64) -> Result<(), RenderError> {
        if time < (self.frames as f64 - 1e-6) * self.interval {
            return Ok(());
        }
        let moment = Moment::of(batch, self.renderer.worlds())?;
        self.take(moment)
    }

    /// Takes a picture of a moment.
    ///
    /// # Errors
    /// When it cannot be drawn or written.
    pub fn take(&mut self, moment: Moment) -> Result<(), RenderError> {
        if self.follows
            && let Some(begun) = &self.begun
        {
            let ahead = moment.way(begun) - self.gone;
            if ahead.is_finite() {
                self.gone += ahead * (1.0 - (-self.interval / LAG).exp());
            }
        }
        let picture = self.renderer.draw_moment(&moment, &self.camera.moved(self.gone))?;
        self.begun.get_or_insert(moment);
        self.frames += 1;
        self.film.add(picture)
    }

    /// Pictures so far.
    pub fn frame_count(&self) -> usize {
        self.frames
    }

    /// Ends the file; gives its path.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn finish(self) -> Result<PathBuf, RenderError> {
        self.film.finish()
    }
}
