//! Tells the tests what they can be compared with: `cfg(shared_data)` where the folder `shared` with robots and recordings is
//! beside the repository. Without it those tests are ignored, which is more honest than green.
//! And `cfg(mujoco)`, `cfg(pinocchio)` where the Python of the environment variable `BELLCRANK_PYTHON` has these packages.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(shared_data)");
    if Path::new("../../../shared/data").is_dir() {
        println!("cargo::rustc-cfg=shared_data");
    }
    println!("cargo::rerun-if-env-changed=BELLCRANK_PYTHON");
    for module in ["mujoco", "pinocchio"] {
        println!("cargo::rustc-check-cfg=cfg({module})");
        if std::env::var("BELLCRANK_PYTHON").is_ok_and(|python| has(&python, module)) {
            println!("cargo::rustc-cfg={module}");
        }
    }
}

/// Whether that Python has a package.
fn has(python: &str, module: &str) -> bool {
    let look = format!("import importlib.util, sys; sys.exit(importlib.util.find_spec({module:?}) is None)");
    std::process::Command::new(python).args(["-c", &look]).status().is_ok_and(|status| status.success())
}
