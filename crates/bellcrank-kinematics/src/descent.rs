//! The search for a pose: damped Gauss–Newton steps in lanes, with hard limits.
//!
//! Unknowns are the velocities of the spanning tree that goals or their loops can move. With e what goals and loops miss and
//! J how they change, a step solves (Jᵀ W J + λ 1) δ = Jᵀ W e, λ = ν Σ w e² (Levenberg, Marquardt; quadratic convergence
//! wherever the goal is reached, singular poses included: Yamashita and Fukushima 2001). A step that does not lower the cost is not
//! taken, and ν grows.
//!
//! * **Limits** of the tree's coordinates are walls. An unknown that stands at one and is pushed outwards is held; one whose
//!   step would pass it goes just there, and the others are solved again.
//! * **Stages**, each lane on its own: all goals, with loops as goals among them; then without those of second priority; where
//!   that gets stuck, loops a hundred thousand times heavier, which ends in the pose that is nearest to goals out of reach; at
//!   last loops alone, which closes them to rounding.

use crate::precision::Number;
use crate::rows::{Figures, Look, RowMemory, Weights, look};
use crate::task::Task;
use bellcrank_kernel::kernel;
use bellcrank_math::{Elem, Mask, Real};
use bellcrank_tree::TreeModel;
use bellcrank_tree::batch::Operator;
use bellcrank_tree::kernels::manifold;

/// Weight of loops against goals of weight one, at first and when a goal turns out to be out of reach.
const LOOPS: f64 = 10.0;
const HARD_LOOPS: f64 = 1e6;
/// ν at the start of a stage, and how it changes.
const DAMPING: f64 = 0.1;
const LESS: f64 = 0.15;
const MORE: f64 = 6.0;
const DAMPING_RANGE: [f64; 2] = [1e-7, 1e9];
/// Steps in a row that gain less than this share of the cost, or nothing, until a stage is over; in the third stage, where the
/// nearest pose is found, steps must gain next to nothing.
const POOR_GAIN: f64 = 1e-3;
const NEXT_TO_NOTHING: f64 = 1e-8;
const POOR_STEPS: f64 = 5.0;
/// Times that the step is solved again because unknowns have met their limits.
const WALLS: usize = 3;
/// Steps kept for closing loops at the end.
pub(crate) const CLOSING: usize = 8;

/// When a pose will do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    pub iterations: usize,
    /// Of loops [m and rad].
    pub gap: f64,
    /// Largest change of a coordinate in a step [rad or m].
    pub largest_step: f64,
}

/// The search as an operator on batches. Inputs: start, targets. Outputs: q; errors of goals, then [`FIGURES`] numbers.
pub(crate) struct Descent<'a, E> {
    pub task: &'a Task<E>,
    pub stop: Stop,
}

/// After the errors: gap, iterations, whether solved, Σ w e² of goals of first priority.
pub(crate) const FIGURES: usize = 4;

/// Memory for one block of lanes.
pub(crate) struct Memory<R> {
    rows: RowMemory<R>,
    /// Errors of goals and other figures, as they are handed out.
    figures: Vec<R>,
    start: Vec<R>,
    q: Vec<R>,
    trial: Vec<R>,
    delta: Vec<R>,
}

/// Where a lane is in its search.
#[derive(Clone, Copy)]
struct Lane<R> {
    /// 0: all goals; 1: first priority; 2: hard loops; 3: loops alone; 4: over.
    stage: R,
    damping: R,
    poor: R,
    iterations: R,
}

impl<R: Real> Lane<R> {
    #[inline(always)]
    fn weights(&self) -> Weights<R> {
        let (zero, one) = (R::zero(), R::one());
        let at_most = |stage: f64| self.stage.lt(R::constant(stage + 0.5));
        let hard = R::select(at_most(2.0), R::constant(HARD_LOOPS), one);
        Weights {
            first: R::select(at_most(2.0), one, zero),
            second: R::select(at_most(0.0), one, zero),
            loops: R::select(at_most(1.0), R::constant(LOOPS), hard),
        }
    }

    #[inline(always)]
    fn is_over(&self) -> R::Mask {
        R::constant(3.5).lt(self.stage)
    }

    /// Ends the search in lanes that are there.
    #[inline(always)]
    fn arrive<E>(&mut self, task: &Task<E>, now: Figures<R>, stop: Stop) {
        let closed = now.gap.le(R::constant(stop.gap));
        let there = closed & now.worst.le(R::one()) & now.cost.is_finite();
        let closing = R::constant(2.5).lt(self.stage);
        let waits = if task.has_second { self.stage.lt(R::constant(0.5)) } else { R::Mask::splat(false) };
        self.go((closing & closed) | (!waits & !closing & there), R::constant(4.0));
    }

