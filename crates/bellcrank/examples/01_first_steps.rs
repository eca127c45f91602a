//! First steps: load a robot, step many worlds of it, read arrays. Twin of `examples/01_first_steps.py`.

use bellcrank::prelude::*;
use bellcrank::sim::Quantity;
use std::error::Error;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let model = Arc::new(library::hybrid_biped().build()?);
    println!(
        "{}: {:.1} kg, {} freedoms, {} loops",
        model.name(),
        model.mass(),
        model.mobility(),
        model.loops().len()
    );

    let options = BatchOptions { dt: Some(0.004), precision: Precision::F32, ..BatchOptions::default() };
    let mut batch = Batch::new(model.clone(), 64, options)?;
    let report = batch.step(50); // all worlds, 0.2 s; the motors hold the reference pose

    let mut positions = vec![0.0_f32; 64 * batch.width(Quantity::BodyPosition)];
    batch.read(Quantity::BodyPosition, &mut positions)?;
    let gap = report.loop_gap.iter().fold(0.0_f64, |most, gap| most.max(gap.0));
    println!("loops are closed to {gap:.1e} m");
    assert!(gap < 1e-4);
    let row = positions.len() / 64;
    assert!(positions.chunks_exact(row).all(|world| world == &positions[..row])); // equal worlds stay equal
    Ok(())
}
