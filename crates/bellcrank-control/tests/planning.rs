//! Planners find controls, are deterministic, and never choose what cannot be used.

use crate::slider::{GoToOne, slider, worlds};
use bellcrank_control::{
    Action, ControlError, Cost, CostError, Method, Options, Planner, PlantState, Seen, Spline, Temperature,
    Unusable,
};
use bellcrank_model::library;
use bellcrank_sim::{Batch, BatchOptions, Quantity};
use std::sync::Arc;

fn options(method: Method) -> Options {
    Options {
        method,
        horizon: 40,
        knots: Some(8),
        spline: Spline::Linear,
        sigma: vec![5.0],
        action: Action::Absolute,
        ..Options::default()
    }
}

const MPPI: Method = Method::Mppi { temperature: Temperature::Relative(0.2) };
const METHODS: [Method; 3] =
    [MPPI, Method::PredictiveSampling, Method::CrossEntropy { elites: 8, floor: 0.05 }];

/// With 20 N the kilogram could be there in 2 √(1/20) s = 0.45 s; three seconds and a few centimetres are asked for.
#[test]
fn every_method_brings_a_mass_to_its_place_and_stops_it() {
    for method in METHODS {
        for spline in [Spline::Hold, Spline::Linear, Spline::Cubic] {
            let mut plant = worlds(1, 1);
            let options = Options { spline, iterations: 2, anneal: 0.6, ..options(method) };
            let mut planner = Planner::new(worlds(48, 1), &GoToOne, options).unwrap();
            let mut state = PlantState::of(&plant, 0).unwrap();
            for step in 0..100 {
                state.read(&plant, 0).unwrap();
                planner.plan(&state, &mut GoToOne, if step == 0 { 0.0 } else { 0.03 }).unwrap();
                plant.write(Quantity::Control, planner.control_at(0.0)).unwrap();
                plant.advance(3);
            }
            let (x, v) = (plant.body_pose(0, 0).unwrap().p.x, plant.body_velocity(0, 0).unwrap().linear.x);
            assert!((x - 1.0).abs() < 0.05 && v.abs() < 0.3, "{method:?} {spline:?}: {x} m, {v} m/s");
        }
    }
}

#[test]
fn plans_are_the_same_for_a_seed_whatever_the_number_of_threads() {
    let plan = |threads: usize, seed: u64| {
        let mut planner =
            Planner::new(worlds(70, threads), &GoToOne, Options { seed, ..options(MPPI) }).unwrap();
        let state = PlantState::of(&worlds(1, 1), 0).unwrap();
        (0..3).for_each(|k| {
            planner.plan(&state, &mut GoToOne, 0.01 * f64::from(k)).unwrap();
        });
        planner.sequence().iter().map(|x| x.to_bits()).collect::<Vec<_>>()
    };
    assert_eq!(plan(1, 5), plan(3, 5));
    assert_ne!(plan(1, 5), plan(1, 6));
}

/// Without noise every sample is the plan at hand: all worlds begin alike and end alike, and the plant ends where they do.
#[test]
fn rollouts_begin_alike_and_go_where_the_plant_goes() {
    let mut plant = worlds(1, 1);
    plant.set_effort(0, 0, 3.0).unwrap();
    plant.advance(7);
    let state = PlantState::of(&plant, 0).unwrap();
    let options = Options { sigma: vec![0.0], action: Action::Increment { limit: 1.0 }, ..options(MPPI) };
    let mut planner = Planner::new(worlds(20, 1), &GoToOne, options).unwrap();
    for _ in 0..2 {
        planner.plan(&state, &mut GoToOne, 0.0).unwrap(); // the second time after rollouts that ended elsewhere
        assert!(planner.costs().iter().all(|cost| cost.to_bits() == planner.costs()[0].to_bits()));
    }
    plant.advance(40);
    let there = |batch: &Batch, world| batch.body_pose(world, 0).unwrap().p.x;
    assert!((there(&plant, 0) - there(planner.batch(), 19)).abs() < 1e-12);
}

