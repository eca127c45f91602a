//! A tree with every kind of joint against Pinocchio; `references/make.py` made the file.

use crate::support::close;
use bellcrank_math::{Pose, Quat, Sym3, Vec3};
use bellcrank_model::{Body, Joint, JointKind, Link, Model, ModelBuilder, WORLD};
use bellcrank_tree::TreeModel;
use serde_json::Value;

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().map(|x| x.as_f64().expect("a number")).collect()
}

fn pose(value: &Value) -> Pose {
    let n = numbers(value);
    Pose::new(Quat::from_wxyz([n[0], n[1], n[2], n[3]]), Vec3::new(n[4], n[5], n[6]))
}

fn kind(joint: &Value) -> JointKind {
    let name = joint["kind"].as_str().expect("a kind");
    match JointKind::ALL.into_iter().find(|kind| kind.name() == name).expect("known") {
        JointKind::Screw { .. } => JointKind::Screw { pitch: joint["pitch"].as_f64().expect("a pitch") },
        kind => kind,
    }
}

fn build(file: &Value) -> Model {
    let mut b = ModelBuilder::new("every_joint");
    let (bodies, joints) = (file["bodies"].as_array().unwrap(), file["joints"].as_array().unwrap());
    let mut ids = Vec::new();
    for (i, (body, joint)) in bodies.iter().zip(joints).enumerate() {
        let (com, J) = (numbers(&body["com"]), numbers(&body["inertia"]));
        let J = Sym3 { xx: J[0], xy: J[1], xz: J[2], yy: J[3], yz: J[4], zz: J[5] };
        let com = Vec3::new(com[0], com[1], com[2]);
        let id =
            b.body(Body::new(format!("body_{i}")).mass(body["mass"].as_f64().unwrap()).com(com).inertia(J));
        ids.push(id);
        let parent: Link = match joint["parent"].as_i64().unwrap() {
            -1 => WORLD,
            p => ids[p as usize].into(),
        };
        let new = Joint::new(format!("joint_{i}"), kind(joint), parent, id);
        b.joint(new.frames(pose(&joint["X_PF"]), pose(&joint["X_SM"])));
    }
    b.build().unwrap_or_else(|faults| panic!("{faults}"))
}

#[test]
fn every_kind_of_joint_agrees_with_pinocchio() {
    let file: Value = serde_json::from_str(include_str!("references/every_joint.json")).expect("JSON");
    let tree = TreeModel::<f64>::new(&build(&file));
    let batch = tree.batch();
    let nv = tree.dof_count();
    for state in file["states"].as_array().unwrap() {
        let get = |name: &str| numbers(&state[name]);
        let (q, v, a, tau) = (get("q"), get("v"), get("a"), get("tau"));
        let (mut out, mut M, mut N) = (vec![0.0; nv], vec![0.0; nv * nv], vec![0.0; nv * nv]);
        batch.rnea(&q, &v, &a, &mut out).unwrap();
        close("rnea", &out, &get("rnea"), 1e-13);
        batch.aba(&q, &v, &tau, &mut out).unwrap();
        close("aba", &out, &get("aba"), 1e-11);
        batch.crba(&q, &mut M).unwrap();
        close("crba", &M, &get("crba"), 1e-13);
        batch.rnea_derivatives(&q, &v, &a, &mut M, &mut N).unwrap();
        close("rnea by q", &M, &get("rnea_dq"), 1e-12);
        close("rnea by v", &N, &get("rnea_dv"), 1e-12);
        let (mut com, mut A_g) = (vec![0.0; 3], vec![0.0; 6 * nv]);
        batch.centroidal(&q, &mut com, &mut A_g).unwrap();
        close("com", &com, &get("com"), 1e-13);
        close("A_g", &A_g, &get("A_g"), 1e-13);
    }
}
