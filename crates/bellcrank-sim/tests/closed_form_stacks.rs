//! Stacks by reactions in closed form: they stand, in both precisions, and where they do not the status says so.

use crate::common::built;
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Body, Geometry, Model, ModelBuilder, Shape, WORLD};
use bellcrank_sim::{Batch, BatchOptions, ComFree, Precision, WorldStatus};
use std::sync::Arc;

const PRECISIONS: [Precision; 2] = [Precision::F64, Precision::F32];
const EDGE: f64 = 0.1;

/// Cubes of such masses on each other.
fn stack(masses: &[f64]) -> Arc<Model> {
    let mut m = ModelBuilder::new("stack");
    m.shape(Shape::new("ground", WORLD, Geometry::Plane));
    let size = Vec3::new(EDGE, EDGE, EDGE);
    for (k, &mass) in masses.iter().enumerate() {
        let (name, z) = (format!("cube{k}"), EDGE * (k as f64 + 0.5));
        let cube = m.body(Body::new(&name).at(Pose::translation(0.0, 0.0, z)).solid_box(mass, size));
        m.shape(Shape::new(&name, cube, Geometry::Box { half: size * 0.5 }));
    }
    built(m)
}

fn batch(model: &Arc<Model>, solver: ComFree, dt: f64, precision: Precision) -> Batch {
    let settings = solver.into();
    let options = BatchOptions { dt: Some(dt), precision, settings, ..BatchOptions::default() };
    Batch::new(model.clone(), 1, options).unwrap()
}

/// What a run left: the largest sinking and wandering of a cube [m], the deepest contact [m] and the share of exact steps.
#[derive(Debug)]
struct Stood {
    sunk: f64,
    aside: f64,
    deepest: f64,
    exact: f64,
}

fn stand(masses: &[f64], dt: f64, seconds: f64, precision: Precision) -> Stood {
    let model = stack(masses);
    let mut b = batch(&model, ComFree::default(), dt, precision);
    let steps = (seconds / dt) as usize;
    let report = b.step(steps);
    let (mut sunk, mut aside) = (0.0_f64, 0.0_f64);
    for k in 0..masses.len() {
        let p = b.body_pose(0, k).unwrap().p;
        sunk = sunk.max((p.z - EDGE * (k as f64 + 0.5)).abs());
        aside = aside.max(p.x.hypot(p.y));
    }
    let exact = report.converged[0] as f64 / steps as f64;
    Stood { sunk, aside, deepest: report.penetration[0], exact }
}

/// Ten cubes at 4 ms for five seconds. Eight sweeps of Jacobi's kind let them sink by 21 mm in three.
#[test]
fn ten_boxes_stand_at_4_ms() {
    for precision in PRECISIONS {
        let stood = stand(&[1.0; 10], 0.004, 5.0, precision);
        assert!(stood.sunk < 1e-3 && stood.deepest < 1e-3, "{precision:?}: {stood:?}");
        assert!(stood.aside < 1e-3 && stood.exact > 0.98, "{precision:?}: {stood:?}");
    }
}

/// A hundred kilograms on one, on three, and on ten on one. Eight sweeps of Jacobi's kind let them sink by 42 to 300 mm at 4 ms.
#[test]
fn a_hundredfold_mass_stands() {
    for precision in PRECISIONS {
        for masses in [&[1.0, 100.0][..], &[1.0, 10.0, 100.0], &[1.0, 1.0, 1.0, 100.0]] {
            let stood = stand(masses, 0.004, 5.0, precision);
            let stands = stood.sunk < 1e-3 && stood.aside < 1e-3 && stood.deepest < 1e-3;
            assert!(stands && stood.exact > 0.98, "{precision:?}, {masses:?}: {stood:?}");
        }
    }
}

/// Whatever is too much (a thousand to one, twenty cubes with two sweeps only, the published law under a hundredfold mass):
/// a step that leaves a contact deeper than the bound is not exact. The depth after a step is that which the next one finds.
#[test]
fn a_contact_that_sinks_is_never_ok() {
    let few = ComFree { sweeps: 2, ..ComFree::default() };
    let published = ComFree::published(0.2, 0.001);
    for precision in PRECISIONS {
        for (masses, solver, sinks) in [
            (&[1.0, 1000.0][..], ComFree { sweeps: 4, ..few }, true),
            (&[1.0; 20], few, true),
            (&[1.0, 1.0, 1000.0], few, true),
            (&[1.0, 100.0], published, true),
            (&[1.0, 1.0], ComFree::default(), false),
        ] {
            let mut b = batch(&stack(masses), solver, 0.004, precision);
            let (mut before, mut deepest) = (b.step(1), 0.0_f64);
            for step in 0..500 {
                let now = b.step(1);
                deepest = deepest.max(now.penetration[0]);
                let sunk = now.penetration[0] > solver.depth * 1.01;
                let told = before.status[0] == WorldStatus::Inexact;
                assert!(told || !sunk, "{precision:?} {masses:?}, step {step}: {before:?} {now:?}");
                before = now;
            }
            assert_eq!(deepest > solver.depth, sinks, "{precision:?} {masses:?}: {deepest}");
        }
    }
}

/// Two sweeps do not hold ten cubes: the velocity that is left tells before anything has sunk.
#[test]
fn an_approach_that_is_left_is_told_at_once() {
    for precision in PRECISIONS {
        let few = ComFree { sweeps: 2, ..ComFree::default() };
        let mut b = batch(&stack(&[1.0; 10]), few, 0.004, precision);
        let report = b.step(1);
        assert_eq!(report.status[0], WorldStatus::Inexact, "{precision:?}: {report:?}");
        assert!(
            report.residual[0] > few.tolerance && report.penetration[0] < 1e-6,
            "{precision:?}: {report:?}"
        );
    }
}

/// A cube that rests needs hardly more than one sweep per step: the reactions of the last are right.
#[test]
fn what_rests_costs_little() {
    for precision in PRECISIONS {
        let mut b = batch(&stack(&[1.0]), ComFree::default(), 0.004, precision);
        b.step(100);
        let mut sweeps = 0.0;
        for _ in 0..100 {
            let report = b.step(1);
            assert_eq!(report.status[0], WorldStatus::Ok, "{precision:?}: {report:?}");
            sweeps += report.iterations[0];
        }
        assert!(sweeps < 300.0, "{precision:?}: {sweeps} sweeps in 100 steps");
    }
}
