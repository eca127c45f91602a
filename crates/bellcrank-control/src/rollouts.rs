//! The worlds in which controls are tried.

use crate::cost::{Array, Cost, Seen};
use crate::start::{PlantState, listened_to};
use crate::{ControlError, CostError};
use bellcrank_sim::{Batch, Quantity, WorldStatus};
use bellcrank_step::field::Field;

/// A batch of worlds that all begin alike.
pub(crate) struct Rollouts {
    pub batch: Batch,
    /// A world without memory of earlier steps.
    fresh: Vec<f64>,
    /// The one array that all motors listen to; [`Quantity::Control`] where they differ.
    told: Quantity,
    arrays: Vec<Array>,
    /// (worlds, actuators)
    pub control: Vec<f64>,
}

impl Rollouts {
    /// Takes a fresh batch of one model.
    pub fn new(batch: Batch, needs: &[Quantity]) -> Result<Self, ControlError> {
        let model = batch.models()[0].clone();
        let mut fields = model.actuators().iter().map(|motor| listened_to(&motor.control));
        let Some(first) = fields.next() else { return Err(ControlError::NoMotors(model.name().to_owned())) };
        let told = match (first, fields.all(|other| other == first)) {
            (Field::TargetPosition, true) => Quantity::TargetPosition,
            (Field::TargetVelocity, true) => Quantity::TargetVelocity,
            (_, true) => Quantity::Effort,
            (_, false) => Quantity::Control,
        };
        let mut arrays: Vec<Array> = Vec::new();
        for &quantity in needs {
            let known = arrays.iter().any(|array| array.quantity == quantity);
            if quantity.is_parameter() || !quantity.is_array() {
                return Err(CostError(format!(
                    "{} is no array of worlds that a step changes",
                    quantity.name()
                ))
                .into());
            }
            if !known {
                let values = vec![0.0; batch.shape(quantity).iter().product()];
                arrays.push(Array { quantity, values });
            }
        }
        let control = vec![0.0; batch.worlds() * model.actuators().len()];
        let fresh = batch.group(0).save(0);
        Ok(Rollouts { batch, fresh, told, arrays, control })
    }

    /// All worlds begin here.
    pub fn begin(&mut self, start: &PlantState) -> Result<(), ControlError> {
        start.put(&mut self.batch, 0, &self.fresh)?;
        self.batch.spread_world(0)?;
        for row in self.control.chunks_exact_mut(start.control.len()) {
            row.copy_from_slice(&start.control);
        }
        Ok(())
    }

    /// One step with the controls of all worlds.
    pub fn step(&mut self) -> Result<(), ControlError> {
        self.batch.write(self.told, &self.control)?;
        self.batch.advance(1);
        Ok(())
    }

    /// Reads what a cost wants to see.
    pub fn look(&mut self) -> Result<(), ControlError> {
        for array in &mut self.arrays {
            self.batch.read(array.quantity, &mut array.values)?;
        }
        Ok(())
    }

    /// Adds what a step costs, or what its end is worth.
    pub fn add_cost(
        &self,
        cost: &mut dyn Cost,
        (step, horizon): (usize, usize),
        total: &mut [f64],
    ) -> Result<(), ControlError> {
        let seen = Seen {
            arrays: &self.arrays,
            worlds: self.batch.worlds(),
            step,
            horizon,
            time: (step + 1) as f64 * self.batch.dt(),
            control: &self.control,
        };
        cost.running(&seen, total)?;
        if step + 1 == horizon {
            cost.terminal(&seen, total)?;
        }
        Ok(())
    }

    /// Whether a world stopped being finite.
    pub fn is_frozen(&self, world: usize) -> bool {
        matches!(self.batch.group(0).figures(world).status, WorldStatus::Frozen { .. })
    }
}
