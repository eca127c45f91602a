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
    /// Which sample each world tries; those that go on come first.
    pub sample: Vec<usize>,
    /// How many go on.
    pub going: usize,
    /// Worlds that are stepped together.
    block: usize,
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
        let control = vec![0.0; batch.worlds() * model.actuators().len()];
        let fresh = batch.group(0).save(0);
        let (going, blocks) = (batch.worlds(), batch.group(0).block_count().max(1));
        let (sample, block) = ((0..going).collect(), going.div_ceil(blocks));
        let arrays = Vec::new();
        let mut rollouts = Rollouts { batch, fresh, told, arrays, control, sample, going, block };
        needs.iter().try_for_each(|quantity| rollouts.need(*quantity))?;
        Ok(rollouts)
    }

    /// Reads this quantity from now on, too.
    pub fn need(&mut self, quantity: Quantity) -> Result<(), ControlError> {
        if quantity.is_parameter() || !quantity.is_array() {
            let text = format!("{} is no array of worlds that a step changes", quantity.name());
            return Err(CostError(text).into());
        }
        if self.values(quantity).is_none() {
            let values = vec![0.0; self.batch.shape(quantity).iter().product()];
            self.arrays.push(Array { quantity, values });
        }
        Ok(())
    }

    /// A quantity of all worlds, as it was read last.
    pub fn values(&self, quantity: Quantity) -> Option<&[f64]> {
        let found = self.arrays.iter().find(|array| array.quantity == quantity);
        found.map(|array| array.values.as_slice())
    }

    /// All worlds begin here.
    pub fn begin(&mut self, start: &PlantState) -> Result<(), ControlError> {
        start.put(&mut self.batch, 0, &self.fresh)?;
        self.batch.spread_world(0)?;
        self.going = self.sample.len();
        self.sample.iter_mut().enumerate().for_each(|(world, sample)| *sample = world);
        for row in self.control.chunks_exact_mut(start.control.len()) {
            row.copy_from_slice(&start.control);
        }
        Ok(())
    }

    /// One step with the controls of all worlds.
    pub fn step(&mut self) -> Result<(), ControlError> {
        self.batch.write(self.told, &self.control)?;
        self.batch.advance_first(self.going, 1);
        Ok(())
    }

    /// Leaves out samples that are given up, where that saves a block of worlds: others take their places, with what they cost so far.
    pub fn leave_out(
        &mut self,
        given_up: impl Fn(usize) -> bool,
        totals: &mut [f64],
    ) -> Result<(), ControlError> {
        let left = self.sample[..self.going].iter().filter(|sample| !given_up(**sample)).count();
        if left.div_ceil(self.block) >= self.going.div_ceil(self.block) {
            return Ok(());
        }
        let motors = self.control.len() / self.sample.len();
        let mut from = self.going;
        for to in 0..left {
            if !given_up(self.sample[to]) {
                continue;
            }
            from -= 1;
            while given_up(self.sample[from]) {
                from -= 1; // as many go on behind `left` as are given up before it
            }
            self.batch.copy_world(from, to)?;
            self.sample.swap(from, to);
            totals[to] = totals[from];
            self.control.copy_within(from * motors..(from + 1) * motors, to * motors);
        }
        self.going = left;
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
            rows: self.sample.len(),
            worlds: self.going,
            sample: &self.sample[..self.going],
            step,
            horizon,
            time: (step + 1) as f64 * self.batch.dt(),
            control: &self.control[..self.control.len() / self.sample.len() * self.going],
        };
        let total = &mut total[..self.going];
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
