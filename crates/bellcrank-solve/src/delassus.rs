//! The matrix G of a dual problem, seen by a solver: products, and solves with P G P + σ 1.
//!
//! [`Dense`] has all entries: best for the few rows of a robot. [`crate::BodySpace`] never forms it: best for piles.

use crate::problem::DualProblem;
use crate::residual::{Product, ResidualWorkspace, conjugate_residual};
use crate::sparse::SparseRows;
use bellcrank_math::{Real, factor_cholesky, solve_cholesky};

/// A symmetric positive semidefinite matrix with a diagonal scaling P, however it is stored.
pub trait Delassus<R: Real> {
    /// G at (i, i).
    fn diagonal(&self, i: usize) -> R;
    /// out ← G x
    fn times(&mut self, x: &[R], out: &mut [R]);
    /// ‖P G P‖_F, or an estimate of it.
    fn norm(&mut self, scale: &[R]) -> R;
    /// Makes ready for solves with P G P + σ 1.
    fn factor(&mut self, scale: &[R], sigma: R);
    /// x ← (P G P + σ 1)⁻¹ x, from a guess where the method wants one.
    fn solve(&mut self, guess: &[R], x: &mut [R]);
}

/// How the linear system of an iteration is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LinearSolver {
    /// Cholesky factor of the dense matrix, once per step.
    Dense,
    /// So many steps of conjugate residuals per iteration from the last x, with products only: as [Kamino] does it for
    /// large problems.
    ConjugateResidual {
        /// 9 in the paper.
        iterations: usize,
    },
}

/// Memory for dense solves.
#[derive(Clone, Debug, Default)]
pub struct DenseWorkspace<R> {
    factor: Vec<R>,
    /// Rows for products, where the linear solver wants them.
    pub sparse: SparseRows<R>,
    scale: Vec<R>,
    sigma: R,
    guess: Vec<R>,
    scaled: Vec<R>,
    residual: ResidualWorkspace<R>,
}

impl<R: Real> DenseWorkspace<R> {
    /// Room for problems of up to `rows` rows.
    pub fn with_capacity(rows: usize) -> Self {
        DenseWorkspace { factor: Vec::with_capacity(rows * rows), ..DenseWorkspace::default() }
    }
}

/// G with all its entries.
pub struct Dense<'a, R> {
    problem: &'a DualProblem<R>,
    linear: LinearSolver,
    ws: &'a mut DenseWorkspace<R>,
}

impl<'a, R: Real> Dense<'a, R> {
    /// The matrix of a problem.
    pub fn new(problem: &'a DualProblem<R>, linear: LinearSolver, ws: &'a mut DenseWorkspace<R>) -> Self {
        Dense { problem, linear, ws }
    }
}

impl<R: Real> Delassus<R> for Dense<'_, R> {
    #[inline(always)]
    fn diagonal(&self, i: usize) -> R {
        self.problem.get(i, i)
    }

    #[inline(always)]
    fn times(&mut self, x: &[R], out: &mut [R]) {
        for i in 0..x.len() {
            out[i] = self.problem.row_times(i, x);
        }
    }

    #[inline(always)]
    fn norm(&mut self, scale: &[R]) -> R {
        let mut square = R::zero();
        for i in 0..self.problem.n {
            let mut row = R::zero();
            for j in 0..i {
                let entry = self.problem.get(i, j) * (scale[i] * scale[j]);
                row = entry.mul_add(entry, row);
            }
            let entry = self.problem.get(i, i) * (scale[i] * scale[i]);
            square = entry.mul_add(entry, (row + row) + square);
        }
        square.sqrt()
    }

    #[inline(always)]
    fn factor(&mut self, scale: &[R], sigma: R) {
        let n = self.problem.n;
        self.ws.sigma = sigma;
        if self.linear != LinearSolver::Dense {
            self.ws.scale.clear();
            self.ws.scale.extend_from_slice(scale);
            return;
        }
        self.ws.factor.clear();
        self.ws.factor.resize(n * n, R::zero());
        for i in 0..n {
            for j in 0..=i {
                self.ws.factor[i * n + j] = self.problem.get(i, j) * (scale[i] * scale[j]);
            }
            self.ws.factor[i * n + i] += sigma;
        }
        factor_cholesky(&mut self.ws.factor, n);
    }

    #[inline(always)]
    fn solve(&mut self, guess: &[R], x: &mut [R]) {
        match self.linear {
            LinearSolver::Dense => solve_cholesky(&self.ws.factor, self.problem.n, x),
            LinearSolver::ConjugateResidual { iterations } => {
                let ws = &mut *self.ws;
                ws.guess.clear();
                ws.guess.extend_from_slice(guess);
                let mut product = Shifted {
                    problem: self.problem,
                    sparse: &mut ws.sparse,
                    scale: &ws.scale,
                    sigma: ws.sigma,
                    scaled: &mut ws.scaled,
                };
                conjugate_residual(&mut product, x, iterations, &mut ws.guess, &mut ws.residual);
                x.copy_from_slice(&ws.guess);
            }
        }
    }
}

/// x ↦ P G P x + σ x, by sparse rows where there are some.
struct Shifted<'a, R> {
    problem: &'a DualProblem<R>,
    sparse: &'a mut SparseRows<R>,
    scale: &'a [R],
    sigma: R,
    scaled: &'a mut Vec<R>,
}

impl<R: Real> Product<R> for Shifted<'_, R> {
    #[inline(always)]
    fn times(&mut self, x: &[R], out: &mut [R]) {
        self.scaled.clear();
        for (x, p) in x.iter().zip(self.scale) {
            self.scaled.push(*x * *p);
        }
        if self.sparse.rows.len() == x.len() {
            self.sparse.times(self.scaled, out);
        } else {
            for i in 0..x.len() {
                out[i] = self.problem.row_times(i, self.scaled);
            }
        }
        for i in 0..x.len() {
            out[i] = self.sigma.mul_add(x[i], out[i] * self.scale[i]);
        }
    }
}
