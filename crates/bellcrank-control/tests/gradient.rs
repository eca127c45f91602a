//! Gradient planners find what is known to be best, keep to limits, follow loops, and fail by name.

use crate::slider::worlds;
use bellcrank_control::gradient::{Along, At, Hybrid, Ilqr, IlqrOptions, Receding, Slopes, SmoothCost};
use bellcrank_control::{
    Action, ControlError, Cost, CostError, Method, Options, Planner, PlantState, Seen, Sum, Temperature, Term,
};
use bellcrank_model::{Actuator, Model, library};
use bellcrank_sim::{Batch, BatchOptions, Quantity};
use std::sync::Arc;

/// x², 0.1 v² and 0.01 u² in every step of the mass on its rail.
fn quadratic() -> Sum {
    Sum {
        running: vec![
            Term::PositionSquared { body: 0, target: [0.0; 3], weight: 1.0 },
            Term::Velocity { body: 0, target: [0.0; 6], weight: [0.1, 0.0, 0.0, 0.0, 0.0, 0.0] },
            Term::Control { rest: vec![0.0], weight: 0.01 },
        ],
        terminal: vec![Term::PositionSquared { body: 0, target: [0.0; 3], weight: 10.0 }],
    }
}

/// The gain of the first step by Riccati's recursion, by hand: x⁺ = A x + B u with v⁺ = v + Δt u, x⁺ = x + Δt v⁺, and the cost of a step is
/// that of the state it ends in, S = diag(1, 0.1), and 0.01 u².
fn riccati(horizon: usize, dt: f64) -> [f64; 2] {
    let (A, B) = ([[1.0, dt], [0.0, 1.0]], [dt * dt, dt]);
    let mut P = [[10.0, 0.0], [0.0, 0.0]];
    let mut gain = [0.0; 2];
    for _ in 0..horizon {
        P[0][0] += 1.0;
        P[1][1] += 0.1;
        let PB = [0, 1].map(|i| P[i][0] * B[0] + P[i][1] * B[1]);
        let R = 0.01 + B[0] * PB[0] + B[1] * PB[1];
        let BPA = [0, 1].map(|j| PB[0] * A[0][j] + PB[1] * A[1][j]);
        gain = BPA.map(|x| -x / R);
        let PA = [0, 1].map(|i| [0, 1].map(|j| P[i][0] * A[0][j] + P[i][1] * A[1][j]));
        P = [0, 1].map(|i| [0, 1].map(|j| A[0][i] * PA[0][j] + A[1][i] * PA[1][j] + gain[j] * BPA[i]));
    }
    gain
}

fn moved(x: f64, v: f64) -> PlantState {
    let mut state = PlantState::of(&worlds(1, 1), 0).unwrap();
    (state.body_position[0], state.body_velocity[0]) = (x, v);
    state
}

/// Of a linear plant with a quadratic cost one round finds the best plan, whose first step is Riccati's. The step's joints are closed to
/// 1e-9 and velocities as told to 1e-8.
#[test]
fn a_linear_problem_is_solved_as_riccati_does() {
    let options = IlqrOptions { horizon: 30, iterations: 3, threads: 1, ..IlqrOptions::default() };
    let mut cost = quadratic();
    let mut planner = Ilqr::new(worlds(4, 1), &cost, options).unwrap();
    let plan = planner.plan(&moved(0.2, -0.1), &mut cost, 0.0).unwrap();
    let gain = riccati(30, 0.01);
    let best = gain[0] * 0.2 + gain[1] * -0.1;
    let found = planner.sequence()[0];
    assert!((found - best).abs() < 1e-5 * best.abs(), "{found}, not {best}");
    for (K, by_hand) in planner.feedback().iter().zip(gain) {
        assert!((K - by_hand).abs() < 1e-5 * by_hand.abs(), "{:?}, not {gain:?}", planner.feedback());
    }
    assert!(plan.best_cost < plan.nominal_cost && plan.frozen == 0);
    let again = planner.plan(&moved(0.2, -0.1), &mut cost, 0.0).unwrap();
    assert!((again.best_cost - plan.best_cost).abs() < 1e-9 * plan.best_cost, "nothing is left to be found");
}

/// Far away the motor's 20 N are what the best plan begins with, and never more; a plan is then worse than Riccati's, which knows no limit.
#[test]
fn motors_are_told_no_more_than_their_limits() {
    let options = IlqrOptions { horizon: 60, iterations: 20, threads: 1, ..IlqrOptions::default() };
    let mut cost = quadratic();
    let mut planner = Ilqr::new(worlds(8, 1), &cost, options).unwrap();
    planner.plan(&moved(5.0, 0.0), &mut cost, 0.0).unwrap();
    assert_eq!(planner.sequence()[0], -20.0);
    assert!(planner.sequence().iter().all(|u| u.abs() <= 20.0), "{:?}", planner.sequence());
    assert!(riccati(60, 0.01)[0] * 5.0 < -20.0);
}

