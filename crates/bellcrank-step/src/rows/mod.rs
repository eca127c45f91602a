//! The rows of joints: what they act on, and how far they are from closed.
//!
//! A row of a joint acts on the relative twist of M in F. With f, n its force and moment at M's origin in world axes,
//! it acts on the successor's twist by (f, n + r_S × f) and on the predecessor's by −(f, n + r_P × f), r from the
//! centre of mass to M's origin. Rows are held at the *end* of the step: the residual is c(q ⊕ Δt u)/Δt, and the
//! correction uses the factor of the start.

pub mod couplings;
pub mod drives;
pub mod limits;
pub mod soft;
pub mod stops;
pub mod tendons;

use crate::constants::{Constants, JointConstants};
use crate::layout::{JointLayout, Layout};
use crate::rows::drives::row_velocity;
use crate::state::State;
use crate::workspace::{JointRows, Workspace};
use bellcrank_math::{Pose, Real, Vec3, Wrench};
use bellcrank_model::{JointKind, kinematics};
use bellcrank_solve::BlockFactor;

/// The pose of a joint's predecessor frame and of M in it.
#[inline(always)]
pub fn joint_pose<R: Real>(
    layout: &JointLayout,
    constants: &JointConstants<R>,
    X_WB: &[Pose<R>],
) -> (Pose<R>, Pose<R>, Pose<R>) {
    let X_WF = match layout.predecessor {
        Some(p) => X_WB[p] * constants.X_PF,
        None => constants.X_PF,
    };
    let X_WM = X_WB[layout.successor] * constants.X_SM;
    (X_WF, X_WM, X_WF.inverse_mul(X_WM))
}

/// Calls with the kind of a joint as a constant for the commonest, so that nothing of the others is left in what is compiled: counts of
/// rows are known, arrays stay in registers.
macro_rules! for_kind {
    ($kind:expr, |$known:ident| $work:expr) => {
        match $kind {
            JointKind::Revolute => {
                let $known = JointKind::Revolute;
                $work
            }
            JointKind::Spherical => {
                let $known = JointKind::Spherical;
                $work
            }
            $known => $work,
        }
    };
}

/// All joints' rows at the start of the step; gives the largest gap there [m or rad].
#[inline(always)]
pub fn joint_rows<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    settings: RowSettings<R>,
    ws: &mut Workspace<R>,
) -> R {
    let mut largest = R::zero();
    for (j, joint) in layout.joints.iter().enumerate() {
        let constants = &constants.joints[j];
        let gap = for_kind!(joint.kind, |kind| one_joint(
            (kind, joint),
            constants,
            &state.X_WB,
            settings,
            &mut ws.joints[j]
        ));
        largest = largest.max(gap);
    }
    largest
}

/// Sets what a step may leave open by the gaps before it moved halfway: at the middle of a step joints are open by the
/// curvature of their motion, which is no tear. Gives the largest of them.
#[inline(always)]
pub fn set_targets<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    settings: RowSettings<R>,
    ws: &mut Workspace<R>,
) -> R {
    let mut largest = R::zero();
    for (j, joint) in layout.joints.iter().enumerate() {
        let (_, _, X_FM) = joint_pose(joint, &constants.joints[j], &ws.X_start);
        let (gap, rows) = (kinematics::residual(joint.kind, X_FM), &mut ws.joints[j]);
        for i in 0..joint.kind.row_count() {
            largest = largest.max(gap[i].abs());
            let target = settings.leave_open(gap[i]);
            rows.rate[i] += (rows.target[i] - target) * settings.inverse_dt;
            rows.target[i] = target;
        }
    }
    largest
}

/// Whether a joint holds its frames' origins together: then its first three rows push along F's axes, and all others only turn.
#[inline(always)]
fn holds_point(kind: JointKind) -> bool {
    use JointKind::{Fixed, Gimbal, Revolute, Spherical, Universal};
    matches!(kind, Fixed | Revolute | Universal | Spherical | Gimbal)
}

/// The rows of such a joint that push.
const PUSHES: usize = 3;

