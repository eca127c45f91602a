//! Joints: what their forces add to the equations of the freedoms when bodies are moved.
//!
//! A joint of the tree pushes its two bodies with opposite forces at one point M. Freedoms above it move both as one body and see
//! nothing of that but the lever arms to the centres of mass, which move by δx: −δx × f on each body that takes a force f. Its
//! own freedoms (axis with spin w, velocity v at M) see the force on one side only, and by `formulas::joint`'s table
//!
//! | what moves | w·δn + v·δf + δx × f·w |
//! |---|---|
//! | successor | (f × w, Nᵀ w + r_S × (f × w)) |
//! | predecessor | (0, f × v + n × w − Nᵀ w) |
//!
//! whichever of the two is the link, and what pushes along the freedom itself. A joint that closes a loop is no freedom of the tree: it
//! pushes on two bodies like a contact.

use super::bodies::Turns;
use super::{BEFORE, Block, END, Push, START, add_block};
use crate::formulas::{Acting, Answer, DofSlopes};
use bellcrank_math::{Mat3, Real, Vec3};

/// The equation of one freedom beside what its links are short of: rows on the poses of its link and of the link's parent,
/// before, at the start and at the end of the step, and along the freedom itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct FreedomRow<R> {
    pub own: [[R; 6]; 3],
    pub parent: [[R; 6]; 3],
    pub along: [R; 3],
}

impl<R: Real> FreedomRow<R> {
    #[inline(always)]
    pub fn blank() -> Self {
        let none = [[R::zero(); 6]; 3];
        FreedomRow { own: none, parent: none, along: [R::zero(); 3] }
    }
}

/// What pushes along a free row, a = … + m′ q̇⁺ + m q̇, by the poses of one of its bodies: q̇ = j·V, with `slopes` how the two rates
/// change where velocities stay.
#[inline(always)]
fn amount_slopes<R: Real>(
    dof: &DofSlopes<R>,
    row: &[R; 6],
    slopes: [&[R; 6]; 2],
    turns: &Turns<R>,
    inverse_dt: R,
) -> [[R; 6]; 3] {
    let n = Vec3::new(row[3], row[4], row[5]);
    let (next, last) = (turns.next.transpose_mul(n), turns.last.transpose_mul(n));
    let (back, before) = (turns.E.transpose_mul(next).to_array(), turns.Q.transpose_mul(last).to_array());
    let (next, last) = (next.to_array(), last.to_array());
    let mut all = [[R::zero(); 6]; 3];
    for i in 0..3 {
        let f = row[i] * inverse_dt;
        all[BEFORE][i] = -(dof.by_last * f);
        all[BEFORE][3 + i] = -(dof.by_last * before[i]);
        all[START][i] = dof.by_next.mul_add(slopes[0][i] - f, dof.by_last * (slopes[1][i] + f));
        all[START][3 + i] =
            dof.by_next.mul_add(slopes[0][3 + i] - back[i], dof.by_last * (slopes[1][3 + i] + last[i]));
        all[END][i] = dof.by_next * f;
        all[END][3 + i] = dof.by_next * next[i];
    }
    all
}

/// What the two bodies of a joint are called.
struct Two {
    j: usize,
    s: usize,
    p: Option<usize>,
}

/// A joint of the tree: the rows of its freedoms, and lever arms. `reversed` where the link is the predecessor.
#[inline(always)]
pub(super) fn read_tree_joint<R: Real>(
    answer: &Answer<'_, R>,
    (j, reversed): (usize, bool),
    (turns, dofs): (&[Turns<R>], &[DofSlopes<R>]),
    axes: &[[R; 6]],
    (rows, blocks): (&mut [FreedomRow<R>], &mut [Vec<Block<R>>; 3]),
) {
    let (joint, acting) = (&answer.layout.joints[j], Acting::of(answer, dofs, j));
    let (f, n, N) = (acting.whole.f, acting.whole.n, acting.whole.N);
    let arm = Mat3::skew(f);
    add_arm(&mut blocks[START][joint.successor], arm);
    if let Some(p) = joint.predecessor {
        add_arm(&mut blocks[START][p], Mat3::skew(-f));
    }
    let inverse_dt = answer.dt.recip();
    for k in 0..joint.kind.dof_count() {
        let (dof, i) = (&dofs[joint.first_dof + k], joint.kind.row_count() + k);
        let rates = acting.rate_slopes(k);
        let sign = R::constant(if reversed { -1.0 } else { 1.0 });
        let w = Vec3::new(axes[k][3], axes[k][4], axes[k][5]) * sign;
        let r = if reversed { acting.place.r_P } else { acting.place.r_S };
        let v = Vec3::new(axes[k][0], axes[k][1], axes[k][2]) * sign + w.cross(r);
        let (lever, twisted) = (f.cross(w), N.transpose_mul(w));
        let turned = (twisted + acting.place.r_S.cross(lever)).to_array();
        let lever = lever.to_array();
        let from_p = (f.cross(v) + n.cross(w) - twisted).to_array();
        let s = &answer.ws.joints[j].s[i];
        let mut on_s =
            amount_slopes(dof, s, [&rates[0][0], &rates[1][0]], &turns[joint.successor], inverse_dt);
        let mut on_p = [[R::zero(); 6]; 3];
        if let Some(b) = joint.predecessor {
            let p = &answer.ws.joints[j].p[i];
            on_p = amount_slopes(dof, p, [&rates[0][1], &rates[1][1]], &turns[b], inverse_dt);
        }
        for c in 0..3 {
            on_s[START][c] += lever[c];
            on_s[START][3 + c] += turned[c];
            on_p[START][3 + c] += from_p[c];
        }
        let (own, parent) = if reversed { (on_p, on_s) } else { (on_s, on_p) };
        rows[k] = FreedomRow { own, parent, along: [R::zero(), dof.by_start, dof.by_end] };
    }
}

