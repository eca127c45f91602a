//! The rotation group: exponential, logarithm and their Jacobians, right at zero and at half a turn.
//!
//! θ is a rotation vector [rad]: direction = axis, length = angle. Near zero each coefficient switches to its
//! Taylor series by a select; the square root in the other branch is kept away from zero, so that dual
//! numbers stay finite. Formulas: [Solà 2018] "A micro Lie theory", sections D and E of its appendix.

use crate::mat3::Mat3;
use crate::quat::Quat;
use crate::real::Real;
use crate::vec3::Vec3;

/// Below this square of an angle the series are used; their first omitted term is then under 1e-17.
const SERIES: f64 = 1e-3;
/// The same for the Jacobians' coefficients, whose closed forms cancel earlier and whose series are longer.
const SERIES_JACOBIAN: f64 = 0.25;

#[inline(always)]
fn series<R: Real, const N: usize>(t: R, coefficients: [f64; N]) -> R {
    let mut sum = R::constant(coefficients[N - 1]);
    for k in (0..N - 1).rev() {
        sum = sum.mul_add(t, R::constant(coefficients[k]));
    }
    sum
}

/// The rotation by the vector θ: exp(θ/2) as a quaternion.
#[inline(always)]
pub fn exp<R: Real>(theta: Vec3<R>) -> Quat<R> {
    let half = theta * R::constant(0.5);
    let t = half.norm_squared();
    let small = t.lt(R::constant(SERIES));
    let angle = R::select(small, R::one(), t).sqrt();
    let (s, c) = angle.sin_cos();
    let sinc = R::select(small, series(t, [1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0]), s / angle);
    let cos = R::select(small, series(t, [1.0, -0.5, 1.0 / 24.0, -1.0 / 720.0, 1.0 / 40320.0]), c);
    Quat::from_parts(cos, half * sinc)
}

/// The rotation vector of a unit quaternion, of length at most π.
#[inline(always)]
pub fn log<R: Real>(q: Quat<R>) -> Vec3<R> {
    let q = q.short_way();
    let v = q.vector();
    let t = v.norm_squared();
    let small = t.lt(R::constant(SERIES));
    let n = R::select(small, R::one(), t).sqrt();
    let general = R::constant(2.0) * n.atan2(q.w) / n;
    // 2 asin(n)/n: as n² + w² = 1 this needs no w
    let near = series(t, [2.0, 1.0 / 3.0, 3.0 / 20.0, 5.0 / 56.0, 35.0 / 576.0, 63.0 / 1408.0]);
    v * R::select(small, near, general)
}

/// J_l with exp(θ + δ) ≈ exp(J_l(θ) δ) exp(θ): the change of rotation, in the fixed frame.
#[inline(always)]
pub fn left_jacobian<R: Real>(theta: Vec3<R>) -> Mat3<R> {
    let t = theta.norm_squared();
    let small = t.lt(R::constant(SERIES_JACOBIAN));
    let safe = R::select(small, R::one(), t);
    let angle = safe.sqrt();
    let (s, c) = angle.sin_cos();
    let a = R::select(
        small,
        series(t, [0.5, -1.0 / 24.0, 1.0 / 720.0, -1.0 / 40320.0, 1.0 / 3628800.0, -1.0 / 479001600.0]),
        (R::one() - c) / safe,
    );
    let b = R::select(
        small,
        series(
            t,
            [1.0 / 6.0, -1.0 / 120.0, 1.0 / 5040.0, -1.0 / 362880.0, 1.0 / 39916800.0, -1.0 / 6227020800.0],
        ),
        (angle - s) / (safe * angle),
    );
    let skew = Mat3::skew(theta);
    Mat3::identity() + skew * a + skew * skew * b
}

/// J_l⁻¹(θ): from a change of rotation in the fixed frame to the change of θ. Singular at a whole turn.
#[inline(always)]
pub fn left_jacobian_inverse<R: Real>(theta: Vec3<R>) -> Mat3<R> {
    let t = theta.norm_squared();
    let small = t.lt(R::constant(SERIES_JACOBIAN));
    let safe = R::select(small, R::one(), t);
    let half = safe.sqrt() * R::constant(0.5);
    let (s, c) = half.sin_cos();
    // (1 − (θ/2) cot(θ/2)) / θ²; the series has the Bernoulli numbers |B₂ₙ|/(2n)!
    let b = R::select(
        small,
        series(
            t,
            [
                1.0 / 12.0,
                1.0 / 720.0,
                1.0 / 30240.0,
                1.0 / 1209600.0,
                1.0 / 47900160.0,
                691.0 / 1307674368000.0,
                1.0 / 74724249600.0,
            ],
        ),
        (R::one() - half * c / s) / safe,
    );
    let skew = Mat3::skew(theta);
    Mat3::identity() - skew * R::constant(0.5) + skew * skew * b
}
