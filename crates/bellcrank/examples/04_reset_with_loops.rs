//! Resets that really close: some worlds go to random poses, the others on. Twin of `examples/04_reset_with_loops.py`.

use bellcrank::prelude::*;
use bellcrank::tasks::Random;
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let model = library::four_bar().build()?;
    let crank = model.joints()[0].name.clone();
    let mut batch = Batch::new(model.into(), 256, BatchOptions::default())?;
    batch.step(25);

    let mut random = Random::new(0, 0, 0);
    let done: Vec<usize> = (0..256).filter(|_| random.unit() < 0.25).collect(); // the episodes that ended
    let mut angles = Vec::new();
    for world in &done {
        angles.push(batch.joint_position(*world)?[0] + random.between(-0.6, 0.6));
    }
    let ok = batch.assemble(&done, &[(&crank, &angles)])?;
    println!(
        "{} of {} worlds were assembled at random crank angles",
        ok.iter().filter(|ok| **ok).count(),
        ok.len()
    );
    assert!(ok.iter().all(|ok| *ok));
    for (world, angle) in done.iter().zip(&angles) {
        assert!((batch.joint_position(*world)?[0] - angle).abs() < 1e-6);
    }

    let bytes = batch.snapshot();
    let report = batch.step(100);
    let first = batch.joint_position(0)?;
    batch.restore(&bytes)?;
    batch.step(100);
    assert_eq!(batch.joint_position(0)?, first); // bit for bit
    assert!(report.loop_gap.iter().all(|gap| gap.0 < 1e-6));
    Ok(())
}
