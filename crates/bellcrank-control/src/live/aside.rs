//! Planners with their costs, as the thread beside the plant sees them.

use crate::{ControlError, Cost, Plan, Planner, PlantState};
use bellcrank_sim::Batch;

/// A planner that knows what it plans for.
pub(super) trait Aside: Send {
    fn plan(&mut self, start: &PlantState, elapsed: f64) -> Result<Plan, ControlError>;
    fn sequence(&self) -> &[f64];
    fn control_at(&self, seconds: f64) -> &[f64];
    /// Worlds of its model, with its step and solver.
    fn batch(&self) -> &Batch;
}

/// A planner that samples.
pub(super) struct Sampled {
    pub planner: Planner,
    pub cost: Box<dyn Cost>,
}

impl Aside for Sampled {
    fn plan(&mut self, start: &PlantState, elapsed: f64) -> Result<Plan, ControlError> {
        self.planner.plan(start, &mut *self.cost, elapsed)
    }

    fn sequence(&self) -> &[f64] {
        self.planner.sequence()
    }

    fn control_at(&self, seconds: f64) -> &[f64] {
        self.planner.control_at(seconds)
    }

    fn batch(&self) -> &Batch {
        self.planner.batch()
    }
}

/// A planner that follows derivatives.
#[cfg(feature = "gradient")]
pub(super) struct Sloped<R> {
    pub planner: R,
    pub cost: Box<dyn crate::gradient::SmoothCost>,
}

#[cfg(feature = "gradient")]
impl<R: crate::gradient::Receding + Send> Aside for Sloped<R> {
    fn plan(&mut self, start: &PlantState, elapsed: f64) -> Result<Plan, ControlError> {
        self.planner.plan(start, &mut *self.cost, elapsed)
    }

    fn sequence(&self) -> &[f64] {
        self.planner.sequence()
    }

    fn control_at(&self, seconds: f64) -> &[f64] {
        self.planner.control_at(seconds)
    }

    fn batch(&self) -> &Batch {
        self.planner.batch()
    }
}
