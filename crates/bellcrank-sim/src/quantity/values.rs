//! The numbers of a parameter's row: read from and written to the parts that own them.

use super::{Owner, Quantity};
use crate::batch::BatchError;
use bellcrank_math::{Sym3, Vec3};
use bellcrank_model::{
    ActuatorParameters, BodyId, Control, Dof, JointId, Model, Parameters, PerWorld, ShapeId,
};

use Quantity as P;

/// A spring is a part of the model: a joint that has none cannot be given one here.
pub(crate) fn refuse(model: &Model, parameter: Quantity, row: &[f64]) -> Result<(), BatchError> {
    if !matches!(parameter, P::SpringStiffness | P::SpringRest) {
        return Ok(());
    }
    let dofs = model.joints().iter().flat_map(|joint| joint.dofs.iter().map(move |dof| (joint, dof)));
    match dofs.zip(row).find(|((_, dof), x)| dof.spring.is_none() && **x != 0.0) {
        None => Ok(()),
        Some(((joint, _), _)) => Err(BatchError::BadParameter {
            part: format!("joint {:?}", joint.name),
            what: "it has no spring; give the model one".to_owned(),
        }),
    }
}

/// Calls `f` on every number of one world's row.
pub(crate) fn each(p: &Parameters, model: &Model, parameter: Quantity, world: usize, mut f: impl FnMut(f64)) {
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
                let shape = p.shape(ShapeId::new(k)).get(world);
                let m = shape.material;
                match parameter {
                    P::Friction => f(m.sliding),
                    P::TorsionalFriction => f(m.torsional),
                    P::RollingFriction => f(m.rolling),
                    P::ShapePosition => shape.X_LG.p.to_array().into_iter().for_each(&mut f),
                    _ => f(m.restitution),
                }
            }
        }
        Owner::Joint => {
            for k in 0..model.joints().len() {
                let joint = p.joint(JointId::new(k)).get(world);
                let X = if parameter == P::PredecessorAnchor { joint.X_PF } else { joint.X_SM };
                X.p.to_array().into_iter().for_each(&mut f);
            }
        }
        Owner::Dof => {
            for k in 0..model.joints().len() {
                for d in &p.joint(JointId::new(k)).get(world).dofs {
                    match parameter {
                        P::Armature => f(d.armature),
                        P::Damping => f(d.damping),
                        P::JointFriction => f(d.friction),
                        P::SpringStiffness => f(d.spring.map_or(0.0, |s| s.stiffness)),
                        P::SpringRest => f(d.spring.map_or(0.0, |s| s.rest)),
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
                    P::Gear => a.gear,
                    _ => a.effort_limit,
                });
            }
        }
        Owner::Coordinate | Owner::Site => {} // no parameter is theirs
    }
}

/// Sets one row: of one world, or of all that share it.
pub(crate) fn set(p: &mut Parameters, model: &Model, parameter: Quantity, world: Option<usize>, row: &[f64]) {
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
                let tail: usize = parameter.tail().iter().product();
                let x: Vec<f64> = (0..tail).map(|_| one()).collect();
                change(p.shape_mut(ShapeId::new(k)), world, |s| match parameter {
                    P::Friction => s.material.sliding = x[0],
                    P::TorsionalFriction => s.material.torsional = x[0],
                    P::RollingFriction => s.material.rolling = x[0],
                    P::ShapePosition => s.X_LG.p = Vec3::new(x[0], x[1], x[2]),
                    _ => s.material.restitution = x[0],
                });
            }
        }
        Owner::Joint => {
            for k in 0..model.joints().len() {
                let at = Vec3::new(one(), one(), one());
                change(p.joint_mut(JointId::new(k)), world, |j| match parameter {
                    P::PredecessorAnchor => j.X_PF.p = at,
                    _ => j.X_SM.p = at,
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
        Owner::Coordinate | Owner::Site => {}
    }
}

fn set_dof(dof: &mut Dof, parameter: Quantity, pair: [f64; 2]) {
    match parameter {
        P::Armature => dof.armature = pair[0],
        P::Damping => dof.damping = pair[0],
        P::JointFriction => dof.friction = pair[0],
        P::SpringStiffness => dof.spring.iter_mut().for_each(|s| s.stiffness = pair[0]),
        P::SpringRest => dof.spring.iter_mut().for_each(|s| s.rest = pair[0]),
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
        Control::Varying { gain, .. } => [gain[0], 0.0],
        Control::Muscle(muscle) => [muscle.force, 0.0],
        Control::Voltage(motor) => [motor.constant, 0.0],
    }
}

/// What a motor has no gain for is left alone.
fn set_motor(motor: &mut ActuatorParameters, parameter: Quantity, x: f64) {
    match (parameter, &mut motor.control) {
        (P::Gain, Control::Position { kp, .. }) => *kp = x,
        (P::Gain, Control::Affine { gain, .. }) => *gain = x,
        (P::Gain, Control::Varying { gain, .. }) => gain[0] = x,
        (P::Gain, Control::Muscle(muscle)) => muscle.force = x,
        (P::Gain, Control::Voltage(motor)) => motor.constant = x,
        (P::RateGain, Control::Position { kd, .. } | Control::Velocity { kd }) => *kd = x,
        (P::Gear, _) => motor.gear = x,
        (P::MotorEffortLimit, _) => motor.effort_limit = x,
        _ => {}
    }
}

/// Whether worlds may differ in what owns a parameter.
pub(crate) fn is_spread(p: &Parameters, model: &Model, parameter: Quantity) -> bool {
    match parameter.owner() {
        Owner::World if parameter == P::ContactGain => p.contact_gain.is_spread(),
        Owner::World => p.gravity.is_spread(),
        Owner::Body => (0..model.bodies().len()).any(|k| p.body(BodyId::new(k)).is_spread()),
        Owner::Shape => (0..model.shapes().len()).any(|k| p.shape(ShapeId::new(k)).is_spread()),
        Owner::Joint | Owner::Dof => (0..model.joints().len()).any(|k| p.joint(JointId::new(k)).is_spread()),
        Owner::Actuator => (0..model.actuators().len()).any(|k| p.actuator(k).is_spread()),
        Owner::Coordinate | Owner::Site => false,
    }
}

/// One value per world in all parts of a parameter's owner; numbers stay.
pub(crate) fn spread(p: &mut Parameters, model: &Model, parameter: Quantity, worlds: usize) {
    match parameter.owner() {
        Owner::World if parameter == P::ContactGain => {
            p.contact_gain.spread(worlds);
        }
        Owner::World => {
            p.gravity.spread(worlds);
        }
        Owner::Body => (0..model.bodies().len()).for_each(|k| {
            p.body_mut(BodyId::new(k)).spread(worlds);
        }),
        Owner::Shape => (0..model.shapes().len()).for_each(|k| {
            p.shape_mut(ShapeId::new(k)).spread(worlds);
        }),
        Owner::Joint | Owner::Dof => {
            (0..model.joints().len()).for_each(|k| {
                p.joint_mut(JointId::new(k)).spread(worlds);
            });
        }
        Owner::Actuator => (0..model.actuators().len()).for_each(|k| {
            p.actuator_mut(k).spread(worlds);
        }),
        Owner::Coordinate | Owner::Site => {}
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
