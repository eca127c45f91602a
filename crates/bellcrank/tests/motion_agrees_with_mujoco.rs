//! Motors with a state, rotors behind gears, air and water: the same motion as MuJoCo's, to the first order of the step.
//!
//! Both integrate to first order, each in its own way, so that the two differ by C Δt: with half the step the difference must be half, and
//! what is left by extrapolation, 2 e(Δt/2) − e(Δt), of second order. States of motors are exact in both, and agree as they are.
//! Needs a Python with the package `mujoco`, named in the environment variable `BELLCRANK_PYTHON` when the tests are built.

use bellcrank::import::{Compliance, Format, Options, loads};
use bellcrank::model::Control;
use bellcrank::sim::{Batch, BatchOptions};
use std::process::Command;
use std::sync::Arc;

const SECONDS: f64 = 0.5;
const STEPS: [f64; 2] = [1e-3, 5e-4];

/// Runs MuJoCo with the same controls; gives for both steps the joint coordinates and the states of motors.
const THEIRS: &str = "import json, math, sys, mujoco
out = []
for dt in (1e-3, 5e-4):
    model = mujoco.MjModel.from_xml_string(sys.argv[1])
    model.opt.timestep = dt
    data = mujoco.MjData(model)
    if model.nkey: mujoco.mj_resetDataKeyframe(model, data, 0)
    for k in range(round(0.5 / dt)):
        for i in range(model.nu): data.ctrl[i] = math.sin(7 * k * dt + i)
        mujoco.mj_step(model, data)
    out.append([list(data.qpos), list(data.act)])
print(json.dumps(out))";

fn theirs(xml: &str) -> Vec<[Vec<f64>; 2]> {
    let python = std::env::var("BELLCRANK_PYTHON").expect("BELLCRANK_PYTHON was set when this was built");
    let output = Command::new(python).args(["-c", THEIRS, xml]).output().expect("a Python that runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"))
}

fn ours(xml: &str, dt: f64) -> [Vec<f64>; 2] {
    let options = Options::default().compliance(Compliance::Mujoco);
    let model = loads(xml, Format::Mjcf, &options).unwrap_or_else(|error| panic!("{error}"));
    assert!(model.ignored().is_empty(), "{:?}", model.ignored());
    let (count, key) = (model.actuators().len(), model.keyframes().first().map(|key| key.name.clone()));
    let options = BatchOptions { dt: Some(dt), ..BatchOptions::default() };
    let mut batch = Batch::new(Arc::new(model), 1, options).expect("a batch");
    if let Some(key) = key {
        assert!(batch.reset_to_keyframe(0, &key).expect("a keyframe"));
    }
    for k in 0..(SECONDS / dt).round() as usize {
        for a in 0..count {
            let u = (7.0 * k as f64 * dt + a as f64).sin();
            match batch.model(0).expect("a world").actuators()[a].control {
                Control::Position { .. } => batch.set_target_position(0, a, u),
                Control::Velocity { .. } => batch.set_target_velocity(0, a, u),
                _ => batch.set_effort(0, a, u),
            }
            .expect("an actuator");
        }
        batch.step(1);
    }
    let states = (0..count).filter_map(|a| batch.activation(0, a).expect("an actuator")).collect();
    [batch.joint_position(0).expect("a world"), states]
}

/// The coordinates of both, with quaternions of one sign; the states of motors are the same in both.
fn compare(xml: &str) -> [Vec<f64>; 2] {
    let [whole, half] = compare_states(xml);
    for (coordinates, states) in [&whole, &half] {
        assert!(states.iter().all(|apart| apart.abs() < 1e-9), "states of motors: {states:?}");
        assert!(!coordinates.is_empty());
    }
    [whole.0, half.0]
}

/// How far coordinates and states of motors are apart, at both steps.
fn compare_states(xml: &str) -> [(Vec<f64>, Vec<f64>); 2] {
    let theirs = theirs(xml);
    let mut differences = Vec::new();
    for (dt, [q, states]) in STEPS.into_iter().zip(&theirs) {
        let [mine, own] = ours(xml, dt);
        assert_eq!((mine.len(), own.len()), (q.len(), states.len()));
        let apart =
            |ours: &[f64], theirs: &[f64]| ours.iter().zip(theirs).map(|(a, b)| a - b).collect::<Vec<f64>>();
        differences.push((apart(&mine, q), apart(&own, states)));
    }
    let halved = differences.pop().expect("two steps");
    [differences.pop().expect("two steps"), halved]
}

