//! One body between two nodes: its discrete momentum, and where its velocity takes it.
//!
//! Variational ([Dojo] notes 1.2, in world axes): with s = ½ Δt ω and c = √(1 − |s|²) the rotation of an interval is the
//! quaternion (c, s), and the momentum that leaves a node is P⁺(ω) = c I ω + ½ Δt ω × I ω with I at that node; the one
//! that arrives is P⁻(ω) = c I ω − ½ Δt ω × I ω. A free body keeps P exactly. ω is the same in the axes of either node,
//! because an interval turns about ω itself.
//!
//! Semi-implicit Euler: P⁺ = I ω and exp(Δt ω), with the gyroscopic torque of `motion`.

use crate::constants::BodyConstants;
use crate::settings::Integrator;
use crate::step::motion::advance;
use bellcrank_math::{Mat3, Pose, Quat, Real, Twist, Vec3, so3};

/// Below this cosine of half the turn of an interval the map is not to be trusted: 82° of 90°.
const LEAST_COSINE: f64 = 0.14;

/// The time for which forces act at a node: half of the interval before it and half of the one after. Where velocities were written they are those
/// of the node, there is no interval before, and half of a step's impulses take them to the velocity of the coming one.
#[inline(always)]
pub fn force_time<R: Real>(integrator: Integrator, interval: R, dt: R) -> R {
    match integrator {
        Integrator::Variational => dt * ((R::one() + interval) * R::constant(0.5)),
        _ => dt,
    }
}

/// A body in this step.
#[derive(Clone, Copy, Debug)]
pub struct BodyStep<R> {
    pub mass: R,
    /// About the centre of mass, world axes, at the start of the step.
    pub inertia: Mat3<R>,
    /// δθ⁺ = Δt D δω⁺: how the end pose turns with the velocity.
    pub turn: Mat3<R>,
}

impl<R: Real> BodyStep<R> {
    #[inline(always)]
    pub fn blank() -> Self {
        BodyStep { mass: R::one(), inertia: Mat3::identity(), turn: Mat3::identity() }
    }

    #[inline(always)]
    pub fn at(body: &BodyConstants<R>, X_WB: Pose<R>) -> Self {
        let inertia = body.inertia.rotated(X_WB.R.to_mat3()).to_mat3();
        BodyStep { mass: body.mass, inertia, turn: Mat3::identity() }
    }
}

/// c = √(1 − |s|²), kept above its least.
#[inline(always)]
fn cosine<R: Real>(s: Vec3<R>) -> R {
    (R::one() - s.norm_squared()).max(R::constant(LEAST_COSINE * LEAST_COSINE)).sqrt()
}

/// Lanes in which a body turns too far in one step.
#[inline(always)]
pub fn turns_too_far<R: Real>(integrator: Integrator, angular: Vec3<R>, dt: R) -> R::Mask {
    let s = angular * (dt * R::constant(0.5));
    let most = match integrator {
        Integrator::Variational => 1.0 - LEAST_COSINE * LEAST_COSINE,
        _ => 2.0,
    };
    R::constant(most).lt(s.norm_squared())
}

/// The angular momentum that arrives at a node (−1) or leaves it (+1).
#[inline(always)]
pub fn angular_momentum<R: Real>(inertia: Mat3<R>, angular: Vec3<R>, dt: R, side: f64) -> Vec3<R> {
    let s = angular * (dt * R::constant(0.5));
    let L = inertia * angular;
    L * cosine(s) + s.cross(L) * R::constant(side)
}

impl<R: Real> BodyStep<R> {
    /// P⁺(V)
    #[inline(always)]
    pub fn momentum(&self, integrator: Integrator, V: Twist<R>, dt: R) -> [R; 6] {
        let p = V.linear * self.mass;
        let L = match integrator {
            Integrator::Variational => angular_momentum(self.inertia, V.angular, dt, 1.0),
            _ => self.inertia * V.angular,
        };
        [p.x, p.y, p.z, L.x, L.y, L.z]
    }