    /// Next stage for lanes that gain no more, and for all when time is nearly up.
    #[inline(always)]
    fn leave_stage<E: Elem>(&mut self, task: &Task<E>, last: bool) {
        let stuck = R::constant(POOR_STEPS).le(self.poor) & !self.is_over();
        let next = self.stage + R::one();
        // what there is no need for is passed over
        let at_first = self.stage.lt(R::constant(0.5));
        let next = if task.has_second { next } else { R::select(at_first, R::constant(2.0), next) };
        let last_one = if task.has_loops { 3.5 } else { 2.5 };
        let next = R::select(next.lt(R::constant(last_one)), next, R::constant(4.0));
        self.go(stuck, next);
        if last {
            let late = self.stage.lt(R::constant(2.5));
            self.go(late, R::constant(3.0));
        }
    }

    /// To another stage in some lanes.
    #[inline(always)]
    fn go(&mut self, lanes: R::Mask, stage: R) {
        self.stage = R::select(lanes, stage, self.stage);
        self.damping = R::select(lanes, R::constant(DAMPING), self.damping);
        self.poor = R::select(lanes, R::zero(), self.poor);
    }
}

impl<E: Number> Operator<E> for Descent<'_, E> {
    type Scratch<R: Real<Elem = E>> = Memory<R>;

    fn scratch<R: Real<Elem = E>>(&self, tree: &TreeModel<E>) -> Memory<R> {
        let zeros = |n: usize| vec![R::zero(); n];
        Memory {
            rows: RowMemory::new(tree, self.task),
            figures: zeros(self.task.asks.len() + FIGURES),
            start: zeros(tree.coordinate_count()),
            q: zeros(tree.coordinate_count()),
            trial: zeros(tree.coordinate_count()),
            delta: zeros(tree.dof_count()),
        }
    }

    #[inline(always)]
    fn run<R: Real<Elem = E>>(&self, tree: &TreeModel<E>, s: &mut Memory<R>, input: &[R], output: &mut [R]) {
        let (start, targets) = input.split_at(tree.coordinate_count());
        descend(tree, self, s, [start, targets]);
        let (q, figures) = output.split_at_mut(tree.coordinate_count());
        q.copy_from_slice(&s.q);
        figures.copy_from_slice(&s.figures);
    }
}

/// One block of lanes; the pose is left in `q`.
#[kernel]
fn descend<E: Number, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    descent: &Descent<'_, E>,
    s: &mut Memory<R>,
    [start, targets]: [&[R]; 2],
) {
    let (task, stop) = (descent.task, descent.stop);
    s.start.copy_from_slice(start);
    s.q.copy_from_slice(start);
    into_limits(task, &mut s.q);
    let mut valid = R::Mask::splat(true);
    for x in start.iter().chain(targets) {
        valid = valid & x.is_finite();
    }
    let zero = R::zero();
    let mut lane = Lane { stage: zero, damping: R::constant(DAMPING), poor: zero, iterations: zero };
    lane.go(!valid, R::constant(4.0));
    for iteration in 0..stop.iterations {
        let now = rows_at(tree, task, (lane.weights(), targets), s);
        lane.arrive(task, now, stop);
        let over = lane.is_over();
        if over.all() {
            break;
        }
        step(task, (lane, stop), now, s);
        let then = cost_at(tree, task, (lane.weights(), targets), s);
        judge(&mut lane, over, now, then, s);
        lane.leave_stage(task, iteration + CLOSING + 1 == stop.iterations);
    }
    report(tree, task, (valid, targets, stop), lane.iterations, s);
}

/// Unknowns at rest in their limits.
#[inline(always)]
fn into_limits<E: Elem, R: Real<Elem = E>>(task: &Task<E>, q: &mut [R]) {
    for (coordinate, [low, high]) in task.coordinates.iter().zip(&task.limits) {
        if let Some(k) = *coordinate {
            q[k] = q[k].clamp(R::splat(*low), R::splat(*high));
        }
    }
}

/// Rows and normal equations of the pose.
#[kernel]
fn rows_at<E: Number, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    task: &Task<E>,
    (weights, targets): (Weights<R>, &[R]),
    s: &mut Memory<R>,
) -> Figures<R> {
    let at = Look { q: &s.q, start: &s.start, targets, weights };
    look::<E, R, true>(tree, task, at, &mut s.rows)
}

/// Cost of the trial.
#[kernel]
fn cost_at<E: Number, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    task: &Task<E>,
    (weights, targets): (Weights<R>, &[R]),
    s: &mut Memory<R>,
) -> Figures<R> {
    manifold::integrate(tree, &s.q, &s.delta, &mut s.trial);
    into_limits(task, &mut s.trial);
    let at = Look { q: &s.trial, start: &s.start, targets, weights };
    look::<E, R, false>(tree, task, at, &mut s.rows)
}

