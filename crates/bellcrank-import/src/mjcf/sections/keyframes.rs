//! `<keyframe>`: named states in MuJoCo's order of coordinates.

use super::actuators::Added;
use super::drive::Drive;
use crate::ImportFaultKind;
use crate::mjcf::assemble::assembly::Assembly;
use crate::mjcf::assemble::names::Taken;
use crate::mjcf::bodies::joints::JointType;
use crate::mjcf::bodies::spec::Section;
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::{ActuatorId, BodyId, JointId, Keyframe};
use std::collections::BTreeMap;

/// Adds the section.
pub(in crate::mjcf) fn add(assembly: &mut Assembly<'_>, actuators: &[Option<Added>]) {
    let spec = assembly.spec;
    let mut taken = Taken::default();
    for (i, section) in spec.sections.iter().filter(|s| s.kind == "keyframe").enumerate() {
        let element = &section.element;
        if let Some(keys) = &section.scope.keys {
            if keys.again {
                element.see_all(); // the first copy has it
                continue;
            }
            if keys.census.has_models {
                element.ignore("keyframes of a model that has models attached itself are not read");
                continue;
            }
        }
        let name =
            element.attribute("name").map_or(format!("key_{i}"), |n| section.scope.name_in_tree(n, ""));
        let mut key = Keyframe::new(taken.free(name)).place(element.place());
        let positions = positions(assembly, section);
        for (joint, velocities) in velocities(assembly, section, &positions) {
            key = key.velocity(joint, velocities);
        }
        for (joint, coordinates) in positions {
            key = key.joint(joint, coordinates);
        }
        for (id, value) in controls(assembly, section, actuators) {
            key = key.control(id, value);
        }
        for (id, value) in activations(assembly, section, actuators) {
            key = key.activation(id, value);
        }
        for (body, X_WL) in mocap_poses(assembly, section) {
            key = key.body(body, X_WL);
        }
        assembly.builder.keyframe(key);
    }
}

/// Poses of bodies that are placed from outside, as many as the file has numbers for.
fn mocap_poses(assembly: &Assembly<'_>, section: &Section) -> Vec<(BodyId, Pose)> {
    let element = &section.element;
    let places = element.numbers("mpos").unwrap_or_default();
    let turns = element.numbers("mquat").unwrap_or_default();
    let bodies = assembly.spec.bodies.iter().enumerate().filter(|(_, body)| body.mocap);
    let mut poses = Vec::new();
    for (k, (b, body)) in bodies.enumerate() {
        let p = places.get(3 * k..3 * k + 3);
        let q = turns.get(4 * k..4 * k + 4).filter(|q| q.iter().any(|x| *x != 0.0));
        let Some(id) = assembly.carriers[b].0.body().filter(|_| p.is_some() || q.is_some()) else { continue };
        let p = p.map_or(body.X_WL.p, |p| Vec3::new(p[0], p[1], p[2]));
        let R = q.map_or(body.X_WL.R, |q| Quat::from_wxyz([q[0], q[1], q[2], q[3]]).normalized());
        poses.push((id, Pose::new(R, p)));
    }
    let count = assembly.spec.bodies.iter().filter(|body| body.mocap).count();
    for (name, found, width) in [("mpos", places.len(), 3), ("mquat", turns.len(), 4)] {
        if found > 0 && found != width * count {
            let why = format!(
                "{name}: {found} numbers for {count} mocap bodies of {width} each; those that fit are taken"
            );
            assembly.context.notes.ignore(element, why);
        }
    }
    poses
}

/// MuJoCo's coordinates at the reference pose, in its order.
fn reference(assembly: &Assembly<'_>) -> Vec<f64> {
    let mut qpos = Vec::new();
    for body in &assembly.spec.bodies {
        for joint in &body.joints {
            match joint.kind {
                JointType::Free => {
                    qpos.extend(body.X_WL.p.to_array());
                    qpos.extend(body.X_WL.R.to_wxyz());
                }
                JointType::Ball => qpos.extend([1.0, 0.0, 0.0, 0.0]),
                JointType::Slide | JointType::Hinge => qpos.push(joint.reference),
            }
        }
    }
    qpos
}

