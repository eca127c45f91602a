//! Loops on the tree: residual c(q), its rate ċ = G v, the Jacobian G and the drift Ġ v.
//!
//! Everything is written over any scalar, so that the drift comes from dual numbers: with q moving along v,
//! d/dt (G v) at constant v is Ġ v, exactly, for every kind of joint.

use crate::loops::{Closure, Source};
use crate::model::{Frame, TreeModel};
use crate::node::{Motion, Node, WORLD};
use bellcrank_math::{Dual, Elem, Pose, Quat, Real, Twist, Vec3, Wrench};
use bellcrank_model::kinematics;

/// Constants of the tree as quaternions, which the joint definitions need.
pub struct Constants<E> {
    X_PT: Vec<Pose<E>>,
    closures: Vec<ClosureConstants<E>>,
}

struct ClosureConstants<E> {
    X_NF: Pose<E>,
    X_NM: Pose<E>,
    /// Velocities that move M but not F, and those that move F but not M.
    moves_M: Vec<usize>,
    moves_F: Vec<usize>,
}

impl<E: Elem> Constants<E> {
    /// Of a tree.
    pub fn new(tree: &TreeModel<E>) -> Self {
        let pose = |frame: &Frame<E>| Pose::new(Quat::from_mat3(frame.R), frame.p);
        let X_PT = tree
            .nodes
            .iter()
            .map(|node| Pose::new(node.tilt.map_or(Quat::identity(), Quat::from_mat3), node.p));
        let closures = tree.loops.closures.iter().map(|closure| {
            let above = |frame: &Frame<E>| frame.node.map_or(Vec::new(), |i| tree.path(i));
            let (to_M, to_F) = (above(&closure.M), above(&closure.F));
            let velocities = |of: &[usize], but: &[usize]| {
                let own = of.iter().filter(|i| !but.contains(i)).map(|i| &tree.nodes[*i]);
                own.flat_map(|node| node.v..node.v + node.motion.dofs()).collect()
            };
            ClosureConstants {
                X_NF: pose(&closure.F),
                X_NM: pose(&closure.M),
                moves_M: velocities(&to_M, &to_F),
                moves_F: velocities(&to_F, &to_M),
            }
        });
        Constants { X_PT: X_PT.collect(), closures: closures.collect() }
    }
}

/// Memory for one block.
pub struct Chain<T> {
    X_WN: Vec<Pose<T>>,
    /// Velocity of each node's origin, world axes.
    V: Vec<Twist<T>>,
    /// Motion axes at the node's origin, world axes.
    S: Vec<Twist<T>>,
}

impl<T: Real> Chain<T> {
    /// For a tree.
    pub fn new<E: Elem>(tree: &TreeModel<E>) -> Self {
        Chain {
            X_WN: vec![Pose::identity(); tree.nodes.len()],
            V: vec![Twist::zero(); tree.nodes.len()],
            S: vec![Twist::zero(); tree.dof_count()],
        }
    }

    /// Poses, axes and velocities of all nodes.
    #[inline(always)]
    pub fn update<E: Elem>(&mut self, tree: &TreeModel<E>, constants: &Constants<E>, q: &[T], v: &[T])
    where
        T: Real<Elem = E>,
    {
        for (i, node) in tree.nodes.iter().enumerate() {
            let X_PN = lift_pose::<T>(constants.X_PT[i]) * joint_pose(node, q);
            let root = node.parent == WORLD;
            let X = if root { X_PN } else { self.X_WN[node.parent] * X_PN };
            self.X_WN[i] = X;
            let mut V = if root {
                Twist::zero()
            } else {
                self.V[node.parent].at_point(X.p - self.X_WN[node.parent].p)
            };
            for k in 0..node.motion.dofs() {
                let S = node.axis::<T>(k).rotated(X.R);
                self.S[node.v + k] = S;
                V += S * v[node.v + k];
            }
            self.V[i] = V;
        }
    }

    #[inline(always)]
    fn pose_of(&self, node: Option<usize>, X_NF: Pose<T::Elem>) -> Pose<T> {
        let X_NF = lift_pose::<T>(X_NF);
        match node {
            None => X_NF,
            Some(i) => self.X_WN[i] * X_NF,
        }
    }

