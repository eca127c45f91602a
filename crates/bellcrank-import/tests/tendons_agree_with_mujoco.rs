//! Tendons that run through space: lengths, rates and moment arms at random states, as in MuJoCo.
//!
//! Needs a Python with the package `mujoco`, named in `BELLCRANK_PYTHON` when the tests are built.

use bellcrank_import::{Format, Options, loads, to_mjcf};
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::{Link, Model, Way};
use serde_json::Value;
use std::process::Command;

const ARM: &str = "<mujoco><compiler angle='radian'/><worldbody>
    <site name='w1' pos='-.1 .02 .25'/><site name='w2' pos='.3 .2 .1'/>
    <geom name='drum' type='cylinder' size='.05 .2' pos='0 .03 .1' euler='1.3 .2 .1' contype='0' conaffinity='0'/>
    <body name='a' pos='0 0 .1'><joint name='ja' axis='.1 1 .2' range='-3 3' springref='.3'/><geom name='ga' type='capsule' size='.03' fromto='0 0 0 .3 0 0'/>
      <site name='a1' pos='.08 .07 .02'/><site name='a2' pos='.25 -.05 .03'/><site name='in_a' pos='.151 .002 .003'/>
      <geom name='ball' type='sphere' size='.06' pos='.15 0 0' contype='0' conaffinity='0'/>
      <body name='b' pos='.3 0 0'><joint name='jb' type='ball'/><geom name='gb' type='capsule' size='.02' fromto='0 0 0 .25 0 0'/>
        <site name='b1' pos='.1 .04 .01'/><site name='b2' pos='.2 0 -.06'/><site name='side_b' pos='.05 .2 .1'/>
        <geom name='knob' type='sphere' size='.045' pos='.02 0 .01' contype='0' conaffinity='0'/>
        <geom name='spool' type='cylinder' size='.03 .05' pos='.12 .01 0' euler='.4 .3 0' contype='0' conaffinity='0'/>
        <body name='c' pos='.25 0 0'><joint name='jc' type='slide' axis='1 0 0'/><geom name='gc' size='.03'/><site name='c1' pos='.02 .05 0'/></body>
      </body></body>
    <body name='f' pos='.1 .3 .2'><freejoint name='jf'/><geom name='gf' size='.04'/><site name='f1' pos='.05 0 0'/></body>
  </worldbody><tendon>
    <spatial name='straight' range='.1 2' stiffness='10'><site site='a1'/><site site='b1'/><site site='c1'/><site site='w1'/></spatial>
    <spatial name='round_ball' stiffness='5' springlength='.2 .3'><site site='a1'/><geom geom='ball'/><site site='a2'/><geom geom='knob'/><site site='b2'/></spatial>
    <spatial name='beside_ball' frictionloss='.2'><site site='w1'/><geom geom='knob' sidesite='side_b'/><site site='c1'/></spatial>
    <spatial name='inside_ball'><site site='a1'/><geom geom='ball' sidesite='in_a'/><site site='b1'/></spatial>
    <spatial name='round_drum'><site site='w1'/><geom geom='drum'/><site site='b2'/></spatial>
    <spatial name='beside_spool'><site site='a2'/><geom geom='spool' sidesite='side_b'/><site site='c1'/></spatial>
    <spatial name='pulleys'><site site='w2'/><site site='f1'/><pulley divisor='2'/><site site='f1'/><geom geom='ball'/><site site='a1'/>
      <pulley divisor='3'/><site site='f1'/><geom geom='drum'/><site site='w1'/></spatial>
  </tendon></mujoco>";

