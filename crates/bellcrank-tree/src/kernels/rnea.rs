//! Inverse dynamics: the recursive Newton–Euler algorithm, τ = M(q) a + C(q, v) v + g(q).
//!
//! [Featherstone 2008] Table 5.1 in body coordinates. Springs, damping and dry friction of the model are not part
//! of it; rotor inertia (armature) is.

use super::{minus_gravity, newton_euler};
use crate::model::{Frame, TreeModel};
use crate::node::{Motion, Place, WORLD, lift, lift_matrix};
use bellcrank_math::{Elem, Real, Twist, Vec3, Wrench};

/// Memory for one block.
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
    [q, v, a]: [&[R]; 3],
    (frames, wrenches): (&[Frame<E>], &[R]),
    tau: &mut [R],
) {
    forward::<E, R, MOVING, ACCELERATING>(tree, s, q, v, a);
    apply_wrenches(frames, wrenches, &mut s.f);
    backward(tree, s, tau);
    if ACCELERATING {
        for (k, effort) in tau.iter_mut().enumerate() {
            *effort = a[k].mul_add(R::splat(tree.armature[k]), *effort);
        }
    }
}

/// Velocities, accelerations and the forces that the bodies need, from the root to the leaves.
#[inline(always)]
pub fn forward<E: Elem, R: Real<Elem = E>, const MOVING: bool, const ACCELERATING: bool>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    q: &[R],
    v: &[R],
    a: &[R],
) {
    let lift_off = Twist::new(minus_gravity::<E, R>(tree), Vec3::zero());
    for (i, node) in tree.nodes.iter().enumerate() {
        node.place(q, &mut s.at[i]);
        let at = &s.at[i];
        let root = node.parent == WORLD;
        let mut A = if root {
            Twist::new(node.rotate_down(at, lift_off.linear), Vec3::zero())
        } else {
            node.motion_down(at, s.A[node.parent])
        };
        let mut V = Twist::zero();
        if MOVING {
            V = if root { Twist::zero() } else { node.motion_down(at, s.V[node.parent]) };
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
        s.f[i] = if MOVING {
            s.V[i] = V;
            newton_euler(&node.inertia, V, A)
        } else {
            super::momentum(&node.inertia, A)
        };
        s.A[i] = A;
    }
}

/// Subtracts what pushes on frames from outside: wrenches about each frame's origin, in its axes.
#[inline(always)]
pub fn apply_wrenches<E: Elem, R: Real<Elem = E>>(frames: &[Frame<E>], wrenches: &[R], f: &mut [Wrench<R>]) {
    for (frame, w) in frames.iter().zip(wrenches.chunks_exact(6)) {
        let Some(i) = frame.node else { continue };
        let rotation = lift_matrix::<R>(&frame.R);
        let force = rotation * Vec3::new(w[0], w[1], w[2]);
        let moment = rotation * Vec3::new(w[3], w[4], w[5]);
        let moment = lift::<R>(frame.p).cross_add(force, moment);
        f[i] = f[i] - Wrench::new(force, moment);
    }
}

/// Efforts from the leaves to the root.
#[inline(always)]
pub fn backward<E: Elem, R: Real<Elem = E>>(tree: &TreeModel<E>, s: &mut Scratch<R>, tau: &mut [R]) {
    for (i, node) in tree.nodes.iter().enumerate().rev() {
        let f = s.f[i];
        node.project(f, tau);
        if node.parent != WORLD {
            s.f[node.parent] += node.force_up(&s.at[i], f);
        }
    }
}
