//! Pictures of worlds as arrays, and recordings as films.

use crate::convert::array;
use crate::error::Problem;
use bellcrank::math::Vec3;
use bellcrank::render::{Camera, Kind, Moment, Mount, Pixels, Shot, ShotOptions, Size, views};
use bellcrank::sim::Batch;
use bellcrank::view::read_recording;
use pyo3::prelude::*;
use std::path::Path;

/// A camera: eye, target and up, and the field of view [rad].
pub type Looks = ([f64; 3], [f64; 3], [f64; 3], f64);

/// What pictures are asked for: `color`, `depth` or `segmentation`; from where; carried by which body.
pub struct Wanted {
    pub kind: String,
    pub size: Size,
    pub camera: Option<Looks>,
    pub body: Option<usize>,
    /// A camera of the models, in place of one that is described.
    pub named: Option<String>,
}

impl Wanted {
    pub fn draw(&self, batch: &Batch, worlds: &[usize]) -> Result<Pixels, Problem> {
        let kind = match self.kind.as_str() {
            "depth" => Kind::Depth,
            "segmentation" => Kind::Segmentation,
            _ => Kind::Color,
        };
        let camera = self.camera.map(|(eye, target, up, field_of_view)| Camera {
            eye: Vec3::from_array(eye),
            target: Vec3::from_array(target),
            up: Vec3::from_array(up),
            field_of_view,
        });
        let mount = match (&self.named, camera, self.body) {
            (Some(name), ..) => Mount::Named(name.clone()),
            (None, None, _) => Mount::Framing,
            (None, Some(camera), None) => Mount::World(camera),
            (None, Some(camera), Some(body)) => Mount::Body(camera, body),
        };
        Ok(views(batch, worlds, self.size, (kind, &mount))?)
    }
}

/// `(worlds, height, width)`, with three colours behind for pictures in colour.
pub fn arrays<'py>(
    py: Python<'py>,
    pixels: Pixels,
    worlds: usize,
    Size { width, height }: Size,
) -> PyResult<Bound<'py, PyAny>> {
    match pixels {
        Pixels::Color(data) => array(py, data, &[worlds, height, width, 3]),
        Pixels::Depth(data) => array(py, data, &[worlds, height, width]),
        Pixels::Segmentation(data) => array(py, data, &[worlds, height, width]),
    }
}

/// Draws the frames of a recorded page.
pub fn film(
    batch: &Batch,
    page: &[u8],
    path: &Path,
    size: Size,
    camera: Option<String>,
) -> Result<(), Problem> {
    let playback = read_recording(page)?;
    let frames_per_second = playback.header["frames_per_second"].as_f64().unwrap_or(30.0);
    let listed = playback.header["scene"]["worlds"].as_array().map(Vec::as_slice).unwrap_or_default();
    let worlds: Vec<usize> =
        listed.iter().filter_map(|world| world["index"].as_u64()).map(|index| index as usize).collect();
    let bodies = worlds.iter().map(|world| batch.model(*world).map(|model| model.bodies().len()));
    let bodies: Vec<usize> = bodies.collect::<Result<_, _>>()?;
    let options = ShotOptions { size, frames_per_second, worlds, camera, ..ShotOptions::default() };
    let mut shot = Shot::new(batch, path, options)?;
    for frame in &playback.frames {
        shot.take(Moment::of_frame(frame, &bodies))?;
    }
    shot.finish()?;
    Ok(())
}
