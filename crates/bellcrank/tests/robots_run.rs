//! Other people's robots, as they come from their files: they load, start at their keyframe, move, and stay together.

use bellcrank::import::{Options, load};
use bellcrank::sim::{Batch, BatchOptions, ComFree, Precision, Settings, Solver, WorldStatus};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// `scene*.xml` in the folders of the collection, where it is there.
fn scenes() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data/menagerie");
    let Ok(folders) = std::fs::read_dir(&root) else { return Vec::new() };
    let files =
        folders.flatten().filter_map(|folder| std::fs::read_dir(folder.path()).ok()).flatten().flatten();
    let is_scene = |path: &PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("scene") && name.ends_with(".xml")
    };
    let mut scenes: Vec<PathBuf> = files.map(|file| file.path()).filter(is_scene).collect();
    scenes.sort();
    scenes
}

/// A fifth of a second of each at 2 ms: joints, loops included, stay closed to 1 µm, and nothing freezes.
#[test]
fn robots_of_a_collection_stay_together() {
    let scenes = scenes();
    if scenes.is_empty() {
        return println!("skipped: the collection of robots is not beside the repository");
    }
    for path in scenes {
        let model = Arc::new(load(&path, &Options::default()).unwrap_or_else(|error| panic!("{error}")));
        let options = BatchOptions { dt: 0.002, ..BatchOptions::default() };
        let mut batch = Batch::new(model.clone(), 1, options).unwrap();
        if let Some(key) = model.keyframes().first() {
            assert!(
                batch.reset_to_keyframe(0, &key.name).unwrap(),
                "{}: its keyframe does not close",
                path.display()
            );
        }
        let report = batch.step(100);
        let (metres, radians) = report.loop_gap[0];
        assert!(metres < 1e-6 && radians < 1e-6, "{}: {metres} m, {radians} rad", path.display());
        assert!(!matches!(report.status[0], WorldStatus::Frozen { .. }), "{}", path.display());
        println!("{}: gap {metres:.1e} m, {} of 100 converged", model.name(), report.converged[0]);
    }
}

/// The same in 32 bits, where the lightest rods are nearly lost beside the heaviest links: 0.1 mm.
#[test]
fn robots_of_a_collection_stay_together_in_single_precision() {
    let scenes = scenes();
    if scenes.is_empty() {
        return println!("skipped: the collection of robots is not beside the repository");
    }
    for path in scenes {
        let model = Arc::new(load(&path, &Options::default()).unwrap_or_else(|error| panic!("{error}")));
        let options = BatchOptions { dt: 0.002, precision: Precision::F32, ..BatchOptions::default() };
        let mut batch = Batch::new(model.clone(), 1, options).unwrap();
        if let Some(key) = model.keyframes().first() {
            let closes = batch.reset_to_keyframe(0, &key.name).unwrap();
            assert!(closes, "{}: its keyframe does not close", path.display());
        }
        let report = batch.step(100);
        let (metres, _) = report.loop_gap[0];
        println!("{}: gap {metres:.1e} m, {:?}", model.name(), report.status[0]);
        assert!(!matches!(report.status[0], WorldStatus::Frozen { .. }), "{}", path.display());
        assert!(metres < 1e-4, "{}: {metres} m", path.display());
    }
}

/// Reactions in closed form: Cassie and H1 fall down with their motors off, each at the time step of its file. Loops stay
/// closed to 0.05 mm (the published law lets Cassie's open by 580 mm), and nothing flies off.
#[test]
fn robots_fall_on_contacts_in_closed_form() {
    let wanted = ["cassie", "h1"];
    let scenes: Vec<PathBuf> = scenes()
        .into_iter()
        .filter(|path| wanted.iter().any(|name| path.to_string_lossy().contains(name)))
        .collect();
    if scenes.is_empty() {
        return println!("skipped: the collection of robots is not beside the repository");
    }
    for path in scenes {
        let model = Arc::new(load(&path, &Options::default()).unwrap_or_else(|error| panic!("{error}")));
        let settings = Settings { solver: Solver::ComFree(ComFree::default()), ..Settings::default() };
        let dt = model.time_step();
        let options = BatchOptions { dt, settings: Some(settings), scalar: true, ..BatchOptions::default() };
        let mut batch = Batch::new(model.clone(), 1, options).unwrap();
        if let Some(key) = model.keyframes().first() {
            assert!(batch.reset_to_keyframe(0, &key.name).unwrap());
        }
        let start = batch.body_pose(0, 0).unwrap().p.z;
        let report = batch.step((1.0 / dt) as usize);
        let (end, gap) = (batch.body_pose(0, 0).unwrap().p.z, report.loop_gap[0].0);
        println!(
            "{}: base {start:.3} → {end:.3} m, gap {gap:.1e} m, deepest {:.1e} m",
            model.name(),
            report.penetration[0]
        );
        assert!(gap < 5e-5, "{}: {gap} m", path.display());
        assert!(end > 0.0 && end < start + 0.01, "{}: the base went from {start} to {end} m", path.display());
        assert!(!matches!(report.status[0], WorldStatus::Frozen { .. }), "{}", path.display());
    }
}

/// H1 stands for two seconds on contacts in closed form: its motors give torques, so each follows
/// τ = 300 (q₀ − q) − 10 q̇ from outside, within their bounds.
#[test]
fn a_humanoid_stands_on_contacts_in_closed_form() {
    let Some(path) = scenes().into_iter().find(|path| path.to_string_lossy().contains("unitree_h1")) else {
        return println!("skipped: the collection of robots is not beside the repository");
    };
    let model = Arc::new(load(&path, &Options::default()).unwrap_or_else(|error| panic!("{error}")));
    let settings = Settings { solver: Solver::ComFree(ComFree::default()), ..Settings::default() };
    let dt = model.time_step();
    let options = BatchOptions { dt, settings: Some(settings), scalar: true, ..BatchOptions::default() };
    let mut batch = Batch::new(model.clone(), 1, options).unwrap();
    assert!(batch.reset_to_keyframe(0, "home").unwrap());
    let (home, start) = (batch.joint_position(0).unwrap(), batch.body_pose(0, 0).unwrap());
    for _ in 0..(2.0 / dt) as usize {
        let (q, v) = (batch.joint_position(0).unwrap(), batch.joint_velocity(0).unwrap());
        for (a, actuator) in model.actuators().iter().enumerate() {
            let (joint, _) = actuator.coordinate().unwrap();
            let before = &model.joints()[..joint.index()];
            let i: usize = before.iter().map(|joint| joint.kind.coordinate_count()).sum();
            let j: usize = before.iter().map(|joint| joint.kind.dof_count()).sum();
            batch.set_effort(0, a, 300.0 * (home[i] - q[i]) - 10.0 * v[j]).unwrap();
        }
        batch.step(1);
    }
    let end = batch.body_pose(0, 0).unwrap();
    let tilt = (start.R.inverse() * end.R).to_wxyz()[0].abs().min(1.0).acos() * 2.0;
    println!("H1: base {:.3} → {:.3} m, turned by {:.1}°", start.p.z, end.p.z, tilt.to_degrees());
    assert!((end.p.z - start.p.z).abs() < 0.05 && tilt < 0.1, "{end:?}");
}
