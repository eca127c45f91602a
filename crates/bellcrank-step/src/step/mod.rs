//! One time step: semi-implicit Euler in maximal coordinates, joints held at the end of the step.
//!
//! Unknown are the velocities u⁺ of all bodies. Joints, couplings and drives are eliminated exactly:
//! H = M + Jᵀ S⁻¹ J is factored once, with S = ε D for held rows and S = 1/m for drives. What the small ε leaves is
//! taken out by evaluating the joints at the end-of-step pose and correcting with the same factor, which also
//! makes the step second order in the constraint (SHAKE): loops do not drift and energy stays. Limits, boxes and
//! contacts iterate on the small matrix G = J H⁻¹ Jᵀ.

pub mod accelerate;
pub mod balance;
pub mod end_rates;
pub mod motion;
pub mod pace;
pub mod rods;
pub mod rounds;
pub mod scene;
pub mod third_law;

use crate::adhesion;
use crate::assemble;
use crate::interior;
use crate::layout::Layout;
use crate::reactions::{self, all_rows, collect, cones};
use crate::readout::{Metrics, Readout};
use crate::rows::{self, couplings, drives, limits, soft, stops, tendons};
use crate::settings::Method;
use crate::state::{Control, State};
use crate::status::Report;
use crate::step::{pace::Pace, scene::Scene};
use crate::workspace::Workspace;
use bellcrank_math::{Mask, Pose, Quat, Real, Twist, Vec3, kernel};

/// Advances the worlds of one block by `dt` [s]. The readout, if asked for, gets the reactions of all of it.
pub fn step<R: Real>(
    whole: &Scene<'_, R>,
    state: &mut State<R>,
    control: &Control<R>,
    ws: &mut Workspace<R>,
    mut readout: Option<&mut Readout<R>>,
) -> Report<R> {
    if let Method::InteriorPoint(point) = &whole.settings.method {
        return interior::step(whole, point, state, control, ws, readout);
    }
    reactions::refill(ws);
    let mut own = ws.own_layout.take(); // a pile has other contacts in every step
    let mut pace = Pace::<R>::new(state.alive);
    while pace.going.any() {
        let scene = whole.part(&pace, state); // all of Δt, or less where joints would not close
        move_to_midpoint(&scene, state, ws); // Moreau–Jean only: q ← q ⊕ ½Δt u⁻
        let found = collect::find_contacts(&scene, state, ws); // what touches?
        if let Some(own) = &mut own {
            std::mem::swap(&mut own.contacts, &mut ws.found.contacts);
        }
        let scene = Scene { layout: own.as_deref().unwrap_or(whole.layout), ..scene };
        let gap = constraint_rows(&scene, state, control, ws); // J, c(q)/Δt, λ = h − m q̇⁺
        let mut report = solve(&scene, state, control, ws); // Δu and all reactions
        report.note(&scene, gap, found, ws);
        let accepted = pace.accepts(scene.settings, &report) | (pace.going & reactions::spent(ws));
        store(&scene, accepted, &pace, &report, state, ws); // reactions, for the next step to begin with
        if let Some(readout) = &mut readout {
            readout.note(scene.layout, pace.report.is_none(), accepted, ws);
        }
        advance(&scene, accepted, &pace, state, ws, &mut report); // u⁺, q⁺ = q ⊕ Δt u⁺
        pace.advance(accepted, state.alive, report);
    }
    ws.own_layout = own;
    let mut report = pace.report.unwrap_or_else(|| blank_report(ws)); // nobody is alive
    assemble::project_onto_joints(whole, state, ws, &mut report); // what the rounds left open
    report
}

/// Δu and all reactions, with bounds on drives that need them, and a softer push for what is inside and cannot get out.
fn solve<R: Real>(
    scene: &Scene<'_, R>,
    state: &State<R>,
    control: &Control<R>,
    ws: &mut Workspace<R>,
) -> Report<R> {
    if let Method::AllRows(all) = &scene.settings.method {
        return all_rows::solve(scene, all, state, control, ws);
    }
    let none = R::Mask::splat(false);
    let mut report = eliminate(scene, none, state, control, ws);
    if (beyond_bounds(scene, ws) | stops::switch(scene, ws)).any() {
        report = eliminate(scene, none, state, control, ws);
    }
    let unsettled = settle_stops(scene, state, control, ws, &mut report);
    report.converged = report.converged & !unsettled;
    let strained = reactions::strained(scene, &report, ws);
    if strained.any() {
        report = eliminate(scene, strained, state, control, ws);
    }
    report
}

/// Solves again until limits and dry friction of tendons do what they were taken to do; gives the lanes where they do not.
fn settle_stops<R: Real>(
    scene: &Scene<'_, R>,
    state: &State<R>,
    control: &Control<R>,
    ws: &mut Workspace<R>,
    report: &mut Report<R>,
) -> R::Mask {
    let none = R::Mask::splat(false);
    for _ in 0..stops::TRIES {
        if !stops::switch(scene, ws).any() {
            return none;
        }
        *report = eliminate(scene, none, state, control, ws);
    }
    stops::switch(scene, ws)
}

