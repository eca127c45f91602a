//! USD text with UsdPhysics: bodies side by side, joints between them, loops like any other.
//!
//! USD describes the reference pose, as a [`Model`] does, and its joints have frames on both bodies as ours have, so that
//! everything stays where it is. Joints that UsdPhysics has no name for are joints of six motions with all others locked,
//! and say their kind in `customData`, which our own reader understands.

use super::Exported;
use super::usd_names::Names;
use super::usd_parts::{add_shape, materials};
use super::write::{number, vector};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Actuator, Body, ContactFilter, Control, Dof, Joint, JointKind, Model, Target};
use std::fmt::Write;

/// Angles beyond this are written as no limit.
const NO_LIMIT: f64 = 1e9;

/// Writes a model as USD text.
pub fn to_usd(model: &Model) -> Exported {
    let mut out = Exported::default();
    let names = Names::of(model);
    let gravity = model.gravity();
    let down = if gravity.norm() > 0.0 { gravity * (1.0 / gravity.norm()) } else { -Vec3::z_axis() };
    let mut text = format!(
        "#usda 1.0\n(\n    defaultPrim = \"{root}\"\n    kilogramsPerUnit = 1\n    metersPerUnit = 1\n    upAxis = \"Z\"\n)\n\n\
         def PhysicsScene \"physics\"\n{{\n    vector3f physics:gravityDirection = {}\n    float physics:gravityMagnitude = {}\n}}\n\n\
         def Xform \"{root}\"\n{{\n",
        tuple(down),
        number(gravity.norm()),
        root = names.root
    );
    materials(model, &mut text);
    for (b, body) in model.bodies().iter().enumerate() {
        add_body(model, &names, b, body, &mut text, &mut out);
    }
    text.push_str("    def Xform \"scenery\"\n    {\n");
    for (s, shape) in model.shapes().iter().enumerate().filter(|(_, shape)| shape.link.body().is_none()) {
        add_shape(model, (&names.root, &names.shapes[s]), shape, 2, &mut text, &mut out);
    }
    text.push_str("    }\n\n    def Scope \"joints\"\n    {\n");
    for (j, joint) in model.joints().iter().enumerate() {
        add_joint(model, &names, j, joint, &mut text, &mut out);
    }
    text.push_str("    }\n}\n");
    left_out(model, &names, &mut out);
    Exported { text, ..out }
}

/// `(x, y, z)`
pub(super) fn tuple(v: Vec3) -> String {
    format!("({})", vector(v).replace(' ', ", "))
}

/// Position and rotation as operations on a prim, the stretching after them.
pub(super) fn placed(X: Pose, scale: Option<Vec3>, indent: &str) -> String {
    let [w, x, y, z] = X.R.to_wxyz().map(number);
    let mut text = format!(
        "{indent}double3 xformOp:translate = {}\n{indent}quatd xformOp:orient = ({w}, {x}, {y}, {z})\n",
        tuple(X.p)
    );
    let mut order = "\"xformOp:translate\", \"xformOp:orient\"".to_owned();
    if let Some(scale) = scale {
        let _ = writeln!(text, "{indent}double3 xformOp:scale = {}", tuple(scale));
        order += ", \"xformOp:scale\"";
    }
    let _ = writeln!(text, "{indent}uniform token[] xformOpOrder = [{order}]");
    text
}

