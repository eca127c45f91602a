//! Rays and distances, against closed forms and against each other.

use crate::common::*;
use bellcrank_collide::{Queries, Ray};
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::{Body, BodyId, Geometry, HeightField, Model, ModelBuilder, Shape, WORLD};
use std::sync::Arc;

/// Solids in a row along x, one metre apart, above a plane at z = −1.
fn row() -> (Model, Vec<Pose>) {
    let mut builder = ModelBuilder::new("row");
    builder.shape(Shape::new("ground", WORLD, Geometry::Plane).at(Pose::translation(0.0, 0.0, -1.0)));
    for (k, (name, geometry)) in solids().into_iter().enumerate() {
        let body = Body::new(name).at(Pose::translation(k as f64, 0.0, 0.0)).solid_sphere(1.0, 0.1);
        let body = builder.body(body.com(Vec3::new(0.0, 0.1, 0.0)));
        builder.shape(Shape::new(name, body, geometry));
    }
    let model = builder.build().expect("valid");
    let X_WB = model.bodies().iter().map(|body| body.X_WB()).collect();
    (model, X_WB)
}

/// From above, straight down onto each solid's highest point.
#[test]
fn a_ray_from_above_meets_the_top() {
    let (model, X_WB) = row();
    let queries = Queries::of(&model);
    // sphere 0.1, capsule 0.05 + 0.1, box 0.05, cylinder 0.06, ellipsoid 0.05
    for (k, top) in [(0, 0.1), (1, 0.15), (2, 0.05), (3, 0.06), (5, 0.05)] {
        let ray = Ray::new(Vec3::new(k as f64, 0.0, 2.0), Vec3::new(0.0, 0.0, -3.0));
        let hit = queries.ray_cast(&X_WB, &ray).expect("a hit");
        assert_eq!(hit.body, Some(BodyId::new(k)));
        assert!((hit.distance - (2.0 - top)).abs() < 1e-8, "{k}: {}", hit.distance);
        assert!((hit.normal - Vec3::z_axis()).norm() < 1e-6, "{k}: {:?}", hit.normal);
    }
}

#[test]
fn rays_respect_their_reach_and_pass_their_own_body() {
    let (model, X_WB) = row();
    let queries = Queries::of(&model);
    let down = Ray::new(Vec3::new(0.0, 0.0, 2.0), -Vec3::z_axis());
    assert_eq!(queries.ray_cast(&X_WB, &down.reach(1.8)), None);
    let through = queries.ray_cast(&X_WB, &down.ignore(BodyId::new(0))).expect("the ground");
    assert!(through.body.is_none() && (through.distance - 3.0).abs() < 1e-12);
    // a start inside is not seen, and no direction sees nothing
    let inside = Ray::new(Vec3::zero(), -Vec3::z_axis());
    assert_eq!(queries.ray_cast(&X_WB, &inside).map(|hit| hit.body), Some(None));
    assert_eq!(queries.ray_cast(&X_WB, &Ray::new(Vec3::zero(), Vec3::zero())), None);
    let mut hits = [None; 2];
    queries.ray_cast_many(&X_WB, &[down, inside], &mut hits);
    assert_eq!(hits, [queries.ray_cast(&X_WB, &down), queries.ray_cast(&X_WB, &inside)]);
}

/// The end of a ray is on the surface: a tiny ball there touches the solid it met.
#[test]
fn rays_end_on_the_surface() {
    let mut dice = Dice::new(53);
    for (name, geometry) in solids() {
        let mut builder = ModelBuilder::new("one");
        let body = builder.body(Body::new("one").solid_sphere(1.0, 0.1));
        builder.shape(Shape::new("one", body, geometry.clone()));
        let queries = Queries::of(&builder.build().expect("valid"));
        let probe = Scene::new(&geometry, &ball(1e-3));
        let mut hits = 0;
        for _ in 0..300 {
            let X = [dice.pose(0.1)];
            let from = dice.vector(1.0).normalized() * 0.5;
            let ray = Ray::new(from, dice.vector(0.1) - from);
            let Some(hit) = queries.ray_cast(&X, &ray) else { continue };
            hits += 1;
            let d = probe.depth([X[0], Pose::from_position(hit.point)], 0.1).expect("near");
            // rays stop when the nearest point is known to be within a nanometre; round solids know it to a micrometre
            assert!((d + 1e-3).abs() < 1e-6, "{name}: {d}");
            assert!(hit.normal.dot(ray.direction) < 0.0 && (hit.normal.norm() - 1.0).abs() < 1e-9, "{name}");
        }
        assert!(hits > 50, "{name}: {hits} hits");
    }
}

/// A plane tilted by z = x / 2, as terrain: straight down from (x, y, 3) it is 3 − x/2 away.
#[test]
fn rays_meet_terrain() {
    let n = 17;
    let at = |k: usize| 4.0 * (k as f64 / (n - 1) as f64 - 0.5);
    let heights = (0..n * n).map(|k| 0.5 * at(k % n)).collect();
    let field = HeightField { rows: n, columns: n, size: [4.0, 4.0], heights };
    let mut builder = ModelBuilder::new("slope");
    builder.body(Body::new("spare").solid_sphere(1.0, 0.1));
    builder.shape(Shape::new("slope", WORLD, Geometry::HeightField(Arc::new(field))));
    let queries = Queries::of(&builder.build().expect("valid"));
    for (x, y) in [(0.0, 0.0), (0.3, -1.1), (-1.7, 1.2), (1.99, 0.25)] {
        let hit = queries.ray_cast(&[Pose::identity()], &Ray::new(Vec3::new(x, y, 3.0), -Vec3::z_axis()));
        let hit = hit.expect("a hit");
        assert!((hit.distance - (3.0 - 0.5 * x)).abs() < 1e-12);
        assert!((hit.normal - Vec3::new(-0.5, 0.0, 1.0).normalized()).norm() < 1e-12);
    }
}

#[test]
fn distances_of_bodies_are_those_of_their_nearest_shapes() {
    let (model, mut X_WB) = row();
    let queries = Queries::of(&model);
    let (sphere, capsule) = (Some(BodyId::new(0)), Some(BodyId::new(1)));
    let found = queries.closest(&X_WB, sphere, capsule, 10.0).expect("within");
    assert!((found.distance - 0.85).abs() < 1e-12 && (found.normal - Vec3::x_axis()).norm() < 1e-9);
    let back = queries.closest(&X_WB, capsule, sphere, 10.0).expect("within");
    assert!((back.distance - 0.85).abs() < 1e-12 && (back.normal + Vec3::x_axis()).norm() < 1e-9);
    assert_eq!(queries.closest(&X_WB, sphere, capsule, 0.8), None);
    // the box stands 0.95 above the ground; turned on its edge it reaches √(0.1² + 0.05²) down
    let cube = Some(BodyId::new(2));
    let ground = queries.closest(&X_WB, cube, None, 10.0).expect("within");
    assert!((ground.distance - 0.95).abs() < 1e-12 && (ground.normal + Vec3::z_axis()).norm() < 1e-12);
    let turn = Quat::from_axis_angle(Vec3::y_axis(), f64::atan2(0.1, 0.05));
    X_WB[2] = Pose::new(turn, X_WB[2].p);
    let ground = queries.closest(&X_WB, None, cube, 10.0).expect("within");
    assert!((ground.distance - (1.0 - 0.1_f64.hypot(0.05))).abs() < 1e-12);
}
