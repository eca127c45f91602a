//! States between controls and efforts: what a step is told in place of the user's controls, and how they follow them.
//!
//! Filter: ȧ = (u − a)/T with u constant over a step, so that a⁺ = a + (u − a)(1 − e^(−Δt/T)) exactly, whatever Δt and T.
//! Integral: a⁺ = a + Δt u. Muscle: a⁺ = a + (u − a) min(Δt/τ, 1) with the τ of [`crate::law::muscle_time`]. The
//! current in a winding follows the voltage and the speed at the end of the step, see [`crate::law`]. All are then
//! clamped to their range. The effort of a step comes from a, or from a⁺ where the motor acts early. A model without
//! such motors never comes here.

use crate::constants::{ActuatorConstants, Constants};
use crate::law::{self, muscle_time};
use crate::layout::Layout;
use crate::rows::drives::within;
use crate::state::Control;
use crate::workspace::Workspace;
use bellcrank_math::{Real, kernel};
use bellcrank_model::{Activation, ActivationLaw, Control as Law, Model};

/// A motor with a state.
#[derive(Clone, Copy, Debug)]
pub struct ActivationLayout {
    pub actuator: usize,
    /// Which control it follows, and acts in the place of.
    pub follows: Follows,
    pub own: Activation,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Follows {
    TargetPosition,
    TargetVelocity,
    Effort,
}

/// The motors of a model that have a state.
pub fn activation_layouts(model: &Model) -> Vec<ActivationLayout> {
    let all = model.actuators().iter().enumerate();
    let layout = |(actuator, motor): (usize, &bellcrank_model::Actuator)| {
        let follows = match motor.control {
            Law::Position { .. } => Follows::TargetPosition,
            Law::Velocity { .. } => Follows::TargetVelocity,
            Law::Effort | Law::Affine { .. } | Law::Varying { .. } | Law::Muscle(_) | Law::Voltage(_) => {
                Follows::Effort
            }
        };
        motor.activation.map(|own| ActivationLayout { actuator, follows, own })
    };
    all.filter_map(layout).collect()
}

impl ActivationLayout {
    #[inline(always)]
    fn of<'a, R>(&self, control: &'a mut Control<R>) -> &'a mut R {
        match self.follows {
            Follows::TargetPosition => &mut control.target_position[self.actuator],
            Follows::TargetVelocity => &mut control.target_velocity[self.actuator],
            Follows::Effort => &mut control.effort[self.actuator],
        }
    }

    #[inline(always)]
    fn told<R: Real>(&self, control: &Control<R>, c: &ActuatorConstants<R>) -> R {
        match self.follows {
            Follows::TargetPosition => {
                within(control.target_position[self.actuator], c.told_low, c.told_high)
            }
            Follows::TargetVelocity => {
                within(control.target_velocity[self.actuator], c.told_low, c.told_high)
            }
            Follows::Effort => within(control.effort[self.actuator], c.told_low, c.told_high),
        }
    }

    /// a⁺
    #[inline(always)]
    fn next<R: Real>(&self, a: R, u: R, dt: f64) -> R {
        let next = match self.own.law {
            ActivationLaw::Filter { time } => (u - a).mul_add(R::constant(-(-dt / time).exp_m1()), a),
            ActivationLaw::Integral => u.mul_add(R::constant(dt), a),
            ActivationLaw::Muscle { times, smooth } => {
                let u = u.clamp(R::zero(), R::one());
                let share = (R::constant(dt) / muscle_time(a, u, times, smooth)).min(R::one());
                (u - a).mul_add(share, a)
            }
            ActivationLaw::Current { .. } => a, // it needs the speed, see `advance`
        };
        self.bounded(next)
    }

    #[inline(always)]
    fn bounded<R: Real>(&self, next: R) -> R {
        // bounds of a range that has none are beyond what lanes compute with
        let [low, high] = self.own.range.map(|x| R::constant(x.clamp(-1e9, 1e9)));
        within(next, low, high)
    }
}

/// What the next step of `dt` [s] is told: the user's controls, with states in the place of those that they follow.
#[kernel]
pub fn tell<R: Real>(
    layouts: &[ActivationLayout],
    constants: &Constants<R>,
    dt: f64,
    activation: &[R],
    control: &Control<R>,
    told: &mut Control<R>,
) {
    told.copy_from(control);
    for (layout, &a) in layouts.iter().zip(activation) {
        let u = layout.told(control, &constants.actuators[layout.actuator]);
        *layout.of(told) = match layout.own.law {
            ActivationLaw::Current { .. } => u,
            _ if layout.own.early => layout.next(a, u, dt),
            _ => a,
        };
    }
}

/// Takes states over a step of `dt` [s], in worlds that still run.
#[kernel]
pub fn advance<R: Real>(
    (layout, constants): (&Layout, &Constants<R>),
    dt: f64,
    alive: R::Mask,
    control: &Control<R>,
    ws: &Workspace<R>,
    activation: &mut [R],
) {
    for (own, a) in layout.activations.iter().zip(&mut *activation) {
        let u = own.told(control, &constants.actuators[own.actuator]);
        let next = match own.own.law {
            ActivationLaw::Current { .. } => {
                let rate = law::end_rate(layout, ws, own.actuator);
                own.bounded(law::next_current(
                    (layout, constants),
                    own.actuator,
                    [u, *a],
                    rate,
                    R::constant(dt),
                ))
            }
            _ => own.next(*a, u, dt),
        };
        *a = R::select(alive, next, *a);
    }
}
