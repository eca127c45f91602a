//! How arrays of the user map to blocks of lanes in tree order.
//!
//! The user's arrays are row-major, one row per state, in the user's order of joints; kernels see one lane per
//! state, in tree order, with every angle counted about a positive coordinate axis. Reordering and signs happen
//! here, while transposing, and nowhere else.

use crate::model::TreeModel;
use bellcrank_math::{Elem, Real};

/// What one row of an array holds, and how the kernels' block holds it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Layout<'a> {
    /// A configuration `q`.
    Configuration,
    /// Something in velocities' order: v, a, efforts, gradients.
    Tangent,
    /// A square matrix, rows and columns in velocities' order.
    TangentMatrix,
    /// Likewise, but symmetric and zero between unrelated branches: the block holds what is on and below the diagonal,
    /// as [`crate::Branches`] says.
    Symmetric,
    /// Likewise, but not symmetric: what is on and below the diagonal, then what is above it.
    Branched,
    /// The block of a symmetric matrix as it is, without zeros: see [`TreeModel::mass_entries`].
    SymmetricEntries,
    /// The block of a matrix that is not symmetric, the diagonal once: see [`TreeModel::derivative_entries`].
    BranchedEntries,
    /// A matrix of so many rows with columns in velocities' order.
    Columns(usize),
    /// A matrix with rows in velocities' order and so many columns.
    Rows(usize),
    /// So many numbers that do not depend on the order of joints.
    Plain(usize),
    /// Numbers picked from a block of so many: for each its place there and a factor, ±1.
    Picked(&'a [(usize, f64)], usize),
}

impl Layout<'_> {
    /// Numbers per state.
    pub fn width<E: Elem>(self, tree: &TreeModel<E>) -> usize {
        let nv = tree.dof_count();
        match self {
            Layout::Configuration => tree.coordinate_count(),
            Layout::Tangent => nv,
            Layout::TangentMatrix | Layout::Symmetric | Layout::Branched => nv * nv,
            Layout::SymmetricEntries => tree.branches.entries(),
            Layout::BranchedEntries => 2 * tree.branches.entries() - nv,
            Layout::Columns(n) | Layout::Rows(n) => n * nv,
            Layout::Plain(n) => n,
            Layout::Picked(picks, _) => picks.len(),
        }
    }

    /// Numbers per lane of the block.
    pub fn block<E: Elem>(self, tree: &TreeModel<E>) -> usize {
        match self {
            Layout::Symmetric => tree.branches.entries(),
            Layout::Branched | Layout::BranchedEntries => 2 * tree.branches.entries(),
            Layout::Picked(_, block) => block,
            _ => self.width(tree),
        }
    }
}

/// Place in the block of a number that is zero in every state and therefore not in it.
const NOWHERE: usize = usize::MAX;

/// What has to be done with as many columns as there are lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Effort {
    /// All of them are zero in every state.
    Zero,
    /// They are moved as they are, and stand side by side in the block.
    Straight,
    /// They are moved as they are.
    Move,
    /// Some change sign.
    Change,
}

/// Where a row's numbers go in a block: computed once per call.
#[derive(Clone, Debug)]
pub struct Map<E> {
    /// Numbers per state in the user's array.
    pub width: usize,
    /// Numbers per state in the block.
    pub block: usize,
    /// For each number of the user's row, its place in the block.
    source: Vec<usize>,
    /// ±1, in the user's order.
    sign: Vec<E>,
    /// By windows of as many columns as there are lanes, the last one ending with the row.
    efforts: Vec<Effort>,
}

/// No lane type has more lanes than this.
const MOST_LANES: usize = 16;

impl<E: Elem> Map<E> {
    /// The map of a layout, for values of so many lanes.
    pub fn new(layout: Layout<'_>, tree: &TreeModel<E>, lanes: usize) -> Self {
        let width = layout.width(tree);
        let mut map = Map {
            width,
            block: layout.block(tree),
            source: vec![NOWHERE; width],
            sign: vec![E::one(); width],
            efforts: Vec::new(),
        };
        map.fill(layout, tree);
        map.efforts = (0..width).step_by(lanes).map(|next| map.effort(next, lanes)).collect();
        map
    }

    /// Tells where, counted from the block's start, a zero stands for the numbers that are not in the block.
    pub fn set_zero(&mut self, place: usize) {
        self.source.iter_mut().filter(|k| **k == NOWHERE).for_each(|k| *k = place);
    }

