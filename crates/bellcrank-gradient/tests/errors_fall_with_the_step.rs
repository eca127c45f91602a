//! A shorter step is a better one, down to a quarter of a millisecond and in both precisions: a double pendulum and a driven
//! four-bar against the equations of Lagrange in their own coordinates, solved by Runge and Kutta's method here.

use crate::common::{batch, built};
use bellcrank_gradient::{MinimalCoordinates, MinimalState};
use bellcrank_model::{Control, Model, library};
use bellcrank_sim::{Batch, Precision};
use std::sync::Arc;

const GRAVITY: f64 = 9.81;
/// How long both are watched [s].
const DURATION: f64 = 1.0;
/// Looks are this far apart [s]: the longest step.
const LOOK: f64 = 0.008;
const STEPS: [f64; 6] = [0.008, 0.004, 0.002, 0.001, 0.0005, 0.00025];

/// Coordinates and rates.
type Motion<const N: usize> = [[f64; N]; 2];

/// A mechanism in as many coordinates as it has freedoms.
trait Reference<const N: usize>: Copy {
    fn start(&self) -> Motion<N>;
    /// q̈ at coordinates and rates.
    fn acceleration(&self, motion: &Motion<N>) -> [f64; N];
}

/// Runge and Kutta's method of fourth order: the coordinates at every look.
fn solve<const N: usize>(of: impl Reference<N>, start: Motion<N>, dt: f64) -> Vec<[f64; N]> {
    let slope = |at: &Motion<N>| [at[1], of.acceleration(at)];
    let along = |at: &Motion<N>, k: &Motion<N>, h: f64| -> Motion<N> {
        std::array::from_fn(|i| std::array::from_fn(|j| at[i][j] + h * k[i][j]))
    };
    let (mut at, mut found) = (start, Vec::new());
    let each = (LOOK / dt).round() as usize;
    for step in 1..=(DURATION / dt).round() as usize {
        let a = slope(&at);
        let b = slope(&along(&at, &a, 0.5 * dt));
        let c = slope(&along(&at, &b, 0.5 * dt));
        let d = slope(&along(&at, &c, dt));
        for i in 0..2 {
            for j in 0..N {
                at[i][j] += dt / 6.0 * (a[i][j] + 2.0 * b[i][j] + 2.0 * c[i][j] + d[i][j]);
            }
        }
        if step % each == 0 {
            found.push(at[0]);
        }
    }
    found
}

/// The largest difference of two motions.
fn apart<const N: usize>(a: &[[f64; N]], b: &[[f64; N]]) -> f64 {
    assert_eq!(a.len(), b.len());
    let each = a.iter().flatten().zip(b.iter().flatten());
    each.fold(0.0, |most, (x, y)| most.max((x - y).abs()))
}

/// The motion with steps of 0.1 ms, which half of them change by less than 1e-10.
fn exact<const N: usize>(of: impl Reference<N>) -> Vec<[f64; N]> {
    let [coarse, fine] = [1e-4, 5e-5].map(|dt| solve(of, of.start(), dt));
    assert!(apart(&coarse, &fine) < 1e-10, "{:e}", apart(&coarse, &fine));
    fine
}

/// What rounding to 32 bits leaves of a motion in n steps. Each step rounds every velocity and every position once, by a
/// share of 2⁻²⁴ at most, in no preferred direction: a random walk of √n such errors, thrice its width, each of which grows until
/// the end as the motion's own neighbours part. And H⁻¹ is off by 2⁻²⁴/ε, which a second round takes to its square: by
/// that share all forces are wrong, as if gravity and rates were.
fn rounding<const N: usize>(of: impl Reference<N>, steps: f64) -> f64 {
    const ROUNDING: f64 = 1.0 / 16_777_216.0;
    const SOFTNESS: f64 = 3e-5; // of numbers of 32 bits
    let (mut walk, start, usual) = (0.0, of.start(), solve(of, of.start(), 1e-3));
    let largest = |k: usize| usual.iter().fold(0.0_f64, |most, q| most.max(q[k].abs()));
    let quickest =
        |k: usize| usual.windows(2).fold(0.0_f64, |most, q| most.max((q[1][k] - q[0][k]).abs())) / LOOK;
    let share = 1e-6;
    for k in 0..N {
        for (order, size) in [largest(k).max(1.0), quickest(k)].into_iter().enumerate() {
            let mut other = start;
            other[order][k] += share;
            walk += apart(&usual, &solve(of, other, 1e-3)) / share * size;
        }
    }
    let forces = (0..N).map(largest).sum::<f64>();
    3.0 * steps.sqrt() * ROUNDING * walk + (ROUNDING / SOFTNESS).powi(2) * forces
}