    /// Velocity of the point at `p` (in the world) of a node's body.
    #[inline(always)]
    fn velocity_at(&self, node: Option<usize>, p: Vec3<T>) -> Twist<T> {
        match node {
            None => Twist::zero(),
            Some(i) => self.V[i].at_point(p - self.X_WN[i].p),
        }
    }

    /// X_WF, X_FM and the twist of M's origin relative to F, in F's axes.
    #[inline(always)]
    fn relative<E: Elem>(
        &self,
        closure: &Closure<E>,
        constants: &ClosureConstants<E>,
    ) -> (Pose<T>, Pose<T>, Twist<T>)
    where
        T: Real<Elem = E>,
    {
        let X_WF = self.pose_of(closure.F.node, constants.X_NF);
        let X_WM = self.pose_of(closure.M.node, constants.X_NM);
        let V = self.velocity_at(closure.M.node, X_WM.p) - self.velocity_at(closure.F.node, X_WM.p);
        (X_WF, X_WF.inverse_mul(X_WM), V.rotated(X_WF.R.inverse()))
    }
}

#[inline(always)]
fn lift_pose<T: Real>(X: Pose<T::Elem>) -> Pose<T> {
    let c = T::splat;
    Pose::new(Quat::from_wxyz([c(X.R.w), c(X.R.x), c(X.R.y), c(X.R.z)]), crate::node::lift(X.p))
}

/// X_TN(q)
#[inline(always)]
fn joint_pose<E: Elem, T: Real<Elem = E>>(node: &Node<E>, q: &[T]) -> Pose<T> {
    let k = node.q;
    match node.motion {
        Motion::Turn(axis) => Pose::new(Quat::from_axis_angle(axis.unit(), q[k]), Vec3::zero()),
        Motion::Slide(direction) => Pose::from_position(crate::node::lift::<T>(direction) * q[k]),
        Motion::Screw(axis, pitch) => {
            Pose::new(Quat::from_axis_angle(axis.unit(), q[k]), axis.unit::<T>() * q[k].scale(pitch))
        }
        Motion::Ball => Pose::new(Quat::from_wxyz([q[k], q[k + 1], q[k + 2], q[k + 3]]), Vec3::zero()),
        Motion::Free => Pose::new(
            Quat::from_wxyz([q[k + 3], q[k + 4], q[k + 5], q[k + 6]]),
            Vec3::new(q[k], q[k + 1], q[k + 2]),
        ),
    }
}

/// c(q) and ċ = G v, after [`Chain::update`].
#[inline(always)]
pub fn residual<E: Elem, T: Real<Elem = E>>(
    tree: &TreeModel<E>,
    constants: &Constants<E>,
    chain: &Chain<T>,
    [q, v]: [&[T]; 2],
    [c, rate]: [&mut [T]; 2],
) {
    let loops = &tree.loops;
    for (closure, fixed) in loops.closures.iter().zip(&constants.closures) {
        let (_, X_FM, V) = chain.relative(closure, fixed);
        let (gaps, axes) =
            (kinematics::residual(closure.kind, X_FM), kinematics::constraint_axes(closure.kind, X_FM));
        for r in 0..closure.kind.row_count() {
            c[closure.row + r] = gaps[r];
            rate[closure.row + r] = V.dot(axes[r]);
        }
    }
    let first = loops.rows - loops.couplings.len();
    for (r, relation) in loops.couplings.iter().enumerate() {
        let (mut sum, mut speed) = (T::splat(-relation.constant), T::zero());
        for (source, coefficient) in &relation.terms {
            let (x, rate) = coordinate(tree, constants, chain, [q, v], *source);
            sum += x.scale(*coefficient);
            speed += rate.scale(*coefficient);
        }
        (c[first + r], rate[first + r]) = (sum, speed);
    }
}

