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

use crate::detour::detours;
use crate::precision::Number;
use crate::rows::{Figures, Look, RowMemory, Weights, look};
use crate::task::Task;
use bellcrank_kernel::kernel;
use bellcrank_math::{Elem, Mask, Pose, Real};
use bellcrank_tree::TreeModel;
use bellcrank_tree::batch::Operator;
use bellcrank_tree::kernels::manifold;

/// Weight of loops against goals of weight one, at first and when a goal turns out to be out of reach.
const LOOPS: f64 = 10.0;
const HARD_LOOPS: f64 = 1e6;
/// And within bounds of one period. A step of length d along curved loops opens them by about d²/r, r the length of a link, and gains
/// about d e of a goal that is missed by e: it lowers the cost only where w d⁴/r² < d e (Maratos 1978). For d = 0.02 rad of a link of 0.2 m and
/// e = 1 cm that is w < 1e4 or so; hard loops would refuse every step longer than a millimetre and the robot would stand still.
const BOXED_LOOPS: f64 = 1e3;
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
/// Squares of singular values, against the mean, of rows that hold nothing but rounding of a file's numbers.
const ROUNDING: f64 = 1e-10;
/// And of directions that do not count when loops are looked at for whether they could be closed further.
const WEAK: f64 = 1e-4;
/// Steps kept for closing loops at the end.
pub(crate) const CLOSING: usize = 8;

/// Loops alone.
pub(crate) const LAST_STAGE: usize = 3;

/// When a pose will do.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stop {
    pub iterations: usize,
    /// Of loops [m and rad].
    pub gap: f64,
    /// Of loops that no motion closes further, see [`crate::Settings::loop_floor`]; zero for none.
    pub floor: f64,
    /// Largest change of a coordinate in a step [rad or m].
    pub largest_step: f64,
    /// Coordinates have bounds of their own: small motions that must not leave the way the mechanism is assembled, see [`BOXED_LOOPS`].
    pub boxed: bool,
    /// The stages to begin and to end with.
    pub stage: usize,
    pub last: usize,
    /// Further descents from the same start, see `detour.rs`.
    pub detours: usize,
}

/// The search as an operator on batches. Inputs: start, the pose that joints and contacts stay at, targets; where boxed, least and largest
/// values by velocity. Outputs: q; errors of goals, then [`FIGURES`] numbers.
pub(crate) struct Descent<'a, E> {
    pub task: &'a Task<E>,
    pub stop: Stop,
}

/// After the errors: gap, iterations, whether solved, Σ w e² of goals of first priority.
pub(crate) const FIGURES: usize = 4;

/// Memory for one block of lanes.
pub(crate) struct Memory<R> {
    pub rows: RowMemory<R>,
    /// Errors of goals and other figures, as they are handed out.
    figures: Vec<R>,
    pub start: Vec<R>,
    home: Vec<R>,
    held: Vec<Pose<R>>,
    /// Bounds of unknowns.
    pub low: Vec<R>,
    pub high: Vec<R>,
    pub q: Vec<R>,
    /// The best pose of several descents.
    pub best: Vec<R>,
    trial: Vec<R>,
    delta: Vec<R>,
}

/// Where a lane is in its search.
#[derive(Clone, Copy)]
pub(crate) struct Lane<R> {
    /// 0: all goals; 1: first priority; 2: hard loops; 3: loops alone; 4: over.
    stage: R,
    damping: R,
    poor: R,
    iterations: R,
    /// Factors of goals of places, and of all other goals.
    pub emphasis: [R; 2],
}

