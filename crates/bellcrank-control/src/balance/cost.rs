//! What standing and stepping cost.
//!
//! A body of mass m on legs of length z does not fall where its feet come to be under the point ξ = p + v √(z/g) of its centre of mass
//! p [Pratt et al. 2006]: its distance from the middle of the feet tells a fall long before the torso is low, and that a step helps.

use super::walker::Walker;
use crate::{ControlError, Cost, CostError, Near, Seen, Sum};
use bellcrank_math::{Quat, Vec3};
use bellcrank_model::Model;
use bellcrank_sim::{Batch, Quantity};

/// What costs how much, per second of the plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    /// Of the squared height that the torso lacks [1/m²].
    pub height: f64,
    /// Of 1 − cos of the torso's tilt, and of the feet's.
    pub tilt: [f64; 2],
    /// Of the sine squared of half the angle by which the torso is turned.
    pub turn: f64,
    /// Of the squared distance of ξ from the middle of the feet [1/m²].
    pub capture: f64,
    /// Of the squared distance of the centre of mass from where it started [1/m²].
    pub place: f64,
    /// Of the squared velocity of the centre of mass [s²/m²].
    pub velocity: f64,
    /// Of the squared error of the feet's distance from one another across the robot [1/m²].
    pub stance: f64,
    /// Of the squared error of the feet's heights, when they are told by a clock [1/m²].
    pub lift: f64,
    /// Of the squared distance of the motors' targets from where the robot stands [1/rad²].
    pub control: f64,
    /// Of having fallen.
    pub fallen: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Weights {
            height: 100.0,
            tilt: [20.0, 5.0],
            turn: 10.0,
            capture: 100.0,
            place: 3.0,
            velocity: 2.0,
            stance: 50.0,
            lift: 2000.0,
            control: 0.3,
            fallen: 50.0,
        }
    }
}

/// When which foot is in the air: each for half a period, one after the other, by z = h sin 2πt/T.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clock {
    /// T [s]
    pub period: f64,
    /// h [m]
    pub lift: f64,
}

impl Clock {
    /// Heights of the left and right foot at a time [m].
    pub fn heights(&self, time: f64) -> [f64; 2] {
        let sine = (std::f64::consts::TAU * time / self.period).sin();
        [self.lift * sine.max(0.0), self.lift * (-sine).max(0.0)]
    }
}

/// The cost of staying up, and of stepping by a clock.
#[derive(Clone, Debug)]
pub struct Balance {
    /// What costs how much.
    pub weights: Weights,
    /// When feet are lifted; none where it stands.
    pub clock: Option<Clock>,
    /// The clock's time at the start of the plan [s].
    pub now: f64,
    torso: usize,
    soles: [Near; 2],
    masses: Vec<f64>,
    home: Vec<f64>,
    fallen: f64,
    start: Start,
    gravity: f64,
    dt: f64,
}

/// How the robot stands.
#[derive(Clone, Debug)]
struct Start {
    com: Vec3,
    /// By body, centre of mass.
    height: f64,
    torso: Quat,
    feet: [Quat; 2],
    soles: [Vec3; 2],
}

/// One world, read by body.
struct Row<'a> {
    p: &'a [f64],
    q: &'a [f64],
    V: &'a [f64],
}

impl Row<'_> {
    fn at(&self, body: usize) -> Vec3 {
        Vec3::new(self.p[3 * body], self.p[3 * body + 1], self.p[3 * body + 2])
    }

    fn turned(&self, body: usize) -> Quat {
        Quat::from_wxyz(core::array::from_fn(|k| self.q[4 * body + k]))
    }

    fn point(&self, near: &Near) -> Vec3 {
        self.at(near.body) + self.turned(near.body).rotate(near.point)
    }

    /// Centre of mass and its velocity.
    fn centre(&self, masses: &[f64]) -> (Vec3, Vec3) {
        let (mut p, mut v, mut sum) = (Vec3::zero(), Vec3::zero(), 0.0);
        for (b, mass) in masses.iter().enumerate() {
            p += self.at(b) * *mass;
            v += Vec3::new(self.V[6 * b], self.V[6 * b + 1], self.V[6 * b + 2]) * *mass;
            sum += mass;
        }
        (p * (1.0 / sum), v * (1.0 / sum))
    }
}

/// cos of the angle by which the vertical of the start is turned away from the vertical.
fn upright(R: Quat, start: Quat) -> f64 {
    (R * start.inverse()).rotate(Vec3::z_axis()).z
}

fn squared(x: f64, y: f64) -> f64 {
    x * x + y * y
}

impl Balance {
    /// The middles of the soles.
    pub(super) fn soles(&self) -> Vec<Near> {
        self.soles.to_vec()
    }

    /// As the robot stands in world 0 of the plant, with motors told `home`.
    ///
    /// # Errors
    /// When the model lacks a part that the robot's description names.
    pub fn new(walker: &Walker, plant: &Batch, home: Vec<f64>, dt: f64) -> Result<Self, ControlError> {
        let model: &Model = &plant.models()[0];
        let (torso, soles) = (Sum::body(model, &walker.torso)?, walker.soles(model)?);
        let masses: Vec<f64> = model.bodies().iter().map(|body| body.mass).collect();
        let read = |quantity| plant.read_world(quantity, 0);
        let (p, q, V) =
            (read(Quantity::BodyPosition)?, read(Quantity::BodyQuatWxyz)?, read(Quantity::BodyVelocity)?);
        let row = Row { p: &p, q: &q, V: &V };
        let start = Start {
            com: row.centre(&masses).0,
            height: row.at(torso).z,
            torso: row.turned(torso),
            feet: [0, 1].map(|k| row.turned(soles[k].body)),
            soles: [0, 1].map(|k| row.point(&soles[k])),
        };
        let gravity = model.gravity().norm().max(1e-3);
        let fallen = walker.fallen * start.height;
        let (weights, clock) = (Weights::default(), None);
        Ok(Balance { weights, clock, now: 0.0, torso, soles, masses, home, fallen, start, gravity, dt })
    }

