//! How far two convex solids are apart, or the shortest way to part them.
//!
//! Parted by a shift along n they need h(n) = max_A n·x − min_B n·x, and the shortest way out minimises h. At the
//! minimum the surfaces touch, after the shift, with n as their normal. So: shift B out along n and a little
//! further, ask `gjk` for the normal there, and repeat with that. A direction that is off by θ is off by about
//! θ (p + δ) / (ρ + δ) afterwards, for depth p, surplus δ and radius of curvature ρ of B − A, which at a minimum is
//! at least p: faces are found in one round, smooth solids in a few. Whatever the direction, h(n) is a true way out.

use super::core::Core;
use super::gjk::gjk;
use crate::pairs::{TINY, unit_or};
use bellcrank_math::Vec3;

/// Rounds of the search for the way out.
const ROUNDS: usize = 16;
/// δ as a fraction of the smaller bounding radius.
const SURPLUS: f64 = 0.002;
/// Directions closer than this are the same \[rad\].
const SETTLED: f64 = 1e-7;
/// A way out shorter than this fraction of the smaller bounding radius needs no second search.
const SHALLOW: f64 = 0.01;
/// Searches at most: a deep overlap may have several ways out that are the shortest around.
const STARTS: usize = 4;
/// cos of the angle within which two starts lead to the same end (25°).
const NEIGHBOUR: f64 = 0.9;

/// The relation of two solids.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parting {
    /// From A to B, unit.
    pub normal: Vec3,
    /// Of the surfaces \[m\]; negative when they overlap.
    pub distance: f64,
    /// Where, on B's surface.
    pub point_b: Vec3,
}

/// Finds the distance or the shortest way out. When the solids are further apart than `limit` \[m\], the distance may be
/// any number between that and the true one, and the normal a direction along which they are so far apart.
#[inline(always)]
pub(crate) fn part(a: &Core<'_>, b: &Core<'_>, limit: f64) -> Parting {
    let radii = a.radius + b.radius;
    let (toward, _) = unit_or(b.at.p - a.at.p, Vec3::z_axis());
    if let Some(apart) = gjk(a, b, (Vec3::zero(), (limit + radii).max(0.0)), toward) {
        let point_b = apart.normal.mul_add(-b.radius, apart.b);
        return Parting { normal: apart.normal, distance: apart.distance - radii, point_b };
    }
    let mut best = Parting { normal: toward, distance: f64::NEG_INFINITY, point_b: Vec3::zero() };
    let mut tried = [Vec3::zero(); STARTS];
    for k in 0..STARTS {
        tried[k] = best_start(a, b, toward, &tried[..k]);
        let found = descend(a, b, tried[k]);
        if found.distance > best.distance {
            best = found;
        }
        if best.distance > -SHALLOW * a.at.bound.min(b.at.bound) {
            break;
        }
    }
    best.distance -= radii;
    best
}

/// From a direction to the nearest one that is stationary.
#[inline(always)]
fn descend(a: &Core<'_>, b: &Core<'_>, start: Vec3) -> Parting {
    let mut surplus = SURPLUS * a.at.bound.min(b.at.bound).max(TINY);
    let point_b = start.mul_add(-b.radius, b.support(-start));
    let mut best = Parting { normal: start, distance: -depth_along(a, b, start), point_b };
    for _ in 0..ROUNDS {
        let shift = best.normal * (surplus - best.distance);
        // gjk may fail for want of digits: then from further away
        let Some(apart) = gjk(a, b, (shift, f64::INFINITY), best.normal) else {
            surplus *= 8.0;
            continue;
        };
        let distance = -depth_along(a, b, apart.normal);
        // h never grows from round to round but by rounding: h(n') ≤ (h(n) + δ) cos θ − δ
        if distance < best.distance - surplus * 1e-3 {
            break;
        }
        let turned = (apart.normal - best.normal).norm();
        let point_b = apart.normal.mul_add(-b.radius, apart.b);
        best = Parting { normal: apart.normal, distance, point_b };
        if turned < SETTLED {
            break;
        }
    }
    best
}

/// h(n) of the cores.
#[inline(always)]
fn depth_along(a: &Core<'_>, b: &Core<'_>, n: Vec3) -> f64 {
    n.dot(a.support(n)) - n.dot(b.support(-n))
}

/// A good direction to start from, not near those tried before. At first only the line of centres, its parts across
/// the two z axes (the way out of something round), the axes of both, and across both z axes; later also all round,
/// every 30° or so.
#[inline(always)]
fn best_start(a: &Core<'_>, b: &Core<'_>, toward: Vec3, tried: &[Vec3]) -> Vec3 {
    let (za, zb) = (a.at.R.z, b.at.R.z);
    let (round_a, _) = unit_or(za.mul_add(-za.dot(toward), toward), a.at.R.x);
    let (round_b, _) = unit_or(zb.mul_add(-zb.dot(toward), toward), b.at.R.x);
    let (across, _) = unit_or(za.cross(zb), a.at.R.x);
    let axes = [toward, a.at.R.x, a.at.R.y, za, b.at.R.x, b.at.R.y, zb, round_a, round_b, across];
    let mut best = (f64::INFINITY, toward);
    let own = 2 * axes.len();
    let count = if tried.is_empty() { own } else { own + ALL_ROUND };
    for k in 0..count {
        let side = if k % 2 == 0 { 1.0 } else { -1.0 };
        let n = if k < own { axes[k / 2] * side } else { all_round(k - own) };
        let known = tried.iter().any(|other| other.dot(n) > NEIGHBOUR);
        let depth = depth_along(a, b, n);
        if depth < best.0 && !known {
            best = (depth, n);
        }
    }
    best.1
}

/// Directions of the wide search.
const ALL_ROUND: usize = 50;

/// The k-th of them, on a spiral from pole to pole by the golden angle.
#[inline(always)]
fn all_round(k: usize) -> Vec3 {
    let z = 1.0 - (2 * k + 1) as f64 / ALL_ROUND as f64;
    let r = (1.0 - z * z).max(0.0).sqrt();
    let (s, c) = bellcrank_math::Real::sin_cos(GOLDEN_ANGLE * k as f64);
    Vec3::new(r * c, r * s, z)
}

/// π (3 − √5)
const GOLDEN_ANGLE: f64 = 2.399_963_229_728_653_3;