impl<R: Real> Lane<R> {
    #[inline(always)]
    fn weights(&self, stop: Stop) -> Weights<R> {
        let (zero, one) = (R::zero(), R::one());
        let at_most = |stage: f64| self.stage.lt(R::constant(stage + 0.5));
        let hard = R::select(at_most(2.0), R::constant(HARD_LOOPS), one);
        Weights {
            first: R::select(at_most(2.0), one, zero),
            second: R::select(at_most(0.0), one, zero),
            loops: R::select(at_most(1.0), R::constant(if stop.boxed { BOXED_LOOPS } else { LOOPS }), hard),
            emphasis: self.emphasis,
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
        if stop.floor > stop.gap {
            // loops that contradict each other stay open: as far as they can be closed, with the goals kept
            let nearly = now.gap.le(R::constant(stop.floor)) & now.worst.le(R::one());
            self.go(!waits & self.stage.lt(R::constant(1.5)) & nearly, R::constant(2.0));
        }
    }

    /// Next stage for lanes that gain no more, and for all when time is nearly up.
    #[inline(always)]
    fn leave_stage<E: Elem>(&mut self, task: &Task<E>, (gap, stop): (R, Stop), last: bool) {
        let mut stuck = R::constant(POOR_STEPS).le(self.poor) & !self.is_over();
        if stop.floor > stop.gap {
            // loops that are closed alone gain a hundredfold by a step, until what is left is their contradiction
            let closing = R::constant(2.5).lt(self.stage) & gap.le(R::constant(stop.floor));
            stuck = stuck | (closing & R::constant(0.5).lt(self.poor) & !self.is_over());
        }
        let next = self.stage + R::one();
        // what there is no need for is passed over
        let at_first = self.stage.lt(R::constant(0.5));
        let next = if task.has_second { next } else { R::select(at_first, R::constant(2.0), next) };
        let last_one = if task.has_loops { 3 } else { 2 }.min(stop.last) as f64 + 0.5;
        let next = R::select(next.lt(R::constant(last_one)), next, R::constant(4.0));
        // loops that contradict each other are not closed alone: that would move the goals
        let open = R::constant(stop.floor).lt(gap) | self.stage.lt(R::constant(1.5));
        let next = if stop.floor > stop.gap { R::select(open, next, R::constant(4.0)) } else { next };
        self.go(stuck, next);
        if last && stop.last == LAST_STAGE {
            let late = self.stage.lt(R::constant(2.5));
            self.go(late, R::constant(3.0));
        }
    }

    /// To another stage in some lanes.
    #[inline(always)]
    pub fn go(&mut self, lanes: R::Mask, stage: R) {
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
            home: zeros(tree.coordinate_count()),
            held: vec![Pose::identity(); self.task.holds.len()],
            low: zeros(self.task.velocities.len()),
            high: zeros(self.task.velocities.len()),
            q: zeros(tree.coordinate_count()),
            best: zeros(tree.coordinate_count()),
            trial: zeros(tree.coordinate_count()),
            delta: zeros(tree.dof_count()),
        }
    }

    #[inline(always)]
    fn run<R: Real<Elem = E>>(&self, tree: &TreeModel<E>, s: &mut Memory<R>, input: &[R], output: &mut [R]) {
        let (start, rest) = input.split_at(tree.coordinate_count());
        let (home, rest) = rest.split_at(tree.coordinate_count());
        let (targets, bounds) = rest.split_at(self.task.target_width);
        s.home.copy_from_slice(home);
        descend(tree, self, s, [start, targets, bounds]);
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
    [start, targets, bounds]: [&[R]; 3],
) {
    let (task, stop) = (descent.task, descent.stop);
    s.start.copy_from_slice(start);
    s.q.copy_from_slice(start);
    let mut valid = R::Mask::splat(true);
    for x in start.iter().chain(&s.home).chain(targets) {
        valid = valid & x.is_finite();
    }
    valid = valid & set_bounds(task, bounds, s);
    into_limits(task, (&s.low, &s.high), &mut s.q);
    if !task.holds.is_empty() {
        s.rows.placed.place(tree, task, &s.home, false);
        for (held, frame) in s.held.iter_mut().zip(&task.holds) {
            *held = s.rows.placed.pose(frame);
        }
    }
    let zero = R::zero();
    let stage = R::constant(stop.stage as f64);
    let (damping, emphasis) = (R::constant(DAMPING), [R::one(); 2]);
    let mut lane = Lane { stage, damping, poor: zero, iterations: zero, emphasis };
    lane.go(!valid, R::constant(4.0));
    search(tree, descent, s, (&mut lane, targets));
    if stop.detours > 0 {
        detours(tree, descent, s, (&mut lane, targets, valid));
    }
    report(tree, task, (valid, targets, stop), lane.iterations, s);
}

/// One descent from the pose in `q`.
#[inline(always)]
pub(crate) fn search<E: Number, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    descent: &Descent<'_, E>,
    s: &mut Memory<R>,
    (lane, targets): (&mut Lane<R>, &[R]),
) {
    let (task, stop) = (descent.task, descent.stop);
    for iteration in 0..stop.iterations {
        let now = rows_at(tree, task, (lane.weights(stop), targets), s);
        lane.arrive(task, now, stop);
        let over = lane.is_over();
        if over.all() {
            break;
        }
        step(task, (*lane, stop), now, s);
        let then = cost_at(tree, task, (lane.weights(stop), targets), s);
        judge((lane, stop), over, [now, then], s);
        lane.leave_stage(task, (then.gap, stop), iteration + CLOSING + 1 == stop.iterations);
    }
}

