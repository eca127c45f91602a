//! One time step: semi-implicit Euler in maximal coordinates, joints held at the end of the step.
//!
//! Unknown are the velocities u⁺ of all bodies. Joints, couplings and drives are eliminated exactly:
//! H = M + Jᵀ S⁻¹ J is factored once, with S = ε D for held rows and S = 1/m for drives. What the small ε leaves is
//! taken out by evaluating the joints at the end-of-step pose and correcting with the same factor, which also
//! makes the step second order in the constraint (SHAKE): loops do not drift and energy stays. Limits, boxes and
//! contacts iterate on the small matrix G = J H⁻¹ Jᵀ.

use crate::accelerate::accelerate;
use crate::all_rows::AllRows;
use crate::constants::Constants;
use crate::layout::Layout;
use crate::readout::Readout;
use crate::settings::{Integrator, Method, Settings, Solver, Times};
use crate::state::{Control, State};
use crate::status::Report;
use crate::workspace::{ConeRows, Workspace};
use crate::{
    all_rows, balance, comfree, cone_rows, cones, couplings, drives, end_rates, interior, limits, lines,
    motion, readout, recovery, restitution, rows, third_law, worlds,
};
use bellcrank_math::{Elem, Inline, Mask, Quat, Real, Twist, Vec3};
use bellcrank_solve::{ComFree, Outcome, Padmm, Variant};

/// An angle counts by what it moves at this distance [m]: that of a joint from the next one, in robots.
const ARM: f64 = 0.2;

/// Tolerances that a gap may have before anything but the next step closes it: in 32 bits, where tolerances are near the grid of
/// positions, smaller ones are rounding.
fn roundings<R: Real>() -> f64 {
    if R::Elem::EPSILON.to_f64() < 1e-10 { 1.0 } else { 10.0 }
}

/// Notes the gap and says which lanes go on: after the first rounds only those that are still open.
#[inline(always)]
fn still_open<R: Real>(
    [enough, last]: [bool; 2],
    ((metres, radians), tolerance): ((R, R), R),
    going: R::Mask,
    report: &mut Report<R>,
) -> R::Mask {
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

/// Runs one stage inside the lanes' instruction set. Stages are compiled one by one: a step in one piece would take
/// the compiler minutes.
macro_rules! stage {
    ($R:ident, $work:expr) => {
        $R::run(Inline(
            #[inline(always)]
            || $work,
        ))
    };
}
pub(crate) use stage;

/// Advances the worlds of one block by `dt` [s]. The readout, if asked for, gets the reactions of all of it.
///
/// A lane whose joints cannot be closed at the end of a step (a chain that whips, a linkage that passes its dead point)
/// takes it in shorter ones, down to a sixteenth: each lane at its own pace, so that none sees its neighbours.
pub(crate) fn step<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    settings: &Settings,
    dt: R,
    (state, control, ws): (&mut State<R>, &Control<R>, &mut Workspace<R>),
    mut readout: Option<&mut Readout<R>>,
) -> Report<R> {
    if let Method::InteriorPoint(point) = &settings.method {
        let report = interior::step(layout, constants, (settings, point), dt, (state, control, ws));
        if let Some(readout) = readout {
            readout.note(layout, (true, R::Mask::splat(true)), ws);
        }
        return report;
    }
    let mut pace: Pace<R> = Pace::new(state.alive);
    let mut whole: Option<Report<R>> = None;
    while pace.going.any() {
        let times = stage!(R, settings.integrator.times(dt * pace.share(), dt * state.interval));
        let mut report = attempt(layout, constants, settings, times, pace.going, (state, control, ws));
        let accepted = stage!(R, pace.judge(settings.method == Method::Eliminate, &report));
        stage!(R, cones::store(layout, constants, (accepted & pace.at_start(), accepted), (state, ws)));
        match settings.method {
            Method::AllRows(_) => state.joint_impulse.copy_from_slice(&ws.reaction),
            _ => stage!(R, balance::store(layout, (times.dt, accepted, report.closed), state, ws)),
        }
        if let Some(readout) = &mut readout {
            readout.note(layout, (whole.is_none(), accepted), ws);
        }
        let halfway = settings.integrator == Integrator::MoreauJean;
        ws.q_start.copy_from_slice(&state.q);
        stage!(R, finish(layout, constants, (halfway, accepted), (state, ws), &mut report)); // u⁺, q⁺ = q ⊕ Δt u⁺
        report.converged =
            stage!(R, report.converged & !limits::passed(layout, constants, &ws.q_start, state));
        whole = Some(match whole {
            None => stage!(R, report.only(accepted)),
            Some(sum) => stage!(R, sum.and(accepted, &report)),
        });
        state.interval = stage!(R, R::select(accepted, pace.share(), state.interval));
        stage!(R, pace.advance(accepted, state.alive));
    }
    match whole {
        Some(report) => report,
        None => stage!(R, blank_report(ws)), // nobody is alive
    }
}

