//! Five layers of 5 × 5 cubes, cylinders, ellipsoids, capsules and balls fall on a plane: two seconds at 2 ms. Ends in checks:
//! hardly any penetration, nothing through the floor, and all at rest: they resist rolling like soft foam (10 mm), since
//! what is round would roll on for ever otherwise.
//!
//! `cargo run --release -p bellcrank --example pile_drop`; minutes without optimisation.

use bellcrank::model::library::Pile;
use bellcrank::sim::{Batch, BatchOptions, WorldStatus};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = Pile { rolling: 0.01, ..Pile::default() }.builder().build()?;
    let count = model.bodies().len();
    let mut batch = Batch::new(model.into(), 1, BatchOptions { dt: Some(0.002), ..BatchOptions::default() })?;
    let (mut sum, mut contacts, mut deepest, mut exact) = (0.0, 0, 0.0_f64, 0);
    for _ in 0..100 {
        let report = batch.step(10);
        assert!(!matches!(report.status[0], WorldStatus::Frozen { .. }), "{:?}", report.status);
        deepest = deepest.max(report.penetration[0]);
        exact += report.converged[0];
        for contact in batch.contacts(0)?.iter().filter(|contact| contact.force.norm() > 0.0) {
            sum += contact.depth.max(0.0);
            contacts += 1;
        }
    }
    let mean = sum / f64::from(contacts);
    let (mut fastest, mut lowest) = (0.0_f64, f64::INFINITY);
    for body in 0..count {
        fastest = fastest.max(batch.body_velocity(0, body)?.linear.norm());
        lowest = lowest.min(batch.body_pose(0, body)?.p.z);
    }
    println!("{count} solids: depth {:.1} µm on average, {:.0} µm at most", mean * 1e6, deepest * 1e6);
    println!("fastest at the end {fastest:.3} m/s; {exact} of 1000 steps met all tolerances");
    assert!(mean < 2e-4 && lowest > 0.015, "{mean} m, {lowest} m");
    assert!(fastest < 0.01, "something still moves at {fastest} m/s");
    Ok(())
}
