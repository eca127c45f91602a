//! Jacobians, velocities and accelerations of a frame F, and their derivatives.
//!
//! In world axes about O, with S_k the motion axes, V and A the frame's node's motion, m the node of velocity k
//! and λ what m hangs from, for every k between F and the world:
//!
//! | | |
//! |---|---|
//! | J_k | S_k |
//! | J̇_k | V_m × S_k |
//! | local ∂V/∂q_k | V_λ × S_k |
//! | local ∂A/∂q_k | A_λ × S_k + (V_λ × S_k) × (V − V_λ) |
//! | local ∂A/∂v_k | S_k × (V − V_λ) + V_m × S_k |
//!
//! "Local" means the change as seen from F: what carries F along with S_k is taken off.

use super::kinematics::{WorldPose, frame_pose};
use super::world::World;
use crate::model::{Frame, TreeModel};
use crate::node::WORLD;
use bellcrank_math::{Elem, Real, Twist, Vec3};

/// Where a frame's motion is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// At the frame's origin, in its own axes.
    Local,
    /// Of the point of the body that passes the world's origin, in world axes (a *spatial* velocity).
    World,
    /// At the frame's origin, in world axes.
    LocalWorldAligned,
}

/// A frame placed for telling motions: its pose from O, and O.
#[derive(Clone, Copy)]
pub struct Teller<R> {
    pose: WorldPose<R>,
    origin: Vec3<R>,
    reference: Reference,
}

impl<R: Real> Teller<R> {
    /// For one frame, after [`World::place`].
    #[inline(always)]
    pub fn new<E: Elem>(world: &World<R>, frame: &Frame<E>, reference: Reference) -> Self
    where
        R: Real<Elem = E>,
    {
        let mut pose = frame_pose(frame, &world.poses);
        if frame.node.is_none() {
            pose.p -= world.origin;
        }
        Teller { pose, origin: world.origin, reference }
    }

    /// A motion about O in world axes, told in the reference.
    #[inline(always)]
    pub fn tell(&self, V: Twist<R>) -> Twist<R> {
        match self.reference {
            Reference::World => V.at_point(-self.origin),
            Reference::LocalWorldAligned => V.at_point(self.pose.p),
            Reference::Local => {
                let V = V.at_point(self.pose.p);
                Twist::new(self.pose.R.transpose_mul(V.linear), self.pose.R.transpose_mul(V.angular))
            }
        }
    }

    /// Time derivative of a told column: `told` = tell(S), Ṡ about O, V_F about O.
    #[inline(always)]
    fn tell_rate(&self, S: Twist<R>, rate: Twist<R>, V_F: Twist<R>) -> Twist<R> {
        match self.reference {
            Reference::World => self.tell(rate),
            Reference::Local => self.tell(rate - V_F.cross(S)),
            Reference::LocalWorldAligned => {
                // the point moves: d/dt (s + a × p) = ṡ + ȧ × p + a × ṗ
                let velocity = V_F.at_point(self.pose.p).linear;
                let told = self.tell(rate);
                Twist::new(S.angular.cross_add(velocity, told.linear), told.angular)
            }
        }
    }

    /// Change of a told motion V along S_k, from its local change.
    #[inline(always)]
    fn tell_change(&self, local: Twist<R>, S: Twist<R>, V: Twist<R>) -> Twist<R> {
        match self.reference {
            Reference::Local => self.tell(local),
            Reference::World => self.tell(local + S.cross(V)),
            Reference::LocalWorldAligned => {
                let (change, told, turn) = (self.tell(local), self.tell(V), S.angular);
                Twist::new(
                    turn.cross_add(told.linear, change.linear),
                    turn.cross_add(told.angular, change.angular),
                )
            }
        }
    }
}

/// Every velocity between a frame and the world, with its node. (Not a callback: a closure would be compiled outside
/// the lanes' instruction set.)
struct Velocities<'a, E> {
    tree: &'a TreeModel<E>,
    node: usize,
    next: usize,
}

impl<'a, E: Elem> Velocities<'a, E> {
    #[inline(always)]
    fn of(tree: &'a TreeModel<E>, frame: &Frame<E>) -> Self {
        let node = frame.node.unwrap_or(WORLD);
        Velocities { tree, node, next: tree.nodes.get(node).map_or(0, |node| node.v) }
    }
}

