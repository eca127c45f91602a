//! Rows that have cones: limits, dry friction, effort limits, contacts.
//!
//! Everything else is already eliminated in the factor of H, so that these rows see the constrained mechanism:
//! G = J H⁻¹ Jᵀ = WᵀW with W = L⁻¹Jᵀ, which lives on a short path of the elimination tree. Rows that act in no lane
//! are left out; a lane in which a row does not act has zeros there, which change no other row's bits.

use crate::constants::Constants;
use crate::drives::row_velocity;
use crate::layout::{Layout, ScalarKind, ScalarLayout};
use crate::state::State;
use crate::status::Report;
use crate::step::{Settings, Solver, Times};
use crate::workspace::{ConeGroup, ConeRows, ConeSource, Touching, Workspace};
use bellcrank_collide::{Surface, collide};
use bellcrank_math::{Mask, Real, Vec3};
use bellcrank_solve::{Cone, MOST_ROWS, Outcome};

/// Lists what touches, with the reactions of the last step; says how many contacts there are, listed or not.
pub(crate) fn find_contacts<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    reach: R,
    ws: &mut Workspace<R>,
) -> usize {
    ws.touching.clear();
    let Some(pile) = &mut ws.pile else {
        collide(&layout.plan, &constants.shapes, &state.X_WB, reach, &mut ws.contacts);
        for (slot, contact) in ws.contacts.slots().iter().enumerate() {
            if contact.active.any() {
                ws.touching.push(Touching { slot, contact: *contact, guess: state.contact_impulse[slot] });
            }
        }
        return ws.touching.len();
    };
    let found = pile.find(layout, constants, &state.X_WB, reach, &mut ws.touching);
    // both lists are sorted by slot
    let mut old = state.contact_slot.iter().zip(&state.contact_impulse).peekable();
    for touching in &mut ws.touching {
        let slot = R::constant(touching.slot as f64);
        while old.next_if(|(other, _)| other.lt(slot).all() && other.ge(R::zero()).all()).is_some() {}
        if let Some((_, impulse)) =
            old.next_if(|(other, _)| other.le(slot).all() && other.ge(R::zero()).all())
        {
            touching.guess = *impulse;
        }
    }
    found
}

/// A row as it is collected: on body a and body b, with its bias, compliance and first guess.
#[derive(Clone, Copy)]
struct Row<R> {
    jacobian: [[R; 6]; 2],
    bias: R,
    compliance: R,
    guess: R,
}

/// Lists the rows that act in at least one lane.
#[inline(always)]
pub(crate) fn collect<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    settings: &Settings,
    times: Times<R>,
    ws: &mut Workspace<R>,
) {
    let cones = &mut ws.cones;
    cones.groups.clear();
    cones.w.clear();
    cones.jacobian.clear();
    cones.bias.clear();
    cones.compliance.clear();
    cones.lambda.clear();
    cones.gap.clear();
    for (i, scalar) in layout.scalars.iter().enumerate() {
        if let Some((acts, cone, gap, row)) =
            scalar_row(layout, constants, state, settings, times, (i, scalar), ws)
        {
            push_group((ConeSource::Scalar(i), acts, cone), gap, &[row], scalar.path.len(), &mut ws.cones);
        }
    }
    for touching in &ws.touching {
        let (cone, rows) = contact_rows(layout, constants, state, settings, times, touching);
        let contact = &layout.contacts[touching.slot];
        let (acts, gap) = (touching.contact.active, touching.contact.distance);
        let group = (ConeSource::Contact(touching.slot), acts, cone);
        push_group(group, gap, &rows[..contact.rows], contact.path.len(), &mut ws.cones);
    }
    let cones = &mut ws.cones;
    let dense = layout.pile.is_none() && matches!(settings.solver, Solver::Padmm(_));
    cones.packing.arrange(&cones.groups, dense, &mut cones.problem);
    cones.packed.clear();
    cones.packed.resize(cones.problem.rows(), R::zero());
}

