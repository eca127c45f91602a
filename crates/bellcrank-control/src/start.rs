//! Where a plan begins.

use crate::ControlError;
use bellcrank_model::{Control as Law, Model};
use bellcrank_sim::{Batch, WorldStatus};
use bellcrank_step::field::Field;

/// The state of a plant as it is known: read from a batch, or filled in by whoever estimates it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlantState {
    /// Centres of mass in the world [m]: (bodies, 3).
    pub body_position: Vec<f64>,
    /// Orientations: (bodies, 4).
    pub body_quat_wxyz: Vec<f64>,
    /// Twists of the centres of mass, world axes, linear part first [m/s, rad/s]: (bodies, 6).
    pub body_velocity: Vec<f64>,
    /// States of the motors that have one, in their order.
    pub activation: Vec<f64>,
    /// What the motors were told last: (actuators,).
    pub control: Vec<f64>,
}

/// The array that a motor listens to.
pub(crate) fn listened_to(law: &Law) -> Field {
    match law {
        Law::Position { .. } => Field::TargetPosition,
        Law::Velocity { .. } => Field::TargetVelocity,
        Law::Effort | Law::Affine { .. } | Law::Varying { .. } | Law::Muscle(_) | Law::Voltage(_) => {
            Field::Effort
        }
    }
}

impl PlantState {
    /// The state of a world.
    ///
    /// # Errors
    /// When there is no such world, or it is frozen or not finite.
    pub fn of(batch: &Batch, world: usize) -> Result<Self, ControlError> {
        let mut state = PlantState::default();
        state.read(batch, world)?;
        Ok(state)
    }

    /// The same, in the memory of this one.
    ///
    /// # Errors
    /// As [`PlantState::of`].
    pub fn read(&mut self, batch: &Batch, world: usize) -> Result<(), ControlError> {
        let (g, w) = batch.find(world)?;
        let (group, model) = (batch.group(g), &batch.models()[g]);
        if let WorldStatus::Frozen { body, step } = group.figures(w).status {
            let name = model.bodies().get(body as usize).map_or("a body", |body| &body.name);
            return Err(ControlError::PlantFrozen { body: name.to_owned(), step });
        }
        for (list, field) in self.fields() {
            list.clear();
            list.extend((0..field.width(model)).map(|k| group.get(w, field, k)));
        }
        self.activation.clear();
        if model.actuators().iter().any(|motor| motor.activation.is_some()) {
            self.activation.extend(group.activations(w));
        }
        self.control.clear();
        let told = model.actuators().iter().enumerate();
        self.control.extend(told.map(|(a, motor)| group.get(w, listened_to(&motor.control), a)));
        self.check(model)
    }

    fn fields(&mut self) -> [(&mut Vec<f64>, Field); 3] {
        [
            (&mut self.body_position, Field::BodyPosition),
            (&mut self.body_quat_wxyz, Field::BodyQuatWxyz),
            (&mut self.body_velocity, Field::BodyVelocity),
        ]
    }

    /// Refuses a state that is not one of this model, or not finite.
    ///
    /// # Errors
    /// With the quantity named.
    pub fn check(&self, model: &Model) -> Result<(), ControlError> {
        let (bodies, motors) = (model.bodies().len(), model.actuators());
        let active = motors.iter().filter(|motor| motor.activation.is_some()).count();
        let all = [
            ("body_position", &self.body_position, 3 * bodies),
            ("body_quat_wxyz", &self.body_quat_wxyz, 4 * bodies),
            ("body_velocity", &self.body_velocity, 6 * bodies),
            ("activation", &self.activation, active),
            ("control", &self.control, motors.len()),
        ];
        for (quantity, list, expected) in all {
            if list.len() != expected {
                return Err(ControlError::WrongCount { what: quantity, found: list.len(), expected });
            }
            if let Some(index) = list.iter().position(|x| !x.is_finite()) {
                return Err(ControlError::StateNotFinite { quantity, index });
            }
        }
        Ok(())
    }

    /// Puts a world into this state; `fresh` is a state of the world without memory of earlier steps (`Group::save`).
    pub(crate) fn put(&self, batch: &mut Batch, world: usize, fresh: &[f64]) -> Result<(), ControlError> {
        let (g, w) = batch.find(world)?;
        self.check(&batch.models()[g])?;
        let model = batch.models()[g].clone();
        let group = batch.group_mut(g);
        group.load(w, fresh);
        let poses = [
            (Field::BodyPosition, &self.body_position),
            (Field::BodyQuatWxyz, &self.body_quat_wxyz),
            (Field::BodyVelocity, &self.body_velocity),
        ];
        for (field, list) in poses {
            group.set_row(w, field, 0, list);
        }
        self.activation.iter().enumerate().for_each(|(k, x)| group.set_activation(w, k, *x));
        for (a, (motor, x)) in model.actuators().iter().zip(&self.control).enumerate() {
            group.set(w, listened_to(&motor.control), a, *x);
        }
        Ok(())
    }
}
