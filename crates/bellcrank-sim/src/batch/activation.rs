//! States of motors that have one.

use super::{Batch, BatchError};

impl Batch {
    /// The state of an actuator that has one (`bellcrank_model::Activation`), in the unit of the control that it follows; `None` for others.
    ///
    /// # Errors
    /// When there is no such world or actuator.
    pub fn activation(&self, world: usize, actuator: usize) -> Result<Option<f64>, BatchError> {
        let (g, w) = self.find(world)?;
        let index = self.activation_index(g, actuator)?;
        Ok(index.map(|index| self.groups[g].activations(w)[index]))
    }

    /// Sets it; an actuator without a state is left alone.
    ///
    /// # Errors
    /// When there is no such world or actuator.
    pub fn set_activation(&mut self, world: usize, actuator: usize, value: f64) -> Result<(), BatchError> {
        let (g, w) = self.find(world)?;
        if let Some(index) = self.activation_index(g, actuator)? {
            self.groups[g].set_activation(w, index, value);
        }
        Ok(())
    }

    /// Which of the states of a model's motors an actuator has.
    fn activation_index(&self, g: usize, actuator: usize) -> Result<Option<usize>, BatchError> {
        let count = self.models[g].actuators().len();
        if actuator >= count {
            return Err(BatchError::NoSuchPart { what: "actuator", index: actuator, count });
        }
        Ok(self.groups[g].layout().activations.iter().position(|own| own.actuator == actuator))
    }
}