/// Work that joints may seem to do in one step, as a share of the kinetic energy: in a whole one, and in a part of one.
/// A whole step that is a little off keeps energy over time, since the method is symplectic; a change of its length does not,
/// so what is divided is divided well. Measured on a whipping chain and on linkages at their dead points: 60 s at 240 Hz
/// within 1 %.
const MOST_WORK: [f64; 2] = [3e-5, 2e-6];
/// Roundings that the measure of work adds up: 32 bits do not see less.
const ROUNDINGS: f64 = 100.0;
/// Where motors, dampers and contacts work, the error of joints may be this share of that.
const SHARE_OF_OTHERS: f64 = 0.2;

/// Work that joints seem to do, as a share of the kinetic energy, beyond what motors, dampers and contacts excuse.
#[inline(always)]
fn seeming_work<R: Real>(layout: &Layout, constants: &Constants<R>, ws: &Workspace<R>) -> R {
    let work = balance::work(layout, constants, ws);
    let excess = R::constant(SHARE_OF_OTHERS).neg_mul_add(work.others, work.joints.abs());
    let moves = R::zero().lt(work.kinetic);
    R::select(moves, excess / R::select(moves, work.kinetic, R::one()), R::zero())
}

/// Shortest part of a step, as a share of it.
const SHORTEST: f64 = 1.0 / 16.0;

/// How far each lane is in its step, in shares of it.
struct Pace<R: Real> {
    /// Lanes that have not come to the end.
    going: R::Mask,
    left: R,
    part: R,
}

impl<R: Real> Pace<R> {
    #[inline(always)]
    fn new(alive: R::Mask) -> Self {
        Pace { going: alive, left: R::one(), part: R::one() }
    }

    /// Lanes that have not taken a part yet.
    #[inline(always)]
    fn at_start(&self) -> R::Mask {
        !self.left.lt(R::one())
    }

    /// The part that is tried next.
    #[inline(always)]
    fn share(&self) -> R {
        self.part.min(self.left)
    }

    /// Lanes whose part is taken as it is: closed, or as short as it may be. What was as open before the part as it is
    /// now, a shorter one does not close either.
    #[inline(always)]
    fn judge(&self, may_be_shorter: bool, report: &Report<R>) -> R::Mask {
        let gap = report.gap_metres.max(report.gap_radians);
        let opened = (report.gap_before * R::constant(2.0)).lt(gap) & report.open;
        let rounding = ROUNDINGS * R::Elem::EPSILON.to_f64();
        let [whole, part] = MOST_WORK.map(|most| R::constant(most + rounding));
        let works = R::select(self.part.lt(R::one()), part, whole).lt(report.seeming_work);
        let shorter = R::constant(SHORTEST).lt(self.part) & (opened | works);
        if may_be_shorter { self.going & !shorter } else { self.going }
    }

    #[inline(always)]
    fn advance(&mut self, accepted: R::Mask, alive: R::Mask) {
        let part = self.share();
        self.left = R::select(accepted, self.left - part, self.left);
        self.part = R::select(self.going & !accepted, part * R::constant(0.5), part);
        self.going = self.going & alive & R::constant(0.5 * SHORTEST).lt(self.left);
    }
}

