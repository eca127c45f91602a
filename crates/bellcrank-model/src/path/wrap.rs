//! The shortest way between two points around a ball or a cylinder.
//!
//! Both come down to a circle in a plane: through the two points and the ball's centre, or across the cylinder. The way leaves a point
//! p along a tangent, which touches where p/|p| r turned by ± acos(r/|p|) is, runs along the circle in the sense that the sign says, and
//! leaves it along the other point's tangent. Of the two senses that is taken whose points of contact are nearer to each other, and the
//! straight way where it misses the circle: but where the centre lies between the straight way and the side point, both pass it on the wrong
//! side, and the other sense is taken. A way around a cylinder climbs evenly, which makes it a helix.
//!
//! With a side point inside, the way stays inside: it is reflected at one point of the circle, so that both parts make the same angle
//! with the radius there.

use bellcrank_math::{Elem, Mask, Pose, Real, Vec3};

/// What a tendon goes around.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hoop {
    /// A sphere.
    Ball,
    /// A cylinder without ends, about the frame's z axis.
    Cylinder,
}

/// How the way goes around something.
#[derive(Clone, Copy, Debug)]
pub struct Detour<R: Real> {
    /// Lanes in which it does; in the others it goes straight.
    pub touches: R::Mask,
    /// Where it comes to the surface, in the world.
    pub enters: Vec3<R>,
    /// Where it leaves it.
    pub leaves: Vec3<R>,
    /// Length along the surface [m].
    pub length: R,
}

/// Shorter than this is nothing.
const TINY: f64 = 1e-15;
/// Steps of Newton's method on a reflection.
const STEPS: usize = 20;

/// A point of the plane.
#[derive(Clone, Copy)]
struct Flat<R>(R, R);

impl<R: Real> Flat<R> {
    #[inline(always)]
    fn dot(self, other: Self) -> R {
        self.0.mul_add(other.0, self.1 * other.1)
    }

    #[inline(always)]
    fn cross(self, other: Self) -> R {
        self.0 * other.1 - self.1 * other.0
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        Flat(self.0 - other.0, self.1 - other.1)
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        Flat(self.0 + other.0, self.1 + other.1)
    }

    #[inline(always)]
    fn times(self, x: R) -> Self {
        Flat(self.0 * x, self.1 * x)
    }

    #[inline(always)]
    fn unit(self) -> Self {
        self.times(self.dot(self).sqrt().max(R::constant(TINY)).recip())
    }

    #[inline(always)]
    fn select(mask: R::Mask, yes: Self, no: Self) -> Self {
        Flat(R::select(mask, yes.0, no.0), R::select(mask, yes.1, no.1))
    }
}

/// A way around the circle.
#[derive(Clone, Copy)]
struct Arc<R: Real> {
    touches: R::Mask,
    ends: [Flat<R>; 2],
    length: R,
}

/// The way from `a` to `b`, points of the world, around what stands at X_WG.
#[inline(always)]
pub fn detour<R: Real>(
    [a, b]: [Vec3<R>; 2],
    side: Option<Vec3<R>>,
    X_WG: Pose<R>,
    (hoop, radius): (Hoop, R),
) -> Detour<R> {
    let local = |p: Vec3<R>| X_WG.R.rotate_inverse(p - X_WG.p);
    let (p, q) = (local(a), local(b));
    let (x, y) = plane(hoop, p, q);
    let flat = |v: Vec3<R>| Flat(v.dot(x), v.dot(y));
    let ends = [flat(p), flat(q)];
    let arc = match side {
        None => outside(ends, None, radius),
        Some(side) => {
            let s = local(side);
            let within = s.norm_squared().lt(radius * radius);
            let around = outside(ends, Some(flat(s)), radius);
            if !within.any() {
                around
            } else {
                let inner = inside(ends, radius);
                Arc {
                    touches: (within & inner.touches) | (!within & around.touches),
                    ends: [0, 1].map(|i| Flat::select(within, inner.ends[i], around.ends[i])),
                    length: R::select(within, inner.length, around.length),
                }
            }
        }
    };
    let far = |v: Vec3<R>| R::constant(TINY).lt(v.norm_squared().sqrt());
    let [from, to] = arc.ends.map(|end| x * end.0 + y * end.1);
    let (from, to, length) = match hoop {
        Hoop::Ball => (from, to, arc.length),
        Hoop::Cylinder => climb([p, q], [from, to], ends, arc),
    };
    Detour {
        touches: arc.touches & far(p) & far(q),
        enters: X_WG.R.rotate(from) + X_WG.p,
        leaves: X_WG.R.rotate(to) + X_WG.p,
        length,
    }
}

