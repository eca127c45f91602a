//! ∂τ/∂q and ∂τ/∂v of inverse dynamics in closed form: [Singh, Russell, Wensing 2022].
//!
//! Everything is told in the axes of the node that hangs from the world, about its origin: entries exist only within what
//! it carries, its own axes are unit vectors there, and only gravity has to be turned.
//!
//! With ψ̇ = V_λ × S, ψ̈ = A_λ × S + V_λ × ψ̇, Ṡ′ = ψ̇ + V × S, and over each subtree the sums of inertia I, force f
//! and Coriolis operator B, for a row j at or above column i:
//!
//! ∂τ_j/∂q_i = S_j·(2B ψ̇_i + I ψ̈_i + S_i ×* f_i),  ∂τ_j/∂v_i = S_j·(2B S_i + I Ṡ′_i),
//! ∂τ_i/∂q_j = ψ̇_j·(2Bᵀ S_i) + ψ̈_j·(I S_i),        ∂τ_i/∂v_j = S_j·(2Bᵀ S_i) + Ṡ′_j·(I S_i).
//!
//! (the term with f only where j is above i's own node).

use super::coriolis::Coriolis;
use super::kinematics::WorldPose;
use super::world::world_axis;
use super::{Ended, apply_add, dot, minus_gravity};
use crate::model::TreeModel;
use crate::node::{Motion, Node, Place, lift_inertia};
use bellcrank_math::{Elem, Inertia, Inline, Mat3, Real, Twist, Vec3, Wrench};

/// Memory for one block: one branch at a time, and in it one node's place by [`Node::level`].
pub struct Scratch<R> {
    /// −g in the root's axes.
    lift_off: Vec3<R>,
    /// The root floats.
    floating: bool,
    branch: Vec<Moving<R>>,
    /// Motion axes by the number of velocities before them on the branch.
    axes: Vec<MovingAxis<R>>,
}

/// A node, in the root's axes about its origin.
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
            lift_off: Vec3::zero(),
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
        if node.level == 0 {
            start(tree, s, node, state);
        } else {
            forward(tree, s, node, state);
        }
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

/// The node that hangs from the world, in its own axes: its motion is the joint's, and gravity turns.
#[inline(always)]
fn start<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    node: &Node<E>,
    [q, v, a]: [&[R]; 3],
) {
    let mut at = Place::default();
    node.place(q, &mut at);
    s.lift_off = node.rotate_down(&at, minus_gravity::<E, R>(tree));
    s.floating = node.motion == Motion::Free;
    let V = node.joint_velocity(v);
    // V × S q̇ = V × V = 0
    let joint = node.joint_velocity(a);
    let A = Twist::new(joint.linear + s.lift_off, joint.angular);
    for k in 0..node.motion.dofs() {
        let S = node.axis::<R>(k);
        let psi_rate = Twist::new(s.lift_off.cross(S.angular), Vec3::zero());
        s.axes[k] = MovingAxis { S, psi: Twist::zero(), psi_rate, S_rate: V.cross(S) };
    }
    let own = &mut s.branch[0];
    (own.pose, own.V, own.A) = (WorldPose { R: Mat3::identity(), p: Vec3::zero() }, V, A);
    own.settle(lift_inertia(&node.inertia));
}

/// Pose, motion and axes of a node with their rates, its inertia, force and Coriolis operator.
///
/// In parts that are compiled apart: one function would hold more than the processor has registers for, and move it to
/// the stack and back.
#[inline(always)]
fn forward<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    node: &Node<E>,
    [q, v, a]: [&[R]; 3],
) {
    let (before, rest) = s.branch.split_at_mut(node.level);
    let (parent, own) = (&before[node.level - 1], &mut rest[0]);
    let (count, depth) = (node.motion.dofs(), tree.branches.depth(node.v) - 1);
    let axes = &mut s.axes[depth..depth + count];
    if let Motion::Turn(_) = node.motion {
        place(node, q, parent, own);
        turn(node, [v[node.v], a[node.v]], (parent, own), &mut axes[0]);
    } else {
        let state = [&v[node.v..], &a[node.v..]];
        R::run(Inline(
            #[inline(always)]
            || {
                place(node, q, parent, own);
                move_axes(node, state, (parent, own), axes);
            },
        ));
    }
    R::run(Inline(
        #[inline(always)]
        || own.settle(node.solid.at(&own.pose)),
    ));
}

/// A node's pose.
#[inline(always)]
fn place<E: Elem, R: Real<Elem = E>>(node: &Node<E>, q: &[R], parent: &Moving<R>, own: &mut Moving<R>) {
    let mut at = Place::default();
    node.place(q, &mut at);
    (own.pose.R, own.pose.p) = if node.level == 1 {
        node.compose_root(&at) // the root's own pose is the identity
    } else {
        node.compose(&at, parent.pose.R, parent.pose.p)
    };
}

/// The axis of a turning node, and its motion. S × S = 0, hence V × S = ψ̇: Ṡ′ = 2ψ̇ and V × S q̇ = ψ̇ q̇.
#[inline(always)]
fn turn<E: Elem, R: Real<Elem = E>>(
    node: &Node<E>,
    [v, a]: [R; 2],
    (parent, own): (&Moving<R>, &mut Moving<R>),
    axis: &mut MovingAxis<R>,
) {
    let S = world_axis(node, &own.pose, 0);
    let psi = parent.V.cross(S);
    (axis.S, axis.psi, axis.S_rate) = (S, psi, psi + psi);
    axis.psi_rate = carried_twice(parent.V, parent.A, S, psi);
    own.V = along(S, v, parent.V);
    own.A = along(psi, v, along(S, a, parent.A));
}

