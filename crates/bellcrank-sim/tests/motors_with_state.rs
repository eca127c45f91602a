//! Motors whose control passes through a state: filters and integrals, by hand calculation.

use crate::common::{bits, built, world};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Activation, Actuator, Body, Joint, Keyframe, Model, ModelBuilder, WORLD};
use bellcrank_sim::{Batch, BatchOptions, Precision};
use std::sync::Arc;

const DT: f64 = 2e-3;

/// A cart of 2 kg on a rail, with this motor.
fn cart(motor: Actuator) -> Arc<Model> {
    let mut m = ModelBuilder::new("cart");
    m.body(Body::new("cart").solid_box(2.0, Vec3::new(0.2, 0.2, 0.2)).at(Pose::identity()));
    m.joint(Joint::prismatic("rail", WORLD, "cart").placed(Vec3::zero(), Vec3::x_axis()));
    m.actuator(motor);
    m.keyframe(Keyframe::new("open").control("motor", 5.0).activation("motor", 5.0));
    built(m)
}

/// ȧ = (u − a)/T from a = 0 at a constant u: a(t) = u (1 − e^(−t/T)) whatever the step, also one longer than T. The force of a
/// step is a at its start, so that the momentum after n steps is Σ Δt a(k Δt).
#[test]
fn a_filter_follows_its_control_exactly_and_the_motor_gives_what_it_shows() {
    for time in [0.05, 3e-4] {
        let mut b = world(&cart(Actuator::effort("motor", "rail").activation(Activation::filter(time))), DT);
        b.set_effort(0, 0, 4.0).unwrap();
        let mut momentum = 0.0;
        for k in 0..100 {
            let a = 4.0 * (1.0 - (-f64::from(k) * DT / time).exp());
            assert!((b.activation(0, 0).unwrap().unwrap() - a).abs() < 1e-12, "step {k} of T = {time}");
            momentum += DT * a;
            b.step(1);
            assert!((b.actuator_effort(0, 0).unwrap() - a).abs() < 1e-9);
        }
        let v = b.joint_velocity(0).unwrap()[0];
        assert!((2.0 * v - momentum).abs() < 1e-9, "{} {momentum}", 2.0 * v);
    }
}

/// A motor that acts early gives what the state is at the end of the step.
#[test]
fn a_motor_that_acts_early_is_one_step_ahead() {
    let early = Activation { early: true, ..Activation::filter(0.01) };
    let mut b = world(&cart(Actuator::effort("motor", "rail").activation(early)), DT);
    b.set_effort(0, 0, 4.0).unwrap();
    b.step(1);
    let a = 4.0 * (1.0 - (-DT / 0.01f64).exp());
    assert!((b.activation(0, 0).unwrap().unwrap() - a).abs() < 1e-12);
    assert!((b.joint_velocity(0).unwrap()[0] - DT * a / 2.0).abs() < 1e-9);
}

/// The control, at most 3, is integrated up to 0.5: after 100 steps of 2 ms a would be 0.6.
#[test]
fn an_integral_stops_at_its_range_and_its_control_at_its_own() {
    let motor = Actuator::affine("motor", "rail", 50.0, [0.0, -50.0, -10.0])
        .control_range(-3.0, 3.0)
        .activation(Activation::integral().range(-0.1, 0.5));
    let mut b = world(&cart(motor), DT);
    b.set_effort(0, 0, 8.0).unwrap();
    b.step(50);
    assert!((b.activation(0, 0).unwrap().unwrap() - 0.3).abs() < 1e-12);
    b.step(50);
    assert_eq!(b.activation(0, 0).unwrap(), Some(0.5));
    // a servo on the integral: it comes to rest where that stands
    b.step(5_000);
    assert!((b.joint_position(0).unwrap()[0] - 0.5).abs() < 1e-6);
}

/// Of a position drive the target is filtered; feed-forward effort acts at once: 7 N on 2 kg in one step.
#[test]
fn a_position_drive_filters_its_target_and_nothing_else() {
    let motor = Actuator::position("motor", "rail", 100.0, 0.0).activation(Activation::filter(0.02));
    let mut b = world(&cart(motor), 1e-6);
    b.set_target_position(0, 0, 1.0).unwrap();
    b.set_effort(0, 0, 7.0).unwrap();
    b.step(1);
    assert!((b.joint_velocity(0).unwrap()[0] - 3.5e-6).abs() < 1e-14);
    let a = 1.0 - (-1e-6 / 0.02f64).exp();
    assert!((b.activation(0, 0).unwrap().unwrap() - a).abs() < 1e-14);
}

#[test]
fn keyframes_resets_and_snapshots_know_the_state() {
    let model = cart(Actuator::effort("motor", "rail").activation(Activation::filter(0.05)));
    let mut b = world(&model, DT);
    b.set_effort(0, 0, 4.0).unwrap();
    b.step(20);
    let (blob, then) = (b.snapshot(), b.activation(0, 0).unwrap());
    b.step(20);
    let later = b.activation(0, 0).unwrap();
    b.restore(&blob).unwrap();
    assert_eq!(b.activation(0, 0).unwrap(), then);
    b.step(20);
    assert_eq!(b.activation(0, 0).unwrap(), later);
    assert!(b.reset_to_keyframe(0, "open").unwrap());
    assert_eq!(b.activation(0, 0).unwrap(), Some(5.0));
    b.reset(0).unwrap();
    assert_eq!(b.activation(0, 0).unwrap(), Some(0.0));
}

/// Nineteen worlds, whatever their lanes: each as if it were alone.
#[test]
fn every_world_has_its_own_state() {
    let model = cart(Actuator::effort("motor", "rail").activation(Activation::filter(0.05)));
    for precision in [Precision::F64, Precision::F32] {
        let options = BatchOptions { dt: Some(DT), precision, ..BatchOptions::default() };
        let mut many = Batch::new(model.clone(), 19, options).unwrap();
        (0..19).for_each(|w| many.set_effort(w, 0, w as f64 - 7.3).unwrap());
        many.step(40);
        for w in 0..19 {
            let mut one = Batch::new(model.clone(), 1, options).unwrap();
            one.set_effort(0, 0, w as f64 - 7.3).unwrap();
            one.step(40);
            assert_eq!(one.activation(0, 0).unwrap(), many.activation(w, 0).unwrap(), "world {w}");
            assert_eq!(bits(&one, 0), bits(&many, w), "world {w}");
        }
    }
}