fn add_body(model: &Model, names: &Names, b: usize, body: &Body, text: &mut String, out: &mut Exported) {
    let filtered = model.filters().iter().filter_map(|filter| match filter {
        ContactFilter::Exclude { a, b: other, .. } if a.id().index() == b => {
            Some(names.body_path(other.id().index()))
        }
        _ => None,
    });
    let filtered: Vec<String> = filtered.map(|path| format!("<{path}>")).collect();
    let more = if filtered.is_empty() { "" } else { ", \"PhysicsFilteredPairsAPI\"" };
    let (moments, axes) = body.inertia.unwrap_or_default().eigen();
    let turn = bellcrank_math::Quat::from_mat3(axes).to_wxyz().map(number).join(", ");
    let _ = write!(
        text,
        "    def Xform \"{}\" (\n        prepend apiSchemas = [\"PhysicsRigidBodyAPI\", \"PhysicsMassAPI\"{more}]\n    )\n    {{\n{}",
        names.bodies[b],
        placed(body.X_WL, None, "        ")
    );
    let _ = writeln!(text, "        float physics:mass = {}", number(body.mass));
    let _ = writeln!(text, "        point3f physics:centerOfMass = {}", tuple(body.com));
    let _ = writeln!(text, "        float3 physics:diagonalInertia = {}", tuple(Vec3::from_array(moments)));
    let _ = writeln!(text, "        quatf physics:principalAxes = ({turn})");
    if !filtered.is_empty() {
        let _ = writeln!(text, "        rel physics:filteredPairs = [{}]", filtered.join(", "));
    }
    for (s, shape) in model.shapes().iter().enumerate() {
        if shape.link.body().is_some_and(|body| body.index() == b) {
            add_shape(model, (&names.root, &names.shapes[s]), shape, 2, text, out);
        }
    }
    text.push_str("    }\n\n");
    if body.gravity_compensation != 0.0 {
        out.left_out.push(format!("body {:?}: its gravity compensation", body.name));
    }
}

/// The prim's type, our word for the kind, and what its degrees of freedom are called.
fn kind_of(kind: JointKind) -> Option<(&'static str, Option<&'static str>, Vec<&'static str>)> {
    Some(match kind {
        JointKind::Fixed => ("PhysicsFixedJoint", None, vec![]),
        JointKind::Revolute => ("PhysicsRevoluteJoint", None, vec!["angular"]),
        JointKind::Prismatic => ("PhysicsPrismaticJoint", None, vec!["linear"]),
        JointKind::Spherical => ("PhysicsSphericalJoint", None, vec!["rotX", "rotY", "rotZ"]),
        JointKind::Cylindrical => ("PhysicsJoint", Some("cylindrical"), vec!["transX", "rotX"]),
        JointKind::Universal => ("PhysicsJoint", Some("universal"), vec!["rotX", "rotY"]),
        JointKind::Gimbal => ("PhysicsJoint", Some("gimbal"), vec!["rotX", "rotY", "rotZ"]),
        JointKind::Planar => ("PhysicsJoint", Some("planar"), vec!["transY", "transZ", "rotX"]),
        JointKind::Cartesian => ("PhysicsJoint", Some("cartesian"), vec!["transX", "transY", "transZ"]),
        JointKind::Free => ("PhysicsJoint", Some("free"), AXES.to_vec()),
        _ => return None,
    })
}

const AXES: [&str; 6] = ["transX", "transY", "transZ", "rotX", "rotY", "rotZ"];

