//! Physical parameters of a batch as arrays: one row for all worlds, or one row each once spread.

use crate::fields::different;
use bellcrank::math::{Sym3, Vec3};
use bellcrank::model::{
    ActuatorParameters, BodyId, Control, Dof, JointId, Model, Parameters, PerWorld, ShapeId,
};
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
    Armature,
    Damping,
    JointFriction,
    Limits,
    Gain,
    RateGain,
    MotorEffortLimit,
}

use Parameter as P;

const ALL: [(&str, Parameter); 16] = [
    ("gravity", P::Gravity),
    ("contact_gain", P::ContactGain),
    ("body_mass", P::BodyMass),
    ("body_com", P::BodyCom),
    ("body_inertia", P::BodyInertia),
    ("friction", P::Friction),
    ("torsional_friction", P::TorsionalFriction),
    ("rolling_friction", P::RollingFriction),
    ("restitution", P::Restitution),
    ("armature", P::Armature),
    ("damping", P::Damping),
    ("joint_friction", P::JointFriction),
    ("limits", P::Limits),
    ("gain", P::Gain),
    ("rate_gain", P::RateGain),
    ("motor_effort_limit", P::MotorEffortLimit),
];

/// What a parameter belongs to.
#[derive(Clone, Copy, PartialEq)]
enum Owner {
    World,
    Body,
    Shape,
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

    fn owner(self) -> Owner {
        match self {
            P::Gravity | P::ContactGain => Owner::World,
            P::BodyMass | P::BodyCom | P::BodyInertia => Owner::Body,
            P::Friction | P::TorsionalFriction | P::RollingFriction | P::Restitution => Owner::Shape,
            P::Armature | P::Damping | P::JointFriction | P::Limits => Owner::Dof,
            P::Gain | P::RateGain | P::MotorEffortLimit => Owner::Actuator,
        }
    }

    pub fn parts(self, model: &Model) -> usize {
        match self.owner() {
            Owner::World => 1,
            Owner::Body => model.bodies().len(),
            Owner::Shape => model.shapes().len(),
            Owner::Dof => model.dof_count(),
            Owner::Actuator => model.actuators().len(),
        }
    }

