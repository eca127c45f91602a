//! Newton's law of a step, in increments: M Δu = Δt f + Jᵀλ.
//!
//! H = M + Jᵀ S⁻¹ J is stiff: its factor is off by about 2⁻²⁴/ε of M along every motion that the joints leave free when
//! numbers have 32 bits. So each solve finds a *change* of velocities from what Newton's law misses so far, with the
//! reactions found so far: H δ = Δt f + Jᵀ(λ − S⁻¹ c(q⁺)/Δt) − M Δu, and after it λ ← λ − S⁻¹ (c(q⁺)/Δt + J δ). The error is
//! then a share of the last change, not of the velocity, and each round takes it down again.

use crate::constants::Constants;
use crate::layout::Layout;
use crate::reactions::cones;
use crate::rows::{self, couplings, tendons};
use crate::state::State;
use crate::step::{motion, rods, scene::Scene, third_law};
use crate::workspace::Workspace;
use bellcrank_math::{Elem, Real, Twist, kernel};

/// x ← Δt f + Jᵀ (h − m q̇⁻) + Jᵀ (λ − S⁻¹ (c/Δt + J u⁻)) with the reactions of the last step as a first guess, those of
/// joints and those of contacts. What joints carry from step to step is then not left to the softness of their rows, which
/// has to close only what changes: two rounds do where a robot stands or moves steadily.
#[kernel]
pub fn first_impulses<R: Real>(scene: &Scene<'_, R>, state: &State<R>, ws: &mut Workspace<R>) {
    let (layout, dt) = (scene.layout, scene.times.dt);
    ws.x.copy_from_slice(&ws.impulse);
    for (j, joint) in layout.joints.iter().enumerate() {
        let rows = &ws.joints[j];
        let (count, used) = (joint.kind.row_count(), joint.used_rows());
        let rates = rows::joint_rates(layout, joint, (rows, used), &ws.u_start);
        let mut amount = [R::zero(); 6];
        for i in 0..count {
            let guess = state.joint_impulse[j][i] * dt;
            amount[i] = rows.weight[i].neg_mul_add(rows.rate[i] + rates[i], guess);
        }
        for i in count..used {
            amount[i] = rows.weight[i].neg_mul_add(rates[i], rows.rate[i]);
        }
        ws.reaction[j] = amount;
        rows::push_joint(layout, joint, (rows, used), &amount, &mut ws.x);
    }
    couplings::push_first(layout, ws);
    tendons::push_impulses(layout, ws);
    cones::apply_warm_start(layout, ws);
}

/// Δu ← x, the first solution.
#[inline(always)]
pub fn take_first<R: Real>(ws: &mut Workspace<R>) {
    std::mem::swap(&mut ws.du, &mut ws.x);
    ws.fresh.copy_from_slice(&ws.du);
    for (u, (start, du)) in ws.u.iter_mut().zip(ws.u_start.iter().zip(&ws.du)) {
        for k in 0..6 {
            u[k] = start[k] + du[k];
        }
    }
}

/// Δu += x in some lanes, which the reactions of held rows have not followed yet.
#[inline(always)]
pub fn add_change<R: Real>(lanes: R::Mask, ws: &mut Workspace<R>) {
    for (k, x) in ws.x.iter().enumerate() {
        let (du, u, fresh) = (&mut ws.du[k], &mut ws.u[k], &mut ws.fresh[k]);
        for i in 0..6 {
            let change = R::select(lanes, x[i], R::zero());
            du[i] += change;
            fresh[i] += change;
            u[i] = ws.u_start[k][i] + du[i];
        }
    }
}

/// x ← Δt f + Jᵀ(λ − S⁻¹ c(q⁺)/Δt) − M Δu: what Newton's law misses, with joints to be closed. Reactions follow what was
/// fresh, in lanes that go on.
#[kernel]
pub fn missing_impulses<R: Real>(scene: &Scene<'_, R>, going: R::Mask, ws: &mut Workspace<R>) {
    let Scene { layout, constants, times, .. } = *scene;
    motion::missing_impulses(constants, layout, times.turn(), ws);
    for (j, joint) in layout.joints.iter().enumerate() {
        let (rows, count, used) = (&ws.joints[j], joint.kind.row_count(), joint.used_rows());
        let rates = rows::joint_rates(layout, joint, (rows, used), &ws.fresh);
        let mut amount = ws.reaction[j];
        for i in 0..used {
            amount[i] = rows.weight[i].neg_mul_add(rates[i], amount[i]);
            if i < count {
                amount[i] -= ws.closing[j][i];
            }
            ws.reaction[j][i] = R::select(going, amount[i], ws.reaction[j][i]);
        }
        rows::push_joint(layout, joint, (rows, used), &amount, &mut ws.x);
    }
    couplings::push_missing(layout, going, ws);
    tendons::push_reactions(layout, ws);
    cones::apply_warm_start(layout, ws);
}

