//! What a recorded function does: a list of operations on numbers and truth values, each of them once.
//!
//! An operation knows its operands by their places in the list, which come before it. What is asked for twice is there once
//! (hash-consing), and what is known while recording is folded away ([`crate::fold`]).

use std::collections::HashMap;

/// Place of a value in its graph.
pub type Id = u32;

/// One operation. Numbers have 32 bits; constants are told by their bits, so that −0 is not 0.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Op {
    /// A number by its bits.
    Const(u32),
    /// The number at a place of what the function is given.
    Input(u32),
    /// a truth value
    Truth(bool),
    /// a + b
    Add(Id, Id),
    /// a − b
    Sub(Id, Id),
    /// a · b
    Mul(Id, Id),
    /// a / b
    Div(Id, Id),
    /// −a
    Neg(Id),
    /// a · b + c, rounded once
    Fma(Id, Id, Id),
    /// c − a · b, rounded once
    NegFma(Id, Id, Id),
    /// √a
    Sqrt(Id),
    /// |a|
    Abs(Id),
    /// |a| with the sign of b
    CopySign(Id, Id),
    /// a < b
    Less(Id, Id),
    /// a ≤ b
    LessEqual(Id, Id),
    /// both
    And(Id, Id),
    /// one or both
    Or(Id, Id),
    /// not a
    Not(Id),
    /// a bit of a number's representation
    Bit(Id, u32),
    /// a ? b : c
    Select(Id, Id, Id),
}

impl Op {
    /// The places of its operands, and how many there are.
    pub fn operands(self) -> ([Id; 3], usize) {
        use Op::*;
        match self {
            Const(_) | Input(_) | Truth(_) => ([0; 3], 0),
            Neg(a) | Sqrt(a) | Abs(a) | Not(a) | Bit(a, _) => ([a, 0, 0], 1),
            Add(a, b)
            | Sub(a, b)
            | Mul(a, b)
            | Div(a, b)
            | CopySign(a, b)
            | Less(a, b)
            | LessEqual(a, b)
            | And(a, b)
            | Or(a, b) => ([a, b, 0], 2),
            Fma(a, b, c) | NegFma(a, b, c) | Select(a, b, c) => ([a, b, c], 3),
        }
    }

    /// Whether it gives a truth value and not a number.
    pub fn is_truth(self) -> bool {
        use Op::*;
        matches!(self, Truth(_) | Less(..) | LessEqual(..) | And(..) | Or(..) | Not(_) | Bit(..))
    }

    /// Whether its value is written in the text where it is used.
    pub fn is_literal(self) -> bool {
        matches!(self, Op::Const(_) | Op::Truth(_))
    }
}

/// Which operations may be left out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Folding {
    /// Only those that change no bit of any result: on a device the numbers are those of the processor.
    #[default]
    KeepBits,
    /// Also sums and products with zero, as they are for finite numbers. Results are equal as numbers; the sign of a zero may
    /// differ, and what would not have been finite.
    Finite,
}

/// Operations in an order in which they can be done.
#[derive(Clone, Debug, Default)]
pub struct Graph {
    ops: Vec<Op>,
    places: HashMap<Op, Id>,
    /// What may be folded.
    pub folding: Folding,
    /// How often it was asked whether *any* or *all* worlds are so, and the answer was not known. It is then «maybe»: work that is
    /// done for any world is done, and no end is early because all have finished. Neither changes the result of a world.
    pub maybes: usize,
    /// What the function asked for that is not known while recording.
    pub unknown: Option<&'static str>,
}

impl Graph {
    /// An empty one.
    pub fn new(folding: Folding) -> Self {
        Graph { folding, ..Graph::default() }
    }

    /// All operations.
    pub fn ops(&self) -> &[Op] {
        &self.ops
    }

    /// The operation at a place.
    pub fn op(&self, id: Id) -> Op {
        self.ops[id as usize]
    }

    /// The number at a place, where it is known.
    pub fn constant(&self, id: Id) -> Option<f32> {
        match self.op(id) {
            Op::Const(bits) => Some(f32::from_bits(bits)),
            _ => None,
        }
    }

