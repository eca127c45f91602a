//! A body's inertia in the numbers that are cheapest to turn.

use crate::kernels::kinematics::WorldPose;
use crate::model::{cast_number, cast_vector};
use crate::node::lift;
use bellcrank_math::{Elem, Inertia, Real, Sym3, Vec3};

/// Mass, centre of mass c and the inertia about it as J = d 1 + u uᵀ − w wᵀ.
///
/// With the principal moments d₁ ≤ d₂ ≤ d₃ and axes eᵢ: d = d₂, u = √(d₃ − d₂) e₃, w = √(d₂ − d₁) e₁. Turned by R, the
/// inertia is d 1 + (R u)(R u)ᵀ − (R w)(R w)ᵀ: 30 multiplications instead of the 45 of R J Rᵀ.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Solid<E> {
    mass: E,
    com: Vec3<E>,
    middle: E,
    long: Vec3<E>,
    short: Vec3<E>,
}

impl Solid<f64> {
    /// Of an inertia about the node's origin.
    pub fn new(inertia: &Inertia<f64>) -> Self {
        // a body without mass has no centre: its inertia is about the origin
        let com = if inertia.mass > 0.0 { inertia.com() } else { Vec3::zero() };
        let about_com = if inertia.mass > 0.0 { inertia.about_com() } else { inertia.J };
        let ([least, middle, most], axes) = about_com.eigen();
        let (long, short) = (axes.z * (most - middle).sqrt(), axes.x * (middle - least).sqrt());
        Solid { mass: inertia.mass, com, middle, long, short }
    }
}

impl<E: Elem> Solid<E> {
    /// In another precision.
    pub fn cast<F: Elem>(&self) -> Solid<F> {
        Solid {
            mass: cast_number(self.mass),
            com: cast_vector(self.com),
            middle: cast_number(self.middle),
            long: cast_vector(self.long),
            short: cast_vector(self.short),
        }
    }

    /// In the axes that the node's pose is told in, about the point its position is told from.
    #[inline(always)]
    pub fn at<R: Real<Elem = E>>(&self, pose: &WorldPose<R>) -> Inertia<R> {
        let (rotation, mass, d) = (pose.R, R::splat(self.mass), R::splat(self.middle));
        let (u, w) = (rotation * lift(self.long), rotation * lift(self.short));
        let com = lift::<R>(self.com);
        let c = rotation.z.mul_add(com.z, rotation.y.mul_add(com.y, rotation.x.mul_add(com.x, pose.p)));
        let h = c * mass;
        // u_i u_j − w_i w_j − c_i h_j beside the diagonal; on it d + … + c·h − c_i h_i
        let xy = c.x.neg_mul_add(h.y, w.x.neg_mul_add(w.y, u.x * u.y));
        let xz = c.x.neg_mul_add(h.z, w.x.neg_mul_add(w.z, u.x * u.z));
        let yz = c.y.neg_mul_add(h.z, w.y.neg_mul_add(w.z, u.y * u.z));
        let xx = w.x.neg_mul_add(w.x, u.x.mul_add(u.x, d));
        let yy = w.y.neg_mul_add(w.y, u.y.mul_add(u.y, d));
        let zz = w.z.neg_mul_add(w.z, u.z.mul_add(u.z, d));
        let J = Sym3 {
            xx: c.y.mul_add(h.y, c.z.mul_add(h.z, xx)),
            xy,
            xz,
            yy: c.x.mul_add(h.x, c.z.mul_add(h.z, yy)),
            yz,
            zz: c.x.mul_add(h.x, c.y.mul_add(h.y, zz)),
        };
        Inertia { mass, h, J }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_math::{Mat3, Pose, Quat};

    fn difference(a: Inertia, b: Inertia) -> f64 {
        let d = a.J - b.J;
        (a.mass - b.mass).abs()
            + (a.h - b.h).norm()
            + [d.xx, d.xy, d.xz, d.yy, d.yz, d.zz].into_iter().map(f64::abs).sum::<f64>()
    }

    /// Ten sums of a dozen products of numbers below 3: each is off by less than 12 · 9 ε = 2.4e-14 at the very most.
    #[test]
    fn a_turned_solid_is_the_transformed_inertia() {
        let about_com = Sym3 { xx: 0.9, xy: 0.1, xz: -0.2, yy: 0.7, yz: 0.15, zz: 0.5 };
        let inertia = Inertia::from_com(1.7, Vec3::new(0.3, -0.2, 0.5), about_com);
        let turn = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.9);
        let p = Vec3::new(0.4, 1.1, -0.7);
        let at = Solid::new(&inertia).at(&WorldPose { R: turn.to_mat3(), p });
        assert!(difference(at, inertia.transformed(Pose::new(turn, p))) < 2.4e-13);
    }

    #[test]
    fn a_body_without_mass_keeps_its_inertia() {
        let rotor = Inertia { mass: 0.0, h: Vec3::zero(), J: Sym3::diagonal(0.1, 0.2, 0.4) };
        let at = Solid::new(&rotor).at(&WorldPose { R: Mat3::identity(), p: Vec3::new(1.0, 2.0, 3.0) });
        assert!(difference(at, rotor) < 1e-15);
    }
}
