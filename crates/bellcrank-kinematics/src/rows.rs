//! Rows of goals, loops and limits: how far each is missed, and what every unknown does about it.
//!
//! All errors are "wanted minus is" and all rows tell how "is" changes, so that the step solves J δ = e. The cost of a pose
//! is Σ w e² over all of them; where `ROWS` is set, the same pass writes the normal equations H = Σ w JᵀJ, g = Σ w Jᵀe.

use crate::normal::Normal;
use crate::placed::{Placed, lift_vector};
use crate::task::{Ask, Bound, Closing, Mover, Place, Relation, Rows, Task};
use bellcrank_math::{Elem, Pose, Quat, Real, Vec3, so3};
use bellcrank_model::kinematics;
use bellcrank_tree::TreeModel;
use bellcrank_tree::loops::Source;

/// What counts, per lane.
#[derive(Clone, Copy)]
pub(crate) struct Weights<R> {
    /// Goals of the first priority: one or zero.
    pub first: R,
    /// Goals of the second priority: one or zero.
    pub second: R,
    /// Squares of gaps in loops, against goals of weight one.
    pub loops: R,
    /// Further factors of goals of places, and of all other goals.
    pub emphasis: [R; 2],
}

impl<R: Real> Weights<R> {
    /// Goals of the first priority and loops.
    #[inline(always)]
    pub fn of_loops(loops: R) -> Self {
        Weights { first: R::one(), second: R::zero(), loops, emphasis: [R::one(); 2] }
    }
}

/// What a pose is worth.
#[derive(Clone, Copy)]
pub(crate) struct Figures<R> {
    /// Σ w e²
    pub cost: R,
    /// Largest gap of loops, couplings and limits of closing joints \[m or rad\].
    pub gap: R,
    /// Largest error of a goal of first priority, against its tolerance.
    pub worst: R,
}

/// A pose to look at.
#[derive(Clone, Copy)]
pub(crate) struct Look<'a, R> {
    pub q: &'a [R],
    /// The pose that joints and contacts stay at.
    pub home: &'a [R],
    /// Frames that are held, where `home` has them.
    pub held: &'a [Pose<R>],
    pub targets: &'a [R],
    pub weights: Weights<R>,
}

/// Memory for one block of lanes.
pub(crate) struct RowMemory<R> {
    pub placed: Placed<R>,
    pub normal: Normal<R>,
    columns: Vec<usize>,
    J1: Vec<[R; 1]>,
    J3: Vec<[R; 3]>,
    J6: Vec<[R; 6]>,
    /// Moments of what hangs from each node, over the whole mass, and their shares of it.
    moments: Vec<(R, Vec3<R>)>,
    /// Errors of goals \[m or rad\].
    pub errors: Vec<R>,
}

impl<R: Real> RowMemory<R> {
    pub fn new<E: Elem>(tree: &TreeModel<E>, task: &Task<E>) -> Self {
        let (n, zero) = (task.velocities.len(), R::zero());
        RowMemory {
            placed: Placed::new(tree),
            normal: Normal::new(n),
            columns: Vec::with_capacity(n),
            J1: vec![[zero; 1]; n],
            J3: vec![[zero; 3]; n],
            J6: vec![[zero; 6]; n],
            moments: vec![(zero, Vec3::zero()); tree.nodes.len()],
            errors: vec![zero; task.asks.len()],
        }
    }

    #[inline(always)]
    fn list(&mut self, movers: &[Mover]) {
        self.columns.clear();
        for mover in movers {
            self.columns.push(mover.column);
        }
    }
}

