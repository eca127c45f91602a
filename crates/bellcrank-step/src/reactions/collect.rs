//! Which rows with cones act, and what they are: limits, dry friction, effort limits, contacts.
//!
//! Rows that act in no lane are left out; a lane in which a row does not act has zeros there, which change no other row's
//! bits.

use crate::constants::Constants;
use crate::layout::ContactLayout;
use crate::layout::{Layout, ScalarKind};
use crate::rows::drives::row_velocity;
use crate::rows::soft::{self, ContactYield};
use crate::state::State;
use crate::step::scene::Scene;
use crate::workspace::{ConeGroup, ConeRows, ConeSource, Demand, Touching, Workspace};
use bellcrank_collide::{Surface, collide};
use bellcrank_math::{Mask, Real, Twist, Vec3, kernel};
use bellcrank_solve::Cone;

/// Lists what touches, with the reactions of the last step; says how many contacts there are, listed or not.
pub fn find_contacts<R: Real>(scene: &Scene<'_, R>, state: &State<R>, ws: &mut Workspace<R>) -> usize {
    let reach = reach(state, scene.times.turn());
    find_within(scene.layout, scene.constants, state, reach, ws)
}

/// How far ahead contacts are looked for [m]: what the fastest body covers in the step.
#[kernel]
fn reach<R: Real>(state: &State<R>, dt: R) -> R {
    let mut fastest = R::zero();
    for V in &state.V_WB {
        fastest = faster(fastest, V);
    }
    reach_of(fastest, dt)
}

/// The square of the largest speed so far and of one more body \[m²/s²\].
#[inline(always)]
pub fn faster<R: Real>(so_far: R, V: &Twist<R>) -> R {
    so_far.max(V.linear.norm_squared())
}

/// How far ahead contacts are looked for where that is the square of the largest speed \[m\].
#[inline(always)]
pub fn reach_of<R: Real>(fastest: R, dt: R) -> R {
    fastest.sqrt().mul_add(dt, R::constant(1e-3))
}

/// The same within some distance [m].
pub fn find_within<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    reach: R,
    ws: &mut Workspace<R>,
) -> usize {
    ws.touching.clear();
    let Some(pile) = &mut ws.pile else {
        collide(&layout.plan, &constants.shapes, &state.X_WB, reach, &mut ws.contacts);
        for (slot, contact) in ws.contacts.slots().iter().enumerate() {
            if contact.active.any() {
                ws.touching.push(Touching { slot, contact: *contact, guess: state.contact_impulse[slot] });
            }
        }
        return ws.touching.len();
    };
    let found = pile.find(layout, constants, state, reach, &mut ws.found);
    std::mem::swap(&mut ws.touching, &mut ws.found.touching);
    std::mem::swap(&mut ws.cones.surfaces, &mut ws.found.surfaces);
    found
}

/// A row as it is collected: on body a and body b, with its bias, compliance and first guess.
#[derive(Clone, Copy)]
struct Row<R> {
    jacobian: [[R; 6]; 2],
    bias: R,
    compliance: R,
    guess: R,
}

/// A row on one degree of freedom.
struct ScalarRow<R: Real> {
    /// Lanes in which it acts.
    acts: R::Mask,
    cone: Cone<R>,
    /// What is left to the limit [m or rad].
    gap: R,
    row: Row<R>,
}

/// Lists the rows that act in at least one lane.
#[kernel]
pub fn collect<R: Real>(scene: &Scene<'_, R>, state: &State<R>, ws: &mut Workspace<R>) {
    let Scene { layout, constants, .. } = *scene;
    let cones = &mut ws.cones;
    cones.groups.clear();
    cones.used_w = 0;
    cones.jacobian.clear();
    cones.bias.clear();
    cones.compliance.clear();
    cones.lambda.clear();
    cones.gap.clear();
    cones.demands.clear();
    for (i, scalar) in layout.scalars.iter().enumerate() {
        if let Some(ScalarRow { acts, cone, gap, row }) = scalar_row(scene, state, i, ws) {
            begin_group(ConeSource::Scalar(i), acts, cone, gap, scalar.path.len(), &mut ws.cones);
            push_row(row, &mut ws.cones);
            ws.cones.demands.push(Demand::none());
        }
    }
    for touching in &ws.touching {
        let contact = &layout.contacts[touching.slot];
        let cone =
            Cone::Coulomb { mu: ws.cones.surface(constants, contact.pair).sliding, rows: contact.rows };
        let gap = touching.contact.distance;
        let Some(acts) = contact_acts(contact, touching) else { continue };
        begin_group(ConeSource::Contact(touching.slot), acts, cone, gap, contact.path.len(), &mut ws.cones);
        contact_rows(scene, state, (touching, acts), &mut ws.cones);
    }
}

