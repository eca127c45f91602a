//! What pushes along the free row of a degree of freedom, and how it changes with where that is and how fast it moves.

use super::Answer;
use bellcrank_math::Real;
use bellcrank_step::layout::{DriveLayout, ScalarKind};

/// a = h(q, q̇⁻) − m q̇⁺ + limits + dry friction + couplings: an impulse along the row.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DofSlopes<R> {
    pub amount: R,
    /// ∂a/∂q at the start, ∂a/∂q⁺ at the end.
    pub by_start: R,
    pub by_end: R,
    /// ∂a/∂q̇ of the velocity before the step, and of that after it.
    pub by_last: R,
    pub by_next: R,
    /// One where motors follow their controls, zero where they give their bound.
    pub drives: R,
}

/// All degrees of freedom.
#[inline(always)]
pub(crate) fn read<R: Real>(answer: &Answer<'_, R>, dofs: &mut [DofSlopes<R>]) {
    read_passive(answer, dofs);
    read_drives(answer, dofs);
    read_limits(answer, dofs);
    for (c, coupling) in answer.layout.couplings.iter().enumerate() {
        for (at, coefficient) in &coupling.terms {
            let dof = &mut dofs[answer.layout.joints[at.joint].first_dof + at.dof];
            dof.amount = answer.own.couplings[c].lambda.mul_add(R::constant(*coefficient), dof.amount);
        }
    }
}

/// Armature, dampers and springs; and h − m q̇⁺ with the motors' part in it.
#[inline(always)]
fn read_passive<R: Real>(answer: &Answer<'_, R>, dofs: &mut [DofSlopes<R>]) {
    let Answer { layout, constants, dt, ws, .. } = *answer;
    for (j, joint) in layout.joints.iter().enumerate() {
        for k in 0..joint.kind.dof_count() {
            let dof = &mut dofs[joint.first_dof + k];
            *dof = DofSlopes { drives: R::one(), ..DofSlopes::default() };
            if !joint.soft {
                continue;
            }
            let (c, i) = (&constants.dofs[joint.first_dof + k], joint.kind.row_count() + k);
            let rows = &ws.joints[j];
            let rate = bellcrank_step::interior::rate(layout, joint, (rows, i), &ws.u);
            dof.amount = rows.weight[i].neg_mul_add(rate, rows.rate[i]);
            dof.by_next = -rows.weight[i];
            dof.by_last = (dt * dt * R::constant(0.25)).mul_add(c.stiffness, c.armature);
            if joint.kind.has_scalar_coordinates() {
                dof.by_start = -(dt * c.stiffness);
            }
        }
    }
}

/// Motors: bounds that are reached hold.
#[inline(always)]
fn read_drives<R: Real>(answer: &Answer<'_, R>, dofs: &mut [DofSlopes<R>]) {
    let Answer { layout, constants, dt, ws, .. } = *answer;
    for scalar in &layout.scalars {
        if scalar.kind == ScalarKind::Effort {
            let at = layout.joints[scalar.at.joint].first_dof + scalar.at.dof;
            let (c, row) = (&constants.dofs[at], &ws.dofs[at]);
            // a motor with feedback has its mass as long as it is not cut off
            let (low, high) = c.effort.bounds(row.rate, dt);
            let follows =
                R::zero().lt(row.drive_mass) | (low.lt(row.drive_impulse) & row.drive_impulse.lt(high));
            dofs[at].drives = R::select(follows, R::one(), R::zero());
        }
    }
    for (a, drive) in layout.actuators.iter().enumerate() {
        let DriveLayout::Joint(at) = drive else { continue };
        let joint = &layout.joints[at.joint];
        if joint.kind.has_scalar_coordinates() {
            let (c, dof) = (&constants.actuators[a], &mut dofs[joint.first_dof + at.dof]);
            dof.by_start -= c.gear * c.gear * dt * c.kp * dof.drives;
        }
    }
}

/// Limits are met at the end of the step, dry friction by the velocity of the row at its start.
#[inline(always)]
fn read_limits<R: Real>(answer: &Answer<'_, R>, dofs: &mut [DofSlopes<R>]) {
    let Answer { layout, constants, state, dt, own, .. } = *answer;
    let zero = R::zero();
    for row in &own.pushes {
        let scalar = &layout.scalars[row.scalar];
        let joint = &layout.joints[scalar.at.joint];
        let (c, dof) =
            (&constants.dofs[joint.first_dof + scalar.at.dof], &mut dofs[joint.first_dof + scalar.at.dof]);
        let stiffness = R::select(row.push.acts, row.push.stiffness(), zero);
        dof.amount += R::select(row.push.acts, row.push.gamma * row.sign, zero);
        if row.speed {
            dof.by_next -= stiffness;
            continue;
        }
        dof.by_end -= stiffness;
        // a coordinate that starts outside its limit takes the limit with it
        let bound = if scalar.kind == ScalarKind::Lower { -c.low } else { c.high };
        let q = state.q[joint.first_coordinate + scalar.at.dof];
        let outside = (row.sign.mul_add(q, bound) + dt).lt(zero);
        dof.by_start += R::select(outside, stiffness, zero);
    }
    for row in &own.rubs {
        let at = layout.scalars[row.scalar].at;
        let dof = &mut dofs[layout.joints[at.joint].first_dof + at.dof];
        dof.amount += R::select(row.rub.acts, row.rub.b[0], zero);
        dof.by_next -= R::select(row.rub.acts, row.rub.linearize().along[0][0], zero);
    }
}