fn add_joint(model: &Model, names: &Names, j: usize, joint: &Joint, text: &mut String, out: &mut Exported) {
    let Some((prim, word, dofs)) = kind_of(joint.kind) else {
        return out.left_out.push(format!("joint {:?}: a {} joint", joint.name, joint.kind.name()));
    };
    let mut apis: Vec<String> = Vec::new();
    let mut said = String::new();
    for (body, X, number_of) in
        [(joint.predecessor.body(), joint.X_PF, 0), (joint.successor.body(), joint.X_SM, 1)]
    {
        if let Some(body) = body {
            let _ =
                writeln!(said, "        rel physics:body{number_of} = <{}>", names.body_path(body.index()));
        }
        let [w, x, y, z] = X.R.to_wxyz().map(number);
        let _ = writeln!(said, "        point3f physics:localPos{number_of} = {}", tuple(X.p));
        let _ = writeln!(said, "        quatf physics:localRot{number_of} = ({w}, {x}, {y}, {z})");
    }
    if matches!(joint.kind, JointKind::Revolute | JointKind::Prismatic) {
        said.push_str("        uniform token physics:axis = \"X\"\n");
    }
    if joint.closes_loop {
        said.push_str("        bool physics:excludeFromArticulation = 1\n");
    }
    if word.is_some() {
        for axis in AXES.into_iter().filter(|axis| !dofs.contains(axis)) {
            apis.push(format!("PhysicsLimitAPI:{axis}"));
            let _ = writeln!(
                said,
                "        float limit:{axis}:physics:low = 1\n        float limit:{axis}:physics:high = -1"
            );
        }
    }
    for (k, (dof, name)) in joint.dofs.iter().zip(&dofs).enumerate() {
        add_limits(dof, name, word.is_some(), &mut apis, &mut said);
        for actuator in model.actuators().iter().filter(|actuator| actuator.drives(j, k)) {
            add_drive(joint, actuator, name, &mut apis, &mut said, out);
        }
    }
    if let Some(first) = joint.dofs.first() {
        add_resistance(joint, first, dofs.first().copied().unwrap_or(""), &mut said, out);
    }
    let mut metadata = String::new();
    if !apis.is_empty() {
        let quoted: Vec<String> = apis.iter().map(|api| format!("\"{api}\"")).collect();
        let _ = writeln!(metadata, "        prepend apiSchemas = [{}]", quoted.join(", "));
    }
    if let Some(word) = word {
        let _ =
            writeln!(metadata, "        customData = {{\n            string dofs = \"{word}\"\n        }}");
    }
    let metadata = if metadata.is_empty() { String::new() } else { format!(" (\n{metadata}    )") };
    let _ = write!(text, "    def {prim} \"{}\"{metadata}\n    {{\n{said}    }}\n\n", names.joints[j]);
}

fn is_angle(name: &str) -> bool {
    name == "angular" || name.starts_with("rot")
}

/// Degrees for angles, metres for the rest.
fn in_units(name: &str, x: f64) -> f64 {
    if is_angle(name) { x.to_degrees() } else { x }
}

fn add_limits(dof: &Dof, name: &str, six: bool, apis: &mut Vec<String>, said: &mut String) {
    let bounds = dof.limits.map(|x| in_units(name, x));
    if !bounds.iter().any(|x| x.abs() < NO_LIMIT) || name.starts_with("rot") && !six {
        return;
    }
    let keys = match six {
        true => {
            apis.push(format!("PhysicsLimitAPI:{name}"));
            [format!("limit:{name}:physics:low"), format!("limit:{name}:physics:high")]
        }
        false => ["physics:lowerLimit".to_owned(), "physics:upperLimit".to_owned()],
    };
    for (key, bound) in keys.iter().zip(bounds).filter(|(_, bound)| bound.abs() < NO_LIMIT) {
        let _ = writeln!(said, "        float {key} = {}", number(bound));
    }
}

/// UsdPhysics has no words for these: those of MuJoCo's and PhysX's schemas, for the whole joint.
fn add_resistance(joint: &Joint, dof: &Dof, name: &str, said: &mut String, out: &mut Exported) {
    let resists =
        [("mjc:armature", dof.armature), ("mjc:damping", dof.damping), ("mjc:frictionloss", dof.friction)];
    for (key, x) in resists.into_iter().filter(|(_, x)| *x != 0.0) {
        let _ = writeln!(said, "        custom float {key} = {}", number(x));
    }
    if dof.velocity_limit.is_finite() {
        let _ = writeln!(
            said,
            "        custom float physxJoint:maxJointVelocity = {}",
            number(in_units(name, dof.velocity_limit))
        );
    }
    let differ = joint.dofs.iter().any(|other| Dof { limits: dof.limits, ..*other } != *dof);
    let lost = [
        (differ, "its degrees of freedom differ; the first counts"),
        (dof.spring.is_some(), "its spring"),
        (dof.effort_limit.is_finite() || dof.effort_range.iter().any(|x| x.is_finite()), "its effort limit"),
        (dof.turns != 0, "its whole turns"),
    ];
    out.left_out.extend(
        lost.into_iter().filter(|(is, _)| *is).map(|(_, what)| format!("joint {:?}: {what}", joint.name)),
    );
}

