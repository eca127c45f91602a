//! The dual problem of the rows that have cones.
//!
//! Find reactions λ [N·s] with K ∋ λ ⟂ G λ + g + Γ ∈ K*, where G = J H⁻¹ Jᵀ + R is dense and small because all
//! other rows are already eliminated in H, g is the velocity of the rows without λ plus their bias, and Γ is De Saxcé's
//! correction μ‖v_t‖ on the normal of each contact ([Kamino] Eq. 8).

use crate::cone::Cone;
use bellcrank_math::Real;

/// G, g and the cones of the active rows; a lane in which a row is inactive has zeros there.
#[derive(Clone, Debug, Default)]
pub struct DualProblem<R> {
    /// Number of rows.
    pub(crate) n: usize,
    /// G by rows, n × n.
    pub(crate) matrix: Vec<R>,
    /// Velocities without reactions, and bias [m/s or rad/s].
    pub(crate) g: Vec<R>,
    /// In the order of the rows.
    pub(crate) cones: Vec<Cone<R>>,
}

impl<R: Real> DualProblem<R> {
    /// Room for problems of up to `rows` rows, so that a step need not allocate.
    pub fn with_capacity(rows: usize) -> Self {
        DualProblem {
            n: 0,
            matrix: Vec::with_capacity(rows * rows),
            g: Vec::with_capacity(rows),
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

    /// All cones are known: makes room for G and g.
    #[inline(always)]
    pub fn finish(&mut self) {
        self.matrix.clear();
        self.matrix.resize(self.n * self.n, R::zero());
        self.g.resize(self.n, R::zero());
    }

    /// The same without G, for solvers that never look at it.
    #[inline(always)]
    pub fn finish_without_matrix(&mut self) {
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
        self.matrix[i * self.n + j] = value;
        self.matrix[j * self.n + i] = value;
    }

    /// In the order of the rows.
    #[inline(always)]
    pub fn cones(&self) -> &[Cone<R>] {
        &self.cones
    }

    /// Cones, to be given their numbers.
    #[inline(always)]
    pub fn cones_mut(&mut self) -> &mut [Cone<R>] {
        &mut self.cones
    }

    /// G at (i, j).
    #[inline(always)]
    pub fn get(&self, i: usize, j: usize) -> R {
        self.matrix[i * self.n + j]
    }

    /// g
    #[inline(always)]
    pub fn g(&self) -> &[R] {
        &self.g
    }

    /// g, to be written.
    #[inline(always)]
    pub fn g_mut(&mut self) -> &mut [R] {
        &mut self.g
    }

    /// (G λ)ᵢ
    #[inline(always)]
    pub fn row_times(&self, i: usize, lambda: &[R]) -> R {
        let row = &self.matrix[i * self.n..][..self.n];
        let mut sum = R::zero();
        for (a, x) in row.iter().zip(lambda) {
            sum = a.mul_add(*x, sum);
        }
        sum
    }
}
