//! Motors whose effort is no sum of fixed gains: dampers that are told their strength, muscles, electric motors at a
//! voltage.
//!
//! Each gives its effort in the form e − kp (ℓ⁺ − ℓ) − kd ℓ̇⁺, from the length ℓ and the rate ℓ̇ of the motor at the
//! start of the step: the derivative of a muscle's force by its rate damps, −∂F/∂ℓ̇ ≥ 0, and so does the back-EMF,
//! K²/R. What a muscle gives at another length is not looked ahead for, since it may well be less.

use crate::constants::Constants;
use crate::effort::bound;
use crate::layout::{DriveLayout, Layout};
use crate::rows::drives::{motor_effort, within};
use crate::rows::tendons;
use crate::state::{Control, State};
use crate::workspace::Workspace;
use bellcrank_math::Real;
use bellcrank_model::{ActivationLaw, Control as Law, Model};

/// The law of a motor; its numbers begin at `first` in [`Constants::laws`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LawLayout {
    /// Gains that stay.
    Plain,
    Varying {
        first: usize,
    },
    Muscle {
        first: usize,
    },
    Voltage {
        first: usize,
        /// Which activation is its current, and how that follows.
        current: Option<(usize, Winding)>,
    },
}

/// L/R [s], and the largest change of the current [A/s].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Winding {
    pub time: f64,
    pub rate: f64,
}

/// The laws of all motors, none where all are plain.
pub fn law_layouts(model: &Model) -> Vec<LawLayout> {
    let (mut all, mut first, mut states) = (Vec::new(), 0, 0);
    for motor in model.actuators() {
        let activation = motor.activation.map(|own| {
            states += 1;
            (states - 1, own.law)
        });
        all.push(match motor.control {
            Law::Varying { .. } => LawLayout::Varying { first },
            Law::Muscle(_) => LawLayout::Muscle { first },
            Law::Voltage(_) => {
                let current = activation.and_then(|(index, law)| match law {
                    ActivationLaw::Current { time, rate } => {
                        Some((index, Winding { time, rate: bound(rate) }))
                    }
                    _ => None,
                });
                LawLayout::Voltage { first, current }
            }
            _ => LawLayout::Plain,
        });
        first += numbers(motor.control).len();
    }
    all
}

/// The numbers of a law.
pub fn numbers(law: Law) -> Vec<f64> {
    match law {
        Law::Varying { gain, bias } => [gain, bias].concat(),
        Law::Muscle(muscle) => muscle.numbers().to_vec(),
        Law::Voltage(motor) => motor.numbers().to_vec(),
        Law::Position { .. } | Law::Velocity { .. } | Law::Effort | Law::Affine { .. } => Vec::new(),
    }
}

/// effort − kp (ℓ⁺ − ℓ) − kd ℓ̇⁺ of a motor whose length ℓ and rate ℓ̇ are those of its target times the gear.
#[derive(Clone, Copy, Debug)]
pub struct Pull<R> {
    pub effort: R,
    pub kp: R,
    pub kd: R,
}

/// What motor `a` gives where its target has this coordinate and this rate.
#[inline(always)]
pub fn pull<R: Real>(
    (layout, constants): (&Layout, &Constants<R>),
    (state, control): (&State<R>, &Control<R>),
    a: usize,
    [q, rate]: [R; 2],
    dt: R,
) -> Pull<R> {
    let c = &constants.actuators[a];
    let u = within(control.effort[a], c.control_low, c.control_high);
    let motion = [c.gear * q, c.gear * rate];
    match layout.laws[a] {
        LawLayout::Plain => Pull { effort: motor_effort(c, control, a, q), kp: c.kp, kd: c.kd },
        LawLayout::Varying { first } => varying(&constants.laws[first..], u, motion),
        LawLayout::Muscle { first } => muscle(&constants.laws[first..], u, motion),
        LawLayout::Voltage { first, current: None } => voltage(&constants.laws[first..], u, motion),
        LawLayout::Voltage { first, current: Some((index, winding)) } => {
            let own = &constants.laws[first..];
            let [change, most, share] = winding.change(own, u, state.activation[index], motion[1], dt);
            let (i, limited) = (state.activation[index], most.lt(change.abs()));
            let held = i + change.clamp(-most, most);
            let follows = share.mul_add(u / own[1] - i, i);
            let damps = share * own[0] * own[0] / own[1];
            Pull {
                effort: own[0] * R::select(limited, held, follows) + cogging(own, motion[0]),
                kp: R::zero(),
                kd: R::select(limited, R::zero(), damps),
            }
        }
    }
}

impl Winding {
    /// i⁺ − i without a limit at the speed ω, the limit, and the share Δt/(T + Δt) of the way that a step goes.
    #[inline(always)]
    fn change<R: Real>(&self, own: &[R], u: R, i: R, speed: R, dt: R) -> [R; 3] {
        let share = dt / (R::constant(self.time) + dt);
        let aim = own[0].neg_mul_add(speed, u) / own[1];
        [(aim - i) * share, R::constant(self.rate) * dt, share]
    }
}

