//! Many loose bodies: the broad phase finds what the full list of pairs finds, and room is bounded.

use crate::common::*;
use bellcrank_collide::{ContactPlan, Contacts, ContactsDropped, Pile, ShapeData, collide};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Body, Geometry, Model, ModelBuilder, Parameters, Shape, WORLD};

/// Fifty solids of all kinds in a heap on a plane.
fn heap() -> (Model, Vec<Pose>) {
    let mut builder = ModelBuilder::new("heap");
    let mut dice = Dice::new(41);
    builder.shape(Shape::new("ground", WORLD, Geometry::Plane).margin(1e-3));
    for (k, (name, geometry)) in solids().into_iter().cycle().take(50).enumerate() {
        let p = dice.vector(0.25) + Vec3::new(0.0, 0.0, 0.3);
        let name = format!("{name}_{k}");
        let body = builder.body(Body::new(&name).at(Pose::new(dice.rotation(), p)).solid_sphere(1.0, 0.1));
        builder.shape(Shape::new(&name, body, geometry).gap(2e-3));
    }
    let model = builder.build().expect("valid");
    let X_WB = model.bodies().iter().map(|body| body.X_WB()).collect();
    (model, X_WB)
}

#[test]
fn a_pile_finds_the_contacts_of_all_pairs() {
    let (model, X_WB) = heap();
    let plan = ContactPlan::of(&model);
    let data = ShapeData::of(&plan, &Parameters::of(&model), 0);
    let mut all = Contacts::new(&plan);
    collide(&plan, &data, &X_WB, 1e-3, &mut all);
    let mut pile = Pile::new(&plan, 10_000);
    assert_eq!(pile.collide(&plan, &data, &X_WB, 1e-3), None);
    let expected: Vec<_> = (0..plan.slots().len()).filter(|s| all.slots()[*s].active).collect();
    assert!(expected.len() > 100, "only {} contacts, the test says little", expected.len());
    let found: Vec<_> = pile.contacts().iter().map(|c| c.slot as usize).collect();
    assert_eq!(found, expected);
    for c in pile.contacts() {
        let same = all.slots()[c.slot as usize];
        assert_eq!((c.contact.distance, c.contact.point_a), (same.distance, same.point_a));
    }
}

#[test]
fn too_many_contacts_are_reported_and_the_ground_is_kept() {
    let (model, X_WB) = heap();
    let plan = ContactPlan::of(&model);
    let data = ShapeData::of(&plan, &Parameters::of(&model), 0);
    let mut large = Pile::new(&plan, 10_000);
    large.collide(&plan, &data, &X_WB, 0.0);
    let wanted = large.contacts().len();
    let mut small = Pile::new(&plan, 20);
    let dropped = small.collide(&plan, &data, &X_WB, 0.0);
    assert_eq!(dropped, Some(ContactsDropped { wanted, capacity: 20 }));
    assert_eq!(small.contacts().len(), 20);
    let slots = |pile: &Pile| pile.contacts().iter().map(|c| c.slot).collect::<Vec<_>>();
    assert_eq!(slots(&small), slots(&large)[..20]);
}
