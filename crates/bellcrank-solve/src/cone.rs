//! Every reaction has a cone.

use bellcrank_math::Real;

/// Rows of a cone at most.
pub const MOST_ROWS: usize = 6;

/// Which reactions a group of rows may give. Structure is the same in all lanes; the numbers are per lane.
#[derive(Clone, Copy, Debug)]
pub enum Cone<R> {
    /// Joints and implicit drives, where they are not eliminated: anything. One row.
    Free,
    /// Joint limits: push only. One row.
    Nonnegative,
    /// Effort limits and dry friction: within bounds [N·s or N·m·s]. One row.
    Box {
        /// Lower bound.
        low: R,
        /// Upper bound.
        high: R,
    },
    /// Contacts, the normal last: ‖λ_t‖ ≤ μ λ_n. Three rows for sliding; four with a moment about the normal; six
    /// with moments about the tangents too. Moments are scaled (row times μ_moment/μ) so that the cone is round.
    Coulomb {
        /// Coefficient of sliding friction.
        mu: R,
        /// 3, 4 or 6.
        rows: usize,
    },
}

impl<R> Cone<R> {
    /// How many rows it governs.
    #[inline(always)]
    pub fn rows(&self) -> usize {
        match self {
            Cone::Coulomb { rows, .. } => *rows,
            _ => 1,
        }
    }
}

/// ‖t‖ of all entries but the last, and its reciprocal where that exists.
#[inline(always)]
fn tangent_length<R: Real, const N: usize>(x: &[R; N]) -> (R, R) {
    let mut square = x[0] * x[0];
    for k in 1..N - 1 {
        square = x[k].mul_add(x[k], square);
    }
    let zero = square.le(R::zero());
    let norm = square.sqrt();
    (norm, R::select(zero, R::zero(), R::select(zero, R::one(), norm).recip()))
}

/// The nearest point of Coulomb's cone to x = (t₁, …, n).
#[inline(always)]
pub fn project<R: Real, const N: usize>(mu: R, mut x: [R; N]) -> [R; N] {
    let (norm, inverse) = tangent_length(&x);
    let n = x[N - 1];
    let inside = norm.le(mu * n);
    let polar = (mu * norm).le(-n);
    // onto the surface: n' = (μ‖t‖ + n)/(μ² + 1), t' = μ n' t/‖t‖
    let on = mu.mul_add(norm, n) / mu.mul_add(mu, R::one());
    let scale = mu * on * inverse;
    for k in 0..N {
        let surface = if k == N - 1 { on } else { x[k] * scale };
        x[k] = R::select(polar, R::zero(), R::select(inside, x[k], surface));
    }
    x
}

/// The nearest point of the dual cone ‖t‖ ≤ n/μ, that is μ‖t‖ ≤ n.
#[inline(always)]
pub fn project_dual<R: Real, const N: usize>(mu: R, mut x: [R; N]) -> [R; N] {
    // Moreau: x = Π_K*(x) − Π_K(−x)
    let mut flipped = x;
    for k in 0..N {
        flipped[k] = -x[k];
    }
    let p = project(mu, flipped);
    for k in 0..N {
        x[k] += p[k];
    }
    x
}

/// Calls a projection with as many rows as the cone has.
macro_rules! with_rows {
    ($project:ident, $mu:expr, $rows:expr, $v:expr) => {{
        let v: &mut [R; MOST_ROWS] = $v;
        match $rows {
            3 => [v[0], v[1], v[2]] = $project($mu, [v[0], v[1], v[2]]),
            4 => [v[0], v[1], v[2], v[3]] = $project($mu, [v[0], v[1], v[2], v[3]]),
            _ => *v = $project($mu, *v),
        }
    }};
}

impl<R: Real> Cone<R> {
    /// Π_K of reactions that are divided by p: a cone is the same, a box is divided too.
    #[inline(always)]
    pub fn project(&self, p: R, v: &mut [R; MOST_ROWS]) {
        match self {
            Cone::Free => {}
            Cone::Nonnegative => v[0] = v[0].max(R::zero()),
            Cone::Box { low, high } => v[0] = v[0].clamp(*low / p, *high / p),
            Cone::Coulomb { mu, rows } => with_rows!(project, *mu, *rows, v),
        }
    }

