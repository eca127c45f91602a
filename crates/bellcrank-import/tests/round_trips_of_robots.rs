//! Every robot, read, written and read again, is the same robot; and where a format cannot say something, the export lists it.

mod portrait;

use bellcrank_import::{Base, Exported, FixedJoints, Format, Options, load, loads, to_mjcf, to_urdf};
use bellcrank_model::{Model, library};
use portrait::Portrait;
use std::path::{Path, PathBuf};

/// Poses go through quaternions and angles, and back.
const TOLERANCE: f64 = 1e-9;

fn read_back(exported: &Exported, format: Format) -> Result<Model, String> {
    let base = if exported.text.contains("<link name=\"world\">") { Base::Fixed } else { Base::Floating };
    let mut options = Options::default().base(base).fixed_joints(FixedJoints::Keep);
    options.memory = exported.files.clone();
    loads(&exported.text, format, &options).map_err(|error| error.to_string())
}

/// What a round trip changes.
fn changes(model: &Model, exported: &Exported, format: Format) -> Vec<String> {
    match read_back(exported, format) {
        Ok(back) => Portrait::of(model).differences(&Portrait::of(&back), TOLERANCE),
        Err(error) => vec![error],
    }
}

fn robots(folder: &str, ending: &str) -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data").join(folder);
    let mut found = Vec::new();
    let mut folders = vec![root];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).expect("the folder `shared`").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|e| e == ending) && !path.ends_with("keyframes.xml") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Reads, writes and reads again: nothing may have changed. Gives how many files there were.
fn assert_identity(folder: &str, format: Format, write: fn(&Model) -> Exported) -> usize {
    let files = robots(folder, if format == Format::Urdf { "urdf" } else { "xml" });
    let mut wrong = Vec::new();
    for file in &files {
        let model = load(file, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
        let exported = write(&model);
        let mut list = changes(&model, &exported, format);
        list.extend(exported.left_out.into_iter().map(|what| format!("left out: {what}")));
        if !list.is_empty() {
            let first: Vec<String> =
                list.iter().take(5).map(|line| line.chars().take(300).collect()).collect();
            wrong.push(format!("{}: {} changes\n  {}", file.display(), list.len(), first.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    files.len()
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs the folder `shared` beside the repository")]
fn mjcf_is_the_same_after_reading_writing_and_reading() {
    assert_eq!(assert_identity("menagerie", Format::Mjcf, to_mjcf), 24);
}

#[test]
#[cfg_attr(not(shared_data), ignore = "needs the folder `shared` beside the repository")]
fn urdf_is_the_same_after_reading_writing_and_reading() {
    assert_eq!(assert_identity("urdf", Format::Urdf, to_urdf), 7);
}

/// What a format cannot say is lost on the first trip, and nothing on the second.
#[test]
fn shipped_mechanisms_are_the_same_after_the_second_trip() {
    for (name, _, build) in library::ALL {
        let model = build().build().unwrap();
        for (write, format) in [(to_mjcf as fn(&Model) -> Exported, Format::Mjcf), (to_urdf, Format::Urdf)] {
            let once = read_back(&write(&model), format).unwrap_or_else(|error| panic!("{name}: {error}"));
            let list = changes(&once, &write(&once), format);
            let first: Vec<String> =
                list.iter().take(8).map(|line| line.chars().take(300).collect()).collect();
            assert!(list.is_empty(), "{name}: {} changes\n{}", list.len(), first.join("\n"));
        }
    }
}
