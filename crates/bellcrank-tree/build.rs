//! Tells the tests what they can be compared with: `cfg(shared_data)` where the folder `shared` with robots and recordings is
//! beside the repository. Without it those tests are ignored, which is more honest than green.
//! And `cfg(wide_lanes)` where this build has vectors of more than two numbers.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(shared_data)");
    if Path::new("../../../shared/refs").is_dir() {
        println!("cargo::rustc-cfg=shared_data");
    }
    println!("cargo::rerun-if-env-changed=BELLCRANK_LANES");
    println!("cargo::rustc-check-cfg=cfg(wide_lanes)");
    let wanted = std::env::var("BELLCRANK_LANES").unwrap_or_else(|_| "avx2".into());
    let x86 = std::env::var("CARGO_CFG_TARGET_ARCH").is_ok_and(|arch| arch == "x86_64");
    if x86 && wanted.split(',').any(|word| word.starts_with("avx")) {
        println!("cargo::rustc-cfg=wide_lanes");
    }
}
