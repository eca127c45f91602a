//! What is done where Newton does not find the end of a step: nothing that is worse than its start is kept.
//!
//! A linkage that folds, or links of grams under a hundredweight, may have no end of a step of that length that Newton finds. Such
//! worlds take the step as two, four, eight or thirty-two shorter ones; where that fails too, by the default method, and where that tears joints open,
//! they stay where they are and lose half their velocity, until a step is found. Neither is taken for exact. All lanes compute along, and each takes what its own mask says.

use super::body::turns_too_far;
use super::workspace::InteriorWorkspace;
use super::{Implicit, whole_step};
use crate::constants::Constants;
use crate::layout::Layout;
use crate::readout::{Metrics, Readout};
use crate::rows::{drives::row_velocity, joint_pose};
use crate::settings::{Integrator, Method, Settings};
use crate::state::{Control, State};
use crate::status::Report;
use crate::step::{scene::Scene, step};
use crate::workspace::Workspace;
use bellcrank_math::enter;
use bellcrank_math::{Mask, Pose, Real, Twist, Vec3};
use bellcrank_model::kinematics;

/// How many shorter steps a step is taken as.
const PARTS: [usize; 4] = [2, 4, 8, 32];
/// What bodies may fall with from rest in a step [m/s²], twice their weight.
const FALL: f64 = 20.0;
/// A joint may be left open by this, or by as much as it was before [m and rad].
const OPEN: f64 = 1e-6;
/// A body may be off by what this acceleration makes of its velocity in the step [m/s² and rad/s²]: a tenth of its weight.
const OFF: f64 = 1.0;

/// Joints may do this share of the kinetic energy as work, by which a step that is long for the mechanism is off.
const GAINED: f64 = 0.1;
/// Wider open the default method must not leave a joint [m and rad].
const MAX_DRIFT: f64 = 1e-3;

/// Where steps began and what is kept of them.
#[derive(Clone, Debug)]
pub struct Retry<R: Real> {
    start: State<R>,
    kept: State<R>,
    readout: Readout<R>,
    other: Readout<R>,
}

impl<R: Real> Retry<R> {
    pub fn new(layout: &Layout, state: &State<R>) -> Self {
        let readout = Readout::blank(layout);
        Retry { start: state.clone(), kept: state.clone(), other: readout.clone(), readout }
    }

    /// Notes where a step begins.
    pub fn begin(&mut self, state: &State<R>) {
        self.start.copy_from(state);
    }
}

/// Lanes in which joints do more work than rounding and the length of the step explain: what they hold does not move, so that they do none.
/// Near a change point Newton may well converge to another branch, with an energy that comes from nowhere.
#[inline(always)]
pub fn gains_energy<R: Real>(
    layout: &Layout,
    dt: R,
    state: &State<R>,
    ws: &Workspace<R>,
    own: &InteriorWorkspace<R>,
) -> R::Mask {
    let fall = dt * R::constant(FALL);
    let (half, mut before, mut after, mut work) = (R::constant(0.5), R::zero(), R::zero(), R::zero());
    for (b, body) in own.bodies.iter().enumerate() {
        let (old, new) = (state.V_WB[b], Twist::from_array(ws.u[layout.position[b]]));
        before = (fall * fall).mul_add(body.mass, before);
        before += old.linear.norm_squared() * body.mass + old.angular.dot(body.inertia * old.angular);
        after += new.linear.norm_squared() * body.mass + new.angular.dot(body.inertia * new.angular);
    }
    for (j, joint) in layout.joints.iter().enumerate() {
        let (start, rows) = (&ws.joints[j], &own.joints[j]);
        for i in 0..joint.kind.row_count() {
            let mut rate = super::rate(layout, joint, (start, i), &ws.u);
            rate += row_velocity(&start.s[i], &state.V_WB[joint.successor].to_array());
            if let Some(p) = joint.predecessor {
                rate += row_velocity(&start.p[i], &state.V_WB[p].to_array());
            }
            work = (rows.lambda[i] * half).mul_add(rate, work);
        }
    }
    // twice the energies: before, as if all fell besides, and after
    ((before + after) * (half * R::constant(GAINED))).lt(work)
}

/// The largest gaps of joints at these poses [m, rad].
#[inline(always)]
fn gaps<R: Real>(layout: &Layout, constants: &Constants<R>, X_WB: &[Pose<R>]) -> (R, R) {
    let (mut metres, mut radians) = (R::zero(), R::zero());
    for (joint, c) in layout.joints.iter().zip(&constants.joints) {
        let gap = kinematics::residual(joint.kind, joint_pose(joint, c, X_WB).2);
        let (mut far, mut turned) = (R::zero(), R::zero());
        for i in 0..joint.kind.row_count() {
            let sum = if i < joint.kind.position_row_count() { &mut far } else { &mut turned };
            *sum = gap[i].mul_add(gap[i], *sum);
        }
        (metres, radians) = (metres.max(far), radians.max(turned));
    }
    (metres.sqrt(), radians.sqrt())
}

