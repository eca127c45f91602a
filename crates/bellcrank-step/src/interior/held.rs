//! Joints and couplings at the end of the step: c(q⁺) = 0, by forces along the rows at its start.
//!
//! Multipliers are unknowns of their own; eliminating them with a small compliance 1/w, which Newton's steps
//! take out again, leaves w J₂ᵀ C in the matrix of the bodies, C = ∂(c/Δt)/∂u. Rows that repeat each other do no harm.

use super::body::BodyStep;
use crate::constants::{Constants, JointConstants};
use crate::layout::{JointLayout, Layout};
use crate::rows::{joint_pose, unwrap};
use crate::state::State;
use bellcrank_math::{Pose, Real, Vec3, Wrench};
use bellcrank_model::kinematics;

/// A joint's rows at the end of the step, as rows on the velocities per Δt.
#[derive(Clone, Copy, Debug)]
pub struct EndRows<R> {
    pub s: [[R; 6]; 6],
    pub p: [[R; 6]; 6],
    /// (c(q⁺) − what may be left open)/Δt of held rows.
    pub rest: [R; 6],
    /// The multipliers and their direction [N·s, N·m·s].
    pub lambda: [R; 6],
    pub dlambda: [R; 6],
    /// The multipliers where the direction starts.
    pub from: [R; 6],
    /// Coordinates at the end of the step.
    pub q: [R; 7],
}

impl<R: Real> EndRows<R> {
    pub fn blank() -> Self {
        let zero = [R::zero(); 6];
        EndRows {
            s: [zero; 6],
            p: [zero; 6],
            rest: zero,
            lambda: zero,
            dlambda: zero,
            from: zero,
            q: [R::zero(); 7],
        }
    }
}

/// Where one joint stands at the end of the step, for the rows that are written next.
pub struct End<'a, R> {
    pub X_WB: &'a [Pose<R>],
    pub bodies: &'a [BodyStep<R>],
    pub inverse_dt: R,
}

/// Where a joint is.
struct Place<'a, R> {
    joint: &'a JointLayout,
    X_WF: Pose<R>,
    p_M: Vec3<R>,
}

/// A row in F's axes at M's origin as rows on the velocities of successor and predecessor. No closure: it would lose the
/// instruction set.
#[inline(always)]
fn put<R: Real>(end: &End<'_, R>, place: &Place<'_, R>, row: Wrench<R>, (s, p): (&mut [R; 6], &mut [R; 6])) {
    let row = row.rotated(place.X_WF.R);
    let successor = place.joint.successor;
    let arm = end.X_WB[successor].p - place.p_M;
    *s = end.bodies[successor].pull_back(row.at_point(arm).to_array());
    if let Some(b) = place.joint.predecessor {
        let on_p = (-row.at_point(end.X_WB[b].p - place.p_M)).to_array();
        *p = end.bodies[b].pull_back(on_p);
    }
}

/// Evaluates one joint at the end of the step: gap, rows, and coordinates where somebody asks for them.
#[inline(always)]
pub fn evaluate_joint<R: Real>(
    joint: &JointLayout,
    constants: &JointConstants<R>,
    end: &End<'_, R>,
    target: &[R; 6],
    free: bool,
    rows: &mut EndRows<R>,
) -> (R, R) {
    let (X_WF, X_WM, X_FM) = joint_pose(joint, constants, end.X_WB);
    let count = joint.kind.row_count();
    let gap = kinematics::residual(joint.kind, X_FM);
    let axes = kinematics::constraint_axes(joint.kind, X_FM);
    let place = Place { joint, X_WF, p_M: X_WM.p };
    let (positions, mut far, mut turned) = (joint.kind.position_row_count(), R::zero(), R::zero());
    for i in 0..count {
        put(end, &place, axes[i], (&mut rows.s[i], &mut rows.p[i]));
        rows.rest[i] = (gap[i] - target[i]) * end.inverse_dt;
        let sum = if i < positions { &mut far } else { &mut turned };
        *sum = gap[i].mul_add(gap[i], *sum);
    }
    if free {
        let axes = kinematics::rate_axes(joint.kind, X_FM);
        for k in 0..joint.kind.dof_count() {
            put(end, &place, axes[k], (&mut rows.s[count + k], &mut rows.p[count + k]));
        }
        rows.q = kinematics::coordinates(joint.kind, X_FM);
    }
    (far, turned)
}

/// A coordinate at the end of the step, counted through whole turns.
#[inline(always)]
pub fn end_coordinate<R: Real>(joint: &JointLayout, rows: &EndRows<R>, k: usize, state: &State<R>) -> R {
    let before = state.q[joint.first_coordinate + k];
    if joint.kind.is_angle(k) { unwrap(rows.q[k], before) } else { rows.q[k] }
}

/// A coupling at the end of the step.
#[derive(Clone, Debug)]
pub struct EndCoupling<R> {
    /// By body of its layout.
    pub row: Vec<[R; 6]>,
    pub rest: R,
    pub lambda: R,
    pub dlambda: R,
    pub from: R,
}

/// Σ coefficient · coordinate − constant at the end of the step, per Δt, and its rows.
#[inline(always)]
pub fn evaluate_coupling<R: Real>(
    layout: &Layout,
    c: usize,
    joints: &[EndRows<R>],
    state: &State<R>,
    inverse_dt: R,
    coupling: &mut EndCoupling<R>,
) {
    let at = &layout.couplings[c];
    coupling.row.fill([R::zero(); 6]);
    let mut gap = R::constant(-at.constant);
    for (dof, coefficient) in &at.terms {
        let (joint, rows) = (&layout.joints[dof.joint], &joints[dof.joint]);
        let factor = R::constant(*coefficient);
        gap = end_coordinate(joint, rows, dof.dof, state).mul_add(factor, gap);
        let i = joint.kind.row_count() + dof.dof;
        for (row, &body) in coupling.row.iter_mut().zip(&at.bodies) {
            let side = if body == joint.successor {
                &rows.s[i]
            } else if Some(body) == joint.predecessor {
                &rows.p[i]
            } else {
                continue;
            };
            for k in 0..6 {
                row[k] = side[k].mul_add(factor, row[k]);
            }
        }
    }
    coupling.rest = gap * inverse_dt;
}

/// 1/compliance of a coupling.
#[inline(always)]
pub fn coupling_weight<R: Real>(constants: &Constants<R>, c: usize, stiffness: R) -> R {
    constants.coupling_weight[c] * stiffness
}
