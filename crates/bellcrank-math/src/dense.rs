//! Small dense linear algebra: Cholesky over any [`Real`], of a fixed size and of one known at run time, and the
//! rank of a matrix.

use crate::real::Real;

/// L Lᵀ = A for a symmetric positive definite A of `N` rows; the reciprocal of L's diagonal is kept.
#[derive(Clone, Copy, Debug)]
pub struct Cholesky<R, const N: usize> {
    lower: [[R; N]; N],
    inverse_diagonal: [R; N],
}

impl<R: Real, const N: usize> Cholesky<R, N> {
    /// Factors A, reading its lower triangle. Where A is not positive definite the factor is not finite.
    #[inline(always)]
    pub fn factor(a: &[[R; N]; N]) -> Self {
        let mut lower = *a;
        let mut inverse_diagonal = [R::zero(); N];
        for j in 0..N {
            let mut pivot = lower[j][j];
            for k in 0..j {
                pivot = lower[j][k].neg_mul_add(lower[j][k], pivot);
            }
            let root = pivot.sqrt();
            lower[j][j] = root;
            inverse_diagonal[j] = root.recip();
            for i in j + 1..N {
                let mut sum = lower[i][j];
                for k in 0..j {
                    sum = lower[i][k].neg_mul_add(lower[j][k], sum);
                }
                lower[i][j] = sum * inverse_diagonal[j];
            }
        }
        Cholesky { lower, inverse_diagonal }
    }

    /// Solves A x = b.
    #[inline(always)]
    pub fn solve(&self, b: [R; N]) -> [R; N] {
        self.backward(self.forward(b))
    }

    /// Solves L y = b.
    #[inline(always)]
    pub fn forward(&self, mut b: [R; N]) -> [R; N] {
        for i in 0..N {
            for k in 0..i {
                b[i] = self.lower[i][k].neg_mul_add(b[k], b[i]);
            }
            b[i] *= self.inverse_diagonal[i];
        }
        b
    }

    /// Solves Lᵀ x = y.
    #[inline(always)]
    pub fn backward(&self, mut y: [R; N]) -> [R; N] {
        for i in (0..N).rev() {
            for k in i + 1..N {
                y[i] = self.lower[k][i].neg_mul_add(y[k], y[i]);
            }
            y[i] *= self.inverse_diagonal[i];
        }
        y
    }
}

/// Cholesky of a size known at run time: replaces the lower triangle of A (n × n by rows) by L, with the reciprocals of
/// its diagonal on the diagonal. Where A is not positive definite the factor is not finite.
#[inline(always)]
pub fn factor_cholesky<R: Real>(a: &mut [R], n: usize) {
    for j in 0..n {
        let (above, rest) = a.split_at_mut((j + 1) * n);
        let row = &mut above[j * n..];
        let mut pivot = row[j];
        for k in 0..j {
            pivot = row[k].neg_mul_add(row[k], pivot);
        }
        let inverse = pivot.sqrt().recip();
        row[j] = inverse;
        for lower in rest.chunks_exact_mut(n) {
            let mut sum = lower[j];
            for k in 0..j {
                sum = lower[k].neg_mul_add(row[k], sum);
            }
            lower[j] = sum * inverse;
        }
    }
}

/// Solves L Lᵀ x = b in place, with L from [`factor_cholesky`].
#[inline(always)]
pub fn solve_cholesky<R: Real>(l: &[R], n: usize, b: &mut [R]) {
    for i in 0..n {
        let mut sum = b[i];
        for k in 0..i {
            sum = l[i * n + k].neg_mul_add(b[k], sum);
        }
        b[i] = sum * l[i * n + i];
    }
    // backwards by rows of L, not by columns: rows lie next to each other in memory
    for i in (0..n).rev() {
        let x = b[i] * l[i * n + i];
        b[i] = x;
        for k in 0..i {
            b[k] = l[i * n + k].neg_mul_add(x, b[k]);
        }
    }
}

/// A matrix of any size, by rows. For analysis once per model, not for the step.
#[derive(Clone, Debug)]
pub struct Matrix {
    rows: usize,
    columns: usize,
    entries: Vec<f64>,
}