/// What the engine makes of it: the largest error of all looks.
fn error<const N: usize>(mut batch: Batch, exact: &[[f64; N]], read: impl Fn(&Batch) -> [f64; N]) -> f64 {
    let each = (LOOK / batch.dt()).round() as usize;
    let found: Vec<[f64; N]> = exact
        .iter()
        .map(|_| {
            batch.step(each);
            read(&batch)
        })
        .collect();
    apart(&found, exact)
}

/// Bars of 0.4 m, 0.49 kg and 0.3 m, 0.37 kg, 24 mm thick, hanging from each other; coordinates are angles from the vertical.
#[derive(Clone, Copy)]
struct Pendulums;

/// About the middle of a round bar [kg·m²].
fn across(mass: f64, radius: f64, length: f64) -> f64 {
    mass * (3.0 * radius * radius + length * length) / 12.0
}

impl Reference<2> for Pendulums {
    fn start(&self) -> Motion<2> {
        [[1.2, 1.7], [0.0, 0.0]]
    }

    /// a φ̈₁ + b cos Δ φ̈₂ + b sin Δ φ̇₂² + k₁ sin φ₁ = 0 and d φ̈₂ + b cos Δ φ̈₁ − b sin Δ φ̇₁² + k₂ sin φ₂ = 0, Δ = φ₁ − φ₂
    fn acceleration(&self, [q, v]: &Motion<2>) -> [f64; 2] {
        let (upper, lower, m1, m2, r) = (0.4, 0.3, 0.49, 0.37, 0.012);
        let a = across(m1, r, upper) + m1 * 0.25 * upper * upper + m2 * upper * upper;
        let d = across(m2, r, lower) + m2 * 0.25 * lower * lower;
        let b = m2 * upper * 0.5 * lower;
        let (k1, k2) = ((0.5 * m1 + m2) * upper * GRAVITY, m2 * 0.5 * lower * GRAVITY);
        let (s, c) = (q[0] - q[1]).sin_cos();
        let f = [-b * s * v[1] * v[1] - k1 * q[0].sin(), b * s * v[0] * v[0] - k2 * q[1].sin()];
        let scale = 1.0 / (a * d - b * b * c * c);
        [scale * (d * f[0] - b * c * f[1]), scale * (a * f[1] - b * c * f[0])]
    }
}

/// At rest at the start: the velocity of the interval before it is −½Δt q̈, as that of the one after is ½Δt q̈.
fn hung(model: &Arc<Model>, dt: f64, precision: Precision) -> Batch {
    let [[q1, q2], _] = Pendulums.start();
    let [a1, a2] = Pendulums.acceleration(&Pendulums.start()).map(|a| -0.5 * dt * a);
    let mut b = batch(model, 1, dt, precision);
    let state = MinimalState { coordinates: vec![q1, q2 - q1], rates: vec![a1, a2 - a1] };
    b.set_minimal_state(0, &state).unwrap();
    b
}

/// Second order: half the step, a quarter of the error.
#[test]
fn of_a_double_pendulum_by_the_square() {
    let (model, exact) = (built(library::double_pendulum()), exact(Pendulums));
    let read = |b: &Batch| {
        let q = b.joint_position(0).unwrap();
        [q[0], q[0] + q[1]]
    };
    let errors = |precision| STEPS.map(|dt| error(hung(&model, dt, precision), &exact, read));
    falls(errors(Precision::F64), errors(Precision::F32), 2, |n| rounding(Pendulums, n));
}

/// The shipped crank and rocker; its coordinate is the crank's angle from x towards z.
#[derive(Clone, Copy)]
struct CrankAndRocker;

impl CrankAndRocker {
    const BARS: [f64; 4] = [0.30, 0.08, 0.26, 0.20]; // ground, crank, coupler, rocker [m]
    const DENSITY: f64 = 0.62; // [kg/m]
    const RADIUS: f64 = 0.005; // [m]
    const ROTOR: f64 = 1e-4; // [kg·m²]
    const SPEED: f64 = std::f64::consts::TAU; // [rad/s]
    /// Of the motor [N·m·s/rad]: soft enough for steps of 8 ms to see how it speeds up.
    const GAIN: f64 = 0.05;

    /// Angles β, γ of coupler and rocker, from a e^{iα} + b e^{iβ} = g + c e^{iγ}, and how they change with α.
    fn angles(crank_angle: f64) -> [f64; 4] {
        let [g, a, b, c] = Self::BARS;
        let (s, k) = crank_angle.sin_cos();
        // from the crank's pin to the rocker's hinge: the far pin is on the left of this line
        let (x, z) = (g - a * k, -a * s);
        let d = x.hypot(z);
        let beta = z.atan2(x) + ((b * b + d * d - c * c) / (2.0 * b * d)).acos();
        let gamma = (a * s + b * beta.sin()).atan2(a * k + b * beta.cos() - g);
        let scale = 1.0 / (beta - gamma).sin();
        let turn_of_coupler = a / b * (gamma - crank_angle).sin() * scale;
        let turn_of_rocker = -a / c * (crank_angle - beta).sin() * scale;
        [beta, gamma, turn_of_coupler, turn_of_rocker]
    }

