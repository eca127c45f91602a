//! A planner beside its plant: the plant never waits, latency is made up for, and every fault has a name.

use crate::slider::{GoToOne, worlds};
use bellcrank_control::live::{Fault, Live};
use bellcrank_control::{Action, ControlError, Cost, CostError, Method, Options, Planner, PlantState, Seen};
use bellcrank_sim::Quantity;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Longer than any plan of this file takes, also on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);

fn planner(cost: &dyn Cost, sigma: f64) -> Planner {
    let options = Options {
        method: Method::PredictiveSampling,
        horizon: 20, // 0.2 s
        knots: Some(4),
        sigma: vec![sigma],
        action: Action::Absolute,
        ..Options::default()
    };
    Planner::new(worlds(24, 1), cost, options).unwrap()
}

fn state() -> PlantState {
    PlantState::of(&worlds(1, 1), 0).unwrap()
}

/// Ticks at one time of the plant until something holds.
fn wait(
    live: &mut Live,
    now: f64,
    state: &PlantState,
    until: impl Fn(&Live, Option<&Fault>) -> bool,
) -> Option<Fault> {
    let began = Instant::now();
    loop {
        let fault = live.tick(now, Ok(state)).fault.cloned();
        if until(live, fault.as_ref()) {
            return fault;
        }
        assert!(began.elapsed() < PATIENCE, "the planner never answered: {fault:?}, {:?}", live.report());
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// A cost that goes on only when it is let, and then as often as it likes.
struct Gate {
    open: Receiver<()>,
    opened: bool,
}

impl Gate {
    fn new() -> (Sender<()>, Self) {
        let (key, open) = channel();
        (key, Gate { open, opened: false })
    }
}

impl Cost for Gate {
    fn needs(&self) -> Vec<Quantity> {
        GoToOne.needs()
    }

    fn running(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        if !self.opened {
            let _ = self.open.recv(); // a key that is thrown away opens it, too
            self.opened = true;
        }
        GoToOne.running(seen, total)
    }
}

/// While the cost does not return, a thousand ticks do: none of them waits for the planner. The motors are told what they are told at
/// rest; then the plan arrives and is in force, and when its 0.2 s are over the planner is late and the last control stays.
#[test]
fn the_plant_never_waits_and_a_late_planner_is_named() {
    let (key, gate) = Gate::new();
    let mut live = Live::start(planner(&gate, 5.0), Box::new(gate), &[0.25]).unwrap();
    let state = state();
    for tick in 0..1000 {
        let command = live.tick(1e-3 * f64::from(tick), Ok(&state));
        assert_eq!(command.control, [0.25]);
    }
    assert_eq!(live.report().plans, 0);
    key.send(()).unwrap();
    wait(&mut live, 1.0, &state, |live, _| live.report().plans >= 2);
    let told = live.tick(1.1, Ok(&state)).control.to_vec();
    // an hour later on the plant's clock no plan reaches so far, until one is made from a state of that time
    let command = live.tick(3600.0, Ok(&state));
    assert!(matches!(command.fault, Some(Fault::Late { by }) if *by > 3000.0), "{:?}", command.fault);
    assert_eq!(command.control, told);
}

#[test]
fn a_cost_that_is_no_number_is_named_and_the_last_control_stays() {
    struct Nothing;
    impl Cost for Nothing {
        fn needs(&self) -> Vec<Quantity> {
            Vec::new()
        }
        fn running(&mut self, _: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
            total.fill(f64::NAN);
            Ok(())
        }
    }
    let mut live = Live::start(planner(&Nothing, 1.0), Box::new(Nothing), &[0.5]).unwrap();
    let fault = wait(&mut live, 0.0, &state(), |_, fault| fault.is_some());
    let named = ControlError::NoUsableSample { frozen: 0, not_finite: 24, hopeless: 0 };
    assert_eq!(fault, Some(Fault::Planner(named)));
    assert_eq!(live.tick(0.0, Ok(&state())).control, [0.5]);
    assert!(live.report().failed >= 1 && live.report().held >= 1);
}

/// A force of 10³⁰⁸ N and more is infinite: the plant freezes, and says which body it was.
#[test]
fn a_frozen_plant_is_named_and_the_last_control_stays() {
    let mut plant = worlds(1, 1);
    let body = bellcrank_math::Vec3::new(f64::INFINITY, 0.0, 0.0);
    plant.set_body_wrench(0, 0, body, bellcrank_math::Vec3::zero()).unwrap();
    plant.advance(1);
    let error = PlantState::of(&plant, 0).unwrap_err();
    assert_eq!(error, ControlError::PlantFrozen { body: "mass".into(), step: 0 });
    let mut live = Live::start(planner(&GoToOne, 1.0), Box::new(GoToOne), &[0.75]).unwrap();
    let command = live.tick(0.0, Err(error.clone()));
    assert_eq!((command.control, command.fault), ([0.75].as_slice(), Some(&Fault::Plant(error))));
}

#[test]
fn a_cost_that_panics_stops_the_planner_and_nothing_else() {
    struct Broken;
    impl Cost for Broken {
        fn needs(&self) -> Vec<Quantity> {
            Vec::new()
        }
        fn running(&mut self, _: &Seen<'_>, _: &mut [f64]) -> Result<(), CostError> {
            panic!("this cost panics on purpose, for a test");
        }
    }
    let mut live = Live::start(planner(&Broken, 1.0), Box::new(Broken), &[1.0]).unwrap();
    let fault = wait(&mut live, 0.0, &state(), |_, fault| fault.is_some());
    assert_eq!(fault, Some(Fault::Stopped));
    assert_eq!(live.tick(0.0, Ok(&state())).control, [1.0]);
}

/// Where the mass was after the first step of the first sample of each plan.
struct Watched(Sender<f64>);

impl Cost for Watched {
    fn needs(&self) -> Vec<Quantity> {
        GoToOne.needs()
    }

    fn running(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        if seen.step == 0 {
            let _ = self.0.send(seen.array(Quantity::BodyPosition)?[0]);
        }
        total.fill(0.0);
        Ok(())
    }
}

/// A mass that slides at 1 m/s and is not pushed. The first plan is asked for at 0 s and arrives at 0.05 s: the latency is 0.05 s. A
/// state of 0.05 m at that time is planned from 0.05 m + 0.05 s · 1 m/s, and after a step of 0.01 s the mass is at 0.11 m.
#[test]
fn a_plan_begins_where_the_plant_will_be_when_it_arrives() {
    let (sender, seen) = channel();
    let cost = Watched(sender);
    let mut live = Live::start(planner(&cost, 0.0), Box::new(cost), &[0.0]).unwrap();
    let moving = |x: f64| {
        let mut plant = worlds(1, 1);
        let pose = bellcrank_math::Pose::translation(x, 0.0, 0.0);
        plant.set_body_pose(0, 0, pose).unwrap();
        let V = bellcrank_math::Twist::new(bellcrank_math::Vec3::x_axis(), bellcrank_math::Vec3::zero());
        plant.set_body_velocity(0, 0, V).unwrap();
        PlantState::of(&plant, 0).unwrap()
    };
    live.tick(0.0, Ok(&moving(0.0)));
    let first = seen.recv_timeout(PATIENCE).unwrap();
    assert!((first - 0.01).abs() < 1e-9, "{first}");
    let there = moving(0.05);
    let began = Instant::now();
    while live.report().plans == 0 {
        // without a state: a second plan would overtake the first
        live.tick(0.05, Err(ControlError::StateNotFinite { quantity: "body_position", index: 0 }));
        assert!(began.elapsed() < PATIENCE, "the planner never answered");
    }
    assert!((live.report().latency - 0.05).abs() < 1e-12, "{}", live.report().latency);
    live.tick(0.05, Ok(&there));
    let second = seen.recv_timeout(PATIENCE).unwrap();
    assert!((second - 0.11).abs() < 1e-9, "{second}");
}
