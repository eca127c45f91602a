//! Further descents from the same start, for goals that the first one misses.
//!
//! Errors of places and of directions are of different kinds, and their sum has more minima than each of them: a hand that is nearly there with
//! its wrist the wrong way round would have to go away first. So a detour begins at the start again and meets places first, directions
//! hardly counting, or the other way round; coordinates that turn may pass their limits meanwhile. What is a whole turn too
//! far comes back by it, everything is put within its limits, and an ordinary descent ends the detour. Loops gain
//! as well: where places count little, linkages stay closed on a long way.
//!
//! Nothing is random, and the pose that is kept is the best of all: one that meets its goals, or the nearest.

use crate::descent::{Descent, Lane, Memory, Stop, end_at, into_limits, search, set_bounds};
use crate::precision::Number;
use crate::task::Task;
use bellcrank_math::{Mask, Real};
use bellcrank_tree::{Motion, TreeModel};

/// Factors of goals of places and of all others, by detour.
const EMPHASES: [[f64; 2]; 3] = [[1.0, 1e-2], [1.0, 1e-4], [1e-2, 1.0]];
/// Steps before the ordinary descent.
const STEPS: usize = 20;
/// Weight of squares of gaps in loops where poses are compared: one that is open is none.
const OPEN: f64 = 1e4;

/// Tries detours in lanes whose goals are missed; the best pose is left in `q`.
#[inline(always)]
pub(crate) fn detours<E: Number, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    descent: &Descent<'_, E>,
    s: &mut Memory<R>,
    (lane, targets, valid): (&mut Lane<R>, &[R], R::Mask),
) {
    let (task, stop) = (descent.task, descent.stop);
    let mut least = R::constant(f64::INFINITY);
    s.best.copy_from_slice(&s.q);
    for emphasis in EMPHASES.iter().take(stop.detours).map(Some).chain([None]) {
        let end = end_at(tree, task, (targets, stop, R::constant(OPEN)), s);
        let cost = R::select(end.solved, R::zero(), end.figures.cost);
        let better = cost.lt(least);
        least = R::select(better, cost, least);
        for (best, q) in s.best.iter_mut().zip(&s.q) {
            *best = R::select(better, *q, *best);
        }
        let missed = valid & !least.le(R::zero());
        lane.go(!missed, R::constant(4.0));
        match emphasis {
            Some(emphasis) if missed.any() => detour(tree, descent, s, (lane, targets, missed, *emphasis)),
            _ => break,
        }
    }
    s.q.copy_from_slice(&s.best);
}

#[inline(always)]
fn detour<E: Number, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    descent: &Descent<'_, E>,
    s: &mut Memory<R>,
    (lane, targets, missed, emphasis): (&mut Lane<R>, &[R], R::Mask, [f64; 2]),
) {
    let task = descent.task;
    for (q, start) in s.q.iter_mut().zip(&s.start) {
        *q = R::select(missed, *start, *q);
    }
    for i in (0..task.velocities.len()).filter(|i| turns(tree, task, *i)) {
        (s.low[i], s.high[i]) = (R::constant(f64::NEG_INFINITY), R::constant(f64::INFINITY));
    }
    lane.emphasis = emphasis.map(R::constant);
    lane.go(missed, R::zero());
    let stop = Stop { iterations: STEPS.min(descent.stop.iterations), ..descent.stop };
    search(tree, &Descent { task, stop }, s, (lane, targets));
    lane.emphasis = [R::one(); 2];
    set_bounds(task, &[], s);
    whole_turns_back(tree, task, missed, s);
    lane.go(missed, R::zero());
    search(tree, descent, s, (lane, targets));
}

/// Whether an unknown is an angle, the same after a whole turn.
#[inline(always)]
fn turns<E: Number>(tree: &TreeModel<E>, task: &Task<E>, unknown: usize) -> bool {
    matches!(tree.nodes[tree.v_node[task.velocities[unknown]]].motion, Motion::Turn(_))
}

/// Angles with limits on both sides as near to the middle of their range as whole turns bring them, then everything within limits.
#[inline(always)]
fn whole_turns_back<E: Number, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    task: &Task<E>,
    missed: R::Mask,
    s: &mut Memory<R>,
) {
    let turn = R::constant(core::f64::consts::TAU);
    for (i, coordinate) in task.coordinates.iter().enumerate() {
        let (Some(k), true) = (*coordinate, turns(tree, task, i)) else { continue };
        let middle = (s.low[i] + s.high[i]) * R::constant(0.5);
        let count = ((s.q[k] - middle) / turn).round();
        let back = missed & middle.is_finite();
        s.q[k] = R::select(back, count.neg_mul_add(turn, s.q[k]), s.q[k]);
    }
    into_limits(task, (&s.low, &s.high), &mut s.q);
}
