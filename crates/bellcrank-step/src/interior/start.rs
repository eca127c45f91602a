//! Where Newton starts: at the last step's answer, inside all cones near it, or in their middle; and how it goes on along the central path.

use super::Implicit;
use super::held::{self, End};
use super::scalar;
use super::workspace::InteriorWorkspace;
use crate::layout::Layout;
use crate::state::State;
use crate::workspace::Workspace;
use bellcrank_math::{Real, Twist};
use bellcrank_solve::{MOST_DIRECTIONS, Start};

/// Velocities of a contact's bodies.
#[inline(always)]
pub fn twists<R: Real>(layout: &Layout, (a, b): (Option<usize>, usize), u: &[[R; 6]]) -> [Twist<R>; 2] {
    let on_a = match a {
        Some(a) => Twist::from_array(u[layout.position[a]]),
        None => Twist::zero(),
    };
    [on_a, Twist::from_array(u[layout.position[b]])]
}

/// Where the pairs of the masked lanes begin, and how far from the boundary of their cones at least.
pub struct First<R: Real> {
    pub lanes: R::Mask,
    pub from: Start,
    pub away: R,
}

/// The first slacks and forces of contacts: those of the last step, as they are or kept away from the boundary; or one.
#[inline(always)]
pub fn place_touches<R: Real>(
    layout: &Layout,
    state: &State<R>,
    first: &First<R>,
    ws: &Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) {
    let First { lanes, from, away } = *first;
    for touch in &mut own.touches {
        let (distance, v) = touch.place(&ws.X_next, twists(layout, (touch.a, touch.b), &ws.u));
        let zero = [R::zero(); MOST_DIRECTIONS];
        touch.rub.set_scaled(from == Start::Middle);
        if from == Start::Middle {
            touch.push.place(lanes, R::zero(), R::zero(), away);
            touch.rub.place(lanes, (R::zero(), &zero), &zero, away);
            continue;
        }
        let last = state.contact_impulse[touch.slot];
        let mut b = zero;
        for k in 0..touch.n {
            b[k] = if k < 2 {
                last[k]
            } else {
                let arm = touch.arms[k - 2];
                let some = R::zero().lt(arm);
                R::select(some, last[k + 1] / R::select(some, arm, R::one()), R::zero())
            };
        }
        if from == Start::Last {
            touch.push.take(lanes, distance, last[2]);
            touch.rub.take(lanes, (touch.mu * last[2], &b), &v);
            continue;
        }
        touch.push.place(lanes, distance, last[2], away);
        touch.rub.place(lanes, (touch.mu * touch.push.gamma, &b), &v, away);
    }
}

#[inline(always)]
pub fn place_scalars<R: Real>(
    this: &Implicit<'_, R>,
    state: &State<R>,
    first: &First<R>,
    ws: &Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) {
    let Implicit { layout, constants, dt, .. } = *this;
    let First { lanes, from, away } = *first;
    let zero = [R::zero(); MOST_DIRECTIONS];
    let end = End { X_WB: &ws.X_next, bodies: &own.bodies, inverse_dt: dt.recip() };
    for row in &mut own.pushes {
        if from == Start::Middle {
            row.push.place(lanes, R::zero(), R::zero(), away);
            continue;
        }
        let j = layout.scalars[row.scalar].at.joint;
        let target = &ws.joints[j].target;
        held::evaluate_joint(&layout.joints[j], &constants.joints[j], &end, target, true, &mut own.joints[j]);
        let slack = scalar::slack(layout, row, &ws.joints, &own.joints, state, &ws.u);
        let gamma = state.scalar_impulse[row.scalar];
        match from {
            Start::Last => row.push.take(lanes, slack, gamma),
            _ => row.push.place_far(lanes, slack, gamma, away),
        }
    }
    for row in &mut own.rubs {
        row.rub.scaled = from == Start::Middle;
        if from == Start::Middle {
            row.rub.place(lanes, (R::zero(), &zero), &zero, away);
            continue;
        }
        let at = layout.scalars[row.scalar].at;
        let joint = &layout.joints[at.joint];
        let rows = (&ws.joints[at.joint], joint.kind.row_count() + at.dof);
        let (mut v, mut b) = (zero, zero);
        v[0] = scalar::rate(layout, joint, rows, &ws.u);
        b[0] = state.scalar_impulse[row.scalar];
        match from {
            Start::Last => row.rub.take(lanes, (row.bound, &b), &v),
            _ => row.rub.place(lanes, (row.bound, &b), &v, away),
        }
    }
}

/// Notes the iterate, from which a direction goes.
#[inline(always)]
pub fn save_iterate<R: Real>(ws: &Workspace<R>, own: &mut InteriorWorkspace<R>) {
    own.from.copy_from_slice(&ws.u);
    for rows in &mut own.joints {
        rows.from = rows.lambda;
    }
    for coupling in &mut own.couplings {
        coupling.from = coupling.lambda;
    }
    for touch in &mut own.touches {
        touch.push.save_iterate();
        touch.rub.save_iterate();
    }
    for row in &mut own.pushes {
        row.push.save_iterate();
    }
    for row in &mut own.rubs {
        row.rub.save_iterate();
    }
}

/// Takes a share of the direction from what was noted, and all pairs to where their product is μ.
#[inline(always)]
pub fn project_to_path<R: Real>(
    lanes: R::Mask,
    share: R,
    mu: R,
    ws: &mut Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) {
    let path = own.path;
    for (u, (from, du)) in ws.u.iter_mut().zip(own.from.iter().zip(&own.du)) {
        for k in 0..6 {
            u[k] = R::select(lanes, share.mul_add(du[k], from[k]), u[k]);
        }
    }
    for rows in &mut own.joints {
        for i in 0..6 {
            let next = share.mul_add(rows.dlambda[i], rows.from[i]);
            rows.lambda[i] = R::select(lanes, next, rows.lambda[i]);
        }
    }
    for c in &mut own.couplings {
        c.lambda = R::select(lanes, share.mul_add(c.dlambda, c.from), c.lambda);
    }
    for touch in &mut own.touches {
        touch.push.project_to_path(lanes, share, path.mu(mu, touch.push.unit, true));
        let sliding = path.mu(mu, touch.rub.unit(), false);
        touch.rub.project_to_path(lanes, share, sliding, touch.mu * touch.push.gamma);
    }
    for row in &mut own.pushes {
        row.push.project_to_path(lanes, share, path.mu(mu, row.push.unit, !row.speed));
    }
    for row in &mut own.rubs {
        row.rub.project_to_path(lanes, share, path.mu(mu, row.rub.unit, false), row.bound);
    }
}
