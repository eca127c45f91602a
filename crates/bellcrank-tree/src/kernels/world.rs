//! Everything in world axes about one common point O: motion axes, velocities, accelerations of all nodes.
//!
//! Columns of different nodes can be compared and added without further transforms. O is the first node's origin,
//! not the world's: far from the world's origin single precision would lose the digits that matter.

use super::kinematics::{WorldPose, world_poses};
use super::minus_gravity;
use crate::axis::Axis;
use crate::model::TreeModel;
use crate::node::{Motion, Node, WORLD};
use bellcrank_math::{Elem, Inertia, Mat3, Real, Twist, Vec3};

/// Memory for one block.
pub struct World<R> {
    /// Poses of nodes; positions from O.
    pub poses: Vec<WorldPose<R>>,
    /// O in the world \[m\].
    pub origin: Vec3<R>,
    /// Motion axes, by velocity.
    pub S: Vec<Twist<R>>,
    /// Velocities of nodes.
    pub V: Vec<Twist<R>>,
    /// Accelerations of nodes, of the world's −g too where asked for.
    pub A: Vec<Twist<R>>,
    /// The nodes looked at, parents first.
    nodes: Vec<usize>,
}

impl<R: Real> World<R> {
    /// For a tree.
    pub fn new<E: Elem>(tree: &TreeModel<E>) -> Self {
        let (n, nv) = (tree.nodes.len(), tree.dof_count());
        World {
            poses: vec![WorldPose::default(); n],
            origin: Vec3::zero(),
            S: vec![Twist::zero(); nv],
            V: vec![Twist::zero(); n],
            A: vec![Twist::zero(); n],
            nodes: (0..n).collect(),
        }
    }

    /// For a tree of which only the nodes between one of them and the world are looked at.
    pub fn of_nodes<E: Elem>(tree: &TreeModel<E>, leaf: Option<usize>) -> Self {
        World { nodes: leaf.map_or(Vec::new(), |leaf| tree.path(leaf)), ..World::new(tree) }
    }

    /// Poses and axes at `q`.
    #[inline(always)]
    pub fn place<E: Elem>(&mut self, tree: &TreeModel<E>, q: &[R])
    where
        R: Real<Elem = E>,
    {
        world_poses(tree, &self.nodes, q, &mut self.poses);
        self.origin = match self.nodes.first() {
            None => Vec3::zero(),
            Some(&i) => self.poses[i].p,
        };
        for &i in &self.nodes {
            let (node, pose) = (&tree.nodes[i], &mut self.poses[i]);
            pose.p -= self.origin;
            for k in 0..node.motion.dofs() {
                self.S[node.v + k] = world_axis(node, pose, k);
            }
        }
    }

    /// Velocities, after [`World::place`].
    #[inline(always)]
    pub fn set_velocities<E: Elem>(&mut self, tree: &TreeModel<E>, v: &[R])
    where
        R: Real<Elem = E>,
    {
        for n in 0..self.nodes.len() {
            let i = self.nodes[n];
            let node = &tree.nodes[i];
            let mut V = self.parent_velocity(node);
            for k in node.v..node.v + node.motion.dofs() {
                V += self.S[k] * v[k];
            }
            self.V[i] = V;
        }
    }

    /// Accelerations, after velocities: A = A_P + S a + V × S v.
    #[inline(always)]
    pub fn set_accelerations<E: Elem, const WEIGHT: bool>(&mut self, tree: &TreeModel<E>, a: &[R])
    where
        R: Real<Elem = E>,
    {
        for n in 0..self.nodes.len() {
            let i = self.nodes[n];
            let node = &tree.nodes[i];
            let mut A = self.parent_acceleration::<E, WEIGHT>(tree, node);
            for k in node.v..node.v + node.motion.dofs() {
                A += self.S[k] * a[k];
            }
            let own = self.V[i] - self.parent_velocity(node);
            self.A[i] = A + self.V[i].cross(own);
        }
    }

    /// Velocity of what the node hangs from.
    #[inline(always)]
    pub fn parent_velocity<E: Elem>(&self, node: &Node<E>) -> Twist<R> {
        if node.parent == WORLD { Twist::zero() } else { self.V[node.parent] }
    }

    /// Acceleration of what the node hangs from.
    #[inline(always)]
    pub fn parent_acceleration<E: Elem, const WEIGHT: bool>(
        &self,
        tree: &TreeModel<E>,
        node: &Node<E>,
    ) -> Twist<R>
    where
        R: Real<Elem = E>,
    {
        match (node.parent == WORLD, WEIGHT) {
            (false, _) => self.A[node.parent],
            (true, true) => Twist::new(minus_gravity::<E, R>(tree), Vec3::zero()),
            (true, false) => Twist::zero(),
        }
    }

    /// Inertia of a node about O in world axes.
    #[inline(always)]
    pub fn inertia<E: Elem>(&self, tree: &TreeModel<E>, i: usize) -> Inertia<R>
    where
        R: Real<Elem = E>,
    {
        tree.nodes[i].solid.at(&self.poses[i])
    }
}

/// The `k`-th motion axis of a node in world axes, about the point its position is told from.
#[inline(always)]
pub fn world_axis<E: Elem, R: Real<Elem = E>>(node: &Node<E>, pose: &WorldPose<R>, k: usize) -> Twist<R> {
    match node.motion {
        Motion::Turn(axis) => spin(pose, axis.column(pose.R)),
        Motion::Slide(direction) => Twist::new(pose.R * crate::node::lift(direction), Vec3::zero()),
        Motion::Screw(axis, pitch) => {
            let a = axis.column(pose.R);
            let turning = spin(pose, a);
            Twist::new(a.mul_add(R::splat(pitch), turning.linear), a)
        }
        Motion::Ball => spin(pose, column(&pose.R, k)),
        Motion::Free if k < 3 => Twist::new(column(&pose.R, k), Vec3::zero()),
        Motion::Free => spin(pose, column(&pose.R, k - 3)),
    }
}

/// Turning about `a` through the node's origin.
#[inline(always)]
fn spin<R: Real>(pose: &WorldPose<R>, a: Vec3<R>) -> Twist<R> {
    Twist::new(pose.p.cross(a), a)
}

#[inline(always)]
fn column<R: Real>(m: &Mat3<R>, k: usize) -> Vec3<R> {
    Axis::ALL[k].column(*m)
}
