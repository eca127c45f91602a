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
//! Cones at rest (apart, or at a bound) have D = 0: their columns of A are those of the unit matrix, but for the slip of a
//! contact. What moves is solved for alone, and what rests follows from it. Worlds differ in what moves and in how many
//! steps they need, so this is done world by world, in vectors of neighbouring rows ([`crate::wide`]).

mod pieces;

use crate::cone::MOST_ROWS;
use crate::problem::DualProblem;
use crate::wide::{add_rows, add_times, invert};
use bellcrank_math::{Elem, Real};
use pieces::Piece;

/// Memory of a solve; may be thrown away at any time.
#[derive(Clone, Debug, Default)]
pub struct NewtonWorkspace<E> {
    /// By row, up to the length of a row of the matrix.
    scale: Vec<E>,
    /// P G P by rows.
    scaled: Vec<E>,
    /// g̃
    base: Vec<E>,
    /// By cone, where the inverse was made.
    pieces: Vec<Piece<E>>,
    /// Rows that move there: those of the inverse.
    moving: Vec<u16>,
    /// The inverse of A's part that moves, transposed, by rows.
    inverse: Vec<E>,
    /// Zeros and a one.
    unit: Vec<E>,
    /// Whether the inverse belongs to this G.
    known: bool,
    w: Vec<E>,
    r: Vec<E>,
    /// The step in w.
    change: Vec<E>,
    trial: Trial<E>,
    /// Factors of rows, and which rows.
    amount: Vec<E>,
    rows: Vec<u16>,
    scratch: Vec<E>,
}

/// y, z and r at some w.
#[derive(Clone, Debug, Default)]
struct Trial<E> {
    w: Vec<E>,
    y: Vec<E>,
    z: Vec<E>,
    r: Vec<E>,
}

/// How it ended.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NewtonOutcome<E> {
    pub iterations: usize,
    /// ‖r‖∞ [m/s]
    pub residual: E,
    pub converged: bool,
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
/// Steps with a known inverse between two new ones, at most,
const FOLLOWED: usize = 3;
/// as long as each makes ‖r‖² that much smaller.
const CLEARLY: f64 = 0.1;

impl<E: Elem> NewtonWorkspace<E> {
    /// Room for problems of up to `rows` rows.
    pub(crate) fn with_capacity(rows: usize) -> Self {
        let room = || Vec::with_capacity(crate::wide::padded::<E>(rows));
        let square = || Vec::with_capacity(rows * crate::wide::padded::<E>(rows));
        NewtonWorkspace {
            scale: room(),
            scaled: square(),
            base: room(),
            pieces: Vec::with_capacity(rows),
            moving: Vec::with_capacity(rows),
            inverse: square(),
            unit: Vec::with_capacity(2 * crate::wide::padded::<E>(rows)),
            known: false,
            w: room(),
            r: room(),
            change: room(),
            trial: Trial { w: room(), y: room(), z: room(), r: room() },
            amount: room(),
            rows: Vec::with_capacity(rows),
            scratch: room(),
        }
    }

    /// Takes the matrix of a problem whose rows are scaled by P.
    #[inline(always)]
    pub(crate) fn prepare<V: Real<Elem = E>>(&mut self, problem: &DualProblem<E>, scale: &[E]) {
        let (n, length) = (problem.n, problem.stride);
        self.known = false;
        self.scale.clear();
        self.scale.extend_from_slice(scale);
        self.scale.resize(length, E::zero());
        self.scaled.resize(n * length, E::zero()); // all of it is written
        for i in 0..n {
            let own = V::splat(scale[i]);
            let from = problem.matrix[i * length..][..length].chunks_exact(V::LANES);
            let to = self.scaled[i * length..][..length].chunks_exact_mut(V::LANES);
            for ((to, from), p) in to.zip(from).zip(self.scale.chunks_exact(V::LANES)) {
                (V::load(from) * (own * V::load(p))).store(to);
            }
        }
        if self.unit.len() < 2 * length {
            self.unit.clear();
            self.unit.resize(2 * length, E::zero());
            self.unit[length] = E::one();
        }
    }

    /// From the reactions in `lambda`, which it replaces where it converges.
    #[inline(always)]
    pub(crate) fn solve<V: Real<Elem = E>>(
        &mut self,
        problem: &DualProblem<E>,
        (tolerance, steps): (E, usize),
        lambda: &mut [E],
    ) -> NewtonOutcome<E> {
        self.start::<V>(problem, lambda);
        let mut merit = self.evaluate::<V>(problem);
        self.accept();
        let (mut residual, mut iterations) = (self.largest(merit), 0);
        let mut recent = [merit; MEMORY];
        let mut left = steps;
        while residual > tolerance && left > 0 {
            if self.follow::<V>(problem, tolerance, (&mut merit, &mut residual), &mut iterations) {
                break;
            }
            (iterations, left) = (iterations + 1, left - 1);
            self.invert::<V>(problem);
            self.aim::<V>(problem);
            recent = [recent[1], recent[2], merit];
            let most = recent[0].max(recent[1]).max(recent[2]);
            match self.search::<V>(problem, most) {
                Some(now) => merit = now,
                None => break,
            }
            residual = self.largest(merit);
        }
        let converged = residual <= tolerance;
        if converged {
            std::mem::swap(&mut self.trial.w, &mut self.w);
            self.project(problem);
            for (i, own) in lambda.iter_mut().enumerate() {
                *own = self.trial.y[i] * self.scale[i];
            }
        }
        NewtonOutcome { iterations, residual, converged }
    }

