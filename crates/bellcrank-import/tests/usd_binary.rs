//! Binary USD and archives say the same as text. The files in `usd/` were written by OpenUSD (`make.py` beside them).

use bellcrank_import::{Options, load};
use bellcrank_model::{Geometry, Model};
use std::path::{Path, PathBuf};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/usd").join(name)
}

fn read(name: &str) -> Model {
    load(file(name), &Options::default()).unwrap_or_else(|error| panic!("{error}"))
}

/// Text keeps seven digits of numbers of 32 bits.
const SINGLE: f64 = 1e-7;

#[test]
fn binary_files_say_what_text_says() {
    let (text, binary) = (read("robot.usda"), read("robot.usdc"));
    assert_eq!(text.bodies().len(), 4);
    assert!((text.gravity() - binary.gravity()).norm() < 1e-6);
    for (a, b) in text.bodies().iter().zip(binary.bodies()) {
        assert_eq!(a.name, b.name);
        assert!((a.mass - b.mass).abs() < SINGLE && (a.X_WL.p - b.X_WL.p).norm() < SINGLE, "{}", a.name);
        assert!((a.X_WL.R.vector() - b.X_WL.R.vector()).norm() < SINGLE, "{}", a.name);
    }
    for (a, b) in text.joints().iter().zip(binary.joints()) {
        assert_eq!((&a.name, a.kind), (&b.name, b.kind));
        assert!((a.X_PF.p - b.X_PF.p).norm() < SINGLE && (a.X_SM.p - b.X_SM.p).norm() < SINGLE);
        assert_eq!(
            a.dofs.iter().map(|d| d.limits).collect::<Vec<_>>(),
            b.dofs.iter().map(|d| d.limits).collect::<Vec<_>>()
        );
    }
    assert_eq!(text.actuators().len(), binary.actuators().len());
    assert_eq!(text.actuators()[0].control, binary.actuators()[0].control);
    assert!(binary.ignored().is_empty(), "{:?}", binary.ignored());
    let hull = |model: &Model| match &model.shapes()[model.shape_id("hull").unwrap().index()].geometry {
        Geometry::TriangleMesh(mesh) | Geometry::ConvexMesh(mesh) => mesh.clone(),
        other => panic!("{other:?}"),
    };
    let (a, b) = (hull(&text), hull(&binary));
    assert_eq!((a.vertices.len(), a.triangles.len()), (144, 242));
    assert_eq!(a.triangles, b.triangles);
    assert!(a.vertices.iter().zip(&b.vertices).all(|(p, q)| (*p - *q).norm() < SINGLE));
}

/// The archive holds a layer that refers to another.
#[test]
fn archives_hold_what_they_refer_to() {
    let model = read("robot.usdz");
    let names: Vec<&str> = model.bodies().iter().map(|body| body.name.as_str()).collect();
    assert_eq!(names, ["base", "arm", "tool"]);
    assert!((model.mass() - 5.75).abs() < 1e-6);
    assert!(model.ignored().is_empty(), "{:?}", model.ignored());
}

/// Bytes changed, cut off and repeated: every file loads or is refused, quickly and without panic.
#[test]
fn damaged_binary_files_are_refused() {
    let folder = std::env::temp_dir().join(format!("bellcrank_usd_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = move |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below.max(1) as u64) as usize
    };
    let start = std::time::Instant::now();
    let mut refused = 0;
    for (name, rounds) in [("robot.usdc", 600), ("robot.usdz", 200)] {
        let whole = std::fs::read(file(name)).unwrap();
        for _ in 0..rounds {
            let mut bytes = whole.clone();
            for _ in 0..1 + random(4) {
                let at = random(bytes.len());
                bytes[at] = random(256) as u8;
            }
            if random(4) == 0 {
                bytes.truncate(random(whole.len()));
            }
            let path = folder.join(name);
            std::fs::write(&path, &bytes).unwrap();
            refused += usize::from(load(&path, &Options::default()).is_err());
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    assert!(refused > 100, "{refused}");
    assert!(start.elapsed().as_secs() < 60, "{:?}", start.elapsed());
}
