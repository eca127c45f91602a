//! One moving body of the tree and the joint that carries it.
//!
//! Node N hangs from node P (or the world) by X_PN(q) = X_PT · X_TN(q): a constant tree transform, then the
//! joint. Every node has a frame chosen so that the constant rotation vanishes wherever possible (see
//! `build`), and its motion axes S are constant in that frame:
//!
//! V_N = X_NP V_P + S q̇,   A_N = X_NP A_P + S q̈ + V_N × S q̇     ([Featherstone 2008] Eqs. (5.7), (5.8))

use crate::axis::Axis;
use crate::solid::Solid;
use bellcrank_math::{Elem, Inertia, Mat3, Quat, Real, Sym3, Twist, Vec3, Wrench};

/// Parent of a node that hangs from the world.
pub const WORLD: usize = usize::MAX;

/// How a node moves against its parent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion<E> {
    /// Turns about a coordinate axis. The case that matters, and all kernels have a short path for it.
    Turn(Axis),
    /// Slides along a direction of its own frame.
    Slide(Vec3<E>),
    /// Turns about a coordinate axis and advances along it [m/rad].
    Screw(Axis, E),
    /// Turns in any way: quaternion wxyz; velocity: angular, in the node's axes.
    Ball,
    /// Moves in any way: position, quaternion wxyz; velocity: linear and angular, in the node's axes.
    Free,
}

impl<E: Elem> Motion<E> {
    /// Number of velocities.
    #[inline(always)]
    pub fn dofs(self) -> usize {
        match self {
            Motion::Turn(_) | Motion::Slide(_) | Motion::Screw(..) => 1,
            Motion::Ball => 3,
            Motion::Free => 6,
        }
    }

    /// Number of coordinates.
    #[inline(always)]
    pub fn coordinates(self) -> usize {
        match self {
            Motion::Ball => 4,
            Motion::Free => 7,
            _ => 1,
        }
    }
}

/// A moving body (with everything fixed to it) and the joint that carries it.
#[derive(Clone, Copy, Debug)]
pub struct Node<E> {
    /// The node it hangs from, or [`WORLD`]. Parents come before their children.
    pub parent: usize,
    /// How it moves.
    pub motion: Motion<E>,
    /// R_PT, or `None` where it is the identity.
    pub tilt: Option<Mat3<E>>,
    /// p_PT in P's axes [m].
    pub p: Vec3<E>,
    /// Inertia about N's origin, in N's axes.
    pub(crate) inertia: Inertia<E>,
    /// The same, ready to be turned.
    pub(crate) solid: Solid<E>,
    /// First coordinate, in tree order.
    pub q: usize,
    /// First velocity, in tree order.
    pub v: usize,
    /// Just beyond the last descendant: descendants of node `i` are `i + 1 .. end`.
    pub end: usize,
    /// How many nodes lie between it and the world: where a kernel keeps what it needs along one branch only.
    pub level: usize,
}

/// Where a joint stands now: X_PN. Turning joints use sine and cosine only, all others the full pose.
#[derive(Clone, Copy, Debug)]
pub struct Place<R> {
    /// Sine and cosine of a turning joint's angle.
    pub sin: R,
    #[allow(missing_docs)]
    pub cos: R,
    /// R_PN of any other joint.
    pub R: Mat3<R>,
    /// p_PN of any other joint [m].
    pub p: Vec3<R>,
}

impl<R: Real> Default for Place<R> {
    // a derived one is not inlined into kernels
    #[inline(always)]
    fn default() -> Self {
        Place { sin: R::zero(), cos: R::zero(), R: Mat3::zero(), p: Vec3::zero() }
    }
}

/// The same constant in every lane; the compiler turns these into broadcast operands.
#[inline(always)]
pub fn lift<R: Real>(v: Vec3<R::Elem>) -> Vec3<R> {
    Vec3::new(R::splat(v.x), R::splat(v.y), R::splat(v.z))
}

