//! LU factor of a sparse *unsymmetric* matrix of 6×6 blocks with a symmetric pattern, without pivoting.
//!
//! Newton's matrix of an implicit step is not symmetric: forces act along the rows at the start of the step while
//! constraints are met at its end, and friction follows the normal force but not the other way round. Its symmetric
//! part is positive definite as long as a step turns bodies by less than a quarter turn, and then elimination
//! without pivoting is safe (Golub & Van Loan 4.3.2). Where it is not, values stop being finite and the caller's
//! iteration reports failure.
//!
//! Blocks that no row fills in this step are skipped: couplings that come and go (two bodies in contact) cost
//! nothing while they are away.

use crate::factor::{Block, subtract_transpose_times};
use crate::pattern::{BlockPattern, Target};
use bellcrank_math::Real;

/// The matrix before [`BlockLu::factor`], its factor after. Memory is taken once.
#[derive(Clone, Debug, Default)]
pub struct BlockLu<R> {
    diagonal: Vec<Block<R>>,
    /// Reciprocals of U's diagonal.
    inverse: Vec<[R; 6]>,
    /// Blocks (row, column) of the pattern, and (column, row).
    lower: Vec<Block<R>>,
    upper: Vec<Block<R>>,
    /// Blocks that something fills.
    used: Vec<bool>,
}

impl<R: Real> BlockLu<R> {
    /// Room for a pattern, all zero.
    pub fn new(pattern: &BlockPattern) -> Self {
        let zero = [[R::zero(); 6]; 6];
        BlockLu {
            diagonal: vec![zero; pattern.nodes()],
            inverse: vec![[R::zero(); 6]; pattern.nodes()],
            lower: vec![zero; pattern.off_diagonal_count()],
            upper: vec![zero; pattern.off_diagonal_count()],
            used: vec![false; pattern.off_diagonal_count()],
        }
    }

    /// Room for another pattern, all of whose blocks may be filled. What they hold is of no meaning.
    pub fn reset(&mut self, pattern: &BlockPattern) {
        let (zero, count) = ([[R::zero(); 6]; 6], pattern.off_diagonal_count());
        self.diagonal.resize(pattern.nodes(), zero);
        self.inverse.resize(pattern.nodes(), [R::zero(); 6]);
        self.lower.resize(count, zero);
        self.upper.resize(count, zero);
        self.used.clear();
        self.used.resize(count, true);
    }

    /// Says which blocks will be filled in the coming factorisations; elimination adds to them. Costs no arithmetic on
    /// numbers.
    pub fn use_blocks(&mut self, pattern: &BlockPattern, blocks: impl IntoIterator<Item = usize>) {
        self.used.fill(false);
        for block in blocks {
            self.used[block] = true;
        }
        for k in 0..pattern.nodes() {
            for update in pattern.updates(k) {
                if let Target::OffDiagonal(t) = update.target {
                    self.used[t] |= self.used[update.a] && self.used[update.b];
                }
            }
        }
    }

    /// All blocks zero again.
    #[inline(always)]
    pub fn clear(&mut self) {
        let zero = [[R::zero(); 6]; 6];
        self.diagonal.fill(zero);
        for q in 0..self.used.len() {
            if self.used[q] {
                self.lower[q] = zero;
                self.upper[q] = zero;
            }
        }
    }

    /// The diagonal block at an elimination position.
    #[inline(always)]
    pub fn diagonal_mut(&mut self, position: usize) -> &mut Block<R> {
        &mut self.diagonal[position]
    }

    /// The block in the row of node a and the column of node b, where `place` is what [`BlockPattern::block`] says of
    /// (a, b).
    #[inline(always)]
    pub fn block_mut(&mut self, (block, a_is_row): (usize, bool)) -> &mut Block<R> {
        if a_is_row { &mut self.lower[block] } else { &mut self.upper[block] }
    }

    /// Factors in place: A = L U, L with unit diagonal.
    #[inline(always)]
    pub fn factor(&mut self, pattern: &BlockPattern) {
        for k in 0..self.diagonal.len() {
            self.inverse[k] = factor_diagonal(&mut self.diagonal[k]);
            for q in pattern.column(k) {
                if self.used[q] {
                    divide_right(&mut self.lower[q], &self.diagonal[k], &self.inverse[k]);
                    divide_left(&mut self.upper[q], &self.diagonal[k]);
                }
            }
            for update in pattern.updates(k) {
                if !self.used[update.a] || !self.used[update.b] {
                    continue;
                }
                match update.target {
                    Target::Diagonal(i) => {
                        subtract_product(&mut self.diagonal[i], &self.lower[update.a], &self.upper[update.a])
                    }
                    Target::OffDiagonal(t) => {
                        let (a, b) = (self.lower[update.a], self.upper[update.b]);
                        subtract_product(&mut self.lower[t], &a, &b);
                        let (a, b) = (self.lower[update.b], self.upper[update.a]);
                        subtract_product(&mut self.upper[t], &a, &b);
                    }
                }
            }
        }
    }

