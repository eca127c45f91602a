//! The structure of a sparse block Cholesky factor: found once per model, or once per step where contacts are part of it.
//!
//! Nodes are bodies, edges are pairs that some row couples. Eliminating a node joins all its later neighbours; the
//! next node is always one with the fewest (minimum degree), which for a tree means from the leaves inward and no
//! fill at all.

use crate::path::Path;
use std::collections::BTreeMap;

/// Elimination order and fill of a symmetric matrix of blocks.
#[derive(Clone, Debug, Default)]
pub struct BlockPattern {
    /// Elimination position of each node.
    position: Vec<usize>,
    /// Start of each column's off-diagonal blocks; one more entry than columns.
    pub(crate) column: Vec<usize>,
    /// Row position of each off-diagonal block, rising within a column.
    pub(crate) row: Vec<usize>,
    /// Off-diagonal blocks that no edge fills: zero until the columns before them change them.
    is_fill: Vec<bool>,
    /// What the columns change in later ones, column after column.
    updates: Vec<Update>,
    /// Start of each column's updates; one more entry than columns.
    first_update: Vec<usize>,
    /// Blocks of fill that no update has reached yet, while they are listed.
    untouched: Vec<bool>,
    graph: Graph,
}

/// `target −= L[a] L[b]ᵀ`, blocks by their number among the off-diagonal ones.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Update {
    pub a: usize,
    pub b: usize,
    pub target: Target,
    /// The target is a block of fill, and this is the first that it hears of.
    pub is_first: bool,
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum Target {
    Diagonal(usize),
    OffDiagonal(usize),
}

impl BlockPattern {
    /// Analyses a graph of `nodes` nodes. Edges may repeat and may name a node twice.
    pub fn new(nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let mut pattern = BlockPattern::default();
        pattern.analyse(nodes, edges);
        pattern
    }

    /// The same for another graph. Memory is taken when a graph is larger than any before.
    pub fn analyse(&mut self, nodes: usize, edges: impl IntoIterator<Item = (usize, usize)>) {
        self.graph.clear(nodes);
        for (a, b) in edges.into_iter().filter(|(a, b)| a != b) {
            self.graph.join(a, b);
        }
        self.graph.note_edges();
        self.graph.eliminate(&mut self.position);
        self.list_columns(nodes);
        self.list_updates(nodes);
    }

    /// The same nodes in the same order with more edges: for couplings that come and go, and shall cost nothing while
    /// they are away.
    pub fn with_edges(&self, edges: impl IntoIterator<Item = (usize, usize)>) -> Self {
        let nodes = self.nodes();
        let mut columns = vec![BTreeMap::new(); nodes];
        for k in 0..nodes {
            columns[k].extend(self.column(k).map(|q| (self.row[q], self.is_fill[q])));
        }
        for (a, b) in edges.into_iter().filter(|(a, b)| a != b) {
            let (pa, pb) = (self.position[a], self.position[b]);
            columns[pa.min(pb)].insert(pa.max(pb), false);
        }
        for k in 0..nodes {
            // the first row of a column inherits the others: what elimination fills in
            let rows: Vec<usize> = columns[k].keys().copied().collect();
            if let Some((first, others)) = rows.split_first() {
                others.iter().for_each(|row| _ = columns[*first].entry(*row).or_insert(true));
            }
        }
        let mut pattern = BlockPattern { position: self.position.clone(), ..BlockPattern::default() };
        pattern.column.push(0);
        for rows in columns {
            pattern.row.extend(rows.keys());
            pattern.is_fill.extend(rows.values());
            pattern.column.push(pattern.row.len());
        }
        pattern.list_updates(nodes);
        pattern
    }