/// The rows of one joint at some poses; gives its largest gap.
#[inline(always)]
#[allow(clippy::manual_map)] // a closure here would lose the instruction set
pub fn one_joint<R: Real>(
    (kind, joint): (JointKind, &JointLayout),
    constants: &JointConstants<R>,
    X_WB: &[Pose<R>],
    settings: RowSettings<R>,
    rows: &mut JointRows<R>,
) -> R {
    let (X_WF, X_WM, X_FM) = joint_pose(joint, constants, X_WB);
    let (held, free) = (kinematics::constraint_axes(kind, X_FM), kinematics::rate_axes(kind, X_FM));
    let gap = kinematics::residual(kind, X_FM);
    let (count, R_WF) = (kind.row_count(), X_WF.R.to_mat3());
    let mut largest = R::zero();
    let p_S = X_WB[joint.successor].p - X_WM.p;
    let p_P = match joint.predecessor {
        Some(p) => Some(X_WB[p].p - X_WM.p),
        None => None,
    };
    for i in 0..6 {
        let row = if i < count { held[i] } else { free[i - count] };
        let (force, moment) = if !holds_point(kind) {
            (R_WF * row.force, R_WF * row.moment)
        } else if i < PUSHES {
            ([R_WF.x, R_WF.y, R_WF.z][i], Vec3::zero())
        } else {
            (Vec3::zero(), R_WF * row.moment)
        };
        let (row, turns) = (Wrench::new(force, moment), holds_point(kind) && i >= PUSHES);
        rows.s[i] = if turns { row } else { row.at_point(p_S) }.to_array();
        if let Some(p) = p_P {
            rows.p[i] = (-if turns { row } else { row.at_point(p) }).to_array();
        }
        rows.weight[i] = constants.weight[i] * settings.stiffness;
        rows.target[i] = settings.leave_open(gap[i]);
        rows.rate[i] = (gap[i] - rows.target[i]) * settings.inverse_dt;
        if i < count {
            largest = largest.max(gap[i].abs());
        }
    }
    largest
}

/// Numbers that all rows share.
#[derive(Clone, Copy)]
pub struct RowSettings<R> {
    pub inverse_dt: R,
    /// 1/ε: how much stiffer than its own effective mass a row is in H.
    pub stiffness: R,
    /// What of a gap is closed at most in one step [m or rad].
    pub most: R,
    /// Joints that may give way do; otherwise all are closed.
    pub gives: bool,
}

/// Gaps beyond this are no rounding but a joint torn open, by a step that was too large or by the user [m or rad].
const MAX_DRIFT: f64 = 1e-4;
/// Share of such a gap that is closed per step: all at once would be a blow.
const CLOSED_PER_STEP: f64 = 0.2;

impl<R: Real> RowSettings<R> {
    /// The gap that may be left at the end of the step.
    #[inline(always)]
    pub fn leave_open(self, gap: R) -> R {
        let mended = (gap * R::constant(CLOSED_PER_STEP)).clamp(-self.most, self.most);
        R::select(gap.abs().le(R::constant(MAX_DRIFT)), R::zero(), gap - mended)
    }
}

/// H += Jᵀ S⁻¹ J of all joints; the weights of degrees of freedom are set by the drives.
#[inline(always)]
pub fn add_joints<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    add_rows(layout, false, ws);
}

/// The same with all six rows of every joint.
#[inline(always)]
pub fn add_all_joints<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    add_rows(layout, true, ws);
}

#[inline(always)]
fn add_rows<R: Real>(layout: &Layout, all: bool, ws: &mut Workspace<R>) {
    for block in &layout.blocks_without_joint {
        *ws.factor.off_diagonal_mut(*block) = [[R::zero(); 6]; 6];
    }
    for (joint, rows) in layout.joints.iter().zip(&ws.joints) {
        // numbers of rows that are known when compiling keep sums in registers
        let used = if all || joint.soft { 6 } else { joint.kind.row_count() };
        match (used, holds_point(joint.kind)) {
            (6, true) => add_joint::<R, 3, 6>(layout, joint, rows, &mut ws.factor),
            (5, true) => add_joint::<R, 3, 5>(layout, joint, rows, &mut ws.factor),
            (6, _) => add_joint::<R, 6, 6>(layout, joint, rows, &mut ws.factor),
            (5, _) => add_joint::<R, 5, 5>(layout, joint, rows, &mut ws.factor),
            (4, _) => add_joint::<R, 4, 4>(layout, joint, rows, &mut ws.factor),
            (3, _) => add_joint::<R, 3, 3>(layout, joint, rows, &mut ws.factor),
            (2, _) => add_joint::<R, 2, 2>(layout, joint, rows, &mut ws.factor),
            (1, _) => add_joint::<R, 1, 1>(layout, joint, rows, &mut ws.factor),
            _ => add_joint::<R, 0, 0>(layout, joint, rows, &mut ws.factor),
        }
    }
}

