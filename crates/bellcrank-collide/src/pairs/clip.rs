//! The overlap of a rectangle and a parallelogram, as up to eight points with fixed names.
//!
//! Both polygons run counter-clockwise. The boundary of their intersection consists of stretches of their edges,
//! and each of its corners is where exactly one stretch begins. So the begin of the part of edge k of P inside Q
//! (four of them) and of edge k of Q inside P (four more) are all corners, at most eight, and each keeps its name
//! while the polygons slide over each other.

use bellcrank_math::Real;

/// Slack of the comparisons as a fraction of the size. P's edges count as inside slightly beyond Q, Q's edges only
/// slightly within P: edges that coincide are taken from P alone, and four corners on four corners stay four.
const SLACK: f64 = 1e-3;

/// The face that is clipped: c ± e₁ ± e₂ in coordinates (u, v) of the reference face and height w above it.
pub(super) struct Quad<R> {
    pub c: [R; 3],
    pub e1: [R; 3],
    pub e2: [R; 3],
}

/// A corner of the overlap: (u, v, w), and the lanes in which it exists.
pub(super) type Corner<R> = ([R; 3], <R as Real>::Mask);

/// The part of q + t d, 0 ≤ t ≤ 1, with |x| ≤ hx and |y| ≤ hy: its begin, and whether there is one.
#[inline(always)]
fn clip<R: Real>(q: [R; 2], d: [R; 2], h: [R; 2]) -> (R, R::Mask) {
    let (mut low, mut high) = (R::zero(), R::one());
    for k in 0..2 {
        let flat = d[k].abs().lt(R::constant(1e-12));
        let scale = R::select(flat, R::constant(1e12), R::select(flat, R::one(), d[k]).recip());
        let (one, other) = ((-h[k] - q[k]) * scale, (h[k] - q[k]) * scale);
        low = low.max(one.min(other));
        high = high.min(one.max(other));
    }
    (low.clamp(R::zero(), R::one()), low.le(high))
}

#[inline(always)]
fn combine<R: Real>(quad: &Quad<R>, alpha: R, beta: R) -> [R; 3] {
    let mut p = quad.c;
    for k in 0..3 {
        p[k] = quad.e2[k].mul_add(beta, quad.e1[k].mul_add(alpha, p[k]));
    }
    p
}

/// All corners of the overlap of `quad` with the rectangle |u| ≤ h₀, |v| ≤ h₁: 0 to 3 begin on the quad's edges,
/// 4 to 7 on the rectangle's.
#[inline(always)]
pub(super) fn overlap<R: Real>(quad: &Quad<R>, h: [R; 2]) -> [Corner<R>; 8] {
    let (one, slack) = (R::one(), R::constant(SLACK));
    let signs = [[-one, -one], [one, -one], [one, one], [-one, one]];
    let wide = [h[0] * (one + slack), h[1] * (one + slack)];
    let mut corners = [([R::zero(); 3], h[0].lt(R::zero())); 8];
    for k in 0..4 {
        let (from, to) = (signs[k], signs[(k + 1) % 4]);
        let (q, r) = (combine(quad, from[0], from[1]), combine(quad, to[0], to[1]));
        let (t, exists) = clip([q[0], q[1]], [r[0] - q[0], r[1] - q[1]], wide);
        let mut p = q;
        for i in 0..3 {
            p[i] = (r[i] - q[i]).mul_add(t, q[i]);
        }
        corners[k] = (p, exists);
    }
    // the same in the quad's own coordinates (α, β), in which it is the square |α|, |β| ≤ 1
    let area = quad.e1[0] * quad.e2[1] - quad.e1[1] * quad.e2[0];
    let narrow = [one - slack, one - slack];
    for k in 0..4 {
        let (from, to) = (signs[k], signs[(k + 1) % 4]);
        let q = own(quad, area, [h[0] * from[0], h[1] * from[1]]);
        let r = own(quad, area, [h[0] * to[0], h[1] * to[1]]);
        let (t, exists) = clip(q, [r[0] - q[0], r[1] - q[1]], narrow);
        let (alpha, beta) = ((r[0] - q[0]).mul_add(t, q[0]), (r[1] - q[1]).mul_add(t, q[1]));
        corners[4 + k] = (combine(quad, alpha, beta), exists);
    }
    corners
}

/// (α, β) of a point (u, v).
#[inline(always)]
fn own<R: Real>(quad: &Quad<R>, area: R, p: [R; 2]) -> [R; 2] {
    let (x, y) = (p[0] - quad.c[0], p[1] - quad.c[1]);
    let scale = area.recip();
    [(x * quad.e2[1] - y * quad.e2[0]) * scale, (quad.e1[0] * y - quad.e1[1] * x) * scale]
}
