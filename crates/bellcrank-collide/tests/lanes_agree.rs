//! A lane gives the bits of the scalar, at every instruction set, for every pair and in awkward poses.

use crate::common::*;
use bellcrank_math::{LaneJob, Level, Pose, Vec3};
use bellcrank_model::Geometry;

/// Random poses close enough to touch, and aligned, coincident and far ones.
fn worlds(fixed: bool) -> Vec<[Pose; 2]> {
    let mut dice = Dice::new(3);
    let mut worlds: Vec<[Pose; 2]> = Vec::new();
    for i in 0..150 {
        let near = if i % 5 == 0 { 1.0 } else { 0.15 };
        let a = if fixed { Pose::identity() } else { dice.pose(0.5) };
        let at = Pose::new(dice.rotation(), dice.vector(near));
        worlds.push([a, Pose::new(at.R, a.p + at.p)]);
    }
    for z in [0.0, 0.05, 0.1, 0.14999, 0.2] {
        worlds.push([Pose::identity(), Pose::translation(0.0, 0.0, z)]);
        worlds.push([Pose::identity(), Pose::from_position(Vec3::new(z, 0.5 * z, 0.0))]);
    }
    worlds
}

fn check(a: &Geometry, b: &Geometry, name: &str) {
    let scene = Scene::new(a, b);
    let worlds = worlds(is_fixed(a));
    let job = || Bits { scene: &scene, worlds: &worlds, reach: 0.01 };
    let double = LaneJob::<f64>::run::<f64>(job());
    let single = LaneJob::<f32>::run::<f32>(job());
    let touching = double.iter().filter(|row| row.iter().any(Option::is_some)).count();
    assert!(touching > 20, "{name}: only {touching} worlds touch, the test says little");
    for x in double.iter().chain(&single).flatten().flatten().flatten() {
        assert!(f64::from_bits(*x).is_finite(), "{name} is not finite");
    }
    for level in Level::ALL.into_iter().filter(|level| level.available()) {
        assert!(level.f64(job()) == double, "{name} in f64 differs at {level}");
        assert!(level.f32(job()) == single, "{name} in f32 differs at {level}");
    }
}

#[test]
fn every_pair_gives_the_same_bits_in_every_lane() {
    let solids = solids();
    for (i, (name, geometry)) in solids.iter().enumerate() {
        check(&Geometry::Plane, geometry, &format!("plane and {name}"));
        for (other_name, other) in &solids[i..] {
            if !Scene::new(geometry, other).plan.pairs().is_empty() {
                check(geometry, other, &format!("{name} and {other_name}"));
            }
        }
    }
}
