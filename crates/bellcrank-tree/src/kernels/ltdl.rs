//! M = Lᵀ D L along the branches of the tree, without fill-in ([Featherstone 2008] section 6.5).
//!
//! Row k of L has entries only at the velocities between k and the root (see [`Branches`]), so that factor and solves
//! cost Σ depth² and Σ depth instead of n³ and n², and every inner loop runs over numbers next to each other.

use crate::branches::Branches;
use crate::node::WORLD;
use bellcrank_math::Real;

/// Columns that are solved for at a time: their numbers stay in the nearest memory.
const TILE: usize = 8;

/// Replaces M by L and, on the diagonal, D⁻¹.
#[inline(always)]
pub fn factor<R: Real>(branches: &Branches, m: &mut [R]) {
    for k in (0..branches.size()).rev() {
        let (before, row) = m.split_at_mut(branches.start[k]);
        let row = &mut row[..branches.depth(k)];
        let inverse = row[0].recip();
        row[0] = inverse;
        let (mut i, mut t) = (branches.parent[k], 1);
        while i != WORLD {
            let a = row[t] * inverse;
            let above = &mut before[branches.start[i]..][..row.len() - t];
            for (m_ij, m_kj) in above.iter_mut().zip(&row[t..]) {
                *m_ij = a.neg_mul_add(*m_kj, *m_ij);
            }
            row[t] = a;
            (i, t) = (branches.parent[i], t + 1);
        }
    }
}

/// X ← M⁻¹ X for a matrix of `columns` columns by rows.
#[inline(always)]
pub fn solve<R: Real>(branches: &Branches, factor: &[R], x: &mut [R], columns: usize) {
    let mut first = 0;
    while first < columns {
        let count = TILE.min(columns - first);
        solve_columns(branches, factor, x, columns, (first, count));
        first += count;
    }
}

#[inline(always)]
fn solve_columns<R: Real>(
    branches: &Branches,
    factor: &[R],
    x: &mut [R],
    columns: usize,
    (first, count): (usize, usize),
) {
    let n = branches.size();
    for k in (0..n).rev() {
        let (mut i, mut place) = (branches.parent[k], branches.start[k] + 1);
        while i != WORLD {
            let (above, own) = x.split_at_mut(k * columns);
            subtract(&mut above[i * columns + first..][..count], factor[place], &own[first..first + count]);
            (i, place) = (branches.parent[i], place + 1);
        }
    }
    for k in 0..n {
        let (above, own) = x.split_at_mut(k * columns);
        let own = &mut own[first..first + count];
        let mut place = branches.start[k];
        for value in own.iter_mut() {
            *value *= factor[place];
        }
        let mut i = branches.parent[k];
        while i != WORLD {
            place += 1;
            subtract(own, factor[place], &above[i * columns + first..][..count]);
            i = branches.parent[i];
        }
    }
}

/// to −= s · from
#[inline(always)]
fn subtract<R: Real>(to: &mut [R], s: R, from: &[R]) {
    for (to, from) in to.iter_mut().zip(from) {
        *to = s.neg_mul_add(*from, *to);
    }
}
