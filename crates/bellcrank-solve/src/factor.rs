//! Cholesky factor of a sparse symmetric positive definite matrix of 6×6 blocks.
//!
//! The matrix is the body-space form of the step, H = M + Jᵀ S⁻¹ J: six unknowns per body whatever the number of
//! rows, and rows that repeat each other do no harm. H⁻¹ is the inverse inertia of the *constrained* mechanism.

use crate::path::Path;
use crate::pattern::{BlockPattern, Target};
use bellcrank_math::{Elem, Real};

/// Six rows of six.
pub type Block<R> = [[R; 6]; 6];

/// The matrix before [`BlockFactor::factor`], its factor after. Memory is taken once.
#[derive(Clone, Debug, Default)]
pub struct BlockFactor<R> {
    /// Lower triangles, by elimination position.
    diagonal: Vec<Block<R>>,
    /// Reciprocals of the factor's diagonal.
    inverse: Vec<[R; 6]>,
    off_diagonal: Vec<Block<R>>,
}

impl<R: Real> BlockFactor<R> {
    /// Room for a pattern, all zero.
    pub fn new(pattern: &BlockPattern) -> Self {
        let zero = [[R::zero(); 6]; 6];
        BlockFactor {
            diagonal: vec![zero; pattern.nodes()],
            inverse: vec![[R::zero(); 6]; pattern.nodes()],
            off_diagonal: vec![zero; pattern.off_diagonal_count()],
        }
    }

    /// Room for another pattern, all zero.
    pub fn reset(&mut self, pattern: &BlockPattern) {
        let zero = [[R::zero(); 6]; 6];
        self.diagonal.clear();
        self.diagonal.resize(pattern.nodes(), zero);
        self.inverse.clear();
        self.inverse.resize(pattern.nodes(), [R::zero(); 6]);
        self.off_diagonal.clear();
        self.off_diagonal.resize(pattern.off_diagonal_count(), zero);
    }

    /// Takes the blocks of another matrix of the same pattern.
    pub fn copy_from(&mut self, other: &Self) {
        self.diagonal.clone_from(&other.diagonal);
        self.inverse.clone_from(&other.inverse);
        self.off_diagonal.clone_from(&other.off_diagonal);
    }

    /// All blocks zero again.
    #[inline(always)]
    pub fn clear(&mut self) {
        let zero = [[R::zero(); 6]; 6];
        self.diagonal.fill(zero);
        self.off_diagonal.fill(zero);
    }

    /// The diagonal block at an elimination position; only its lower triangle counts.
    #[inline(always)]
    pub fn diagonal_mut(&mut self, position: usize) -> &mut Block<R> {
        &mut self.diagonal[position]
    }

    /// The diagonal block at an elimination position, to be read.
    #[inline(always)]
    pub(crate) fn diagonal(&self, position: usize) -> &Block<R> {
        &self.diagonal[position]
    }

    /// An off-diagonal block by its number in the pattern, to be read.
    #[inline(always)]
    pub(crate) fn off_diagonal(&self, block: usize) -> &Block<R> {
        &self.off_diagonal[block]
    }

    /// An off-diagonal block by its number in the pattern.
    #[inline(always)]
    pub fn off_diagonal_mut(&mut self, block: usize) -> &mut Block<R> {
        &mut self.off_diagonal[block]
    }

    /// Factors in place (right-looking). A pivot that rounding has eaten up is taken as what rounding may be: the factor is
    /// then that of a matrix which differs in its last digits, and is finite. What blocks of fill held does not matter.
    #[inline(always)]
    pub fn factor(&mut self, pattern: &BlockPattern) {
        self.note_rounding();
        for k in 0..self.diagonal.len() {
            self.factor_column(pattern, k);
        }
    }

    /// The same, and solves H x = b: each column goes into x while it is at hand.
    #[inline(always)]
    pub fn factor_and_solve(&mut self, pattern: &BlockPattern, x: &mut [[R; 6]]) {
        self.note_rounding();
        for k in 0..self.diagonal.len() {
            self.factor_column(pattern, k);
            self.forward_column(pattern, k, x);
        }
        self.backward(pattern, x);
    }

    /// What rounding may leave of the pivots, until their reciprocals take its place.
    #[inline(always)]
    fn note_rounding(&mut self) {
        let rounding = R::constant(2.0 * R::Elem::EPSILON.to_f64());
        for (least, block) in self.inverse.iter_mut().zip(&self.diagonal) {
            for i in 0..6 {
                least[i] = block[i][i] * rounding;
            }
        }
    }

