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

use super::kinematics::WorldPose;
use super::world::{inertia_at, world_axis};
use super::{Ended, minus_gravity};
use crate::model::TreeModel;
use crate::node::{Motion, Node, Place};
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

/// Memory for one block: one branch at a time, and in it one node's place by [`Node::level`].
pub struct Scratch<R> {
    /// O in the world \[m\]: the first node's origin.
    origin: Vec3<R>,
    /// The branch hangs from a body that floats.
    floating: bool,
    branch: Vec<Moving<R>>,
    /// Motion axes by the number of velocities before them on the branch.
    axes: Vec<MovingAxis<R>>,
}

/// A node, in world axes about O.
#[derive(Clone, Copy, Default)]
struct Moving<R> {
    pose: WorldPose<R>,
    V: Twist<R>,
    /// With −g.
    A: Twist<R>,
    /// Of the subtree, as far as it has been seen; so are the next two.
    inertia: Inertia<R>,
    coriolis: Coriolis<R>,
    f: Wrench<R>,
}

/// A motion axis with its rates, side by side as they are needed.
#[derive(Clone, Copy, Default)]
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
        Scratch {
            origin: Vec3::zero(),
            floating: false,
            branch: vec![Moving::default(); tree.nodes.len()],
            axes: vec![MovingAxis::default(); tree.dof_count()],
        }
    }
}

/// Writes ∂τ/∂q and ∂τ/∂v along the branches of the tree (see [`crate::Branches`]): first what is on and below the
/// diagonal, then what is above it. ∂τ/∂a is the mass matrix.
#[inline(always)]
pub fn rnea_jacobian<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    state: [&[R]; 3],
    tau_q: &mut [R],
    tau_v: &mut [R],
) {
    let entries = tree.branches.entries();
    let (q_below, q_above) = tau_q.split_at_mut(entries);
    let (v_below, v_above) = tau_v.split_at_mut(entries);
    for (i, node) in tree.nodes.iter().enumerate() {
        forward(tree, s, (i, node), state);
        for (_, ended) in Ended::with(&tree.nodes, i) {
            for k in ended.v..ended.v + ended.motion.dofs() {
                let out = [&mut *q_below, &mut *q_above, &mut *v_below, &mut *v_above];
                column(tree, s, (ended, k), out);
            }
            if ended.level > 0 {
                hand_up(&mut s.branch[ended.level - 1..=ended.level]);
            }
        }
    }
}

/// What a node's parent takes over from it.
#[inline(always)]
fn hand_up<R: Real>(branch: &mut [Moving<R>]) {
    let [parent, own] = branch else { return };
    parent.inertia = parent.inertia + own.inertia;
    parent.coriolis.add(&own.coriolis);
    parent.f += own.f;
}

/// Pose, motion and axes of a node with their rates, its inertia, force and Coriolis operator.
#[inline(always)]
fn forward<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    (i, node): (usize, &Node<E>),
    [q, v, a]: [&[R]; 3],
) {
    let mut at = Place::default();
    node.place(q, &mut at);
    let (pose, V_before, A_before) = if node.level == 0 {
        let (rotation, p) = node.compose_root(&at);
        if i == 0 {
            s.origin = p;
        }
        s.floating = node.motion == Motion::Free;
        let lift_off = Twist::new(minus_gravity::<E, R>(tree), Vec3::zero());
        (WorldPose { R: rotation, p: p - s.origin }, Twist::zero(), lift_off)
    } else {
        let parent = &s.branch[node.level - 1];
        let (rotation, p) = node.compose(&at, parent.pose.R, parent.pose.p);
        (WorldPose { R: rotation, p }, parent.V, parent.A)
    };
    let (count, depth) = (node.motion.dofs(), tree.branches.depth(node.v) - 1);
    let axes = &mut s.axes[depth..depth + count];
    let (V, A) = if let Motion::Turn(_) = node.motion {
        let (S, rate) = (world_axis(node, &pose, 0), v[node.v]);
        let psi = V_before.cross(S);
        let psi_rate = A_before.cross(S) + V_before.cross(psi);
        // S × S = 0, hence V × S = ψ̇: Ṡ′ = 2ψ̇ and V × S q̇ = ψ̇ q̇
        axes[0] = MovingAxis { S, psi, psi_rate, S_rate: psi + psi };
        (V_before + S * rate, A_before + S * a[node.v] + psi * rate)
    } else {
        move_axes(axes, (node, &pose), [&v[node.v..], &a[node.v..]], (V_before, A_before))
    };
    let inertia = inertia_at(&node.inertia, &pose);
    let momentum = inertia.apply(V);
    let coriolis = Coriolis::of(&inertia, V, momentum);
    let f = inertia.apply(A) + V.cross_dual(momentum);
    s.branch[node.level] = Moving { pose, V, A, inertia, coriolis, f };
}