/// Δu += x in the lanes that go on, where x is all that is fresh now; the first time, `du_first` keeps Δu before.
#[kernel]
pub fn add_correction<R: Real>(is_first: bool, going: R::Mask, ws: &mut Workspace<R>) {
    if is_first {
        ws.du_first.copy_from_slice(&ws.du);
    }
    for (k, x) in ws.x.iter().enumerate() {
        let (du, u, fresh) = (&mut ws.du[k], &mut ws.u[k], &mut ws.fresh[k]);
        for i in 0..6 {
            fresh[i] = R::select(going, x[i], fresh[i]);
            du[i] += R::select(going, x[i], R::zero());
            u[i] = ws.u_start[k][i] + du[i];
        }
    }
}

/// Newton's law has the last word, in the lanes that go on: Δu += M⁻¹ (Δt f + Jᵀλ − M Δu) body by body. The factor of H leaves 2⁻²⁴/ε of the
/// last change in 32 bits, and it does not know how turning changes with ω, ½h ω × I ω; both are small, but the same in every step,
/// and would be taken from the momentum of the whole. Reactions come in pairs, so that what they are does not matter for it.
///
/// What is rounded off the reactions in 32 bits would turn a light rod by more than its joints may be open. So there mechanisms that
/// float take the change that their joints allow, H⁻¹ instead of M⁻¹. The third law keeps the momentum of the whole, in both precisions:
/// springs that press loops against their limits have reactions ten thousand times what moves the bodies.
/// Only where nothing touches: velocities that contacts were solved for stay as they are.
#[kernel]
pub fn settle<R: Real>(scene: &Scene<'_, R>, going: R::Mask, state: &State<R>, ws: &mut Workspace<R>) {
    let Scene { layout, constants, times, .. } = *scene;
    follow(layout, going, ws);
    unbalanced(layout, constants, times.turn(), ws);
    if R::Elem::EPSILON.to_f64() < 1e-10 {
        for b in 0..layout.position.len() {
            motion::add_missing(layout, constants, going, times.turn(), b, ws);
        }
    } else {
        rods::turn(scene, going, ws);
        for &b in &layout.not_afloat {
            motion::add_missing(layout, constants, going, times.turn(), b, ws);
            ws.x[layout.position[b]] = [R::zero(); 6];
        }
        if !layout.afloat.is_empty() {
            ws.factor.solve(&layout.pattern, &mut ws.x);
            add_change(going, ws);
        }
    }
    if !layout.afloat.is_empty() {
        third_law::balance(scene, going, state, ws);
    }
}

/// λ ← λ − S⁻¹ J δ for what is fresh, in some lanes: the reactions of all rows belong to the velocities at hand.
#[kernel]
pub fn follow<R: Real>(layout: &Layout, lanes: R::Mask, ws: &mut Workspace<R>) {
    for (j, joint) in layout.joints.iter().enumerate() {
        let (rows, used) = (&ws.joints[j], joint.used_rows());
        let rates = rows::joint_rates(layout, joint, (rows, used), &ws.fresh);
        for i in 0..used {
            let new = rows.weight[i].neg_mul_add(rates[i], ws.reaction[j][i]);
            ws.reaction[j][i] = R::select(lanes, new, ws.reaction[j][i]);
        }
    }
    couplings::follow(layout, lanes, ws);
    for fresh in ws.fresh.iter_mut().flatten() {
        *fresh = R::select(lanes, R::zero(), *fresh);
    }
}

/// The reactions of the first round, λ − S⁻¹ (c/Δt + J u⁺), in lanes that went back to its velocities.
#[kernel]
pub fn go_back<R: Real>(scene: &Scene<'_, R>, lanes: R::Mask, state: &State<R>, ws: &mut Workspace<R>) {
    let (layout, dt) = (scene.layout, scene.times.dt);
    for (j, joint) in layout.joints.iter().enumerate() {
        let (rows, count, used) = (&ws.joints[j], joint.kind.row_count(), joint.used_rows());
        let rates = rows::joint_rates(layout, joint, (rows, used), &ws.u);
        for i in 0..used {
            let amount = if i < count {
                rows.weight[i].neg_mul_add(rows.rate[i] + rates[i], state.joint_impulse[j][i] * dt)
            } else {
                rows.weight[i].neg_mul_add(rates[i], rows.rate[i])
            };
            ws.reaction[j][i] = R::select(lanes, amount, ws.reaction[j][i]);
        }
    }
}

