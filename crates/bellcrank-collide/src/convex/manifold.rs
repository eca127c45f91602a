//! From one normal to a few spread contacts.
//!
//! The feature of each solid that faces the other (corner, edge, face or rim) is sampled by support points in
//! directions that lean a little from the normal; B's is clipped by A's in the plane across the normal, and four
//! spread points are kept. The contact of the shortest way is always among them.

use super::core::{Core, Feature};
use super::separate::Parting;
use crate::contacts::{Contact, tangents};
use bellcrank_math::Vec3;

/// Contacts kept.
pub(crate) const MANIFOLD: usize = 4;
/// tan of the leaning: faces within half a degree of the normal count as flat.
const LEAN: f64 = 0.01;
/// sin of the angle below which two edges have a stretch in common.
const PARALLEL: f64 = 0.02;
/// The nearest point counts beside the spread ones when it is deeper by this \[m\].
const NOTICEABLE: f64 = 1e-7;
/// Room for clipped polygons: eight corners cut by eight edges.
const ROOM: usize = 16;

/// The contacts of two convex solids; feature k is the furthest in the k-th diagonal direction of the tangents.
pub(crate) type Manifold = [Contact; MANIFOLD];

/// Points in the plane across the normal: (along t, along o, along n).
#[derive(Clone, Copy)]
struct Polygon {
    points: [[f64; 3]; ROOM],
    count: usize,
}

impl Polygon {
    fn new() -> Self {
        Polygon { points: [[0.0; 3]; ROOM], count: 0 }
    }

    #[inline(always)]
    fn push(&mut self, p: [f64; 3]) {
        let same = |q: &[f64; 3]| (q[0] - p[0]).abs() + (q[1] - p[1]).abs() < 1e-9;
        let known = self.count > 0 && (same(&self.points[self.count - 1]) || same(&self.points[0]));
        if !known && self.count < ROOM {
            self.points[self.count] = p;
            self.count += 1;
        }
    }
}

/// All contacts that `parting` stands for.
#[inline(always)]
pub(crate) fn manifold(a: &Core<'_>, b: &Core<'_>, parting: Parting) -> Manifold {
    let n = parting.normal;
    let (t, o) = tangents(n);
    let frame = [t, o, n];
    let flat = |p: Vec3| [t.dot(p), o.dot(p), n.dot(p)];
    let first = feature(a, n, frame);
    let second = if first.count < 2 { Polygon::new() } else { feature(b, -n, frame) };
    let mut contacts = [Contact::none(); MANIFOLD];
    let witness = flat(parting.point_b);
    let mut found: [([f64; 3], f64); ROOM] = [([0.0; 3], 0.0); ROOM];
    let count = if first.count < 2 || second.count < 2 {
        0
    } else if first.count == 2 && second.count > 2 {
        // the edge is A's: clip it by B's face, then look from A to B
        let clipped = clip(&first, &second);
        for k in 0..clipped.count {
            let p = clipped.points[k];
            let height = height_at(&second, p);
            found[k] = ([p[0], p[1], height - b.radius], height - p[2] - a.radius - b.radius);
        }
        clipped.count
    } else {
        let clipped = clip(&second, &first);
        for k in 0..clipped.count {
            let p = clipped.points[k];
            let height = height_at(&first, p);
            found[k] = ([p[0], p[1], p[2] - b.radius], p[2] - height - a.radius - b.radius);
        }
        clipped.count
    };
    keep_spread(&found, count, (witness, parting.distance), frame, &mut contacts);
    contacts
}

/// The corners of what supports the solid in direction `d`, counter-clockwise seen along +n.
#[inline(always)]
fn feature(core: &Core<'_>, d: Vec3, [t, o, n]: [Vec3; 3]) -> Polygon {
    const HALF: f64 = core::f64::consts::FRAC_1_SQRT_2;
    const ROUND: [[f64; 2]; 8] = [
        [1.0, 0.0],
        [HALF, HALF],
        [0.0, 1.0],
        [-HALF, HALF],
        [-1.0, 0.0],
        [-HALF, -HALF],
        [0.0, -1.0],
        [HALF, -HALF],
    ];
    let mut polygon = Polygon::new();
    let kind = core.touch_kind(d);
    for [x, y] in ROUND {
        let sideways = match kind {
            Feature::Point => Vec3::zero(),
            Feature::Line(axis) => axis * (if x + y > 0.1 { 1.0 } else { -1.0 }),
            Feature::Face => t * x + o * y,
        };
        let p = core.support(d + sideways * LEAN);
        polygon.push([t.dot(p), o.dot(p), n.dot(p)]);
        if kind == Feature::Point {
            break;
        }
    }
    polygon
}