/// The current at the end of a step that ends with this speed of the motor's target.
#[inline(always)]
pub fn next_current<R: Real>(
    (layout, constants): (&Layout, &Constants<R>),
    a: usize,
    [u, i]: [R; 2],
    rate: R,
    dt: R,
) -> R {
    let LawLayout::Voltage { first, current: Some((_, winding)) } = layout.laws[a] else { return i };
    let speed = constants.actuators[a].gear * rate;
    let [change, most, _] = winding.change(&constants.laws[first..], u, i, speed, dt);
    i + change.clamp(-most, most)
}

/// The rate of a motor's target at the end of a step.
#[inline(always)]
pub fn end_rate<R: Real>(layout: &Layout, ws: &Workspace<R>, a: usize) -> R {
    match &layout.actuators[a] {
        DriveLayout::Joint(at) => {
            let joint = &layout.joints[at.joint];
            crate::interior::rate(
                layout,
                joint,
                (&ws.joints[at.joint], joint.kind.row_count() + at.dof),
                &ws.u,
            )
        }
        DriveLayout::Line(line) => tendons::end_rate(layout, &layout.lines[*line], &ws.lines[*line], &ws.u),
        DriveLayout::Nothing => R::zero(),
    }
}

/// (g₀ + g₁ ℓ + g₂ ℓ̇) u + b₀ + b₁ ℓ + b₂ ℓ̇
#[inline(always)]
pub fn varying<R: Real>(own: &[R], u: R, [length, _]: [R; 2]) -> Pull<R> {
    let (kp, kd) = (-own[1].mul_add(u, own[4]), -own[2].mul_add(u, own[5]));
    Pull { effort: kp.neg_mul_add(length, own[0].mul_add(u, own[3])), kp, kd }
}

/// (u − K ω)/R · K and the cogging.
#[inline(always)]
pub fn voltage<R: Real>(own: &[R], u: R, [angle, _]: [R; 2]) -> Pull<R> {
    let per_volt = own[0] / own[1];
    Pull { effort: per_volt.mul_add(u, cogging(own, angle)), kp: R::zero(), kd: per_volt * own[0] }
}

/// c₀ sin(c₁ θ + c₂)
#[inline(always)]
pub fn cogging<R: Real>(own: &[R], angle: R) -> R {
    own[2] * own[3].mul_add(angle, own[4]).sin_cos().0
}

/// −F₀ (a F_L F_V + F_P); see [`bellcrank_model::Muscle`].
#[inline(always)]
pub fn muscle<R: Real>(own: &[R], a: R, [length, rate]: [R; 2]) -> Pull<R> {
    let (force, optimal) = (own[0], own[1]);
    let (L, per_rate) = ((length - own[2]) / optimal, (optimal * own[5]).recip());
    let active = force * a * active_by_length(L, own[3], own[4]);
    let (by_rate, slope) = active_by_rate(rate * per_rate, own[7]);
    let pull = active.mul_add(by_rate, force * passive(L, own[4], own[6]));
    let kd = active * slope * per_rate;
    Pull { effort: kd.mul_add(rate, -pull), kp: R::zero(), kd }
}

/// F_L: ½x², 1 − ½x², 1 − ½x², ½x² between the ends, the middles and one.
#[inline(always)]
fn active_by_length<R: Real>(L: R, shortest: R, longest: R) -> R {
    let (one, half) = (R::one(), R::constant(0.5));
    let rises = L.lt(one);
    // from the end at 0 to the strongest length at 1
    let x = R::select(rises, (L - shortest) / (one - shortest), (longest - L) / (longest - one));
    let x = x.clamp(R::zero(), one);
    let (x, left) = (x + x, one - x);
    let back = left + left;
    R::select(x.lt(one), half * x * x, half.neg_mul_add(back * back, one))
}

/// F_V and its derivative.
#[inline(always)]
fn active_by_rate<R: Real>(V: R, eccentric: R) -> (R, R) {
    let (zero, one, c) = (R::zero(), R::one(), eccentric - R::one());
    let shortens = (one + V).max(zero);
    let left = (c - V).max(zero);
    let lengthens = eccentric - left * left / c;
    let slope = R::select(V.lt(zero), shortens + shortens, (left + left) / c);
    (R::select(V.lt(zero), shortens * shortens, lengthens), slope)
}

/// F_P
#[inline(always)]
fn passive<R: Real>(L: R, longest: R, share: R) -> R {
    let (one, half) = (R::one(), R::constant(0.5));
    let x = ((L - one) / (half * (longest - one))).max(R::zero());
    share * R::select(x.lt(one), half * x * x, x - half)
}

/// The time constant τ of a muscle's activation a on its way to u.
#[inline(always)]
pub fn muscle_time<R: Real>(a: R, u: R, times: [f64; 2], smooth: f64) -> R {
    let (zero, one) = (R::zero(), R::one());
    let stretch = R::constant(1.5).mul_add(a.clamp(zero, one), R::constant(0.5));
    let (rising, falling) = (R::constant(times[0]) * stretch, R::constant(times[1]) / stretch);
    if smooth == 0.0 {
        return R::select(a.lt(u), rising, falling);
    }
    let x = ((u - a) / R::constant(smooth) + R::constant(0.5)).clamp(zero, one);
    let blend = x * x * x * x.mul_add(R::constant(6.0).mul_add(x, R::constant(-15.0)), R::constant(10.0));
    blend.mul_add(rising - falling, falling)
}