/// Axes of a node that may have several, and its motion, from its parent's.
#[inline(always)]
fn move_axes<E: Elem, R: Real<Elem = E>>(
    axes: &mut [MovingAxis<R>],
    (node, pose): (&Node<E>, &WorldPose<R>),
    [v, a]: [&[R]; 2],
    (V_before, A_before): (Twist<R>, Twist<R>),
) -> (Twist<R>, Twist<R>) {
    let (mut V, mut A) = (V_before, A_before);
    for k in 0..axes.len() {
        axes[k].S = world_axis(node, pose, k);
        V += axes[k].S * v[k];
        A += axes[k].S * a[k];
    }
    A += V.cross(V - V_before);
    for axis in axes {
        axis.psi = V_before.cross(axis.S);
        axis.psi_rate = A_before.cross(axis.S) + V_before.cross(axis.psi);
        axis.S_rate = axis.psi + V.cross(axis.S);
    }
    (V, A)
}

/// Column and row of velocity `k`, against itself and everything above: ∂τ/∂q below and above the diagonal, then ∂τ/∂v.
#[inline(always)]
fn column<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &Scratch<R>,
    (node, k): (&Node<E>, usize),
    [q_below, q_above, v_below, v_above]: [&mut [R]; 4],
) {
    let branches = &tree.branches;
    let (depth, first) = (branches.depth(k) - 1, branches.depth(node.v) - 1);
    let own = &s.branch[node.level];
    let (I, B, axis) = (&own.inertia, &own.coriolis, &s.axes[depth]);
    let S = axis.S;
    let within = B.apply(axis.psi) + I.apply(axis.psi_rate);
    let by_v = B.apply(S) + I.apply(axis.S_rate);
    for j in node.v..node.v + node.motion.dofs() {
        let other = s.axes[first + (j - node.v)].S;
        let (q, v) = (other.dot(within), other.dot(by_v));
        if j >= k {
            let place = branches.start[j] + (j - k);
            (q_below[place], v_below[place]) = (q, v);
        } else {
            let place = branches.start[k] + (k - j);
            (q_above[place], v_above[place]) = (q, v);
        }
    }
    let loads = Loads { by_q: within + S.cross_dual(own.f), by_v, IS: I.apply(S), BS: B.apply_transpose(S) };
    let (start, end) = (branches.start[k] + (depth - first) + 1, branches.start[k + 1]);
    let rows = [
        &mut q_below[start..end],
        &mut q_above[start..end],
        &mut v_below[start..end],
        &mut v_above[start..end],
    ];
    climb(tree, s, node, &loads, rows);
}

/// What a velocity sends up its branch.
struct Loads<R> {
    by_q: Wrench<R>,
    by_v: Wrench<R>,
    /// I S
    IS: Wrench<R>,
    /// 2Bᵀ S, angular.
    BS: Vec3<R>,
}

/// The entries of one velocity with everything above its node, nearest first.
#[inline(always)]
fn climb<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &Scratch<R>,
    node: &Node<E>,
    loads: &Loads<R>,
    [q_below, q_above, v_below, v_above]: [&mut [R]; 4],
) {
    let count = q_below.len();
    let floating = s.floating && node.level > 0;
    let first = if floating { 6 } else { 0 };
    for (n, axis) in s.axes[first..count].iter().rev().enumerate() {
        q_above[n] = axis.S.dot(loads.by_q);
        v_above[n] = axis.S.dot(loads.by_v);
        q_below[n] = axis.psi.angular.dot(loads.BS) + axis.psi_rate.dot(loads.IS);
        v_below[n] = axis.S.angular.dot(loads.BS) + axis.S_rate.dot(loads.IS);
    }
    if floating {
        let block = base_block(&s.branch[0], loads, minus_gravity::<E, R>(tree));
        for d in 0..6 {
            let n = count - 1 - d;
            (q_below[n], q_above[n]) = (block[0][d], block[1][d]);
            (v_below[n], v_above[n]) = (block[2][d], block[3][d]);
        }
    }
}

/// The six entries with a floating base, whose axes a_j are the columns of R and whose ψ̇ vanish, as rotated vectors:
/// (a_j, 0)·f = a_j·f and (p × a_j, a_j)·f = a_j·(n + f × p). ψ̈_j = (−g × a_j, 0) of turning axes only, and Ṡ′ = V × S.
#[inline(always)]
fn base_block<R: Real>(base: &Moving<R>, loads: &Loads<R>, lift_off: Vec3<R>) -> [[R; 6]; 4] {
    let WorldPose { R: rotation, p } = base.pose;
    let (F, N) = (loads.IS.force, loads.IS.moment);
    let turned = F.cross(base.V.angular);
    let turning = F.cross_add(base.V.linear, N.cross_add(base.V.angular, turned.cross_add(p, loads.BS)));
    let (by_q, by_v) = (loads.by_q.at_point(p), loads.by_v.at_point(p));
    [
        in_base(rotation, Vec3::zero(), F.cross(lift_off)),
        in_base(rotation, by_q.force, by_q.moment),
        in_base(rotation, turned, turning),
        in_base(rotation, by_v.force, by_v.moment),
    ]
}

#[inline(always)]
fn in_base<R: Real>(rotation: Mat3<R>, linear: Vec3<R>, angular: Vec3<R>) -> [R; 6] {
    let (l, a) = (rotation.transpose_mul(linear), rotation.transpose_mul(angular));
    [l.x, l.y, l.z, a.x, a.y, a.z]
}
