//! Motors on a torque–speed line, by hand calculation: 6 N·m at rest, nothing at 30 rad/s, so that k = 0.2 N·m·s.

use crate::common::{batch, bits, built};
use bellcrank_math::{Sym3, Twist, Vec3};
use bellcrank_model::{
    Actuator, ActuatorParameters, Body, Control, Dof, Joint, Model, ModelBuilder, Target, Tendon,
    TorqueSpeed, WORLD,
};
use bellcrank_sim::{Batch, Precision};
use bellcrank_step::effort::EffortConstants;
use std::sync::Arc;

const DT: f64 = 2e-3;
const PRECISIONS: [(Precision, f64); 2] = [(Precision::F64, 1e-9), (Precision::F32, 2e-4)];

fn line() -> TorqueSpeed {
    TorqueSpeed::new(6.0, 30.0)
}

/// A flywheel about z with this inertia, and these motors.
fn flywheel(inertia: f64, motors: impl IntoIterator<Item = Actuator>) -> Arc<Model> {
    let mut m = ModelBuilder::new("flywheel");
    m.gravity(Vec3::zero());
    let wheel = Body::new("wheel").mass(1.0).inertia(Sym3::diagonal(inertia, inertia, inertia));
    m.body(wheel);
    m.joint(Joint::revolute("axle", WORLD, "wheel").placed(Vec3::zero(), Vec3::z_axis()));
    m.tendon(Tendon::new("belt").term("axle", 2.0));
    motors.into_iter().for_each(|motor| _ = m.actuator(motor));
    built(m)
}

fn spinning(model: &Arc<Model>, precision: Precision, speed: f64) -> Batch {
    let mut b = batch(model, 1, DT, precision);
    b.set_body_velocity(0, 0, Twist::new(Vec3::zero(), Vec3::new(0.0, 0.0, speed))).unwrap();
    b
}

/// The effort of one step that begins at this speed.
fn effort(model: &Arc<Model>, precision: Precision, speed: f64, told: f64) -> f64 {
    let mut b = spinning(model, precision, speed);
    b.set_effort(0, 0, told).unwrap();
    b.step(1);
    b.actuator_effort(0, 0).unwrap()
}

/// 6 (1 − ω/30) forwards, −6 (1 + ω/30) backwards, never beyond 6 N·m: at rest 6, at 10 rad/s 4 and −6, at 30 nothing,
/// at 45 it brakes with 3 whatever it is told. What is asked for less is given as it is.
#[test]
fn the_line_bounds_what_a_motor_gives() {
    let model = flywheel(0.5, [Actuator::effort("motor", "axle").torque_speed(line())]);
    for (precision, close) in PRECISIONS {
        for (speed, told, given) in [
            (0.0, 100.0, 6.0),
            (0.0, -100.0, -6.0),
            (10.0, 100.0, 4.0),
            (10.0, -100.0, -6.0),
            (-10.0, -100.0, -4.0),
            (10.0, 3.0, 3.0),
            (30.0, 100.0, 0.0),
            (45.0, 100.0, -3.0),
            (45.0, 0.0, -3.0),
            (-45.0, -100.0, 3.0),
            (200.0, 100.0, -6.0),
        ] {
            let own = effort(&model, precision, speed, told);
            assert!((own - given).abs() < 10.0 * close, "{precision:?} {speed} {told}: {own}, not {given}");
        }
    }
}

/// A saturation of 2 N·m is reached where the line still has 6 (1 − ω/30) > 2, up to 20 rad/s; one above the stall
/// torque lets the motor brake with more than that.
#[test]
fn the_saturation_cuts_the_line() {
    let weak = flywheel(0.5, [Actuator::effort("motor", "axle").torque_speed(line().saturation(2.0))]);
    let strong = flywheel(0.5, [Actuator::effort("motor", "axle").torque_speed(line().saturation(8.0))]);
    for (precision, close) in PRECISIONS {
        for (model, speed, told, given) in [
            (&weak, 10.0, 9.0, 2.0),
            (&weak, 25.0, 9.0, 1.0),
            (&strong, 0.0, 9.0, 6.0),
            (&strong, 5.0, -9.0, -7.0),
            (&strong, 20.0, -9.0, -8.0),
        ] {
            let own = effort(model, precision, speed, told);
            assert!((own - given).abs() < 10.0 * close, "{precision:?} {speed} {told}: {own}, not {given}");
        }
    }
}

