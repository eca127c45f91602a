//! Mass, centre of mass and inertia of rigid parts, joined without losing digits.

use bellcrank_math::{Pose, Sym3, Vec3};

/// A rigid part in some frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Solid {
    /// [kg]
    pub mass: f64,
    /// Centre of mass [m].
    pub com: Vec3,
    /// About the centre of mass, in the frame's axes [kg·m²].
    pub inertia: Sym3,
}

impl Solid {
    /// The same part seen from frame A, given X_AB.
    pub fn transformed(self, X_AB: Pose) -> Self {
        let inertia =
            if X_AB.R == Pose::identity().R { self.inertia } else { self.inertia.rotated(X_AB.R.to_mat3()) };
        Solid { mass: self.mass, com: X_AB * self.com, inertia }
    }

    /// Both parts as one (Steiner).
    pub fn joined(self, other: Solid) -> Self {
        let mass = self.mass + other.mass;
        if mass == 0.0 {
            return Solid { inertia: self.inertia + other.inertia, ..self };
        }
        let com = (self.com * self.mass + other.com * other.mass) * (1.0 / mass);
        let about = |part: Solid| part.inertia + Sym3::point_mass(part.mass, part.com - com);
        Solid { mass, com, inertia: about(self) + about(other) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two unit point masses 2 m apart on x: mass 2, centre between them, 1·1² + 1·1² = 2 kg·m² across.
    #[test]
    fn a_dumbbell_has_the_moments_of_its_two_balls() {
        let ball = |x: f64| Solid { mass: 1.0, com: Vec3::new(x, 0.0, 0.0), inertia: Sym3::zero() };
        let dumbbell = ball(1.0).joined(ball(3.0));
        assert_eq!(
            dumbbell,
            Solid { mass: 2.0, com: Vec3::new(2.0, 0.0, 0.0), inertia: Sym3::diagonal(0.0, 2.0, 2.0) }
        );
    }
}
