//! The implicit step: equations of motion, joints, limits, contacts and friction all met at the *end* of the step by
//! the interior point, with slack times force relaxed to κ.
//!
//! | file | what |
//! |---|---|
//! | `mod` | the step |
//! | `accuracy` | how far equations are from met, as velocities and beyond rounding |
//! | `body` | discrete momentum and the map from velocities to end poses |
//! | `held` | joints and couplings at the end of the step |
//! | `end_contact` | a contact as a smooth function of two poses |
//! | `scalar` | limits, speed limits and dry friction of joints |
//! | `matrix` | Newton's matrix, six unknowns per body |
//! | `system` | the equations, as the solver asks for them |
//! | `start` `direction` `result` | where Newton starts, where it goes, what it leaves behind |
//! | `units` | what κ is told in |
//! | `exact` | the step solved to rounding, for derivatives |
//! | `retry` | what is done where Newton fails |
//! | `late_contact` | contacts that only the end of the step shows |
//! | `workspace` | their memory |

mod accuracy;
mod body;
mod direction;
mod end_contact;
mod exact;
mod held;
mod late_contact;
mod matrix;
mod result;
mod retry;
mod scalar;
mod start;
mod system;
mod units;
mod workspace;

#[cfg(feature = "checks")]
pub use body::slopes_of_momentum_and_of_the_end_pose_are_those_of_dual_numbers;
pub use body::{BodyStep, angular_momentum, force_time};
#[cfg(feature = "checks")]
pub use direction::right_hand_side;
pub use end_contact::{EndContact, ROWS};
pub use exact::{Exact, Polish};
pub use held::{End, evaluate_coupling, evaluate_joint};
pub use late_contact::is_searched;
pub use matrix::{all_rows, end_change};
pub use result::store;
pub use scalar::{rate, slack};
pub use start::twists;
pub use system::{System, joint_amounts};
pub use workspace::InteriorWorkspace;

use retry::Retry;

use crate::constants::Constants;
use crate::layout::Layout;
use crate::reactions::collect;
use crate::readout::Readout;
use crate::rows::{self, drives, tendons};
use crate::settings::{Settings, Times};
use crate::state::{Control, State};
use crate::status::Report;
use crate::step::{blank_report, finish, scene::Scene};
use crate::workspace::Workspace;
use bellcrank_math::enter;
use bellcrank_math::{Elem, Mask, Real, Vec3};
use bellcrank_solve::InteriorPoint;

/// Joints that are open by more at the end of a step are not closed, whatever they were told [m and rad].
const MAX_DRIFT: f64 = 1e-4;

/// How often drives may be cut off at their bound, or contacts taken in, and the step taken again.
const ROUNDS: usize = 8;

/// What every stage of an implicit step is told: the mechanism and its numbers, how the step is computed, and how long it is [s].
#[derive(Clone, Copy)]
pub struct Implicit<'a, R: Real> {
    pub layout: &'a Layout,
    pub constants: &'a Constants<R>,
    pub settings: &'a Settings,
    pub point: &'a InteriorPoint,
    pub dt: R,
}

/// Advances the worlds of one block by `dt` [s].
pub fn step<R: Real>(
    scene: &Scene<'_, R>,
    point: &InteriorPoint,
    state: &mut State<R>,
    control: &Control<R>,
    ws: &mut Workspace<R>,
    readout: Option<&mut Readout<R>>,
) -> Report<R> {
    let Scene { layout, constants, settings, .. } = *scene;
    let mut own = match ws.interior.take() {
        Some(own) => own,
        None => Box::new(InteriorWorkspace::new(layout)),
    };
    own.retry.get_or_insert_with(|| Box::new(Retry::new(layout, state))).begin(state);
    let all = Implicit { layout, constants, settings, point, dt: scene.times.dt };
    let (mut report, lost) = whole_step(&all, state, control, ws, &mut own);
    if lost.any() {
        all.retry(lost, state, control, ws, &mut own, &mut report); // never worse than its start
    }
    ws.interior = Some(own);
    if let Some(readout) = readout {
        readout.note(layout, true, R::Mask::splat(true), ws);
    }
    report
}

/// One step as it stands; says in which lanes its end must not be kept.
fn whole_step<R: Real>(
    this: &Implicit<'_, R>,
    state: &mut State<R>,
    control: &Control<R>,
    ws: &mut Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) -> (Report<R>, R::Mask) {
    let Implicit { layout, constants, settings, point, dt } = *this;
    let alive = state.alive;
    ws.X_start.copy_from_slice(&state.X_WB);
    let reach = enter!(R, reach(constants, state, dt, point.reach));
    begin(this, reach, state, control, ws, own);
    let mut report = solve(this, state, control, ws, own);
    // a joint that is open by design, because it was torn, is not closed
    report.converged =
        enter!(R, report.converged & !R::constant(MAX_DRIFT).lt(report.gap_metres.max(report.gap_radians)));
    let mut lost = enter!(R, retry::gains_energy(layout, dt, state, ws, own));
    if (alive & !report.converged).any() {
        lost = lost | enter!(R, retry::is_lost(this, ws, &report));
    }
    enter!(R, store(this, state, ws, own));
    ws.p_rest.fill(Vec3::zero());
    let scene = Scene::of_step(layout, constants, settings, dt);
    finish(&scene, true, state.alive, state, ws, &mut report);
    lost = alive & (lost | !report.finite);
    (report, lost)
}

