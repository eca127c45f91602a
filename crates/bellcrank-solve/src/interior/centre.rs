//! Newton on the central path: all pairs have the same product at every iterate, so that no cone is in the way.
//!
//! A slack and a multiplier with s γ = μ are known by one number of any sign, d = a s − γ, and so are friction and sliding velocity by
//! b − a w. In these numbers Newton's steps are as long as they are: what has to change sides does it in one step, where
//! an interior point comes to the boundary, jams there, and goes on in short steps. `a` says how much force counts as much as how much
//! slack: a mass. μ falls to κ by a tenth per step. That is the smoothing method of Chen, Harker, Kanzow and Smale; the linear
//! system is the interior point's own, at a centred iterate. It has no safeguard, and may run away or round in circles: then somebody else
//! has to go on.

use super::cone::Aim;
use super::iteration::{InteriorPoint, Newton, Solution};
use bellcrank_math::{Elem, Inline, Mask, Real};

/// Steps at most.
const STEPS: usize = 12;
/// μ at the start: this share of the mean product, and no more than the second.
const START: (f64, f64) = (0.3, 1e-4);
/// What a step leaves of μ.
const SHRINK: f64 = 0.1;
/// Equations that are this far off have run away [m/s]; so have those that are more than a little off after a few steps.
const LOST: f64 = 1e4;
/// Share of the tolerance that equations are met to.
const STRICT: f64 = 0.01;
const FAR: (usize, f64) = (5, 0.1);

impl InteriorPoint {
    /// Goes on from the iterate at hand in the masked lanes.
    pub(super) fn follow_centre<R: Real>(&self, system: &mut impl Newton<R>, lanes: R::Mask) -> Solution<R> {
        let (zero, one, kappa) = (R::zero(), R::one(), R::constant(self.kappa));
        // slacks have moved off their distances here: only a remainder far below κ leaves everything above the ground
        let share = if R::Elem::EPSILON.to_f64() < 1e-12 { STRICT } else { 1.0 };
        let strict = InteriorPoint { tolerance: share * self.tolerance, ..*self };
        let mean = system.mean_product(zero);
        let mut mu = R::run(Inline(
            #[inline(always)]
            || {
                let (share, most) = (R::constant(START.0), kappa.max(R::constant(START.1)));
                (mean * share).max(kappa).min(most)
            },
        ));
        system.remember();
        system.settle(lanes, zero, mu);
        let violation = system.evaluate(kappa);
        let mut solution = R::run(Inline(
            #[inline(always)]
            || strict.note(lanes, violation, None),
        ));
        for step in 0..STEPS.min(self.max_iterations) {
            let most = if step < FAR.0 { LOST } else { FAR.1 };
            let going = R::run(Inline(
                #[inline(always)]
                || lanes & !solution.converged & solution.violation.equations.lt(R::constant(most)),
            ));
            if !going.any() {
                break;
            }
            system.factor();
            mu = R::run(Inline(
                #[inline(always)]
                || R::select(going, (mu * R::constant(SHRINK)).max(kappa), mu),
            ));
            system.direct(Aim { mu, second: zero, products: one });
            system.remember();
            system.settle(going, one, mu);
            let violation = system.evaluate(kappa);
            solution = R::run(Inline(
                #[inline(always)]
                || strict.note(lanes, violation, Some((going, &solution))),
            ));
        }
        solution
    }
}
