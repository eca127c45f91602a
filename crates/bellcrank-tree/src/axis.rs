//! Turning about a coordinate axis: a planar rotation, four multiplications instead of nine.

use bellcrank_math::{Mat3, Real, Sym3, Vec3};

/// A coordinate axis of a node's frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Axis {
    X,
    Y,
    Z,
}

impl Axis {
    /// All three, in order.
    pub const ALL: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

    /// The unit vector.
    #[inline(always)]
    pub fn unit<R: Real>(self) -> Vec3<R> {
        match self {
            Axis::X => Vec3::x_axis(),
            Axis::Y => Vec3::y_axis(),
            Axis::Z => Vec3::z_axis(),
        }
    }

    /// The component of `v` along the axis.
    #[inline(always)]
    pub fn of<R: Real>(self, v: Vec3<R>) -> R {
        match self {
            Axis::X => v.x,
            Axis::Y => v.y,
            Axis::Z => v.z,
        }
    }

    /// The column of `m` that is the axis' image.
    #[inline(always)]
    pub fn column<R: Real>(self, m: Mat3<R>) -> Vec3<R> {
        match self {
            Axis::X => m.x,
            Axis::Y => m.y,
            Axis::Z => m.z,
        }
    }

    /// `v` with `s` added along the axis.
    #[inline(always)]
    pub fn add<R: Real>(self, v: Vec3<R>, s: R) -> Vec3<R> {
        match self {
            Axis::X => Vec3::new(v.x + s, v.y, v.z),
            Axis::Y => Vec3::new(v.x, v.y + s, v.z),
            Axis::Z => Vec3::new(v.x, v.y, v.z + s),
        }
    }

    /// c + v × e s, with e the axis.
    #[inline(always)]
    pub fn cross_add<R: Real>(self, v: Vec3<R>, s: R, c: Vec3<R>) -> Vec3<R> {
        match self {
            Axis::X => Vec3::new(c.x, v.z.mul_add(s, c.y), v.y.neg_mul_add(s, c.z)),
            Axis::Y => Vec3::new(v.z.neg_mul_add(s, c.x), c.y, v.x.mul_add(s, c.z)),
            Axis::Z => Vec3::new(v.y.mul_add(s, c.x), v.x.neg_mul_add(s, c.y), c.z),
        }
    }

    /// u · (v × e), with e the axis.
    #[inline(always)]
    pub fn triple<R: Real>(self, u: Vec3<R>, v: Vec3<R>) -> R {
        match self {
            Axis::X => u.y.mul_add(v.z, -(u.z * v.y)),
            Axis::Y => u.z.mul_add(v.x, -(u.x * v.z)),
            Axis::Z => u.x.mul_add(v.y, -(u.y * v.x)),
        }
    }

    /// e × v, with e the axis.
    #[inline(always)]
    pub fn cross<R: Real>(self, v: Vec3<R>) -> Vec3<R> {
        let zero = R::zero();
        match self {
            Axis::X => Vec3::new(zero, -v.z, v.y),
            Axis::Y => Vec3::new(v.z, zero, -v.x),
            Axis::Z => Vec3::new(-v.y, v.x, zero),
        }
    }

    /// R(q) v, given sine and cosine of the angle.
    #[inline(always)]
    pub fn turn<R: Real>(self, s: R, c: R, v: Vec3<R>) -> Vec3<R> {
        match self {
            Axis::X => Vec3::new(v.x, s.neg_mul_add(v.z, c * v.y), s.mul_add(v.y, c * v.z)),
            Axis::Y => Vec3::new(s.mul_add(v.z, c * v.x), v.y, s.neg_mul_add(v.x, c * v.z)),
            Axis::Z => Vec3::new(s.neg_mul_add(v.y, c * v.x), s.mul_add(v.x, c * v.y), v.z),
        }
    }

    /// R(q)ᵀ v.
    #[inline(always)]
    pub fn turn_back<R: Real>(self, s: R, c: R, v: Vec3<R>) -> Vec3<R> {
        match self {
            Axis::X => Vec3::new(v.x, s.mul_add(v.z, c * v.y), s.neg_mul_add(v.y, c * v.z)),
            Axis::Y => Vec3::new(s.neg_mul_add(v.z, c * v.x), v.y, s.mul_add(v.x, c * v.z)),
            Axis::Z => Vec3::new(s.mul_add(v.y, c * v.x), s.neg_mul_add(v.x, c * v.y), v.z),
        }
    }

