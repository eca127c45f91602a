//! Randomised robots: every world has its own masses. Twin of `examples/06_randomised_masses.py`.

use bellcrank::model::BodyId;
use bellcrank::prelude::*;
use bellcrank::tasks::Random;
use std::error::Error;
use std::sync::Arc;

const WORLDS: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let model = Arc::new(library::hybrid_biped().build()?);
    let mut batch =
        Batch::new(model.clone(), WORLDS, BatchOptions { threads: 0, ..BatchOptions::default() })?;
    // one factor per world and body; the inertia changes with the mass
    batch.change_parameters(0, |p| {
        for b in 0..model.bodies().len() {
            for (world, body) in p.body_mut(BodyId::new(b)).spread(WORLDS).iter_mut().enumerate() {
                let factor = Random::new(1, world, b as u64).between(0.8, 1.2);
                (body.mass, body.inertia) = (body.mass * factor, body.inertia * factor);
            }
        }
    })?;
    let masses: Vec<f64> = (0..WORLDS)
        .map(|world| {
            let bodies = (0..model.bodies().len()).map(BodyId::new);
            batch.parameters(0).map(|p| bodies.map(|b| p.body(b).get(world).mass).sum())
        })
        .collect::<Result<_, _>>()?;
    println!("{:.2} to {:.2} kg; as designed {:.2} kg", least(&masses), most(&masses), model.mass());

    let report = batch.step(250);
    let pelvis = model.body_id("pelvis").ok_or("the biped has a pelvis")?.index();
    let heights: Vec<f64> = (0..WORLDS)
        .map(|world| batch.body_pose(world, pelvis).map(|X_WB| X_WB.p.z))
        .collect::<Result<_, _>>()?;
    let gap = report.loop_gap.iter().fold(0.0_f64, |worst, gap| worst.max(gap.0));
    println!("after 1 s they stand {:.3} to {:.3} m tall", least(&heights), most(&heights));
    println!("loops are closed to {gap:.1e} m");
    assert!(gap < 1e-6);
    let mut sorted = heights.clone();
    sorted.sort_by(f64::total_cmp);
    sorted.dedup();
    assert_eq!(sorted.len(), WORLDS); // no two alike
    Ok(())
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}
