//! Derivatives of a step.

use super::{Batch, BatchError};
use crate::derivative::{self, Source, StepJacobian, Wrt};
use crate::layout::Layout;

impl Batch {
    /// How the step that world `world` would take next depends on its state, its controls and its parameters; the state
    /// does not change. `kappa` is the smoothing of contacts: the derivative is exactly that of the step whose contacts
    /// have slack times force = κ [N·s·m]. Steps of other methods are polished by the interior point at κ first.
    ///
    /// # Errors
    /// When there is no such world, when the step does not converge at κ, or where a contact has no derivative.
    pub fn step_jacobian(&self, world: usize, kappa: f64, wrt: &[Wrt]) -> Result<StepJacobian, BatchError> {
        self.with_source(world, |source| {
            let (settings, point) = derivative::implicit(&self.settings, kappa);
            derivative::jacobian(source, (&settings, &point), wrt)
        })
    }

    /// The central difference of the same step in one of its numbers, to check a column of [`Batch::step_jacobian`].
    ///
    /// # Errors
    /// As there.
    pub fn step_difference(
        &self,
        world: usize,
        kappa: f64,
        wrt: Wrt,
        amount: f64,
    ) -> Result<Vec<f64>, BatchError> {
        self.with_source(world, |source| {
            let (settings, point) = derivative::implicit(&self.settings, kappa);
            derivative::difference(source, (&settings, &point), (wrt, amount))
        })
    }

    /// Every parameter of a world's model.
    ///
    /// # Errors
    /// When there is no such world.
    pub fn all_parameters(&self, world: usize) -> Result<Vec<Wrt>, BatchError> {
        let (g, _) = self.find(world)?;
        Ok(Wrt::parameters(&self.models[g], &Layout::of(&self.models[g])))
    }

    fn with_source<T>(
        &self,
        world: usize,
        f: impl FnOnce(&Source<'_>) -> Result<T, BatchError>,
    ) -> Result<T, BatchError> {
        let (g, w) = self.find(world)?;
        let mut values = self.groups[g].save(w);
        values.truncate(values.len() - 3); // age and frozen body are no part of the state
        let layout = Layout::of(&self.models[g]);
        if layout.pile.is_some() {
            return Err(BatchError::PileInInteriorPoint(self.models[g].name().to_owned()));
        }
        f(&Source {
            model: &self.models[g],
            layout: &layout,
            parameters: &self.parameters[g],
            world: w,
            values: &values,
            dt: self.dt,
        })
    }
}
