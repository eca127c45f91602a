//! The spanning tree of an export: which joint carries which body, and which joints are left to close loops.
//!
//! Joints that the target format cannot write as a loop closure go into the tree first.

use bellcrank_model::{BodyId, Joint, JointId, Model};

/// How a body hangs in the tree.
#[derive(Clone, Copy, Debug)]
pub(super) struct Carried {
    pub body: BodyId,
    /// `None`: the world.
    pub parent: Option<BodyId>,
    /// `None`: moves freely.
    pub joint: Option<JointId>,
    /// The joint's successor is the parent.
    pub reversed: bool,
}

pub(super) struct Tree {
    /// Parents before children.
    pub order: Vec<Carried>,
    /// Joints outside the tree.
    pub closing: Vec<JointId>,
}

impl Tree {
    /// `reluctance`: joints of low values go into the tree first.
    pub fn of(model: &Model, reluctance: impl Fn(&Joint) -> u8) -> Tree {
        let bodies = model.bodies().len();
        let mut wanted: Vec<usize> = (0..model.joints().len()).collect();
        wanted.sort_by_key(|j| (reluctance(&model.joints()[*j]), model.joints()[*j].closes_loop));
        let mut sets = Sets((0..=bodies).collect()); // the world comes last
        let mut edges = vec![Vec::new(); bodies + 1];
        let mut closing = Vec::new();
        for j in wanted {
            let joint = &model.joints()[j];
            let node = |body: Option<BodyId>| body.map_or(bodies, BodyId::index);
            let (p, s) = (node(joint.predecessor.body()), node(joint.successor.body()));
            if sets.join(p, s) {
                edges[p].push((j, s, false));
                edges[s].push((j, p, true));
            } else {
                closing.push(JointId::new(j));
            }
        }
        closing.sort();
        edges.iter_mut().for_each(|list| list.sort_unstable());
        Tree { order: walk(bodies, &edges), closing }
    }
}

/// From the world, then from every body that is not reached: floating bases.
fn walk(bodies: usize, edges: &[Vec<(usize, usize, bool)>]) -> Vec<Carried> {
    let mut reached = vec![false; bodies + 1];
    let mut order = Vec::new();
    for root in std::iter::once(bodies).chain(0..bodies) {
        if std::mem::replace(&mut reached[root], true) {
            continue;
        }
        if root < bodies {
            order.push(Carried { body: BodyId::new(root), parent: None, joint: None, reversed: false });
        }
        let mut waiting = vec![root];
        while let Some(node) = waiting.pop() {
            for (j, next, reversed) in edges[node].iter().copied() {
                if std::mem::replace(&mut reached[next], true) {
                    continue;
                }
                let parent = (node < bodies).then(|| BodyId::new(node));
                let (body, joint) = (BodyId::new(next), Some(JointId::new(j)));
                order.push(Carried { body, parent, joint, reversed });
                waiting.push(next);
            }
        }
    }
    order
}

/// Disjoint sets.
struct Sets(Vec<usize>);

impl Sets {
    fn root(&mut self, mut i: usize) -> usize {
        while self.0[i] != i {
            self.0[i] = self.0[self.0[i]];
            i = self.0[i];
        }
        i
    }

    /// False if the two are joined already.
    fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.0[a] = b;
        a != b
    }
}