fn add_drive(
    joint: &Joint,
    actuator: &Actuator,
    name: &str,
    apis: &mut Vec<String>,
    said: &mut String,
    out: &mut Exported,
) {
    let (kp, kd) = match actuator.control {
        Control::Position { kp, kd } => (kp, kd),
        Control::Velocity { kd } => (0.0, kd),
        Control::Effort => (0.0, 0.0),
        Control::Affine { .. } | Control::Varying { .. } | Control::Muscle(_) | Control::Voltage(_) => {
            return out.left_out.push(format!("actuator {:?}: its law", actuator.name));
        }
    };
    let api = format!("PhysicsDriveAPI:{name}");
    if apis.contains(&api) {
        return out
            .left_out
            .push(format!("actuator {:?}: another one drives the same motion", actuator.name));
    }
    apis.push(api);
    // per degree in the file
    let per = if is_angle(name) { 1f64.to_radians() } else { 1.0 };
    for (key, gain) in [("stiffness", kp), ("damping", kd)] {
        let _ = writeln!(said, "        float drive:{name}:physics:{key} = {}", number(gain * per));
    }
    let most = actuator.torque_speed.map_or(f64::INFINITY, |line| line.saturation).min(actuator.effort_limit);
    if most.is_finite() {
        let _ = writeln!(said, "        float drive:{name}:physics:maxForce = {}", number(most));
    }
    if let Some(line) = actuator.torque_speed {
        apis.push(format!("PhysxDrivePerformanceEnvelopeAPI:{name}"));
        // speeds per degree in the file
        let keys = [("maxActuatorVelocity", line.no_load), ("speedEffortGradient", 1.0 / line.slope())];
        for (key, x) in keys {
            let key = format!("physxDrivePerformanceEnvelope:{name}:{key}");
            let _ = writeln!(said, "        float {key} = {}", number(x / per));
        }
    }
    let own = if joint.dofs.len() == 1 { joint.name.clone() } else { format!("{}_{name}", joint.name) };
    let lost = [
        (actuator.name != own, "its name"),
        (actuator.gear != 1.0, "its gear"),
        (actuator.control_range.iter().any(|x| x.is_finite()), "its control range"),
        (actuator.effort_range.iter().any(|x| x.is_finite()), "its effort range"),
    ];
    out.left_out.extend(
        lost.into_iter()
            .filter(|(is, _)| *is)
            .map(|(_, what)| format!("actuator {:?}: {what}", actuator.name)),
    );
}

/// What USD has no words for.
fn left_out(model: &Model, names: &Names, out: &mut Exported) {
    let mut all = |noun: &str, names: Vec<&String>| {
        out.left_out.extend(names.into_iter().map(|name| format!("{noun} {name:?}")));
    };
    all("site", model.sites().iter().map(|x| &x.name).collect());
    all("sensor", model.sensors().iter().map(|x| &x.name).collect());
    all("keyframe", model.keyframes().iter().map(|x| &x.name).collect());
    all("tendon", model.tendons().iter().map(|x| &x.name).collect());
    all("coupling", model.couplings().iter().map(|x| &x.name).collect());
    let elsewhere = model.actuators().iter().filter(|a| !matches!(a.target, Target::Joint { .. }));
    all("actuator", elsewhere.map(|x| &x.name).collect());
    let pairs = model.filters().iter().filter(|filter| matches!(filter, ContactFilter::Pair { .. })).count();
    if pairs > 0 {
        out.left_out.push(format!("{pairs} pairs that touch whatever their groups say"));
    }
    out.left_out.extend(
        names.changed.iter().map(|(from, to)| format!("the name {from:?}: it is {to:?} in the file")),
    );
}
