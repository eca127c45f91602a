//! How far the robot is from a motion.

use super::motion::Motion;
use crate::terms::quat_error;
use crate::{Cost, CostError, Seen};
use bellcrank_math::Vec3;
use bellcrank_sim::Quantity;
use std::sync::Arc;

/// What costs how much, per second of the plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FollowWeights {
    /// Of the torso's squared distance [1/m²].
    pub position: f64,
    /// Of the sine squared of half the angle by which the torso is turned away.
    pub orientation: f64,
    /// Of the mean squared error of the joints with a motor [1/rad²].
    pub joints: f64,
    /// Of the mean squared distance of the other bodies that are followed [1/m²].
    pub bodies: f64,
    /// Of the squared error of the torso's linear velocity [s²/m²].
    pub velocity: f64,
    /// Of the mean squared change of what motors are told [1/rad²].
    pub control: f64,
    /// The end of the horizon counts as so much time more [s].
    pub end: f64,
}

impl Default for FollowWeights {
    fn default() -> Self {
        FollowWeights {
            position: 100.0,
            orientation: 20.0,
            joints: 5.0,
            bodies: 50.0,
            velocity: 1.0,
            control: 0.5,
            end: 0.1,
        }
    }
}

/// The cost of not following a motion.
#[derive(Clone, Debug)]
pub struct Follow {
    pub(super) motion: Arc<Motion>,
    pub(super) weights: FollowWeights,
    /// The motion's time at the start of the plan [s].
    pub now: f64,
    pub(super) frames: usize,
    pub(super) bodies: usize,
    pub(super) torso: usize,
    pub(super) others: Vec<usize>,
    pub(super) joints: Vec<usize>,
    pub(super) coordinates: usize,
    pub(super) motors: usize,
    pub(super) dt: f64,
}

/// Where the motion is at a time.
struct Wanted {
    torso: Vec3,
    turned: [f64; 4],
    velocity: Vec3,
    others: Vec<Vec3>,
    joints: Vec<f64>,
    told: Vec<f64>,
}

impl Follow {
    fn wanted(&self, time: f64) -> Wanted {
        let (motion, n) = (&*self.motion, self.bodies);
        let at = motion.at(time, self.frames);
        let body = |b: usize| at.vector(&motion.body_position, 3 * n, 3 * b);
        let before =
            motion.at(time - self.dt, self.frames).vector(&motion.body_position, 3 * n, 3 * self.torso);
        let torso = body(self.torso);
        let told = motion.at(time - self.dt, self.frames);
        Wanted {
            torso,
            turned: at.rotation(&motion.body_quat_wxyz, 4 * n, 4 * self.torso).to_wxyz(),
            velocity: (torso - before) * (1.0 / self.dt),
            others: self.others.iter().map(|b| body(*b)).collect(),
            joints: self
                .joints
                .iter()
                .map(|k| at.number(&motion.joint_position, self.coordinates, *k))
                .collect(),
            told: (0..self.motors).map(|a| told.number(&motion.target_position, self.motors, a)).collect(),
        }
    }

    fn add(&self, seen: &Seen<'_>, total: &mut [f64], share: f64) -> Result<(), CostError> {
        let (p, q) = (seen.array(Quantity::BodyPosition)?, seen.array(Quantity::BodyQuatWxyz)?);
        let (V, joints) = (seen.array(Quantity::BodyVelocity)?, seen.array(Quantity::JointPosition)?);
        let (n, w, wanted) = (self.bodies, &self.weights, self.wanted(self.now + seen.time));
        let mean = |count: usize| 1.0 / count.max(1) as f64;
        for (world, total) in total.iter_mut().enumerate() {
            let at = |b: usize| {
                let k = 3 * (n * world + b);
                Vec3::new(p[k], p[k + 1], p[k + 2])
            };
            let v = 6 * (n * world + self.torso);
            let off = at(self.torso) - wanted.torso;
            let faster = Vec3::new(V[v], V[v + 1], V[v + 2]) - wanted.velocity;
            let turned = quat_error(&q[4 * (n * world + self.torso)..][..4], &wanted.turned);
            let others = self.others.iter().zip(&wanted.others).map(|(b, p)| (at(*b) - *p).norm_squared());
            let row = &joints[self.coordinates * world..][..self.coordinates];
            let bent = self.joints.iter().zip(&wanted.joints).map(|(k, q)| (row[*k] - q).powi(2));
            let told = &seen.control[self.motors * world..][..self.motors];
            let changed = told.iter().zip(&wanted.told).map(|(u, rest)| (u - rest).powi(2));
            *total += share
                * (w.position * off.norm_squared()
                    + w.orientation * turned
                    + w.velocity * faster.norm_squared()
                    + w.bodies * mean(self.others.len()) * others.sum::<f64>()
                    + w.joints * mean(self.joints.len()) * bent.sum::<f64>()
                    + w.control * mean(self.motors) * changed.sum::<f64>());
        }
        Ok(())
    }
}

impl Cost for Follow {
    fn needs(&self) -> Vec<Quantity> {
        vec![Quantity::BodyPosition, Quantity::BodyQuatWxyz, Quantity::BodyVelocity, Quantity::JointPosition]
    }

    fn running(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        self.add(seen, total, self.dt)
    }

    fn terminal(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        self.add(seen, total, self.weights.end)
    }
}
