//! Forward kinematics for arrays: poses of some frames and nothing else.
//!
//! Nodes have axes of their own choosing (see `build`), which mostly are the frame's with names and signs changed. Then
//! the frame's rotation is the node's with columns exchanged: that happens while results are written, without a
//! single multiplication.

use super::kinematics::{WorldPose, frame_pose_on};
use crate::build::ALIGNED;
use crate::model::{Frame, TreeModel};
use crate::node::{Place, WORLD, lift, lift_matrix};
use bellcrank_math::{Elem, Mat3, Real};

/// The nodes that some frames need, and how the frames follow from them.
pub struct Poses<E> {
    /// Parents first; a node's pose stands at twelve times its position here.
    nodes: Vec<usize>,
    /// Position in `nodes` of each one's parent.
    parents: Vec<usize>,
    /// What must be computed beyond the nodes' poses, each with the position of its node (none: the world).
    extra: Vec<(Frame<E>, Option<usize>)>,
}

impl<E: Elem> Poses<E> {
    /// With them: which numbers of the block make the frames' rows, and their signs.
    pub fn new(tree: &TreeModel<E>, frames: Vec<Frame<E>>) -> (Self, Vec<(usize, f64)>) {
        let nodes = needed_nodes(tree, &frames);
        let position = |node: usize| nodes.iter().position(|i| *i == node);
        let parents = nodes.iter().map(|&i| position(tree.nodes[i].parent).unwrap_or(WORLD)).collect();
        let (mut extra, mut picks) = (Vec::new(), Vec::new());
        for frame in frames {
            let node = frame.node.and_then(position);
            match (node, turns(&frame)) {
                (Some(node), Some(turns)) => {
                    for r in 0..3 {
                        picks.extend(turns.map(|(column, sign)| (12 * node + 4 * r + column, sign)));
                        picks.push((12 * node + 4 * r + 3, 1.0));
                    }
                }
                _ => {
                    let first = 12 * (nodes.len() + extra.len());
                    picks.extend((first..first + 12).map(|place| (place, 1.0)));
                    extra.push((frame, node));
                }
            }
        }
        (Poses { nodes, parents, extra }, picks)
    }

    /// Numbers per state of the block.
    pub fn block(&self) -> usize {
        12 * (self.nodes.len() + self.extra.len())
    }

    /// Poses of nodes, then of the frames that need more, each twelve numbers.
    #[inline(always)]
    pub fn write<R: Real<Elem = E>>(&self, tree: &TreeModel<E>, q: &[R], out: &mut [R]) {
        let mut at = Place::default();
        for (n, (&i, &parent)) in self.nodes.iter().zip(&self.parents).enumerate() {
            let node = &tree.nodes[i];
            node.place(q, &mut at);
            let (rotation, p) = if parent == WORLD {
                node.compose_root(&at)
            } else {
                let pose = WorldPose::read(&out[12 * parent..]);
                node.compose(&at, pose.R, pose.p)
            };
            WorldPose { R: rotation, p }.write(&mut out[12 * n..]);
        }
        let (done, rest) = out.split_at_mut(12 * self.nodes.len());
        for ((frame, node), out) in self.extra.iter().zip(rest.chunks_exact_mut(12)) {
            let pose = match node {
                None => WorldPose { R: lift_matrix(&frame.R), p: lift(frame.p) },
                Some(n) => frame_pose_on(frame, WorldPose::read(&done[12 * n..])),
            };
            pose.write(out);
        }
    }
}

/// The frames' nodes and all between them and the world, parents first.
fn needed_nodes<E: Elem>(tree: &TreeModel<E>, frames: &[Frame<E>]) -> Vec<usize> {
    let mut needed = vec![false; tree.nodes.len()];
    for leaf in frames.iter().filter_map(|frame| frame.node) {
        tree.path(leaf).into_iter().for_each(|i| needed[i] = true);
    }
    (0..needed.len()).filter(|i| needed[*i]).collect()
}

/// For a frame at its node's origin whose axes are the node's up to names and signs: for each of its axes, which.
fn turns<E: Elem>(frame: &Frame<E>) -> Option<[(usize, f64); 3]> {
    if frame.p.to_array().iter().any(|x| *x != E::zero()) {
        return None;
    }
    let Mat3 { x, y, z } = frame.R;
    let mut turns = [(0, 0.0); 3];
    for (turn, axis) in turns.iter_mut().zip([x, y, z]) {
        let parts = axis.to_array().map(E::to_f64);
        let along = parts.iter().position(|x| x.abs() > 0.5)?;
        let across = parts.iter().enumerate().filter(|(k, _)| *k != along);
        if across.into_iter().any(|(_, x)| x.abs() > ALIGNED) {
            return None;
        }
        *turn = (along, parts[along].signum());
    }
    Some(turns)
}