/// Changes are at most the limit, and what the motors are told stays in their range.
#[test]
fn increments_keep_their_limit_and_the_range_of_the_control() {
    let model = Arc::new(library::linkage_hand().build().unwrap());
    let batch =
        |worlds| Batch::new(model.clone(), worlds, BatchOptions { threads: 1, ..BatchOptions::default() });
    let sink = Lowest { body: 1 };
    let options = Options { sigma: vec![0.5], horizon: 12, ..Options::default() };
    let mut planner = Planner::new(batch(9).unwrap(), &sink, options).unwrap();
    let state = PlantState::of(&batch(1).unwrap(), 0).unwrap();
    planner.plan(&state, &mut Lowest { body: 1 }, 0.0).unwrap();
    let motors = model.actuators();
    let mut last = state.control.clone();
    let mut moved = 0.0_f64;
    for row in planner.sequence().chunks(motors.len()) {
        for (a, motor) in motors.iter().enumerate() {
            let change = (row[a] - last[a]).abs();
            assert!(change <= 0.1 + 1e-12, "{change}");
            assert!((motor.control_range[0]..=motor.control_range[1]).contains(&row[a]));
            moved = moved.max(change);
        }
        last.copy_from_slice(row);
    }
    assert!(moved > 0.01, "nothing was planned");
}

/// Height of a body.
struct Lowest {
    body: usize,
}

impl Cost for Lowest {
    fn needs(&self) -> Vec<Quantity> {
        vec![Quantity::BodyPosition]
    }

    fn running(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        let p = seen.array(Quantity::BodyPosition)?;
        let width = p.len() / seen.worlds;
        total.iter_mut().zip(p.chunks(width)).for_each(|(total, row)| *total += row[3 * self.body + 2]);
        Ok(())
    }
}

/// Some samples cost what is no number, some too much; those that remain cost their number, backwards.
struct Spoilt {
    not_a_number: fn(usize) -> bool,
    much: fn(usize) -> bool,
}

impl Cost for Spoilt {
    fn needs(&self) -> Vec<Quantity> {
        Vec::new()
    }

    fn running(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        for (sample, total) in seen.sample.iter().zip(total) {
            *total += match *sample {
                s if (self.not_a_number)(s) && seen.step == 2 => f64::NAN,
                s if (self.much)(s) => 1e9,
                s => 1000.0 - s as f64,
            };
        }
        Ok(())
    }
}

/// 30 samples: 0, 3, …, 27 are no numbers (10), of the rest those above 25 are too much (26, 28, 29). The cheapest of the rest is 25.
#[test]
fn samples_that_cannot_be_used_are_counted_named_and_never_chosen() {
    let mut cost = Spoilt { not_a_number: |s| s % 3 == 0, much: |s| s > 25 };
    let state = PlantState::of(&worlds(1, 1), 0).unwrap();
    for method in METHODS {
        let mut planner =
            Planner::new(worlds(30, 1), &cost, Options { hopeless: 1e8, ..options(method) }).unwrap();
        let plan = planner.plan(&state, &mut cost, 0.0).unwrap();
        assert_eq!((plan.not_finite, plan.hopeless, plan.frozen, plan.usable), (9, 4, 0, 17));
        assert_eq!((plan.best, plan.best_cost), (25, 40.0 * 975.0));
        let first = plan.trouble.unwrap();
        assert_eq!((first.sample, first.step, first.why), (0, 2, Unusable::NotFinite));
        assert!(planner.costs()[27].is_infinite() && planner.sequence().iter().all(|u| u.is_finite()));
    }
}

