//! Files that nobody wrote: every feature of MJCF in mixtures that no robot of ours has.
//!
//! All of them must load, and mean the same in MuJoCo (a Python with `mujoco`, named in `BELLCRANK_PYTHON`; ignored without).

mod dump;
mod generate;
#[allow(dead_code)] // the ways to spoil files are for other tests
mod mutate;

use bellcrank_import::{Format, Options, loads};
use dump::dump;
use generate::generate;
use std::path::Path;
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

#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn every_generated_file_means_the_same_in_mujoco() {
    let dump = dump();
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
    let program = std::env::var("BELLCRANK_PYTHON").expect("BELLCRANK_PYTHON was set when this was built");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mjcf_compare_mujoco.py");
    let files = (0..FILES).map(|seed| folder.join(format!("{seed:03}/generated.xml")));
    let mut compare = Command::new(program);
    compare.args(["-W", "ignore"]).arg(script).arg(dump).arg("--all").args(files);
    let output = compare.output().expect("a Python that runs");
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    std::fs::remove_dir_all(&folder).unwrap();
}
