//! Tells the tests what they can be compared with: `cfg(shared_data)` where the folder `shared` with robots and recordings is
//! beside the repository. Without it those tests are ignored, which is more honest than green. And `cfg(corpus)` where the
//! environment variable `BELLCRANK_CORPUS` names a folder of robots.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(shared_data)");
    if Path::new("../../../shared/data").is_dir() {
        println!("cargo::rustc-cfg=shared_data");
    }
    println!("cargo::rerun-if-env-changed=BELLCRANK_CORPUS");
    println!("cargo::rustc-check-cfg=cfg(corpus)");
    if std::env::var("BELLCRANK_CORPUS").is_ok_and(|folder| Path::new(&folder).is_dir()) {
        println!("cargo::rustc-cfg=corpus");
    }
}
