//! What a policy does, without a policy: write targets, step once, read joint positions, and so on. Prints
//! world-steps per second, and per second of processor time; `benches/python_overhead.py` compares it with the same loop in Python.
//!
//! ```sh
//! cargo run --release -p bellcrank --example policy_loop -- hybrid_biped 1024 20
//! ```

use bellcrank::prelude::*;
use bellcrank::sim::Quantity;
use std::error::Error;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let words: Vec<String> = std::env::args().collect();
    let name = words.get(1).map_or("cartpole", String::as_str);
    let number =
        |k: usize, fallback: usize| words.get(k).and_then(|word| word.parse().ok()).unwrap_or(fallback);
    let (worlds, steps) = (number(2, 4096), number(3, 100));
    let model = library::by_name(name).ok_or("there is no such mechanism")?.build()?;
    let options =
        BatchOptions { dt: Some(0.004), precision: Precision::F32, threads: 0, ..BatchOptions::default() };
    let mut batch = Batch::new(model.into(), worlds, options)?;
    let room = |batch: &Batch, field| vec![0.0_f32; worlds * batch.width(field)];
    let mut targets = room(&batch, Quantity::TargetPosition);
    let mut q = room(&batch, Quantity::JointPosition);
    batch.read(Quantity::TargetPosition, &mut targets)?;
    batch.step(2);
    let (begin, work) = (Instant::now(), processor_seconds());
    for k in 0..steps {
        targets.iter_mut().for_each(|x| *x += if k % 2 == 0 { 1e-3 } else { -1e-3 });
        batch.write(Quantity::TargetPosition, &targets)?;
        batch.advance(1);
        batch.read(Quantity::JointPosition, &mut q)?;
    }
    let total = (worlds * steps) as f64;
    println!("{} {}", total / begin.elapsed().as_secs_f64(), total / (processor_seconds() - work).max(0.01));
    assert!(q.iter().all(|x| x.is_finite()));
    Ok(())
}

/// Processor time of all threads so far [s]; zero where the system does not tell.
fn processor_seconds() -> f64 {
    let Ok(text) = std::fs::read_to_string("/proc/self/stat") else { return 0.0 };
    // fields 14 and 15 after the name in brackets, in ticks of 1/100 s
    let Some((_, fields)) = text.rsplit_once(')') else { return 0.0 };
    fields.split_whitespace().skip(11).take(2).filter_map(|x| x.parse::<f64>().ok()).sum::<f64>() / 100.0
}
