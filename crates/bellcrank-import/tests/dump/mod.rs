//! Where the program is that tells Python what was read.

use std::path::{Path, PathBuf};

/// The example that prints a model, which `cargo test` builds beside the tests.
pub fn dump() -> PathBuf {
    let test = std::env::current_exe().expect("a program");
    let folder = test.parent().and_then(Path::parent).expect("target folder").join("examples");
    let found = folder.join(format!("mjcf_dump{}", std::env::consts::EXE_SUFFIX));
    assert!(found.is_file(), "the example is not built: cargo build -p bellcrank-import --example mjcf_dump");
    found
}