fn largest(list: &[f64]) -> f64 {
    list.iter().fold(0.0, |m: f64, x| m.max(x.abs()))
}

fn assert_first_order(xml: &str) {
    assert_halves(compare(xml));
}

fn assert_halves([whole, half]: [Vec<f64>; 2]) {
    let extrapolated: Vec<f64> = whole.iter().zip(&half).map(|(w, h)| 2.0 * h - w).collect();
    let (w, h, e) = (largest(&whole), largest(&half), largest(&extrapolated));
    println!("{w:.2e} at 1 ms, {h:.2e} at 0.5 ms, {e:.2e} extrapolated");
    assert!(w < 2e-2 && h < 0.6 * w + 1e-6, "{whole:?}\n{half:?}");
    assert!(e < 0.1 * h + 1e-6, "{whole:?}\n{half:?}");
}

#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn motors_with_a_state_move_as_in_mujoco() {
    assert_first_order(
        "<mujoco><option><flag contact='disable'/></option><worldbody>
           <body><joint name='a' axis='0 1 0'/><geom type='capsule' size='.05' fromto='0 0 0 .3 0 0'/>
             <body pos='.3 0 0'><joint name='b' axis='0 1 0' damping='.1'/><geom type='capsule' size='.04' fromto='0 0 0 .2 .1 0'/>
               <body pos='.2 .1 0'><joint name='c' type='slide' axis='1 0 0'/><geom size='.05'/></body></body></body></worldbody>
         <actuator><general name='f' joint='a' gainprm='3' dyntype='filterexact' dynprm='.05'/>
           <intvelocity name='i' joint='b' kp='20' kv='1' actrange='-.1 .2'/>
           <general name='e' joint='c' gainprm='4' dyntype='filterexact' dynprm='.02' actearly='true' ctrlrange='-.5 .5'/>
           <motor name='g' joint='b' gear='2' armature='.05' damping='.02'/>
           <general name='p' joint='c' gainprm='50' biastype='affine' biasprm='0 -50 -2' dyntype='filterexact' dynprm='.1'/></actuator>
         <keyframe><key name='k' qpos='.1 -.2 .03' act='.4 .05 -.2 .1'/></keyframe></mujoco>",
    );
}

#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn bodies_in_air_and_water_move_as_in_mujoco() {
    for medium in [
        "density='1.2' viscosity='1.8e-5' wind='8 -3 2'",
        "density='100' viscosity='.5'",
        "viscosity='2' wind='1 0 0'",
    ] {
        assert_first_order(&format!(
            "<mujoco><option {medium}/><worldbody>
               <body pos='0 0 2' euler='20 30 40'><freejoint name='root'/><geom type='box' size='.2 .1 .02' density='300'/>
                 <body pos='.2 0 0'><joint name='h' axis='0 1 0' range='-170 170'/><geom type='ellipsoid' size='.15 .05 .03' pos='.15 0 0' density='200'/>
                 </body></body></worldbody>
             <keyframe><key name='k' qpos='0 0 2 .9 .1 .3 .2 .3' qvel='2 -1 1 1 2 -1 3'/></keyframe></mujoco>"
        ));
    }
}

