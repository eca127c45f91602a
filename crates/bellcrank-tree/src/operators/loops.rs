//! Operators for mechanisms whose loops are closed.

use super::macros::operator;
use super::{Batch, split};
use crate::error::TreeError;
use crate::kernels::constrained::{self, Scratch};
use crate::layout::Layout;
use crate::precision::Precision;

const Q: Layout<'static> = Layout::Configuration;
const V: Layout<'static> = Layout::Tangent;

/// How loops are pulled shut when a configuration is made consistent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Consistency {
    /// Velocities (in the user's order) that must not move: the joints that are given. Empty for none.
    pub held: Vec<usize>,
    /// Most Newton steps.
    pub iterations: usize,
}

impl Default for Consistency {
    fn default() -> Self {
        Consistency { held: Vec::new(), iterations: 50 }
    }
}

impl<E: Precision> Batch<'_, E> {
    /// How far loops and couplings are open, c(q), and the loop-closure Jacobian G, rows × nv by rows: ċ = G v.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn loop_closure(&self, q: &[E], c: &mut [E], G: &mut [E]) -> Result<(), TreeError> {
        let rows = self.tree.loops.rows;
        let outputs = &mut [("c", Layout::Plain(rows), c), ("G", Layout::Columns(rows), G)];
        self.run(LoopClosure, &[("q", Q, q)], outputs)
    }

    /// Ġ v: what the loops' accelerations are when all joints keep their speed.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn loop_drift(&self, q: &[E], v: &[E], drift: &mut [E]) -> Result<(), TreeError> {
        let rows = Layout::Plain(self.tree.loops.rows);
        self.run(LoopDrift, &[("q", Q, q), ("v", V, v)], &mut [("drift", rows, drift)])
    }

    /// Forward dynamics with closed loops: accelerations a with G a + Ġ v = 0, and the loops' reactions λ with
    /// M a + h = τ + Gᵀ λ. `pull` \[1/s\] shuts loops that are open a little; 0 leaves them.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn constrained_forward_dynamics(
        &self,
        q: &[E],
        v: &[E],
        tau: &[E],
        pull: E,
        [a, lambda]: [&mut [E]; 2],
    ) -> Result<(), TreeError> {
        let outputs = &mut [("a", V, a), ("lambda", Layout::Plain(self.tree.loops.rows), lambda)];
        self.run(ConstrainedForward { pull }, &[("q", Q, q), ("v", V, v), ("tau", V, tau)], outputs)
    }

    /// Inverse dynamics with closed loops: efforts of the actuated velocities alone (all others are zero), and the
    /// largest effort that is missing on the others, zero where motors and loops can give the accelerations.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn actuated_inverse_dynamics(
        &self,
        q: &[E],
        v: &[E],
        a: &[E],
        [tau, missing]: [&mut [E]; 2],
    ) -> Result<(), TreeError> {
        let outputs = &mut [("tau", V, tau), ("missing", Layout::Plain(1), missing)];
        self.run(ActuatedInverse, &[("q", Q, q), ("v", V, v), ("a", V, a)], outputs)
    }

    /// The nearest configuration whose loops close, and the gap that is left (largest row of c, \[m or rad\]).
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn constraint_consistent(
        &self,
        q: &[E],
        options: &Consistency,
        [closed, gap]: [&mut [E]; 2],
    ) -> Result<(), TreeError> {
        let held = self.tree.v_order.place.iter().map(|place| options.held.contains(place)).collect();
        let operator = Consistent { held, iterations: options.iterations };
        let outputs = &mut [("closed", Q, closed), ("gap", Layout::Plain(1), gap)];
        self.run(operator, &[("q", Q, q)], outputs)
    }
}

pub struct LoopClosure;

operator! {
    LoopClosure;
    scratch (Scratch<E, R>, Vec<R>) = |this, tree| (Scratch::new(tree), vec![R::zero(); tree.dof_count()]);
    run |this, tree, s, q, output| {
        let (s, still) = s;
        let (c, G) = output.split_at_mut(tree.loops.rows);
        s.close(tree, q, still);
        c.copy_from_slice(&s.c);
        G.copy_from_slice(&s.G);
    }
}

pub struct LoopDrift;

operator! {
    LoopDrift;
    scratch Scratch<E, R> = |this, tree| Scratch::new(tree);
    run |this, tree, s, input, drift| {
        let [q, v] = split(input, [tree.coordinate_count(), tree.dof_count()]);
        s.set_drift(tree, q, v);
        drift.copy_from_slice(s.drift());
    }
}

pub struct ConstrainedForward<E> {
    pull: E,
}

operator! {
    ConstrainedForward<E>;
    scratch Scratch<E, R> = |this, tree| Scratch::new(tree);
    run |this, tree, s, input, output| {
        let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
        let [q, v, tau] = split(input, [nq, nv, nv]);
        let (a, lambda) = output.split_at_mut(nv);
        constrained::forward_dynamics(tree, s, [q, v, tau], this.pull, [a, lambda]);
    }
}

pub struct ActuatedInverse;

operator! {
    ActuatedInverse;
    scratch Scratch<E, R> = |this, tree| Scratch::new(tree);
    run |this, tree, s, input, output| {
        let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
        let [q, v, a] = split(input, [nq, nv, nv]);
        let (tau, missing) = output.split_at_mut(nv);
        constrained::inverse_dynamics(tree, s, [q, v, a], [tau, missing]);
    }
}

pub struct Consistent {
    held: Vec<bool>,
    iterations: usize,
}

operator! {
    Consistent;
    scratch Scratch<E, R> = |this, tree| Scratch::new(tree);
    run |this, tree, s, q, output| {
        let (closed, gap) = output.split_at_mut(tree.coordinate_count());
        constrained::consistent(tree, s, q, (&this.held, this.iterations), [closed, gap]);
    }
}
