//! Gradients through dynamics without Jacobians: vector–Jacobian products.
//!
//! Inverse dynamics: let W be the field of motions that λ stirs up (W_i = X W_P + S λ). By virtual power
//! L = λ·rnea(q, v, a) = Σ W_i·(I A_i + V_i ×* I V_i), so the backward force pass has disappeared from the function,
//! and one sweep out and one back give everything. Local adjoints: Ā = I W, W̄ = f, V̄ = I (W × V) − W ×* (I V).
//! Leaves to root, with T̂ = X T_P for T = V, A, W:
//!
//! V̄ += S v ×* Ā;  ∂L/∂a = Sᵀ Ā;  ∂L/∂v = Sᵀ V̄ + Ā·(V × S);  ∂L/∂q = V̄·(V̂ × S) + Ā·(Â × S) + W̄·(Ŵ × S).
//!
//! Forward dynamics: a = M⁻¹(τ − h). For a cotangent g: λ = M⁻¹ g is the gradient by τ, and the others are those of
//! −λ·rnea at (q, v, a).

use super::{Ended, momentum, newton_euler, parameters, rnea};
use crate::axis::Axis;
use crate::model::TreeModel;
use crate::node::{Motion, Node, WORLD};
use bellcrank_math::{Elem, Real, Twist, Vec3, Wrench};

/// Memory for one block.
pub struct Scratch<R> {
    rnea: rnea::Scratch<R>,
    W: Vec<Twist<R>>,
    /// V̂, Â, Ŵ: the parent's motions, carried along.
    carried: Vec<[Twist<R>; 3]>,
    A_bar: Vec<Wrench<R>>,
    V_bar: Vec<Wrench<R>>,
}

impl<R: Real> Scratch<R> {
    /// For a tree of so many nodes.
    pub fn new(nodes: usize) -> Self {
        Scratch {
            rnea: rnea::Scratch::new(nodes),
            W: vec![Twist::zero(); nodes],
            carried: vec![[Twist::zero(); 3]; nodes],
            A_bar: vec![Wrench::zero(); nodes],
            V_bar: vec![Wrench::zero(); nodes],
        }
    }
}

/// Gradients of λ·rnea(q, v, a) by q (in the tangent space), v and a.
#[inline(always)]
pub fn rnea_vjp<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    [q, v, a, lambda]: [&[R]; 4],
    [by_q, by_v, by_a]: [&mut [R]; 3],
) {
    for (i, node) in tree.nodes.iter().enumerate() {
        forward(tree, s, (i, node), [q, v, a, lambda]);
        for ended in Ended::with(&tree.nodes, i) {
            adjoint(s, ended, v, [&mut *by_q, &mut *by_v, &mut *by_a]);
        }
    }
    for k in 0..by_a.len() {
        by_a[k] = lambda[k].mul_add(R::splat(tree.armature[k]), by_a[k]);
    }
}

/// The gradient of λ·rnea by each body's ten inertial parameters, after [`rnea_vjp`].
#[inline(always)]
pub fn parameter_gradient<E: Elem, R: Real<Elem = E>>(tree: &TreeModel<E>, s: &Scratch<R>, out: &mut [R]) {
    for (frame, out) in tree.frames[..tree.body_count()].iter().zip(out.chunks_exact_mut(10)) {
        let Some(i) = frame.node else { continue };
        let W = parameters::to_link(&frame.R, frame.p, s.W[i]);
        let V = parameters::to_link(&frame.R, frame.p, s.rnea.V[i]);
        let A = parameters::to_link(&frame.R, frame.p, s.rnea.A[i]);
        let gradient = parameters::products(W, V, A);
        out.copy_from_slice(&gradient);
    }
}