/// Velocities, reactions and end poses of one part of a step, left in the workspace.
fn attempt<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    settings: &Settings,
    times: Times<R>,
    lanes: R::Mask,
    (state, control, ws): (&mut State<R>, &Control<R>, &mut Workspace<R>),
) -> Report<R> {
    let halfway = settings.integrator == Integrator::MoreauJean;
    if halfway {
        ws.X_start.copy_from_slice(&state.X_WB);
        stage!(R, advance_halfway(layout, constants, state, times)); // q ← q ⊕ ½Δt u⁻
    }
    let reach = stage!(R, reach(state, times.turn()));
    let found = cone_rows::find_contacts(layout, constants, state, reach, ws); // what touches?
    let held = stage!(R, settings.rows(times.drift));
    let mut before = stage!(R, rows::joint_rows(layout, constants, state, held, ws)); // J and c(q)/Δt
    if halfway {
        before = stage!(R, rows::set_targets(layout, constants, held, ws));
    }
    if !layout.couplings.is_empty() {
        let start = (&*state, if halfway { &*ws.X_start } else { &*state.X_WB });
        let torn = stage!(R, couplings::set_targets(layout, constants, start, held, &mut ws.coupling_target));
        before = stage!(R, before.max(torn));
    }
    stage!(R, drives::drive_rows(layout, constants, (state, control), times, ws)); // λ = h − m q̇⁺
    stage!(R, lines::line_rows(layout, constants, (state, control), times, ws));
    let mut strained = R::Mask::splat(false);
    let mut report = solve(layout, constants, settings, times, [lanes, strained], (state, control, ws));
    let boxed = stage!(R, cones::box_drives(layout, constants, times.dt, ws));
    if (boxed | stage!(R, lines::cut_off(layout, constants, times.dt, ws))).any() {
        // a drive went beyond its limit: again, with bounds on it
        report = solve(layout, constants, settings, times, [lanes, strained], (state, control, ws));
    }
    if let (Method::Eliminate, Solver::Padmm(_)) = (settings.method, &settings.solver) {
        strained = stage!(R, lanes & recovery::strained(layout, constants, settings, &report, &ws.cones));
        if strained.any() {
            // what is inside cannot get out: again, with a push that gives way
            report = solve(layout, constants, settings, times, [lanes, strained], (state, control, ws));
        }
    }
    report.gap_before = before;
    if layout.pile.is_some() {
        report.wanted = stage!(R, R::constant(found as f64));
    }
    if settings.metrics {
        report.metrics = stage!(R, readout::measure(layout, constants, times.turn(), ws));
    }
    report
}