/// Keeps the forces of joints in some lanes as the first guess of the next step: in 32 bits, where rows are soft. Where joints
/// are not `closed`, nothing is kept, since a gap that cannot be closed would add to its force in every step.
#[kernel]
pub fn store<R: Real>(
    scene: &Scene<'_, R>,
    lanes: R::Mask,
    closed: R::Mask,
    state: &mut State<R>,
    ws: &Workspace<R>,
) {
    let (layout, dt) = (scene.layout, scene.times.dt);
    if R::Elem::EPSILON.to_f64() < 1e-10 {
        return;
    }
    let inverse = R::select(closed, dt.recip(), R::zero());
    for (j, joint) in layout.joints.iter().enumerate() {
        for i in 0..joint.kind.row_count() {
            let force = &mut state.joint_impulse[j][i];
            // a joint that gives way has no guess: its reaction follows from the velocities
            let kept = if joint.held.is_some() { R::zero() } else { ws.reaction[j][i] * inverse };
            *force = R::select(lanes, kept, *force);
        }
    }
}

/// x ← Δt f + Jᵀλ − M Δu with all reactions of the finished step; gives its largest entry [N·s or N·m·s].
#[inline(always)]
pub fn unbalanced<R: Real>(layout: &Layout, constants: &Constants<R>, turn: R, ws: &mut Workspace<R>) -> R {
    motion::missing_impulses(constants, layout, turn, ws);
    for (j, joint) in layout.joints.iter().enumerate() {
        rows::push_joint(layout, joint, (&ws.joints[j], joint.used_rows()), &ws.reaction[j], &mut ws.x);
    }
    couplings::push_reactions(layout, ws);
    tendons::push_reactions(layout, ws);
    cones::apply_warm_start(layout, ws);
    let mut worst = R::zero();
    for x in ws.x.iter().flatten() {
        worst = worst.max(x.abs());
    }
    worst
}

/// What energy does in a step [J].
pub struct Work<R> {
    /// λ·J (u⁻ + u⁺)/2 of held rows. Joints do no work: what they seem to do is the error of a step that is too large for
    /// the mechanism's curvature.
    pub joints: R,
    /// The same of motors, springs, dampers, limits and contacts, each taken positive.
    pub others: R,
    /// Kinetic energy after the step.
    pub kinetic: R,
}

/// Who does how much work in the step that the workspace holds.
#[inline(always)]
pub fn work<R: Real>(layout: &Layout, constants: &Constants<R>, ws: &Workspace<R>) -> Work<R> {
    let none = Work { joints: R::zero(), others: R::zero(), kinetic: R::zero() };
    let joints = add_joint_work(layout, ws, none);
    let Work { joints, others, kinetic } =
        add_energy(layout, constants, ws, add_row_work(layout, ws, joints));
    let half = R::constant(0.5);
    Work { joints: joints * half, others: others * half, kinetic: kinetic * half }
}

/// The sum so far and twice the work of joints, their motors, springs and dampers.
#[inline(always)]
pub fn add_joint_work<R: Real>(layout: &Layout, ws: &Workspace<R>, mut sum: Work<R>) -> Work<R> {
    for (j, joint) in layout.joints.iter().enumerate() {
        let (rows, count, used) = (&ws.joints[j], joint.kind.row_count(), joint.used_rows());
        let amount = &ws.reaction[j];
        let before = rows::joint_rates(layout, joint, (rows, used), &ws.u_start);
        let after = rows::joint_rates(layout, joint, (rows, used), &ws.u);
        for i in 0..used {
            let work = amount[i] * (before[i] + after[i]);
            if i < count {
                sum.joints += work;
            } else {
                sum.others += work.abs();
            }
        }
    }
    sum
}

/// The sum so far and twice the work of limits, boxes and contacts.
#[inline(always)]
pub fn add_row_work<R: Real>(layout: &Layout, ws: &Workspace<R>, mut sum: Work<R>) -> Work<R> {
    for group in &ws.cones.groups {
        for i in group.first_row..group.first_row + group.rows {
            let row = &ws.cones.jacobian[i];
            let speeds = cones::row_speed(layout, group.source, row, &ws.u_start)
                + cones::row_speed(layout, group.source, row, &ws.u);
            sum.others += (ws.cones.lambda[i] * speeds).abs();
        }
    }
    sum
}

/// The sum so far and twice the energy of bodies.
#[inline(always)]
pub fn add_energy<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    ws: &Workspace<R>,
    mut sum: Work<R>,
) -> Work<R> {
    for (b, body) in constants.bodies.iter().enumerate() {
        let k = layout.position[b];
        let V = Twist::from_array(ws.u[k]);
        sum.kinetic += body.mass * V.linear.norm_squared() + V.angular.dot(ws.spin[k].inertia * V.angular);
    }
    sum
}
