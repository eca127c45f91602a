//! What stands on something: stacks and towers (notes: acceptance cases 8 and 9 of [Kamino]'s own tests).

use crate::common::built;
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::{Body, Geometry, ModelBuilder, Shape, WORLD};
use bellcrank_sim::{Batch, BatchOptions};

/// One world, one value per number: lanes would only repeat it.
fn scalar(model: ModelBuilder, dt: f64) -> Batch {
    Batch::new(built(model), 1, BatchOptions { dt: Some(dt), scalar: true, ..BatchOptions::default() })
        .unwrap()
}

/// A ball of 100 kg on one of 1 kg on the ground: the contacts carry 100 g and 101 g.
#[test]
fn a_heavy_ball_stands_on_a_light_one() {
    let mut m = ModelBuilder::new("balls");
    m.shape(Shape::new("ground", WORLD, Geometry::Plane));
    for (name, mass, z) in [("light", 1.0, 0.1), ("heavy", 100.0, 0.3)] {
        let ball = m.body(Body::new(name).at(Pose::translation(0.0, 0.0, z)).solid_sphere(mass, 0.1));
        m.shape(Shape::new(name, ball, Geometry::Sphere { radius: 0.1 }));
    }
    let mut b = scalar(m, 0.002);
    let report = b.step(100);
    assert_eq!(report.converged[0], 100);
    let mut forces: Vec<f64> = b.contacts(0).unwrap().iter().map(|c| c.force.dot(c.normal)).collect();
    forces.sort_by(f64::total_cmp);
    // [Kamino] allows 2 %; a solved problem has the solver's tolerance: 1e-6 m/s of 100 kg in 2 ms are 0.05 N
    for (force, mass) in forces.iter().zip([100.0, 101.0]) {
        assert!((force - mass * 9.81).abs() < 0.05, "{forces:?}");
    }
}

/// Six layers of two planks each, crosswise: after 50 ms nothing has sunk 15 mm or moved 10 mm aside.
#[test]
fn a_tower_of_planks_stands() {
    let (long, high, wide) = (0.30, 0.02, 0.06);
    let size = Vec3::new(long, wide, high);
    let mut m = ModelBuilder::new("planks");
    m.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(0.5));
    for layer in 0..6 {
        for side in [-1.0, 1.0] {
            let (z, aside) = ((layer as f64 + 0.5) * high, side * 0.12);
            let turned = layer % 2 == 1;
            let place = match turned {
                false => Pose::translation(0.0, aside, z),
                true => {
                    let quarter = Quat::from_axis_angle(Vec3::z_axis(), std::f64::consts::FRAC_PI_2);
                    Pose::new(quarter, Vec3::new(aside, 0.0, z))
                }
            };
            let name = format!("plank_{layer}_{}", if side < 0.0 { "a" } else { "b" });
            let plank = m.body(Body::new(&name).at(place).solid_box(1000.0 * long * high * wide, size));
            m.shape(Shape::new(&name, plank, Geometry::Box { half: size * 0.5 }).friction(0.5));
        }
    }
    let mut b = scalar(m, 0.002);
    let before: Vec<Vec3> = (0..12).map(|p| b.body_pose(0, p).unwrap().p).collect();
    let report = b.step(25);
    for (p, start) in before.iter().enumerate() {
        let moved = b.body_pose(0, p).unwrap().p - *start;
        assert!(-moved.z < 0.015 && moved.x.hypot(moved.y) < 0.010, "plank {p}: {moved:?}");
        // hard contact: it stands where it was put, to a tenth of a millimetre
        assert!(moved.norm() < 1e-4, "plank {p}: {moved:?}");
    }
    assert!(report.penetration[0] < 1e-4, "{:?}", report.penetration);
    // the ground carries all of it
    let weight = 12.0 * 1000.0 * long * high * wide * 9.81;
    let carried: f64 = b.contacts(0).unwrap().iter().filter(|c| c.body_a.is_none()).map(|c| c.force.z).sum();
    assert!((carried - weight).abs() < 0.01 * weight, "{carried} against {weight}");
}
