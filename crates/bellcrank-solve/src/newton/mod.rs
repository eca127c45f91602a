//! Newton's method on the cones of one world, before and instead of hundreds of iterations of PADMM.
//!
//! One vector w holds reactions and velocities: y = Π_K(w) are the reactions and z = y − w the velocities. By Moreau
//! y ∈ K, z ∈ K* and y ⟂ z whatever w is, so that only the equation of motion is left to solve:
//!
//! r(w) = G̃ y + g̃ + s(z) − z = 0,   s = μ‖z_t‖ on contact normals (De Saxcé).
//!
//! r is piecewise smooth. With D the derivative of Π_K and S that of s, both block by block, Newton's matrix is
//! A = G̃ D + (S − 1)(D − 1) + ε 1. ε keeps it regular where reactions are not unique (a foot on four corners), and
//! leaves them where the last step had them. From the last step's reactions robots need one or two steps, whatever their masses;
//! where a step does not make ‖r‖ smaller, PADMM takes over. An inverse serves for several steps, and for the next solve with
//! the same G.
//!
//! What is at a bound or apart has D = 0: its columns of A are those of the unit matrix, but for the slip of a contact. So
//! what moves is solved for alone, and what rests follows from it (`direction`). Worlds differ in what moves and in how
//! many steps they need: this is done world by world, in vectors of neighbouring rows ([`crate::wide`]).

mod direction;
mod pieces;
mod point;

use crate::budget::Budget;
use crate::cone::Cone;
use crate::problem::DualProblem;
use crate::simd_rows::{padded, part, put_part};
use bellcrank_math::{Elem, Real};
use direction::Direction;
pub(crate) use direction::SOFTNESS;
pub(crate) use pieces::{Piece, Small, push_from_outside};
use point::Point;

/// Memory of a solve; may be thrown away at any time.
#[derive(Clone, Debug, Default)]
pub struct NewtonWorkspace<E> {
    rows: ScaledRows<E>,
    direction: Direction<E>,
    here: Point<E>,
    trial: Point<E>,
}

/// The problem with rows scaled by P, one factor per cone, to entries of at most one on the diagonal. Lists are as long as
/// a row of the matrix.
#[derive(Clone, Debug, Default)]
struct ScaledRows<E> {
    /// 0, 1, 2, …
    every: Vec<u16>,
    /// p, and 1/p; zero behind the last row.
    scale: Vec<E>,
    inverse_scale: Vec<E>,
    /// P G P by rows.
    matrix: Vec<E>,
    /// y₀ of the reactions that the solve starts from, and P v with them: g̃ = P v − G̃ y₀.
    first: Vec<E>,
    velocity: Vec<E>,
    /// Bounds of y, where they do not depend on other rows.
    low: Vec<E>,
    high: Vec<E>,
    /// Rows with a cone of their own.
    single: Vec<u16>,
    contacts: Vec<ContactRows<E>>,
}

/// Rows of one contact.
#[derive(Clone, Copy, Debug)]
struct ContactRows<E> {
    first: usize,
    count: usize,
    mu: E,
}

/// How it ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewtonOutcome<E> {
    pub iterations: usize,
    /// ‖r‖∞ [m/s]
    pub residual: E,
    pub converged: bool,
    /// Multiplications, about.
    pub work: f64,
}

/// A Newton step is shortened at most this many times before PADMM takes over.
const MAX_BACKTRACKS: usize = 6;
/// Every shortening leaves this share of the step.
const BACKTRACK_FACTOR: f64 = 0.25;
/// ‖r‖ must fall below the largest of the last few steps, a line search that is not monotone: a step over an edge between pieces may cost something at first. On
/// recorded steps of bipeds that halves the failures.
const MEMORY: usize = 3;
/// The largest number of steps that reuse one inverse.
const MAX_REUSES: usize = 3;
/// An inverse is reused as long as each step leaves at most this share of ‖r‖².
const REUSE_REDUCTION: f64 = 0.1;

impl<E: Elem> ScaledRows<E> {
    fn with_capacity(rows: usize) -> Self {
        let length = padded::<E>(rows);
        let room = || Vec::with_capacity(length);
        ScaledRows {
            every: Vec::with_capacity(rows),
            scale: room(),
            inverse_scale: room(),
            matrix: Vec::with_capacity(rows * length),
            first: room(),
            velocity: room(),
            low: room(),
            high: room(),
            single: Vec::with_capacity(rows),
            contacts: Vec::with_capacity(rows),
        }
    }

