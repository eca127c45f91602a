//! Steps solved to rounding, for derivatives: in the numbers that batches compute in, and compiled here, with the step.
//!
//! What is generic over its numbers is compiled again in every crate that calls it. The implicit step is large, and is there already in plain
//! numbers and in lanes of 64 bits: others get it through a table of functions.

use super::{System, begin, solve};
use crate::status::Report;
use bellcrank_math::{Elem, LaneJob, Mask, Real, enter};
use bellcrank_solve::{Aim, Newton};
use std::any::Any;

/// Newton steps after convergence: each doubles the digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Polish {
    /// One, where something touches: products are near κ by then, and what they answer with depends on how near. All else is met
    /// to rounding of what derivatives need.
    Touching,
    /// One.
    Once,
    /// Differences of steps want all digits that there are.
    Thrice,
}

/// The implicit step in one kind of numbers.
#[derive(Clone, Copy)]
pub struct Exact<R: Real> {
    /// Solves the step from its start, with contacts looked for so far ahead [m], and polishes what it found.
    pub solve: fn(System<'_, R>, R, Polish) -> Report<R>,
    /// Factors Newton's matrix at the answer.
    pub factor: fn(System<'_, R>),
}

impl<R: Real> Exact<R> {
    fn new() -> Self {
        Exact { solve: solve_to_rounding::<R>, factor: factor::<R> }
    }
}

impl Exact<f64> {
    /// In plain numbers.
    #[inline(never)]
    pub fn plain() -> Self {
        Self::new()
    }
}

impl<R: Real> Exact<R> {
    /// In the lanes of the processor at hand, where R are those.
    pub fn in_lanes() -> Option<Self> {
        of_lanes().downcast_ref::<Self>().copied()
    }
}

/// An [`Exact`] of the lanes at hand.
#[inline(never)]
fn of_lanes() -> Box<dyn Any> {
    f64::with_lanes(OfLanes)
}

struct OfLanes;

impl LaneJob<f64> for OfLanes {
    type Output = Box<dyn Any>;

    fn run<R: Real<Elem = f64>>(self) -> Box<dyn Any> {
        Box::new(Exact::<R>::new())
    }
}

fn solve_to_rounding<R: Real>(mut system: System<'_, R>, reach: R, polish: Polish) -> Report<R> {
    let System { this, state, control, ws, own } = &mut system;
    let kappa = R::constant(this.point.kappa);
    ws.X_start.copy_from_slice(&state.X_WB);
    begin(this, reach, state, control, ws, own);
    let report = solve(this, state, control, ws, own);
    if !report.converged.any() {
        return report;
    }
    let lanes = match polish {
        Polish::Touching => enter!(R, touching(&system)),
        _ => R::Mask::splat(true),
    };
    for _ in 0..if polish == Polish::Thrice { 3 } else { usize::from(lanes.any()) } {
        system.factor();
        system.solve_direction(Aim { mu: kappa, second: R::zero(), products: R::one() });
        system.advance(lanes, R::one());
        system.evaluate(kappa);
    }
    // contacts' slopes at the answer
    enter!(R, {
        for touch in &mut system.own.touches {
            touch.line = touch.rub.linearize();
        }
    });
    report
}

fn factor<R: Real>(mut system: System<'_, R>) {
    system.factor();
}

/// Where some cone acts.
#[inline(always)]
fn touching<R: Real>(system: &System<'_, R>) -> R::Mask {
    let mut lanes = R::Mask::splat(false);
    for touch in &system.own.touches {
        lanes = lanes | touch.push.acts;
    }
    for row in &system.own.pushes {
        lanes = lanes | row.push.acts;
    }
    for row in &system.own.rubs {
        lanes = lanes | row.rub.acts;
    }
    lanes
}
