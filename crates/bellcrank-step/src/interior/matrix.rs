//! Newton's matrix in body space, six unknowns per body:
//! H = ∂P/∂u + Σ m jᵀj + Σ w J₂ᵀ C + Σ k j₂ᵀ φ′ + Σ (J₃ᵀ W V − ∂(J₃ᵀ f)/∂u).
//!
//! Drives act along rows of the start (symmetric); joints and limits are pushed along rows of the start and met at the end;
//! contacts live at the end altogether, where also the direction and the lever arm of their forces change with u.

use super::Implicit;
use super::end_contact::{EndContact, ROWS};
use super::workspace::{InteriorWorkspace, Place};
use crate::layout::Layout;
use crate::workspace::Workspace;
use bellcrank_math::{Real, Vec3};
use bellcrank_solve::{Block, BlockLu};

/// block += weight · aᵀ b
#[inline(always)]
fn add_outer<R: Real>(block: &mut Block<R>, a: &[R; 6], b: &[R; 6], weight: R) {
    for r in 0..6 {
        let scaled = a[r] * weight;
        for c in 0..6 {
            block[r][c] = scaled.mul_add(b[c], block[r][c]);
        }
    }
}

/// Two bodies of a joint: positions, and the block (successor, predecessor).
#[derive(Clone, Copy)]
struct Two {
    s: usize,
    p: Option<usize>,
    place: Place,
}

/// H += weight · pushᵀ pull for rows on the two bodies of a joint.
#[inline(always)]
fn add_two<R: Real>(
    lu: &mut BlockLu<R>,
    two: Two,
    push: (&[R; 6], &[R; 6]),
    pull: (&[R; 6], &[R; 6]),
    weight: R,
) {
    add_outer(lu.diagonal_mut(two.s), push.0, pull.0, weight);
    let (Some(p), Some((block, s_is_row))) = (two.p, two.place) else { return };
    add_outer(lu.diagonal_mut(p), push.1, pull.1, weight);
    add_outer(lu.block_mut((block, s_is_row)), push.0, pull.1, weight);
    add_outer(lu.block_mut((block, !s_is_row)), push.1, pull.0, weight);
}

/// The equations of motion and everything but contacts.
#[inline(always)]
pub fn fill<R: Real>(this: &Implicit<'_, R>, ws: &Workspace<R>, own: &mut InteriorWorkspace<R>) {
    let Implicit { layout, settings, dt, .. } = *this;
    own.lu.clear();
    for (b, body) in own.bodies.iter().enumerate() {
        let k = layout.position[b];
        let u = &ws.u[k];
        let slope = body.inertia_slope(settings.integrator, Vec3::new(u[3], u[4], u[5]), dt);
        let block = own.lu.diagonal_mut(k);
        for i in 0..3 {
            block[i][i] = body.mass;
            for j in 0..3 {
                block[3 + i][3 + j] = slope.entry(i, j);
            }
        }
    }
    fill_joints(layout, ws, dt, own);
    for (l, line) in layout.lines.iter().enumerate() {
        let (row, count) = (&ws.lines[l], line.bodies.len());
        for i in 0..count {
            for k in 0..count {
                let block = match own.line_place[l][i * count + k] {
                    Some(place) if i != k => own.lu.block_mut(place),
                    _ => own.lu.diagonal_mut(layout.position[line.bodies[i]]),
                };
                add_outer(block, &row.row[i], &row.row[k], row.mass());
            }
        }
    }
    for (c, coupling) in layout.couplings.iter().enumerate() {
        let count = coupling.bodies.len();
        for i in 0..count {
            for k in 0..count {
                let block = match own.coupling_place[c][i * count + k] {
                    Some(place) if i != k => own.lu.block_mut(place),
                    _ => own.lu.diagonal_mut(layout.position[coupling.bodies[i]]),
                };
                add_outer(block, &ws.couplings[c][i], &own.couplings[c].row[k], ws.coupling_weight[c]);
            }
        }
    }
}