/// ω' = s (1 − ω/ω₀)/J gives ω_n = ω₀ (1 − (1 − Δt k/J)ⁿ), which comes to ω₀ and never passes it; J = 0.02 kg·m² makes
/// Δt k/J = 0.02. The bounds hold for a drive as for an effort, and behind a gear: 3 N·m and 60 rad/s with a gear of 2
/// are the same line. So is a belt with a coefficient of 2 and a motor of 3 N·m and 60 rad/s on it.
#[test]
fn a_motor_runs_up_to_its_speed_without_load_and_not_beyond() {
    let fast = || TorqueSpeed::new(3.0, 60.0);
    let motors = [
        Actuator::effort("motor", "axle").torque_speed(line()),
        Actuator::velocity("motor", "axle", 50.0).torque_speed(line()),
        Actuator::effort("motor", "axle").gear(2.0).torque_speed(fast()),
        Actuator::new("motor", Target::tendon("belt"), Control::Effort).torque_speed(fast()),
    ];
    for motor in motors {
        let model = flywheel(0.02, [motor]);
        for (precision, close) in PRECISIONS {
            let mut b = batch(&model, 1, DT, precision);
            b.set_effort(0, 0, 100.0).unwrap();
            b.set_target_velocity(0, 0, 1000.0).unwrap();
            for n in 1..=800 {
                b.step(1);
                let (v, hand) = (b.joint_velocity(0).unwrap()[0], 30.0 * (1.0 - 0.98f64.powi(n)));
                assert!((v - hand).abs() < 100.0 * close, "step {n}: {v}, not {hand}");
                assert!(v < 30.0 + close);
            }
            assert!(b.joint_velocity(0).unwrap()[0] > 29.999);
        }
    }
}

/// A rotor of 10⁻⁵ kg·m² that the line would throw to and fro: Δt k/J = 40. The slope beyond J/Δt holds at the end of
/// the step, so that the speed goes up to ω₀ and stays there, from below and from above.
#[test]
fn a_rotor_too_light_for_the_line_does_not_shake() {
    for motor in [Actuator::effort("motor", "axle"), Actuator::velocity("motor", "axle", 0.01)] {
        let model = flywheel(1e-5, [motor.torque_speed(line())]);
        for (precision, close) in PRECISIONS {
            for start in [0.0, 45.0] {
                let mut b = spinning(&model, precision, start);
                b.set_effort(0, 0, 50.0).unwrap();
                b.set_target_velocity(0, 0, 6000.0).unwrap();
                let mut last = start;
                for _ in 0..100 {
                    b.step(1);
                    let v = b.joint_velocity(0).unwrap()[0];
                    assert!((v - 30.0).abs() <= (last - 30.0f64).abs() + 30.0 * close, "{last} {v}");
                    assert!((v - 30.0) * (start - 30.0) >= -100.0 * close, "{v} passes the line");
                    last = v;
                }
                assert!((last - 30.0).abs() < 100.0 * close, "{last}");
            }
        }
    }
}

/// A position drive that holds a place has its effort as before; its way there is bounded.
#[test]
fn worlds_in_lanes_are_as_if_alone() {
    let model = flywheel(0.02, [Actuator::position("motor", "axle", 40.0, 1.0).torque_speed(line())]);
    for (precision, _) in PRECISIONS {
        let mut many = batch(&model, 19, DT, precision);
        (0..19).for_each(|w| many.set_target_position(w, 0, w as f64 - 7.3).unwrap());
        many.step(60);
        for w in 0..19 {
            let mut one = batch(&model, 1, DT, precision);
            one.set_target_position(0, 0, w as f64 - 7.3).unwrap();
            one.step(60);
            assert_eq!(bits(&one, 0), bits(&many, w), "world {w}");
        }
    }
}

fn motor(gear: f64, limit: f64, line: Option<TorqueSpeed>) -> ActuatorParameters {
    ActuatorParameters {
        control: Control::Effort,
        gear,
        effort_limit: limit,
        effort_range: [f64::NEG_INFINITY, f64::INFINITY],
        control_range: [f64::NEG_INFINITY, f64::INFINITY],
        torque_speed: line,
    }
}

/// 6 N·m, 30 rad/s, saturated at 4 N·m, behind a gear of −2: at the joint 12 N·m, 15 rad/s and 8 N·m. At 10 rad/s
/// 12 (1 − 10/15) = 4 N·m are left forwards, and the saturation backwards.
#[test]
fn a_gear_makes_a_line_stronger_and_slower() {
    let line = TorqueSpeed::new(6.0, 30.0).saturation(4.0);
    let one = EffortConstants::of([motor(-2.0, f64::INFINITY, Some(line))].iter(), &Dof::default());
    let close = |(a, b): (f64, f64), c: f64, d: f64| (a - c).abs() < 1e-12 && (b - d).abs() < 1e-12;
    assert!(close(one.bounds(10.0, 1.0), -8.0, 4.0));
    assert!(close(one.bounds(-10.0, 1.0), -4.0, 8.0));
    assert!(close(one.bounds(0.0, 1.0), -8.0, 8.0));
    // beyond 15 rad/s it brakes, with no more than its saturation
    assert!(close(one.bounds(20.0, 1.0), -8.0, -4.0));
    assert!(close(one.bounds(90.0, 1.0), -8.0, -8.0));
}

/// One with a line and one without: 2 + 5 N·m at rest, 5 N·m at the speed of the first.
#[test]
fn motors_of_one_coordinate_are_added_up() {
    let line = Some(TorqueSpeed::new(2.0, 10.0));
    let two = [motor(1.0, f64::INFINITY, line), motor(1.0, 5.0, None)];
    let both = EffortConstants::of(two.iter(), &Dof::default());
    assert_eq!(both.bounds(0.0, 1.0), (-7.0, 7.0));
    assert_eq!(both.bounds(10.0, 1.0), (-7.0, 5.0));
}