/// u⁺ and the reactions.
fn solve<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    settings: &Settings,
    times: Times<R>,
    [lanes, strained]: [R::Mask; 2],
    (state, control, ws): (&State<R>, &Control<R>, &mut Workspace<R>),
) -> Report<R> {
    let held = stage!(R, settings.rows(times.drift));
    stage!(R, drives::set_weights(layout, ws));
    stage!(R, motion::impulses(layout, constants, (state, control), times, ws)); // M, Δt f
    if let Method::AllRows(all) = &settings.method {
        return solve_all_rows(layout, constants, (settings, all), (times, lanes), (state, ws));
    }
    stage!(R, rows::add_joints(layout, ws)); // H = M + Jᵀ S⁻¹ J
    stage!(R, couplings::add(layout, constants, held.stiffness, ws));
    stage!(R, lines::add_lines(layout, ws));
    if let Some(pile) = &mut ws.pile {
        pile.keep_matrix(&ws.factor);
    }
    stage!(R, cone_rows::collect(layout, constants, state, settings, times, ws)); // limits, boxes, contacts
    let inside = match &settings.solver {
        Solver::ComFree(solver) => {
            stage!(R, comfree::fade(solver, &mut ws.cones));
            R::Mask::splat(false)
        }
        Solver::Padmm(_) => stage!(R, lanes & recovery::withhold(settings, strained, &mut ws.cones)),
    };
    stage!(R, balance::first_impulses(layout, times.dt, state, ws)); // Δt f + Jᵀ(h − m q̇⁻ + λ − S⁻¹ (c/Δt + J u⁻))
    stage!(R, ws.factor.factor_and_solve(&layout.pattern, &mut ws.x)); // H = L Lᵀ, x ← H⁻¹ x
    stage!(R, balance::take_first(ws)); // Δu ← x
    let mut report = stage!(R, blank_report(ws));
    prepare_reactions(layout, constants, settings, ([lanes, strained], times.drift), ws); // G = J H⁻¹ Jᵀ
    if inside.any() {
        solve_reactions(layout, constants, settings, inside, (times, ws, &mut report)); // as if nothing were inside
        stage!(R, recovery::soften(layout, constants, (settings, strained), &mut ws.cones));
        stage!(R, cones::set_velocities(layout, ws));
        prepare_matrix(layout, settings, (lanes, None), ws);
    }
    let tolerance = stage!(R, settings.gap_tolerance(state));
    let mut going = lanes; // a lane that is done is left alone, so that it does not see its neighbours
    let mut undone = R::Mask::splat(false);
    let mut slow = R::Mask::splat(false);
    let free = stage!(R, cones::nothing_touches(&ws.cones.groups)); // there Newton's law has the last word
    let enough = if layout.holds { settings.rounds[0] } else { 1 };
    for round in 1..=settings.rounds[1] {
        if !ws.cones.groups.is_empty() {
            solve_reactions(layout, constants, settings, going, (times, ws, &mut report));
        }
        if round >= enough && round > 1 && (going & free).any() {
            stage!(R, balance::settle(layout, constants, (times, going & free), (state, ws))); // Δu += M⁻¹ (Δt f + Jᵀλ − M Δu)
        }
        stage!(R, motion::end_poses(layout, state, times.drift, ws));
        let gap = stage!(R, rows::gaps(layout, constants, state, held, ws));
        let last = [round >= enough, round == settings.rounds[1]];
        let before = report.gap_metres.max(report.gap_radians);
        going = stage!(R, still_open(last, (gap, tolerance), going, &mut report));
        let open = stage!(R, going & !report.closed);
        if round > 1 && open.any() {
            // a step so large that closing its end does not converge: the start's tangent has to do
            let worse = stage!(R, take_back((before, tolerance), open, ws, &report));
            (going, undone) = (going & !worse, undone | worse);
        }
        if last[1] || !going.any() {
            break;
        }
        if round >= enough {
            slow = slow | going;
            stage!(R, accelerate(layout, (round > enough, going), ws));
        }
        stage!(R, balance::missing_impulses(layout, constants, (times, going), ws));
        solve_factored(layout, ws);
        stage!(R, balance::add_correction((round == 1, going), ws)); // Δu += H⁻¹ (Δt f + Jᵀ(λ − S⁻¹ c(q⁺)/Δt) − M Δu)
        if let Solver::Padmm(_) = settings.solver {
            stage!(R, cones::set_velocities(layout, ws));
        }
    }
    stage!(R, balance::follow(layout, R::Mask::splat(true), ws)); // λ
    if undone.any() {
        stage!(R, balance::go_back(layout, (times.dt, undone), state, ws));
        stage!(R, third_law::balance(layout, constants, (undone & free, times.turn()), state, ws)); // Σ (Δt f − M Δu) = 0
    }
    if slow.any() {
        report.seeming_work = stage!(R, R::select(slow, seeming_work(layout, constants, ws), R::zero()));
    }
    if undone.any() {
        stage!(R, motion::end_poses(layout, state, times.drift, ws));
        let gap = stage!(R, rows::gaps(layout, constants, state, held, ws));
        stage!(R, still_open([true, true], (gap, tolerance), undone, &mut report));
    }
    if settings.integrator == Integrator::MoreauJean && !layout.couplings.is_empty() {
        stage!(R, end_rates::push_rates(layout, constants, held, ws));
        solve_factored(layout, ws);
        stage!(R, balance::add_change(lanes, ws)); // J(q⁺) u⁺ = 0 of couplings
        stage!(R, balance::follow(layout, R::Mask::splat(true), ws));
    }
    match &settings.solver {
        Solver::ComFree(solver) => {
            stage!(R, comfree::judge(layout, solver, (times.drift, lanes), ws, &mut report));
        }
        Solver::Padmm(solver) => stage!(R, recovery::judge(layout, solver.tolerance, ws, &mut report)),
    }
    report
}

/// u⁺ and all reactions by the published method.
fn solve_all_rows<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    (settings, all): (&Settings, &AllRows),
    (times, lanes): (Times<R>, R::Mask),
    (state, ws): (&State<R>, &mut Workspace<R>),
) -> Report<R> {
    stage!(R, cone_rows::collect(layout, constants, state, settings, times, ws));
    stage!(R, all_rows::collect(layout, constants, state, (all, times.drift), ws)); // D = J M⁻¹ Jᵀ + R, v_f
    let mut report = stage!(R, blank_report(ws));
    let outcome = stage!(R, all_rows::iterate(layout, all, lanes, ws));
    ws.x.fill([R::zero(); 6]);
    ws.fresh.fill([R::zero(); 6]);
    stage!(R, cones::add_change(lanes, outcome, ws, &mut report));
    stage!(R, motion::end_poses(layout, state, times.drift, ws));
    let held = stage!(R, settings.rows(times.drift));
    let gap = stage!(R, rows::gaps(layout, constants, state, held, ws));
    (report.gap_metres, report.gap_radians) = gap;
    report
}