    #[inline(always)]
    fn factor_column(&mut self, pattern: &BlockPattern, k: usize) {
        self.inverse[k] = factor_diagonal(&mut self.diagonal[k], &self.inverse[k]);
        for block in &mut self.off_diagonal[pattern.column[k]..pattern.column[k + 1]] {
            divide_right(block, &self.diagonal[k], &self.inverse[k]);
        }
        // what a column changes comes behind it
        let next = pattern.column[k + 1];
        let (done, later) = self.off_diagonal.split_at_mut(next);
        for update in pattern.updates(k) {
            match update.target {
                Target::Diagonal(i) => subtract_square(&mut self.diagonal[i], &done[update.a]),
                Target::OffDiagonal(t) => {
                    let factors = [&done[update.a], &done[update.b]];
                    subtract_product(&mut later[t - next], factors, update.is_first);
                }
            }
        }
    }

    /// Solves H x = b in place; `x` is by elimination position.
    #[inline(always)]
    pub fn solve(&self, pattern: &BlockPattern, x: &mut [[R; 6]]) {
        for k in 0..self.diagonal.len() {
            self.forward_column(pattern, k, x);
        }
        self.backward(pattern, x);
    }

    /// L y = b, by one column.
    #[inline(always)]
    fn forward_column(&self, pattern: &BlockPattern, k: usize, x: &mut [[R; 6]]) {
        let mut one = [x[k]];
        self.forward_diagonals(k, &mut one);
        let [v] = one;
        x[k] = v;
        for q in pattern.column[k]..pattern.column[k + 1] {
            subtract_times(&mut x[pattern.row[q]], &self.off_diagonal[q], &v);
        }
    }

    /// Lᵀ x = y
    #[inline(always)]
    fn backward(&self, pattern: &BlockPattern, x: &mut [[R; 6]]) {
        for k in (0..self.diagonal.len()).rev() {
            let mut v = x[k];
            for q in pattern.column[k]..pattern.column[k + 1] {
                subtract_transpose_times(&mut v, &self.off_diagonal[q], &x[pattern.row[q]]);
            }
            x[k] = self.backward_diagonal(k, v);
        }
    }

    /// Solves L w = b for N right-hand sides on two bodies, `rows` by right-hand side and body; `w` gets one entry per position of
    /// the path, one right-hand side after the other. Then wᵀ w′ is an entry of J H⁻¹ Jᵀ. Several at a time read the factor once, and
    /// need not wait for each other.
    #[inline(always)]
    pub fn forward_path<const N: usize>(
        &self,
        path: &Path,
        bodies: (Option<usize>, usize),
        rows: &[[[R; 6]; 2]],
        w: &mut [[R; 6]],
    ) {
        let length = path.len();
        for (i, &k) in path.positions().iter().enumerate() {
            let mut v = [[R::zero(); 6]; N];
            for n in 0..N {
                v[n] = if path.is_start(i) { rows[n][side(bodies, k)] } else { w[n * length + i] };
            }
            self.forward_diagonals(k, &mut v);
            for n in 0..N {
                w[n * length + i] = v[n];
            }
            for step in path.steps(i) {
                let (block, at) = (&self.off_diagonal[step.block], step.to);
                let position = path.positions()[at];
                let own = position == bodies.1 || Some(position) == bodies.0;
                // the first that comes to a position finds there what acts on its body
                if !step.is_first {
                    lead_on::<R, N, SUM>((block, &v), (rows, 0), (at, length), w);
                } else if own {
                    lead_on::<R, N, ROW>((block, &v), (rows, side(bodies, position)), (at, length), w);
                } else {
                    lead_on::<R, N, NOTHING>((block, &v), (rows, 0), (at, length), w);
                }
            }
        }
    }

    #[inline(always)]
    fn forward_diagonals<const N: usize>(&self, k: usize, v: &mut [[R; 6]; N]) {
        let (l, inverse) = (&self.diagonal[k], &self.inverse[k]);
        for i in 0..6 {
            for j in 0..i {
                for n in 0..N {
                    v[n][i] = l[i][j].neg_mul_add(v[n][j], v[n][i]);
                }
            }
            for n in 0..N {
                v[n][i] *= inverse[i];
            }
        }
    }