    /// The nearest velocity that the cone allows with the reaction `lambda`.
    #[inline(always)]
    pub fn project_velocity(&self, lambda: R, v: &mut [R; MOST_ROWS]) {
        let zero = R::zero();
        match self {
            Cone::Free => v[0] = zero,
            Cone::Nonnegative => v[0] = v[0].max(zero),
            Cone::Box { low, high } => {
                // a velocity may push only against the bound that is reached
                let (up, down) = (v[0].max(zero), v[0].min(zero));
                let at_high = R::select(lambda.ge(*high), down, zero);
                v[0] = R::select(lambda.le(*low), up, at_high);
            }
            Cone::Coulomb { mu, rows } => with_rows!(project_dual, *mu, *rows, v),
        }
    }

    /// The cone of one world.
    #[inline(always)]
    pub fn lane(&self, lane: usize) -> Cone<R::Elem> {
        match *self {
            Cone::Free => Cone::Free,
            Cone::Nonnegative => Cone::Nonnegative,
            Cone::Box { low, high } => Cone::Box { low: low.lane(lane), high: high.lane(lane) },
            Cone::Coulomb { mu, rows } => Cone::Coulomb { mu: mu.lane(lane), rows },
        }
    }

    /// Adds De Saxcé's μ‖v_t‖ to the normal velocity.
    #[inline(always)]
    pub fn add_slip(&self, v: &mut [R]) {
        if let Cone::Coulomb { mu, rows } = self {
            let n = rows - 1;
            let mut square = v[0] * v[0];
            for k in 1..n {
                square = v[k].mul_add(v[k], square);
            }
            v[n] = mu.mul_add(square.sqrt(), v[n]);
        }
    }

    /// What is wrong with reactions and velocities of this cone's rows; `weight` turns velocities into reactions of
    /// the same size [kg].
    #[inline(always)]
    pub fn check(&self, lambda: &[R], velocity: &[R], weight: R) -> Complementarity<R> {
        let rows = self.rows();
        let (mut v, mut own) = ([R::zero(); MOST_ROWS], [R::zero(); MOST_ROWS]);
        for k in 0..rows {
            (v[k], own[k]) = (velocity[k], lambda[k]);
        }
        self.add_slip(&mut v);
        let (mut inside, mut allowed, mut stepped) = (own, v, own);
        for k in 0..rows {
            stepped[k] = weight.neg_mul_add(v[k], own[k]);
        }
        self.project(R::one(), &mut inside);
        self.project_velocity(own[0], &mut allowed);
        self.project(R::one(), &mut stepped);
        let mut check: Complementarity<R> = Complementarity::default();
        let mut product = R::zero();
        for k in 0..rows {
            check.primal = check.primal.max((own[k] - inside[k]).abs());
            check.dual = check.dual.max((v[k] - allowed[k]).abs());
            check.natural_map = check.natural_map.max(((own[k] - stepped[k]) / weight).abs());
            product = own[k].mul_add(v[k], product);
        }
        check.product = match self {
            // its bounds do the work, which `dual` has checked
            Cone::Box { .. } | Cone::Free => R::zero(),
            _ => product.abs(),
        };
        check
    }
}

/// How far reactions λ and velocities v (De Saxcé's correction included) are from λ ∈ K, v ∈ K*, λ ⟂ v.
#[derive(Clone, Copy, Debug, Default)]
pub struct Complementarity<R> {
    /// Distance of λ from its cone [N·s].
    pub primal: R,
    /// Distance of v from the dual cone [m/s].
    pub dual: R,
    /// |λ·v| [J]
    pub product: R,
    /// λ − Π_K(λ − w v), over w [m/s]: zero at the answer and nowhere else.
    pub natural_map: R,
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

    /// With more tangents the cone is the same one in a plane through its axis.
    #[test]
    fn moments_share_the_cone_with_sliding() {
        let [a, b] = [0.6, 0.8]; // t = 2 (a, b)
        let three = project(0.5, [2.0 * a, 2.0 * b, 1.0]);
        let six = project(0.5, [2.0 * a, 0.0, 2.0 * b, 0.0, 0.0, 1.0]);
        assert!((three[0] - six[0]).abs() < 1e-15 && (three[1] - six[2]).abs() < 1e-15);
        assert!((three[2] - six[5]).abs() < 1e-15);
    }

    #[test]
    fn without_friction_the_cone_is_its_axis() {
        assert_eq!(project(0.0, [1.0, 2.0, 3.0]), [0.0, 0.0, 3.0]);
        assert_eq!(project(0.5, [0.0, 0.0, -1.0]), [0.0, 0.0, 0.0]);
    }
}
