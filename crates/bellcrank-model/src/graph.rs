//! The joint graph: bodies and the world are nodes, joints are edges. Nobody has to author a tree or choose a cut.
//!
//! A spanning tree is found for the tree operators; every joint outside it closes one independent loop, and the
//! loop is listed by its joints. With c components (each with its root: the world or a floating base), the
//! number of loops is joints − nodes + components.

use crate::builder::Parts;
use crate::ids::{BodyId, JointId};
use std::collections::VecDeque;

/// Components, spanning tree and loops.
#[derive(Clone, Debug, PartialEq)]
pub struct JointGraph {
    components: Vec<Component>,
    tree: Vec<TreeNode>,
    loops: Vec<Loop>,
}

/// Bodies that hang together.
#[derive(Clone, Debug, PartialEq)]
pub struct Component {
    /// In the order of the spanning tree.
    pub bodies: Vec<BodyId>,
    /// Joined to the world by some joint; otherwise its first body is a floating base.
    pub grounded: bool,
}

/// A body in the spanning tree. Parents come before their children.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TreeNode {
    /// The body.
    pub body: BodyId,
    /// The body before it; `None` for the world or nothing.
    pub parent: Option<BodyId>,
    /// The joint to it; `None` for a floating base.
    pub joint: Option<JointId>,
    /// The joint's successor is the parent: its coordinates count from the child's side.
    pub reversed: bool,
}

/// An independent loop.
#[derive(Clone, Debug, PartialEq)]
pub struct Loop {
    /// The joint that is not in the spanning tree.
    pub closing: JointId,
    /// All joints round the loop, the closing one first, then from its successor back to its predecessor.
    pub joints: Vec<JointId>,
}

impl JointGraph {
    pub(crate) fn of(parts: &Parts) -> Self {
        let in_tree = choose_tree(parts);
        let (components, tree) = walk(parts, &in_tree);
        let loops = find_loops(parts, &in_tree, &tree);
        JointGraph { components, tree, loops }
    }

    /// Bodies that hang together.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// The spanning tree, parents first, one component after the other.
    pub fn tree(&self) -> &[TreeNode] {
        &self.tree
    }

    /// A body and all that hangs on it in the spanning tree, or every body; in the order of their numbers.
    pub fn carried_by(&self, root: Option<BodyId>) -> Vec<BodyId> {
        let mut within = vec![false; self.tree.len()];
        for node in &self.tree {
            let carried = node.parent.is_some_and(|parent| within[parent.index()]);
            within[node.body.index()] = root.is_none_or(|root| root == node.body) || carried;
        }
        (0..within.len()).filter(|b| within[*b]).map(BodyId::new).collect()
    }

    /// Independent loops.
    pub fn loops(&self) -> &[Loop] {
        &self.loops
    }
}

/// Node number of a link: bodies in order, then the world.
fn node(parts: &Parts, body: Option<BodyId>) -> usize {
    body.map_or(parts.bodies.len(), BodyId::index)
}

fn ends(parts: &Parts, joint: usize) -> (usize, usize) {
    let joint = &parts.joints[joint];
    (node(parts, joint.predecessor.body()), node(parts, joint.successor.body()))
}

/// The joints at each node.
fn adjacency(parts: &Parts) -> Vec<Vec<usize>> {
    let mut joints = vec![Vec::new(); parts.bodies.len() + 1];
    for j in 0..parts.joints.len() {
        let (p, s) = ends(parts, j);
        joints[p].push(j);
        joints[s].push(j);
    }
    joints
}

/// Distance of every node from the world or, for floating components, from their first body.
fn depths(parts: &Parts, joints_at: &[Vec<usize>]) -> Vec<usize> {
    let world = parts.bodies.len();
    let mut depth = vec![usize::MAX; world + 1];
    for root in std::iter::once(world).chain(0..world) {
        if depth[root] != usize::MAX {
            continue;
        }
        depth[root] = 0;
        let mut queue = VecDeque::from([root]);
        while let Some(here) = queue.pop_front() {
            for &j in &joints_at[here] {
                let (p, s) = ends(parts, j);
                let there = if p == here { s } else { p };
                if depth[there] == usize::MAX {
                    depth[there] = depth[here] + 1;
                    queue.push_back(there);
                }
            }
        }
    }
    depth
}

/// Which joints form the spanning tree (Kruskal's method).
///
/// Joints that the author marked as closing a loop come last; actuated ones come first, so that their coordinates
/// are the tree's own; otherwise the ones nearest the root, which keeps loops short.
fn choose_tree(parts: &Parts) -> Vec<bool> {
    let depth = depths(parts, &adjacency(parts));
    let mut actuated = vec![false; parts.joints.len()];
    for actuator in &parts.actuators {
        if let Some((joint, _)) = actuator.coordinate() {
            actuated[joint.index()] = true;
        }
    }
    let mut order: Vec<usize> = (0..parts.joints.len()).collect();
    order.sort_by_key(|&j| {
        let (p, s) = ends(parts, j);
        let (near, far) = (depth[p].min(depth[s]), depth[p].max(depth[s]));
        (parts.joints[j].closes_loop, !actuated[j], near, far, j)
    });
    let mut forest = Forest::new(parts.bodies.len() + 1);
    let mut in_tree = vec![false; parts.joints.len()];
    for j in order {
        let (p, s) = ends(parts, j);
        in_tree[j] = forest.join(p, s);
    }
    in_tree
}

