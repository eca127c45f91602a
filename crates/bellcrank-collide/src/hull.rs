//! Corners of a convex hull, within a budget.
//!
//! Contact needs only the extreme points of a hull, not its faces. A mesh within the budget keeps all its points; of
//! one with more those corners are kept that matter most: again and again the point that sticks out furthest of what is kept so far, over many directions.

use bellcrank_math::{Inline, Real, Vec3};
use std::fmt;

/// Corners that a hull is cut down to unless told otherwise.
pub const HULL_BUDGET: usize = 64;
/// Directions in which hulls are compared; 2,000 are 4.5° apart.
const DIRECTIONS: usize = 2000;

/// The corners of a hull, and how much of the true hull may be missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Hull {
    /// In the mesh's frame \[m\], the most important first.
    pub corners: Vec<Vec3>,
    /// By how much the true hull exceeds this one at most, in the directions looked at \[m\].
    pub missing: f64,
}

/// Why there is no hull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum HullError {
    /// Fewer than four points.
    TooFewPoints(usize),
    /// A coordinate of this point is not a finite number.
    NotFinite(usize),
    /// All points lie in a plane, on a line or in one place; this is the least extent \[m\].
    Flat(f64),
}

impl fmt::Display for HullError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HullError::TooFewPoints(n) => write!(f, "the mesh has {n} points, a solid needs at least 4"),
            HullError::NotFinite(i) => write!(f, "point {i} of the mesh is not finite"),
            HullError::Flat(h) => write!(f, "the mesh is flat: its points are within {h:.1e} m of a plane"),
        }
    }
}

impl std::error::Error for HullError {}

impl Hull {
    /// The hull of some points with at most `budget` corners (at least 4).
    ///
    /// # Errors
    /// When the points do not span a solid.
    pub fn of(points: &[Vec3], budget: usize) -> Result<Hull, HullError> {
        if let Some(i) = points.iter().position(|p| !p.is_finite()) {
            return Err(HullError::NotFinite(i));
        }
        if points.len() < 4 {
            return Err(HullError::TooFewPoints(points.len()));
        }
        let hull = Hull::cut_down(points, budget);
        match hull.thickness() {
            (thickness, size) if thickness <= 1e-9 * size => Err(HullError::Flat(thickness)),
            _ => Ok(hull),
        }
    }

    /// The same without complaints: flat sets of points have corners, too.
    pub(crate) fn cut_down(points: &[Vec3], budget: usize) -> Hull {
        if points.len() <= budget {
            return Hull { corners: points.to_vec(), missing: 0.0 }; // points inside do no harm
        }
        let directions: Vec<Vec3> = (0..DIRECTIONS).map(direction).collect();
        let mut target = vec![(f64::NEG_INFINITY, 0); DIRECTIONS];
        // outside a kernel every multiply–add is a call, and there are millions
        <f64 as Real>::run(Inline(
            #[inline(always)]
            || find_furthest(points, &directions, &mut target),
        ));
        let mut reached = vec![f64::NEG_INFINITY; DIRECTIONS];
        let mut hull = Hull { corners: Vec::new(), missing: 0.0 };
        loop {
            let shortfall = |k: &usize| target[*k].0 - reached[*k];
            let worst = (0..DIRECTIONS).max_by(|a, b| shortfall(a).total_cmp(&shortfall(b)).then(b.cmp(a)));
            let Some(worst) = worst else { return hull };
            hull.missing = shortfall(&worst).max(0.0);
            if hull.missing <= 0.0 || hull.corners.len() >= budget.max(4) || points.is_empty() {
                return hull;
            }
            let corner = points[target[worst].1];
            hull.corners.push(corner);
            <f64 as Real>::run(Inline(
                #[inline(always)]
                || reach_out(corner, &directions, &mut reached),
            ));
        }
    }