/// What the solver needs to know of the mechanism: G, or what stands for it.
fn prepare_reactions<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    settings: &Settings,
    ([alive, strained], drift): ([R::Mask; 2], R),
    ws: &mut Workspace<R>,
) {
    if let Solver::ComFree(solver) = &settings.solver {
        return stage!(R, comfree::prepare(layout, solver, ws));
    }
    stage!(R, cones::whiten(layout, ws));
    stage!(R, recovery::give_up(layout, constants, (settings, strained), ws));
    stage!(R, cones::set_velocities(layout, ws));
    prepare_matrix(layout, settings, (alive, Some(drift)), ws);
}

/// G, and its factors, in the lanes that are alive. The first time in a step it is told how long velocities act, and what
/// bounces is passed on.
fn prepare_matrix<R: Real>(
    layout: &Layout,
    settings: &Settings,
    (alive, drift): (R::Mask, Option<R>),
    ws: &mut Workspace<R>,
) {
    let Solver::Padmm(solver) = &settings.solver else { return };
    if let Some(pile) = &mut ws.pile {
        ws.cones.places.clear();
        stage!(R, worlds::share_out(false, R::Mask::splat(true), &mut ws.cones));
        return pile.prepare(solver, layout, &ws.factor, &ws.cones);
    }
    stage!(R, cones::sort_out(solver, alive, &mut ws.cones));
    stage!(R, cones::build_matrix(layout, ws));
    if let Some(drift) = drift {
        stage!(R, restitution::pass_on(settings, drift, &mut ws.cones));
    }
    let together = ws.cones.still.lanes();
    if together.any() {
        stage!(R, ws.cones.still.factor());
    }
    stage!(R, worlds::factor::<R>(solver, alive & !together, &mut ws.cones.worlds));
}

/// λ ← the cones' reactions at the present velocities; u += H⁻¹ Jᵀ Δλ.
fn solve_reactions<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    settings: &Settings,
    going: R::Mask,
    (times, ws, report): (Times<R>, &mut Workspace<R>, &mut Report<R>),
) {
    let solver = match &settings.solver {
        Solver::ComFree(solver) => {
            let gains = (times.dt, constants.contact_gain);
            return sweep(layout, solver, gains, going, (ws, report));
        }
        Solver::Padmm(solver) => solver,
    };
    let cones = &mut ws.cones;
    let outcome = match &mut ws.pile {
        Some(pile) => {
            stage!(R, cones::put_velocities(going, cones));
            let outcome = pile.solve(solver, layout, &ws.factor, cones);
            stage!(R, cones::take_reactions(going, cones));
            outcome
        }
        None => solve_worlds(solver, going, cones),
    };
    stage!(R, cones::push_change(layout, ws));
    solve_factored(layout, ws);
    stage!(R, cones::add_change(going, outcome, ws, report));
}

/// The reactions of worlds that go on as they are together, those of the others one by one.
fn solve_worlds<R: Real>(solver: &Padmm, going: R::Mask, cones: &mut ConeRows<R>) -> Outcome<R> {
    let tried = going & cones.still.lanes();
    let mut alone = going;
    let mut outcome = stage!(R, Outcome::none());
    if tried.any() {
        outcome = stage!(R, cones::solve_together(solver, going, cones));
        let failed = tried & !outcome.converged;
        if failed.any() {
            stage!(R, cones::hand_over(failed, cones));
            stage!(R, worlds::factor::<R>(solver, failed, &mut cones.worlds));
        }
        alone = going & !outcome.converged;
    }
    if alone.any() {
        stage!(R, cones::put_velocities(alone, cones));
        let own = stage!(R, worlds::solve::<R>(solver, alone, &mut cones.worlds));
        stage!(R, cones::take_reactions(alone, cones));
        outcome = stage!(R, outcome.or(alone, &own));
    }
    outcome
}

