//! Newton's method on the cones of many bodies that touch: that of [`crate::newton`], through the bodies.
//!
//! r(w) = G̃ y + g̃ + s(z) − z = 0 with y = Π_K(w) and z = y − w, as there. With G = J H⁻¹ Jᵀ + C, J̃ = P J and C̃ = P C P,
//! Newton's step c solves
//!
//! J̃ H⁻¹ J̃ᵀ D c + F c = −r,   F = E + C̃ D + ε 1,   E = (S − 1)(D − 1),
//!
//! in which D, E and F are blocks of one cone. The velocities u = H⁻¹ J̃ᵀ D c that it causes follow from six equations per body,
//!
//! (H + J̃ᵀ K J̃) u = −J̃ᵀ K r,   K = D F⁻¹,   and then   c = −F⁻¹ (r + J̃ u).
//!
//! The matrix has a block for each pair of bodies that touch, whatever the number of contacts between them. It is not symmetric,
//! since friction follows the normal force and not the other way round: blocks of L U instead of Cholesky's.
//!
//! Measured on falling cubes, capsules and balls from the last step's reactions: one to five steps. What does not converge is PADMM's.

mod direction;
mod point;
mod rows;

use crate::body_space::BodySpace;
use crate::budget::Budget;
use crate::delassus::Delassus;
use crate::padmm::{FIRST_BUDGET, Iterate, Outcome, Padmm};
use crate::problem::DualProblem;
use bellcrank_math::Elem;
use direction::Direction;
use point::Point;
use rows::BodyRows;

/// Memory of solves through the bodies; may be thrown away at any time.
#[derive(Clone, Debug, Default)]
pub struct BodyNewton<E> {
    rows: BodyRows<E>,
    direction: Direction<E>,
    here: Point<E>,
    trial: Point<E>,
    /// For PADMM, where Newton's method does not converge; and whether its matrix is factored.
    iterate: Iterate<E>,
    is_factored: bool,
    product: Vec<E>,
    /// What is left of the step's work; that of a factor and of an iteration.
    pub budget: Budget,
    work: [f64; 2],
}

/// New factors of one try at most: many contacts of a pile change at once.
const MAX_FACTORS: usize = 24;
/// A step is shortened at most this many times.
const MAX_BACKTRACKS: usize = 6;
/// Every shortening leaves this share of the step.
const BACKTRACK_FACTOR: f64 = 0.25;
/// ‖r‖ must fall below the largest of the last few steps: one over an edge between pieces may cost something at first.
const MEMORY: usize = 3;
/// Steps that reuse one factor at most, and the share of ‖r‖² that each may leave.
const MAX_REUSES: usize = 4;
const REUSE_REDUCTION: f64 = 0.1;

/// PADMM goes on from where Newton's method got stuck if that is nearer by this factor, otherwise from where that began.
const NEARER: f64 = 0.1;

/// How Newton's method ended.
#[derive(Clone, Copy, Debug)]
struct Ended<E> {
    iterations: usize,
    /// ‖r‖∞ [m/s]
    residual: E,
    /// The same before its first step.
    before: E,
    converged: bool,
}

impl<E: Elem> BodyNewton<E> {
    /// Takes the rows of a problem, whose matrix `space` has analysed: once, before any number of solves.
    #[inline(always)]
    pub fn prepare(&mut self, problem: &DualProblem<E>, space: &BodySpace<'_, E>) {
        self.is_factored = false;
        let pattern = space.coupled_pattern();
        let [products, blocks] = [pattern.update_count(), pattern.off_diagonal_count() + pattern.nodes()];
        self.work = [(432 * products + 216 * blocks) as f64, (144 * blocks + 48 * problem.n) as f64];
        self.rows.take(problem, space);
        self.direction.reset(&self.rows, space);
        for point in [&mut self.here, &mut self.trial] {
            point.resize(problem.n);
        }
    }

