//! The robot as a whole: centre of mass, its Jacobian, centroidal momentum, energies.
//!
//! With Iᶜ the composite inertia beyond a joint, the momentum that velocity k stirs up is Iᶜ S_k; told about the
//! centre of mass these are the columns of A_g ([Orin, Goswami, Lee 2013] Eq. (18)), h_g = A_g v. Its linear rows
//! are m J_com.
//!
//! Its rate: with the subtree's Coriolis operator B and momentum h (see `coriolis`), V_m the velocity of k's node
//! and everything about a point that stands still,
//! d/dt (Iᶜ S) = (V ×* I − I V ×) S + Iᶜ Ṡ = 2B S − S ×* h + Iᶜ (V_m × S);
//! about the centre of mass, which moves at ċ, the angular part also loses ċ × f.

use super::coriolis::Coriolis;
use super::world::World;
use crate::model::TreeModel;
use crate::node::WORLD;
use bellcrank_math::{Elem, Inertia, Real, Sym3, Twist, Vec3, Wrench};

/// Memory for one block.
pub struct Scratch<R> {
    /// World axes.
    pub world: World<R>,
    composite: Vec<Inertia<R>>,
    coriolis: Vec<Coriolis<R>>,
}

impl<R: Real> Scratch<R> {
    /// For a tree.
    pub fn new<E: Elem>(tree: &TreeModel<E>) -> Self {
        let n = tree.nodes.len();
        Scratch {
            world: World::new(tree),
            composite: vec![Inertia::default(); n],
            coriolis: vec![Coriolis::default(); n],
        }
    }
}

/// Centre of mass \[m\] (3), then A_g, 6 × nv by rows.
#[inline(always)]
pub fn momentum_matrix<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    q: &[R],
    com: &mut [R],
    A_g: &mut [R],
) {
    s.world.place(tree, q);
    for i in 0..tree.nodes.len() {
        s.composite[i] = s.world.inertia(tree, i);
    }
    let mut whole = Inertia { mass: R::zero(), h: Vec3::zero(), J: Sym3::zero() };
    for (i, node) in tree.nodes.iter().enumerate().rev() {
        let up = s.composite[i];
        if node.parent == WORLD {
            whole = whole + up;
        } else {
            s.composite[node.parent] = s.composite[node.parent] + up;
        }
    }
    let center = whole.com();
    com.copy_from_slice(&(center + s.world.origin).to_array());
    let nv = tree.dof_count();
    for k in 0..nv {
        let momentum: Wrench<R> = s.composite[tree.v_node[k]].apply(s.world.S[k]).at_point(center);
        for (r, x) in momentum.to_array().into_iter().enumerate() {
            A_g[r * nv + k] = x;
        }
    }
}

/// Ȧ_g, 6 × nv by rows, at (q, v).
#[inline(always)]
pub fn momentum_matrix_rate<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    [q, v]: [&[R]; 2],
    rate: &mut [R],
) {
    s.world.place(tree, q);
    s.world.set_velocities(tree, v);
    for i in 0..tree.nodes.len() {
        let (inertia, V) = (s.world.inertia(tree, i), s.world.V[i]);
        s.composite[i] = inertia;
        s.coriolis[i] = Coriolis::of(&inertia, V, inertia.apply(V));
    }
    // the whole mechanism: mass, m c and twice its linear momentum
    let (mut mass, mut moment, mut twice) = (R::zero(), Vec3::zero(), Vec3::zero());
    for (i, node) in tree.nodes.iter().enumerate().rev() {
        let (up, coriolis) = (s.composite[i], s.coriolis[i]);
        if node.parent == WORLD {
            (mass, moment, twice) = (mass + up.mass, moment + up.h, twice + coriolis.p);
        } else {
            s.composite[node.parent] = s.composite[node.parent] + up;
            s.coriolis[node.parent].add(&coriolis);
        }
    }
    let per_mass = mass.recip();
    let (center, velocity) = (moment * per_mass, twice * (per_mass * R::constant(0.5)));
    let nv = tree.dof_count();
    for k in 0..nv {
        let (i, S) = (tree.v_node[k], s.world.S[k]);
        let (inertia, coriolis) = (&s.composite[i], &s.coriolis[i]);
        let rest = inertia.apply(s.world.V[i].cross(S)) - S.cross_dual(coriolis.momentum());
        let change = coriolis.apply_add(S, rest);
        let mut column = change.at_point(center);
        column.moment -= velocity.cross(inertia.apply(S).force);
        for (r, x) in column.to_array().into_iter().enumerate() {
            rate[r * nv + k] = x;
        }
    }
}

/// Kinetic and potential energy \[J\]; potential is zero where the mass is at height zero against gravity.
#[inline(always)]
pub fn energies<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut super::rnea::Scratch<R>,
    poses: &mut [super::kinematics::WorldPose<R>],
    [q, v]: [&[R]; 2],
    out: &mut [R],
) {
    let (mut kinetic, mut potential) = (R::zero(), R::zero());
    let down = crate::node::lift::<R>(tree.gravity);
    for (i, node) in tree.nodes.iter().enumerate() {
        node.place(q, &mut s.at[i]);
        let root = node.parent == WORLD;
        let carried: Twist<R> =
            if root { Twist::zero() } else { node.motion_down(&s.at[i], s.V[node.parent]) };
        s.V[i] = carried + node.joint_velocity(v);
        let (rotation, p) = if root {
            node.compose_root(&s.at[i])
        } else {
            node.compose(&s.at[i], poses[node.parent].R, poses[node.parent].p)
        };
        poses[i] = super::kinematics::WorldPose { R: rotation, p };
        let inertia = crate::node::lift_inertia::<R>(&node.inertia);
        kinetic += inertia.kinetic_energy(s.V[i]);
        let h: Vec3<R> = rotation * inertia.h + p * inertia.mass;
        potential -= h.dot(down);
    }
    for k in 0..tree.dof_count() {
        kinetic += (v[k] * v[k]).scale(tree.armature[k]) * R::constant(0.5);
    }
    (out[0], out[1]) = (kinetic, potential);
}
