//! ∂r/∂θ of states and controls by formulas, in any numbers: plain ones, or one world per lane.
//!
//! What dual numbers would find in general follows here from three facts. All rows turn and move with the joint's frames,
//! so that only the moments of a joint's rows need a slope of their own, by three numbers (`joint`). The end pose moves
//! with the start, δx⁺ = δx, δθ⁺ = E δθ, and all that is met at the end has its slope there from Newton's matrix: with
//! δθ⁺ = Δt D δω its rows are (f, Dᵀ n), so that with K = D⁻¹ E a row's slope by (δx, δθ) is (f, Kᵀ (Dᵀ n)). And the
//! discrete momentum L(I, ω) turns with the body, ∂L/∂θ = −[L]× + ∂L/∂ω [ω]× where ω stays.
//!
//! Lines (tendons, motors at sites), contacts whose features slide on their shapes, joints torn open and all parameters are
//! left to dual numbers; [`is_covered`] says whether there is such a thing.

mod body;
mod dofs;
mod joint;
mod slots;

pub(crate) use slots::{Slot, Slots, Square};

use crate::Wrt;
use bellcrank_collide::PairKind;
use bellcrank_math::enter;
use bellcrank_math::{Mask, Real};
use bellcrank_step::constants::{ActuatorConstants, Constants};
use bellcrank_step::interior::{InteriorWorkspace, is_searched};
use bellcrank_step::layout::{DriveLayout, Layout};
use bellcrank_step::settings::{Integrator, Settings};
use bellcrank_step::state::{Control, State};
use bellcrank_step::workspace::Workspace;
use body::BodySlopes;
pub(crate) use body::momentum_slopes;
pub(crate) use dofs::{DofSlopes, read as read_dofs};
pub(crate) use joint::Acting;

/// A solved step.
pub(crate) struct Answer<'a, R: Real> {
    pub layout: &'a Layout,
    pub constants: &'a Constants<R>,
    pub settings: &'a Settings,
    pub dt: R,
    pub state: &'a State<R>,
    pub control: &'a Control<R>,
    pub ws: &'a Workspace<R>,
    pub own: &'a InteriorWorkspace<R>,
}

/// Slopes by the poses and velocities of all bodies, and by controls.
#[derive(Clone, Debug)]
pub(crate) struct Formulas<R> {
    pub slots: Slots<R>,
    pub bodies: Vec<BodySlopes<R>>,
    pub dofs: Vec<DofSlopes<R>>,
}

/// Whether a number is a state or a control.
pub(crate) fn is_state_or_control(wrt: Wrt) -> bool {
    matches!(
        wrt,
        Wrt::Position { .. }
            | Wrt::Rotation { .. }
            | Wrt::LinearVelocity { .. }
            | Wrt::AngularVelocity { .. }
            | Wrt::Effort(_)
            | Wrt::TargetPosition(_)
            | Wrt::TargetVelocity(_)
    )
}

/// Whether a number is a control.
pub(crate) fn is_control(wrt: Wrt) -> bool {
    matches!(wrt, Wrt::Effort(_) | Wrt::TargetPosition(_) | Wrt::TargetVelocity(_))
}

/// Where the formulas hold for this step: no lines, no joint torn open, and contacts by features that are fixed to
/// their shapes.
pub(crate) fn is_covered<R: Real>(answer: &Answer<'_, R>) -> R::Mask {
    let Answer { layout, settings, dt, state, ws, own, .. } = *answer;
    let (zero, mut holds) = (R::zero(), R::Mask::splat(layout.lines.is_empty()));
    for (joint, rows) in layout.joints.iter().zip(&ws.joints) {
        for i in 0..joint.kind.row_count() {
            holds = holds & rows.target[i].abs().le(zero);
        }
    }
    if settings.integrator == Integrator::Variational {
        // formulas know whole intervals only, not a start from velocities of an instant
        holds = holds & (state.interval - R::one()).abs().le(zero);
    }
    // what is deep inside is let out slowly, by where it starts
    let slow = R::constant(-settings.recovery_speed) * dt;
    for touch in &own.touches {
        let at = &layout.contacts[touch.slot];
        let kind = layout.plan.pairs()[at.pair].kind;
        if is_searched(kind) || touch.late {
            continue;
        }
        // a point of the body on a plane of the world
        let fixed = matches!(kind, PairKind::PlaneSphere | PairKind::PlaneCapsule | PairKind::PlaneBox);
        let mut good = R::Mask::splat(fixed && at.a.is_none());
        for touching in ws.touching.iter().filter(|touching| touching.slot == touch.slot) {
            good = good & !touching.contact.distance.lt(slow);
        }
        holds = holds & (good | !touch.push.acts);
    }
    holds
}

