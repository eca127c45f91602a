//! Armature, damping, springs and motors: implicit, through R ([Kamino] notes 1.5).
//!
//! Each degree of freedom obeys λ = h − m q̇⁺. In body space that is m jᵀj in H and h jᵀ on the right: exact, and stable for
//! any gain.
//!
//! Motors act at the end of the step: m = Δt kd + Δt δ kp, h = Δt (kp (target − q) + kd target' + τ), where the new velocity
//! moves the coordinates for the time δ (Δt, or half of it with Moreau–Jean). That damps beside kd, by about ½Δt kp.
//!
//! Springs act at the middles of the two intervals that meet at the pose where they are told,
//! λ = Δt k (rest − q) − ¼Δt² k (q̇⁺ − q̇⁻), each with the length of its own interval: the average-acceleration method of Newmark, second order and stable for any
//! stiffness, which neither takes nor gives energy. Dampers act at the end of the step (first order), or in its middle with
//! Moreau–Jean. Armature is a q̇⁻ − a q̇⁺.

use crate::constants::{ActuatorConstants, Constants, DofConstants};
use crate::law::{self, Pull};
use crate::layout::{DriveLayout, Layout, ScalarKind};
use crate::settings::Times;
use crate::state::{Control, State};
use crate::workspace::{DofRow, Workspace};
use bellcrank_math::{Mask, Real};

/// m and h of every degree of freedom, and which drives are likely to reach their limit.
#[inline(always)]
pub fn drive_rows<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    control: &Control<R>,
    times: Times<R>,
    ws: &mut Workspace<R>,
) {
    let Times { dt, drift, .. } = times;
    passive_rows(layout, constants, state, times, ws);
    for (a, drive) in layout.actuators.iter().enumerate() {
        let DriveLayout::Joint(at) = drive else { continue };
        let joint = &layout.joints[at.joint];
        let c = &constants.actuators[a];
        let scalar = joint.kind.has_scalar_coordinates();
        let q = if scalar { state.q[joint.first_coordinate + at.dof] } else { R::zero() };
        let row = &mut ws.dofs[joint.first_dof + at.dof];
        let Pull { effort, kp, kd } = law::pull((layout, constants), (state, control), a, [q, row.rate], dt);
        let mass = c.gear * c.gear * dt * kp.mul_add(drift, kd);
        row.drive_mass += mass;
        row.drive_impulse = (c.gear * dt).mul_add(effort, row.drive_impulse);
    }
    bound_drives(layout, constants, state, dt, ws);
}

/// A drive that worked within this share of its limit in the last step is a row with bounds in this one: one that reaches its
/// limit without notice costs a second solve. On tumbling bipeds and quadrupeds 0.5 is faster than 0.2, and than bounds on all
/// drives of a robot as soon as one is near.
const NEAR: f64 = 0.5;

/// Which drives are rows with bounds in this step.
#[inline(always)]
fn bound_drives<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    dt: R,
    ws: &mut Workspace<R>,
) {
    for (i, scalar) in layout.scalars.iter().enumerate() {
        if scalar.kind == ScalarKind::Effort {
            let at = layout.joints[scalar.at.joint].first_dof + scalar.at.dof;
            let c = &constants.dofs[at];
            if layout.has_torque_speed {
                let own = constants.joints[scalar.at.joint].dof_weight[scalar.at.dof];
                hold_line(c, own, dt, &mut ws.dofs[at]);
            }
            let row = &mut ws.dofs[at];
            let (low, high) = c.effort.bounds(row.rate, dt);
            // a motor without feedback is simply cut off
            let stiff = R::zero().lt(row.drive_mass);
            row.drive_impulse = R::select(stiff, row.drive_impulse, row.drive_impulse.clamp(low, high));
            let (last, near) = (state.scalar_impulse[i], R::constant(NEAR));
            let at_low = last.le(near.mul_add(low.abs(), low));
            row.boxed = stiff & (at_low | near.neg_mul_add(high.abs(), high).le(last));
        }
    }
}

