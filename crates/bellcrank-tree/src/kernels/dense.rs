//! Least squares that survive redundant rows.

use bellcrank_math::{Real, factor_cholesky, solve_cholesky};

/// Memory for [`solve_semidefinite`].
pub struct Semidefinite<R> {
    /// The matrix, to be filled by the caller.
    pub a: Vec<R>,
    factor: Vec<R>,
    rest: Vec<R>,
}

impl<R: Real> Semidefinite<R> {
    /// For n unknowns.
    pub fn new(n: usize) -> Self {
        Semidefinite { a: vec![R::zero(); n * n], factor: vec![R::zero(); n * n], rest: vec![R::zero(); n] }
    }
}

/// Solves A x = b for a positive semidefinite A (redundant rows) and a b in its range.
///
/// Proximal iterations: x ← x + (A + μ 1)⁻¹ (b − A x). Each divides the error in an eigenvalue σ by 1 + σ/μ, and what
/// is in the null space stays zero. μ is the square root of the rounding times the mean diagonal: three iterations
/// reach rounding wherever σ is above that.
#[inline(always)]
pub fn solve_semidefinite<R: Real>(s: &mut Semidefinite<R>, n: usize, relative: R, b: &[R], x: &mut [R]) {
    let mut trace = R::constant(1e-30);
    for i in 0..n {
        trace += s.a[i * n + i];
    }
    let mu = trace * relative * R::constant(1.0 / n.max(1) as f64);
    s.factor.copy_from_slice(&s.a);
    for i in 0..n {
        s.factor[i * n + i] += mu;
    }
    factor_cholesky(&mut s.factor, n);
    x.fill(R::zero());
    for _ in 0..3 {
        for i in 0..n {
            let mut rest = b[i];
            for k in 0..n {
                rest = s.a[i * n + k].neg_mul_add(x[k], rest);
            }
            s.rest[i] = rest;
        }
        solve_cholesky(&s.factor, n, &mut s.rest);
        for i in 0..n {
            x[i] += s.rest[i];
        }
    }
}
