//! Reactions in closed form, on the rows that all solvers share ([`bellcrank_solve::ComFree`]).
//!
//! Joints, couplings and drives are no facets here: velocities are predicted with them satisfied, contacts push, and the
//! same factor of H spreads the pushes through the mechanism, so that loops stay closed.

use crate::cones::{places, row_mobility, speed};
use crate::layout::Layout;
use crate::status::Report;
use crate::workspace::{ConeRows, ConeSource, Workspace};
use bellcrank_math::{Mask, Real};
use bellcrank_solve::{ComFree, Cone, MOST_ROWS, Outcome, Touch, Variant, move_reactions};

/// Gains of all contacts, from the factor at hand.
#[inline(always)]
pub(crate) fn prepare<R: Real>(layout: &Layout, solver: &ComFree, ws: &mut Workspace<R>) {
    crate::cones::whiten(layout, ws);
    count_sharers(layout, &mut ws.cones);
    split_blocks(layout, &mut ws.cones);
    if let Variant::Published(_) = solver.variant {
        mean_mobilities(layout, ws);
    }
}

/// Leaves a share of the last step's reactions to start from.
#[inline(always)]
pub(crate) fn fade<R: Real>(solver: &ComFree, cones: &mut ConeRows<R>) {
    let memory = R::constant(solver.memory);
    for lambda in &mut cones.lambda {
        *lambda *= memory;
    }
}

/// How many groups of rows move each elimination position.
#[inline(always)]
fn count_sharers<R: Real>(layout: &Layout, cones: &mut ConeRows<R>) {
    cones.sharers.clear();
    cones.sharers.resize(layout.position.len(), R::zero());
    for group in &cones.groups {
        let one = R::select(group.acts, R::one(), R::zero());
        for k in places(layout, group.source).2.positions() {
            cones.sharers[*k] += one;
        }
    }
}

/// B of every group: Wᵀ W with each position as often as groups share it, so that all may push at once: then G ⪯ diag B,
/// with equality only where all push the same way. Sweeps converge up to G ≺ 2 diag B; two thirds are taken, but for
/// what nobody shares.
#[inline(always)]
fn split_blocks<R: Real>(layout: &Layout, cones: &mut ConeRows<R>) {
    cones.blocks.clear();
    for group in &cones.groups {
        let (_, _, path) = places(layout, group.source);
        let first = cones.blocks.len();
        cones.blocks.resize(first + group.rows * group.rows, R::zero());
        for r in 0..group.rows {
            for s in 0..=r {
                let mut sum = R::zero();
                for (i, k) in path.positions().iter().enumerate() {
                    let x = &cones.w[group.first_w + r * path.len() + i];
                    let y = &cones.w[group.first_w + s * path.len() + i];
                    let mut product = x[0] * y[0];
                    for c in 1..6 {
                        product = x[c].mul_add(y[c], product);
                    }
                    let shared = (cones.sharers[*k] * R::constant(2.0 / 3.0)).max(R::one());
                    sum = shared.mul_add(product, sum);
                }
                if r == s {
                    sum += cones.compliance[group.first_row + r];
                }
                cones.blocks[first + r * group.rows + s] = sum;
                cones.blocks[first + s * group.rows + r] = sum;
            }
        }
    }
}

/// W of every contact: the mean of the three diagonal entries of H⁻¹ for each of its bodies' centres of mass, as the
/// mechanism stands (the published engine takes it once, at the reference pose).
#[inline(always)]
fn mean_mobilities<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    let cones = &mut ws.cones;
    cones.inverse_mass.clear();
    for group in &cones.groups {
        let (a, b, path) = places(layout, group.source);
        let mut sum = R::zero();
        if let ConeSource::Contact(_) = group.source {
            cones.scratch.clear();
            cones.scratch.resize(path.len(), [R::zero(); 6]);
            for k in a.into_iter().chain([b]) {
                for axis in 0..3 {
                    let mut row = [[R::zero(); 6]; 2];
                    row[1][axis] = R::one();
                    ws.factor.forward_path::<1>(path, (None, k), &[row], &mut cones.scratch);
                    for x in cones.scratch.iter().flatten() {
                        sum = x.mul_add(*x, sum);
                    }
                }
            }
            sum *= R::constant(1.0 / 3.0);
        } else {
            sum = row_mobility(layout, cones, group, 0);
        }
        cones.inverse_mass.push(R::select(R::zero().lt(sum), sum, R::one()));
    }
}

/// λ ← the law, from the velocities u.
#[inline(always)]
pub(crate) fn push<R: Real>(
    layout: &Layout,
    solver: &ComFree,
    (dt, gain): (R, [R; 2]),
    going: R::Mask,
    ws: &mut Workspace<R>,
) {
    let cones = &mut ws.cones;
    cones.change.clear();
    cones.change.extend_from_slice(&cones.lambda);
    let (mut block, mut worst) = (0, R::zero());
    for (g, group) in cones.groups.iter().enumerate() {
        let (a, b, _) = places(layout, group.source);
        let rows = group.first_row..group.first_row + group.rows;
        let size = group.rows * group.rows;
        let (mut v, mut lambda) = ([R::zero(); MOST_ROWS], [R::zero(); MOST_ROWS]);
        for (k, i) in rows.clone().enumerate() {
            v[k] = speed((a, b), &cones.jacobian[i], &ws.u);
            lambda[k] = cones.lambda[i];
        }
        match (solver.variant, &group.cone) {
            (Variant::Published(law), Cone::Coulomb { .. } | Cone::Nonnegative) => {
                let touch = Touch { gap: cones.gap[g], inverse_mass: cones.inverse_mass[g], dt, gain };
                law.push(&group.cone, &v, touch, &mut lambda);
            }
            _ => {
                for (k, i) in rows.clone().enumerate() {
                    v[k] += cones.compliance[i].mul_add(lambda[k], cones.bias[i]);
                }
                move_reactions(&group.cone, &cones.blocks[block..block + size], &v, &mut lambda);
            }
        }
        for (k, i) in rows.enumerate() {
            let acts = group.acts & going;
            let moved = R::select(acts, lambda[k] - cones.lambda[i], R::zero());
            worst = worst.max((moved * cones.blocks[block + k * group.rows + k]).abs());
            cones.lambda[i] = R::select(acts, lambda[k], cones.lambda[i]);
        }
        block += size;
    }
    cones.moved = worst;
}

/// u += x. The law knows no tolerance: the residual is what the last sweep changed [m/s], and is not judged.
#[inline(always)]
pub(crate) fn add_change<R: Real>(going: R::Mask, ws: &mut Workspace<R>, report: &mut Report<R>) {
    let moved = ws.cones.moved;
    let (zero, yes) = (R::zero(), R::Mask::splat(true));
    let outcome =
        Outcome { iterations: R::one(), primal: zero, dual: moved, complementarity: zero, converged: yes };
    crate::cones::add_change(going, outcome, ws, report);
}