/// The axes of the plane of the circle.
#[inline(always)]
fn plane<R: Real>(hoop: Hoop, p: Vec3<R>, q: Vec3<R>) -> (Vec3<R>, Vec3<R>) {
    if hoop == Hoop::Cylinder {
        return (Vec3::x_axis(), Vec3::y_axis());
    }
    let unit = |v: Vec3<R>| v * v.norm_squared().sqrt().max(R::constant(TINY)).recip();
    let x = unit(p);
    let across = p.cross(q);
    // points in line with the centre: any plane through them, the one with the diagonal of the two smaller axes
    let (ax, ay, az) = (x.x.abs(), x.y.abs(), x.z.abs());
    let (y_most, z_most) = (ax.lt(ay) & az.lt(ay), ax.lt(az) & ay.le(az));
    let (zero, one) = (R::zero(), R::one());
    let other = Vec3::new(
        R::select(y_most | z_most, one, zero),
        R::select(y_most, zero, one),
        R::select(z_most & !y_most, zero, one),
    );
    let in_line = across.norm_squared().sqrt().lt(R::constant(TINY));
    let normal = unit(Vec3::select(in_line, x.cross(other), across));
    (x, unit(normal.cross(x)))
}

/// Both ends and the arc of a helix over the arc of the circle.
#[inline(always)]
fn climb<R: Real>(
    [p, q]: [Vec3<R>; 2],
    [mut from, mut to]: [Vec3<R>; 2],
    ends: [Flat<R>; 2],
    arc: Arc<R>,
) -> (Vec3<R>, Vec3<R>, R) {
    let along = |end: Flat<R>, touch: Flat<R>| {
        let way = end.minus(touch);
        way.dot(way).sqrt()
    };
    let (first, last) = (along(ends[0], arc.ends[0]), along(ends[1], arc.ends[1]));
    let slope = (q.z - p.z) / (first + arc.length + last).max(R::constant(TINY));
    from.z = slope.mul_add(first, p.z);
    to.z = slope.mul_add(first + arc.length, p.z);
    let height = to.z - from.z;
    (from, to, arc.length.mul_add(arc.length, height * height).sqrt())
}

/// Around the circle.
#[inline(always)]
fn outside<R: Real>([p, q]: [Flat<R>; 2], side: Option<Flat<R>>, radius: R) -> Arc<R> {
    let (square, tiny) = (radius * radius, R::constant(TINY));
    let straight = q.minus(p);
    let length = straight.dot(straight);
    let share = (-(straight.dot(p)) / length.max(tiny)).clamp(R::zero(), R::one());
    let nearest = straight.times(share).plus(p);
    let free = square.lt(nearest.dot(nearest))
        & match side {
            Some(side) => !encloses(p, q, side),
            None => R::Mask::splat(true),
        };
    let possible = square.le(p.dot(p)) & square.le(q.dot(q)) & tiny.le(length) & tiny.le(radius);
    let clockwise = one_sense([p, q], -1.0, radius);
    let other = one_sense([p, q], 1.0, radius);
    // the short way round, or the other one where the side asks for it
    let better = match side {
        Some(side) => {
            let short = p.cross(q).le(R::zero());
            let long = encloses(p, q, side);
            (short & !long) | (!short & long)
        }
        None => {
            let apart = |arc: &Arc<R>| {
                let between = arc.ends[0].minus(arc.ends[1]);
                R::select(arc.touches, between.dot(between), R::constant(1e4))
            };
            apart(&clockwise).lt(apart(&other))
        }
    };
    let touches = (better & clockwise.touches) | (!better & other.touches);
    Arc {
        touches: possible & !free & touches,
        ends: [0, 1].map(|i| Flat::select(better, clockwise.ends[i], other.ends[i])),
        length: R::select(better, clockwise.length, other.length),
    }
}

/// Whether the centre lies in the triangle of these points: then the straight way passes it on the wrong side.
#[inline(always)]
fn encloses<R: Real>(p: Flat<R>, q: Flat<R>, side: Flat<R>) -> R::Mask {
    let turn = p.cross(q);
    R::zero().lt(side.cross(p) * turn) & R::zero().lt(q.cross(side) * turn)
}

