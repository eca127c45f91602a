//! A direction: the right-hand side of Newton's system, and what follows from the change of the velocities.

use super::end_contact::ROWS;
use super::system::{push_contact, push_scalar};
use super::workspace::InteriorWorkspace;
use super::{matrix, scalar};
use crate::layout::Layout;
use crate::rows::{couplings::push_row, drives::row_velocity, push_joint};
use crate::workspace::Workspace;
use bellcrank_math::{Real, Vec3};
use bellcrank_solve::{Aim, MOST_DIRECTIONS};

/// du ← −r − J₂ᵀ w c/Δt + what cones push when nothing moves.
#[inline(always)]
pub fn right_hand_side<R: Real>(
    layout: &Layout,
    aim: Aim<R>,
    ws: &Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) {
    for (x, r) in own.du.iter_mut().zip(&own.residual) {
        for k in 0..6 {
            x[k] = -r[k];
        }
    }
    for (j, joint) in layout.joints.iter().enumerate() {
        let (start, end) = (&ws.joints[j], &own.joints[j]);
        let mut amount = [R::zero(); 6];
        for i in 0..joint.kind.row_count() {
            amount[i] = -(start.weight[i] * end.rest[i]);
        }
        push_joint(layout, joint, (start, joint.kind.row_count()), &amount, &mut own.du);
    }
    for (c, at) in layout.couplings.iter().enumerate() {
        let amount = -(ws.coupling_weight[c] * own.couplings[c].rest);
        push_row(layout, &at.bodies, &ws.couplings[c], amount, &mut own.du);
    }
    let path = own.path;
    for touch in &mut own.touches {
        let (normal, sliding) =
            (path.mu(aim.mu, touch.push.unit, true), path.mu(aim.mu, touch.rub.unit(), false));
        let k0 = touch.push.aim(Aim { mu: normal, ..aim });
        let b0 = touch.rub.aim(Aim { mu: sliding, ..aim }, &touch.line);
        let mut reaction = [R::zero(); ROWS];
        for k in 0..touch.n {
            reaction[k] = (touch.line.across[k] * touch.mu).mul_add(k0, b0[k]);
        }
        reaction[touch.n] = k0;
        push_contact(layout, (touch.a, touch.b), &touch.wrenches(&reaction), R::one(), &mut own.du);
    }
    for row in &mut own.pushes {
        let mu = path.mu(aim.mu, row.push.unit, !row.speed);
        let k0 = row.push.aim(Aim { mu, ..aim });
        push_scalar(layout, row.scalar, k0 * row.sign, ws, &mut own.du);
    }
    for row in &mut own.rubs {
        let line = row.rub.linearize();
        let mu = path.mu(aim.mu, row.rub.unit, false);
        let b0 = row.rub.aim(Aim { mu, ..aim }, &line);
        push_scalar(layout, row.scalar, b0[0], ws, &mut own.du);
    }
}

/// All other directions from that of the velocities.
#[inline(always)]
pub fn follow<R: Real>(layout: &Layout, dt: R, ws: &Workspace<R>, own: &mut InteriorWorkspace<R>) {
    for (j, joint) in layout.joints.iter().enumerate() {
        let (start, end) = (&ws.joints[j], &mut own.joints[j]);
        for i in 0..joint.kind.row_count() {
            let mut rate = row_velocity(&end.s[i], &own.du[layout.position[joint.successor]]);
            if let Some(p) = joint.predecessor {
                rate += row_velocity(&end.p[i], &own.du[layout.position[p]]);
            }
            end.dlambda[i] = -(start.weight[i] * (end.rest[i] + rate));
        }
    }
    for (c, at) in layout.couplings.iter().enumerate() {
        let coupling = &mut own.couplings[c];
        let mut rate = coupling.rest;
        for (row, &body) in coupling.row.iter().zip(&at.bodies) {
            rate += row_velocity(row, &own.du[layout.position[body]]);
        }
        coupling.dlambda = -(ws.coupling_weight[c] * rate);
    }
    for touch in &mut own.touches {
        let rows = matrix::all_rows(touch);
        let force = touch.force(&touch.reactions());
        let mut moved = [R::zero(); ROWS];
        for side in if touch.a.is_some() { 0..2 } else { 1..2 } {
            let body = if side == 0 { touch.a.unwrap_or(touch.b) } else { touch.b };
            let du = &own.du[layout.position[body]];
            let turn = own.bodies[body].turn * Vec3::new(du[3], du[4], du[5]);
            let change = touch.change(side, Vec3::new(du[0], du[1], du[2]) * dt, turn * dt, force);
            for k in 0..=touch.n {
                let direct = row_velocity(&rows[k][side], du);
                moved[k] += change.rows[k] + if k < touch.n { direct } else { R::zero() };
            }
        }
        let (dgamma, b0) = (touch.push.follow(moved[touch.n]), touch.rub.last_aim());
        let (mut db, mut dv) = ([R::zero(); MOST_DIRECTIONS], [R::zero(); MOST_DIRECTIONS]);
        for i in 0..touch.n {
            db[i] = (touch.line.across[i] * touch.mu).mul_add(dgamma, b0[i]);
            for k in 0..touch.n {
                db[i] = touch.line.along[i][k].neg_mul_add(moved[k], db[i]);
            }
            dv[i] = moved[i];
        }
        touch.rub.follow(&db, touch.mu * dgamma, &dv);
    }
    follow_scalars(layout, dt, ws, own);
}

#[inline(always)]
fn follow_scalars<R: Real>(layout: &Layout, dt: R, ws: &Workspace<R>, own: &mut InteriorWorkspace<R>) {
    for row in &mut own.pushes {
        let at = layout.scalars[row.scalar].at;
        let joint = &layout.joints[at.joint];
        let i = joint.kind.row_count() + at.dof;
        let change = if row.speed {
            scalar::rate(layout, joint, (&ws.joints[at.joint], i), &own.du)
        } else {
            let end = &own.joints[at.joint];
            let mut rate = row_velocity(&end.s[i], &own.du[layout.position[joint.successor]]);
            if let Some(p) = joint.predecessor {
                rate += row_velocity(&end.p[i], &own.du[layout.position[p]]);
            }
            rate * dt
        };
        row.push.follow(change * row.sign);
    }
    for row in &mut own.rubs {
        let at = layout.scalars[row.scalar].at;
        let joint = &layout.joints[at.joint];
        let rows = (&ws.joints[at.joint], joint.kind.row_count() + at.dof);
        let (mut db, mut dv) = ([R::zero(); MOST_DIRECTIONS], [R::zero(); MOST_DIRECTIONS]);
        dv[0] = scalar::rate(layout, joint, rows, &own.du);
        db[0] = row.rub.linearize().along[0][0].neg_mul_add(dv[0], row.rub.last_aim()[0]);
        row.rub.follow(&db, R::zero(), &dv);
    }
}
