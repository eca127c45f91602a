//! What rows with cones do to the mechanism, and it to them.
//!
//! Everything else is already eliminated in the factor of H, so that these rows see the constrained mechanism:
//! G = J H⁻¹ Jᵀ = WᵀW with W = L⁻¹Jᵀ, which lives on a short path of the elimination tree.

use crate::constants::Constants;
use crate::layout::{Layout, ScalarKind, ScalarLayout};
use crate::reactions::{
    collect::zero_unless,
    per_world::{gather_row, scatter_block, scatter_row, scatter_rows_to_worlds},
};
use crate::rows::drives::row_velocity;
use crate::state::State;
use crate::status::Report;
use crate::step::{balance, scene::Scene};
use crate::workspace::{ConeGroup, ConeRows, ConeSource, Workspace};
use bellcrank_collide::Surface;
use bellcrank_math::{Mask, Real, kernel};
use bellcrank_solve::{MOST_ROWS, Outcome, Padmm, Path};

/// The elimination positions of a group's two bodies, and its path.
#[inline(always)]
#[allow(clippy::manual_map)] // a closure here would lose the instruction set
pub fn places(layout: &Layout, source: ConeSource) -> (Option<usize>, usize, &Path) {
    let (a, b, path) = match source {
        ConeSource::Scalar(i) => {
            let scalar = &layout.scalars[i];
            let joint = &layout.joints[scalar.at.joint];
            (joint.predecessor, joint.successor, &*scalar.path)
        }
        ConeSource::Contact(i) => {
            let contact = &layout.contacts[i];
            (contact.a, contact.b, &*contact.path)
        }
    };
    let a = match a {
        Some(a) => Some(layout.position[a]),
        None => None,
    };
    (a, layout.position[b], path)
}

/// W = L⁻¹ Jᵀ with the factor at hand.
#[kernel]
pub fn whiten<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    let ConeRows { groups, w, jacobian, .. } = &mut ws.cones;
    for group in groups.iter() {
        let (a, b, path) = places(layout, group.source);
        let rows = &jacobian[group.first_row..][..group.rows];
        let w = &mut w[group.first_w..][..group.rows * path.len()];
        // three at a time stay in registers
        let mut done = 0;
        while done + 3 <= group.rows {
            ws.factor.forward_path::<3>(path, (a, b), &rows[done..], &mut w[done * path.len()..]);
            done += 3;
        }
        for row in done..group.rows {
            ws.factor.forward_path::<1>(path, (a, b), &rows[row..], &mut w[row * path.len()..]);
        }
    }
}

/// Sorts out the worlds that may go on as they are, and gives the others their own problems.
#[kernel]
pub fn select_sticking_worlds<R: Real>(solver: &Padmm, alive: R::Mask, cones: &mut ConeRows<R>) {
    cones.lanes = alive;
    let ConeRows { groups, sticking, lambda, velocity, .. } = cones;
    let tries = solver.newton_steps > 0 && solver.tolerance > 0.0;
    sticking.clear(if tries { alive } else { R::Mask::splat(false) });
    for group in groups.iter() {
        let rows = group.first_row..group.first_row + group.rows;
        sticking.add(group.cone, group.acts, [&lambda[rows.clone()], &velocity[rows]]);
    }
    if sticking.lanes().any() {
        sticking.finish();
    }
    cones.places.clear();
    scatter_rows_to_worlds(true, alive & !cones.sticking.lanes(), cones);
}

/// G = WᵀW + R
#[kernel]
pub fn build_matrix<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    let cones = &mut ws.cones;
    for g in 0..cones.groups.len() {
        for h in 0..=g {
            // sizes that are known when compiling keep the products in registers
            match (cones.groups[g].rows, cones.groups[h].rows) {
                (3, 3) => pair_entries::<R, 3, 3>(layout, cones, (g, h)),
                (3, 1) => pair_entries::<R, 3, 1>(layout, cones, (g, h)),
                (1, 3) => pair_entries::<R, 1, 3>(layout, cones, (g, h)),
                (1, 1) => pair_entries::<R, 1, 1>(layout, cones, (g, h)),
                _ => pair_entries::<R, MOST_ROWS, MOST_ROWS>(layout, cones, (g, h)),
            }
        }
    }
}

