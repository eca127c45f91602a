//! Forward dynamics: the articulated-body algorithm, a = M⁻¹ (τ − C v − g), linear in the number of bodies.
//!
//! [Featherstone 2008] Table 7.1 in body coordinates. The factors U, D⁻¹ stay in the scratch, so that M⁻¹ can be
//! applied to further vectors at a third of the cost.

use super::{Ended, minus_gravity, momentum};
use crate::articulated::{Articulated, ArticulatedInverse};
use crate::model::{Frame, TreeModel};
use crate::node::{Motion, Node, Place, WORLD};
use bellcrank_math::{Elem, Real, Sym3, Twist, Vec3, Wrench};

/// Memory for one block.
pub struct Scratch<R> {
    at: Vec<Place<R>>,
    /// V_N, by [`Node::level`]: only one branch at a time is needed.
    V: Vec<Twist<R>>,
    /// Velocity-product acceleration V × S q̇, later the acceleration.
    A: Vec<Twist<R>>,
    /// Bias force, about N's origin, by level.
    f: Vec<Wrench<R>>,
    /// By level.
    inertia: Vec<Articulated<R>>,
    /// U = Iᴬ S, up to three columns.
    U: Vec<[Wrench<R>; 3]>,
    /// D⁻¹ = (Sᵀ U)⁻¹; turning joints use `xx` only.
    D_inverse: Vec<Sym3<R>>,
    /// u = τ − Sᵀ pᴬ
    u: Vec<Vec3<R>>,
    /// Inverse of a free node's articulated inertia and τ − pᴬ, up to the last free node.
    base: Vec<(ArticulatedInverse<R>, Wrench<R>)>,
}

impl<R: Real> Scratch<R> {
    /// For a tree.
    pub fn new<E: Elem>(tree: &TreeModel<E>) -> Self {
        let nodes = tree.nodes.len();
        let free = tree.nodes.iter().rposition(|node| node.motion == Motion::Free).map_or(0, |last| last + 1);
        Scratch {
            at: vec![Place::default(); nodes],
            V: vec![Twist::zero(); nodes],
            A: vec![Twist::zero(); nodes],
            f: vec![Wrench::zero(); nodes],
            inertia: vec![Articulated::default(); nodes],
            U: vec![[Wrench::zero(); 3]; nodes],
            D_inverse: vec![Sym3::zero(); nodes],
            u: vec![Vec3::zero(); nodes],
            base: vec![(ArticulatedInverse::default(), Wrench::zero()); free],
        }
    }
}

/// a = aba(q, v, τ), with wrenches on frames.
#[inline(always)]
pub fn aba<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    [q, v, tau]: [&[R]; 3],
    (frames, wrenches): (&[Frame<E>], &[R]),
    a: &mut [R],
) {
    for (i, node) in tree.nodes.iter().enumerate() {
        velocity(s, (i, node), q, v);
        super::rnea::apply_wrenches(i, (frames, wrenches), &mut s.f[node.level]);
        for ended in Ended::with(&tree.nodes, i) {
            articulate::<E, R, true>(tree, s, ended, tau);
        }
    }
    accelerate::<E, R, true>(tree, s, a);
}

/// x = M⁻¹ b with the factors that [`aba`] has left.
#[inline(always)]
pub fn solve_again<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    b: &[R],
    x: &mut [R],
) {
    for (i, node) in tree.nodes.iter().enumerate() {
        s.f[node.level] = Wrench::zero();
        for ended in Ended::with(&tree.nodes, i) {
            articulate::<E, R, false>(tree, s, ended, b);
        }
    }
    accelerate::<E, R, false>(tree, s, x);
}