    #[inline(always)]
    fn take<V: Real<Elem = E>>(&mut self, problem: &DualProblem<E>) {
        let (n, length, zero) = (problem.n, problem.stride, E::zero());
        for i in self.every.len()..n {
            self.every.push(i as u16);
        }
        self.every.truncate(n);
        let ScaledRows { scale, inverse_scale, first, velocity, low, high, .. } = self;
        for list in [scale, inverse_scale, first, velocity, low, high] {
            list.resize(length, zero);
        }
        self.list_cones(problem);
        // 1/p = √(largest entry on the diagonal), where there is one
        for c in 0..length / V::LANES {
            let root = part::<V>(&self.inverse_scale, c).sqrt();
            let none = root.le(V::zero());
            put_part(V::select(none, V::zero(), V::select(none, V::one(), root).recip()), &mut self.scale, c);
            put_part(root, &mut self.inverse_scale, c);
            put_part(part::<V>(&self.low, c) * root, &mut self.low, c);
            put_part(part::<V>(&self.high, c) * root, &mut self.high, c);
        }
        self.matrix.resize(n * length, zero); // all of it is written
        for i in 0..n {
            let (own, at) = (V::splat(self.scale[i]), i * length / V::LANES);
            for c in 0..length / V::LANES {
                let entry = part::<V>(&problem.matrix, at + c) * (own * part(&self.scale, c));
                put_part(entry, &mut self.matrix, at + c);
            }
        }
    }

    /// Sorts the cones; by row, sets bounds that are not scaled yet, and the largest entry of the cone on the diagonal in
    /// place of 1/p. A row that nothing can move has the scale 1.
    #[inline(always)]
    fn list_cones(&mut self, problem: &DualProblem<E>) {
        let (far, mut i) = (E::from_f64(f64::INFINITY), 0);
        self.single.clear();
        self.contacts.clear();
        for cone in &problem.cones {
            let count = cone.rows();
            let [low, high] = match cone {
                Cone::Free => [-far, far],
                Cone::Nonnegative => [E::zero(), far],
                Cone::Box { low, high } => [*low, *high],
                Cone::Coulomb { mu, .. } => {
                    self.contacts.push(ContactRows { first: i, count, mu: *mu });
                    [-far, far]
                }
            };
            if !matches!(cone, Cone::Coulomb { .. }) {
                self.single.push(i as u16);
            }
            let mut largest = E::zero();
            for k in i..i + count {
                largest = largest.max(problem.get(k, k));
            }
            let size = if largest > E::zero() { largest } else { E::one() };
            for k in i..i + count {
                (self.low[k], self.high[k], self.inverse_scale[k]) = (low, high, size);
            }
            i += count;
        }
        for list in [&mut self.low, &mut self.high, &mut self.inverse_scale] {
            list[i..].fill(E::zero());
        }
    }
}

impl<E: Elem> NewtonWorkspace<E> {
    /// Room for problems of up to `rows` rows.
    pub(crate) fn with_capacity(rows: usize) -> Self {
        NewtonWorkspace {
            rows: ScaledRows::with_capacity(rows),
            direction: Direction::with_capacity(rows),
            here: Point::with_capacity(rows),
            trial: Point::with_capacity(rows),
        }
    }

    /// Takes the matrix of a problem.
    #[inline(always)]
    pub(crate) fn prepare<V: Real<Elem = E>>(&mut self, problem: &DualProblem<E>) {
        self.rows.take::<V>(problem);
        self.direction.reset(problem.n, problem.stride);
        self.here.resize(problem.stride);
        self.trial.resize(problem.stride);
    }

