//! M = Lᵀ D L along the branches of the tree, without fill-in ([Featherstone 2008] section 6.5).
//!
//! Row k of L has entries only at the velocities between k and the root (see [`Branches`]), so that factor and solves
//! cost Σ depth² and Σ depth instead of n³ and n², and every inner loop runs over numbers next to each other.

use crate::branches::Branches;
use crate::node::WORLD;
use bellcrank_math::Real;

/// Columns that are solved for at a time: a row of them fits into registers.
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
    while first + TILE <= columns {
        solve_columns::<R, TILE>(branches, factor, x, (first, columns));
        first += TILE;
    }
    // the rest in as few pieces as possible: a single column waits for each of its own results
    if first + 4 <= columns {
        solve_columns::<R, 4>(branches, factor, x, (first, columns));
        first += 4;
    }
    if first + 2 <= columns {
        solve_columns::<R, 2>(branches, factor, x, (first, columns));
        first += 2;
    }
    if first < columns {
        solve_columns::<R, 1>(branches, factor, x, (first, columns));
    }
}

/// Likewise for `W` columns from `first` on. A row stays in registers while everything is taken off it.
#[inline(always)]
fn solve_columns<R: Real, const W: usize>(
    branches: &Branches,
    factor: &[R],
    x: &mut [R],
    (first, columns): (usize, usize),
) {
    let n = branches.size();
    // Lᵀ y = x: row i loses what the velocities beyond it hand down
    for i in (0..n).rev() {
        let mut own = read::<R, W>(x, i * columns + first);
        let depth = branches.depth(i);
        for k in i + 1..branches.end[i] {
            let l = factor[branches.start[k + 1] - depth];
            take_off(&mut own, l, &x[k * columns + first..]);
        }
        x[i * columns + first..][..W].copy_from_slice(&own);
    }
    // L z = D⁻¹ y
    for k in 0..n {
        let mut own = read::<R, W>(x, k * columns + first);
        let mut place = branches.start[k];
        for j in 0..W {
            own[j] *= factor[place];
        }
        let mut i = branches.parent[k];
        while i != WORLD {
            place += 1;
            take_off(&mut own, factor[place], &x[i * columns + first..]);
            i = branches.parent[i];
        }
        x[k * columns + first..][..W].copy_from_slice(&own);
    }
}

#[inline(always)]
fn read<R: Real, const W: usize>(x: &[R], at: usize) -> [R; W] {
    let mut row = [R::zero(); W];
    row.copy_from_slice(&x[at..at + W]);
    row
}

/// own −= l · other
#[inline(always)]
fn take_off<R: Real, const W: usize>(own: &mut [R; W], l: R, other: &[R]) {
    let other = &other[..W];
    for j in 0..W {
        own[j] = l.neg_mul_add(other[j], own[j]);
    }
}
