//! A tree of boxes over the triangles of a mesh.

use super::Bounds;

/// Triangles in a leaf.
const LEAF: usize = 4;
/// Deepest walk; trees are halved at every level, so that 2⁴⁰ triangles fit.
const DEPTH: usize = 48;

/// A box around some triangles.
#[derive(Clone, Copy, Debug)]
struct Node {
    bounds: Bounds,
    /// Leaves: first triangle in the order. Others: position of the second child; the first follows the node.
    start: u32,
    /// Triangles in a leaf; zero for others.
    count: u32,
}

/// The tree, and the order in which its leaves list the triangles.
#[derive(Clone, Debug, Default)]
pub(super) struct Bvh {
    nodes: Vec<Node>,
    order: Vec<u32>,
}

/// What is left to visit.
pub(super) struct Stack {
    nodes: [u32; DEPTH],
    count: usize,
    /// Triangles of the current leaf.
    leaf: (u32, u32),
    started: bool,
}

impl Stack {
    pub fn new() -> Self {
        Stack { nodes: [0; DEPTH], count: 0, leaf: (0, 0), started: false }
    }
}

impl Bvh {
    pub fn new(boxes: &[Bounds]) -> Self {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let mut nodes = Vec::new();
        if !boxes.is_empty() {
            split(boxes, &mut order, 0, &mut nodes);
        }
        Bvh { nodes, order }
    }

    /// The next triangle whose leaf meets `near`.
    pub fn next(&self, stack: &mut Stack, near: &Bounds) -> Option<u32> {
        if !stack.started {
            stack.started = true;
            stack.count = usize::from(!self.nodes.is_empty());
        }
        loop {
            let (at, end) = stack.leaf;
            if at < end {
                stack.leaf.0 += 1;
                return self.order.get(at as usize).copied();
            }
            stack.count = stack.count.checked_sub(1)?;
            let index = stack.nodes[stack.count];
            let node = &self.nodes[index as usize];
            if !node.bounds.meets(near) {
                continue;
            }
            if node.count > 0 {
                stack.leaf = (node.start, node.start + node.count);
            } else if stack.count + 2 <= DEPTH {
                stack.nodes[stack.count] = node.start;
                stack.nodes[stack.count + 1] = index + 1;
                stack.count += 2;
            }
        }
    }
}

/// Splits at the median of the longest side. Recursion is as deep as the logarithm of the count.
fn split(boxes: &[Bounds], order: &mut [u32], first: usize, nodes: &mut Vec<Node>) {
    let around = order.iter().map(|t| boxes[*t as usize]).reduce(Bounds::joined);
    let Some(bounds) = around else { return };
    let own = nodes.len();
    let leaf = order.len() <= LEAF;
    let (start, count) = if leaf { (first as u32, order.len() as u32) } else { (0, 0) };
    nodes.push(Node { bounds, start, count });
    if leaf {
        return;
    }
    let side = (bounds.high - bounds.low).to_array();
    let axis = if side[0] >= side[1] && side[0] >= side[2] { 0 } else { 1 + usize::from(side[2] > side[1]) };
    let middle = |t: &u32| {
        let b = &boxes[*t as usize];
        b.low.to_array()[axis] + b.high.to_array()[axis]
    };
    let half = order.len() / 2;
    order.select_nth_unstable_by(half, |a, b| middle(a).total_cmp(&middle(b)).then(a.cmp(b)));
    let (left, right) = order.split_at_mut(half);
    split(boxes, left, first, nodes);
    nodes[own].start = nodes.len() as u32;
    split(boxes, right, first + half, nodes);
}