/// A moment f × δx.
#[inline(always)]
fn add_arm<R: Real>(block: &mut Block<R>, arm: Mat3<R>) {
    for i in 0..3 {
        for k in 0..3 {
            block[3 + i][k] += arm.entry(i, k);
        }
    }
}

/// A joint that closes a loop.
#[inline(always)]
pub(super) fn read_closing_joint<R: Real>(
    answer: &Answer<'_, R>,
    j: usize,
    (turns, dofs): (&[Turns<R>], &[DofSlopes<R>]),
    (blocks, pushes): (&mut [Vec<Block<R>>; 3], &mut Vec<Push<R>>),
) {
    let (joint, acting) = (&answer.layout.joints[j], Acting::of(answer, dofs, j));
    let two = Two { j, s: joint.successor, p: joint.predecessor };
    for (side, slopes) in acting.push_slopes().iter().enumerate() {
        let Some(by) = (if side == 0 { Some(two.s) } else { two.p }) else { continue };
        let other = if side == 0 { two.p } else { Some(two.s) };
        add_block((START, by, by), &turned_over(&slopes.own), blocks, pushes);
        if let Some(on) = other {
            add_block((START, on, by), &turned_over(&slopes.other), blocks, pushes);
        }
    }
    for k in 0..joint.kind.dof_count() {
        let rates = acting.rate_slopes(k);
        add_amount(answer, (&two, k), (turns, &dofs[joint.first_dof + k]), &rates, (blocks, pushes));
    }
}

/// By row and column.
#[inline(always)]
fn turned_over<R: Real>(square: &Block<R>) -> Block<R> {
    let mut block = *square;
    for r in 0..6 {
        for c in 0..6 {
            block[r][c] = square[c][r];
        }
    }
    block
}

/// What pushes along a free row of a joint that closes a loop.
#[inline(always)]
fn add_amount<R: Real>(
    answer: &Answer<'_, R>,
    (two, k): (&Two, usize),
    (turns, dof): (&[Turns<R>], &DofSlopes<R>),
    rates: &[[[R; 6]; 2]; 2],
    (blocks, pushes): (&mut [Vec<Block<R>>; 3], &mut Vec<Push<R>>),
) {
    let (start, end) = (&answer.ws.joints[two.j], &answer.own.joints[two.j]);
    let i = answer.layout.joints[two.j].kind.row_count() + k;
    for by in 0..2 {
        let Some(b) = (if by == 0 { Some(two.s) } else { two.p }) else { continue };
        let (row, at_end) = if by == 0 { (&start.s[i], &end.s[i]) } else { (&start.p[i], &end.p[i]) };
        let slopes = [&rates[0][by], &rates[1][by]];
        let mut all = amount_slopes(dof, row, slopes, &turns[b], answer.dt.recip());
        // rows at the end are kept as (f, Dᵀ n)
        let n = turns[b].next.transpose_mul(Vec3::new(at_end[3], at_end[4], at_end[5])) * answer.dt;
        let six = [at_end[0], at_end[1], at_end[2], n.x, n.y, n.z];
        for c in 0..6 {
            all[START][c] = dof.by_start.mul_add(row[c], all[START][c]);
            if answer.own.free[two.j] {
                all[END][c] = dof.by_end.mul_add(six[c], all[END][c]);
            }
        }
        for on in 0..2 {
            let Some(at) = (if on == 0 { Some(two.s) } else { two.p }) else { continue };
            let push = if on == 0 { &start.s[i] } else { &start.p[i] };
            for time in [BEFORE, START, END] {
                let mut block = [[R::zero(); 6]; 6];
                for r in 0..6 {
                    for c in 0..6 {
                        block[r][c] = push[r] * all[time][c];
                    }
                }
                add_block((time, at, b), &block, blocks, pushes);
            }
        }
    }
}