    /// The graph now holds, for each node, its neighbours that are eliminated later.
    fn list_columns(&mut self, nodes: usize) {
        self.column.clear();
        self.column.push(0);
        self.row.clear();
        self.is_fill.clear();
        for k in 0..nodes {
            let (node, start) = (self.graph.order[k], self.row.len());
            self.row.extend(self.graph.neighbours(node).map(|other| self.position[other]));
            self.row[start..].sort_unstable();
            self.column.push(self.row.len());
            let others = self.row[start..].iter().map(|row| self.graph.order[*row]);
            self.is_fill.extend(others.map(|other| !self.graph.had_edge(node, other)));
        }
    }

    fn list_updates(&mut self, nodes: usize) {
        self.untouched.clone_from(&self.is_fill);
        self.updates.clear();
        self.first_update.clear();
        self.first_update.push(0);
        for k in 0..nodes {
            let own = self.column[k]..self.column[k + 1];
            for b in own.clone() {
                let j = self.row[b];
                self.updates.push(Update { a: b, b, target: Target::Diagonal(j), is_first: false });
                // elimination made all later rows neighbours of j, so its column has them, in the same order
                let mut t = self.column[j];
                for a in b + 1..own.end {
                    while self.row[t] != self.row[a] {
                        t += 1;
                    }
                    let is_first = std::mem::replace(&mut self.untouched[t], false);
                    self.updates.push(Update { a, b, target: Target::OffDiagonal(t), is_first });
                }
            }
            self.first_update.push(self.updates.len());
        }
    }

    /// All pairs of elimination positions that have a block, fill included.
    pub(crate) fn coupled(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        (0..self.nodes()).flat_map(move |k| self.column(k).map(move |q| (self.row[q], k)))
    }

    /// The numbers of a column's off-diagonal blocks.
    pub(crate) fn column(&self, k: usize) -> std::ops::Range<usize> {
        self.column[k]..self.column[k + 1]
    }

    /// The row position of an off-diagonal block.
    pub(crate) fn row_of(&self, block: usize) -> usize {
        self.row[block]
    }

    /// What column k changes in later ones.
    pub(crate) fn updates(&self, k: usize) -> &[Update] {
        &self.updates[self.first_update[k]..self.first_update[k + 1]]
    }

    /// Products of blocks in a factorisation.
    pub(crate) fn update_count(&self) -> usize {
        self.updates.len()
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

    /// Whether an off-diagonal block is fill, which [`crate::BlockFactor::factor`] sets without looking at what was there.
    pub fn is_fill(&self, block: usize) -> bool {
        self.is_fill[block]
    }

    /// The off-diagonal block that couples two nodes, and whether the first node is its row. `None` if the
    /// pattern has none.
    pub fn block(&self, a: usize, b: usize) -> Option<(usize, bool)> {
        let (pa, pb) = (self.position[a], self.position[b]);
        let block = self.block_at(pa.max(pb), pa.min(pb))?;
        Some((block, pa > pb))
    }

    /// The block at two positions, the later one first.
    pub(crate) fn block_at(&self, row: usize, column: usize) -> Option<usize> {
        let range = self.column(column);
        let offset = self.row[range.clone()].binary_search(&row).ok()?;
        Some(range.start + offset)
    }

    /// Where a right-hand side on these nodes leads in the forward solve.
    pub fn path(&self, nodes: &[usize]) -> Path {
        Path::new(self, nodes)
    }

    /// Parent in the elimination tree.
    pub(crate) fn parent(&self, k: usize) -> Option<usize> {
        self.row[self.column(k)].first().copied()
    }
}

/// Neighbours as sets of bits, one row of words per node.
#[derive(Clone, Debug, Default)]
struct Graph {
    words: usize,
    bits: Vec<u64>,
    degree: Vec<usize>,
    /// Nodes in the order of elimination.
    order: Vec<usize>,
    /// `bits` before the elimination.
    edges: Vec<u64>,
}

/// Degree of a node that is gone.
const GONE: usize = usize::MAX;

impl Graph {
    fn clear(&mut self, nodes: usize) {
        self.words = nodes.div_ceil(64);
        self.bits.clear();
        self.bits.resize(nodes * self.words, 0);
        self.degree.clear();
        self.degree.resize(nodes, 0);
    }