/// Lanes in which a contact acts: a soft one only inside. `None` where that is none.
#[inline(always)]
fn contact_acts<R: Real>(contact: &ContactLayout, touching: &Touching<R>) -> Option<R::Mask> {
    if contact.soft.is_none() {
        return Some(touching.contact.active);
    }
    let acts = touching.contact.active & touching.contact.distance.lt(R::zero());
    if acts.any() { Some(acts) } else { None }
}

/// A group whose rows come next.
#[inline(always)]
fn begin_group<R: Real>(
    source: ConeSource,
    acts: R::Mask,
    cone: Cone<R>,
    gap: R,
    path: usize,
    cones: &mut ConeRows<R>,
) {
    let (first_row, first_w, rows) = (cones.lambda.len(), cones.used_w, cone.rows());
    cones.gap.push(gap);
    cones.groups.push(ConeGroup { source, acts, cone, first_row, rows, first_w });
    cones.used_w += rows * path;
    if cones.w.len() < cones.used_w {
        cones.w.resize(cones.used_w, [R::zero(); 6]);
    }
}

#[inline(always)]
fn push_row<R: Real>(row: Row<R>, cones: &mut ConeRows<R>) {
    cones.jacobian.push(row.jacobian);
    cones.bias.push(row.bias);
    cones.compliance.push(row.compliance);
    cones.lambda.push(row.guess);
}