    /// Solves A x = b in place; `x` is by elimination position.
    #[inline(always)]
    pub fn solve(&self, pattern: &BlockPattern, x: &mut [[R; 6]]) {
        self.solve_lifted(pattern, x, same);
    }

    /// Solves A X = B for as many right-hand sides as `W` has lanes: one matrix, many columns.
    #[inline(always)]
    pub fn solve_many<W: Real<Elem = R>>(&self, pattern: &BlockPattern, x: &mut [[W; 6]]) {
        self.solve_lifted(pattern, x, W::splat);
    }

    /// The same where most of `x` is zero: `reached` says which positions are not, and grows to those that elimination
    /// reaches from there, which alone are gone through forwards.
    #[inline(always)]
    pub fn solve_many_from<W: Real<Elem = R>>(
        &self,
        pattern: &BlockPattern,
        x: &mut [[W; 6]],
        reached: &mut [bool],
    ) {
        self.solve_reached(pattern, (x, 1), reached, W::splat);
    }

    /// The same for `count` right-hand sides next to each other at every position: a block is read once for all of them.
    #[inline(always)]
    pub fn solve_from(
        &self,
        pattern: &BlockPattern,
        (x, count): (&mut [[R; 6]], usize),
        reached: &mut [bool],
    ) {
        self.solve_reached(pattern, (x, count), reached, same);
    }

    #[inline(always)]
    fn solve_reached<W: Real>(
        &self,
        pattern: &BlockPattern,
        (x, count): (&mut [[W; 6]], usize),
        reached: &mut [bool],
        lift: impl Fn(R) -> W + Copy,
    ) {
        for k in 0..self.diagonal.len() {
            if !reached[k] {
                continue;
            }
            for c in k * count..(k + 1) * count {
                x[c] = forward(&self.diagonal[k], x[c], lift);
            }
            for q in pattern.column(k) {
                if self.used[q] {
                    let row = pattern.row[q];
                    reached[row] = true;
                    for c in 0..count {
                        let v = x[k * count + c];
                        subtract_lifted(&mut x[row * count + c], &self.lower[q], &v, lift);
                    }
                }
            }
        }
        for k in (0..self.diagonal.len()).rev() {
            for q in pattern.column(k) {
                if self.used[q] {
                    for c in 0..count {
                        let v = x[pattern.row[q] * count + c];
                        subtract_lifted(&mut x[k * count + c], &self.upper[q], &v, lift);
                    }
                }
            }
            for c in k * count..(k + 1) * count {
                x[c] = backward(&self.diagonal[k], &self.inverse[k], x[c], lift);
            }
        }
    }

    #[inline(always)]
    fn solve_lifted<W: Real>(&self, pattern: &BlockPattern, x: &mut [[W; 6]], lift: impl Fn(R) -> W + Copy) {
        for k in 0..self.diagonal.len() {
            self.eliminate(pattern, k, x, lift);
        }
        self.substitute(pattern, x, lift);
    }

    /// One position of L⁻¹ x.
    #[inline(always)]
    fn eliminate<W: Real>(
        &self,
        pattern: &BlockPattern,
        k: usize,
        x: &mut [[W; 6]],
        lift: impl Fn(R) -> W + Copy,
    ) {
        let v = forward(&self.diagonal[k], x[k], lift);
        x[k] = v;
        for q in pattern.column(k) {
            if self.used[q] {
                subtract_lifted(&mut x[pattern.row[q]], &self.lower[q], &v, lift);
            }
        }
    }

    /// U⁻¹ x
    #[inline(always)]
    fn substitute<W: Real>(&self, pattern: &BlockPattern, x: &mut [[W; 6]], lift: impl Fn(R) -> W + Copy) {
        for k in (0..self.diagonal.len()).rev() {
            let mut v = x[k];
            for q in pattern.column(k) {
                if self.used[q] {
                    subtract_lifted(&mut v, &self.upper[q], &x[pattern.row[q]], lift);
                }
            }
            x[k] = backward(&self.diagonal[k], &self.inverse[k], v, lift);
        }
    }