    /// Sets places and signs.
    fn fill(&mut self, layout: Layout<'_>, tree: &TreeModel<E>) {
        let (nv, v) = (tree.dof_count(), &tree.v_order);
        let dofs = || v.place.iter().zip(&v.sign).enumerate();
        match layout {
            Layout::Plain(n) => (0..n).for_each(|k| self.put(k, k, E::one())),
            Layout::Picked(picks, _) => {
                for (at, (k, sign)) in picks.iter().enumerate() {
                    self.put(at, *k, E::from_f64(*sign));
                }
            }
            Layout::Configuration => {
                for (k, (place, sign)) in tree.q_order.place.iter().zip(&tree.q_order.sign).enumerate() {
                    self.put(*place, k, *sign);
                }
            }
            Layout::Tangent => dofs().for_each(|(k, (place, sign))| self.put(*place, k, *sign)),
            Layout::Columns(n) => {
                for (k, (c, sign)) in dofs() {
                    (0..n).for_each(|r| self.put(r * nv + c, r * nv + k, *sign));
                }
            }
            Layout::Rows(n) => {
                for (k, (r, sign)) in dofs() {
                    (0..n).for_each(|c| self.put(r * n + c, k * n + c, *sign));
                }
            }
            Layout::TangentMatrix => {
                for (j, (r, s)) in dofs() {
                    dofs().for_each(|(k, (c, t))| self.put(r * nv + c, j * nv + k, *s * *t));
                }
            }
            Layout::Symmetric => self.fill_branches(tree, 0),
            Layout::Branched => self.fill_branches(tree, tree.branches.entries()),
            Layout::SymmetricEntries | Layout::BranchedEntries => self.fill_entries(tree),
        }
    }

    /// Entries along branches; those above the diagonal stand `above` places further on than their mirror images.
    fn fill_branches(&mut self, tree: &TreeModel<E>, above: usize) {
        let (nv, v, branches) = (tree.dof_count(), &tree.v_order, &tree.branches);
        for (place, (k, j)) in branches.pairs().enumerate() {
            let (r, c, sign) = (v.place[k], v.place[j], v.sign[k] * v.sign[j]);
            self.put(c * nv + r, above + place, sign);
            self.put(r * nv + c, place, sign);
        }
    }

    /// All entries on and below the diagonal, and as many of those above it as there is room for.
    fn fill_entries(&mut self, tree: &TreeModel<E>) {
        let (v, branches) = (&tree.v_order, &tree.branches);
        let pairs = || branches.pairs().enumerate();
        let above =
            pairs().filter(|(_, (k, j))| k != j).map(|(place, pair)| (branches.entries() + place, pair));
        for (at, (place, (k, j))) in pairs().chain(above).enumerate().take(self.width) {
            self.put(at, place, v.sign[k] * v.sign[j]);
        }
    }

    fn put(&mut self, at: usize, place: usize, sign: E) {
        (self.source[at], self.sign[at]) = (place, sign);
    }

    /// What as many columns as lanes, from `next` on, need.
    fn effort(&self, next: usize, lanes: usize) -> Effort {
        let at = self.window(next, lanes);
        let end = self.width.min(at + lanes);
        if self.source[at..end].iter().all(|k| *k == NOWHERE) {
            Effort::Zero
        } else if self.sign[at..end].iter().any(|sign| *sign != E::one()) {
            Effort::Change
        } else if self.source[at..end].windows(2).all(|pair| pair[0].checked_add(1) == Some(pair[1])) {
            Effort::Straight
        } else {
            Effort::Move
        }
    }

    /// Reads the states `first..` of a block; beyond the last state its copies fill the lanes.
    #[allow(clippy::manual_memcpy)] // copying a slice is a call, and what it copies leaves its registers
    #[inline(always)]
    pub fn load<R: Real<Elem = E>>(&self, rows: &[E], first: usize, count: usize, block: &mut [R]) {
        let rows = &rows[first * self.width..(first + count) * self.width];
        if R::LANES == 1 {
            for (x, (k, sign)) in rows.iter().zip(self.source.iter().zip(&self.sign)) {
                block[*k] = R::splat(*x * *sign);
            }
            return;
        }
        if self.width == 0 {
            return;
        }
        if self.width < R::LANES {
            self.load_narrow(rows, count, block);
            return;
        }
        // all of the same length: one test per window whether it fits
        let mut row = [&rows[..0]; MOST_LANES];
        for lane in 0..R::LANES {
            row[lane] = &rows[lane.min(count - 1) * self.width..][..self.width];
        }
        let mut square = [R::zero(); MOST_LANES];
        // slices of constant length: everything stays in registers
        for (w, effort) in self.efforts.iter().enumerate() {
            let at = self.window(w * R::LANES, R::LANES);
            for lane in 0..R::LANES {
                square[lane] = R::load(&row[lane][at..at + R::LANES]);
            }
            R::transpose(&mut square[..R::LANES]);
            let (places, signs) = (&self.source[at..at + R::LANES], &self.sign[at..at + R::LANES]);
            match effort {
                Effort::Straight => {
                    let side_by_side = &mut block[places[0]..][..R::LANES];
                    for j in 0..R::LANES {
                        side_by_side[j] = square[j];
                    }
                }
                Effort::Change => {
                    for j in 0..R::LANES {
                        block[places[j]] = square[j].scale(signs[j]);
                    }
                }
                Effort::Zero | Effort::Move => {
                    for j in 0..R::LANES {
                        block[places[j]] = square[j];
                    }
                }
            }
        }
    }

