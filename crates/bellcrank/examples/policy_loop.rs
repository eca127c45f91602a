//! What a policy does, without a policy: write targets, step once, read joint positions, and so on. Prints
//! world-steps per second; `benches/python_overhead.py` compares it with the same loop in Python.
//!
//! ```sh
//! cargo run --release --example policy_loop -- hybrid_biped 1024 20
//! ```

use bellcrank::prelude::*;
use bellcrank::sim::Field;
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
        BatchOptions { dt: 0.004, precision: Precision::F32, threads: 0, ..BatchOptions::default() };
    let mut batch = Batch::new(model.into(), worlds, options)?;
    let room = |batch: &Batch, field| vec![0.0_f32; worlds * batch.width(field)];
    let mut targets = room(&batch, Field::TargetPosition);
    let mut q = room(&batch, Field::JointPosition);
    batch.read_f32(Field::TargetPosition, &mut targets)?;
    batch.step(2);
    let begin = Instant::now();
    for k in 0..steps {
        targets.iter_mut().for_each(|x| *x += if k % 2 == 0 { 1e-3 } else { -1e-3 });
        batch.write_f32(Field::TargetPosition, &targets)?;
        batch.step(1);
        batch.read_f32(Field::JointPosition, &mut q)?;
    }
    println!("{}", (worlds * steps) as f64 / begin.elapsed().as_secs_f64());
    assert!(q.iter().all(|x| x.is_finite()));
    Ok(())
}
