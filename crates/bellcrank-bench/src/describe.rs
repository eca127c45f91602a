//! A scene for other programs: its MJCF and URDF, and everything about it as JSON.

use crate::adrift::{self, Companion};
use crate::case::{Motion, STRIDE};
use crate::robots::Robot;
use bellcrank::import::{to_mjcf, to_urdf};
use bellcrank::math::Pose;
use bellcrank::model::{Control, Geometry, Joint, JointId, JointKind, Link, Model, Shape};
use bellcrank_cli::Error;
use serde_json::{Value, json};
use std::path::Path;

/// Writes `NAME.json`, `NAME_adrift.xml` of its companion, and `NAME.xml` and `NAME.urdf` where the robot is not a file already.
pub fn write(folder: &Path, robot: &Robot, (model, companion): (&Model, &Companion)) -> Result<(), Error> {
    let mut description = describe(robot, model);
    let alone = to_mjcf(&companion.model);
    description["adrift"] = describe_companion(companion);
    description["adrift"]["left_out_of_mjcf"] = json!(alone.left_out);
    save(folder, &format!("{}_adrift.xml", robot.name), alone.text.as_bytes())?;
    if robot.file().is_none() {
        let (mjcf, urdf) = (to_mjcf(model), to_urdf(model));
        description["left_out_of_mjcf"] = json!(mjcf.left_out);
        save(folder, &format!("{}.xml", robot.name), mjcf.text.as_bytes())?;
        save(folder, &format!("{}.urdf", robot.name), urdf.text.as_bytes())?;
        for (name, bytes) in mjcf.files {
            save(folder, &name, &bytes)?;
        }
    }
    save(folder, &format!("{}.json", robot.name), description.to_string().as_bytes())
}

pub fn save(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), Error> {
    let path = folder.join(name);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, bytes))
        .map_err(|e| Error::Write(path, e))
}

fn describe(robot: &Robot, model: &Model) -> Value {
    let (motion, value) = match robot.motion {
        Motion::Hold => ("hold", 0.0),
        Motion::Speed(speed) => ("speed", speed),
        Motion::Random => ("random", 0.3),
        Motion::Full => ("full", 0.0),
    };
    let mut description = mechanism(model);
    let facts = json!({
        "name": robot.name,
        "model": model.name(),
        "file": robot.file(),
        "dt": robot.dt(model),
        "motion": motion,
        "value": value,
        "stride": STRIDE,
        "settle": robot.settle,
        "duration": robot.duration,
        "worlds": robot.worlds,
        "loops": model.loops().len(),
        "mobility": model.mobility(),
        "redundant_rows": model.redundant_rows(),
    });
    if let (Some(all), Value::Object(facts)) = (description.as_object_mut(), facts) {
        all.extend(facts);
    }
    description
}

/// What the companion of a scene consists of, and how it starts.
pub fn describe_companion(companion: &Companion) -> Value {
    let mut description = mechanism(&companion.model);
    description["duration"] = json!(adrift::DURATION);
    description["twists"] = companion.twists.iter().map(|V| json!(V.to_array())).collect();
    description
}

/// What it consists of.
fn mechanism(model: &Model) -> Value {
    let g = model.gravity();
    json!({
        "gravity": [g.x, g.y, g.z],
        "bodies": bodies(model),
        "joints": joints(model),
        "actuators": actuators(model),
        "shapes": model.shapes().iter().filter(|shape| shape.collides).map(shape).collect::<Vec<_>>(),
    })
}

fn bodies(model: &Model) -> Vec<Value> {
    let body = |body: &bellcrank::model::Body| {
        let i = body.inertia.unwrap_or_default();
        json!({
            "name": body.name,
            "mass": body.mass,
            "com": [body.com.x, body.com.y, body.com.z],
            "inertia": [i.xx, i.yy, i.zz, i.xy, i.xz, i.yz],
            "pose": pose(body.X_WL),
        })
    };
    model.bodies().iter().map(body).collect()
}

fn joints(model: &Model) -> Vec<Value> {
    let in_tree = |j: usize| model.graph().tree().iter().any(|node| node.joint == Some(JointId::new(j)));
    let joint = |(j, joint): (usize, &Joint)| {
        let dofs = joint.dofs.iter().map(|dof| {
            json!({
                "limits": dof.limits.map(finite),
                "armature": dof.armature,
                "damping": dof.damping,
                "friction": dof.friction,
                "spring": dof.spring.map(|s| [s.stiffness, s.rest]),
            })
        });
        json!({
            "name": joint.name,
            "kind": joint.kind.name(),
            "pitch": if let JointKind::Screw { pitch } = joint.kind { pitch } else { 0.0 },
            "predecessor": index(&joint.predecessor),
            "successor": index(&joint.successor),
            "X_PF": pose(joint.X_PF),
            "X_SM": pose(joint.X_SM),
            "closes_loop": !in_tree(j),
            "dofs": dofs.collect::<Vec<_>>(),
        })
    };
    model.joints().iter().enumerate().map(joint).collect()
}

fn actuators(model: &Model) -> Vec<Value> {
    let actuator = |actuator: &bellcrank::model::Actuator| {
        let (control, kp, kd) = match actuator.control {
            Control::Position { kp, kd } => ("position", kp, kd),
            Control::Velocity { kd } => ("velocity", 0.0, kd),
            Control::Effort => ("effort", 0.0, 0.0),
            Control::Affine { .. } => ("affine", 0.0, 0.0),
            Control::Varying { .. } => ("varying", 0.0, 0.0),
            Control::Muscle(_) => ("muscle", 0.0, 0.0),
            Control::Voltage(_) => ("voltage", 0.0, 0.0),
        };
        let [low, high] = actuator.effort_bounds();
        json!({
            "name": actuator.name,
            "joint": actuator.coordinate().map(|(joint, _)| joint.index()),
            "dof": actuator.coordinate().map(|(_, dof)| dof),
            "control": control,
            "kp": kp,
            "kd": kd,
            "gear": actuator.gear,
            "effort": [finite(low), finite(high)],
        })
    };
    model.actuators().iter().map(actuator).collect()
}

fn shape(shape: &Shape) -> Value {
    let (kind, size) = match &shape.geometry {
        Geometry::Plane => ("plane", vec![]),
        Geometry::Sphere { radius } => ("sphere", vec![*radius]),
        Geometry::Capsule { radius, half_length } => ("capsule", vec![*radius, *half_length]),
        Geometry::Box { half } => ("box", vec![half.x, half.y, half.z]),
        Geometry::Cylinder { radius, half_length } => ("cylinder", vec![*radius, *half_length]),
        Geometry::Ellipsoid { radii } => ("ellipsoid", vec![radii.x, radii.y, radii.z]),
        _ => ("other", vec![]),
    };
    json!({
        "name": shape.name,
        "body": index(&shape.link),
        "kind": kind,
        "size": size,
        "pose": pose(shape.X_LG),
        "friction": shape.material.sliding,
    })
}

/// Number of the body; −1 for the world.
fn index(link: &Link) -> i64 {
    link.body().map_or(-1, |body| body.index() as i64)
}

/// Position and quaternion (wxyz).
fn pose(X: Pose) -> [f64; 7] {
    let [w, x, y, z] = X.R.to_wxyz();
    [X.p.x, X.p.y, X.p.z, w, x, y, z]
}

/// JSON has no infinity: nothing instead.
fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}
