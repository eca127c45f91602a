//! A thousand different linkages in one batch: which crank makes its rocker swing furthest? Twin of
//! `examples/03_thousand_linkages.py`.

use bellcrank::prelude::*;
use bellcrank::sim::Quantity;
use std::error::Error;
use std::f64::consts::PI;
use std::sync::Arc;

const COUNT: usize = 1000;
const GROUND: f64 = 0.45; // [m]
const COUPLER: f64 = 0.50;
const ROCKER: f64 = 0.40;

/// A four-bar with this crank length [m].
fn linkage(crank: f64) -> Result<Model, Faults> {
    let (elbow, far) = (Vec3::new(0.0, 0.0, crank), Vec3::new(GROUND, 0.0, 0.0));
    let d = GROUND.hypot(crank);
    let x = (d * d + COUPLER * COUPLER - ROCKER * ROCKER) / (2.0 * d);
    let along = (far - elbow) * (1.0 / d);
    let across = Vec3::new(-along.z, 0.0, along.x);
    let knee = elbow + along * x + across * (COUPLER * COUPLER - x * x).sqrt();
    let mut b = ModelBuilder::new(format!("crank {crank:.3} m"));
    for (name, middle) in
        [("crank", elbow * 0.5), ("coupler", (elbow + knee) * 0.5), ("rocker", (far + knee) * 0.5)]
    {
        b.body(Body::new(name).at(Pose::from_position(middle)).solid_sphere(0.2, 0.1));
    }
    b.joint(Joint::revolute("motor", WORLD, "crank").placed(Vec3::zero(), Vec3::y_axis()));
    b.joint(Joint::revolute("elbow", "crank", "coupler").placed(elbow, Vec3::y_axis()));
    b.joint(Joint::revolute("knee", "coupler", "rocker").placed(knee, Vec3::y_axis()));
    b.joint(Joint::revolute("ground", WORLD, "rocker").placed(far, Vec3::y_axis()));
    b.actuator(Actuator::velocity("drive", "motor", 20.0));
    b.build()
}

/// What geometry says about the rocker's swing [rad]: its angle where crank and coupler are in line, twice.
fn swing(crank: f64) -> f64 {
    let angle =
        |reach: f64| ((GROUND * GROUND + ROCKER * ROCKER - reach * reach) / (2.0 * GROUND * ROCKER)).acos();
    angle(COUPLER + crank) - angle(COUPLER - crank)
}

fn main() -> Result<(), Box<dyn Error>> {
    let crank = |k: usize| 0.05 + 0.25 * k as f64 / (COUNT - 1) as f64;
    let models: Result<Vec<Arc<Model>>, Faults> =
        (0..COUNT).map(|k| linkage(crank(k)).map(Arc::new)).collect();
    let mut batch = Batch::of(&models?, BatchOptions { threads: 0, ..BatchOptions::default() })?;
    batch.write(Quantity::TargetVelocity, &[4.0 * PI; COUNT])?; // two turns per second
    let (mut lowest, mut highest, mut worst) = ([f64::INFINITY; COUNT], [f64::NEG_INFINITY; COUNT], 0.0_f64);
    let mut q = vec![0.0; 4 * COUNT];
    for _ in 0..150 {
        worst = batch.step(1).loop_gap.iter().fold(worst, |worst, gap| worst.max(gap.0));
        batch.read(Quantity::JointPosition, &mut q)?;
        for (k, joints) in q.chunks_exact(4).enumerate() {
            (lowest[k], highest[k]) = (lowest[k].min(joints[3]), highest[k].max(joints[3])); // the rocker's
        }
    }
    let measured = |k: usize| highest[k] - lowest[k];
    let best = (0..COUNT).max_by(|a, b| measured(*a).total_cmp(&measured(*b))).unwrap_or(0);
    let off = (0..COUNT).map(|k| (measured(k) - swing(crank(k))).abs()).fold(0.0, f64::max);
    println!("crank {:.3} m swings its rocker by {:.1}°", crank(best), measured(best).to_degrees());
    println!("largest loop gap {worst:.1e} m, largest difference from geometry {off:.1e} rad");
    assert!(worst < 1e-6 && off < 0.02); // sampled every 4 ms
    Ok(())
}
