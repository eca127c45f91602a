//! Bodies and contacts: what they are short of when they are moved before, at the start and at the end of the step.

use super::{BEFORE, Block, END, Push, START, add_block};
use crate::formulas::{Answer, momentum_slopes};
use crate::minimal::Interval;
use bellcrank_math::{Mat3, Real, Vec3};
use bellcrank_step::interior::{EndContact, all_rows, end_change};

/// How the velocities of a body follow from where it is: δω⁺ = N (δθ⁺ − E δθ), δω = L (δθ − Q δθ⁻).
#[derive(Clone, Copy, Debug)]
pub(super) struct Turns<R> {
    pub E: Mat3<R>,
    pub Q: Mat3<R>,
    /// N = D⁻¹/Δt of the step, L that of the interval before it.
    pub next: Mat3<R>,
    pub last: Mat3<R>,
}

impl<R: Real> Turns<R> {
    pub fn blank() -> Self {
        let one = Mat3::identity();
        Turns { E: one, Q: one, next: one, last: one }
    }
}

/// The equations of motion of all bodies by themselves. With δv⁺ = (δx⁺ − δx)/Δt, δv = (δx − δx⁻)/Δt and the turns above,
/// −m δv⁺ + m δv and −L⁺′ δω⁺ + L⁻′ δω + T δθ.
#[inline(always)]
pub(super) fn read_bodies<R: Real>(
    answer: &Answer<'_, R>,
    interval: &Interval<R>,
    turns: &mut [Turns<R>],
    blocks: &mut [Vec<Block<R>>; 3],
) {
    let inverse_dt = answer.dt.recip();
    for (b, body) in answer.own.bodies.iter().enumerate() {
        let (momentum, (Q, D)) = (momentum_slopes(answer, b), interval.turns[b]);
        let (next, last) = (body.turn.inverse() * inverse_dt, D.inverse() * inverse_dt);
        turns[b] = Turns { E: momentum.turn, Q, next, last };
        let (leaves, arrives) = (momentum.by_next * next, momentum.by_last * last);
        let (at_start, before) = (leaves * momentum.turn + arrives + momentum.turned, arrives * Q);
        let m = body.mass * inverse_dt;
        for time in [BEFORE, START, END] {
            blocks[time][b] = [[R::zero(); 6]; 6];
        }
        for i in 0..3 {
            blocks[BEFORE][b][i][i] = -m;
            blocks[START][b][i][i] = m + m;
            blocks[END][b][i][i] = -m;
            for k in 0..3 {
                blocks[BEFORE][b][3 + i][3 + k] = -before.entry(i, k);
                blocks[START][b][3 + i][3 + k] = at_start.entry(i, k);
                blocks[END][b][3 + i][3 + k] = -leaves.entry(i, k);
            }
        }
    }
}

/// What a contact pushes on one of its bodies, by the end pose of one and by its velocity.
#[inline(always)]
fn touch_slopes<R: Real>(touch: &EndContact<R>, by: usize) -> [[Block<R>; 2]; 2] {
    let rows = all_rows(touch);
    let (force, stiffness) = (touch.force(&touch.reactions()), touch.push.stiffness());
    let mut slopes = [[[[R::zero(); 6]; 6]; 2]; 2];
    for j in 0..6 {
        let (dx, dtheta) = end_change(Mat3::identity(), j, R::one());
        let change = touch.change(by, dx, dtheta, force);
        let by_pose = touch.answer(&change.rows, stiffness);
        let mut speeds = [R::zero(); bellcrank_step::interior::ROWS];
        for k in 0..touch.n {
            speeds[k] = rows[k][by][j];
        }
        let by_speed = touch.answer(&speeds, stiffness);
        for on in if touch.a.is_some() { 0..2 } else { 1..2 } {
            for r in 0..6 {
                let (mut pose, mut speed) = (change.wrench[on][r], R::zero());
                for k in 0..=touch.n {
                    pose = rows[k][on][r].mul_add(by_pose[k], pose);
                    speed = rows[k][on][r].mul_add(by_speed[k], speed);
                }
                slopes[0][on][r][j] = R::select(touch.push.acts, pose, R::zero());
                slopes[1][on][r][j] = R::select(touch.push.acts, speed, R::zero());
            }
        }
    }
    slopes
}

/// Contacts live at the end of the step: by end poses, and by the velocities that lead there.
#[inline(always)]
pub(super) fn read_touches<R: Real>(
    answer: &Answer<'_, R>,
    turns: &[Turns<R>],
    blocks: &mut [Vec<Block<R>>; 3],
    pushes: &mut Vec<Push<R>>,
) {
    let inverse_dt = answer.dt.recip();
    for touch in &answer.own.touches {
        for by in if touch.a.is_some() { 0..2 } else { 1..2 } {
            let body = if by == 0 { touch.a.unwrap_or(touch.b) } else { touch.b };
            let [pose, speed] = touch_slopes(touch, by);
            for on in if touch.a.is_some() { 0..2 } else { 1..2 } {
                let at = if on == 0 { touch.a.unwrap_or(touch.b) } else { touch.b };
                let (mut end, mut start) = (pose[on], [[R::zero(); 6]; 6]);
                for r in 0..6 {
                    // a velocity's row w is w N at the end, −w N E at the start
                    let row = &speed[on][r];
                    let n = turns[body].next.transpose_mul(Vec3::new(row[3], row[4], row[5]));
                    let (back, n) = (turns[body].E.transpose_mul(n).to_array(), n.to_array());
                    for i in 0..3 {
                        end[r][i] += row[i] * inverse_dt;
                        end[r][3 + i] += n[i];
                        start[r][i] = -(row[i] * inverse_dt);
                        start[r][3 + i] = -back[i];
                    }
                }
                add_block((END, at, body), &end, blocks, pushes);
                add_block((START, at, body), &start, blocks, pushes);
            }
        }
    }
}
