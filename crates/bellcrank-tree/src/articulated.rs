//! Articulated-body inertia: what a body feels like when the joints beyond it give way.

use crate::axis::Axis;
use crate::node::{Motion, Node, Place, lift_inertia, lift_matrix};
use bellcrank_math::{Elem, Inertia, Mat3, Real, Sym3, Twist, Vec3, Wrench};
use core::ops::AddAssign;

/// The symmetric map from motion to force, f = M v + H ω, n = Hᵀ v + J ω.
#[derive(Clone, Copy, Debug, Default)]
pub struct Articulated<R> {
    /// Linear to force.
    pub M: Sym3<R>,
    /// Angular to force.
    pub H: Mat3<R>,
    /// Angular to moment.
    pub J: Sym3<R>,
}

impl<R: Real> Articulated<R> {
    /// Of a rigid body: M = m 1, H = −[h]×.
    #[inline(always)]
    pub fn rigid(inertia: &Inertia<R::Elem>) -> Self {
        let i = lift_inertia::<R>(inertia);
        Articulated { M: Sym3::diagonal(i.mass, i.mass, i.mass), H: Mat3::skew(-i.h), J: i.J }
    }

    /// I V
    #[inline(always)]
    pub fn apply(&self, V: Twist<R>) -> Wrench<R> {
        let (v, w) = (V.linear, V.angular);
        Wrench::new(self.M * v + self.H * w, self.H.transpose_mul(v) + self.J * w)
    }

    /// I e for turning about a coordinate axis: a column.
    #[inline(always)]
    pub fn turn_column(&self, axis: Axis) -> Wrench<R> {
        Wrench::new(axis.column(self.H), axis.column(self.J.to_mat3()))
    }

    /// I − a bᵀ, where the product is symmetric.
    #[inline(always)]
    pub fn minus_outer(&self, a: Wrench<R>, b: Wrench<R>) -> Self {
        Articulated {
            M: minus_symmetric(self.M, a.force, b.force),
            H: Mat3::from_columns(
                a.force.mul_add(-b.moment.x, self.H.x),
                a.force.mul_add(-b.moment.y, self.H.y),
                a.force.mul_add(-b.moment.z, self.H.z),
            ),
            J: minus_symmetric(self.J, a.moment, b.moment),
        }
    }

    /// From N to P: turned, then told of a point at −p: H′ = H − M \[p\]×, J′ = J − Hᵀ \[p\]× + \[p\]× H′.
    #[inline(always)]
    pub fn up<E: Elem>(&self, node: &Node<E>, at: &Place<R>) -> Self
    where
        R: Real<Elem = E>,
    {
        let turned = self.turned(node, at);
        let p = node.offset(at);
        let (M, H, J) = (turned.M, turned.H, turned.J);
        // row r of −M [p]× is p × (row r of M)
        let Mat3 { x, y, z } = M.to_mat3();
        let moved = Mat3::from_columns(
            Vec3::new(cross_x(p, x, H.x.x), cross_x(p, y, H.x.y), cross_x(p, z, H.x.z)),
            Vec3::new(cross_y(p, x, H.y.x), cross_y(p, y, H.y.y), cross_y(p, z, H.y.z)),
            Vec3::new(cross_z(p, x, H.z.x), cross_z(p, y, H.z.y), cross_z(p, z, H.z.z)),
        );
        // (−Hᵀ[p]×)_rc = (p × H_r)_c and ([p]× H′)_rc = (p × H′_c)_r
        let J = Sym3 {
            xx: cross_x(p, moved.x, cross_x(p, H.x, J.xx)),
            xy: cross_x(p, moved.y, cross_y(p, H.x, J.xy)),
            xz: cross_x(p, moved.z, cross_z(p, H.x, J.xz)),
            yy: cross_y(p, moved.y, cross_y(p, H.y, J.yy)),
            yz: cross_y(p, moved.z, cross_z(p, H.y, J.yz)),
            zz: cross_z(p, moved.z, cross_z(p, H.z, J.zz)),
        };
        Articulated { M, H: moved, J }
    }

