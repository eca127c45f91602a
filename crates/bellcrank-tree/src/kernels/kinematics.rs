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
        let numbers = [m.x.x, m.y.x, m.z.x, p.x, m.x.y, m.y.y, m.z.y, p.y, m.x.z, m.y.z, m.z.z, p.z];
        out[..12].copy_from_slice(&numbers);
    }

    /// From twelve numbers that [`WorldPose::write`] wrote.
    #[inline(always)]
    pub fn read(numbers: &[R]) -> Self {
        let m = &numbers[..12];
        let (x, y, z) =
            (Vec3::new(m[0], m[4], m[8]), Vec3::new(m[1], m[5], m[9]), Vec3::new(m[2], m[6], m[10]));
        WorldPose { R: Mat3::from_columns(x, y, z), p: Vec3::new(m[3], m[7], m[11]) }
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
    match frame.node {
        None => WorldPose { R: lift_matrix(&frame.R), p: lift(frame.p) },
        Some(i) => frame_pose_on(frame, poses[i]),
    }
}

/// World pose of a frame from its node's.
#[inline(always)]
pub fn frame_pose_on<E: Elem, R: Real<Elem = E>>(frame: &Frame<E>, node: WorldPose<R>) -> WorldPose<R> {
    let (R_NF, p_NF) = (lift_matrix::<R>(&frame.R), lift(frame.p));
    WorldPose { R: node.R * R_NF, p: node.R * p_NF + node.p }
}
