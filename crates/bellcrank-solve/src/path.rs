//! Where the forward solve leads from a few bodies.

use crate::pattern::BlockPattern;
use std::collections::BTreeSet;

/// The elimination positions that a right-hand side on some nodes fills in L⁻¹ b, rising: the nodes, and all that are eliminated
/// after them on their way to the root of the elimination tree; and the blocks of L between them.
#[derive(Clone, Debug)]
pub struct Path {
    positions: Vec<usize>,
    /// Blocks of L that lead on from each position.
    steps: Vec<Step>,
    /// Start of each position's steps; one more entry than positions.
    first: Vec<usize>,
    /// Whether no block leads to a position.
    is_start: Vec<bool>,
}

/// A block of L that leads to a later place on the path.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub block: usize,
    pub to: usize,
    /// No earlier one leads there.
    pub is_first: bool,
}

impl Path {
    pub(crate) fn new(pattern: &BlockPattern, nodes: &[usize]) -> Self {
        let mut found = BTreeSet::new();
        for &node in nodes {
            let mut at = Some(pattern.position(node));
            while let Some(k) = at.filter(|k| found.insert(*k)) {
                at = pattern.parent(k);
            }
        }
        let positions: Vec<usize> = found.into_iter().collect();
        let (mut steps, mut first, mut is_start) = (Vec::new(), vec![0], vec![true; positions.len()]);
        for column in &positions {
            // all rows of a column are on the way from it to the root
            for block in pattern.column(*column) {
                if let Ok(to) = positions.binary_search(&pattern.row_of(block)) {
                    steps.push(Step { block, to, is_first: std::mem::replace(&mut is_start[to], false) });
                }
            }
            first.push(steps.len());
        }
        Path { positions, steps, first, is_start }
    }

    /// The positions, rising.
    #[inline(always)]
    pub fn positions(&self) -> &[usize] {
        &self.positions
    }

    /// How many there are.
    #[inline(always)]
    #[allow(clippy::len_without_is_empty)] // a path has at least the node that it starts from
    pub fn len(&self) -> usize {
        self.positions.len()
    }

    /// The blocks that lead on from place `i`.
    #[inline(always)]
    pub(crate) fn steps(&self, i: usize) -> &[Step] {
        &self.steps[self.first[i]..self.first[i + 1]]
    }

    /// Whether nothing leads to place `i`.
    #[inline(always)]
    pub(crate) fn is_start(&self, i: usize) -> bool {
        self.is_start[i]
    }
}
