//! Costs with slopes.
//!
//! A cost is a sum of functions f(r) of residuals r that change with the state and the controls. What a planner needs of it is its second
//! order with the curvature of r left out (Gauss and Newton): δℓ = Σ f′ δr + ½ f″ δr², which is never curved downwards where f is not.

use crate::{Cost, CostError};
use bellcrank_math::{Quat, Vec3};

/// A cost that gradient planners can follow.
pub trait SmoothCost: Cost {
    /// Tells how the cost of a step changes, with that of the horizon's end in its last step.
    ///
    /// # Errors
    /// When it cannot be worked out; the plan ends and the controls of the last one stay.
    fn slopes(&self, at: &At<'_>, slopes: &mut dyn Slopes) -> Result<(), CostError>;
}

/// Something that a residual changes with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Along {
    /// A centre of mass moves along a world axis [m], 0 to 2.
    Position(usize, usize),
    /// A body turns about a world axis [rad].
    Rotation(usize, usize),
    /// A centre of mass becomes faster along a world axis [m/s].
    Velocity(usize, usize),
    /// A body turns faster about a world axis [rad/s].
    Spin(usize, usize),
    /// A joint coordinate, by its number in `joint_position`; of a loop, one of those that others follow.
    Coordinate(usize),
    /// A joint velocity, by its number in `joint_velocity`; likewise.
    Rate(usize),
    /// What a motor is told.
    Control(usize),
}

/// Takes what a cost says.
pub trait Slopes {
    /// f(r) with f′ and f″ at r, and how r changes.
    ///
    /// # Errors
    /// When a coordinate follows from others, so that nothing can be said about it alone.
    fn add(&mut self, slope: f64, curvature: f64, row: &[(Along, f64)]) -> Result<(), CostError>;

    /// w r².
    ///
    /// # Errors
    /// As [`Slopes::add`].
    fn square(&mut self, weight: f64, residual: f64, row: &[(Along, f64)]) -> Result<(), CostError> {
        self.add(2.0 * weight * residual, 2.0 * weight, row)
    }
}

/// A world after a step of the plan.
#[derive(Clone, Copy)]
pub struct At<'a> {
    pub(super) p: &'a [f64],
    pub(super) q: &'a [f64],
    pub(super) V: &'a [f64],
    /// Joint coordinates, as `joint_position`.
    pub coordinates: &'a [f64],
    /// Joint velocities, as `joint_velocity`.
    pub rates: &'a [f64],
    /// What the motors were told in this step.
    pub control: &'a [f64],
    /// Which step of the horizon was made, from zero.
    pub step: usize,
    /// Steps of the horizon.
    pub horizon: usize,
    /// Time since the start of the plan [s].
    pub time: f64,
}

impl At<'_> {
    /// Centre of mass of a body [m].
    pub fn position(&self, body: usize) -> Vec3 {
        Vec3::new(self.p[3 * body], self.p[3 * body + 1], self.p[3 * body + 2])
    }

    /// Orientation of a body.
    pub fn rotation(&self, body: usize) -> Quat {
        Quat::from_wxyz(core::array::from_fn(|k| self.q[4 * body + k]))
    }

    /// Twist of a body, linear part first [m/s, rad/s].
    pub fn velocity(&self, body: usize) -> [f64; 6] {
        core::array::from_fn(|k| self.V[6 * body + k])
    }

    /// It is the last step, whose end has a cost of its own.
    pub fn last(&self) -> bool {
        self.step + 1 == self.horizon
    }
}