impl<E: Elem> Iterator for Velocities<'_, E> {
    type Item = (usize, usize);

    #[inline(always)]
    fn next(&mut self) -> Option<(usize, usize)> {
        let node = self.tree.nodes.get(self.node)?;
        let found = (self.next, self.node);
        self.next += 1;
        if self.next == node.v + node.motion.dofs() {
            self.node = node.parent;
            self.next = self.tree.nodes.get(node.parent).map_or(0, |parent| parent.v);
        }
        Some(found)
    }
}

/// The motion of a frame's node.
#[inline(always)]
fn motion_of<E, R: Real>(frame: &Frame<E>, motions: &[Twist<R>]) -> Twist<R> {
    match frame.node {
        None => Twist::zero(),
        Some(i) => motions[i],
    }
}

/// Writes column `k` of a matrix with six rows.
#[inline(always)]
fn put<R: Real>(matrix: &mut [R], nv: usize, k: usize, column: Twist<R>) {
    for (r, x) in column.to_array().into_iter().enumerate() {
        matrix[r * nv + k] = x;
    }
}

/// J, 6 × nv by rows. Columns that do not move the frame are not touched: keep them zero.
#[inline(always)]
pub fn jacobian<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    world: &World<R>,
    frame: &Frame<E>,
    reference: Reference,
    J: &mut [R],
) {
    let teller = Teller::new(world, frame, reference);
    let nv = tree.dof_count();
    for (k, _) in Velocities::of(tree, frame) {
        put(J, nv, k, teller.tell(world.S[k]));
    }
}

/// J̇, likewise; velocities must be set.
#[inline(always)]
pub fn jacobian_rate<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    world: &World<R>,
    frame: &Frame<E>,
    reference: Reference,
    rate: &mut [R],
) {
    let teller = Teller::new(world, frame, reference);
    let nv = tree.dof_count();
    let V_F = motion_of(frame, &world.V);
    for (k, m) in Velocities::of(tree, frame) {
        let S = world.S[k];
        put(rate, nv, k, teller.tell_rate(S, world.V[m].cross(S), V_F));
    }
}

/// Velocity, spatial acceleration and classical acceleration (of the frame's origin), without gravity.
#[inline(always)]
pub fn motion<E: Elem, R: Real<Elem = E>>(
    world: &World<R>,
    frame: &Frame<E>,
    reference: Reference,
    out: &mut [R],
) {
    let teller = Teller::new(world, frame, reference);
    let (V, A) = (teller.tell(motion_of(frame, &world.V)), teller.tell(motion_of(frame, &world.A)));
    let classical = Twist::new(V.angular.cross_add(V.linear, A.linear), A.angular);
    out[..6].copy_from_slice(&V.to_array());
    out[6..12].copy_from_slice(&A.to_array());
    out[12..18].copy_from_slice(&classical.to_array());
}

/// ∂V/∂q, ∂A/∂q, ∂A/∂v (each 6 × nv by rows); ∂V/∂v = ∂A/∂a = J.
#[inline(always)]
pub fn motion_derivatives<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    world: &World<R>,
    frame: &Frame<E>,
    reference: Reference,
    out: &mut [R],
) {
    let teller = Teller::new(world, frame, reference);
    let nv = tree.dof_count();
    let Some(leaf) = frame.node else { return };
    let (V, A) = (world.V[leaf], world.A[leaf]);
    let (V_q, rest) = out.split_at_mut(6 * nv);
    let (A_q, A_v) = rest.split_at_mut(6 * nv);
    for (k, m) in Velocities::of(tree, frame) {
        let (S, node) = (world.S[k], &tree.nodes[m]);
        let V_before = world.parent_velocity(node);
        let A_before = world.parent_acceleration::<E, false>(tree, node);
        let V_change = V_before.cross(S);
        let A_change = A_before.cross(S) + V_change.cross(V - V_before);
        put(V_q, nv, k, teller.tell_change(V_change, S, V));
        put(A_q, nv, k, teller.tell_change(A_change, S, A));
        put(A_v, nv, k, teller.tell(S.cross(V - V_before) + world.V[m].cross(S)));
    }
}