#[inline(always)]
fn push_group<R: Real>(
    (source, acts, cone): (ConeSource, R::Mask, Cone<R>),
    gap: R,
    rows: &[Row<R>],
    path: usize,
    cones: &mut ConeRows<R>,
) {
    cones.gap.push(gap);
    let (first_row, first_w) = (cones.lambda.len(), cones.w.len());
    cones.groups.push(ConeGroup { source, acts, cone, first_row, rows: rows.len(), first_w });
    cones.w.resize(first_w + rows.len() * path, [R::zero(); 6]);
    for row in rows {
        cones.jacobian.push(row.jacobian);
        cones.bias.push(row.bias);
        cones.compliance.push(row.compliance);
        cones.lambda.push(row.guess);
    }
}

/// One row on a degree of freedom, or `None` if it acts nowhere.
#[inline(always)]
fn scalar_row<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    settings: &Settings,
    times: Times<R>,
    (index, scalar): (usize, &ScalarLayout),
    ws: &Workspace<R>,
) -> Option<(R::Mask, Cone<R>, R, Row<R>)> {
    let joint = &layout.joints[scalar.at.joint];
    let (dof, c) =
        (&ws.dofs[joint.first_dof + scalar.at.dof], &constants.dofs[joint.first_dof + scalar.at.dof]);
    let (zero, one) = (R::zero(), R::one());
    let guess = state.scalar_impulse[index];
    let reach = (dof.rate.abs() * times.dt).mul_add(R::constant(2.0), R::constant(1e-3));
    let gap = match scalar.kind {
        ScalarKind::Lower => state.q[joint.first_coordinate + scalar.at.dof] - c.low,
        ScalarKind::Upper => c.high - state.q[joint.first_coordinate + scalar.at.dof],
        _ => zero,
    };
    let limit = (gap.lt(reach) | zero.lt(guess), settings.recover(gap, times.drift, settings.limit_recovery));
    // where limits and loops cannot both be met, the limit gives way
    let yields =
        R::constant(settings.limit_softness) / constants.joints[scalar.at.joint].dof_weight[scalar.at.dof];
    let fast = (c.velocity_limit * R::constant(0.5)).lt(dof.rate.abs());
    let (cone, sign, (acts, bias), compliance) = match scalar.kind {
        ScalarKind::Lower => (Cone::Nonnegative, one, limit, yields),
        ScalarKind::Upper => (Cone::Nonnegative, -one, limit, yields),
        ScalarKind::SlowDown => (Cone::Nonnegative, one, (fast, c.velocity_limit), zero),
        ScalarKind::SlowUp => (Cone::Nonnegative, -one, (fast, c.velocity_limit), zero),
        ScalarKind::Friction => {
            let most = c.friction * times.dt;
            (Cone::Box { low: -most, high: most }, one, (zero.lt(most), zero), zero)
        }
        ScalarKind::Effort => {
            let (low, high) = (c.effort_low * times.dt, c.effort_high * times.dt);
            let soft = R::select(dof.boxed, dof.drive_mass, one).recip();
            (Cone::Box { low, high }, one, (dof.boxed, -(dof.drive_impulse * soft)), soft)
        }
    };
    if !acts.any() {
        return None;
    }
    let i = joint.kind.row_count() + scalar.at.dof;
    let rows = &ws.joints[scalar.at.joint];
    let mut jacobian = [rows.p[i], rows.s[i]];
    for x in jacobian.iter_mut().flatten() {
        *x = keep(acts, *x * sign);
    }
    let (bias, compliance) = (keep(acts, bias), keep(acts, compliance));
    Some((acts, cone, gap, Row { jacobian, bias, compliance, guess: keep(acts, guess) }))
}

/// The value where it counts, else zero.
#[inline(always)]
fn keep<R: Real>(acts: R::Mask, x: R) -> R {
    R::select(acts, x, R::zero())
}

/// A push along `d` at `r` from a centre of mass.
#[inline(always)]
fn push_at<R: Real>(acts: R::Mask, r: Vec3<R>, d: Vec3<R>) -> [R; 6] {
    let m = r.cross(d);
    let mut row = [d.x, d.y, d.z, m.x, m.y, m.z];
    for x in &mut row {
        *x = keep(acts, *x);
    }
    row
}

