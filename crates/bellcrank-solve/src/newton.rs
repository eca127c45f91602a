//! Newton's method on the cones, before and instead of hundreds of iterations of PADMM.
//!
//! One vector w holds reactions and velocities: y = Π_K(w) are the reactions and z = y − w the velocities. By Moreau
//! y ∈ K, z ∈ K* and y ⟂ z whatever w is, so that only the equation of motion is left to solve:
//!
//! r(w) = G̃ y + g̃ + s(z) − z = 0,   s = μ‖z_t‖ on contact normals (De Saxcé).
//!
//! r is piecewise smooth. With D the derivative of Π_K and S that of s, both block by block, Newton's matrix is
//! A = G̃ D + (S − 1)(D − 1) + ε 1. ε keeps it regular where reactions are not unique (a foot on four corners), and
//! leaves them where the last step had them. From the last step's reactions robots need one or two steps, whatever their masses;
//! where a step does not make ‖r‖ smaller, PADMM takes over. Factors serve for several steps, and for the next solve with
//! the same G. Nothing here needs a pivot: a world is a lane.

use crate::cone::{Cone, MOST_ROWS};
use crate::problem::DualProblem;
use bellcrank_math::{Mask, Real, factor_general, solve_general};

/// Memory of a solve; may be thrown away at any time.
#[derive(Clone, Debug, Default)]
pub struct NewtonWorkspace<R> {
    /// P G P by rows.
    scaled: Vec<R>,
    /// A, then its factors.
    matrix: Vec<R>,
    /// The factors of each lane's last step, for the next solve with the same G.
    kept: Vec<R>,
    /// One where there are such.
    known: R,
    w: Vec<R>,
    r: Vec<R>,
    change: Vec<R>,
    trial: Trial<R>,
}

/// y, z and r at some w.
#[derive(Clone, Debug, Default)]
struct Trial<R> {
    w: Vec<R>,
    y: Vec<R>,
    z: Vec<R>,
    r: Vec<R>,
}

/// How it ended, by lane.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewtonOutcome<R: Real> {
    pub iterations: R,
    /// ‖r‖∞ [m/s]
    pub residual: R,
    pub converged: R::Mask,
}

/// ε. On recorded steps of bipeds, quadrupeds and piles 1e-4 needs the fewest steps and fails the least, in both precisions;
/// 1e-6 and 1e-2 both fail more often.
const SOFTNESS: f64 = 1e-4;

/// A step is shortened so many times before PADMM has to do it,
const SHORTENED: usize = 6;
/// each time to this share.
const SHORTER: f64 = 0.25;
/// ‖r‖ must fall below the largest of so many steps: a step over an edge between pieces may cost something at first. On
/// recorded steps of bipeds that halves the failures.
const MEMORY: usize = 3;
/// Steps with known factors between two factorisations, at most,
const FOLLOWED: usize = 3;
/// as long as each makes ‖r‖² that much smaller.
const CLEARLY: f64 = 0.1;

impl<R: Real> NewtonWorkspace<R> {
    /// Room for problems of up to `rows` rows.
    pub(crate) fn with_capacity(rows: usize) -> Self {
        let room = || Vec::with_capacity(rows);
        NewtonWorkspace {
            scaled: Vec::with_capacity(rows * rows),
            matrix: Vec::with_capacity(rows * rows),
            kept: Vec::with_capacity(rows * rows),
            known: R::zero(),
            w: room(),
            r: room(),
            change: room(),
            trial: Trial { w: room(), y: room(), z: room(), r: room() },
        }
    }

    /// Takes the matrix of a problem whose rows are scaled by P.
    #[inline(always)]
    pub(crate) fn prepare(&mut self, problem: &DualProblem<R>, scale: &[R]) {
        let n = problem.n;
        self.known = R::zero();
        self.scaled.clear();
        for i in 0..n {
            for j in 0..n {
                self.scaled.push(problem.get(i, j) * (scale[i] * scale[j]));
            }
        }
    }

