//! r(w), and what comes with it.

use super::{ScaledRows, push_from_outside};
use crate::cone::MOST_ROWS;
use crate::problem::DualProblem;
use crate::simd_rows::{add_rows, part, put_part};
use bellcrank_math::{Elem, Mask, Real};

/// w with y = Π_K(w) and r.
#[derive(Clone, Debug, Default)]
pub(super) struct Point<E> {
    pub w: Vec<E>,
    pub y: Vec<E>,
    pub r: Vec<E>,
    /// y − y₀
    more: Vec<E>,
    /// ‖r‖²
    pub square: E,
    /// ‖P⁻¹ r‖∞ [m/s]; infinite where r is not finite.
    pub residual: E,
}

impl<E: Elem> Point<E> {
    pub fn with_capacity(rows: usize) -> Self {
        let room = || Vec::with_capacity(crate::simd_rows::padded::<E>(rows));
        Point { w: room(), y: room(), r: room(), more: room(), square: E::zero(), residual: E::zero() }
    }

    /// For rows of this length.
    #[inline(always)]
    pub fn resize(&mut self, length: usize) {
        for list in [&mut self.w, &mut self.y, &mut self.r, &mut self.more] {
            list.resize(length, E::zero());
        }
    }

    /// w = y₀ − z, with y₀ from the reactions and z from the velocities v that go with them; sets y₀ and P v.
    ///
    /// A row that reacts with its bound has z = v. Where v points into the bound, w is beyond it: the row moves at once. A
    /// contact has z = (v_t, max(v_n, 0) + μ‖v_t‖), which its dual cone allows. On recorded steps this needs the fewest Newton
    /// steps of those that were tried, and fails the least.
    #[inline(always)]
    pub fn start<V: Real<Elem = E>>(
        &mut self,
        rows: &mut ScaledRows<E>,
        problem: &DualProblem<E>,
        lambda: &[E],
    ) {
        for c in 0..self.w.len() / V::LANES {
            let at = (c * V::LANES).min(lambda.len());
            let y = V::load(&lambda[at..]) * part(&rows.inverse_scale, c);
            let v = part::<V>(&problem.g, c) * part(&rows.scale, c);
            let at_bound = y.le(part(&rows.low, c)) | y.ge(part(&rows.high, c));
            put_part(y - V::select(at_bound, v, V::zero()), &mut self.w, c);
            put_part(y, &mut rows.first, c);
            put_part(v, &mut rows.velocity, c);
        }
        for contact in &rows.contacts {
            let at = contact.first..contact.first + contact.count;
            let (w, v, n) = (&mut self.w[at.clone()], &rows.velocity[at], contact.count - 1);
            let mut square = E::zero();
            for k in 0..n {
                square = v[k].mul_add(v[k], square);
                w[k] -= v[k];
            }
            w[n] -= contact.mu.mul_add(square.sqrt(), v[n].max(E::zero()));
        }
        self.evaluate::<V>(rows);
    }

    /// w ← that of another point and a share of a change.
    #[inline(always)]
    pub fn go<V: Real<Elem = E>>(&mut self, rows: &ScaledRows<E>, from: &Self, share: E, change: &[E]) {
        let share = V::splat(share);
        for c in 0..self.w.len() / V::LANES {
            put_part(share.mul_add(part(change, c), part(&from.w, c)), &mut self.w, c);
        }
        self.evaluate::<V>(rows);
    }

    /// y, r = P v + G̃ (y − y₀) + s(z) − z and its size at w.
    #[inline(always)]
    fn evaluate<V: Real<Elem = E>>(&mut self, rows: &ScaledRows<E>) {
        let vectors = self.w.len() / V::LANES;
        for c in 0..vectors {
            let w: V = part(&self.w, c);
            let y = w.clamp(part(&rows.low, c), part(&rows.high, c));
            put_part(y, &mut self.y, c);
            put_part(part::<V>(&rows.velocity, c) - (y - w), &mut self.r, c);
        }
        for contact in &rows.contacts {
            match contact.count {
                3 => self.push::<3>(rows, contact.first, contact.mu),
                4 => self.push::<4>(rows, contact.first, contact.mu),
                _ => self.push::<MOST_ROWS>(rows, contact.first, contact.mu),
            }
        }
        let mut same = V::Mask::splat(true);
        for c in 0..vectors {
            let more = part::<V>(&self.y, c) - part(&rows.first, c);
            same = same & more.abs().le(V::zero());
            put_part(more, &mut self.more, c);
        }
        if !same.all() {
            add_rows::<V>(&mut self.r, &self.more, &rows.every, &rows.matrix);
        }
        let (mut worst, mut finite) = (V::zero(), V::Mask::splat(true));
        for c in 0..vectors {
            let r: V = part(&self.r, c);
            worst = worst.max((r * part(&rows.inverse_scale, c)).abs());
            finite = finite & r.is_finite();
        }
        self.residual = if finite.all() { largest_lane(worst) } else { E::from_f64(f64::INFINITY) };
        let mut square = [E::zero(); 4]; // four sums, so that they need not wait for each other
        for four in self.r.chunks_exact(4) {
            for k in 0..4 {
                square[k] = four[k].mul_add(four[k], square[k]);
            }
        }
        self.square = (square[0] + square[1]) + (square[2] + square[3]);
    }

    /// y and P v + s(z) − z of one contact; as [`crate::project`], by cases.
    #[inline(always)]
    fn push<const N: usize>(&mut self, rows: &ScaledRows<E>, first: usize, mu: E) {
        let (n, mut square) = (N - 1, E::zero());
        let (w, v) = (&self.w[first..first + N], &rows.velocity[first..first + N]);
        let (y, r) = (&mut self.y[first..first + N], &mut self.r[first..first + N]);
        for k in 0..n {
            square = w[k].mul_add(w[k], square);
        }
        let reach = mu * w[n];
        if w[n] >= E::zero() && square <= reach * reach {
            // within the cone: y = w and z = 0, as they are for rows without bounds
            return;
        }
        let length = square.sqrt();
        push_from_outside(mu, length, (w, v), (y, r));
    }
}

/// The largest number of a vector.
#[inline(always)]
fn largest_lane<V: Real>(v: V) -> V::Elem {
    let mut numbers = [V::Elem::zero(); 16];
    v.store(&mut numbers[..V::LANES]);
    let mut half = 8;
    while half > 0 {
        for k in 0..half {
            numbers[k] = numbers[k].max(numbers[k + half]);
        }
        half /= 2;
    }
    numbers[0]
}