/// A coupled coordinate and its rate.
#[inline(always)]
fn coordinate<E: Elem, T: Real<Elem = E>>(
    tree: &TreeModel<E>,
    constants: &Constants<E>,
    chain: &Chain<T>,
    [q, v]: [&[T]; 2],
    source: Source,
) -> (T, T) {
    match source {
        Source::Tree { q: k, v: d, sign } => (q[k] * T::constant(sign), v[d] * T::constant(sign)),
        Source::Closing { closure, dof } => {
            let (closure, fixed) = (&tree.loops.closures[closure], &constants.closures[closure]);
            let (_, X_FM, V) = chain.relative(closure, fixed);
            let x = kinematics::coordinates(closure.kind, X_FM)[dof];
            (x, V.dot(kinematics::rate_axes(closure.kind, X_FM)[dof]))
        }
    }
}

/// G, rows × nv by rows, after [`Chain::update`].
#[inline(always)]
pub fn jacobian<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    constants: &Constants<E>,
    chain: &Chain<R>,
    G: &mut [R],
) {
    let (nv, loops) = (tree.dof_count(), &tree.loops);
    G.fill(R::zero());
    for (closure, fixed) in loops.closures.iter().zip(&constants.closures) {
        let (X_WF, X_FM, _) = chain.relative(closure, fixed);
        let axes = kinematics::constraint_axes(closure.kind, X_FM);
        for r in 0..closure.kind.row_count() {
            let row = &mut G[(closure.row + r) * nv..][..nv];
            add_row(tree, chain, fixed, (X_WF, X_WF * X_FM.p), axes[r], row);
        }
    }
    let first = loops.rows - loops.couplings.len();
    for (r, relation) in loops.couplings.iter().enumerate() {
        let row = &mut G[(first + r) * nv..][..nv];
        for (source, coefficient) in &relation.terms {
            match *source {
                Source::Tree { v, sign, .. } => row[v] += R::splat(*coefficient) * R::constant(sign),
                Source::Closing { closure, dof } => {
                    let (closure, fixed) = (&loops.closures[closure], &constants.closures[closure]);
                    let (X_WF, X_FM, _) = chain.relative(closure, fixed);
                    let axis = kinematics::rate_axes(closure.kind, X_FM)[dof] * R::splat(*coefficient);
                    add_row(tree, chain, fixed, (X_WF, X_WF * X_FM.p), axis, row);
                }
            }
        }
    }
}

/// Adds what a row on the twist of M relative to F (in F's axes) says of the tree's velocities.
#[inline(always)]
fn add_row<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    chain: &Chain<R>,
    constants: &ClosureConstants<E>,
    (X_WF, p_WM): (Pose<R>, Vec3<R>),
    axis: Wrench<R>,
    row: &mut [R],
) {
    let axis = axis.rotated(X_WF.R); // in world axes, about M's origin
    for (velocities, forward) in [(&constants.moves_M, true), (&constants.moves_F, false)] {
        for &k in velocities {
            let at = chain.X_WN[tree.v_node[k]].p;
            let value = chain.S[k].at_point(p_WM - at).dot(axis);
            if forward {
                row[k] += value;
            } else {
                row[k] -= value;
            }
        }
    }
}

/// q moving along v: every coordinate with its rate as the tangent.
#[inline(always)]
pub fn moving<E: Elem, R: Real<Elem = E>>(tree: &TreeModel<E>, q: &[R], v: &[R], out: &mut [Dual<R, 1>]) {
    let half = R::constant(0.5);
    for node in &tree.nodes {
        let (k, d) = (node.q, node.v);
        let (turning, quaternion) = match node.motion {
            Motion::Ball => (d, k),
            Motion::Free => (d + 3, k + 3),
            _ => {
                out[k] = Dual { value: q[k], tangent: [v[d]] };
                continue;
            }
        };
        let at = Quat::from_wxyz([q[quaternion], q[quaternion + 1], q[quaternion + 2], q[quaternion + 3]]);
        let w = Vec3::new(v[turning], v[turning + 1], v[turning + 2]);
        let rate = (at * Quat::from_parts(R::zero(), w * half)).to_wxyz(); // q̇ = ½ q ω
        for (r, x) in at.to_wxyz().into_iter().enumerate() {
            out[quaternion + r] = Dual { value: x, tangent: [rate[r]] };
        }
        if let Motion::Free = node.motion {
            let velocity = at.rotate(Vec3::new(v[d], v[d + 1], v[d + 2])).to_array();
            for r in 0..3 {
                out[k + r] = Dual { value: q[k + r], tangent: [velocity[r]] };
            }
        }
    }
}
