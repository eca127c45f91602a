//! What a program draws over the scene.

use serde::Serialize;

/// A line over a world: where a sample of a planner would take a fingertip, say.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Line {
    /// Over which world.
    pub world: usize,
    /// Its corners in that world [m].
    pub points: Vec<[f32; 3]>,
    /// Red, green, blue, from zero to one.
    pub color: [f32; 3],
}
