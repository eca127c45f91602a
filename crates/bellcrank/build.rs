//! Tells the tests what they can be compared with: `cfg(shared_data)` where the folder `shared` with robots and recordings is
//! beside the repository. Without it those tests are ignored, which is more honest than green. And `cfg(corpus)` where the
//! environment variable `BELLCRANK_CORPUS` names a folder of robots, and `cfg(mujoco)` where the Python of
//! `BELLCRANK_PYTHON` has that package.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(shared_data)");
    if Path::new("../../../shared/data").is_dir() {
        println!("cargo::rustc-cfg=shared_data");
    }
    println!("cargo::rerun-if-env-changed=BELLCRANK_PYTHON");
    println!("cargo::rustc-check-cfg=cfg(mujoco)");
    if std::env::var("BELLCRANK_PYTHON").is_ok_and(|python| has(&python, "mujoco")) {
        println!("cargo::rustc-cfg=mujoco");
    }
    println!("cargo::rerun-if-env-changed=BELLCRANK_CORPUS");
    println!("cargo::rustc-check-cfg=cfg(corpus)");
    if std::env::var("BELLCRANK_CORPUS").is_ok_and(|folder| Path::new(&folder).is_dir()) {
        println!("cargo::rustc-cfg=corpus");
    }
}

/// Whether that Python has a package.
fn has(python: &str, module: &str) -> bool {
    let look = format!("import importlib.util, sys; sys.exit(importlib.util.find_spec({module:?}) is None)");
    std::process::Command::new(python).args(["-c", &look]).status().is_ok_and(|status| status.success())
}
