//! Motors against freedoms: a mechanism taken apart into limbs that share no loop, and how well motors hold each.
//!
//! With G the rows of a limb's loops, Q an orthonormal basis of them and A the rows of its motors' coordinates, the velocities that loops
//! allow are those of P = 1 − QᵀQ. The singular values of the *actuated Jacobian* A P are the rates of the motors per unit of joint rates:
//! one where a motor is all there is to a freedom, zero where the limb moves although its motors stand still. Their squares are
//! the eigenvalues of A P Aᵀ = A Aᵀ − (A Qᵀ)(A Qᵀ)ᵀ, a matrix as small as the motors are few.

use crate::error::KinematicsError;
use crate::goal::Goal;
use crate::placed::Placed;
use crate::precision::Number;
use crate::robot::Kinematics;
use crate::task::{Scope, Task};
use bellcrank_kernel::kernel;
use bellcrank_math::{Elem, Mask, Real};
use bellcrank_model::kinematics;
use bellcrank_tree::TreeModel;
use bellcrank_tree::batch::Operator;
use bellcrank_tree::loops::Source;

/// A row that hardly stands out of the others is one of them: by this share of its length.
#[inline(always)]
fn redundant<E: Elem>() -> f64 {
    if E::EPSILON.to_f64() > 1e-10 { 1e-3 } else { 1e-6 }
}

/// A row of a planar loop may be nothing but rounding, of the numbers in a file with seven digits too: what no unit of any joint moves by more
/// than a micrometre or a microradian.
const NOTHING: f64 = 1e-6;

/// Sweeps of Jacobi's rotations; each about squares what is left.
const SWEEPS: usize = 7;

/// A limb.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Its velocities, in tree order.
    pub velocities: Vec<usize>,
    /// Its closing joints and couplings.
    pub closings: Vec<usize>,
    pub relations: Vec<usize>,
    /// Coordinates that its motors drive.
    pub motors: Vec<Source>,
}

/// A mechanism in limbs.
#[derive(Clone, Debug)]
pub(crate) struct Parts<E> {
    pub task: Task<E>,
    pub parts: Vec<Part>,
}

impl Part {
    /// Numbers per pose.
    pub fn width(&self) -> usize {
        2 + self.motors.len()
    }

    pub fn row_count<E>(&self, task: &Task<E>) -> usize {
        self.closings.iter().map(|c| task.closings[*c].kind.row_count()).sum::<usize>() + self.relations.len()
    }
}

impl<E: Number> Parts<E> {
    pub fn new(robot: &Kinematics<E>) -> Result<Self, KinematicsError> {
        let tree = robot.tree();
        let mut held = vec![false; tree.dof_count()];
        robot.floating.iter().for_each(|v| held[*v] = true);
        let scope = Scope { held: &held, all_loops: true, tolerances: [1.0; 2] };
        // what no loop moves is a part by itself
        let task = Task::new(robot, &[Goal::stay()], scope)?;
        let mut group: Vec<usize> = (0..tree.dof_count()).collect();
        let closings = task.closings.iter().map(|closing| &closing.movers);
        for movers in closings.chain(task.relations.iter().map(|relation| &relation.movers)) {
            for pair in movers.windows(2) {
                let (from, to) = (group[pair[0].v], group[pair[1].v]);
                group.iter_mut().filter(|g| **g == from).for_each(|g| *g = to);
            }
        }
        let mut parts = Vec::new();
        for g in 0..group.len() {
            let velocities: Vec<usize> = (0..group.len()).filter(|v| group[*v] == g && !held[*v]).collect();
            if velocities.is_empty() {
                continue;
            }
            let here = |v: Option<usize>| v.is_some_and(|v| velocities.contains(&v));
            let first = |movers: &[crate::task::Mover]| movers.first().map(|mover| mover.v);
            let closings =
                (0..task.closings.len()).filter(|c| here(first(&task.closings[*c].movers))).collect();
            let relations =
                (0..task.relations.len()).filter(|r| here(first(&task.relations[*r].movers))).collect();
            let of_motor = |source: &&Source| match source {
                Source::Tree { v, .. } => velocities.contains(v),
                Source::Closing { closure, .. } => here(first(&task.closings[*closure].movers)),
            };
            let motors = robot.motors.iter().filter(of_motor).copied().collect();
            parts.push(Part { velocities, closings, relations, motors });
        }
        Ok(Parts { task, parts })
    }

