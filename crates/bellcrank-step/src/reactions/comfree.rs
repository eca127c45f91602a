//! Reactions in closed form, on the rows that all solvers share ([`bellcrank_solve::ComFree`]).
//!
//! Joints, couplings and drives are no facets here: velocities are predicted with them satisfied, contacts push, and the
//! same factor of H spreads the pushes through the mechanism, so that loops stay closed.
//!
//! The normalised law visits contacts one after the other (projected Gauss–Seidel), each with the velocity that those
//! before it left. A push Δλ of one group is felt by the others through G = WᵀW alone, W = L⁻¹Jᵀ: so the sweeps keep
//! y = W Δλ, by elimination position, and never touch the bodies. A visit reads Wᵀy and adds W Δλ along the path of its
//! group; bodies get all pushes of a round at once, by one solve.

use crate::layout::Layout;
use crate::reactions::cones::{places, row_mobility, speed};
use crate::status::Report;
use crate::step::scene::Scene;
use crate::workspace::{ConeGroup, ConeRows, ConeSource, Workspace};
use bellcrank_math::{Mask, Real, kernel};
use bellcrank_solve::{ComFree, Cone, ContactState, Impedance, MOST_ROWS, Outcome, Variant, move_reactions};

/// Sweeps end when none of their visits changes a velocity by more than this share of the tolerance: visits that come
/// later in a sweep disturb the earlier ones.
pub const ENOUGH: f64 = 0.1;

/// Gains of all contacts, from the factor at hand.
#[kernel]
pub fn prepare<R: Real>(layout: &Layout, solver: &ComFree, ws: &mut Workspace<R>) {
    crate::reactions::cones::whiten(layout, ws);
    own_blocks(layout, &mut ws.cones);
    if let Variant::Published(_) = solver.variant {
        mean_mobilities(layout, ws);
    }
}

/// Leaves a share of the last step's reactions to start from.
#[kernel]
pub fn fade<R: Real>(solver: &ComFree, cones: &mut ConeRows<R>) {
    let memory = R::constant(solver.memory);
    for lambda in &mut cones.lambda {
        *lambda *= memory;
    }
}

/// B of every group: its own block of G, compliance included.
#[inline(always)]
fn own_blocks<R: Real>(layout: &Layout, cones: &mut ConeRows<R>) {
    cones.blocks.clear();
    cones.way.mobility.clear();
    for group in &cones.groups {
        let length = places(layout, group.source).2.len();
        let first = cones.blocks.len();
        cones.blocks.resize(first + group.rows * group.rows, R::zero());
        for r in 0..group.rows {
            for s in 0..=r {
                let mut sum = R::zero();
                if r == s {
                    sum = cones.compliance[group.first_row + r];
                }
                for i in 0..length {
                    let x = &cones.w[group.first_w + r * length + i];
                    let y = &cones.w[group.first_w + s * length + i];
                    sum = add_product(x, y, sum);
                }
                cones.blocks[first + r * group.rows + s] = sum;
                cones.blocks[first + s * group.rows + r] = sum;
            }
            cones.way.mobility.push(cones.blocks[first + r * (group.rows + 1)]);
        }
    }
}

