//! Square matrices in velocities' order that are zero between unrelated branches, stored without those zeros.
//!
//! The mass matrix and all derivatives of inverse dynamics have an entry (j, k) only where one of the two velocities
//! lies between the other and the root ([Featherstone 2008] section 6.4). Row k is stored as its entries at k itself,
//! at the velocity before it, and so on to the root: Σ depth numbers instead of n², next to each other in the order
//! in which kernels climb.

use crate::node::WORLD;

/// Where the entries of such matrices stand.
#[derive(Clone, Debug, Default)]
pub struct Branches {
    /// For each velocity in tree order, the one before it on the way to the root, or [`WORLD`].
    pub parent: Vec<usize>,
    /// Where each row starts; one more for the end.
    pub start: Vec<usize>,
    /// Just beyond the last velocity of each one's subtree: what `k` carries is `k + 1 .. end[k]`.
    pub end: Vec<usize>,
}

impl Branches {
    /// From each velocity's parent; parents come first, and subtrees stand together.
    pub fn new(parent: Vec<usize>) -> Self {
        let mut start = vec![0];
        for &above in &parent {
            let depth = if above == WORLD { 0 } else { start[above + 1] - start[above] };
            start.push(start[start.len() - 1] + depth + 1);
        }
        let mut end: Vec<usize> = (1..=parent.len()).collect();
        for k in (0..parent.len()).rev().filter(|k| parent[*k] != WORLD) {
            end[parent[k]] = end[parent[k]].max(end[k]);
        }
        Branches { parent, start, end }
    }

    /// Number of velocities.
    #[inline(always)]
    pub fn size(&self) -> usize {
        self.parent.len()
    }

    /// Number of entries on and below the diagonal.
    #[inline(always)]
    pub fn entries(&self) -> usize {
        self.start[self.parent.len()]
    }

    /// How many velocities lie between `k` and the root, itself included.
    #[inline(always)]
    pub fn depth(&self, k: usize) -> usize {
        self.start[k + 1] - self.start[k]
    }

    /// All entries on and below the diagonal in the order of their places: row and column.
    pub fn pairs(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.size()).flat_map(|k| {
            let up = std::iter::successors(Some(k), |&j| Some(self.parent[j]).filter(|j| *j != WORLD));
            up.map(move |j| (k, j))
        })
    }

    /// Place of the entry of row `k` at `above`; `None` where `above` is not between `k` and the root.
    pub fn place(&self, k: usize, above: usize) -> Option<usize> {
        let (mut at, mut place) = (k, self.start[k]);
        while at != above {
            at = self.parent[at];
            place += 1;
            if at == WORLD {
                return None;
            }
        }
        Some(place)
    }

    /// Where entry (row, column) stands in a block that holds all rows, then all columns in the same way: first what
    /// is on or below the diagonal, then what is above it.
    pub fn place_of_any(&self, row: usize, column: usize) -> Option<usize> {
        match self.place(row, column) {
            Some(place) => Some(place),
            None => self.place(column, row).map(|place| self.entries() + place),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two branches on a stem of two: 0 – 1 – 2 and 1 – 3. Rows: (0), (1 0), (2 1 0), (3 1 0).
    #[test]
    fn rows_hold_their_own_branch_only() {
        let branches = Branches::new(vec![WORLD, 0, 1, 1]);
        assert_eq!((branches.start.clone(), branches.entries()), (vec![0, 1, 3, 6, 9], 9));
        assert_eq!((branches.depth(0), branches.depth(3)), (1, 3));
        assert_eq!(branches.end, [4, 4, 3, 4]);
        let pairs = [(0, 0), (1, 1), (1, 0), (2, 2), (2, 1), (2, 0), (3, 3), (3, 1), (3, 0)];
        assert_eq!(branches.pairs().collect::<Vec<_>>(), pairs);
        assert_eq!(
            (branches.place(3, 3), branches.place(3, 0), branches.place(3, 2)),
            (Some(6), Some(8), None)
        );
        assert_eq!((branches.place_of_any(0, 3), branches.place_of_any(2, 3)), (Some(9 + 8), None));
    }
}
