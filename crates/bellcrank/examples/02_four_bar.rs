//! A four-bar that stays closed: built from bars and hinges, no tree to author. Twin of `examples/02_four_bar.py`.

use bellcrank::prelude::*;
use std::error::Error;
use std::f64::consts::TAU;

/// Crank 0.2 m, coupler 0.5 m, rocker 0.4 m, on ground pivots 0.45 m apart, in the x–z plane.
fn four_bar() -> Result<Model, Faults> {
    let (ground, far) = (Vec3::zero(), Vec3::new(0.45, 0.0, 0.0));
    let elbow = Vec3::new(0.0, 0.0, 0.2); // the crank stands upright at the reference pose
    let knee = circles((elbow, 0.5), (far, 0.4));
    let mut b = ModelBuilder::new("four_bar");
    for (name, start, end) in [("crank", ground, elbow), ("coupler", elbow, knee), ("rocker", far, knee)] {
        let length = (end - start).norm();
        let middle = Pose::from_position((start + end) * 0.5);
        b.body(Body::new(name).at(middle).solid_sphere(length, length / 3.0));
    }
    b.joint(Joint::revolute("motor", WORLD, "crank").placed(ground, Vec3::y_axis()));
    b.joint(Joint::revolute("elbow", "crank", "coupler").placed(elbow, Vec3::y_axis()));
    b.joint(Joint::revolute("knee", "coupler", "rocker").placed(knee, Vec3::y_axis()));
    b.joint(Joint::revolute("ground", WORLD, "rocker").placed(far, Vec3::y_axis()));
    b.actuator(Actuator::velocity("drive", "motor", 5.0));
    b.build()
}

/// Where two circles in the x–z plane meet, the upper point.
fn circles((a, radius_a): (Vec3, f64), (b, radius_b): (Vec3, f64)) -> Vec3 {
    let along = b - a;
    let d = along.norm();
    let x = (d * d + radius_a * radius_a - radius_b * radius_b) / (2.0 * d);
    let across = Vec3::new(-along.z, 0.0, along.x) * (1.0 / d);
    a + along * (x / d) + across * (radius_a * radius_a - x * x).sqrt()
}

fn main() -> Result<(), Box<dyn Error>> {
    let model = four_bar()?;
    assert_eq!((model.loops().len(), model.mobility()), (1, 1));
    let mut batch = Batch::new(model.into(), 1, BatchOptions { dt: Some(0.002), ..BatchOptions::default() })?;
    batch.set_target_velocity(0, 0, TAU)?; // one turn per second
    let (mut turns, mut last, mut worst) = (0.0, 0.0, 0.0_f64);
    for _ in 0..200 {
        worst = worst.max(batch.step(10).loop_gap[0].0);
        let angle = batch.joint_position(0)?[0];
        let moved = angle - last;
        turns += (moved - TAU * (moved / TAU).round()) / TAU;
        last = angle;
    }
    println!("{turns:.2} turns in 4 s; the loop was never open by more than {worst:.1e} m");
    assert!(worst < 1e-6 && (3.5..4.1).contains(&turns));
    Ok(())
}
