//! Tendons and actuators of MJCF.

use super::Exported;
use super::mjcf_joints::joint_name;
use super::softness;
use super::write::{Xml, number, numbers};
use bellcrank_model::{
    Activation, ActivationLaw, Actuator, ActuatorId, Control, CouplingTerm, DcMotor, JointId, JointKind,
    Model, Muscle, Ref, SiteId, Target, Tendon, Waypoint,
};

/// The joints of a sum; `None` where one of them closes a loop, which has no joint in MJCF.
pub(super) fn add_terms(model: &Model, terms: &[CouplingTerm], xml: &mut Xml) {
    for term in terms {
        let joint = joint_name(&model.joints()[term.joint.id().index()], term.dof);
        xml.leaf("joint", &[("joint", joint), ("coef", number(term.coefficient))]);
    }
}

/// Tendons, inside `<tendon>`. Those over joints that close loops are left out.
pub(super) fn add_tendons(model: &Model, closing: &[JointId], xml: &mut Xml, out: &mut Exported) {
    for tendon in model.tendons() {
        if !is_writable(tendon, closing) {
            out.left_out.push(format!("tendon {:?}: over a joint that closes a loop", tendon.name));
            continue;
        }
        let mut said = vec![("name", tendon.name.clone())];
        add_resistance(tendon, &mut said);
        said.extend(softness::of_dof(tendon.softness.as_ref()));
        xml.open(if tendon.path.is_empty() { "fixed" } else { "spatial" }, &said);
        add_terms(model, &tendon.terms, xml);
        tendon.path.iter().for_each(|point| add_waypoint(model, point, xml));
        xml.close();
    }
}

fn is_writable(tendon: &Tendon, closing: &[JointId]) -> bool {
    tendon.terms.iter().all(|term| !closing.contains(&term.joint.id()))
}

fn add_waypoint(model: &Model, point: &Waypoint, xml: &mut Xml) {
    let site = |site: &Ref<SiteId>| model.sites()[site.id().index()].name.clone();
    match point {
        Waypoint::Site(at) => xml.leaf("site", &[("site", site(at))]),
        Waypoint::Around { shape, side } => {
            let mut said = vec![("geom", model.shapes()[shape.id().index()].name.clone())];
            said.extend(side.as_ref().map(|side| ("sidesite", site(side))));
            xml.leaf("geom", &said);
        }
        Waypoint::Pulley { divisor } => xml.leaf("pulley", &[("divisor", number(*divisor))]),
    }
}

fn add_resistance(tendon: &Tendon, said: &mut Vec<(&str, String)>) {
    let dof = &tendon.dof;
    if dof.limits.iter().any(|x| x.is_finite()) {
        // a bound far away stands for none
        said.push(("range", numbers(&dof.limits.map(|x| x.clamp(-1e6, 1e6)))));
    }
    let resists = [("damping", dof.damping), ("armature", dof.armature), ("frictionloss", dof.friction)];
    said.extend(resists.into_iter().filter(|(_, x)| *x != 0.0).map(|(name, x)| (name, number(x))));
    if let Some(spring) = dof.spring {
        said.push(("stiffness", number(spring.stiffness)));
        // one negative number would mean "as at the reference pose"
        said.push(("springlength", numbers(&[spring.rest, spring.rest + tendon.slack])));
    }
    let [low, high] = effort_range(dof.effort_limit, dof.effort_range);
    if low.is_finite() && high.is_finite() {
        said.push(("actuatorfrcrange", numbers(&[low, high])));
    }
}

/// Both bounds of effort as one range.
pub(super) fn effort_range(limit: f64, [low, high]: [f64; 2]) -> [f64; 2] {
    [low.max(-limit), high.min(limit)]
}

/// The section `<actuator>`; gives those that were written.
pub(super) fn add_actuators(
    model: &Model,
    closing: &[JointId],
    xml: &mut Xml,
    out: &mut Exported,
) -> Vec<ActuatorId> {
    let mut written = Vec::new();
    xml.open("actuator", &[]);
    for (a, actuator) in model.actuators().iter().enumerate() {
        match target(model, actuator, closing) {
            Ok(said) => {
                written.push(ActuatorId::new(a));
                add_actuator(actuator, said, xml, out);
            }
            Err(why) => out.left_out.push(format!("actuator {:?}: {why}", actuator.name)),
        }
    }
    xml.close_or_drop();
    written
}

/// What an actuator moves, as attributes; or why MJCF cannot say it.
fn target(
    model: &Model,
    actuator: &Actuator,
    closing: &[JointId],
) -> Result<Vec<(&'static str, String)>, String> {
    let site = |index: usize| model.sites()[index].name.clone();
    match &actuator.target {
        Target::Joint { joint: id, dof } => {
            let joint = &model.joints()[id.id().index()];
            if matches!(joint.kind, JointKind::Spherical | JointKind::Free) {
                return Err(format!("it drives part of a {} joint", joint.kind.name()));
            }
            if closing.contains(&id.id()) {
                return Err("it drives a joint that closes a loop".into());
            }
            let mut said = vec![("joint", joint_name(joint, *dof))];
            said.extend((actuator.gear != 1.0).then(|| ("gear", number(actuator.gear))));
            Ok(said)
        }
        Target::Tendon(id) => {
            let tendon = &model.tendons()[id.id().index()];
            if !is_writable(tendon, closing) {
                return Err("its tendon is left out".into());
            }
            let mut said = vec![("tendon", tendon.name.clone())];
            said.extend((actuator.gear != 1.0).then(|| ("gear", number(actuator.gear))));
            Ok(said)
        }
        Target::Body(body) => {
            // a gear has no meaning there
            if actuator.gear != 1.0 {
                return Err("it makes a body sticky through a gear: give it a gain instead".into());
            }
            Ok(vec![("body", model.bodies()[body.id().index()].name.clone())])
        }
        Target::Site { site: at, reference, wrench } => {
            let mut said = vec![("site", site(at.id().index()))];
            said.extend(reference.as_ref().map(|r| ("refsite", site(r.id().index()))));
            said.push(("gear", numbers(&wrench.map(|x| x * actuator.gear))));
            Ok(said)
        }
    }
}

