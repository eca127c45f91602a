//! Dynamics and kinematics of a tree whose loops are closed: G v = 0, G a + Ġ v = 0, M a + h = τ + Gᵀ λ.

use super::chain::{self, Chain, Constants};
use super::dense::{Semidefinite, solve_semidefinite};
use super::{crba, ltdl, manifold, outlined, rnea};
use crate::model::TreeModel;
use bellcrank_math::{Dual, Elem, Mask, Real};

/// Memory for one block.
pub struct Scratch<E, R> {
    constants: Constants<E>,
    chain: Chain<R>,
    moving: Chain<Dual<R, 1>>,
    q_moving: Vec<Dual<R, 1>>,
    v_moving: Vec<Dual<R, 1>>,
    c_moving: [Vec<Dual<R, 1>>; 2],
    /// Loop-closure Jacobian, rows × nv.
    pub G: Vec<R>,
    /// Residual.
    pub c: Vec<R>,
    rate: Vec<R>,
    drift: Vec<R>,
    crba: crba::Scratch<R>,
    rnea: rnea::Scratch<R>,
    mass: Vec<R>,
    /// M⁻¹ Gᵀ, nv × rows.
    response: Vec<R>,
    rows: Semidefinite<R>,
    dofs: Semidefinite<R>,
    rhs: Vec<R>,
    by_dof: [Vec<R>; 3],
    q: Vec<R>,
}

impl<E: Elem, R: Real<Elem = E>> Scratch<E, R> {
    /// For a tree.
    pub fn new(tree: &TreeModel<E>) -> Self {
        let (n, nv, nq, rows) =
            (tree.nodes.len(), tree.dof_count(), tree.coordinate_count(), tree.loops.rows);
        let zeros = |n: usize| vec![R::zero(); n];
        let duals = |n: usize| vec![Dual::default(); n];
        Scratch {
            constants: Constants::new(tree),
            chain: Chain::new(tree),
            moving: Chain::new(tree),
            q_moving: duals(nq),
            v_moving: duals(nv),
            c_moving: [duals(rows), duals(rows)],
            G: zeros(rows * nv),
            c: zeros(rows),
            rate: zeros(rows),
            drift: zeros(rows),
            crba: crba::Scratch::new(n),
            rnea: rnea::Scratch::new(n),
            mass: zeros(tree.branches.entries()),
            response: zeros(nv * rows),
            rows: Semidefinite::new(rows),
            dofs: Semidefinite::new(nv),
            rhs: zeros(rows),
            by_dof: [zeros(nv), zeros(nv), zeros(nv)],
            q: zeros(nq),
        }
    }

    /// Residual, its rate and the Jacobian at (q, v).
    #[inline(always)]
    pub fn close(&mut self, tree: &TreeModel<E>, q: &[R], v: &[R]) {
        outlined::close(tree, self, q, v);
    }

    /// Ġ v, by dual numbers.
    #[inline(always)]
    pub fn set_drift(&mut self, tree: &TreeModel<E>, q: &[R], v: &[R]) {
        outlined::drift(tree, self, q, v);
    }

    /// The drift computed last.
    pub fn drift(&self) -> &[R] {
        &self.drift
    }

    /// c̈ wanted: −2 ω ċ − ω² c pulls an open loop shut within about 1/ω \[s\].
    #[inline(always)]
    fn wanted(&self, r: usize, pull: R) -> R {
        -(pull * (self.rate[r] + self.rate[r] + pull * self.c[r]))
    }
}

#[inline(always)]
pub(super) fn close<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<E, R>,
    q: &[R],
    v: &[R],
) {
    s.chain.update(tree, &s.constants, q, v);
    let out = [&mut s.c[..], &mut s.rate[..]];
    chain::residual(tree, &s.constants, &s.chain, [q, v], out);
    chain::jacobian(tree, &s.constants, &s.chain, &mut s.G);
}

#[inline(always)]
pub(super) fn drift<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<E, R>,
    q: &[R],
    v: &[R],
) {
    chain::moving(tree, q, v, &mut s.q_moving);
    for (dual, v) in s.v_moving.iter_mut().zip(v) {
        *dual = Dual::constant_of(*v);
    }
    s.moving.update(tree, &s.constants, &s.q_moving, &s.v_moving);
    let [c, rate] = &mut s.c_moving;
    chain::residual(tree, &s.constants, &s.moving, [&s.q_moving, &s.v_moving], [c, rate]);
    for (drift, rate) in s.drift.iter_mut().zip(rate.iter()) {
        *drift = rate.tangent[0];
    }
}

/// How far μ of [`solve_semidefinite`] lies under the mean diagonal: the square root of the rounding.
#[inline(always)]
fn softness<R: Real>() -> R {
    R::splat(R::Elem::EPSILON.sqrt())
}

/// a and λ of the mechanism with loops, under efforts τ.
#[inline(always)]
pub fn forward_dynamics<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<E, R>,
    [q, v, tau]: [&[R]; 3],
    pull: E,
    [a, lambda]: [&mut [R]; 2],
) {
    let (nv, rows) = (tree.dof_count(), tree.loops.rows);
    s.close(tree, q, v);
    s.set_drift(tree, q, v);
    outlined::mass_matrix(tree, &mut s.crba, q, &mut s.mass);
    ltdl::factor(&tree.branches, &mut s.mass);
    outlined::bias(tree, &mut s.rnea, q, v, a);
    for k in 0..nv {
        a[k] = tau[k] - a[k];
        for r in 0..rows {
            s.response[k * rows + r] = s.G[r * nv + k];
        }
    }
    ltdl::solve(&tree.branches, &s.mass, a, 1);
    ltdl::solve(&tree.branches, &s.mass, &mut s.response, rows);
    for r in 0..rows {
        for c in 0..rows {
            let mut sum = R::zero();
            for k in 0..nv {
                sum = s.G[r * nv + k].mul_add(s.response[k * rows + c], sum);
            }
            s.rows.a[r * rows + c] = sum;
        }
        let mut rest = s.wanted(r, R::splat(pull)) - s.drift[r];
        for k in 0..nv {
            rest = s.G[r * nv + k].neg_mul_add(a[k], rest);
        }
        s.rhs[r] = rest;
    }
    solve_semidefinite(&mut s.rows, rows, softness(), &s.rhs, lambda);
    for k in 0..nv {
        for r in 0..rows {
            a[k] = s.response[k * rows + r].mul_add(lambda[r], a[k]);
        }
    }
}