    /// One row, in numbers of any type, to its places in a block.
    pub fn take_row<R: Real<Elem = E>>(&self, row: &[R], block: &mut [R]) {
        for (x, (place, sign)) in row.iter().zip(self.source.iter().zip(&self.sign)) {
            block[*place] = if *sign == E::one() { *x } else { x.scale(*sign) };
        }
    }

    /// One row from a block; what is not in it is zero.
    pub fn give_row<R: Real<Elem = E>>(&self, block: &[R]) -> Vec<R> {
        let from = |(place, sign): (&usize, &E)| match block.get(*place) {
            None => R::zero(),
            Some(x) if *sign == E::one() => *x,
            Some(x) => x.scale(*sign),
        };
        self.source.iter().zip(&self.sign).map(from).collect()
    }

    /// Rows shorter than a register. (Apart, because a square that is indexed by a loop lives in memory.)
    #[inline(always)]
    fn load_narrow<R: Real<Elem = E>>(&self, rows: &[E], count: usize, block: &mut [R]) {
        let mut square = [R::zero(); MOST_LANES];
        for lane in 0..R::LANES {
            square[lane] = R::load(&rows[lane.min(count - 1) * self.width..][..self.width]);
        }
        R::transpose(&mut square[..R::LANES]);
        for ((k, sign), value) in self.source.iter().zip(&self.sign).zip(square.iter()) {
            block[*k] = value.scale(*sign);
        }
    }

    /// Writes `count` states from a block, the first of them to row `first`.
    #[inline(always)]
    pub fn store<R: Real<Elem = E>>(&self, block: &[R], rows: &mut [E], first: usize, count: usize) {
        let rows = &mut rows[first * self.width..(first + count) * self.width];
        if R::LANES == 1 {
            for (x, (k, sign)) in rows.iter_mut().zip(self.source.iter().zip(&self.sign)) {
                *x = block[*k].lane(0) * *sign;
            }
        } else if self.width == 0 {
            // nothing wanted
        } else if self.width < R::LANES {
            self.store_narrow(block, rows);
        } else if count == R::LANES {
            for (w, effort) in self.efforts.iter().enumerate() {
                let at = self.window(w * R::LANES, R::LANES);
                let square = self.gather(block, at, *effort);
                for lane in 0..R::LANES {
                    square[lane].store(&mut rows[lane * self.width + at..][..R::LANES]);
                }
            }
        } else {
            for (w, effort) in self.efforts.iter().enumerate() {
                let at = self.window(w * R::LANES, R::LANES);
                let square = self.gather(block, at, *effort);
                for (lane, row) in rows.chunks_exact_mut(self.width).enumerate() {
                    square[lane].store(&mut row[at..at + R::LANES]);
                }
            }
        }
    }

    /// Rows shorter than a register.
    #[inline(always)]
    fn store_narrow<R: Real<Elem = E>>(&self, block: &[R], rows: &mut [E]) {
        let mut square = [R::zero(); MOST_LANES];
        for (value, (k, sign)) in square.iter_mut().zip(self.source.iter().zip(&self.sign)) {
            *value = block[*k].scale(*sign);
        }
        R::transpose(&mut square[..R::LANES]);
        for (value, row) in square.iter().zip(rows.chunks_exact_mut(self.width)) {
            value.store(row);
        }
    }

    /// As many columns as lanes, from column `at` on, one state per value.
    #[allow(clippy::manual_memcpy)] // as above
    #[inline(always)]
    fn gather<R: Real<Elem = E>>(&self, block: &[R], at: usize, effort: Effort) -> [R; MOST_LANES] {
        let mut square = [R::zero(); MOST_LANES];
        let (places, signs) = (&self.source[at..at + R::LANES], &self.sign[at..at + R::LANES]);
        match effort {
            Effort::Zero => {}
            Effort::Straight => {
                let side_by_side = &block[places[0]..][..R::LANES];
                for j in 0..R::LANES {
                    square[j] = side_by_side[j];
                }
                R::transpose(&mut square[..R::LANES]);
            }
            Effort::Move => {
                for j in 0..R::LANES {
                    square[j] = block[places[j]];
                }
                R::transpose(&mut square[..R::LANES]);
            }
            Effort::Change => {
                for j in 0..R::LANES {
                    square[j] = block[places[j]].scale(signs[j]);
                }
                R::transpose(&mut square[..R::LANES]);
            }
        }
        square
    }

    /// Where as many columns as lanes begin that have column `next` among them: there, or so that the last ones end
    /// with the row. Moving some columns twice costs less than moving a part of a register.
    #[inline(always)]
    fn window(&self, next: usize, lanes: usize) -> usize {
        next.min(self.width.saturating_sub(lanes))
    }
}
