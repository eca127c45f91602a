//! `bellcrank-bench tree`: nanoseconds per state of the tree's operators.

use crate::{Bench, Record, describe};
use bellcrank::import::{Base, Exported, Format, Options, loads, to_urdf};
use bellcrank::math::{Level, Pose, Vec3};
use bellcrank::model::{Body, Joint, Link, Model, ModelBuilder, WORLD, library};
use bellcrank::tree::measure::{Contestant, OPERATORS, Settings, Timing, measure};
use bellcrank_cli::Error;

pub fn run(bench: &Bench) -> Result<Vec<Record>, Error> {
    let mut records = Vec::new();
    for builder in [arm(), library::quadruped(), library::humanoid()] {
        let urdf = to_urdf(&builder.build().map_err(Error::Faults)?);
        let model = &read_back(&urdf)?;
        if let Some(folder) = &bench.export {
            describe::save(folder, &format!("{}.urdf", model.name()), urdf.text.as_bytes())?;
        }
        let whole = bench.wants(model.name());
        let operators = OPERATORS.into_iter().filter(|operator| whole || bench.wants(operator)).collect();
        let settings =
            Settings { batch: bench.batch.max(1), seconds: bench.seconds, operators, ..Settings::default() };
        let timings = measure(model, &settings).map_err(|error| Error::Other(error.to_string()))?;
        records.extend(timings.iter().map(|timing| record(model, bench.batch.max(1), timing)));
    }
    Ok(records)
}

/// The model as other libraries get it: link frames stand at the joints, and `fk` tells the same poses as theirs.
fn read_back(urdf: &Exported) -> Result<Model, Error> {
    let base = if urdf.text.contains("<link name=\"world\"") { Base::Fixed } else { Base::Floating };
    let mut options = Options::default().base(base);
    options.memory = urdf.files.clone();
    loads(&urdf.text, Format::Urdf, &options).map_err(Error::Import)
}

fn record(model: &Model, batch: usize, timing: &Timing) -> Record {
    let Contestant { level, threads, rows } = timing.contestant;
    let lanes = if level == Level::Scalar { "one by one".to_owned() } else { level.to_string() };
    let per_core = 1e9 / (timing.ns_per_state * threads as f64);
    Record(vec![
        ("model", model.name().into()),
        ("operator", timing.operator.into()),
        ("precision", timing.precision.into()),
        ("lanes", lanes.into()),
        ("results", if rows { "rows" } else { "lanes" }.into()),
        ("threads", threads.into()),
        ("batch", batch.into()),
        ("ns_per_state", timing.ns_per_state.into()),
        ("states_per_core_second", (per_core.round() as u64).into()),
    ])
}

/// An arm of seven joints on the world.
fn arm() -> ModelBuilder {
    let mut b = ModelBuilder::new("arm");
    let (mut last, mut at): (Link, Vec3) = (WORLD, Vec3::zero());
    for (name, axis, [x, y, z], mass) in [
        ("shoulder_yaw", Vec3::z_axis(), [0.0, 0.0, 0.15], 4.1),
        ("shoulder_pitch", Vec3::y_axis(), [0.0, 0.0, 0.19], 4.0),
        ("upper_arm_roll", Vec3::z_axis(), [0.0, 0.0, 0.21], 3.2),
        ("elbow_pitch", Vec3::y_axis(), [0.0, 0.0, 0.19], 2.9),
        ("forearm_roll", Vec3::z_axis(), [0.0, 0.0, 0.21], 1.9),
        ("wrist_pitch", Vec3::y_axis(), [0.0, 0.06, 0.19], 1.5),
        ("wrist_roll", Vec3::z_axis(), [0.0, 0.08, 0.06], 0.7),
    ] {
        at += Vec3::new(x, y, z);
        let body = Body::new(name).at(Pose::from_position(at)).com(Vec3::new(0.01, 0.02, 0.05));
        let body = b.body(body.solid_box(mass, Vec3::new(0.06, 0.05, 0.12)));
        b.joint(Joint::revolute(format!("{name}_joint"), last, body).placed(at, axis));
        last = body.into();
    }
    b
}
