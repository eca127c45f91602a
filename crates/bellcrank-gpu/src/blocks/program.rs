//! The table of one model: which operation on which blocks, in the order of the factor itself.

use super::operations::{DIAGONAL, OFF_DIAGONAL, Operation};
use bellcrank_solve::BlockPattern;

/// A line of the table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instruction {
    /// What.
    pub operation: Operation,
    /// The places a, b and c in a world's memory; 0 where there is none.
    pub places: [usize; 3],
}

impl Instruction {
    /// Numbers that a world must have for it.
    pub fn end(&self) -> usize {
        let [a, b, c] = match self.operation {
            Operation::NoteRounding | Operation::FactorDiagonal => [DIAGONAL, 0, 0],
            Operation::DivideRight => [OFF_DIAGONAL, DIAGONAL, 0],
            Operation::SubtractSquare => [DIAGONAL, OFF_DIAGONAL, 0],
            Operation::SubtractProduct | Operation::MinusProduct => [OFF_DIAGONAL; 3],
            Operation::ForwardDiagonal | Operation::BackwardDiagonal => [6, DIAGONAL, 0],
            Operation::ForwardBlock | Operation::BackwardBlock => [6, OFF_DIAGONAL, 6],
        };
        self.places.iter().zip([a, b, c]).map(|(place, count)| place + count).max().unwrap_or(0)
    }
}

/// A model's tables. A world's memory holds the diagonal blocks by elimination position, the off-diagonal ones by their number in the
/// pattern, and a right-hand side.
#[derive(Clone, Debug)]
pub struct Program {
    nodes: usize,
    blocks: usize,
    /// The factor, and a first solve while columns are at hand.
    pub factor_and_solve: Vec<Instruction>,
    /// One more solve.
    pub solve: Vec<Instruction>,
}

/// An off-diagonal block with its row.
type Row = (usize, usize);

impl Program {
    /// For a pattern.
    pub fn new(pattern: &BlockPattern) -> Self {
        let (nodes, blocks) = (pattern.nodes(), pattern.off_diagonal_count());
        let mut program = Program { nodes, blocks, factor_and_solve: vec![], solve: vec![] };
        let columns = columns(pattern);
        let mut untouched: Vec<bool> = (0..blocks).map(|q| pattern.is_fill(q)).collect();
        let mut list = Vec::new();
        for k in 0..nodes {
            list.push(line(Operation::NoteRounding, [program.diagonal(k), 0, 0]));
        }
        for k in 0..nodes {
            program.factor_column(&columns, k, &mut untouched, &mut list);
            program.forward_column(&columns, k, &mut list);
        }
        program.backward(&columns, &mut list);
        program.factor_and_solve = list;
        let mut list = Vec::new();
        (0..nodes).for_each(|k| program.forward_column(&columns, k, &mut list));
        program.backward(&columns, &mut list);
        program.solve = list;
        program
    }

    /// Where a diagonal block stands, by elimination position: its lower triangle by rows, then six numbers of the factor's own.
    pub fn diagonal(&self, position: usize) -> usize {
        DIAGONAL * position
    }

    /// Where an off-diagonal block stands, by rows; blocks by their number in the pattern.
    pub fn off_diagonal(&self, block: usize) -> usize {
        DIAGONAL * self.nodes + OFF_DIAGONAL * block
    }

    /// Where the right-hand side of a position stands.
    pub fn rhs(&self, position: usize) -> usize {
        self.off_diagonal(self.blocks) + 6 * position
    }

    /// Numbers of a world.
    pub fn memory(&self) -> usize {
        self.rhs(self.nodes)
    }

    fn factor_column(
        &self,
        columns: &[Vec<Row>],
        k: usize,
        untouched: &mut [bool],
        list: &mut Vec<Instruction>,
    ) {
        list.push(line(Operation::FactorDiagonal, [self.diagonal(k), 0, 0]));
        for (q, _) in &columns[k] {
            list.push(line(Operation::DivideRight, [self.off_diagonal(*q), self.diagonal(k), 0]));
        }
        for (n, (b, j)) in columns[k].iter().enumerate() {
            let second = self.off_diagonal(*b);
            list.push(line(Operation::SubtractSquare, [self.diagonal(*j), second, 0]));
            for (a, i) in &columns[k][n + 1..] {
                // elimination has coupled all rows of a column
                let Some((target, _)) = columns[*j].iter().find(|(_, row)| row == i) else { continue };
                let is_first = std::mem::replace(&mut untouched[*target], false);
                let what = if is_first { Operation::MinusProduct } else { Operation::SubtractProduct };
                list.push(line(what, [self.off_diagonal(*target), self.off_diagonal(*a), second]));
            }
        }
    }

    fn forward_column(&self, columns: &[Vec<Row>], k: usize, list: &mut Vec<Instruction>) {
        list.push(line(Operation::ForwardDiagonal, [self.rhs(k), self.diagonal(k), 0]));
        for (q, row) in &columns[k] {
            let places = [self.rhs(*row), self.off_diagonal(*q), self.rhs(k)];
            list.push(line(Operation::ForwardBlock, places));
        }
    }

    fn backward(&self, columns: &[Vec<Row>], list: &mut Vec<Instruction>) {
        for k in (0..self.nodes).rev() {
            for (q, row) in &columns[k] {
                let places = [self.rhs(k), self.off_diagonal(*q), self.rhs(*row)];
                list.push(line(Operation::BackwardBlock, places));
            }
            list.push(line(Operation::BackwardDiagonal, [self.rhs(k), self.diagonal(k), 0]));
        }
    }
}

fn line(operation: Operation, places: [usize; 3]) -> Instruction {
    Instruction { operation, places }
}

/// The off-diagonal blocks of every column, by rising rows.
pub(crate) fn columns(pattern: &BlockPattern) -> Vec<Vec<Row>> {
    let nodes = pattern.nodes();
    let mut node_at = vec![0; nodes];
    (0..nodes).for_each(|node| node_at[pattern.position(node)] = node);
    let block = |row: usize, column: usize| pattern.block(node_at[row], node_at[column]);
    let rows = |k| (k + 1..nodes).filter_map(move |row| Some((block(row, k)?.0, row)));
    (0..nodes).map(|k| rows(k).collect()).collect()
}