fn built(builder: bellcrank_model::ModelBuilder) -> Arc<Model> {
    Arc::new(builder.build().unwrap())
}

fn batch(model: &Arc<Model>, worlds: usize, dt: f64) -> Batch {
    Batch::new(model.clone(), worlds, BatchOptions { dt: Some(dt), threads: 1, ..BatchOptions::default() })
        .unwrap()
}

/// The centre of mass above the hinge, at rest, with little effort. The motor's 2 N·m cannot lift the bob's 4.9 N·m in one go.
fn swing_up() -> Sum {
    let top = |weight| Term::PositionSquared { body: 0, target: [0.0, 0.0, 0.5], weight };
    let still = |w| Term::Velocity { body: 0, target: [0.0; 6], weight: [w, 0.0, w, 0.0, 0.0, 0.0] };
    Sum {
        running: vec![top(0.05), still(1e-3), Term::Control { rest: vec![0.0], weight: 1e-3 }],
        terminal: vec![top(100.0), still(10.0)],
    }
}

/// Three seconds are enough to swing to and fro; half a metre per second and five centimetres are left at most.
#[test]
fn a_pendulum_swings_up_with_a_motor_that_is_too_weak_to_lift_it() {
    let model = built(library::pendulum());
    let mut cost = swing_up();
    let options =
        IlqrOptions { horizon: 120, iterations: 60, tolerance: 1e-5, threads: 1, ..IlqrOptions::default() };
    let mut planner = Ilqr::new(batch(&model, 10, 0.025), &cost, options).unwrap();
    let push: Vec<f64> = (0..120).map(|t| 2.0 * (t as f64 * 0.025 * 4.0).sin()).collect();
    planner.adopt(&push).unwrap();
    let mut plant = batch(&model, 1, 0.025);
    planner.plan(&PlantState::of(&plant, 0).unwrap(), &mut cost, 0.0).unwrap();
    for step in 0..120 {
        plant.write(Quantity::Control, planner.control_at(step as f64 * 0.025)).unwrap();
        plant.advance(1);
    }
    let (X, V) = (plant.body_pose(0, 0).unwrap(), plant.body_velocity(0, 0).unwrap());
    assert!(X.p.z > 0.45 && V.linear.norm() < 0.5, "{:?} {:?}", X.p, V.linear);
    assert!(planner.sequence().iter().all(|u| u.abs() <= 2.0));
}

/// The rocker of a four-bar follows a sine, told through its own coordinate, which follows from the crank's around the loop.
struct Rocking {
    body: usize,
    x: fn(f64) -> f64,
    now: f64,
}

impl Cost for Rocking {
    fn needs(&self) -> Vec<Quantity> {
        vec![Quantity::BodyPosition]
    }

    fn running(&mut self, seen: &Seen<'_>, total: &mut [f64]) -> Result<(), CostError> {
        let p = seen.array(Quantity::BodyPosition)?;
        let width = p.len() / seen.worlds;
        for (world, total) in total.iter_mut().enumerate() {
            let off = p[world * width + 3 * self.body] - (self.x)(self.now + seen.time);
            *total += 1e4 * off * off + 1e-4 * seen.control[world] * seen.control[world];
        }
        Ok(())
    }
}

impl SmoothCost for Rocking {
    fn slopes(&self, at: &At<'_>, slopes: &mut dyn Slopes) -> Result<(), CostError> {
        let off = at.position(self.body).x - (self.x)(self.now + at.time);
        slopes.square(1e4, off, &[(Along::Position(self.body, 0), 1.0)])?;
        slopes.square(1e-4, at.control[0], &[(Along::Control(0), 1.0)])
    }
}

/// A four-bar with a motor of efforts on its crank.
fn four_bar() -> Arc<Model> {
    let mut b = library::four_bar();
    let motor = b.actuator_mut(0).expect("a motor");
    *motor = Actuator::effort("crank_motor", "crank_hinge").effort_limit(2.0);
    built(b)
}

/// In receding horizon, a plan each 20 ms. The path is one that the rocker can go: at the dead point of the crank its middle is at 0.288 m.
/// A millimetre is allowed after the start.
#[test]
fn a_four_bar_follows_a_path_through_its_loop() {
    let model = four_bar();
    let body = Sum::body(&model, "rocker").unwrap();
    let mut plant = batch(&model, 1, 0.005);
    let mut cost = Rocking { body, x: |t| 0.270 + 0.008 * (3.0 * t).sin(), now: 0.0 };
    let x0 = plant.body_pose(0, body).unwrap().p.x;
    assert!((x0 - 0.270).abs() < 0.03, "the path begins elsewhere: {x0}");
    let options = IlqrOptions { horizon: 30, iterations: 4, threads: 1, ..IlqrOptions::default() };
    let mut planner = Ilqr::new(batch(&model, 6, 0.005), &cost, options).unwrap();
    let mut worst: f64 = 0.0;
    for period in 0..60 {
        cost.now = f64::from(period) * 0.02;
        let state = PlantState::of(&plant, 0).unwrap();
        planner.plan(&state, &mut cost, if period == 0 { 0.0 } else { 0.02 }).unwrap();
        for step in 0..4 {
            plant.write(Quantity::Control, planner.control_at(f64::from(step) * 0.005)).unwrap();
            plant.advance(1);
        }
        let off = plant.body_pose(0, body).unwrap().p.x - (cost.x)(cost.now + 0.02);
        worst = if period < 20 { 0.0 } else { worst.max(off.abs()) };
    }
    assert!(worst < 1e-3, "{worst} m");
}