    /// Some parts alone, with the nodes that move them.
    pub fn only(&self, tree: &TreeModel<E>, kept: &[usize]) -> Self {
        let mut only = self.clone();
        only.parts = kept.iter().map(|p| self.parts[*p].clone()).collect();
        let mut needed = vec![false; tree.nodes.len()];
        for part in &only.parts {
            let ends = part.closings.iter().map(|c| &self.task.closings[*c]);
            let ends = ends.flat_map(|closing| [closing.F.node, closing.M.node]).flatten();
            for node in part.velocities.iter().map(|v| tree.v_node[*v]).chain(ends) {
                tree.path(node).into_iter().for_each(|i| needed[i] = true);
            }
        }
        only.task.nodes.retain(|i| needed[*i]);
        only
    }

    /// Numbers per pose: for each part its rank, the sign of [`sign_of_assembly`], then an eigenvalue per motor.
    pub fn width(&self) -> usize {
        self.parts.iter().map(Part::width).sum()
    }
}

/// Memory for one block of lanes.
pub(crate) struct PartMemory<R> {
    pub placed: Placed<R>,
    /// Rows of loops, orthonormal after [`orthonormalise`], by rows.
    pub Q: Vec<R>,
    /// Rows of motors.
    pub A: Vec<R>,
    /// A Qᵀ
    C: Vec<R>,
    /// A P Aᵀ
    pub S: Vec<R>,
    /// Rows of loops and of motors, for their determinant; one for those that are still to be eliminated, zero for others; a row of it.
    D: Vec<R>,
    waits: Vec<R>,
    pivot: Vec<R>,
    /// Rows of all coordinates of the mechanism, for one row at a time.
    row: Vec<R>,
}

impl<R: Real> PartMemory<R> {
    pub fn new<E: Elem>(tree: &TreeModel<E>, parts: &Parts<E>) -> Self {
        let most = |of: &dyn Fn(&Part) -> usize| parts.parts.iter().map(of).max().unwrap_or(0);
        let n = most(&|part| part.velocities.len());
        let rows = most(&|part| part.row_count(&parts.task));
        let motors = most(&|part| part.motors.len());
        let zeros = |n: usize| vec![R::zero(); n];
        PartMemory {
            placed: Placed::new(tree),
            Q: zeros(rows * n),
            A: zeros(motors * n),
            C: zeros(motors * rows),
            S: zeros(motors * motors),
            D: zeros((rows + motors) * n),
            waits: zeros(rows + motors),
            pivot: zeros(n),
            row: zeros(tree.dof_count()),
        }
    }
}

/// Rows of a part's loops in Q and of its motors in A, by velocity of the part.
#[inline(always)]
pub(crate) fn write_rows<E: Elem, R: Real<Elem = E>>(task: &Task<E>, part: &Part, s: &mut PartMemory<R>) {
    let n = part.velocities.len();
    let mut r = 0;
    for &c in &part.closings {
        let closing = &task.closings[c];
        let (X_WF, X_WM) = (s.placed.pose(&closing.F), s.placed.pose(&closing.M));
        let axes = kinematics::constraint_axes(closing.kind, X_WF.inverse_mul(X_WM));
        for axis in axes.iter().take(closing.kind.row_count()) {
            s.row.fill(R::zero());
            for mover in &closing.movers {
                let V = s.placed.motion(mover.v, mover.node, X_WM.p).rotated(X_WF.R.inverse());
                s.row[mover.v] = if mover.forward { V.dot(*axis) } else { -V.dot(*axis) };
            }
            for (k, v) in part.velocities.iter().enumerate() {
                s.Q[r * n + k] = s.row[*v];
            }
            r += 1;
        }
    }
    for &relation in &part.relations {
        s.row.fill(R::zero());
        for (source, coefficient) in &task.relations[relation].terms {
            add_coordinate(task, *source, R::splat(*coefficient), s);
        }
        for (k, v) in part.velocities.iter().enumerate() {
            s.Q[r * n + k] = s.row[*v];
        }
        r += 1;
    }
    for (m, motor) in part.motors.iter().enumerate() {
        s.row.fill(R::zero());
        add_coordinate(task, *motor, R::one(), s);
        for (k, v) in part.velocities.iter().enumerate() {
            s.A[m * n + k] = s.row[*v];
        }
    }
}