/// A cord around a ball and a drum and over a pulley, with a spring that goes slack, a damper and a winch; an arm that a second cord pulls.
#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn tendons_through_space_move_bodies_as_in_mujoco() {
    assert_first_order(
        "<mujoco><option><flag contact='disable'/></option><worldbody><site name='w' pos='-.1 0 .3'/><site name='v' pos='.4 .2 .3'/>
           <geom name='drum' type='cylinder' size='.05 .2' pos='.05 .1 .3' euler='90 0 0' contype='0' conaffinity='0'/>
           <body><joint name='a' axis='0 1 0' damping='.05'/><geom type='capsule' size='.05' fromto='0 0 0 .3 0 0'/>
             <geom name='ball' size='.07' pos='.15 0 0'/><site name='a1' pos='.05 .02 .09'/><site name='a2' pos='.28 -.01 .06'/>
             <body pos='.3 0 0'><joint name='b' type='ball'/><geom type='capsule' size='.04' fromto='0 0 0 .2 .1 0'/><site name='b1' pos='.15 .05 .05'/>
             </body></body>
           <body pos='.5 0 .5'><freejoint name='f'/><geom type='box' size='.05 .04 .03'/><site name='f1' pos='.04 .03 .02'/></body></worldbody>
         <tendon><spatial name='cord' stiffness='60' damping='1' springlength='.3 .5'><site site='w'/><geom geom='drum'/><site site='a1'/>
             <geom geom='ball'/><site site='a2'/><site site='b1'/></spatial>
           <spatial name='lift' stiffness='20'><site site='v'/><site site='f1'/><pulley divisor='2'/><site site='v'/><site site='b1'/></spatial></tendon>
         <actuator><motor name='m' tendon='cord' gear='4'/><position name='p' tendon='lift' kp='9' kv='.5'/></actuator>
         <keyframe><key name='k' qpos='.1 .9 .1 .3 .2 .5 .1 .6 1 0 0 0'/></keyframe></mujoco>",
    );
}

/// Limits and dry friction of joints and tendons, in MuJoCo's softness, with a lift that goes up and down between its stops. The rows of
/// both are taken at the start of a step, where a limit either acts or does not: the moment at which it begins differs by up to a step, so that
/// errors fall at least with the step, but not smoothly enough to be extrapolated.
#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn soft_limits_and_friction_act_as_in_mujoco() {
    let [whole, half] = compare(
        "<mujoco><option><flag contact='disable'/></option><worldbody><site name='w' pos='0 0 1'/>
           <body><joint name='a' axis='0 1 0' range='-20 30' solreflimit='.05 .7' solimplimit='.5 .9 .1 .4 3'/><geom type='capsule' size='.05' fromto='0 0 0 .3 0 0'/>
             <body pos='.3 0 0'><joint name='b' axis='0 1 0' frictionloss='.6' solreffriction='.03 1'/><geom type='capsule' size='.04' fromto='0 0 0 .2 .1 0'/></body></body>
           <body pos='0 1 .5'><joint name='s' type='slide' axis='0 0 1'/><geom size='.06'/><site name='s1'/></body></worldbody>
         <tendon><spatial name='t' range='.9 1.15' frictionloss='2' solreflimit='.04 1' solreffriction='.02 1'><site site='w'/><site site='s1'/></spatial>
           <fixed name='u' range='-.6 .4' solreflimit='.03 .8'><joint joint='a' coef='1'/><joint joint='b' coef='.5'/></fixed></tendon>
         <actuator><motor name='m' joint='a' gear='6'/><motor name='n' joint='b' gear='2'/><motor name='o' joint='s' gear='20'/></actuator></mujoco>",
    );
    assert!(largest(&whole) < 1e-4 && largest(&half) < 0.6 * largest(&whole), "{whole:?}\n{half:?}");
}

