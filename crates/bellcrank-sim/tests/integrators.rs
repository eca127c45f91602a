//! How velocities become poses.

use crate::common::built;
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Body, Joint, Model, ModelBuilder, WORLD, library};
use bellcrank_sim::{Batch, BatchOptions, Integrator, Solver, WorldStatus};
use std::sync::Arc;

fn with(integrator: Integrator, model: &Arc<Model>, dt: f64) -> Batch {
    let settings = Solver::Exact { padmm: None, integrator }.into();
    Batch::new(
        model.clone(),
        1,
        BatchOptions { dt: Some(dt), settings, scalar: true, ..BatchOptions::default() },
    )
    .unwrap()
}

/// z = −g t²/2: Moreau–Jean is exact under a constant force; semi-implicit Euler is ahead by g t Δt/2.
#[test]
fn a_free_fall() {
    let mut m = ModelBuilder::new("ball");
    m.body(Body::new("ball").solid_sphere(1.0, 0.1));
    let (model, dt, exact) = (built(m), 0.01, -9.81 * 0.5);
    for (integrator, error) in
        [(Integrator::MoreauJean, 0.0), (Integrator::SemiImplicitEuler, -9.81 * dt / 2.0)]
    {
        let mut b = with(integrator, &model, dt);
        b.step(100);
        let z = b.body_pose(0, 0).unwrap().p.z;
        assert!((z - exact - error).abs() < 1e-12, "{integrator:?}: {z}");
    }
}

/// A world that stops being finite keeps the poses from before the step, not those from half-way through it.
#[test]
fn a_world_that_freezes_stays_where_it_was() {
    let model = built(library::hybrid_biped());
    for integrator in [Integrator::MoreauJean, Integrator::SemiImplicitEuler] {
        let mut b = with(integrator, &model, 0.004);
        b.set_target_position(0, 2, 0.4).unwrap();
        b.step(10);
        let poses = |b: &Batch| -> Vec<Pose> {
            (0..model.bodies().len()).map(|body| b.body_pose(0, body).unwrap()).collect()
        };
        let before = poses(&b);
        b.step(1);
        assert_ne!(poses(&b), before, "it moves");
        let before = poses(&b);
        b.set_target_position(0, 2, f64::NAN).unwrap();
        b.step(1);
        assert!(matches!(b.report().status[0], WorldStatus::Frozen { .. }));
        assert_eq!(poses(&b), before, "{integrator:?}");
    }
}

/// A pendulum let go at 1 rad: the error after half a second falls with Δt² (Moreau–Jean) and Δt (Euler).
#[test]
fn the_order_of_convergence() {
    let (l, turn) = (0.5, 1.0_f64);
    let mut m = ModelBuilder::new("pendulum");
    let place = Pose::translation(-l * turn.sin(), 0.0, -l * turn.cos());
    let bob = m.body(Body::new("bob").at(place).solid_sphere(1.0, 0.05));
    m.joint(Joint::revolute("hinge", WORLD, bob).placed(Vec3::zero(), Vec3::y_axis()));
    let model = built(m);
    let at = |integrator, dt: f64| {
        let mut b = with(integrator, &model, dt);
        b.step((0.5 / dt).round() as usize);
        b.body_pose(0, 0).unwrap().p
    };
    let exact = at(Integrator::MoreauJean, 1e-4);
    for (integrator, least, most) in
        [(Integrator::MoreauJean, 3.5, 4.5), (Integrator::SemiImplicitEuler, 1.8, 2.2)]
    {
        let [coarse, fine] = [0.004, 0.002].map(|dt| (at(integrator, dt) - exact).norm());
        let ratio = coarse / fine;
        assert!(least < ratio && ratio < most, "{integrator:?}: {coarse:.2e} / {fine:.2e} = {ratio}");
    }
}

/// Loops stay closed and motors hold with either.
#[test]
fn a_biped_stands_with_moreau_jean() {
    let model = built(library::hybrid_biped());
    let mut b = with(Integrator::MoreauJean, &model, 0.004);
    let report = b.step(250);
    assert!(report.loop_gap[0].0 < 1e-6, "{:?}", report.loop_gap);
    assert_eq!(report.converged[0], 250);
    let weight = model.mass() * 9.81;
    let carried: f64 = b.contacts(0).unwrap().iter().map(|c| c.force.z).sum();
    assert!((carried - weight).abs() < 0.05 * weight, "{carried} against {weight}");
}
