//! Poses that close: from any subset of joint coordinates to a whole mechanism, loops included.
//!
//! Gauss–Newton over all bodies in the metric of their inertia: H δ = −Jᵀ S⁻¹ r with the rows of all joints, the
//! asked coordinates among them, and H = M + Jᵀ S⁻¹ J as in the step. Large moves go in small ones (at most
//! [`LARGEST_TURN`] or [`LARGEST_SLIDE`] per iteration), so that the mechanism stays on its branch. The base of
//! a floating component stays where it is.

use crate::constants::Constants;
use crate::layout::{DofLayout, Layout};
use crate::rows::{self, RowSettings, couplings};
use crate::settings::Method;
use crate::state::State;
use crate::status::Report;
use crate::step::{motion, scene::Scene, third_law};
use crate::workspace::Workspace;
use bellcrank_math::{Elem, Inline, Mask, Pose, Quat, Real, Twist, Vec3};
use bellcrank_model::JointKind;

/// Change of an asked angle per iteration at most [rad].
pub const LARGEST_TURN: f64 = 0.1;
/// Change of an asked distance per iteration at most [m].
pub const LARGEST_SLIDE: f64 = 0.02;
/// ε of all rows: each iteration leaves that fraction open, and H needs as many digits more than the masses do, which
/// numbers of 32 bits do not have for rods that hang on something heavy.
fn softness<R: Real>() -> f64 {
    if R::Elem::EPSILON.to_f64() > 1e-10 { 1e-3 } else { 1e-6 }
}

/// A held base is so many times heavier.
const BASE_WEIGHT: f64 = 1e6;

/// One coordinate that shall have a value, per lane.
pub struct Target<R> {
    pub at: DofLayout,
    pub value: R,
}

/// One coordinate or velocity that is asked for, by listed world.
pub struct Asked {
    pub at: DofLayout,
    pub values: Vec<f64>,
}

/// What an assembly shall reach, and how exactly.
pub struct Goal {
    pub positions: Vec<Asked>,
    pub velocities: Vec<Asked>,
    /// At most, by listed world: a world's result may not depend on what others are asked for.
    pub iterations: Vec<usize>,
    /// [m and rad]
    pub tolerance: f64,
}

/// Which lanes shall move, in how many iterations at most, and how exactly.
#[derive(Clone, Copy)]
pub struct Asking<R: Real> {
    pub lanes: R::Mask,
    pub iterations: R,
    pub tolerance: R,
}

/// Moves the asked lanes to poses that close with the asked coordinates. Gives the lanes where that succeeded; in
/// the others the state is left as it was. A lane that is done is kept as it then is, whatever its neighbours still need.
pub fn assemble<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    [targets, velocities]: &[Vec<Target<R>>; 2],
    asking: Asking<R>,
    state: &mut State<R>,
    ws: &mut Workspace<R>,
) -> R::Mask {
    let mut trial = state.clone();
    trial.V_WB.fill(Twist::zero());
    let mut found = trial.clone();
    let (mut done, mut left) = (!asking.lanes, asking.iterations);
    while !(done | left.le(R::zero())).all() {
        let open = iterate(layout, constants, targets, true, R::zero(), &mut trial, ws);
        let closed = open.le(asking.tolerance) & left.gt(R::zero()) & !done;
        found.take(closed, &trial);
        done = done | closed;
        left -= R::one();
    }
    let mut success = done & asking.lanes;
    for X in &found.X_WB {
        success = success & X.is_finite(); // a comparison with what is no number says nothing
    }
    let moves = R::run(Inline(
        #[inline(always)]
        || set_velocities(layout, constants, velocities, &mut found, ws),
    ));
    success = success & moves;
    found.scalar_impulse.fill(R::zero());
    found.contact_impulse.fill([R::zero(); 6]);
    found.joint_impulse.fill([R::zero(); 6]);
    found.alive = R::Mask::splat(true);
    state.take(success, &found);
    success
}

/// The largest number of iterations that close a pose.
const PROJECTIONS: usize = 12;
/// What is open by more than this is mended by velocities, gently [m and rad]: moving a pose costs or gives energy.
const MAX_PROJECTED_GAP: f64 = 5e-2;

