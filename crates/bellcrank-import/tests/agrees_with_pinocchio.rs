//! The same URDF files in Pinocchio: total mass, joints, their ranges, and every link's pose at the zero
//! configuration.
//!
//! Needs a Python with the package `pin` (and `example-robot-data` for many more robots); name it in the environment
//! variable `BELLCRANK_PYTHON` when the tests are built. Without, the test is ignored.

use bellcrank_import::{Options, load};
use bellcrank_math::Pose;
use bellcrank_model::Model;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::Command;

const TOLERANCE: f64 = 1e-9;

fn python(arguments: &[PathBuf]) -> String {
    let program = std::env::var("BELLCRANK_PYTHON").expect("BELLCRANK_PYTHON was set when this was built");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/reference_from_pinocchio.py");
    let output = Command::new(program).arg(script).args(arguments).output().expect("a Python that runs");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// URDF files in the folder `shared` beside the repository and in Python packages.
fn robots(installed: &str) -> Vec<PathBuf> {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/urdf");
    let entries = std::fs::read_dir(&shared).expect("the folder `shared`");
    let mut files: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    files.retain(|file| file.extension().is_some_and(|e| e == "urdf"));
    files.sort();
    files.extend(installed.lines().map(PathBuf::from));
    files
}

#[test]
#[cfg_attr(
    not(all(pinocchio, shared_data)),
    ignore = "needs BELLCRANK_PYTHON with the package pin, and the folder `shared` beside the repository"
)]
fn urdf_files_mean_the_same_as_in_pinocchio() {
    let robots = robots(&python(&[]));
    let references = python(&robots);
    let options = Options { skip_meshes: true, mend_inertia: true, ..Options::default() };
    let mut compared = 0;
    for (file, line) in robots.iter().zip(references.lines()) {
        let reference: Value = serde_json::from_str(line).expect("the reference program prints JSON");
        match load(file, &options) {
            Ok(model) if reference.get("error").is_none() => {
                compare(file, &model, &reference);
                compared += 1;
            }
            Ok(_) => println!("{}: only here", file.display()),
            Err(error) => {
                assert!(reference["links"].as_object().is_none_or(|l| l.len() < 2), "{error}");
                println!("{}: loads neither here nor there", file.display());
            }
        }
    }
    println!("{compared} of {} robots compared", robots.len());
    assert!(compared >= 5, "only {compared} of {} robots were compared", robots.len());
}

fn compare(file: &Path, model: &Model, reference: &Value) {
    let name = file.display();
    let (mended, mass) = (mended_mass(model), reference["mass"].as_f64().unwrap());
    assert!(
        (model.mass() - mended - mass).abs() < TOLERANCE * mass.max(1.0),
        "{name}: {} kg, {mass} kg",
        model.mass()
    );
    let joints = reference["joints"].as_object().unwrap();
    let moving = model.joints().iter().filter(|j| j.kind.dof_count() > 0).count();
    assert_eq!(moving, joints.len(), "{name}: joints that move");
    for (joint, expected) in joints {
        let id = model.joint_id(joint).unwrap_or_else(|| panic!("{name}: joint {joint}"));
        let found = &model.joints()[id.index()];
        assert_eq!(found.kind.dof_count() as u64, expected["dofs"].as_u64().unwrap(), "{name}: {joint}");
        let Some(limits) = expected["limits"].as_array() else { continue };
        for (mine, theirs) in found.dofs[0].limits.iter().zip(limits) {
            let theirs = theirs.as_f64().unwrap_or(f64::INFINITY);
            let same = (mine - theirs).abs() < TOLERANCE || (mine.is_infinite() && theirs.is_infinite());
            assert!(same, "{name}: bound of {joint}: {mine}, {theirs}");
        }
    }
    for (link, expected) in reference["links"].as_object().unwrap() {
        let Some(X_WL) = link_pose(model, link) else { panic!("{name}: link {link}") };
        let R = X_WL.R.to_mat3();
        for row in 0..3 {
            let mine = [R.entry(row, 0), R.entry(row, 1), R.entry(row, 2), X_WL.p.to_array()[row]];
            for (column, mine) in mine.into_iter().enumerate() {
                let theirs = expected[row][column].as_f64().unwrap();
                assert!(
                    (mine - theirs).abs() < TOLERANCE,
                    "{name}: {link} ({row}, {column}): {mine}, {theirs}"
                );
            }
        }
    }
}

/// What mending gave to links without mass.
fn mended_mass(model: &Model) -> f64 {
    let is_mended = |name: &str| {
        let element = format!("<link name={name:?}>");
        model.ignored().iter().any(|i| i.place.element == element && i.why.contains("no mass"))
    };
    model.bodies().iter().filter(|body| is_mended(&body.name)).map(|body| body.mass).sum()
}

/// A link is a body, a site of a body, or (the root without mass) the world.
fn link_pose(model: &Model, link: &str) -> Option<Pose> {
    if let Some(body) = model.body_id(link) {
        return Some(model.bodies()[body.index()].X_WL);
    }
    let Some(site) = model.site_id(link) else { return Some(Pose::identity()) };
    let site = &model.sites()[site.index()];
    let carrier = site.link.body().map_or(Pose::identity(), |b| model.bodies()[b.index()].X_WL);
    Some(carrier * site.X_LS)
}
