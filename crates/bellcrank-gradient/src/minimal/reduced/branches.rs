//! The spanning tree by itself: who is above whom. It does not change with numbers.

use super::super::tree::Tree;
use bellcrank_math::Real;

/// One body of the tree.
#[derive(Clone, Debug)]
pub(super) struct Branch {
    pub body: usize,
    /// The link of its parent.
    pub up: Option<usize>,
    /// Its freedoms.
    pub first: usize,
    pub count: usize,
}

/// All of them, parents first.
#[derive(Clone, Debug)]
pub(super) struct Branches {
    pub links: Vec<Branch>,
    /// By body.
    pub link_of: Vec<usize>,
    /// By joint: its link, none where it closes a loop.
    pub link_of_joint: Vec<Option<usize>>,
    /// Freedoms that move its link come before each.
    pub order: Order,
}

/// Which freedoms meet when equations are eliminated from the last to the first.
#[derive(Clone, Debug)]
pub(super) struct Order {
    /// By freedom: those before it that it meets.
    pub above: Vec<Vec<usize>>,
    /// By freedom: all that it meets, itself too.
    pub meets: Vec<Vec<usize>>,
}

impl Order {
    pub fn new(above: Vec<Vec<usize>>) -> Self {
        let mut meets = above.clone();
        for (i, above) in above.iter().enumerate() {
            meets[i].push(i);
            above.iter().for_each(|k| meets[*k].push(i));
        }
        Order { above, meets }
    }

    /// All meet.
    pub fn dense(count: usize) -> Self {
        Order::new((0..count).map(|k| (0..k).collect()).collect())
    }
}

impl Branches {
    pub fn of<N: Real>(tree: &Tree<'_, N>) -> Self {
        let mut all = Branches {
            links: Vec::new(),
            link_of: vec![0; tree.layout.position.len()],
            link_of_joint: vec![None; tree.layout.joints.len()],
            order: Order::new(Vec::new()),
        };
        let mut above: Vec<Vec<usize>> = Vec::new();
        for (l, node) in tree.model.graph().tree().iter().enumerate() {
            let count = node.joint.map_or(6, |j| tree.layout.joints[j.index()].kind.dof_count());
            let (first, up) = (above.len(), node.parent.map(|p| all.link_of[p.index()]));
            all.link_of[node.body.index()] = l;
            if let Some(joint) = node.joint {
                all.link_of_joint[joint.index()] = Some(l);
            }
            all.links.push(Branch { body: node.body.index(), up, first, count });
            let inherited: Vec<usize> = match up {
                Some(up) => all.moving(up).collect(),
                None => Vec::new(),
            };
            for k in 0..count {
                let mut own = inherited.clone();
                own.extend(first..first + k);
                above.push(own);
            }
        }
        all.order = Order::new(above);
        all
    }

    /// Number of freedoms.
    pub fn freedoms(&self) -> usize {
        self.order.above.len()
    }

    /// All freedoms that move a link, in order.
    pub fn moving(&self, link: usize) -> impl Iterator<Item = usize> {
        let mut all = Vec::new();
        let mut at = Some(link);
        while let Some(l) = at {
            let Branch { first, count, up, .. } = self.links[l];
            all.extend(first..first + count);
            at = up;
        }
        all.sort_unstable();
        all.into_iter()
    }

    /// The nearest link that moves both, if there is one.
    pub fn common(&self, a: usize, b: usize) -> Option<usize> {
        let (mut a, mut b) = (Some(a), Some(b));
        // parents come first: who comes later goes up
        while a != b {
            match (a, b) {
                (Some(x), Some(y)) if x > y => a = self.links[x].up,
                (_, Some(y)) => b = self.links[y].up,
                (Some(x), None) => a = self.links[x].up,
                (None, None) => {}
            }
        }
        a
    }
}