/// The same constant matrix in every lane.
#[inline(always)]
pub fn lift_matrix<R: Real>(m: &Mat3<R::Elem>) -> Mat3<R> {
    Mat3::from_columns(lift(m.x), lift(m.y), lift(m.z))
}

/// The same constant inertia in every lane.
#[inline(always)]
pub fn lift_inertia<R: Real>(i: &Inertia<R::Elem>) -> Inertia<R> {
    let J = &i.J;
    let c = R::splat;
    let J = Sym3 { xx: c(J.xx), xy: c(J.xy), xz: c(J.xz), yy: c(J.yy), yz: c(J.yz), zz: c(J.zz) };
    Inertia { mass: c(i.mass), h: lift(i.h), J }
}

impl<E: Elem> Node<E> {
    /// Inertia about N's origin, in N's axes.
    pub fn inertia(&self) -> Inertia<E> {
        self.inertia
    }

    /// Writes where the joint stands at the tree's coordinates `q`.
    #[inline(always)]
    pub fn place<R: Real<Elem = E>>(&self, q: &[R], at: &mut Place<R>) {
        let k = self.q;
        if let Motion::Turn(_) = self.motion {
            (at.sin, at.cos) = q[k].sin_cos();
            return;
        }
        let (R_TN, p_TN) = match self.motion {
            Motion::Slide(direction) => (Mat3::identity(), lift::<R>(direction) * q[k]),
            Motion::Screw(axis, pitch) => {
                let (s, c) = q[k].sin_cos();
                let turned = axis.turn_columns(s, c, Mat3::identity());
                (turned, axis.unit::<R>() * q[k].scale(pitch))
            }
            Motion::Ball => (Quat::from_wxyz([q[k], q[k + 1], q[k + 2], q[k + 3]]).to_mat3(), Vec3::zero()),
            _ => (
                Quat::from_wxyz([q[k + 3], q[k + 4], q[k + 5], q[k + 6]]).to_mat3(),
                Vec3::new(q[k], q[k + 1], q[k + 2]),
            ),
        };
        match &self.tilt {
            None => (at.R, at.p) = (R_TN, p_TN + lift(self.p)),
            Some(tilt) => {
                let tilt = lift_matrix::<R>(tilt);
                (at.R, at.p) = (tilt * R_TN, tilt * p_TN + lift(self.p));
            }
        }
    }

    /// The `k`-th motion axis, in N's axes and about N's origin.
    #[inline(always)]
    pub fn axis<R: Real<Elem = E>>(&self, k: usize) -> Twist<R> {
        match self.motion {
            Motion::Turn(axis) => Twist::new(Vec3::zero(), axis.unit()),
            Motion::Slide(direction) => Twist::new(lift(direction), Vec3::zero()),
            Motion::Screw(axis, pitch) => Twist::new(axis.unit::<R>() * R::splat(pitch), axis.unit()),
            Motion::Ball => Twist::new(Vec3::zero(), Axis::ALL[k].unit()),
            Motion::Free if k < 3 => Twist::new(Axis::ALL[k].unit(), Vec3::zero()),
            Motion::Free => Twist::new(Vec3::zero(), Axis::ALL[k - 3].unit()),
        }
    }

    /// S q̇: the joint's own velocity.
    #[inline(always)]
    pub fn joint_velocity<R: Real<Elem = E>>(&self, v: &[R]) -> Twist<R> {
        let k = self.v;
        match self.motion {
            Motion::Free => {
                Twist::new(Vec3::new(v[k], v[k + 1], v[k + 2]), Vec3::new(v[k + 3], v[k + 4], v[k + 5]))
            }
            Motion::Ball => Twist::new(Vec3::zero(), Vec3::new(v[k], v[k + 1], v[k + 2])),
            _ => self.axis::<R>(0) * v[k],
        }
    }

