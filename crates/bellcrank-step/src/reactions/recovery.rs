//! What is inside something wants out: at a bounded speed, with a bounded force, and only as far as it can.
//!
//! A contact that is inside asks for a normal velocity v ≥ b, at most [`Settings::recovery_speed`]. Others may forbid it: a
//! wall on the other side, or joints that leave no freedom along the normal. Then G λ + g − b ∈ K* has no answer, and what a
//! solver finds is as large as the softness of the joints allows: 10¹² N and poses that are torn open. Without b there always
//! is an answer, since a mechanism that stands still comes nearer to nothing.
//!
//! So b is withheld at first, which gives the reactions λ⁰ of what really presses. Then the contact asks with a
//! compliance of its own, counted from there:
//!
//! K ∋ λ ⟂ G λ + g − b + R (λ − λ⁰) ∈ K*.
//!
//! What can move out does so at b G/(G + R), whatever it carries, and rests as hard as ever (λ = λ⁰ where b = 0). What
//! cannot is pushed by b/R at most. R is a share ε of the contact's own mobility Gᵢᵢ; where joints leave it little, as
//! measured by the mass of the whole mechanism, it is that share of the mobility of the two bodies set free:
//!
//! R = ε (Gᵢᵢ + s W),   W = 1/m_a + 1/m_b,   s = 1/(1 + (10 Gᵢᵢ Σm)²).
//!
//! A mechanism that is not fastened to the world has Gᵢᵢ Σm ≥ 1: pushed anywhere, it moves at least as a whole. Where joints
//! that lead to the world leave nothing but their own softness, they hold the contact, and it holds nothing. Then a push is stored
//! in the joints and moves no mass: with x = H⁻¹ J_cᵀ most of Gᵢᵢ = xᵀ H x is xᵀ Jᵀ S⁻¹ J x. Such a contact asks for nothing, and
//! its compliance R counts from no reaction at all. What is inside stays inside there, without force and without friction, and
//! the mechanism moves as its joints let it.
//!
//! Contacts that are hardly inside ask for so little that a second solve would be for nothing. They are hard
//! at once, and soft only where that strains one of them: what is soft may give way to what presses harder than without b.

use crate::constants::Constants;
use crate::layout::Layout;
use crate::reactions::cones::{places, row_mobility, row_speed};
use crate::rows::joint_rates;
use crate::settings::Settings;
use crate::status::Report;
use crate::step::scene::Scene;
use crate::workspace::{ConeGroup, ConeRows, ConeSource, Workspace};
use bellcrank_math::{Mask, Real, kernel};

/// ε: what can move out does so at ten elevenths of the speed that it asks for, and what cannot is pushed as if it were to
/// stop ten times its own mass.
const SOFTNESS: f64 = 0.1;
/// Who asks for less than this share of the recovery speed is hardly inside.
const HARDLY: f64 = 0.03;
/// A contact that is hardly inside is strained where its push would move it, by R, at this share of the recovery speed.
const STRAINED: f64 = 0.1;
/// There is no answer where between these shares of what is asked for is missing.
const MISSING: [f64; 2] = [0.1, 1000.0];
/// The solver holds its tolerance in the metric of each row; so much lies between that and metres per second.
const METRIC: f64 = 10.0;
/// Joints leave a contact little mobility where it has less than this share of that of the whole mechanism, pushed at its
/// centre of mass.
const LITTLE: f64 = 0.1;
/// Only contacts with less than this share of it may be held: all others are looked at no further.
const SLIGHT: f64 = 0.9;