/// The whole pose: places everything, then goals, loops and limits.
#[inline(always)]
pub(crate) fn look<E: Elem, R: Real<Elem = E>, const ROWS: bool>(
    tree: &TreeModel<E>,
    task: &Task<E>,
    at: Look<'_, R>,
    s: &mut RowMemory<R>,
) -> Figures<R> {
    let zero = R::zero();
    let mut sum = Figures { cost: zero, gap: zero, worst: zero };
    s.placed.place(tree, task, at.q, ROWS);
    if ROWS {
        s.normal.clear();
    }
    if task.needs_mass {
        gather_moments(tree, task, s);
    }
    for (g, ask) in task.asks.iter().enumerate() {
        let factor = if ask.first { at.weights.first } else { at.weights.second };
        let (error, cost) = goal::<E, R, ROWS>(task, ask, at, factor, s);
        s.errors[g] = error;
        sum.cost += cost;
        if ask.first {
            sum.worst = sum.worst.max(error * R::splat(ask.tolerance).recip());
        }
    }
    for closing in &task.closings {
        if closing.acts {
            loop_rows::<E, R, ROWS>(closing, at.weights.loops, s, &mut sum);
        }
    }
    for relation in &task.relations {
        relation_row::<E, R, ROWS>(task, relation, at, s, &mut sum);
    }
    for bound in &task.bounds {
        bound_row::<E, R, ROWS>(task, bound, at.weights.loops, s, &mut sum);
    }
    sum
}

/// Error and cost of a goal; a cost that is not a number stays so, and no step is taken there.
#[inline(always)]
fn goal<E: Elem, R: Real<Elem = E>, const ROWS: bool>(
    task: &Task<E>,
    ask: &Ask<E>,
    at: Look<'_, R>,
    factor: R,
    s: &mut RowMemory<R>,
) -> (R, R) {
    let t = &at.targets[ask.target..];
    let [places, others] = at.weights.emphasis;
    let (in_place, turned) = (factor * places.scale(task.metre), factor * others);
    let [a, b, c] = [R::splat(ask.weight[0]), R::splat(ask.weight[1]), R::splat(ask.weight[2])];
    let (w, w_m) = ([turned * a, turned * b, turned * c], [in_place * a, in_place * b, in_place * c]);
    match &ask.rows {
        Rows::Position { frame, base } => {
            let (X_WF, X_WB) = (s.placed.pose(frame), s.placed.pose(base));
            let e = Vec3::new(t[0], t[1], t[2]) - X_WB.R.rotate_inverse(X_WF.p - X_WB.p);
            if ROWS {
                for (m, mover) in ask.movers.iter().enumerate() {
                    let v = s.placed.motion(mover.v, mover.node, X_WF.p).linear;
                    s.J3[m] = signed(X_WB.R.rotate_inverse(v), mover.forward);
                }
            }
            put3::<E, R, ROWS>(ask, e, w_m, s)
        }
        Rows::Orientation { frame, base } => {
            let (X_WF, X_WB) = (s.placed.pose(frame), s.placed.pose(base));
            let R_BF = X_WB.R.inverse() * X_WF.R;
            let wanted = Quat::from_wxyz([t[0], t[1], t[2], t[3]]).normalized();
            let e = so3::log(wanted * R_BF.inverse());
            if ROWS {
                for (m, mover) in ask.movers.iter().enumerate() {
                    let spin = s.placed.S[mover.v].angular;
                    s.J3[m] = signed(X_WB.R.rotate_inverse(spin), mover.forward);
                }
            }
            put3::<E, R, ROWS>(ask, e, w, s)
        }
        Rows::LookAt { frame, axis } => look_at::<E, R, ROWS>(ask, (s.placed.pose(frame), *axis), t, w, s),
        Rows::CenterOfMass => {
            let e = Vec3::new(t[0], t[1], t[2]) - center(task, s);
            if ROWS {
                for (m, mover) in ask.movers.iter().enumerate() {
                    let (share, moment) = s.moments[mover.node];
                    let (S, p) = (s.placed.S[mover.v], s.placed.X[mover.node].p);
                    // Σ m (v + ω × (c − p)) over what hangs from the node
                    let v = S.linear * share + S.angular.cross(moment - p * share);
                    s.J3[m] = v.to_array();
                }
            }
            put3::<E, R, ROWS>(ask, e, w_m, s)
        }
        Rows::Coordinate { q, sign } => {
            let e = t[0].scale(*sign) - at.q[*q];
            s.J1[0] = [R::one()];
            put1::<E, R, ROWS>(&ask.movers, e, w[0], s)
        }
        Rows::Closing { closure, dof, is_angle } => {
            let x = closing_coordinate::<E, R, ROWS>(&task.closings[*closure], *dof, s);
            let e = t[0] - x;
            let e = if *is_angle { whole_turns_off(e) } else { e };
            put1::<E, R, ROWS>(&ask.movers, e, w[0], s)
        }
        Rows::Pair(relation) => {
            let e = relation_error::<E, R, ROWS>(task, relation, at.q, s) + t[0];
            put1::<E, R, ROWS>(&ask.movers, e, w[0], s)
        }
        Rows::Hold { frame, number } => {
            hold::<E, R, ROWS>(ask, [s.placed.pose(frame), at.held[*number]], [w_m, w], s)
        }
        Rows::Apart { from, to } => apart::<E, R, ROWS>(ask, [from, to], at, s),
        Rows::Stay => stay::<E, R, ROWS>(task, ask, at, w[0], s),
    }
}

