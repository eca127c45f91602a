//! Inverse dynamics: the recursive Newton–Euler algorithm, τ = M(q) a + C(q, v) v + g(q).
//!
//! [Featherstone 2008] Table 5.1 in body coordinates. Springs, damping and dry friction of the model are not part
//! of it; rotor inertia (armature) is.

use super::{Ended, minus_gravity, newton_euler};
use crate::model::{Frame, TreeModel};
use crate::node::{Motion, Node, Place, lift, lift_matrix};
use bellcrank_math::{Elem, Real, Twist, Vec3, Wrench};

/// Memory for one block, by [`Node::level`](crate::Node): one branch at a time.
pub struct Scratch<R> {
    /// X_PN
    pub at: Vec<Place<R>>,
    /// V_N
    pub V: Vec<Twist<R>>,
    /// A_N − g
    pub A: Vec<Twist<R>>,
    /// Force through the joint, about N's origin in N's axes.
    pub f: Vec<Wrench<R>>,
}

impl<R: Real> Scratch<R> {
    /// For a tree of so many nodes.
    pub fn new(nodes: usize) -> Self {
        Scratch {
            at: vec![Place::default(); nodes],
            V: vec![Twist::zero(); nodes],
            A: vec![Twist::zero(); nodes],
            f: vec![Wrench::zero(); nodes],
        }
    }
}

/// τ = rnea(q, v, a) − Jᵀ wrenches; `v` and `a` may be missing and are zero then.
#[inline(always)]
pub fn rnea<E: Elem, R: Real<Elem = E>, const MOVING: bool, const ACCELERATING: bool>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    state: [&[R]; 3],
    (frames, wrenches): (&[Frame<E>], &[R]),
    tau: &mut [R],
) {
    for (i, node) in tree.nodes.iter().enumerate() {
        forward::<E, R, MOVING, ACCELERATING>(tree, s, node, state);
        apply_wrenches(i, (frames, wrenches), &mut s.f[node.level]);
        for (_, ended) in Ended::with(&tree.nodes, i) {
            backward(ended, s, tau);
        }
    }
    if ACCELERATING {
        let a = state[2];
        for (k, effort) in tau.iter_mut().enumerate() {
            *effort = a[k].mul_add(R::splat(tree.armature[k]), *effort);
        }
    }
}

/// Velocity and acceleration of a node, and the force that it needs, from its parent's.
#[inline(always)]
fn forward<E: Elem, R: Real<Elem = E>, const MOVING: bool, const ACCELERATING: bool>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    node: &Node<E>,
    [q, v, a]: [&[R]; 3],
) {
    let l = node.level;
    node.place(q, &mut s.at[l]);
    let at = &s.at[l];
    let mut V = Twist::zero();
    let mut A;
    if l == 0 {
        A = Twist::new(node.rotate_down(at, minus_gravity::<E, R>(tree)), Vec3::zero());
    } else {
        A = node.motion_down(at, s.A[l - 1]);
        if MOVING {
            V = node.motion_down(at, s.V[l - 1]);
        }
    }
    if let Motion::Turn(axis) = node.motion {
        if MOVING {
            let rate = v[node.v];
            V.angular = axis.add(V.angular, rate);
            A = Twist::new(
                axis.cross_add(V.linear, rate, A.linear),
                axis.cross_add(V.angular, rate, A.angular),
            );
        }
        if ACCELERATING {
            A.angular = axis.add(A.angular, a[node.v]);
        }
    } else {
        if MOVING {
            let own = node.joint_velocity(v);
            V += own;
            A += V.cross(own);
        }
        if ACCELERATING {
            A += node.joint_velocity(a);
        }
    }
    s.f[l] = if MOVING {
        s.V[l] = V;
        newton_euler(&node.inertia, V, A)
    } else {
        super::momentum(&node.inertia, A)
    };
    s.A[l] = A;
}

/// Subtracts what pushes on frames of node `i` from outside: wrenches about each frame's origin, in its axes.
#[inline(always)]
pub fn apply_wrenches<E: Elem, R: Real<Elem = E>>(
    i: usize,
    (frames, wrenches): (&[Frame<E>], &[R]),
    f: &mut Wrench<R>,
) {
    for (frame, w) in frames.iter().zip(wrenches.chunks_exact(6)) {
        if frame.node != Some(i) {
            continue;
        }
        let rotation = lift_matrix::<R>(&frame.R);
        let force = rotation * Vec3::new(w[0], w[1], w[2]);
        let moment = rotation * Vec3::new(w[3], w[4], w[5]);
        let moment = lift::<R>(frame.p).cross_add(force, moment);
        *f = *f - Wrench::new(force, moment);
    }
}

/// Effort of a node's joint, and its force handed to the parent.
#[inline(always)]
fn backward<E: Elem, R: Real<Elem = E>>(node: &Node<E>, s: &mut Scratch<R>, tau: &mut [R]) {
    let l = node.level;
    let f = s.f[l];
    node.project(f, tau);
    if l > 0 {
        s.f[l - 1] += node.force_up(&s.at[l], f);
    }
}