    /// Sᵀ f, written to the node's places in `out`.
    #[inline(always)]
    pub fn project<R: Real<Elem = E>>(&self, f: Wrench<R>, out: &mut [R]) {
        let k = self.v;
        match self.motion {
            Motion::Turn(axis) => out[k] = axis.of(f.moment),
            Motion::Free => out[k..k + 6].copy_from_slice(&f.to_array()),
            Motion::Ball => out[k..k + 3].copy_from_slice(&f.moment.to_array()),
            _ => out[k] = self.axis::<R>(0).dot(f),
        }
    }

    /// From P's axes to N's.
    #[inline(always)]
    pub fn rotate_down<R: Real<Elem = E>>(&self, at: &Place<R>, v: Vec3<R>) -> Vec3<R> {
        match self.motion {
            Motion::Turn(axis) => {
                let v = match &self.tilt {
                    None => v,
                    Some(tilt) => lift_matrix::<R>(tilt).transpose_mul(v),
                };
                axis.turn_back(at.sin, at.cos, v)
            }
            _ => at.R.transpose_mul(v),
        }
    }

    /// From N's axes to P's.
    #[inline(always)]
    pub fn rotate_up<R: Real<Elem = E>>(&self, at: &Place<R>, v: Vec3<R>) -> Vec3<R> {
        match self.motion {
            Motion::Turn(axis) => {
                let v = axis.turn(at.sin, at.cos, v);
                match &self.tilt {
                    None => v,
                    Some(tilt) => lift_matrix::<R>(tilt) * v,
                }
            }
            _ => at.R * v,
        }
    }

    /// p_PN in P's axes.
    #[inline(always)]
    pub fn offset<R: Real<Elem = E>>(&self, at: &Place<R>) -> Vec3<R> {
        match self.motion {
            Motion::Turn(_) => lift(self.p),
            _ => at.p,
        }
    }

    /// X_NP V: a motion from P to N.
    #[inline(always)]
    pub fn motion_down<R: Real<Elem = E>>(&self, at: &Place<R>, V: Twist<R>) -> Twist<R> {
        let linear = V.angular.cross_add(self.offset(at), V.linear);
        Twist::new(self.rotate_down(at, linear), self.rotate_down(at, V.angular))
    }

    /// X_NPᵀ f: a load from N to P.
    #[inline(always)]
    pub fn force_up<R: Real<Elem = E>>(&self, at: &Place<R>, f: Wrench<R>) -> Wrench<R> {
        let force = self.rotate_up(at, f.force);
        Wrench::new(force, self.offset(at).cross_add(force, self.rotate_up(at, f.moment)))
    }

    /// X_WN from X_WP.
    #[inline(always)]
    pub fn compose<R: Real<Elem = E>>(
        &self,
        at: &Place<R>,
        R_WP: Mat3<R>,
        p_WP: Vec3<R>,
    ) -> (Mat3<R>, Vec3<R>) {
        let p = R_WP * self.offset(at) + p_WP;
        let rotation = match self.motion {
            Motion::Turn(axis) => {
                let tilted = match &self.tilt {
                    None => R_WP,
                    Some(tilt) => R_WP * lift_matrix::<R>(tilt),
                };
                axis.turn_columns(at.sin, at.cos, tilted)
            }
            _ => R_WP * at.R,
        };
        (rotation, p)
    }

    /// X_WN of a node that hangs from the world.
    #[inline(always)]
    pub fn compose_root<R: Real<Elem = E>>(&self, at: &Place<R>) -> (Mat3<R>, Vec3<R>) {
        let rotation = match self.motion {
            Motion::Turn(axis) => {
                let tilt = match &self.tilt {
                    None => Mat3::identity(),
                    Some(tilt) => lift_matrix::<R>(tilt),
                };
                axis.turn_columns(at.sin, at.cos, tilt)
            }
            _ => at.R,
        };
        (rotation, self.offset(at))
    }
}
