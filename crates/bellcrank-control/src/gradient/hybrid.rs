//! Samples first, then derivatives: what a sampler found is refined by a few rounds, and the sampler goes on from there.

use super::smooth::SmoothCost;
use super::{Ilqr, Receding};
use crate::{ControlError, Plan, Planner, PlantState};
use bellcrank_sim::Batch;
use std::sync::Arc;

/// A sampler whose best plan is refined by derivatives.
pub struct Hybrid {
    sampler: Planner,
    refiner: Ilqr,
    sequence: Vec<f64>,
    motors: usize,
}

impl Hybrid {
    /// Both must have the same model (one `Arc`), step and horizon.
    ///
    /// # Errors
    /// When they do not.
    pub fn new(sampler: Planner, refiner: Ilqr) -> Result<Self, ControlError> {
        let (found, expected) = (refiner.options().horizon, sampler.options().horizon);
        if found != expected {
            return Err(ControlError::WrongCount { what: "steps of the horizon", found, expected });
        }
        let (found, expected) = (refiner.batch().dt(), sampler.batch().dt());
        if found != expected {
            let what = "the step of the refiner";
            return Err(ControlError::BadOption { what, expected: "that of the sampler", found });
        }
        if !Arc::ptr_eq(&refiner.batch().models()[0], &sampler.batch().models()[0]) {
            return Err(ControlError::BadModel(
                "sampler and refiner have different models: make both batches of one".into(),
            ));
        }
        let motors = sampler.batch().models()[0].actuators().len();
        Ok(Hybrid { sequence: sampler.sequence().to_vec(), motors, sampler, refiner })
    }

    /// The sampler, to be looked at.
    pub fn sampler(&self) -> &Planner {
        &self.sampler
    }
}

impl Receding for Hybrid {
    /// The sampler's plan counts where the refiner fails or finds nothing cheaper. Costs in the report are the refiner's: `nominal_cost` is
    /// what it began with.
    fn plan(
        &mut self,
        start: &PlantState,
        cost: &mut dyn SmoothCost,
        elapsed: f64,
    ) -> Result<Plan, ControlError> {
        let sampled = self.sampler.plan(start, &mut *cost, elapsed);
        self.sequence.copy_from_slice(self.sampler.sequence());
        let sampled = sampled?;
        self.refiner.adopt(&self.sequence)?;
        let Ok(refined) = self.refiner.plan(start, cost, 0.0) else { return Ok(sampled) };
        self.sequence.copy_from_slice(self.refiner.sequence());
        self.sampler.adopt(&self.sequence, &start.control)?;
        Ok(Plan {
            best_cost: refined.best_cost,
            nominal_cost: refined.nominal_cost,
            seconds: sampled.seconds + refined.seconds,
            ..sampled
        })
    }

    fn sequence(&self) -> &[f64] {
        &self.sequence
    }

    fn control_at(&self, seconds: f64) -> &[f64] {
        let step = (seconds / self.sampler.batch().dt() + 1e-9).max(0.0) as usize;
        let horizon = self.sequence.len() / self.motors;
        &self.sequence[step.min(horizon - 1) * self.motors..][..self.motors]
    }

    fn batch(&self) -> &Batch {
        self.sampler.batch()
    }
}
