//! What MuJoCo says of an MJCF file, and Pinocchio of a URDF.

use std::path::Path;
use std::process::Command;

/// Another reader's opinion.
pub enum Reference {
    /// It cannot be asked.
    Unknown,
    Refuses,
    /// Mass [kg], and origins of bodies by name [m] at the first keyframe or the reference pose.
    Loads {
        mass: f64,
        places: Vec<(String, [f64; 3])>,
    },
}

const MUJOCO: &str = "import json, sys, mujoco
spec = mujoco.MjSpec.from_file(sys.argv[1])
spec.compiler.fusestatic = 0
spec.compiler.discardvisual = 0
model = spec.compile()
data = mujoco.MjData(model)
if model.nkey and model.key(0).name: mujoco.mj_resetDataKeyframe(model, data, 0)
mujoco.mj_kinematics(model, data)
places = [(model.body(b).name, list(data.xpos[b])) for b in range(1, model.nbody) if model.body(b).name]
print(json.dumps({'mass': float(sum(model.body_mass)), 'places': places}))";

const PINOCCHIO: &str = "import json, sys, pinocchio
model = pinocchio.buildModelFromUrdf(sys.argv[1])
print(json.dumps({'mass': sum(inertia.mass for inertia in model.inertias), 'places': []}))";

/// Asks the Python of `BELLCRANK_PYTHON`.
pub fn ask(path: &Path) -> Reference {
    let script = match path.extension().and_then(|e| e.to_str()) {
        Some("xml") => MUJOCO,
        Some("urdf") => PINOCCHIO,
        _ => return Reference::Unknown,
    };
    let Ok(python) = std::env::var("BELLCRANK_PYTHON") else { return Reference::Unknown };
    let Ok(path) = path.canonicalize() else { return Reference::Unknown };
    let Ok(output) = Command::new(python).args(["-W", "ignore", "-c", script]).arg(path).output() else {
        return Reference::Unknown;
    };
    let told = String::from_utf8_lossy(&output.stderr).into_owned();
    if told.contains("ModuleNotFoundError") {
        return Reference::Unknown;
    }
    let line = String::from_utf8_lossy(&output.stdout).lines().last().unwrap_or("").to_owned();
    let Ok(value) = serde_json::from_str::<serde_json::Value>(&line) else { return Reference::Refuses };
    let place = |entry: &serde_json::Value| {
        let numbers: Vec<f64> = entry[1].as_array()?.iter().filter_map(serde_json::Value::as_f64).collect();
        Some((entry[0].as_str()?.to_owned(), numbers.try_into().ok()?))
    };
    let places =
        value["places"].as_array().map_or_else(Vec::new, |all| all.iter().filter_map(place).collect());
    value["mass"].as_f64().map_or(Reference::Refuses, |mass| Reference::Loads { mass, places })
}