/// Lanes whose step must not be kept: it has not converged, and it ends with joints wider open than they were, with velocities that no force
/// explains, with a body turned too far, or in no number.
#[inline(always)]
pub fn is_lost<R: Real>(this: &Implicit<'_, R>, ws: &Workspace<R>, report: &Report<R>) -> R::Mask {
    let (metres, radians) = gaps(this.layout, this.constants, &ws.X_start);
    let open = metres.max(radians).max(R::constant(OPEN));
    let good =
        report.gap_metres.max(report.gap_radians).le(open) & report.residual.le(this.dt * R::constant(OFF));
    let mut lost = !good;
    for u in &ws.u {
        lost = lost | turns_too_far(this.settings.integrator, Vec3::new(u[3], u[4], u[5]), this.dt);
    }
    !report.converged & lost
}

impl<R: Real> Implicit<'_, R> {
    /// Takes the step again in the lanes that have lost it.
    pub fn retry(
        &self,
        mut lost: R::Mask,
        state: &mut State<R>,
        control: &Control<R>,
        ws: &mut Workspace<R>,
        own: &mut InteriorWorkspace<R>,
        report: &mut Report<R>,
    ) {
        let Some(mut retry) = own.retry.take() else { return };
        retry.kept.copy_from(state);
        retry.readout.note(self.layout, true, R::Mask::splat(true), ws);
        for parts in PARTS {
            state.copy_from(&retry.start);
            let share = R::constant(parts as f64);
            enter!(R, state.interval *= share);
            let (found, failed) = self.step_in_parts(parts, state, control, ws, own);
            enter!(R, state.interval = state.interval / share);
            let done = lost & !failed;
            // impulses of the last part, as if they were of the whole
            self.keep(&mut retry, done, share, state, ws);
            enter!(R, report.take(done, &found));
            lost = lost & failed;
            if !lost.any() {
                break;
            }
        }
        if lost.any() {
            state.copy_from(&retry.start);
            let mut found = self.step_by_default(state, control, ws, &mut retry.other);
            enter!(R, choose(lost, R::one(), &retry.other, &mut retry.readout));
            enter!(R, state.interval = R::one());
            enter!(R, self.stand(&retry.start, lost & found.finite, state, &mut found));
            retry.kept.take(lost, state);
            enter!(R, report.take(lost, &found));
        }
        state.copy_from(&retry.kept);
        enter!(R, leave(self.layout, &retry.readout, ws));
        own.retry = Some(retry);
    }

    /// So many shorter steps; says where one of them was lost.
    fn step_in_parts(
        &self,
        parts: usize,
        state: &mut State<R>,
        control: &Control<R>,
        ws: &mut Workspace<R>,
        own: &mut InteriorWorkspace<R>,
    ) -> (Report<R>, R::Mask) {
        let part = Implicit { dt: enter!(R, self.dt * R::constant(1.0 / parts as f64)), ..*self };
        let (mut sum, mut failed) = whole_step(&part, state, control, ws, own);
        for _ in 1..parts {
            let (report, lost) = whole_step(&part, state, control, ws, own);
            failed = failed | lost;
            enter!(R, sum.follow(&report));
        }
        (sum, failed)
    }

    /// The default method's step, which is never taken for the exact one.
    fn step_by_default(
        &self,
        state: &mut State<R>,
        control: &Control<R>,
        ws: &mut Workspace<R>,
        readout: &mut Readout<R>,
    ) -> Report<R> {
        let settings = Settings {
            method: Method::Eliminate,
            integrator: Integrator::SemiImplicitEuler,
            ..*self.settings
        };
        let scene = Scene::of_step(self.layout, self.constants, &settings, self.dt);
        let mut report = step(&scene, state, control, ws, Some(readout));
        report.converged = R::Mask::splat(false);
        report
    }

    /// Where joints are torn open that were not, or kinetic energy more than doubles, the world stays where it was and loses half its velocity.
    #[inline(always)]
    fn stand(&self, start: &State<R>, lanes: R::Mask, state: &mut State<R>, report: &mut Report<R>) {
        let before = gaps(self.layout, self.constants, &start.X_WB);
        let open = before.0.max(before.1).max(R::constant(MAX_DRIFT));
        let two = R::constant(2.0);
        let most = two * (self.kinetic(start, R::zero()) + self.kinetic(start, self.dt * R::constant(FALL)));
        let faster = most.lt(self.kinetic(state, R::zero()));
        let torn = lanes & (faster | open.lt(report.gap_metres.max(report.gap_radians)));
        if !torn.any() {
            return;
        }
        state.take(torn, start);
        let half = R::select(torn, R::constant(0.5), R::one());
        for V in &mut state.V_WB {
            *V = Twist::new(V.linear * half, V.angular * half);
        }
        report.gap_metres = R::select(torn, before.0, report.gap_metres);
        report.gap_radians = R::select(torn, before.1, report.gap_radians);
    }

    /// Twice the kinetic energy of a state, and what it would be with all bodies at this speed if that is not zero.
    #[inline(always)]
    fn kinetic(&self, state: &State<R>, speed: R) -> R {
        let mut sum = R::zero();
        for (body, (X, V)) in self.constants.bodies.iter().zip(state.X_WB.iter().zip(&state.V_WB)) {
            let spin = X.R.rotate_inverse(V.angular);
            let own = V.linear.norm_squared() * body.mass + spin.dot(body.inertia * spin);
            sum += R::select(R::zero().lt(speed), body.mass * speed * speed, own);
        }
        sum
    }

    /// Takes state and reactions over in the masked lanes.
    fn keep(&self, retry: &mut Retry<R>, lanes: R::Mask, share: R, state: &State<R>, ws: &Workspace<R>) {
        if lanes.any() {
            retry.kept.take(lanes, state);
            retry.other.note(self.layout, true, R::Mask::splat(true), ws);
            enter!(R, choose(lanes, share, &retry.other, &mut retry.readout));
        }
    }
}