/// Jᵀ S⁻¹ J of the first N rows of a joint, of which all but the first P only turn.
#[inline(always)]
fn add_joint<R: Real, const P: usize, const N: usize>(
    layout: &Layout,
    joint: &JointLayout,
    rows: &JointRows<R>,
    factor: &mut BlockFactor<R>,
) {
    add_square::<R, P, N>(factor.diagonal_mut(layout.position[joint.successor]), &rows.s, &rows.weight);
    if let Some(p) = joint.predecessor {
        add_square::<R, P, N>(factor.diagonal_mut(layout.position[p]), &rows.p, &rows.weight);
    }
    if let Some((block, successor_is_row)) = joint.block {
        let (row, column) = if successor_is_row { (&rows.s, &rows.p) } else { (&rows.p, &rows.s) };
        let sides = (row, column, &rows.weight);
        add_product::<R, P, N>(factor.off_diagonal_mut(block), sides, joint.is_first);
    }
}

#[inline(always)]
fn add_square<R: Real, const P: usize, const N: usize>(
    block: &mut [[R; 6]; 6],
    rows: &[[R; 6]; 6],
    weight: &[R; 6],
) {
    for r in 0..6 {
        let mut weighted = [R::zero(); N];
        for i in 0..if r < 3 { P } else { N } {
            weighted[i] = rows[i][r] * weight[i];
        }
        for c in 0..=r {
            let mut sum = block[r][c];
            for i in 0..if c < 3 { P } else { N } {
                sum = weighted[i].mul_add(rows[i][c], sum);
            }
            block[r][c] = sum;
        }
    }
}

/// The product alone where the block holds nothing yet.
#[inline(always)]
fn add_product<R: Real, const P: usize, const N: usize>(
    block: &mut [[R; 6]; 6],
    (a, b, weight): (&[[R; 6]; 6], &[[R; 6]; 6], &[R; 6]),
    is_first: bool,
) {
    for r in 0..6 {
        let mut weighted = [R::zero(); N];
        for i in 0..if r < 3 { P } else { N } {
            weighted[i] = a[i][r] * weight[i];
        }
        for c in 0..6 {
            let mut sum = if is_first { R::zero() } else { block[r][c] };
            for i in 0..if r < 3 || c < 3 { P } else { N } {
                sum = weighted[i].mul_add(b[i][c], sum);
            }
            block[r][c] = sum;
        }
    }
}

/// x += Σ rows · amount for the first rows of one joint.
#[inline(always)]
pub fn push_joint<R: Real>(
    layout: &Layout,
    joint: &JointLayout,
    (rows, used): (&JointRows<R>, usize),
    amount: &[R; 6],
    x: &mut [[R; 6]],
) {
    // numbers of rows that are known when compiling keep sums in registers
    match (used, holds_point(joint.kind)) {
        (6, true) => push_at_point::<R, 6>(layout, joint, rows, amount, x),
        (5, true) => push_at_point::<R, 5>(layout, joint, rows, amount, x),
        (4, true) => push_at_point::<R, 4>(layout, joint, rows, amount, x),
        (3, true) => push_at_point::<R, 3>(layout, joint, rows, amount, x),
        _ => {
            push_side(&rows.s, used, amount, &mut x[layout.position[joint.successor]]);
            if let Some(p) = joint.predecessor {
                push_side(&rows.p, used, amount, &mut x[layout.position[p]]);
            }
        }
    }
}

