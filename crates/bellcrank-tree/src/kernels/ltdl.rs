//! M = Lᵀ D L along the branches of the tree, without fill-in ([Featherstone 2008] section 6.5).
//!
//! Row i of L has entries only at the velocities between i and the root, so that factor and solves cost
//! Σ depth² and Σ depth instead of n³ and n².

use crate::node::WORLD;
use bellcrank_math::Real;

/// Replaces M (n × n by rows; the lower triangle is read) by L below and D⁻¹ on the diagonal.
#[inline(always)]
pub fn factor<R: Real>(parent: &[usize], m: &mut [R]) {
    let n = parent.len();
    for k in (0..n).rev() {
        let inverse = m[k * n + k].recip();
        m[k * n + k] = inverse;
        let mut i = parent[k];
        while i != WORLD {
            let a = m[k * n + i] * inverse;
            let mut j = i;
            while j != WORLD {
                m[i * n + j] = a.neg_mul_add(m[k * n + j], m[i * n + j]);
                j = parent[j];
            }
            m[k * n + i] = a;
            i = parent[i];
        }
    }
}

/// X ← M⁻¹ X for a matrix of `columns` columns by rows.
#[inline(always)]
pub fn solve<R: Real>(parent: &[usize], factor: &[R], x: &mut [R], columns: usize) {
    let n = parent.len();
    for k in (0..n).rev() {
        let mut i = parent[k];
        while i != WORLD {
            subtract(x, columns, i, k, factor[k * n + i]);
            i = parent[i];
        }
    }
    for k in 0..n {
        let inverse = factor[k * n + k];
        for value in &mut x[k * columns..(k + 1) * columns] {
            *value *= inverse;
        }
        let mut i = parent[k];
        while i != WORLD {
            subtract(x, columns, k, i, factor[k * n + i]);
            i = parent[i];
        }
    }
}

/// Row `to` −= s · row `from`.
#[inline(always)]
fn subtract<R: Real>(x: &mut [R], columns: usize, to: usize, from: usize, s: R) {
    for c in 0..columns {
        x[to * columns + c] = s.neg_mul_add(x[from * columns + c], x[to * columns + c]);
    }
}
