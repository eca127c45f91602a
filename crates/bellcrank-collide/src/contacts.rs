//! What was found: one [`Contact`] per slot, one lane per world.

use crate::data::Placed;
use crate::plan::ContactPlan;
use bellcrank_math::{Mask, Real, Vec3};

/// Where two shapes touch, or nearly do. Everything is in the world frame.
///
/// Where `active` is false the other fields are finite but mean nothing, and may depend on what other lanes do:
/// they must be masked before they reach a result.
#[derive(Clone, Copy, Debug)]
pub struct Contact<R: Real = f64> {
    /// Lanes in which the contact counts: `distance ≤ gap + reach`.
    pub active: R::Mask,
    /// The point on A's surface \[m\].
    pub point_a: Vec3<R>,
    /// The point on B's surface \[m\]; `point_b = point_a + normal · surface distance`.
    pub point_b: Vec3<R>,
    /// Unit vector from A to B: pushing B along it separates the two.
    pub normal: Vec3<R>,
    /// Distance of the surfaces less the margins \[m\]; negative when they penetrate.
    pub distance: R,
}

impl<R: Real> Contact<R> {
    /// No contact, but finite numbers.
    #[inline(always)]
    pub fn none() -> Self {
        Contact {
            active: R::Mask::splat(false),
            point_a: Vec3::zero(),
            point_b: Vec3::zero(),
            normal: Vec3::z_axis(),
            distance: R::zero(),
        }
    }

    /// Seen from B: the points change places and the normal turns round.
    #[inline(always)]
    pub fn swapped(self) -> Self {
        Contact { point_a: self.point_b, point_b: self.point_a, normal: -self.normal, ..self }
    }

    /// `mask ? yes : no`, lane by lane.
    #[inline(always)]
    pub(crate) fn select(mask: R::Mask, yes: Self, no: Self) -> Self {
        Contact {
            active: (mask & yes.active) | (!mask & no.active),
            point_a: Vec3::select(mask, yes.point_a, no.point_a),
            point_b: Vec3::select(mask, yes.point_b, no.point_b),
            normal: Vec3::select(mask, yes.normal, no.normal),
            distance: R::select(mask, yes.distance, no.distance),
        }
    }

    /// From the point on B, the normal, and the distance of the surfaces.
    #[inline(always)]
    pub(crate) fn at_b(point_b: Vec3<R>, normal: Vec3<R>, distance: R) -> Self {
        let point_a = normal.mul_add(-distance, point_b);
        Contact { active: R::Mask::splat(true), point_a, point_b, normal, distance }
    }

    /// The tangents (t, o) that make (t, o, n) a right-handed frame.
    #[inline(always)]
    pub fn tangents(&self) -> (Vec3<R>, Vec3<R>) {
        tangents(self.normal)
    }
}

/// The tangents (t, o) of a unit normal n: with e = x, or y where |n·x| ≥ cos 30°, o = n × e / |n × e| and
/// t = o × n, so that (t, o, n) is right-handed. The rule of Kamino; a function of the normal alone.
#[inline(always)]
pub fn tangents<R: Real>(n: Vec3<R>) -> (Vec3<R>, Vec3<R>) {
    const COS_30: f64 = 0.866_025_403_784_438_6;
    let along_x = n.x.abs().ge(R::constant(COS_30));
    let e = Vec3::select(along_x, Vec3::y_axis(), Vec3::x_axis());
    let o = n.cross(e).normalized(); // |n × e| ≥ 1/2
    (o.cross(n), o)
}

/// All contact slots of a model, in the order of [`ContactPlan::slots`]. Made once, refilled every step.
#[derive(Clone, Debug)]
pub struct Contacts<R: Real = f64> {
    pub(crate) slots: Vec<Contact<R>>,
    /// Shapes in the world, refreshed by every call.
    pub(crate) placed: Vec<Placed<R>>,
    pub(crate) hints: Hints<R>,
}

/// For every convex pair a direction that parted the two when it was last looked at: a better start for the same worlds
/// a step later. Hints save work and change no result.
pub type Hints<R> = Vec<Vec3<R>>;

impl<R: Real> Contacts<R> {
    /// Room for all slots of a plan, none active.
    pub fn new(plan: &ContactPlan) -> Self {
        Contacts {
            slots: vec![Contact::none(); plan.slots().len()],
            placed: vec![Placed::origin(); plan.shapes().len()],
            hints: vec![Vec3::zero(); plan.hint_count()],
        }
    }

    /// One entry per slot of the plan.
    #[inline(always)]
    pub fn slots(&self) -> &[Contact<R>] {
        &self.slots
    }

    /// Exchanges the hints, for other worlds of the same plan.
    pub fn swap_hints(&mut self, other: &mut Hints<R>) {
        core::mem::swap(&mut self.hints, other);
    }

    /// Number of active contacts in a lane.
    pub fn count(&self, lane: usize) -> usize {
        self.slots.iter().filter(|slot| slot.active.bits() >> lane & 1 == 1).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tangents_and_normal_are_a_right_handed_frame() {
        for i in 0..200 {
            let (s, c) = (0.37 * i as f64).sin_cos();
            let n = Vec3::new(s, c * (0.11 * i as f64).cos(), c * (0.11 * i as f64).sin());
            let (t, o) = tangents(n);
            assert!((t.cross(o) - n).norm() < 1e-14 && (t.norm() - 1.0).abs() < 1e-14);
        }
    }
}
