//! Nanoseconds per pair and world, for every kind: one world at a time, and in lanes.
//!
//! `cargo bench -p bellcrank-collide`. Two hundred pairs of each kind, all near enough to be computed.

#[path = "../tests/common/mod.rs"]
mod common;

use bellcrank_collide::{ContactPlan, Contacts, Pile, ShapeData, collide};
use bellcrank_math::{Elem, LaneJob, Level, Pose, Real, Vec3};
use bellcrank_model::{Body, Geometry, HeightField, Model, ModelBuilder, Parameters, Shape, WORLD};
use common::*;
use std::hint::black_box;
use std::sync::Arc;
use std::time::Instant;

const PAIRS: usize = 200;

/// Pairs of shapes that see only each other.
fn scene(a: &Geometry, b: &Geometry) -> Model {
    let mut builder = ModelBuilder::new("pairs");
    let mut dice = Dice::new(1);
    let plane = is_fixed(a);
    if plane {
        builder.shape(Shape::new("plane", WORLD, a.clone()).groups(1, 0));
    }
    for i in 0..PAIRS {
        // far from other pairs
        let at = Vec3::new(if plane { 0.0 } else { 10.0 * i as f64 }, 0.0, 0.0);
        let names = [format!("a{i}"), format!("b{i}")];
        for (k, geometry) in [a, b].into_iter().enumerate().skip(plane as usize) {
            let X = Pose::new(dice.rotation(), at + dice.vector(0.04));
            let body = builder.body(Body::new(&names[k]).at(X).solid_sphere(1.0, 0.1));
            let shape = Shape::new(&names[k], body, geometry.clone());
            builder.shape(if plane { shape.groups(0, 1) } else { shape.groups(0, 0) });
        }
        if !plane {
            builder.pair(names[0].as_str(), names[1].as_str());
        }
    }
    builder.build().expect("valid")
}

/// Best time of many passes, per pair and world [ns].
struct Time<'a>(&'a Model);

impl<E: Elem> LaneJob<E> for Time<'_> {
    type Output = f64;
    fn run<R: Real<Elem = E>>(self) -> f64 {
        let plan = ContactPlan::of(self.0);
        let data = ShapeData::of(&plan, &Parameters::of(self.0), 0).splat::<R>();
        let X_WB: Vec<Pose<R>> = self.0.bodies().iter().map(|body| Pose::constant(body.X_WB())).collect();
        let mut contacts = Contacts::new(&plan);
        let mut best = f64::INFINITY;
        let (mut passes, began) = (0, Instant::now());
        while passes < 100 && (passes < 3 || began.elapsed().as_millis() < 100) {
            passes += 1;
            let start = Instant::now();
            collide(&plan, &data, black_box(&X_WB), R::constant(0.01), &mut contacts);
            black_box(contacts.slots());
            best = best.min(start.elapsed().as_secs_f64());
        }
        best / (plan.pairs().len() * R::LANES) as f64 * 1e9
    }
}

/// Five layers of 5 × 5 solids of 5 cm, slightly sunk into each other, on a plane.
fn layers() -> Model {
    let mut builder = ModelBuilder::new("layers");
    builder.shape(Shape::new("plane", WORLD, Geometry::Plane));
    let kinds = [
        cuboid(0.025, 0.025, 0.025),
        cylinder(0.025, 0.025),
        ellipsoid(0.025, 0.02, 0.025),
        capsule(0.015, 0.01),
        ball(0.025),
    ];
    for k in 0..125 {
        let p = Vec3::new((k % 5) as f64, (k / 5 % 5) as f64, (k / 25) as f64 + 0.5) * 0.0499;
        let body =
            builder.body(Body::new(format!("b{k}")).at(Pose::from_position(p)).solid_sphere(0.1, 0.02));
        builder.shape(Shape::new(format!("s{k}"), body, kinds[k / 25].clone()));
    }
    builder.build().expect("valid")
}

fn time_pile() {
    let model = layers();
    let plan = ContactPlan::open(&model);
    let data = ShapeData::of(&plan, &Parameters::of(&model), 0);
    let X_WB: Vec<Pose> = model.bodies().iter().map(|body| body.X_WB()).collect();
    let mut pile = Pile::new(&plan, 2000);
    let mut best = f64::INFINITY;
    for _ in 0..100 {
        let start = Instant::now();
        black_box(pile.collide(&plan, &data, black_box(&X_WB), 1e-3));
        best = best.min(start.elapsed().as_secs_f64());
    }
    let (pairs, contacts) = (pile.pairs().len(), pile.contacts().len());
    println!("pile of 125 solids: {pairs} near pairs, {contacts} contacts, {:.1} µs per world", best * 1e6);
}

/// Hills of 64 × 64 points, 5 cm apart.
fn hills() -> Geometry {
    let at = |k: usize| 0.05 * (k as f64 - 31.5);
    let heights = (0..64 * 64).map(|k| 0.02 * (3.0 * at(k % 64)).sin() * (2.0 * at(k / 64)).cos()).collect();
    Geometry::HeightField(Arc::new(HeightField { rows: 64, columns: 64, size: [3.15, 3.15], heights }))
}

fn main() {
    time_pile();
    let mut kinds = vec![("plane", Geometry::Plane), ("hills", hills())];
    kinds.extend(solids());
    println!("{}; ns per pair and world, placing the shapes included", Level::best());
    println!("{:24} {:>8} {:>8} {:>8} {:>8}", "pair", "f64", "f64x8", "f32", "f32x16");
    for (i, (name, a)) in kinds.iter().enumerate() {
        for (other, b) in &kinds[i.max(2)..] {
            let model = scene(a, b);
            if ContactPlan::of(&model).pairs().is_empty() {
                continue;
            }
            let double = [LaneJob::<f64>::run::<f64>(Time(&model)), f64::with_lanes(Time(&model))];
            let single = [LaneJob::<f32>::run::<f32>(Time(&model)), f32::with_lanes(Time(&model))];
            let [a, b, c, d] = [double[0], double[1], single[0], single[1]];
            println!("{:24} {a:8.1} {b:8.2} {c:8.1} {d:8.2}", format!("{name} and {other}"));
        }
    }
}