    /// w = y − z, with the velocities that the reactions leave, made feasible.
    #[inline(always)]
    fn start<V: Real<Elem = E>>(&mut self, problem: &DualProblem<E>, lambda: &[E]) {
        let (n, length, zero) = (problem.n, problem.stride, E::zero());
        let Trial { w, y, z, r } = &mut self.trial;
        for list in
            [&mut self.base, &mut self.w, &mut self.r, &mut self.change, &mut self.scratch, w, y, z, r]
        {
            list.resize(length, zero);
        }
        // scratch ← g + G λ
        self.scratch.copy_from_slice(&problem.g);
        add_rows::<V>(
            &mut self.scratch,
            lambda,
            #[inline(always)]
            |k| k,
            &problem.matrix,
        );
        let mut i = 0;
        for cone in &problem.cones {
            let (rows, p) = (cone.rows(), self.scale[i]);
            let mut v = [zero; MOST_ROWS];
            v[..rows].copy_from_slice(&self.scratch[i..i + rows]);
            cone.add_slip(&mut v[..rows]);
            cone.project_velocity(lambda[i], &mut v);
            for k in 0..rows {
                self.trial.w[i + k] = (v[k] * p).neg_mul_add(E::one(), lambda[i + k] / p);
                self.base[i + k] = problem.g[i + k] * p;
            }
            i += rows;
        }
        for list in [&mut self.trial.w, &mut self.trial.z, &mut self.trial.y, &mut self.base] {
            list[n..].fill(zero);
        }
    }

    /// Steps with the known inverse, each taken where it makes ‖r‖ clearly smaller: where the same pieces of r hold as
    /// then, it is nearly Newton's, for a fraction of the work. Tells whether that was all.
    #[inline(always)]
    fn follow<V: Real<Elem = E>>(
        &mut self,
        problem: &DualProblem<E>,
        tolerance: E,
        (merit, residual): (&mut E, &mut E),
        iterations: &mut usize,
    ) -> bool {
        for _ in 0..FOLLOWED {
            if !self.known {
                break;
            }
            self.aim::<V>(problem);
            self.go::<V>(E::one());
            let now = self.evaluate::<V>(problem);
            if !now.is_finite() || now > *merit * E::from_f64(CLEARLY) {
                break;
            }
            self.accept();
            *iterations += 1;
            (*merit, *residual) = (now, self.largest(now));
            if *residual <= tolerance {
                return true;
            }
        }
        false
    }

    /// The inverse of A where it moves, at w.
    #[inline(always)]
    fn invert<V: Real<Elem = E>>(&mut self, problem: &DualProblem<E>) {
        let length = problem.stride;
        self.inverse.resize(problem.n * length, E::zero());
        self.moving.clear();
        self.pieces.clear();
        let (soft, mut j) = (E::from_f64(SOFTNESS), 0);
        for cone in &problem.cones {
            let rows = cone.rows();
            let piece = Piece::of(cone, self.scale[j], &self.w[j..j + rows]);
            for c in 0..if matches!(piece, Piece::Rests { .. }) { 0 } else { rows } {
                // column j + c of A as a row
                let row = &mut self.inverse[self.moving.len() * length..][..length];
                if let Piece::Slides { D, E } = &piece {
                    row.fill(E::zero());
                    for k in 0..rows {
                        add_times::<V>(row, D[k][c], &self.scaled[(j + k) * length..][..length]);
                    }
                    for k in 0..rows {
                        row[j + k] += E[k][c];
                    }
                } else {
                    row.copy_from_slice(&self.scaled[(j + c) * length..][..length]);
                }
                row[j + c] += soft;
                self.moving.push((j + c) as u16);
            }
            self.pieces.push(piece);
            j += rows;
        }
        invert::<V>(&mut self.inverse, &self.moving, &self.unit, &mut self.scratch);
        self.known = true;
    }