/// A muscle on a joint and one on a cord, a muscle as strong as its arm is heavy, and one that is activated at once;
/// dampers and springs that are told how strong they are.
#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn muscles_and_dampers_move_as_in_mujoco() {
    assert_first_order(
        "<mujoco><option><flag contact='disable'/></option><default><default class='m'><muscle ctrllimited='true' ctrlrange='0 1' vmax='2'/></default></default>
         <worldbody><site name='w' pos='-.1 0 .3'/>
           <body><joint name='a' axis='0 1 0' damping='.05'/><geom type='capsule' size='.05' fromto='0 0 0 .3 0 0'/><site name='a1' pos='.2 0 .04'/>
             <body pos='.3 0 0'><joint name='b' axis='0 1 0' damping='.05'/><geom type='capsule' size='.04' fromto='0 0 0 .2 .1 0'/>
               <body pos='.2 .1 0'><joint name='c' type='slide' axis='1 0 0' damping='.3'/><geom size='.05'/></body></body></body></worldbody>
         <tendon><spatial name='t'><site site='w'/><site site='a1'/></spatial></tendon>
         <actuator><muscle name='1' tendon='t' lengthrange='.2 .6' force='20' tausmooth='.3'/>
           <muscle name='2' class='m' joint='b' gear='.5' lengthrange='-1 1' range='.7 1.2' timeconst='.02 .05' scale='6'/>
           <general name='3' joint='b' gaintype='muscle' biastype='muscle' gainprm='.75 1.05 2 200 .5 1.6 1.5 1.3 1.2'
             biasprm='.75 1.05 2 200 .5 1.6 1.5 1.3 1.2' lengthrange='-1 1' gear='-1' ctrlrange='0 1'/>
           <damper name='4' joint='c' kv='3' ctrlrange='0 1'/>
           <general name='5' joint='c' gaintype='affine' gainprm='1 -8 -.5' biastype='affine' biasprm='.1 -20 -.2'/></actuator>
         <keyframe><key name='k' qpos='.1 -.2 .03' act='.4 .05'/></keyframe></mujoco>",
    );
}

/// Plain motors, with cogging and behind gears, with a winding whose current has a limit of its change, saturated
/// ones, and controllers. Currents follow the speed, which differs by the step, and the voltage by an implicit step
/// where MuJoCo's is exact: both fall with the step.
#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn electric_motors_move_as_in_mujoco() {
    let [whole, half] = compare_states(
        "<mujoco><option gravity='0 0 -3'><flag contact='disable'/></option><worldbody>
           <body><joint name='a' axis='0 1 0' damping='.05' armature='.02'/><geom type='capsule' size='.05' fromto='0 0 0 .3 0 0' mass='.3'/>
             <body pos='.3 0 0'><joint name='b' axis='0 1 0' armature='.02'/><geom type='capsule' size='.04' fromto='0 0 0 .2 .1 0' mass='.2'/>
               <body pos='.2 .1 0'><joint name='c' type='slide' axis='1 0 0'/><geom size='.05' mass='.2'/></body></body></body>
           <body pos='0 1 0'><joint name='d' axis='0 1 0' armature='.02'/><geom type='capsule' size='.05' fromto='0 0 0 .3 0 0' mass='.3'/></body>
           <body pos='0 2 0'><joint name='e' axis='0 1 0' armature='.02'/><geom type='capsule' size='.05' fromto='0 0 0 .3 0 0' mass='.3'/></body></worldbody>
         <actuator><dcmotor name='1' joint='a' motorconst='.2 .3' resistance='.5' gear='3' cogging='.05 3 .4' armature='1e-3'/>
           <dcmotor name='2' joint='b' motorconst='.3' resistance='.4' inductance='.004' gear='2'/>
           <dcmotor name='3' joint='c' nominal='2 4 5' inductance='0 .01' saturation='0 0 20'/>
           <dcmotor name='4' joint='d' motorconst='.4' resistance='.3' saturation='.5'/>
           <dcmotor name='5' joint='e' motorconst='.4' resistance='.3' input='pos' controller='2 0 .1'/></actuator>
         <keyframe><key name='k' qpos='.1 -.2 .03 0 0' act='.4 .05'/></keyframe></mujoco>",
    );
    assert_halves([whole.0.clone(), half.0.clone()]);
    let (w, h) = (largest(&whole.1), largest(&half.1));
    println!("currents: {w:.2e} A at 1 ms, {h:.2e} A at 0.5 ms");
    assert!(w < 0.5 && h < 0.6 * w, "{whole:?} {half:?}");
}