/// The entries of G between two groups: for all lanes that are solved together, and for each world that is not.
#[inline(always)]
fn pair_entries<R: Real, const A: usize, const B: usize>(
    layout: &Layout,
    cones: &mut ConeRows<R>,
    (g, h): (usize, usize),
) {
    let (first, second) = (&cones.groups[g], &cones.groups[h]);
    let (both, together) = (first.acts & second.acts & cones.lanes, cones.sticking.lanes());
    let mut product = [[R::zero(); B]; A];
    if both.any() {
        product = overlap::<R, A, B>(layout, &cones.w, first, second);
        if g == h {
            for r in 0..first.rows.min(A).min(B) {
                product[r][r] += cones.compliance[first.first_row + r];
            }
        }
    }
    let rows = [first.rows.min(A), second.rows.min(B)];
    if together.any() {
        for r in 0..rows[0] {
            for s in 0..if g == h { r + 1 } else { rows[1] } {
                cones.sticking.set(first.first_row + r, second.first_row + s, product[r][s]);
            }
        }
    }
    let alone = both & !together;
    if alone.any() {
        scatter_block(alone, (g, h), &product, rows, &cones.places, &mut cones.worlds);
    }
}

/// Gives worlds that were to be solved with the others their own problems after all.
#[kernel]
pub fn move_to_per_world<R: Real>(lanes: R::Mask, cones: &mut ConeRows<R>) {
    scatter_rows_to_worlds(true, lanes, cones);
    for g in 0..cones.groups.len() {
        for h in 0..=g {
            let (first, second) = (&cones.groups[g], &cones.groups[h]);
            let both = first.acts & second.acts & lanes;
            if !both.any() {
                continue;
            }
            let mut product = [[R::zero(); MOST_ROWS]; MOST_ROWS];
            for r in 0..first.rows {
                for s in 0..second.rows {
                    let (i, j) = (first.first_row + r, second.first_row + s);
                    product[r][s] = cones.sticking.get(i.max(j), i.min(j));
                }
            }
            let rows = [first.rows, second.rows];
            scatter_block(both, (g, h), &product, rows, &cones.places, &mut cones.worlds);
        }
    }
}

/// G's diagonal entry of a row, compliance left out.
#[inline(always)]
pub fn row_mobility<R: Real>(layout: &Layout, cones: &ConeRows<R>, group: &ConeGroup<R>, row: usize) -> R {
    let length = places(layout, group.source).2.len();
    let mut sum = R::zero();
    for w in &cones.w[group.first_w + row * length..][..length] {
        for x in w {
            sum = x.mul_add(*x, sum);
        }
    }
    sum
}

/// The products of two groups' W over the positions that both paths share.
#[inline(always)]
fn overlap<R: Real, const A: usize, const B: usize>(
    layout: &Layout,
    w: &[[R; 6]],
    first: &ConeGroup<R>,
    second: &ConeGroup<R>,
) -> [[R; B]; A] {
    let (path, other) =
        (places(layout, first.source).2.positions(), places(layout, second.source).2.positions());
    let rows = if A == MOST_ROWS { (first.rows, second.rows) } else { (A, B) };
    let mut product = [[R::zero(); B]; A];
    let (mut i, mut j) = (0, 0);
    while i < path.len() && j < other.len() {
        if path[i] != other[j] {
            if path[i] < other[j] {
                i += 1
            } else {
                j += 1
            }
            continue;
        }
        for r in 0..rows.0 {
            let x = &w[first.first_w + r * path.len() + i];
            for s in 0..rows.1 {
                let y = &w[second.first_w + s * other.len() + j];
                for k in 0..6 {
                    product[r][s] = x[k].mul_add(y[k], product[r][s]);
                }
            }
        }
        (i, j) = (i + 1, j + 1);
    }
    product
}

/// J u of one row.
#[inline(always)]
pub fn speed<R: Real>((a, b): (Option<usize>, usize), [on_a, on_b]: &[[R; 6]; 2], u: &[[R; 6]]) -> R {
    let mut velocity = row_velocity(on_b, &u[b]);
    if let Some(a) = a {
        velocity += row_velocity(on_a, &u[a]);
    }
    velocity
}

/// J u of one row of a group.
#[inline(always)]
pub fn row_speed<R: Real>(layout: &Layout, source: ConeSource, jacobian: &[[R; 6]; 2], u: &[[R; 6]]) -> R {
    let (a, b, _) = places(layout, source);
    speed((a, b), jacobian, u)
}