#[test]
fn a_plan_without_a_usable_sample_is_an_error_and_the_last_controls_stay() {
    let state = PlantState::of(&worlds(1, 1), 0).unwrap();
    let mut planner = Planner::new(worlds(16, 1), &GoToOne, options(MPPI)).unwrap();
    planner.plan(&state, &mut GoToOne, 0.0).unwrap();
    let before = planner.sequence().to_vec();
    let mut spoilt = Spoilt { not_a_number: |_| true, much: |_| false };
    let error = planner.plan(&state, &mut spoilt, 0.0).unwrap_err();
    assert_eq!(error, ControlError::NoUsableSample { frozen: 0, not_finite: 16, hopeless: 0 });
    assert_eq!(planner.sequence(), before);
}

/// A target of 10³⁰⁸ times a few is infinite: the world of that sample freezes, and the sample is out.
#[test]
fn frozen_worlds_are_counted_and_never_chosen_and_thaw_for_the_next_plan() {
    let state = PlantState::of(&worlds(1, 1), 0).unwrap();
    let endless = {
        let mut b = bellcrank_model::ModelBuilder::new("free slider");
        let body = b.body(bellcrank_model::Body::new("mass").solid_sphere(1.0, 0.1));
        let rail = bellcrank_model::Joint::prismatic("rail", bellcrank_model::WORLD, body);
        let rail = b.joint(rail.placed(bellcrank_math::Vec3::zero(), bellcrank_math::Vec3::x_axis()));
        b.actuator(bellcrank_model::Actuator::position("push", rail, 100.0, 10.0));
        Arc::new(b.build().unwrap())
    };
    let batch = BatchOptions { dt: Some(0.01), threads: 1, ..BatchOptions::default() };
    let batch = Batch::new(endless, 12, batch).unwrap();
    let mut cost = Spoilt { not_a_number: |_| false, much: |_| false };
    let mut planner =
        Planner::new(batch, &cost, Options { sigma: vec![1e308], ..options(Method::PredictiveSampling) })
            .unwrap();
    for _ in 0..2 {
        let plan = planner.plan(&state, &mut cost, 0.0).unwrap();
        assert!(plan.frozen > 0 && plan.usable == 12 - plan.frozen, "{plan:?}");
        assert!(planner.sequence().iter().all(|u| u.is_finite()), "{:?}", planner.sequence());
        planner.rest();
    }
}

#[test]
fn what_makes_no_sense_is_refused_with_its_name() {
    let new = |options: Options| Planner::new(worlds(4, 1), &GoToOne, options).err().map(|e| e.to_string());
    let told = |options: Options| new(options).expect("an error");
    assert_eq!(told(Options { horizon: 0, ..options(MPPI) }), "the horizon must be one step or more, not 0");
    assert_eq!(
        told(Options { sigma: vec![1.0, 2.0], ..options(MPPI) }),
        "sigma: 2 values were given, expected: 1"
    );
    assert_eq!(
        told(Options { knots: Some(99), ..options(MPPI) }),
        "the number of knots must be between one and the steps of the horizon, not 99"
    );
    let cold = Method::Mppi { temperature: Temperature::Absolute(0.0) };
    assert_eq!(told(options(cold)), "the temperature must be a number above zero, not 0");
    let boxed = Arc::new(library::by_name("box").unwrap().build().unwrap());
    let batch = Batch::new(boxed, 2, BatchOptions::default()).unwrap();
    let error = Planner::new(batch, &GoToOne, options(MPPI)).err().unwrap();
    assert!(matches!(error, ControlError::NoMotors(_)), "{error}");
    let mut planner = Planner::new(worlds(4, 1), &GoToOne, options(MPPI)).unwrap();
    let mut state = PlantState::of(&worlds(1, 1), 0).unwrap();
    state.body_velocity[2] = f64::NAN;
    let error = planner.plan(&state, &mut GoToOne, 0.0).unwrap_err();
    assert_eq!(error, ControlError::StateNotFinite { quantity: "body_velocity", index: 2 });
    assert_eq!(slider().actuators().len(), 1);
}
