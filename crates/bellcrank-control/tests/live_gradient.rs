//! Planners that follow derivatives, beside their plant: they hold it, and what goes wrong is named while the last control goes on.

use crate::slider::worlds;
use bellcrank_control::gradient::{At, Hybrid, Ilqr, IlqrOptions, Receding, Slopes, SmoothCost};
use bellcrank_control::live::{Fault, Live};
use bellcrank_control::{
    Action, ControlError, Cost, CostError, Method, Options, Planner, PlantState, Seen, Sum, Temperature, Term,
};
use bellcrank_math::{Pose, Vec3};
use bellcrank_sim::{Batch, BatchOptions, Quantity};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Longer than any plan of this file takes, also on a machine that is busy.
const PATIENCE: Duration = Duration::from_secs(60);
/// Steps of 10 ms that a plan looks ahead.
const HORIZON: usize = 60;

/// x², 0.1 v² and 0.01 u² in every step of the mass on its rail.
fn quadratic() -> Sum {
    let here = |weight| Term::PositionSquared { body: 0, target: [0.0; 3], weight };
    let still = Term::Velocity { body: 0, target: [0.0; 6], weight: [0.1, 0.0, 0.0, 0.0, 0.0, 0.0] };
    Sum {
        running: vec![here(1.0), still, Term::Control { rest: vec![0.0], weight: 0.01 }],
        terminal: vec![here(10.0)],
    }
}

fn options() -> IlqrOptions {
    IlqrOptions { horizon: HORIZON, iterations: 3, threads: 1, ..IlqrOptions::default() }
}

fn ilqr(cost: &dyn SmoothCost) -> Ilqr {
    Ilqr::new(worlds(3, 1), cost, options()).unwrap()
}

/// A sampler and a refiner of one model.
fn hybrid(cost: &dyn SmoothCost) -> Hybrid {
    let batch = |worlds| {
        let options = BatchOptions { dt: Some(0.01), threads: 1, ..BatchOptions::default() };
        Batch::new(MODEL.with(Clone::clone), worlds, options).unwrap()
    };
    let method = Method::Mppi { temperature: Temperature::Relative(0.2) };
    let (horizon, sigma, action) = (HORIZON, vec![5.0], Action::Absolute);
    let how = Options { method, horizon, sigma, action, ..Options::default() };
    let sampler = Planner::new(batch(16), cost, how).unwrap();
    Hybrid::new(sampler, Ilqr::new(batch(3), cost, options()).unwrap()).unwrap()
}

thread_local! {
    static MODEL: std::sync::Arc<bellcrank_model::Model> = crate::slider::slider();
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

/// The mass is pushed to the middle and stays there. Per second these weights are 100 x² + 10 v² + u², whose best feedback is
/// −10 x − √(10 + 2·10) v with poles −2.7 ± 1.6i: after two seconds e⁻⁵·⁵ of 0.2 m are left, about 1 mm, and not twice as much with a plan
/// that ends after 0.6 s. The plant's clock stands still while a plan is made, so that a busy machine changes little.
#[test]
fn gradient_planners_hold_a_mass_beside_its_plant() {
    fn holds<R: Receding + Send + 'static>(planner: R) {
        let mut live = Live::start_gradient(planner, Box::new(quadratic()), &[0.0]).unwrap();
        let mut plant = worlds(1, 1);
        plant.set_body_pose(0, 0, Pose::translation(0.2, 0.0, 0.0)).unwrap();
        let mut state = PlantState::default();
        for step in 0..200 {
            let now = 0.01 * f64::from(step);
            state.read(&plant, 0).unwrap();
            if step % 5 == 0 {
                let plans = live.report().plans;
                wait(&mut live, now, &state, |live, _| live.report().plans > plans);
            }
            let command = live.tick(now, Ok(&state));
            assert_eq!(command.fault, None);
            plant.write(Quantity::Control, command.control).unwrap();
            plant.advance(1);
        }
        let (X, V) = (plant.body_pose(0, 0).unwrap(), plant.body_velocity(0, 0).unwrap());
        assert!(X.p.x.abs() < 4e-3 && V.linear.x.abs() < 0.02, "{:?} {:?}", X.p, V.linear);
        let report = live.report();
        assert!(report.failed == 0 && report.held == 0, "{report:?}");
    }
    holds(ilqr(&quadratic()));
    holds(hybrid(&quadratic()));
}