/// The velocities of rows with the reactions at hand, bias and compliance included.
#[kernel]
pub fn set_velocities<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    let cones = &mut ws.cones;
    cones.velocity.clear();
    for group in &cones.groups {
        let (a, b, _) = places(layout, group.source);
        for i in group.first_row..group.first_row + group.rows {
            let velocity = speed((a, b), &cones.jacobian[i], &ws.u);
            let own = cones.compliance[i].mul_add(cones.lambda[i], velocity + cones.bias[i]);
            cones.velocity.push(own);
        }
    }
    cones.change.clear();
    cones.change.extend_from_slice(&cones.lambda);
}

/// The reactions of worlds that go on as they are; which are those, `converged` tells.
#[kernel]
pub fn solve_together<R: Real>(solver: &Padmm, going: R::Mask, cones: &mut ConeRows<R>) -> Outcome<R> {
    let ConeRows { sticking, velocity, lambda, .. } = cones;
    sticking.velocity_mut()[..velocity.len()].copy_from_slice(velocity);
    sticking.solve(R::constant(solver.tolerance), going, lambda)
}

/// Factors G of the worlds that are solved together.
#[kernel]
pub fn factor_together<R: Real>(cones: &mut ConeRows<R>) {
    cones.sticking.factor();
}

/// Tells worlds that are solved alone their reactions and velocities.
#[kernel]
pub fn put_velocities<R: Real>(lanes: R::Mask, cones: &mut ConeRows<R>) {
    for (g, group) in cones.groups.iter().enumerate() {
        for row in 0..group.rows {
            let numbers = [cones.lambda[group.first_row + row], cones.velocity[group.first_row + row]];
            scatter_row(g, group.acts & lanes, row, numbers, &cones.places, &mut cones.worlds);
        }
    }
}

/// λ ← the solver's answer in the worlds that are solved alone.
#[kernel]
pub fn take_reactions<R: Real>(lanes: R::Mask, cones: &mut ConeRows<R>) {
    for (g, group) in cones.groups.iter().enumerate() {
        let acts = group.acts & lanes;
        for row in 0..group.rows {
            let reaction = gather_row(g, acts, row, &cones.places, &cones.worlds);
            let own = &mut cones.lambda[group.first_row + row];
            *own = R::select(acts, reaction, *own);
        }
    }
}

/// x ← Jᵀ Δλ; `change` holds the reactions before.
#[kernel]
pub fn apply_impulse_change<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    ws.x.fill([R::zero(); 6]);
    push_change(layout, ws);
}

/// x += Jᵀ Δλ
#[inline(always)]
pub fn push_change<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    for i in 0..ws.cones.lambda.len() {
        ws.cones.change[i] = ws.cones.lambda[i] - ws.cones.change[i];
    }
    push_rows(layout, &ws.cones.groups, &ws.cones.jacobian, &ws.cones.change, &mut ws.x);
}

/// u += x where it counts, and the solver's figures.
#[kernel]
pub fn add_change<R: Real>(
    lanes: R::Mask,
    outcome: Outcome<R>,
    ws: &mut Workspace<R>,
    report: &mut Report<R>,
) {
    balance::add_change(lanes, ws);
    let worst = outcome.primal.max(outcome.dual).max(outcome.complementarity);
    report.iterations += R::select(lanes, outcome.iterations, R::zero());
    report.residual = R::select(lanes, worst, report.residual);
    report.converged = (report.converged & !lanes) | (outcome.converged & lanes);
}

/// x += Jᵀ λ of the reactions of the last step.
#[inline(always)]
pub fn apply_warm_start<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    push_rows(layout, &ws.cones.groups, &ws.cones.jacobian, &ws.cones.lambda, &mut ws.x);
}

#[inline(always)]
fn push_rows<R: Real>(
    layout: &Layout,
    groups: &[ConeGroup<R>],
    jacobian: &[[[R; 6]; 2]],
    amount: &[R],
    x: &mut [[R; 6]],
) {
    for group in groups {
        let (a, b, _) = places(layout, group.source);
        for i in group.first_row..group.first_row + group.rows {
            for k in 0..6 {
                x[b][k] = jacobian[i][1][k].mul_add(amount[i], x[b][k]);
            }
            if let Some(a) = a {
                for k in 0..6 {
                    x[a][k] = jacobian[i][0][k].mul_add(amount[i], x[a][k]);
                }
            }
        }
    }
}

/// Lanes without contacts.
#[kernel]
pub fn nothing_touches<R: Real>(ws: &Workspace<R>) -> R::Mask {
    let groups = &ws.cones.groups;
    let mut touches = R::Mask::splat(false);
    for group in groups {
        if let ConeSource::Contact(_) = group.source {
            touches = touches | group.acts;
        }
    }
    !touches
}