/// Closes what a step has left open. Near the dead point of a linkage the rows of the start of a step do not tell how to
/// close its end, and a step that runs beyond the reach of a mechanism would stay open for good; rows written anew
/// in every iteration find back. Bodies move as little as their inertia lets them; velocities stay. What was closed is
/// not touched, and what cannot be closed stays as it was.
pub fn project_onto_joints<R: Real>(
    scene: &Scene<'_, R>,
    state: &mut State<R>,
    ws: &mut Workspace<R>,
    report: &mut Report<R>,
) {
    let Scene { layout, constants, settings, .. } = *scene;
    let before = report.gap_metres.max(report.gap_radians);
    let tolerance = R::constant(settings.gap_tolerance);
    let open = state.alive & report.open & before.lt(R::constant(MAX_PROJECTED_GAP));
    let gives = layout.joints.iter().any(|joint| joint.held.is_some());
    if settings.method != Method::Eliminate || !layout.holds || gives || !open.any() {
        return;
    }
    ws.X_start.copy_from_slice(&state.X_WB);
    let mut left = before;
    for _ in 0..PROJECTIONS {
        left = iterate(layout, constants, &[], false, tolerance, state, ws);
        if !(open & tolerance.lt(left)).any() {
            break;
        }
    }
    R::run(Inline(
        #[inline(always)]
        || {
            let closed = open & left.le(tolerance);
            for (X, old) in state.X_WB.iter_mut().zip(&ws.X_start) {
                *X = Pose::new(Quat::select(closed, X.R, old.R), Vec3::select(closed, X.p, old.p));
            }
            third_law::keep_momentum(layout, constants, closed, state, &ws.X_start);
            rows::read_coordinates(layout, constants, state);
            report.gap_metres = R::select(closed, left, report.gap_metres);
            report.gap_radians = R::select(closed, left, report.gap_radians);
        },
    ));
}

/// One Gauss–Newton iteration in the lanes that are open by more than `tolerance`; gives the largest residual before
/// it [m or rad].
fn iterate<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    targets: &[Target<R>],
    bases_stay: bool,
    tolerance: R,
    state: &mut State<R>,
    ws: &mut Workspace<R>,
) -> R {
    R::run(Inline(
        #[inline(always)]
        || iterate_here(layout, constants, targets, bases_stay, tolerance, state, ws),
    ))
}

#[inline(always)]
fn iterate_here<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    targets: &[Target<R>],
    bases_stay: bool,
    tolerance: R,
    state: &mut State<R>,
    ws: &mut Workspace<R>,
) -> R {
    let settings = RowSettings {
        inverse_dt: R::one(),
        stiffness: R::constant(1.0 / softness::<R>()),
        most: R::constant(1e9),
        gives: false,
    };
    rows::joint_rows(layout, constants, state, settings, ws);
    for (joint, rows) in layout.joints.iter().zip(&mut ws.joints) {
        rows.target = [R::zero(); 6]; // all of the gap is to be closed
        for i in joint.kind.row_count()..6 {
            (rows.weight[i], rows.rate[i]) = (R::zero(), R::zero());
        }
    }
    ws.coupling_target.fill(R::zero());
    let missed = ask(layout, constants, targets, state, settings, ws);
    motion::put_masses(layout, constants, state, &mut ws.factor);
    if bases_stay {
        hold_bases(layout, &[], ws);
    }
    rows::add_all_joints(layout, ws);
    couplings::add(layout, constants, settings.stiffness, ws);
    ws.factor.factor(&layout.pattern);
    ws.X_next.copy_from_slice(&state.X_WB);
    let (metres, radians) = rows::gaps(layout, constants, state, settings, ws);
    rows::push_closed(layout, ws);
    push_targets(layout, targets, ws);
    ws.factor.solve(&layout.pattern, &mut ws.x);
    let mut residual = metres.max(radians).max(missed);
    if bases_stay {
        // an assembly holds couplings as it holds joints
        for (pushing, weight) in ws.coupling_closing.iter().zip(&constants.coupling_weight) {
            residual = residual.max((*pushing / (*weight * settings.stiffness)).abs());
        }
    }
    let moves = tolerance.lt(residual);
    for b in 0..layout.position.len() {
        let move_by = -Twist::from_array(ws.x[layout.position[b]]);
        let (X, old) = (motion::advance(state.X_WB[b], move_by, R::one()), state.X_WB[b]);
        state.X_WB[b] = Pose::new(Quat::select(moves, X.R, old.R), Vec3::select(moves, X.p, old.p));
    }
    rows::read_coordinates(layout, constants, state);
    residual
}

