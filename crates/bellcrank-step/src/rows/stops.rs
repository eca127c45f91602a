//! Limits and dry friction of tendons: they act on many bodies at once, so they are no rows with cones but parts of the line.
//!
//! Along a line a stop gives λ = clamp(h − m ℓ̇⁺, low, high) with m = 1/R: R is the little softness of all limits, or MuJoCo's. Within
//! the bounds that is a mass m in H and an impulse h, beyond them a number. Which it is in each lane is guessed from the velocity before
//! the step, looked up in the result, and solved again where it was otherwise: λ falls with ℓ̇⁺, so that this comes to an end.

use crate::constants::Constants;
use crate::layout::{Layout, ScalarKind};
use crate::rows::soft;
use crate::rows::tendons::{TendonRow, end_rate};
use crate::state::State;
use crate::step::scene::Scene;
use crate::workspace::Workspace;
use bellcrank_math::{Mask, Real, Vec3, kernel};

/// So often at most a step is solved again.
pub const TRIES: usize = 6;

/// A limit or dry friction of one line.
#[derive(Clone, Copy, Debug)]
pub struct Stop<R: Real> {
    mass: R,
    impulse: R,
    /// Bounds of λ.
    low: R,
    high: R,
    /// Lanes in which λ is within them.
    gives: R::Mask,
    /// λ in the others.
    bound: R,
}

impl<R: Real> Stop<R> {
    pub fn blank() -> Self {
        let zero = R::zero();
        Stop { mass: zero, impulse: zero, low: zero, high: zero, gives: R::Mask::splat(false), bound: zero }
    }

    /// Its part of m.
    #[inline(always)]
    pub fn acting_mass(&self) -> R {
        R::select(self.gives, self.mass, R::zero())
    }

    /// Its part of h.
    #[inline(always)]
    pub fn acting_impulse(&self) -> R {
        R::select(self.gives, self.impulse, self.bound)
    }

    /// Takes what it does from the rate at the end of the step; gives the lanes in which that is something else than before.
    #[inline(always)]
    fn see(&mut self, rate: R) -> R::Mask {
        let free = self.mass.neg_mul_add(rate, self.impulse);
        let (bound, gives) = (free.clamp(self.low, self.high), self.low.le(free) & free.le(self.high));
        let turned = (gives & !self.gives) | (!gives & self.gives);
        let moved = !gives & (bound.lt(self.bound) | self.bound.lt(bound));
        (self.gives, self.bound) = (gives, bound);
        turned | moved
    }
}

/// Of all lines at the start of the step.
#[inline(always)]
pub fn stop_rows<R: Real>(scene: &Scene<'_, R>, state: &State<R>, ws: &mut Workspace<R>) {
    let Scene { layout, constants, settings, times, .. } = *scene;
    for (l, line) in layout.lines.iter().enumerate() {
        if line.stops.is_empty() {
            continue;
        }
        let (c, row) = (&constants.lines[l], &mut ws.lines[l]);
        let hard = R::constant(settings.limit_softness) * mobility(constants, state, &line.bodies, row);
        let most = R::constant(1e9); // lanes do not compute with infinities
        for (k, stop) in line.stops.iter().enumerate() {
            let (sign, gap, bounds) = match stop.kind {
                ScalarKind::Lower => (R::one(), row.length - c.low, [R::zero(), most]),
                ScalarKind::Upper => (-R::one(), c.high - row.length, [-most, R::zero()]),
                _ => (R::one(), R::zero(), [-(c.friction * times.dt), c.friction * times.dt]),
            };
            let is_limit = stop.kind != ScalarKind::Friction;
            let (mut bias, mut compliance, mut acts) = (R::zero(), hard, R::Mask::splat(true));
            if let Some(law) = &stop.soft {
                let own = soft::row(law, gap, sign * row.rate, times.dt);
                (bias, compliance) = (own.bias, own.compliance);
                acts = if is_limit { gap.lt(R::zero()) } else { acts };
            } else if is_limit {
                bias = settings.recover(gap, times.turn(), settings.limit_recovery);
            }
            let mass = R::select(acts, compliance.recip(), R::zero());
            let own = &mut row.stops[k];
            (own.mass, own.impulse) = (mass, -(sign * bias * mass));
            (own.low, own.high) = (bounds[0], bounds[1]);
            let _ = own.see(row.rate);
        }
    }
}

/// j M⁻¹ jᵀ of bodies that nothing holds.
#[inline(always)]
pub fn mobility<R: Real>(
    constants: &Constants<R>,
    state: &State<R>,
    bodies: &[usize],
    line: &TendonRow<R>,
) -> R {
    let mut sum = R::zero();
    for (row, &b) in line.row.iter().zip(bodies) {
        let body = &constants.bodies[b];
        let push = Vec3::new(row[0], row[1], row[2]);
        let turn = state.X_WB[b].R.rotate_inverse(Vec3::new(row[3], row[4], row[5]));
        sum += push.norm_squared() / body.mass + turn.dot(body.inertia.inverse() * turn);
    }
    sum.max(R::constant(1e-12))
}

/// Looks up what all stops do at the velocities found; gives the lanes in which one does something else than it was taken to do.
#[kernel]
pub fn switch<R: Real>(scene: &Scene<'_, R>, ws: &mut Workspace<R>) -> R::Mask {
    let layout: &Layout = scene.layout;
    let mut changed = R::Mask::splat(false);
    for (l, line) in layout.lines.iter().enumerate() {
        if line.stops.is_empty() {
            continue;
        }
        let rate = end_rate(layout, line, &ws.lines[l], &ws.u);
        for stop in &mut ws.lines[l].stops {
            changed = changed | stop.see(rate);
        }
    }
    changed & scene.lanes
}
