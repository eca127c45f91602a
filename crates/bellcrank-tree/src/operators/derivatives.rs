//! Derivatives of dynamics: Jacobians, and vector–Jacobian products for reverse mode.
//!
//! By q always means by the tangent of q: what changes when q ⊕ δ moves away from q.

use super::dynamics::mass_inverse;
use super::macros::operator;
use super::{Batch, split};
use crate::branches::Branches;
use crate::error::TreeError;
use crate::kernels::{aba, crba, outlined, rnea, rnea_jacobian, vjp};
use crate::layout::Layout;
use crate::precision::Precision;
use bellcrank_math::Real;

const Q: Layout<'static> = Layout::Configuration;
const V: Layout<'static> = Layout::Tangent;
const M: Layout<'static> = Layout::TangentMatrix;

/// Where the gradients of λ·rnea(q, v, a) go.
#[derive(Debug)]
pub struct RneaGradients<'a, E> {
    /// By the tangent of q, `(batch, nv)`.
    pub q: &'a mut [E],
    /// By v.
    pub v: &'a mut [E],
    /// By a.
    pub a: &'a mut [E],
    /// By the ten inertial parameters of each body, `(batch, bodies, 10)` in the order of the torque regressor;
    /// empty where not wanted.
    pub parameters: &'a mut [E],
}

/// Where forward dynamics and the gradients of g·aba(q, v, τ) go.
#[derive(Debug)]
pub struct AbaGradients<'a, E> {
    /// The accelerations themselves.
    pub a: &'a mut [E],
    /// By the tangent of q, `(batch, nv)`.
    pub q: &'a mut [E],
    /// By v.
    pub v: &'a mut [E],
    /// By τ.
    pub tau: &'a mut [E],
    /// By the ten inertial parameters of each body, `(batch, bodies, 10)`; empty where not wanted.
    pub parameters: &'a mut [E],
}

impl<E: Precision> Batch<'_, E> {
    /// ∂τ/∂q and ∂τ/∂v of inverse dynamics, each nv × nv by rows; ∂τ/∂a is the mass matrix.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn rnea_derivatives(
        &self,
        q: &[E],
        v: &[E],
        a: &[E],
        tau_q: &mut [E],
        tau_v: &mut [E],
    ) -> Result<(), TreeError> {
        let outputs = &mut [("tau_q", Layout::Branched, tau_q), ("tau_v", Layout::Branched, tau_v)];
        self.run(RneaJacobian, &[("q", Q, q), ("v", V, v), ("a", V, a)], outputs)
    }

    /// Likewise without the zeros between unrelated branches: the numbers whose rows and columns
    /// [`crate::TreeModel::derivative_entries`] lists.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn rnea_derivatives_entries(
        &self,
        q: &[E],
        v: &[E],
        a: &[E],
        [tau_q, tau_v]: [&mut [E]; 2],
    ) -> Result<(), TreeError> {
        let entries = Layout::BranchedEntries;
        let outputs = &mut [("tau_q entries", entries, tau_q), ("tau_v entries", entries, tau_v)];
        self.run(RneaJacobian, &[("q", Q, q), ("v", V, v), ("a", V, a)], outputs)
    }

    /// ∂a/∂q, ∂a/∂v and ∂a/∂τ = M⁻¹ of forward dynamics, each nv × nv by rows.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn aba_derivatives(
        &self,
        q: &[E],
        v: &[E],
        tau: &[E],
        [a_q, a_v, a_tau]: [&mut [E]; 3],
    ) -> Result<(), TreeError> {
        let outputs = &mut [("a_q", M, a_q), ("a_v", M, a_v), ("a_tau", M, a_tau)];
        self.run(AbaJacobian, &[("q", Q, q), ("v", V, v), ("tau", V, tau)], outputs)
    }

    /// Gradients of λ·rnea(q, v, a) at the cost of two and a half inverse dynamics.
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn rnea_vjp(
        &self,
        q: &[E],
        v: &[E],
        a: &[E],
        lambda: &[E],
        out: RneaGradients<'_, E>,
    ) -> Result<(), TreeError> {
        let bodies = if out.parameters.is_empty() { 0 } else { self.tree.body_count() };
        let inputs = [("q", Q, q), ("v", V, v), ("a", V, a), ("lambda", V, lambda)];
        let wanted = ("gradient by parameters", Layout::Plain(10 * bodies), out.parameters);
        let outputs = &mut [
            ("gradient by q", V, out.q),
            ("gradient by v", V, out.v),
            ("gradient by a", V, out.a),
            wanted,
        ];
        self.run(RneaVjp { parameters: bodies > 0 }, &inputs, outputs)
    }

    /// Forward dynamics and the gradients of g·aba(q, v, τ).
    ///
    /// # Errors
    /// When sizes do not agree.
    pub fn aba_vjp(
        &self,
        q: &[E],
        v: &[E],
        tau: &[E],
        g: &[E],
        out: AbaGradients<'_, E>,
    ) -> Result<(), TreeError> {
        let bodies = if out.parameters.is_empty() { 0 } else { self.tree.body_count() };
        let inputs = [("q", Q, q), ("v", V, v), ("tau", V, tau), ("g", V, g)];
        let outputs = &mut [
            ("a", V, out.a),
            ("gradient by q", V, out.q),
            ("gradient by v", V, out.v),
            ("gradient by tau", V, out.tau),
            ("gradient by parameters", Layout::Plain(10 * bodies), out.parameters),
        ];
        self.run(AbaVjp { parameters: bodies > 0 }, &inputs, outputs)
    }
}