/// On the way out: place, velocity, velocity-product terms, rigid inertia of a node.
#[inline(always)]
fn velocity<E: Elem, R: Real<Elem = E>>(s: &mut Scratch<R>, (i, node): (usize, &Node<E>), q: &[R], v: &[R]) {
    let l = node.level;
    node.place(q, &mut s.at[i]);
    let carried = if l == 0 { Twist::zero() } else { node.motion_down(&s.at[i], s.V[l - 1]) };
    let (V, A) = if let Motion::Turn(axis) = node.motion {
        let rate = v[node.v];
        let V = Twist::new(carried.linear, axis.add(carried.angular, rate));
        let zero = Vec3::zero();
        (V, Twist::new(axis.cross_add(V.linear, rate, zero), axis.cross_add(V.angular, rate, zero)))
    } else {
        let own = node.joint_velocity(v);
        (carried + own, carried.cross(own)) // own × own = 0
    };
    (s.V[l], s.A[i]) = (V, A);
    s.f[l] = V.cross_dual(momentum(&node.inertia, V));
    s.inertia[l] = Articulated::rigid(&node.inertia);
}

/// On the way back: articulated inertia and bias force of a node, handed to its parent. With `FACTOR` false the
/// factors are those of the last run and only forces are carried.
#[inline(always)]
fn articulate<E: Elem, R: Real<Elem = E>, const FACTOR: bool>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    (i, node): (usize, &Node<E>),
    tau: &[R],
) {
    let l = node.level;
    match node.motion {
        Motion::Turn(axis) => {
            if FACTOR {
                let U = s.inertia[l].turn_column(axis);
                s.U[i][0] = U;
                s.D_inverse[i].xx = (axis.of(U.moment) + R::splat(tree.armature[node.v])).recip();
            }
            s.u[i].x = tau[node.v] - axis.of(s.f[l].moment);
            if l > 0 {
                pass_up_turn::<E, R, FACTOR>(node, s, i);
            }
        }
        Motion::Free => free_up::<E, R, FACTOR>(node, s, i, tau),
        _ => {
            if FACTOR {
                factor_general(tree, node, s, i);
            }
            for k in 0..node.motion.dofs() {
                let u = tau[node.v + k] - node.axis(k).dot(s.f[l]);
                set(&mut s.u[i], k, u);
            }
            if l > 0 {
                pass_up_general::<E, R, FACTOR>(node, s, i);
            }
        }
    }
}

/// Iᵃ = Iᴬ − U D⁻¹ Uᵀ and pᵃ = pᴬ + Iᵃ c + U D⁻¹ u of a turning joint, added to the parent's.
#[inline(always)]
fn pass_up_turn<E: Elem, R: Real<Elem = E>, const FACTOR: bool>(
    node: &Node<E>,
    s: &mut Scratch<R>,
    i: usize,
) {
    let (U, d) = (s.U[i][0], s.D_inverse[i].xx);
    let l = node.level;
    let mut p = s.f[l] + U * (d * s.u[i].x);
    if FACTOR {
        let carried = s.inertia[l].minus_outer(U * d, U);
        p += carried.apply(s.A[i]);
        let up = carried.up(node, &s.at[i]);
        s.inertia[l - 1] += up;
    }
    s.f[l - 1] += node.force_up(&s.at[i], p);
}

/// The same with up to three axes.
#[inline(always)]
fn pass_up_general<E: Elem, R: Real<Elem = E>, const FACTOR: bool>(
    node: &Node<E>,
    s: &mut Scratch<R>,
    i: usize,
) {
    let U = s.U[i];
    let solved = s.D_inverse[i] * s.u[i];
    let l = node.level;
    let mut p = s.f[l] + U[0] * solved.x + U[1] * solved.y + U[2] * solved.z;
    if FACTOR {
        let D = s.D_inverse[i].to_mat3();
        let mut carried = s.inertia[l];
        for (k, column) in [D.x, D.y, D.z].into_iter().enumerate() {
            let scaled = U[0] * column.x + U[1] * column.y + U[2] * column.z;
            carried = carried.minus_outer(scaled, U[k]);
        }
        p += carried.apply(s.A[i]);
        let up = carried.up(node, &s.at[i]);
        s.inertia[l - 1] += up;
    }
    s.f[l - 1] += node.force_up(&s.at[i], p);
}