    /// From the iterate (y, z), whose reactions y it replaces by better ones.
    #[inline(always)]
    pub(crate) fn solve(
        &mut self,
        problem: &DualProblem<R>,
        (scale, tolerance, steps): (&[R], R, usize),
        alive: R::Mask,
        (y, z): (&mut [R], &[R]),
    ) -> NewtonOutcome<R> {
        self.start(problem, (y, z));
        let zero = R::zero();
        let mut merit = self.trial.evaluate(problem, scale, &self.scaled);
        self.accept(R::Mask::splat(true));
        let mut residual = largest(&self.r, scale);
        let mut converged = !alive | residual.le(tolerance);
        let (mut live, mut iterations) = (!converged, zero);
        let mut recent = [merit; MEMORY];
        for _ in 0..steps {
            for _ in 0..FOLLOWED {
                let known = live & zero.lt(self.known);
                if !known.any() {
                    break;
                }
                let better = self.follow(problem, scale, known, &mut merit);
                iterations += R::select(better, R::one(), zero);
                residual = R::select(better, largest(&self.r, scale), residual);
                converged = converged | (better & residual.le(tolerance));
                live = live & !converged;
                if !better.any() {
                    break;
                }
            }
            if !live.any() {
                break;
            }
            iterations += R::select(live, R::one(), zero);
            self.direct(problem, scale);
            self.keep(live);
            recent = [recent[1], recent[2], merit];
            let most = recent[0].max(recent[1]).max(recent[2]);
            let better = self.search(problem, scale, live, (most, &mut merit));
            residual = R::select(live, largest(&self.r, scale), residual);
            converged = converged | (better & residual.le(tolerance));
            live = live & better & !converged;
        }
        self.trial.w.copy_from_slice(&self.w);
        self.trial.project(problem, scale);
        y.copy_from_slice(&self.trial.y);
        NewtonOutcome { iterations, residual, converged }
    }

    /// w = y − z
    #[inline(always)]
    fn start(&mut self, problem: &DualProblem<R>, (y, z): (&[R], &[R])) {
        let n = problem.n;
        for list in [&mut self.w, &mut self.r, &mut self.change] {
            list.clear();
            list.resize(n, R::zero());
        }
        for list in [&mut self.trial.w, &mut self.trial.y, &mut self.trial.z, &mut self.trial.r] {
            list.clear();
            list.resize(n, R::zero());
        }
        for i in 0..n {
            self.trial.w[i] = y[i] - z[i];
        }
    }

    /// change ← −A⁻¹ r
    #[inline(always)]
    fn direct(&mut self, problem: &DualProblem<R>, scale: &[R]) {
        let n = problem.n;
        self.matrix.resize(n * n, R::zero()); // all of it is written
        let soft = R::constant(SOFTNESS);
        let mut j = 0;
        for cone in &problem.cones {
            let rows = cone.rows();
            let mut w = [R::zero(); MOST_ROWS];
            w[..rows].copy_from_slice(&self.w[j..j + rows]);
            let (D, E) = derivatives(cone, scale[j], &w);
            for i in 0..n {
                let own = &self.scaled[i * n + j..][..rows];
                for c in 0..rows {
                    let mut sum = own[0] * D[0][c];
                    for k in 1..rows {
                        sum = own[k].mul_add(D[k][c], sum);
                    }
                    self.matrix[i * n + j + c] = sum;
                }
            }
            for k in 0..rows {
                for c in 0..rows {
                    self.matrix[(j + k) * n + j + c] += E[k][c];
                }
                self.matrix[(j + k) * n + j + k] += soft;
            }
            j += rows;
        }
        factor_general(&mut self.matrix, n);
        for i in 0..n {
            self.change[i] = -self.r[i];
        }
        solve_general(&self.matrix, n, &mut self.change);
    }

    /// Remembers the factors of some lanes.
    #[inline(always)]
    fn keep(&mut self, lanes: R::Mask) {
        self.kept.resize(self.matrix.len(), R::zero());
        for (old, new) in self.kept.iter_mut().zip(&self.matrix) {
            *old = R::select(lanes, *new, *old);
        }
        self.known = R::select(lanes, R::one(), self.known);
    }

    /// One step with known factors, taken where it makes ‖r‖ clearly smaller: where the same pieces of r hold as then, it
    /// is nearly Newton's, for a fraction of the work. A step of a lane depends on its own factors alone.
    #[inline(always)]
    fn follow(&mut self, problem: &DualProblem<R>, scale: &[R], lanes: R::Mask, merit: &mut R) -> R::Mask {
        for i in 0..problem.n {
            self.change[i] = -self.r[i];
        }
        solve_general(&self.kept, problem.n, &mut self.change);
        for i in 0..problem.n {
            self.trial.w[i] = self.change[i] + self.w[i];
        }
        let now = self.trial.evaluate(problem, scale, &self.scaled);
        let better = lanes & now.le(*merit * R::constant(CLEARLY));
        *merit = R::select(better, now, *merit);
        self.accept(better);
        better
    }