    #[inline(always)]
    fn turned<E: Elem>(&self, node: &Node<E>, at: &Place<R>) -> Self
    where
        R: Real<Elem = E>,
    {
        let Motion::Turn(axis) = node.motion else { return self.rotated(at.R) };
        let (s, c) = (at.sin, at.cos);
        let turned = Articulated {
            M: axis.turn_symmetric(s, c, self.M),
            H: axis.turn_matrix(s, c, self.H),
            J: axis.turn_symmetric(s, c, self.J),
        };
        match &node.tilt {
            None => turned,
            Some(tilt) => turned.rotated(lift_matrix(tilt)),
        }
    }

    #[inline(always)]
    fn rotated(&self, m: Mat3<R>) -> Self {
        Articulated { M: self.M.rotated(m), H: m * self.H * m.transpose(), J: self.J.rotated(m) }
    }
}

/// The inverse of an articulated inertia, by blocks: with K = M⁻¹ H and Schur complement C = J − Hᵀ K,
/// ω = C⁻¹ (n − Kᵀ f) and v = M⁻¹ f − K ω. Two inverses of size 3 wait for two divisions; a Cholesky factor of size 6
/// waits for six roots and six divisions, one after the other.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArticulatedInverse<R> {
    M_inverse: Sym3<R>,
    K: Mat3<R>,
    C_inverse: Sym3<R>,
}

impl<R: Real> ArticulatedInverse<R> {
    /// Of a positive definite inertia.
    #[inline(always)]
    pub fn new(inertia: &Articulated<R>) -> Self {
        let (H, M_inverse) = (inertia.H, inertia.M.inverse());
        let K = Mat3::from_columns(M_inverse * H.x, M_inverse * H.y, M_inverse * H.z);
        let J = inertia.J;
        let C = Sym3 {
            xx: J.xx - H.x.dot(K.x),
            xy: J.xy - H.x.dot(K.y),
            xz: J.xz - H.x.dot(K.z),
            yy: J.yy - H.y.dot(K.y),
            yz: J.yz - H.y.dot(K.z),
            zz: J.zz - H.z.dot(K.z),
        };
        ArticulatedInverse { M_inverse, K, C_inverse: C.inverse() }
    }

    /// I⁻¹ f
    #[inline(always)]
    pub fn apply(&self, f: Wrench<R>) -> Twist<R> {
        let w = self.C_inverse * (f.moment - self.K.transpose_mul(f.force));
        Twist::new(self.M_inverse * f.force - self.K * w, w)
    }
}

/// c + (a × b)·x, and likewise for the other axes.
#[inline(always)]
fn cross_x<R: Real>(a: Vec3<R>, b: Vec3<R>, c: R) -> R {
    a.z.neg_mul_add(b.y, a.y.mul_add(b.z, c))
}
#[inline(always)]
fn cross_y<R: Real>(a: Vec3<R>, b: Vec3<R>, c: R) -> R {
    a.x.neg_mul_add(b.z, a.z.mul_add(b.x, c))
}
#[inline(always)]
fn cross_z<R: Real>(a: Vec3<R>, b: Vec3<R>, c: R) -> R {
    a.y.neg_mul_add(b.x, a.x.mul_add(b.y, c))
}

#[inline(always)]
fn minus_symmetric<R: Real>(m: Sym3<R>, a: Vec3<R>, b: Vec3<R>) -> Sym3<R> {
    Sym3 {
        xx: a.x.neg_mul_add(b.x, m.xx),
        xy: a.x.neg_mul_add(b.y, m.xy),
        xz: a.x.neg_mul_add(b.z, m.xz),
        yy: a.y.neg_mul_add(b.y, m.yy),
        yz: a.y.neg_mul_add(b.z, m.yz),
        zz: a.z.neg_mul_add(b.z, m.zz),
    }
}

impl<R: Real> AddAssign for Articulated<R> {
    #[inline(always)]
    fn add_assign(&mut self, b: Self) {
        (self.M, self.H, self.J) = (self.M + b.M, self.H + b.H, self.J + b.J);
    }
}
