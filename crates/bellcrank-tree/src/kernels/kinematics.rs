//! Where everything is: world poses of nodes and frames.

use crate::model::{Frame, TreeModel};
use crate::node::{Place, WORLD, lift, lift_matrix};
use bellcrank_math::{Elem, Mat3, Real, Vec3};

/// World pose of a node or frame: R_WN and p_WN.
#[derive(Clone, Copy, Debug, Default)]
pub struct WorldPose<R> {
    /// R_WN
    pub R: Mat3<R>,
    /// p_WN \[m\]
    pub p: Vec3<R>,
}

impl<R: Real> WorldPose<R> {
    /// Twelve numbers: the 3×4 matrix \[R | p\] by rows.
    #[inline(always)]
    pub fn write(self, out: &mut [R]) {
        let (m, p) = (self.R, self.p);
        let rows = [[m.x.x, m.y.x, m.z.x, p.x], [m.x.y, m.y.y, m.z.y, p.y], [m.x.z, m.y.z, m.z.z, p.z]];
        for (r, row) in rows.iter().enumerate() {
            out[4 * r..4 * r + 4].copy_from_slice(row);
        }
    }
}

/// World poses of the listed nodes; each one's parent must be listed before it.
#[inline(always)]
pub fn world_poses<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    nodes: &[usize],
    q: &[R],
    poses: &mut [WorldPose<R>],
) {
    let mut at = Place::default();
    for &i in nodes {
        let node = &tree.nodes[i];
        node.place(q, &mut at);
        let (rotation, p) = if node.parent == WORLD {
            node.compose_root(&at)
        } else {
            let parent = poses[node.parent];
            node.compose(&at, parent.R, parent.p)
        };
        poses[i] = WorldPose { R: rotation, p };
    }
}

/// World pose of a frame, once its node's is known.
#[inline(always)]
pub fn frame_pose<E: Elem, R: Real<Elem = E>>(frame: &Frame<E>, poses: &[WorldPose<R>]) -> WorldPose<R> {
    let (R_NF, p_NF) = (lift_matrix::<R>(&frame.R), lift(frame.p));
    match frame.node {
        None => WorldPose { R: R_NF, p: p_NF },
        Some(i) => WorldPose { R: poses[i].R * R_NF, p: poses[i].R * p_NF + poses[i].p },
    }
}
