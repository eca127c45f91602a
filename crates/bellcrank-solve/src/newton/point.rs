//! r(w), and what comes with it.

use super::ScaledRows;
use crate::cone::{MOST_ROWS, project};
use crate::problem::DualProblem;
use crate::wide::{add_rows, part, put_part};
use bellcrank_math::{Elem, Mask, Real};

/// w with y = Π_K(w) and r.
#[derive(Clone, Debug, Default)]
pub(super) struct Point<E> {
    pub w: Vec<E>,
    pub y: Vec<E>,
    pub r: Vec<E>,
    /// ‖r‖²
    pub square: E,
    /// ‖P⁻¹ r‖∞ [m/s]; infinite where r is not finite.
    pub residual: E,
}

impl<E: Elem> Point<E> {
    pub fn with_capacity(rows: usize) -> Self {
        let room = || Vec::with_capacity(crate::wide::padded::<E>(rows));
        Point { w: room(), y: room(), r: room(), square: E::zero(), residual: E::zero() }
    }

    /// For rows of this length.
    #[inline(always)]
    pub fn resize(&mut self, length: usize) {
        for list in [&mut self.w, &mut self.y, &mut self.r] {
            list.resize(length, E::zero());
        }
    }

    /// w = y − z, with y from the reactions and z the velocities that go with them, made feasible; sets g̃.
    #[inline(always)]
    pub fn start<V: Real<Elem = E>>(
        &mut self,
        rows: &mut ScaledRows<E>,
        problem: &DualProblem<E>,
        lambda: &[E],
    ) {
        let zero = V::zero();
        for c in 0..self.w.len() / V::LANES {
            let at = (c * V::LANES).min(lambda.len());
            let y = V::load(&lambda[at..]) * part(&rows.inverse_scale, c);
            let v = part::<V>(&problem.g, c) * part(&rows.scale, c);
            let (low, high) = (part(&rows.low, c), part(&rows.high, c));
            // a velocity may push only against the bound that is reached
            let down = V::select(y.ge(high), v.min(zero), zero);
            let z = V::select(y.le(low), v.max(zero), down);
            put_part(y - z, &mut self.w, c);
            put_part(y, &mut self.y, c);
            put_part(v, &mut rows.base, c);
            put_part(-y, &mut self.r, c);
        }
        for contact in &rows.contacts {
            let at = contact.first..contact.first + contact.count;
            let mut z = [E::zero(); MOST_ROWS];
            let (v, n) = (&rows.base[at.clone()], contact.count - 1);
            let mut square = E::zero();
            for k in 0..n {
                (z[k], square) = (v[k], v[k].mul_add(v[k], square));
            }
            // with De Saxcé's correction, onto the dual cone
            z[n] = contact.mu.mul_add(square.sqrt(), v[n]);
            project_dual(contact.mu, &mut z[..contact.count]);
            for (k, w) in self.w[at].iter_mut().enumerate() {
                *w -= z[k];
            }
        }
        add_rows::<V>(&mut rows.base, &self.r, &rows.every, &rows.matrix); // g̃ = P v − G̃ y
        self.evaluate::<V>(rows);
    }

    /// w ← that of another point and a share of a change.
    #[inline(always)]
    pub fn go<V: Real<Elem = E>>(&mut self, rows: &ScaledRows<E>, from: &Self, (share, change): (E, &[E])) {
        let share = V::splat(share);
        for c in 0..self.w.len() / V::LANES {
            put_part(share.mul_add(part(change, c), part(&from.w, c)), &mut self.w, c);
        }
        self.evaluate::<V>(rows);
    }

    /// y, r and its size at w.
    #[inline(always)]
    fn evaluate<V: Real<Elem = E>>(&mut self, rows: &ScaledRows<E>) {
        let vectors = self.w.len() / V::LANES;
        for c in 0..vectors {
            let w: V = part(&self.w, c);
            let y = w.clamp(part(&rows.low, c), part(&rows.high, c));
            put_part(y, &mut self.y, c);
            put_part(part::<V>(&rows.base, c) - (y - w), &mut self.r, c);
        }
        for contact in &rows.contacts {
            match contact.count {
                3 => self.push::<3>(rows, contact.first, contact.mu),
                4 => self.push::<4>(rows, contact.first, contact.mu),
                _ => self.push::<MOST_ROWS>(rows, contact.first, contact.mu),
            }
        }
        add_rows::<V>(&mut self.r, &self.y, &rows.every, &rows.matrix);
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

    /// y and r − G̃ y of one contact.
    #[inline(always)]
    fn push<const N: usize>(&mut self, rows: &ScaledRows<E>, first: usize, mu: E) {
        let mut w = [E::zero(); N];
        for k in 0..N {
            w[k] = self.w[first + k];
        }
        let (y, mut square) = (project(mu, w), E::zero());
        for k in 0..N {
            let z = y[k] - w[k];
            if k < N - 1 {
                square = z.mul_add(z, square);
            }
            (self.y[first + k], self.r[first + k]) = (y[k], rows.base[first + k] - z);
        }
        self.r[first + N - 1] = mu.mul_add(square.sqrt(), self.r[first + N - 1]);
    }
}

/// Onto the dual of Coulomb's cone.
#[inline(always)]
fn project_dual<E: Elem>(mu: E, v: &mut [E]) {
    use crate::cone::project_dual as dual;
    match *v {
        [a, b, c] => v.copy_from_slice(&dual(mu, [a, b, c])),
        [a, b, c, d] => v.copy_from_slice(&dual(mu, [a, b, c, d])),
        [a, b, c, d, e, f] => v.copy_from_slice(&dual(mu, [a, b, c, d, e, f])),
        _ => {}
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
