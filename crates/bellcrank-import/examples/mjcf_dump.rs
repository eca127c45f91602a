//! Prints a robot file as the engine understands it, as JSON: `cargo run --example mjcf_dump -- FILE [--merge]`.
//!
//! The comparison with MuJoCo (`tests/mjcf_compare_mujoco.py`) reads this. Welded bodies are kept, so that bodies can
//! be compared one by one; `--merge` merges them as a plain load does.

use bellcrank_import::{FixedJoints, Options, load};
use bellcrank_math::Pose;
use bellcrank_model::{Actuator, Body, Control, Dof, Joint, Keyframe, Link, Model, Target, Tendon};
use serde_json::{Value, json};

fn main() {
    let mut arguments = std::env::args().skip(1);
    let Some(path) = arguments.next() else {
        eprintln!("usage: mjcf_dump FILE [--merge] [--folder=MORE_FILES]");
        std::process::exit(2);
    };
    let mut options = Options::new().fixed_joints(FixedJoints::Keep);
    for word in arguments {
        match word.strip_prefix("--folder=") {
            Some(folder) => options = options.folder(folder),
            None if word == "--merge" => options = options.fixed_joints(FixedJoints::Merge),
            None => eprintln!("{word} is not known and left out"),
        }
    }
    match load(&path, &options) {
        Ok(model) => println!("{}", describe(&model)),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}

fn describe(model: &Model) -> Value {
    let joint_name = |id: bellcrank_model::JointId| model.joints()[id.index()].name.clone();
    let loops = model.loops().iter().map(|found| {
        let names: Vec<String> = found.joints.iter().map(|id| joint_name(*id)).collect();
        json!({ "closing": joint_name(found.closing), "joints": names })
    });
    let (gap_m, gap_rad) = model.reference_gap();
    let gravity = model.gravity().to_array();
    json!({
        "name": model.name(),
        "mass": model.mass(),
        "gravity": gravity,
        "time_step": model.time_step(),
        "mobility": model.mobility(),
        "redundant_rows": model.redundant_rows(),
        "reference_gap": [gap_m, gap_rad],
        "bodies": model.bodies().iter().map(body).collect::<Vec<_>>(),
        "joints": model.joints().iter().map(|j| joint(model, j)).collect::<Vec<_>>(),
        "couplings": model.couplings().len(),
        "tendons": model.tendons().iter().map(|t| tendon(model, t)).collect::<Vec<_>>(),
        "actuators": model.actuators().iter().map(|a| actuator(model, a)).collect::<Vec<_>>(),
        "shapes": model.shapes().len(),
        "colliding_shapes": model.shapes().iter().filter(|shape| shape.collides).count(),
        "sites": model.sites().iter().map(|s| json!({ "name": s.name, "pose": pose(s.X_LS) })).collect::<Vec<_>>(),
        "sensors": model.sensors().iter().map(|s| s.name.clone()).collect::<Vec<_>>(),
        "keyframes": model.keyframes().iter().map(|k| keyframe(model, k)).collect::<Vec<_>>(),
        "filters": model.filters().len(),
        "loops": loops.collect::<Vec<_>>(),
        "ignored": model.ignored().iter().map(|i| format!("{}: {}", i.place, i.why)).collect::<Vec<_>>(),
        "warnings": model.warnings().iter().map(ToString::to_string).collect::<Vec<_>>(),
    })
}

fn body(body: &Body) -> Value {
    let i = body.inertia.unwrap_or_default();
    json!({
        "name": body.name,
        "mass": body.mass,
        "gravity_compensation": body.gravity_compensation,
        "com": body.com.to_array(),
        "inertia": [i.xx, i.yy, i.zz, i.xy, i.xz, i.yz],
        "pose": pose(body.X_WL),
    })
}

/// Position, then quaternion w, x, y, z.
fn pose(X: Pose) -> Vec<f64> {
    X.p.to_array().into_iter().chain(X.R.to_wxyz()).collect()
}

fn joint(model: &Model, joint: &Joint) -> Value {
    json!({
        "name": joint.name,
        "kind": joint.kind.name(),
        "predecessor": link(model, &joint.predecessor),
        "successor": link(model, &joint.successor),
        "closes_loop": joint.closes_loop,
        "X_PF": pose(joint.X_PF),
        "X_SM": pose(joint.X_SM),
        "dofs": joint.dofs.iter().map(dof).collect::<Vec<_>>(),
    })
}

fn link(model: &Model, link: &Link) -> String {
    link.body().map_or("world".into(), |id| model.bodies()[id.index()].name.clone())
}

fn dof(dof: &Dof) -> Value {
    let bound = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    json!({
        "limits": dof.limits.map(bound),
        "armature": dof.armature,
        "damping": dof.damping,
        "friction": dof.friction,
        "stiffness": dof.spring.map_or(0.0, |s| s.stiffness),
        "rest": dof.spring.map_or(0.0, |s| s.rest),
        "effort_limit": bound(dof.effort_limit),
    })
}

fn actuator(model: &Model, actuator: &Actuator) -> Value {
    let bound = |x: f64| if x.is_finite() { json!(x) } else { Value::Null };
    let (gain, bias) = match actuator.control {
        Control::Position { kp, kd } => (kp, [0.0, -kp, -kd]),
        Control::Velocity { kd } => (kd, [0.0, 0.0, -kd]),
        Control::Effort => (1.0, [0.0; 3]),
        Control::Affine { gain, bias } => (gain, bias),
        Control::Varying { gain, bias } => (gain[0], bias),
        Control::Muscle(muscle) => (-muscle.force, [0.0; 3]),
        Control::Voltage(motor) => (motor.constant / motor.resistance, [0.0; 3]),
    };
    json!({
        "name": actuator.name,
        "joint": actuator.coordinate().map(|(joint, _)| model.joints()[joint.index()].name.clone()),
        "dof": actuator.coordinate().map(|(_, dof)| dof),
        "tendon": match &actuator.target {
            Target::Tendon(tendon) => Some(model.tendons()[tendon.id().index()].name.clone()),
            _ => None,
        },
        "site": match &actuator.target {
            Target::Site { site, wrench, .. } => {
                Some(json!({ "name": model.sites()[site.id().index()].name, "wrench": wrench }))
            }
            _ => None,
        },
        "effort_range": actuator.effort_bounds().map(bound),
        "gain": gain,
        "bias": bias,
        "gear": actuator.gear,
        "effort_limit": bound(actuator.effort_limit),
        "control_range": actuator.control_range.map(bound),
    })
}

fn tendon(model: &Model, tendon: &Tendon) -> Value {
    let terms = tendon.terms.iter().map(|term| {
        let joint = &model.joints()[term.joint.id().index()];
        json!([joint.name, term.dof, term.coefficient])
    });
    json!({ "name": tendon.name, "terms": terms.collect::<Vec<_>>(), "dof": dof(&tendon.dof) })
}

fn keyframe(model: &Model, key: &Keyframe) -> Value {
    let joints = key.joints.iter().map(|(joint, q)| json!([model.joints()[joint.id().index()].name, q]));
    json!({ "name": key.name, "joints": joints.collect::<Vec<_>>(), "controls": key.controls.len() })
}