/// The same for a joint that holds a point: what one body gets of force and of turning rows, the other gets with the opposite sign.
#[inline(always)]
fn push_at_point<R: Real, const N: usize>(
    layout: &Layout,
    joint: &JointLayout,
    rows: &JointRows<R>,
    amount: &[R; 6],
    x: &mut [[R; 6]],
) {
    let mut sum = [R::zero(); 6];
    for c in 0..6 {
        for i in if c < 3 { 0..PUSHES } else { PUSHES..N } {
            sum[c] = rows.s[i][c].mul_add(amount[i], sum[c]);
        }
    }
    let on_s = &mut x[layout.position[joint.successor]];
    for c in 0..6 {
        on_s[c] += sum[c];
    }
    push_moments(&rows.s, amount, on_s);
    if let Some(p) = joint.predecessor {
        let on_p = &mut x[layout.position[p]];
        for c in 0..6 {
            on_p[c] -= sum[c];
        }
        push_moments(&rows.p, amount, on_p);
    }
}

/// x += the moments of the rows that push.
#[inline(always)]
fn push_moments<R: Real>(rows: &[[R; 6]; 6], amount: &[R; 6], x: &mut [R; 6]) {
    for c in 3..6 {
        for i in 0..PUSHES {
            x[c] = rows[i][c].mul_add(amount[i], x[c]);
        }
    }
}

#[inline(always)]
fn push_side<R: Real>(rows: &[[R; 6]; 6], used: usize, amount: &[R; 6], x: &mut [R; 6]) {
    let mut sum = *x;
    for i in 0..used {
        for c in 0..6 {
            sum[c] = rows[i][c].mul_add(amount[i], sum[c]);
        }
    }
    *x = sum;
}

/// J x of the first rows of one joint.
#[inline(always)]
pub fn joint_rates<R: Real>(
    layout: &Layout,
    joint: &JointLayout,
    (rows, used): (&JointRows<R>, usize),
    x: &[[R; 6]],
) -> [R; 6] {
    let on_s = &x[layout.position[joint.successor]];
    let on_p = match joint.predecessor {
        Some(p) => &x[layout.position[p]],
        None => &[R::zero(); 6],
    };
    match (used, holds_point(joint.kind)) {
        (6, true) => rates_at_point::<R, 6>(rows, on_s, on_p),
        (5, true) => rates_at_point::<R, 5>(rows, on_s, on_p),
        (4, true) => rates_at_point::<R, 4>(rows, on_s, on_p),
        (3, true) => rates_at_point::<R, 3>(rows, on_s, on_p),
        _ => {
            let mut rates = [R::zero(); 6];
            for i in 0..used {
                rates[i] = row_velocity(&rows.s[i], on_s);
                if joint.predecessor.is_some() {
                    rates[i] += row_velocity(&rows.p[i], on_p);
                }
            }
            rates
        }
    }
}

/// The same for a joint that holds a point: common motion is taken out before anything is multiplied.
#[inline(always)]
fn rates_at_point<R: Real, const N: usize>(rows: &JointRows<R>, on_s: &[R; 6], on_p: &[R; 6]) -> [R; 6] {
    let mut between = [R::zero(); 6];
    for c in 0..6 {
        between[c] = on_s[c] - on_p[c];
    }
    let mut rates = [R::zero(); 6];
    for i in 0..N {
        let (s, mut sum) = (&rows.s[i], R::zero());
        if i < PUSHES {
            for c in 0..3 {
                sum = s[c].mul_add(between[c], sum);
                sum = s[3 + c].mul_add(on_s[3 + c], sum);
                sum = rows.p[i][3 + c].mul_add(on_p[3 + c], sum);
            }
        } else {
            for c in 3..6 {
                sum = s[c].mul_add(between[c], sum);
            }
        }
        rates[i] = sum;
    }
    rates
}

/// How far joints and couplings are open at X_next, and what would close them: S⁻¹ c(X_next)/Δt, into `closing`. Gives the largest gap of
/// a joint or coupling in metres and radians.
#[inline(always)]
pub fn gaps<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    settings: RowSettings<R>,
    ws: &mut Workspace<R>,
) -> (R, R) {
    let (mut metres, mut radians) = (R::zero(), R::zero());
    for (j, joint) in layout.joints.iter().enumerate() {
        let (far, turned) =
            for_kind!(joint.kind, |kind| joint_gap((kind, joint), j, &constants.joints[j], settings, ws));
        (metres, radians) = (metres.max(far), radians.max(turned));
    }
    let coupled = couplings::gaps(layout, constants, state, settings, ws);
    (metres.sqrt().max(coupled.0), radians.sqrt().max(coupled.1))
}