/// Random states: poses and velocities of all bodies, lengths of all tendons and their rates; and the rests of their springs.
const THEIRS: &str = "import json, sys, numpy, mujoco
model = mujoco.MjModel.from_xml_string(sys.argv[1])
data = mujoco.MjData(model)
random, states = numpy.random.default_rng(5), []
for _ in range(400):
    data.qpos[:] = random.normal(size=model.nq)
    data.qpos[model.joint('jf').qposadr[0]:][:3] *= .3
    data.qpos[model.joint('jc').qposadr[0]] *= .1
    mujoco.mj_normalizeQuat(model, data.qpos)
    data.qvel[:] = random.normal(size=model.nv)
    mujoco.mj_forward(model, data)
    bodies = {}
    for b in range(1, model.nbody):
        v = numpy.zeros(6)
        mujoco.mj_objectVelocity(model, data, mujoco.mjtObj.mjOBJ_XBODY, b, v, 0)
        bodies[model.body(b).name] = [*data.xpos[b], *data.xquat[b], *v]
    states.append({'bodies': bodies, 'lengths': list(data.ten_length), 'rates': list(data.ten_velocity),
                   'wraps': int(sum(w >= 0 for w in data.wrap_obj.flatten()[:2 * int(sum(data.ten_wrapnum))]))})
print(json.dumps({'states': states, 'rests': [list(r) for r in model.tendon_lengthspring]}))";

fn numbers(value: &Value) -> Vec<f64> {
    value.as_array().expect("a list").iter().filter_map(Value::as_f64).collect()
}

#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn lengths_and_rates_are_mujocos_at_random_states() {
    let python = std::env::var("BELLCRANK_PYTHON").expect("BELLCRANK_PYTHON was set when this was built");
    let output = Command::new(python).args(["-c", THEIRS, ARM]).output().expect("a Python that runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    let theirs: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"));
    let model = read(ARM);
    assert!(model.ignored().is_empty(), "{:?}", model.ignored());
    compare(&model, &theirs);
    compare(&read(&to_mjcf(&model).text), &theirs);
}

fn read(text: &str) -> Model {
    loads(text, Format::Mjcf, &Options::new()).unwrap_or_else(|error| panic!("{error}"))
}

fn compare(model: &Model, theirs: &Value) {
    let mut bent = 0;
    for state in theirs["states"].as_array().expect("a list") {
        let body =
            |link: &Link| link.body().map(|id| numbers(&state["bodies"][&model.bodies()[id.index()].name]));
        let pose = |link: &Link| match body(link) {
            Some(n) => Pose::new(Quat::from_wxyz([n[3], n[4], n[5], n[6]]), Vec3::new(n[0], n[1], n[2])),
            None => Pose::identity(),
        };
        // MuJoCo's velocities are (angular, linear) of the frame's origin
        let velocity = |link: &Link, point: Vec3| match body(link) {
            Some(n) => {
                let (turn, move_) = (Vec3::new(n[7], n[8], n[9]), Vec3::new(n[10], n[11], n[12]));
                move_ + turn.cross(point - Vec3::new(n[0], n[1], n[2]))
            }
            None => Vec3::zero(),
        };
        let (lengths, rates) = (numbers(&state["lengths"]), numbers(&state["rates"]));
        for (t, tendon) in model.tendons().iter().enumerate() {
            let way = Way::of(&tendon.path, model.sites(), model.shapes());
            let [length, rate] = way.state(pose, velocity);
            assert!(
                (length - lengths[t]).abs() < 1e-9,
                "{}: {length} instead of {}",
                tendon.name,
                lengths[t]
            );
            assert!((rate - rates[t]).abs() < 1e-7, "{}: rate {rate} instead of {}", tendon.name, rates[t]);
        }
        bent += state["wraps"].as_u64().expect("a count");
    }
    // the states are of both kinds: where tendons go around something, and where they go straight
    assert!(bent > 400, "{bent}");
    for (tendon, rest) in model.tendons().iter().zip(theirs["rests"].as_array().expect("a list")) {
        let Some(spring) = tendon.dof.spring else { continue };
        let rest = numbers(rest);
        assert!((spring.rest - rest[0]).abs() < 1e-9, "{}: {} instead of {rest:?}", tendon.name, spring.rest);
        assert!((tendon.slack - (rest[1] - rest[0])).abs() < 1e-9);
    }
}
