//! How far the equations are from met, in a measure that knows neither masses nor precision.
//!
//! What is left of a body's equation of motion is the velocity that the body is off by, r/m and I⁻¹ r: an impulse of 1e-8 N·s is nothing to a
//! robot and everything to a grain. It is known no better than the sum of the absolute values of its terms, times rounding (Higham,
//! Accuracy and Stability of Numerical Algorithms, 4.2): a light link under a heavy load cannot do better than the load's
//! reaction, rounded. A joint's gap, likewise, is known no better than the positions whose difference it is.

use super::workspace::InteriorWorkspace;
use crate::layout::{JointLayout, Layout};
use crate::workspace::Workspace;
use bellcrank_math::{Elem, Pose, Real, Sym3, Vec3};

/// Roundings that an equation of motion may be off by, of the sum of its terms' absolute values.
const ROUNDINGS: f64 = 8.0;
/// Roundings of a position or a quaternion that a gap may be off by: two poses, products of two quaternions each.
const GAP_ROUNDINGS: f64 = 4.0;

/// The largest velocity that a body is off by, beyond rounding [m/s or rad/s].
#[inline(always)]
pub fn off_by<R: Real>(layout: &Layout, own: &InteriorWorkspace<R>) -> R {
    let known = R::constant(ROUNDINGS * R::Elem::EPSILON.to_f64());
    let mut worst = R::zero();
    for (b, body) in own.bodies.iter().enumerate() {
        let k = layout.position[b];
        let mut rest = [R::zero(); 6];
        for i in 0..6 {
            let (r, rounding) = (own.residual[k][i], known * own.size[k][i]);
            rest[i] = r - r.clamp(-rounding, rounding);
        }
        let off = Vec3::new(rest[0], rest[1], rest[2]) * body.mass.recip();
        worst = worst.max(off.x.abs()).max(off.y.abs()).max(off.z.abs());
        // of an inertia of about one: those of grains have determinants below the least number of 32 bits
        let scale = (body.inertia.x.x + body.inertia.y.y + body.inertia.z.z).recip();
        let mobility = Sym3::from_upper(body.inertia * scale).inverse();
        let turn = mobility * (Vec3::new(rest[3], rest[4], rest[5]) * scale);
        worst = worst.max(turn.x.abs()).max(turn.y.abs()).max(turn.z.abs());
    }
    worst
}

/// What rounding makes of a joint's gap [m or rad].
#[inline(always)]
pub fn gap_rounding<R: Real>(joint: &JointLayout, X_WB: &[Pose<R>]) -> R {
    let mut far = R::one();
    far = far.max(X_WB[joint.successor].p.norm_squared());
    if let Some(p) = joint.predecessor {
        far = far.max(X_WB[p].p.norm_squared());
    }
    far.sqrt() * R::constant(GAP_ROUNDINGS * R::Elem::EPSILON.to_f64())
}

/// Adds the absolute values of what joints, couplings and lines push with; momenta are there already.
#[inline(always)]
pub fn sum_sizes<R: Real>(layout: &Layout, ws: &Workspace<R>, own: &mut InteriorWorkspace<R>) {
    for (j, joint) in layout.joints.iter().enumerate() {
        let (start, rows) = (&ws.joints[j], &own.joints[j]);
        let (amount, used) = super::joint_amounts(layout, joint, start, &rows.lambda, &ws.u);
        for i in 0..used {
            add(&mut own.size[layout.position[joint.successor]], &start.s[i], amount[i]);
            if let Some(p) = joint.predecessor {
                add(&mut own.size[layout.position[p]], &start.p[i], amount[i]);
            }
        }
    }
    for (c, at) in layout.couplings.iter().enumerate() {
        for (row, &body) in ws.couplings[c].iter().zip(&at.bodies) {
            add(&mut own.size[layout.position[body]], row, own.couplings[c].lambda);
        }
    }
    for (line, row) in layout.lines.iter().zip(&ws.lines) {
        let rate = crate::rows::tendons::end_rate(layout, line, row, &ws.u);
        let amount = row.mass().mul_add(rate, -row.impulse());
        for (j, &body) in row.row.iter().zip(&line.bodies) {
            add(&mut own.size[layout.position[body]], j, amount);
        }
    }
    let pushes = own.pushes.iter().map(|row| (row.scalar, row.push.gamma));
    let rubs = own.rubs.iter().map(|row| (row.scalar, row.rub.b[0]));
    for (scalar, force) in pushes.chain(rubs) {
        let at = layout.scalars[scalar].at;
        let joint = &layout.joints[at.joint];
        let (rows, i) = (&ws.joints[at.joint], joint.kind.row_count() + at.dof);
        add(&mut own.size[layout.position[joint.successor]], &rows.s[i], force);
        if let Some(p) = joint.predecessor {
            add(&mut own.size[layout.position[p]], &rows.p[i], force);
        }
    }
}

/// The same of a contact's wrenches.
#[inline(always)]
pub fn add_contact<R: Real>(
    layout: &Layout,
    (a, b): (Option<usize>, usize),
    wrench: &[[R; 6]; 2],
    size: &mut [[R; 6]],
) {
    add(&mut size[layout.position[b]], &wrench[1], R::one());
    if let Some(a) = a {
        add(&mut size[layout.position[a]], &wrench[0], R::one());
    }
}

/// size += |row · amount|
#[inline(always)]
fn add<R: Real>(size: &mut [R; 6], row: &[R; 6], amount: R) {
    for k in 0..6 {
        size[k] += (row[k] * amount).abs();
    }
}
