//! Bodies that stick to what they touch, by hand calculation.

use crate::common::{batch, built};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Actuator, Body, Control, Geometry, Model, ModelBuilder, Shape, Target, WORLD};
use bellcrank_sim::{Batch, BatchError, BatchOptions, ImplicitIntegrator, Precision, Solver};
use std::sync::Arc;

const DT: f64 = 2e-3;
const G: f64 = 9.81;

/// A ball of 1 kg and 0.1 m that touches a block below or above it, and is made sticky by a motor of 2 N per unit of
/// control.
fn ball(above: bool) -> Arc<Model> {
    let mut m = ModelBuilder::new("ball");
    let size = Vec3::new(0.2, 0.2, 0.2);
    let ball = m.body(Body::new("ball").at(Pose::translation(0.0, 0.0, 1.0)).solid_box(1.0, size));
    m.shape(Shape::new("ball", ball, Geometry::Sphere { radius: 0.1 }).friction(0.5));
    let z = if above { 1.2 } else { 0.8 };
    let block = Shape::new("block", WORLD, Geometry::Box { half: Vec3::new(1.0, 1.0, 0.1) });
    m.shape(block.at(Pose::translation(0.0, 0.0, z)).friction(0.5));
    m.actuator(
        Actuator::new("sucker", Target::body("ball"), Control::Effort)
            .gear(2.0)
            .effort_range(0.0, 10.0)
            .control_range(0.0, 50.0),
    );
    built(m)
}

const PRECISIONS: [(Precision, f64); 2] = [(Precision::F64, 1e-5), (Precision::F32, 2e-2)];

/// 2 · 7.5 = 15 N hold 9.81 N at a ceiling, which pushes back with the 5.19 N between; 2 · 4 = 8 N do not, and once it
/// has come off nothing holds any more.
#[test]
fn a_sucker_holds_what_it_is_strong_enough_for() {
    for (precision, close) in PRECISIONS {
        let mut b = batch(&ball(true), 1, DT, precision);
        b.set_effort(0, 0, 7.5).unwrap();
        b.step(200);
        let z = b.body_pose(0, 0).unwrap().p.z;
        assert!((z - 1.0).abs() < 1e-4, "{precision:?}: {z}");
        let force: f64 = b.contacts(0).unwrap().iter().map(|contact| contact.force.norm()).sum();
        assert!((force - (15.0 - G)).abs() < 100.0 * close, "{precision:?}: {force}");
        b.set_effort(0, 0, 4.0).unwrap();
        b.step(100);
        let (fallen, free) = (1.0 - b.body_pose(0, 0).unwrap().p.z, 0.5 * G * (100.0 * DT).powi(2));
        assert!(fallen > 0.8 * free && fallen < free, "{precision:?}: {fallen} of {free}");
    }
}

/// Half of 20 N is all that the motor gives, and a control below zero pushes nothing away: on the ground 9.81 + 2 · 5
/// N, then 9.81 N.
#[test]
fn a_sucker_only_pulls_and_no_more_than_it_can() {
    for (precision, close) in PRECISIONS {
        let mut b = batch(&ball(false), 1, DT, precision);
        for (told, expected) in [(4.0, G + 8.0), (40.0, G + 20.0), (-40.0, G)] {
            b.set_effort(0, 0, told).unwrap();
            b.step(100);
            let force: f64 = b.contacts(0).unwrap().iter().map(|contact| contact.force.norm()).sum();
            assert!(
                (force - expected).abs() < 100.0 * close,
                "{precision:?} {told}: {force}, not {expected}"
            );
        }
    }
}

#[test]
fn the_implicit_step_refuses_suckers() {
    let integrator = ImplicitIntegrator::Variational;
    let settings = Solver::InteriorPoint { point: None, integrator }.into();
    let options = BatchOptions { settings, ..BatchOptions::default() };
    let refused = Batch::new(ball(true), 1, options).err();
    assert!(
        matches!(refused, Some(BatchError::NotForSolver(_, what, _)) if what.contains("sticky")),
        "{refused:?}"
    );
}
