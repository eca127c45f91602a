//! The Delassus matrix without forming it: D x = J (M⁻¹ (Jᵀ x)) from rows of at most two 1×6 blocks ([Kamino] notes 1.8).
//!
//! Rows are kept pre-scaled, J̃ = J L⁻ᵀ with M = L Lᵀ, so that D = J̃ J̃ᵀ and a product costs two passes over them.

use bellcrank_math::Real;

/// A row: which bodies it acts on, and how.
#[derive(Clone, Copy, Debug)]
pub struct SparseRow<R> {
    /// Bodies; the first may be the world.
    pub bodies: (Option<usize>, usize),
    /// J̃ on them.
    pub blocks: [[R; 6]; 2],
    /// Compliance on the diagonal.
    pub compliance: R,
}

/// All rows of a step, and room for one value per velocity.
#[derive(Clone, Debug, Default)]
pub struct SparseRows<R> {
    /// In the order of the problem.
    pub rows: Vec<SparseRow<R>>,
    scratch: Vec<[R; 6]>,
}

impl<R: Real> SparseRows<R> {
    /// Starts again, for so many bodies.
    #[inline(always)]
    pub fn clear(&mut self, bodies: usize) {
        self.rows.clear();
        self.scratch.clear();
        self.scratch.resize(bodies, [R::zero(); 6]);
    }

    /// out ← (J̃ J̃ᵀ + R) x
    #[inline(always)]
    pub fn times(&mut self, x: &[R], out: &mut [R]) {
        self.scratch.fill([R::zero(); 6]);
        for (row, x) in self.rows.iter().zip(x) {
            let (a, b) = row.bodies;
            for k in 0..6 {
                self.scratch[b][k] = row.blocks[1][k].mul_add(*x, self.scratch[b][k]);
            }
            if let Some(a) = a {
                for k in 0..6 {
                    self.scratch[a][k] = row.blocks[0][k].mul_add(*x, self.scratch[a][k]);
                }
            }
        }
        for ((row, x), out) in self.rows.iter().zip(x).zip(out) {
            let (a, b) = row.bodies;
            let mut sum = row.compliance * *x;
            for k in 0..6 {
                sum = row.blocks[1][k].mul_add(self.scratch[b][k], sum);
            }
            if let Some(a) = a {
                for k in 0..6 {
                    sum = row.blocks[0][k].mul_add(self.scratch[a][k], sum);
                }
            }
            *out = sum;
        }
    }

    /// The entry of D between two rows.
    #[inline(always)]
    pub fn entry(&self, i: usize, j: usize) -> R {
        let (one, other) = (&self.rows[i], &self.rows[j]);
        let mut sum = if i == j { one.compliance } else { R::zero() };
        let ends = |row: &SparseRow<R>| [row.bodies.0, Some(row.bodies.1)];
        for (x, body) in one.blocks.iter().zip(ends(one)) {
            for (y, same) in other.blocks.iter().zip(ends(other)) {
                if body.is_some() && body == same {
                    for k in 0..6 {
                        sum = x[k].mul_add(y[k], sum);
                    }
                }
            }
        }
        sum
    }
}