pub struct RneaJacobian;

operator! {
    RneaJacobian;
    scratch rnea_jacobian::Scratch<R> = |this, tree| rnea_jacobian::Scratch::new(tree);
    run |this, tree, s, input, output| {
        let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
        let [q, v, a] = split(input, [nq, nv, nv]);
        let (tau_q, tau_v) = output.split_at_mut(2 * tree.branches.entries());
        outlined::inverse_dynamics_jacobian(tree, s, [q, v, a], tau_q, tau_v);
    }
}

pub struct AbaJacobian;

/// Memory of [`AbaJacobian`].
pub struct AbaJacobianScratch<R> {
    jacobian: rnea_jacobian::Scratch<R>,
    crba: crba::Scratch<R>,
    rnea: rnea::Scratch<R>,
    mass: Vec<R>,
    a: Vec<R>,
    /// ∂τ/∂q and ∂τ/∂v along branches.
    by: [Vec<R>; 2],
}

operator! {
    AbaJacobian;
    scratch AbaJacobianScratch<R> = |this, tree| {
        let (n, nv) = (tree.nodes.len(), tree.dof_count());
        AbaJacobianScratch {
            jacobian: rnea_jacobian::Scratch::new(tree),
            crba: crba::Scratch::new(n),
            rnea: rnea::Scratch::new(n),
            mass: vec![R::zero(); tree.branches.entries()],
            a: vec![R::zero(); nv],
            by: [vec![R::zero(); 2 * tree.branches.entries()], vec![R::zero(); 2 * tree.branches.entries()]],
        }
    };
    run |this, tree, s, input, output| {
        // a = M⁻¹ (τ − h), then −M⁻¹ times the Jacobians of inverse dynamics there
        let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
        let [q, v, tau] = split(input, [nq, nv, nv]);
        let (by_q, rest) = output.split_at_mut(nv * nv);
        let (by_v, by_tau) = rest.split_at_mut(nv * nv);
        outlined::mass_matrix(tree, &mut s.crba, q, &mut s.mass);
        mass_inverse(tree, &mut s.mass, by_tau);
        outlined::bias(tree, &mut s.rnea, q, v, &mut s.a);
        for k in 0..nv {
            s.a[k] = tau[k] - s.a[k];
        }
        outlined::solve_mass(tree, &s.mass, &mut s.a, 1);
        let [tau_q, tau_v] = &mut s.by;
        outlined::inverse_dynamics_jacobian(tree, &mut s.jacobian, [q, v, &s.a], tau_q, tau_v);
        for (matrix, packed) in [(by_q, tau_q), (by_v, tau_v)] {
            spread_negative(&tree.branches, packed, matrix);
            outlined::solve_mass(tree, &s.mass, matrix, nv);
        }
    }
}

/// The dense matrix of minus what is stored along branches.
#[inline(always)]
fn spread_negative<R: Real>(branches: &Branches, packed: &[R], matrix: &mut [R]) {
    let n = branches.size();
    let (below, above) = packed.split_at(branches.entries());
    matrix.fill(R::zero());
    for k in 0..n {
        let (mut j, mut place) = (k, branches.start[k]);
        while place < branches.start[k + 1] {
            if j != k {
                matrix[j * n + k] = -above[place];
            }
            matrix[k * n + j] = -below[place];
            (j, place) = (branches.parent[j], place + 1);
        }
    }
}

pub struct RneaVjp {
    pub parameters: bool,
}

operator! {
    RneaVjp;
    scratch vjp::Scratch<R> = |this, tree| vjp::Scratch::new(tree.nodes.len());
    run |this, tree, s, input, output| {
        let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
        let [q, v, a, lambda] = split(input, [nq, nv, nv, nv]);
        let (by_q, rest) = output.split_at_mut(nv);
        let (by_v, rest) = rest.split_at_mut(nv);
        let (by_a, by_parameters) = rest.split_at_mut(nv);
        outlined::adjoint(tree, s, [q, v, a, lambda], [by_q, by_v, by_a]);
        if this.parameters {
            vjp::parameter_gradient(tree, s, by_parameters);
        }
    }
}

pub struct AbaVjp {
    pub parameters: bool,
}

operator! {
    AbaVjp;
    scratch (aba::Scratch<R>, vjp::Scratch<R>, Vec<R>) = |this, tree| {
        let n = tree.nodes.len();
        (aba::Scratch::new(tree), vjp::Scratch::new(n), vec![R::zero(); tree.dof_count()])
    };
    run |this, tree, s, input, output| {
        let (nq, nv) = (tree.coordinate_count(), tree.dof_count());
        let [q, v, tau, g] = split(input, [nq, nv, nv, nv]);
        let (a, rest) = output.split_at_mut(nv);
        let (by_q, rest) = rest.split_at_mut(nv);
        let (by_v, rest) = rest.split_at_mut(nv);
        let (by_tau, by_parameters) = rest.split_at_mut(nv);
        let (forward, adjoint, unused) = s;
        outlined::forward_dynamics(tree, forward, [q, v, tau], a);
        aba::solve_again(tree, forward, g, by_tau);
        outlined::adjoint(tree, adjoint, [q, v, a, by_tau], [&mut *by_q, &mut *by_v, unused]);
        if this.parameters {
            vjp::parameter_gradient(tree, adjoint, by_parameters);
        }
        for gradient in [by_q, by_v, by_parameters] {
            for x in gradient.iter_mut() {
                *x = -*x;
            }
        }
    }
}