    /// ∂P⁺/∂ω = c I − Δt²/(4c) (I ω) ωᵀ + ½ Δt ([ω]× I − [I ω]×)
    #[inline(always)]
    pub fn inertia_slope(&self, integrator: Integrator, angular: Vec3<R>, dt: R) -> Mat3<R> {
        match integrator {
            Integrator::Variational => {
                let half = dt * R::constant(0.5);
                let c = cosine(angular * half);
                let L = self.inertia * angular;
                let gyro = Mat3::skew(angular) * self.inertia - Mat3::skew(L);
                self.inertia * c + gyro * half - Mat3::outer(L, angular) * (half * half / c)
            }
            _ => self.inertia,
        }
    }

    /// Where the velocity takes a pose; notes D.
    #[inline(always)]
    pub fn advance(&mut self, integrator: Integrator, X: Pose<R>, V: Twist<R>, dt: R) -> Pose<R> {
        match integrator {
            Integrator::Variational => {
                let s = V.angular * (dt * R::constant(0.5));
                let c = cosine(s);
                // δ(c, s)·(c, −s) = (c 1 + s sᵀ/c + [s]×) δs
                self.turn = Mat3::identity() * c + Mat3::outer(s, s) * c.recip() + Mat3::skew(s);
                Pose::new((Quat::from_parts(c, s) * X.R).normalized(), V.linear.mul_add(dt, X.p))
            }
            _ => {
                self.turn = so3::left_jacobian(V.angular * dt);
                advance(X, V, dt)
            }
        }
    }

    /// A row on the end pose as a row on the velocity, per Δt: (f, Dᵀ n).
    #[inline(always)]
    pub fn pull_back(&self, row: [R; 6]) -> [R; 6] {
        let n = self.turn.transpose_mul(Vec3::new(row[3], row[4], row[5]));
        [row[0], row[1], row[2], n.x, n.y, n.z]
    }
}

/// D and ∂P⁺/∂ω against dual numbers, for both integrators: the turn of the end pose is 2 vec(δq q̄) = Δt D δω.
#[cfg(feature = "checks")]
pub fn slopes_of_momentum_and_of_the_end_pose_are_those_of_dual_numbers() {
    use bellcrank_math::Dual;
    type D = Dual<f64, 3>;
    let dt = 0.1;
    let inertia = Mat3::from_rows([[0.3, 0.02, 0.01], [0.02, 0.2, -0.03], [0.01, -0.03, 0.4]]);
    let X = Pose::new(so3::exp(Vec3::new(0.3, -0.7, 0.2)), Vec3::new(1.0, 2.0, 3.0));
    let w = Vec3::new(2.0, -1.5, 3.0);
    for integrator in [Integrator::Variational, Integrator::SemiImplicitEuler] {
        let mut plain = BodyStep { mass: 2.0, inertia, turn: Mat3::identity() };
        plain.advance(integrator, X, Twist::new(Vec3::zero(), w), dt);
        let slope = plain.inertia_slope(integrator, w, dt);
        let lift = |v: Vec3| Vec3::new(D::constant_of(v.x), D::constant_of(v.y), D::constant_of(v.z));
        let mut dual = BodyStep {
            mass: D::constant(2.0),
            inertia: Mat3::from_columns(lift(inertia.x), lift(inertia.y), lift(inertia.z)),
            turn: Mat3::identity(),
        };
        let spin = Vec3::new(D::variable(w.x, 0), D::variable(w.y, 1), D::variable(w.z, 2));
        let V = Twist::new(Vec3::zero(), spin);
        let P = dual.momentum(integrator, V, D::constant(dt));
        let end = dual.advance(integrator, Pose::constant(X), V, D::constant(dt));
        let q = end.R.to_wxyz();
        for k in 0..3 {
            for i in 0..3 {
                assert!((P[3 + i].tangent[k] - slope.entry(i, k)).abs() < 1e-13);
            }
            let change = Quat::from_wxyz(core::array::from_fn(|i| q[i].tangent[k]));
            let value = Quat::from_wxyz(core::array::from_fn(|i| q[i].value));
            let turned = (change * value.inverse()).vector() * 2.0;
            let column = [plain.turn.x, plain.turn.y, plain.turn.z][k] * dt;
            assert!((turned - column).norm() < 1e-13, "{integrator:?} {k}: {turned:?} {column:?}");
        }
    }
}