#[inline(always)]
fn signed<R: Real>(v: Vec3<R>, forward: bool) -> [R; 3] {
    if forward { v.to_array() } else { (-v).to_array() }
}

/// An angle in [−π, π].
#[inline(always)]
fn whole_turns_off<R: Real>(angle: R) -> R {
    let turn = R::constant(core::f64::consts::TAU);
    (angle / turn).round().neg_mul_add(turn, angle)
}

/// Three rows from J3: the length of what counts of the error, and its cost.
#[inline(always)]
fn put3<E: Elem, R: Real<Elem = E>, const ROWS: bool>(
    ask: &Ask<E>,
    e: Vec3<R>,
    w: [R; 3],
    s: &mut RowMemory<R>,
) -> (R, R) {
    let e = e.to_array();
    let (mut length, mut cost) = (R::zero(), R::zero());
    for r in 0..3 {
        cost = (w[r] * e[r]).mul_add(e[r], cost);
        if ask.weight[r] > E::zero() {
            length = e[r].mul_add(e[r], length);
        }
    }
    if ROWS {
        s.list(&ask.movers);
        s.normal.add(&s.columns, &s.J3, e, w);
    }
    (length.sqrt(), cost)
}

/// One row from J1.
#[inline(always)]
fn put1<E: Elem, R: Real<Elem = E>, const ROWS: bool>(
    movers: &[Mover],
    e: R,
    w: R,
    s: &mut RowMemory<R>,
) -> (R, R) {
    if ROWS {
        s.list(movers);
        s.normal.add(&s.columns, &s.J1, [e], [w]);
    }
    (e.abs(), w * e * e)
}

/// The turn that brings axis a to the direction u of the point looked at; ė = u × ṗ/d − (1 − u uᵀ) ω.
#[inline(always)]
fn look_at<E: Elem, R: Real<Elem = E>, const ROWS: bool>(
    ask: &Ask<E>,
    (X_WF, axis): (Pose<R>, Vec3<E>),
    t: &[R],
    w: [R; 3],
    s: &mut RowMemory<R>,
) -> (R, R) {
    let a = X_WF.R.rotate(lift_vector(axis));
    let ahead = Vec3::new(t[0], t[1], t[2]) - X_WF.p;
    let near = ahead.norm().recip();
    let u = ahead * near;
    let across = a.cross(u);
    let sine = across.norm();
    let angle = sine.atan2(a.dot(u));
    let straight = sine.lt(R::constant(1e-12));
    let e = across * R::select(straight, R::one(), angle / R::select(straight, R::one(), sine));
    // straight away from the point, any turn by π will do
    let aside = Vec3::select(a.x.abs().lt(R::constant(0.7)), Vec3::x_axis(), Vec3::y_axis()).cross(a);
    let away = straight & a.dot(u).lt(R::zero());
    let e = Vec3::select(away, aside.normalized() * angle, e);
    if ROWS {
        for (m, mover) in ask.movers.iter().enumerate() {
            let V = s.placed.motion(mover.v, mover.node, X_WF.p);
            let turning = V.angular - u * u.dot(V.angular);
            s.J3[m] = (turning - u.cross(V.linear) * -near).to_array();
        }
    }
    put3::<E, R, ROWS>(ask, e, w, s)
}