/// Takes what contacts want beyond v ≥ 0 out of their bias, in the lanes where one is well inside or strained; gives these.
/// Those contacts start from nothing: the reactions of two that press against each other are not unique, and what pushed
/// in the last step must not be taken for what really presses.
#[kernel]
pub fn withhold<R: Real>(settings: &Settings, strained: R::Mask, cones: &mut ConeRows<R>) -> R::Mask {
    let mut lanes = R::Mask::splat(false);
    for demand in &cones.demands {
        lanes = lanes | is_soft(settings, strained, demand.recovery);
    }
    if lanes.any() {
        for (group, demand) in cones.groups.iter().zip(&cones.demands) {
            let asks = is_soft(settings, strained, demand.recovery);
            let rows = group.first_row..group.first_row + group.rows;
            cones.bias[rows.end - 1] += R::select(asks, demand.recovery, R::zero());
            for own in &mut cones.lambda[rows] {
                *own = R::select(asks, R::zero(), *own);
            }
        }
    }
    lanes
}

/// Lanes in which a contact asks softly: those where it is well inside, and those where hard ones were strained.
#[inline(always)]
fn is_soft<R: Real>(settings: &Settings, strained: R::Mask, recovery: R) -> R::Mask {
    let hardly = R::constant(HARDLY * settings.recovery_speed);
    hardly.lt(recovery) | (strained & R::zero().lt(recovery))
}

/// Where joints hold a contact that is inside, it asks for nothing and gives way. Soft ones have asked for nothing so far.
#[kernel]
pub fn give_up<R: Real>(scene: &Scene<'_, R>, strained: R::Mask, ws: &mut Workspace<R>) {
    let Scene { layout, constants, settings, .. } = *scene;
    let whole = whole_mass(constants);
    for g in 0..ws.cones.groups.len() {
        let (group, recovery) = (ws.cones.groups[g], ws.cones.demands[g].recovery);
        let asks = R::zero().lt(recovery);
        if !asks.any() {
            continue;
        }
        let normal = group.first_row + group.rows - 1;
        let mobility = row_mobility(layout, &ws.cones, &group, group.rows - 1);
        let slight = asks & (mobility * whole).lt(R::constant(SLIGHT));
        if !slight.any() {
            continue;
        }
        let stored = stored_in_joints(layout, &group, normal, ws);
        let held = slight & (mobility * R::constant(0.5)).lt(stored);
        let soft = compliance(layout, constants, whole, &group, &ws.cones);
        let cones = &mut ws.cones;
        cones.compliance[normal] = R::select(held, soft, cones.compliance[normal]);
        let asked = held & !is_soft(settings, strained, recovery);
        cones.bias[normal] += R::select(asked, recovery, R::zero());
        cones.demands[g].recovery = R::select(held, R::zero(), recovery);
    }
}

/// What joints store of a unit push along a row, xᵀ Jᵀ S⁻¹ J x with x = H⁻¹ J_cᵀ: a part of Gᵢᵢ = xᵀ H x.
#[inline(always)]
fn stored_in_joints<R: Real>(layout: &Layout, group: &ConeGroup<R>, row: usize, ws: &mut Workspace<R>) -> R {
    let (a, b, _) = places(layout, group.source);
    ws.x.fill([R::zero(); 6]);
    ws.x[b] = ws.cones.jacobian[row][1];
    if let Some(a) = a {
        ws.x[a] = ws.cones.jacobian[row][0];
    }
    ws.factor.solve(&layout.pattern, &mut ws.x);
    let mut sum = R::zero();
    for (joint, rows) in layout.joints.iter().zip(&ws.joints) {
        let rates = joint_rates(layout, joint, (rows, joint.used_rows()), &ws.x);
        for i in 0..joint.kind.row_count() {
            sum = (rows.weight[i] * rates[i]).mul_add(rates[i], sum);
        }
    }
    sum
}

/// Contacts ask again, with a compliance that counts from the reactions at hand.
#[kernel]
pub fn soften<R: Real>(scene: &Scene<'_, R>, strained: R::Mask, cones: &mut ConeRows<R>) {
    let Scene { layout, constants, settings, .. } = *scene;
    let whole = whole_mass(constants);
    for g in 0..cones.groups.len() {
        let (group, recovery) = (&cones.groups[g], cones.demands[g].recovery);
        let asks = is_soft(settings, strained, recovery);
        if !asks.any() {
            continue;
        }
        let normal = group.first_row + group.rows - 1;
        let soft = compliance(layout, constants, whole, group, cones);
        cones.compliance[normal] = R::select(asks, soft, cones.compliance[normal]);
        let asked = soft.mul_add(cones.lambda[normal], recovery);
        cones.bias[normal] -= R::select(asks, asked, R::zero());
    }
}

