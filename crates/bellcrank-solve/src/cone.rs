//! Every reaction has a cone.

use bellcrank_math::Real;

/// Which reactions a group of rows may give. Structure is the same in all lanes; the numbers are per lane.
#[derive(Clone, Copy, Debug)]
pub enum Cone<R> {
    /// Joint limits: push only. One row.
    Nonnegative,
    /// Effort limits and dry friction: within bounds [N·s or N·m·s]. One row.
    Box {
        /// Lower bound.
        low: R,
        /// Upper bound.
        high: R,
    },
    /// Contacts, ordered (t₁, t₂, n): ‖λ_t‖ ≤ μ λ_n. Three rows.
    Coulomb {
        /// Coefficient of sliding friction.
        mu: R,
    },
}

impl<R> Cone<R> {
    /// How many rows it governs.
    pub fn rows(&self) -> usize {
        match self {
            Cone::Coulomb { .. } => 3,
            _ => 1,
        }
    }
}

/// ‖(a, b)‖, and its reciprocal where that exists.
#[inline(always)]
fn length<R: Real>(a: R, b: R) -> (R, R) {
    let square = a.mul_add(a, b * b);
    let zero = square.le(R::zero());
    let norm = square.sqrt();
    (norm, R::select(zero, R::zero(), R::select(zero, R::one(), norm).recip()))
}

/// The nearest point of Coulomb's cone to x = (t₁, t₂, n).
#[inline(always)]
pub fn project<R: Real>(mu: R, x: [R; 3]) -> [R; 3] {
    let (norm, inverse) = length(x[0], x[1]);
    let n = x[2];
    let inside = norm.le(mu * n);
    let polar = (mu * norm).le(-n);
    // onto the surface: n' = (μ‖t‖ + n)/(μ² + 1), t' = μ n' t/‖t‖
    let on = mu.mul_add(norm, n) / mu.mul_add(mu, R::one());
    let scale = mu * on * inverse;
    let pick = |own: R, surface: R| R::select(polar, R::zero(), R::select(inside, own, surface));
    [pick(x[0], x[0] * scale), pick(x[1], x[1] * scale), pick(n, on)]
}

/// The nearest point of the dual cone ‖t‖ ≤ n/μ, that is μ‖t‖ ≤ n.
#[inline(always)]
pub fn project_dual<R: Real>(mu: R, x: [R; 3]) -> [R; 3] {
    // Moreau: x = Π_K*(x) − Π_K(−x)
    let p = project(mu, [-x[0], -x[1], -x[2]]);
    [x[0] + p[0], x[1] + p[1], x[2] + p[2]]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn dot(a: [f64; 3], b: [f64; 3]) -> f64 {
        a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
    }

    proptest! {
        /// p = Π_K(x) iff p ∈ K, p − x ∈ K*, p ⟂ p − x.
        #[test]
        fn a_projection_satisfies_its_optimality(mu in 0.0..2.0_f64, x in prop::array::uniform3(-3.0..3.0_f64)) {
            let p = project(mu, x);
            let d = [p[0] - x[0], p[1] - x[1], p[2] - x[2]];
            prop_assert!(p[0].hypot(p[1]) <= mu * p[2] + 1e-12);
            prop_assert!(mu * d[0].hypot(d[1]) <= d[2] + 1e-12, "{p:?} {d:?}");
            prop_assert!(dot(p, d).abs() < 1e-11);
        }

        #[test]
        fn the_dual_projection_lies_in_the_dual_cone(mu in 0.0..2.0_f64, x in prop::array::uniform3(-3.0..3.0_f64)) {
            let p = project_dual(mu, x);
            prop_assert!(mu * p[0].hypot(p[1]) <= p[2] + 1e-12);
        }
    }

    #[test]
    fn without_friction_the_cone_is_its_axis() {
        assert_eq!(project(0.0, [1.0, 2.0, 3.0]), [0.0, 0.0, 3.0]);
        assert_eq!(project(0.5, [0.0, 0.0, -1.0]), [0.0, 0.0, 0.0]);
    }
}
