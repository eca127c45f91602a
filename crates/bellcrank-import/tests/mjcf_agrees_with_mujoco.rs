//! The same MJCF files in MuJoCo, number by number.
//!
//! Needs a Python with the package `mujoco` (and `gymnasium`, `dm_control` for many more models); name it in the
//! environment variable `BELLCRANK_PYTHON` when the tests are built. Without, the test is ignored.

mod dump;

use dump::dump;
use std::path::Path;
use std::process::Command;

#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn mjcf_files_mean_the_same_as_in_mujoco() {
    let program = std::env::var("BELLCRANK_PYTHON").expect("BELLCRANK_PYTHON was set when this was built");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mjcf_compare_mujoco.py");
    let mut compare = Command::new(program);
    let output = compare.args(["-W", "ignore"]).arg(script).arg(dump()).output().expect("a Python that runs");
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}
