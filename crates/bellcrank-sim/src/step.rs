//! One time step: semi-implicit Euler in maximal coordinates, joints held at the end of the step.
//!
//! Unknown are the velocities u⁺ of all bodies. Joints, couplings and drives are eliminated exactly:
//! H = M + Jᵀ S⁻¹ J is factored once, with S = ε D for held rows and S = 1/m for drives. What the small ε leaves is
//! taken out by evaluating the joints at the end-of-step pose and correcting with the same factor, which also
//! makes the step second order in the constraint (SHAKE): loops do not drift and energy stays. Limits, boxes and
//! contacts iterate on the small matrix G = J H⁻¹ Jᵀ.

use crate::all_rows::AllRows;
use crate::constants::Constants;
use crate::layout::Layout;
use crate::rows::RowSettings;
use crate::state::{Control, State};
use crate::status::Report;
use crate::workspace::{ConeRows, Workspace};
use crate::{
    all_rows, comfree, cone_rows, cones, couplings, drives, interior, lines, motion, readout, rows, worlds,
};
use bellcrank_math::{Inline, Mask, Quat, Real, Twist, Vec3};
use bellcrank_solve::{ComFree, InteriorPoint, Outcome, Padmm};

/// How velocities become poses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Forces and rows at the start of the step; the new velocity moves the poses through all of it.
    #[default]
    SemiImplicitEuler,
    /// Half a step with the old velocity, forces and rows there, half a step with the new one: second order where
    /// nothing hits ([Kamino] notes 1.8).
    MoreauJean,
    /// Discrete mechanics: forces and rows at the start, joints and contacts met at the end; keeps momentum exactly and
    /// energy over long times ([Dojo] notes 1.2). Needs [`Method::InteriorPoint`].
    Variational,
}

/// The times of a step [s].
#[derive(Clone, Copy)]
pub(crate) struct Times<R> {
    /// How long forces act.
    pub dt: R,
    /// How long the new velocity moves the poses.
    pub drift: R,
}

impl Integrator {
    #[inline(always)]
    fn times<R: Real>(self, dt: R) -> Times<R> {
        let drift = match self {
            Integrator::SemiImplicitEuler | Integrator::Variational => dt,
            Integrator::MoreauJean => dt * R::constant(0.5),
        };
        Times { dt, drift }
    }
}

/// Which rows the solver iterates on.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Method {
    /// Joints, couplings and drives are eliminated exactly and closed at the end of the step; limits, boxes and contacts
    /// iterate.
    #[default]
    Eliminate,
    /// All of them iterate, as published: for comparison. Couplings between joints are not part of it.
    AllRows(AllRows),
    /// Everything at the end of the step, by the interior point: with derivatives whose smoothing is κ.
    InteriorPoint(InteriorPoint),
}

/// What finds the reactions of limits, boxes and contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solver {
    /// All of them together, to a tolerance.
    Padmm(Padmm),
    /// Each for itself, in closed form.
    ComFree(ComFree),
}

impl Solver {
    /// As the command line names it.
    pub fn name(&self) -> &'static str {
        match self {
            Solver::Padmm(_) => "padmm",
            Solver::ComFree(_) => "comfree",
        }
    }
}

impl Default for Solver {
    fn default() -> Self {
        Solver::Padmm(Padmm::default())
    }
}

/// How a step is computed. The defaults need no tuning.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The solver for limits, boxes and contacts.
    pub solver: Solver,
    /// ε: compliance of held rows in H, as a share of their own.
    pub softness: f64,
    /// Rounds of closing joints and solving reactions, at least and at most.
    pub rounds: [usize; 2],
    /// Joints are closed to this after the step [m and rad].
    pub gap_tolerance: f64,
    /// Share of a penetration that is taken out per step.
    pub contact_recovery: f64,
    /// Share of a limit's violation that is taken out per step.
    pub limit_recovery: f64,
    /// Nothing is pushed out faster than this [m/s and rad/s]: a bad start must not become an explosion.
    pub recovery_speed: f64,
    /// Slower impacts do not bounce [m/s].
    pub bounce_speed: f64,
    /// Compliance of joint limits, as a share of the joint's own mobility: far softer than joints, so that a limit that
    /// cannot be met with the loops closed gives way, and far stiffer than anybody notices.
    pub limit_softness: f64,
    /// How velocities become poses.
    pub integrator: Integrator,
    /// Which rows the solver iterates on.
    pub method: Method,
    /// Measure how well the equations are met ([`crate::Metrics`]); costs a little.
    pub metrics: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            solver: Solver::default(),
            softness: 1e-6,
            rounds: [2, 8],
            gap_tolerance: 1e-7,
            contact_recovery: 0.1,
            limit_recovery: 0.1,
            recovery_speed: 1.0,
            bounce_speed: 1e-2,
            limit_softness: 1e-4,
            integrator: Integrator::SemiImplicitEuler,
            method: Method::Eliminate,
            metrics: false,
        }
    }
}