/// Corrections of the velocities at most.
const VELOCITY_ROUNDS: usize = 60;

/// Velocities are as asked, and as the joints allow, to this share of the largest one that was asked for (or of 1 m/s).
fn velocity_tolerance<R: Real>() -> f64 {
    if R::Elem::EPSILON.to_f64() > 1e-10 { 2e-5 } else { 1e-10 }
}

/// The velocities with the asked rates that the joints allow: least kinetic energy among them (bases at rest, if not asked).
/// Gives the lanes in which there are such.
#[inline(always)]
fn set_velocities<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    targets: &[Target<R>],
    state: &mut State<R>,
    ws: &mut Workspace<R>,
) -> R::Mask {
    if targets.is_empty() {
        return R::Mask::splat(true);
    }
    let settings = RowSettings {
        inverse_dt: R::one(),
        stiffness: R::constant(1.0 / softness::<R>()),
        most: R::constant(1e9),
        gives: false,
    };
    rows::joint_rows(layout, constants, state, settings, ws);
    for (joint, rows) in layout.joints.iter().zip(&mut ws.joints) {
        rows.rate = [R::zero(); 6];
        for i in joint.kind.row_count()..6 {
            rows.weight[i] = R::zero();
        }
    }
    let mut largest = R::one();
    for target in targets {
        let i = layout.joints[target.at.joint].kind.row_count() + target.at.dof;
        let rows = &mut ws.joints[target.at.joint];
        rows.weight[i] = constants.joints[target.at.joint].dof_weight[target.at.dof] * settings.stiffness;
        rows.rate[i] = target.value;
        largest = largest.max(target.value.abs());
    }
    motion::put_masses(layout, constants, state, &mut ws.factor);
    hold_bases(layout, targets, ws);
    rows::add_all_joints(layout, ws);
    couplings::add(layout, constants, settings.stiffness, ws);
    ws.factor.factor(&layout.pattern);
    let found = find_velocities(layout, R::constant(velocity_tolerance::<R>()) * largest, ws);
    for b in 0..layout.position.len() {
        state.V_WB[b] = Twist::from_array(ws.u[layout.position[b]]);
    }
    found
}

/// u by conjugate gradients on ½ ‖asked − J u‖² in the metric S⁻¹, preconditioned by the factor of H = M + Jᵀ S⁻¹ J; gives the
/// lanes that come to the tolerance. H alone would leave the share ε of what each row misses, but far more where a row moves
/// the mechanism far less than its own joint, as in rings that are closed by their symmetry: there gradients find what is
/// left in a few steps. They start from rest, so that of all solutions they find that of least energy.
#[inline(always)]
fn find_velocities<R: Real>(layout: &Layout, tolerance: R, ws: &mut Workspace<R>) -> R::Mask {
    let zero = R::zero();
    ws.u.fill([zero; 6]);
    ws.fresh.fill([zero; 6]); // the direction
    let (mut found, mut before) = (R::Mask::splat(false), zero);
    for _ in 0..VELOCITY_ROUNDS {
        let missed = push_missed_rates(layout, ws);
        found = missed.le(tolerance);
        if found.all() {
            break;
        }
        ws.du.copy_from_slice(&ws.x); // the gradient
        ws.factor.solve(&layout.pattern, &mut ws.x);
        let mut descent = zero;
        for (gradient, x) in ws.du.iter().zip(&ws.x) {
            for k in 0..6 {
                descent = gradient[k].mul_add(x[k], descent);
            }
        }
        let share = quotient(descent, before);
        before = descent;
        for (direction, x) in ws.fresh.iter_mut().zip(&ws.x) {
            for k in 0..6 {
                direction[k] = share.mul_add(direction[k], x[k]);
            }
        }
        let length = quotient(descent, stretch(layout, ws));
        for (u, direction) in ws.u.iter_mut().zip(&ws.fresh) {
            for k in 0..6 {
                u[k] = R::select(found, u[k], length.mul_add(direction[k], u[k]));
            }
        }
    }
    found
}

