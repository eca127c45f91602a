//! Limits, speed limits and dry friction of joints. Forces act along the rows at the start of the step; limits are met at
//! its end.

use super::held::{EndRows, end_coordinate};
use crate::constants::Constants;
use crate::layout::{JointLayout, Layout, ScalarKind};
use crate::rows::drives::row_velocity;
use crate::state::State;
use crate::workspace::JointRows;
use bellcrank_math::{Mask, Real};
use bellcrank_solve::{RoundFriction, SlackPair};

/// A row that only pushes: the slack is sign · q⁺ + bound, or sign · q̇⁺ + bound.
#[derive(Clone, Copy, Debug)]
pub struct BoundRow<R: Real> {
    /// Position in the layout's scalars.
    pub scalar: usize,
    pub sign: R,
    pub bound: R,
    /// Bounds the speed, not the coordinate.
    pub speed: bool,
    pub push: SlackPair<R>,
}

/// Dry friction: its bound [N·s or N·m·s].
#[derive(Clone, Copy, Debug)]
pub struct DryFrictionRow<R: Real> {
    pub scalar: usize,
    pub bound: R,
    pub rub: RoundFriction<R>,
}

/// q̇ of a degree of freedom at velocities by elimination position.
#[inline(always)]
pub fn rate<R: Real>(
    layout: &Layout,
    joint: &JointLayout,
    (rows, i): (&JointRows<R>, usize),
    u: &[[R; 6]],
) -> R {
    let mut rate = row_velocity(&rows.s[i], &u[layout.position[joint.successor]]);
    if let Some(p) = joint.predecessor {
        rate += row_velocity(&rows.p[i], &u[layout.position[p]]);
    }
    rate
}

/// Lists the rows that act in some lane.
#[inline(always)]
pub fn collect<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    dt: R,
    force: R,
    pushes: &mut Vec<BoundRow<R>>,
    rubs: &mut Vec<DryFrictionRow<R>>,
) {
    pushes.clear();
    rubs.clear();
    let one = R::one();
    for (i, scalar) in layout.scalars.iter().enumerate() {
        let joint = &layout.joints[scalar.at.joint];
        let c = &constants.dofs[joint.first_dof + scalar.at.dof];
        let mass = constants.joints[scalar.at.joint].dof_weight[scalar.at.dof] + c.armature;
        let (sign, bound, speed) = match scalar.kind {
            ScalarKind::Lower => (one, -c.low, false),
            ScalarKind::Upper => (-one, c.high, false),
            ScalarKind::SlowDown => (one, c.velocity_limit, true),
            ScalarKind::SlowUp => (-one, c.velocity_limit, true),
            ScalarKind::Friction => {
                let bound = c.friction * force;
                let acts = R::zero().lt(bound);
                if acts.any() {
                    let mut rub = RoundFriction::new(1, acts);
                    rub.scale = mass;
                    rubs.push(DryFrictionRow { scalar: i, bound, rub });
                }
                continue;
            }
            ScalarKind::Effort => continue, // drives are cut off, see `step`
        };
        // a coordinate that starts outside its limit is not thrown back at once
        let outside = if speed {
            R::zero()
        } else {
            (sign.mul_add(state.q[joint.first_coordinate + scalar.at.dof], bound) + dt).min(R::zero())
        };
        let acts = bound.abs().lt(R::constant(1e8));
        if acts.any() {
            let mut push = SlackPair::new(acts);
            push.scale = if speed { mass } else { mass / dt };
            pushes.push(BoundRow { scalar: i, sign, bound: bound - outside, speed, push });
        }
    }
}

/// The slack that the coordinate or its rate asks for.
#[inline(always)]
pub fn slack<R: Real>(
    layout: &Layout,
    row: &BoundRow<R>,
    start: &[JointRows<R>],
    end: &[EndRows<R>],
    state: &State<R>,
    u: &[[R; 6]],
) -> R {
    let at = layout.scalars[row.scalar].at;
    let joint = &layout.joints[at.joint];
    let value = if row.speed {
        rate(layout, joint, (&start[at.joint], joint.kind.row_count() + at.dof), u)
    } else {
        end_coordinate(joint, &end[at.joint], at.dof, state)
    };
    row.sign.mul_add(value, row.bound)
}