/// Δu and all reactions: joints, couplings and drives by elimination, the others on what that leaves.
fn eliminate<R: Real>(
    scene: &Scene<'_, R>,
    strained: R::Mask,
    state: &State<R>,
    control: &Control<R>,
    ws: &mut Workspace<R>,
) -> Report<R> {
    motion::impulses(scene, state, control, ws); // M, Δt f
    if !scene.layout.adhesions.is_empty() {
        adhesion::push(scene, state, control, ws);
    }
    add_held_rows(scene, state, ws); // H = M + Jᵀ S⁻¹ J
    collect::collect(scene, state, ws); // limits, boxes, contacts
    let inside = reactions::begin(scene, strained, ws);
    balance::first_impulses(scene, state, ws); // Δt f + Jᵀ(h − m q̇⁻ + λ − S⁻¹ (c/Δt + J u⁻))
    factor(scene, ws); // H = L Lᵀ, Δu = H⁻¹ (…)
    let mut report = blank_report(ws);
    reactions::prepare(scene, strained, ws); // G = J H⁻¹ Jᵀ
    if inside.any() {
        reactions::let_out(scene, [inside, strained], ws, &mut report);
    }
    rounds::close(scene, state, ws, &mut report); // K ∋ λ ⟂ G λ + g ∈ K*, c(q ⊕ Δt u) → 0
    reactions::judge(scene, ws, &mut report);
    report
}

/// Moves all poses through the first half of the step.
fn move_to_midpoint<R: Real>(scene: &Scene<'_, R>, state: &mut State<R>, ws: &mut Workspace<R>) {
    if scene.is_halfway() {
        ws.X_start.copy_from_slice(&state.X_WB);
        drift(scene, state);
    }
}

/// q ← q ⊕ Δt u
#[kernel]
fn drift<R: Real>(scene: &Scene<'_, R>, state: &mut State<R>) {
    for b in 0..scene.layout.position.len() {
        state.X_WB[b] = motion::advance(state.X_WB[b], state.V_WB[b], scene.times.drift);
    }
    rows::read_coordinates(scene.layout, scene.constants, state);
}

/// The rows of joints, couplings, drives and tendons; gives the largest gap before the step [m or rad].
#[kernel]
fn constraint_rows<R: Real>(
    scene: &Scene<'_, R>,
    state: &State<R>,
    control: &Control<R>,
    ws: &mut Workspace<R>,
) -> R {
    let Scene { layout, constants, times, .. } = *scene;
    let held = scene.held();
    let mut gap = rows::joint_rows(layout, constants, state, held, ws);
    if scene.is_halfway() {
        gap = rows::set_targets(layout, constants, held, ws);
    }
    soft::held_rows(layout, constants, state, times.dt, &mut ws.joints);
    if !layout.couplings.is_empty() {
        let start = if scene.is_halfway() { &*ws.X_start } else { &*state.X_WB };
        let torn = couplings::set_targets(layout, constants, state, start, held, &mut ws.coupling_target);
        gap = gap.max(torn);
    }
    drives::drive_rows(layout, constants, state, control, times, ws);
    tendons::tendon_rows(layout, constants, state, control, times, ws);
    stops::stop_rows(scene, state, ws);
    gap
}

/// H = M + Jᵀ S⁻¹ J
fn add_held_rows<R: Real>(scene: &Scene<'_, R>, state: &State<R>, ws: &mut Workspace<R>) {
    add_rows(scene, ws);
    rods::stiffen(scene, state, ws);
    if let Some(pile) = &mut ws.pile {
        pile.keep_matrix(&ws.factor);
    }
}

#[kernel]
fn add_rows<R: Real>(scene: &Scene<'_, R>, ws: &mut Workspace<R>) {
    rows::add_joints(scene.layout, ws);
    couplings::add(scene.layout, scene.constants, scene.held().stiffness, ws);
    tendons::add_lines(scene.layout, ws);
}

/// H = L Lᵀ, Δu ← H⁻¹ x
#[kernel]
fn factor<R: Real>(scene: &Scene<'_, R>, ws: &mut Workspace<R>) {
    ws.factor.factor_and_solve(&scene.layout.pattern, &mut ws.x);
    balance::take_first(ws);
}

/// Puts bounds on drives that went beyond theirs without; gives the lanes where there was one.
#[kernel]
pub fn beyond_bounds<R: Real>(scene: &Scene<'_, R>, ws: &mut Workspace<R>) -> R::Mask {
    let Scene { layout, constants, times, .. } = *scene;
    cones::box_drives(layout, constants, times.dt, ws) | tendons::cut_off(layout, constants, times.dt, ws)
}

