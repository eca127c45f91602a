//! Where points of bodies went in rollouts, to be drawn.

use crate::Near;
use crate::rollouts::Rollouts;
use bellcrank_math::{Quat, Vec3};
use bellcrank_sim::Quantity;

/// What a rollout needs for it.
pub(crate) const NEEDS: [Quantity; 2] = [Quantity::BodyPosition, Quantity::BodyQuatWxyz];

/// Paths of points in the rollouts of the last round, see [`crate::Planner::watch`].
#[derive(Clone, Debug, Default)]
pub struct Paths {
    points: Vec<Near>,
    horizon: usize,
    /// (samples, points, horizon)
    places: Vec<Vec3<f32>>,
    /// By sample: steps until it was given up, or all.
    steps: Vec<usize>,
}

impl Paths {
    pub(crate) fn new(points: Vec<Near>, samples: usize, horizon: usize) -> Self {
        let places = vec![Vec3::zero(); samples * points.len() * horizon];
        Paths { points, horizon, places, steps: vec![0; samples] }
    }

    pub(crate) fn note(&mut self, step: usize, rollouts: &Rollouts) {
        let [Some(p), Some(q)] = NEEDS.map(|quantity| rollouts.values(quantity)) else { return };
        let bodies = p.len() / (3 * rollouts.sample.len());
        for (world, &sample) in rollouts.sample[..rollouts.going].iter().enumerate() {
            self.steps[sample] = step + 1;
            for (k, near) in self.points.iter().enumerate() {
                let b = world * bodies + near.body;
                let at = Vec3::new(p[3 * b], p[3 * b + 1], p[3 * b + 2]);
                let R = Quat::from_wxyz([q[4 * b], q[4 * b + 1], q[4 * b + 2], q[4 * b + 3]]);
                let place = at + R.rotate(near.point);
                self.places[(sample * self.points.len() + k) * self.horizon + step] =
                    Vec3::from_array(place.to_array().map(|x| x as f32));
            }
        }
    }

    /// How many points are watched.
    pub fn points(&self) -> usize {
        self.points.len()
    }

    /// Where a point was after each step in the rollout of a sample [m]; as many as were made before it was given up. Empty where there
    /// is no such sample or point.
    pub fn of(&self, sample: usize, point: usize) -> &[Vec3<f32>] {
        let Some(steps) = self.steps.get(sample).filter(|_| point < self.points.len()) else { return &[] };
        &self.places[(sample * self.points.len() + point) * self.horizon..][..*steps]
    }
}
