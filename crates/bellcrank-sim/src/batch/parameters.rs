//! Masses, frictions, gains: one for all worlds, or one each.

use super::check_parameters::{Scope, check};
use super::{Batch, BatchError};
use crate::quantity::{Owner, Quantity, each};
use bellcrank_math::{Pose, Twist, Vec3};
use bellcrank_model::{Model, Parameters};

impl Batch {
    /// The physical parameters of a model's worlds; `model` counts as in [`Batch::models`], and worlds as they come
    /// among those of that model.
    ///
    /// # Errors
    /// When there is no such model.
    pub fn parameters(&self, model: usize) -> Result<&Parameters, BatchError> {
        self.parameters.get(model).ok_or(self.no_model(model))
    }

    /// Changes parameters of a model's worlds; everything that follows from them is computed afresh. Links stay where they
    /// are: a mechanism whose joint frames have changed closes again in the next steps, or at once with
    /// [`Batch::assemble`].
    ///
    /// # Errors
    /// When there is no such model, or the parameters make no sense; nothing is changed then.
    pub fn change_parameters(
        &mut self,
        model: usize,
        change: impl FnOnce(&mut Parameters),
    ) -> Result<(), BatchError> {
        let mut parameters = self.parameters(model)?.clone();
        change(&mut parameters);
        let worlds = self.rows[model].len();
        let all = Scope { at: 0..worlds, worlds };
        Owner::ALL.iter().try_for_each(|owner| check(&self.models[model], &parameters, *owner, &all))?;
        for (local, world) in self.rows[model].clone().into_iter().enumerate() {
            let centres = |of: &Parameters| Self::centres(&self.models[model], of, local);
            let (old, new) = (centres(&self.parameters[model]), centres(&parameters));
            self.move_centres(world, &old, &new)?;
        }
        self.groups[model].set_parameters(&parameters);
        self.parameters[model] = parameters;
        self.forget_memory();
        Ok(())
    }

    /// Links stay where they are, so bodies, which sit at their centres of mass, move with those: from one row of centres
    /// to another.
    pub(super) fn move_centres(&mut self, world: usize, old: &[f64], new: &[f64]) -> Result<(), BatchError> {
        let (m, local) = self.place[world];
        for b in 0..self.models[m].bodies().len() {
            let moved = [0, 1, 2].map(|axis| new[3 * b + axis] - old[3 * b + axis]);
            if moved != [0.0; 3] {
                let interval = self.groups[m].interval(local);
                let (X, V) = (self.body_pose(world, b)?, self.body_velocity(world, b)?);
                let by = X.R.rotate(Vec3::from_array(moved));
                self.set_body_pose(world, b, Pose::new(X.R, X.p + by))?;
                self.set_body_velocity(world, b, Twist::new(V.linear + V.angular.cross(by), V.angular))?;
                self.groups[m].set_interval(local, interval); // told at another point, it is the same velocity
            }
        }
        Ok(())
    }

    /// All centres of mass of one world of a model.
    fn centres(model: &Model, parameters: &Parameters, local: usize) -> Vec<f64> {
        let mut row = Vec::new();
        each(parameters, model, Quantity::BodyCom, local, |x| row.push(x));
        row
    }

    fn no_model(&self, index: usize) -> BatchError {
        BatchError::NoSuchPart { what: "model", index, count: self.models.len() }
    }
}
