//! The matrix G = J H⁻¹ Jᵀ + C of many contacts, through the bodies.
//!
//! A pile of a hundred bodies has a thousand rows: G has a million entries, but every row acts on two bodies only. With
//! S = σ 1 + P C P (diagonal) the inverse that a solver needs is, by Woodbury's identity,
//!
//! (P G P + σ 1)⁻¹ = S⁻¹ − S⁻¹ P J A⁻¹ Jᵀ P S⁻¹,   A = H + Jᵀ P S⁻¹ P J,
//!
//! and A has six unknowns per body and a block per pair of bodies that a joint or a contact connects. Which pairs touch
//! changes from step to step, so that its pattern is analysed every time. Everything numeric is inlined into the caller,
//! who has switched the instruction set on.

use crate::delassus::Delassus;
use crate::factor::{Block, BlockFactor};
use crate::interior::BlockLu;
use crate::pattern::BlockPattern;
use crate::problem::DualProblem;
use crate::sparse::SparseRow;
use bellcrank_math::Real;

/// Memory, taken when a step needs more than any before.
#[derive(Clone, Debug, Default)]
pub struct BodySpaceWorkspace<R> {
    /// Of A; its nodes are H's elimination positions.
    pattern: BlockPattern,
    /// Bodies that the rows connect, for which the pattern was made, and those of the present rows.
    edges: Vec<(usize, usize)>,
    touching: Vec<(usize, usize)>,
    factor: BlockFactor<R>,
    /// By row: the block of A between its bodies, and whether the second one is the block's row.
    blocks: Vec<Option<(usize, bool)>>,
    /// p and 1/S by row.
    scale: Vec<R>,
    inverse: Vec<R>,
    /// G's diagonal.
    diagonal: Vec<R>,
    /// By body.
    x: Vec<[R; 6]>,
    /// The same in the order of A.
    permuted: Vec<[R; 6]>,
}

/// G through the bodies. Bodies of rows are elimination positions of H.
pub struct BodySpace<'a, R> {
    /// Rows of J, and C.
    pub rows: &'a [SparseRow<R>],
    /// H before and after it was factored, and its pattern.
    pub matrix: &'a BlockFactor<R>,
    /// L Lᵀ = H.
    pub factor: &'a BlockFactor<R>,
    /// Pattern of both.
    pub pattern: &'a BlockPattern,
    /// Memory.
    pub ws: &'a mut BodySpaceWorkspace<R>,
}

