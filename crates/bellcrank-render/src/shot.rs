//! A film of a batch while it runs: the camera frames all worlds and goes along with them.

use crate::camera::Camera;
use crate::error::RenderError;
use crate::film::{Film, FilmKind, check_place};
use crate::gltf::Animation;
use crate::log::Log;
use crate::moment::Moment;
use crate::renderer::{Renderer, Size};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::Model;
use bellcrank_sim::Batch;
use std::path::{Path, PathBuf};
use std::sync::Arc;

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
    /// The camera of that name in the model of the first shown world, in place of one that frames them all.
    pub camera: Option<String>,
}

impl Default for ShotOptions {
    fn default() -> Self {
        ShotOptions {
            size: Size { width: 640, height: 360 },
            frames_per_second: 30.0,
            worlds: Vec::new(),
            follows: true,
            camera: None,
        }
    }
}

/// Worlds that are shown unless told otherwise.
const SHOWN: usize = 16;
/// Time in which the camera makes up for two thirds of what the robots have gone ahead [s].
const LAG: f64 = 0.4;

/// See the module.
pub struct Shot {
    worlds: Vec<usize>,
    interval: f64,
    frames: usize,
    taking: Taking,
}

enum Taking {
    Pictures(Box<Pictures>),
    Scene(Box<Animation>),
    Log(Box<Log>),
}

/// Every moment drawn, by a camera that may go along.
struct Pictures {
    renderer: Renderer,
    camera: Camera,
    begun: Option<Moment>,
    /// How far the camera has gone [m].
    gone: Vec3,
    film: Film,
    follows: bool,
    /// By name, in this model.
    named: Option<(String, Arc<Model>)>,
}

impl Shot {
    /// Begins a film whose kind the path's ending says; see [`crate::FilmKind`].
    ///
    /// # Errors
    /// When the ending is of no kind, or options make no sense.
    pub fn new(batch: &Batch, path: &Path, options: ShotOptions) -> Result<Self, RenderError> {
        let interval = 1.0 / options.frames_per_second;
        let all: Vec<usize> = (0..batch.worlds().min(SHOWN)).collect();
        let worlds = if options.worlds.is_empty() { all } else { options.worlds.clone() };
        let taking = match check_place(path)? {
            FilmKind::Glb => Taking::Scene(Box::new(Animation::new(batch, path, &worlds, interval)?)),
            FilmKind::Mcap => Taking::Log(Box::new(Log::new(batch, path, &worlds, interval)?)),
            _ => Taking::Pictures(Box::new(Pictures::new(batch, path, &worlds, &options)?)),
        };
        Ok(Shot { worlds, interval, frames: 0, taking })
    }

    /// Takes a picture if the time for it has come [s].
    ///
    /// # Errors
    /// When it cannot be drawn or written.
    pub fn observe(&mut self, batch: &Batch, time: f64) -> Result<(), RenderError> {
        if time < (self.frames as f64 - 1e-6) * self.interval {
            return Ok(());
        }
        self.take(Moment::of(batch, &self.worlds)?)
    }

    /// Takes a picture of a moment.
    ///
    /// # Errors
    /// When it cannot be drawn or written.
    pub fn take(&mut self, moment: Moment) -> Result<(), RenderError> {
        self.frames += 1;
        match &mut self.taking {
            Taking::Pictures(pictures) => pictures.take(moment, self.interval),
            Taking::Scene(animation) => {
                animation.take(moment);
                Ok(())
            }
            Taking::Log(log) => log.take(&moment),
        }
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
        match self.taking {
            Taking::Pictures(pictures) => pictures.film.finish(),
            Taking::Scene(animation) => animation.finish(),
            Taking::Log(log) => log.finish(),
        }
    }
}

impl Pictures {
    fn new(batch: &Batch, path: &Path, worlds: &[usize], options: &ShotOptions) -> Result<Self, RenderError> {
        let film = Film::new(path, options.frames_per_second)?;
        let renderer = Renderer::new(batch, worlds, options.size)?;
        let camera = Camera::framing(renderer.stage(), options.size);
        let model = worlds.first().map(|world| batch.model(*world)).transpose()?;
        let named = options.camera.clone().zip(model.cloned());
        if let Some((name, model)) = &named {
            Camera::named(name, model, |_| Pose::identity())?; // said before the first step, not after
        }
        Ok(Pictures {
            renderer,
            camera,
            begun: None,
            gone: Vec3::zero(),
            film,
            follows: options.follows,
            named,
        })
    }

    fn take(&mut self, moment: Moment, interval: f64) -> Result<(), RenderError> {
        if self.follows
            && let Some(begun) = &self.begun
        {
            let ahead = moment.way(begun) - self.gone;
            if ahead.is_finite() {
                self.gone += ahead * (1.0 - (-interval / LAG).exp());
            }
        }
        let camera = match &self.named {
            Some((name, model)) => {
                let stands = Vec3::from_array(self.renderer.stage().scene.offset(0));
                Camera::named(name, model, |b| moment.poses[0][b.index()])?.moved(stands)
            }
            None => self.camera.moved(self.gone),
        };
        let picture = self.renderer.draw_moment(&moment, &camera)?;
        self.begun.get_or_insert(moment);
        self.film.add(picture)
    }
}
