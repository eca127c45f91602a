//! Poses, Jacobians, velocities and accelerations of frames; moving on the configuration manifold.

use super::macros::operator;
use super::{Batch, split};
use crate::error::TreeError;
use crate::kernels::frames::{self, Reference};
use crate::kernels::poses::Poses;
use crate::kernels::{manifold, world::World};
use crate::layout::Layout;
use crate::model::{Frame, FrameId, TreeModel};
use crate::precision::Precision;
use bellcrank_math::{Elem, Real};

const Q: Layout<'static> = Layout::Configuration;
const V: Layout<'static> = Layout::Tangent;

impl<E: Precision> Batch<'_, E> {
    /// World poses of frames: per state and frame the 3×4 matrix \[R_WF | p_WF\] by rows. Only what lies between
    /// the frames and the world is computed.
    ///
    /// # Errors
    /// When sizes do not agree, or a frame is not the tree's.
    pub fn fk(&self, q: &[E], frames: &[FrameId], X_WF: &mut [E]) -> Result<(), TreeError> {
        let (operator, picks) = Poses::new(self.tree, self.tree.frames_of(frames)?);
        let layout = Layout::Picked(&picks, operator.block());
        self.run(operator, &[("q", Q, q)], &mut [("X_WF", layout, X_WF)])
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
        self.run(operator, &[("q", Q, q)], &mut [("J", Layout::Columns(6), J)])
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
        self.run(operator, &[("q", Q, q), ("v", V, v)], &mut [("J_rate", Layout::Columns(6), J_rate)])
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
        self.run(operator, &inputs, &mut [("motion", Layout::Plain(18), motion)])
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
        self.run(operator, &inputs, &mut [("derivatives", Layout::Columns(18), derivatives)])
    }

    /// q ⊕ δ: scalars add, rotations turn by body-fixed rotation vectors, free bases move along screws.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn integrate(&self, q: &[E], delta: &[E], moved: &mut [E]) -> Result<(), TreeError> {
        self.run(Integrate, &[("q", Q, q), ("delta", V, delta)], &mut [("moved", Q, moved)])
    }

    /// δ with from ⊕ δ = to, turning the short way.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn difference(&self, from: &[E], to: &[E], delta: &mut [E]) -> Result<(), TreeError> {
        self.run(Difference, &[("from", Q, from), ("to", Q, to)], &mut [("delta", V, delta)])
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

/// Poses at q, then velocities at v, then accelerations at a (without gravity), as far as `ORDER` says.
#[inline(always)]
fn move_world<E: Elem, R: Real<Elem = E>, const ORDER: usize>(
    tree: &TreeModel<E>,
    world: &mut World<R>,
    input: &[R],
) {
    let (q, rest) = input.split_at(tree.coordinate_count());
    world.place(tree, q);
    if ORDER > 0 {
        world.set_velocities(tree, &rest[..tree.dof_count()]);
    }
    if ORDER > 1 {
        world.set_accelerations::<E, false>(tree, &rest[tree.dof_count()..]);
    }
}

/// An operator on one frame: how many derivatives of q it is given, and what it writes.
macro_rules! of_frame {
    ($name:ident, $order:literal, |$this:ident, $tree:ident, $world:ident, $out:ident| $write:expr) => {
        pub struct $name<E> {
            pub frame: Frame<E>,
            pub reference: Reference,
        }

        operator! {
            $name<E>;
            scratch World<R> = |this, tree| World::of_nodes(tree, this.frame.node);
            run |$this, $tree, $world, input, $out| {
                move_world::<E, R, $order>($tree, $world, input);
                $write;
            }
        }
    };
}

of_frame!(Jacobian, 0, |this, tree, world, J| {
    frames::jacobian(tree, world, &this.frame, this.reference, J)
});
of_frame!(JacobianRate, 1, |this, tree, world, rate| {
    frames::jacobian_rate(tree, world, &this.frame, this.reference, rate)
});
of_frame!(FrameMotion, 2, |this, tree, world, out| {
    frames::motion(world, &this.frame, this.reference, out)
});
of_frame!(FrameMotionDerivatives, 2, |this, tree, world, out| {
    frames::motion_derivatives(tree, world, &this.frame, this.reference, out)
});

pub struct Integrate;

operator! {
    Integrate;
    scratch () = |this, tree| ();
    run |this, tree, s, input, out| {
        let [q, delta] = split(input, [tree.coordinate_count(), tree.dof_count()]);
        manifold::integrate(tree, q, delta, out);
    }
}

pub struct Difference;

operator! {
    Difference;
    scratch () = |this, tree| ();
    run |this, tree, s, input, out| {
        let nq = tree.coordinate_count();
        let [from, to] = split(input, [nq, nq]);
        manifold::difference(tree, from, to, out);
    }
}