/// Whether a law has no name of its own in the list of gains.
fn is_special(control: &Control) -> bool {
    matches!(control, Control::Varying { .. } | Control::Muscle(_) | Control::Voltage(_))
}

/// A muscle, over an operating range from its tendon's length on to one optimal length more.
fn muscle_words(muscle: Muscle) -> Vec<(&'static str, String)> {
    let Muscle { force, optimal_length, tendon_length, shortest, longest, fastest, passive, eccentric } =
        muscle;
    // a scale is asked for, and not used beside a force
    let law = numbers(&[0.0, 1.0, force, 200.0, shortest, longest, fastest, passive, eccentric]);
    let range = numbers(&[tendon_length, tendon_length + optimal_length]);
    let types = [("gaintype", "muscle".into()), ("biastype", "muscle".into()), ("lengthrange", range)];
    types.into_iter().chain([("gainprm", law.clone()), ("biasprm", law)]).collect()
}

/// A state between control and effort: the law in its general form.
fn as_general(actuator: &Actuator, activation: Activation, said: &mut Vec<(&str, String)>) -> &'static str {
    if !is_special(&actuator.control) {
        said.retain(|(name, _)| !["kp", "kv", "gainprm", "biastype", "biasprm"].contains(name));
    }
    let (gain, bias) = match actuator.control {
        Control::Effort => (1.0, [0.0; 3]),
        Control::Position { kp, kd } => (kp, [0.0, -kp, -kd]),
        Control::Velocity { kd } => (kd, [0.0, 0.0, -kd]),
        Control::Affine { gain, bias } => (gain, bias),
        // these have been written as general actuators already
        Control::Varying { .. } | Control::Muscle(_) | Control::Voltage(_) => (0.0, [0.0; 3]),
    };
    if !is_special(&actuator.control) {
        let law = [("gainprm", number(gain)), ("biastype", "affine".into()), ("biasprm", numbers(&bias))];
        said.extend(law);
    }
    match activation.law {
        ActivationLaw::Filter { time } => {
            said.extend([("dyntype", "filterexact".into()), ("dynprm", number(time))]);
        }
        ActivationLaw::Integral => said.push(("dyntype", "integrator".into())),
        ActivationLaw::Muscle { times: [up, down], smooth } => {
            said.extend([("dyntype", "muscle".into()), ("dynprm", numbers(&[up, down, smooth]))]);
        }
        ActivationLaw::Current { time, rate } => {
            let rate = if rate.is_finite() { rate } else { 0.0 };
            said.extend([("dyntype", "dcmotor".into()), ("dynprm", numbers(&[time, rate]))]);
        }
    }
    if activation.range.iter().all(|x| x.is_finite()) {
        said.push(("actrange", numbers(&activation.range)));
    }
    if activation.early {
        said.push(("actearly", "true".into()));
    } else if matches!(activation.law, ActivationLaw::Current { .. }) {
        said.push(("actearly", "false".into()));
    }
    "general"
}

fn add_actuator(actuator: &Actuator, target: Vec<(&'static str, String)>, xml: &mut Xml, out: &mut Exported) {
    let mut said = vec![("name", actuator.name.clone())];
    said.extend(target);
    let tag = match actuator.control {
        Control::Effort => "motor",
        Control::Position { kp, kd } => {
            said.extend([("kp", number(kp)), ("kv", number(kd))]);
            "position"
        }
        Control::Velocity { kd } => {
            said.push(("kv", number(kd)));
            "velocity"
        }
        Control::Affine { gain, bias } => {
            said.extend([
                ("gainprm", number(gain)),
                ("biastype", "affine".into()),
                ("biasprm", numbers(&bias)),
            ]);
            "general"
        }
        Control::Varying { gain, bias } => {
            said.extend([("gaintype", "affine".into()), ("gainprm", numbers(&gain))]);
            said.extend([("biastype", "affine".into()), ("biasprm", numbers(&bias))]);
            "general"
        }
        Control::Muscle(muscle) => {
            said.extend(muscle_words(muscle));
            "general"
        }
        Control::Voltage(motor) => {
            let DcMotor { constant, resistance, cogging } = motor;
            said.extend([("gaintype", "dcmotor".into()), ("gainprm", numbers(&[resistance, constant]))]);
            said.extend([("biastype", "dcmotor".into()), ("biasprm", numbers(&cogging))]);
            "general"
        }
    };
    let tag = match actuator.activation {
        None => tag,
        Some(activation) => as_general(actuator, activation, &mut said),
    };
    if actuator.torque_speed.is_some() {
        out.left_out.push(format!("actuator {:?}: its torque–speed line", actuator.name));
    }
    let ranges = [("forcerange", actuator.effort_bounds()), ("ctrlrange", actuator.control_range)];
    for (name, range) in ranges {
        match range.map(f64::is_finite) {
            [true, true] => said.push((name, numbers(&range))),
            [false, false] => {}
            _ => out.left_out.push(format!("actuator {:?}: its one-sided {name}", actuator.name)),
        }
    }
    xml.leaf(tag, &said);
}
