//! What an implicit step leaves behind: figures, reactions for the next step and for those who read them.

use super::Implicit;
use super::body::{force_time, turns_too_far};
use super::workspace::InteriorWorkspace;
use crate::layout::Layout;
use crate::rows;
use crate::state::State;
use crate::status::Report;
use crate::workspace::Workspace;
use bellcrank_collide::tangents;
use bellcrank_math::{Real, Vec3};
use bellcrank_solve::Solution;

/// The solver's figures.
#[inline(always)]
pub fn note<R: Real>(
    this: &Implicit<'_, R>,
    lanes: R::Mask,
    solution: &Solution<R>,
    ws: &Workspace<R>,
    own: &InteriorWorkspace<R>,
    report: &mut Report<R>,
) {
    let mut converged = solution.converged;
    for &at in &this.layout.position {
        let u = &ws.u[at];
        converged =
            converged & !turns_too_far(this.settings.integrator, Vec3::new(u[3], u[4], u[5]), this.dt);
    }
    report.iterations += R::select(lanes, solution.iterations, R::zero());
    report.residual = R::select(lanes, solution.violation.equations, report.residual);
    report.converged = (report.converged & !lanes) | (converged & lanes);
    (report.gap_metres, report.gap_radians) = (own.gap.0.sqrt(), own.gap.1.sqrt());
    report.metrics.equation_of_motion = report.residual;
    report.metrics.complementarity = solution.violation.products;
}

/// Zero where it is no number: the state must stay clean where a world is lost.
#[inline(always)]
fn clean<R: Real>(x: R) -> R {
    R::select(x.is_finite(), x, R::zero())
}

/// Keeps the reactions for the next step and for those who read them.
#[inline(always)]
pub fn store<R: Real>(
    this: &Implicit<'_, R>,
    state: &mut State<R>,
    ws: &mut Workspace<R>,
    own: &InteriorWorkspace<R>,
) {
    let Implicit { layout, settings, dt, .. } = *this;
    // those who read impulses divide by Δt, and the next step's are of a whole one
    let whole = dt / force_time(settings.integrator, state.interval, dt);
    state.interval = R::one();
    tell_drives(whole, ws);
    ws.cones.groups.clear();
    ws.fresh.fill([R::zero(); 6]);
    state.scalar_impulse.fill(R::zero());
    state.contact_impulse.fill([R::zero(); 6]);
    for (j, joint) in layout.joints.iter().enumerate() {
        let count = joint.kind.row_count();
        // reactions of degrees of freedom are h − m q̇⁺; read-outs ask for them as such
        let rates = rows::joint_rates(layout, joint, (&ws.joints[j], joint.used_rows()), &ws.u);
        ws.reaction[j] = [R::zero(); 6];
        for i in count..joint.used_rows() {
            ws.reaction[j][i] = ws.joints[j].weight[i].neg_mul_add(rates[i], ws.joints[j].rate[i]);
        }
        for i in 0..6 {
            let lambda = clean(own.joints[j].lambda[i] * whole);
            state.joint_impulse[j][i] = lambda;
            if i < count {
                ws.reaction[j][i] = lambda;
            }
        }
    }
    for row in &own.pushes {
        let gamma = clean(R::select(row.push.acts, row.push.gamma * whole, R::zero()));
        state.scalar_impulse[row.scalar] = gamma;
        note_scalar(layout, row.scalar, gamma * row.sign, ws);
    }
    for row in &own.rubs {
        let b = clean(R::select(row.rub.acts, row.rub.b[0] * whole, R::zero()));
        state.scalar_impulse[row.scalar] = b;
        note_scalar(layout, row.scalar, b, ws);
    }
    for touch in &own.touches {
        let (F, M) = touch.force(&touch.reactions());
        let (F, M, n) = (F * whole, M * whole, touch.axes.z);
        let (t, o) = tangents(n);
        let parts = [F.dot(t), F.dot(o), F.dot(n), M.dot(n), M.dot(t), M.dot(o)];
        for k in 0..6 {
            state.contact_impulse[touch.slot][k] = R::select(touch.push.acts, clean(parts[k]), R::zero());
        }
    }
}

/// What pushes along degrees of freedom and lines, as of a whole step.
#[inline(always)]
fn tell_drives<R: Real>(whole: R, ws: &mut Workspace<R>) {
    for rows in &mut ws.joints {
        for i in 0..6 {
            rows.weight[i] *= whole;
            rows.rate[i] *= whole;
        }
    }
    for row in &mut ws.dofs {
        row.drive_mass *= whole;
        row.drive_impulse *= whole;
    }
    for row in &mut ws.lines {
        row.drive_mass *= whole;
        row.drive_impulse *= whole;
        row.bound *= whole;
    }
}

#[inline(always)]
fn note_scalar<R: Real>(layout: &Layout, scalar: usize, impulse: R, ws: &mut Workspace<R>) {
    let at = layout.scalars[scalar].at;
    ws.reaction[at.joint][layout.joints[at.joint].kind.row_count() + at.dof] += impulse;
}
