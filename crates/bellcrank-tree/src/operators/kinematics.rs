//! Poses, Jacobians, velocities and accelerations of frames; moving on the configuration manifold.

use super::macros::operator;
use super::{Batch, split};
use crate::error::TreeError;
use crate::kernels::frames::{self, Reference};
use crate::kernels::poses::Poses;
use crate::kernels::{manifold, world::World};
use crate::layout::Layout;
use crate::model::{Frame, FrameId};
use bellcrank_math::Elem;

const Q: Layout<'static> = Layout::Configuration;
const V: Layout<'static> = Layout::Tangent;

impl<E: Elem> Batch<'_, E> {
    /// World poses of frames: per state and frame the 3×4 matrix \[R_WF | p_WF\] by rows. Only what lies between
    /// the frames and the world is computed.
    ///
    /// # Errors
    /// When sizes do not agree, or a frame is not the tree's.
    pub fn fk(&self, q: &[E], frames: &[FrameId], X_WF: &mut [E]) -> Result<(), TreeError> {
        let operator = Poses::new(self.tree, self.tree.frames_of(frames)?);
        let layout = Layout::Picked(operator.picks(), operator.block());
        self.run(&operator, &[("q", Q, q)], &mut [("X_WF", layout, X_WF)])
    }

    /// Geometric Jacobian of a frame, 6 × nv by rows, linear rows first: velocity = J v.
    ///
    /// # Errors
    /// When sizes do not agree, or the frame is not the tree's.
    pub fn jacobian(
        &self,
        q: &[E],
        frame: FrameId,
        reference: Reference,
        J: &mut [E],
    ) -> Result<(), TreeError> {
        let operator = Jacobian { frame: self.frame_of(frame)?, reference };
        self.run(&operator, &[("q", Q, q)], &mut [("J", Layout::Columns(6), J)])
    }

    /// Time derivative of a frame's Jacobian, 6 × nv by rows.
    ///
    /// # Errors
    /// When sizes do not agree, or the frame is not the tree's.
    pub fn jacobian_rate(
        &self,
        q: &[E],
        v: &[E],
        frame: FrameId,
        reference: Reference,
        J_rate: &mut [E],
    ) -> Result<(), TreeError> {
        let operator = JacobianRate { frame: self.frame_of(frame)?, reference };
        self.run(&operator, &[("q", Q, q), ("v", V, v)], &mut [("J_rate", Layout::Columns(6), J_rate)])
    }

    /// Motion of a frame: 18 numbers per state, namely velocity, spatial acceleration and classical acceleration
    /// (that of its origin), each linear part first. Gravity is not in them.
    ///
    /// # Errors
    /// When sizes do not agree, or the frame is not the tree's.
    pub fn frame_motion(
        &self,
        q: &[E],
        v: &[E],
        a: &[E],
        (frame, reference): (FrameId, Reference),
        motion: &mut [E],
    ) -> Result<(), TreeError> {
        let operator = FrameMotion { frame: self.frame_of(frame)?, reference };
        let inputs = [("q", Q, q), ("v", V, v), ("a", V, a)];
        self.run(&operator, &inputs, &mut [("motion", Layout::Plain(18), motion)])
    }

    /// Derivatives of a frame's velocity and spatial acceleration: ∂V/∂q, ∂A/∂q, ∂A/∂v, three matrices of 6 × nv
    /// by rows. By q means by the tangent of q; ∂V/∂v = ∂A/∂a is the Jacobian.
    ///
    /// # Errors
    /// When sizes do not agree, or the frame is not the tree's.
    pub fn frame_motion_derivatives(
        &self,
        q: &[E],
        v: &[E],
        a: &[E],
        (frame, reference): (FrameId, Reference),
        derivatives: &mut [E],
    ) -> Result<(), TreeError> {
        let operator = FrameMotionDerivatives { frame: self.frame_of(frame)?, reference };
        let inputs = [("q", Q, q), ("v", V, v), ("a", V, a)];
        self.run(&operator, &inputs, &mut [("derivatives", Layout::Columns(18), derivatives)])
    }

    /// q ⊕ δ: scalars add, rotations turn by body-fixed rotation vectors, free bases move along screws.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn integrate(&self, q: &[E], delta: &[E], moved: &mut [E]) -> Result<(), TreeError> {
        self.run(&Integrate, &[("q", Q, q), ("delta", V, delta)], &mut [("moved", Q, moved)])
    }

    /// δ with from ⊕ δ = to, turning the short way.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn difference(&self, from: &[E], to: &[E], delta: &mut [E]) -> Result<(), TreeError> {
        self.run(&Difference, &[("from", Q, from), ("to", Q, to)], &mut [("delta", V, delta)])
    }

    fn frame_of(&self, frame: FrameId) -> Result<Frame<E>, TreeError> {
        Ok(self.tree.frames_of(&[frame])?[0])
    }
}

operator! {
    Poses<E>;
    scratch () = |this, tree| ();
    run |this, tree, s, q, out| { this.write(tree, q, out); }
}

pub(crate) struct Jacobian<E> {
    frame: Frame<E>,
    reference: Reference,
}

operator! {
    Jacobian<E>;
    scratch World<R> = |this, tree| World::of_nodes(tree, this.frame.node);
    run |this, tree, world, q, J| {
        world.place(tree, q);
        frames::jacobian(tree, world, &this.frame, this.reference, J);
    }
}

pub(crate) struct JacobianRate<E> {
    frame: Frame<E>,
    reference: Reference,
}

operator! {
    JacobianRate<E>;
    scratch World<R> = |this, tree| World::of_nodes(tree, this.frame.node);
    run |this, tree, world, input, rate| {
        let [q, v] = split(input, [tree.coordinate_count(), tree.dof_count()]);
        world.place(tree, q);
        world.set_velocities(tree, v);
        frames::jacobian_rate(tree, world, &this.frame, this.reference, rate);
    }
}

pub(crate) struct FrameMotion<E> {
    pub frame: Frame<E>,
    pub reference: Reference,
}

operator! {
    FrameMotion<E>;
    scratch World<R> = |this, tree| World::of_nodes(tree, this.frame.node);
    run |this, tree, world, input, out| {
        let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
        let [q, v, a] = split(input, [nq, nv, nv]);
        world.place(tree, q);
        world.set_velocities(tree, v);
        world.set_accelerations::<E, false>(tree, a);
        frames::motion(world, &this.frame, this.reference, out);
    }
}

pub(crate) struct FrameMotionDerivatives<E> {
    pub frame: Frame<E>,
    pub reference: Reference,
}

operator! {
    FrameMotionDerivatives<E>;
    scratch World<R> = |this, tree| World::of_nodes(tree, this.frame.node);
    run |this, tree, world, input, out| {
        let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
        let [q, v, a] = split(input, [nq, nv, nv]);
        world.place(tree, q);
        world.set_velocities(tree, v);
        world.set_accelerations::<E, false>(tree, a);
        frames::motion_derivatives(tree, world, &this.frame, this.reference, out);
    }
}

pub(crate) struct Integrate;

operator! {
    Integrate;
    scratch () = |this, tree| ();
    run |this, tree, s, input, out| {
        let [q, delta] = split(input, [tree.coordinate_count(), tree.dof_count()]);
        manifold::integrate(tree, q, delta, out);
    }
}

pub(crate) struct Difference;

operator! {
    Difference;
    scratch () = |this, tree| ();
    run |this, tree, s, input, out| {
        let nq = tree.coordinate_count();
        let [from, to] = split(input, [nq, nq]);
        manifold::difference(tree, from, to, out);
    }
}
