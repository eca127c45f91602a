//! Capsule on capsule: the balls around the nearest points of the two axes, and a second contact when they lie
//! side by side.

use super::{balls, unit_or};
use crate::collide::{Narrow, Near, Side};
use crate::contacts::Contact;
use crate::data::Placed;
use bellcrank_math::{Elem, Real, Vec3};

/// sin² of the angle below which two capsules lie side by side (about 6°).
const SIDE_BY_SIDE: f64 = 0.01;
/// Side by side, the ends of the common stretch stand for the nearest point unless that is deeper than both by
/// this fraction of the radii: otherwise rounding would move the contact about on parallel axes.
pub(super) const NOTICEABLE: f64 = 1e-4;
/// A common stretch shorter than this fraction of the radii is one contact.
pub(super) const SHORT: f64 = 0.1;

/// Two contacts. Crossed capsules use feature 0; side by side, features 0 and 1 are the ends of the stretch that
/// they share, along A's axis.
pub struct CapsuleCapsule;

/// The two axes: a(s) = p_A + s z_A and b(t) = p_B + t z_B.
struct Axes<'a, R> {
    a: &'a Placed<R>,
    b: &'a Placed<R>,
    /// z_A · z_B
    cosine: R,
    /// z_A · (p_A − p_B)
    c: R,
    /// z_B · (p_A − p_B)
    f: R,
    /// The normal where the axes meet.
    fallback: Vec3<R>,
}

impl<R: Real> Axes<'_, R> {
    /// The contact of the ball at `s` on A with B.
    #[inline(always)]
    fn ball_at(&self, s: R) -> Contact<R> {
        let half = self.b.size.y;
        let t = self.cosine.mul_add(s, self.f).clamp(-half, half);
        let ends = [self.a.R.z.mul_add(s, self.a.p), self.b.R.z.mul_add(t, self.b.p)];
        balls(ends, [self.a.size.x, self.b.size.x], self.fallback)
    }

    /// Where A's axis is nearest to B's: minimise |a(s) − b(t)| over s, clamp, then over t, clamp, then again
    /// over s. Where they are parallel any s is as good; A's lower end leads to an end of the common stretch.
    #[inline(always)]
    fn nearest(&self, sine2: R) -> R {
        let (half_a, half_b) = (self.a.size.y, self.b.size.y);
        let skew = sine2.gt(R::splat(<R::Elem as Elem>::EPSILON).scale(Elem::from_f64(16.0)));
        let s = self.cosine.mul_add(self.f, -self.c) / R::select(skew, sine2, R::one());
        let s = R::select(skew, s, -half_a).clamp(-half_a, half_a);
        let t = self.cosine.mul_add(s, self.f).clamp(-half_b, half_b);
        self.cosine.mul_add(t, -self.c).clamp(-half_a, half_a)
    }

    /// The stretch of A beside B.
    #[inline(always)]
    fn common(&self) -> (R, R) {
        let (half_a, reach) = (self.a.size.y, (self.b.size.y * self.cosine).abs());
        ((-self.c - reach).clamp(-half_a, half_a), (reach - self.c).clamp(-half_a, half_a))
    }
}

impl Narrow for CapsuleCapsule {
    #[inline(always)]
    fn touch<R: Real>(a: &Side<'_, R>, b: &Side<'_, R>, _: Near<R>, slots: &mut [Contact<R>]) {
        let (a, b) = (a.at, b.at);
        let across = a.R.z.cross(b.R.z);
        let sine2 = across.norm_squared();
        let (fallback, _) = unit_or(across, a.R.x);
        let between = a.p - b.p;
        let (cosine, c, f) = (a.R.z.dot(b.R.z), a.R.z.dot(between), b.R.z.dot(between));
        let axes = Axes { a, b, cosine, c, f, fallback };
        let (low, high) = axes.common();
        let radii = a.size.x + b.size.x;
        let two = sine2.lt(R::constant(SIDE_BY_SIDE)) & (high - low).gt(radii * R::constant(SHORT));
        let s = axes.nearest(sine2);
        spread(
            [axes.ball_at(low), axes.ball_at(high)],
            axes.ball_at(s),
            SpreadRule { two, at: [low, high, s], radii },
            slots,
        );
    }
}

/// When and where two contacts stand for a line.
pub(super) struct SpreadRule<R: Real> {
    /// Lanes with two contacts.
    pub two: R::Mask,
    /// Places of the two ends and of the nearest point along the line.
    pub at: [R; 3],
    /// Scale of what is noticeable \[m\].
    pub radii: R,
}

/// Two contacts at the ends of a line, or the nearest one alone; where the nearest is noticeably deeper than both
/// ends it takes the place of the closer end, so that the depth is never understated.
#[inline(always)]
pub(super) fn spread<R: Real>(
    ends: [Contact<R>; 2],
    nearest: Contact<R>,
    rule: SpreadRule<R>,
    slots: &mut [Contact<R>],
) {
    let [low, high, s] = rule.at;
    let shallower = ends[0].distance.min(ends[1].distance) - rule.radii * R::constant(NOTICEABLE);
    let deeper = nearest.distance.lt(shallower);
    let at_low = (s - low).abs().le((high - s).abs());
    slots[0] = Contact::select(rule.two & !(deeper & at_low), ends[0], nearest);
    slots[1] = Contact::select(deeper & !at_low, nearest, ends[1]);
    slots[1].active = slots[1].active & rule.two;
}
