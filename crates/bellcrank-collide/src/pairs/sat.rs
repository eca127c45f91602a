//! Separating axes of two boxes: three face normals each and nine products of edges.
//!
//! Everything is in A's frame: t = R_AWᵀ (p_B − p_A), C = R_AB with B's axes as columns. Along a unit axis L the
//! separation is |t·L| − Σ aᵢ |Lᵢ| − Σ bⱼ |L·Cⱼ|; the axis where it is largest is the normal, and minus that
//! separation the depth.

use super::TINY;
use crate::data::Placed;
use bellcrank_math::{Mat3, Real, Vec3};

/// Face against face: the second box's must win by this fraction of the sizes, so that rounding does not choose.
const PREFER_FIRST: f64 = 1e-5;
/// Faces against edges: an edge must win by this fraction of the sizes and of the depth.
const PREFER_FACE: [f64; 2] = [1e-4, 0.05];

/// The axis of largest separation.
pub(super) struct Separation<R: Real> {
    /// Unit, from A to B, in A's frame.
    pub normal: Vec3<R>,
    /// Negative when the boxes overlap.
    pub distance: R,
    /// Lanes in which an edge of A crosses an edge of B; otherwise some face is the reference.
    pub edges: R::Mask,
    /// Lanes in which the face is B's.
    pub face_of_b: R::Mask,
    /// Which axis of the reference box: x, y, else z.
    pub axis: [R::Mask; 2],
    /// Directions of the two crossing edges in A's frame, where `edges`.
    pub edge_a: Vec3<R>,
    /// The one of B.
    pub edge_b: Vec3<R>,
}

/// The two boxes in A's frame.
pub(super) struct Boxes<R> {
    pub a: Vec3<R>,
    pub b: Vec3<R>,
    /// Axes of B as columns.
    pub C: Mat3<R>,
    /// From A's centre to B's.
    pub t: Vec3<R>,
    /// Sum of the bounding radii, the scale of what rounding may do.
    pub scale: R,
}

impl<R: Real> Boxes<R> {
    #[inline(always)]
    pub fn new(a: &Placed<R>, b: &Placed<R>) -> Self {
        let C =
            Mat3::from_columns(a.R.transpose_mul(b.R.x), a.R.transpose_mul(b.R.y), a.R.transpose_mul(b.R.z));
        Boxes { a: a.size, b: b.size, C, t: a.local(b.p), scale: a.bound + b.bound }
    }

    /// The separation along a unit axis, and the side on which B lies.
    #[inline(always)]
    fn along(&self, axis: Vec3<R>) -> (R, R) {
        let (a, b, C) = (self.a, self.b, &self.C);
        let reach_a = axis.z.abs().mul_add(a.z, axis.y.abs().mul_add(a.y, axis.x.abs() * a.x));
        let (bx, by, bz) = (C.x.dot(axis).abs(), C.y.dot(axis).abs(), C.z.dot(axis).abs());
        let reach_b = bz.mul_add(b.z, by.mul_add(b.y, bx * b.x));
        let way = self.t.dot(axis);
        (way.abs() - reach_a - reach_b, way.signum_or_one())
    }

    #[inline(always)]
    pub fn separation(&self) -> Separation<R> {
        let mut best = self.best_face();
        let bias =
            self.scale * R::constant(PREFER_FACE[0]) + best.distance.abs() * R::constant(PREFER_FACE[1]);
        let mut least = best.distance + bias; // what an edge has to beat
        for u in [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()] {
            for v in [self.C.x, self.C.y, self.C.z] {
                let across = u.cross(v);
                let length = across.norm();
                // nearly parallel edges say nothing that a face does not
                let usable = length.gt(R::constant(1e-3));
                let axis = across * R::select(usable, length, R::one()).recip();
                let (distance, side) = self.along(axis);
                let wins = usable & distance.gt(least);
                least = R::select(wins, distance, least);
                best.distance = R::select(wins, distance, best.distance);
                best.normal = Vec3::select(wins, axis * side, best.normal);
                best.edges = best.edges | wins;
                best.edge_a = Vec3::select(wins, u, best.edge_a);
                best.edge_b = Vec3::select(wins, v, best.edge_b);
            }
        }
        best
    }

    #[inline(always)]
    fn best_face(&self) -> Separation<R> {
        let (x, y, z) = (Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis());
        let of_a = self.best_of_three([x, y, z]);
        let of_b = self.best_of_three([self.C.x, self.C.y, self.C.z]);
        let face_of_b = of_b.1.gt(of_a.1 + self.scale * R::constant(PREFER_FIRST));
        let never = self.scale.lt(R::zero());
        Separation {
            normal: Vec3::select(face_of_b, of_b.0, of_a.0),
            distance: R::select(face_of_b, of_b.1, of_a.1),
            edges: never,
            face_of_b,
            axis: [
                (face_of_b & of_b.2[0]) | (!face_of_b & of_a.2[0]),
                (face_of_b & of_b.2[1]) | (!face_of_b & of_a.2[1]),
            ],
            edge_a: x,
            edge_b: self.C.x,
        }
    }

    /// The best of one box's face normals: signed normal, separation, and which.
    #[inline(always)]
    fn best_of_three(&self, axes: [Vec3<R>; 3]) -> (Vec3<R>, R, [R::Mask; 2]) {
        let (dx, sx) = self.along(axes[0]);
        let (dy, sy) = self.along(axes[1]);
        let (dz, sz) = self.along(axes[2]);
        let is_x = dx.ge(dy) & dx.ge(dz);
        let is_y = !is_x & dy.ge(dz);
        let normal = Vec3::select(is_x, axes[0] * sx, Vec3::select(is_y, axes[1] * sy, axes[2] * sz));
        (normal, R::select(is_x, dx, R::select(is_y, dy, dz)), [is_x, is_y])
    }

    /// Where the two crossing edges are nearest, on B: the supporting edges along the normal, clamped.
    #[inline(always)]
    pub fn edge_point(&self, found: &Separation<R>) -> Vec3<R> {
        let units = Mat3::identity();
        let p = supporting_edge(&units, self.a, found.normal, found.edge_a);
        let q = self.t + supporting_edge(&self.C, self.b, -found.normal, found.edge_b);
        let half_b = (self.C.x.dot(found.edge_b).abs() * self.b.x)
            .max(self.C.y.dot(found.edge_b).abs() * self.b.y)
            .max(self.C.z.dot(found.edge_b).abs() * self.b.z);
        let cosine = found.edge_a.dot(found.edge_b);
        let sine2 = found.edge_a.cross(found.edge_b).norm_squared().max(R::constant(TINY));
        let between = p - q;
        // minimise |p + s u − q − t v| over both: t = (v·r − (u·v)(u·r)) / sin²
        let t = cosine.neg_mul_add(found.edge_a.dot(between), found.edge_b.dot(between)) / sine2;
        found.edge_b.mul_add(t.clamp(-half_b, half_b), q)
    }
}

/// The middle of the box's edge along `edge` that lies furthest in direction `n`.
#[inline(always)]
fn supporting_edge<R: Real>(axes: &Mat3<R>, half: Vec3<R>, n: Vec3<R>, edge: Vec3<R>) -> Vec3<R> {
    let mut p = Vec3::zero();
    for (axis, h) in [axes.x, axes.y, axes.z].into_iter().zip(half.to_array()) {
        let own = axis.dot(edge).abs().gt(R::constant(0.999));
        let step = R::select(own, R::zero(), h * axis.dot(n).signum_or_one());
        p = axis.mul_add(step, p);
    }
    p
}
