//! The forces of a joint and how they turn, move and change with the poses of its two bodies.
//!
//! With f, n the joint's force and moment at M's origin in world axes, the successor takes (f, n + r_S × f) and the
//! predecessor −(f, n + r_P × f), r from the centre of mass to M's origin. Forces of rows are fixed in F; moments depend on
//! how M is turned in F, δn = N δθ. Hence, with every amount as it is:
//!
//! | what moves | δf | δ(n + r_S × f) | δ(n + r_P × f) |
//! |---|---|---|---|
//! | successor by δx | 0 | 0 | δx × f |
//! | successor by δθ | 0 | N δθ + (δθ × r_S) × f | the same |
//! | predecessor by δx | 0 | 0 | −δx × f |
//! | predecessor by δθ | δθ × f | δθ × n − N δθ + r_S × δf | δθ × n − N δθ + r_P × δf |
//!
//! and so the rate f·w + n·Ω of a row, w and Ω the velocity at M and the spin of the successor relative to the predecessor.

use super::dofs::DofSlopes;
use super::{Answer, BodySlopes, Slots, Square};
use bellcrank_math::{Dual, Mat3, Pose, Quat, Real, Twist, Vec3, Wrench};
use bellcrank_model::kinematics;
use bellcrank_step::rows::joint_pose;

type Turned<R> = Dual<R, 3>;

/// Force, moment at M's origin, and N.
#[derive(Clone, Copy)]
pub(crate) struct Force<R> {
    pub f: Vec3<R>,
    pub n: Vec3<R>,
    pub N: Mat3<R>,
}

/// A joint at the start of the step.
pub(crate) struct Place<R> {
    F: Mat3<R>,
    pub r_S: Vec3<R>,
    pub r_P: Vec3<R>,
}

/// M's rotation in F, with the slopes by a turn about F's axes: δq = ½ (0, e) q.
#[inline(always)]
fn turned<R: Real>(q: Quat<R>) -> Quat<Turned<R>> {
    let half = R::constant(0.5);
    let mut all = [
        Turned::constant_of(q.w),
        Turned::constant_of(q.x),
        Turned::constant_of(q.y),
        Turned::constant_of(q.z),
    ];
    let axes = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
    for k in 0..3 {
        let change = (Quat::from_parts(R::zero(), axes[k] * half) * q).to_wxyz();
        for i in 0..4 {
            all[i].tangent[k] = change[i];
        }
    }
    Quat::from_wxyz(all)
}

#[inline(always)]
fn value<R: Real>(v: Vec3<Turned<R>>) -> Vec3<R> {
    Vec3::new(v.x.value, v.y.value, v.z.value)
}

#[inline(always)]
fn tangent<R: Real>(v: Vec3<Turned<R>>, k: usize) -> Vec3<R> {
    Vec3::new(v.x.tangent[k], v.y.tangent[k], v.z.tangent[k])
}

impl<R: Real> Place<R> {
    /// From F's axes to the world's.
    #[inline(always)]
    fn force(&self, row: Wrench<Turned<R>>) -> Force<R> {
        let m = row.moment;
        let by_turn = Mat3::from_columns(tangent(m, 0), tangent(m, 1), tangent(m, 2));
        Force { f: self.F * value(row.force), n: self.F * value(m), N: self.F * by_turn * self.F.transpose() }
    }

    /// The slope of the rate of a row with these velocities: by the pose of the successor, by that of the predecessor.
    #[inline(always)]
    fn rate_slopes(&self, row: &Force<R>, V_S: Twist<R>, V_P: Twist<R>) -> [[R; 6]; 2] {
        let Force { f, n, N } = *row;
        let spin = V_S.angular - V_P.angular;
        let w = V_S.linear + V_S.angular.cross(self.r_S) - V_P.linear - V_P.angular.cross(self.r_P);
        let twisted = N.transpose_mul(spin);
        let across = V_P.angular.cross(f);
        let by_s = self.r_S.cross(f.cross(spin)) + twisted;
        let by_p = f.cross(w) + n.cross(spin) - twisted;
        [
            [across.x, across.y, across.z, by_s.x, by_s.y, by_s.z],
            [-across.x, -across.y, -across.z, by_p.x, by_p.y, by_p.z],
        ]
    }
}

/// Slopes of the two pushes: by the pose of one body, on itself and on the other.
#[derive(Clone, Copy)]
pub(crate) struct Pushes<R> {
    pub own: Square<R>,
    pub other: Square<R>,
}

#[inline(always)]
fn put<R: Real>(column: &mut [R; 6], f: Vec3<R>, n: Vec3<R>) {
    *column = [f.x, f.y, f.z, n.x, n.y, n.z];
}