/// The part of `subject` inside `window`. A window of two points stands for the strip across its ends, for edges
/// that run nearly parallel; otherwise two edges have only the one contact that is known already.
#[inline(always)]
fn clip(subject: &Polygon, window: &Polygon) -> Polygon {
    let mut current = *subject;
    if window.count == 2 {
        let (p, q) = (window.points[0], window.points[1]);
        let (r, s) = (subject.points[0], subject.points[1]);
        let (along, across) = ([q[0] - p[0], q[1] - p[1]], [s[0] - r[0], s[1] - r[1]]);
        let cross = along[0] * across[1] - along[1] * across[0];
        let lengths = (along[0].hypot(along[1])) * (across[0].hypot(across[1]));
        if cross.abs() > PARALLEL * lengths {
            return Polygon::new();
        }
        current = cut(&current, p, along);
        return cut(&current, q, [-along[0], -along[1]]);
    }
    for k in 0..window.count {
        let (p, q) = (window.points[k], window.points[(k + 1) % window.count]);
        // counter-clockwise: the inside is to the left of p → q
        current = cut(&current, p, [p[1] - q[1], q[0] - p[0]]);
    }
    current
}

/// The part with (x − p) · inward ≥ 0.
#[inline(always)]
fn cut(polygon: &Polygon, p: [f64; 3], inward: [f64; 2]) -> Polygon {
    let mut kept = Polygon::new();
    let length = inward[0].hypot(inward[1]);
    let depth = |q: [f64; 3]| (q[0] - p[0]) * inward[0] + (q[1] - p[1]) * inward[1];
    let slack = -1e-9 * length;
    for k in 0..polygon.count {
        let (q, r) = (polygon.points[k], polygon.points[(k + 1) % polygon.count]);
        let (dq, dr) = (depth(q), depth(r));
        if dq >= slack {
            kept.push(q);
        }
        if (dq >= slack) != (dr >= slack) {
            let s = dq / (dq - dr);
            kept.push([q[0] + s * (r[0] - q[0]), q[1] + s * (r[1] - q[1]), q[2] + s * (r[2] - q[2])]);
        }
    }
    kept
}

/// Height along n of the polygon's plane (Newell) or line above a point across n.
#[inline(always)]
fn height_at(polygon: &Polygon, p: [f64; 3]) -> f64 {
    if polygon.count == 2 {
        let (q, r) = (polygon.points[0], polygon.points[1]);
        let along = [r[0] - q[0], r[1] - q[1]];
        let length2 = (along[0] * along[0] + along[1] * along[1]).max(1e-300);
        let s = ((p[0] - q[0]) * along[0] + (p[1] - q[1]) * along[1]) / length2;
        return q[2] + s.clamp(0.0, 1.0) * (r[2] - q[2]);
    }
    let (mut m, mut centre) = ([0.0; 3], [0.0; 3]);
    for k in 0..polygon.count {
        let (q, r) = (polygon.points[k], polygon.points[(k + 1) % polygon.count]);
        m[0] += (q[1] - r[1]) * (q[2] + r[2]);
        m[1] += (q[2] - r[2]) * (q[0] + r[0]);
        m[2] += (q[0] - r[0]) * (q[1] + r[1]);
        for i in 0..3 {
            centre[i] += q[i] / polygon.count as f64;
        }
    }
    // m·(x − centre) = 0; a face seen edge-on (never, by the leaning) has no slope worth the name
    if m[2].abs() < 1e-300 {
        return centre[2];
    }
    centre[2] - (m[0] * (p[0] - centre[0]) + m[1] * (p[1] - centre[1])) / m[2]
}

/// Four of the points, furthest in the diagonal directions; and the known nearest one in place of the closest to
/// it, when it is deeper than all of them.
#[inline(always)]
fn keep_spread(
    found: &[([f64; 3], f64); ROOM],
    count: usize,
    (witness, depth): ([f64; 3], f64),
    [t, o, n]: [Vec3; 3],
    contacts: &mut Manifold,
) {
    const DIAGONALS: [[f64; 2]; MANIFOLD] = [[1.0, 0.8], [-0.8, 1.0], [-1.0, -0.8], [0.8, -1.0]];
    let make = |p: [f64; 3], d: f64| Contact::at_b(t * p[0] + o * p[1] + n * p[2], n, d);
    let mut chosen = [usize::MAX; MANIFOLD];
    let mut deepest = f64::INFINITY;
    for (slot, [x, y]) in DIAGONALS.into_iter().enumerate() {
        let mut best = (f64::NEG_INFINITY, usize::MAX);
        for k in 0..count {
            let reach = x * found[k].0[0] + y * found[k].0[1];
            if reach > best.0 + 1e-9 {
                best = (reach, k);
            }
        }
        if best.1 < count && !chosen[..slot].contains(&best.1) {
            chosen[slot] = best.1;
            contacts[slot] = make(found[best.1].0, found[best.1].1);
            deepest = deepest.min(found[best.1].1);
        }
    }
    if depth < deepest - NOTICEABLE {
        let mut closest = (f64::INFINITY, 0);
        for (slot, k) in chosen.into_iter().enumerate().filter(|(_, k)| *k < count) {
            let away = (found[k].0[0] - witness[0]).hypot(found[k].0[1] - witness[1]);
            if away < closest.0 {
                closest = (away, slot);
            }
        }
        contacts[closest.1] = make(witness, depth);
    }
}