/// The rows of a contact, the normal last: two of sliding, then moments about the normal and the tangents if asked for.
#[inline(always)]
fn contact_rows<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    settings: &Settings,
    times: Times<R>,
    touching: &Touching<R>,
) -> (Cone<R>, [Row<R>; MOST_ROWS]) {
    let (at, contact) = (&layout.contacts[touching.slot], &touching.contact);
    let surface = &constants.shapes.surfaces[at.pair];
    let acts = contact.active;
    let (t, o) = contact.tangents();
    let axes = [t, o, contact.normal];
    let (none, last) = (R::zero(), at.rows - 1);
    let blank = Row { jacobian: [[none; 6]; 2], bias: none, compliance: none, guess: none };
    let mut rows = [blank; MOST_ROWS];
    let guess = touching.guess;
    for k in 0..3 {
        let row = &mut rows[if k == 2 { last } else { k }];
        row.jacobian[1] = push_at(acts, contact.point_b - state.X_WB[at.b].p, axes[k]);
        if let Some(a) = at.a {
            row.jacobian[0] = push_at(acts, contact.point_a - state.X_WB[a].p, -axes[k]);
        }
        row.guess = keep(acts, guess[k]);
    }
    moment_rows(acts, [contact.normal, t, o], surface, &guess, &mut rows[2..last]);
    let mut before = row_velocity(&rows[last].jacobian[1], &state.V_WB[at.b].to_array());
    if let Some(a) = at.a {
        before += row_velocity(&rows[last].jacobian[0], &state.V_WB[a].to_array());
    }
    // a body that bounces leaves with e times its approach; it does not also wait for the gap to close
    let bounces = R::zero().lt(surface.restitution)
        & before.lt(R::constant(-settings.bounce_speed))
        & before.mul_add(times.drift, contact.distance).lt(R::zero());
    let hold = settings.recover(contact.distance, times.drift, settings.contact_recovery);
    rows[last].bias = keep(acts, R::select(bounces, surface.restitution * before, hold));
    (Cone::Coulomb { mu: surface.sliding, rows: at.rows }, rows)
}

/// Rows of torsional (about n) and rolling friction (about t and o). A moment τ ≤ μ_m λ_n shares the cone of sliding
/// as y = τ μ/μ_m, which makes it round: the row is the turn times μ_m/μ ([ComFree] notes: the elliptic cone).
#[inline(always)]
fn moment_rows<R: Real>(
    acts: R::Mask,
    axes: [Vec3<R>; 3],
    surface: &Surface<R>,
    guess: &[R; 6],
    rows: &mut [Row<R>],
) {
    for (k, row) in rows.iter_mut().enumerate() {
        let coefficient = if k == 0 { surface.torsional } else { surface.rolling };
        let rubs = acts & R::zero().lt(surface.sliding) & R::zero().lt(coefficient);
        let arm = keep(rubs, coefficient / R::select(rubs, surface.sliding, R::one()));
        let turn = axes[k] * arm;
        row.jacobian[1] = [R::zero(), R::zero(), R::zero(), turn.x, turn.y, turn.z];
        row.jacobian[0] = [R::zero(), R::zero(), R::zero(), -turn.x, -turn.y, -turn.z];
        row.guess = keep(rubs, guess[3 + k] / R::select(rubs, arm, R::one()));
    }
}

/// The elimination positions of a group's two bodies, and its path.
#[inline(always)]
#[allow(clippy::manual_map)] // a closure here would lose the instruction set
pub(crate) fn places(layout: &Layout, source: ConeSource) -> (Option<usize>, usize, &[usize]) {
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
#[inline(always)]
pub(crate) fn whiten<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    let cones = &mut ws.cones;
    for group in &cones.groups {
        let (a, b, path) = places(layout, group.source);
        for row in 0..group.rows {
            let w = &mut cones.w[group.first_w + row * path.len()..][..path.len()];
            w.fill([R::zero(); 6]);
            let jacobian = &cones.jacobian[group.first_row + row];
            for (i, k) in path.iter().enumerate() {
                if Some(*k) == a {
                    w[i] = jacobian[0];
                } else if *k == b {
                    w[i] = jacobian[1];
                }
            }
            ws.factor.forward_path(&layout.pattern, path, w);
        }
    }
}