#[inline(always)]
#[allow(clippy::manual_map)] // a closure here would lose the instruction set
fn fill_joints<R: Real>(layout: &Layout, ws: &Workspace<R>, dt: R, own: &mut InteriorWorkspace<R>) {
    let two = |j: usize, places: &[Place]| {
        let joint = &layout.joints[j];
        let p = match joint.predecessor {
            Some(p) => Some(layout.position[p]),
            None => None,
        };
        Two { s: layout.position[joint.successor], p, place: places[j] }
    };
    for (j, joint) in layout.joints.iter().enumerate() {
        let (start, end, two) = (&ws.joints[j], &own.joints[j], two(j, &own.joint_place));
        let count = joint.kind.row_count();
        for i in 0..count {
            let (push, pull) = ((&start.s[i], &start.p[i]), (&end.s[i], &end.p[i]));
            add_two(&mut own.lu, two, push, pull, start.weight[i]);
        }
        if joint.soft {
            for i in count..count + joint.kind.dof_count() {
                let row = (&start.s[i], &start.p[i]);
                add_two(&mut own.lu, two, row, row, start.weight[i]);
            }
        }
    }
    for row in &own.pushes {
        let at = layout.scalars[row.scalar].at;
        let i = layout.joints[at.joint].kind.row_count() + at.dof;
        let (start, end) = (&ws.joints[at.joint], &own.joints[at.joint]);
        let (pull, weight) = if row.speed {
            ((&start.s[i], &start.p[i]), row.push.stiffness())
        } else {
            ((&end.s[i], &end.p[i]), row.push.stiffness() * dt)
        };
        add_two(&mut own.lu, two(at.joint, &own.joint_place), (&start.s[i], &start.p[i]), pull, weight);
    }
    for row in &own.rubs {
        let at = layout.scalars[row.scalar].at;
        let i = layout.joints[at.joint].kind.row_count() + at.dof;
        let start = &ws.joints[at.joint];
        let both = (&start.s[i], &start.p[i]);
        let weight = row.rub.linearize().along[0][0];
        add_two(&mut own.lu, two(at.joint, &own.joint_place), both, both, weight);
    }
}

/// Contacts, column by column: a velocity of a body moves its end pose, the contact, and the forces there.
#[inline(always)]
pub fn fill_touches<R: Real>(layout: &Layout, dt: R, own: &mut InteriorWorkspace<R>) {
    let (bodies, lu, places) = (&own.bodies, &mut own.lu, &own.contact_place);
    for touch in &mut own.touches {
        touch.line = touch.rub.linearize();
        let rows: [[[R; 6]; 2]; ROWS] = all_rows(touch);
        let force = touch.force(&touch.reactions());
        let stiffness = touch.push.stiffness();
        for side in if touch.a.is_some() { 0..2 } else { 1..2 } {
            let body = if side == 0 { touch.a.unwrap_or(touch.b) } else { touch.b };
            let turn = bodies[body].turn;
            for j in 0..6 {
                let (dx, dtheta) = end_change(turn, j, dt);
                let mut change = touch.change(side, dx, dtheta, force);
                for k in 0..touch.n {
                    change.rows[k] += rows[k][side][j];
                }
                let answer = touch.answer(&change.rows, stiffness);
                for other in if touch.a.is_some() { 0..2 } else { 1..2 } {
                    let at = if other == 0 { touch.a.unwrap_or(touch.b) } else { touch.b };
                    let block = if other == side {
                        lu.diagonal_mut(layout.position[at])
                    } else if let Some((block, b_is_row)) = places[touch.slot] {
                        lu.block_mut((block, if other == 1 { b_is_row } else { !b_is_row }))
                    } else {
                        continue;
                    };
                    for r in 0..6 {
                        let mut sum = change.wrench[other][r];
                        for k in 0..=touch.n {
                            sum = rows[k][other][r].mul_add(answer[k], sum);
                        }
                        block[r][j] -= R::select(touch.push.acts, sum, R::zero());
                    }
                }
            }
        }
    }
}

/// How a unit of velocity j moves the end pose.
#[inline(always)]
pub fn end_change<R: Real>(turn: bellcrank_math::Mat3<R>, j: usize, dt: R) -> (Vec3<R>, Vec3<R>) {
    let zero = Vec3::zero();
    match j {
        0 => (Vec3::x_axis() * dt, zero),
        1 => (Vec3::y_axis() * dt, zero),
        2 => (Vec3::z_axis() * dt, zero),
        3 => (zero, turn.x * dt),
        4 => (zero, turn.y * dt),
        _ => (zero, turn.z * dt),
    }
}

/// The wrenches of all rows of a contact.
#[inline(always)]
pub fn all_rows<R: Real>(touch: &EndContact<R>) -> [[[R; 6]; 2]; ROWS] {
    let mut rows = [[[R::zero(); 6]; 2]; ROWS];
    for k in 0..=touch.n {
        rows[k] = touch.row(k);
    }
    rows
}