/// The numbers of an attribute. Where it has fewer than there are, the others are those of `resting`, as in MuJoCo; that is
/// told, since it is often a slip.
fn completed(
    assembly: &Assembly<'_>,
    section: &Section,
    name: &str,
    mut resting: Vec<f64>,
) -> Option<Vec<f64>> {
    let element = &section.element;
    let said = element.numbers(name)?;
    let places = places(assembly, section, name, resting.len());
    let (found, expected) = (said.len(), places.len());
    if found > expected {
        let attribute = name.to_owned();
        element.fault(ImportFaultKind::WrongCount { attribute, found, expected: expected.to_string() });
        return None;
    }
    if found < expected {
        let why =
            format!("{name} has {found} of {expected} numbers; the others are those of the reference pose");
        assembly.context.notes.ignore(element, why);
    }
    for (value, place) in said.into_iter().zip(places) {
        if let Some(place) = place {
            resting[place] = value;
        }
    }
    Some(resting)
}

/// Where each number of an attribute belongs in the whole model; `None` for what is not part of it.
fn places(assembly: &Assembly<'_>, section: &Section, name: &str, whole: usize) -> Vec<Option<usize>> {
    let Some(keys) = &section.scope.keys else { return (0..whole).map(Some).collect() };
    let size = match name {
        "qpos" => JointType::coordinates,
        "qvel" => JointType::freedoms,
        _ => return places_of_actuators(assembly, section),
    };
    let joints = assembly.spec.bodies.iter().flat_map(|body| &body.joints).take(keys.first_joint);
    let mut next: usize = joints.map(|joint| size(joint.kind)).sum();
    let mut places = Vec::new();
    for (j, kind) in keys.census.joints.iter().enumerate() {
        let here = keys.census.attached.contains(&j);
        for _ in 0..size(*kind) {
            places.push(here.then_some(next));
            next += usize::from(here);
        }
    }
    places
}

/// The same for the controls of an attached model's actuators.
fn places_of_actuators(assembly: &Assembly<'_>, section: &Section) -> Vec<Option<usize>> {
    let scope = &section.scope;
    let all = assembly.spec.sections.iter().filter(|s| s.kind == "actuator").enumerate();
    let same = |other: &Section| other.scope.prefix == scope.prefix && other.scope.suffix == scope.suffix;
    let mut here = all.filter(|(_, other)| same(other)).peekable();
    let sections =
        scope.source.root.iter().flat_map(|root| root.children.iter().filter(|e| e.tag == "actuator"));
    let elements = sections.flat_map(|actuators| &actuators.children);
    // those that are here stand in the same order as in their file
    let place = |element: &crate::xml::Element| {
        here.next_if(|(_, other)| other.element.place() == element.place()).map(|(number, _)| number)
    };
    elements.map(place).collect()
}

/// Our joints' coordinates from `qpos`.
fn positions(assembly: &Assembly<'_>, section: &Section) -> BTreeMap<JointId, Vec<f64>> {
    let joints = assembly.spec.bodies.iter().flat_map(|body| &body.joints);
    let Some(qpos) = completed(assembly, section, "qpos", reference(assembly)) else {
        return BTreeMap::new();
    };
    let mut positions: BTreeMap<JointId, Vec<f64>> = BTreeMap::new();
    let mut rest = &qpos[..];
    for joint in joints {
        let (own, others) = rest.split_at(joint.kind.coordinates());
        rest = others;
        let Some(coordinate) = assembly.coordinates.get(&joint.name) else { continue };
        let values = positions.entry(coordinate.joint).or_default();
        match joint.kind {
            JointType::Free | JointType::Ball => *values = unit_end(own),
            JointType::Slide | JointType::Hinge => {
                if values.len() <= coordinate.dof {
                    values.resize(coordinate.dof + 1, 0.0);
                }
                values[coordinate.dof] = coordinate.sign * own[0];
            }
        }
    }
    positions
}

