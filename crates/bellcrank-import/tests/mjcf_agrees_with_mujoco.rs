//! The same MJCF files in MuJoCo, number by number.
//!
//! Needs a Python with the package `mujoco` (and `gymnasium`, `dm_control` for many more models); name it in the
//! environment variable `BELLCRANK_PYTHON`. Without, the test says so and passes.

use std::path::{Path, PathBuf};
use std::process::Command;

/// The example that prints a model, which `cargo test` builds beside the tests.
fn dump() -> Option<PathBuf> {
    let test = std::env::current_exe().ok()?;
    let folder = test.parent()?.parent()?.join("examples");
    let found = folder.join(format!("mjcf_dump{}", std::env::consts::EXE_SUFFIX));
    found.is_file().then_some(found)
}

#[test]
fn mjcf_files_mean_the_same_as_in_mujoco() {
    let Some(dump) = dump() else {
        println!("skipped: the example mjcf_dump is not built");
        return;
    };
    let program = std::env::var("BELLCRANK_PYTHON").unwrap_or_else(|_| "python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mjcf_compare_mujoco.py");
    let output = match Command::new(program).args(["-W", "ignore"]).arg(script).arg(dump).output() {
        Ok(output) => output,
        Err(error) => {
            println!("skipped: no Python ({error})");
            return;
        }
    };
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}
