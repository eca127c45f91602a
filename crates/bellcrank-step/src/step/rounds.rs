//! Rounds that close joints at the end of the step, and solve for reactions, in turns.
//!
//! H = M + Jᵀ S⁻¹ J leaves joints open by what the small S lets them, and by the curvature of their motion. Each round
//! evaluates c(q ⊕ Δt u) and corrects Δu with the same factor; reactions follow.

use crate::reactions::{self, cones};
use crate::rows;
use crate::state::State;
use crate::status::Report;
use crate::step::{accelerate::accelerate, balance, end_rates, motion, rods, scene::Scene, third_law};
use crate::workspace::Workspace;
use bellcrank_math::{Elem, Mask, Real, kernel};

/// An angle counts by what it moves at this distance [m]: that of a joint from the next one, in robots.
const ARM: f64 = 0.2;
/// Where motors, dampers and contacts work, the error of joints may be this share of that.
const SHARE_OF_OTHERS: f64 = 0.2;

/// Tolerances that a gap may have before anything but the next step closes it: in 32 bits, where tolerances are near the grid of
/// positions, smaller ones are rounding.
fn roundings<R: Real>() -> f64 {
    if R::Elem::EPSILON.to_f64() < 1e-10 { 1.0 } else { 10.0 }
}

/// Solves for reactions and closes joints until they are closed, in at most `Settings::rounds`.
pub fn close<R: Real>(scene: &Scene<'_, R>, state: &State<R>, ws: &mut Workspace<R>, report: &mut Report<R>) {
    let tolerance = tolerance(scene, state);
    let free = cones::nothing_touches(ws); // there Newton's law has the last word
    let [least, most] = scene.settings.rounds;
    let enough = if scene.layout.holds { least } else { 1 };
    let mut going = scene.lanes; // a lane that is done is left alone, so that it does not see its neighbours
    let (mut undone, mut slow) = (R::Mask::splat(false), R::Mask::splat(false));
    for round in 1..=most {
        if !ws.cones.groups.is_empty() {
            reactions::solve(scene, going, ws, report); // λ; Δu += H⁻¹ Jᵀ Δλ
        }
        if round >= enough && round > 1 && (going & free).any() {
            balance::settle(scene, going & free, state, ws); // Δu += M⁻¹ (Δt f + Jᵀλ − M Δu)
        }
        let before = *report;
        let gap = end_gap(scene, state, ws); // c(q ⊕ Δt u)
        going = still_open([round >= enough, round == most], Gap { now: gap, tolerance }, going, report);
        if round > 1 && (going & !report.closed).any() {
            // a step so large that closing its end does not converge: the start's tangent has to do
            let worse = revert_diverged(&before, tolerance, going & !report.closed, ws, report);
            (going, undone) = (going & !worse, undone | worse);
        }
        if round == most || !going.any() {
            break;
        }
        if round >= enough {
            slow = slow | going;
            accelerate(scene.layout, round > enough, going, ws);
        }
        balance::missing_impulses(scene, going, ws);
        rods::turn(scene, going, ws); // thin rods about their lines
        reactions::solve_factored(scene.layout, ws);
        balance::add_correction(round == 1, going, ws); // Δu += H⁻¹ (Δt f + Jᵀ(λ − S⁻¹ c(q⁺)/Δt) − M Δu)
        reactions::see_velocities(scene, ws);
    }
    balance::follow(scene.layout, R::Mask::splat(true), ws); // λ of held rows
    if undone.any() {
        balance::go_back(scene, undone, state, ws);
        third_law::balance(scene, undone & free, state, ws); // Σ (Δt f − M Δu) = 0
    }
    if slow.any() {
        report.seeming_work = seeming_work(scene, slow, ws);
    }
    if undone.any() {
        let gap = end_gap(scene, state, ws);
        still_open([true, true], Gap { now: gap, tolerance }, undone, report);
    }
    if scene.is_halfway() && !scene.layout.couplings.is_empty() {
        end_rates::push_rates(scene, ws);
        reactions::solve_factored(scene.layout, ws);
        end_rates::add_change(scene, ws); // J(q⁺) u⁺ = 0 of couplings
    }
}

