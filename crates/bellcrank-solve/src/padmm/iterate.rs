//! One iteration's parts: what it moves, projects and measures.

use crate::cone::{Cone, MOST_ROWS};
use crate::delassus::Delassus;
use crate::problem::DualProblem;
use bellcrank_math::Real;

/// What the iteration moves.
#[derive(Clone, Debug, Default)]
pub struct Iterate<R> {
    pub(super) rho: R,
    pub(super) scale: Vec<R>,
    pub(super) x: Vec<R>,
    pub(super) y: Vec<R>,
    pub(super) z: Vec<R>,
    pub(super) y_hat: Vec<R>,
    pub(super) z_hat: Vec<R>,
    pub(super) rhs: Vec<R>,
}

impl<R: Real> Iterate<R> {
    /// Room for problems of up to `rows` rows.
    pub fn with_capacity(rows: usize) -> Self {
        let room = || Vec::with_capacity(rows);
        Iterate {
            rho: R::one(),
            scale: room(),
            x: room(),
            y: room(),
            z: room(),
            y_hat: room(),
            z_hat: room(),
            rhs: room(),
        }
    }

    /// y ← Π_K(x − ẑ/ρ), z ← ẑ + ρ(y − x), and what is left of the equations, in physical units.
    #[inline(always)]
    pub(super) fn project_and_measure(
        &mut self,
        problem: &DualProblem<R>,
        live: R::Mask,
        [eta, rho, inverse_rho]: [R; 3],
    ) -> Step<R> {
        let ws = self;
        let mut step: Step<R> = Step::none();
        let mut i = 0;
        for cone in &problem.cones {
            let rows = cone.rows();
            let mut target = [R::zero(); MOST_ROWS];
            for k in 0..rows {
                target[k] = ws.z_hat[i + k].neg_mul_add(inverse_rho, ws.rhs[i + k]);
            }
            cone.project(ws.scale[i], &mut target);
            let mut product = R::zero();
            for k in 0..rows {
                let (x, y, p) = (ws.rhs[i + k], target[k], ws.scale[i + k]);
                let z = rho.mul_add(y - x, ws.z_hat[i + k]);
                let moved = eta.mul_add(x - ws.x[i + k], rho * (y - ws.y_hat[i + k]));
                step.primal = step.primal.max(((x - y) * p).abs());
                step.dual = step.dual.max((moved / p).abs());
                product = y.mul_add(z, product);
                let (dy, dz) = ((y - ws.y_hat[i + k]) * p, (z - ws.z_hat[i + k]) / p);
                step.combined = rho.mul_add(dy * dy, (inverse_rho * dz).mul_add(dz, step.combined));
                // the hats now hold the change since the last iterate, for the extrapolation
                ws.y_hat[i + k] = R::select(live, y - ws.y[i + k], R::zero());
                ws.z_hat[i + k] = R::select(live, z - ws.z[i + k], R::zero());
                ws.x[i + k] = R::select(live, x, ws.x[i + k]);
                ws.y[i + k] = R::select(live, y, ws.y[i + k]);
                ws.z[i + k] = R::select(live, z, ws.z[i + k]);
            }
            step.complementarity = step.complementarity.max(violation(cone, product));
            i += rows;
        }
        step
    }
}

/// What one iteration found.
pub(super) struct Step<R> {
    pub primal: R,
    pub dual: R,
    pub complementarity: R,
    pub combined: R,
}

impl<R: Real> Step<R> {
    #[inline(always)]
    fn none() -> Self {
        let zero = R::zero();
        Step { primal: zero, dual: zero, complementarity: zero, combined: zero }
    }
}

/// λ·v must vanish for cones; for boxes the bounds do the work, which the projection has checked.
#[inline(always)]
fn violation<R: Real>(cone: &Cone<R>, product: R) -> R {
    match cone {
        Cone::Box { .. } | Cone::Free => R::zero(),
        _ => product.abs(),
    }
}

/// One p per cone: 1/√ of its largest diagonal entry; one where a lane has no such row.
#[inline(always)]
pub(super) fn scale_cones<R: Real>(problem: &DualProblem<R>, matrix: &impl Delassus<R>, scale: &mut Vec<R>) {
    scale.clear();
    for cone in &problem.cones {
        let i = scale.len();
        let mut largest = R::zero();
        for k in 0..cone.rows() {
            largest = largest.max(matrix.diagonal(i + k));
        }
        let none = largest.le(R::zero());
        let p = R::select(none, R::one(), R::select(none, R::one(), largest).sqrt().recip());
        for _ in 0..cone.rows() {
            scale.push(p);
        }
    }
}

/// z₀: the dual velocity that the warm start implies, made feasible; and what is wrong with the warm start. `rhs` holds G λ.
#[inline(always)]
pub(super) fn first_dual<R: Real>(problem: &DualProblem<R>, lambda: &[R], ws: &mut Iterate<R>) -> Step<R> {
    let mut off: Step<R> = Step::none();
    let mut i = 0;
    for cone in &problem.cones {
        let rows = cone.rows();
        let mut v = [R::zero(); MOST_ROWS];
        for k in 0..rows {
            v[k] = ws.rhs[i + k] + problem.g[i + k];
        }
        let check = cone.check(&lambda[i..i + rows], &v[..rows], ws.scale[i] * ws.scale[i]);
        off.dual = off.dual.max(check.natural_map);
        cone.add_slip(&mut v);
        cone.project_velocity(lambda[i], &mut v);
        for k in 0..rows {
            let z = v[k] * ws.scale[i + k];
            (ws.z[i + k], ws.z_hat[i + k]) = (z, z);
        }
        i += rows;
    }
    off
}

/// rhs ← −g̃ − s with s = μ‖ẑ_t‖ on contact normals (De Saxcé).
#[inline(always)]
pub(super) fn de_saxce<R: Real>(problem: &DualProblem<R>, ws: &mut Iterate<R>) {
    let mut i = 0;
    for cone in &problem.cones {
        for k in 0..cone.rows() {
            ws.rhs[i + k] = -(problem.g[i + k] * ws.scale[i + k]);
        }
        if let Cone::Coulomb { mu, rows } = cone {
            let n = i + rows - 1;
            let mut square = ws.z_hat[i] * ws.z_hat[i];
            for k in i + 1..n {
                square = ws.z_hat[k].mul_add(ws.z_hat[k], square);
            }
            ws.rhs[n] = mu.neg_mul_add(square.sqrt(), ws.rhs[n]);
        }
        i += cone.rows();
    }
}

/// ŷ ← y + factor Δy, ẑ ← z + factor Δz; the hats hold Δ when called.
#[inline(always)]
pub(super) fn extrapolate<R: Real>(n: usize, factor: R, ws: &mut Iterate<R>) {
    for i in 0..n {
        ws.y_hat[i] = factor.mul_add(ws.y_hat[i], ws.y[i]);
        ws.z_hat[i] = factor.mul_add(ws.z_hat[i], ws.z[i]);
    }
}
