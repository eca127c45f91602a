//! What a recording costs: operations, numbers that are alive at once, numbers that are moved.

use crate::graph::{Id, Op};
use crate::recorded::Recording;

/// Counted, not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Operations of any kind.
    pub operations: usize,
    /// Sums, products, quotients and roots; a fused one counts two.
    pub flops: usize,
    /// Numbers and truth values that are needed at the same time at most, in the order of the recording. A compiler may find a better
    /// order.
    pub live: usize,
    /// Numbers read from memory.
    pub loads: usize,
    /// Numbers written.
    pub stores: usize,
}

impl Cost {
    /// Bytes that go over the bus where no cache helps.
    pub fn bytes(&self) -> usize {
        4 * (self.loads + self.stores)
    }

    /// One after the other.
    pub fn then(self, other: Cost) -> Cost {
        Cost {
            operations: self.operations + other.operations,
            flops: self.flops + other.flops,
            live: self.live.max(other.live),
            loads: self.loads + other.loads,
            stores: self.stores + other.stores,
        }
    }
}

impl Recording {
    /// What it costs per world.
    pub fn cost(&self) -> Cost {
        let mut cost = Cost { stores: self.results.len(), live: self.live(), ..Cost::default() };
        for op in self.graph.ops() {
            match op {
                Op::Const(_) | Op::Truth(_) => {}
                Op::Input(_) => cost.loads += 1,
                op => {
                    cost.operations += 1;
                    cost.flops += flops(*op);
                }
            }
        }
        cost
    }

    /// Values alive at once; an input lives from its first use, a result only as long as it is used.
    fn live(&self) -> usize {
        let ops = self.graph.ops();
        let mut last: Vec<Option<usize>> = vec![None; ops.len()];
        for (i, op) in ops.iter().enumerate() {
            let (operands, count) = op.operands();
            operands[..count].iter().for_each(|id| last[*id as usize] = Some(i));
        }
        let (mut born, mut now, mut most) = (vec![false; ops.len()], 0_usize, 0);
        let counts = |id: Id| !ops[id as usize].is_literal();
        for (i, op) in ops.iter().enumerate().filter(|(_, op)| !matches!(op, Op::Input(_))) {
            let (operands, count) = op.operands();
            let mut operands = operands[..count].to_vec();
            operands.sort_unstable();
            operands.dedup();
            for id in operands.iter().filter(|id| matches!(ops[**id as usize], Op::Input(_))) {
                now += usize::from(!std::mem::replace(&mut born[*id as usize], true));
            }
            now += usize::from(counts(i as Id));
            most = most.max(now);
            let ended = operands.iter().filter(|id| counts(**id) && last[**id as usize] == Some(i)).count();
            now -= ended + usize::from(counts(i as Id) && last[i].is_none());
        }
        most
    }
}

fn flops(op: Op) -> usize {
    match op {
        Op::Fma(..) | Op::NegFma(..) => 2,
        Op::Add(..) | Op::Sub(..) | Op::Mul(..) | Op::Div(..) | Op::Sqrt(_) => 1,
        _ => 0,
    }
}
