//! exp, log and their Jacobians, from no rotation at all to half a turn.

use bellcrank_math::{Dual, Quat, Real, Vec3, so3};
use proptest::prelude::*;

fn direction() -> impl Strategy<Value = Vec3> {
    [-1.0..1.0_f64, -1.0..1.0, -1.0..1.0]
        .prop_map(Vec3::from_array)
        .prop_filter("needs a direction", |v| v.norm() > 0.1)
        .prop_map(Vec3::normalized)
}

/// Angles of every magnitude, crowded at zero and at π, where the branches meet.
fn angle() -> impl Strategy<Value = f64> {
    prop_oneof![
        0.0..3.1_f64,
        (-18.0..0.0_f64).prop_map(|e| 10_f64.powf(e)),
        (-12.0..-1.0_f64).prop_map(|e| core::f64::consts::PI - 10_f64.powf(e)),
        Just(0.0),
        0.9999 * 2.0 * 1e-3_f64.sqrt()..1.0001 * 2.0 * 1e-3_f64.sqrt(),
        0.4999..0.5001_f64,
    ]
}

fn variables(v: Vec3) -> Vec3<Dual<f64, 3>> {
    Vec3::new(Dual::variable(v.x, 0), Dual::variable(v.y, 1), Dual::variable(v.z, 2))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn log_undoes_exp(axis in direction(), angle in angle()) {
        let theta = axis * angle;
        let back = so3::log(so3::exp(theta));
        // relative to the angle, but never better than rounding of a quaternion of length one
        prop_assert!((back - theta).norm() <= 4e-16 * (1.0 + angle), "{theta:?} became {back:?}");
        prop_assert!((so3::exp(theta).norm_squared() - 1.0).abs() < 1e-15);
    }

    #[test]
    fn exp_is_the_rotation_about_its_axis(axis in direction(), angle in angle()) {
        let (a, b) = (so3::exp(axis * angle), Quat::from_axis_angle(axis, angle));
        for (x, y) in a.to_wxyz().into_iter().zip(b.to_wxyz()) {
            prop_assert!((x - y).abs() < 1e-15);
        }
    }

    /// ω of exp(θ(t)) in the fixed frame is J_l(θ) θ̇, and ω = 2 vec(q̇ q̄). Derivatives by dual numbers.
    #[test]
    fn left_jacobian_is_the_derivative_of_exp(axis in direction(), angle in angle()) {
        let theta = axis * angle;
        let q = so3::exp(variables(theta));
        let here = Quat::from_wxyz(q.to_wxyz().map(|c| c.value));
        let J = so3::left_jacobian(theta);
        for (k, column) in [J.x, J.y, J.z].into_iter().enumerate() {
            let rate = Quat::from_wxyz(q.to_wxyz().map(|c| c.tangent[k]));
            let omega = (rate * here.inverse()).vector() * 2.0;
            prop_assert!((omega - column).norm() < 2e-14, "column {k}: {omega:?} against {column:?}");
        }
    }

    #[test]
    fn the_inverse_jacobian_is_the_inverse(axis in direction(), angle in angle()) {
        let theta = axis * angle;
        let product = so3::left_jacobian(theta) * so3::left_jacobian_inverse(theta);
        for (column, unit) in [(product.x, Vec3::x_axis()), (product.y, Vec3::y_axis()), (product.z, Vec3::z_axis())] {
            prop_assert!((column - unit).norm() < 1e-14);
        }
    }

    /// θ̇ = J_l⁻¹(θ) ω: the derivative of log along exp(ε ω) q, by dual numbers.
    #[test]
    fn the_inverse_jacobian_is_the_derivative_of_log(axis in direction(), angle in 0.0..3.0_f64) {
        let theta = axis * angle;
        let q = so3::exp(theta);
        let lift = |x: f64| Dual::<f64, 3>::constant(x);
        let nudge = so3::exp(variables(Vec3::zero()));
        let lifted = Quat::from_wxyz(q.to_wxyz().map(lift));
        let derivative = so3::log(nudge * lifted);
        let J = so3::left_jacobian_inverse(theta);
        for (r, component) in derivative.to_array().into_iter().enumerate() {
            for c in 0..3 {
                let error = (component.tangent[c] - J.entry(r, c)).abs();
                prop_assert!(error < 1e-13, "entry {r},{c}: {} against {}", component.tangent[c], J.entry(r, c));
            }
        }
    }

    #[test]
    fn f32_follows_f64(axis in direction(), angle in 0.0..3.1_f64) {
        let theta = axis * angle;
        let single = Vec3::new(theta.x as f32, theta.y as f32, theta.z as f32);
        let (a, b) = (so3::exp(single), so3::exp(theta));
        for (x, y) in a.to_wxyz().into_iter().zip(b.to_wxyz()) {
            prop_assert!((x as f64 - y).abs() < 3e-7);
        }
        prop_assert!((so3::log(a) - single).norm() < 2e-6);
    }
}