/// λ is at least this share of the mean diagonal: what rounding leaves of a singular matrix.
#[inline(always)]
fn least_damping<R: Real>() -> f64 {
    if R::Elem::EPSILON.to_f64() > 1e-10 { 3e-6 } else { 1e-12 }
}

/// δ, within limits.
#[kernel]
fn step<E: Number, R: Real<Elem = E>>(
    task: &Task<E>,
    (lane, stop): (Lane<R>, Stop),
    now: Figures<R>,
    s: &mut Memory<R>,
) {
    let normal = &mut s.rows.normal;
    let floor = normal.mean() * R::constant(least_damping::<R>()) + R::constant(1e-30);
    let lambda = (lane.damping * now.cost).max(floor);
    let zero = R::zero();
    for i in 0..task.velocities.len() {
        (normal.free[i], normal.step[i]) = (R::one(), zero);
        let Some(k) = task.coordinates[i] else { continue };
        let [low, high] = [R::splat(task.limits[i][0]), R::splat(task.limits[i][1])];
        let (q, push) = (s.q[k], normal.g[i]);
        let held = (q.le(low) & push.lt(zero)) | (high.le(q) & zero.lt(push));
        normal.free[i] = R::select(held, zero, R::one());
    }
    for _ in 0..WALLS {
        normal.solve(&task.pattern, lambda);
        let mut met = R::Mask::splat(false);
        for i in 0..task.velocities.len() {
            let Some(k) = task.coordinates[i] else { continue };
            let room = [R::splat(task.limits[i][0]) - s.q[k], R::splat(task.limits[i][1]) - s.q[k]];
            let x = normal.step[i];
            let inside = x.clamp(room[0], room[1]);
            let passes = R::constant(0.5).lt(normal.free[i]) & zero.lt((x - inside).abs());
            normal.step[i] = R::select(passes, inside, x);
            normal.free[i] = R::select(passes, zero, normal.free[i]);
            met = met | passes;
        }
        if !met.any() {
            break;
        }
    }
    let most = R::constant(stop.largest_step);
    let mut largest = most;
    for x in &normal.step {
        largest = largest.max(x.abs());
    }
    let share = most / largest;
    for (x, v) in normal.step.iter().zip(&task.velocities) {
        s.delta[*v] = *x * share;
    }
}

/// Takes the trial where it is better.
#[inline(always)]
fn judge<R: Real>(lane: &mut Lane<R>, over: R::Mask, now: Figures<R>, then: Figures<R>, s: &mut Memory<R>) {
    let better = then.cost.lt(now.cost) & !over;
    for (q, trial) in s.q.iter_mut().zip(&s.trial) {
        *q = R::select(better, *trial, *q);
    }
    let [least, most] = DAMPING_RANGE;
    let (less, more) = (lane.damping * R::constant(LESS), lane.damping * R::constant(MORE));
    lane.damping = R::select(better, less, more).clamp(R::constant(least), R::constant(most));
    let nearest = R::constant(1.5).lt(lane.stage);
    let least = R::select(nearest, R::constant(NEXT_TO_NOTHING), R::constant(POOR_GAIN));
    let gains = better & then.cost.lt(least.neg_mul_add(now.cost, now.cost));
    let poor = lane.poor + R::select(better, R::constant(2.0), R::one());
    lane.poor = R::select(gains, R::zero(), poor);
    lane.iterations += R::select(over, R::zero(), R::one());
}

/// Errors of the pose that was found.
#[kernel]
fn report<E: Number, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    task: &Task<E>,
    (valid, targets, stop): (R::Mask, &[R], Stop),
    iterations: R,
    s: &mut Memory<R>,
) {
    let (one, zero) = (R::one(), R::zero());
    // the start itself where nothing could be asked
    for (q, start) in s.q.iter_mut().zip(&s.start) {
        *q = R::select(valid, *q, *start);
    }
    let weights = Weights { first: one, second: zero, loops: zero };
    let at = Look { q: &s.q, start: &s.start, targets, weights };
    let end = look::<E, R, false>(tree, task, at, &mut s.rows);
    let goals = task.asks.len();
    s.figures[..goals].copy_from_slice(&s.rows.errors);
    // a largest error tells nothing where one of them is not a number, the sum does
    let valid = valid & end.cost.is_finite();
    let solved = valid & end.worst.le(one) & end.gap.le(R::constant(stop.gap));
    let figures = [end.gap, iterations, R::select(solved, one, zero), end.cost];
    s.figures[goals..].copy_from_slice(&figures);
}