    /// Solves from the reactions in `lambda` and leaves the answer there; the problem's g are the velocities with these
    /// reactions, and of no use afterwards. Newton's method goes first, and again from what `padmm` finds.
    #[inline(always)]
    pub fn solve(
        &mut self,
        padmm: &Padmm,
        (problem, space): (&mut DualProblem<E>, &mut BodySpace<'_, E>),
        lambda: &mut [E],
    ) -> Outcome<E> {
        let mut outcome = Outcome { converged: false, ..Outcome::none() };
        let (mut budget, mut spent) = (FIRST_BUDGET, 0);
        loop {
            if padmm.newton_steps > 0 {
                let found = self.solve_by_newton(padmm, (&mut *problem, space), lambda);
                let kept = if found.converged || spent == 0 { found } else { outcome };
                outcome = Outcome { iterations: outcome.iterations + found.iterations, ..kept };
            }
            let is_judged = padmm.newton_steps > 0 || spent > 0;
            if outcome.converged || spent >= padmm.max_iterations || (is_judged && self.budget.is_spent()) {
                return outcome;
            }
            let whole = if padmm.newton_steps > 0 { budget } else { padmm.max_iterations };
            let most = self.budget.times(self.work[1], whole.min(padmm.max_iterations - spent)).max(1);
            let some = Padmm { max_iterations: most, ..*padmm };
            let found = self.solve_by_padmm(&some, (problem, space), lambda);
            self.budget.spend(found.iterations.to_f64() * self.work[1]);
            outcome = Outcome { iterations: outcome.iterations + found.iterations, ..found };
            (budget, spent) = (2 * budget, spent + most);
            if outcome.converged {
                return outcome;
            }
        }
    }

    /// Some iterations of PADMM; g stays the velocity with the reactions.
    #[inline(always)]
    fn solve_by_padmm(
        &mut self,
        padmm: &Padmm,
        (problem, space): (&mut DualProblem<E>, &mut BodySpace<'_, E>),
        lambda: &mut [E],
    ) -> Outcome<E> {
        let BodyNewton { iterate, product, is_factored, .. } = self;
        product.resize(problem.n, E::zero());
        space.times(lambda, product);
        for (g, own) in problem.g.iter_mut().zip(&*product) {
            *g -= *own;
        }
        if !*is_factored {
            padmm.factor_with(problem, space, iterate);
            *is_factored = true;
        }
        let outcome = padmm.solve_with((problem, space), true, lambda, iterate);
        space.times(lambda, product);
        for (g, own) in problem.g.iter_mut().zip(&*product) {
            *g += *own;
        }
        outcome
    }

    /// Newton's method from the reactions in `lambda`, which change where it comes clearly nearer; so do the velocities with them.
    #[inline(always)]
    fn solve_by_newton(
        &mut self,
        padmm: &Padmm,
        (problem, space): (&mut DualProblem<E>, &mut BodySpace<'_, E>),
        lambda: &mut [E],
    ) -> Outcome<E> {
        let ended = self.iterate_newton(padmm, (&*problem, space), lambda);
        if ended.converged || ended.residual < ended.before * E::from_f64(NEARER) {
            for (i, own) in lambda.iter_mut().enumerate() {
                *own = self.here.y[i] * self.rows.scale[i];
                problem.g[i] += self.here.product[i];
            }
        }
        // Moreau: reactions in their cones, velocities in the dual ones, and no work
        Outcome {
            iterations: E::from_f64(ended.iterations as f64),
            dual: ended.residual,
            converged: ended.converged,
            ..Outcome::none()
        }
    }

    #[inline(always)]
    fn iterate_newton(
        &mut self,
        padmm: &Padmm,
        (problem, space): (&DualProblem<E>, &mut BodySpace<'_, E>),
        lambda: &[E],
    ) -> Ended<E> {
        let tolerance = E::from_f64(padmm.tolerance);
        self.here.start(&mut self.rows, problem, lambda, space);
        let before = self.here.residual;
        let iterations = self.take_steps(tolerance, MAX_FACTORS, space);
        let residual = self.here.residual;
        Ended { iterations, residual, before, converged: residual <= tolerance }
    }

    /// Steps until ‖r‖ is small, does not fall any more, or there were so many new factors; gives their number.
    #[inline(always)]
    fn take_steps(&mut self, tolerance: E, factors: usize, space: &mut BodySpace<'_, E>) -> usize {
        let BodyNewton { rows, direction, here, trial, budget, work, .. } = self;
        let mut recent = [here.square; MEMORY];
        let (mut iterations, mut left) = (0, factors);
        while here.residual > tolerance && left > 0 && !budget.is_spent() {
            let mut reuses = if direction.is_known { MAX_REUSES } else { 0 };
            while reuses > 0 && here.residual > tolerance {
                direction.aim(rows, here, space);
                trial.go(rows, here, (E::one(), &direction.change), space);
                if !trial.square.is_finite() || trial.square > here.square * E::from_f64(REUSE_REDUCTION) {
                    break;
                }
                std::mem::swap(here, trial);
                (iterations, reuses) = (iterations + 1, reuses - 1);
            }
            if here.residual <= tolerance {
                break;
            }
            (iterations, left) = (iterations + 1, left - 1);
            direction.factor(rows, here, space);
            budget.spend(work[0]);
            direction.aim(rows, here, space);
            recent = [recent[1], recent[2], here.square];
            let most = recent[0].max(recent[1]).max(recent[2]);
            if !search(rows, (here, trial), &direction.change, most, space) {
                break;
            }
        }
        iterations
    }
}

/// Goes along `change` as far as ‖r‖ falls; tells whether it did.
#[inline(always)]
fn search<E: Elem>(
    rows: &mut BodyRows<E>,
    (here, trial): (&mut Point<E>, &mut Point<E>),
    change: &[E],
    most: E,
    space: &mut BodySpace<'_, E>,
) -> bool {
    let mut share = E::one();
    for _ in 0..MAX_BACKTRACKS {
        trial.go(rows, here, (share, change), space);
        // Armijo on ‖r‖², whose slope along Newton's direction is −2 ‖r‖²
        if trial.square <= most * share.neg_mul_add(E::from_f64(2e-4), E::one()) {
            std::mem::swap(here, trial);
            return true;
        }
        share *= E::from_f64(BACKTRACK_FACTOR);
    }
    false
}