/// A wing of two ellipsoids, a fuselage and a box that stands for its own ellipsoid, jointed, in air thick enough to
/// feel it and in thin oil.
#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn ellipsoids_in_air_and_water_move_as_in_mujoco() {
    for medium in
        ["density='30' wind='.5 -.3 .2'", "density='5' viscosity='.3'", "viscosity='1' wind='1 0 0'"]
    {
        assert_first_order(&format!(
            "<mujoco><option {medium}/><default><geom fluidshape='ellipsoid' contype='0' conaffinity='0'/></default><worldbody>
               <body pos='0 0 2' euler='20 30 40'><freejoint name='root'/><geom type='capsule' size='.05 .2' density='800'/>
                 <body pos='.1 0 0'><joint name='h' axis='0 1 0' range='-170 170'/>
                   <geom type='ellipsoid' size='.25 .12 .02' pos='.2 0 0' euler='10 20 0' density='300' fluidcoef='.6 .3 1.2 .8 .7'/></body>
                 <body pos='-.1 0 0'><joint name='g' axis='0 0 1' range='-170 170'/><geom type='box' size='.2 .1 .03' pos='-.2 0 0' density='300'/>
                   <geom type='cylinder' size='.05 .1' pos='-.3 .1 0' density='300'/></body></body></worldbody>
             <keyframe><key name='k' qpos='0 0 2 .9 .1 .3 .2 .3 -.2' qvel='1 -.5 .5 .5 1 -.5 1 .7'/></keyframe></mujoco>"
        ));
    }
}

/// A mesh is met as the ellipsoid that reaches as far from its centre of mass as its points do.
#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn meshes_in_air_move_as_in_mujoco() {
    assert_first_order(
        "<mujoco><option density='30' viscosity='.1'/><asset><mesh name='m' vertex='0 0 0 .3 0 0 0 .2 0 0 0 .1 .1 .1 .2'/></asset><worldbody>
           <body pos='0 0 2'><freejoint name='root'/><geom type='mesh' mesh='m' density='700' fluidshape='ellipsoid'/></body></worldbody>
         <keyframe><key name='k' qpos='0 0 2 .9 .1 .3 .2' qvel='1 -.5 .5 .5 1 -.5'/></keyframe></mujoco>",
    );
}

/// Two balls on one body rest on the ground and are pulled to it by 15 N more than their weight, in equal shares.
#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn sticky_bodies_press_as_in_mujoco() {
    let xml = "<mujoco><worldbody><geom name='floor' type='plane' size='1 1 1'/><body name='f' pos='0 0 .1'><freejoint/>
        <geom name='a' size='.1' pos='.2 0 0' mass='1'/><geom name='b' size='.1' pos='-.2 0 0' mass='3'/></body></worldbody>
      <actuator><adhesion name='s' body='f' ctrlrange='0 4' gain='10'/></actuator></mujoco>";
    let script = "import json, sys, numpy, mujoco
model = mujoco.MjModel.from_xml_string(sys.argv[1])
data = mujoco.MjData(model)
data.ctrl[0] = 1.5
for k in range(2000): mujoco.mj_step(model, data)
forces = []
for k in range(data.ncon):
    force = numpy.zeros(6)
    mujoco.mj_contactForce(model, data, k, force)
    forces.append(force[0])
print(json.dumps(sorted(forces)))";
    let python = std::env::var("BELLCRANK_PYTHON").expect("BELLCRANK_PYTHON was set when this was built");
    let output = Command::new(python).args(["-c", script, xml]).output().expect("a Python that runs");
    let theirs: Vec<f64> = serde_json::from_slice(&output.stdout).expect("a list of forces");
    let options = Options::default().compliance(Compliance::Mujoco);
    let model = loads(xml, Format::Mjcf, &options).unwrap_or_else(|error| panic!("{error}"));
    assert!(model.ignored().is_empty(), "{:?}", model.ignored());
    let mut batch = Batch::new(Arc::new(model), 1, BatchOptions::default()).expect("a batch");
    batch.set_effort(0, 0, 1.5).expect("an actuator");
    batch.step(2000);
    let mut ours: Vec<f64> = batch.contacts(0).expect("a world").iter().map(|c| c.force.norm()).collect();
    ours.sort_by(f64::total_cmp);
    assert_eq!((ours.len(), theirs.len()), (2, 2));
    for (own, other) in ours.iter().zip(&theirs) {
        assert!((own - other).abs() < 1e-3 * other, "{ours:?} {theirs:?}");
    }
    assert!((ours.iter().sum::<f64>() - 4.0 * 9.81 - 15.0).abs() < 1e-3);
}