/// A refined plan costs no more than the sampled one, and both are used through one interface.
#[test]
fn refining_a_sampled_plan_makes_it_cheaper() {
    let mut cost = quadratic();
    let sampler = || {
        let method = Method::Mppi { temperature: Temperature::Relative(0.2) };
        let (horizon, sigma, action) = (30, vec![5.0], Action::Absolute);
        let options = Options { method, horizon, sigma, action, knots: None, ..Options::default() };
        let dt = BatchOptions { dt: Some(0.01), threads: 1, ..BatchOptions::default() };
        (options, dt)
    };
    let model = worlds(1, 1).models()[0].clone();
    let (options, dt) = sampler();
    let make =
        || Planner::new(Batch::new(model.clone(), 32, dt).unwrap(), &quadratic(), options.clone()).unwrap();
    let how = IlqrOptions { horizon: 30, iterations: 3, threads: 1, ..IlqrOptions::default() };
    let refiner = Ilqr::new(Batch::new(model.clone(), 4, dt).unwrap(), &cost, how.clone()).unwrap();
    let alone: Box<dyn Receding> = Box::new(make());
    let both: Box<dyn Receding> = Box::new(Hybrid::new(make(), refiner).unwrap());
    let start = moved(0.5, 0.0);
    let costs = [alone, both].map(|mut planner| {
        let plan = planner.plan(&start, &mut cost, 0.0).unwrap();
        assert_eq!(planner.sequence().len(), 30);
        assert_eq!(planner.control_at(0.0)[0], planner.sequence()[0]);
        (plan.best_cost, planner.sequence()[0])
    });
    // the limit of 20 N is not reached, so that the refined plan is Riccati's
    let best = riccati(30, 0.01)[0] * 0.5;
    assert!((costs[1].1 - best).abs() < 1e-4 * best.abs(), "{costs:?}, best: {best}");
    let costs = costs.map(|(cost, _)| cost);
    assert!(costs[1] < 0.95 * costs[0], "{costs:?}");
    let other = Ilqr::new(worlds(4, 1), &cost, how).unwrap();
    assert!(matches!(Hybrid::new(make(), other), Err(ControlError::BadModel(_))));
}

/// A cost that is no number, a joint that follows from others, a state that is none: each has its error, and the plan that there was stays.
#[test]
fn what_goes_wrong_is_named_and_the_plan_stays() {
    let options = IlqrOptions { horizon: 10, iterations: 2, threads: 1, ..IlqrOptions::default() };
    let mut cost = quadratic();
    let mut planner = Ilqr::new(worlds(3, 1), &cost, options.clone()).unwrap();
    planner.plan(&moved(0.2, 0.0), &mut cost, 0.0).unwrap();
    let before = planner.sequence().to_vec();
    let mut spoilt = quadratic();
    spoilt.running.push(Term::Control { rest: vec![0.0], weight: f64::NAN });
    let error = planner.plan(&moved(0.2, 0.0), &mut spoilt, 0.0).unwrap_err();
    assert_eq!(error, ControlError::NoUsableSample { frozen: 0, not_finite: 3, hopeless: 0 });
    let error = planner.plan(&moved(f64::NAN, 0.0), &mut cost, 0.0).unwrap_err();
    assert!(matches!(error, ControlError::StateNotFinite { quantity: "body_position", .. }), "{error}");
    assert_eq!(planner.sequence(), before);

    let model = four_bar();
    let rocker = model.joints().iter().position(|joint| joint.name == "rocker_hinge").unwrap();
    let mut follows = Sum {
        running: vec![Term::Posture { coordinates: vec![rocker], target: vec![0.0], weight: 1.0 }],
        terminal: vec![],
    };
    let mut planner = Ilqr::new(batch(&model, 3, 0.005), &follows, options).unwrap();
    let state = PlantState::of(&batch(&model, 1, 0.005), 0).unwrap();
    let text = planner.plan(&state, &mut follows, 0.0).unwrap_err().to_string();
    assert!(text.contains("\"rocker_hinge\" follows from others"), "{text}");

    let bad = |options| Ilqr::new(worlds(1, 1), &quadratic(), options).err().expect("refused").to_string();
    assert!(bad(IlqrOptions { horizon: 0, ..IlqrOptions::default() }).contains("horizon"));
    assert!(bad(IlqrOptions { shorter: 1.0, ..IlqrOptions::default() }).contains("between zero and one"));
}
