//! δq⁺ = −(G⁺)⁻¹ (G⁰ δq + G⁻ δq⁻ + c), a few columns at a time, with δq⁻ = A δq − Δt B δq̇; and δq̇⁺ = B⁻¹ (A δq⁺ − δq)/Δt.
//!
//! G⁺ is about the mass matrix: it is eliminated from the last freedom to the first without pivoting, and where no contact or loop
//! ties branches together only freedoms above each other meet.

use super::super::Turned;
use super::branches::Order;
use bellcrank_math::Real;

/// Columns that are solved for together: the factor is read once for all of them.
pub(super) const TILE: usize = 8;

/// What a column pushes by itself: freedom, column, impulse.
pub(super) type Control<R> = (usize, usize, R);

/// The equations of the independent freedoms.
pub(super) struct Equations<'a, R> {
    /// G before, at the start and at the end of the step, by row; the last one factored.
    pub G: &'a [Vec<R>; 3],
    pub order: &'a Order,
    /// Groups of rotations before the step, and after it.
    pub turned: [&'a [Turned<R>]; 2],
    /// By column among those of controls.
    pub controls: &'a [Control<R>],
    pub columns: usize,
    pub dt: R,
}

/// G⁺ = U L in place, U with ones on its diagonal, reciprocals on that of L.
#[inline(always)]
pub(super) fn factor<R: Real>(G: &mut [R], above: &[Vec<usize>]) {
    let n = above.len();
    for i in (0..n).rev() {
        let inverse = G[i * n + i].recip();
        G[i * n + i] = inverse;
        for &a in &above[i] {
            let share = G[a * n + i] * inverse;
            G[a * n + i] = share;
            for &c in &above[i] {
                G[a * n + c] = share.neg_mul_add(G[i * n + c], G[a * n + c]);
            }
        }
    }
}

/// y −= factor x
#[inline(always)]
fn subtract<R: Real>(y: &mut [R; TILE], factor: R, x: &[R; TILE]) {
    for c in 0..TILE {
        y[c] = factor.neg_mul_add(x[c], y[c]);
    }
}

impl<R: Real<Elem = f64>> Equations<'_, R> {
    /// Columns from `first` on: what the equations are short of, in `x`; which rows are not zero, in `some`.
    #[inline(always)]
    fn load(&self, first: usize, x: &mut [[R; TILE]], some: &mut [bool]) {
        let (n, back) = (self.order.above.len(), -self.dt);
        some.fill(false);
        x.fill([R::zero(); TILE]);
        for c in 0..TILE.min(self.columns - first) {
            let column = first + c;
            if column >= 2 * n {
                for (i, at, push) in self.controls {
                    if *at == column - 2 * n {
                        x[*i][c] -= *push;
                        some[*i] = true;
                    }
                }
                continue;
            }
            let (k, is_rate) = (column % n, column >= n);
            let mut group = None;
            for t in self.turned[0] {
                if k >= t.first && k < t.first + 3 {
                    group = Some(t);
                }
            }
            for &i in &self.order.meets[k] {
                some[i] = true;
                let before = match group {
                    Some(t) => {
                        let (M, row) = (if is_rate { t.B } else { t.A }, &self.G[0][i * n + t.first..]);
                        let at = k - t.first;
                        row[0] * M.entry(0, at) + row[1] * M.entry(1, at) + row[2] * M.entry(2, at)
                    }
                    None => self.G[0][i * n + k],
                };
                x[i][c] = if is_rate { -(before * back) } else { -(self.G[1][i * n + k] + before) };
            }
        }
    }

    /// Solves for the columns at hand.
    #[inline(always)]
    fn solve(&self, x: &mut [[R; TILE]], some: &mut [bool]) {
        let n = self.order.above.len();
        for i in (0..n).rev() {
            if some[i] {
                let own = x[i];
                for &a in &self.order.above[i] {
                    some[a] = true;
                    subtract(&mut x[a], self.G[2][a * n + i], &own);
                }
            }
        }
        for i in 0..n {
            let mut sum = x[i];
            for &a in &self.order.above[i] {
                subtract(&mut sum, self.G[2][i * n + a], &x[a]);
            }
            let inverse = self.G[2][i * n + i];
            for c in 0..TILE {
                x[i][c] = sum[c] * inverse;
            }
        }
    }

    /// Columns from `first` on of all worlds: rows δq⁺, then δq̇⁺.
    #[inline(always)]
    pub fn write(&self, first: usize, x: &mut [[R; TILE]], some: &mut [bool], out: &mut [Vec<f64>]) {
        self.load(first, x, some);
        self.solve(x, some);
        let (n, inverse_dt) = (self.order.above.len(), self.dt.recip());
        for i in 0..n {
            self.store(x[i], i, first, out);
            let mut rate = x[i];
            if i >= first && i < first + TILE {
                rate[i - first] -= R::one();
            }
            for c in 0..TILE {
                rate[c] *= inverse_dt;
            }
            self.store(rate, n + i, first, out);
        }
        for t in self.turned[1] {
            let (inverse, mut open) = (t.B.inverse() * inverse_dt, [[R::zero(); TILE]; 3]);
            for i in 0..3 {
                for k in 0..3 {
                    subtract(&mut open[i], -t.A.entry(i, k), &x[t.first + k]);
                }
                let own = t.first + i;
                if own >= first && own < first + TILE {
                    open[i][own - first] -= R::one();
                }
            }
            for i in 0..3 {
                let mut rate = [R::zero(); TILE];
                for k in 0..3 {
                    subtract(&mut rate, -inverse.entry(i, k), &open[k]);
                }
                self.store(rate, n + t.first + i, first, out);
            }
        }
    }

    /// Numbers that stand next to each other in every world's list.
    #[inline(always)]
    fn store(&self, mut tile: [R; TILE], row: usize, first: usize, out: &mut [Vec<f64>]) {
        let (at, wide) = (row * self.columns + first, TILE.min(self.columns - first));
        if R::LANES == TILE {
            R::transpose(&mut tile);
            for (x, out) in tile.iter().zip(out) {
                x.store(&mut out[at..at + wide]);
            }
        } else {
            for (lane, out) in out.iter_mut().enumerate() {
                for c in 0..wide {
                    out[at + c] = tile[c].lane(lane);
                }
            }
        }
    }
}
