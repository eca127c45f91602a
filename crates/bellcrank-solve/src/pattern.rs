//! The structure of a sparse block Cholesky factor, found once per model.
//!
//! Nodes are bodies, edges are pairs that some row couples. Eliminating a node joins all its later neighbours; the
//! next node is always one with the fewest (minimum degree), which for a tree means from the leaves inward and no
//! fill at all.

use std::collections::BTreeSet;

/// Elimination order and fill of a symmetric matrix of blocks.
#[derive(Clone, Debug)]
pub struct BlockPattern {
    /// Elimination position of each node.
    position: Vec<usize>,
    /// Start of each column's off-diagonal blocks; one more entry than columns.
    pub(crate) column: Vec<usize>,
    /// Row position of each off-diagonal block, rising within a column.
    pub(crate) row: Vec<usize>,
    /// What each column changes in later ones; one list per column.
    pub(crate) updates: Vec<Vec<Update>>,
}

/// `target −= L[a] L[b]ᵀ`, blocks by their number among the off-diagonal ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Update {
    pub a: usize,
    pub b: usize,
    pub target: Target,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Diagonal(usize),
    OffDiagonal(usize),
}

impl BlockPattern {
    /// Analyses a graph of `nodes` nodes. Edges may repeat and may name a node twice.
    pub fn new(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut neighbours = vec![BTreeSet::new(); nodes];
        for (a, b) in edges.into_iter().filter(|(a, b)| a != b) {
            neighbours[a].insert(b);
            neighbours[b].insert(a);
        }
        let (position, later) = eliminate(neighbours);
        Self::from_columns(position, later)
    }

    /// The same nodes in the same order with more edges: for couplings that come and go, and shall cost nothing while
    /// they are away.
    pub fn with_edges(&self, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let nodes = self.nodes();
        let mut columns = vec![BTreeSet::new(); nodes];
        for k in 0..nodes {
            columns[k].extend(self.row[self.column[k]..self.column[k + 1]].iter().copied());
        }
        for (a, b) in edges.into_iter().filter(|(a, b)| a != b) {
            let (pa, pb) = (self.position[a], self.position[b]);
            columns[pa.min(pb)].insert(pa.max(pb));
        }
        for k in 0..nodes {
            // the first row of a column inherits the others: what elimination fills in
            let rows: Vec<usize> = columns[k].iter().copied().collect();
            if let Some((first, others)) = rows.split_first() {
                columns[*first].extend(others);
            }
        }
        let mut node_at = vec![0; nodes];
        for (node, k) in self.position.iter().enumerate() {
            node_at[*k] = node;
        }
        let mut later = vec![Vec::new(); nodes];
        for (k, rows) in columns.into_iter().enumerate() {
            later[node_at[k]] = rows.into_iter().map(|row| node_at[row]).collect();
        }
        Self::from_columns(self.position.clone(), later)
    }

    /// From the order and each node's neighbours that are eliminated after it.
    fn from_columns(position: Vec<usize>, later: Vec<Vec<usize>>) -> Self {
        let nodes = position.len();
        let mut columns: Vec<Vec<usize>> = vec![Vec::new(); nodes];
        for (node, others) in later.into_iter().enumerate() {
            columns[position[node]] = others.into_iter().map(|other| position[other]).collect();
            columns[position[node]].sort_unstable();
        }
        let mut column = vec![0];
        column.extend(columns.iter().scan(0, |sum, c| {
            *sum += c.len();
            Some(*sum)
        }));
        let updates = (0..nodes).map(|k| column_updates(k, &columns, &column)).collect();
        BlockPattern { position, column, row: columns.concat(), updates }
    }

    /// Number of nodes.
    pub fn nodes(&self) -> usize {
        self.position.len()
    }

    /// Number of off-diagonal blocks of the factor, fill included.
    pub fn off_diagonal_count(&self) -> usize {
        self.row.len()
    }

    /// Where a node stands in the elimination order.
    pub fn position(&self, node: usize) -> usize {
        self.position[node]
    }