/// sum + x·y, the first products first.
#[inline(always)]
pub fn add_product<R: Real>(x: &[R; 6], y: &[R; 6], mut sum: R) -> R {
    for c in 0..6 {
        sum = x[c].mul_add(y[c], sum);
    }
    sum
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

/// λ ← the published law from the velocities u; boxes have no facets, and follow the normalised one.
#[kernel]
pub fn push_facets<R: Real>(
    scene: &Scene<'_, R>,
    law: Impedance,
    going: R::Mask,
    ws: &mut Workspace<R>,
) -> Outcome<R> {
    let (layout, dt, gain) = (scene.layout, scene.times.dt, scene.constants.contact_gain);
    set_velocities(layout, ws);
    let cones = &mut ws.cones;
    let (mut block, mut worst) = (0, R::zero());
    for (g, group) in cones.groups.iter().enumerate() {
        let size = group.rows * group.rows;
        let (mut v, mut lambda) = ([R::zero(); MOST_ROWS], [R::zero(); MOST_ROWS]);
        for k in 0..group.rows {
            let i = group.first_row + k;
            (v[k], lambda[k]) = (cones.velocity[i], cones.lambda[i]);
        }
        if let Cone::Coulomb { .. } | Cone::Nonnegative = &group.cone {
            let touch = ContactState { gap: cones.gap[g], inverse_mass: cones.inverse_mass[g], dt, gain };
            law.push(&group.cone, &v, touch, &mut lambda);
        } else {
            for k in 0..group.rows {
                let i = group.first_row + k;
                v[k] += cones.compliance[i].mul_add(lambda[k], cones.bias[i]);
            }
            move_reactions(&group.cone, &cones.blocks[block..block + size], &v, &mut lambda);
        }
        for k in 0..group.rows {
            let i = group.first_row + k;
            let acts = group.acts & going;
            let moved = R::select(acts, lambda[k] - cones.lambda[i], R::zero());
            worst = worst.max((moved * cones.way.mobility[i]).abs());
            cones.lambda[i] = R::select(acts, lambda[k], cones.lambda[i]);
        }
        block += size;
    }
    outcome(R::one(), worst)
}

fn outcome<R: Real>(iterations: R, dual: R) -> Outcome<R> {
    let (zero, converged) = (R::zero(), R::Mask::splat(true));
    Outcome { iterations, primal: zero, dual, complementarity: zero, converged }
}

/// λ ← the normalised law, contact after contact, from the velocities u: until a sweep changes no velocity any more by
/// what counts, in each lane for itself, and `sweeps` times at most.
///
/// Sweeps go there and back along the list in turn, and after each pair of them [`crate::reactions::way`] says where the next starts.
#[kernel]
pub fn sweep<R: Real>(
    layout: &Layout,
    solver: &ComFree,
    going: R::Mask,
    ws: &mut Workspace<R>,
) -> Outcome<R> {
    set_velocities(layout, ws);
    let (cones, zero) = (&mut ws.cones, R::zero());
    cones.way.begin(&cones.lambda);
    cones.pushed.clear();
    cones.pushed.resize(layout.position.len(), [zero; 6]);
    let (enough, mut open) = (R::constant(ENOUGH * solver.tolerance), going);
    let (mut iterations, mut worst) = (zero, zero);
    for number in 1..=solver.sweeps {
        let back = number % 2 == 0;
        let moved = visit_all(layout, back, open, cones);
        iterations += R::select(open, R::one(), zero);
        worst = R::select(open, moved, worst);
        open = open & enough.lt(moved);
        if !open.any() {
            break; // a sweep comes last: it leaves every reaction in its cone
        }
        if number == solver.sweeps {
            cones.way.give_up(open, &mut cones.lambda);
        } else if back {
            cones.way.go_on(open, &mut cones.lambda);
            push_anew(layout, cones);
        }
    }
    outcome(iterations, worst)
}

/// One visit to every group; gives the largest change of a velocity by one of them [m/s or rad/s].
#[inline(always)]
fn visit_all<R: Real>(layout: &Layout, back: bool, open: R::Mask, cones: &mut ConeRows<R>) -> R {
    let mut most = R::zero();
    let (count, mut block) = (cones.groups.len(), if back { cones.blocks.len() } else { 0 });
    for n in 0..count {
        let g = if back { count - 1 - n } else { n };
        let rows = cones.groups[g].rows;
        if back {
            block -= rows * rows;
        }
        let moved = match rows {
            3 => visit::<R, 3>(layout, (g, block), open, cones),
            1 => visit::<R, 1>(layout, (g, block), open, cones),
            _ => visit::<R, MOST_ROWS>(layout, (g, block), open, cones),
        };
        most = most.max(moved);
        if !back {
            block += rows * rows;
        }
    }
    most
}

/// Moves the reactions of a group of up to N rows by the law, with the velocity that all pushes so far left it.
#[inline(always)]
fn visit<R: Real, const N: usize>(
    layout: &Layout,
    (g, block): (usize, usize),
    open: R::Mask,
    cones: &mut ConeRows<R>,
) -> R {
    let ConeRows { groups, w, velocity, bias, compliance, lambda, blocks, way, pushed, .. } = cones;
    let group = &groups[g];
    let (rows, path) = (group.rows.min(N), places(layout, group.source).2.positions());
    let w = &w[group.first_w..][..group.rows * path.len()];
    let block = &blocks[block..][..group.rows * group.rows];
    let own = group.first_row..group.first_row + rows;
    let mut v = [R::zero(); MOST_ROWS];
    begin_visit(
        [&compliance[own.clone()], &lambda[own.clone()], &velocity[own.clone()], &bias[own.clone()]],
        &mut v,
    );
    for (at, k) in path.iter().enumerate() {
        let y = &pushed[*k];
        for r in 0..rows {
            v[r] = add_product(&w[r * path.len() + at], y, v[r]);
        }
    }
    let mut moved = [R::zero(); N];
    let (lambda, mobility) = (&mut lambda[own.clone()], &way.mobility[own]);
    let most = end_visit((&group.cone, group.acts & open), [block, mobility], &v, lambda, &mut moved);
    for (at, k) in path.iter().enumerate() {
        let y = &mut pushed[*k];
        for r in 0..rows {
            push(&w[r * path.len() + at], moved[r], y);
        }
    }
    most
}

/// v ← R λ + J u + bias of a group's rows, compliance R, λ, J u and bias being given.
#[inline(always)]
pub fn begin_visit<R: Real>([compliance, lambda, velocity, bias]: [&[R]; 4], v: &mut [R; MOST_ROWS]) {
    for r in 0..lambda.len() {
        v[r] = compliance[r].mul_add(lambda[r], velocity[r] + bias[r]);
    }
}

/// Moves the reactions of a group by the law in some lanes, its block and its mobilities being given, with the velocities v; gives the
/// largest change of a velocity.
#[inline(always)]
pub fn end_visit<R: Real>(
    (cone, acts): (&Cone<R>, R::Mask),
    [block, mobility]: [&[R]; 2],
    v: &[R; MOST_ROWS],
    lambda: &mut [R],
    moved: &mut [R],
) -> R {
    let mut own = [R::zero(); MOST_ROWS];
    own[..lambda.len()].copy_from_slice(lambda);
    move_reactions(cone, block, v, &mut own);
    let mut most = R::zero();
    for r in 0..lambda.len() {
        moved[r] = R::select(acts, own[r] - lambda[r], R::zero());
        lambda[r] = R::select(acts, own[r], lambda[r]);
        most = most.max((moved[r] * mobility[r]).abs());
    }
    most
}

/// y += w Δλ
#[inline(always)]
pub fn push<R: Real>(w: &[R; 6], moved: R, y: &mut [R; 6]) {
    for c in 0..6 {
        y[c] = w[c].mul_add(moved, y[c]);
    }
}

/// y ← W (λ − λ before the sweeps). If y were taken along the way, rounding would part it from λ.
#[inline(always)]
fn push_anew<R: Real>(layout: &Layout, cones: &mut ConeRows<R>) {
    cones.pushed.fill([R::zero(); 6]);
    for group in &cones.groups {
        let path = places(layout, group.source).2.positions();
        for r in 0..group.rows {
            let i = group.first_row + r;
            let moved = cones.lambda[i] - cones.change[i];
            for (at, k) in path.iter().enumerate() {
                push(&cones.w[group.first_w + r * path.len() + at], moved, &mut cones.pushed[*k]);
            }
        }
    }
}

/// J u of all rows; `change` keeps the reactions.
#[inline(always)]
pub fn set_velocities<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    let cones = &mut ws.cones;
    cones.velocity.clear();
    for group in &cones.groups {
        let (a, b, _) = places(layout, group.source);
        for row in &cones.jacobian[group.first_row..][..group.rows] {
            cones.velocity.push(speed((a, b), row, &ws.u));
        }
    }
    cones.change.clear();
    cones.change.extend_from_slice(&cones.lambda);
}