/// Adds how a coordinate changes to `row`.
#[inline(always)]
fn add_coordinate<E: Elem, R: Real<Elem = E>>(
    task: &Task<E>,
    source: Source,
    factor: R,
    s: &mut PartMemory<R>,
) {
    match source {
        Source::Tree { v, sign, .. } => s.row[v] += factor * R::constant(sign),
        Source::Closing { closure, dof } => {
            let closing = &task.closings[closure];
            let (X_WF, X_WM) = (s.placed.pose(&closing.F), s.placed.pose(&closing.M));
            let axis = kinematics::rate_axes(closing.kind, X_WF.inverse_mul(X_WM))[dof];
            for mover in &closing.movers {
                let V = s.placed.motion(mover.v, mover.node, X_WM.p).rotated(X_WF.R.inverse());
                let rate = V.dot(axis) * factor;
                s.row[mover.v] += if mover.forward { rate } else { -rate };
            }
        }
    }
}

/// Makes the rows of Q orthonormal, those that follow from others zero; gives their rank. (Twice is enough: Kahan and Parlett.)
#[inline(always)]
pub(crate) fn orthonormalise<E: Elem, R: Real<Elem = E>>(rows: usize, n: usize, Q: &mut [R]) -> R {
    let mut rank = R::zero();
    for r in 0..rows {
        let (before, own) = Q.split_at_mut(r * n);
        let own = &mut own[..n];
        let mut length = R::zero();
        for x in own.iter() {
            length = x.mul_add(*x, length);
        }
        for _ in 0..2 {
            for earlier in before.chunks_exact(n) {
                let mut along = R::zero();
                for k in 0..n {
                    along = own[k].mul_add(earlier[k], along);
                }
                for k in 0..n {
                    own[k] = along.neg_mul_add(earlier[k], own[k]);
                }
            }
        }
        let mut left = R::zero();
        for x in own.iter() {
            left = x.mul_add(*x, left);
        }
        let share = R::constant(redundant::<E>());
        let stands_out = (length * share * share).lt(left) & R::constant(NOTHING * NOTHING).lt(left);
        let scale = R::select(stands_out, left, R::one()).sqrt().recip();
        for x in own.iter_mut() {
            *x = R::select(stands_out, *x * scale, R::zero());
        }
        rank += R::select(stands_out, R::one(), R::zero());
    }
    rank
}

/// S = A Aᵀ − (A Qᵀ)(A Qᵀ)ᵀ
#[inline(always)]
pub(crate) fn project<R: Real>(rows: usize, n: usize, motors: usize, s: &mut PartMemory<R>) {
    for m in 0..motors {
        for r in 0..rows {
            let mut sum = R::zero();
            for k in 0..n {
                sum = s.A[m * n + k].mul_add(s.Q[r * n + k], sum);
            }
            s.C[m * rows + r] = sum;
        }
        for l in 0..=m {
            let mut sum = R::zero();
            for k in 0..n {
                sum = s.A[m * n + k].mul_add(s.A[l * n + k], sum);
            }
            for r in 0..rows {
                sum = s.C[m * rows + r].neg_mul_add(s.C[l * rows + r], sum);
            }
            (s.S[m * motors + l], s.S[l * motors + m]) = (sum, sum);
        }
    }
}

/// Sign of the determinant of the independent rows of loops (Q, made orthonormal: others are zero) above those of motors (A), where they are as
/// many as velocities; zero otherwise.
///
/// Elimination with the largest pivot of each column. Rows are not exchanged, since lanes choose different ones: a pivot row that has k
/// rows before it which still wait would be exchanged with each of them, which changes the sign k times.
#[inline(always)]
pub(crate) fn sign_of_assembly<R: Real>(rows: usize, n: usize, motors: usize, s: &mut PartMemory<R>) -> R {
    let (zero, one, total) = (R::zero(), R::one(), rows + motors);
    s.D[..rows * n].copy_from_slice(&s.Q[..rows * n]);
    s.D[rows * n..total * n].copy_from_slice(&s.A[..motors * n]);
    let mut count = zero;
    for r in 0..total {
        let mut largest = zero;
        for x in &s.D[r * n..(r + 1) * n] {
            largest = largest.max(x.abs());
        }
        s.waits[r] = R::select(zero.lt(largest), one, zero);
        count += s.waits[r];
    }
    let mut sign = R::select((count - R::constant(n as f64)).abs().lt(R::constant(0.5)), one, zero);
    for k in 0..n {
        let mut largest = zero;
        for r in 0..total {
            largest = largest.max((s.D[r * n + k] * s.waits[r]).abs());
        }
        s.pivot.fill(zero);
        let (mut chosen, mut before) = (zero, zero);
        for r in 0..total {
            let own = (s.D[r * n + k] * s.waits[r]).abs();
            let is_it = chosen.lt(R::constant(0.5)) & zero.lt(own) & largest.le(own);
            sign = R::select(is_it & odd(before), -sign, sign);
            before += s.waits[r];
            for c in k..n {
                s.pivot[c] = R::select(is_it, s.D[r * n + c], s.pivot[c]);
            }
            s.waits[r] = R::select(is_it, zero, s.waits[r]);
            chosen = R::select(is_it, one, chosen);
        }
        sign = R::select(s.pivot[k].lt(zero), -sign, sign) * chosen;
        let inverse = R::select(R::constant(0.5).lt(chosen), s.pivot[k], one).recip();
        for r in 0..total {
            let factor = s.D[r * n + k] * inverse * s.waits[r];
            for c in k..n {
                s.D[r * n + c] = factor.neg_mul_add(s.pivot[c], s.D[r * n + c]);
            }
        }
    }
    sign
}

