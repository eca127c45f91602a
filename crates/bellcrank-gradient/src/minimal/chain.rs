//! The spanning tree as a chain of small motions: how all bodies move with the rates of all freedoms, several columns at
//! once.

use super::tree::Tree;
use bellcrank_math::{Pose, Real, Vec3};
use bellcrank_model::kinematics;
use bellcrank_step::rows::joint_pose;

/// One body of the tree: it moves with its parent, and along its own freedoms.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link<N> {
    pub body: usize,
    /// The parent, as a body.
    parent: Option<usize>,
    /// From the parent's centre of mass to its own.
    pub arm: Vec3<N>,
    /// Its freedoms among those of the tree.
    pub first: usize,
    pub count: usize,
}

/// All bodies, parents first.
#[derive(Clone, Debug)]
pub(super) struct Chain<N> {
    pub links: Vec<Link<N>>,
    /// By freedom: motion of its link's centre of mass and turn, world axes.
    pub axes: Vec<[N; 6]>,
}

impl<N: Real> Chain<N> {
    pub fn new() -> Self {
        Chain { links: Vec::new(), axes: Vec::new() }
    }
}

impl<N: Real> Tree<'_, N> {
    /// The chain at these poses, in place of what it was. Joints are taken as closed.
    #[inline(always)]
    pub(super) fn lay(&self, X_WB: &[Pose<N>], chain: &mut Chain<N>) {
        chain.links.clear();
        chain.axes.clear();
        for node in self.model.graph().tree() {
            let (body, first) = (node.body.index(), chain.axes.len());
            let mut link = Link { body, parent: None, arm: Vec3::zero(), first, count: 6 };
            if let Some(p) = node.parent {
                link.parent = Some(p.index());
                link.arm = X_WB[body].p - X_WB[p.index()].p;
            }
            match node.joint {
                None => {
                    for k in 0..6 {
                        let mut axis = [N::zero(); 6];
                        axis[k] = N::one();
                        chain.axes.push(axis);
                    }
                }
                Some(joint) => {
                    let (layout, c) =
                        (&self.layout.joints[joint.index()], &self.constants.joints[joint.index()]);
                    let (X_WF, X_WM, X_FM) = joint_pose(layout, c, X_WB);
                    let axes = kinematics::motion_axes(layout.kind, X_FM);
                    let sign = N::constant(if node.reversed { -1.0 } else { 1.0 });
                    link.count = layout.kind.dof_count();
                    for k in 0..link.count {
                        let w = X_WF.R.rotate(axes[k].angular) * sign;
                        let v = X_WF.R.rotate(axes[k].linear) * sign + w.cross(X_WB[body].p - X_WM.p);
                        chain.axes.push([v.x, v.y, v.z, w.x, w.y, w.z]);
                    }
                }
            }
            chain.links.push(link);
        }
    }
}

/// How all bodies move, one column per lane.
#[derive(Clone, Debug)]
pub(super) struct Motion<R> {
    /// (δx, δθ) by body, world axes.
    pub bodies: Vec<[R; 6]>,
    /// Bodies that do move.
    pub some: Vec<bool>,
}

impl<R: Real<Elem = f64>> Motion<R> {
    pub fn new(bodies: usize) -> Self {
        Motion { bodies: vec![[R::zero(); 6]; bodies], some: vec![false; bodies] }
    }

    /// From the changes of all freedoms of the tree; `any` says which of these are not zero.
    #[inline(always)]
    pub fn follow(&mut self, chain: &Chain<f64>, dq: &[R], any: &[bool]) {
        for link in &chain.links {
            let (mut six, mut moves) = ([R::zero(); 6], false);
            if let Some(p) = link.parent
                && self.some[p]
            {
                // δx_b = δx_p + δθ_p × (x_b − x_p)
                six = self.bodies[p];
                moves = true;
                let Vec3 { x, y, z } = link.arm;
                let arm = Vec3::new(R::splat(x), R::splat(y), R::splat(z));
                let swept = Vec3::new(six[3], six[4], six[5]).cross(arm);
                six[0] += swept.x;
                six[1] += swept.y;
                six[2] += swept.z;
            }
            for k in 0..link.count {
                if any[link.first + k] {
                    moves = true;
                    for i in 0..6 {
                        six[i] = R::splat(chain.axes[link.first + k][i]).mul_add(dq[link.first + k], six[i]);
                    }
                }
            }
            (self.bodies[link.body], self.some[link.body]) = (six, moves);
        }
    }
}