/// Keeps the reactions of lanes that take this part.
fn store<R: Real>(
    scene: &Scene<'_, R>,
    accepted: R::Mask,
    pace: &Pace<R>,
    report: &Report<R>,
    state: &mut State<R>,
    ws: &Workspace<R>,
) {
    cones::store(scene, accepted & pace.at_start(), accepted, state, ws);
    match scene.settings.method {
        Method::AllRows(_) => state.joint_impulse.copy_from_slice(&ws.reaction),
        _ => balance::store(scene, accepted, report.closed, state, ws),
    }
}

/// Moves lanes that take this part to its end.
#[kernel]
fn advance<R: Real>(
    scene: &Scene<'_, R>,
    accepted: R::Mask,
    pace: &Pace<R>,
    state: &mut State<R>,
    ws: &mut Workspace<R>,
    report: &mut Report<R>,
) {
    ws.q_start.copy_from_slice(&state.q);
    finish(scene, scene.is_halfway(), accepted, state, ws, report);
    report.converged = report.converged & !limits::passed(scene, &ws.q_start, state);
    state.interval = R::select(accepted, pace.share(), state.interval);
}

/// Of a step that has not begun to solve.
#[kernel]
pub fn blank_report<R: Real>(ws: &Workspace<R>) -> Report<R> {
    let (mut penetration, mut contacts) = (R::zero(), R::zero());
    for touching in &ws.touching {
        let one = R::select(touching.contact.active, R::one(), R::zero());
        contacts += one;
        penetration = penetration.max(-(touching.contact.distance * one));
    }
    Report {
        gap_metres: R::zero(),
        gap_radians: R::zero(),
        gap_before: R::zero(),
        closed: R::Mask::splat(true),
        open: R::Mask::splat(false),
        seeming_work: R::zero(),
        iterations: R::zero(),
        residual: R::zero(),
        penetration,
        contacts,
        wanted: R::zero(),
        converged: R::Mask::splat(true),
        finite: R::Mask::splat(true),
        bad_body: R::zero(),
        metrics: Metrics::default(),
    }
}

/// Takes the new state over in some lanes where it is finite; where it is not, the world keeps its last good one and stands
/// still. The start of the step is in the workspace where the state was moved halfway.
#[kernel]
pub fn finish<R: Real>(
    scene: &Scene<'_, R>,
    halfway: bool,
    lanes: R::Mask,
    state: &mut State<R>,
    ws: &Workspace<R>,
    report: &mut Report<R>,
) {
    let Scene { layout, constants, .. } = *scene;
    for b in (0..layout.position.len()).rev() {
        let fine = is_fine(layout, b, ws);
        report.bad_body = R::select(fine, report.bad_body, R::constant(b as f64));
        report.finite = report.finite & fine;
    }
    let moves = report.finite & lanes;
    let lost = (!report.finite & lanes) | !state.alive;
    for b in 0..layout.position.len() {
        let old = if halfway { ws.X_start[b] } else { state.X_WB[b] };
        take_over(layout, (b, old), [moves, lost], state, ws);
    }
    if lost.any() {
        forget_reactions(lost, state);
    }
    state.alive = state.alive & !lost;
    rows::read_coordinates(layout, constants, state);
}

/// Lanes in which velocity and pose of body b are numbers.
#[inline(always)]
pub fn is_fine<R: Real>(layout: &Layout, b: usize, ws: &Workspace<R>) -> R::Mask {
    Twist::from_array(ws.u[layout.position[b]]).is_finite() & ws.X_next[b].is_finite()
}

/// Takes the new state of body b over in lanes that move; the others keep the pose `old`, and those that are lost stand still.
#[inline(always)]
pub fn take_over<R: Real>(
    layout: &Layout,
    (b, old): (usize, Pose<R>),
    [moves, lost]: [R::Mask; 2],
    state: &mut State<R>,
    ws: &Workspace<R>,
) {
    let (X, V) = (ws.X_next[b], Twist::from_array(ws.u[layout.position[b]]));
    state.X_WB[b].R = Quat::select(moves, X.R, old.R);
    state.X_WB[b].p = Vec3::select(moves, X.p, old.p);
    state.p_rest[b] = Vec3::select(moves, ws.p_rest[b], state.p_rest[b]);
    let (zero, old) = (Vec3::zero(), state.V_WB[b]);
    state.V_WB[b].linear = Vec3::select(moves, V.linear, Vec3::select(lost, zero, old.linear));
    state.V_WB[b].angular = Vec3::select(moves, V.angular, Vec3::select(lost, zero, old.angular));
}

/// Reactions of worlds that are lost are nothing to begin with.
#[inline(always)]
pub fn forget_reactions<R: Real>(lost: R::Mask, state: &mut State<R>) {
    let impulses = state.contact_impulse.iter_mut().chain(&mut state.joint_impulse).flatten();
    for x in impulses.chain(&mut state.scalar_impulse) {
        *x = R::select(lost, R::zero(), *x);
    }
}
