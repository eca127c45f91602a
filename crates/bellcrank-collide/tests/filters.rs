//! Which shapes may touch.

use crate::common::ball;
use bellcrank_collide::{ContactPlan, ShapeData};
use bellcrank_math::Vec3;
use bellcrank_model::{
    Body, BodyId, CombineRule, Geometry, Joint, Material, MaterialRules, Model, ModelBuilder, PairSurface,
    Parameters, Shape, WORLD, library,
};

fn part(builder: &mut ModelBuilder, name: &str) -> BodyId {
    let body = builder.body(Body::new(name).solid_sphere(1.0, 0.1));
    builder.shape(Shape::new(name, body, ball(0.1)));
    body
}

/// Names of the shapes of all pairs, "a b" sorted.
fn pairs(model: &Model) -> Vec<String> {
    let name = |shape: bellcrank_model::ShapeId| model.shapes()[shape.index()].name.clone();
    let mut all: Vec<String> = ContactPlan::of(model)
        .pairs()
        .iter()
        .map(|pair| {
            let mut names = [name(pair.shape_a), name(pair.shape_b)];
            names.sort();
            names.join(" ")
        })
        .collect();
    all.sort();
    all
}

fn scene(build: impl FnOnce(&mut ModelBuilder, [BodyId; 3])) -> Vec<String> {
    let mut builder = ModelBuilder::new("scene");
    builder.shape(Shape::new("ground", WORLD, Geometry::Plane));
    let bodies = ["a", "b", "c"].map(|name| part(&mut builder, name));
    build(&mut builder, bodies);
    pairs(&builder.build().expect("valid"))
}

#[test]
fn loose_bodies_all_meet() {
    let all = scene(|_, _| {});
    assert_eq!(all, ["a b", "a c", "a ground", "b c", "b ground", "c ground"]);
}

#[test]
fn a_joint_hides_its_bodies_from_each_other() {
    let all = scene(|builder, [a, b, _]| {
        builder.joint(Joint::revolute("hinge", a, b).placed(Vec3::zero(), Vec3::x_axis()));
    });
    assert_eq!(all, ["a c", "a ground", "b c", "b ground", "c ground"]);
}

/// b is welded to a, c is hinged on b: c does not meet a either.
#[test]
fn welded_bodies_count_as_one() {
    let all = scene(|builder, [a, b, c]| {
        builder.joint(Joint::fixed("weld", a, b));
        builder.joint(Joint::revolute("hinge", b, c).placed(Vec3::zero(), Vec3::x_axis()));
    });
    assert_eq!(all, ["a ground", "b ground", "c ground"]);
}

/// a stands still; b hangs on it, but still meets the ground, as does c on a rail of the world.
#[test]
fn the_world_stays_solid_for_what_is_joined_to_it() {
    let all = scene(|builder, [a, b, c]| {
        builder.joint(Joint::fixed("weld", WORLD, a));
        builder.joint(Joint::revolute("hinge", a, b).placed(Vec3::zero(), Vec3::x_axis()));
        builder.joint(Joint::prismatic("rail", WORLD, c).placed(Vec3::zero(), Vec3::x_axis()));
    });
    assert_eq!(all, ["a c", "b c", "b ground", "c ground"]);
}

#[test]
fn exclusions_and_explicit_pairs_are_obeyed() {
    let all = scene(|builder, [a, b, c]| {
        builder.exclude(a, c);
        builder.joint(Joint::revolute("hinge", a, b).placed(Vec3::zero(), Vec3::x_axis()));
        builder.pair("a", "b");
    });
    assert_eq!(all, ["a b", "a ground", "b c", "b ground", "c ground"]);
}

#[test]
fn one_direction_of_the_groups_is_enough() {
    let mut builder = ModelBuilder::new("groups");
    for (name, group, mask) in [("a", 1, 2), ("b", 2, 0), ("c", 4, 0)] {
        let body = builder.body(Body::new(name).solid_sphere(1.0, 0.1));
        builder.shape(Shape::new(name, body, ball(0.1)).groups(group, mask));
    }
    assert_eq!(pairs(&builder.build().expect("valid")), ["a b"]);
}

/// The shape at rest is A, whichever comes first in the file.
#[test]
fn the_shape_at_rest_is_a() {
    for (a, b) in [(Geometry::Plane, ball(0.1)), (ball(0.1), Geometry::Plane)] {
        let scene = crate::common::Scene::new(&a, &b);
        let slot = scene.plan.slots()[0];
        assert_eq!(slot.body_a, None);
        assert_eq!(slot.body_b.index(), 0);
    }
}

#[test]
fn materials_are_combined_per_world() {
    let mut builder = ModelBuilder::new("materials");
    let slick = Material { sliding: 0.2, torsional: 0.01, rolling: 0.002, restitution: 0.5 };
    builder.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(0.8).margin(0.001).gap(0.002));
    let body = builder.body(Body::new("ball").solid_sphere(1.0, 0.1));
    let shape = builder.shape(Shape::new("ball", body, ball(0.1)).material(slick).gap(0.003));
    let model = builder.build().expect("valid");
    let mut parameters = Parameters::of(&model);
    parameters.shape_mut(shape).spread(2)[1].material.sliding = 0.4;
    let plan = ContactPlan::of(&model);
    for (world, sliding) in [(0, 0.5), (1, 0.6)] {
        let surface = ShapeData::of(&plan, &parameters, world).surfaces[0];
        assert!((surface.sliding - sliding).abs() < 1e-15);
        assert_eq!((surface.torsional, surface.restitution), (0.005, 0.25));
        assert_eq!((surface.margin, surface.gap), (0.001, 0.005));
    }
    let plan = ContactPlan::with_rules(&model, MaterialRules::MJCF);
    assert_eq!(plan.rules().friction, CombineRule::Maximum);
    assert_eq!(ShapeData::of(&plan, &parameters, 0).surfaces[0].sliding, 0.8);
}

/// Every shipped mechanism has a plan without gaps.
#[test]
fn shipped_models_are_supported() {
    for name in library::names() {
        let model = library::by_name(name).map(|builder| builder.build().expect("valid"));
        let plan = model.as_ref().map(ContactPlan::of).expect("listed");
        assert!(plan.unsupported().is_empty(), "{name}: {:?}", plan.unsupported());
        println!("{name}: {} pairs, {} slots", plan.pairs().len(), plan.slots().len());
    }
}

/// A pair may have a surface of its own, whatever its shapes say: 0.3 instead of the average of 0.7 and 0.7, and 2 cm apart.
#[test]
fn a_pair_may_have_a_surface_of_its_own() {
    let mut builder = ModelBuilder::new("scene");
    builder.shape(Shape::new("ground", WORLD, Geometry::Plane).margin(0.001));
    for name in ["a", "b"] {
        part(&mut builder, name);
    }
    let material = Some(Material { sliding: 0.3, ..Material::default() });
    builder.pair_with("ground", "a", PairSurface { material, margin: Some(0.02), ..PairSurface::default() });
    let model = builder.build().expect("valid");
    let plan = ContactPlan::of(&model);
    let of = |name: &str| {
        let shape = model.shape_id(name).expect("named");
        let ground = model.shape_id("ground").expect("named");
        let mine = |pair: &&bellcrank_collide::Pair| pair.shape_a == ground && pair.shape_b == shape;
        let pair = plan.pairs().iter().find(mine).expect("a pair");
        let usual = Material::default();
        (pair.material(plan.rules(), &usual, &usual).sliding, pair.margin)
    };
    assert_eq!(of("a"), (0.3, 0.02));
    assert_eq!(of("b"), (0.7, 0.001));
}