    /// Least and largest extent over all directions.
    fn thickness(&self) -> (f64, f64) {
        let extent = |d: Vec3| {
            let along = self.corners.iter().map(|p| d.dot(*p));
            let (low, high) =
                along.fold((f64::INFINITY, f64::NEG_INFINITY), |(l, h), x| (l.min(x), h.max(x)));
            high - low
        };
        // the thinnest direction is normal to a face: try all faces spanned by the first corners
        let some = &self.corners[..self.corners.len().min(12)];
        let mut thinnest = f64::INFINITY;
        let mut largest: f64 = 0.0;
        for (i, a) in some.iter().enumerate() {
            for (j, b) in some.iter().enumerate().skip(i + 1) {
                largest = largest.max((*b - *a).norm());
                for c in &some[j + 1..] {
                    let normal = (*b - *a).cross(*c - *a).normalized();
                    thinnest = if normal.is_finite() { thinnest.min(extent(normal)) } else { thinnest };
                }
            }
        }
        (if thinnest.is_finite() { thinnest } else { 0.0 }, largest)
    }
}

/// How far the points reach in each direction, and which of them does.
#[inline(always)]
fn find_furthest(points: &[Vec3], directions: &[Vec3], target: &mut [(f64, usize)]) {
    for (best, d) in target.iter_mut().zip(directions) {
        for (i, p) in points.iter().enumerate() {
            let reach = d.dot(*p);
            if reach > best.0 {
                *best = (reach, i);
            }
        }
    }
}

/// Takes a corner into account.
#[inline(always)]
fn reach_out(corner: Vec3, directions: &[Vec3], reached: &mut [f64]) {
    for (r, d) in reached.iter_mut().zip(directions) {
        *r = r.max(d.dot(corner));
    }
}

/// The k-th direction on a spiral by the golden angle.
fn direction(k: usize) -> Vec3 {
    const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653_3;
    let z = 1.0 - (2 * k + 1) as f64 / DIRECTIONS as f64;
    let r = (1.0 - z * z).max(0.0).sqrt();
    let (s, c) = Real::sin_cos(GOLDEN_ANGLE * k as f64);
    Vec3::new(r * c, r * s, z)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cube() -> Vec<Vec3> {
        (0..8).map(|k| Vec3::new((k & 1) as f64, (k >> 1 & 1) as f64, (k >> 2) as f64)).collect()
    }

    #[test]
    fn a_cube_has_eight_corners_whatever_else_is_inside() {
        let mut points = cube();
        points.extend((0..90).map(|k| Vec3::new(0.5, 0.01 * k as f64, 0.3)));
        let hull = Hull::of(&points, HULL_BUDGET);
        assert_eq!(hull.map(|h| (h.corners.len(), h.missing)), Ok((8, 0.0)));
    }

    /// n points on a sphere of radius r, each for a cap of solid angle 4π/n, miss r (1 − cos θ) with
    /// sin²(θ/2) = 1/n, that is 2 r/n; the greedy choice is within a factor of three of that.
    #[test]
    fn a_budget_keeps_the_corners_that_matter() {
        let ball: Vec<Vec3> = (0..5000).map(|k| direction(k % DIRECTIONS) * 0.1).collect();
        let hull = Hull::of(&ball, 64).expect("a ball is solid");
        assert_eq!(hull.corners.len(), 64);
        assert!(hull.missing < 3.0 * 2.0 * 0.1 / 64.0, "{}", hull.missing);
    }

    #[test]
    fn broken_meshes_are_told_apart() {
        let flat: Vec<Vec3> = cube().iter().map(|p| Vec3::new(p.x, p.y, 0.0)).collect();
        assert_eq!(Hull::of(&flat, 64), Err(HullError::Flat(0.0)));
        assert_eq!(Hull::of(&cube()[..3], 64), Err(HullError::TooFewPoints(3)));
        let mut bad = cube();
        bad[5].y = f64::NAN;
        assert_eq!(Hull::of(&bad, 64), Err(HullError::NotFinite(5)));
    }
}
