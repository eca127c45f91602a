//! What moves bodies beside reactions, and poses after the step.
//!
//! A step is taken in increments, M Δu = Δt f + Jᵀλ: with u⁺ itself as the unknown, numbers of 32 bits lose a share of
//! the whole momentum in every step.
//!
//! Turning bodies follow discrete mechanics. A body that turns by exp(h ω) between two nodes has one spin momentum
//! in that interval, which can be told at either end: L = dexp⁻ᵀ(±h ω) I ω = I ω ± ½h ω × I ω + γ h² ω × (ω × I ω),
//! plus with the inertia at the node that it leaves, minus at the one where it arrives,
//! γ = (1 − ½θ cot ½θ)/θ² = 1/12 + θ²/720 + …, θ = h |ω|. Newton's law at a node is *leaving − arriving = impulses*, which
//! keeps angular momentum exactly and energy without trend ([Marsden & West 2001] sections 1.5 and 5; [Dojo] notes 1.2
//! has it for another map of the rotations).

use crate::constants::{BodyConstants, Constants};
use crate::layout::Layout;
use crate::settings::Times;
use crate::state::{Control, State};
use crate::step::scene::Scene;
use crate::workspace::Workspace;
use bellcrank_math::{Mask, Mat3, Pose, Real, Sym3, Twist, Vec3, kernel, so3};
use bellcrank_solve::BlockFactor;

/// How the spin momentum of one body changes because its inertia turns with it.
#[derive(Clone, Copy, Debug)]
pub struct Spin<R: Real> {
    /// In world axes, at the start of the step.
    pub inertia: Sym3<R>,
    /// The momentum that leaves the node, beside I ω⁺.
    pub leaving: Vec3<R>,
    /// Lanes that turn so far in one step that the terms above do not converge: they take L − Δt ω × L, scaled to the
    /// length of L, which is bounded whatever the spin ([Kamino] notes 1.8).
    pub fast: R::Mask,
}

impl<R: Real> Spin<R> {
    pub fn blank() -> Self {
        Spin { inertia: Sym3::zero(), leaving: Vec3::zero(), fast: R::Mask::splat(false) }
    }
}

/// θ² up to which discrete mechanics is used.
const FAST: f64 = 1.0;
/// θ² below which ω × I ω is taken at the old velocity: what is left out is θ³ of the momentum.
const SLOW: f64 = 1e-10;

/// ±½h ω × I ω + γ h² ω × (ω × I ω): plus for the momentum that leaves a node.
#[inline(always)]
fn turning<R: Real>(inertia: Sym3<R>, w: Vec3<R>, h: R, sign: f64) -> Vec3<R> {
    let c = w.cross(inertia * w);
    let t = w.norm_squared() * (h * h);
    let mut gamma = R::constant(1.0 / 47_900_160.0);
    for coefficient in [1.0 / 1_209_600.0, 1.0 / 30_240.0, 1.0 / 720.0, 1.0 / 12.0] {
        gamma = gamma.mul_add(t, R::constant(coefficient));
    }
    c * (h * R::constant(0.5 * sign)) + w.cross(c) * (gamma * h * h)
}

/// I Δω of a body that nothing pushes: two steps of Newton on I Δω + leaving(ω⁻ + Δω) = arriving(ω⁻).
#[inline(always)]
fn free_turn<R: Real>(inertia: Sym3<R>, w: Vec3<R>, arriving: Vec3<R>, h: R) -> Vec3<R> {
    let mut d = Vec3::zero();
    for _ in 0..2 {
        let now = w + d;
        let left = arriving - inertia * d - turning(inertia, now, h, 1.0);
        d += turn_by(inertia, now, h, left);
    }
    inertia * d
}

/// δω with A δω = L, where A = I + ½h ([ω]× I − [I ω]×) is how the momentum that leaves a node changes with ω.
#[inline(always)]
pub fn turn_by<R: Real>(inertia: Sym3<R>, w: Vec3<R>, h: R, L: Vec3<R>) -> Vec3<R> {
    let gyro = Mat3::skew(w) * inertia.to_mat3() - Mat3::skew(inertia * w);
    let A = inertia.to_mat3() + gyro * (h * R::constant(0.5));
    // by elimination: cofactors of a thin rod's inertia, 1,000 times smaller about its axis, would be all cancellation
    let (x, y, z) = (A.x, A.y, A.z);
    let (ly, lz) = (x.y / x.x, x.z / x.x);
    let (yy, yz) = (ly.neg_mul_add(y.x, y.y), ly.neg_mul_add(z.x, z.y));
    let (zy, zz) = (lz.neg_mul_add(y.x, y.z), lz.neg_mul_add(z.x, z.z));
    let (Ly, Lz) = (ly.neg_mul_add(L.x, L.y), lz.neg_mul_add(L.x, L.z));
    let m = zy / yy;
    let wz = m.neg_mul_add(Ly, Lz) / m.neg_mul_add(yz, zz);
    let wy = yz.neg_mul_add(wz, Ly) / yy;
    let wx = z.x.neg_mul_add(wz, y.x.neg_mul_add(wy, L.x)) / x.x;
    Vec3::new(wx, wy, wz)
}