    /// change ← −A⁻¹ r: what moves first, then what rests.
    #[inline(always)]
    fn aim<V: Real<Elem = E>>(&mut self, problem: &DualProblem<E>) {
        let zero = E::zero();
        self.amount.clear();
        for i in &self.moving {
            self.amount.push(-self.r[*i as usize]);
        }
        self.change.fill(zero);
        add_rows::<V>(
            &mut self.change,
            &self.amount,
            #[inline(always)]
            |k| k,
            &self.inverse,
        );
        // G̃ D c, which what rests sees of it
        self.amount.clear();
        let mut j = 0;
        for (cone, piece) in problem.cones.iter().zip(&self.pieces) {
            let rows = cone.rows();
            let own = &self.change[j..j + rows];
            match piece {
                Piece::Rests { .. } => {}
                Piece::Follows => self.amount.extend_from_slice(own),
                Piece::Slides { D, .. } => {
                    for k in 0..rows {
                        let mut sum = D[k][0] * own[0];
                        for c in 1..rows {
                            sum = D[k][c].mul_add(own[c], sum);
                        }
                        self.amount.push(sum);
                    }
                }
            }
            j += rows;
        }
        self.scratch.copy_from_slice(&self.r);
        add_rows::<V>(
            &mut self.scratch,
            &self.amount,
            #[inline(always)]
            |k: usize| self.moving[k] as usize,
            &self.scaled,
        );
        let mut j = 0;
        for (cone, piece) in problem.cones.iter().zip(&self.pieces) {
            let rows = cone.rows();
            if let Piece::Rests { slip } = piece {
                let mut slipped = zero;
                for k in 0..rows {
                    self.change[j + k] = -self.scratch[j + k];
                    slipped = slip[k].mul_add(self.change[j + k], slipped);
                }
                self.change[j + rows - 1] -= slipped; // slip has nothing in its last entry
            }
            j += rows;
        }
    }

    /// The trial's w ← w + share · change.
    #[inline(always)]
    fn go<V: Real<Elem = E>>(&mut self, share: E) {
        self.trial.w.copy_from_slice(&self.w);
        add_times::<V>(&mut self.trial.w, share, &self.change);
    }

    /// Goes along `change` as far as ‖r‖ falls; gives ‖r‖² there, or nothing if it never did.
    #[inline(always)]
    fn search<V: Real<Elem = E>>(&mut self, problem: &DualProblem<E>, most: E) -> Option<E> {
        let mut share = E::one();
        for _ in 0..SHORTENED {
            self.go::<V>(share);
            let now = self.evaluate::<V>(problem);
            // Armijo on ‖r‖², whose slope along Newton's direction is −2 ‖r‖²
            if now <= most * share.neg_mul_add(E::from_f64(2e-4), E::one()) {
                self.accept();
                return Some(now);
            }
            share *= E::from_f64(SHORTER);
        }
        None
    }

    /// The trial is where we are.
    #[inline(always)]
    fn accept(&mut self) {
        std::mem::swap(&mut self.w, &mut self.trial.w);
        std::mem::swap(&mut self.r, &mut self.trial.r);
    }

    /// y, z and r − G̃ y at the trial's w.
    #[inline(always)]
    fn project(&mut self, problem: &DualProblem<E>) {
        let Trial { w, y, z, r } = &mut self.trial;
        let mut i = 0;
        for cone in &problem.cones {
            let rows = cone.rows();
            let mut own = [E::zero(); MOST_ROWS];
            own[..rows].copy_from_slice(&w[i..i + rows]);
            cone.project(self.scale[i], &mut own);
            for k in 0..rows {
                y[i + k] = own[k];
                z[i + k] = own[k] - w[i + k];
                r[i + k] = self.base[i + k] - z[i + k];
            }
            let mut slip = [E::zero(); MOST_ROWS];
            slip[..rows - 1].copy_from_slice(&z[i..i + rows - 1]);
            cone.add_slip(&mut slip[..rows]);
            r[i + rows - 1] += slip[rows - 1];
            i += rows;
        }
        r[i..].fill(E::zero());
    }

    /// y, z and r at the trial's w; gives ‖r‖².
    #[inline(always)]
    fn evaluate<V: Real<Elem = E>>(&mut self, problem: &DualProblem<E>) -> E {
        self.project(problem);
        self.amount.clear();
        self.rows.clear();
        for (i, y) in self.trial.y[..problem.n].iter().enumerate() {
            if *y != E::zero() {
                self.amount.push(*y);
                self.rows.push(i as u16);
            }
        }
        add_rows::<V>(
            &mut self.trial.r,
            &self.amount,
            #[inline(always)]
            |k: usize| self.rows[k] as usize,
            &self.scaled,
        );
        let mut square = [E::zero(); 4]; // four sums, so that they need not wait for each other
        for four in self.trial.r.chunks_exact(4) {
            for k in 0..4 {
                square[k] = four[k].mul_add(four[k], square[k]);
            }
        }
        (square[0] + square[1]) + (square[2] + square[3])
    }

    /// ‖P⁻¹ r‖∞ [m/s], or not finite where ‖r‖² is not.
    #[inline(always)]
    fn largest(&self, merit: E) -> E {
        let mut worst = E::zero();
        for (r, p) in self.r.iter().zip(&self.scale) {
            if *p > E::zero() {
                worst = worst.max((*r / *p).abs());
            }
        }
        if merit.is_finite() { worst } else { merit }
    }
}
