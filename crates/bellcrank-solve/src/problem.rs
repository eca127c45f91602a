//! The dual problem of the rows that have cones.
//!
//! Find reactions λ [N·s] with K ∋ λ ⟂ G λ + g + Γ ∈ K*, where G = J H⁻¹ Jᵀ + R is dense and small because all
//! other rows are already eliminated in H, g is the velocity of the rows without λ plus their bias, and Γ is De Saxcé's
//! correction μ‖v_t‖ on the normal of each contact ([Kamino] Eq. 8).

use crate::cone::Cone;
use crate::simd_rows::padded;
use bellcrank_math::{Elem, Real};

/// G, g and the cones of rows that act.
#[derive(Clone, Debug, Default)]
pub struct DualProblem<R> {
    /// Number of rows.
    pub(crate) n: usize,
    /// Length of a row of G: n, or more so that whole vectors fit in when it is the problem of one world.
    pub(crate) stride: usize,
    /// G by rows, zero behind the n-th column.
    pub(crate) matrix: Vec<R>,
    /// Velocities and bias [m/s or rad/s], without reactions or, for [`crate::Padmm::solve`], with those that it starts from; as
    /// long as a row of G.
    pub(crate) g: Vec<R>,
    /// In the order of the rows.
    pub(crate) cones: Vec<Cone<R>>,
}

impl<R: Real> DualProblem<R> {
    /// Room for problems of up to `rows` rows, so that a step need not allocate.
    pub fn with_capacity(rows: usize) -> Self {
        DualProblem {
            n: 0,
            stride: 0,
            matrix: Vec::with_capacity(rows * row_length::<R>(rows)),
            g: Vec::with_capacity(row_length::<R>(rows)),
            cones: Vec::with_capacity(rows),
        }
    }

    /// Starts a new problem.
    #[inline(always)]
    pub fn clear(&mut self) {
        self.n = 0;
        self.g.clear();
        self.cones.clear();
    }

    /// Adds a group of rows; their entries are set afterwards.
    #[inline(always)]
    pub fn push(&mut self, cone: Cone<R>) {
        self.n += cone.rows();
        self.cones.push(cone);
    }

    /// All cones are known: makes room for G and g, of which every entry is to be set.
    #[inline(always)]
    pub fn finish(&mut self) {
        self.stride = row_length::<R>(self.n);
        self.matrix.resize(self.n * self.stride, R::zero());
        for row in self.matrix.chunks_exact_mut(self.stride.max(1)) {
            row[self.n..].fill(R::zero());
        }
        self.g.clear();
        self.g.resize(self.stride, R::zero());
    }

    /// The same without G, for solvers that never look at it.
    #[inline(always)]
    pub fn finish_without_matrix(&mut self) {
        self.stride = self.n;
        self.matrix.clear();
        self.g.resize(self.n, R::zero());
    }

    /// Number of rows.
    #[inline(always)]
    pub fn rows(&self) -> usize {
        self.n
    }

    /// Sets G at (i, j) and (j, i).
    #[inline(always)]
    pub fn set(&mut self, i: usize, j: usize, value: R) {
        self.matrix[i * self.stride + j] = value;
        self.matrix[j * self.stride + i] = value;
    }

    /// Sets G at `rows` rows from i on and `columns` columns from j on, and the other way round.
    #[inline(always)]
    pub fn set_block(
        &mut self,
        (i, rows): (usize, usize),
        (j, columns): (usize, usize),
        entry: impl Fn(usize, usize) -> R,
    ) {
        for r in 0..rows {
            let row = &mut self.matrix[(i + r) * self.stride + j..][..columns];
            for s in 0..columns {
                row[s] = entry(r, s);
            }
        }
        for s in 0..columns {
            let row = &mut self.matrix[(j + s) * self.stride + i..][..rows];
            for r in 0..rows {
                row[r] = entry(r, s);
            }
        }
    }

    /// In the order of the rows.
    #[inline(always)]
    pub fn cones(&self) -> &[Cone<R>] {
        &self.cones
    }

    /// G at (i, j).
    #[inline(always)]
    pub fn get(&self, i: usize, j: usize) -> R {
        self.matrix[i * self.stride + j]
    }

    /// g
    #[inline(always)]
    pub fn g(&self) -> &[R] {
        &self.g[..self.n]
    }

    /// g, to be written.
    #[inline(always)]
    pub fn g_mut(&mut self) -> &mut [R] {
        &mut self.g[..self.n]
    }

    /// (G λ)ᵢ
    #[inline(always)]
    pub fn row_times(&self, i: usize, lambda: &[R]) -> R {
        let row = &self.matrix[i * self.stride..][..self.n];
        let mut sum = R::zero();
        for (a, x) in row.iter().zip(lambda) {
            sum = a.mul_add(*x, sum);
        }
        sum
    }
}

impl<E: Elem> DualProblem<E> {
    /// g −= G λ: from the velocities with the reactions λ to those without.
    #[inline(always)]
    pub(crate) fn take_out(&mut self, lambda: &[E]) {
        for i in 0..self.n {
            let own = self.row_times(i, lambda);
            self.g[i] -= own;
        }
    }

    /// g += G λ: and back.
    #[inline(always)]
    pub fn put_in(&mut self, lambda: &[E]) {
        for i in 0..self.n {
            let own = self.row_times(i, lambda);
            self.g[i] += own;
        }
    }
}

/// Only the problem of one world, in plain numbers, is looked at in vectors of neighbours.
#[inline(always)]
fn row_length<R: Real>(n: usize) -> usize {
    if R::LANES == 1 { padded::<R::Elem>(n) } else { n }
}
