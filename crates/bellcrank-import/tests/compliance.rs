//! MuJoCo's compliance: what a file says of softness is read where the caller asks for it, and what rows feel is what MuJoCo has for it.

use bellcrank_import::{Compliance, FixedJoints, Format, Options, loads, to_mjcf};
use bellcrank_model::{Model, Softness};
use serde_json::Value;
use std::process::Command;

const FILE: &str = "<mujoco><option cone='elliptic' impratio='3'/>
  <default><geom solref='.03 .9'/></default><worldbody>
    <geom name='floor' type='plane' size='1 1 1' solimp='.8 .97 .002 .4 3' solmix='2'/>
    <body name='a' pos='0 0 1'><freejoint name='f'/><geom name='ga' type='box' size='.1 .2 .3'/>
      <body name='b' pos='.1 0 .3'><joint name='h' axis='0 1 0' range='-20 50' solreflimit='.05 1' frictionloss='.1' solimpfriction='.7'/>
        <geom name='gb' type='capsule' size='.05' fromto='0 0 0 .4 0 0' solref='-900 -30'/>
        <body name='c' pos='.4 0 0'><geom name='gc' size='.07'/></body></body></body>
    <body name='d' pos='1 0 1'><joint name='s' type='slide' axis='1 2 0'/><geom name='gd' size='.1'/></body>
  </worldbody>
  <contact><pair geom1='gd' geom2='gb' solref='.01'/></contact>
  <equality><connect name='l' body1='c' body2='d' anchor='.1 0 0' solref='.004 1'/></equality>
  <tendon><fixed name='t' range='-1 1' solimplimit='.5 .6'><joint joint='h' coef='2'/><joint joint='s' coef='-1'/></fixed></tendon></mujoco>";

fn read(text: &str, compliance: Compliance) -> Model {
    let options = Options::new().compliance(compliance);
    loads(text, Format::Mjcf, &options).unwrap_or_else(|error| panic!("{error}"))
}

#[test]
fn softness_is_listed_unless_it_is_asked_for() {
    let hard = read(FILE, Compliance::Hard);
    let said = |model: &Model| model.ignored().iter().filter(|i| i.why.contains("solref")).count();
    assert_eq!((said(&hard), hard.compliance()), (1, None));
    let soft = read(FILE, Compliance::Mujoco);
    assert_eq!(said(&soft), 0, "{:?}", soft.ignored());
    let law = |name: &str| soft.shapes()[soft.shape_id(name).unwrap().index()].softness.unwrap().law;
    assert_eq!(law("floor"), Softness { reference: [0.03, 0.9], impedance: [0.8, 0.97, 0.002, 0.4, 3.0] });
    assert_eq!(law("gb").reference, [-900.0, -30.0]);
    let hinge = soft.joints()[soft.joint_id("h").unwrap().index()].softness[0];
    assert_eq!((hinge.limit.reference, hinge.friction.impedance[0]), ([0.05, 1.0], 0.7));
    assert_eq!(soft.joints()[soft.joint_id("l").unwrap().index()].held.unwrap().law.reference, [0.004, 1.0]);
    assert_eq!(soft.tendons()[0].softness.unwrap().limit.impedance[..2], [0.5, 0.6]);
}

/// Other formats say nothing of softness, which is told.
#[test]
fn other_formats_stay_exact_and_say_so() {
    let text = "<robot name='r'><link name='a'><inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/>\
                </inertial></link></robot>";
    let options = Options::new().compliance(Compliance::Mujoco);
    let model = loads(text, Format::Urdf, &options).unwrap_or_else(|error| panic!("{error}"));
    assert!(model.ignored().iter().any(|i| i.why.contains("only MJCF files say")), "{:?}", model.ignored());
    assert_eq!(model.compliance(), None);
}

/// What is written is read again as it was. Welded bodies are kept: one that is merged has another centre of mass, and so another
/// mobility.
#[test]
fn softness_survives_a_round_trip() {
    let options = Options::new().compliance(Compliance::Mujoco).fixed_joints(FixedJoints::Keep);
    let keep = |text: &str| loads(text, Format::Mjcf, &options).unwrap_or_else(|error| panic!("{error}"));
    let soft = keep(FILE);
    let back = keep(&to_mjcf(&soft).text);
    assert_eq!(back.compliance(), soft.compliance());
    let near = |a: f64, b: f64| assert!((a - b).abs() <= 1e-9 * b.abs().max(1.0), "{a} instead of {b}");
    for shape in soft.shapes() {
        let again = back.shapes()[back.shape_id(&shape.name).unwrap().index()].softness.unwrap();
        let before = shape.softness.unwrap();
        assert_eq!((again.law, again.mix), (before.law, before.mix));
        near(again.mobility, before.mobility);
    }
    for joint in soft.joints() {
        let again = &back.joints()[back.joint_id(&joint.name).unwrap().index()];
        assert_eq!(again.held.map(|held| held.law), joint.held.map(|held| held.law), "{}", joint.name);
        assert_eq!(again.softness.len(), joint.softness.len());
    }
}

const THEIRS: &str = "import json, sys, mujoco
model = mujoco.MjModel.from_xml_string(sys.argv[1])
names = lambda n, f: {f(i).name: i for i in range(n)}
print(json.dumps({'bodies': {n: list(model.body_invweight0[i]) for n, i in names(model.nbody, model.body).items()},
  'geoms': {n: int(model.geom_bodyid[i]) for n, i in names(model.ngeom, model.geom).items()},
  'by_id': [list(w) for w in model.body_invweight0], 'hinge': float(model.dof_invweight0[model.joint('h').dofadr[0]]),
  'tendon': float(model.tendon_invweight0[0]), 'pair': [list(model.pair_solref[0]), list(model.pair_solimp[0])]}))";

/// `body_invweight0`, `dof_invweight0` and `tendon_invweight0`: the mobilities from which MuJoCo counts its softness.
#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn mobilities_are_mujocos() {
    let python = std::env::var("BELLCRANK_PYTHON").expect("BELLCRANK_PYTHON was set when this was built");
    let output = Command::new(python).args(["-c", THEIRS, FILE]).output().expect("a Python that runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let theirs: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"));
    let soft = read(FILE, Compliance::Mujoco);
    let near = |a: f64, b: &Value| {
        let b = b.as_f64().expect("a number");
        assert!((a - b).abs() <= 1e-9 * b.max(1.0), "{a} instead of {b}");
    };
    for shape in soft.shapes() {
        let body = theirs["geoms"][&shape.name].as_u64().expect("a body") as usize;
        near(shape.softness.unwrap().mobility, &theirs["by_id"][body][0]);
    }
    near(soft.joints()[soft.joint_id("h").unwrap().index()].softness[0].mobility, &theirs["hinge"]);
    near(soft.tendons()[0].softness.unwrap().mobility, &theirs["tendon"]);
    let held = soft.joints()[soft.joint_id("l").unwrap().index()].held.unwrap();
    for part in [0, 1] {
        let sum: f64 = ["c", "d"].iter().map(|b| theirs["bodies"][b][part].as_f64().expect("a number")).sum();
        assert!((held.mobility[part] - sum).abs() <= 1e-9 * sum, "{} instead of {sum}", held.mobility[part]);
    }
    let bellcrank_model::ContactFilter::Pair { surface, .. } = &soft.filters()[0] else { panic!("a pair") };
    near(surface.softness.unwrap().reference[0], &theirs["pair"][0][0]);
    near(surface.softness.unwrap().reference[1], &theirs["pair"][0][1]);
    near(surface.softness.unwrap().impedance[0], &theirs["pair"][1][0]);
}