/// G = WᵀW + R
#[inline(always)]
pub(crate) fn build_matrix<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    let cones = &mut ws.cones;
    for g in 0..cones.groups.len() {
        for h in 0..=g {
            let (first, second) = (cones.groups[g], cones.groups[h]);
            let both = first.acts & second.acts;
            if !both.any() {
                continue;
            }
            let paths = (places(layout, first.source).2, places(layout, second.source).2);
            // sizes that are known when compiling keep the products in registers
            match (first.rows, second.rows) {
                (3, 3) => pair_entries::<R, 3, 3>(cones, (g, h), paths, both),
                (3, 1) => pair_entries::<R, 3, 1>(cones, (g, h), paths, both),
                (1, 3) => pair_entries::<R, 1, 3>(cones, (g, h), paths, both),
                (1, 1) => pair_entries::<R, 1, 1>(cones, (g, h), paths, both),
                _ => pair_entries::<R, MOST_ROWS, MOST_ROWS>(cones, (g, h), paths, both),
            }
        }
    }
}

/// The entries of G between two groups.
#[inline(always)]
fn pair_entries<R: Real, const A: usize, const B: usize>(
    cones: &mut ConeRows<R>,
    (g, h): (usize, usize),
    (path, other): (&[usize], &[usize]),
    both: R::Mask,
) {
    let (first, second) = (cones.groups[g], cones.groups[h]);
    let product = overlap::<R, A, B>(&cones.w, (first, path), (second, other));
    for r in 0..first.rows.min(A) {
        for s in 0..second.rows.min(B) {
            let same = g == h && r == s;
            let extra = if same { cones.compliance[first.first_row + r] } else { R::zero() };
            let value = product[r][s] + extra;
            cones.packing.put_entry(both, (g, r), (h, s), value, &mut cones.problem);
        }
    }
}

