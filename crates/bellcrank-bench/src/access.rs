//! `bellcrank-bench access`: what it costs to look at worlds and to change them, beside a step of all of them.

use crate::{Bench, Record, options, shipped};
use bellcrank::sim::{Batch, BatchError, Precision, Quantity};
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
    ("energy of all", |batch, _| batch.energy_of(&everyone()).map(drop)),
    ("mass and friction of 40 worlds drawn anew", |batch, seed| {
        let some: Vec<usize> = (0..CHANGED).map(|k| (k * 25 + seed as usize) % WORLDS).collect();
        let ranges = [(Quantity::BodyMass, [0.9, 1.1]), (Quantity::Friction, [0.5, 1.5])];
        batch.randomize(seed, &ranges, &some)
    }),
    ("spread of what is spread", |batch, _| batch.spread(Quantity::BodyMass)),
    ("poses of all", |batch, _| {
        let mut poses = vec![0.0; WORLDS * batch.width(Quantity::BodyPosition)];
        batch.read(Quantity::BodyPosition, &mut poses)
    }),
];

fn everyone() -> Vec<usize> {
    (0..WORLDS).collect()
}

/// 1,024 bipeds in 32 bits on one thread.
pub fn run(bench: &Bench) -> Result<Vec<Record>, Error> {
    let model = shipped("hybrid_biped")?;
    let mut batch = Batch::new(model, WORLDS, options(Precision::F32, 1)).map_err(Error::Batch)?;
    batch.spread(Quantity::BodyMass).map_err(Error::Batch)?;
    batch.spread(Quantity::Friction).map_err(Error::Batch)?;
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