    fn join(&mut self, a: usize, b: usize) {
        self.bits[a * self.words + b / 64] |= 1 << (b % 64);
        self.bits[b * self.words + a / 64] |= 1 << (a % 64);
    }

    fn note_edges(&mut self) {
        self.edges.clone_from(&self.bits);
    }

    fn had_edge(&self, a: usize, b: usize) -> bool {
        self.edges[a * self.words + b / 64] >> (b % 64) & 1 == 1
    }

    fn neighbours(&self, node: usize) -> impl Iterator<Item = usize> + '_ {
        let words = self.bits[node * self.words..][..self.words].iter().enumerate();
        words.flat_map(|(w, bits)| Ones(*bits).map(move |bit| w * 64 + bit))
    }

    fn count(&self, node: usize) -> usize {
        self.bits[node * self.words..][..self.words].iter().map(|word| word.count_ones() as usize).sum()
    }

    /// Takes out the node with the fewest neighbours, the first of several, again and again; leaves in its row those that
    /// are still there when it goes. Gives the place of each node in that order.
    fn eliminate(&mut self, position: &mut Vec<usize>) {
        let nodes = self.degree.len();
        position.clear();
        position.resize(nodes, 0);
        self.order.clear();
        for node in 0..nodes {
            self.degree[node] = self.count(node);
        }
        for step in 0..nodes {
            let mut node = 0;
            for other in 1..nodes {
                if self.degree[other] < self.degree[node] {
                    node = other;
                }
            }
            self.degree[node] = GONE;
            position[node] = step;
            self.order.push(node);
            self.connect_neighbours(node);
        }
    }

    /// Makes all neighbours of a node neighbours of each other, and the node one of none.
    fn connect_neighbours(&mut self, node: usize) {
        for w in 0..self.words {
            for bit in Ones(self.bits[node * self.words + w]) {
                let other = w * 64 + bit;
                for v in 0..self.words {
                    let joined = self.bits[node * self.words + v];
                    self.bits[other * self.words + v] |= joined;
                }
                for gone in [node, other] {
                    self.bits[other * self.words + gone / 64] &= !(1 << (gone % 64));
                }
                self.degree[other] = self.count(other);
            }
        }
    }
}

/// The places of the ones in a word.
struct Ones(u64);

impl Iterator for Ones {
    type Item = usize;
    fn next(&mut self) -> Option<usize> {
        let bit = self.0.trailing_zeros() as usize;
        let any = self.0 != 0;
        self.0 &= self.0.wrapping_sub(1);
        any.then_some(bit)
    }
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
        assert!(path.positions().contains(&pattern.position(0)) && path.positions().contains(&4));
        assert!(path.positions().is_sorted());
    }

    /// In a ring of n nodes the chords are fill, and each hears of itself once for the first time.
    #[test]
    fn fill_is_told_from_edges() {
        let ring = BlockPattern::new(10, (0..10).map(|i| (i, (i + 1) % 10)));
        let fill = (0..ring.off_diagonal_count()).filter(|q| ring.is_fill(*q)).count();
        let first = (0..10).flat_map(|k| ring.updates(k)).filter(|update| update.is_first).count();
        assert_eq!((fill, first), (7, 7));
        let (block, _) = ring.block(0, 1).expect("an edge");
        assert!(!ring.is_fill(block));
        let chain = BlockPattern::new(5, (1..5).map(|i| (i - 1, i))).with_edges([(0, 4)]);
        let (block, _) = chain.block(0, 4).expect("an edge");
        let filled = (0..chain.off_diagonal_count()).filter(|q| chain.is_fill(*q)).count();
        assert!(!chain.is_fill(block) && filled == chain.off_diagonal_count() - 5);
    }
}
