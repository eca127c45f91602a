//! Parts of recordings: the same operations between other ends.

use crate::graph::{Folding, Graph, Id, Op};
use crate::recorded::Recording;

/// What becomes of a value of the whole.
#[derive(Clone, Copy)]
enum Fate {
    /// It is computed, if it is needed at all.
    Done,
    /// It is an input of the part.
    Given(u32),
    /// It is this number.
    Known(f32),
}

impl Recording {
    /// What is done between the values `given`, which become inputs in this order, and the results, where some values are `known`.
    /// None where the results need more than that.
    pub(crate) fn between(&self, given: &[Id], known: &[(Id, f32)]) -> Option<Recording> {
        let ops = self.graph.ops();
        let mut fates = vec![Fate::Done; ops.len()];
        known.iter().for_each(|(id, value)| fates[*id as usize] = Fate::Known(*value));
        given.iter().enumerate().for_each(|(k, id)| fates[*id as usize] = Fate::Given(k as u32));
        let needed = self.needed_between(&fates);
        let mut part = Graph::new(Folding::KeepBits);
        let (mut moved, mut follows) = (vec![0; ops.len()], vec![false; ops.len()]);
        for (i, op) in ops.iter().enumerate().filter(|(i, _)| needed[*i]) {
            let op = match fates[i] {
                Fate::Given(k) => Op::Input(k),
                Fate::Known(value) => {
                    follows[i] = true;
                    Op::Const(value.to_bits())
                }
                Fate::Done => {
                    let (operands, count) = op.operands();
                    follows[i] = operands[..count].iter().any(|id| follows[*id as usize]);
                    op.with_operands(|id| moved[id as usize])
                }
            };
            part.folding = if follows[i] { Folding::Finite } else { Folding::KeepBits };
            moved[i] = part.add(op);
        }
        part.folding = Folding::KeepBits;
        let results: Vec<Id> = self.results.iter().map(|id| moved[*id as usize]).collect();
        let (graph, results) = part.pruned(&results);
        let whole = |op: &Op| matches!(op, Op::Input(k) if *k as usize >= given.len());
        (!graph.ops().iter().any(whole)).then_some(Recording { graph, results })
    }

    /// The same function of other inputs: the k-th becomes that of number `to[k]`.
    pub(crate) fn with_inputs(&self, to: &[u32]) -> Recording {
        let mut graph = Graph::new(Folding::KeepBits);
        let mut moved = Vec::with_capacity(self.graph.ops().len());
        for op in self.graph.ops() {
            moved.push(graph.add(match op {
                Op::Input(k) => Op::Input(to[*k as usize]),
                op => op.with_operands(|id| moved[id as usize]),
            }));
        }
        let results: Vec<Id> = self.results.iter().map(|id| moved[*id as usize]).collect();
        let (graph, results) = graph.pruned(&results);
        Recording { graph, results }
    }

    /// The same function of only those inputs that it reads, and the names of these.
    pub(crate) fn with_inputs_packed<T: Copy>(&self, names: &[T]) -> (Recording, Vec<T>) {
        let (mut to, mut kept) = (vec![0; names.len()], Vec::new());
        for op in self.graph.ops() {
            if let Op::Input(k) = op {
                to[*k as usize] = kept.len() as u32;
                kept.push(names[*k as usize]);
            }
        }
        (self.with_inputs(&to), kept)
    }

    /// Which values are on the way from the ends to the results.
    fn needed_between(&self, fates: &[Fate]) -> Vec<bool> {
        let ops = self.graph.ops();
        let mut needed = vec![false; ops.len()];
        self.results.iter().for_each(|id| needed[*id as usize] = true);
        for i in (0..ops.len()).rev() {
            if needed[i] && matches!(fates[i], Fate::Done) {
                let (operands, count) = ops[i].operands();
                operands[..count].iter().for_each(|id| needed[*id as usize] = true);
            }
        }
        needed
    }
}