/// One row on a degree of freedom, or `None` if it acts nowhere.
#[inline(always)]
fn scalar_row<R: Real>(
    scene: &Scene<'_, R>,
    state: &State<R>,
    index: usize,
    ws: &Workspace<R>,
) -> Option<ScalarRow<R>> {
    let Scene { layout, constants, settings, times, .. } = *scene;
    let scalar = &layout.scalars[index];
    let joint = &layout.joints[scalar.at.joint];
    let (dof, c) =
        (&ws.dofs[joint.first_dof + scalar.at.dof], &constants.dofs[joint.first_dof + scalar.at.dof]);
    let own = constants.joints[scalar.at.joint].dof_weight[scalar.at.dof];
    let (zero, one) = (R::zero(), R::one());
    let guess = state.scalar_impulse[index];
    let gap = match scalar.kind {
        ScalarKind::Lower => state.q[joint.first_coordinate + scalar.at.dof] - c.low,
        ScalarKind::Upper => c.high - state.q[joint.first_coordinate + scalar.at.dof],
        _ => zero,
    };
    let acts = match scalar.kind {
        ScalarKind::Lower | ScalarKind::Upper if scalar.soft.is_some() => gap.lt(zero),
        ScalarKind::Lower | ScalarKind::Upper => {
            // what it covers at its old speed, and what its drive alone would make of it
            let towards =
                if scalar.kind == ScalarKind::Lower { -dof.drive_impulse } else { dof.drive_impulse };
            let pushed = towards.max(zero) / (own + dof.drive_mass);
            let speed = dof.rate.abs().mul_add(R::constant(2.0), pushed);
            gap.lt(speed.mul_add(times.turn(), R::constant(1e-3))) | zero.lt(guess)
        }
        ScalarKind::SlowDown | ScalarKind::SlowUp => (c.velocity_limit * R::constant(0.5)).lt(dof.rate.abs()),
        ScalarKind::Friction => zero.lt(c.friction * times.dt),
        ScalarKind::Effort => dof.boxed,
    };
    if !acts.any() {
        return None;
    }
    let (cone, sign, bias, compliance) = match scalar.kind {
        ScalarKind::Lower | ScalarKind::Upper => {
            let sign = if scalar.kind == ScalarKind::Lower { one } else { -one };
            // where limits and loops cannot both be met, the limit gives way
            let yields = R::constant(settings.limit_softness) / (own + dof.drive_mass);
            (Cone::Nonnegative, sign, settings.recover(gap, times.turn(), settings.limit_recovery), yields)
        }
        ScalarKind::SlowDown => (Cone::Nonnegative, one, c.velocity_limit, zero),
        ScalarKind::SlowUp => (Cone::Nonnegative, -one, c.velocity_limit, zero),
        ScalarKind::Friction => {
            let most = c.friction * times.dt;
            (Cone::Box { low: -most, high: most }, one, zero, zero)
        }
        ScalarKind::Effort => {
            let (low, high) = c.effort.bounds(dof.rate, times.dt);
            let soft = R::select(dof.boxed, dof.drive_mass, one).recip();
            (Cone::Box { low, high }, one, -(dof.drive_impulse * soft), soft)
        }
    };
    let (mut bias, mut compliance) = (bias, compliance);
    if let Some(law) = &scalar.soft {
        let soft = soft::row(law, gap, sign * dof.rate, times.dt);
        (bias, compliance) = (soft.bias, soft.compliance);
    }
    let i = joint.kind.row_count() + scalar.at.dof;
    let rows = &ws.joints[scalar.at.joint];
    let mut jacobian = [rows.p[i], rows.s[i]];
    for x in jacobian.iter_mut().flatten() {
        *x = zero_unless(acts, *x * sign);
    }
    let (bias, compliance) = (zero_unless(acts, bias), zero_unless(acts, compliance));
    Some(ScalarRow {
        acts,
        cone,
        gap,
        row: Row { jacobian, bias, compliance, guess: zero_unless(acts, guess) },
    })
}

/// The value where it counts, else zero.
#[inline(always)]
pub fn zero_unless<R: Real>(acts: R::Mask, x: R) -> R {
    R::select(acts, x, R::zero())
}

/// A push along `d` at `r` from a centre of mass.
#[inline(always)]
fn push_at<R: Real>(acts: R::Mask, r: Vec3<R>, d: Vec3<R>) -> [R; 6] {
    let m = r.cross(d);
    let mut row = [d.x, d.y, d.z, m.x, m.y, m.z];
    for x in &mut row {
        *x = zero_unless(acts, *x);
    }
    row
}

/// The rows of a contact, the normal last: two of sliding, then moments about the normal and the tangents if asked for.
#[inline(always)]
#[allow(clippy::manual_map)] // a closure here would lose the instruction set
fn contact_rows<R: Real>(
    scene: &Scene<'_, R>,
    state: &State<R>,
    (touching, acts): (&Touching<R>, R::Mask),
    cones: &mut ConeRows<R>,
) {
    let Scene { layout, constants, settings, times, .. } = *scene;
    let (at, contact) = (&layout.contacts[touching.slot], &touching.contact);
    let surface = *cones.surface(constants, at.pair);
    let surface = &surface;
    let (guess, none) = (&touching.guess, R::zero());
    let (t, o) = contact.tangents();
    let arm_a = match at.a {
        Some(a) => Some(contact.point_a - state.X_WB[a].p),
        None => None,
    };
    let arms = (arm_a, contact.point_b - state.X_WB[at.b].p);
    for (k, axis) in [t, o].into_iter().enumerate() {
        let jacobian = push_both(acts, arms, axis);
        push_row(Row { jacobian, bias: none, compliance: none, guess: zero_unless(acts, guess[k]) }, cones);
    }
    for (k, axis) in [contact.normal, t, o].into_iter().enumerate().take(at.rows - 3) {
        push_row(moment_row(k, acts, axis, surface, guess[3 + k]), cones);
    }
    let jacobian = push_both(acts, arms, contact.normal);
    let mut before = row_velocity(&jacobian[1], &state.V_WB[at.b].to_array());
    if let Some(a) = at.a {
        before += row_velocity(&jacobian[0], &state.V_WB[a].to_array());
    }
    // a body that bounces leaves with e times its approach; it does not also wait for the gap to close
    let bounces = R::zero().lt(surface.restitution)
        & before.lt(R::constant(-settings.bounce_speed))
        & before.mul_add(times.turn(), contact.distance).lt(R::zero());
    let hold = settings.recover(contact.distance, times.turn(), settings.contact_recovery);
    let bias = zero_unless(acts, R::select(bounces, surface.restitution * before, hold));
    push_row(Row { jacobian, bias, compliance: none, guess: zero_unless(acts, guess[2]) }, cones);
    let recovery = zero_unless(acts & !bounces & contact.distance.lt(none), -hold);
    let restitution = zero_unless(acts, surface.restitution);
    cones.demands.push(Demand { recovery, restitution, before });
    if at.soft.is_some() {
        give_way(scene, state, (touching, acts), cones);
    }
}

