//! Inverse and forward dynamics, mass matrix.

use super::macros::operator;
use super::{Batch, split};
use crate::batch::Operator;
use crate::error::TreeError;
use crate::kernels::{aba, crba, ltdl, outlined, rnea};
use crate::layout::Layout;
use crate::model::{Frame, FrameId, TreeModel};
use crate::precision::Precision;
use bellcrank_math::{Elem, Real};

/// Loads from outside: on each of `frames` a force and a moment about its origin, in its axes; `wrenches` has
/// rows of 6 numbers per frame, in the frames' order \[N, N·m\].
#[derive(Clone, Copy, Debug)]
pub struct External<'a, E> {
    /// What is pushed.
    pub frames: &'a [FrameId],
    /// `(batch, frames, 6)`
    pub wrenches: &'a [E],
}

impl<E> Default for External<'_, E> {
    fn default() -> Self {
        External { frames: &[], wrenches: &[] }
    }
}

impl<E: Precision> Batch<'_, E> {
    /// Inverse dynamics: τ = M(q) a + C(q, v) v + g(q).
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn rnea(&self, q: &[E], v: &[E], a: &[E], tau: &mut [E]) -> Result<(), TreeError> {
        self.rnea_with(q, v, a, External::default(), tau)
    }

    /// Inverse dynamics under loads from outside: τ = M a + C v + g − Jᵀ f.
    ///
    /// # Errors
    /// When sizes do not agree, or a frame is not the tree's.
    pub fn rnea_with(
        &self,
        q: &[E],
        v: &[E],
        a: &[E],
        external: External<'_, E>,
        tau: &mut [E],
    ) -> Result<(), TreeError> {
        let operator = Rnea::<E, true, true> { frames: self.tree.frames_of(external.frames)? };
        let wrenches = ("wrenches", Layout::Plain(6 * external.frames.len()), external.wrenches);
        let tangent = Layout::Tangent;
        let inputs = [("q", Layout::Configuration, q), ("v", tangent, v), ("a", tangent, a), wrenches];
        self.run(operator, &inputs, &mut [("tau", tangent, tau)])
    }

    /// C(q, v) v + g(q): the efforts that keep the mechanism from accelerating.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn bias(&self, q: &[E], v: &[E], tau: &mut [E]) -> Result<(), TreeError> {
        let operator = Rnea::<E, true, false> { frames: vec![] };
        let inputs = [("q", Layout::Configuration, q), ("v", Layout::Tangent, v)];
        self.run(operator, &inputs, &mut [("tau", Layout::Tangent, tau)])
    }

    /// g(q): the efforts that hold the mechanism against gravity.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn gravity(&self, q: &[E], tau: &mut [E]) -> Result<(), TreeError> {
        let operator = Rnea::<E, false, false> { frames: vec![] };
        self.run(operator, &[("q", Layout::Configuration, q)], &mut [("tau", Layout::Tangent, tau)])
    }

    /// The mass matrix M(q), dense and symmetric.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn crba(&self, q: &[E], mass: &mut [E]) -> Result<(), TreeError> {
        let output = ("mass", Layout::Symmetric, mass);
        self.run(Crba, &[("q", Layout::Configuration, q)], &mut [output])
    }

    /// The mass matrix without the zeros between unrelated branches and without mirror images: the numbers whose rows
    /// and columns [`TreeModel::mass_entries`] lists. A third of the dense matrix for a quadruped.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn crba_entries(&self, q: &[E], values: &mut [E]) -> Result<(), TreeError> {
        let output = ("mass entries", Layout::SymmetricEntries, values);
        self.run(Crba, &[("q", Layout::Configuration, q)], &mut [output])
    }

    /// The inverse M(q)⁻¹, dense and symmetric.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn mass_inverse(&self, q: &[E], inverse: &mut [E]) -> Result<(), TreeError> {
        let output = ("inverse", Layout::TangentMatrix, inverse);
        self.run(MassInverse, &[("q", Layout::Configuration, q)], &mut [output])
    }

    /// Forward dynamics: a = M(q)⁻¹ (τ − C(q, v) v − g(q)).
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn aba(&self, q: &[E], v: &[E], tau: &[E], a: &mut [E]) -> Result<(), TreeError> {
        self.aba_with(q, v, tau, External::default(), a)
    }

    /// Forward dynamics under loads from outside.
    ///
    /// # Errors
    /// When sizes do not agree, or a frame is not the tree's.
    pub fn aba_with(
        &self,
        q: &[E],
        v: &[E],
        tau: &[E],
        external: External<'_, E>,
        a: &mut [E],
    ) -> Result<(), TreeError> {
        let operator = Aba { frames: self.tree.frames_of(external.frames)? };
        let wrenches = ("wrenches", Layout::Plain(6 * external.frames.len()), external.wrenches);
        let tangent = Layout::Tangent;
        let inputs = [("q", Layout::Configuration, q), ("v", tangent, v), ("tau", tangent, tau), wrenches];
        self.run(operator, &inputs, &mut [("a", tangent, a)])
    }
}

