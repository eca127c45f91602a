//! The committed page is the one that its sources make.

use std::fs;
use std::path::{Path, PathBuf};

fn web() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("web")
}

/// FNV-1a, 64 bits, over names and contents; the same as in `web/build.mjs`.
fn hash(files: &[String]) -> String {
    let mut h = 0xcbf2_9ce4_8422_2325_u64;
    for file in files {
        let content = fs::read(web().join(file)).expect("a source");
        for byte in file.bytes().chain([0]).chain(content).chain([0]) {
            h = (h ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{h:016x}")
}

fn files_under(folder: &str, found: &mut Vec<String>) {
    for entry in fs::read_dir(web().join(folder)).expect("a folder") {
        let entry = entry.expect("an entry");
        let path = format!("{folder}/{}", entry.file_name().to_string_lossy());
        if entry.path().is_dir() {
            files_under(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn the_page_was_built_from_the_sources_beside_it() {
    let mut sources = vec!["build.mjs".to_owned(), "package-lock.json".to_owned()];
    files_under("src", &mut sources);
    sources.sort();
    let expected = format!("sources {}\npage {}\n", hash(&sources), hash(&["dist/page.html".to_owned()]));
    let recorded = fs::read_to_string(web().join("dist/hashes.txt")).expect("hashes");
    assert_eq!(recorded, expected, "the page is out of date: run crates/bellcrank-view/web/build.sh");
}

#[test]
fn the_page_needs_no_network() {
    let page = bellcrank_view::page::live();
    for asks in ["<script src", "<link rel=\"stylesheet\"", "@import", "fetch(\"http", "unpkg", "cdn."] {
        assert!(!page.contains(asks), "{asks}");
    }
}

#[test]
fn the_lock_file_names_no_registry() {
    let lock = fs::read_to_string(web().join("package-lock.json")).expect("a lock file");
    assert!(!lock.contains("\"resolved\""));
}

#[test]
fn page_sources_are_small_files() {
    let mut sources = Vec::new();
    files_under("src", &mut sources);
    for file in sources.iter().filter(|name| name.ends_with(".js")) {
        let lines = fs::read_to_string(web().join(file)).expect("a source").lines().count();
        assert!(lines <= 300, "{file} has {lines} lines");
    }
}
