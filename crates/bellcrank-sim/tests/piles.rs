//! Many loose bodies: a broad phase instead of slots, and a bounded list of contacts.

use crate::common::{bits, built};
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::library::{Pile, Solid};
use bellcrank_model::{Body, Geometry, HeightField, ModelBuilder, Shape, WORLD};
use bellcrank_sim::{Batch, BatchOptions, Precision, WorldStatus};
use std::sync::Arc;

/// Two layers of 5 × 5, enough loose pairs to be a pile.
fn cubes_and_balls() -> Pile {
    Pile { layers: vec![Solid::Cube, Solid::Capsule], ..Pile::default() }
}

fn options(dt: f64) -> BatchOptions {
    BatchOptions { dt: Some(dt), ..BatchOptions::default() }
}

/// Where the contacts of a pile do not fit, the world says so, and goes on.
#[test]
fn contacts_without_room_are_reported() {
    let model = built(cubes_and_balls().builder());
    let mut b = Batch::new(model, 1, BatchOptions { contact_capacity: Some(20), ..options(0.002) }).unwrap();
    let report = b.step(100);
    let WorldStatus::ContactsDropped { wanted, capacity } = report.status[0] else {
        panic!("{:?}", report.status)
    };
    assert!(wanted > 20 && capacity == 20, "{wanted} {capacity}");
}

/// A pile resumes bit for bit, its list of reactions included; other worlds and threads do not matter.
#[test]
fn a_pile_resumes_bit_for_bit() {
    let model = built(cubes_and_balls().builder());
    let mut b = Batch::new(model.clone(), 2, BatchOptions { threads: 2, ..options(0.002) }).unwrap();
    b.step(60);
    let blob = b.snapshot();
    b.step(20);
    let after = bits(&b, 0);
    let mut other = Batch::new(model, 2, options(0.002)).unwrap();
    other.restore(&blob).unwrap();
    other.step(20);
    assert_eq!(after, bits(&other, 0));
}

/// Cubes, capsules and balls fall, hit and come to rest, and all but a few steps in a hundred meet their tolerance; at rest, all
/// do. Nobody sinks in: what is deeper than the recovery of a few steps was never held.
#[test]
fn a_falling_pile_meets_its_tolerance() {
    for precision in [Precision::F64, Precision::F32] {
        let model = built(Pile::small().builder());
        let mut b = Batch::new(model, 1, BatchOptions { precision, ..options(0.002) }).unwrap();
        let met = b.step(500).converged[0];
        assert!(met >= 490, "{precision:?}: {met} of 500 steps");
        let report = b.step(100);
        assert_eq!(report.converged[0], 100, "{precision:?}, at rest");
        assert!(report.penetration[0] < 1e-4, "{precision:?}: {} m deep", report.penetration[0]);
    }
}

/// Flat terrain of triangles: a ball that rolls and a box that slides without friction keep their speed, as on a plane.
/// Catching on an inner edge would cost a share of it at once.
#[test]
fn nothing_catches_on_inner_edges() {
    let field = HeightField { rows: 41, columns: 41, size: [4.0, 4.0], heights: vec![0.0; 41 * 41] };
    let mut m = ModelBuilder::new("flat");
    m.shape(Shape::new("ground", WORLD, Geometry::HeightField(Arc::new(field))).friction(0.0));
    let turned = Quat::from_axis_angle(Vec3::z_axis(), 0.3);
    let half = Vec3::new(0.1, 0.1, 0.1);
    let cube = m
        .body(Body::new("cube").at(Pose::new(turned, Vec3::new(-1.5, 0.53, 0.1))).solid_box(1.0, half * 2.0));
    m.shape(Shape::new("cube", cube, Geometry::Box { half }).friction(0.0));
    let ball = m.body(Body::new("ball").at(Pose::translation(-1.5, -0.47, 0.1)).solid_sphere(1.0, 0.1));
    m.shape(Shape::new("ball", ball, Geometry::Sphere { radius: 0.1 }).friction(0.0));
    let mut b = Batch::new(built(m), 1, options(0.002)).unwrap();
    for body in 0..2 {
        let V = bellcrank_math::Twist::new(Vec3::new(1.5, 0.2, 0.0), Vec3::zero());
        b.set_body_velocity(0, body, V).unwrap();
    }
    b.step(900); // 2.7 m, over 27 cells
    for body in 0..2 {
        let (V, p) = (b.body_velocity(0, body).unwrap(), b.body_pose(0, body).unwrap().p);
        let lost = V.linear - Vec3::new(1.5, 0.2, 0.0);
        assert!(lost.norm() < 1e-3 && (p.z - 0.1).abs() < 1e-4, "{body}: {V:?} {p:?}");
    }
}

/// A ball on hills, no friction: what it loses in height it has in speed, up to what the facets of the terrain take where
/// they bend (1 % here), and it never gains.
#[test]
fn a_ball_runs_over_hills() {
    let at = |k: usize| 0.05 * (k as f64 - 40.0);
    let heights = (0..81 * 81).map(|k| 0.05 * (2.0 * at(k % 81)).cos()).collect();
    let field = HeightField { rows: 81, columns: 81, size: [4.0, 4.0], heights };
    let mut m = ModelBuilder::new("hills");
    m.shape(Shape::new("ground", WORLD, Geometry::HeightField(Arc::new(field))).friction(0.0));
    let ball = m.body(Body::new("ball").at(Pose::translation(0.0, 0.013, 0.1501)).solid_sphere(1.0, 0.1));
    m.shape(Shape::new("ball", ball, Geometry::Sphere { radius: 0.1 }).friction(0.0));
    let mut b = Batch::new(built(m), 1, options(0.001)).unwrap();
    let V = bellcrank_math::Twist::new(Vec3::new(0.5, 0.0, 0.0), Vec3::zero());
    b.set_body_velocity(0, 0, V).unwrap();
    let start = b.energy(0).unwrap();
    let mut most = start;
    for _ in 0..50 {
        b.step(40);
        most = most.max(b.energy(0).unwrap());
    }
    let end = b.energy(0).unwrap();
    // the valley is 0.1 m deep: 0.98 J change hands
    assert!(most < start + 2e-3 && end > start - 0.1, "{start} {most} {end}");
}
