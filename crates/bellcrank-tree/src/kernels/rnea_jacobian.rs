//! ∂τ/∂q and ∂τ/∂v of inverse dynamics in closed form: [Singh, Russell, Wensing 2022], in world axes.
//!
//! With ψ̇ = V_λ × S, ψ̈ = A_λ × S + V_λ × ψ̇, Ṡ′ = ψ̇ + V × S, and over each subtree the sums of inertia I, force f
//! and Coriolis operator B, for a row j at or above column i:
//!
//! ∂τ_j/∂q_i = S_j·(2B ψ̇_i + I ψ̈_i + S_i ×* f_i),  ∂τ_j/∂v_i = S_j·(2B S_i + I Ṡ′_i),
//! ∂τ_i/∂q_j = ψ̇_j·(2Bᵀ S_i) + ψ̈_j·(I S_i),        ∂τ_i/∂v_j = S_j·(2Bᵀ S_i) + Ṡ′_j·(I S_i).
//!
//! (the term with f only where j is above i's own node). 2B of a body is
//! V ×* I − I V × + (·) ×* (I V) = [[0, −2[p]×], [0, Y − [ℓ]×]], p and ℓ its linear and angular momentum and
//! Y = [ω]×J + ([ω]×J)ᵀ − v hᵀ − h vᵀ + 2 (v·h) 1: twelve numbers, and they add over the subtree.

use super::world::World;
use crate::model::TreeModel;
use crate::node::{Node, WORLD};
use bellcrank_math::{Elem, Inertia, Mat3, Real, Sym3, Twist, Vec3, Wrench};

/// Twice the Coriolis operator of a subtree.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Coriolis<R> {
    /// Twice the linear momentum.
    pub p: Vec3<R>,
    /// Angular momentum.
    pub l: Vec3<R>,
    Y: Sym3<R>,
}

impl<R: Real> Coriolis<R> {
    #[inline(always)]
    pub fn of(inertia: &Inertia<R>, V: Twist<R>, momentum: Wrench<R>) -> Self {
        let (v, h) = (V.linear, inertia.h);
        let turned = Mat3::skew(V.angular) * inertia.J.to_mat3();
        let outer = Mat3::outer(v, h);
        let twice = v.dot(h) + v.dot(h);
        let half = turned - outer;
        let Y = Sym3::from_upper(half + half.transpose()) + Sym3::diagonal(twice, twice, twice);
        Coriolis { p: momentum.force + momentum.force, l: momentum.moment, Y }
    }

    #[inline(always)]
    pub fn add(&mut self, other: &Self) {
        self.p += other.p;
        self.l += other.l;
        self.Y = self.Y + other.Y;
    }

    /// 2B S
    #[inline(always)]
    pub fn apply(&self, S: Twist<R>) -> Wrench<R> {
        let w = S.angular;
        Wrench::new(w.cross(self.p), w.cross_add(self.l, self.Y * w))
    }

    /// The angular part of 2Bᵀ S; the linear part is zero.
    #[inline(always)]
    fn apply_transpose(&self, S: Twist<R>) -> Vec3<R> {
        self.p.cross_add(S.linear, self.l.cross_add(S.angular, self.Y * S.angular))
    }
}

/// Memory for one block.
pub struct Scratch<R> {
    world: World<R>,
    inertia: Vec<Inertia<R>>,
    coriolis: Vec<Coriolis<R>>,
    f: Vec<Wrench<R>>,
    axes: Vec<MovingAxis<R>>,
}

/// A motion axis with its rates, side by side as they are needed.
#[derive(Clone, Copy)]
struct MovingAxis<R> {
    S: Twist<R>,
    /// ψ̇
    psi: Twist<R>,
    /// ψ̈
    psi_rate: Twist<R>,
    /// Ṡ′
    S_rate: Twist<R>,
}

impl<R: Real> Scratch<R> {
    /// For a tree.
    pub fn new<E: Elem>(tree: &TreeModel<E>) -> Self {
        let (n, nv, zero) = (tree.nodes.len(), tree.dof_count(), Twist::zero());
        let still = MovingAxis { S: zero, psi: zero, psi_rate: zero, S_rate: zero };
        Scratch {
            world: World::new(tree),
            inertia: vec![Inertia::default(); n],
            coriolis: vec![Coriolis::default(); n],
            f: vec![Wrench::zero(); n],
            axes: vec![still; nv],
        }
    }
}

