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
        let rows = M.to_mat3();
        let (a, b, c) = (p.cross(rows.x), p.cross(rows.y), p.cross(rows.z));
        let moved = Mat3::from_columns(
            H.x + Vec3::new(a.x, b.x, c.x),
            H.y + Vec3::new(a.y, b.y, c.y),
            H.z + Vec3::new(a.z, b.z, c.z),
        );
        // (−Hᵀ[p]×)_rc = (p × H_r)_c and ([p]× H′)_rc = (p × H′_c)_r
        let (x, y, z) = (p.cross(H.x), p.cross(H.y), p.cross(H.z));
        let (mx, my, mz) = (p.cross(moved.x), p.cross(moved.y), p.cross(moved.z));
        let J = Sym3 {
            xx: J.xx + x.x + mx.x,
            xy: J.xy + x.y + my.x,
            xz: J.xz + x.z + mz.x,
            yy: J.yy + y.y + my.y,
            yz: J.yz + y.z + mz.y,
            zz: J.zz + z.z + mz.z,
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

    /// All 36 entries.
    #[inline(always)]
    pub fn to_array(&self) -> [[R; 6]; 6] {
        let (M, H, J) = (self.M.to_mat3(), self.H, self.J.to_mat3());
        let mut full = [[R::zero(); 6]; 6];
        for r in 0..3 {
            for c in 0..3 {
                full[r][c] = M.entry(r, c);
                full[r][c + 3] = H.entry(r, c);
                full[c + 3][r] = H.entry(r, c);
                full[r + 3][c + 3] = J.entry(r, c);
            }
        }
        full
    }
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