/// Limits of unknowns, drawn in by further bounds; false where those are no numbers. Limits that lie outside the bounds become the nearest
/// bound: what stands beyond a limit moves towards it.
#[inline(always)]
pub(crate) fn set_bounds<E: Elem, R: Real<Elem = E>>(
    task: &Task<E>,
    bounds: &[R],
    s: &mut Memory<R>,
) -> R::Mask {
    let mut valid = R::Mask::splat(true);
    let (one, other) = bounds.split_at(bounds.len() / 2);
    for (i, v) in task.velocities.iter().enumerate() {
        let [low, high] = task.limits[i].map(R::splat);
        (s.low[i], s.high[i]) = (low, high);
        if !bounds.is_empty() {
            // joints that the tree walks backwards have them exchanged
            let (least, most) = (one[*v].min(other[*v]), one[*v].max(other[*v]));
            valid = valid & least.le(most) & one[*v].le(one[*v]) & other[*v].le(other[*v]);
            (s.low[i], s.high[i]) = (low.clamp(least, most), high.clamp(least, most));
        }
    }
    valid
}

/// Unknowns at rest in their limits.
#[inline(always)]
pub(crate) fn into_limits<E: Elem, R: Real<Elem = E>>(
    task: &Task<E>,
    (low, high): (&[R], &[R]),
    q: &mut [R],
) {
    for (i, coordinate) in task.coordinates.iter().enumerate() {
        if let Some(k) = *coordinate {
            q[k] = q[k].clamp(low[i], high[i]);
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
    let at = Look { q: &s.q, home: &s.home, held: &s.held, targets, weights };
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
    into_limits(task, (&s.low, &s.high), &mut s.trial);
    let at = Look { q: &s.trial, home: &s.home, held: &s.held, targets, weights };
    look::<E, R, false>(tree, task, at, &mut s.rows)
}

/// λ is at least this share of the mean diagonal. In `f32` that is what rounding leaves of a singular matrix. In `f64` it is what files
/// with seven digits leave of it: their parallel axes are not quite, and steps along what only that hinders would be endless.
#[inline(always)]
fn least_damping<R: Real>() -> f64 {
    if R::Elem::EPSILON.to_f64() > 1e-10 { 3e-6 } else { ROUNDING }
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
        let [low, high] = [s.low[i], s.high[i]];
        let (q, push) = (s.q[k], normal.g[i]);
        let held = (q.le(low) & push.lt(zero)) | (high.le(q) & zero.lt(push));
        normal.free[i] = R::select(held, zero, R::one());
    }
    for _ in 0..WALLS {
        normal.solve(&task.pattern, lambda);
        let mut met = R::Mask::splat(false);
        for i in 0..task.velocities.len() {
            let Some(k) = task.coordinates[i] else { continue };
            let room = [s.low[i] - s.q[k], s.high[i] - s.q[k]];
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
fn judge<R: Real>(
    (lane, stop): (&mut Lane<R>, Stop),
    over: R::Mask,
    [now, then]: [Figures<R>; 2],
    s: &mut Memory<R>,
) {
    let better = then.cost.lt(now.cost) & !over;
    for (q, trial) in s.q.iter_mut().zip(&s.trial) {
        *q = R::select(better, *trial, *q);
    }
    let [least, most] = DAMPING_RANGE;
    let (less, more) = (lane.damping * R::constant(LESS), lane.damping * R::constant(MORE));
    lane.damping = R::select(better, less, more).clamp(R::constant(least), R::constant(most));
    // what loops that contradict each other gain by wandering about is not worth it
    let nearest = R::constant(1.5).lt(lane.stage) & R::constant(stop.floor).lt(then.gap);
    let least = R::select(nearest, R::constant(NEXT_TO_NOTHING), R::constant(POOR_GAIN));
    let gains = better & then.cost.lt(least.neg_mul_add(now.cost, now.cost));
    let poor = lane.poor + R::select(better, R::constant(2.0), R::one());
    lane.poor = R::select(gains, R::zero(), poor);
    lane.iterations += R::select(over, R::zero(), R::one());
}

/// Whether no motion closes the loops further: the step that would, damped so that directions held by rounding alone do not count, is within the
/// tolerance of loops, or a hundredth of what contradictions may leave open.
#[inline(always)]
fn is_least<E: Number, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    task: &Task<E>,
    (targets, stop): (&[R], Stop),
    s: &mut Memory<R>,
) -> R::Mask {
    let weights = Weights { first: R::zero(), ..Weights::of_loops(R::one()) };
    rows_at(tree, task, (weights, targets), s);
    let normal = &mut s.rows.normal;
    normal.free.fill(R::one());
    normal.step.fill(R::zero());
    let lambda = normal.mean() * R::constant(WEAK) + R::constant(1e-30);
    normal.solve(&task.pattern, lambda);
    let mut largest = R::zero();
    for x in &normal.step {
        largest = largest.max(x.abs());
    }
    largest.le(R::constant(stop.gap.max(0.01 * stop.floor)))
}

/// A pose at the end of a descent.
pub(crate) struct End<R: Real> {
    pub figures: Figures<R>,
    /// Goals are met and loops closed.
    pub solved: R::Mask,
}

/// Looks at the pose in `q`, loops weighed with `loops`.
#[kernel]
pub(crate) fn end_at<E: Number, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    task: &Task<E>,
    (targets, stop, loops): (&[R], Stop, R),
    s: &mut Memory<R>,
) -> End<R> {
    let at = Look { q: &s.q, home: &s.home, held: &s.held, targets, weights: Weights::of_loops(loops) };
    let figures = look::<E, R, false>(tree, task, at, &mut s.rows);
    let goals = task.asks.len();
    s.figures[..goals].copy_from_slice(&s.rows.errors);
    let mut closed = figures.gap.le(R::constant(stop.gap));
    if stop.floor > stop.gap {
        closed =
            closed | (figures.gap.le(R::constant(stop.floor)) & is_least(tree, task, (targets, stop), s));
    }
    // a largest error tells nothing where one of them is not a number, the sum does
    End { figures, solved: figures.cost.is_finite() & figures.worst.le(R::one()) & closed }
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
    // the start itself where nothing could be asked
    for (q, start) in s.q.iter_mut().zip(&s.start) {
        *q = R::select(valid, *q, *start);
    }
    let end = end_at(tree, task, (targets, stop, R::zero()), s);
    let solved = R::select(valid & end.solved, R::one(), R::zero());
    let figures = [end.figures.gap, iterations, solved, end.figures.cost];
    s.figures[task.asks.len()..].copy_from_slice(&figures);
}