impl<R: Real> Formulas<R> {
    pub fn new(layout: &Layout) -> Self {
        Formulas {
            slots: Slots::of(layout),
            bodies: vec![BodySlopes::blank(); layout.position.len()],
            dofs: vec![DofSlopes::default(); layout.dof_count],
        }
    }

    /// All slopes of states.
    pub fn read(&mut self, answer: &Answer<'_, R>) {
        self.slots.set_touches(answer.layout, answer.own);
        let Formulas { slots, bodies, dofs } = self;
        enter!(R, body::read(answer, bodies, slots));
        enter!(R, dofs::read(answer, dofs));
        enter!(R, joint::read(answer, bodies, dofs, slots));
        enter!(R, read_couplings(answer, bodies, slots));
        enter!(R, read_touches(answer, bodies, slots));
    }
}

/// What one unit of a control pushes along the row of its joint; the joint, its degree of freedom and the impulse.
#[inline(always)]
pub(crate) fn control_push<R: Real>(
    answer: &Answer<'_, R>,
    dofs: &[DofSlopes<R>],
    wrt: Wrt,
) -> Option<(usize, usize, R)> {
    let a = match wrt {
        Wrt::Effort(a) | Wrt::TargetPosition(a) | Wrt::TargetVelocity(a) => a,
        _ => return None,
    };
    let DriveLayout::Joint(at) = answer.layout.actuators[a] else { return None };
    let joint = &answer.layout.joints[at.joint];
    let (c, control) = (&answer.constants.actuators[a], answer.control);
    let effort = match wrt {
        Wrt::Effort(_) => c.gain * inside(c, control.effort[a]),
        Wrt::TargetPosition(_) => c.target_kp * inside(c, control.target_position[a]),
        _ => c.target_kd,
    };
    let share = dofs[joint.first_dof + at.dof].drives;
    Some((at.joint, at.dof, c.gear * answer.dt * effort * share))
}

/// One where a control is inside its range.
#[inline(always)]
fn inside<R: Real>(c: &ActuatorConstants<R>, x: R) -> R {
    R::select(c.control_low.lt(x) & x.lt(c.control_high), R::one(), R::zero())
}

/// Couplings are short of Σ coefficient · q⁺; their forces are in the amounts of the joints already.
#[inline(always)]
fn read_couplings<R: Real>(answer: &Answer<'_, R>, bodies: &[BodySlopes<R>], slots: &mut Slots<R>) {
    let inverse_dt = answer.dt.recip();
    for (c, coupling) in answer.layout.couplings.iter().enumerate() {
        for (row, &b) in answer.own.couplings[c].row.iter().zip(&coupling.bodies) {
            let block = &mut slots.pose[b][slots.couplings[c][b].expect("a body of the coupling")].block;
            let six = bodies[b].at_start(row);
            for k in 0..6 {
                block[k][0] = six[k] * inverse_dt;
            }
        }
    }
}

/// Contacts live at the end of the step: their slope by end poses is that of Newton's matrix.
#[inline(always)]
fn read_touches<R: Real>(answer: &Answer<'_, R>, bodies: &[BodySlopes<R>], slots: &mut Slots<R>) {
    for (t, touch) in answer.own.touches.iter().enumerate() {
        let rows = bellcrank_step::interior::all_rows(touch);
        let force = touch.force(&touch.reactions());
        let stiffness = touch.push.stiffness();
        for side in if touch.a.is_some() { 0..2 } else { 1..2 } {
            let body = if side == 0 { touch.a.unwrap_or(touch.b) } else { touch.b };
            for j in 0..6 {
                let (dx, dtheta) = bellcrank_step::interior::end_change(bodies[body].turn, j, R::one());
                let change = touch.change(side, dx, dtheta, force);
                let answer = touch.answer(&change.rows, stiffness);
                for other in if touch.a.is_some() { 0..2 } else { 1..2 } {
                    let slot = if other == side { 0 } else { slots.touches[t][side] };
                    let block = &mut slots.pose[body][slot].block;
                    for r in 0..6 {
                        let mut sum = change.wrench[other][r];
                        for k in 0..=touch.n {
                            sum = rows[k][other][r].mul_add(answer[k], sum);
                        }
                        block[j][r] += R::select(touch.push.acts, sum, R::zero());
                    }
                }
            }
        }
    }
}
