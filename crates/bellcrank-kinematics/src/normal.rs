//! The matrix of normal equations, H = Σ Jᵀ W J, and its Cholesky factor, without what is always zero.
//!
//! Unknowns are numbered from the leaves of the tree to its root. Then a goal at the end of a limb fills in nothing beyond
//! the limb, and limbs that share no loop stay apart ([Featherstone 2008] section 6.5).

use bellcrank_math::Real;

/// Where the factor has numbers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pattern {
    /// Number of unknowns.
    pub n: usize,
    /// For each column of L, the rows below its diagonal, ascending.
    below: Vec<Vec<usize>>,
    /// The same by rows: columns left of the diagonal, ascending.
    left: Vec<Vec<usize>>,
}

impl Pattern {
    /// From the sets of unknowns that stand in a row together.
    pub fn new(n: usize, cliques: &[Vec<usize>]) -> Self {
        let mut set = vec![vec![false; n]; n]; // [column][row]
        for clique in cliques {
            for &i in clique {
                clique.iter().filter(|j| **j < i).for_each(|j| set[*j][i] = true);
            }
        }
        for k in 0..n {
            let rows: Vec<usize> = (k + 1..n).filter(|i| set[k][*i]).collect();
            for (a, &j) in rows.iter().enumerate() {
                rows[a + 1..].iter().for_each(|i| set[j][*i] = true);
            }
        }
        let below: Vec<Vec<usize>> = (0..n).map(|k| (k + 1..n).filter(|i| set[k][*i]).collect()).collect();
        let left = (0..n).map(|i| (0..i).filter(|k| set[*k][i]).collect()).collect();
        Pattern { n, below, left }
    }

    /// Products that a factorisation needs.
    pub fn products(&self) -> usize {
        self.below.iter().map(|rows| rows.len() * (rows.len() + 3) / 2).sum()
    }
}

/// H, g and what comes of them.
#[derive(Clone, Debug)]
pub(crate) struct Normal<R> {
    /// Lower triangle by rows, n × n.
    pub H: Vec<R>,
    /// Jᵀ W e
    pub g: Vec<R>,
    L: Vec<R>,
    /// One for unknowns that are free to move, zero for others.
    pub free: Vec<R>,
    /// The step.
    pub step: Vec<R>,
    rest: Vec<R>,
}

impl<R: Real> Normal<R> {
    pub fn new(n: usize) -> Self {
        let zeros = |n: usize| vec![R::zero(); n];
        Normal {
            H: zeros(n * n),
            g: zeros(n),
            L: zeros(n * n),
            free: zeros(n),
            step: zeros(n),
            rest: zeros(n),
        }
    }

    #[inline(always)]
    pub fn clear(&mut self) {
        self.H.fill(R::zero());
        self.g.fill(R::zero());
    }

    /// Adds M rows: column by column in `J`, for the unknowns listed (ascending), with errors e and weights w.
    #[inline(always)]
    pub fn add<const M: usize>(&mut self, columns: &[usize], J: &[[R; M]], e: [R; M], w: [R; M]) {
        let n = self.g.len();
        for (a, &i) in columns.iter().enumerate() {
            let mut weighted = [R::zero(); M];
            let mut push = self.g[i];
            for r in 0..M {
                weighted[r] = w[r] * J[a][r];
                push = weighted[r].mul_add(e[r], push);
            }
            self.g[i] = push;
            let row = &mut self.H[i * n..][..n];
            for (b, &j) in columns[..=a].iter().enumerate() {
                let mut sum = row[j];
                for r in 0..M {
                    sum = weighted[r].mul_add(J[b][r], sum);
                }
                row[j] = sum;
            }
        }
    }

    /// Mean of the diagonal.
    #[inline(always)]
    pub fn mean(&self) -> R {
        let n = self.g.len();
        let mut sum = R::zero();
        for i in 0..n {
            sum += self.H[i * n + i];
        }
        sum * R::constant(1.0 / n.max(1) as f64)
    }

    /// Solves (H + λ 1) x = g over the free unknowns, the others having the step that stands in `step`.
    #[inline(always)]
    pub fn solve(&mut self, pattern: &Pattern, lambda: R) {
        self.load(pattern, lambda);
        self.factor(pattern);
        self.substitute(pattern);
    }