impl<R: Real> Moving<R> {
    /// What a body with this motion has by itself.
    #[inline(always)]
    fn settle(&mut self, inertia: Inertia<R>) {
        self.inertia = inertia;
        let momentum = inertia.apply(self.V);
        self.coriolis = Coriolis::of(&inertia, self.V, momentum);
        self.f = apply_add(&inertia, self.A, self.V.cross_dual(momentum));
    }
}

/// S x + V
#[inline(always)]
fn along<R: Real>(S: Twist<R>, x: R, V: Twist<R>) -> Twist<R> {
    Twist::new(S.linear.mul_add(x, V.linear), S.angular.mul_add(x, V.angular))
}

/// A × S + V × ψ
#[inline(always)]
fn carried_twice<R: Real>(V: Twist<R>, A: Twist<R>, S: Twist<R>, psi: Twist<R>) -> Twist<R> {
    let once = A.cross(S);
    let linear = V.angular.cross_add(psi.linear, V.linear.cross_add(psi.angular, once.linear));
    Twist::new(linear, V.angular.cross_add(psi.angular, once.angular))
}

/// V ×* h + f
#[inline(always)]
fn cross_dual_add<R: Real>(V: Twist<R>, h: Wrench<R>, f: Wrench<R>) -> Wrench<R> {
    let moment = V.angular.cross_add(h.moment, V.linear.cross_add(h.force, f.moment));
    Wrench::new(V.angular.cross_add(h.force, f.force), moment)
}

/// Axes of a node that may have several, and its motion.
#[inline(always)]
fn move_axes<E: Elem, R: Real<Elem = E>>(
    node: &Node<E>,
    [v, a]: [&[R]; 2],
    (parent, own): (&Moving<R>, &mut Moving<R>),
    axes: &mut [MovingAxis<R>],
) {
    let (mut V, mut A) = (parent.V, parent.A);
    for k in 0..axes.len() {
        axes[k].S = world_axis(node, &own.pose, k);
        V += axes[k].S * v[k];
        A += axes[k].S * a[k];
    }
    A += V.cross(V - parent.V);
    for axis in axes {
        axis.psi = parent.V.cross(axis.S);
        axis.psi_rate = carried_twice(parent.V, parent.A, axis.S, axis.psi);
        axis.S_rate = axis.psi + V.cross(axis.S);
    }
    (own.V, own.A) = (V, A);
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
    let within = B.apply_add(axis.psi, I.apply(axis.psi_rate));
    let by_v = B.apply_add(S, I.apply(axis.S_rate));
    for j in node.v..node.v + node.motion.dofs() {
        let other = s.axes[first + (j - node.v)].S;
        let (q, v) = (dot(other, within), dot(other, by_v));
        if j >= k {
            let place = branches.start[j] + (j - k);
            (q_below[place], v_below[place]) = (q, v);
        } else {
            let place = branches.start[k] + (k - j);
            (q_above[place], v_above[place]) = (q, v);
        }
    }
    let by_q = cross_dual_add(S, own.f, within);
    let loads = Loads { by_q, by_v, IS: I.apply(S), BS: B.apply_transpose(S) };
    let (start, end) = (branches.start[k] + (depth - first) + 1, branches.start[k + 1]);
    let rows = [
        &mut q_below[start..end],
        &mut q_above[start..end],
        &mut v_below[start..end],
        &mut v_above[start..end],
    ];
    climb(s, node, &loads, rows);
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
    s: &Scratch<R>,
    node: &Node<E>,
    loads: &Loads<R>,
    [q_below, q_above, v_below, v_above]: [&mut [R]; 4],
) {
    let count = q_below.len();
    let floating = s.floating && node.level > 0;
    let first = if floating { 6 } else { 0 };
    for (n, axis) in s.axes[first..count].iter().rev().enumerate() {
        q_above[n] = dot(axis.S, loads.by_q);
        v_above[n] = dot(axis.S, loads.by_v);
        q_below[n] = axis.psi.angular.dot(loads.BS) + dot(axis.psi_rate, loads.IS);
        v_below[n] = axis.S.angular.dot(loads.BS) + dot(axis.S_rate, loads.IS);
    }
    if floating {
        let base = count - 6;
        let (q_below, q_above) = (&mut q_below[base..], &mut q_above[base..]);
        let (v_below, v_above) = (&mut v_below[base..], &mut v_above[base..]);
        meet_base(s, loads, [q_below, q_above, v_below, v_above]);
    }
}

/// The six entries with a floating base, nearest first: its axes are unit vectors and its ψ̇ vanish, so that what they
/// meet of a load is its components. ψ̈ = (−g × S, 0) of turning axes only, and Ṡ′ = V × S.
#[inline(always)]
fn meet_base<R: Real>(s: &Scratch<R>, loads: &Loads<R>, [q_below, q_above, v_below, v_above]: [&mut [R]; 4]) {
    let (F, N, V) = (loads.IS.force, loads.IS.moment, s.branch[0].V);
    // S_j·(2Bᵀ S_i) + (V × S_j)·(I S_i): F × ω, and BS + F × v + N × ω
    let turning = F.cross_add(V.linear, N.cross_add(V.angular, loads.BS));
    put(q_below, Wrench::new(Vec3::zero(), F.cross(s.lift_off)));
    put(q_above, loads.by_q);
    put(v_below, Wrench::new(F.cross(V.angular), turning));
    put(v_above, loads.by_v);
}

/// Components from the last to the first.
#[inline(always)]
fn put<R: Real>(row: &mut [R], f: Wrench<R>) {
    (row[0], row[1], row[2]) = (f.moment.z, f.moment.y, f.moment.x);
    (row[3], row[4], row[5]) = (f.force.z, f.force.y, f.force.x);
}