/// The table above; on the successor by itself, and on the predecessor by itself.
#[inline(always)]
fn push_slopes<R: Real>(place: &Place<R>, force: &Force<R>) -> [Pushes<R>; 2] {
    let (Place { r_S, r_P, .. }, Force { f, n, N }) = (place, *force);
    let zero = Vec3::zero();
    let blank = Pushes { own: [[R::zero(); 6]; 6], other: [[R::zero(); 6]; 6] };
    let [mut s, mut p] = [blank; 2];
    let axes = [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()];
    for k in 0..3 {
        let e = axes[k];
        let lever = e.cross(f);
        put(&mut s.other[k], zero, -lever);
        put(&mut p.own[k], zero, lever);
        let twisted = N * e;
        let moment = twisted + e.cross(*r_S).cross(f);
        put(&mut s.own[3 + k], zero, moment);
        put(&mut s.other[3 + k], zero, -moment);
        let moment = e.cross(n) - twisted;
        put(&mut p.other[3 + k], lever, moment + r_S.cross(lever));
        put(&mut p.own[3 + k], -lever, -(moment + r_P.cross(lever)));
    }
    [s, p]
}

/// block += slope of an amount · its row
#[inline(always)]
fn add_outer<R: Real>(block: &mut Square<R>, slope: &[R; 6], row: &[R; 6]) {
    for c in 0..6 {
        for r in 0..6 {
            block[c][r] = slope[c].mul_add(row[r], block[c][r]);
        }
    }
}

/// y += a x
#[inline(always)]
fn add<R: Real>(y: &mut [R; 6], a: R, x: &[R; 6]) {
    for i in 0..6 {
        y[i] = a.mul_add(x[i], y[i]);
    }
}

#[inline(always)]
fn add_square<R: Real>(y: &mut Square<R>, x: &Square<R>) {
    for c in 0..6 {
        for r in 0..6 {
            y[c][r] += x[c][r];
        }
    }
}

/// Velocities of successor and predecessor: after the step, and before it.
struct Velocities<R> {
    next: [Twist<R>; 2],
    last: [Twist<R>; 2],
}

/// A joint at the start of the step, with all that pushes there.
pub(crate) struct Acting<R> {
    pub place: Place<R>,
    /// The force of all rows together.
    pub whole: Force<R>,
    /// Of one unit along each free row.
    free: [Wrench<Turned<R>>; 6],
    velocities: Velocities<R>,
}

impl<R: Real> Acting<R> {
    #[inline(always)]
    pub fn of(answer: &Answer<'_, R>, dofs: &[DofSlopes<R>], j: usize) -> Self {
        let joint = &answer.layout.joints[j];
        let (place, velocities, X_FM) = find(answer, j);
        let X_turned = Pose::new(turned(X_FM.R), Vec3::zero());
        let held = kinematics::constraint_axes(joint.kind, X_turned);
        let free = kinematics::rate_axes(joint.kind, X_turned);
        let mut whole = Wrench::zero();
        for i in 0..joint.kind.row_count() {
            whole += held[i] * Turned::constant_of(answer.own.joints[j].lambda[i]);
        }
        for k in 0..joint.kind.dof_count() {
            whole += free[k] * Turned::constant_of(dofs[joint.first_dof + k].amount);
        }
        Acting { whole: place.force(whole), place, free, velocities }
    }

    /// The slopes of the rate along a free row, by the poses of successor and predecessor: of the rate after the step, and of
    /// that before it.
    #[inline(always)]
    pub fn rate_slopes(&self, k: usize) -> [[[R; 6]; 2]; 2] {
        let (row, Velocities { next, last }) = (self.place.force(self.free[k]), &self.velocities);
        [self.place.rate_slopes(&row, next[0], next[1]), self.place.rate_slopes(&row, last[0], last[1])]
    }

    /// How both pushes change with the poses, all amounts as they are: by that of the successor, by that of the predecessor.
    #[inline(always)]
    pub fn push_slopes(&self) -> [Pushes<R>; 2] {
        push_slopes(&self.place, &self.whole)
    }
}

/// All joints.
#[inline(always)]
pub(super) fn read<R: Real>(
    answer: &Answer<'_, R>,
    bodies: &[BodySlopes<R>],
    dofs: &[DofSlopes<R>],
    slots: &mut Slots<R>,
) {
    for (j, joint) in answer.layout.joints.iter().enumerate() {
        let acting = Acting::of(answer, dofs, j);
        let mut poses = acting.push_slopes();
        let blank = Pushes { own: [[R::zero(); 6]; 6], other: [[R::zero(); 6]; 6] };
        let mut rates = [blank; 2];
        for k in 0..joint.kind.dof_count() {
            let both = acting.rate_slopes(k);
            add_dof(answer, (j, k), bodies, dofs, &both, &mut poses, &mut rates);
        }
        keep(answer, j, bodies, &poses, &rates, slots);
    }
}