    /// Goes along `change`, in each lane as far as ‖r‖ falls; tells where it did.
    #[inline(always)]
    fn search(
        &mut self,
        problem: &DualProblem<R>,
        scale: &[R],
        live: R::Mask,
        (most, merit): (R, &mut R),
    ) -> R::Mask {
        let (mut step, mut done) = (R::one(), !live);
        for _ in 0..SHORTENED {
            for i in 0..problem.n {
                self.trial.w[i] = step.mul_add(self.change[i], self.w[i]);
            }
            let now = self.trial.evaluate(problem, scale, &self.scaled);
            // Armijo on ‖r‖², whose slope along Newton's direction is −2 ‖r‖²
            let better = !done & now.le(most * step.neg_mul_add(R::constant(2e-4), R::one()));
            *merit = R::select(better, now, *merit);
            self.accept(better);
            done = done | better;
            if done.all() {
                break;
            }
            step *= R::constant(SHORTER);
        }
        done & live
    }

    #[inline(always)]
    fn accept(&mut self, lanes: R::Mask) {
        for i in 0..self.w.len() {
            self.w[i] = R::select(lanes, self.trial.w[i], self.w[i]);
            self.r[i] = R::select(lanes, self.trial.r[i], self.r[i]);
        }
    }
}

impl<R: Real> Trial<R> {
    /// y, z and r − G̃ y at w.
    #[inline(always)]
    fn project(&mut self, problem: &DualProblem<R>, scale: &[R]) {
        let mut i = 0;
        for cone in &problem.cones {
            let rows = cone.rows();
            let mut y = [R::zero(); MOST_ROWS];
            y[..rows].copy_from_slice(&self.w[i..i + rows]);
            cone.project(scale[i], &mut y);
            for k in 0..rows {
                self.y[i + k] = y[k];
                self.z[i + k] = y[k] - self.w[i + k];
                self.r[i + k] = problem.g[i + k].mul_add(scale[i + k], -self.z[i + k]);
            }
            let mut slip = [R::zero(); MOST_ROWS];
            slip[..rows - 1].copy_from_slice(&self.z[i..i + rows - 1]);
            cone.add_slip(&mut slip);
            self.r[i + rows - 1] += slip[rows - 1];
            i += rows;
        }
    }

    /// y, z and r at w; gives ‖r‖².
    #[inline(always)]
    fn evaluate(&mut self, problem: &DualProblem<R>, scale: &[R], matrix: &[R]) -> R {
        self.project(problem, scale);
        let (n, mut square) = (problem.n, R::zero());
        for i in 0..n {
            let row = &matrix[i * n..][..n];
            let mut sum = self.r[i];
            for j in 0..n {
                sum = row[j].mul_add(self.y[j], sum);
            }
            self.r[i] = sum;
            square = sum.mul_add(sum, square);
        }
        square
    }
}

/// ‖P⁻¹ r‖∞ [m/s]
#[inline(always)]
fn largest<R: Real>(r: &[R], scale: &[R]) -> R {
    let mut worst = R::zero();
    for (r, p) in r.iter().zip(scale) {
        worst = worst.max((*r / *p).abs());
    }
    worst
}

type Small<R> = [[R; MOST_ROWS]; MOST_ROWS];

/// D = ∂Π_K(w)/∂w, and E = (S − 1)(D − 1) of one cone.
#[inline(always)]
fn derivatives<R: Real>(cone: &Cone<R>, p: R, w: &[R; MOST_ROWS]) -> (Small<R>, Small<R>) {
    let zero = R::zero();
    let (mut D, mut E) = ([[zero; MOST_ROWS]; MOST_ROWS], [[zero; MOST_ROWS]; MOST_ROWS]);
    let moves = match cone {
        Cone::Free => R::one(),
        Cone::Nonnegative => R::select(w[0].le(zero), zero, R::one()),
        Cone::Box { low, high } => {
            let inside = (*low / p).lt(w[0]) & w[0].lt(*high / p);
            R::select(inside, R::one(), zero)
        }
        Cone::Coulomb { mu, rows } => {
            contact_derivatives(*mu, *rows, w, (&mut D, &mut E));
            return (D, E);
        }
    };
    (D[0][0], E[0][0]) = (moves, R::one() - moves);
    (D, E)
}