/// The masked lanes of another read-out, times a number.
#[inline(always)]
fn choose<R: Real>(lanes: R::Mask, share: R, other: &Readout<R>, kept: &mut Readout<R>) {
    for (mine, theirs) in kept.joint_impulse.iter_mut().zip(&other.joint_impulse) {
        for i in 0..6 {
            mine[i] = R::select(lanes, theirs[i] * share, mine[i]);
        }
    }
    for (mine, theirs) in kept.drive_impulse.iter_mut().zip(&other.drive_impulse) {
        *mine = R::select(lanes, *theirs * share, *mine);
    }
    for (mine, theirs) in kept.line_impulse.iter_mut().zip(&other.line_impulse) {
        *mine = R::select(lanes, *theirs * share, *mine);
    }
}

/// Leaves in the workspace what those who read it shall find: impulses that depend on nothing any more.
#[inline(always)]
fn leave<R: Real>(layout: &Layout, readout: &Readout<R>, ws: &mut Workspace<R>) {
    ws.cones.groups.clear();
    ws.fresh.fill([R::zero(); 6]);
    ws.reaction.copy_from_slice(&readout.joint_impulse);
    for (row, impulse) in ws.dofs.iter_mut().zip(&readout.drive_impulse) {
        (row.drive_mass, row.drive_impulse) = (R::zero(), *impulse);
        row.boxed = R::Mask::splat(false);
    }
    for (row, line) in ws.lines.iter_mut().zip(&layout.lines) {
        row.cut = R::Mask::splat(true);
        for &a in &line.motors {
            row.bound = readout.line_impulse[a];
        }
    }
}

impl<R: Real> Report<R> {
    /// The masked lanes of another report; iterations come on top.
    #[inline(always)]
    fn take(&mut self, lanes: R::Mask, other: &Self) {
        let choose = |theirs: R, mine: R| R::select(lanes, theirs, mine);
        self.iterations += R::select(lanes, other.iterations, R::zero());
        self.gap_metres = choose(other.gap_metres, self.gap_metres);
        self.gap_radians = choose(other.gap_radians, self.gap_radians);
        self.residual = choose(other.residual, self.residual);
        self.penetration = choose(other.penetration, self.penetration);
        self.contacts = choose(other.contacts, self.contacts);
        self.wanted = choose(other.wanted, self.wanted);
        self.bad_body = choose(other.bad_body, self.bad_body);
        self.converged = (self.converged & !lanes) | (other.converged & lanes);
        self.finite = (self.finite & !lanes) | (other.finite & lanes);
        let (mine, theirs) = (self.metrics, other.metrics);
        self.metrics = Metrics {
            equation_of_motion: choose(theirs.equation_of_motion, mine.equation_of_motion),
            primal: choose(theirs.primal, mine.primal),
            dual: choose(theirs.dual, mine.dual),
            complementarity: choose(theirs.complementarity, mine.complementarity),
            natural_map: choose(theirs.natural_map, mine.natural_map),
        };
    }

    /// The report of two steps after each other: where they lead, and the worst of them.
    #[inline(always)]
    fn follow(&mut self, next: &Self) {
        *self = Report {
            iterations: self.iterations + next.iterations,
            residual: self.residual.max(next.residual),
            penetration: self.penetration.max(next.penetration),
            converged: self.converged & next.converged,
            finite: self.finite & next.finite,
            bad_body: R::select(self.finite, next.bad_body, self.bad_body),
            ..*next
        };
    }
}
