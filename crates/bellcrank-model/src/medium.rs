//! What surrounds the bodies: nothing, air or water.

use bellcrank_math::Vec3;

/// A medium that resists bodies as if each were the box that has its mass and inertia, or as the ellipsoids of its
/// shapes ([`crate::Shape::in_medium`]); nothing by default.
///
/// With edges b along the principal axes, their mean d, and velocities v, ω of the centre of mass against the medium in these axes, the
/// force is −3π β d v − ½ρ b_j b_k |v_i| v_i and the moment −π β d³ ω − ρ b_i (b_j⁴ + b_k⁴) |ω_i| ω_i/64: Stokes' law for a ball, and the
/// pressure on the sides of the box. (MuJoCo's model of inertia boxes.)
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Medium {
    /// ρ [kg/m³]: 1.2 for air, 1000 for water.
    pub density: f64,
    /// β [Pa·s]: 1.8e-5 for air, 9e-4 for water.
    pub viscosity: f64,
    /// How it moves itself [m/s].
    pub wind: Vec3,
}

impl Medium {
    /// Whether it resists.
    pub fn resists(&self) -> bool {
        self.density > 0.0 || self.viscosity > 0.0
    }
}