impl Matrix {
    /// All zero.
    pub fn zero(rows: usize, columns: usize) -> Self {
        Matrix { rows, columns, entries: vec![0.0; rows * columns] }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Row `r`.
    pub fn row(&self, r: usize) -> &[f64] {
        &self.entries[r * self.columns..][..self.columns]
    }

    /// Row `r`, to be written.
    pub fn row_mut(&mut self, r: usize) -> &mut [f64] {
        &mut self.entries[r * self.columns..][..self.columns]
    }

    /// Numerical rank: how many rows stand out by more than `tolerance` (a length) from the span of those chosen
    /// before. Scale rows to comparable lengths first: only the caller knows what a short row means.
    ///
    /// Gram–Schmidt with row pivoting; each chosen row is orthogonalised twice ("twice is enough", Kahan and
    /// Parlett).
    pub fn rank(&self, tolerance: f64) -> usize {
        let norm = |v: &[f64]| v.iter().map(|x| x * x).sum::<f64>().sqrt();
        let mut rest: Vec<Vec<f64>> = (0..self.rows).map(|r| self.row(r).to_vec()).collect();
        let mut basis: Vec<Vec<f64>> = Vec::new();
        while basis.len() < self.columns {
            let lengths = rest.iter().map(|v| norm(v)).enumerate();
            let Some((next, length)) = lengths.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
            if length <= tolerance {
                break;
            }
            let mut chosen = rest.swap_remove(next);
            for earlier in &basis {
                remove_component(&mut chosen, earlier);
            }
            let length = norm(&chosen);
            chosen.iter_mut().for_each(|x| *x /= length);
            for row in &mut rest {
                remove_component(row, &chosen);
            }
            basis.push(chosen);
        }
        basis.len()
    }
}

/// v ← v − (v·u) u for a unit vector u.
fn remove_component(v: &mut [f64], u: &[f64]) {
    let along: f64 = v.iter().zip(u).map(|(a, b)| a * b).sum();
    v.iter_mut().zip(u).for_each(|(a, b)| *a -= along * b);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A = [[4,2,0],[2,5,3],[0,3,6]] and x = (1,2,3): b = (8, 21, 24).
    #[test]
    fn cholesky_solves_a_system_with_a_known_answer() {
        let a = [[4.0, 2.0, 0.0], [2.0, 5.0, 3.0], [0.0, 3.0, 6.0]];
        let x = Cholesky::factor(&a).solve([8.0, 21.0, 24.0]);
        for (got, expected) in x.into_iter().zip([1.0, 2.0, 3.0]) {
            assert!((got - expected).abs() < 1e-14);
        }
    }

    /// The same system, and one unknown: 4 x = 8.
    #[test]
    fn cholesky_of_a_size_known_at_run_time_gives_the_same_answers() {
        let (mut a, mut x) = ([4.0, 2.0, 0.0, 2.0, 5.0, 3.0, 0.0, 3.0, 6.0], [8.0, 21.0, 24.0]);
        factor_cholesky(&mut a, 3);
        solve_cholesky(&a, 3, &mut x);
        for (got, expected) in x.into_iter().zip([1.0, 2.0, 3.0]) {
            assert!((got - expected).abs() < 1e-14);
        }
        let (mut a, mut x) = ([4.0], [8.0]);
        factor_cholesky(&mut a, 1);
        solve_cholesky(&a, 1, &mut x);
        assert_eq!(x, [2.0]);
    }

    #[test]
    fn an_indefinite_matrix_gives_a_factor_that_is_not_finite() {
        let x = Cholesky::factor(&[[1.0, 0.0], [2.0, 1.0]]).solve([1.0, 1.0]);
        assert!(x.iter().any(|v: &f64| !v.is_finite()));
    }

    /// Rows (1,2,3), (2,4,6) and (0,1,1)·1e-6: rank 2, or 1 when a millionth counts as nothing.
    #[test]
    fn rank_counts_independent_rows_above_the_tolerance() {
        let mut m = Matrix::zero(3, 3);
        m.row_mut(0).copy_from_slice(&[1.0, 2.0, 3.0]);
        m.row_mut(1).copy_from_slice(&[2.0, 4.0, 6.0]);
        m.row_mut(2).copy_from_slice(&[0.0, 1e-6, 1e-6]);
        assert_eq!((m.rank(1e-9), m.rank(1e-5)), (2, 1));
        assert_eq!(Matrix::zero(4, 2).rank(1e-9), 0);
    }
}