/// G's diagonal entry of a row, compliance left out.
#[inline(always)]
pub(crate) fn row_mobility<R: Real>(
    layout: &Layout,
    cones: &ConeRows<R>,
    group: &ConeGroup<R>,
    row: usize,
) -> R {
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
    w: &[[R; 6]],
    a: (ConeGroup<R>, &[usize]),
    b: (ConeGroup<R>, &[usize]),
) -> [[R; B]; A] {
    let rows = if A == MOST_ROWS { (a.0.rows, b.0.rows) } else { (A, B) };
    let mut product = [[R::zero(); B]; A];
    let (mut i, mut j) = (0, 0);
    while i < a.1.len() && j < b.1.len() {
        if a.1[i] != b.1[j] {
            if a.1[i] < b.1[j] {
                i += 1
            } else {
                j += 1
            }
            continue;
        }
        for r in 0..rows.0 {
            let x = &w[a.0.first_w + r * a.1.len() + i];
            for s in 0..rows.1 {
                let y = &w[b.0.first_w + s * b.1.len() + j];
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
pub(crate) fn speed<R: Real>((a, b): (Option<usize>, usize), [on_a, on_b]: &[[R; 6]; 2], u: &[[R; 6]]) -> R {
    let mut velocity = row_velocity(on_b, &u[b]);
    if let Some(a) = a {
        velocity += row_velocity(on_a, &u[a]);
    }
    velocity
}

/// J u of one row of a group.
#[inline(always)]
pub(crate) fn row_speed<R: Real>(
    layout: &Layout,
    source: ConeSource,
    jacobian: &[[R; 6]; 2],
    u: &[[R; 6]],
) -> R {
    let (a, b, _) = places(layout, source);
    speed((a, b), jacobian, u)
}

/// g: the velocities of the rows without the reactions that u already contains, and their bias.
#[inline(always)]
pub(crate) fn set_velocities<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    let cones = &mut ws.cones;
    for (g, group) in cones.groups.iter().enumerate() {
        for row in 0..group.rows {
            cones.packing.put((g, group), row, cones.lambda[group.first_row + row], &mut cones.packed);
        }
    }
    for (g, group) in cones.groups.iter().enumerate() {
        let (a, b, _) = places(layout, group.source);
        for row in 0..group.rows {
            let i = group.first_row + row;
            let velocity = speed((a, b), &cones.jacobian[i], &ws.u);
            let own = cones.compliance[i].mul_add(cones.lambda[i], velocity + cones.bias[i]);
            cones.packing.put((g, group), row, own, cones.problem.g_mut());
        }
    }
    let dense = if layout.pile.is_none() { cones.problem.rows() } else { 0 }; // a pile does this through the bodies
    for i in 0..dense {
        let own = cones.problem.row_times(i, &cones.packed);
        cones.problem.g_mut()[i] -= own;
    }
    cones.change.clear();
    cones.change.extend_from_slice(&cones.lambda);
}

/// λ ← the solver's answer.
#[inline(always)]
fn unpack<R: Real>(cones: &mut ConeRows<R>) {
    for (g, group) in cones.groups.iter().enumerate() {
        for row in 0..group.rows {
            cones.lambda[group.first_row + row] = cones.packing.get((g, group), row, &cones.packed);
        }
    }
}

/// x ← Jᵀ Δλ
#[inline(always)]
pub(crate) fn push_change<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    ws.x.fill([R::zero(); 6]);
    unpack(&mut ws.cones);
    for i in 0..ws.cones.lambda.len() {
        ws.cones.change[i] = ws.cones.lambda[i] - ws.cones.change[i];
    }
    push_rows(layout, &ws.cones.groups, &ws.cones.jacobian, &ws.cones.change, &mut ws.x);
}

/// u += x where it counts, and the solver's figures.
#[inline(always)]
pub(crate) fn add_change<R: Real>(
    lanes: R::Mask,
    outcome: Outcome<R>,
    ws: &mut Workspace<R>,
    report: &mut Report<R>,
) {
    for (u, x) in ws.u.iter_mut().zip(&ws.x) {
        for k in 0..6 {
            u[k] += R::select(lanes, x[k], R::zero());
        }
    }
    let worst = outcome.primal.max(outcome.dual).max(outcome.complementarity);
    report.iterations += R::select(lanes, outcome.iterations, R::zero());
    report.residual = R::select(lanes, worst, report.residual);
    report.converged = (report.converged & !lanes) | (outcome.converged & lanes);
}

/// x += Jᵀ λ of the reactions of the last step.
#[inline(always)]
pub(crate) fn push_guess<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    push_rows(layout, &ws.cones.groups, &ws.cones.jacobian, &ws.cones.lambda, &mut ws.x);
}

#[inline(always)]
pub(crate) fn push_rows<R: Real>(
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

/// Keeps the reactions for the next step.
#[inline(always)]
pub(crate) fn store<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &mut State<R>,
    ws: &Workspace<R>,
) {
    state.scalar_impulse.fill(R::zero());
    state.contact_impulse.fill([R::zero(); 6]);
    state.contact_slot.fill(-R::one());
    let mut listed = 0;
    for group in &ws.cones.groups {
        let i = group.first_row;
        match group.source {
            ConeSource::Scalar(s) => state.scalar_impulse[s] = ws.cones.lambda[i],
            ConeSource::Contact(c) => {
                let (lambda, n) = (&ws.cones.lambda[i..i + group.rows], group.rows - 1);
                let surface = &constants.shapes.surfaces[layout.contacts[c].pair];
                let own = if layout.pile.is_some() {
                    // the list of a pile: as many as touch, sorted by slot
                    state.contact_slot[listed] = R::constant(c as f64);
                    listed += 1;
                    &mut state.contact_impulse[listed - 1]
                } else {
                    &mut state.contact_impulse[c]
                };
                (own[0], own[1], own[2]) = (lambda[0], lambda[1], lambda[n]);
                for k in 2..n {
                    let coefficient = if k == 2 { surface.torsional } else { surface.rolling };
                    let rubs = R::zero().lt(surface.sliding);
                    own[k + 1] =
                        lambda[k] * keep(rubs, coefficient / R::select(rubs, surface.sliding, R::one()));
                }
            }
        }
    }
    for (s, scalar) in layout.scalars.iter().enumerate() {
        if scalar.kind == ScalarKind::Effort {
            let dof = &ws.dofs[layout.joints[scalar.at.joint].first_dof + scalar.at.dof];
            let effort = dof.drive_mass.neg_mul_add(end_rate(layout, scalar, ws), dof.drive_impulse);
            state.scalar_impulse[s] = R::select(dof.boxed, state.scalar_impulse[s], effort);
        }
    }
}

/// Puts bounds on drives that went beyond their limit without; true where there was one.
#[inline(always)]
pub(crate) fn box_drives<R: Real>(
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
            let outside = effort.lt(c.effort_low * dt) | (c.effort_high * dt).lt(effort);
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
