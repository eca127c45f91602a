//! Physical parameters of a batch as arrays: one row for all worlds, or one row each once spread.

use crate::fields::different;
use crate::parameter_values::{each, refuse, set};
use bellcrank::model::{BodyId, JointId, Model, Parameters, ShapeId};
use bellcrank::sim::{Batch, BatchError};
use std::sync::Arc;

/// Which parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Parameter {
    Gravity,
    ContactGain,
    BodyMass,
    BodyCom,
    BodyInertia,
    Friction,
    TorsionalFriction,
    RollingFriction,
    Restitution,
    ShapePosition,
    PredecessorAnchor,
    SuccessorAnchor,
    Armature,
    Damping,
    JointFriction,
    SpringStiffness,
    SpringRest,
    Limits,
    Gain,
    RateGain,
    Gear,
    MotorEffortLimit,
}

use Parameter as P;

const ALL: [(&str, Parameter); 22] = [
    ("gravity", P::Gravity),
    ("contact_gain", P::ContactGain),
    ("body_mass", P::BodyMass),
    ("body_com", P::BodyCom),
    ("body_inertia", P::BodyInertia),
    ("friction", P::Friction),
    ("torsional_friction", P::TorsionalFriction),
    ("rolling_friction", P::RollingFriction),
    ("restitution", P::Restitution),
    ("shape_position", P::ShapePosition),
    ("predecessor_anchor", P::PredecessorAnchor),
    ("successor_anchor", P::SuccessorAnchor),
    ("armature", P::Armature),
    ("damping", P::Damping),
    ("joint_friction", P::JointFriction),
    ("spring_stiffness", P::SpringStiffness),
    ("spring_rest", P::SpringRest),
    ("limits", P::Limits),
    ("gain", P::Gain),
    ("rate_gain", P::RateGain),
    ("gear", P::Gear),
    ("motor_effort_limit", P::MotorEffortLimit),
];

/// What a parameter belongs to.
#[derive(Clone, Copy, PartialEq)]
pub enum Owner {
    World,
    Body,
    Shape,
    Joint,
    Dof,
    Actuator,
}

impl Parameter {
    pub fn names() -> impl Iterator<Item = &'static str> {
        ALL.iter().map(|(name, _)| *name)
    }

    pub fn by_name(name: &str) -> Option<Parameter> {
        ALL.iter().find(|(known, _)| *known == name).map(|(_, parameter)| *parameter)
    }

    pub fn owner(self) -> Owner {
        match self {
            P::Gravity | P::ContactGain => Owner::World,
            P::BodyMass | P::BodyCom | P::BodyInertia => Owner::Body,
            P::Friction | P::TorsionalFriction | P::RollingFriction | P::Restitution => Owner::Shape,
            P::ShapePosition => Owner::Shape,
            P::PredecessorAnchor | P::SuccessorAnchor => Owner::Joint,
            P::Armature | P::Damping | P::JointFriction | P::Limits => Owner::Dof,
            P::SpringStiffness | P::SpringRest => Owner::Dof,
            P::Gain | P::RateGain | P::Gear | P::MotorEffortLimit => Owner::Actuator,
        }
    }

    pub fn parts(self, model: &Model) -> usize {
        match self.owner() {
            Owner::World => 1,
            Owner::Body => model.bodies().len(),
            Owner::Shape => model.shapes().len(),
            Owner::Joint => model.joints().len(),
            Owner::Dof => model.dof_count(),
            Owner::Actuator => model.actuators().len(),
        }
    }

    pub fn tail(self) -> &'static [usize] {
        match self {
            P::Gravity | P::BodyCom => &[3],
            P::ShapePosition | P::PredecessorAnchor | P::SuccessorAnchor => &[3],
            P::BodyInertia => &[3, 3],
            P::ContactGain | P::Limits => &[2],
            _ => &[],
        }
    }

    fn components(self) -> usize {
        self.tail().iter().product()
    }
}

/// Which world is which of its model's.
pub struct Worlds {
    models: Vec<Arc<Model>>,
    /// By world: number of the model, and of the world among that model's.
    place: Vec<(usize, usize)>,
}

impl Worlds {
    pub fn of(worlds: &[Arc<Model>]) -> Self {
        let models = different(worlds);
        let mut count = vec![0; models.len()];
        let find =
            |model: &Arc<Model>| models.iter().position(|known| Arc::ptr_eq(known, model)).unwrap_or(0);
        let place = worlds.iter().map(|model| {
            let m = find(model);
            count[m] += 1;
            (m, count[m] - 1)
        });
        Worlds { place: place.collect(), models: models.clone() }
    }

    pub fn models(&self) -> &[Arc<Model>] {
        &self.models
    }

