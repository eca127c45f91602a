//! Where the plant will be when a plan arrives.

use crate::{ControlError, PlantState};
use bellcrank_sim::{Batch, BatchOptions};

/// One world of the planner's model.
pub(crate) struct Predictor {
    batch: Batch,
    fresh: Vec<f64>,
}

impl Predictor {
    /// Steps as the worlds of this batch do.
    pub fn new(like: &Batch) -> Result<Self, ControlError> {
        let options = BatchOptions {
            dt: Some(like.dt()),
            precision: like.precision(),
            threads: 1,
            settings: *like.settings(),
            ..BatchOptions::default()
        };
        let batch = Batch::new(like.models()[0].clone(), 1, options)?;
        let fresh = batch.group(0).save(0);
        Ok(Predictor { batch, fresh })
    }

    /// Moves a state on by whole steps; `told` is what the motors are told a time ahead [s].
    pub fn advance<'a>(
        &mut self,
        state: &mut PlantState,
        seconds: f64,
        told: impl Fn(f64) -> &'a [f64],
    ) -> Result<(), ControlError> {
        let dt = self.batch.dt();
        let steps = (seconds / dt).round() as usize;
        if steps == 0 {
            return Ok(());
        }
        state.put(&mut self.batch, 0, &self.fresh)?;
        for step in 0..steps {
            self.batch.write(bellcrank_sim::Quantity::Control, told(step as f64 * dt))?;
            self.batch.advance(1);
        }
        state.read(&self.batch, 0)
    }
}