    /// Solves Aᵀ x = b in place, for derivatives in reverse.
    #[inline(always)]
    pub fn solve_transposed(&self, pattern: &BlockPattern, x: &mut [[R; 6]]) {
        for k in 0..self.diagonal.len() {
            let v = forward_transposed(&self.diagonal[k], &self.inverse[k], x[k]);
            x[k] = v;
            for q in pattern.column(k) {
                if self.used[q] {
                    subtract_transpose_times(&mut x[pattern.row[q]], &self.upper[q], &v);
                }
            }
        }
        for k in (0..self.diagonal.len()).rev() {
            let mut v = x[k];
            for q in pattern.column(k) {
                if self.used[q] {
                    subtract_transpose_times(&mut v, &self.lower[q], &x[pattern.row[q]]);
                }
            }
            x[k] = backward_transposed(&self.diagonal[k], v);
        }
    }
}

/// A ← L U in one block, unit diagonal of L left out; gives the reciprocals of U's diagonal.
#[inline(always)]
fn factor_diagonal<R: Real>(a: &mut Block<R>) -> [R; 6] {
    let mut inverse = [R::zero(); 6];
    for k in 0..6 {
        inverse[k] = a[k][k].recip();
        for i in k + 1..6 {
            let l = a[i][k] * inverse[k];
            a[i][k] = l;
            for j in k + 1..6 {
                a[i][j] = l.neg_mul_add(a[k][j], a[i][j]);
            }
        }
    }
    inverse
}

/// B ← B U⁻¹. Every entry is the same sum as by columns; by rows, neighbours are worked out together.
#[inline(always)]
fn divide_right<R: Real>(b: &mut Block<R>, lu: &Block<R>, inverse: &[R; 6]) {
    for row in b.iter_mut() {
        for t in 0..6 {
            let own = row[t] * inverse[t];
            row[t] = own;
            for c in t + 1..6 {
                row[c] = own.neg_mul_add(lu[t][c], row[c]);
            }
        }
    }
}

/// B ← L⁻¹ B
#[inline(always)]
fn divide_left<R: Real>(b: &mut Block<R>, lu: &Block<R>) {
    for r in 1..6 {
        for t in 0..r {
            let l = lu[r][t];
            let above = b[t];
            for c in 0..6 {
                b[r][c] = l.neg_mul_add(above[c], b[r][c]);
            }
        }
    }
}

/// C ← C − A B, a row of neighbours at a time.
#[inline(always)]
fn subtract_product<R: Real>(c: &mut Block<R>, a: &Block<R>, b: &Block<R>) {
    for i in 0..6 {
        let mut row = c[i];
        for t in 0..6 {
            let share = a[i][t];
            for j in 0..6 {
                row[j] = share.neg_mul_add(b[t][j], row[j]);
            }
        }
        c[i] = row;
    }
}

/// A number of the matrix as it is.
#[inline(always)]
fn same<R>(x: R) -> R {
    x
}

/// x ← x − B v, where x and v may have more lanes than B.
#[inline(always)]
fn subtract_lifted<R: Real, W: Real>(x: &mut [W; 6], b: &Block<R>, v: &[W; 6], lift: impl Fn(R) -> W) {
    for i in 0..6 {
        let mut sum = x[i];
        for j in 0..6 {
            sum = lift(b[i][j]).neg_mul_add(v[j], sum);
        }
        x[i] = sum;
    }
}

/// L⁻¹ v
#[inline(always)]
fn forward<R: Real, W: Real>(lu: &Block<R>, mut v: [W; 6], lift: impl Fn(R) -> W) -> [W; 6] {
    for i in 1..6 {
        for j in 0..i {
            v[i] = lift(lu[i][j]).neg_mul_add(v[j], v[i]);
        }
    }
    v
}

/// U⁻¹ v
#[inline(always)]
fn backward<R: Real, W: Real>(
    lu: &Block<R>,
    inverse: &[R; 6],
    mut v: [W; 6],
    lift: impl Fn(R) -> W,
) -> [W; 6] {
    for i in (0..6).rev() {
        for j in i + 1..6 {
            v[i] = lift(lu[i][j]).neg_mul_add(v[j], v[i]);
        }
        v[i] *= lift(inverse[i]);
    }
    v
}

/// U⁻ᵀ v
#[inline(always)]
fn forward_transposed<R: Real>(lu: &Block<R>, inverse: &[R; 6], mut v: [R; 6]) -> [R; 6] {
    for i in 0..6 {
        for j in 0..i {
            v[i] = lu[j][i].neg_mul_add(v[j], v[i]);
        }
        v[i] *= inverse[i];
    }
    v
}

/// L⁻ᵀ v
#[inline(always)]
fn backward_transposed<R: Real>(lu: &Block<R>, mut v: [R; 6]) -> [R; 6] {
    for i in (0..6).rev() {
        for j in i + 1..6 {
            v[i] = lu[j][i].neg_mul_add(v[j], v[i]);
        }
    }
    v
}