impl<R: Real> BodySpace<'_, R> {
    /// Looks at which bodies the rows connect; `diagonal` holds G's.
    pub fn analyse(&mut self, diagonal: impl Iterator<Item = R>) {
        let (pattern, rows, ws) = (self.pattern, self.rows, &mut *self.ws);
        let nodes = pattern.nodes();
        ws.touching.clear();
        ws.touching.extend(rows.iter().filter_map(|row| row.bodies.0.map(|a| (a, row.bodies.1))));
        ws.touching.dedup();
        if ws.pattern.nodes() != nodes || ws.touching != ws.edges {
            ws.pattern.analyse(nodes, pattern.coupled().chain(ws.touching.iter().copied()));
            std::mem::swap(&mut ws.touching, &mut ws.edges);
        }
        ws.blocks.clear();
        for (i, row) in rows.iter().enumerate() {
            let same = i > 0 && rows[i - 1].bodies == row.bodies;
            let block = if same {
                ws.blocks[i - 1]
            } else {
                row.bodies.0.and_then(|a| ws.pattern.block(row.bodies.1, a))
            };
            ws.blocks.push(block);
        }
        ws.diagonal.clear();
        ws.diagonal.extend(diagonal);
        for list in [&mut ws.x, &mut ws.permuted] {
            list.clear();
            list.resize(nodes, [R::zero(); 6]);
        }
    }

    /// g += G (λ − λ₀): a problem's velocities follow its reactions.
    #[inline(always)]
    pub fn follow(&mut self, problem: &mut DualProblem<R>, before: &[R], lambda: &[R]) {
        self.gather(|_, i| lambda[i] - before[i]);
        self.factor.solve(self.pattern, &mut self.ws.x);
        for i in 0..lambda.len() {
            let own = self.rows[i].compliance.mul_add(lambda[i] - before[i], self.row_times(i));
            problem.g[i] += own;
        }
    }

    /// The pattern of A.
    pub(crate) fn coupled_pattern(&self) -> &BlockPattern {
        &self.ws.pattern
    }

    /// The block of A between the bodies of a row, and whether the second one is the block's row.
    #[inline(always)]
    pub(crate) fn block_of(&self, row: usize) -> Option<(usize, bool)> {
        self.ws.blocks[row]
    }

    /// An unsymmetric matrix of A's pattern ← H.
    #[inline(always)]
    pub(crate) fn copy_matrix_into(&self, to: &mut BlockLu<R>) {
        to.clear();
        let own = &self.ws.pattern;
        for k in 0..self.pattern.nodes() {
            let (from, block) = (self.matrix.diagonal(k), to.diagonal_mut(own.position(k)));
            for i in 0..6 {
                for j in 0..=i {
                    (block[i][j], block[j][i]) = (from[i][j], from[i][j]);
                }
            }
            for q in self.pattern.column(k) {
                if let Some((block, is_row)) = own.block(self.pattern.row_of(q), k) {
                    let from = self.matrix.off_diagonal(q);
                    *to.block_mut((block, is_row)) = *from;
                    *to.block_mut((block, !is_row)) = transposed(from);
                }
            }
        }
    }

    /// x ← Jᵀ y
    #[inline(always)]
    pub(crate) fn gather_into(&self, y: &[R], x: &mut [[R; 6]]) {
        x.fill([R::zero(); 6]);
        for (row, y) in self.rows.iter().zip(y) {
            let (a, b) = row.bodies;
            add_times(&mut x[b], &row.blocks[1], *y);
            if let Some(a) = a {
                add_times(&mut x[a], &row.blocks[0], *y);
            }
        }
    }

    /// (J x)ᵢ
    #[inline(always)]
    pub(crate) fn row_speed(&self, i: usize, x: &[[R; 6]]) -> R {
        let row = &self.rows[i];
        let mut sum = dot(&row.blocks[1], &x[row.bodies.1]);
        if let Some(a) = row.bodies.0 {
            sum += dot(&row.blocks[0], &x[a]);
        }
        sum
    }

    /// x ← Jᵀ y
    #[inline(always)]
    fn gather(&mut self, y: impl Fn(&BodySpaceWorkspace<R>, usize) -> R) {
        self.ws.x.fill([R::zero(); 6]);
        for (i, row) in self.rows.iter().enumerate() {
            let y = y(self.ws, i);
            let (a, b) = row.bodies;
            add_times(&mut self.ws.x[b], &row.blocks[1], y);
            if let Some(a) = a {
                add_times(&mut self.ws.x[a], &row.blocks[0], y);
            }
        }
    }

    /// (J x)ᵢ
    #[inline(always)]
    fn row_times(&self, i: usize) -> R {
        self.row_speed(i, &self.ws.x)
    }

    /// A ← H, its blocks at their new places.
    #[inline(always)]
    fn copy_matrix(&mut self) {
        let (pattern, ws) = (self.pattern, &mut *self.ws);
        ws.factor.reset(&ws.pattern);
        for k in 0..pattern.nodes() {
            *ws.factor.diagonal_mut(ws.pattern.position(k)) = *self.matrix.diagonal(k);
            for q in pattern.column(k) {
                let row = pattern.row_of(q);
                if let Some((block, is_row)) = ws.pattern.block(row, k) {
                    let own = self.matrix.off_diagonal(q);
                    *ws.factor.off_diagonal_mut(block) = if is_row { *own } else { transposed(own) };
                }
            }
        }
    }
}

