//! `bellcrank-bench access`: what it costs to look at worlds and to change them, beside a step of all of them.

use crate::{Bench, Record, options, shipped};
use bellcrank::sim::{Batch, BatchError, Parameter, Precision};
use bellcrank_cli::{Error, cpu_seconds};

const WORLDS: usize = 1024;
/// As many as fall and start anew in a usual step of learning.
const CHANGED: usize = 40;

/// Something that is done to a batch; the number differs from call to call.
type Act = fn(&mut Batch, u64) -> Result<(), BatchError>;

const ACTS: [(&str, Act); 5] = [
    ("one step of all", |batch, _| {
        batch.advance(1);
        Ok(())
    }),
    ("energy of all", |batch, _| batch.ask_worlds(&everyone(), |b, world| b.energy(world)).map(drop)),
    ("mass and friction of 40 worlds drawn anew", |batch, seed| {
        let some: Vec<usize> = (0..CHANGED).map(|k| (k * 25 + seed as usize) % WORLDS).collect();
        let ranges = [(Parameter::BodyMass, [0.9, 1.1]), (Parameter::Friction, [0.5, 1.5])];
        batch.randomize(seed, &ranges, &some)
    }),
    ("spread of what is spread", |batch, _| {
        batch.spread(Parameter::BodyMass);
        Ok(())
    }),
    ("poses of all", |batch, _| {
        let mut poses = vec![0.0; WORLDS * batch.width(bellcrank::sim::Field::BodyPosition)];
        batch.read(bellcrank::sim::Field::BodyPosition, &mut poses)
    }),
];

fn everyone() -> Vec<usize> {
    (0..WORLDS).collect()
}

/// 1,024 bipeds in 32 bits on one thread.
pub fn run(bench: &Bench) -> Result<Vec<Record>, Error> {
    let model = shipped("hybrid_biped")?;
    let mut batch = Batch::new(model, WORLDS, options(Precision::F32, 1)).map_err(Error::Batch)?;
    batch.spread(Parameter::BodyMass);
    batch.spread(Parameter::Friction);
    batch.advance(30);
    let mut records = Vec::new();
    for (what, act) in ACTS.into_iter().filter(|(what, _)| bench.wants(what)) {
        act(&mut batch, 0).map_err(Error::Batch)?;
        let (start, mut calls) = (cpu_seconds(), 0);
        while cpu_seconds() - start < bench.seconds {
            calls += 1;
            act(&mut batch, calls).map_err(Error::Batch)?;
        }
        let milliseconds = 1e3 * (cpu_seconds() - start) / calls as f64;
        records.push(Record(vec![("what", what.into()), ("milliseconds", milliseconds.into())]));
    }
    Ok(records)
}
