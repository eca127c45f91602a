//! Forward kinematics for arrays: poses of some frames and nothing else.
//!
//! Nodes have axes of their own choosing (see `build`), which mostly are the frame's with names and signs changed. Then
//! the frame's rotation is the node's with columns exchanged: that happens while results are written, without a
//! single multiplication. Only where its origin lies elsewhere are three numbers to be computed.
//!
//! Sines and cosines of all joints come first, poses second, row by row and without a branch on the axis. Together that was
//! faster than joint by joint; the separate loop for sines alone was not.

use super::kinematics::{WorldPose, frame_pose_on};
use crate::build::ALIGNED;
use crate::model::{Frame, TreeModel};
use crate::node::{Motion, Node, Place, WORLD, lift, lift_matrix};
use bellcrank_math::{Elem, Mat3, Real, Vec3};

/// The nodes that some frames need, and how the frames follow from them.
pub struct Poses<E> {
    /// Parents first; a node's pose stands at twelve times its position here.
    steps: Vec<Step<E>>,
    /// Positions of plain turns, and their coordinates.
    turns: Vec<(usize, usize)>,
    /// What must be computed beyond the nodes' poses, each with the position of its node (none: the world).
    extra: Vec<(Frame<E>, Option<usize>)>,
    /// Where those stand.
    extra_place: usize,
}

/// One node.
struct Step<E> {
    node: usize,
    /// Position of its parent.
    parent: usize,
    /// It only turns about a coordinate axis of its parent.
    is_turn: bool,
    /// Columns of the rotation: along the axis, then the plane's, in cyclic order.
    columns: [usize; 3],
    /// p_PN, in the order of columns.
    offset: [E; 3],
    /// Where the origin of a frame with the node's axes stands, if there is one.
    shifted: Option<usize>,
    /// Its p_NF, in the order of columns.
    shift: [E; 3],
}

impl<E: Elem> Poses<E> {
    /// With them: which numbers of the block make the frames' rows, and their signs.
    pub fn new(tree: &TreeModel<E>, frames: Vec<Frame<E>>) -> (Self, Vec<(usize, f64)>) {
        let nodes = needed_nodes(tree, &frames);
        let position = |node: usize| nodes.iter().position(|i| *i == node);
        let steps = nodes.iter().map(|&i| {
            let node = &tree.nodes[i];
            Step::new(i, node, position(node.parent).unwrap_or(WORLD))
        });
        let mut poses = Poses { steps: steps.collect(), turns: vec![], extra: vec![], extra_place: 0 };
        let turns = poses.steps.iter().enumerate().filter(|(_, step)| step.is_turn);
        poses.turns = turns.map(|(n, step)| (n, tree.nodes[step.node].q)).collect();
        let picks = poses.add_frames(frames, position);
        (poses, picks)
    }

    fn add_frames(
        &mut self,
        frames: Vec<Frame<E>>,
        position: impl Fn(usize) -> Option<usize>,
    ) -> Vec<(usize, f64)> {
        let (mut picks, mut whole) = (Vec::new(), Vec::new());
        let mut place = 12 * self.steps.len();
        for frame in frames {
            let at = frame.node.and_then(&position);
            let simple = match (at, turns(&frame)) {
                (Some(at), Some(turns)) => {
                    self.steps[at].origin(at, frame.p, &mut place).map(|p| (at, turns, p))
                }
                _ => None,
            };
            let Some((at, turns, p)) = simple else {
                whole.push(picks.len());
                picks.extend([(0, 1.0); 12]);
                self.extra.push((frame, at));
                continue;
            };
            for r in 0..3 {
                picks.extend(turns.map(|(column, sign)| (12 * at + 4 * r + column, sign)));
                picks.push((p[r], 1.0));
            }
        }
        self.extra_place = place;
        for (n, first) in whole.into_iter().enumerate() {
            (0..12).for_each(|k| picks[first + k].0 = place + 12 * n + k);
        }
        picks
    }

    /// Numbers per state of the block.
    pub fn block(&self) -> usize {
        self.extra_place + 12 * self.extra.len()
    }

