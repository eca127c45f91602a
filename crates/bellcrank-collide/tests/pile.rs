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
    let open = ContactPlan::open(&model);
    let mut pile = Pile::new(&open, 10_000);
    let own = ShapeData::of(&open, &Parameters::of(&model), 0);
    assert_eq!(pile.collide(&open, &own, &X_WB, 1e-3), None);
    let expected: Vec<_> = (0..plan.slots().len()).filter(|s| all.slots()[*s].active).collect();
    assert!(expected.len() > 100, "only {} contacts, the test says little", expected.len());
    assert_eq!(pile.contacts().len(), expected.len());
    for (c, slot) in pile.contacts().iter().zip(expected) {
        let (same, known) = (all.slots()[slot], &plan.pairs()[plan.slots()[slot].pair]);
        let near = &pile.pairs()[c.pair as usize];
        assert_eq!((near.pair.shape_a, near.pair.shape_b), (known.shape_a, known.shape_b));
        assert_eq!((c.feature, near.surface.margin), (plan.slots()[slot].feature, known.margin));
        assert_eq!((c.contact.distance, c.contact.point_a), (same.distance, same.point_a));
    }
}

#[test]
fn too_many_contacts_are_reported_and_the_ground_is_kept() {
    let (model, X_WB) = heap();
    let plan = ContactPlan::open(&model);
    let data = ShapeData::of(&plan, &Parameters::of(&model), 0);
    let mut large = Pile::new(&plan, 10_000);
    large.collide(&plan, &data, &X_WB, 0.0);
    let wanted = large.contacts().len();
    let mut small = Pile::new(&plan, 20);
    let dropped = small.collide(&plan, &data, &X_WB, 0.0);
    assert_eq!(dropped, Some(ContactsDropped { wanted, capacity: 20 }));
    assert_eq!(small.contacts().len(), 20);
    let slots = |pile: &Pile| pile.contacts().iter().map(|c| (c.pair, c.feature)).collect::<Vec<_>>();
    assert_eq!(slots(&small), slots(&large)[..20]);
}