    /// The off-diagonal block that couples two nodes, and whether the first node is its row. `None` if the
    /// pattern has none.
    pub fn block(&self, a: usize, b: usize) -> Option<(usize, bool)> {
        let (pa, pb) = (self.position[a], self.position[b]);
        let (row, col) = (pa.max(pb), pa.min(pb));
        let range = self.column[col]..self.column[col + 1];
        let offset = self.row[range.clone()].binary_search(&row).ok()?;
        Some((range.start + offset, pa == row))
    }

    /// The positions that a right-hand side on these nodes touches in the forward solve, rising: the nodes and
    /// all that are eliminated after them on their way to the root of the elimination tree.
    pub fn path(&self, nodes: &[usize]) -> Vec<usize> {
        let mut path = BTreeSet::new();
        for &node in nodes {
            let mut at = Some(self.position[node]);
            while let Some(k) = at.filter(|k| path.insert(*k)) {
                at = self.parent(k);
            }
        }
        path.into_iter().collect()
    }

    /// Parent in the elimination tree.
    fn parent(&self, k: usize) -> Option<usize> {
        self.row[self.column[k]..self.column[k + 1]].first().copied()
    }
}

/// Order of elimination (position of each node) and each node's neighbours that are still there when it goes.
fn eliminate(mut neighbours: Vec<BTreeSet<usize>>) -> (Vec<usize>, Vec<Vec<usize>>) {
    let nodes = neighbours.len();
    let mut left: BTreeSet<usize> = (0..nodes).collect();
    let mut position = vec![0; nodes];
    let mut later = vec![Vec::new(); nodes];
    for step in 0..nodes {
        let Some(node) = left.iter().copied().min_by_key(|n| (neighbours[*n].len(), *n)) else { break };
        left.remove(&node);
        position[node] = step;
        later[node] = std::mem::take(&mut neighbours[node]).into_iter().collect();
        for &a in &later[node] {
            neighbours[a].remove(&node);
            neighbours[a].extend(later[node].iter().copied().filter(|b| *b != a));
        }
    }
    (position, later)
}

fn column_updates(k: usize, columns: &[Vec<usize>], column: &[usize]) -> Vec<Update> {
    let mut updates = Vec::new();
    for (ia, &i) in columns[k].iter().enumerate() {
        for (ib, &j) in columns[k][..=ia].iter().enumerate() {
            let target = if i == j {
                Target::Diagonal(i)
            } else {
                // elimination made i and j neighbours, so the block is in the pattern
                let offset = columns[j].binary_search(&i).unwrap_or_default();
                Target::OffDiagonal(column[j] + offset)
            };
            updates.push(Update { a: column[k] + ia, b: column[k] + ib, target });
        }
    }
    updates
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tree_fills_nothing() {
        let edges: Vec<(usize, usize)> = (1..50).map(|i| (i, (i - 1) / 3)).collect();
        assert_eq!(BlockPattern::new(50, edges).off_diagonal_count(), 49);
    }

    /// A ring of n nodes: n edges and n − 3 chords of fill.
    #[test]
    fn a_ring_fills_its_chords() {
        let pattern = BlockPattern::new(10, (0..10).map(|i| (i, (i + 1) % 10)));
        assert_eq!(pattern.off_diagonal_count(), 10 + 7);
    }

    /// A chain of 5 closed by one more edge has the fill of a ring in that order; the order stays.
    #[test]
    fn more_edges_keep_the_order() {
        let chain = BlockPattern::new(5, (1..5).map(|i| (i - 1, i)));
        let ring = chain.with_edges([(0, 4)]);
        for node in 0..5 {
            assert_eq!(chain.position(node), ring.position(node));
        }
        assert!(ring.block(0, 4).is_some());
        assert!(ring.off_diagonal_count() >= 5 && ring.off_diagonal_count() <= 10);
        assert_eq!(chain.with_edges([]).off_diagonal_count(), 4);
    }

    #[test]
    fn the_path_of_a_leaf_leads_to_the_root() {
        let pattern = BlockPattern::new(5, (1..5).map(|i| (i - 1, i)));
        let path = pattern.path(&[0]);
        assert!(path.contains(&pattern.position(0)) && path.contains(&4));
        assert!(path.is_sorted());
    }
}