    pub fn tail(self) -> &'static [usize] {
        match self {
            P::Gravity | P::BodyCom => &[3],
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
        Owner::Dof => (0..model.joints().len()).any(|k| p.joint(JointId::new(k)).is_spread()),
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
        Owner::Dof => (0..model.joints().len()).for_each(|k| {
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

/// Calls `f` on every number of one world's row.
fn each(p: &Parameters, model: &Model, (parameter, world): (Parameter, usize), mut f: impl FnMut(f64)) {
    match parameter.owner() {
        Owner::World if parameter == P::ContactGain => p.contact_gain.get(world).iter().copied().for_each(f),
        Owner::World => p.gravity.get(world).to_array().into_iter().for_each(f),
        Owner::Body => {
            for k in 0..model.bodies().len() {
                let b = p.body(BodyId::new(k)).get(world);
                match parameter {
                    P::BodyMass => f(b.mass),
                    P::BodyCom => b.com.to_array().into_iter().for_each(&mut f),
                    _ => full(b.inertia).into_iter().for_each(&mut f),
                }
            }
        }
        Owner::Shape => {
            for k in 0..model.shapes().len() {
                let m = p.shape(ShapeId::new(k)).get(world).material;
                f(match parameter {
                    P::Friction => m.sliding,
                    P::TorsionalFriction => m.torsional,
                    P::RollingFriction => m.rolling,
                    _ => m.restitution,
                });
            }
        }
        Owner::Dof => {
            for k in 0..model.joints().len() {
                for d in &p.joint(JointId::new(k)).get(world).dofs {
                    match parameter {
                        P::Armature => f(d.armature),
                        P::Damping => f(d.damping),
                        P::JointFriction => f(d.friction),
                        _ => d.limits.into_iter().for_each(&mut f),
                    }
                }
            }
        }
        Owner::Actuator => {
            for k in 0..model.actuators().len() {
                let a = p.actuator(k).get(world);
                f(match parameter {
                    P::Gain => gains(a.control)[0],
                    P::RateGain => gains(a.control)[1],
                    _ => a.effort_limit,
                });
            }
        }
    }
}

/// Sets one row: of one world, or of all that share it.
fn set(p: &mut Parameters, model: &Model, parameter: Parameter, world: Option<usize>, row: &[f64]) {
    let mut next = row.iter().copied();
    let mut one = || next.next().unwrap_or(0.0);
    match parameter.owner() {
        Owner::World if parameter == P::ContactGain => {
            let gain = [one(), one()];
            change(&mut p.contact_gain, world, |own| *own = gain);
        }
        Owner::World => {
            let g = Vec3::new(one(), one(), one());
            change(&mut p.gravity, world, |gravity| *gravity = g);
        }
        Owner::Body => {
            for k in 0..model.bodies().len() {
                let place = p.body_mut(BodyId::new(k));
                match parameter {
                    P::BodyMass => {
                        let mass = one();
                        change(place, world, |b| b.mass = mass);
                    }
                    P::BodyCom => {
                        let com = Vec3::new(one(), one(), one());
                        change(place, world, |b| b.com = com);
                    }
                    _ => {
                        let m = [(); 9].map(|()| one());
                        let inertia = Sym3 { xx: m[0], xy: m[1], xz: m[2], yy: m[4], yz: m[5], zz: m[8] };
                        change(place, world, |b| b.inertia = inertia);
                    }
                }
            }
        }
        Owner::Shape => {
            for k in 0..model.shapes().len() {
                let x = one();
                change(p.shape_mut(ShapeId::new(k)), world, |s| match parameter {
                    P::Friction => s.material.sliding = x,
                    P::TorsionalFriction => s.material.torsional = x,
                    P::RollingFriction => s.material.rolling = x,
                    _ => s.material.restitution = x,
                });
            }
        }
        Owner::Dof => {
            for (k, joint) in model.joints().iter().enumerate() {
                for dof in 0..joint.kind.dof_count() {
                    let pair = if parameter == P::Limits { [one(), one()] } else { [one(), 0.0] };
                    change(p.joint_mut(JointId::new(k)), world, |j| {
                        set_dof(&mut j.dofs[dof], parameter, pair)
                    });
                }
            }
        }
        Owner::Actuator => {
            for k in 0..model.actuators().len() {
                let x = one();
                change(p.actuator_mut(k), world, |a| set_motor(a, parameter, x));
            }
        }
    }
}

fn set_dof(dof: &mut Dof, parameter: Parameter, pair: [f64; 2]) {
    match parameter {
        P::Armature => dof.armature = pair[0],
        P::Damping => dof.damping = pair[0],
        P::JointFriction => dof.friction = pair[0],
        _ => dof.limits = pair,
    }
}

/// Gain on the thing that a motor controls, and on its rate.
fn gains(control: Control) -> [f64; 2] {
    match control {
        Control::Position { kp, kd } => [kp, kd],
        Control::Velocity { kd } => [0.0, kd],
        Control::Effort => [0.0; 2],
        Control::Affine { gain, .. } => [gain, 0.0],
    }
}

/// What a motor has no gain for is left alone.
fn set_motor(motor: &mut ActuatorParameters, parameter: Parameter, x: f64) {
    match (parameter, &mut motor.control) {
        (P::Gain, Control::Position { kp, .. }) => *kp = x,
        (P::Gain, Control::Affine { gain, .. }) => *gain = x,
        (P::RateGain, Control::Position { kd, .. } | Control::Velocity { kd }) => *kd = x,
        (P::MotorEffortLimit, _) => motor.effort_limit = x,
        _ => {}
    }
}

fn change<T: Clone>(place: &mut PerWorld<T>, world: Option<usize>, f: impl Fn(&mut T)) {
    match (place, world) {
        (PerWorld::Shared(value), _) => f(value),
        (PerWorld::Each(values), Some(world)) => f(&mut values[world]),
        (PerWorld::Each(values), None) => values.iter_mut().for_each(f),
    }
}

fn full(s: Sym3) -> [f64; 9] {
    [s.xx, s.xy, s.xz, s.xy, s.yy, s.yz, s.xz, s.yz, s.zz]
}