/// U and D⁻¹ of a joint with up to three axes; axes it has not get D = 1, U = 0.
#[inline(always)]
fn factor_general<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    node: &Node<E>,
    s: &mut Scratch<R>,
    i: usize,
) {
    let n = node.motion.dofs();
    let mut D = Sym3::diagonal(R::one(), R::one(), R::one());
    let mut U = [Wrench::zero(); 3];
    for k in 0..n.min(3) {
        U[k] = s.inertia[node.level].apply(node.axis(k));
    }
    let armature = &tree.armature[node.v..node.v + n];
    D.xx = node.axis(0).dot(U[0]) + R::splat(armature[0]);
    if n == 3 {
        let (y, z) = (node.axis::<R>(1), node.axis::<R>(2));
        (D.xy, D.xz) = (y.dot(U[0]), z.dot(U[0]));
        (D.yy, D.yz, D.zz) =
            (y.dot(U[1]) + R::splat(armature[1]), z.dot(U[1]), z.dot(U[2]) + R::splat(armature[2]));
    }
    s.U[i] = U;
    s.D_inverse[i] = D.inverse();
}

/// A free node: S = 1, hence U = D = Iᴬ and Iᵃ = 0, pᵃ = pᴬ + u = τ. Only its effort reaches the parent.
#[inline(always)]
fn free_up<E: Elem, R: Real<Elem = E>, const FACTOR: bool>(
    node: &Node<E>,
    s: &mut Scratch<R>,
    i: usize,
    tau: &[R],
) {
    let l = node.level;
    let k = node.v;
    let effort = Wrench::from_array([tau[k], tau[k + 1], tau[k + 2], tau[k + 3], tau[k + 4], tau[k + 5]]);
    if FACTOR {
        s.base[i].0 = ArticulatedInverse::new(&s.inertia[l]);
    }
    s.base[i].1 = effort - s.f[l];
    if l > 0 {
        s.f[l - 1] += node.force_up(&s.at[i], effort);
    }
}

/// Out once more: accelerations. With `WEIGHT` false gravity and velocity products are left out,
/// which gives M⁻¹ τ.
#[inline(always)]
fn accelerate<E: Elem, R: Real<Elem = E>, const WEIGHT: bool>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    a: &mut [R],
) {
    for (i, node) in tree.nodes.iter().enumerate() {
        let at = &s.at[i];
        let mut A = match (node.parent == WORLD, WEIGHT) {
            (false, _) => node.motion_down(at, s.A[node.parent]),
            (true, true) => Twist::new(node.rotate_down(at, minus_gravity::<E, R>(tree)), Vec3::zero()),
            (true, false) => Twist::zero(),
        };
        if WEIGHT {
            A += s.A[i];
        }
        match node.motion {
            Motion::Turn(axis) => {
                let own = s.D_inverse[i].xx * (s.u[i].x - A.dot(s.U[i][0]));
                a[node.v] = own;
                A.angular = axis.add(A.angular, own);
            }
            Motion::Free => {
                // the total acceleration follows from the forces alone; the joint's share is the rest
                let (inverse, rest) = &s.base[i];
                let total = inverse.apply(*rest);
                for (k, own) in (total - A).to_array().into_iter().enumerate() {
                    a[node.v + k] = own;
                }
                A = total;
            }
            _ => {
                let U = &s.U[i];
                let rest = s.u[i] - Vec3::new(A.dot(U[0]), A.dot(U[1]), A.dot(U[2]));
                let own = (s.D_inverse[i] * rest).to_array();
                for k in 0..node.motion.dofs() {
                    a[node.v + k] = own[k];
                }
                A += node.joint_velocity(a);
            }
        }
        s.A[i] = A;
    }
}

#[inline(always)]
fn set<R: Real>(v: &mut Vec3<R>, k: usize, x: R) {
    match k {
        0 => v.x = x,
        1 => v.y = x,
        _ => v.z = x,
    }
}