impl Settings {
    /// For numbers of 32 bits: what rounding allows.
    pub fn single() -> Self {
        let solver = Padmm { tolerance: 1e-5, ..Padmm::default() };
        Settings { solver: Solver::Padmm(solver), softness: 1e-5, gap_tolerance: 5e-6, ..Settings::default() }
    }

    #[inline(always)]
    pub(crate) fn rows<R: Real>(&self, dt: R) -> RowSettings<R> {
        RowSettings {
            inverse_dt: dt.recip(),
            stiffness: R::constant(1.0 / self.softness),
            most: dt * R::constant(self.recovery_speed),
        }
    }

    /// Notes the gap and says which lanes go on: after the first rounds only those that are still open.
    #[inline(always)]
    fn still_open<R: Real>(
        &self,
        [enough, last]: [bool; 2],
        (metres, radians): (R, R),
        going: R::Mask,
        report: &mut Report<R>,
    ) -> R::Mask {
        (report.gap_metres, report.gap_radians) = (metres, radians);
        let open = R::constant(self.gap_tolerance).lt(metres.max(radians));
        let going = if enough { going & open } else { going };
        if last || !going.any() {
            report.converged = report.converged & !open;
        }
        going
    }

    /// The velocity that a one-sided row must at least have: up to the gap when apart, a share back when inside.
    #[inline(always)]
    pub(crate) fn recover<R: Real>(&self, gap: R, dt: R, share: f64) -> R {
        let back = (gap * R::constant(share) / dt).max(R::constant(-self.recovery_speed));
        R::select(gap.lt(R::zero()), back, gap / dt)
    }
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

/// Advances the worlds of one block by `dt` [s].
pub fn step<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    settings: &Settings,
    dt: R,
    (state, control, ws): (&mut State<R>, &Control<R>, &mut Workspace<R>),
) -> Report<R> {
    if let Method::InteriorPoint(point) = &settings.method {
        return interior::step(layout, constants, (settings, point), dt, (state, control, ws));
    }
    let times = stage!(R, settings.integrator.times(dt));
    let halfway = settings.integrator == Integrator::MoreauJean;
    if halfway {
        ws.X_start.copy_from_slice(&state.X_WB);
        stage!(R, advance_halfway(layout, constants, state, times)); // q ← q ⊕ ½Δt u⁻
    }
    let reach = stage!(R, reach(state, dt));
    let found = cone_rows::find_contacts(layout, constants, state, reach, ws); // what touches?
    let held = stage!(R, settings.rows(times.drift));
    stage!(R, rows::joint_rows(layout, constants, state, held, ws)); // J and c(q)/Δt
    stage!(R, drives::drive_rows(layout, constants, (state, control), times, ws)); // λ = h − m q̇⁺
    stage!(R, lines::line_rows(layout, constants, (state, control), times, ws));
    let mut report = solve(layout, constants, settings, times, (state, control, ws));
    let boxed = stage!(R, cones::box_drives(layout, constants, dt, ws));
    if (boxed | stage!(R, lines::cut_off(layout, constants, dt, ws))).any() {
        // a drive went beyond its limit: again, with bounds on it
        report = solve(layout, constants, settings, times, (state, control, ws));
    }
    if layout.pile.is_some() {
        report.wanted = stage!(R, R::constant(found as f64));
    }
    if settings.metrics {
        report.metrics = stage!(R, readout::measure(layout, constants, state, ws));
    }
    stage!(R, cones::store(layout, constants, state, ws));
    if let Method::AllRows(_) = settings.method {
        state.joint_impulse.copy_from_slice(&ws.pushed);
    }
    stage!(R, finish(layout, constants, halfway, (state, ws), &mut report)); // u⁺, q⁺ = q ⊕ Δt u⁺
    report
}