    /// m R(q): the columns of m, turned.
    #[inline(always)]
    pub fn turn_columns<R: Real>(self, s: R, c: R, m: Mat3<R>) -> Mat3<R> {
        match self {
            Axis::X => Mat3::from_columns(m.x, m.z.mul_add(s, m.y * c), m.y.mul_add(-s, m.z * c)),
            Axis::Y => Mat3::from_columns(m.z.mul_add(-s, m.x * c), m.y, m.x.mul_add(s, m.z * c)),
            Axis::Z => Mat3::from_columns(m.y.mul_add(s, m.x * c), m.x.mul_add(-s, m.y * c), m.z),
        }
    }

    /// R(q) A R(q)ᵀ for a symmetric A: one double angle instead of two products.
    #[inline(always)]
    pub fn turn_symmetric<R: Real>(self, s: R, c: R, a: Sym3<R>) -> Sym3<R> {
        // k: along the axis, p and r: the plane, in cyclic order
        let (kk, kp, kr, pp, pr, rr) = match self {
            Axis::X => (a.xx, a.xy, a.xz, a.yy, a.yz, a.zz),
            Axis::Y => (a.yy, a.yz, a.xy, a.zz, a.xz, a.xx),
            Axis::Z => (a.zz, a.xz, a.yz, a.xx, a.xy, a.yy),
        };
        let (new_kp, new_kr) = (s.neg_mul_add(kr, c * kp), s.mul_add(kp, c * kr));
        let (cc, ss, cs) = (c * c, s * s, c * s);
        let mixed = (cs + cs) * pr;
        let new_pp = ss.mul_add(rr, cc.mul_add(pp, -mixed));
        let new_rr = cc.mul_add(rr, ss.mul_add(pp, mixed));
        let new_pr = (cc - ss).mul_add(pr, cs * (pp - rr));
        match self {
            Axis::X => Sym3 { xx: kk, xy: new_kp, xz: new_kr, yy: new_pp, yz: new_pr, zz: new_rr },
            Axis::Y => Sym3 { xx: new_rr, xy: new_kr, xz: new_pr, yy: kk, yz: new_kp, zz: new_pp },
            Axis::Z => Sym3 { xx: new_pp, xy: new_pr, xz: new_kp, yy: new_rr, yz: new_kr, zz: kk },
        }
    }

    /// R(q) A R(q)ᵀ for any A.
    #[inline(always)]
    pub fn turn_matrix<R: Real>(self, s: R, c: R, a: Mat3<R>) -> Mat3<R> {
        let half = Mat3::from_columns(self.turn(s, c, a.x), self.turn(s, c, a.y), self.turn(s, c, a.z));
        self.turn_columns(-s, c, half) // m R(−q) = m R(q)ᵀ
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_math::Quat;

    fn same(a: Mat3, b: Mat3) -> bool {
        let d = a - b;
        d.x.norm() + d.y.norm() + d.z.norm() < 1e-15
    }

    #[test]
    fn planar_turns_equal_products_with_the_rotation_matrix() {
        let v = Vec3::new(0.3, -0.7, 1.1);
        let m = Mat3::from_rows([[0.2, -0.5, 0.3], [0.9, 0.1, -0.4], [-0.6, 0.8, 0.7]]);
        let a = Sym3 { xx: 0.2, xy: 0.3, xz: -0.4, yy: 0.5, yz: 0.1, zz: -0.6 };
        for axis in Axis::ALL {
            let rotation = Quat::from_axis_angle(axis.unit(), 0.8).to_mat3();
            let (s, c) = 0.8_f64.sin_cos();
            assert!((axis.turn(s, c, v) - rotation * v).norm() < 1e-15);
            assert!((axis.turn_back(s, c, v) - rotation.transpose_mul(v)).norm() < 1e-15);
            assert!(same(axis.turn_columns(s, c, m), m * rotation));
            assert!(same(axis.turn_matrix(s, c, m), rotation * m * rotation.transpose()));
            assert!(same(axis.turn_symmetric(s, c, a).to_mat3(), a.rotated(rotation).to_mat3()));
            assert!((axis.cross_add(v, 2.0, m.x) - (m.x + v.cross(axis.unit()) * 2.0)).norm() < 1e-15);
            assert!((axis.triple(m.y, v) - m.y.dot(v.cross(axis.unit()))).abs() < 1e-15);
            assert!((axis.cross(v) - axis.unit().cross(v)).norm() < 1e-15);
        }
    }
}
