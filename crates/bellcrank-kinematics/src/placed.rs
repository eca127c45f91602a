//! Where all nodes are, and how each velocity moves what hangs from it.

use crate::task::{Place, Task};
use bellcrank_math::{Elem, Pose, Quat, Real, Twist, Vec3};
use bellcrank_tree::{Axis, Motion, Node, TreeModel, WORLD};

/// Poses and motion axes for one block of lanes.
pub(crate) struct Placed<R> {
    /// X_WN of nodes.
    pub X: Vec<Pose<R>>,
    /// Motion axes by velocity: at the node's origin, in world axes.
    pub S: Vec<Twist<R>>,
}

#[inline(always)]
pub(crate) fn lift<R: Real>(X: Pose<R::Elem>) -> Pose<R> {
    let c = R::splat;
    Pose::new(Quat::from_wxyz([c(X.R.w), c(X.R.x), c(X.R.y), c(X.R.z)]), lift_vector(X.p))
}

#[inline(always)]
pub(crate) fn lift_vector<R: Real>(v: Vec3<R::Elem>) -> Vec3<R> {
    Vec3::new(R::splat(v.x), R::splat(v.y), R::splat(v.z))
}

impl<R: Real> Placed<R> {
    pub fn new<E: Elem>(tree: &TreeModel<E>) -> Self {
        Placed { X: vec![Pose::identity(); tree.nodes.len()], S: vec![Twist::zero(); tree.dof_count()] }
    }

    /// Poses of the nodes that matter, and their axes where rows are wanted.
    #[inline(always)]
    pub fn place<E: Elem>(&mut self, tree: &TreeModel<E>, task: &Task<E>, q: &[R], axes: bool)
    where
        R: Real<Elem = E>,
    {
        for &i in &task.nodes {
            let node = &tree.nodes[i];
            let X_PT = lift::<R>(task.X_PT[i]);
            let X_WT = if node.parent == WORLD {
                X_PT
            } else if node.tilt.is_none() {
                let X = self.X[node.parent];
                Pose::new(X.R, X.R.rotate(X_PT.p) + X.p)
            } else {
                self.X[node.parent] * X_PT
            };
            let X = moved(node, X_WT, q);
            self.X[i] = X;
            if axes {
                for k in 0..node.motion.dofs() {
                    self.S[node.v + k] = axis_of(node, X.R, k);
                }
            }
        }
    }

    /// World pose of a frame.
    #[inline(always)]
    pub fn pose<E: Elem>(&self, place: &Place<E>) -> Pose<R>
    where
        R: Real<Elem = E>,
    {
        let X_NF = lift::<R>(place.X_NF);
        match place.node {
            None => X_NF,
            Some(i) => self.X[i] * X_NF,
        }
    }

    /// Velocity that a unit of velocity `v` gives the point `p` of what hangs from its node.
    #[inline(always)]
    pub fn motion(&self, v: usize, node: usize, p: Vec3<R>) -> Twist<R> {
        self.S[v].at_point(p - self.X[node].p)
    }
}

/// X_WN = X_WT X_TN(q)
#[inline(always)]
fn moved<E: Elem, R: Real<Elem = E>>(node: &Node<E>, X: Pose<R>, q: &[R]) -> Pose<R> {
    let k = node.q;
    match node.motion {
        Motion::Turn(axis) => Pose::new(turned(X.R, axis, q[k]), X.p),
        Motion::Slide(direction) => Pose::new(X.R, X.R.rotate(lift_vector::<R>(direction) * q[k]) + X.p),
        Motion::Screw(axis, pitch) => {
            let along = axis.unit::<R>() * q[k].scale(pitch);
            Pose::new(turned(X.R, axis, q[k]), X.R.rotate(along) + X.p)
        }
        Motion::Ball => Pose::new(X.R * Quat::from_wxyz([q[k], q[k + 1], q[k + 2], q[k + 3]]), X.p),
        Motion::Free => {
            let own = Quat::from_wxyz([q[k + 3], q[k + 4], q[k + 5], q[k + 6]]);
            X * Pose::new(own, Vec3::new(q[k], q[k + 1], q[k + 2]))
        }
    }
}

/// R · exp(angle · axis): half of a quaternion product, since the second factor has two numbers only.
#[inline(always)]
fn turned<R: Real>(q: Quat<R>, axis: Axis, angle: R) -> Quat<R> {
    let (s, c) = (angle * R::constant(0.5)).sin_cos();
    let [w, x, y, z] = q.to_wxyz();
    let plus = |a: R, b: R| s.mul_add(b, c * a); // c a + s b
    let minus = |a: R, b: R| s.neg_mul_add(b, c * a);
    Quat::from_wxyz(match axis {
        Axis::X => [minus(w, x), plus(x, w), plus(y, z), minus(z, y)],
        Axis::Y => [minus(w, y), minus(x, z), plus(y, w), plus(z, x)],
        Axis::Z => [minus(w, z), plus(x, y), minus(y, x), plus(z, w)],
    })
}

/// A coordinate axis, turned.
#[inline(always)]
fn column<R: Real>(q: Quat<R>, axis: Axis) -> Vec3<R> {
    let [w, x, y, z] = q.to_wxyz();
    let two = R::constant(2.0);
    let one = R::one();
    match axis {
        Axis::X => {
            Vec3::new((y * y + z * z).neg_mul_add(two, one), (x * y + w * z) * two, (x * z - w * y) * two)
        }
        Axis::Y => {
            Vec3::new((x * y - w * z) * two, (x * x + z * z).neg_mul_add(two, one), (y * z + w * x) * two)
        }
        Axis::Z => {
            Vec3::new((x * z + w * y) * two, (y * z - w * x) * two, (x * x + y * y).neg_mul_add(two, one))
        }
    }
}

#[inline(always)]
fn axis_of<E: Elem, R: Real<Elem = E>>(node: &Node<E>, rotation: Quat<R>, k: usize) -> Twist<R> {
    let zero = Vec3::zero();
    match node.motion {
        Motion::Turn(axis) => Twist::new(zero, column(rotation, axis)),
        Motion::Slide(direction) => Twist::new(rotation.rotate(lift_vector(direction)), zero),
        Motion::Screw(axis, pitch) => {
            let a = column(rotation, axis);
            Twist::new(a * R::splat(pitch), a)
        }
        Motion::Ball => Twist::new(zero, column(rotation, Axis::ALL[k])),
        Motion::Free if k < 3 => Twist::new(column(rotation, Axis::ALL[k]), zero),
        Motion::Free => Twist::new(zero, column(rotation, Axis::ALL[k - 3])),
    }
}
