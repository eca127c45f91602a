//! A body by itself: its momentum, and where its end pose goes.

use super::{Answer, Slots};
use bellcrank_math::{Mat3, Real, Twist, Vec3};
use bellcrank_step::interior::angular_momentum;
use bellcrank_step::settings::Integrator;

/// How a body's end pose follows its start.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodySlopes<R> {
    /// E: δθ⁺ = E δθ.
    pub turn: Mat3<R>,
    /// K = D⁻¹ E, with δθ⁺ = Δt D δω.
    back: Mat3<R>,
}

impl<R: Real> BodySlopes<R> {
    pub fn blank() -> Self {
        BodySlopes { turn: Mat3::identity(), back: Mat3::identity() }
    }

    /// A row on the end pose, given as a row (f, Dᵀ n) on the velocity per Δt, as a row on the pose at the start.
    #[inline(always)]
    pub fn at_start(&self, row: &[R; 6]) -> [R; 6] {
        let n = self.back.transpose_mul(Vec3::new(row[3], row[4], row[5]));
        [row[0], row[1], row[2], n.x, n.y, n.z]
    }
}

/// The angular momentum that arrives, and its slope by ω. Variational: P⁺ with the time turned round. Euler: what
/// `motion::momentum` says, L′ = σ t with t = L − Δt ω × L and σ = |L|/|t|; so
/// δL′ = σ (δt + t (L·δL/|L|² − t·δt/|t|²)).
#[inline(always)]
fn arriving<R: Real>(integrator: Integrator, inertia: Mat3<R>, w: Vec3<R>, dt: R) -> (Vec3<R>, Mat3<R>) {
    if integrator == Integrator::Variational {
        let mut body = bellcrank_step::interior::BodyStep::blank();
        body.inertia = inertia;
        let slope = body.inertia_slope(integrator, w, -dt);
        return (angular_momentum(inertia, w, dt, -1.0), slope);
    }
    let L = inertia * w;
    let t = L - w.cross(L) * dt;
    let dt_dw = inertia - (Mat3::skew(w) * inertia - Mat3::skew(L)) * dt;
    let (before, after) = (L.norm_squared(), t.norm_squared());
    let still = before.le(R::zero()) | after.le(R::zero());
    let (one, zero) = (R::one(), R::zero());
    let scale = R::select(still, one, (before / R::select(still, one, after)).sqrt());
    let longer = inertia.transpose_mul(L) * R::select(still, zero, R::select(still, one, before).recip());
    let shorter = dt_dw.transpose_mul(t) * R::select(still, zero, R::select(still, one, after).recip());
    (t * scale, (dt_dw + Mat3::outer(t, longer - shorter)) * scale)
}

/// How the momentum of a body changes: what leaves less what arrives, at the start of the step.
pub(crate) struct MomentumSlopes<R> {
    /// E: δθ⁺ = E δθ where the velocity stays.
    pub turn: Mat3<R>,
    /// ∂L/∂ω of what leaves, and of what arrives.
    pub by_next: Mat3<R>,
    pub by_last: Mat3<R>,
    /// By a turn of the body with both velocities as they are: ∂L/∂θ = −[L]× + ∂L/∂ω [ω]×, of what arrives less what leaves.
    pub turned: Mat3<R>,
}

/// The same, for one body.
#[inline(always)]
pub(crate) fn momentum_slopes<R: Real>(answer: &Answer<'_, R>, b: usize) -> MomentumSlopes<R> {
    let Answer { layout, settings, dt, state, ws, own, .. } = *answer;
    let (body, u, V) = (&own.bodies[b], Twist::from_array(ws.u[layout.position[b]]), state.V_WB[b]);
    let P = body.momentum(settings.integrator, u, dt);
    let leaves = Vec3::new(P[3], P[4], P[5]);
    let by_next = body.inertia_slope(settings.integrator, u.angular, dt);
    let (arrives, by_last) = arriving(settings.integrator, body.inertia, V.angular, dt);
    let turned =
        Mat3::skew(leaves - arrives) + by_last * Mat3::skew(V.angular) - by_next * Mat3::skew(u.angular);
    MomentumSlopes { turn: (ws.X_next[b].R * state.X_WB[b].R.inverse()).to_mat3(), by_next, by_last, turned }
}

#[inline(always)]
pub(super) fn read<R: Real>(answer: &Answer<'_, R>, bodies: &mut [BodySlopes<R>], slots: &mut Slots<R>) {
    for (b, slopes) in bodies.iter_mut().enumerate() {
        let (body, momentum) = (&answer.own.bodies[b], momentum_slopes(answer, b));
        *slopes = BodySlopes { turn: momentum.turn, back: body.turn.inverse() * momentum.turn };
        let (pose, velocity) = (&mut slots.pose[b][0].block, &mut slots.velocity[b][0].block);
        for k in 0..3 {
            velocity[k][k] = body.mass;
            for i in 0..3 {
                pose[3 + k][3 + i] = momentum.turned.entry(i, k);
                velocity[3 + k][3 + i] = momentum.by_last.entry(i, k);
            }
        }
    }
}