    /// Below this height of its centre of mass the torso has fallen [m].
    pub fn fallen(&self) -> f64 {
        self.fallen
    }

    /// What the motors are told where it stands.
    pub fn home(&self) -> &[f64] {
        &self.home
    }

    /// Heights of the soles over where they stood [m].
    ///
    /// # Errors
    /// When there is no such world.
    pub fn lifted(&self, plant: &Batch, world: usize) -> Result<[f64; 2], ControlError> {
        let height = |k: usize| -> Result<f64, ControlError> {
            let near = self.soles[k];
            let X_WB = plant.body_pose(world, near.body)?;
            Ok((X_WB.p + X_WB.R.rotate(near.point)).z - self.start.soles[k].z)
        };
        Ok([height(0)?, height(1)?])
    }

    /// Where its centre of mass is from where it stood, on the ground [m], and cos of the torso's tilt.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn moved(&self, plant: &Batch, world: usize) -> Result<(f64, f64), ControlError> {
        let read = |quantity| plant.read_world(quantity, world);
        let (p, q, V) =
            (read(Quantity::BodyPosition)?, read(Quantity::BodyQuatWxyz)?, read(Quantity::BodyVelocity)?);
        let row = Row { p: &p, q: &q, V: &V };
        let away = row.centre(&self.masses).0 - self.start.com;
        Ok((squared(away.x, away.y).sqrt(), upright(row.turned(self.torso), self.start.torso)))
    }

    fn of(&self, row: &Row<'_>, lifts: Option<[f64; 2]>) -> f64 {
        let w = &self.weights;
        let (com, v) = row.centre(&self.masses);
        let R = row.turned(self.torso);
        let soles = [row.point(&self.soles[0]), row.point(&self.soles[1])];
        let xi = com + v * (com.z.max(0.0) / self.gravity).sqrt();
        let off = xi - (soles[0] + soles[1]) * 0.5;
        let low = (self.start.height - row.at(self.torso).z).max(0.0);
        let turn = crate::terms::quat_error(&R.to_wxyz(), &self.start.torso.to_wxyz());
        // across the robot, as it is turned now
        let apart = |R: Quat, soles: &[Vec3; 2]| {
            (R * self.start.torso.inverse()).rotate_inverse(soles[0] - soles[1]).y
        };
        let stance = apart(R, &soles) - apart(self.start.torso, &self.start.soles);
        let mut sum = w.height * low * low
            + w.tilt[0] * (1.0 - upright(R, self.start.torso))
            + w.turn * turn
            + w.capture * squared(off.x, off.y)
            + w.place * squared(com.x - self.start.com.x, com.y - self.start.com.y)
            + w.velocity * squared(v.x, v.y)
            + w.stance * stance * stance;
        for k in 0..2 {
            sum += w.tilt[1] * (1.0 - upright(row.turned(self.soles[k].body), self.start.feet[k]));
            if let Some(lifts) = lifts {
                let height = soles[k].z - self.start.soles[k].z - lifts[k];
                sum += w.lift * height * height;
            }
        }
        if row.at(self.torso).z < self.fallen { sum + w.fallen } else { sum }
    }
}

impl Cost for Balance {
    fn needs(&self) -> Vec<Quantity> {
        vec![Quantity::BodyPosition, Quantity::BodyQuatWxyz, Quantity::BodyVelocity]
    }

    fn running(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        let p = seen.array(Quantity::BodyPosition)?;
        let (q, V) = (seen.array(Quantity::BodyQuatWxyz)?, seen.array(Quantity::BodyVelocity)?);
        let (n, motors) = (self.masses.len(), self.home.len());
        let lifts = self.clock.map(|clock| clock.heights(self.now + seen.time));
        for (world, total) in total.iter_mut().enumerate() {
            let row = Row {
                p: &p[3 * n * world..][..3 * n],
                q: &q[4 * n * world..][..4 * n],
                V: &V[6 * n * world..][..6 * n],
            };
            let told = &seen.control[motors * world..][..motors];
            let away: f64 = told.iter().zip(&self.home).map(|(u, home)| (u - home).powi(2)).sum();
            *total += self.dt * (self.of(&row, lifts) + self.weights.control * away);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A quarter of a period in, the left foot is up by h and the right one down; three quarters in, the other way round.
    #[test]
    fn a_clock_lifts_one_foot_after_the_other() {
        let clock = Clock { period: 0.8, lift: 0.05 };
        let near =
            |a: [f64; 2], b: [f64; 2]| assert!((a[0] - b[0]).abs() + (a[1] - b[1]).abs() < 1e-12, "{a:?}");
        near(clock.heights(0.2), [0.05, 0.0]);
        near(clock.heights(0.6), [0.0, 0.05]);
        near(clock.heights(0.8), [0.0, 0.0]);
    }
}
