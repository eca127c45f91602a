//! The operators themselves, generic over the scalar, in tree order, without allocation.
//!
//! Coordinates, velocities and efforts are in *tree* order and signs here (see [`crate::layout`]). Spatial
//! vectors are linear part first. Body-local formulations where they are cheapest (velocities, RNEA, CRBA, ABA,
//! adjoints), world axes where columns of different nodes meet (Jacobians, centroidal), and the root's
//! for derivatives of RNEA.

pub mod aba;
pub mod centroidal;
pub mod chain;
pub mod constrained;
mod coriolis;
pub mod crba;
pub mod dense;
pub mod frames;
pub mod kinematics;
pub mod ltdl;
pub mod manifold;
pub mod outlined;
pub mod parameters;
pub(crate) mod poses;
pub mod rnea;
pub mod rnea_jacobian;
pub mod vjp;
pub mod world;

use crate::model::TreeModel;
use crate::node::Node;
use bellcrank_math::{Elem, Inertia, Real, Sym3, Twist, Vec3, Wrench};

/// The nodes whose subtrees end with one node, deepest first: when that one has been passed on the way out, these are
/// due on the way back. Turning back as soon as possible leaves one branch to remember instead of the whole tree, and
/// one branch fits into the nearest cache.
pub(crate) struct Ended<'a, E> {
    nodes: &'a [Node<E>],
    last: usize,
    next: usize,
}

impl<'a, E> Ended<'a, E> {
    /// Those that end with node `last`.
    #[inline(always)]
    pub fn with(nodes: &'a [Node<E>], last: usize) -> Self {
        Ended { nodes, last, next: last }
    }
}

impl<'a, E> Iterator for Ended<'a, E> {
    type Item = (usize, &'a Node<E>);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, &'a Node<E>)> {
        let (i, node) = (self.next, self.nodes.get(self.next)?);
        if node.end != self.last + 1 {
            return None;
        }
        self.next = node.parent;
        Some((i, node))
    }
}

/// −g as the acceleration of the world: a trick of Featherstone's that gives every body its weight.
#[inline(always)]
pub(crate) fn minus_gravity<E: Elem, R: Real<Elem = E>>(tree: &TreeModel<E>) -> Vec3<R> {
    let g = tree.gravity;
    Vec3::new(R::splat(-g.x), R::splat(-g.y), R::splat(-g.z))
}

/// I V with a constant inertia.
#[inline(always)]
pub(crate) fn momentum<E: Elem, R: Real<Elem = E>>(inertia: &Inertia<E>, V: Twist<R>) -> Wrench<R> {
    crate::node::lift_inertia::<R>(inertia).apply(V)
}

/// I A + V ×* (I V): the force that a body needs ([Featherstone 2008] Eq. (5.9)).
#[inline(always)]
pub(crate) fn newton_euler<E: Elem, R: Real<Elem = E>>(
    inertia: &Inertia<E>,
    V: Twist<R>,
    A: Twist<R>,
) -> Wrench<R> {
    let h = momentum(inertia, V);
    let f = momentum(inertia, A);
    Wrench::new(
        V.angular.cross_add(h.force, f.force),
        V.linear.cross_add(h.force, V.angular.cross_add(h.moment, f.moment)),
    )
}

/// I V + f
#[inline(always)]
pub(crate) fn apply_add<R: Real>(i: &Inertia<R>, V: Twist<R>, f: Wrench<R>) -> Wrench<R> {
    let (v, w, J) = (V.linear, V.angular, &i.J);
    let turned = Vec3::new(
        J.xz.mul_add(w.z, J.xy.mul_add(w.y, J.xx.mul_add(w.x, f.moment.x))),
        J.yz.mul_add(w.z, J.yy.mul_add(w.y, J.xy.mul_add(w.x, f.moment.y))),
        J.zz.mul_add(w.z, J.yz.mul_add(w.y, J.xz.mul_add(w.x, f.moment.z))),
    );
    Wrench::new(w.cross_add(i.h, v.mul_add(i.mass, f.force)), i.h.cross_add(v, turned))
}

/// S·f in six steps instead of seven.
#[inline(always)]
pub(crate) fn dot<R: Real>(S: Twist<R>, f: Wrench<R>) -> R {
    let (v, w) = (S.linear, S.angular);
    let linear = v.z.mul_add(f.force.z, v.y.mul_add(f.force.y, v.x * f.force.x));
    w.z.mul_add(f.moment.z, w.y.mul_add(f.moment.y, w.x.mul_add(f.moment.x, linear)))
}

/// The same inertia about a point at `−p`: where the frame's own origin is at `p` from there.
///
/// With h′ = h + m p: J′ = J + (p·(h + h′)) 1 − h pᵀ − p h′ᵀ.
#[inline(always)]
pub(crate) fn shifted<R: Real>(i: Inertia<R>, p: Vec3<R>) -> Inertia<R> {
    let (h, moved) = (i.h, p.mul_add(i.mass, i.h));
    let sum = h + moved;
    let J = Sym3 {
        xx: p.y.mul_add(sum.y, p.z.mul_add(sum.z, i.J.xx)),
        xy: h.x.neg_mul_add(p.y, p.x.neg_mul_add(moved.y, i.J.xy)),
        xz: h.x.neg_mul_add(p.z, p.x.neg_mul_add(moved.z, i.J.xz)),
        yy: p.x.mul_add(sum.x, p.z.mul_add(sum.z, i.J.yy)),
        yz: h.y.neg_mul_add(p.z, p.y.neg_mul_add(moved.z, i.J.yz)),
        zz: p.x.mul_add(sum.x, p.y.mul_add(sum.y, i.J.zz)),
    };
    Inertia { mass: i.mass, h: moved, J }
}