/// Makes the rows of the contact at the end of the list soft.
#[inline(always)]
fn give_way<R: Real>(
    scene: &Scene<'_, R>,
    state: &State<R>,
    (touching, acts): (&Touching<R>, R::Mask),
    cones: &mut ConeRows<R>,
) {
    let Scene { layout, constants, times, .. } = *scene;
    let at = &layout.contacts[touching.slot];
    let (Some(soft), Some(all)) = (&at.soft, layout.compliance) else { return };
    let sliding = cones.surface(constants, at.pair).sliding;
    let edges = 2 * (at.rows - 1);
    let yields = ContactYield::of(soft, all, edges, [touching.contact.distance, sliding, times.dt]);
    let last = cones.jacobian.len() - 1;
    for i in last + 1 - at.rows..=last {
        let [on_a, on_b] = &cones.jacobian[i];
        let mut rate = row_velocity(on_b, &state.V_WB[at.b].to_array());
        if let Some(a) = at.a {
            rate += row_velocity(on_a, &state.V_WB[a].to_array());
        }
        let own = if i == last { yields.normal(rate) } else { yields.friction(rate) };
        cones.bias[i] = zero_unless(acts, own.bias);
        cones.compliance[i] = zero_unless(acts, own.compliance);
    }
    if let Some(demand) = cones.demands.last_mut() {
        *demand = Demand::none(); // it neither wants out by itself nor bounces
    }
}

/// A push along `d` on the second body and against it on the first, which the world does not feel.
#[inline(always)]
fn push_both<R: Real>(acts: R::Mask, (a, b): (Option<Vec3<R>>, Vec3<R>), d: Vec3<R>) -> [[R; 6]; 2] {
    let on_a = match a {
        Some(a) => push_at(acts, a, -d),
        None => [R::zero(); 6],
    };
    [on_a, push_at(acts, b, d)]
}

/// A row of torsional (about n) or rolling friction (about t or o). A moment τ ≤ μ_m λ_n shares the cone of sliding
/// as y = τ μ/μ_m, which makes it round: the row is the turn times μ_m/μ ([ComFree] notes: the elliptic cone).
#[inline(always)]
fn moment_row<R: Real>(k: usize, acts: R::Mask, axis: Vec3<R>, surface: &Surface<R>, guess: R) -> Row<R> {
    let coefficient = if k == 0 { surface.torsional } else { surface.rolling };
    let rubs = acts & R::zero().lt(surface.sliding) & R::zero().lt(coefficient);
    let arm = zero_unless(rubs, coefficient / R::select(rubs, surface.sliding, R::one()));
    let (turn, none) = (axis * arm, R::zero());
    let on_b = [none, none, none, turn.x, turn.y, turn.z];
    let on_a = [none, none, none, -turn.x, -turn.y, -turn.z];
    let guess = zero_unless(rubs, guess / R::select(rubs, arm, R::one()));
    Row { jacobian: [on_a, on_b], bias: none, compliance: none, guess }
}
