//! Couplings: rows over the coordinates of several joints, Σ coefficient · q = constant.

use crate::constants::Constants;
use crate::layout::{CouplingLayout, DofLayout, Layout};
use crate::rows::{RowSettings, drives::row_velocity, joint_pose, whole_turns};
use crate::state::State;
use crate::workspace::{JointRows, Workspace};
use bellcrank_math::{Pose, Real};
use bellcrank_model::kinematics;
use bellcrank_solve::BlockFactor;

/// Rows of couplings at the start of the step, and their part of H.
#[inline(always)]
pub fn add<R: Real>(layout: &Layout, constants: &Constants<R>, stiffness: R, ws: &mut Workspace<R>) {
    for (c, coupling) in layout.couplings.iter().enumerate() {
        let row = &mut ws.couplings[c];
        sum_rows(layout, &coupling.terms, &coupling.bodies, &ws.joints, row);
        let weight = constants.coupling_weight[c] * stiffness;
        (ws.coupling_weight[c], ws.coupling_reaction[c]) = (weight, R::zero());
        add_row(layout, (&coupling.bodies, &coupling.blocks), row, weight, &mut ws.factor);
    }
}

/// Σ coefficient · rate row, by body.
#[inline(always)]
pub fn sum_rows<R: Real>(
    layout: &Layout,
    terms: &[(DofLayout, f64)],
    bodies: &[usize],
    joints: &[JointRows<R>],
    row: &mut [[R; 6]],
) {
    row.fill([R::zero(); 6]);
    for (at, coefficient) in terms {
        let joint = &layout.joints[at.joint];
        let (i, factor) = (joint.kind.row_count() + at.dof, R::constant(*coefficient));
        for (b, &body) in bodies.iter().enumerate() {
            let side = if body == joint.successor {
                &joints[at.joint].s[i]
            } else if Some(body) == joint.predecessor {
                &joints[at.joint].p[i]
            } else {
                continue;
            };
            for k in 0..6 {
                row[b][k] = side[k].mul_add(factor, row[b][k]);
            }
        }
    }
}

/// H += weight · jᵀj of a row on several bodies; `blocks` are those of each pair (i, j) of them with j < i.
#[inline(always)]
pub fn add_row<R: Real>(
    layout: &Layout,
    (bodies, blocks): (&[usize], &[(usize, bool)]),
    row: &[[R; 6]],
    weight: R,
    factor: &mut BlockFactor<R>,
) {
    let mut pair = 0;
    for i in 0..bodies.len() {
        let mut weighted = row[i];
        for k in 0..6 {
            weighted[k] *= weight;
        }
        add_outer(factor.diagonal_mut(layout.position[bodies[i]]), &weighted, &row[i]);
        for j in 0..i {
            let (block, i_is_row) = blocks[pair];
            let target = factor.off_diagonal_mut(block);
            if i_is_row {
                add_outer(target, &weighted, &row[j])
            } else {
                add_outer(target, &row[j], &weighted)
            }
            pair += 1;
        }
    }
}

/// x += amount · jᵀ of a row on several bodies.
#[inline(always)]
pub fn push_row<R: Real>(layout: &Layout, bodies: &[usize], row: &[[R; 6]], amount: R, x: &mut [[R; 6]]) {
    for (j, &body) in row.iter().zip(bodies) {
        let x = &mut x[layout.position[body]];
        for k in 0..6 {
            x[k] = j[k].mul_add(amount, x[k]);
        }
    }
}

#[inline(always)]
fn add_outer<R: Real>(block: &mut [[R; 6]; 6], a: &[R; 6], b: &[R; 6]) {
    for r in 0..6 {
        for c in 0..6 {
            block[r][c] = a[r].mul_add(b[c], block[r][c]);
        }
    }
}

/// Σ coefficient · coordinate − constant of a coupling at some poses. Whole turns are added up by themselves: in 32 bits the
/// sum of large angles would be as coarse as the largest of them, and a gear of many turns would be pushed about by rounding.
#[inline(always)]
fn gap<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    X_WB: &[Pose<R>],
    coupling: &CouplingLayout,
) -> R {
    let (mut gap, mut turns) = (R::constant(-coupling.constant), R::zero());
    for (at, coefficient) in &coupling.terms {
        let (joint, coefficient) = (&layout.joints[at.joint], R::constant(*coefficient));
        let (_, _, X_FM) = joint_pose(joint, &constants.joints[at.joint], X_WB);
        let now = kinematics::coordinates(joint.kind, X_FM)[at.dof];
        if joint.kind.is_angle(at.dof) {
            let whole = whole_turns(now, state.q[joint.first_coordinate + at.dof]);
            turns = whole.mul_add(coefficient, turns);
        }
        gap = now.mul_add(coefficient, gap);
    }
    turns.mul_add(R::constant(core::f64::consts::TAU), gap)
}

