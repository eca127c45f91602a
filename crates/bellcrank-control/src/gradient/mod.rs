//! Planners that follow derivatives of steps.
//!
//! | file | what |
//! |---|---|
//! | `smooth` | costs with slopes: what a sum of squares asks of states and controls |
//! | `terms` | slopes of the terms that ship |
//! | `rows` | a cost in minimal coordinates |
//! | `box_qp` | the best change of controls within their range |
//! | `backward` | from the end of the horizon to its start: changes and feedback |
//! | `trajectory` | worlds along a plan, their derivatives, and how far one state is from another |
//! | `ilqr` | the planner: forward, backward, and how far to go |
//! | `hybrid` | samples first, then derivatives |

mod backward;
mod box_qp;
mod hybrid;
mod ilqr;
mod rows;
mod smooth;
mod terms;
mod trajectory;

pub use hybrid::Hybrid;
pub use ilqr::{Ilqr, IlqrOptions};
pub use smooth::{Along, At, Slopes, SmoothCost};

use crate::{ControlError, Plan, Planner, PlantState};
use bellcrank_sim::Batch;

/// What samplers, gradient planners and both together do.
pub trait Receding {
    /// Plans from a state; the plan at hand is that of `elapsed` seconds ago and is moved on by it.
    ///
    /// # Errors
    /// When the state or the cost cannot be used, or nothing can be found: the plan at hand then stays, moved on.
    fn plan(
        &mut self,
        start: &PlantState,
        cost: &mut dyn SmoothCost,
        elapsed: f64,
    ) -> Result<Plan, ControlError>;

    /// What the motors shall be told, step after step from the start of the last plan: (horizon, actuators).
    fn sequence(&self) -> &[f64];

    /// What the motors shall be told a time after the start of the last plan [s]; after the horizon, its last control.
    fn control_at(&self, seconds: f64) -> &[f64];

    /// Worlds in which it tries controls.
    fn batch(&self) -> &Batch;
}

impl Receding for Planner {
    fn plan(
        &mut self,
        start: &PlantState,
        cost: &mut dyn SmoothCost,
        elapsed: f64,
    ) -> Result<Plan, ControlError> {
        Planner::plan(self, start, cost, elapsed)
    }

    fn sequence(&self) -> &[f64] {
        Planner::sequence(self)
    }

    fn control_at(&self, seconds: f64) -> &[f64] {
        Planner::control_at(self, seconds)
    }

    fn batch(&self) -> &Batch {
        Planner::batch(self)
    }
}