/// Of a whole number.
#[inline(always)]
fn odd<R: Real>(x: R) -> R::Mask {
    let half = x * R::constant(0.5);
    R::constant(0.25).lt((half - half.round()).abs())
}

/// Jacobi's rotations make S diagonal: its eigenvalues.
#[inline(always)]
pub(crate) fn diagonalise<R: Real>(n: usize, S: &mut [R]) {
    for _ in 0..SWEEPS {
        for p in 0..n {
            for q in p + 1..n {
                let (a, b, c) = (S[p * n + p], S[q * n + q], S[p * n + q]);
                // tan 2θ = 2 c / (b − a), the small root
                let difference = b - a;
                let root = (difference * difference + R::constant(4.0) * c * c).sqrt();
                let below = difference.abs() + root;
                let some = R::constant(1e-30).lt(below);
                let t = R::constant(2.0) * c * difference.signum_or_one() / R::select(some, below, R::one());
                let t = R::select(some, t, R::zero());
                let cos = t.mul_add(t, R::one()).sqrt().recip();
                let sin = t * cos;
                for k in 0..n {
                    let (x, y) = (S[k * n + p], S[k * n + q]);
                    (S[k * n + p], S[k * n + q]) = (cos * x - sin * y, sin * x + cos * y);
                }
                for k in 0..n {
                    let (x, y) = (S[p * n + k], S[q * n + k]);
                    (S[p * n + k], S[q * n + k]) = (cos * x - sin * y, sin * x + cos * y);
                }
            }
        }
    }
}

/// Rank of loops, sign of assembly and eigenvalues of A P Aᵀ for every part, as an operator on batches.
pub(crate) struct Holding<'a, E>(pub &'a Parts<E>);

impl<E: Number> Operator<E> for Holding<'_, E> {
    type Scratch<R: Real<Elem = E>> = PartMemory<R>;

    fn scratch<R: Real<Elem = E>>(&self, tree: &TreeModel<E>) -> PartMemory<R> {
        PartMemory::new(tree, self.0)
    }

    #[inline(always)]
    fn run<R: Real<Elem = E>>(&self, tree: &TreeModel<E>, s: &mut PartMemory<R>, q: &[R], output: &mut [R]) {
        hold(tree, self.0, s, (q, output));
    }
}

#[kernel]
fn hold<E: Number, R: Real<Elem = E>>(
    tree: &TreeModel<E>,
    parts: &Parts<E>,
    s: &mut PartMemory<R>,
    (q, output): (&[R], &mut [R]),
) {
    s.placed.place(tree, &parts.task, q, true);
    let mut at = 0;
    for part in &parts.parts {
        let (n, rows, motors) = (part.velocities.len(), part.row_count(&parts.task), part.motors.len());
        write_rows(&parts.task, part, s);
        output[at] = orthonormalise::<E, R>(rows, n, &mut s.Q);
        output[at + 1] = sign_of_assembly(rows, n, motors, s);
        project(rows, n, motors, s);
        diagonalise(motors, &mut s.S);
        for m in 0..motors {
            output[at + 2 + m] = s.S[m * motors + m];
        }
        at += part.width();
    }
    let mut finite = R::Mask::splat(true);
    for x in q {
        finite = finite & x.is_finite();
    }
    for x in output.iter_mut() {
        *x = R::select(finite, *x, R::zero());
    }
}
