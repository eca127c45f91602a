//! Tells the tests what they can be compared with: `cfg(shared_data)` where the folder `shared` with robots is beside the
//! repository. Without it those tests are ignored, which is more honest than green.

use std::path::Path;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-check-cfg=cfg(shared_data)");
    if Path::new("../../../shared/data").is_dir() {
        println!("cargo::rustc-cfg=shared_data");
    }
}