    /// M(α) of T = ½ M α̇², and dV/dα.
    fn inertia_and_weight(crank_angle: f64) -> [f64; 2] {
        let [_, a, b, c] = Self::BARS;
        let [crank, coupler, rocker] = [a, b, c].map(|length| Self::DENSITY * length);
        let [beta, gamma, db, dc] = Self::angles(crank_angle);
        let hinged = |m: f64, l: f64| across(m, Self::RADIUS, l) + 0.25 * m * l * l;
        // the coupler's middle: a e^{iα} + ½b e^{iβ}
        let middle = a * a + 0.25 * b * b * db * db + a * b * db * (crank_angle - beta).cos();
        let inertia = Self::ROTOR
            + hinged(crank, a)
            + coupler * middle
            + across(coupler, Self::RADIUS, b) * db * db
            + hinged(rocker, c) * dc * dc;
        let lifted = crank * 0.5 * a * crank_angle.cos()
            + coupler * (a * crank_angle.cos() + 0.5 * b * db * beta.cos())
            + rocker * 0.5 * c * dc * gamma.cos();
        [inertia, GRAVITY * lifted]
    }
}

impl Reference<1> for CrankAndRocker {
    fn start(&self) -> Motion<1> {
        [[1.0], [0.0]]
    }

    /// M α̈ + ½ M′ α̇² + V′ = τ. The motor's axis is +y, about which α falls: τ = −kd (ω − (−α̇)).
    fn acceleration(&self, [[q], [v]]: &Motion<1>) -> [f64; 1] {
        let [inertia, weight] = Self::inertia_and_weight(*q);
        let at = |by: f64| Self::inertia_and_weight(q + by)[0];
        let h = 1e-3; // fourth order: exact to 1e-12
        let slope = (8.0 * (at(h) - at(-h)) - (at(2.0 * h) - at(-2.0 * h))) / (12.0 * h);
        let motor = -Self::GAIN * (Self::SPEED + v);
        [(motor - weight - 0.5 * slope * v * v) / inertia]
    }
}

fn driven(model: &Arc<Model>, dt: f64, precision: Precision) -> Batch {
    let mut b = batch(model, 1, dt, precision);
    b.change_parameters(0, |parameters| {
        let mut motor = *parameters.actuator(0).get(0);
        motor.control = Control::Velocity { kd: CrankAndRocker::GAIN };
        parameters.actuator_mut(0).set_all(motor);
    })
    .unwrap();
    b.set_target_velocity(0, 0, CrankAndRocker::SPEED).unwrap();
    b
}

/// First order, since motors act at the end of the step: half the step, half the error.
#[test]
fn of_a_driven_four_bar_in_proportion() {
    let (model, exact) = (built(library::four_bar()), exact(CrankAndRocker));
    let read = |b: &Batch| [1.0 - b.joint_position(0).unwrap()[0]];
    let errors = |precision| STEPS.map(|dt| error(driven(&model, dt, precision), &exact, read));
    falls(errors(Precision::F64), errors(Precision::F32), 1, |n| rounding(CrankAndRocker, n));
}

/// In 64 bits every halving divides the error by 2 to the order, within a tenth, since the next order is as many times smaller as
/// the step is shorter than the motion. A step of 8 ms may be taken in parts, and then it is better than its length says. In 32 bits
/// errors are those of 64 bits and what rounding leaves; so a shorter step never makes more of them than that.
fn falls(f64_errors: [f64; 6], f32_errors: [f64; 6], order: i32, rounding: impl Fn(f64) -> f64) {
    let (floors, expected) = (STEPS.map(|dt| rounding(DURATION / dt)), 2_f64.powi(order));
    for (k, dt) in STEPS.iter().enumerate() {
        let (exact, rounded, floor) = (f64_errors[k], f32_errors[k], floors[k]);
        println!("{dt:e} s: {exact:.2e} in 64 bits, {rounded:.2e} in 32, rounding {floor:.1e}");
    }
    for k in 1..STEPS.len() {
        let ratio = f64_errors[k - 1] / f64_errors[k];
        let least = if k == 1 { 0.0 } else { 0.9 * expected };
        assert!(least < ratio && ratio < 1.1 * expected, "{:e} s: {ratio}", STEPS[k]);
    }
    for k in 2..STEPS.len() {
        let (longer, shorter) = (f32_errors[k - 1], f32_errors[k]);
        assert!(shorter <= longer + floors[k], "{:e} s: {shorter:e} after {longer:e}", STEPS[k]);
        let more = f32_errors[k] - f64_errors[k];
        assert!(more.abs() <= floors[k], "{:e} s: 32 bits add {more:e} of {:e}", STEPS[k], floors[k]);
    }
}