/// The same in closed form: every contact for itself, once or a few times.
fn sweep<R: Real>(
    layout: &Layout,
    solver: &ComFree,
    gains: (R, [R; 2]),
    going: R::Mask,
    (ws, report): (&mut Workspace<R>, &mut Report<R>),
) {
    let outcome = match solver.variant {
        Variant::Normalised => stage!(R, comfree::sweep(layout, solver, going, ws)),
        Variant::Published(law) => stage!(R, comfree::push_facets(layout, law, gains, going, ws)),
    };
    stage!(R, cones::push_change(layout, ws));
    solve_factored(layout, ws);
    stage!(R, cones::add_change(going, outcome, ws, report));
}

/// x ← H⁻¹ x
#[inline(never)]
fn solve_factored<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    stage!(R, ws.factor.solve(&layout.pattern, &mut ws.x));
}

/// Where the gap has grown since the last round, the velocities of the first round hold: tangential at the start of the
/// step, which loses energy rather than to gain some. Those lanes are left alone from now on.
#[inline(always)]
fn take_back<R: Real>(
    (before, tolerance): (R, R),
    going: R::Mask,
    ws: &mut Workspace<R>,
    report: &Report<R>,
) -> R::Mask {
    let now = report.gap_metres.max(report.gap_radians);
    // a gap near the tolerance that comes and goes is rounding
    let worse = going & before.lt(now) & (tolerance * R::constant(10.0)).lt(now);
    if worse.any() {
        for (k, old) in ws.du_first.iter().enumerate() {
            for i in 0..6 {
                ws.du[k][i] = R::select(worse, old[i], ws.du[k][i]);
                ws.u[k][i] = ws.u_start[k][i] + ws.du[k][i];
            }
        }
    }
    worse
}

/// Moves all poses through the first half of the step.
#[inline(always)]
fn advance_halfway<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &mut State<R>,
    times: Times<R>,
) {
    for b in 0..layout.position.len() {
        state.X_WB[b] = motion::advance(state.X_WB[b], state.V_WB[b], times.drift);
    }
    rows::read_coordinates(layout, constants, state);
}

/// How far ahead contacts are looked for [m]: what the fastest body covers in the step.
#[inline(always)]
fn reach<R: Real>(state: &State<R>, dt: R) -> R {
    let mut fastest = R::zero();
    for V in &state.V_WB {
        fastest = fastest.max(V.linear.norm_squared());
    }
    fastest.sqrt().mul_add(dt, R::constant(1e-3))
}

#[inline(always)]
pub(crate) fn blank_report<R: Real>(ws: &Workspace<R>) -> Report<R> {
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
        metrics: readout::Metrics::default(),
    }
}

/// Takes the new state over in some lanes where it is finite; where it is not, the world keeps its last good one and stands
/// still. The start of the step is in the workspace where the state was moved halfway.
#[inline(always)]
pub(crate) fn finish<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    (halfway, lanes): (bool, R::Mask),
    (state, ws): (&mut State<R>, &Workspace<R>),
    report: &mut Report<R>,
) {
    for b in (0..layout.position.len()).rev() {
        let V = Twist::from_array(ws.u[layout.position[b]]);
        let fine = V.is_finite() & ws.X_next[b].is_finite();
        report.bad_body = R::select(fine, report.bad_body, R::constant(b as f64));
        report.finite = report.finite & fine;
    }
    let moves = report.finite & lanes;
    let lost = (!report.finite & lanes) | !state.alive;
    for b in 0..layout.position.len() {
        let V = Twist::from_array(ws.u[layout.position[b]]);
        let (X, old) = (ws.X_next[b], if halfway { ws.X_start[b] } else { state.X_WB[b] });
        state.X_WB[b].R = Quat::select(moves, X.R, old.R);
        state.X_WB[b].p = Vec3::select(moves, X.p, old.p);
        state.p_rest[b] = Vec3::select(moves, ws.p_rest[b], state.p_rest[b]);
        let (zero, old) = (Vec3::zero(), state.V_WB[b]);
        state.V_WB[b].linear = Vec3::select(moves, V.linear, Vec3::select(lost, zero, old.linear));
        state.V_WB[b].angular = Vec3::select(moves, V.angular, Vec3::select(lost, zero, old.angular));
    }
    if lost.any() {
        let impulses = state.contact_impulse.iter_mut().chain(&mut state.joint_impulse).flatten();
        for x in impulses.chain(&mut state.scalar_impulse) {
            *x = R::select(lost, R::zero(), *x);
        }
    }
    state.alive = state.alive & !lost;
    rows::read_coordinates(layout, constants, state);
}
