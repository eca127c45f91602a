//! Rates of couplings at the end of a Moreau–Jean step.
//!
//! The poses of its end are q ⊕ ½Δt u⁻ ⊕ ½Δt u⁺, and what is held is closed there. A u⁻ that opens a coupling by the rate e is
//! therefore answered by a u⁺ that opens it by −e: the error neither grows nor fades, and what rounding adds in every step
//! wanders off (32 bits: 0.3 % of the speed of a gear within a second). So after the poses are found, the rates of couplings
//! are brought back to what the end allows, J(q⁺) u⁺ = 0, as RATTLE does ([Andersen 1983]), with the factor at hand.
//!
//! Joints are left as they are: they know their rates to the tolerance of gaps over half a step, which in 32 bits is much
//! for the short parts of a step, and to take that out again and again costs energy (a 3-RRR 2.6 % of a swing in 20 s at
//! 240 Hz, instead of 0.3 %).

use crate::constants::Constants;
use crate::layout::{CouplingLayout, Layout};
use crate::rows::{self, RowSettings, couplings, drives::row_velocity};
use crate::step::{balance, scene::Scene};
use crate::workspace::{JointRows, Workspace};
use bellcrank_math::{Mask, Real, kernel};

/// x ← −Jᵀ S⁻¹ J(q⁺) u. The push goes along the rows that H holds: along those of the end, S⁻¹ of it would go into what H leaves
/// free.
#[kernel]
pub fn push_rates<R: Real>(scene: &Scene<'_, R>, ws: &mut Workspace<R>) {
    let Scene { layout, constants, .. } = *scene;
    let settings = scene.held();
    ws.x.fill([R::zero(); 6]);
    for (c, coupling) in layout.couplings.iter().enumerate() {
        let amount = -(ws.coupling_weight[c] * rate_at_end(layout, constants, coupling, settings, ws));
        couplings::push_row(layout, &coupling.bodies, &ws.couplings[c], amount, &mut ws.x);
    }
}

/// Δu += x, with the reactions that follow.
#[kernel]
pub fn add_change<R: Real>(scene: &Scene<'_, R>, ws: &mut Workspace<R>) {
    balance::add_change(scene.lanes, ws);
    balance::follow(scene.layout, R::Mask::splat(true), ws);
}

/// Σ coefficient · q̇ at X_next.
#[inline(always)]
fn rate_at_end<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    coupling: &CouplingLayout,
    settings: RowSettings<R>,
    ws: &Workspace<R>,
) -> R {
    let (mut sum, zero) = (R::zero(), [R::zero(); 6]);
    for (at, coefficient) in &coupling.terms {
        let (joint, own) = (&layout.joints[at.joint], &constants.joints[at.joint]);
        let mut rows = JointRows { s: [zero; 6], p: [zero; 6], weight: zero, rate: zero, target: zero };
        rows::one_joint((joint.kind, joint), own, &ws.X_next, settings, &mut rows);
        let (i, factor) = (joint.kind.row_count() + at.dof, R::constant(*coefficient));
        sum = row_velocity(&rows.s[i], &ws.u[layout.position[joint.successor]]).mul_add(factor, sum);
        if let Some(p) = joint.predecessor {
            sum = row_velocity(&rows.p[i], &ws.u[layout.position[p]]).mul_add(factor, sum);
        }
    }
    sum
}
