//! Momentum before the step, and poses after it.

use crate::constants::Constants;
use crate::layout::Layout;
use crate::state::{Control, State};
use crate::workspace::Workspace;
use bellcrank_math::{Pose, Real, Twist, Vec3, so3};

/// M u⁻ + Δt f for every body, and M itself on the diagonal of H. What is beside the diagonal is left as it was.
///
/// The gyroscopic torque turns the angular momentum L without changing its length: L′ = (L − Δt ω × L) scaled
/// to |L| ([Kamino] notes 1.8), so that free rotation neither gains nor loses momentum.
#[inline(always)]
pub(crate) fn momentum<R: Real>(
    layout: &Layout,
    constants: &Constants<R>,
    state: &State<R>,
    dt: R,
    ws: &mut Workspace<R>,
) {
    for (b, body) in constants.bodies.iter().enumerate() {
        let V = state.V_WB[b];
        let inertia = body.inertia.rotated(state.X_WB[b].R.to_mat3());
        let L = inertia * V.angular;
        let turned = L - V.angular.cross(L) * dt;
        let (before, after) = (L.norm_squared(), turned.norm_squared());
        let still = after.le(R::zero());
        let scale = (before / R::select(still, R::one(), after)).sqrt();
        let angular = turned * R::select(still, R::one(), scale);
        let linear = (constants.gravity * (dt * body.heavy_mass)) + V.linear * body.mass;
        let k = layout.position[b];
        ws.momentum[k] = [linear.x, linear.y, linear.z, angular.x, angular.y, angular.z];
        let block = ws.factor.diagonal_mut(k);
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
    }
}

/// Adds what the user pushes with: Δt times force and moment at the centre of mass.
#[inline(always)]
pub(crate) fn external_impulses<R: Real>(
    layout: &Layout,
    control: &Control<R>,
    dt: R,
    ws: &mut Workspace<R>,
) {
    for (b, wrench) in control.wrench.iter().enumerate() {
        let momentum = &mut ws.momentum[layout.position[b]];
        for i in 0..6 {
            momentum[i] = dt.mul_add(wrench[i], momentum[i]);
        }
    }
}

/// X⁺ = X ⊕ Δt u for every body, into the workspace.
#[inline(always)]
pub(crate) fn end_poses<R: Real>(layout: &Layout, state: &State<R>, dt: R, ws: &mut Workspace<R>) {
    for b in 0..layout.position.len() {
        let V = Twist::from_array(ws.u[layout.position[b]]);
        ws.X_next[b] = advance(state.X_WB[b], V, dt);
    }
}

/// Moves a pose along a twist of its origin, world axes: p + Δt v, exp(Δt ω) R.
#[inline(always)]
pub(crate) fn advance<R: Real>(X: Pose<R>, V: Twist<R>, dt: R) -> Pose<R> {
    let turn: Vec3<R> = V.angular * dt;
    Pose::new((so3::exp(turn) * X.R).normalized(), V.linear.mul_add(dt, X.p))
}