    /// Poses of nodes, origins of frames that have their axes, then poses of the frames that need more.
    #[inline(always)]
    pub fn write<R: Real<Elem = E>>(&self, tree: &TreeModel<E>, q: &[R], out: &mut [R]) {
        for &(n, k) in &self.turns {
            // kept where the node's pose will stand
            (out[12 * n], out[12 * n + 1]) = q[k].sin_cos();
        }
        let first = 12 * self.steps.len();
        let (nodes, rest) = out.split_at_mut(first);
        let (origins, whole) = rest.split_at_mut(self.extra_place - first);
        for (n, step) in self.steps.iter().enumerate() {
            let (before, own) = nodes.split_at_mut(12 * n);
            let own = &mut own[..12];
            match (step.is_turn, step.shifted) {
                (true, None) => step.turn::<R, false>(&before[12 * step.parent..][..12], own, &mut []),
                (true, Some(place)) => {
                    let origin = &mut origins[place - first..][..3];
                    step.turn::<R, true>(&before[12 * step.parent..][..12], own, origin);
                }
                (false, place) => {
                    let pose = step.move_freely(&tree.nodes[step.node], q, before);
                    pose.write(own);
                    if let Some(place) = place {
                        let p = pose.R * lift(Vec3::from_array(step.shift)) + pose.p;
                        origins[place - first..][..3].copy_from_slice(&p.to_array());
                    }
                }
            }
        }
        for ((frame, node), out) in self.extra.iter().zip(whole.chunks_exact_mut(12)) {
            let pose = match node {
                None => WorldPose { R: lift_matrix(&frame.R), p: lift(frame.p) },
                Some(n) => frame_pose_on(frame, WorldPose::read(&nodes[12 * n..])),
            };
            pose.write(out);
        }
    }
}

impl<E: Elem> Step<E> {
    fn new(i: usize, node: &Node<E>, parent: usize) -> Self {
        let (is_turn, columns) = match node.motion {
            Motion::Turn(axis) if parent != WORLD && node.tilt.is_none() => {
                (true, [0, 1, 2].map(|k| (axis as usize + k) % 3))
            }
            _ => (false, [0, 1, 2]),
        };
        let p = node.p.to_array();
        Step {
            node: i,
            parent,
            is_turn,
            columns,
            offset: columns.map(|k| p[k]),
            shifted: None,
            shift: [E::zero(); 3],
        }
    }

    /// Where the numbers of an origin stand, the next free place being `place`; none if the node has another already.
    fn origin(&mut self, position: usize, p_NF: Vec3<E>, place: &mut usize) -> Option<[usize; 3]> {
        let p = p_NF.to_array();
        if p.iter().all(|x| *x == E::zero()) {
            return Some([3, 7, 11].map(|k| 12 * position + k));
        }
        let p = self.columns.map(|k| p[k]);
        let first = match self.shifted {
            Some(first) => (self.shift == p).then_some(first)?,
            None => {
                (self.shifted, self.shift) = (Some(*place), p);
                *place += 3;
                *place - 3
            }
        };
        Some([first, first + 1, first + 2])
    }

    /// The pose of a plain turn from its parent's, row by row; sine and cosine stand where it will. With it the origin
    /// of the frame that is shifted, p_WF = R_WN p_NF + p_WN.
    #[inline(always)]
    fn turn<R: Real<Elem = E>, const SHIFTED: bool>(&self, parent: &[R], own: &mut [R], origin: &mut [R]) {
        let (sin, cos) = (own[0], own[1]);
        let [along, first, second] = [self.columns[0] & 3, self.columns[1] & 3, self.columns[2] & 3];
        let [a, b, c] = [R::splat(self.offset[0]), R::splat(self.offset[1]), R::splat(self.offset[2])];
        let shift = [R::splat(self.shift[0]), R::splat(self.shift[1]), R::splat(self.shift[2])];
        for i in 0..3 {
            let row = &parent[4 * i..4 * i + 4];
            let (x, y, z) = (row[along], row[first], row[second]);
            let p = row[3] + x.mul_add(a, y.mul_add(b, z * c));
            let (y, z) = (z.mul_add(sin, y * cos), y.neg_mul_add(sin, z * cos));
            if SHIFTED {
                origin[i] = p + x.mul_add(shift[0], y.mul_add(shift[1], z * shift[2]));
            }
            let row = &mut own[4 * i..4 * i + 4];
            (row[along], row[first], row[second], row[3]) = (x, y, z, p);
        }
    }

    /// The pose of any other node.
    #[inline(always)]
    fn move_freely<R: Real<Elem = E>>(&self, node: &Node<E>, q: &[R], before: &[R]) -> WorldPose<R> {
        let mut at = Place::default();
        node.place(q, &mut at);
        let (rotation, p) = if self.parent == WORLD {
            node.compose_root(&at)
        } else {
            let parent = WorldPose::read(&before[12 * self.parent..]);
            node.compose(&at, parent.R, parent.p)
        };
        WorldPose { R: rotation, p }
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

/// For a frame whose axes are its node's up to names and signs: for each of its axes, which.
fn turns<E: Elem>(frame: &Frame<E>) -> Option<[(usize, f64); 3]> {
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