/// Keeps the reactions of some lanes for the next step and for who asks: those of all parts of a step together, `fresh` being
/// the lanes whose first part this is.
#[kernel]
pub fn store<R: Real>(
    scene: &Scene<'_, R>,
    fresh: R::Mask,
    lanes: R::Mask,
    state: &mut State<R>,
    ws: &Workspace<R>,
) {
    let Scene { layout, constants, .. } = *scene;
    if !lanes.any() {
        return;
    }
    for old in state.scalar_impulse.iter_mut().chain(state.contact_impulse.iter_mut().flatten()) {
        *old = R::select(fresh, R::zero(), *old);
    }
    state.contact_name.fill([-R::one(); 2]); // a pile has one lane
    let in_lanes = |x: R| R::select(lanes, x, R::zero());
    let mut listed = 0;
    for group in &ws.cones.groups {
        let (i, n) = (group.first_row, group.rows - 1);
        match group.source {
            ConeSource::Scalar(s) => state.scalar_impulse[s] += in_lanes(ws.cones.lambda[i]),
            ConeSource::Contact(c) => {
                let surface = ws.cones.surface(constants, layout.contacts[c].pair);
                let impulse = contact_impulse(&ws.cones.lambda[i..=i + n], surface);
                let own = if layout.pile.is_some() {
                    // the list of a pile: as many as touch, sorted by name
                    state.contact_name[listed] = ws.found.names[c];
                    listed += 1;
                    &mut state.contact_impulse[listed - 1]
                } else {
                    &mut state.contact_impulse[c]
                };
                for k in 0..6 {
                    own[k] += in_lanes(impulse[k]);
                }
            }
        }
    }
    for (s, scalar) in layout.scalars.iter().enumerate() {
        if scalar.kind == ScalarKind::Effort {
            let dof = &ws.dofs[layout.joints[scalar.at.joint].first_dof + scalar.at.dof];
            let effort = dof.drive_mass.neg_mul_add(end_rate(layout, scalar, ws), dof.drive_impulse);
            state.scalar_impulse[s] += R::select(dof.boxed | !lanes, R::zero(), effort);
        }
    }
}

/// Force (t, o, n) and moment (about n, t, o) of a contact's reactions.
#[inline(always)]
fn contact_impulse<R: Real>(lambda: &[R], surface: &Surface<R>) -> [R; 6] {
    let n = lambda.len() - 1;
    let mut impulse = [R::zero(); 6];
    (impulse[0], impulse[1], impulse[2]) = (lambda[0], lambda[1], lambda[n]);
    for k in 2..n {
        let coefficient = if k == 2 { surface.torsional } else { surface.rolling };
        let rubs = R::zero().lt(surface.sliding);
        impulse[k + 1] =
            lambda[k] * zero_unless(rubs, coefficient / R::select(rubs, surface.sliding, R::one()));
    }
    impulse
}

/// Puts bounds on drives that went beyond their limit without; true where there was one.
#[inline(always)]
pub fn box_drives<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    dt: R,
    ws: &mut Workspace<R>,
) -> R::Mask {
    let mut beyond = R::Mask::splat(false);
    for scalar in &layout.scalars {
        if scalar.kind == ScalarKind::Effort {
            let rate = end_rate(layout, scalar, ws);
            let index = layout.joints[scalar.at.joint].first_dof + scalar.at.dof;
            let dof = &mut ws.dofs[index];
            let effort = dof.drive_mass.neg_mul_add(rate, dof.drive_impulse);
            let c = &constants.dofs[index];
            let (low, high) = c.effort.bounds(dof.rate, dt);
            let outside = effort.lt(low) | high.lt(effort);
            let over = R::zero().lt(dof.drive_mass) & !dof.boxed & outside;
            dof.boxed = dof.boxed | over;
            beyond = beyond | over;
        }
    }
    beyond
}

/// q̇ of a degree of freedom at the velocities u.
#[inline(always)]
fn end_rate<R: Real>(layout: &Layout, scalar: &ScalarLayout, ws: &Workspace<R>) -> R {
    let joint = &layout.joints[scalar.at.joint];
    let (i, rows) = (joint.kind.row_count() + scalar.at.dof, &ws.joints[scalar.at.joint]);
    let mut rate = row_velocity(&rows.s[i], &ws.u[layout.position[joint.successor]]);
    if let Some(p) = joint.predecessor {
        rate += row_velocity(&rows.p[i], &ws.u[layout.position[p]]);
    }
    rate
}
