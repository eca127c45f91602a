//! In which order operations are done. Any order gives the same numbers; a good one keeps few of them at a time.

use crate::graph::{Folding, Graph, Id, Op};
use crate::recorded::Recording;

impl Recording {
    /// The same operations, each as late as the next result allows, if fewer numbers are alive at once then.
    pub(crate) fn with_fewest_alive(self) -> Recording {
        let late = self.by_demand();
        if late.cost().live < self.cost().live { late } else { self }
    }

    /// Results one after the other, and before each what it needs and is not there yet.
    fn by_demand(&self) -> Recording {
        let mut graph = Graph::new(self.graph.folding);
        graph.maybes = self.graph.maybes;
        let mut moved: Vec<Option<Id>> = vec![None; self.graph.ops().len()];
        let mut stack: Vec<Id> = Vec::new();
        for result in &self.results {
            stack.push(*result);
            while let Some(&id) = stack.last() {
                if moved[id as usize].is_some() {
                    stack.pop();
                    continue;
                }
                let (operands, count) = self.graph.op(id).operands();
                let missing = operands[..count].iter().filter(|x| moved[**x as usize].is_none());
                let before = stack.len();
                stack.extend(missing);
                if stack.len() == before {
                    stack.pop();
                    moved[id as usize] = Some(graph.put(self.graph.op(id), &moved));
                }
            }
        }
        let results = self.results.iter().filter_map(|id| moved[*id as usize]).collect();
        Recording { graph, results }
    }
}

impl Graph {
    /// An operation as it is, its operands being where `moved` says.
    fn put(&mut self, op: Op, moved: &[Option<Id>]) -> Id {
        let folding = std::mem::replace(&mut self.folding, Folding::KeepBits);
        let place = self.add(op.with_operands(|id| moved[id as usize].unwrap_or_default()));
        self.folding = folding;
        place
    }
}
