//! What each crate may know, and how long a file may be. The table is the architecture (ARCHITECTURE.md).

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Crate, and the crates of ours that it may use. What the façade `bellcrank` gathers, everybody above it has from there.
const ALLOWED: &[(&str, &[&str])] = &[
    ("bellcrank-kernel", &[]),
    ("bellcrank-math", &["kernel"]),
    ("bellcrank-plot", &[]),
    ("bellcrank-model", &["math"]),
    ("bellcrank-import", &["math", "model"]),
    ("bellcrank-tree", &["math", "model"]),
    ("bellcrank-gpu", &["math", "model", "collide", "solve", "step", "tree"]),
    ("bellcrank-collide", &["math", "model"]),
    ("bellcrank-solve", &["math"]),
    ("bellcrank-step", &["math", "model", "collide", "solve"]),
    ("bellcrank-sim", &["math", "model", "collide", "solve", "step"]),
    ("bellcrank-gradient", &["math", "model", "collide", "solve", "step", "sim"]),
    ("bellcrank-control", &["math", "model", "step", "sim", "gradient"]),
    ("bellcrank-kinematics", &["kernel", "math", "model", "plot", "tree", "collide"]),
    ("bellcrank-tasks", &["math", "model", "sim"]),
    ("bellcrank-learn", &["plot", "sim", "tasks"]),
    ("bellcrank-view", &["math", "model", "sim"]),
    ("bellcrank-render", &["math", "model", "sim", "view"]),
    (
        "bellcrank",
        &[
            "math",
            "model",
            "import",
            "tree",
            "collide",
            "solve",
            "sim",
            "control",
            "gradient",
            "gpu",
            "kinematics",
            "tasks",
            "learn",
            "view",
            "render",
        ],
    ),
    ("bellcrank-cli", &[]),
    ("bellcrank-bench", &["cli", "plot"]),
    ("bellcrank-fuzz", &["import"]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The crates of ours under `[dependencies]` of a manifest (tests may use more).
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let mut inside = false;
    let mut found = BTreeSet::new();
    for line in manifest.lines().map(str::trim) {
        if line.starts_with('[') {
            inside =
                line == "[dependencies]" || line.starts_with("[target.") && line.ends_with(".dependencies]");
            if let Some(name) = line.strip_prefix("[dependencies.") {
                found.extend(name.trim_end_matches(']').strip_prefix("bellcrank-").map(str::to_owned));
            }
        } else if inside && let Some(rest) = line.strip_prefix("bellcrank-") {
            found.insert(rest.split(['.', ' ', '=']).next().unwrap_or_default().to_owned());
        }
    }
    found
}

#[test]
fn crates_know_only_what_they_may() {
    let mut seen = 0;
    for entry in fs::read_dir(root().join("crates")).expect("the crates folder") {
        let folder = entry.expect("a folder").path();
        let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
        let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { continue };
        let allowed = ALLOWED.iter().find(|(known, _)| *known == name);
        let (_, allowed) = allowed.unwrap_or_else(|| panic!("{name} is not in the table of ARCHITECTURE.md"));
        for dependency in dependencies(&manifest) {
            assert!(allowed.contains(&dependency.as_str()), "{name} may not know bellcrank-{dependency}");
        }
        seen += 1;
    }
    assert!(seen >= 3, "only {seen} crates were found");
}

#[test]
fn a_forbidden_dependency_would_be_found() {
    let manifest = "[package]\nname = \"x\"\n[dependencies]\nbellcrank-sim.workspace = true\nclap = \"4\"\n\
                    [dependencies.bellcrank-view]\npath = \"y\"\n[dev-dependencies]\nbellcrank-tree = \"0.1\"\n";
    assert_eq!(dependencies(manifest).into_iter().collect::<Vec<_>>(), ["sim", "view"]);
}

#[test]
fn no_source_file_is_longer_than_600_lines() {
    let mut folders = vec![root().join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == "rs") {
                let lines = fs::read_to_string(&path).expect("a text").lines().count();
                assert!(lines <= 600, "{} has {lines} lines", path.display());
            }
        }
    }
}

/// Tests at the foot of a file run where the library has a test program, or where the program of its tests includes the file.
#[test]
fn no_test_is_written_where_nobody_runs_it() {
    for (name, _) in ALLOWED {
        let folder = root().join("crates").join(name);
        let manifest = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
        if !manifest.contains("[lib]\ntest = false") {
            continue;
        }
        let program = fs::read_to_string(folder.join("tests/main.rs")).unwrap_or_default();
        let mut folders = vec![folder.join("src")];
        while let Some(inner) = folders.pop() {
            for path in fs::read_dir(&inner).expect("a folder").flatten().map(|entry| entry.path()) {
                if path.is_dir() {
                    folders.push(path);
                } else if fs::read_to_string(&path).expect("a text").contains("#[cfg(test)]") {
                    let within =
                        path.strip_prefix(&folder).expect("a file of the crate").display().to_string();
                    assert!(
                        program.contains(&format!("\"../{within}\"")),
                        "nobody runs the tests of {}",
                        path.display()
                    );
                }
            }
        }
    }
}

/// Crates that cannot do without: vectors, a job lent to helpers, a call of matrix multiplication, kernels started on a device.
const UNSAFE: [&str; 4] = ["bellcrank-gpu", "bellcrank-math", "bellcrank-learn", "bellcrank-tree"];

#[test]
fn whatever_needs_no_unsafe_code_forbids_it() {
    for (name, _) in ALLOWED.iter().filter(|(name, _)| !UNSAFE.contains(name)) {
        for file in ["src/lib.rs", "src/main.rs"] {
            let path = root().join("crates").join(name).join(file);
            if let Ok(text) = fs::read_to_string(&path) {
                assert!(text.contains("#![forbid(unsafe_code)]"), "{}", path.display());
            }
        }
    }
}