#[test]
fn a_cost_that_is_no_number_is_named_and_the_last_control_stays() {
    let spoilt = || {
        let mut cost = quadratic();
        cost.running.push(Term::Control { rest: vec![0.0], weight: f64::NAN });
        cost
    };
    let named = |worlds| {
        let error = ControlError::NoUsableSample { frozen: 0, not_finite: worlds, hopeless: 0 };
        Some(Fault::Planner(error))
    };
    let one = Live::start_gradient(ilqr(&spoilt()), Box::new(spoilt()), &[0.5]).unwrap();
    let both = Live::start_gradient(hybrid(&spoilt()), Box::new(spoilt()), &[0.5]).unwrap();
    for (mut live, worlds) in [(one, 3), (both, 16)] {
        let fault = wait(&mut live, 0.0, &state(), |_, fault| fault.is_some());
        assert_eq!(fault, named(worlds));
        assert_eq!(live.tick(0.0, Ok(&state())).control, [0.5]);
        assert!(live.report().failed >= 1 && live.report().held >= 1);
    }
}

/// A force that is infinite acts in the planner's worlds, and not on the plant.
#[test]
fn rollouts_that_freeze_are_counted_and_the_last_control_stays() {
    let mut batch = worlds(3, 1);
    batch.set_body_wrench(0, 0, Vec3::new(f64::INFINITY, 0.0, 0.0), Vec3::zero()).unwrap();
    let planner = Ilqr::new(batch, &quadratic(), options()).unwrap();
    let mut live = Live::start_gradient(planner, Box::new(quadratic()), &[0.25]).unwrap();
    let fault = wait(&mut live, 0.0, &state(), |_, fault| fault.is_some());
    let named = ControlError::NoUsableSample { frozen: 3, not_finite: 0, hopeless: 0 };
    assert_eq!(fault, Some(Fault::Planner(named)));
    assert_eq!(live.tick(0.0, Ok(&state())).control, [0.25]);
}

/// A cost that goes on only when it is let, and then as often as it likes.
struct Gate {
    open: Receiver<()>,
    opened: bool,
    cost: Sum,
}

impl Cost for Gate {
    fn needs(&self) -> Vec<Quantity> {
        self.cost.needs()
    }

    fn running(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        if !self.opened {
            let _ = self.open.recv(); // a key that is thrown away opens it, too
            self.opened = true;
        }
        self.cost.running(seen, total)
    }

    fn terminal(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        self.cost.terminal(seen, total)
    }
}

impl SmoothCost for Gate {
    fn slopes(&self, at: &At<'_>, slopes: &mut dyn Slopes) -> Result<(), CostError> {
        self.cost.slopes(at, slopes)
    }
}

/// While the first plan is made a thousand ticks return, with what the motors are told at rest. A plan of 0.6 s is over an hour later: the
/// planner is late, and the last control stays.
#[test]
fn the_plant_never_waits_and_a_late_planner_is_named() {
    let (key, open): (Sender<()>, _) = channel();
    let gate = Gate { open, opened: false, cost: quadratic() };
    let mut live = Live::start_gradient(ilqr(&gate), Box::new(gate), &[0.25]).unwrap();
    let state = state();
    for tick in 0..1000 {
        assert_eq!(live.tick(1e-3 * f64::from(tick), Ok(&state)).control, [0.25]);
    }
    assert_eq!(live.report().plans, 0);
    key.send(()).unwrap();
    wait(&mut live, 1.0, &state, |live, _| live.report().plans >= 2);
    let told = live.tick(1.1, Ok(&state)).control.to_vec();
    let command = live.tick(3600.0, Ok(&state));
    assert!(matches!(command.fault, Some(Fault::Late { by }) if *by > 3000.0), "{:?}", command.fault);
    assert_eq!(command.control, told);
}
