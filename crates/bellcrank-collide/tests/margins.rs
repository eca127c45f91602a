//! Margins move the resting surface, gaps only decide what is listed.

use crate::common::*;
use bellcrank_collide::{ContactPlan, Contacts, ShapeData, collide};
use bellcrank_math::Pose;
use bellcrank_model::{Body, Geometry, ModelBuilder, Parameters, Shape, WORLD};

/// A ball of radius 0.1 with its centre at height z over a plane: the distance less the margins, where listed.
fn listed(z: f64, margins: [f64; 2], gaps: [f64; 2], reach: f64) -> Option<f64> {
    let mut builder = ModelBuilder::new("margins");
    builder.shape(Shape::new("ground", WORLD, Geometry::Plane).margin(margins[0]).gap(gaps[0]));
    let body = builder.body(Body::new("ball").solid_sphere(1.0, 0.1));
    builder.shape(Shape::new("ball", body, ball(0.1)).margin(margins[1]).gap(gaps[1]));
    let model = builder.build().expect("valid");
    let plan = ContactPlan::of(&model);
    let data = ShapeData::of(&plan, &Parameters::of(&model), 0);
    let mut contacts = Contacts::new(&plan);
    collide(&plan, &data, &[Pose::translation(0.0, 0.0, z)], reach, &mut contacts);
    // the points stay on the geometry
    let slot = contacts.slots()[0];
    slot.active.then(|| {
        assert!(slot.point_a.z.abs() < 1e-15 && (slot.point_b.z - (z - 0.1)).abs() < 1e-15);
        slot.distance
    })
}

#[test]
fn margins_are_taken_off_the_distance() {
    let close = |found: Option<f64>, d: f64| found.is_some_and(|f| (f - d).abs() < 1e-15);
    assert!(close(listed(0.1, [0.0, 0.0], [0.0, 0.0], 0.0), 0.0));
    assert!(close(listed(0.101, [0.002, 0.001], [0.0, 0.0], 0.0), -0.002));
    assert_eq!(listed(0.1031, [0.002, 0.001], [0.0, 0.0], 0.0), None);
    // a negative margin lets the geometries overlap
    assert_eq!(listed(0.0991, [-0.001, 0.0], [0.0, 0.0], 0.0), None);
    assert!(close(listed(0.0985, [-0.001, 0.0], [0.0, 0.0], 0.0), -0.0005));
}

#[test]
fn gaps_and_reach_list_contacts_early() {
    assert!(listed(0.104, [0.0, 0.0], [0.002, 0.003], 0.0).is_some_and(|d| (d - 0.004).abs() < 1e-15));
    assert_eq!(listed(0.1051, [0.0, 0.0], [0.002, 0.003], 0.0), None);
    assert!(listed(0.1051, [0.0, 0.0], [0.002, 0.003], 0.001).is_some());
}