/// Inverse dynamics; without velocities or accelerations where they are zero.
pub struct Rnea<E, const MOVING: bool, const ACCELERATING: bool> {
    pub frames: Vec<Frame<E>>,
}

impl<E: Elem, const MOVING: bool, const ACCELERATING: bool> Operator<E> for Rnea<E, MOVING, ACCELERATING> {
    type Scratch<R: Real<Elem = E>> = rnea::Scratch<R>;

    fn scratch<R: Real<Elem = E>>(&self, tree: &TreeModel<E>) -> rnea::Scratch<R> {
        rnea::Scratch::new(tree.nodes.len())
    }

    #[inline(always)]
    fn run<R: Real<Elem = E>>(
        &self,
        tree: &TreeModel<E>,
        s: &mut rnea::Scratch<R>,
        input: &[R],
        tau: &mut [R],
    ) {
        let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
        let widths =
            [nq, if MOVING { nv } else { 0 }, if ACCELERATING { nv } else { 0 }, 6 * self.frames.len()];
        let [q, v, a, wrenches] = split(input, widths);
        rnea::rnea::<E, R, MOVING, ACCELERATING>(tree, s, [q, v, a], (&self.frames, wrenches), tau);
    }
}

pub struct Crba;

operator! {
    Crba;
    scratch crba::Scratch<R> = |this, tree| crba::Scratch::new(tree.nodes.len());
    run |this, tree, s, q, mass| { outlined::mass_matrix(tree, s, q, mass); }
}

pub struct Aba<E> {
    pub frames: Vec<Frame<E>>,
}

operator! {
    Aba<E>;
    scratch aba::Scratch<R> = |this, tree| aba::Scratch::new(tree);
    run |this, tree, s, input, a| {
        let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
        let [q, v, tau, wrenches] = split(input, [nq, nv, nv, 6 * this.frames.len()]);
        aba::aba(tree, s, [q, v, tau], (&this.frames, wrenches), a);
    }
}

pub struct MassInverse;

operator! {
    MassInverse;
    scratch (crba::Scratch<R>, Vec<R>) =
        |this, tree| (crba::Scratch::new(tree.nodes.len()), vec![R::zero(); tree.branches.entries()]);
    run |this, tree, s, q, inverse| {
        let (s, mass) = s;
        outlined::mass_matrix(tree, s, q, mass);
        mass_inverse(tree, mass, inverse);
    }
}

/// M⁻¹, dense, from M along branches; M is replaced by its factor.
#[inline(always)]
pub(crate) fn mass_inverse<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    mass: &mut [R],
    inverse: &mut [R],
) {
    let nv = tree.dof_count();
    ltdl::factor(&tree.branches, mass);
    inverse.fill(R::zero());
    for k in 0..nv {
        inverse[k * nv + k] = R::one();
    }
    outlined::solve_mass(tree, mass, inverse, nv);
}