/// A frame where it was: three rows of its place and three of its turn.
#[inline(always)]
fn hold<E: Elem, R: Real<Elem = E>, const ROWS: bool>(
    ask: &Ask<E>,
    [X_WF, was]: [Pose<R>; 2],
    [w_m, w]: [[R; 3]; 2],
    s: &mut RowMemory<R>,
) -> (R, R) {
    let (far, turn) = (was.p - X_WF.p, so3::log(was.R * X_WF.R.inverse()));
    let [x, y, z] = far.to_array();
    let [a, b, c] = turn.to_array();
    let (e, w) = ([x, y, z, a, b, c], [w_m[0], w_m[1], w_m[2], w[0], w[1], w[2]]);
    if ROWS {
        for (m, mover) in ask.movers.iter().enumerate() {
            let V = s.placed.motion(mover.v, mover.node, X_WF.p);
            let ([vx, vy, vz], [wx, wy, wz]) = (V.linear.to_array(), V.angular.to_array());
            s.J6[m] = [vx, vy, vz, wx, wy, wz];
        }
        s.list(&ask.movers);
        s.normal.add(&s.columns, &s.J6, e, w);
    }
    let mut cost = R::zero();
    for r in 0..6 {
        cost = (w[r] * e[r]).mul_add(e[r], cost);
    }
    (far.norm().max(turn.norm()), cost)
}

/// Two bodies along a normal: a row where they are nearer than they may be, or where they shall be just that near, nothing elsewhere. As heavy
/// as loops: it must hold.
#[inline(always)]
fn apart<E: Elem, R: Real<Elem = E>, const ROWS: bool>(
    ask: &Ask<E>,
    [from, to]: [&Place<E>; 2],
    at: Look<'_, R>,
    s: &mut RowMemory<R>,
) -> (R, R) {
    let t = &at.targets[ask.target..];
    let vector = |k: usize| Vec3::new(t[k], t[k + 1], t[k + 2]);
    let (X_WA, X_WB) = (s.placed.pose(from), s.placed.pose(to));
    let (p_A, p_B, n) = (X_WA.R.rotate(vector(0)) + X_WA.p, X_WB.R.rotate(vector(3)) + X_WB.p, vector(6));
    let wanted = t[9] - n.dot(p_B - p_A);
    let just = R::constant(0.5).lt(t[10]);
    let e = R::select(just, wanted, wanted.max(R::zero()));
    if ROWS {
        for (m, mover) in ask.movers.iter().enumerate() {
            let p = if mover.forward { p_B } else { p_A };
            let rate = n.dot(s.placed.motion(mover.v, mover.node, p).linear);
            s.J1[m] = [if mover.forward { rate } else { -rate }];
        }
    }
    let w = R::select(R::zero().lt(e) | just, at.weights.loops, R::zero());
    put1::<E, R, ROWS>(&ask.movers, e, w, s)
}

/// All scalar unknowns at their start.
#[inline(always)]
fn stay<E: Elem, R: Real<Elem = E>, const ROWS: bool>(
    task: &Task<E>,
    ask: &Ask<E>,
    at: Look<'_, R>,
    w: R,
    s: &mut RowMemory<R>,
) -> (R, R) {
    let (mut largest, mut cost) = (R::zero(), R::zero());
    let n = task.velocities.len();
    for mover in &ask.movers {
        let Some(q) = task.coordinates[mover.column] else { continue };
        let e = at.home[q] - at.q[q];
        (largest, cost) = (largest.max(e.abs()), (w * e).mul_add(e, cost));
        if ROWS {
            let i = mover.column;
            s.normal.g[i] = w.mul_add(e, s.normal.g[i]);
            s.normal.H[i * n + i] += w;
        }
    }
    (largest, cost)
}

