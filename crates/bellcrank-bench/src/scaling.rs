//! `bellcrank-bench worlds|chain`: what a world-step costs against the number of worlds and the number of links.

use crate::case::{Case, Motion, measure};
use crate::{Bench, Record, options, shipped};
use bellcrank::model::{Model, library};
use bellcrank::sim::Precision;
use bellcrank_cli::Error;
use std::sync::Arc;

const BOTH: [Precision; 2] = [Precision::F32, Precision::F64];

/// Bipeds that stand: 1 to 8,192 of them, on one thread and on all.
pub fn worlds(bench: &Bench) -> Result<Vec<Record>, Error> {
    let (model, mut cases) = (shipped("hybrid_biped")?, Vec::new());
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    let counts = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192];
    for precision in BOTH {
        for threads in if cores > 1 { vec![1, cores] } else { vec![1] } {
            for count in counts {
                let name = format!("{count} worlds");
                cases.push(case(name, vec![model.clone(); count], precision, threads));
            }
        }
    }
    measure(bench, cases)
}

/// Hanging chains of 10 to 200 links: cost and memory per link.
pub fn chain(bench: &Bench) -> Result<Vec<Record>, Error> {
    let mut cases = Vec::new();
    for precision in BOTH {
        for links in [10, 20, 50, 100, 200] {
            let chain = library::Chain { links, ..library::Chain::default() };
            let model = Arc::new(chain.builder().build().map_err(Error::Faults)?);
            cases.push(case(format!("{links} links"), vec![model; 64], precision, 1));
        }
    }
    let mut records = measure(bench, cases)?;
    for record in &mut records {
        let links = record.leading_number("model");
        let nanoseconds = 1e9 / record.number("world_steps_per_core_second") / links;
        record.0.push(("nanoseconds_per_link", nanoseconds.round().into()));
        record.0.push((
            "memory_bytes_per_link",
            (record.number("memory_bytes_per_world") / links).round().into(),
        ));
    }
    Ok(records)
}

fn case(name: String, worlds: Vec<Arc<Model>>, precision: Precision, threads: usize) -> Case {
    Case {
        name,
        solver: "padmm",
        worlds,
        options: options(precision, threads),
        motion: Motion::Hold,
        settle: 10,
    }
}
