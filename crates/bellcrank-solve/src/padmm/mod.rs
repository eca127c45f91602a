//! Proximal-ADMM with Nesterov acceleration and restart ([Kamino] Algorithm 1 with its notes).
//!
//! The rows are scaled by P (one factor per cone, so that its shape is kept) to unit diagonal. With G̃ = P G P,
//! g̃ = P g, λ = P y and σ = η + ρ, each iteration solves one linear system with the factor of G̃ + σ 1, projects, and
//! moves the dual velocity z. Nothing is tuned by hand: ρ comes from the size of G̃. Lanes that have converged
//! are frozen by their mask, so that a world does not depend on its neighbours.
//!
//! Where G is at hand, Newton's method ([`crate::newton`]) goes first; it finishes all but a few solves.

mod iterate;

pub use iterate::Iterate;

use crate::budget::Budget;
use crate::delassus::{Delassus, Dense, DenseWorkspace, LinearSolver};
use crate::newton::NewtonWorkspace;
use crate::problem::DualProblem;
use bellcrank_math::{Elem, Mask, Real};
use iterate::{Step, de_saxce, extrapolate, first_dual, scale_cones};

/// How the penalty ρ is chosen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Penalty {
    /// A share of the scaled matrix' Frobenius norm, larger for worlds that take long: nothing to tune.
    Share(f64),
    /// The same for all: as [Kamino] has it, with 1 as its default.
    Fixed(f64),
}

/// Settings. The defaults need no tuning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Padmm {
    /// Iterations at most.
    pub max_iterations: usize,
    /// Bound on the three residuals [N·s, m/s, J]; zero runs the whole budget.
    pub tolerance: f64,
    /// The same in worlds of many loose bodies, where it is larger than `tolerance` [m/s]: a body creeps by a
    /// twentieth of a millimetre in a second at most.
    pub pile_tolerance: f64,
    /// Proximal weight η.
    pub proximal: f64,
    /// ρ: a small share is fast where few contacts slide.
    pub penalty: Penalty,
    /// How linear systems are solved.
    pub linear: LinearSolver,
    /// After so many iterations a world whose residuals are out of balance changes its ρ, again after twice as many more, and
    /// so on.
    pub patience: usize,
    /// By this factor.
    pub penalty_growth: f64,
    /// Newton steps that are tried first, where the matrix is dense; 0 for PADMM alone, as published.
    pub newton_steps: usize,
}

impl Default for Padmm {
    fn default() -> Self {
        Padmm {
            max_iterations: 300,
            tolerance: 1e-6,
            pile_tolerance: 5e-5,
            proximal: 1e-6,
            penalty: Penalty::Share(0.005),
            linear: LinearSolver::Dense,
            patience: 10,
            penalty_growth: 3.0,
            newton_steps: 12,
        }
    }
}

/// Iterations between two tries of Newton's method, at first; then twice as many each time.
pub(crate) const FIRST_BUDGET: usize = 20;

/// Residuals of reactions and velocities may differ by this factor before ρ changes.
const IMBALANCE: f64 = 3.0;

/// How a solve ended, per lane.
#[derive(Clone, Copy, Debug)]
pub struct Outcome<R: Real> {
    /// Iterations used.
    pub iterations: R,
    /// ‖x − y‖∞ [N·s]
    pub primal: R,
    /// ‖η Δx + ρ Δy‖∞ [m/s]
    pub dual: R,
    /// |λ·v| [J]
    pub complementarity: R,
    /// Whether all three are below the tolerance.
    pub converged: R::Mask,
}

impl<R: Real> Outcome<R> {
    /// Nothing was to be done.
    #[inline(always)]
    pub fn none() -> Self {
        let zero = R::zero();
        let converged = R::Mask::splat(true);
        Outcome { iterations: zero, primal: zero, dual: zero, complementarity: zero, converged }
    }

    /// What `other` says of these lanes, after the iterations of both.
    #[inline(always)]
    pub fn or(&self, lanes: R::Mask, other: &Self) -> Self {
        Outcome {
            iterations: self.iterations + R::select(lanes, other.iterations, R::zero()),
            primal: R::select(lanes, other.primal, self.primal),
            dual: R::select(lanes, other.dual, self.dual),
            complementarity: R::select(lanes, other.complementarity, self.complementarity),
            converged: (self.converged & !lanes) | (other.converged & lanes),
        }
    }
}

/// Memory of a solve with a dense matrix; may be thrown away at any time.
#[derive(Clone, Debug, Default)]
pub struct PadmmWorkspace<E> {
    dense: DenseWorkspace<E>,
    newton: NewtonWorkspace<E>,
    iterate: Iterate<E>,
    /// Whether the factor for PADMM is there.
    is_factored: bool,
    /// What is left of the step's work.
    pub budget: Budget,
}

impl<E: Elem> PadmmWorkspace<E> {
    /// Room for problems of up to `rows` rows.
    pub fn with_capacity(rows: usize) -> Self {
        PadmmWorkspace {
            dense: DenseWorkspace::with_capacity(rows),
            newton: NewtonWorkspace::with_capacity(rows),
            iterate: Iterate::with_capacity(rows),
            is_factored: false,
            budget: Budget::default(),
        }
    }
}