/// Around the circle in one sense, counter-clockwise for 1. Ways whose straight parts cross are none.
#[inline(always)]
fn one_sense<R: Real>([p, q]: [Flat<R>; 2], sense: f64, radius: R) -> Arc<R> {
    let square = radius * radius;
    let touch = |point: Flat<R>, sense: f64| {
        let far = point.dot(point).max(R::constant(TINY));
        let tangent = (far - square).max(R::zero()).sqrt() * radius * R::constant(sense);
        Flat((point.0 * square - point.1 * tangent) / far, (point.1 * square + point.0 * tangent) / far)
    };
    let (s, t) = (touch(p, sense), touch(q, -sense));
    let turn = (s.cross(t) * R::constant(sense)).atan2(s.dot(t));
    let whole = R::constant(core::f64::consts::TAU);
    let turn = R::select(turn.lt(R::zero()), turn + whole, turn);
    Arc { touches: !cross([p, s], [q, t]), ends: [s, t], length: radius * turn }
}

/// Whether two stretches meet.
#[inline(always)]
fn cross<R: Real>([a, b]: [Flat<R>; 2], [c, d]: [Flat<R>; 2]) -> R::Mask {
    let (along, other, between) = (b.minus(a), d.minus(c), a.minus(c));
    let area = along.cross(other);
    let flat = area.abs().lt(R::constant(TINY));
    let safe = R::select(flat, R::one(), area);
    let (first, second) = (other.cross(between) / safe, along.cross(between) / safe);
    let within = |x: R| R::zero().le(x) & x.le(R::one());
    !flat & within(first) & within(second)
}

/// Reflected inside the circle, at one point.
///
/// With z = sin of the angle at that point, both ends see it under asin(r z/|p|), and the angles of the two triangles add up to the one
/// between the ends: asin(A z) + asin(B z) − 2 asin(z) + γ = 0, A = r/|p|, B = r/|q|.
#[inline(always)]
fn inside<R: Real>([p, q]: [Flat<R>; 2], radius: R) -> Arc<R> {
    let tiny = R::constant(TINY);
    let (far_p, far_q) = (p.dot(p).sqrt(), q.dot(q).sqrt());
    let straight = q.minus(p);
    let length = straight.dot(straight);
    let share = -(straight.dot(p)) / length.max(tiny);
    let nearest = straight.times(share).plus(p);
    let between = tiny.lt(length) & R::zero().lt(share) & share.lt(R::one());
    let through = between & nearest.dot(nearest).le(radius * radius);
    let cosine = p.dot(q) / (far_p * far_q).max(tiny);
    let opposite = cosine.lt(R::constant(TINY - 1.0));
    let possible = radius.lt(far_p) & radius.lt(far_q) & tiny.le(radius) & !through & !opposite;
    let turn = p.cross(q).abs().atan2(p.dot(q));
    let (z, found) = reflection(radius / far_p.max(tiny), radius / far_q.max(tiny), turn);
    let left = R::zero().lt(p.cross(q));
    let (from, far) = (Flat::select(left, p, q), R::select(left, far_p, far_q));
    let angle = asin(z) - asin(z * radius / far.max(tiny));
    let (sin, cos) = angle.sin_cos();
    let from = from.unit();
    let turned = Flat(from.0 * cos - from.1 * sin, from.0 * sin + from.1 * cos);
    let beside = R::constant(1.0 - TINY).lt(cosine) | !found;
    let at = Flat::select(beside, p.plus(q).unit(), turned).times(radius);
    Arc { touches: possible, ends: [at, at], length: R::zero() }
}

/// z, and whether Newton's method found it. It starts where the way is bent most and only ever falls.
#[inline(always)]
fn reflection<R: Real>(a: R, b: R, turn: R) -> (R, R::Mask) {
    let tolerance = R::constant((16.0 * R::Elem::EPSILON.to_f64()).max(1e-6));
    let value = |z: R| asin(a * z) + asin(b * z) - asin(z) * R::constant(2.0) + turn;
    let root = |x: R| (R::one() - x * x).max(R::zero()).sqrt().max(R::constant(TINY));
    let mut z = R::constant(1.0 - 1e-7);
    let mut now = value(z);
    let mut found = now.le(R::zero());
    let mut going = found & tolerance.lt(now.abs());
    for _ in 0..STEPS {
        let slope = a / root(a * z) + b / root(b * z) - R::constant(2.0) / root(z);
        let falls = slope.le(R::constant(-TINY));
        let next = z - now / R::select(falls, slope, -R::one());
        let then = value(next);
        let good = falls & next.le(z) & then.le(tolerance);
        found = found & (good | !going);
        z = R::select(going & good, next, z);
        now = R::select(going & good, then, now);
        going = going & good & tolerance.lt(now.abs());
        if !going.any() {
            break;
        }
    }
    (z, found)
}

#[inline(always)]
fn asin<R: Real>(x: R) -> R {
    x.atan2((R::one() - x * x).max(R::zero()).sqrt())
}
