//! Tells the tests what they can be compared with: `cfg(onnxruntime)` where the Python of `BELLCRANK_PYTHON` has that package.
//! Without it those tests are ignored, which is more honest than green.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=BELLCRANK_PYTHON");
    println!("cargo::rustc-check-cfg=cfg(onnxruntime)");
    let look = "import importlib.util, sys; sys.exit(importlib.util.find_spec('onnxruntime') is None)";
    let found = std::env::var("BELLCRANK_PYTHON")
        .ok()
        .and_then(|python| Command::new(python).args(["-c", look]).status().ok());
    if found.is_some_and(|status| status.success()) {
        println!("cargo::rustc-cfg=onnxruntime");
    }
}
