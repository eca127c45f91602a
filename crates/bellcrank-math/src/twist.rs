//! Spatial vectors: motions and forces of rigid bodies, linear part first.

use crate::pose::Pose;
use crate::quat::Quat;
use crate::real::Real;
use crate::vec3::Vec3;
use core::ops::{Add, AddAssign, Mul, Neg, Sub};

/// The velocity (or acceleration, or small displacement) of a rigid body: of one of its points, and of turning.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Twist<R = f64> {
    /// Velocity of the reference point [m/s].
    pub linear: Vec3<R>,
    /// Angular velocity [rad/s].
    pub angular: Vec3<R>,
}

/// A force and a moment about the reference point: the dual of [`Twist`]. Impulses too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Wrench<R = f64> {
    /// Force [N].
    pub force: Vec3<R>,
    /// Moment about the reference point [N·m].
    pub moment: Vec3<R>,
}

macro_rules! spatial {
    ($t:ident, $linear:ident, $angular:ident) => {
        impl<R: Real> $t<R> {
            /// From the linear and the angular part.
            #[inline(always)]
            pub fn new($linear: Vec3<R>, $angular: Vec3<R>) -> Self {
                $t { $linear, $angular }
            }
            /// Nothing.
            #[inline(always)]
            pub fn zero() -> Self {
                $t { $linear: Vec3::zero(), $angular: Vec3::zero() }
            }
            /// From six numbers, linear part first.
            #[inline(always)]
            pub fn from_array([a, b, c, d, e, f]: [R; 6]) -> Self {
                $t { $linear: Vec3::new(a, b, c), $angular: Vec3::new(d, e, f) }
            }
            /// As six numbers, linear part first.
            #[inline(always)]
            pub fn to_array(self) -> [R; 6] {
                let (l, a) = (self.$linear, self.$angular);
                [l.x, l.y, l.z, a.x, a.y, a.z]
            }
            /// Turned into other axes.
            #[inline(always)]
            pub fn rotated(self, rotation: Quat<R>) -> Self {
                $t { $linear: rotation.rotate(self.$linear), $angular: rotation.rotate(self.$angular) }
            }
            /// False where a component is infinite or not a number.
            #[inline(always)]
            pub fn is_finite(self) -> R::Mask {
                self.$linear.is_finite() & self.$angular.is_finite()
            }
            /// The spatial vector of lane `i`.
            #[inline(always)]
            pub fn lane(self, i: usize) -> $t<R::Elem> {
                $t { $linear: self.$linear.lane(i), $angular: self.$angular.lane(i) }
            }
        }

        impl<R: Real> Add for $t<R> {
            type Output = Self;
            #[inline(always)]
            fn add(self, b: Self) -> Self {
                $t { $linear: self.$linear + b.$linear, $angular: self.$angular + b.$angular }
            }
        }

        impl<R: Real> AddAssign for $t<R> {
            #[inline(always)]
            fn add_assign(&mut self, b: Self) {
                *self = *self + b;
            }
        }

        impl<R: Real> Sub for $t<R> {
            type Output = Self;
            #[inline(always)]
            fn sub(self, b: Self) -> Self {
                $t { $linear: self.$linear - b.$linear, $angular: self.$angular - b.$angular }
            }
        }

        impl<R: Real> Neg for $t<R> {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                $t { $linear: -self.$linear, $angular: -self.$angular }
            }
        }

        impl<R: Real> Mul<R> for $t<R> {
            type Output = Self;
            #[inline(always)]
            fn mul(self, s: R) -> Self {
                $t { $linear: self.$linear * s, $angular: self.$angular * s }
            }
        }
    };
}
spatial!(Twist, linear, angular);
spatial!(Wrench, force, moment);

impl<R: Real> Twist<R> {
    /// The same motion told of the point at `p` from the reference point: v_Q = v + ω × p.
    #[inline(always)]
    pub fn at_point(self, p: Vec3<R>) -> Self {
        Twist { linear: self.angular.cross_add(p, self.linear), angular: self.angular }
    }
    /// Power with a wrench about the same point [W].
    #[inline(always)]
    pub fn dot(self, f: Wrench<R>) -> R {
        self.linear.dot(f.force) + self.angular.dot(f.moment)
    }
    /// From frame B (axes and origin) to frame A, given X_AB.
    #[inline(always)]
    pub fn transformed(self, X_AB: Pose<R>) -> Self {
        self.rotated(X_AB.R).at_point(-X_AB.p)
    }
    /// The motion cross product self × m: how m changes when carried along by self.
    #[inline(always)]
    pub fn cross(self, m: Self) -> Self {
        Twist {
            linear: self.angular.cross_add(m.linear, self.linear.cross(m.angular)),
            angular: self.angular.cross(m.angular),
        }
    }
    /// The force cross product self ×* f: how f changes when carried along by self.
    #[inline(always)]
    pub fn cross_dual(self, f: Wrench<R>) -> Wrench<R> {
        Wrench {
            force: self.angular.cross(f.force),
            moment: self.angular.cross_add(f.moment, self.linear.cross(f.force)),
        }
    }
}

impl<R: Real> Wrench<R> {
    /// The same load told about the point at `p` from the reference point: m_Q = m − p × f.
    #[inline(always)]
    pub fn at_point(self, p: Vec3<R>) -> Self {
        Wrench { force: self.force, moment: self.force.cross_add(p, self.moment) }
    }
    /// From frame B (axes and origin) to frame A, given X_AB.
    #[inline(always)]
    pub fn transformed(self, X_AB: Pose<R>) -> Self {
        self.rotated(X_AB.R).at_point(-X_AB.p)
    }
}