/// Writes ∂τ/∂q and ∂τ/∂v along the branches of the tree (see [`crate::Branches`]): first what is on and below the
/// diagonal, then what is above it. ∂τ/∂a is the mass matrix.
#[inline(always)]
pub fn rnea_jacobian<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    [q, v, a]: [&[R]; 3],
    tau_q: &mut [R],
    tau_v: &mut [R],
) {
    s.world.place(tree, q);
    s.world.set_velocities(tree, v);
    s.world.set_accelerations::<E, true>(tree, a);
    for (i, node) in tree.nodes.iter().enumerate() {
        forward(tree, s, i, node);
    }
    for (i, node) in tree.nodes.iter().enumerate().rev() {
        for k in node.v..node.v + node.motion.dofs() {
            column(tree, s, (i, node, k), tau_q, tau_v);
        }
        if node.parent != WORLD {
            let (p, coriolis) = (node.parent, s.coriolis[i]);
            s.inertia[p] = s.inertia[p] + s.inertia[i];
            s.coriolis[p].add(&coriolis);
            let f = s.f[i];
            s.f[p] += f;
        }
    }
}

/// Rates of a node's axes, its inertia, force and Coriolis operator.
#[inline(always)]
fn forward<E: Elem, R: Real<Elem = E>>(tree: &TreeModel<E>, s: &mut Scratch<R>, i: usize, node: &Node<E>) {
    let (V, A) = (s.world.V[i], s.world.A[i]);
    let V_before = s.world.parent_velocity(node);
    let A_before = s.world.parent_acceleration::<E, true>(tree, node);
    for k in node.v..node.v + node.motion.dofs() {
        let S = s.world.S[k];
        let psi = V_before.cross(S);
        let psi_rate = A_before.cross(S) + V_before.cross(psi);
        s.axes[k] = MovingAxis { S, psi, psi_rate, S_rate: psi + V.cross(S) };
    }
    let inertia = s.world.inertia(tree, i);
    let momentum = inertia.apply(V);
    s.inertia[i] = inertia;
    s.f[i] = inertia.apply(A) + V.cross_dual(momentum);
    s.coriolis[i] = Coriolis::of(&inertia, V, momentum);
}

/// Column and row of velocity `k`, against itself and everything above.
#[inline(always)]
fn column<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &Scratch<R>,
    (i, node, k): (usize, &Node<E>, usize),
    tau_q: &mut [R],
    tau_v: &mut [R],
) {
    let branches = &tree.branches;
    let (tau_q, tau_q_above) = tau_q.split_at_mut(branches.entries());
    let (tau_v, tau_v_above) = tau_v.split_at_mut(branches.entries());
    let (I, B, S) = (&s.inertia[i], &s.coriolis[i], s.axes[k].S);
    let within = B.apply(s.axes[k].psi) + I.apply(s.axes[k].psi_rate);
    let by_v = B.apply(S) + I.apply(s.axes[k].S_rate);
    for j in node.v..node.v + node.motion.dofs() {
        let (q, v) = (s.axes[j].S.dot(within), s.axes[j].S.dot(by_v));
        if j >= k {
            let place = branches.start[j] + (j - k);
            (tau_q[place], tau_v[place]) = (q, v);
        } else {
            let place = branches.start[k] + (k - j);
            (tau_q_above[place], tau_v_above[place]) = (q, v);
        }
    }
    let by_q = within + S.cross_dual(s.f[i]);
    let (BS, IS) = (B.apply_transpose(S), I.apply(S));
    let first = branches.start[k] + (k - node.v) + 1;
    let end = branches.start[k + 1];
    let (mut j, mut place) = (branches.parent[node.v], first);
    while place < end {
        let axis = &s.axes[j];
        tau_q_above[place] = axis.S.dot(by_q);
        tau_v_above[place] = axis.S.dot(by_v);
        tau_q[place] = axis.psi.angular.dot(BS) + axis.psi_rate.dot(IS);
        tau_v[place] = axis.S.angular.dot(BS) + axis.S_rate.dot(IS);
        (j, place) = (branches.parent[j], place + 1);
    }
}
