//! Shapes that air or water meets as ellipsoids.

use bellcrank_math::{Pose, Vec3};

/// How a medium pushes an ellipsoid in the place of a shape; see [`crate::Medium`] for what it does to other bodies.
///
/// With radii r, velocities v and ω of its centre against the medium in its axes, A the area of its shadow along v, A₀
/// the largest of all shadows, V its volume and ρ, β those of the medium, it is pushed by the sum of: the inertia of
/// the medium that it moves, (m∘v) × ω and (m∘v) × v + (J∘ω) × ω, as far as that comes from turning; drag, −ρ (C₀ A +
/// C₁ (A₀ − A)) |v| v and −ρ |D ω| ω with D = C₂ I + C₁ (I₀ − I), Iᵢ = 8π/15 rᵢ max(rⱼ, r_k)⁴ and I₀ the largest of
/// them; Kutta's lift, ρ C₃ A (v̂·n)(n × v) × v, where n is the normal of the section that throws the shadow; Magnus'
/// force, ρ C₄ V ω × v; and Stokes' −6π β r̄ v and −8π β r̄³ ω with the mean radius r̄. (MuJoCo's ellipsoid model,
/// "Fluid forces" in its chapter on computation; m and J after Tuckerman 1925.)
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct InMedium {
    /// Semi-axes [m].
    pub radii: Vec3,
    /// Where the ellipsoid is in the shape's frame.
    pub X_GE: Pose,
    /// C₀ to C₄: blunt, slender and angular drag, Kutta's and Magnus' lift.
    pub coefficients: [f64; 5],
}

impl InMedium {
    /// An ellipsoid with the usual coefficients.
    pub fn new(radii: Vec3) -> Self {
        InMedium { radii, X_GE: Pose::identity(), coefficients: [0.5, 0.25, 1.5, 1.0, 1.0] }
    }

    /// How much it drags and lifts.
    pub fn coefficients(mut self, coefficients: [f64; 5]) -> Self {
        self.coefficients = coefficients;
        self
    }

    /// m and J of a medium of unit density: m = V κ/(2 − κ) and J = V/5 (r_j² − r_k²)² (κ_k − κ_j)/(2 (r_j² − r_k²) +
    /// (r_j² + r_k²)(κ_j − κ_k)).
    pub fn added(&self) -> [[f64; 3]; 2] {
        let r = self.radii.to_array();
        let volume = 4.0 / 3.0 * std::f64::consts::PI * r[0] * r[1] * r[2];
        let kappa = [0, 1, 2].map(|i| kappa(r, i));
        let mass = kappa.map(|k| volume * k / (2.0 - k));
        let inertia = [0, 1, 2].map(|i| {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            let (a, b) = (r[j] * r[j], r[k] * r[k]);
            let below = 2.0 * (a - b) + (a + b) * (kappa[j] - kappa[k]);
            // a body of revolution moves nothing when it turns about its own axis
            if below == 0.0 || (a - b).abs() < 1e-9 * (a + b) {
                return 0.0;
            }
            volume / 5.0 * (a - b).powi(2) * (kappa[k] - kappa[j]) / below
        });
        [mass, inertia]
    }
}

/// κᵢ = ∫₀^∞ r₀ r₁ r₂ dλ/√((rᵢ² + λ)³ (r_j² + λ)(r_k² + λ)).
///
/// With λ = s² (u/(1 − u))², s the largest radius, the integrand is smooth on (0, 1), but for a radius that is small
/// against s: a tanh–sinh rule, u = ½ (1 + tanh(½π sinh x)), does not mind.
fn kappa(r: [f64; 3], i: usize) -> f64 {
    let (a, b, c) = (r[i], r[(i + 1) % 3], r[(i + 2) % 3]);
    let s = a.max(b).max(c);
    let (a, b, c) = (a / s, b / s, c / s);
    const STEP: f64 = 1.0 / 64.0;
    let term = |k: i32| {
        let x = STEP * f64::from(k);
        // u/(1 − u) = e^(2y), du = 2 u (1 − u) dy with y = ½π sinh x
        let y = std::f64::consts::FRAC_PI_2 * x.sinh();
        let ratio = (2.0 * y).exp();
        let lambda = ratio * ratio;
        // dλ = 2 λ d(ln ratio) = 4 λ dy
        let by_x = 4.0 * lambda * std::f64::consts::FRAC_PI_2 * x.cosh();
        a * b * c * by_x / ((a * a + lambda).powi(3) * (b * b + lambda) * (c * c + lambda)).sqrt()
    };
    STEP * (-256..=256).map(term).filter(|x| x.is_finite()).sum::<f64>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// κ₀ + κ₁ + κ₂ = 2, a ball has ⅔ each, so that it moves half of the medium's mass in its volume.
    #[test]
    fn a_ball_moves_half_of_its_volume() {
        let [mass, inertia] = InMedium::new(Vec3::new(0.2, 0.2, 0.2)).added();
        let volume = 4.0 / 3.0 * std::f64::consts::PI * 0.008;
        assert!(mass.iter().all(|m| (m - 0.5 * volume).abs() < 1e-12 * volume), "{mass:?} {volume}");
        assert_eq!(inertia, [0.0; 3]);
        for r in [[0.3, 0.1, 0.01], [1.0, 1e-3, 2e-3], [0.1, 0.2, 0.05]] {
            let sum: f64 = [0, 1, 2].map(|i| kappa(r, i)).iter().sum();
            assert!((sum - 2.0).abs() < 1e-9, "{r:?}: {sum}");
        }
    }

    /// A disc that moves across itself: 8/3 r³ ρ (Lamb 1932, §108); a needle that moves across itself: the mass of its
    /// own volume.
    #[test]
    fn discs_and_needles_move_what_lamb_says() {
        let [mass, inertia] = InMedium::new(Vec3::new(1.0, 1.0, 1e-4)).added();
        assert!((mass[2] - 8.0 / 3.0).abs() < 1e-3, "{mass:?}");
        // about a diameter 16/45 r⁵ ρ
        assert!((inertia[0] - 16.0 / 45.0).abs() < 1e-3, "{inertia:?}");
        let needle = InMedium::new(Vec3::new(1e-3, 1e-3, 1.0));
        let volume = 4.0 / 3.0 * std::f64::consts::PI * 1e-6;
        let [mass, _] = needle.added();
        assert!((mass[0] / volume - 1.0).abs() < 1e-4 && mass[2] < 1e-4 * volume, "{mass:?} {volume}");
    }
}
