//! A mass on a rail that a motor pushes: the double integrator.

use bellcrank_control::{Cost, CostError, Seen};
use bellcrank_math::Vec3;
use bellcrank_model::{Actuator, Body, Joint, Model, ModelBuilder, WORLD};
use bellcrank_sim::{Batch, BatchOptions, Quantity};
use std::sync::Arc;

/// One kilogram on a rail along x, pushed by up to 20 N.
pub fn slider() -> Arc<Model> {
    let mut b = ModelBuilder::new("slider");
    let body = b.body(Body::new("mass").solid_sphere(1.0, 0.1));
    let rail = b.joint(Joint::prismatic("rail", WORLD, body).placed(Vec3::zero(), Vec3::x_axis()));
    b.actuator(Actuator::effort("push", rail).effort_limit(20.0));
    Arc::new(b.build().expect("a slider"))
}

/// Worlds of it, 10 ms a step.
pub fn worlds(count: usize, threads: usize) -> Batch {
    let options = BatchOptions { dt: Some(0.01), threads, ..BatchOptions::default() };
    Batch::new(slider(), count, options).expect("a batch")
}

/// (x − 1)² + 0.05 v² in every step: be at 1 m, and at rest.
pub struct GoToOne;

impl Cost for GoToOne {
    fn needs(&self) -> Vec<Quantity> {
        vec![Quantity::BodyPosition, Quantity::BodyVelocity]
    }

    fn running(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        let (x, v) = (seen.array(Quantity::BodyPosition)?, seen.array(Quantity::BodyVelocity)?);
        for (world, total) in total.iter_mut().enumerate() {
            *total += (x[3 * world] - 1.0).powi(2) + 0.05 * v[6 * world].powi(2);
        }
        Ok(())
    }
}
