//! What loads and what is ignored, for whole collections of robots, as a table in Markdown.
//!
//! `cargo run -p bellcrank-import --example corpus_table -- [NAME=FOLDER...] [--write docs/reference/formats.md]`
//!
//! Without folders it looks for the collections that the tests use: `../shared/data` beside the repository, and the
//! Python packages `gymnasium`, `dm_control` and `example-robot-data` of the interpreter `BELLCRANK_PYTHON`. With
//! `--write` the table replaces what stands between the two marks in that file.

#[path = "corpus_table/reasons.rs"]
mod reasons;

use bellcrank_import::{Options, load};
use bellcrank_model::Model;
use reasons::Reasons;
use std::path::{Path, PathBuf};
use std::process::Command;

const BEGIN: &str = "<!-- corpus table: begin -->";
const END: &str = "<!-- corpus table: end -->";

fn main() {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let write = arguments.iter().position(|a| a == "--write").map(|at| {
        arguments.remove(at);
        if at < arguments.len() { arguments.remove(at) } else { "docs/reference/formats.md".into() }
    });
    let mut collections: Vec<(String, PathBuf)> =
        arguments.iter().filter_map(|a| a.split_once('=')).map(|(n, p)| (n.into(), p.into())).collect();
    if collections.is_empty() {
        collections = known_collections();
    }
    let table = table(&collections);
    match write {
        None => println!("{table}"),
        Some(file) => replace(Path::new(&file), &table),
    }
}

/// The collections of the tests, as far as they are there.
fn known_collections() -> Vec<(String, PathBuf)> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let mut found = Vec::new();
    for (name, folder) in [
        ("menagerie", "menagerie"),
        ("DR Legs", "dr_legs"),
        ("test mechanism", "dr_testmech"),
        ("urdf", "urdf"),
    ] {
        found.push((name.to_owned(), shared.join(folder)));
    }
    let python = std::env::var("BELLCRANK_PYTHON").unwrap_or_else(|_| "python3".into());
    let script = "import importlib.util as u, sys, pathlib
for n in ['gymnasium', 'dm_control']:
    s = u.find_spec(n)
    if s: print(n + '=' + s.submodule_search_locations[0])
for p in sys.path:
    for f in pathlib.Path(p).glob('cmeel.prefix/share/example-robot-data/robots'): print(f'example-robot-data={f}')";
    if let Ok(output) = Command::new(python).args(["-c", script]).output() {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        found.extend(text.lines().filter_map(|l| l.split_once('=')).map(|(n, p)| (n.into(), p.into())));
    }
    found.retain(|(name, folder)| {
        let there = folder.is_dir();
        if !there {
            eprintln!("skipped: {name} is not there");
        }
        there
    });
    found
}

fn table(collections: &[(String, PathBuf)]) -> String {
    let mut text = String::from(
        "| collection | model | loads | bodies | joints | loops | mass [kg] | ignored |\n|---|---|---|---|---|---|---|---|\n",
    );
    let mut reasons = Reasons::default();
    let (mut count, mut loaded) = (0, 0);
    for (name, folder) in collections {
        for file in robots(folder) {
            let relative = file.strip_prefix(folder).unwrap_or(&file).display().to_string();
            let (row, loads) = row(&file, folder, &mut reasons);
            count += 1;
            loaded += usize::from(loads);
            text.push_str(&format!("| {name} | {relative} | {row} |\n"));
        }
    }
    format!("{loaded} of {count} models load.\n\n{text}\nWhat is ignored, by number:\n\n{}", reasons.legend())
}

/// Files that describe a robot, in order; fragments that others include are left out.
fn robots(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut waiting = vec![folder.to_owned()];
    while let Some(folder) = waiting.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                waiting.push(path);
            } else if is_robot(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn is_robot(path: &Path) -> bool {
    let ending = path.extension().and_then(|e| e.to_str()).unwrap_or("");
    let text = || std::fs::read_to_string(path).unwrap_or_default();
    match ending {
        "urdf" | "usda" => true,
        "xml" => {
            let text = text();
            text.contains("<mujoco") && !text.contains("<mujocoinclude") && has_bodies(path, &text)
        }
        _ => false,
    }
}

/// A body of its own, or of a file that it includes.
fn has_bodies(path: &Path, text: &str) -> bool {
    let included = text.split("<include file=\"").skip(1).filter_map(|rest| rest.split('"').next());
    let inside = |file: &str| {
        let path = path.parent().unwrap_or(Path::new(".")).join(file);
        std::fs::read_to_string(path).is_ok_and(|text| text.contains("<body"))
    };
    text.contains("<body") || included.into_iter().any(inside)
}

fn row(file: &Path, folder: &Path, reasons: &mut Reasons) -> (String, bool) {
    let options = Options::default().folder(folder);
    let (word, model) = match load(file, &options) {
        Ok(model) => ("yes", model),
        Err(first) => match load(file, &Options { mend_inertia: true, ..options }) {
            Ok(model) => ("with `mend_inertia`", model),
            Err(_) => {
                let fault = first.faults.first().map_or(String::new(), |f| f.kind.to_string());
                let fault = fault.replace(&format!("{}/", folder.display()), "");
                return (format!("no{}: {fault} | | | | | ", peer(file)), false);
            }
        },
    };
    (format!("{word} | {}", figures(&model, reasons)), true)
}

/// Whether MuJoCo or Pinocchio refuses the file too, where they can be asked.
fn peer(file: &Path) -> &'static str {
    let (peer, script) = match file.extension().and_then(|e| e.to_str()) {
        Some("xml") => ("MuJoCo", "import mujoco, sys\nread = mujoco.MjModel.from_xml_path"),
        _ => ("Pinocchio", "import pinocchio, sys\nread = pinocchio.buildModelFromUrdf"),
    };
    let script = format!("{script}\ntry: read(sys.argv[1])\nexcept Exception: print('refused')");
    let python = std::env::var("BELLCRANK_PYTHON").unwrap_or_else(|_| "python3".into());
    let output = Command::new(python).args(["-c", &script]).arg(file).output();
    let refused = output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains("refused"));
    match (refused, peer) {
        (true, "MuJoCo") => ", nor in MuJoCo",
        (true, _) => ", nor in Pinocchio",
        _ => "",
    }
}

fn figures(model: &Model, reasons: &mut Reasons) -> String {
    let moving = model.joints().iter().filter(|joint| joint.kind.dof_count() > 0).count();
    let codes = reasons.codes(model.ignored());
    format!("{} | {moving} | {} | {:.4} | {codes}", model.bodies().len(), model.loops().len(), model.mass())
}

fn replace(file: &Path, table: &str) {
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let parts = text.split_once(BEGIN).and_then(|(head, rest)| Some((head, rest.split_once(END)?.1)));
    let Some((head, tail)) = parts else {
        eprintln!("{}: the marks {BEGIN} and {END} are not there", file.display());
        std::process::exit(1);
    };
    if let Err(error) = std::fs::write(file, format!("{head}{BEGIN}\n{table}{END}{tail}")) {
        eprintln!("{}: {error}", file.display());
        std::process::exit(1);
    }
}
