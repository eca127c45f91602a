//! What κ is told in, row by row: see [`Smoothing`].
//!
//! A contact that carries the impulse γ hovers by κ/γ, and one that sticks at the share ρ of its bound β creeps by κ ρ/(β (1 − ρ²)). Impulses go
//! with mass and step, so that κ has to, too, lest small steps hover and creep more than large ones. The unit of a row is the impulse
//! e (a Δt + v), with a = 10 m/s² what weight is on earth and v the speed at which the row closes, which an impact has to stop; times
//! [`LENGTH`] for what is a length and [`SPEED`] for what is a velocity. e = √(m M) is between the mass of the body that is touched and that of
//! all it is joined to: a foot carries more than itself, a finger less than its robot.

use super::Implicit;
use super::end_contact::EndContact;
use super::workspace::InteriorWorkspace;
use crate::constants::Constants;
use crate::layout::{JointLayout, Layout};
use crate::rows::drives::row_velocity;
use crate::state::State;
use crate::workspace::{JointRows, Workspace};
use bellcrank_math::{Real, Twist};

/// [m/s², or rad/s²]
const ACCELERATION: f64 = 10.0;
/// [m, or rad]
const LENGTH: f64 = 0.1;
/// [m/s, or rad/s]
const SPEED: f64 = 0.1;

/// How a row's μ follows that of the whole, which is told in units of its own.
#[derive(Clone, Copy, Debug)]
pub enum Path<R> {
    /// The same number in units of every row: products fall together.
    Alike,
    /// The same energy in every row, and an energy times Δt where slacks are lengths; κ in units of the row at the end, where μ is κ.
    Energy { dt: R, kappa: R, unit: R },
}

impl<R: Real> Path<R> {
    /// μ of a row with this unit.
    #[inline(always)]
    pub fn mu(&self, mu: R, unit: R, is_length: bool) -> R {
        match *self {
            Path::Alike => mu,
            Path::Energy { dt, kappa, unit: whole } => {
                let above = (mu - kappa) * whole * if is_length { dt } else { R::one() };
                above / unit + kappa
            }
        }
    }
}

/// By body, a number of the part of the mechanism that it is joined to.
pub fn components(layout: &Layout) -> Vec<usize> {
    let mut root: Vec<usize> = (0..layout.position.len()).collect();
    let find = |root: &[usize], mut b: usize| {
        while root[b] != b {
            b = root[b];
        }
        b
    };
    for joint in &layout.joints {
        if let Some(p) = joint.predecessor {
            let (a, b) = (find(&root, p), find(&root, joint.successor));
            root[a.max(b)] = a.min(b);
        }
    }
    (0..root.len()).map(|b| find(&root, b)).collect()
}

/// √(m M) by body.
#[inline(always)]
pub fn sum_masses<R: Real>(constants: &Constants<R>, own: &mut InteriorWorkspace<R>) {
    own.load.fill(R::zero());
    for (body, &k) in constants.bodies.iter().zip(&own.component) {
        own.load[k] += body.mass;
    }
    // the root of a component is its first body: from behind, so that its sum is the last to go
    for b in (0..own.load.len()).rev() {
        own.load[b] = (own.load[own.component[b]] * constants.bodies[b].mass).sqrt();
    }
}

/// The units of all rows.
#[inline(always)]
pub fn set<R: Real>(
    this: &Implicit<'_, R>,
    state: &State<R>,
    ws: &Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) {
    let Implicit { layout, constants, dt, .. } = *this;
    sum_masses(constants, own);
    let (weight, speed) = (dt * R::constant(ACCELERATION), R::constant(SPEED));
    let mut largest = R::constant(1e-30);
    for touch in &mut own.touches {
        let closing = closing_speed(touch, state);
        let impulse = touched_mass(&own.load, touch.a, touch.b) * (weight + closing);
        touch.set_unit(impulse);
        largest = largest.max(R::select(touch.push.acts, impulse * speed, R::zero()));
    }
    for row in &mut own.pushes {
        let at = layout.scalars[row.scalar].at;
        let joint = &layout.joints[at.joint];
        let rows = (&ws.joints[at.joint], joint.kind.row_count() + at.dof);
        let rate = start_rate(joint, rows, state);
        let carried = own.load[joint.successor] / constants.bodies[joint.successor].mass;
        let armature = constants.dofs[joint.first_dof + at.dof].armature;
        let mass = constants.joints[at.joint].dof_weight[at.dof].mul_add(carried, armature);
        let closing = if row.speed { R::zero() } else { (-(rate * row.sign)).max(R::zero()) };
        let impulse = (mass * (weight + closing)).max(R::constant(1e-30));
        row.push.unit = impulse * if row.speed { speed } else { R::constant(LENGTH) };
        largest = largest.max(R::select(row.push.acts, impulse * speed, R::zero()));
    }
    for row in &mut own.rubs {
        // how far dry friction can go is known
        row.rub.unit = R::select(row.rub.acts, row.bound * speed, R::one());
        largest = largest.max(R::select(row.rub.acts, row.rub.unit, R::zero()));
    }
    own.unit = largest;
}

/// The unit of a contact that comes in late.
#[inline(always)]
pub fn set_late<R: Real>(touch: &mut EndContact<R>, dt: R, V_WB: [Twist<R>; 2], load: &[R]) {
    let impulse = touched_mass(load, touch.a, touch.b) * dt * R::constant(ACCELERATION);
    let [a, b] = V_WB;
    let closing = (b.linear - a.linear).dot(touch.axes.z).min(R::zero());
    touch.set_unit(touched_mass(load, touch.a, touch.b).neg_mul_add(closing, impulse));
}

/// q̇ of a degree of freedom before the step.
#[inline(always)]
fn start_rate<R: Real>(joint: &JointLayout, (rows, i): (&JointRows<R>, usize), state: &State<R>) -> R {
    let mut rate = row_velocity(&rows.s[i], &state.V_WB[joint.successor].to_array());
    if let Some(p) = joint.predecessor {
        rate += row_velocity(&rows.p[i], &state.V_WB[p].to_array());
    }
    rate
}

/// What two bodies weigh to each other.
#[inline(always)]
fn touched_mass<R: Real>(load: &[R], a: Option<usize>, b: usize) -> R {
    match a {
        Some(a) => (load[a].recip() + load[b].recip()).recip(),
        None => load[b],
    }
}

/// How fast a contact closes at the start of the step.
#[inline(always)]
fn closing_speed<R: Real>(touch: &mut EndContact<R>, state: &State<R>) -> R {
    let V_a = match touch.a {
        Some(a) => state.V_WB[a],
        None => Twist::zero(),
    };
    touch.place(&state.X_WB, [V_a, state.V_WB[touch.b]]);
    touch.opening_speed().min(R::zero()).abs()
}

impl<R: Real> EndContact<R> {
    /// Products of the normal are told in this impulse times a length, those of friction times a speed.
    #[inline(always)]
    fn set_unit(&mut self, impulse: R) {
        self.push.unit = impulse * R::constant(LENGTH);
        self.rub.set_unit(impulse * R::constant(SPEED));
    }
}
