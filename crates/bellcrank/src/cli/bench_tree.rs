//! `bellcrank bench tree`: nanoseconds per state of the tree's operators.

use super::bench::{Bench, Record};
use super::{Error, bench_models};
use bellcrank::import::to_urdf;
use bellcrank::math::Level;
use bellcrank::model::Model;
use bellcrank::tree::measure::{Contestant, OPERATORS, Settings, Timing, measure};

pub fn run(bench: &Bench) -> Result<Vec<Record>, Error> {
    let models = bench_models::all().map_err(Error::Faults)?;
    let mut records = Vec::new();
    for model in &models {
        write_urdf(bench, model)?;
        let whole = bench.wants(model.name());
        let operators = OPERATORS.into_iter().filter(|operator| whole || bench.wants(operator)).collect();
        let settings =
            Settings { batch: bench.batch.max(1), seconds: bench.seconds, operators, ..Settings::default() };
        let timings = measure(model, &settings).map_err(Error::Tree)?;
        records.extend(timings.iter().map(|timing| record(model, bench.batch.max(1), timing)));
    }
    Ok(records)
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

fn write_urdf(bench: &Bench, model: &Model) -> Result<(), Error> {
    let Some(folder) = &bench.urdf else { return Ok(()) };
    let path = folder.join(format!("{}.urdf", model.name()));
    std::fs::write(&path, to_urdf(model).text).map_err(|error| Error::Write(path, error))
}
