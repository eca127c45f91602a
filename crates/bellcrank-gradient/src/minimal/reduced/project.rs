//! From bodies to freedoms: G = T⁰ᵀ K Tᵗ, with K what bodies are short of when they are moved at the time t, T how they move with the
//! freedoms. All links below a freedom move as one body, so that sums of K over branches do, as in the composite rigid body
//! algorithm.

use super::branches::{Branch, Branches};
use super::joints::FreedomRow;
use super::{Block, Push};
use crate::minimal::chain::Chain;
use bellcrank_math::{Real, Vec3};
use bellcrank_step::rows::drives::row_velocity as dot;

/// What it takes.
pub(super) struct Project<'a, R> {
    pub branches: &'a Branches,
    /// At the start of the step, where forces act, and at the time at which bodies are moved.
    pub start: &'a Chain<R>,
    pub moved: &'a Chain<R>,
    pub rows: &'a [FreedomRow<R>],
    pub time: usize,
}

/// A wrench, or a row on a motion, of the child as one of its parent: n + arm × f.
#[inline(always)]
pub(super) fn carry_up<R: Real>(six: &mut [R; 6], arm: Vec3<R>) {
    let n = arm.cross_add(Vec3::new(six[0], six[1], six[2]), Vec3::new(six[3], six[4], six[5]));
    (six[3], six[4], six[5]) = (n.x, n.y, n.z);
}

#[inline(always)]
fn times<R: Real>(block: &Block<R>, x: &[R; 6]) -> [R; 6] {
    let mut y = [R::zero(); 6];
    for r in 0..6 {
        y[r] = dot(&block[r], x);
    }
    y
}

#[inline(always)]
fn transpose_times<R: Real>(block: &Block<R>, x: &[R; 6]) -> [R; 6] {
    let mut y = [R::zero(); 6];
    for c in 0..6 {
        y[c] = block[0][c] * x[0];
    }
    for r in 1..6 {
        for c in 0..6 {
            y[c] = block[r][c].mul_add(x[r], y[c]);
        }
    }
    y
}

impl<R: Real> Project<'_, R> {
    /// Sums over branches, from the leaves on: a parent's block takes its children's, moved to its own centre of mass.
    #[inline(always)]
    pub fn sum_up(&self, blocks: &mut [Block<R>]) {
        for (l, link) in self.branches.links.iter().enumerate().rev() {
            let Some(up) = link.up else { continue };
            let mut block = blocks[link.body];
            for r in 0..6 {
                carry_up(&mut block[r], self.moved.links[l].arm);
            }
            let (arm, sum) = (self.start.links[l].arm, &mut blocks[self.branches.links[up].body]);
            for c in 0..6 {
                let mut column = [R::zero(); 6];
                for r in 0..6 {
                    column[r] = block[r][c];
                }
                carry_up(&mut column, arm);
                for r in 0..6 {
                    sum[r][c] += column[r];
                }
            }
        }
    }

    /// G of all freedoms that move each other, by row.
    #[inline(always)]
    pub fn fill(&self, blocks: &[Block<R>], G: &mut [R]) {
        let n = self.branches.freedoms();
        for (l, link) in self.branches.links.iter().enumerate() {
            let block = &blocks[link.body];
            for k in link.first..link.first + link.count {
                let (axis, push) = (&self.moved.axes[k], times(block, &self.moved.axes[k]));
                for i in link.first..link.first + link.count {
                    let own = dot(&self.rows[i].own[self.time], axis);
                    G[i * n + k] = dot(&self.start.axes[i], &push) + own;
                }
                G[k * n + k] += self.rows[k].along[self.time];
                self.fill_column(l, k, push, G);
                self.fill_row(l, k, block, G);
            }
        }
    }

    /// The equations of the freedoms above, when freedom `k` of a link moves.
    #[inline(always)]
    fn fill_column(&self, mut l: usize, k: usize, mut push: [R; 6], G: &mut [R]) {
        let n = self.branches.freedoms();
        while let Some(up) = self.branches.links[l].up {
            carry_up(&mut push, self.start.links[l].arm);
            let Branch { first, count, .. } = self.branches.links[up];
            for i in first..first + count {
                G[i * n + k] = dot(&self.start.axes[i], &push);
            }
            l = up;
        }
    }

    /// The equation of freedom `i` of a link, when the freedoms above move.
    #[inline(always)]
    fn fill_row(&self, mut l: usize, i: usize, block: &Block<R>, G: &mut [R]) {
        let n = self.branches.freedoms();
        let (mut row, own) = (transpose_times(block, &self.start.axes[i]), &self.rows[i].own[self.time]);
        let mut parent = &self.rows[i].parent[self.time];
        for c in 0..6 {
            row[c] += own[c];
        }
        let none = [R::zero(); 6];
        while let Some(up) = self.branches.links[l].up {
            carry_up(&mut row, self.moved.links[l].arm);
            for c in 0..6 {
                row[c] += parent[c];
            }
            parent = &none;
            let Branch { first, count, .. } = self.branches.links[up];
            for k in first..first + count {
                G[i * n + k] = dot(&self.moved.axes[k], &row);
            }
            l = up;
        }
    }

    /// Adds what one body pushes when another moves: all freedoms above the one, by all above the other.
    #[inline(always)]
    pub fn add_push(&self, push: &Push<R>, G: &mut [R]) {
        let n = self.branches.freedoms();
        let (mut block, mut on) = (push.block, Some(self.branches.link_of[push.on]));
        while let Some(a) = on {
            let Branch { first, count, up, .. } = self.branches.links[a];
            for i in first..first + count {
                let row = transpose_times(&block, &self.start.axes[i]);
                self.add_row((self.branches.link_of[push.by], i * n), row, G);
            }
            for c in 0..6 {
                let mut column = [R::zero(); 6];
                for r in 0..6 {
                    column[r] = block[r][c];
                }
                carry_up(&mut column, self.start.links[a].arm);
                for r in 0..6 {
                    block[r][c] = column[r];
                }
            }
            on = up;
        }
    }

    /// A row on the motion of a link, as one on the freedoms that move it.
    #[inline(always)]
    fn add_row(&self, (mut l, at): (usize, usize), mut row: [R; 6], G: &mut [R]) {
        loop {
            let Branch { first, count, up, .. } = self.branches.links[l];
            for k in first..first + count {
                G[at + k] += dot(&self.moved.axes[k], &row);
            }
            let Some(up) = up else { break };
            carry_up(&mut row, self.moved.links[l].arm);
            l = up;
        }
    }
}