impl Padmm {
    /// The tolerance in worlds of many loose bodies.
    pub fn tolerance_in_a_pile(&self) -> f64 {
        if self.tolerance > 0.0 { self.tolerance.max(self.pile_tolerance) } else { 0.0 }
    }

    /// Takes the matrix of one world: once, before any number of solves. ρ is chosen and G̃ + σ 1 factored as soon as that is
    /// needed. `V` are vectors of neighbouring rows, of any length.
    #[inline(always)]
    pub fn factor<V: Real>(&self, problem: &DualProblem<V::Elem>, ws: &mut PadmmWorkspace<V::Elem>) {
        ws.is_factored = false;
        if self.newton_steps > 0 {
            ws.newton.prepare::<V>(problem);
        }
    }

    /// Solves the factored problem of one world from the reactions in `lambda` (a warm start, or zeros) and leaves the
    /// answer there; the problem's g are the velocities with these reactions, and of no use afterwards. Newton's method goes
    /// first, and again from what PADMM finds: it finishes all but a few solves.
    #[inline(always)]
    pub fn solve<V: Real>(
        &self,
        problem: &mut DualProblem<V::Elem>,
        lambda: &mut [V::Elem],
        ws: &mut PadmmWorkspace<V::Elem>,
    ) -> Outcome<V::Elem> {
        let zero = V::Elem::zero();
        let mut outcome =
            Outcome { iterations: zero, primal: zero, dual: zero, complementarity: zero, converged: false };
        let (mut budget, mut spent) = (FIRST_BUDGET, 0);
        let square = (problem.n * problem.n) as f64; // multiplications of an iteration
        loop {
            if self.newton_steps > 0 {
                let found = self.solve_by_newton::<V>(problem, lambda, ws);
                // where it fails again, the reactions are PADMM's, and so are the residuals
                let kept = if found.converged || spent == 0 { found } else { outcome };
                outcome = Outcome { iterations: outcome.iterations + found.iterations, ..kept };
            }
            let is_judged = self.newton_steps > 0 || spent > 0;
            if outcome.converged || spent >= self.max_iterations || (is_judged && ws.budget.is_spent()) {
                return outcome;
            }
            problem.take_out(lambda);
            let mut dense = Dense::new(problem, self.linear, &mut ws.dense);
            if !ws.is_factored {
                self.factor_with(problem, &mut dense, &mut ws.iterate);
                ws.is_factored = true;
                ws.budget.spend(square * problem.n as f64 / 3.0);
            }
            let whole = if self.newton_steps > 0 { budget } else { self.max_iterations };
            let most = ws.budget.times(square, whole.min(self.max_iterations - spent)).max(1);
            let some = Padmm { max_iterations: most, ..*self };
            let found = some.solve_with((problem, &mut dense), true, lambda, &mut ws.iterate);
            ws.budget.spend(found.iterations.to_f64() * square);
            outcome = Outcome { iterations: outcome.iterations + found.iterations, ..found };
            (budget, spent) = (2 * budget, spent + most);
            problem.put_in(lambda);
            if outcome.converged {
                return outcome;
            }
        }
    }

    /// Newton's method from the reactions in `lambda`, which change where it converges: PADMM is best started from the
    /// last step's.
    #[inline(always)]
    fn solve_by_newton<V: Real>(
        &self,
        problem: &DualProblem<V::Elem>,
        lambda: &mut [V::Elem],
        ws: &mut PadmmWorkspace<V::Elem>,
    ) -> Outcome<V::Elem> {
        let tolerance = V::Elem::from_f64(self.tolerance);
        let limits = (tolerance, self.newton_steps);
        let done = ws.newton.solve::<V>(problem, limits, &ws.budget, lambda);
        ws.budget.spend(done.work);
        let zero = V::Elem::zero(); // Moreau: reactions in their cones, velocities in the dual ones, and no work
        Outcome {
            iterations: V::Elem::from_f64(done.iterations as f64),
            primal: zero,
            dual: done.residual,
            complementarity: zero,
            converged: done.converged,
        }
    }

    /// [`Padmm::factor`] for a matrix of any kind; the problem's own is not looked at.
    #[inline(always)]
    pub fn factor_with<R: Real>(
        &self,
        problem: &DualProblem<R>,
        matrix: &mut impl Delassus<R>,
        ws: &mut Iterate<R>,
    ) {
        scale_cones(problem, matrix, &mut ws.scale);
        // ‖G̃‖_F: at least the largest eigenvalue, at most √rank times it
        ws.rho = match self.penalty {
            Penalty::Share(share) => {
                let size = matrix.norm(&ws.scale);
                R::select(size.le(R::zero()), R::one(), size * R::constant(share))
            }
            Penalty::Fixed(rho) => R::constant(rho),
        };
        matrix.factor(&ws.scale, ws.rho + R::constant(self.proximal));
    }