/// u⁺ and the reactions.
fn solve<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    settings: &Settings,
    times: Times<R>,
    (state, control, ws): (&State<R>, &Control<R>, &mut Workspace<R>),
) -> Report<R> {
    let held = stage!(R, settings.rows(times.drift));
    stage!(R, drives::set_weights(layout, ws));
    stage!(R, motion::momentum(layout, constants, state, times.dt, ws)); // M, M u⁻ + Δt f
    stage!(R, motion::external_impulses(layout, control, times.dt, ws));
    if let Method::AllRows(all) = &settings.method {
        return solve_all_rows(layout, constants, (settings, all), times, (state, ws));
    }
    stage!(R, rows::add_joints(layout, ws)); // H = M + Jᵀ S⁻¹ J
    stage!(R, couplings::add(layout, constants, held.stiffness, ws));
    stage!(R, lines::add_lines(layout, ws));
    if let Some(pile) = &mut ws.pile {
        pile.keep_matrix(&ws.factor);
    }
    stage!(R, cone_rows::collect(layout, constants, state, settings, times, ws)); // limits, boxes, contacts
    if let Solver::ComFree(solver) = &settings.solver {
        stage!(R, comfree::fade(solver, &mut ws.cones));
    }
    stage!(R, first_impulses(layout, ws));
    stage!(R, ws.factor.factor_and_solve(&layout.pattern, &mut ws.x)); // H = L Lᵀ, x ← H⁻¹ x
    std::mem::swap(&mut ws.u, &mut ws.x);
    prepare_reactions(layout, settings, state.alive, ws); // G = J H⁻¹ Jᵀ
    let mut report = stage!(R, blank_report(ws));
    let mut going = state.alive; // a lane that is done is left alone, so that it does not see its neighbours
    let mut undone = R::Mask::splat(false);
    let enough = if layout.holds { settings.rounds[0] } else { 1 };
    for round in 1..=settings.rounds[1] {
        if !ws.cones.groups.is_empty() {
            solve_reactions(layout, constants, settings, going, (times, ws, &mut report));
        }
        stage!(R, motion::end_poses(layout, state, times.drift, ws));
        let gap = stage!(R, rows::gaps(layout, constants, state, held, ws));
        let last = [round >= enough, round == settings.rounds[1]];
        let before = report.gap_metres.max(report.gap_radians);
        going = stage!(R, settings.still_open(last, gap, going, &mut report));
        if round > 1 && going.any() {
            // a step so large that closing its end does not converge: the start's tangent has to do
            let worse = stage!(R, take_back(before, going, ws, &mut report));
            (going, undone) = (going & !worse, undone | worse);
        }
        if last[1] || !going.any() {
            break;
        }
        stage!(R, rows::push_closed(layout, ws));
        solve_factored(layout, ws);
        stage!(R, subtract(layout, (round == 1, going), ws)); // u ← u − H⁻¹Jᵀ S⁻¹ c(q⁺)/Δt
        if let Solver::Padmm(_) = settings.solver {
            stage!(R, cones::set_velocities(layout, ws));
        }
    }
    if undone.any() {
        stage!(R, motion::end_poses(layout, state, times.drift, ws));
        (report.gap_metres, report.gap_radians) = stage!(R, rows::gaps(layout, constants, state, held, ws));
    }
    report
}

/// u⁺ and all reactions by the published method.
fn solve_all_rows<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    (settings, all): (&Settings, &AllRows),
    times: Times<R>,
    (state, ws): (&State<R>, &mut Workspace<R>),
) -> Report<R> {
    stage!(R, cone_rows::collect(layout, constants, state, settings, times, ws));
    stage!(R, all_rows::collect(layout, constants, state, (all, times.drift), ws)); // D = J M⁻¹ Jᵀ + R, v_f
    let mut report = stage!(R, blank_report(ws));
    let outcome = stage!(R, all_rows::iterate(layout, all, state.alive, ws));
    ws.x.fill([R::zero(); 6]);
    stage!(R, cones::add_change(state.alive, outcome, ws, &mut report));
    stage!(R, motion::end_poses(layout, state, times.drift, ws));
    let held = stage!(R, settings.rows(times.drift));
    let gap = stage!(R, rows::gaps(layout, constants, state, held, ws));
    (report.gap_metres, report.gap_radians) = gap;
    report
}

/// What the solver needs to know of the mechanism: G, or what stands for it.
fn prepare_reactions<R: Real>(layout: &Layout, settings: &Settings, alive: R::Mask, ws: &mut Workspace<R>) {
    let solver = match &settings.solver {
        Solver::ComFree(solver) => return stage!(R, comfree::prepare(layout, solver, ws)),
        Solver::Padmm(solver) => solver,
    };
    stage!(R, cones::whiten(layout, ws));
    stage!(R, cones::set_velocities(layout, ws));
    if let Some(pile) = &mut ws.pile {
        ws.cones.places.clear();
        stage!(R, worlds::share_out(false, R::Mask::splat(true), &mut ws.cones));
        return pile.prepare(solver, layout, &ws.factor, &ws.cones);
    }
    stage!(R, cones::sort_out(solver, alive, &mut ws.cones));
    stage!(R, cones::build_matrix(layout, ws));
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
            let law = (times.dt, constants.contact_gain);
            return sweep(layout, solver, law, going, (ws, report));
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
    law: (R, [R; 2]),
    going: R::Mask,
    (ws, report): (&mut Workspace<R>, &mut Report<R>),
) {
    for _ in 0..solver.sweeps {
        stage!(R, comfree::push(layout, solver, law, going, ws));
        stage!(R, cones::push_change(layout, ws));
        solve_factored(layout, ws);
        stage!(R, comfree::add_change(going, ws, report));
    }
}