/// Our joints' velocities from `qvel`. The file tells the turning of a ball or a free body in the body's own axes, ours
/// is told in F's: ω_F = R_FM ω_M.
fn velocities(
    assembly: &Assembly<'_>,
    section: &Section,
    positions: &BTreeMap<JointId, Vec<f64>>,
) -> BTreeMap<JointId, Vec<f64>> {
    let joints = assembly.spec.bodies.iter().flat_map(|body| &body.joints);
    let count = joints.clone().map(|joint| joint.kind.freedoms()).sum();
    let Some(qvel) = completed(assembly, section, "qvel", vec![0.0; count]) else { return BTreeMap::new() };
    let mut velocities: BTreeMap<JointId, Vec<f64>> = BTreeMap::new();
    let mut rest = &qvel[..];
    for joint in joints {
        let (own, others) = rest.split_at(joint.kind.freedoms());
        rest = others;
        let Some(coordinate) = assembly.coordinates.get(&joint.name) else { continue };
        let values = velocities.entry(coordinate.joint).or_default();
        match joint.kind {
            JointType::Free | JointType::Ball => {
                let (b, _) = coordinate.at;
                let start = match joint.kind {
                    JointType::Free => assembly.spec.bodies[b].X_WL.R,
                    _ => Quat::identity(),
                };
                let R_FM = positions.get(&coordinate.joint).and_then(|q| last_quaternion(q)).unwrap_or(start);
                *values = turned_end(own, R_FM);
            }
            JointType::Slide | JointType::Hinge => {
                if values.len() <= coordinate.dof {
                    values.resize(coordinate.dof + 1, 0.0);
                }
                values[coordinate.dof] = coordinate.sign * own[0];
            }
        }
    }
    velocities.retain(|_, values| values.iter().any(|v| *v != 0.0));
    velocities
}

fn last_quaternion(q: &[f64]) -> Option<Quat> {
    q.last_chunk::<4>().map(|wxyz| Quat::from_wxyz(*wxyz))
}

/// The last three numbers are a vector in the body's axes; it is told in F's.
fn turned_end(own: &[f64], R_FM: Quat) -> Vec<f64> {
    let mut values = own.to_vec();
    if let Some(end) = values.last_chunk_mut::<3>() {
        *end = R_FM.rotate(Vec3::from_array(*end)).to_array();
    }
    values
}

/// The last four numbers are a quaternion; its length is made one. One of zeros turns nothing.
fn unit_end(own: &[f64]) -> Vec<f64> {
    let mut values = own.to_vec();
    let start = values.len() - 4;
    let length = values[start..].iter().map(|x| x * x).sum::<f64>().sqrt();
    if length > 0.0 {
        values[start..].iter_mut().for_each(|x| *x /= length);
    } else {
        values[start..].copy_from_slice(&[1.0, 0.0, 0.0, 0.0]);
    }
    values
}

/// States of actuators from `act`, which counts those that have one.
fn activations(
    assembly: &Assembly<'_>,
    section: &Section,
    actuators: &[Option<Added>],
) -> Vec<(ActuatorId, f64)> {
    let element = &section.element;
    let said = element.numbers("act").unwrap_or_default();
    if said.iter().all(|x| *x == 0.0) {
        return Vec::new(); // as they start
    }
    let all = assembly.spec.sections.iter().filter(|s| s.kind == "actuator").zip(actuators);
    let with_state: Vec<_> = all.filter(|(actuator, _)| Drive::read(actuator).has_state()).collect();
    if section.scope.keys.is_some() || with_state.len() != said.len() {
        let why = format!(
            "act: {} numbers are not the states of {} actuators that have one; they start at zero",
            said.len(),
            with_state.len()
        );
        assembly.context.notes.ignore(element, why);
        return Vec::new();
    }
    let known = with_state.into_iter().zip(said);
    known.filter_map(|((_, added), value)| added.map(|added| (added.id, value))).collect()
}

fn controls(
    assembly: &Assembly<'_>,
    section: &Section,
    actuators: &[Option<Added>],
) -> Vec<(ActuatorId, f64)> {
    let values = completed(assembly, section, "ctrl", vec![0.0; actuators.len()]).unwrap_or_default();
    actuators.iter().zip(values).filter_map(|(added, value)| added.map(|added| (added.id, value))).collect()
}