/// What the step may leave open of each coupling, by its gap at poses from before the step: none, unless it was torn.
/// Gives the largest gap, as [`gaps`] does.
#[inline(always)]
pub fn set_targets<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    X_WB: &[Pose<R>],
    settings: RowSettings<R>,
    targets: &mut [R],
) -> R {
    let mut largest = R::zero();
    for (c, coupling) in layout.couplings.iter().enumerate() {
        let gap = gap(layout, constants, state, X_WB, coupling);
        targets[c] = settings.leave_open(gap);
        largest = largest.max(gap.abs() * R::constant(coupling.scale().recip()));
    }
    largest
}

/// How far couplings are open at X_next, and what would close them, as a push. Gives the largest gap where the largest
/// coefficient is that of a distance [m], and where it is that of an angle [rad], in its unit.
#[inline(always)]
pub fn gaps<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    settings: RowSettings<R>,
    ws: &mut Workspace<R>,
) -> (R, R) {
    let (mut metres, mut radians) = (R::zero(), R::zero());
    for (c, coupling) in layout.couplings.iter().enumerate() {
        let gap = gap(layout, constants, state, &ws.X_next, coupling);
        let own = gap.abs() * R::constant(coupling.scale().recip());
        let worst = if coupling.is_angle { &mut radians } else { &mut metres };
        *worst = worst.max(own);
        ws.coupling_closing[c] = (gap - ws.coupling_target[c])
            * settings.inverse_dt
            * constants.coupling_weight[c]
            * settings.stiffness;
    }
    (metres, radians)
}

/// J x of a coupling.
#[inline(always)]
fn rate<R: Real>(layout: &Layout, c: usize, row: &[[R; 6]], x: &[[R; 6]]) -> R {
    let mut rate = R::zero();
    for (j, &body) in row.iter().zip(&layout.couplings[c].bodies) {
        rate += row_velocity(j, &x[layout.position[body]]);
    }
    rate
}

/// x −= Jᵀ S⁻¹ J u⁻ of the couplings.
#[inline(always)]
pub fn push_first<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    for (c, coupling) in layout.couplings.iter().enumerate() {
        let row = &ws.couplings[c];
        let amount = -(ws.coupling_weight[c] * rate(layout, c, row, &ws.u_start));
        ws.coupling_reaction[c] = amount;
        push_row(layout, &coupling.bodies, row, amount, &mut ws.x);
    }
}

/// x += Jᵀ(λ − S⁻¹ c(q⁺)/Δt) of the couplings; λ follows what is fresh, in lanes that go on.
#[inline(always)]
pub fn push_missing<R: Real>(layout: &Layout, going: R::Mask, ws: &mut Workspace<R>) {
    for (c, coupling) in layout.couplings.iter().enumerate() {
        let amount = reaction(layout, c, ws) - ws.coupling_closing[c];
        ws.coupling_reaction[c] = R::select(going, amount, ws.coupling_reaction[c]);
        push_row(layout, &coupling.bodies, &ws.couplings[c], amount, &mut ws.x);
    }
}

/// The reaction of a coupling.
#[inline(always)]
fn reaction<R: Real>(layout: &Layout, c: usize, ws: &Workspace<R>) -> R {
    let fresh = rate(layout, c, &ws.couplings[c], &ws.fresh);
    ws.coupling_weight[c].neg_mul_add(fresh, ws.coupling_reaction[c])
}

/// λ ← λ − S⁻¹ J δ of the couplings for what is fresh, in some lanes.
#[inline(always)]
pub fn follow<R: Real>(layout: &Layout, lanes: R::Mask, ws: &mut Workspace<R>) {
    for c in 0..layout.couplings.len() {
        ws.coupling_reaction[c] = R::select(lanes, reaction(layout, c, ws), ws.coupling_reaction[c]);
    }
}

/// x += Jᵀλ of the couplings.
#[inline(always)]
pub fn push_reactions<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    for (c, coupling) in layout.couplings.iter().enumerate() {
        push_row(layout, &coupling.bodies, &ws.couplings[c], ws.coupling_reaction[c], &mut ws.x);
    }
}

/// x −= Jᵀ S⁻¹ J u of the couplings; gives the largest J u, as a share of its row's largest coefficient.
#[inline(always)]
pub fn push_missed_rates<R: Real>(layout: &Layout, ws: &mut Workspace<R>) -> R {
    let mut worst = R::zero();
    for (c, coupling) in layout.couplings.iter().enumerate() {
        let rate = rate(layout, c, &ws.couplings[c], &ws.u);
        worst = worst.max(rate.abs() * R::constant(coupling.scale().recip()));
        let amount = -(ws.coupling_weight[c] * rate);
        push_row(layout, &coupling.bodies, &ws.couplings[c], amount, &mut ws.x);
    }
    worst
}

/// ‖J x‖² of the direction that is fresh, in the metric S⁻¹.
#[inline(always)]
pub fn stretch<R: Real>(layout: &Layout, ws: &Workspace<R>) -> R {
    let mut sum = R::zero();
    for (c, row) in ws.couplings.iter().enumerate() {
        let rate = rate(layout, c, row, &ws.fresh);
        sum = (ws.coupling_weight[c] * rate).mul_add(rate, sum);
    }
    sum
}