impl<R: Real> Delassus<R> for BodySpace<'_, R> {
    fn diagonal(&self, i: usize) -> R {
        self.ws.diagonal[i]
    }

    #[inline(always)]
    fn times(&mut self, x: &[R], out: &mut [R]) {
        self.gather(|_, i| x[i]);
        self.factor.solve(self.pattern, &mut self.ws.x);
        for i in 0..x.len() {
            out[i] = self.rows[i].compliance.mul_add(x[i], self.row_times(i));
        }
    }

    /// E ‖P G P z‖² = ‖P G P‖_F² for signs z at random: here for one fixed draw.
    #[inline(always)]
    fn norm(&mut self, scale: &[R]) -> R {
        let sign = |i: usize| {
            let mixed = (i as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
            if mixed >> 40 & 1 == 0 { R::one() } else { -R::one() }
        };
        self.gather(|_, i| sign(i) * scale[i]);
        self.factor.solve(self.pattern, &mut self.ws.x);
        let mut square = R::zero();
        for i in 0..scale.len() {
            let soft = self.rows[i].compliance * sign(i) * scale[i];
            let value = (self.row_times(i) + soft) * scale[i];
            square = value.mul_add(value, square);
        }
        square.sqrt()
    }

    #[inline(always)]
    fn factor(&mut self, scale: &[R], sigma: R) {
        self.copy_matrix();
        let ws = &mut *self.ws;
        ws.scale.clear();
        ws.inverse.clear();
        for (i, row) in self.rows.iter().enumerate() {
            let p = scale[i];
            let inverse = (p * p).mul_add(row.compliance, sigma).recip();
            ws.scale.push(p);
            ws.inverse.push(inverse);
            let weight = p * p * inverse;
            let (a, b) = row.bodies;
            add_square(ws.factor.diagonal_mut(ws.pattern.position(b)), &row.blocks[1], weight);
            if let Some(a) = a {
                add_square(ws.factor.diagonal_mut(ws.pattern.position(a)), &row.blocks[0], weight);
            }
            if let Some((block, b_is_row)) = ws.blocks[i] {
                let [on_a, on_b] = &row.blocks;
                let (r, c) = if b_is_row { (on_b, on_a) } else { (on_a, on_b) };
                add_outer(ws.factor.off_diagonal_mut(block), r, c, weight);
            }
        }
        ws.factor.factor(&ws.pattern);
    }

    #[inline(always)]
    fn solve(&mut self, _guess: &[R], x: &mut [R]) {
        self.gather(|ws, i| x[i] * (ws.scale[i] * ws.inverse[i]));
        let ws = &mut *self.ws;
        for k in 0..ws.x.len() {
            ws.permuted[ws.pattern.position(k)] = ws.x[k];
        }
        ws.factor.solve(&ws.pattern, &mut ws.permuted);
        for k in 0..ws.x.len() {
            ws.x[k] = ws.permuted[ws.pattern.position(k)];
        }
        for i in 0..x.len() {
            let moved = self.row_times(i) * self.ws.scale[i];
            x[i] = (x[i] - moved) * self.ws.inverse[i];
        }
    }
}

#[inline(always)]
fn dot<R: Real>(a: &[R; 6], b: &[R; 6]) -> R {
    let mut sum = a[0] * b[0];
    for k in 1..6 {
        sum = a[k].mul_add(b[k], sum);
    }
    sum
}

#[inline(always)]
fn add_times<R: Real>(x: &mut [R; 6], row: &[R; 6], y: R) {
    for k in 0..6 {
        x[k] = row[k].mul_add(y, x[k]);
    }
}

#[inline(always)]
fn transposed<R: Real>(block: &Block<R>) -> Block<R> {
    let mut out = *block;
    for r in 0..6 {
        for c in 0..6 {
            out[r][c] = block[c][r];
        }
    }
    out
}

/// Lower triangle.
#[inline(always)]
fn add_square<R: Real>(block: &mut Block<R>, row: &[R; 6], weight: R) {
    for r in 0..6 {
        let weighted = row[r] * weight;
        for c in 0..=r {
            block[r][c] = weighted.mul_add(row[c], block[r][c]);
        }
    }
}

#[inline(always)]
fn add_outer<R: Real>(block: &mut Block<R>, a: &[R; 6], b: &[R; 6], weight: R) {
    for r in 0..6 {
        let weighted = a[r] * weight;
        for c in 0..6 {
            block[r][c] = weighted.mul_add(b[c], block[r][c]);
        }
    }
}
