//! How arrays of the user map to blocks of lanes in tree order.
//!
//! The user's arrays are row-major, one row per state, in the user's order of joints; kernels see one lane per
//! state, in tree order, with every angle counted about a positive coordinate axis. Reordering and signs happen
//! here, while transposing, and nowhere else.

use crate::model::TreeModel;
use bellcrank_math::{Elem, Real};

/// What one row of an array holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// A configuration `q`.
    Configuration,
    /// Something in velocities' order: v, a, efforts, gradients.
    Tangent,
    /// A square matrix, rows and columns in velocities' order.
    TangentMatrix,
    /// A matrix of so many rows with columns in velocities' order.
    Columns(usize),
    /// A matrix with rows in velocities' order and so many columns.
    Rows(usize),
    /// So many numbers that do not depend on the order of joints.
    Plain(usize),
}

impl Layout {
    /// Numbers per state.
    pub fn width<E: Elem>(self, tree: &TreeModel<E>) -> usize {
        let nv = tree.dof_count();
        match self {
            Layout::Configuration => tree.coordinate_count(),
            Layout::Tangent => nv,
            Layout::TangentMatrix => nv * nv,
            Layout::Columns(n) | Layout::Rows(n) => n * nv,
            Layout::Plain(n) => n,
        }
    }
}

/// Where a row's numbers go in a block: computed once per call.
#[derive(Clone, Debug)]
pub struct Map<E> {
    /// Numbers per state.
    pub width: usize,
    /// For each number of the user's row, its place in the block.
    source: Vec<usize>,
    /// ±1, in the user's order.
    sign: Vec<E>,
}

/// Numbers of a row that are moved at a time: one vector register of `f64`.
const CHUNK: usize = 8;
/// No lane type has more lanes than this.
const MOST_LANES: usize = 16;

impl<E: Elem> Map<E> {
    /// The map of a layout.
    pub fn new(layout: Layout, tree: &TreeModel<E>) -> Self {
        let (q, v) = (&tree.q_order, &tree.v_order);
        let nv = tree.dof_count();
        let dofs = || (0..nv).map(|k| (v.place[k], v.sign[k]));
        // place in the user's row, and sign, of each number of the block
        let pairs: Vec<(usize, E)> = match layout {
            Layout::Configuration => q.place.iter().copied().zip(q.sign.iter().copied()).collect(),
            Layout::Tangent => dofs().collect(),
            Layout::TangentMatrix => {
                dofs().flat_map(|(r, s)| dofs().map(move |(c, t)| (r * nv + c, s * t))).collect()
            }
            Layout::Columns(n) => (0..n).flat_map(|r| dofs().map(move |(c, t)| (r * nv + c, t))).collect(),
            Layout::Rows(n) => dofs().flat_map(|(r, s)| (0..n).map(move |c| (r * n + c, s))).collect(),
            Layout::Plain(n) => (0..n).map(|k| (k, E::one())).collect(),
        };
        let mut map =
            Map { width: pairs.len(), source: vec![0; pairs.len()], sign: vec![E::one(); pairs.len()] };
        for (k, (place, sign)) in pairs.into_iter().enumerate() {
            (map.source[place], map.sign[place]) = (k, sign);
        }
        map
    }

    /// Reads the states `first..` of a block; beyond the last state its copies fill the lanes.
    #[inline(always)]
    pub fn load<R: Real<Elem = E>>(&self, rows: &[E], first: usize, count: usize, block: &mut [R]) {
        let rows = &rows[first * self.width..(first + count) * self.width];
        for (place, (k, sign)) in self.source.iter().zip(&self.sign).enumerate() {
            let value = R::from_lanes(|lane| rows[lane.min(count - 1) * self.width + place]);
            block[*k] = value.scale(*sign);
        }
    }

    /// Writes `count` states from a block, the first of them to row `first`.
    #[inline(always)]
    pub fn store<R: Real<Elem = E>>(&self, block: &[R], rows: &mut [E], first: usize, count: usize) {
        let rows = &mut rows[first * self.width..(first + count) * self.width];
        let mut at = 0;
        while at + CHUNK <= self.width {
            self.store_some::<R, CHUNK>(block, rows, at);
            at += CHUNK;
        }
        while at < self.width {
            self.store_some::<R, 1>(block, rows, at);
            at += 1;
        }
    }

    /// Transposes `N` columns from column `at` on, through a small array: whole vectors in, rows out.
    #[inline(always)]
    fn store_some<R: Real<Elem = E>, const N: usize>(&self, block: &[R], rows: &mut [E], at: usize) {
        let mut tile = [[E::zero(); MOST_LANES]; N];
        for j in 0..N {
            let value = block[self.source[at + j]].scale(self.sign[at + j]);
            for lane in 0..R::LANES {
                tile[j][lane] = value.lane(lane);
            }
        }
        for (lane, row) in rows.chunks_exact_mut(self.width).enumerate() {
            let row = &mut row[at..at + N];
            for j in 0..N {
                row[j] = tile[j][lane % MOST_LANES];
            }
        }
    }
}
