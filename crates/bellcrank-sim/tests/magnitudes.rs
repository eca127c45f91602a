//! Numbers at the ends of what may be written: no step panics, and whatever a world shows, frozen or not, is a number.

use crate::common::{batch, built};
use bellcrank_math::{Twist, Vec3};
use bellcrank_model::magnitude::{LEAST_INERTIA, LENGTH, STRENGTH};
use bellcrank_model::{Model, library};
use bellcrank_sim::{Batch, BatchError, Kind, Owner, Precision, Quantity};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

const BOTH: [Precision; 2] = [Precision::F64, Precision::F32];

fn models() -> Vec<Arc<Model>> {
    ["stewart", "hybrid_biped", "cartpole", "stack", "four_bar"]
        .map(|name| built(library::by_name(name).expect("a shipped model")))
        .to_vec()
}

/// What is wrong with what a user can read of all worlds; none where every number is one.
fn trouble(b: &Batch) -> Option<String> {
    for quantity in Quantity::all().filter(|quantity| quantity.is_array()) {
        let mut values = vec![0.0_f64; b.shape(quantity).iter().product()];
        if b.read(quantity, &mut values).is_err() {
            continue; // it has none of these
        }
        let wrong = |x: &&f64| x.is_nan() || x.is_infinite() && !quantity.may_be_infinite();
        if let Some(bad) = values.iter().find(wrong) {
            return Some(format!("{} shows {bad}", quantity.name()));
        }
    }
    let report = b.report();
    for w in 0..b.worlds() {
        let gap = report.loop_gap[w];
        let figures = [b.energy(w).unwrap(), report.residual[w], report.penetration[w], gap.0, gap.1];
        if figures.iter().any(|x| x.is_nan()) {
            return Some(format!("world {w} reports {figures:?}"));
        }
        let model = b.model(w).unwrap();
        for joint in 0..model.joints().len() {
            let reaction = b.joint_reaction(w, joint).unwrap();
            if !(reaction.force.is_finite() && reaction.moment.is_finite()) {
                return Some(format!("{reaction:?}"));
            }
        }
        for motor in 0..model.actuators().len() {
            let effort = b.actuator_effort(w, motor).unwrap();
            if effort.is_nan() {
                return Some(format!("the effort of motor {motor} is {effort}"));
            }
        }
        if let Some(contact) = b.contacts(w).unwrap().iter().find(|contact| !contact.force.is_finite()) {
            return Some(format!("a contact presses with {:?}", contact.force));
        }
    }
    None
}

/// Steps three times; panics are troubles like others, so that all of them are told at once.
fn stepped(b: &mut Batch, what: String, troubles: &mut Vec<String>) {
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        b.step(3);
        trouble(b)
    }));
    match outcome {
        Ok(None) => {}
        Ok(Some(trouble)) => troubles.push(format!("{what}: {trouble}")),
        Err(_) => troubles.push(format!("{what}: panics")),
    }
}

/// The largest and the smallest values of every parameter, one at a time in one of two worlds.
#[test]
fn the_largest_and_smallest_parameters_freeze_a_world_at_worst() {
    let mut troubles = Vec::new();
    for model in models() {
        for precision in BOTH {
            for parameter in Quantity::of_kind(Kind::Parameter) {
                for value in [LENGTH, -LENGTH, STRENGTH, -STRENGTH, LEAST_INERTIA, 0.0] {
                    let count = parameter.parts(&model) * parameter.components();
                    let mut b = batch(&model, 2, 0.004, precision);
                    if count == 0 || b.write_parameter(parameter, &[1], &vec![value; count]).is_err() {
                        continue;
                    }
                    let what = format!("{} {precision:?} {} = {value:e}", model.name(), parameter.name());
                    stepped(&mut b, what, &mut troubles);
                }
            }
        }
    }
    assert!(troubles.is_empty(), "{}", troubles.join("\n"));
}

#[test]
fn what_is_beyond_is_refused_and_changes_nothing() {
    let model = built(library::stewart());
    let mut b = batch(&model, 2, 0.004, Precision::F64);
    let mut plain = batch(&model, 2, 0.004, Precision::F64);
    for parameter in
        Quantity::of_kind(Kind::Parameter).filter(|p| p.owner() != Owner::Dof || !p.may_be_infinite())
    {
        let count = parameter.parts(&model) * parameter.components();
        if count == 0 || parameter.may_be_infinite() || parameter == Quantity::SpringRest {
            continue;
        }
        let written = b.write_parameter(parameter, &[0], &vec![1e308; count]);
        assert!(matches!(written, Err(BatchError::BadParameter { .. })), "{}: {written:?}", parameter.name());
    }
    b.step(3);
    plain.step(3);
    assert_eq!(b.snapshot(), plain.snapshot());
}

/// States and controls may be anything: a world that cannot be computed keeps its last good state.
#[test]
fn wild_states_and_controls_freeze_a_world_at_worst() {
    let mut troubles = Vec::new();
    for model in models() {
        for precision in BOTH {
            for size in [1e6, 1e12, 1e20, 1e30] {
                let what = format!("{} {precision:?} {size:e}", model.name());
                let wild = Vec3::new(size, -size, size);
                let mut b = batch(&model, 2, 0.004, precision);
                b.set_body_velocity(1, 0, Twist::new(wild, wild)).unwrap();
                stepped(&mut b, format!("{what} velocity"), &mut troubles);
                let mut b = batch(&model, 2, 0.004, precision);
                b.set_body_wrench(1, 0, wild, wild).unwrap();
                for motor in 0..model.actuators().len() {
                    b.set_effort(1, motor, size).unwrap();
                    b.set_target_position(1, motor, -size).unwrap();
                }
                stepped(&mut b, format!("{what} controls"), &mut troubles);
            }
        }
    }
    assert!(troubles.is_empty(), "{}", troubles.join("\n"));
}
