//! r(w), and what comes with it.

use super::rows::{BodyRows, ConeRows, Law};
use crate::body_space::BodySpace;
use crate::cone::MOST_ROWS;
use crate::delassus::Delassus;
use crate::newton::push_from_outside;
use crate::problem::DualProblem;
use bellcrank_math::Elem;

/// w with y = Π_K(w) and r.
#[derive(Clone, Debug, Default)]
pub(super) struct Point<E> {
    pub w: Vec<E>,
    pub y: Vec<E>,
    pub r: Vec<E>,
    /// P⁻¹ G̃ (y − y₀)
    pub product: Vec<E>,
    /// ‖r‖²
    pub square: E,
    /// ‖P⁻¹ r‖∞ [m/s]; infinite where r is not finite.
    pub residual: E,
}

impl<E: Elem> Point<E> {
    pub fn resize(&mut self, rows: usize) {
        for list in [&mut self.w, &mut self.y, &mut self.r, &mut self.product] {
            list.resize(rows, E::zero());
        }
    }

    /// w = y₀ − z, with y₀ from the reactions and z from the velocities v that go with them: see [`crate::newton`].
    #[inline(always)]
    pub fn start(
        &mut self,
        rows: &mut BodyRows<E>,
        problem: &DualProblem<E>,
        lambda: &[E],
        space: &mut BodySpace<'_, E>,
    ) {
        for i in 0..lambda.len() {
            rows.first[i] = lambda[i] * rows.inverse_scale[i];
            rows.velocity[i] = problem.g[i] * rows.scale[i];
        }
        for cone in &rows.cones {
            let (first, n) = (cone.first, cone.count - 1);
            match cone.law {
                Law::Within { low, high } => {
                    let (y, v) = (rows.first[first], rows.velocity[first]);
                    self.w[first] = if y <= low || y >= high { y - v } else { y };
                }
                Law::Contact { mu } => {
                    let mut square = E::zero();
                    for i in first..first + n {
                        square = rows.velocity[i].mul_add(rows.velocity[i], square);
                        self.w[i] = rows.first[i] - rows.velocity[i];
                    }
                    let apart = rows.velocity[first + n].max(E::zero());
                    self.w[first + n] = rows.first[first + n] - mu.mul_add(square.sqrt(), apart);
                }
            }
        }
        self.evaluate(rows, space);
    }

    /// w ← that of another point and a share of a change.
    #[inline(always)]
    pub fn go(
        &mut self,
        rows: &mut BodyRows<E>,
        from: &Self,
        (share, change): (E, &[E]),
        space: &mut BodySpace<'_, E>,
    ) {
        for i in 0..change.len() {
            self.w[i] = share.mul_add(change[i], from.w[i]);
        }
        self.evaluate(rows, space);
    }

    /// y, r = P v + G̃ (y − y₀) + s(z) − z and its size at w.
    #[inline(always)]
    fn evaluate(&mut self, rows: &mut BodyRows<E>, space: &mut BodySpace<'_, E>) {
        for cone in &rows.cones {
            match cone.count {
                1 => self.push_single(rows, cone),
                3 => self.push::<3>(rows, cone),
                4 => self.push::<4>(rows, cone),
                _ => self.push::<MOST_ROWS>(rows, cone),
            }
        }
        for i in 0..self.y.len() {
            rows.pushed[i] = (self.y[i] - rows.first[i]) * rows.scale[i];
        }
        space.times(&rows.pushed, &mut self.product);
        let (mut worst, mut square) = (E::zero(), E::zero());
        for i in 0..self.r.len() {
            self.r[i] = self.product[i].mul_add(rows.scale[i], self.r[i]);
            square = self.r[i].mul_add(self.r[i], square);
            worst = worst.max((self.r[i] * rows.inverse_scale[i]).abs());
        }
        self.square = square;
        self.residual = if square.is_finite() { worst } else { E::from_f64(f64::INFINITY) };
    }

    /// y and P v − z of a row between bounds.
    #[inline(always)]
    fn push_single(&mut self, rows: &BodyRows<E>, cone: &ConeRows<E>) {
        let Law::Within { low, high } = cone.law else { return };
        let (i, w) = (cone.first, self.w[cone.first]);
        self.y[i] = w.clamp(low, high);
        self.r[i] = rows.velocity[i] - (self.y[i] - w);
    }

    /// y and P v + s(z) − z of one contact, by cases.
    #[inline(always)]
    fn push<const N: usize>(&mut self, rows: &BodyRows<E>, cone: &ConeRows<E>) {
        let Law::Contact { mu } = cone.law else { return };
        let (n, mut square, at) = (N - 1, E::zero(), cone.first..cone.first + N);
        let (w, v) = (&self.w[at.clone()], &rows.velocity[at.clone()]);
        let (y, r) = (&mut self.y[at.clone()], &mut self.r[at]);
        for k in 0..n {
            square = w[k].mul_add(w[k], square);
        }
        let length = square.sqrt();
        if length <= mu * w[n] {
            // within the cone: y = w and z = 0
            y.copy_from_slice(w);
            r.copy_from_slice(v);
            return;
        }
        push_from_outside(mu, length, (w, v), (y, r));
    }
}
