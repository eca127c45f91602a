//! MuJoCo loads every MJCF that is written here, Pinocchio every URDF, and both find the masses where they belong.
//!
//! All shipped mechanisms, and all robots of the folder `shared`, loops included.

use bellcrank_import::{Exported, Options, load, to_mjcf, to_urdf};
use bellcrank_model::{JointId, JointKind, Model, library};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Joints of a kind that URDF does not have are an extension, and the export says so.
const EXTENSION: &str = "other readers refuse it";

/// A fresh folder under the target folder.
fn folder() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("exports_load_elsewhere");
    let _ = std::fs::remove_dir_all(&folder); // there may be none
    std::fs::create_dir_all(&folder).expect("a folder to write to");
    folder
}

/// What the other engine shall find.
fn about(model: &Model, exported: &Exported) -> serde_json::Value {
    let bodies: Vec<_> = model.bodies().iter().map(|b| (&b.name, b.mass, b.X_WB().p.to_array())).collect();
    let at_zero = |j: usize| {
        let (joint, q) = (&model.joints()[j], model.reference_coordinates(JointId::new(j)));
        joint.closes_loop
            || joint.kind.has_scalar_coordinates()
                && q[..joint.kind.coordinate_count()].iter().all(|x| x.abs() < 1e-12)
            || joint.kind == JointKind::Fixed
    };
    serde_json::json!({
        "bodies": bodies,
        "mass": model.mass(),
        "floats": !exported.text.contains("<link name=\"world\">"),
        "at_zero": (0..model.joints().len()).all(at_zero) && exported.left_out.is_empty(),
    })
}

fn write(folder: &Path, name: &str, model: &Model) {
    for (exported, ending) in [(to_mjcf(model), "xml"), (to_urdf(model), "urdf")] {
        if exported.left_out.iter().any(|what| what.contains(EXTENSION)) {
            continue;
        }
        // every robot has a folder of its own: meshes of different robots have the same names
        let mut exported = exported;
        let own = format!("{name}_{ending}");
        std::fs::create_dir_all(folder.join(&own)).expect("a folder to write to");
        let mut text = std::mem::take(&mut exported.text);
        for (file, bytes) in &exported.files {
            let path = folder.join(&own).join(file);
            std::fs::create_dir_all(path.parent().expect("a file is in a folder"))
                .expect("a folder to write to");
            std::fs::write(&path, bytes).expect("a file that can be written");
            text = text.replace(&format!("\"{file}\""), &format!("\"{own}/{file}\""));
        }
        exported.text = text;
        let path = folder.join(format!("{name}.{ending}"));
        std::fs::write(&path, &exported.text).expect("a file that can be written");
        let about = about(model, &exported).to_string();
        std::fs::write(folder.join(format!("{name}.{ending}.json")), about)
            .expect("a file that can be written");
    }
}

fn robots() -> Vec<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let mut found = Vec::new();
    let mut folders = vec![shared];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
            if path.is_dir() {
                folders.push(path);
            } else if ["xml", "urdf", "usda"].contains(&ending) && !path.ends_with("keyframes.xml") {
                found.push(path);
            }
        }
    }
    found
}

#[test]
#[cfg_attr(
    not(all(mujoco, pinocchio, shared_data)),
    ignore = "needs BELLCRANK_PYTHON with the packages mujoco and pin, and the folder `shared` beside the repository"
)]
fn other_engines_load_every_export() {
    let folder = folder();
    for (name, _, build) in library::ALL {
        write(&folder, name, &build().build().unwrap());
    }
    let robots = robots();
    assert!(robots.len() > 30, "{} robots", robots.len());
    for file in robots {
        let model = load(&file, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
        let parts: Vec<_> = file.iter().rev().take(2).filter_map(|part| part.to_str()).collect();
        write(&folder, &format!("{}_{}", parts[1], parts[0].replace('.', "_")), &model);
    }
    let program = std::env::var("BELLCRANK_PYTHON").expect("BELLCRANK_PYTHON was set when this was built");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/exports_compare.py");
    let output = Command::new(program).arg(script).arg(&folder).output().expect("a Python that runs");
    let text = String::from_utf8_lossy(&output.stdout);
    println!("{text}");
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
}