/// To what joints are closed.
#[kernel]
fn tolerance<R: Real>(scene: &Scene<'_, R>, state: &State<R>) -> R {
    scene.settings.gap_tolerance(state)
}

/// Poses at the end of the step, and how far joints are open there [m, rad].
#[kernel]
pub fn end_gap<R: Real>(scene: &Scene<'_, R>, state: &State<R>, ws: &mut Workspace<R>) -> (R, R) {
    motion::end_poses(scene.layout, state, scene.times.drift, ws);
    rows::gaps(scene.layout, scene.constants, state, scene.held(), ws)
}

/// How far joints are open at the end of the step [m, rad], and how far they may be.
pub struct Gap<R> {
    pub now: (R, R),
    pub tolerance: R,
}

/// Notes the gap and says which lanes go on: after the first rounds only those that are still open.
#[kernel]
pub fn still_open<R: Real>(
    [enough, last]: [bool; 2],
    gap: Gap<R>,
    going: R::Mask,
    report: &mut Report<R>,
) -> R::Mask {
    let Gap { now: (metres, radians), tolerance } = gap;
    (report.gap_metres, report.gap_radians) = (metres, radians);
    let gap = metres.max(radians * R::constant(ARM));
    let closed = gap.le(tolerance);
    report.closed = closed;
    report.open = (tolerance * R::constant(roundings::<R>())).lt(gap);
    let next = if enough { going & !closed } else { going };
    if last || !next.any() {
        report.converged = report.converged & closed;
    }
    next
}

/// Where the gap has grown since the last round, the velocities of the first round hold: tangential at the start of the
/// step, which loses energy rather than to gain some. Those lanes are left alone from now on.
#[kernel]
fn revert_diverged<R: Real>(
    last_round: &Report<R>,
    tolerance: R,
    open: R::Mask,
    ws: &mut Workspace<R>,
    report: &Report<R>,
) -> R::Mask {
    let gap = |report: &Report<R>| [report.gap_metres, report.gap_radians];
    let worse = open & has_grown(gap(last_round), gap(report), tolerance);
    if worse.any() {
        take_first_round(worse, ws);
    }
    worse
}

/// Where the gap has grown since the last round [m, rad].
#[inline(always)]
pub fn has_grown<R: Real>(before: [R; 2], now: [R; 2], tolerance: R) -> R::Mask {
    let (before, now) = (before[0].max(before[1]), now[0].max(now[1]));
    // a gap near the tolerance that comes and goes is rounding
    before.lt(now) & (tolerance * R::constant(10.0)).lt(now)
}

/// Δu ← that of the first round, in some lanes.
#[inline(always)]
pub fn take_first_round<R: Real>(lanes: R::Mask, ws: &mut Workspace<R>) {
    for (k, old) in ws.du_first.iter().enumerate() {
        for i in 0..6 {
            ws.du[k][i] = R::select(lanes, old[i], ws.du[k][i]);
            ws.u[k][i] = ws.u_start[k][i] + ws.du[k][i];
        }
    }
}

/// Work that joints seem to do in some lanes, as a share of the kinetic energy, beyond what motors, dampers and contacts excuse.
#[kernel]
fn seeming_work<R: Real>(scene: &Scene<'_, R>, lanes: R::Mask, ws: &Workspace<R>) -> R {
    seeming_share(lanes, &balance::work(scene.layout, scene.constants, ws))
}

/// That share, from what is known of the work.
#[inline(always)]
pub fn seeming_share<R: Real>(lanes: R::Mask, work: &balance::Work<R>) -> R {
    let excess = R::constant(SHARE_OF_OTHERS).neg_mul_add(work.others, work.joints.abs());
    let moves = lanes & R::zero().lt(work.kinetic);
    R::select(moves, excess / R::select(moves, work.kinetic, R::one()), R::zero())
}