/// x ← H⁻¹ x
#[inline(never)]
fn solve_factored<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    stage!(R, ws.factor.solve(&layout.pattern, &mut ws.x));
}

/// Where the gap has grown since the last round, the velocities of the first round hold: tangential at the start of the
/// step, which loses energy rather than to gain some. Those lanes are left alone from now on.
#[inline(always)]
fn take_back<R: Real>(before: R, going: R::Mask, ws: &mut Workspace<R>, report: &mut Report<R>) -> R::Mask {
    let now = report.gap_metres.max(report.gap_radians);
    let worse = going & before.lt(now);
    if worse.any() {
        for (u, old) in ws.u.iter_mut().zip(&ws.u_first) {
            for k in 0..6 {
                u[k] = R::select(worse, old[k], u[k]);
            }
        }
        report.converged = report.converged & !worse;
    }
    worse
}

/// u −= x and what pushed it so; the first time, `u_first` keeps the velocities before.
#[inline(always)]
fn subtract<R: Real>(layout: &Layout, (is_first, going): (bool, R::Mask), ws: &mut Workspace<R>) {
    if is_first {
        std::mem::swap(&mut ws.u, &mut ws.u_first);
    }
    for (b, x) in ws.x.iter().enumerate() {
        let before = if is_first { &ws.u_first[b] } else { &ws.u[b] };
        let mut after = [R::zero(); 6];
        for k in 0..6 {
            after[k] = before[k] - R::select(going, x[k], R::zero());
        }
        ws.u[b] = after;
    }
    for (j, joint) in layout.joints.iter().enumerate() {
        for i in 0..joint.kind.row_count() {
            ws.pushed[j][i] -= R::select(going, ws.pushing[j][i], R::zero());
        }
    }
    for (all, last) in ws.coupling_pushed.iter_mut().zip(&ws.coupling_pushing) {
        *all -= R::select(going, *last, R::zero());
    }
}

/// x ← M u⁻ + Δt f + Jᵀ h − Jᵀ S⁻¹ c/Δt + Jᵀ λ with the reactions of the last step.
#[inline(always)]
fn first_impulses<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    ws.x.copy_from_slice(&ws.momentum);
    for (j, joint) in layout.joints.iter().enumerate() {
        let rows = &ws.joints[j];
        let count = joint.kind.row_count();
        let mut amount = rows.rate;
        for i in 0..count {
            amount[i] = -(rows.weight[i] * rows.rate[i]);
        }
        ws.pushed[j] = amount;
        let used = if joint.soft { 6 } else { count };
        rows::push_joint(layout, joint, (rows, used), &amount, &mut ws.x);
    }
    lines::push_impulses(layout, ws);
    cones::push_guess(layout, ws);
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

/// Takes the new state over where it is finite; elsewhere the world keeps its last good one and stands still. The start of the step is
/// in the workspace where the state was moved halfway.
#[inline(always)]
pub(crate) fn finish<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    halfway: bool,
    (state, ws): (&mut State<R>, &Workspace<R>),
    report: &mut Report<R>,
) {
    for b in (0..layout.position.len()).rev() {
        let V = Twist::from_array(ws.u[layout.position[b]]);
        let fine = V.is_finite() & ws.X_next[b].is_finite();
        report.bad_body = R::select(fine, report.bad_body, R::constant(b as f64));
        report.finite = report.finite & fine;
    }
    let moves = report.finite & state.alive;
    for b in 0..layout.position.len() {
        let V = Twist::from_array(ws.u[layout.position[b]]);
        let (X, old) = (ws.X_next[b], if halfway { ws.X_start[b] } else { state.X_WB[b] });
        state.X_WB[b].R = Quat::select(moves, X.R, old.R);
        state.X_WB[b].p = Vec3::select(moves, X.p, old.p);
        let zero = Vec3::zero();
        state.V_WB[b].linear = Vec3::select(moves, V.linear, zero);
        state.V_WB[b].angular = Vec3::select(moves, V.angular, zero);
    }
    if !moves.all() {
        for x in state.scalar_impulse.iter_mut().chain(state.contact_impulse.iter_mut().flatten()) {
            *x = R::select(moves, *x, R::zero());
        }
    }
    state.alive = moves;
    rows::read_coordinates(layout, constants, state);
}