/// Δu += M⁻¹ x of one body, in some lanes, where x is what Newton's law misses with all reactions: Newton's method, two steps, on
/// I δω + leaving(ω + δω) − leaving(ω) = x.
#[inline(always)]
pub fn add_missing<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    lanes: R::Mask,
    turn: R,
    b: usize,
    ws: &mut Workspace<R>,
) {
    let k = layout.position[b];
    let (x, u, spin) = (ws.x[k], ws.u[k], &ws.spin[k]);
    let v = Vec3::new(x[0], x[1], x[2]) * constants.bodies[b].mass.recip();
    let (old, L) = (Vec3::new(u[3], u[4], u[5]), Vec3::new(x[3], x[4], x[5]));
    let h = R::select(spin.fast, R::zero(), turn); // what leaves is told there, and does not change
    let mut w = turn_by(spin.inertia, old, h, L);
    let more = turning(spin.inertia, old + w, h, 1.0) - turning(spin.inertia, old, h, 1.0);
    w += turn_by(spin.inertia, old, h, L - spin.inertia * w - more);
    for (i, change) in [v.x, v.y, v.z, w.x, w.y, w.z].into_iter().enumerate() {
        ws.du[k][i] += R::select(lanes, change, R::zero());
        ws.u[k][i] = ws.u_start[k][i] + ws.du[k][i];
    }
}

/// Δt f of every body with what the turning of its inertia adds, and M on the diagonal of H. What is beside the
/// diagonal is left as it was.
#[kernel]
pub fn impulses<R: Real>(
    scene: &Scene<'_, R>,
    state: &State<R>,
    control: &Control<R>,
    ws: &mut Workspace<R>,
) {
    let Scene { layout, constants, times, .. } = *scene;
    crate::rows::drives::set_weights(layout, ws);
    let dt = times.dt;
    for (b, body) in constants.bodies.iter().enumerate() {
        let (k, V, push) = (layout.position[b], state.V_WB[b], &control.wrench[b]);
        let inertia = put_mass(body, state.X_WB[b], ws.factor.diagonal_mut(k));
        let (turn, spin) = spin(inertia, V.angular, times);
        let linear = constants.gravity * (dt * body.heavy_mass);
        let mut impulse = [linear.x, linear.y, linear.z, turn.x, turn.y, turn.z];
        for i in 0..6 {
            impulse[i] = dt.mul_add(push[i], impulse[i]);
        }
        (ws.impulse[k], ws.spin[k]) = (impulse, spin);
        ws.u_start[k] = V.to_array();
    }
}

/// The first guess of I Δω by turning alone, leaving part included; and what the rounds that follow need.
#[inline(always)]
fn spin<R: Real>(inertia: Sym3<R>, w: Vec3<R>, times: Times<R>) -> (Vec3<R>, Spin<R>) {
    let (dt, next) = (times.dt, times.turn());
    let t = w.norm_squared() * (dt * dt);
    let (slow, fast) = (t.lt(R::constant(SLOW)), R::constant(FAST).lt(t));
    let L = inertia * w;
    let c = w.cross(L) * dt;
    let mut turn = -c;
    let mut arriving = w.cross(L) * (times.before * R::constant(-0.5));
    if !slow.all() {
        let moving = turning(inertia, w, times.before, -1.0);
        let turned = L - c;
        let scale =
            (L.norm_squared() / turned.norm_squared().max(R::constant(f32::MIN_POSITIVE as f64))).sqrt();
        let free = Vec3::select(fast, turned * scale - L, free_turn(inertia, w, moving, next));
        (turn, arriving) = (Vec3::select(slow, turn, free), Vec3::select(slow, arriving, moving));
    }
    (turn, Spin { inertia, leaving: arriving - turn, fast })
}