/// A line that falls more steeply than the inertia of its bodies bears holds to the end of the step, like an armature.
#[inline(always)]
fn hold_line<R: Real>(c: &DofConstants<R>, own: R, dt: R, row: &mut DofRow<R>) {
    let drive = row.drive_mass.neg_mul_add(row.rate, row.drive_impulse);
    let more = c.effort.too_steep(row.rate, dt, own + c.armature, drive);
    row.passive_mass += more;
    row.passive_impulse = more.mul_add(row.rate, row.passive_impulse);
}

/// Effort of motor `a` where its target has the coordinate q and does not move.
#[inline(always)]
pub fn motor_effort<R: Real>(c: &ActuatorConstants<R>, control: &Control<R>, a: usize, q: R) -> R {
    let u = within(control.effort[a], c.control_low, c.control_high);
    c.gain.mul_add(u, c.bias)
        + c.target_kp * within(control.target_position[a], c.control_low, c.control_high)
        + c.target_kd * control.target_velocity[a]
        - c.kp * c.gear * q
}

/// Clamped, but what is not a number stays so: the world must freeze, not run to its bound.
#[inline(always)]
pub fn within<R: Real>(x: R, low: R, high: R) -> R {
    R::select(x.is_finite(), x.clamp(low, high), x)
}

#[inline(always)]
fn passive_rows<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    times: Times<R>,
    ws: &mut Workspace<R>,
) {
    for (j, joint) in layout.joints.iter().enumerate() {
        let rows = &ws.joints[j];
        for k in 0..joint.kind.dof_count() {
            let i = joint.kind.row_count() + k;
            let mut rate = row_velocity(&rows.s[i], &state.V_WB[joint.successor].to_array());
            if let Some(p) = joint.predecessor {
                rate += row_velocity(&rows.p[i], &state.V_WB[p].to_array());
            }
            let c = &constants.dofs[joint.first_dof + k];
            let scalar = joint.kind.has_scalar_coordinates();
            let q = if scalar { state.q[joint.first_coordinate + k] } else { R::zero() };
            let row = &mut ws.dofs[joint.first_dof + k];
            row.rate = rate;
            let passive = Passive { armature: c.armature, damping: c.damping, stiffness: c.stiffness };
            (row.passive_mass, row.passive_impulse) = passive.row(c.rest - q, rate, times);
            row.drive_mass = R::zero();
            row.drive_impulse = R::zero();
            row.boxed = R::Mask::splat(false);
        }
    }
}

/// What acts along a coordinate without a motor.
pub struct Passive<R> {
    pub armature: R,
    pub damping: R,
    pub stiffness: R,
}

impl<R: Real> Passive<R> {
    /// m and h, where the spring is `short` of its rest and the coordinate moves with `rate` before the step.
    #[inline(always)]
    pub fn row(&self, short: R, rate: R, times: Times<R>) -> (R, R) {
        let (dt, damper, quarter) = (times.dt, times.damper, R::constant(0.25));
        let (next, last) = (times.turn(), times.before);
        let mass = damper.mul_add(self.damping, self.armature) + self.stiffness * (next * next * quarter);
        // what the damper takes from the old velocity, where it acts in the middle of the step
        let kept =
            (damper - dt).mul_add(self.damping, self.armature) + self.stiffness * (last * last * quarter);
        (mass, kept.mul_add(rate, dt * self.stiffness * short))
    }
}

/// j·V
#[inline(always)]
pub fn row_velocity<R: Real>(row: &[R; 6], V: &[R; 6]) -> R {
    let mut sum = row[0] * V[0];
    for k in 1..6 {
        sum = row[k].mul_add(V[k], sum);
    }
    sum
}

/// Puts m into the weights of the joints' free rows and gives h as amounts, boxed drives left out.
#[inline(always)]
pub fn set_weights<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    for (j, joint) in layout.joints.iter().enumerate() {
        let count = joint.kind.row_count();
        for k in 0..joint.kind.dof_count() {
            let row = &ws.dofs[joint.first_dof + k];
            let drive_mass = R::select(row.boxed, R::zero(), row.drive_mass);
            let drive_impulse = R::select(row.boxed, R::zero(), row.drive_impulse);
            ws.joints[j].weight[count + k] = row.passive_mass + drive_mass;
            // the right-hand side takes −weight · rate from held rows; here it shall take +h
            ws.joints[j].rate[count + k] = row.passive_impulse + drive_impulse;
        }
    }
}