/// The part of one joint, and the squares of its gap in metres and radians.
#[inline(always)]
fn joint_gap<R: Real>(
    (kind, joint): (JointKind, &JointLayout),
    j: usize,
    constants: &JointConstants<R>,
    settings: RowSettings<R>,
    ws: &mut Workspace<R>,
) -> (R, R) {
    let (mut far, mut turned) = (R::zero(), R::zero());
    if kind.row_count() == 0 {
        return (far, turned);
    }
    if settings.gives && joint.held.is_some() {
        ws.closing[j] = [R::zero(); 6]; // nothing is to be closed
        return (far, turned);
    }
    let (_, _, X_FM) = joint_pose(joint, constants, &ws.X_next);
    let (gap, rows) = (kinematics::residual(kind, X_FM), &ws.joints[j]);
    for i in 0..kind.row_count() {
        ws.closing[j][i] = (gap[i] - rows.target[i]) * settings.inverse_dt * rows.weight[i];
        let sum = if i < kind.position_row_count() { &mut far } else { &mut turned };
        *sum = gap[i].mul_add(gap[i], *sum);
    }
    (far, turned)
}

/// The right-hand side of the correction: x ← Σ Jᵀ S⁻¹ c(X_next)/Δt.
#[inline(always)]
pub fn push_closed<R: Real>(layout: &Layout, ws: &mut Workspace<R>) {
    ws.x.fill([R::zero(); 6]);
    for (j, joint) in layout.joints.iter().enumerate() {
        push_joint(layout, joint, (&ws.joints[j], joint.kind.row_count()), &ws.closing[j], &mut ws.x);
    }
    for (c, coupling) in layout.couplings.iter().enumerate() {
        couplings::push_row(layout, &coupling.bodies, &ws.couplings[c], ws.coupling_closing[c], &mut ws.x);
    }
}

/// The angle equal to `now` up to whole turns that is nearest to `before`.
#[inline(always)]
pub fn unwrap<R: Real>(now: R, before: R) -> R {
    whole_turns(now, before).mul_add(R::constant(core::f64::consts::TAU), now)
}

/// How many turns that is.
#[inline(always)]
pub fn whole_turns<R: Real>(now: R, before: R) -> R {
    ((before - now) * R::constant(1.0 / core::f64::consts::TAU)).round()
}

/// Joint coordinates at the end of the step, into the state; angles are counted through whole turns.
#[inline(always)]
pub fn read_coordinates<R: Real>(layout: &Layout, constants: &Constants<R>, state: &mut State<R>) {
    for (j, joint) in layout.joints.iter().enumerate() {
        let (_, _, X_FM) = joint_pose(joint, &constants.joints[j], &state.X_WB);
        for_kind!(joint.kind, |kind| count_on(kind, X_FM, &mut state.q[joint.first_coordinate..]))
    }
}

/// The coordinates at a pose, angles counted on from those before.
#[inline(always)]
fn count_on<R: Real>(kind: JointKind, X_FM: Pose<R>, q: &mut [R]) {
    let now = kinematics::coordinates(kind, X_FM);
    for k in 0..kind.coordinate_count() {
        let angle = kind.has_scalar_coordinates() && kind.is_angle(k);
        q[k] = if angle { unwrap(now[k], q[k]) } else { now[k] };
    }
}

/// q̇ of all degrees of freedom.
#[inline(always)]
pub fn read_rates<R: Real>(layout: &Layout, constants: &Constants<R>, state: &State<R>, rates: &mut [R]) {
    for (j, joint) in layout.joints.iter().enumerate() {
        let (X_WF, X_WM, X_FM) = joint_pose(joint, &constants.joints[j], &state.X_WB);
        let free = kinematics::rate_axes(joint.kind, X_FM);
        for k in 0..joint.kind.dof_count() {
            let row = free[k].rotated(X_WF.R);
            let s = row.at_point(state.X_WB[joint.successor].p - X_WM.p);
            let mut rate = row_velocity(&s.to_array(), &state.V_WB[joint.successor].to_array());
            if let Some(p) = joint.predecessor {
                let on_p = row.at_point(state.X_WB[p].p - X_WM.p);
                rate -= row_velocity(&on_p.to_array(), &state.V_WB[p].to_array());
            }
            rates[joint.first_dof + k] = rate;
        }
    }
}