/// a/b, or nothing where b is nothing.
#[inline(always)]
fn quotient<R: Real>(a: R, b: R) -> R {
    let some = R::zero().lt(b);
    R::select(some, a / R::select(some, b, R::one()), R::zero())
}

/// ‖J x‖² of the direction, in the metric S⁻¹.
#[inline(always)]
fn stretch<R: Real>(layout: &Layout, ws: &Workspace<R>) -> R {
    let mut sum = R::zero();
    for (joint, rows) in layout.joints.iter().zip(&ws.joints) {
        let rates = rows::joint_rates(layout, joint, (rows, 6), &ws.fresh);
        for i in 0..6 {
            sum = (rows.weight[i] * rates[i]).mul_add(rates[i], sum);
        }
    }
    sum + couplings::stretch(layout, ws)
}

/// x ← Jᵀ S⁻¹ (asked − J u) over all rows; gives the largest of what rows miss [m/s or rad/s].
#[inline(always)]
fn push_missed_rates<R: Real>(layout: &Layout, ws: &mut Workspace<R>) -> R {
    ws.x.fill([R::zero(); 6]);
    let mut worst = R::zero();
    for (j, joint) in layout.joints.iter().enumerate() {
        let rows = &ws.joints[j];
        let rates = rows::joint_rates(layout, joint, (rows, 6), &ws.u);
        let mut amount = [R::zero(); 6];
        for i in 0..6 {
            let missed = rows.rate[i] - rates[i];
            amount[i] = rows.weight[i] * missed;
            worst = worst.max(R::select(R::zero().lt(rows.weight[i]), missed.abs(), R::zero()));
        }
        rows::push_joint(layout, joint, (rows, 6), &amount, &mut ws.x);
    }
    worst.max(couplings::push_missed_rates(layout, ws))
}

/// Sets weight and distance of the asked coordinates; gives the largest distance.
#[inline(always)]
fn ask<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    targets: &[Target<R>],
    state: &State<R>,
    settings: RowSettings<R>,
    ws: &mut Workspace<R>,
) -> R {
    let mut missed = R::zero();
    for target in targets {
        let joint = &layout.joints[target.at.joint];
        let i = joint.kind.row_count() + target.at.dof;
        let far = state.q[joint.first_coordinate + target.at.dof] - target.value;
        missed = missed.max(far.abs());
        let most = R::constant(if joint.kind.is_angle(target.at.dof) { LARGEST_TURN } else { LARGEST_SLIDE });
        let rows = &mut ws.joints[target.at.joint];
        rows.weight[i] = constants.joints[target.at.joint].dof_weight[target.at.dof] * settings.stiffness;
        rows.rate[i] = far.clamp(-most, most);
    }
    missed
}

#[inline(always)]
fn push_targets<R: Real>(layout: &Layout, targets: &[Target<R>], ws: &mut Workspace<R>) {
    for target in targets {
        let joint = &layout.joints[target.at.joint];
        let (i, rows) = (joint.kind.row_count() + target.at.dof, ws.joints[target.at.joint]);
        let mut amount = [R::zero(); 6];
        amount[i] = rows.weight[i] * rows.rate[i];
        rows::push_joint(layout, joint, (&rows, 6), &amount, &mut ws.x);
    }
}

/// Makes the bases of floating components so heavy that they stay, but for those whose own velocities are asked for.
#[inline(always)]
fn hold_bases<R: Real>(layout: &Layout, velocities: &[Target<R>], ws: &mut Workspace<R>) {
    for &base in &layout.bases {
        let moves = |target: &Target<R>| {
            let joint = &layout.joints[target.at.joint];
            joint.kind == JointKind::Free && joint.successor == base
        };
        if velocities.iter().any(moves) {
            continue;
        }
        let block = ws.factor.diagonal_mut(layout.position[base]);
        for row in block {
            for entry in row {
                *entry *= R::constant(BASE_WEIGHT);
            }
        }
    }
}