/// x ← Δt f + arriving − leaving(ω⁺) − M Δu: what Newton's law misses without reactions.
#[inline(always)]
pub fn missing_impulses<R: Real>(constants: &Constants<R>, layout: &Layout, turn: R, ws: &mut Workspace<R>) {
    for (b, body) in constants.bodies.iter().enumerate() {
        let k = layout.position[b];
        let (impulse, du, u, spin) = (&ws.impulse[k], &ws.du[k], &ws.u[k], &mut ws.spin[k]);
        let leaving = turning(spin.inertia, Vec3::new(u[3], u[4], u[5]), turn, 1.0);
        let leaving = Vec3::select(spin.fast, spin.leaving, leaving);
        // `impulse` has the part that leaves in it already, as it was guessed
        let more = spin.leaving - leaving - spin.inertia * Vec3::new(du[3], du[4], du[5]);
        let more = [more.x, more.y, more.z];
        for i in 0..3 {
            ws.x[k][i] = body.mass.neg_mul_add(du[i], impulse[i]);
            ws.x[k][3 + i] = impulse[3 + i] + more[i];
        }
    }
}

/// M on a diagonal block of H; gives the inertia in world axes.
#[inline(always)]
fn put_mass<R: Real>(body: &BodyConstants<R>, X_WB: Pose<R>, block: &mut [[R; 6]; 6]) -> Sym3<R> {
    let inertia = body.inertia.rotated(X_WB.R.to_mat3());
    for r in 0..6 {
        for c in 0..=r {
            block[r][c] = R::zero();
        }
    }
    for i in 0..3 {
        block[i][i] = body.mass;
    }
    block[3][3] = inertia.xx;
    block[4][3] = inertia.xy;
    block[5][3] = inertia.xz;
    block[4][4] = inertia.yy;
    block[5][4] = inertia.yz;
    block[5][5] = inertia.zz;
    inertia
}

/// M of every body on the diagonal of H, and nothing else.
#[inline(always)]
pub fn put_masses<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    factor: &mut BlockFactor<R>,
) {
    for (b, body) in constants.bodies.iter().enumerate() {
        put_mass(body, state.X_WB[b], factor.diagonal_mut(layout.position[b]));
    }
}

/// M u⁻ + Δt f for every body, for steps whose unknown is u⁺ itself.
///
/// The gyroscopic torque turns the angular momentum L without changing its length: L′ = (L − Δt ω × L) scaled
/// to |L| ([Kamino] notes 1.8), so that free rotation neither gains nor loses momentum.
#[inline(always)]
pub fn momentum<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    dt: R,
    ws: &mut Workspace<R>,
) {
    for (b, body) in constants.bodies.iter().enumerate() {
        let V = state.V_WB[b];
        let L = body.inertia.rotated(state.X_WB[b].R.to_mat3()) * V.angular;
        let turned = L - V.angular.cross(L) * dt;
        let (before, after) = (L.norm_squared(), turned.norm_squared());
        let still = after.le(R::zero());
        let scale = (before / R::select(still, R::one(), after)).sqrt();
        let angular = turned * R::select(still, R::one(), scale);
        let linear = (constants.gravity * (dt * body.heavy_mass)) + V.linear * body.mass;
        ws.momentum[layout.position[b]] = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z];
    }
}

/// Adds what the user pushes with: Δt times force and moment at the centre of mass.
#[inline(always)]
pub fn external_impulses<R: Real>(layout: &Layout, control: &Control<R>, dt: R, ws: &mut Workspace<R>) {
    for (b, wrench) in control.wrench.iter().enumerate() {
        let momentum = &mut ws.momentum[layout.position[b]];
        for i in 0..6 {
            momentum[i] = dt.mul_add(wrench[i], momentum[i]);
        }
    }
}

/// X⁺ = X ⊕ Δt u for every body, into the workspace.
///
/// A position of 3 m is a multiple of 2⁻²² m in 32 bits, and a steady Δt v is cut off by the same amount in every step: bodies that
/// fly side by side would part by 0.1 mm in a thousand steps, and with them L = Σ r × m v. So what is cut off is kept for the next
/// step ([Kahan 1965]).
#[inline(always)]
pub fn end_poses<R: Real>(layout: &Layout, state: &State<R>, dt: R, ws: &mut Workspace<R>) {
    for b in 0..layout.position.len() {
        let V = Twist::from_array(ws.u[layout.position[b]]);
        let (X, rest) = (state.X_WB[b], state.p_rest[b]);
        let mut next = advance(X, V, dt);
        let way = V.linear.mul_add(dt, rest);
        next.p = X.p + way;
        (ws.X_next[b], ws.p_rest[b]) = (next, way - (next.p - X.p));
    }
}

/// Moves a pose along a twist of its origin, world axes: p + Δt v, exp(Δt ω) R.
#[inline(always)]
pub fn advance<R: Real>(X: Pose<R>, V: Twist<R>, dt: R) -> Pose<R> {
    let turn: Vec3<R> = V.angular * dt;
    Pose::new((so3::exp(turn) * X.R).normalized(), V.linear.mul_add(dt, X.p))
}
