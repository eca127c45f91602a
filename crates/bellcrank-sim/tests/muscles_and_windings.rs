//! Motors with a law of their own, by hand calculation: muscles, windings, dampers that are told their strength.

use crate::common::{batch, bits, built};
use bellcrank_math::{Sym3, Twist, Vec3};
use bellcrank_model::{
    Activation, ActivationLaw, Actuator, Body, Control, DcMotor, Joint, Model, ModelBuilder, Muscle, Target,
    WORLD,
};
use bellcrank_sim::{Batch, Precision};
use std::sync::Arc;

const DT: f64 = 1e-3;
const PRECISIONS: [(Precision, f64); 2] = [(Precision::F64, 1e-9), (Precision::F32, 3e-4)];

/// A wheel of 0.5 kg·m² about z with this motor.
fn wheel(motor: Actuator) -> Arc<Model> {
    let mut m = ModelBuilder::new("wheel");
    m.gravity(Vec3::zero());
    m.body(Body::new("wheel").mass(1.0).inertia(Sym3::diagonal(0.5, 0.5, 0.5)));
    m.joint(Joint::revolute("axle", WORLD, "wheel").placed(Vec3::zero(), Vec3::z_axis()));
    m.actuator(motor);
    built(m)
}

fn motor(control: Control) -> Actuator {
    Actuator::new("motor", Target::joint("axle"), control)
}

fn at(model: &Arc<Model>, precision: Precision, speed: f64) -> Batch {
    let mut b = batch(model, 1, DT, precision);
    b.set_body_velocity(0, 0, Twist::new(Vec3::zero(), Vec3::new(0.0, 0.0, speed))).unwrap();
    b
}

/// T i' = u/R − i with the wheel held by its inertia alone: i⁺ = i + Δt/(T + Δt) (u − K ω⁺ − R i)/R and ω⁺ = ω + Δt K
/// i⁺/J, step by step.
#[test]
fn a_winding_delays_the_current() {
    let (K, R, T) = (0.3, 2.0, 4e-3);
    let own = motor(Control::Voltage(DcMotor::new(K, R))).activation(Activation::current(T));
    for (precision, close) in PRECISIONS {
        let mut b = at(&wheel(own.clone()), precision, 0.0);
        b.set_effort(0, 0, 24.0).unwrap();
        let (mut i, mut speed) = (0.0, 0.0);
        for _ in 0..200 {
            b.step(1);
            let share = DT / (T + DT);
            // i⁺ (1 + share Δt K²/(R J)) = i (1 − share) + share (u − K ω)/R
            i = (i * (1.0 - share) + share * (24.0 - K * speed) / R) / (1.0 + share * DT * K * K / (R * 0.5));
            speed += DT * K * i / 0.5;
            assert!((b.activation(0, 0).unwrap().unwrap() - i).abs() < 100.0 * close, "{i}");
            assert!((b.joint_velocity(0).unwrap()[0] - speed).abs() < 10.0 * close);
        }
        // the wheel nears u/K = 80 rad/s slowly, the current u/R soon
        assert!(i > 11.0 && speed > 1.0);
    }
}

/// A change of 100 A/s is 0.1 A in each step, up to the 12 A of 24 V.
#[test]
fn a_current_changes_no_faster_than_its_limit() {
    let law = ActivationLaw::Current { time: 1e-3, rate: 100.0 };
    let slow = Activation { law, ..Activation::current(1e-3) };
    let model = wheel(motor(Control::Voltage(DcMotor::new(0.1, 2.0))).activation(slow));
    for (precision, close) in PRECISIONS {
        let mut b = at(&model, precision, 0.0);
        b.set_effort(0, 0, 24.0).unwrap();
        for n in 1..100 {
            b.step(1);
            let i = b.activation(0, 0).unwrap().unwrap();
            assert!((i - 0.1 * f64::from(n)).abs() < 100.0 * close, "step {n}: {i}");
            assert!((b.actuator_effort(0, 0).unwrap() - 0.1 * i).abs() < 10.0 * close);
        }
    }
}

/// A rising activation goes by min(Δt/τ, 1), τ = T₀ (½ + 1½ a); the muscle pulls the coordinate down, at L = 1 and
/// rest with a F₀.
#[test]
fn a_muscle_is_activated_and_pulls() {
    let muscle = Muscle::new(3.0, 0.5).tendon_length(-0.5);
    let model = wheel(motor(Control::Muscle(muscle)).activation(Activation::muscle([0.01, 0.04])));
    for (precision, close) in PRECISIONS {
        let mut b = at(&model, precision, 0.0);
        b.set_effort(0, 0, 7.0).unwrap(); // at most one
        let mut a = 0.0;
        for n in 0..5 {
            b.step(1);
            let pull = b.actuator_effort(0, 0).unwrap();
            assert!((pull + 3.0 * a).abs() < 0.1 * a + 10.0 * close, "step {n}: {pull}, a = {a}");
            a += (1.0 - a) * DT / (0.01 * (0.5 + 1.5 * a));
            assert!((b.activation(0, 0).unwrap().unwrap() - a).abs() < close, "step {n}");
        }
    }
}

/// kv = 3 and u = 2: J ω⁺ = J ω − Δt 6 ω⁺, implicit and stable.
#[test]
fn a_damper_is_told_its_strength() {
    let model = wheel(motor(Control::Varying { gain: [0.0, 0.0, -3.0], bias: [0.0; 3] }));
    for (precision, close) in PRECISIONS {
        let mut b = at(&model, precision, 10.0);
        b.set_effort(0, 0, 2.0).unwrap();
        b.step(1);
        assert!((b.joint_velocity(0).unwrap()[0] - 10.0 / (1.0 + DT * 6.0 / 0.5)).abs() < 10.0 * close);
        b.set_effort(0, 0, 1e9).unwrap();
        b.step(1);
        assert!(b.joint_velocity(0).unwrap()[0].abs() < 1e-3);
    }
}

#[test]
fn every_world_has_its_own_law() {
    let muscle = motor(Control::Muscle(Muscle::new(3.0, 0.5).tendon_length(-0.5)))
        .activation(Activation::muscle([0.01, 0.04]));
    let winding = motor(Control::Voltage(DcMotor { cogging: [0.2, 5.0, 0.1], ..DcMotor::new(0.3, 2.0) }))
        .activation(Activation::current(2e-3));
    for model in [wheel(muscle), wheel(winding)] {
        for (precision, _) in PRECISIONS {
            let mut many = batch(&model, 19, DT, precision);
            (0..19).for_each(|w| many.set_effort(w, 0, 0.1 * w as f64).unwrap());
            many.step(40);
            for w in 0..19 {
                let mut one = batch(&model, 1, DT, precision);
                one.set_effort(0, 0, 0.1 * w as f64).unwrap();
                one.step(40);
                assert_eq!(one.activation(0, 0).unwrap(), many.activation(w, 0).unwrap(), "world {w}");
                assert_eq!(bits(&one, 0), bits(&many, w), "world {w}");
            }
        }
    }
}
