//! The mass matrix M(q): the composite-rigid-body algorithm, [Featherstone 2008] Table 6.2, in body coordinates.

use super::{Ended, shifted};
use crate::model::TreeModel;
use crate::node::{Motion, Node, Place, lift_inertia, lift_matrix};
use bellcrank_math::{Elem, Inertia, Real, Vec3, Wrench};

/// Memory for one block, by [`Node::level`]: one branch at a time.
pub struct Scratch<R> {
    at: Vec<Place<R>>,
    /// Inertia of each node with all that hangs from it.
    composite: Vec<Inertia<R>>,
}

impl<R: Real> Scratch<R> {
    /// For a tree of so many nodes.
    pub fn new(nodes: usize) -> Self {
        Scratch { at: vec![Place::default(); nodes], composite: vec![Inertia::default(); nodes] }
    }
}

/// Writes M on and below the diagonal, along the branches of the tree (see [`crate::Branches`]).
#[inline(always)]
pub fn crba<E: Elem, R: Real<Elem = E>>(tree: &TreeModel<E>, s: &mut Scratch<R>, q: &[R], mass: &mut [R]) {
    for (i, node) in tree.nodes.iter().enumerate() {
        node.place(q, &mut s.at[node.level]);
        s.composite[node.level] = lift_inertia(&node.inertia);
        for (j, ended) in Ended::with(&tree.nodes, i) {
            node_columns(tree, s, (j, ended), mass);
        }
    }
}

/// The columns of a node's velocities, and its composite inertia handed to the parent.
#[inline(always)]
fn node_columns<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<R>,
    (i, node): (usize, &Node<E>),
    mass: &mut [R],
) {
    let l = node.level;
    let inertia = s.composite[l];
    if l > 0 {
        let up = inertia_up(node, &s.at[l], inertia);
        s.composite[l - 1] = s.composite[l - 1] + up;
    }
    if let Motion::Turn(axis) = node.motion {
        // I S: the momentum of turning at unit speed
        let J = inertia.J.to_mat3();
        let f = Wrench::new(axis.cross(inertia.h), axis.column(J));
        column(tree, s, i, (node.v, 0), f, mass);
    } else {
        for k in 0..node.motion.dofs() {
            column(tree, s, i, (node.v + k, k), inertia.apply(node.axis(k)), mass);
        }
    }
}

/// The column of velocity `k`, from its own node up to the root.
#[inline(always)]
fn column<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &Scratch<R>,
    i: usize,
    (k, within): (usize, usize),
    mut f: Wrench<R>,
    mass: &mut [R],
) {
    let own = &tree.nodes[i];
    let row = &mut mass[tree.branches.start[k]..][..tree.branches.depth(k)];
    for r in 0..=within {
        row[within - r] = own.axis(r).dot(f);
    }
    row[0] += R::splat(tree.armature[k]);
    let (mut below, mut done) = (own, within + 1);
    while below.level > 0 {
        f = below.force_up(&s.at[below.level], f);
        let above = &tree.nodes[below.parent];
        let row = &mut row[done..done + above.motion.dofs()];
        if let Motion::Turn(axis) = above.motion {
            row[0] = axis.of(f.moment);
        } else if let Motion::Free = above.motion {
            for (r, value) in f.to_array().into_iter().enumerate() {
                row[5 - r] = value;
            }
        } else {
            for r in 0..row.len() {
                row[row.len() - 1 - r] = above.axis(r).dot(f);
            }
        }
        done += row.len();
        below = above;
    }
}

/// An inertia from N to P.
#[inline(always)]
pub fn inertia_up<E: Elem, R: Real<Elem = E>>(
    node: &Node<E>,
    at: &Place<R>,
    inertia: Inertia<R>,
) -> Inertia<R> {
    let h: Vec3<R> = node.rotate_up(at, inertia.h);
    let J = if let Motion::Turn(axis) = node.motion {
        let J = axis.turn_symmetric(at.sin, at.cos, inertia.J);
        match &node.tilt {
            None => J,
            Some(tilt) => J.rotated(lift_matrix(tilt)),
        }
    } else {
        inertia.J.rotated(at.R)
    };
    shifted(Inertia { mass: inertia.mass, h, J }, node.offset(at))
}