/// Disjoint sets with path halving.
pub(crate) struct Forest {
    parent: Vec<usize>,
}

impl Forest {
    /// Every node alone.
    pub(crate) fn new(nodes: usize) -> Self {
        Forest { parent: (0..nodes).collect() }
    }

    /// The representative of a node's set.
    pub(crate) fn root(&mut self, mut node: usize) -> usize {
        while self.parent[node] != node {
            self.parent[node] = self.parent[self.parent[node]];
            node = self.parent[node];
        }
        node
    }

    /// True when the two were apart.
    pub(crate) fn join(&mut self, a: usize, b: usize) -> bool {
        let (a, b) = (self.root(a), self.root(b));
        self.parent[a] = b;
        a != b
    }
}

/// Walks the tree outward from the world and from each floating base, depth first in the order of the joints.
fn walk(parts: &Parts, in_tree: &[bool]) -> (Vec<Component>, Vec<TreeNode>) {
    let joints_at = adjacency(parts);
    let world = parts.bodies.len();
    let (mut components, mut tree) = (Vec::new(), Vec::new());
    let mut seen = vec![false; world + 1];
    // the world's branches are components of their own: nothing passes through the ground
    let mut roots: Vec<(usize, Option<usize>)> =
        joints_at[world].iter().filter(|j| in_tree[**j]).map(|&j| (world, Some(j))).collect();
    roots.extend((0..world).map(|body| (body, None)));
    seen[world] = true;
    for (root, first) in roots {
        let start = tree.len();
        let mut stack: Vec<(usize, Option<usize>, usize)> = match first {
            Some(j) => vec![(other_end(parts, j, world), Some(j), world)],
            None => vec![(root, None, world)],
        };
        while let Some((here, joint, parent)) = stack.pop() {
            if std::mem::replace(&mut seen[here], true) {
                continue;
            }
            tree.push(tree_node(parts, here, joint, parent));
            for &j in joints_at[here].iter().rev().filter(|j| in_tree[**j]) {
                let there = other_end(parts, j, here);
                if !seen[there] {
                    stack.push((there, Some(j), here));
                }
            }
        }
        if tree.len() > start {
            let bodies = tree[start..].iter().map(|node| node.body).collect();
            components.push(Component { bodies, grounded: first.is_some() });
        }
    }
    (merge_by_loops(parts, in_tree, components), tree)
}

fn other_end(parts: &Parts, joint: usize, here: usize) -> usize {
    let (p, s) = ends(parts, joint);
    if p == here { s } else { p }
}

fn tree_node(parts: &Parts, here: usize, joint: Option<usize>, parent: usize) -> TreeNode {
    TreeNode {
        body: BodyId::new(here),
        parent: (parent < parts.bodies.len()).then(|| BodyId::new(parent)),
        joint: joint.map(JointId::new),
        reversed: joint.is_some_and(|j| ends(parts, j).0 == here),
    }
}

/// Two branches from the ground that a closing joint connects are one component.
fn merge_by_loops(parts: &Parts, in_tree: &[bool], components: Vec<Component>) -> Vec<Component> {
    let world = parts.bodies.len();
    let mut owner = vec![usize::MAX; world + 1];
    for (c, component) in components.iter().enumerate() {
        component.bodies.iter().for_each(|body| owner[body.index()] = c);
    }
    let mut forest = Forest::new(components.len());
    for j in (0..parts.joints.len()).filter(|j| !in_tree[*j]) {
        let (p, s) = ends(parts, j);
        if p != world && s != world {
            forest.join(owner[p].max(owner[s]), owner[p].min(owner[s]));
        }
    }
    let mut merged: Vec<(usize, Component)> = Vec::new();
    for (c, component) in components.into_iter().enumerate() {
        let root = forest.root(c);
        match merged.iter_mut().find(|(r, _)| *r == root) {
            Some((_, whole)) => {
                whole.bodies.extend(component.bodies);
                whole.grounded |= component.grounded;
            }
            None => merged.push((root, component)),
        }
    }
    merged.into_iter().map(|(_, component)| component).collect()
}

/// One loop per joint outside the tree: the two ways up to the common ancestor.
fn find_loops(parts: &Parts, in_tree: &[bool], tree: &[TreeNode]) -> Vec<Loop> {
    let mut up: Vec<Option<(usize, JointId)>> = vec![None; parts.bodies.len() + 1];
    for node in tree {
        up[node.body.index()] = node.joint.map(|joint| (self::node(parts, node.parent), joint));
    }
    let path = |mut node: usize| {
        let mut joints = Vec::new();
        while let Some((parent, joint)) = up[node] {
            joints.push(joint);
            node = parent;
        }
        joints
    };
    (0..parts.joints.len())
        .filter(|j| !in_tree[*j])
        .map(|j| {
            let (p, s) = ends(parts, j);
            let (mut from_s, mut from_p) = (path(s), path(p));
            while from_s.last().is_some() && from_s.last() == from_p.last() {
                from_s.pop();
                from_p.pop();
            }
            let closing = JointId::new(j);
            let joints = std::iter::once(closing).chain(from_s).chain(from_p.into_iter().rev()).collect();
            Loop { closing, joints }
        })
        .collect()
}