    /// The matrix with rows and columns of unknowns that are not free crossed out, and what is left for the free ones.
    #[inline(always)]
    fn load(&mut self, pattern: &Pattern, lambda: R) {
        let n = pattern.n;
        for i in 0..n {
            let held = R::one() - self.free[i];
            self.rest[i] = self.g[i];
            // a held unknown's own step is known
            self.L[i * n + i] = self.free[i].mul_add(self.H[i * n + i] + lambda, held);
            for &j in &pattern.left[i] {
                self.L[i * n + j] = self.H[i * n + j] * self.free[i] * self.free[j];
            }
        }
        for i in 0..n {
            for &j in &pattern.left[i] {
                let h = self.H[i * n + j];
                let (held_i, held_j) = (R::one() - self.free[i], R::one() - self.free[j]);
                self.rest[i] = (h * held_j).neg_mul_add(self.step[j], self.rest[i]);
                self.rest[j] = (h * held_i).neg_mul_add(self.step[i], self.rest[j]);
            }
        }
    }

    #[inline(always)]
    fn factor(&mut self, pattern: &Pattern) {
        let n = pattern.n;
        for k in 0..n {
            let inverse = self.L[k * n + k].sqrt().recip();
            self.L[k * n + k] = inverse;
            let rows = &pattern.below[k];
            for &i in rows {
                self.L[i * n + k] *= inverse;
            }
            for (a, &i) in rows.iter().enumerate() {
                let x = self.L[i * n + k];
                for &j in &rows[..=a] {
                    self.L[i * n + j] = x.neg_mul_add(self.L[j * n + k], self.L[i * n + j]);
                }
            }
        }
    }

    #[inline(always)]
    fn substitute(&mut self, pattern: &Pattern) {
        let n = pattern.n;
        for i in 0..n {
            let mut sum = self.rest[i] * self.free[i];
            for &k in &pattern.left[i] {
                sum = self.L[i * n + k].neg_mul_add(self.rest[k], sum);
            }
            self.rest[i] = sum * self.L[i * n + i];
        }
        for i in (0..n).rev() {
            let mut sum = self.rest[i];
            for &k in &pattern.below[i] {
                sum = self.L[k * n + i].neg_mul_add(self.rest[k], sum);
            }
            self.rest[i] = sum * self.L[i * n + i];
        }
        for i in 0..n {
            let held = R::one() - self.free[i];
            self.step[i] = self.free[i].mul_add(self.rest[i], held * self.step[i]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows (1, 2, ·) with e = 1 and (·, 1, 1) with e = 2, weights 1 and 3: H = [[1,2,0],[2,4+3,3],[0,3,3]], g = (1, 2+6, 6).
    /// With λ = 1: [[2,2,0],[2,8,3],[0,3,4]] x = (1, 8, 6). Elimination: x = (0.0263…, …); checked by multiplying back.
    #[test]
    fn normal_equations_are_solved() {
        let pattern = Pattern::new(3, &[vec![0, 1], vec![1, 2]]);
        let mut normal = Normal::<f64>::new(3);
        normal.add(&[0, 1], &[[1.0], [2.0]], [1.0], [1.0]);
        normal.add(&[1, 2], &[[1.0], [1.0]], [2.0], [3.0]);
        assert_eq!(normal.g, [1.0, 8.0, 6.0]);
        normal.free.fill(1.0);
        normal.solve(&pattern, 1.0);
        let [x, y, z] = [normal.step[0], normal.step[1], normal.step[2]];
        for (left, right) in
            [(2.0 * x + 2.0 * y, 1.0), (2.0 * x + 8.0 * y + 3.0 * z, 8.0), (3.0 * y + 4.0 * z, 6.0)]
        {
            assert!((left - right).abs() < 1e-14);
        }
        // with the second unknown held at 1/2: 2 x = 1 − 1, 4 z = 6 − 3/2
        normal.free[1] = 0.0;
        normal.step[1] = 0.5;
        normal.solve(&pattern, 1.0);
        assert_eq!(normal.step[1], 0.5);
        assert!(normal.step[0].abs() < 1e-15 && (normal.step[2] - 1.125).abs() < 1e-15);
    }

    /// Two limbs of two on one root share the root only: no fill between the limbs.
    #[test]
    fn limbs_stay_apart() {
        let pattern = Pattern::new(5, &[vec![0, 1, 4], vec![2, 3, 4]]);
        assert_eq!(pattern.below, [vec![1, 4], vec![4], vec![3, 4], vec![4], vec![]]);
        assert_eq!(pattern.products(), 5 + 2 + 5 + 2);
    }
}
