//! What has no derivative says so.

use crate::common::{built, world};
use bellcrank_gradient::{StepDerivatives, Wrt};
use bellcrank_math::Vec3;
use bellcrank_model::{Activation, Actuator, Body, Joint, Medium, ModelBuilder, WORLD};
use bellcrank_sim::BatchError;

#[test]
fn motors_with_a_state_are_refused() {
    let mut m = ModelBuilder::new("cart");
    m.body(Body::new("cart").solid_box(2.0, Vec3::new(0.2, 0.2, 0.2)));
    m.joint(Joint::prismatic("rail", WORLD, "cart").placed(Vec3::zero(), Vec3::x_axis()));
    m.actuator(Actuator::effort("motor", "rail").activation(Activation::filter(0.05)));
    let refused = world(&built(m), 2e-3).step_jacobian(0, 1e-4, &[Wrt::Effort(0)]);
    assert!(matches!(refused, Err(BatchError::NotDifferentiable(..))));
}

#[test]
fn air_and_water_are_refused() {
    let mut m = ModelBuilder::new("brick");
    m.body(Body::new("brick").solid_box(2.0, Vec3::new(0.2, 0.2, 0.2)));
    m.medium(Medium { density: 1.2, viscosity: 1.8e-5, wind: Vec3::zero() });
    let refused = world(&built(m), 2e-3).step_jacobian(0, 1e-4, &[Wrt::Force { body: 0, axis: 0 }]);
    assert!(matches!(refused, Err(BatchError::NotDifferentiable(..))));
}
