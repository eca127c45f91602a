//! Contacts that the start of a step does not show.
//!
//! The slots of a pair may hold a few of many candidates: a ball on terrain is near dozens of triangles, and the one that it rolls
//! onto may not be among them. So such pairs are looked at once more where the step ends.
//! What has sunk in there becomes a contact of this step, with the features found there, and the step is solved again.

use super::Implicit;
use super::end_contact::EndContact;
use super::start::twists;
use super::units;
use super::workspace::InteriorWorkspace;
use crate::workspace::{Touching, Workspace};
use bellcrank_collide::{Contact, PairKind, collide};
use bellcrank_math::enter;
use bellcrank_math::{Mask, Real, Vec3};
use bellcrank_solve::Smoothing;
use std::ops::Range;

/// What has sunk in by less than this is not noticed [m].
const UNNOTICED: f64 = 1e-6;

/// Pairs that may touch in more places than they have slots, found by a search that keeps no derivative with respect to sizes
/// anyway. A box on a plane has eight corners and four slots as well, but its contacts know how they depend on its size,
/// which a contact that is taken in late does not.
fn is_partial(kind: PairKind) -> bool {
    matches!(kind, PairKind::SphereGround)
}

/// Pairs whose contact is found by a search and not by a formula.
pub fn is_searched(kind: PairKind) -> bool {
    matches!(kind, PairKind::ConvexConvex | PairKind::SphereGround | PairKind::ConvexGround)
}

/// Takes in what the end of the step shows; gives the lanes in which there was something.
pub fn add<R: Real>(
    this: &Implicit<'_, R>,
    alive: R::Mask,
    ws: &mut Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) -> R::Mask {
    let Implicit { layout, constants, .. } = *this;
    let mut late = R::Mask::splat(false);
    if !layout.plan.pairs().iter().any(|pair| is_partial(pair.kind)) {
        return late;
    }
    collide(&layout.plan, &constants.shapes, &ws.X_next, R::zero(), &mut ws.contacts);
    for pair in layout.plan.pairs().iter().filter(|pair| is_partial(pair.kind)) {
        let contact = enter!(R, deepest(&ws.contacts.slots()[pair.slots.clone()]));
        let sunk = enter!(R, {
            let least = start_depth(&pair.slots, &ws.touching) - R::constant(UNNOTICED);
            alive & contact.active & contact.distance.lt(least)
        });
        if sunk.any() {
            let contact = Contact { active: sunk, ..contact };
            take_in(this, &pair.slots, contact, ws, own);
            late = late | sunk;
        }
    }
    late
}

/// The deepest of some contacts.
#[inline(always)]
fn deepest<R: Real>(slots: &[Contact<R>]) -> Contact<R> {
    let mut best: Contact<R> = Contact::none();
    for contact in slots {
        let known: R::Mask = best.active;
        let deeper = contact.active & (!known | contact.distance.lt(best.distance));
        best = Contact {
            active: best.active | deeper,
            point_a: Vec3::select(deeper, contact.point_a, best.point_a),
            point_b: Vec3::select(deeper, contact.point_b, best.point_b),
            normal: Vec3::select(deeper, contact.normal, best.normal),
            distance: R::select(deeper, contact.distance, best.distance),
        };
    }
    best
}

/// Zero, or the negative distance of what was inside already when the step began: that comes out at its own pace.
#[inline(always)]
fn start_depth<R: Real>(slots: &Range<usize>, touching: &[Touching<R>]) -> R {
    let mut least = R::zero();
    for touching in touching {
        if slots.contains(&touching.slot) {
            let known = touching.contact;
            least = R::select(known.active, least.min(known.distance), least);
        }
    }
    least
}

/// Gives the contact the first slot of its pair that is free, lane by lane, or the one that has most room.
fn take_in<R: Real>(
    this: &Implicit<'_, R>,
    slots: &Range<usize>,
    contact: Contact<R>,
    ws: &Workspace<R>,
    own: &mut InteriorWorkspace<R>,
) {
    let Implicit { layout, point, dt, .. } = *this;
    let load = std::mem::take(&mut own.load); // while contacts are changed
    let make = |slot: usize, active: R::Mask| {
        let touching = Touching { slot, contact: Contact { active, ..contact }, guess: [R::zero(); 6] };
        let mut fresh = enter!(R, EndContact::new(this, &touching, &ws.X_next));
        fresh.late = true;
        if point.smoothing == Smoothing::Relative {
            let V = enter!(R, twists(layout, (fresh.a, fresh.b), &ws.u));
            enter!(R, units::set_late(&mut fresh, dt, V, &load));
        }
        enter!(R, fresh.begin(active, contact.distance));
        fresh
    };
    let mut left = contact.active;
    for slot in slots.clone() {
        match own.touches.iter_mut().find(|touch| touch.slot == slot) {
            Some(touch) => {
                let free = left & !touch.push.acts;
                if free.any() {
                    let fresh = make(slot, free);
                    enter!(R, touch.become_in(free, &fresh));
                }
                left = left & !free;
            }
            None if left.any() => {
                own.touches.push(make(slot, left));
                own.touches.sort_unstable_by_key(|touch| touch.slot);
                own.use_contacts();
                left = R::Mask::splat(false);
            }
            None => break,
        }
    }
    if left.any() {
        let fresh = make(slots.start, left);
        enter!(R, take_most_room(slots, left, &fresh, &mut own.touches));
    }
    own.load = load;
}

/// Puts a contact in the place of the one that is furthest from touching.
#[inline(always)]
fn take_most_room<R: Real>(
    slots: &Range<usize>,
    lanes: R::Mask,
    fresh: &EndContact<R>,
    touches: &mut [EndContact<R>],
) {
    let (mut most, mut left) = (R::constant(-1.0), lanes);
    for touch in touches.iter().filter(|touch| slots.contains(&touch.slot)) {
        most = most.max(touch.push.s);
    }
    for touch in touches.iter_mut().filter(|touch| slots.contains(&touch.slot)) {
        let here = left & most.le(touch.push.s);
        touch.become_in(here, fresh);
        left = left & !here;
    }
}