    /// From the reactions in `lambda`, which it replaces where it converges; the problem's g are the velocities with them.
    #[inline(always)]
    pub(crate) fn solve<V: Real<Elem = E>>(
        &mut self,
        problem: &DualProblem<E>,
        (tolerance, steps): (E, usize),
        budget: &Budget,
        lambda: &mut [E],
    ) -> NewtonOutcome<E> {
        let NewtonWorkspace { rows, direction, here, trial } = self;
        here.start::<V>(rows, problem, lambda);
        let mut recent = [here.square; MEMORY];
        let (mut iterations, mut left, mut work) = (0, steps, 0.0);
        while here.residual > tolerance && left > 0 && !budget.is_spent_after(work) {
            for _ in 0..MAX_REUSES {
                if !direction.known {
                    break;
                }
                direction.aim::<V>(rows, here);
                trial.go::<V>(rows, here, E::one(), &direction.change);
                if !trial.square.is_finite() || trial.square > here.square * E::from_f64(REUSE_REDUCTION) {
                    break;
                }
                std::mem::swap(here, trial);
                iterations += 1;
                if here.residual <= tolerance {
                    break;
                }
            }
            if here.residual <= tolerance {
                break;
            }
            (iterations, left) = (iterations + 1, left - 1);
            direction.invert::<V>(rows, here);
            work += direction.work();
            direction.aim::<V>(rows, here);
            recent = [recent[1], recent[2], here.square];
            let most = recent[0].max(recent[1]).max(recent[2]);
            if !search::<V>(rows, here, trial, &direction.change, most) {
                break;
            }
        }
        let converged = here.residual <= tolerance;
        if converged {
            for (i, own) in lambda.iter_mut().enumerate() {
                *own = here.y[i] * rows.scale[i];
            }
        }
        work += iterations as f64 * (3 * problem.n * problem.n) as f64;
        NewtonOutcome { iterations, residual: here.residual, converged, work }
    }
}

/// Goes along `change` as far as ‖r‖ falls; tells whether it did.
#[inline(always)]
fn search<V: Real>(
    rows: &ScaledRows<V::Elem>,
    here: &mut Point<V::Elem>,
    trial: &mut Point<V::Elem>,
    change: &[V::Elem],
    most: V::Elem,
) -> bool {
    let mut share = V::Elem::one();
    for _ in 0..MAX_BACKTRACKS {
        trial.go::<V>(rows, here, share, change);
        // Armijo on ‖r‖², whose slope along Newton's direction is −2 ‖r‖²
        if trial.square <= most * share.neg_mul_add(V::Elem::from_f64(2e-4), V::Elem::one()) {
            std::mem::swap(here, trial);
            return true;
        }
        share *= V::Elem::from_f64(BACKTRACK_FACTOR);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (*seed >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
    }

    /// A c = −r with A = ∂r/∂w + ε: along Newton's direction r changes by −r − ε c, whatever rests, follows and slides.
    #[test]
    fn the_direction_takes_off_all_of_r() {
        let (mut seed, mut kinds) = (1, [0; 3]);
        for _ in 0..200 {
            let mut problem: DualProblem<f64> = DualProblem::with_capacity(12);
            let boxed = Cone::Box { low: -0.1, high: 0.1 };
            let contact = |rows| Cone::Coulomb { mu: 0.7, rows };
            for cone in [Cone::Nonnegative, boxed, contact(3), contact(4), contact(3)] {
                problem.push(cone);
            }
            problem.finish();
            let n = problem.rows();
            let a: Vec<Vec<f64>> = (0..n).map(|_| (0..n).map(|_| random(&mut seed)).collect()).collect();
            for i in 0..n {
                for j in 0..=i {
                    let own = if i == j { 0.1 } else { 0.0 };
                    problem.set(i, j, own + (0..n).map(|k| a[k][i] * a[k][j]).sum::<f64>());
                }
                problem.g_mut()[i] = random(&mut seed);
            }
            let mut lambda: Vec<f64> = (0..n).map(|_| 0.3 * random(&mut seed)).collect();
            for normal in [4, 8, 11] {
                lambda[normal] += 1.0 + 2.0 * random(&mut seed);
            }
            let mut newton = NewtonWorkspace::with_capacity(n);
            newton.prepare::<f64>(&problem);
            let NewtonWorkspace { rows, direction, here, trial } = &mut newton;
            here.start::<f64>(rows, &problem, &lambda);
            direction.invert::<f64>(rows, here);
            direction.aim::<f64>(rows, here);
            let h = 1e-7;
            trial.go::<f64>(rows, here, h, &direction.change);
            let size = direction.change.iter().fold(0.0_f64, |most, c| most.max(c.abs()));
            for i in 0..n {
                let left = (trial.r[i] - here.r[i]) / h + here.r[i];
                // ε c, and the curvature of sliding over h
                assert!(left.abs() < 1.1e-4 * size + 1e-4, "row {i}: {left} of {}", here.r[i]);
            }
            direction.count_kinds(&mut kinds);
        }
        assert!(kinds.iter().all(|count| *count > 20), "contacts at rest, within and sliding: {kinds:?}");
    }
}