    #[inline(always)]
    fn backward_diagonal(&self, k: usize, mut v: [R; 6]) -> [R; 6] {
        let l = &self.diagonal[k];
        for i in (0..6).rev() {
            for j in i + 1..6 {
                v[i] = l[j][i].neg_mul_add(v[j], v[i]);
            }
            v[i] *= self.inverse[k][i];
        }
        v
    }
}

/// Which of two bodies stands at a position where one of them does.
#[inline(always)]
fn side((_, second): (Option<usize>, usize), position: usize) -> usize {
    usize::from(position == second)
}

/// What a step along a path finds where it leads to.
const SUM: u8 = 0;
const ROW: u8 = 1;
const NOTHING: u8 = 2;

/// w ← w − B v at one place of the path, for N right-hand sides.
#[inline(always)]
fn lead_on<R: Real, const N: usize, const FOUND: u8>(
    (block, v): (&Block<R>, &[[R; 6]; N]),
    (rows, side): (&[[[R; 6]; 2]], usize),
    (at, length): (usize, usize),
    w: &mut [[R; 6]],
) {
    for r in 0..6 {
        let mut sum = [R::zero(); N];
        for n in 0..N {
            sum[n] = match FOUND {
                SUM => w[n * length + at][r],
                ROW => rows[n][side][r],
                _ => R::zero(),
            };
        }
        for c in 0..6 {
            for n in 0..N {
                sum[n] = block[r][c].neg_mul_add(v[n][c], sum[n]);
            }
        }
        for n in 0..N {
            w[n * length + at][r] = sum[n];
        }
    }
}

/// A ← L with L Lᵀ = A, no pivot below `least`; gives the reciprocals of L's diagonal.
#[inline(always)]
fn factor_diagonal<R: Real>(a: &mut Block<R>, least: &[R; 6]) -> [R; 6] {
    let mut inverse = [R::zero(); 6];
    for j in 0..6 {
        let mut pivot = a[j][j];
        for q in 0..j {
            pivot = a[j][q].neg_mul_add(a[j][q], pivot);
        }
        let root = least[j].max(pivot).sqrt();
        a[j][j] = root;
        inverse[j] = root.recip();
        for i in j + 1..6 {
            let mut sum = a[i][j];
            for q in 0..j {
                sum = a[i][q].neg_mul_add(a[j][q], sum);
            }
            a[i][j] = sum * inverse[j];
        }
    }
    inverse
}

/// B ← B L⁻ᵀ
#[inline(always)]
fn divide_right<R: Real>(b: &mut Block<R>, l: &Block<R>, inverse: &[R; 6]) {
    for row in b.iter_mut() {
        for c in 0..6 {
            let mut sum = row[c];
            for t in 0..c {
                sum = row[t].neg_mul_add(l[c][t], sum);
            }
            row[c] = sum * inverse[c];
        }
    }
}

/// C ← C − A Aᵀ, lower triangle.
#[inline(always)]
fn subtract_square<R: Real>(c: &mut Block<R>, a: &Block<R>) {
    for i in 0..6 {
        for j in 0..=i {
            let mut sum = c[i][j];
            for t in 0..6 {
                sum = a[i][t].neg_mul_add(a[j][t], sum);
            }
            c[i][j] = sum;
        }
    }
}

/// C ← C − A Bᵀ, or −A Bᵀ where C holds nothing yet.
#[inline(always)]
fn subtract_product<R: Real>(c: &mut Block<R>, [a, b]: [&Block<R>; 2], is_first: bool) {
    for i in 0..6 {
        for j in 0..6 {
            let mut sum = if is_first { R::zero() } else { c[i][j] };
            for t in 0..6 {
                sum = a[i][t].neg_mul_add(b[j][t], sum);
            }
            c[i][j] = sum;
        }
    }
}

/// x ← x − B v
#[inline(always)]
pub(crate) fn subtract_times<R: Real>(x: &mut [R; 6], b: &Block<R>, v: &[R; 6]) {
    for i in 0..6 {
        let mut sum = x[i];
        for j in 0..6 {
            sum = b[i][j].neg_mul_add(v[j], sum);
        }
        x[i] = sum;
    }
}

/// x ← x − Bᵀ v
#[inline(always)]
pub(crate) fn subtract_transpose_times<R: Real>(x: &mut [R; 6], b: &Block<R>, v: &[R; 6]) {
    for j in 0..6 {
        let mut sum = x[j];
        for i in 0..6 {
            sum = b[i][j].neg_mul_add(v[i], sum);
        }
        x[j] = sum;
    }
}
