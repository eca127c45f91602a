//! Prints what an import makes of a file, as JSON: for comparisons with other programs.
//!
//! `cargo run -p bellcrank-import --example inspect -- robot.urdf [--floating] [--keep-fixed] [--skip-meshes]`

use bellcrank_import::{Base, FixedJoints, Options, load};
use bellcrank_math::Pose;
use bellcrank_model::Model;
use serde_json::{Value, json};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| arguments.iter().any(|a| a == flag);
    let Some(file) = arguments.iter().find(|a| !a.starts_with("--")) else {
        eprintln!("usage: inspect FILE [--floating] [--keep-fixed] [--skip-meshes] [--brief]");
        std::process::exit(2);
    };
    let mut options = Options::default();
    if has("--floating") {
        options.base = Base::Floating;
    }
    if has("--keep-fixed") {
        options.fixed_joints = FixedJoints::Keep;
    }
    options.skip_meshes = has("--skip-meshes");
    match load(file, &options) {
        Ok(model) if has("--brief") => println!("{}", figures(&model)),
        Ok(model) => println!("{}", everything(&model)),
        Err(error) => {
            eprintln!("{error}");
            std::process::exit(1);
        }
    }
}

fn figures(model: &Model) -> Value {
    let (gap_m, gap_rad) = model.reference_gap();
    json!({
        "bodies": model.bodies().len(), "joints": model.joints().len(), "loops": model.loops().len(),
        "mass_kg": model.mass(), "dofs": model.mobility(), "redundant_rows": model.redundant_rows(),
        "actuators": model.actuators().len(), "shapes": model.shapes().len(), "sites": model.sites().len(),
        "couplings": model.couplings().len(), "ignored": model.ignored().len(),
        "warnings": model.warnings().len(), "gap_m": gap_m, "gap_rad": gap_rad,
    })
}

fn everything(model: &Model) -> Value {
    let pose = |X: Pose| json!([X.p.to_array(), X.R.to_wxyz()]);
    let bodies = model.bodies().iter().map(|b| {
        let i = b.inertia.unwrap_or_default();
        let inertia = [i.xx, i.xy, i.xz, i.yy, i.yz, i.zz];
        json!({"name": b.name, "mass": b.mass, "X_WL": pose(b.X_WL), "com": b.com.to_array(), "inertia": inertia})
    });
    let joints = model.joints().iter().map(|j| {
        let limits: Vec<[f64; 2]> = j.dofs.iter().map(|d| d.limits).collect();
        json!({"name": j.name, "kind": j.kind.name(), "limits": limits, "closes_loop": j.closes_loop})
    });
    let sites = model.sites().iter().map(|s| {
        let X_WL = s.link.body().map_or(Pose::identity(), |b| model.bodies()[b.index()].X_WL);
        json!({"name": s.name, "X_WS": pose(X_WL * s.X_LS)})
    });
    let ignored = model.ignored().iter().map(|i| json!([i.place.to_string(), i.why]));
    json!({
        "figures": figures(model),
        "bodies": bodies.collect::<Vec<_>>(),
        "joints": joints.collect::<Vec<_>>(),
        "sites": sites.collect::<Vec<_>>(),
        "ignored": ignored.collect::<Vec<_>>(),
    })
}