/// Shares of mass and moments of everything that hangs from each node.
#[inline(always)]
fn gather_moments<E: Elem, R: Real<Elem = E>>(tree: &TreeModel<E>, task: &Task<E>, s: &mut RowMemory<R>) {
    for (i, (share, moment)) in task.shares.iter().enumerate() {
        let X = s.placed.X[i];
        let share = R::splat(*share);
        s.moments[i] = (share, X.R.rotate(lift_vector(*moment)) + X.p * share);
    }
    for (i, node) in tree.nodes.iter().enumerate().rev() {
        if let Some(parent) = (node.parent != bellcrank_tree::WORLD).then_some(node.parent) {
            let (share, moment) = s.moments[i];
            s.moments[parent].0 += share;
            s.moments[parent].1 += moment;
        }
    }
}

/// Centre of mass: moments of the roots.
#[inline(always)]
fn center<E: Elem, R: Real<Elem = E>>(task: &Task<E>, s: &RowMemory<R>) -> Vec3<R> {
    let mut sum = Vec3::zero();
    for &i in &task.roots {
        sum += s.moments[i].1;
    }
    sum
}

/// Rows of a closing joint: c → 0.
#[inline(always)]
fn loop_rows<E: Elem, R: Real<Elem = E>, const ROWS: bool>(
    closing: &Closing<E>,
    weight: R,
    s: &mut RowMemory<R>,
    sum: &mut Figures<R>,
) {
    let (X_WF, X_WM) = (s.placed.pose(&closing.F), s.placed.pose(&closing.M));
    let X_FM = X_WF.inverse_mul(X_WM);
    let count = closing.kind.row_count();
    let c = kinematics::residual(closing.kind, X_FM);
    for r in 0..count {
        sum.gap = sum.gap.max(c[r].abs());
        sum.cost = (weight * c[r]).mul_add(c[r], sum.cost);
    }
    if !ROWS {
        return;
    }
    let axes = kinematics::constraint_axes(closing.kind, X_FM);
    for (m, mover) in closing.movers.iter().enumerate() {
        let V = s.placed.motion(mover.v, mover.node, X_WM.p).rotated(X_WF.R.inverse());
        for r in 0..count {
            let rate = V.dot(axes[r]);
            s.J6[m][r] = if mover.forward { rate } else { -rate };
        }
    }
    s.list(&closing.movers);
    match count {
        6 => add_loop::<R, 6>(s, &c, weight),
        5 => add_loop::<R, 5>(s, &c, weight),
        4 => add_loop::<R, 4>(s, &c, weight),
        3 => add_loop::<R, 3>(s, &c, weight),
        2 => add_loop::<R, 2>(s, &c, weight),
        1 => add_loop::<R, 1>(s, &c, weight),
        _ => {}
    }
}

/// The first M rows of J6 with e = −c.
#[inline(always)]
fn add_loop<R: Real, const M: usize>(s: &mut RowMemory<R>, c: &[R; 6], weight: R) {
    let n = s.normal.g.len();
    let mut weighted = [R::zero(); M];
    for a in 0..s.columns.len() {
        let i = s.columns[a];
        let mut push = s.normal.g[i];
        for r in 0..M {
            weighted[r] = weight * s.J6[a][r];
            push = weighted[r].neg_mul_add(c[r], push);
        }
        s.normal.g[i] = push;
        for b in 0..=a {
            let j = s.columns[b];
            let mut entry = s.normal.H[i * n + j];
            for r in 0..M {
                entry = weighted[r].mul_add(s.J6[b][r], entry);
            }
            s.normal.H[i * n + j] = entry;
        }
    }
}