    /// The place of an operation's result.
    pub fn add(&mut self, op: Op) -> Id {
        match self.fold(op) {
            Err(known) => known,
            Ok(op) => {
                let next = self.ops.len() as Id;
                let place = *self.places.entry(op).or_insert(next);
                if place == next {
                    self.ops.push(op);
                }
                place
            }
        }
    }

    /// Which operations some results need.
    pub fn needed(&self, results: &[Id]) -> Vec<bool> {
        let mut needed = vec![false; self.ops.len()];
        results.iter().for_each(|id| needed[*id as usize] = true);
        for i in (0..self.ops.len()).rev() {
            if needed[i] {
                let (operands, count) = self.ops[i].operands();
                operands[..count].iter().for_each(|id| needed[*id as usize] = true);
            }
        }
        needed
    }

    /// A part of a large graph: what some results need, and their places in it.
    pub fn extracted(&self, results: &[Id]) -> (Graph, Vec<Id>) {
        let mut needed: Vec<Id> = Vec::new();
        let mut seen: std::collections::HashSet<Id> = results.iter().copied().collect();
        let mut open: Vec<Id> = seen.iter().copied().collect();
        while let Some(id) = open.pop() {
            needed.push(id);
            let (operands, count) = self.op(id).operands();
            open.extend(operands[..count].iter().filter(|x| seen.insert(**x)));
        }
        // what is known comes first: otherwise it would stand where it was first asked for, and equal parts would differ
        needed.sort_unstable_by_key(|id| match self.op(*id) {
            Op::Const(bits) => (0, bits),
            Op::Truth(value) => (1, u32::from(value)),
            _ => (2, *id),
        });
        let mut part =
            Graph { folding: self.folding, maybes: self.maybes, unknown: self.unknown, ..Graph::default() };
        let mut moved: HashMap<Id, Id> = HashMap::with_capacity(needed.len());
        for id in needed {
            let op = self.op(id).with_operands(|x| moved.get(&x).copied().unwrap_or_default());
            let place = part.ops.len() as Id;
            moved.insert(id, place);
            part.places.insert(op, place);
            part.ops.push(op);
        }
        (part, results.iter().map(|id| moved.get(id).copied().unwrap_or_default()).collect())
    }

    /// The same graph with nothing in it that the results do not need, and the results' new places.
    pub fn pruned(&self, results: &[Id]) -> (Graph, Vec<Id>) {
        let needed = self.needed(results);
        let mut kept =
            Graph { folding: self.folding, maybes: self.maybes, unknown: self.unknown, ..Graph::default() };
        let mut moved = vec![0; self.ops.len()];
        for (i, op) in self.ops.iter().enumerate().filter(|(i, _)| needed[*i]) {
            let op = op.with_operands(|id| moved[id as usize]);
            moved[i] = kept.ops.len() as Id;
            kept.places.insert(op, moved[i]);
            kept.ops.push(op);
        }
        (kept, results.iter().map(|id| moved[*id as usize]).collect())
    }
}

impl Op {
    /// The same operation on operands at other places.
    pub(crate) fn with_operands(self, to: impl Fn(Id) -> Id) -> Op {
        use Op::*;
        match self {
            Const(_) | Input(_) | Truth(_) => self,
            Neg(a) => Neg(to(a)),
            Sqrt(a) => Sqrt(to(a)),
            Abs(a) => Abs(to(a)),
            Not(a) => Not(to(a)),
            Bit(a, k) => Bit(to(a), k),
            Add(a, b) => Add(to(a), to(b)),
            Sub(a, b) => Sub(to(a), to(b)),
            Mul(a, b) => Mul(to(a), to(b)),
            Div(a, b) => Div(to(a), to(b)),
            CopySign(a, b) => CopySign(to(a), to(b)),
            Less(a, b) => Less(to(a), to(b)),
            LessEqual(a, b) => LessEqual(to(a), to(b)),
            And(a, b) => And(to(a), to(b)),
            Or(a, b) => Or(to(a), to(b)),
            Fma(a, b, c) => Fma(to(a), to(b), to(c)),
            NegFma(a, b, c) => NegFma(to(a), to(b), to(c)),
            Select(a, b, c) => Select(to(a), to(b), to(c)),
        }
    }
}