/// Efforts of the actuated velocities alone that give the accelerations a, with the loops carrying the rest.
///
/// On the velocities that no motor drives, Gᵀ λ must make up for everything: the smallest such λ is taken. `missing` is
/// the largest effort left over there \[N·m or N\]; it is zero where motors and loops can do it.
#[inline(always)]
pub fn inverse_dynamics<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<E, R>,
    [q, v, a]: [&[R]; 3],
    [tau, missing]: [&mut [R]; 2],
) {
    let (nv, rows) = (tree.dof_count(), tree.loops.rows);
    let driven = &tree.loops.driven;
    s.close(tree, q, v);
    outlined::inverse_dynamics(tree, &mut s.rnea, [q, v, a], tau);
    let [wanted, solved, _] = &mut s.by_dof;
    // (G_u G_uᵀ) over the undriven velocities u; identity elsewhere
    for i in 0..nv {
        wanted[i] = if driven[i] { R::zero() } else { tau[i] };
        for j in 0..nv {
            let mut sum = if i == j && driven[i] { R::one() } else { R::zero() };
            if !driven[i] && !driven[j] {
                for r in 0..rows {
                    sum = s.G[r * nv + i].mul_add(s.G[r * nv + j], sum);
                }
            }
            s.dofs.a[i * nv + j] = sum;
        }
    }
    solve_semidefinite(&mut s.dofs, nv, softness(), wanted, solved);
    missing[0] = R::zero();
    for r in 0..rows {
        let mut sum = R::zero();
        for k in 0..nv {
            if !driven[k] {
                sum = s.G[r * nv + k].mul_add(solved[k], sum);
            }
        }
        for k in 0..nv {
            tau[k] = s.G[r * nv + k].neg_mul_add(sum, tau[k]);
        }
    }
    for k in 0..nv {
        if !driven[k] {
            missing[0] = missing[0].max(tau[k].abs());
            tau[k] = R::zero();
        }
    }
}

/// The nearest configuration whose loops close, and how far they are still open (largest row of c).
///
/// Newton steps of least length on the velocities that are not held, damped by |c|² (Levenberg) far from a solution.
/// A state that has arrived is frozen.
#[inline(always)]
pub fn consistent<E: Elem, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    s: &mut Scratch<E, R>,
    start: &[R],
    (held, iterations): (&[bool], usize),
    [q, gap]: [&mut [R]; 2],
) {
    let (nv, rows) = (tree.dof_count(), tree.loops.rows);
    let enough = R::splat(E::EPSILON * E::from_f64(16.0));
    let [step, still, _] = &mut s.by_dof;
    still.fill(R::zero());
    q.copy_from_slice(start);
    let (mut step, still) = (core::mem::take(step), core::mem::take(still));
    for _ in 0..iterations {
        s.close(tree, q, &still);
        gap[0] = largest(&s.c);
        let open = !gap[0].le(enough); // true for what is not a number, too
        if !open.any() {
            break;
        }
        newton_step(s, (nv, rows), held, &mut step);
        for x in step.iter_mut() {
            *x = R::select(open, *x, R::zero());
        }
        manifold::integrate(tree, q, &step, &mut s.q);
        for (q, moved) in q.iter_mut().zip(&s.q) {
            *q = R::select(open, *moved, *q);
        }
    }
    s.close(tree, q, &still);
    gap[0] = largest(&s.c);
    (s.by_dof[0], s.by_dof[1]) = (step, still);
}

#[inline(always)]
fn largest<R: Real>(c: &[R]) -> R {
    let mut most = R::zero();
    for c in c {
        most = most.max(c.abs());
    }
    most
}

/// −Gᵀ (G Gᵀ + μ 1)⁻¹ c over the velocities that are not held.
#[inline(always)]
fn newton_step<E: Elem, R: Real<Elem = E>>(
    s: &mut Scratch<E, R>,
    (nv, rows): (usize, usize),
    held: &[bool],
    step: &mut [R],
) {
    let mut squares = R::zero();
    for r in 0..rows {
        squares = s.c[r].mul_add(s.c[r], squares);
        for k in 0..nv {
            if held[k] {
                s.G[r * nv + k] = R::zero();
            }
        }
    }
    for r in 0..rows {
        for c in 0..rows {
            let mut sum = if r == c { squares } else { R::zero() };
            for k in 0..nv {
                sum = s.G[r * nv + k].mul_add(s.G[c * nv + k], sum);
            }
            s.rows.a[r * rows + c] = sum;
        }
    }
    let c = core::mem::take(&mut s.c);
    let mut solved = core::mem::take(&mut s.rhs);
    solve_semidefinite(&mut s.rows, rows, softness(), &c, &mut solved);
    step.fill(R::zero());
    for r in 0..rows {
        for k in 0..nv {
            step[k] = s.G[r * nv + k].neg_mul_add(solved[r], step[k]);
        }
    }
    (s.c, s.rhs) = (c, solved);
}