/// Where a joint is at the start, how fast its bodies are, and M in F.
#[inline(always)]
fn find<R: Real>(answer: &Answer<'_, R>, j: usize) -> (Place<R>, Velocities<R>, Pose<R>) {
    let Answer { layout, constants, state, ws, .. } = *answer;
    let joint = &layout.joints[j];
    let (X_WF, X_WM, X_FM) = joint_pose(joint, &constants.joints[j], &state.X_WB);
    let (S, zero) = (joint.successor, Twist::zero());
    let mut place = Place { F: X_WF.R.to_mat3(), r_S: X_WM.p - state.X_WB[S].p, r_P: Vec3::zero() };
    let next = Twist::from_array(ws.u[layout.position[S]]);
    let mut velocities = Velocities { next: [next, zero], last: [state.V_WB[S], zero] };
    if let Some(p) = joint.predecessor {
        place.r_P = X_WM.p - state.X_WB[p].p;
        velocities.next[1] = Twist::from_array(ws.u[layout.position[p]]);
        velocities.last[1] = state.V_WB[p];
    }
    (place, velocities, X_FM)
}

/// What changes of the amount along one free row; `both` are the slopes of its rate after the step and before it.
#[inline(always)]
fn add_dof<R: Real>(
    answer: &Answer<'_, R>,
    (j, k): (usize, usize),
    bodies: &[BodySlopes<R>],
    dofs: &[DofSlopes<R>],
    both: &[[[R; 6]; 2]; 2],
    poses: &mut [Pushes<R>; 2],
    rates: &mut [Pushes<R>; 2],
) {
    let Answer { layout, ws, own, .. } = *answer;
    let joint = &layout.joints[j];
    let (dof, i) = (&dofs[joint.first_dof + k], joint.kind.row_count() + k);
    let (rows, ends) = (&ws.joints[j], &own.joints[j]);
    for side in if joint.predecessor.is_some() { 0..2 } else { 0..1 } {
        let (here, there, end) = if side == 0 {
            (&rows.s[i], &rows.p[i], bodies[joint.successor].at_start(&ends.s[i]))
        } else {
            let p = joint.predecessor.unwrap_or(joint.successor);
            (&rows.p[i], &rows.s[i], bodies[p].at_start(&ends.p[i]))
        };
        let mut slope = [R::zero(); 6];
        add(&mut slope, dof.by_next, &both[0][side]);
        add(&mut slope, dof.by_last, &both[1][side]);
        add(&mut slope, dof.by_start, here);
        if own.free[j] {
            add(&mut slope, dof.by_end, &end);
        }
        add_outer(&mut poses[side].own, &slope, here);
        add_outer(&mut poses[side].other, &slope, there);
        let mut slope = [R::zero(); 6];
        add(&mut slope, dof.by_last, here);
        add_outer(&mut rates[side].own, &slope, here);
        add_outer(&mut rates[side].other, &slope, there);
    }
}

/// Puts the slopes of a joint where they belong, and those of what it is short of at the end.
#[inline(always)]
fn keep<R: Real>(
    answer: &Answer<'_, R>,
    j: usize,
    bodies: &[BodySlopes<R>],
    poses: &[Pushes<R>; 2],
    rates: &[Pushes<R>; 2],
    slots: &mut Slots<R>,
) {
    let (joint, ends, inverse_dt) = (&answer.layout.joints[j], &answer.own.joints[j], answer.dt.recip());
    let at = slots.joints[j];
    for side in if joint.predecessor.is_some() { 0..2 } else { 0..1 } {
        let b = if side == 0 { joint.successor } else { joint.predecessor.unwrap_or(joint.successor) };
        add_square(&mut slots.pose[b][0].block, &poses[side].own);
        add_square(&mut slots.velocity[b][0].block, &rates[side].own);
        if joint.predecessor.is_some() {
            add_square(&mut slots.pose[b][at.pose[side]].block, &poses[side].other);
            add_square(&mut slots.velocity[b][at.velocity[side]].block, &rates[side].other);
        }
        let rest = &mut slots.pose[b][at.rest[side]].block;
        for i in 0..joint.kind.row_count() {
            let six = bodies[b].at_start(if side == 0 { &ends.s[i] } else { &ends.p[i] });
            for c in 0..6 {
                rest[c][i] = six[c] * inverse_dt;
            }
        }
    }
}
