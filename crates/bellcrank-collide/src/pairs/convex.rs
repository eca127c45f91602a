//! Any two convex solids, lane by lane.

use crate::collide::{Narrow, Near, Side};
use crate::contacts::Contact;
use crate::convex::{Core, MANIFOLD, Manifold, far_along, manifold, part};
use crate::data::Placed;
use crate::plan::Form;
use crate::solid::Solid;
use bellcrank_math::{Elem, Kernel, Mask, Mat3, Real, Vec3};

/// Up to four contacts: feature k is the furthest point of the common area in the k-th diagonal direction.
///
/// The iterations differ from world to world, so this routine runs once per lane that is near, in `f64`.
pub struct ConvexConvex;

/// One pair in one world.
struct One<'a> {
    solids: [(&'a Placed, Form, &'a Solid); 2],
    limit: f64,
}

/// The contacts, or a direction along which the two are too far apart to have any.
type Found = Result<Manifold, Vec3>;

impl Kernel for One<'_> {
    type Output = Found;
    #[inline(always)]
    fn run(self) -> Found {
        let [(a, form_a, solid_a), (b, form_b, solid_b)] = self.solids;
        // relative to A's origin, so that digits are not lost far from the world's
        let origin = a.p;
        let a = Core::new(Placed { p: Vec3::zero(), ..*a }, form_a, solid_a.corners());
        let b = Core::new(Placed { p: b.p - origin, ..*b }, form_b, solid_b.corners());
        let parting = part(&a, &b, self.limit);
        if parting.distance > self.limit {
            return Err(parting.normal);
        }
        let mut contacts = manifold(&a, &b, parting);
        for contact in &mut contacts {
            contact.point_a += origin;
            contact.point_b += origin;
        }
        Ok(contacts)
    }
}

impl Narrow for ConvexConvex {
    const REMEMBERS: bool = true;

    #[inline(always)]
    fn parted<R: Real>([a, b]: [&Side<'_, R>; 2], limit: R, hint: Vec3<R>) -> R::Mask {
        far_along(a, b, hint, limit)
    }

    #[inline(always)]
    fn touch<R: Real>(a: &Side<'_, R>, b: &Side<'_, R>, near: Near<R>, slots: &mut [Contact<R>]) {
        slots.fill(Contact::none());
        let mut active = [0_u32; MANIFOLD];
        let lanes = near.lanes.bits();
        for lane in (0..R::LANES).filter(|lane| lanes >> lane & 1 == 1) {
            let (one, other) = (placed_lane(a.at, lane), placed_lane(b.at, lane));
            let solids = [(&one, a.form, a.solid), (&other, b.form, b.solid)];
            let limit = near.limit.lane(lane).to_f64();
            let found = match <f64 as Real>::run(One { solids, limit }) {
                Ok(found) => found,
                Err(direction) => {
                    set_lane(&mut slots[0].normal, lane, direction);
                    continue;
                }
            };
            for k in 0..MANIFOLD.min(slots.len()) {
                active[k] |= u32::from(found[k].active) << lane;
                write_lane(&mut slots[k], lane, &found[k]);
            }
        }
        for (slot, bits) in slots.iter_mut().zip(active) {
            slot.active = R::Mask::from_bits(bits);
        }
    }
}

/// One lane of a placed shape.
pub(crate) fn placed_lane<R: Real>(placed: &Placed<R>, lane: usize) -> Placed {
    let vector = |v: Vec3<R>| {
        let v = v.lane(lane);
        Vec3::new(v.x.to_f64(), v.y.to_f64(), v.z.to_f64())
    };
    Placed {
        R: Mat3::from_columns(vector(placed.R.x), vector(placed.R.y), vector(placed.R.z)),
        p: vector(placed.p),
        size: vector(placed.size),
        bound: placed.bound.lane(lane).to_f64(),
    }
}

/// Writes one world's contact into its lane; `active` is left alone.
pub(crate) fn write_lane<R: Real>(slot: &mut Contact<R>, lane: usize, contact: &Contact) {
    set_lane(&mut slot.point_a, lane, contact.point_a);
    set_lane(&mut slot.point_b, lane, contact.point_b);
    set_lane(&mut slot.normal, lane, contact.normal);
    slot.distance.set_lane(lane, Elem::from_f64(contact.distance));
}

fn set_lane<R: Real>(v: &mut Vec3<R>, lane: usize, w: Vec3) {
    v.x.set_lane(lane, Elem::from_f64(w.x));
    v.y.set_lane(lane, Elem::from_f64(w.y));
    v.z.set_lane(lane, Elem::from_f64(w.z));
}
