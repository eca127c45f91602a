//! Sensors of MJCF show the numbers that MuJoCo's show: in motion at two states, and at rest after ten seconds.
//!
//! Needs a Python with the package `mujoco`, named in the environment variable `BELLCRANK_PYTHON` when the tests are built.

use bellcrank::import::{Options, load};
use bellcrank::sim::{Batch, BatchOptions};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sensors").join(name)
}

/// What MuJoCo's sensors show at every keyframe, or at rest: names and numbers.
fn theirs(name: &str, script: &str) -> serde_json::Value {
    let python = std::env::var("BELLCRANK_PYTHON").expect("BELLCRANK_PYTHON was set when this was built");
    let output =
        Command::new(python).args(["-c", script]).arg(file(name)).output().expect("a Python that runs");
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{told}"))
}

const AT_KEYS: &str = "import json, sys, mujoco
model = mujoco.MjModel.from_xml_path(sys.argv[1])
data = mujoco.MjData(model)
model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
out = {}
for k in range(model.nkey):
    mujoco.mj_resetDataKeyframe(model, data, k)
    mujoco.mj_forward(model, data)
    out[model.key(k).name] = {model.sensor(s).name: list(data.sensor(s).data) for s in range(model.nsensor)}
print(json.dumps(out))";

const AT_REST: &str = "import json, sys, mujoco
model = mujoco.MjModel.from_xml_path(sys.argv[1])
data = mujoco.MjData(model)
while data.time < 10: mujoco.mj_step(model, data)
mujoco.mj_forward(model, data)
print(json.dumps({model.sensor(s).name: list(data.sensor(s).data) for s in range(model.nsensor)}))";

fn compare(batch: &Batch, theirs: &serde_json::Value, tolerance: f64, wrong: &mut Vec<String>) -> usize {
    let sensors = theirs.as_object().expect("sensors by name");
    for (name, numbers) in sensors {
        let expected: Vec<f64> =
            numbers.as_array().expect("numbers").iter().filter_map(|x| x.as_f64()).collect();
        let found = batch.sensor(0, name).unwrap_or_else(|error| panic!("{error}"));
        // MuJoCo stops turning to principal axes at a cosine of 1 − 1e-12: an angle of about 1e-6
        let tolerance = if name == "bodyq" { tolerance.max(1e-6) } else { tolerance };
        let near = |sign: f64| {
            found.len() == expected.len()
                && found
                    .iter()
                    .zip(&expected)
                    .all(|(a, b)| (sign * a - b).abs() <= tolerance * b.abs().max(1.0))
        };
        // a rotation is the same by both of its quaternions
        if !(near(1.0) || expected.len() == 4 && near(-1.0)) {
            wrong.push(format!("{name}: {found:?} here, {expected:?} in MuJoCo"));
        }
    }
    sensors.len()
}

fn simulated(name: &str) -> Batch {
    let model = load(file(name), &Options::default()).unwrap_or_else(|error| panic!("{error}"));
    assert!(model.ignored().is_empty(), "{:?}", model.ignored());
    let options = BatchOptions { dt: Some(model.time_step()), ..BatchOptions::default() };
    Batch::new(Arc::new(model), 1, options).expect("a batch")
}

#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn sensors_show_the_same_in_motion() {
    let (mut batch, theirs) = (simulated("moving.xml"), theirs("moving.xml", AT_KEYS));
    let mut wrong = Vec::new();
    for (key, sensors) in theirs.as_object().expect("keys by name") {
        assert!(batch.reset_to_keyframe(0, key).expect("a keyframe"));
        assert!(compare(&batch, sensors, 1e-9, &mut wrong) > 50);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// MuJoCo's contacts are soft: they sink, and forces still swing by some 1e-5 after ten seconds.
#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn sensors_show_the_same_at_rest() {
    let (mut batch, theirs) = (simulated("resting.xml"), theirs("resting.xml", AT_REST));
    batch.step(5000);
    let mut wrong = Vec::new();
    compare(&batch, &theirs, 1e-4, &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
