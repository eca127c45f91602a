//! Files that nobody wrote: every feature of MJCF in mixtures that no robot of ours has.
//!
//! All of them must load; where a Python with `mujoco` is at hand (`BELLCRANK_PYTHON`), they must mean the same there.

mod generate;
#[allow(dead_code)] // the ways to spoil files are for other tests
mod mutate;

use bellcrank_import::{Format, Options, loads};
use generate::generate;
use std::path::{Path, PathBuf};
use std::process::Command;

const FILES: u64 = 150;

#[test]
fn every_generated_file_loads() {
    for seed in 0..FILES {
        let file = generate(seed);
        let mut options = Options::default();
        for (name, content) in &file.others {
            options = options.file(name, content.as_str());
        }
        let model = loads(&file.text, Format::Mjcf, &options);
        let model = model.unwrap_or_else(|error| panic!("seed {seed}: {error}\n{}", file.text));
        let unknown = model.ignored().iter().find(|i| i.why.contains("not known"));
        assert_eq!(unknown, None, "seed {seed}:\n{}", file.text);
    }
}

/// The example that prints a model, which `cargo test` builds beside the tests.
fn dump() -> Option<PathBuf> {
    let test = std::env::current_exe().ok()?;
    let found =
        test.parent()?.parent()?.join("examples").join(format!("mjcf_dump{}", std::env::consts::EXE_SUFFIX));
    found.is_file().then_some(found)
}

#[test]
fn every_generated_file_means_the_same_in_mujoco() {
    let Some(dump) = dump() else {
        println!("skipped: the example mjcf_dump is not built");
        return;
    };
    let folder = std::env::temp_dir().join(format!("bellcrank_generated_{}", std::process::id()));
    for seed in 0..FILES {
        let file = generate(seed);
        let own = folder.join(format!("{seed:03}"));
        for (name, content) in file.others.iter().chain([&("generated.xml".to_owned(), file.text)]) {
            let path = own.join(name);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, content).unwrap();
        }
    }
    let program = std::env::var("BELLCRANK_PYTHON").unwrap_or_else(|_| "python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mjcf_compare_mujoco.py");
    let files = (0..FILES).map(|seed| folder.join(format!("{seed:03}/generated.xml")));
    let output =
        Command::new(program).args(["-W", "ignore"]).arg(script).arg(dump).arg("--all").args(files).output();
    match output {
        Ok(output) => {
            let text = String::from_utf8_lossy(&output.stdout);
            println!("{text}");
            assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
        }
        Err(error) => println!("skipped: no Python ({error})"),
    }
    std::fs::remove_dir_all(&folder).unwrap();
}