/// A coordinate of a closing joint; its row goes to J1.
#[inline(always)]
fn closing_coordinate<E: Elem, R: Real<Elem = E>, const ROWS: bool>(
    closing: &Closing<E>,
    dof: usize,
    s: &mut RowMemory<R>,
) -> R {
    let (X_WF, X_WM) = (s.placed.pose(&closing.F), s.placed.pose(&closing.M));
    let X_FM = X_WF.inverse_mul(X_WM);
    if ROWS {
        let axis = kinematics::rate_axes(closing.kind, X_FM)[dof];
        for (m, mover) in closing.movers.iter().enumerate() {
            let V = s.placed.motion(mover.v, mover.node, X_WM.p).rotated(X_WF.R.inverse());
            let rate = V.dot(axis);
            s.J1[m] = [if mover.forward { rate } else { -rate }];
        }
    }
    kinematics::coordinates(closing.kind, X_FM)[dof]
}

/// A coupling: Σ coefficient · coordinate → constant.
#[inline(always)]
fn relation_row<E: Elem, R: Real<Elem = E>, const ROWS: bool>(
    task: &Task<E>,
    relation: &Relation<E>,
    at: Look<'_, R>,
    s: &mut RowMemory<R>,
    sum: &mut Figures<R>,
) {
    let e = relation_error::<E, R, ROWS>(task, relation, at.q, s);
    let (gap, cost) = put1::<E, R, ROWS>(&relation.movers, e, at.weights.loops, s);
    sum.gap = sum.gap.max(gap);
    sum.cost += cost;
}

/// constant − Σ coefficient · coordinate; its row goes to J1.
#[inline(always)]
fn relation_error<E: Elem, R: Real<Elem = E>, const ROWS: bool>(
    task: &Task<E>,
    relation: &Relation<E>,
    at: &[R],
    s: &mut RowMemory<R>,
) -> R {
    let mut e = R::splat(relation.constant);
    for m in 0..relation.movers.len() {
        s.J3[m] = [R::zero(); 3]; // J1 is needed by closing joints
    }
    for (source, coefficient) in &relation.terms {
        match *source {
            Source::Tree { q, v, sign } => {
                let k = R::splat(*coefficient) * R::constant(sign);
                e = k.neg_mul_add(at[q], e);
                add_at(relation, v, k, s);
            }
            Source::Closing { closure, dof } => {
                let closing = &task.closings[closure];
                let x = closing_coordinate::<E, R, ROWS>(closing, dof, s);
                e = x.scale(*coefficient).neg_mul_add(R::one(), e);
                for (m, mover) in closing.movers.iter().enumerate() {
                    let [rate] = s.J1[m];
                    add_at(relation, mover.v, rate.scale(*coefficient), s);
                }
            }
        }
    }
    for m in 0..relation.movers.len() {
        s.J1[m] = [s.J3[m][0]];
    }
    e
}

#[inline(always)]
fn add_at<E, R: Real>(relation: &Relation<E>, v: usize, x: R, s: &mut RowMemory<R>) {
    for (m, mover) in relation.movers.iter().enumerate() {
        if mover.v == v {
            s.J3[m][0] += x;
        }
    }
}

/// A limit of a closing joint's coordinate: a row where it is passed, nothing elsewhere.
#[inline(always)]
fn bound_row<E: Elem, R: Real<Elem = E>, const ROWS: bool>(
    task: &Task<E>,
    bound: &Bound<E>,
    weight: R,
    s: &mut RowMemory<R>,
    sum: &mut Figures<R>,
) {
    let closing = &task.closings[bound.closure];
    let x = closing_coordinate::<E, R, ROWS>(closing, bound.dof, s);
    let [low, high] = [R::splat(bound.limits[0]), R::splat(bound.limits[1])];
    let e = x.clamp(low, high) - x;
    let acts = R::zero().lt(e.abs());
    let w = R::select(acts, weight, R::zero());
    let (gap, cost) = put1::<E, R, ROWS>(&closing.movers, e, w, s);
    sum.gap = sum.gap.max(gap);
    sum.cost += cost;
}