/// What the step leaves, by the velocities that bodies have after it: the residual is the velocity by which one more
/// visit would still change a row, and a contact is as deep as its gap and its velocity make it. A step is exact where no
/// residual is above the tolerance and no contact is deeper than the bound. The published law has no residual: its
/// softness is the law, and only the depth counts.
#[kernel]
pub fn judge<R: Real>(scene: &Scene<'_, R>, solver: &ComFree, ws: &mut Workspace<R>, report: &mut Report<R>) {
    let Scene { layout, lanes, .. } = *scene;
    let drift = scene.times.drift;
    set_velocities(layout, ws);
    let (cones, normalised) = (&ws.cones, solver.variant == Variant::Normalised);
    let (mut block, mut residual, mut deepest) = (0, R::zero(), R::zero());
    for (g, group) in cones.groups.iter().enumerate() {
        let size = group.rows * group.rows;
        let last = cones.velocity[group.first_row + group.rows - 1];
        if let ConeSource::Contact(_) = group.source {
            let depth = -last.mul_add(drift, cones.gap[g]);
            deepest = deepest.max(R::select(group.acts, depth, R::zero()));
        }
        if normalised {
            let own = own_residual(cones, group, &cones.blocks[block..block + size]);
            residual = residual.max(R::select(group.acts, own, R::zero()));
        }
        block += size;
    }
    let exact = residual.le(R::constant(solver.tolerance)) & deepest.le(R::constant(solver.depth));
    if normalised {
        report.residual = R::select(lanes, residual, report.residual);
    }
    report.converged = report.converged & (exact | !lanes);
}

/// The velocity by which a visit would change the rows of a group.
#[inline(always)]
fn own_residual<R: Real>(cones: &ConeRows<R>, group: &ConeGroup<R>, block: &[R]) -> R {
    let (mut v, mut own) = ([R::zero(); MOST_ROWS], [R::zero(); MOST_ROWS]);
    for r in 0..group.rows {
        let i = group.first_row + r;
        own[r] = cones.lambda[i];
        v[r] = cones.compliance[i].mul_add(own[r], cones.velocity[i] + cones.bias[i]);
    }
    move_reactions(&group.cone, block, &v, &mut own);
    let mut most = R::zero();
    for r in 0..group.rows {
        let i = group.first_row + r;
        most = most.max(((own[r] - cones.lambda[i]) * cones.way.mobility[i]).abs());
    }
    most
}
