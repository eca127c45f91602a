//! Newton's law on other people's robots, in 64 and in 32 bits: momentum of what coasts, velocity and way of what falls.
//!
//! Robots are as their files have them, with springs, dampers, friction and limits, but without motors and shapes. An arm or a
//! gripper that its file fastens to the world is fastened to a body that floats: so none of them is left out.

#[path = "../../bellcrank-sim/tests/common/coasting.rs"]
mod coasting;

use bellcrank::import::{Options, load};
use bellcrank::model::Model;
use bellcrank::sim::Precision;
use coasting::{lost_coasting, off_falling};
use std::path::{Path, PathBuf};

/// Every robot beside the repository: scenes of the collection (its other files are parts of them), URDF and USD.
fn robots() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/data");
    let mut found = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).expect("the folder of robots");
        for path in entries.flatten().map(|entry| entry.path()) {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let is_scene = name.starts_with("scene") && name.ends_with(".xml");
            match path.is_dir() {
                true => folders.push(path),
                false if is_scene || name.ends_with(".urdf") || name.ends_with(".usda") => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    assert!(found.len() >= 20, "only {} robots are in {}", found.len(), root.display());
    found
}

/// Does something with every robot, a few at a time, and collects what is wrong.
fn with_every_robot(check: impl Fn(&str, &Model) -> Vec<String> + Sync) {
    let (robots, next) = (robots(), std::sync::atomic::AtomicUsize::new(0));
    let wrong = std::sync::Mutex::new(Vec::new());
    let work = || {
        while let Some(path) = robots.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
            let model = load(path, &Options::default()).unwrap_or_else(|error| panic!("{error}"));
            let folder = path.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
            let name = format!("{folder}/{}", path.file_name().unwrap_or_default().to_string_lossy());
            let found = check(&name, &model);
            wrong.lock().unwrap().extend(found);
        }
    };
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    let wrong = wrong.into_inner().unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// 1,000 steps of 2 ms at 1 m/s and 1 rad/s: to 1e-12 in 64 bits and to 1e-5 in 32.
#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn robots_that_coast_keep_their_momentum() {
    with_every_robot(|name, model| {
        let check = |(precision, most): (Precision, f64)| {
            let [p, L] = lost_coasting(model, precision, 0.002);
            let told = format!("{name} {precision:?}: p {p:.1e}, L {L:.1e}");
            println!("{told}");
            (!(p < most && L < most)).then_some(told)
        };
        [(Precision::F64, 1e-12), (Precision::F32, 1e-5)].into_iter().filter_map(check).collect()
    });
}

/// A second at 2 ms: velocity and centre of mass to 1e-4.
#[test]
#[cfg_attr(
    not(shared_data),
    ignore = "needs the folder `shared` (robots and recordings) beside the repository"
)]
fn robots_that_fall_fall_with_g() {
    with_every_robot(|name, model| {
        let check = |precision: Precision| {
            let [v, way] = off_falling(model, precision, 0.002, 500);
            let told = format!("{name} {precision:?}: velocity {v:.1e}, way {way:.1e}");
            println!("{told}");
            (!(v < 1e-4 && way < 1e-4)).then_some(told)
        };
        [Precision::F64, Precision::F32].into_iter().filter_map(check).collect()
    });
}
