//! Every world in a picture of its own, from a camera that stands or that a body carries: what a policy that looks needs.

use crate::camera::Camera;
use crate::error::RenderError;
use crate::moment::Moment;
use crate::renderer::{Renderer, Size};
use bellcrank_math::Pose;
use bellcrank_sim::{Batch, BatchError};
use rayon::prelude::*;

/// Worlds that a thread draws with one renderer.
const CHUNK: usize = 64;

/// What pictures are made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Red, green and blue, a byte each.
    Color,
    /// Distance along the direction in which the camera looks [m].
    Depth,
    /// Number of the body; −1 for the world's own shapes and the floor, −2 for nothing.
    Segmentation,
}

/// Pixels of all pictures, one after the other.
#[derive(Clone, Debug, PartialEq)]
pub enum Pixels {
    /// Three per pixel.
    Color(Vec<u8>),
    /// One per pixel.
    Depth(Vec<f32>),
    /// One per pixel.
    Segmentation(Vec<i32>),
}

/// Where the camera is.
#[derive(Clone, Debug, PartialEq)]
pub enum Mount {
    /// So that the whole robot is seen at its reference pose.
    Framing,
    /// Fixed to the world.
    World(Camera),
    /// Fixed to the link frame of this body, in whose axes the camera is given.
    Body(Camera, usize),
    /// The camera of that name in each world's model.
    Named(String),
}

/// Pictures of these worlds, by all threads of the pool that calls.
///
/// # Errors
/// When a world or body does not exist, the size makes no sense or the camera sees nothing.
pub fn views(
    batch: &Batch,
    worlds: &[usize],
    size: Size,
    (kind, mount): (Kind, &Mount),
) -> Result<Pixels, RenderError> {
    let drawn: Vec<Pixels> = worlds
        .par_chunks(CHUNK)
        .map(|worlds| some(batch, worlds, size, (kind, mount)))
        .collect::<Result<_, _>>()?;
    let mut drawn = drawn.into_iter();
    let mut all = drawn.next().unwrap_or_else(|| empty(kind));
    drawn.for_each(|more| all.append(more));
    Ok(all)
}

fn empty(kind: Kind) -> Pixels {
    match kind {
        Kind::Color => Pixels::Color(Vec::new()),
        Kind::Depth => Pixels::Depth(Vec::new()),
        Kind::Segmentation => Pixels::Segmentation(Vec::new()),
    }
}

impl Pixels {
    fn append(&mut self, more: Pixels) {
        match (self, more) {
            (Pixels::Color(all), Pixels::Color(more)) => all.extend(more),
            (Pixels::Depth(all), Pixels::Depth(more)) => all.extend(more),
            (Pixels::Segmentation(all), Pixels::Segmentation(more)) => all.extend(more),
            _ => {}
        }
    }
}

fn some(
    batch: &Batch,
    worlds: &[usize],
    size: Size,
    (kind, mount): (Kind, &Mount),
) -> Result<Pixels, RenderError> {
    let mut renderers: Vec<(usize, Renderer)> = Vec::new(); // by number of the model
    let mut all = empty(kind);
    for &world in worlds {
        let (model, _) = batch.find(world)?;
        let at = match renderers.iter().position(|(known, _)| *known == model) {
            Some(at) => at,
            None => {
                renderers.push((model, Renderer::new(batch, &[world], size)?));
                renderers.len() - 1
            }
        };
        let renderer = &mut renderers[at].1;
        renderer.turn_to(world);
        let camera = match mount {
            Mount::Framing => Camera::framing(renderer.stage(), size),
            Mount::World(camera) => *camera,
            Mount::Body(camera, body) => camera.carried(link_pose(batch, world, *body)?),
            Mount::Named(name) => {
                let poses = Moment::of(batch, &[world])?.poses.concat();
                Camera::named(name, batch.model(world)?, |b| poses[b.index()])?
            }
        };
        all.append(match kind {
            Kind::Color => Pixels::Color(renderer.draw(batch, &camera)?.rgb),
            Kind::Depth => Pixels::Depth(renderer.measure(batch, &camera)?.0),
            Kind::Segmentation => Pixels::Segmentation(renderer.measure(batch, &camera)?.1),
        });
    }
    Ok(all)
}

/// X_WL of a body.
fn link_pose(batch: &Batch, world: usize, body: usize) -> Result<Pose, BatchError> {
    let X_WB = batch.body_pose(world, body)?;
    Ok(X_WB * batch.model(world)?.bodies()[body].X_LB().inverse())
}