/// Inside the cone D = 1, in its polar cone D = 0. On the way to its surface, with t = ‖w_t‖, u = w_t/t and
/// c = (μ t + n)/(1 + μ²): y = c (μ u, 1), so D = (μ u, 1)(μ u, 1)ᵀ/(1 + μ²) + μ c/t (1 − u uᵀ). z_t = y_t − w_t points against u
/// there, so S has −μ u in its last row, and E = (1 − D) − S (1 − D), of which (1 − D) u = u − (μ u + e_n) μ/(1 + μ²).
#[inline(always)]
fn contact_derivatives<R: Real>(
    mu: R,
    rows: usize,
    w: &[R; MOST_ROWS],
    (D, E): (&mut Small<R>, &mut Small<R>),
) {
    let (n, one, zero) = (rows - 1, R::one(), R::zero());
    let mut square = zero;
    for k in 0..n {
        square = w[k].mul_add(w[k], square);
    }
    let length = square.sqrt();
    let still = length.le(zero);
    let inverse = R::select(still, zero, R::select(still, one, length).recip());
    let polar = (mu * length).le(-w[n]);
    let inside = length.le(mu * w[n]);
    let share = mu.mul_add(mu, one).recip();
    let c = mu.mul_add(length, w[n]) * share;
    let turn = mu * c * inverse;
    let mut a = [zero; MOST_ROWS]; // (μ u, 1)
    for k in 0..n {
        a[k] = mu * w[k] * inverse;
    }
    a[n] = one;
    for k in 0..rows {
        for l in 0..rows {
            let same = if k == l { one } else { zero };
            let mut slides = share * a[k] * a[l];
            if k < n && l < n {
                let across = (w[k] * inverse).neg_mul_add(w[l] * inverse, same);
                slides = turn.mul_add(across, slides);
            }
            D[k][l] = R::select(polar, zero, R::select(inside, same, slides));
            E[k][l] = same - D[k][l];
        }
    }
    // −S (1 − D): its last row is +μ uᵀ(1 − D); in the polar cone z = −w slips against u as well
    for l in 0..rows {
        let mut slip = zero;
        for k in 0..n {
            slip = a[k].mul_add(E[k][l], slip);
        }
        E[n][l] += slip;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// D and E against central differences of y and s(z) − z, away from the edges between pieces.
        #[test]
        fn derivatives_are_those_of_the_projection(mu in 0.1..1.5_f64, x in prop::array::uniform4(-2.0..2.0_f64)) {
            let cone = Cone::Coulomb { mu, rows: 4 };
            let mut w = [0.0; MOST_ROWS];
            w[..4].copy_from_slice(&x);
            let length = (x[0] * x[0] + x[1] * x[1] + x[2] * x[2]).sqrt();
            prop_assume!(length > 0.1 && (length - mu * x[3]).abs() > 0.01 && (mu * length + x[3]).abs() > 0.01);
            let (D, E) = derivatives(&cone, 1.0, &w);
            let at = |w: [f64; MOST_ROWS]| {
                let mut y = w;
                cone.project(1.0, &mut y);
                let mut v = [0.0; MOST_ROWS];
                for k in 0..4 {
                    v[k] = y[k] - w[k];
                }
                let z = v;
                cone.add_slip(&mut v);
                (y, v, z)
            };
            for l in 0..4 {
                let (mut up, mut down) = (w, w);
                up[l] += 1e-6;
                down[l] -= 1e-6;
                let ((y1, v1, z1), (y0, v0, z0)) = (at(up), at(down));
                for k in 0..4 {
                    // r holds s(z) − z: the slip alone is v − z
                    let own = (v1[k] - z1[k]) - (v0[k] - z0[k]) - (z1[k] - z0[k]);
                    prop_assert!((D[k][l] - (y1[k] - y0[k]) / 2e-6).abs() < 1e-6);
                    prop_assert!((E[k][l] - own / 2e-6).abs() < 1e-6, "{k} {l} {} {}", E[k][l], own / 2e-6);
                }
            }
        }
    }
}