#[inline(always)]
fn forward<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    (i, node): (usize, &Node<E>),
    [q, v, a, lambda]: [&[R]; 4],
) {
    node.place(q, &mut s.rnea.at[i]);
    let at = &s.rnea.at[i];
    let p = node.parent;
    let [V_hat, A_hat, W_hat] = if p == WORLD {
        let lift_off = node.rotate_down(at, super::minus_gravity::<E, R>(tree));
        [Twist::zero(), Twist::new(lift_off, Vec3::zero()), Twist::zero()]
    } else {
        // spelled out: `map` with a closure would be compiled outside the lanes' instruction set
        [node.motion_down(at, s.rnea.V[p]), node.motion_down(at, s.rnea.A[p]), node.motion_down(at, s.W[p])]
    };
    let (V, A, W) = if let Motion::Turn(axis) = node.motion {
        let (k, rate) = (node.v, v[node.v]);
        let V = Twist::new(V_hat.linear, axis.add(V_hat.angular, rate));
        let turning = axis.add(A_hat.angular, a[k]);
        let A = Twist::new(
            axis.cross_add(V.linear, rate, A_hat.linear),
            axis.cross_add(V.angular, rate, turning),
        );
        (V, A, Twist::new(W_hat.linear, axis.add(W_hat.angular, lambda[k])))
    } else {
        let own = node.joint_velocity(v);
        let V = V_hat + own;
        (V, A_hat + node.joint_velocity(a) + V.cross(own), W_hat + node.joint_velocity(lambda))
    };
    s.carried[i] = [V_hat, A_hat, W_hat];
    (s.rnea.V[i], s.rnea.A[i], s.W[i]) = (V, A, W);
    s.rnea.f[i] = newton_euler(&node.inertia, V, A);
    s.A_bar[i] = momentum(&node.inertia, W);
    let turned = momentum(&node.inertia, W.cross(V));
    s.V_bar[i] = turned - W.cross_dual(momentum(&node.inertia, V));
}

#[inline(always)]
fn adjoint<E: Elem, R: Real<Elem = E>>(
    s: &mut Scratch<R>,
    (i, node): (usize, &Node<E>),
    v: &[R],
    [by_q, by_v, by_a]: [&mut [R]; 3],
) {
    let (A_bar, W_bar, V) = (s.A_bar[i], s.rnea.f[i], s.rnea.V[i]);
    let [V_hat, A_hat, W_hat] = s.carried[i];
    let mut V_bar = s.V_bar[i];
    if let Motion::Turn(axis) = node.motion {
        let (k, rate) = (node.v, v[node.v]);
        // e rate × x = −(x × e rate)
        V_bar.force = axis.cross_add(A_bar.force, -rate, V_bar.force);
        V_bar.moment = axis.cross_add(A_bar.moment, -rate, V_bar.moment);
        by_a[k] = axis.of(A_bar.moment);
        by_v[k] = axis.of(V_bar.moment) + along(axis, A_bar, V);
        by_q[k] = along(axis, V_bar, V_hat) + along(axis, A_bar, A_hat) + along(axis, W_bar, W_hat);
    } else {
        V_bar += node.joint_velocity(v).cross_dual(A_bar);
        for k in 0..node.motion.dofs() {
            let S = node.axis::<R>(k);
            by_a[node.v + k] = S.dot(A_bar);
            by_v[node.v + k] = S.dot(V_bar) + V.cross(S).dot(A_bar);
            by_q[node.v + k] =
                V_hat.cross(S).dot(V_bar) + A_hat.cross(S).dot(A_bar) + W_hat.cross(S).dot(W_bar);
        }
    }
    if node.parent != WORLD {
        let at = &s.rnea.at[i];
        s.A_bar[node.parent] += node.force_up(at, A_bar);
        s.V_bar[node.parent] += node.force_up(at, V_bar);
        s.rnea.f[node.parent] += node.force_up(at, W_bar);
    }
}

/// bar·(T × S) for turning about a coordinate axis.
#[inline(always)]
fn along<R: Real>(axis: Axis, bar: Wrench<R>, T: Twist<R>) -> R {
    axis.triple(bar.force, T.linear) + axis.triple(bar.moment, T.angular)
}
