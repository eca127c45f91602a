//! The point of a simplex nearest to the origin (Ericson, *Real-Time Collision Detection*, 5.1).

use bellcrank_math::Vec3;

/// A corner of the simplex: w = b − a, with the point of B that it came from.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Corner {
    pub w: Vec3,
    pub b: Vec3,
}

/// Up to four corners, with the weights of the nearest point.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Simplex {
    pub corners: [Corner; 4],
    pub weights: [f64; 4],
    pub count: usize,
}

impl Simplex {
    /// Keeps the corners that carry the point nearest to the origin, and gives that point; `None` when the origin
    /// is inside.
    #[inline(always)]
    pub fn reduce(&mut self) -> Option<Vec3> {
        let w = [self.corners[0].w, self.corners[1].w, self.corners[2].w, self.corners[3].w];
        let weights = match self.count {
            0 | 1 => [1.0, 0.0, 0.0, 0.0],
            2 => {
                let [s, t] = on_segment(w[0], w[1]);
                [s, t, 0.0, 0.0]
            }
            3 => {
                let [r, s, t] = on_triangle(w[0], w[1], w[2]);
                [r, s, t, 0.0]
            }
            _ => on_tetrahedron(&w)?,
        };
        let mut kept = Simplex::default();
        let mut nearest = Vec3::zero();
        for k in 0..self.count {
            if weights[k] > 0.0 {
                kept.corners[kept.count] = self.corners[k];
                kept.weights[kept.count] = weights[k];
                kept.count += 1;
                nearest = w[k].mul_add(weights[k], nearest);
            }
        }
        *self = kept;
        Some(nearest)
    }

    /// The nearest point of B.
    #[inline(always)]
    pub fn witness(&self) -> Vec3 {
        let mut b = Vec3::zero();
        for k in 0..self.count {
            b = self.corners[k].b.mul_add(self.weights[k], b);
        }
        b
    }
}

#[inline(always)]
fn on_segment(a: Vec3, b: Vec3) -> [f64; 2] {
    let ab = b - a;
    let length2 = ab.norm_squared();
    let t = if length2 > 0.0 { (-a.dot(ab) / length2).clamp(0.0, 1.0) } else { 0.0 };
    [1.0 - t, t]
}

/// By the regions around corners, edges and the face.
#[inline(always)]
fn on_triangle(a: Vec3, b: Vec3, c: Vec3) -> [f64; 3] {
    let (ab, ac) = (b - a, c - a);
    let (d1, d2) = (-ab.dot(a), -ac.dot(a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return [1.0, 0.0, 0.0];
    }
    let (d3, d4) = (-ab.dot(b), -ac.dot(b));
    if d3 >= 0.0 && d4 <= d3 {
        return [0.0, 1.0, 0.0];
    }
    let (d5, d6) = (-ab.dot(c), -ac.dot(c));
    if d6 >= 0.0 && d5 <= d6 {
        return [0.0, 0.0, 1.0];
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let t = ratio(d1, d1 - d3);
        return [1.0 - t, t, 0.0];
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let t = ratio(d2, d2 - d6);
        return [1.0 - t, 0.0, t];
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let t = ratio(d4 - d3, (d4 - d3) + (d5 - d6));
        return [0.0, 1.0 - t, t];
    }
    let (s, t) = (ratio(vb, va + vb + vc), ratio(vc, va + vb + vc));
    [1.0 - s - t, s, t]
}

#[inline(always)]
fn ratio(part: f64, whole: f64) -> f64 {
    if whole == 0.0 { 0.0 } else { part / whole }
}

/// sin of the angle below which a tetrahedron is flat: its sides are then known to five digits.
const FLAT: f64 = 1e-10;

/// The nearest of the faces that the origin is in front of; `None` when it is behind all four.
#[inline(always)]
fn on_tetrahedron(w: &[Vec3; 4]) -> Option<[f64; 4]> {
    const FACES: [[usize; 4]; 4] = [[0, 1, 2, 3], [0, 1, 3, 2], [0, 2, 3, 1], [1, 2, 3, 0]];
    let mut best: Option<(f64, [f64; 4])> = None;
    for [i, j, k, opposite] in FACES {
        let normal = (w[j] - w[i]).cross(w[k] - w[i]);
        let (origin, other) = (-normal.dot(w[i]), normal.dot(w[opposite] - w[i]));
        // on the far side of the face from the fourth corner; a tetrahedron flat to rounding has no inside
        let flat = other.abs() <= FLAT * normal.norm() * (w[opposite] - w[i]).norm();
        if origin * other < 0.0 || flat {
            let [r, s, t] = on_triangle(w[i], w[j], w[k]);
            let distance2 = (w[i] * r + w[j] * s + w[k] * t).norm_squared();
            if best.is_none_or(|(least, _)| distance2 < least) {
                let mut weights = [0.0; 4];
                (weights[i], weights[j], weights[k]) = (r, s, t);
                best = Some((distance2, weights));
            }
        }
    }
    best.map(|(_, weights)| weights)
}
