//! `PhysicsDriveAPI`: motors.

use super::joints::UsdJoint;
use super::scene::{Node, Nodes};
use crate::log::Log;
use bellcrank_model::{Actuator, ActuatorId, ModelBuilder, TorqueSpeed};

/// One motor per drive. Without stiffness and damping it gives the effort that it is told. Gives the targets that the file
/// sets, which a motor of ours is told while it runs.
pub(super) fn add(
    nodes: &Nodes<'_>,
    node: &Node<'_>,
    made: &UsdJoint,
    log: &Log,
    builder: &mut ModelBuilder,
) -> Vec<(ActuatorId, f64)> {
    let mut targets = Vec::new();
    for (dof, name) in made.names.iter().enumerate() {
        if !node.prim.has_api(&format!("PhysicsDriveAPI:{name}")) {
            continue;
        }
        let number = |key: &str| node.prim.number(&format!("drive:{name}:physics:{key}"));
        let is_angle = *name == "angular" || name.starts_with("rot");
        // per degree in the file, per radian here; forces are in kg·unit/s², moments in kg·unit²/s²
        let per = if is_angle { 1f64.to_degrees() } else { 1.0 };
        let (kilograms, metres) = (nodes.units.kilograms, nodes.units.metres);
        let (force, unit) =
            if is_angle { (kilograms * metres * metres, per) } else { (kilograms * metres, 1.0 / metres) };
        let kp = number("stiffness").unwrap_or(0.0) * force * unit;
        let kd = number("damping").unwrap_or(0.0) * force * unit;
        let motor_name = if made.names.len() == 1 {
            made.joint.name.clone()
        } else {
            format!("{}_{name}", made.joint.name)
        };
        let joint = made.joint.name.as_str();
        let motor = match (kp != 0.0, kd != 0.0) {
            (true, _) => Actuator::position(motor_name, joint, kp, kd),
            (false, true) => Actuator::velocity(motor_name, joint, kd),
            (false, false) => Actuator::effort(motor_name, joint),
        };
        let limit = number("maxForce").filter(|f| *f > 0.0 && *f < 1e30).map_or(f64::INFINITY, |f| f * force);
        let mut motor = motor.dof(dof).effort_limit(limit).place(node.place.clone());
        motor.torque_speed = envelope(node, name, [force, 1.0 / unit], limit, log);
        let id = builder.actuator(motor);
        let (place, speed) = (number("targetPosition"), number("targetVelocity"));
        let (target, other) = if kp != 0.0 { (place, speed) } else { (speed, place) };
        if let Some(target) = target.filter(|x| *x != 0.0 && x.is_finite()) {
            let scale = if is_angle { 1f64.to_radians() } else { metres };
            targets.push((id, target * scale));
        }
        if other.is_some_and(|x| x != 0.0) {
            log.ignore(
                node.place.clone(),
                "a drive has one target here: the position if it has stiffness, else the velocity",
            );
        }
        if node.prim.token(&format!("drive:{name}:physics:type")) == Some("acceleration") {
            log.ignore(node.place.clone(), "drives of type \"acceleration\" are taken as forces");
        }
    }
    targets
}

/// PhysX's envelope of a drive: |v| ≤ v_max − g |τ| is the line from the torque v_max/g at rest to the speed v_max.
/// `units` are those of effort and of speed.
fn envelope(
    node: &Node<'_>,
    name: &str,
    [effort, speed]: [f64; 2],
    limit: f64,
    log: &Log,
) -> Option<TorqueSpeed> {
    if !node.prim.has_api(&format!("PhysxDrivePerformanceEnvelopeAPI:{name}")) {
        return None;
    }
    let number = |key: &str| node.prim.number(&format!("physxDrivePerformanceEnvelope:{name}:{key}"));
    if number("velocityDependentResistance").is_some_and(|x| x != 0.0) {
        let why = "velocityDependentResistance is not simulated: the largest effort falls along one line";
        log.ignore(node.place.clone(), why);
    }
    let fastest = number("maxActuatorVelocity").filter(|v| *v > 0.0 && *v < 1e30)?;
    let Some(gradient) = number("speedEffortGradient").filter(|g| *g > 0.0) else {
        let why =
            "maxActuatorVelocity without speedEffortGradient is not simulated: limit the joint's velocity";
        log.ignore(node.place.clone(), why);
        return None;
    };
    let stall = fastest / gradient * effort;
    Some(TorqueSpeed::new(stall, fastest * speed).saturation(stall.min(limit)))
}