    /// Takes a larger ρ in the lanes where reactions lag behind, a smaller one where velocities do, and factors again.
    #[inline(always)]
    fn balance<R: Real>(
        &self,
        matrix: &mut impl Delassus<R>,
        live: R::Mask,
        outcome: &Outcome<R>,
        ws: &mut Iterate<R>,
    ) {
        let (growth, far) = (R::constant(self.penalty_growth), R::constant(IMBALANCE));
        let more = live & (outcome.dual * far).lt(outcome.primal);
        let less = live & (outcome.primal * far).lt(outcome.dual);
        let raised = R::select(more, ws.rho * growth, ws.rho);
        ws.rho = R::select(less, raised / growth, raised);
        matrix.factor(&ws.scale, ws.rho + R::constant(self.proximal));
    }

    /// [`Padmm::solve`] for a matrix of any kind; the problem's own is not looked at.
    #[inline(always)]
    pub fn solve_with<R: Real>(
        &self,
        (problem, matrix): (&DualProblem<R>, &mut impl Delassus<R>),
        alive: R::Mask,
        lambda: &mut [R],
        ws: &mut Iterate<R>,
    ) -> Outcome<R> {
        let start = self.start((problem, matrix), lambda, ws);
        let (mut rho, mut inverse_rho) = (ws.rho, ws.rho.recip());
        let eta = R::constant(self.proximal);
        let tolerance = R::constant(self.tolerance);
        let n = problem.n;
        let mut a = R::one();
        let mut momentum = R::constant(1e30);
        let mut outcome = Outcome {
            iterations: R::zero(),
            primal: start.primal,
            dual: start.dual,
            complementarity: start.complementarity,
            // a warm start may be the answer already
            converged: !alive | start.primal.max(start.dual).max(start.complementarity).le(tolerance),
        };
        let (mut wait, mut next) = (self.patience.max(1), self.patience.max(1));
        for iteration in 0..self.max_iterations {
            if outcome.converged.all() {
                break;
            }
            let live = !outcome.converged;
            if iteration == next && matches!(self.penalty, Penalty::Share(_)) {
                // every change of ρ loses the momentum gained: twice as long until the next one
                (wait, next) = (2 * wait, next + 2 * wait);
                self.balance(matrix, live, &outcome, ws);
                (rho, inverse_rho) = (ws.rho, ws.rho.recip());
                (a, momentum) = (R::one(), R::constant(1e30));
            }
            outcome.iterations += R::select(live, R::one(), R::zero());
            de_saxce(problem, ws); // s ← Γ(ẑ)
            for i in 0..n {
                // rhs = −g̃ − s + η x + ρ ŷ + ẑ   (−g̃ − s is in rhs already)
                ws.rhs[i] = eta.mul_add(ws.x[i], rho.mul_add(ws.y_hat[i], ws.rhs[i] + ws.z_hat[i]));
            }
            matrix.solve(&ws.x, &mut ws.rhs); // x ← (G̃ + σ)⁻¹ rhs
            let step = ws.project_and_measure(problem, live, [eta, rho, inverse_rho]); // y, z, residuals
            outcome.primal = R::select(live, step.primal, outcome.primal);
            outcome.dual = R::select(live, step.dual, outcome.dual);
            outcome.complementarity = R::select(live, step.complementarity, outcome.complementarity);
            let worst = step.primal.max(step.dual).max(step.complementarity);
            outcome.converged = outcome.converged | (live & worst.le(tolerance));
            // Nesterov's momentum, restarted when the combined residual does not fall
            let falls = step.combined.lt(momentum * R::constant(0.999));
            let a_next = (R::one() + R::constant(4.0).mul_add(a * a, R::one()).sqrt()) * R::constant(0.5);
            let factor = R::select(falls, (a - R::one()) / a_next, R::zero());
            a = R::select(falls, a_next, R::one());
            momentum = R::select(falls, step.combined, momentum * R::constant(1.0 / 0.999));
            extrapolate(n, factor, ws);
        }
        for i in 0..n {
            lambda[i] = R::select(alive, ws.y[i] * ws.scale[i], lambda[i]);
        }
        outcome
    }

    /// Sets the first iterate; gives how far off it is.
    #[inline(always)]
    fn start<R: Real>(
        &self,
        (problem, matrix): (&DualProblem<R>, &mut impl Delassus<R>),
        lambda: &[R],
        ws: &mut Iterate<R>,
    ) -> Step<R> {
        let n = problem.n;
        for list in [&mut ws.x, &mut ws.y, &mut ws.z, &mut ws.y_hat, &mut ws.z_hat, &mut ws.rhs] {
            list.clear();
            list.resize(n, R::zero());
        }
        for i in 0..n {
            let start = lambda[i] / ws.scale[i];
            (ws.x[i], ws.y[i], ws.y_hat[i]) = (start, start, start);
        }
        matrix.times(lambda, &mut ws.rhs);
        first_dual(problem, lambda, ws)
    }
}