    /// Number of a world's model, and of the world among that model's.
    pub fn place(&self, world: usize) -> (usize, usize) {
        self.place[world]
    }

    /// Whether shapes or centres of mass may differ between worlds of a model.
    pub fn solids_differ(&self, batch: &Batch, m: usize) -> bool {
        let differ = |parameter| batch.parameters(m).is_ok_and(|p| is_spread(p, &self.models[m], parameter));
        differ(P::BodyCom) || differ(P::Friction)
    }

    /// Rows of a parameter's array: one while all worlds share it.
    pub fn rows(&self, batch: &Batch, parameter: Parameter) -> usize {
        let spread = |m: usize| batch.parameters(m).is_ok_and(|p| is_spread(p, &self.models[m], parameter));
        let shared = self.models.len() == 1 && !spread(0);
        if shared { 1 } else { self.place.len() }
    }

    fn stride(&self, parameter: Parameter) -> usize {
        let widest = self.models.iter().map(|model| parameter.parts(model)).max().unwrap_or(0);
        widest * parameter.components()
    }
}

fn is_spread(p: &Parameters, model: &Model, parameter: Parameter) -> bool {
    match parameter.owner() {
        Owner::World if parameter == P::ContactGain => p.contact_gain.is_spread(),
        Owner::World => p.gravity.is_spread(),
        Owner::Body => (0..model.bodies().len()).any(|k| p.body(BodyId::new(k)).is_spread()),
        Owner::Shape => (0..model.shapes().len()).any(|k| p.shape(ShapeId::new(k)).is_spread()),
        Owner::Joint | Owner::Dof => (0..model.joints().len()).any(|k| p.joint(JointId::new(k)).is_spread()),
        Owner::Actuator => (0..model.actuators().len()).any(|k| p.actuator(k).is_spread()),
    }
}

/// One row per world from now on.
pub fn spread(batch: &mut Batch, worlds: &Worlds, parameter: Parameter) -> Result<(), BatchError> {
    for (m, model) in worlds.models.iter().enumerate() {
        let count = worlds.place.iter().filter(|(other, _)| *other == m).count();
        batch.change_parameters(m, |p| spread_model(p, model, parameter, count))?;
    }
    Ok(())
}

fn spread_model(p: &mut Parameters, model: &Model, parameter: Parameter, count: usize) {
    match parameter.owner() {
        Owner::World if parameter == P::ContactGain => {
            p.contact_gain.spread(count);
        }
        Owner::World => {
            p.gravity.spread(count);
        }
        Owner::Body => (0..model.bodies().len()).for_each(|k| {
            p.body_mut(BodyId::new(k)).spread(count);
        }),
        Owner::Shape => (0..model.shapes().len()).for_each(|k| {
            p.shape_mut(ShapeId::new(k)).spread(count);
        }),
        Owner::Joint | Owner::Dof => (0..model.joints().len()).for_each(|k| {
            p.joint_mut(JointId::new(k)).spread(count);
        }),
        Owner::Actuator => (0..model.actuators().len()).for_each(|k| {
            p.actuator_mut(k).spread(count);
        }),
    }
}

/// All numbers of a parameter's array.
pub fn read(batch: &Batch, worlds: &Worlds, parameter: Parameter) -> Result<Vec<f64>, BatchError> {
    let (rows, stride) = (worlds.rows(batch, parameter), worlds.stride(parameter));
    let mut values = vec![0.0; rows * stride];
    for (row, &(m, local)) in values.chunks_exact_mut(stride.max(1)).zip(&worlds.place) {
        let mut next = row.iter_mut();
        each(batch.parameters(m)?, &worlds.models[m], (parameter, local), |x| {
            if let Some(out) = next.next() {
                *out = x;
            }
        });
    }
    Ok(values)
}

/// Takes the numbers of a parameter's array.
pub fn write(
    batch: &mut Batch,
    worlds: &Worlds,
    parameter: Parameter,
    values: &[f64],
) -> Result<(), BatchError> {
    let (rows, stride) = (worlds.rows(batch, parameter), worlds.stride(parameter));
    if rows > 1 {
        spread(batch, worlds, parameter)?;
    }
    let row = |world: usize| &values[world * stride..(world + 1) * stride];
    for (world, &(m, _)) in worlds.place.iter().enumerate().take(rows) {
        refuse(&worlds.models[m], parameter, row(world))?;
    }
    for (m, model) in worlds.models.iter().enumerate() {
        batch.change_parameters(m, |p| {
            if rows == 1 {
                set(p, model, parameter, None, row(0));
                return;
            }
            for (world, &(other, local)) in worlds.place.iter().enumerate() {
                if other == m {
                    set(p, model, parameter, Some(local), row(world));
                }
            }
        })?;
    }
    Ok(())
}