/// Joints are held this many times stiffer in the matrix than `Settings::softness` says, where numbers have 64 bits.
///
/// Multipliers converge by c/(c + e) per step with c their compliance and e that of what they work against: feet that stick close
/// loops through the ground, and at κ = 1e-6 and 5 N·s their friction yields by e = 1e-7 m/s only.
const STIFFER: f64 = 100.0;

/// See [`STIFFER`]: one where numbers have 32 bits.
pub fn stiffer<R: Real>() -> f64 {
    if R::Elem::EPSILON.to_f64() > 1e-12 { 1.0 } else { STIFFER }
}

/// See [`STIFFER`]; couplings have it from the start.
#[inline(always)]
fn stiffen<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    let more = R::constant(stiffer::<R>());
    for (joint, rows) in layout.joints.iter().zip(&mut ws.joints) {
        for i in 0..joint.kind.row_count() {
            rows.weight[i] *= more;
        }
    }
}

/// What may touch, and all rows at the start of the step.
pub fn begin<R: Real>(
    this: &Implicit<'_, R>,
    reach: R,
    state: &State<R>,
    control: &Control<R>,
    ws: &mut Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) {
    let Implicit { layout, constants, settings, dt, .. } = *this;
    collect::find_within(layout, constants, state, reach, ws); // what may touch?
    let held = enter!(R, settings.rows(dt));
    enter!(R, rows::joint_rows(layout, constants, state, held, ws)); // J at the start
    enter!(R, stiffen(layout, ws));
    push_rows(this, state, control, ws);
    own.collect(this, state, ws);
}

/// What resists and drives along the rows at the start of the step.
pub fn push_rows<R: Real>(
    this: &Implicit<'_, R>,
    state: &State<R>,
    control: &Control<R>,
    ws: &mut Workspace<R>,
) {
    let Implicit { layout, constants, settings, dt, .. } = *this;
    let times = enter!(R, {
        let force = force_time(settings.integrator, state.interval, dt);
        Times { dt: force, drift: dt, damper: force, before: force + force - dt }
    });
    enter!(R, drives::drive_rows(layout, constants, state, control, times, ws)); // λ = h − m q̇⁺
    enter!(R, tendons::tendon_rows(layout, constants, state, control, times, ws));
    // bounds on drives are this step's own business: none is a row
    for row in &mut ws.dofs {
        row.boxed = R::Mask::splat(false);
    }
}

/// Velocities, reactions and end poses, left in the workspaces.
pub fn solve<R: Real>(
    this: &Implicit<'_, R>,
    state: &State<R>,
    control: &Control<R>,
    ws: &mut Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) -> Report<R> {
    let Implicit { layout, constants, settings, point, dt } = *this;
    let mut report = blank_report(ws);
    let force = enter!(R, force_time(settings.integrator, state.interval, dt));
    let mut alive = state.alive;
    for round in 0..ROUNDS {
        enter!(R, drives::set_weights(layout, ws));
        let mut system = System { this: *this, state, control, ws, own };
        system.prepare();
        let solution = match round {
            0 => point.solve(&mut system, alive),
            _ => point.solve_again(&mut system, alive), // little has changed
        };
        enter!(R, result::note(this, alive, &solution, ws, own, &mut report));
        let beyond = enter!(
            R,
            cut_drives(layout, constants, force, ws) | tendons::cut_off(layout, constants, force, ws)
        );
        let late = late_contact::add(this, alive, ws, own);
        alive = enter!(R, alive & (beyond | late)); // a motor beyond its bound: again, with the bound
        if !alive.any() {
            break;
        }
    }
    report.converged = enter!(R, report.converged & !alive);
    report
}

/// How far ahead contacts are looked for [m].
#[inline(always)]
pub fn reach<R: Real>(constants: &Constants<R>, state: &State<R>, dt: R, least: f64) -> R {
    let mut fastest = R::zero();
    for V in &state.V_WB {
        fastest = fastest.max(V.linear.norm_squared());
    }
    let falls = constants.gravity.norm() * dt;
    (fastest.sqrt() + fastest.sqrt() + falls).mul_add(dt, R::constant(least))
}

/// Gives drives that went beyond their bound the bound; true where there was one.
#[inline(always)]
fn cut_drives<R: Real>(layout: &Layout, constants: &Constants<R>, dt: R, ws: &mut Workspace<R>) -> R::Mask {
    let mut beyond = R::Mask::splat(false);
    for (j, joint) in layout.joints.iter().enumerate() {
        for k in 0..joint.kind.dof_count() {
            let rate = scalar::rate(layout, joint, (&ws.joints[j], joint.kind.row_count() + k), &ws.u);
            let (c, row) = (&constants.dofs[joint.first_dof + k], &mut ws.dofs[joint.first_dof + k]);
            let effort = row.drive_mass.neg_mul_add(rate, row.drive_impulse);
            let (low, high) = c.effort.bounds(row.rate, dt);
            let over = R::zero().lt(row.drive_mass) & (effort.lt(low) | high.lt(effort));
            row.drive_impulse = R::select(over, effort.clamp(low, high), row.drive_impulse);
            row.drive_mass = R::select(over, R::zero(), row.drive_mass);
            beyond = beyond | over;
        }
    }
    beyond
}
