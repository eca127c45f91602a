//! Newton on the central path: all pairs have the same product at every iterate, so that no cone is in the way.
//!
//! A slack and a multiplier with s γ = μ are known by one number of any sign, d = a s − γ, and so are friction and sliding velocity by
//! b − a w. In these numbers Newton's steps are as long as they are: what has to change sides does it in one step, where
//! an interior point comes to the boundary, jams there, and goes on in short steps. `a` says how much force counts as much as how much
//! slack: a mass. The linear system is the interior point's own, at a centred iterate. That is the smoothing method of Chen, Harker,
//! Kanzow and Smale.
//!
//! μ is what makes Newton's model good for as far as it has to go: contacts that press yield by μ/γ², and where several of them hold the same
//! body, a small μ answers what is left of the equations with enormous forces. So μ begins at a share of what is left, as an energy, and
//! falls to κ as that does. Most steps begin so near to their answer that μ is κ at once.

use super::cone::Aim;
use super::iteration::{InteriorPoint, Newton, Solution, Start, Violation};
use bellcrank_math::{Inline, Mask, Real};

/// Steps at most.
const STEPS: usize = 15;
/// μ at the start: this share of what is left of the equations, and no more than the second [J, or units of the system].
const FIRST: (f64, f64) = (0.03, 10.0);
/// μ later on: this share of what is left, but no less and no more than these shares of the last μ.
const NEXT: (f64, f64, f64) = (0.003, 0.01, 0.5);
/// A step shorter than this leaves μ where it is.
const SHORT: f64 = 0.51;
/// A step has to lessen what is left of the equations by this share of what its length promises ...
const PROMISE: f64 = 0.1;
/// ... or to less than μ, times this: so near to the path it does not matter.
const NEAR: f64 = 1.0;
/// A step that does neither is halved, so often at most.
const HALVINGS: usize = 5;
/// A merit beyond this has diverged [J].
const MERIT_DIVERGED: f64 = 1e30;

/// Where on the path it is.
struct Place<R: Real> {
    mu: R,
    /// What was left of the equations one step ago: of the last two the larger counts, so that a step may make it worse once.
    before: R,
    /// Lanes whose last step was short.
    short: R::Mask,
}

impl<R: Real> Place<R> {
    /// The μ that the next step aims at.
    #[inline(always)]
    fn aim(&self, left: R, kappa: R) -> R {
        let most = R::select(self.short, self.mu, self.mu * R::constant(NEXT.2));
        (left * R::constant(NEXT.0)).max(self.mu * R::constant(NEXT.1)).min(most).max(kappa)
    }
}

impl InteriorPoint {
    /// Follows the path in the masked lanes: from the last step's answer, or from the iterate at hand.
    pub(super) fn follow_centre<R: Real>(
        &self,
        system: &mut impl Newton<R>,
        lanes: R::Mask,
        fresh: bool,
    ) -> Solution<R> {
        let (zero, one, kappa) = (R::zero(), R::one(), R::constant(self.kappa));
        if fresh {
            system.start(lanes, Start::Last);
        }
        system.weigh_slacks(true);
        let (mut place, mut violation) = self.begin_path(system, lanes);
        let mut solution = R::run(Inline(
            #[inline(always)]
            // one step at least: a start that is good enough would stay for ever, and never follow what changes slowly
            || Solution { converged: !lanes, ..self.note(lanes, violation, None) },
        ));
        for _ in 0..STEPS.min(self.max_iterations) {
            let going = R::run(Inline(
                #[inline(always)]
                || lanes & !solution.converged & violation.merit.lt(R::constant(MERIT_DIVERGED)),
            ));
            if !going.any() {
                break;
            }
            system.factor();
            let mu = R::run(Inline(
                #[inline(always)]
                || place.aim(violation.merit, kappa),
            ));
            system.solve_direction(Aim { mu, second: zero, products: one });
            system.save_iterate();
            violation = self.take_step(system, going, mu, violation.merit, &mut place);
            solution = R::run(Inline(
                #[inline(always)]
                || self.note(lanes, violation, Some((going, &solution))),
            ));
        }
        system.weigh_slacks(false);
        solution
    }

    /// The point of the path that belongs to the iterate at hand.
    fn begin_path<R: Real>(&self, system: &mut impl Newton<R>, lanes: R::Mask) -> (Place<R>, Violation<R>) {
        let (zero, kappa) = (R::zero(), R::constant(self.kappa));
        system.save_iterate();
        system.project_to_path(lanes, zero, kappa);
        let mut violation = system.evaluate(kappa);
        let (mu, raised) = R::run(Inline(
            #[inline(always)]
            || {
                let mu = (violation.merit * R::constant(FIRST.0)).min(R::constant(FIRST.1)).max(kappa);
                (mu, lanes & kappa.lt(mu))
            },
        ));
        if raised.any() {
            system.project_to_path(raised, zero, mu);
            violation = system.evaluate(kappa);
        }
        (Place { mu, before: violation.merit, short: R::Mask::splat(false) }, violation)
    }

    /// Goes along the direction, less far where that makes things worse.
    fn take_step<R: Real>(
        &self,
        system: &mut impl Newton<R>,
        going: R::Mask,
        mu: R,
        left: R,
        place: &mut Place<R>,
    ) -> Violation<R> {
        let (one, kappa) = (R::one(), R::constant(self.kappa));
        let (mut alpha, mut searching, mut halvings) = (one, going, 0);
        loop {
            let at = R::run(Inline(
                #[inline(always)]
                || alpha.mul_add(mu - place.mu, place.mu),
            ));
            system.project_to_path(searching, alpha, at);
            let violation = system.evaluate(kappa);
            searching = R::run(Inline(
                #[inline(always)]
                || {
                    let promised = alpha.neg_mul_add(R::constant(PROMISE), one) * left.max(place.before);
                    searching & !violation.merit.le(promised.max(at * R::constant(NEAR)))
                },
            ));
            if !searching.any() || halvings == HALVINGS {
                R::run(Inline(
                    #[inline(always)]
                    || {
                        place.mu = R::select(going, at, place.mu);
                        place.before = left;
                        place.short = alpha.lt(R::constant(SHORT));
                    },
                ));
                return violation;
            }
            halvings += 1;
            alpha = R::run(Inline(
                #[inline(always)]
                || R::select(searching, alpha * R::constant(0.5), alpha),
            ));
        }
    }
}