/// Where contacts that are hardly inside would push harder than what they ask for is worth, or have no answer at all.
#[kernel]
pub fn strained<R: Real>(scene: &Scene<'_, R>, report: &Report<R>, cones: &ConeRows<R>) -> R::Mask {
    let Scene { layout, constants, settings, .. } = *scene;
    let (hardly, most) =
        (R::constant(HARDLY * settings.recovery_speed), R::constant(STRAINED * settings.recovery_speed));
    let none = R::Mask::splat(false);
    let (mut strained, mut well_inside) = (none, none);
    let whole = whole_mass(constants);
    for (group, demand) in cones.groups.iter().zip(&cones.demands) {
        let asks = R::zero().lt(demand.recovery);
        well_inside = well_inside | hardly.lt(demand.recovery);
        if !asks.any() {
            continue;
        }
        // b/Gᵢᵢ is what it pushes with, apart from what presses anyway: a hard landing is no strain
        let soft = compliance(layout, constants, whole, group, cones);
        let mobility = row_mobility(layout, cones, group, group.rows - 1);
        let pushes = (soft * demand.recovery).le(most * mobility);
        // where there is no answer, what is missing is of the size of what is asked for: less is a tolerance that was
        // nearly met, and more has other reasons
        let [low, high] = MISSING.map(|share| demand.recovery * R::constant(share));
        let missing = low.lt(report.residual) & report.residual.lt(high) & !report.converged;
        // what is not finite is strained too
        strained = strained | (asks & (!pushes | missing));
    }
    strained & !well_inside
}

/// A step is not exact where a soft contact gives way to what presses on it, v < 0, or is pushed although it leaves faster
/// than it asked to, v > b. Others met their own condition, whatever the solver says of that.
#[kernel]
pub fn judge<R: Real>(layout: &Layout, tolerance: f64, ws: &Workspace<R>, report: &mut Report<R>) {
    if layout.compliance.is_some() {
        return; // they are meant to
    }
    let most = R::constant(METRIC * tolerance);
    for (group, demand) in ws.cones.groups.iter().zip(&ws.cones.demands) {
        let ConeSource::Contact(_) = group.source else { continue };
        let normal = group.first_row + group.rows - 1;
        let compliance = ws.cones.compliance[normal];
        let soft = group.acts & R::zero().lt(compliance);
        if !soft.any() {
            continue;
        }
        let speed = row_speed(layout, group.source, &ws.cones.jacobian[normal], &ws.u);
        let gives_way = speed.lt(-most);
        let pushed = most.lt(compliance * ws.cones.lambda[normal]);
        let flung = (demand.recovery + most).lt(speed) & pushed;
        report.converged = report.converged & !(soft & (gives_way | flung));
    }
}

/// Σm [kg]
#[inline(always)]
fn whole_mass<R: Real>(constants: &Constants<R>) -> R {
    let mut sum = R::zero();
    for body in &constants.bodies {
        sum += body.mass;
    }
    sum
}

/// R of a contact's normal [1/kg].
#[inline(always)]
fn compliance<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    whole: R,
    group: &ConeGroup<R>,
    cones: &ConeRows<R>,
) -> R {
    let ConeSource::Contact(slot) = group.source else { return R::zero() };
    let at = &layout.contacts[slot];
    let mut set_free = constants.bodies[at.b].mass.recip();
    if let Some(a) = at.a {
        set_free += constants.bodies[a].mass.recip();
    }
    let own = row_mobility(layout, cones, group, group.rows - 1);
    let moves = own * whole * R::constant(1.0 / LITTLE);
    let share = moves.mul_add(moves, R::one()).recip();
    R::constant(SOFTNESS) * share.mul_add(set_free, own)
}
