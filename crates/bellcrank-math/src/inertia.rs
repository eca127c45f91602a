//! Spatial inertia of a rigid body in its ten parameters: mass, first moment, second moments.
//!
//! The parameters are additive over the parts of a body, and all of dynamics is linear in them, which
//! identification needs: `I V` is linear in (m, h, J).

use crate::mat3::Mat3;
use crate::pose::Pose;
use crate::real::{Elem, Real};
use crate::sym3::Sym3;
use crate::twist::{Twist, Wrench};
use crate::vec3::Vec3;
use core::ops::Add;

/// Inertia about the origin O of some frame, in its axes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Inertia<R = f64> {
    /// Mass [kg].
    pub mass: R,
    /// First moment m·c [kg·m], c the centre of mass from O.
    pub h: Vec3<R>,
    /// Rotational inertia about O [kg·m²].
    pub J: Sym3<R>,
}

impl<R: Real> Inertia<R> {
    /// From mass, centre of mass and rotational inertia *about the centre of mass*.
    #[inline(always)]
    pub fn from_com(mass: R, com: Vec3<R>, about_com: Sym3<R>) -> Self {
        Inertia { mass, h: com * mass, J: about_com + Sym3::point_mass(mass, com) }
    }
    /// The centre of mass [m].
    #[inline(always)]
    pub fn com(self) -> Vec3<R> {
        self.h * self.mass.recip()
    }
    /// Rotational inertia about the centre of mass [kg·m²].
    #[inline(always)]
    pub fn about_com(self) -> Sym3<R> {
        self.J - Sym3::point_mass(self.mass, self.com())
    }
    /// Momentum of the motion V (told of the origin): (linear, angular about the origin).
    #[inline(always)]
    pub fn apply(self, V: Twist<R>) -> Wrench<R> {
        Wrench {
            force: V.angular.cross_add(self.h, V.linear * self.mass),
            moment: self.h.cross_add(V.linear, self.J * V.angular),
        }
    }
    /// Kinetic energy of the motion V [J].
    #[inline(always)]
    pub fn kinetic_energy(self, V: Twist<R>) -> R {
        V.dot(self.apply(V)) * R::constant(0.5)
    }
    /// From frame B to frame A, given X_AB.
    #[inline(always)]
    pub fn transformed(self, X_AB: Pose<R>) -> Self {
        let (h, p) = (X_AB.R.rotate(self.h), X_AB.p);
        // about the new origin: J' = R J Rᵀ + m[p]ᵀ[p] plus the two mixed terms in h
        let turned = self.J.rotated(X_AB.R.to_mat3());
        let mixed = Mat3::outer(p, h) + Mat3::outer(h, p);
        let twice = R::constant(2.0) * p.dot(h);
        let shift = Mat3::identity() * twice - mixed;
        Inertia {
            mass: self.mass,
            h: p.mul_add(self.mass, h),
            J: turned + Sym3::point_mass(self.mass, p) + Sym3::from_upper(shift),
        }
    }
}

impl<E: Elem> Inertia<E> {
    /// The principal moments about the centre of mass, rising [kg·m²].
    pub fn principal(self) -> [E; 3] {
        self.about_com().eigen().0
    }
}

impl<R: Real> Add for Inertia<R> {
    type Output = Self;
    #[inline(always)]
    fn add(self, b: Self) -> Self {
        Inertia { mass: self.mass + b.mass, h: self.h + b.h, J: self.J + b.J }
    }
}
