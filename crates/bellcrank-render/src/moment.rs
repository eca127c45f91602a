//! Where all bodies of some worlds are: now, or in a frame of a recording.

use crate::error::RenderError;
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_sim::Batch;
use bellcrank_view::Frame;

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct Moment {
    /// By world, X_WB of every body.
    pub(crate) poses: Vec<Vec<Pose>>,
}

impl Moment {
    /// The present one of these worlds.
    ///
    /// # Errors
    /// When one does not exist.
    pub fn of(batch: &Batch, worlds: &[usize]) -> Result<Self, RenderError> {
        let mut poses = Vec::with_capacity(worlds.len());
        for &world in worlds {
            let bodies = 0..batch.model(world)?.bodies().len();
            poses.push(bodies.map(|body| batch.body_pose(world, body)).collect::<Result<_, _>>()?);
        }
        Ok(Moment { poses })
    }

    /// A recorded one, of worlds with so many bodies each.
    pub fn of_frame(frame: &Frame, bodies: &[usize]) -> Self {
        let number = |x: &f32| f64::from(*x);
        let mut numbers = frame.poses.chunks_exact(7);
        let mut pose = || {
            let x: Vec<f64> =
                numbers.next().map(|seven| seven.iter().map(number).collect()).unwrap_or_default();
            match x[..] {
                [x, y, z, w, i, j, k] => {
                    Pose::new(Quat::from_wxyz([w, i, j, k]).normalized(), Vec3::new(x, y, z))
                }
                _ => Pose::identity(),
            }
        };
        Moment { poses: bodies.iter().map(|count| (0..*count).map(|_| pose()).collect()).collect() }
    }

    /// The mean way of all worlds' first bodies since another moment, along the ground [m].
    pub(crate) fn way(&self, since: &Moment) -> Vec3 {
        let mut sum = Vec3::zero();
        for (now, then) in self.poses.iter().zip(&since.poses) {
            if let (Some(now), Some(then)) = (now.first(), then.first()) {
                sum += now.p - then.p;
            }
        }
        let mean = sum * (1.0 / self.poses.len().max(1) as f64);
        Vec3::new(mean.x, mean.y, 0.0)
    }
}
