//! Something convex on ground made of triangles, lane by lane.

use super::convex::{placed_lane, write_lane};
use crate::collide::{Narrow, Near, Side};
use crate::contacts::Contact;
use crate::convex::{Core, OnTriangle, touch_triangle};
use crate::data::Placed;
use crate::plan::Form;
use crate::solid::Solid;
use crate::terrain::{Bounds, Ground};
use bellcrank_math::{Kernel, Mask, Mat3, Real, Vec3};

/// Most contacts per pair.
const MOST: usize = 8;

/// Contacts of something convex with terrain or a mesh at rest: as many as there are slots, feature k being the
/// furthest and deepest towards the k-th corner of a cube around the ground's frame.
pub struct ConvexGround;

/// One pair in one world.
struct One<'a> {
    solid: (&'a Placed, Form, &'a [Vec3]),
    at: &'a Placed,
    ground: Ground<'a>,
    limit: f64,
    slots: usize,
}

impl Kernel for One<'_> {
    type Output = [Contact; MOST];
    #[inline(always)]
    fn run(self) -> [Contact; MOST] {
        let (placed, form, corners) = self.solid;
        // in the ground's frame
        let turned = Mat3::from_columns(
            self.at.R.transpose_mul(placed.R.x),
            self.at.R.transpose_mul(placed.R.y),
            self.at.R.transpose_mul(placed.R.z),
        );
        let local = Placed { R: turned, p: self.at.local(placed.p), ..*placed };
        let solid = Core::new(local, form, corners);
        let mut spread = Spread::new(local.p, self.slots);
        let mut walk = self.ground.walk(bounds(&solid, self.limit));
        while let Some(triangle) = walk.next() {
            let query = OnTriangle { limit: self.limit, thick: self.ground.is_thick() };
            let Some(found) = touch_triangle(&triangle, &solid, query) else { continue };
            for contact in found.iter().filter(|contact| contact.active) {
                spread.offer(contact);
            }
        }
        let mut contacts = spread.finish();
        for contact in &mut contacts {
            contact.point_a = self.at.world(contact.point_a);
            contact.point_b = self.at.world(contact.point_b);
            contact.normal = self.at.R * contact.normal;
        }
        contacts
    }
}

/// The box around a solid, grown by `limit`.
#[inline(always)]
fn bounds(solid: &Core<'_>, limit: f64) -> Bounds {
    let grow = solid.radius + limit;
    let (mut low, mut high) = ([0.0; 3], [0.0; 3]);
    for (k, axis) in [Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis()].into_iter().enumerate() {
        high[k] = axis.dot(solid.support(axis)) + grow;
        low[k] = axis.dot(solid.support(-axis)) - grow;
    }
    Bounds { low: Vec3::from_array(low), high: Vec3::from_array(high) }
}

/// Keeps the best contact for each of some directions.
struct Spread {
    centre: Vec3,
    best: [(f64, Contact); MOST],
    deepest: Contact,
    slots: usize,
}

/// A contact may be this much less far out for every metre that it is deeper.
const DEPTH_COUNTS: f64 = 3.0;

impl Spread {
    #[inline(always)]
    fn new(centre: Vec3, slots: usize) -> Self {
        let none = Contact { distance: f64::INFINITY, ..Contact::none() };
        Spread { centre, best: [(f64::NEG_INFINITY, none); MOST], deepest: none, slots: slots.min(MOST) }
    }

    #[inline(always)]
    fn offer(&mut self, contact: &Contact) {
        // first four: a tetrahedron, which serves alone where there are only four slots
        const CORNERS: [[f64; 3]; MOST] = [
            [1.0, 1.0, 0.9],
            [-1.0, -1.0, 0.9],
            [-1.0, 1.0, -0.9],
            [1.0, -1.0, -0.9],
            [-1.0, -1.0, -0.9],
            [1.0, 1.0, -0.9],
            [1.0, -1.0, 0.9],
            [-1.0, 1.0, 0.9],
        ];
        let p = contact.point_b - self.centre;
        for (best, corner) in self.best.iter_mut().zip(CORNERS).take(self.slots) {
            let score = Vec3::from_array(corner).dot(p) - DEPTH_COUNTS * contact.distance;
            if score > best.0 + 1e-12 {
                *best = (score, *contact);
            }
        }
        if contact.distance < self.deepest.distance {
            self.deepest = *contact;
        }
    }

    /// Each contact once; the deepest among them.
    #[inline(always)]
    fn finish(&self) -> [Contact; MOST] {
        let mut contacts = [Contact::none(); MOST];
        let same = |a: &Contact, b: &Contact| {
            (a.point_b - b.point_b).norm_squared() < 1e-12 && a.normal.dot(b.normal) > 0.999
        };
        let mut has_deepest = false;
        for k in 0..self.slots {
            let contact = self.best[k].1;
            let fresh = contact.active && !contacts[..k].iter().any(|c| c.active && same(c, &contact));
            if fresh {
                contacts[k] = contact;
                has_deepest |= contact.distance <= self.deepest.distance;
            }
        }
        if self.deepest.active && !has_deepest {
            let free = contacts[..self.slots].iter().position(|c| !c.active).unwrap_or(0);
            contacts[free] = self.deepest;
        }
        contacts
    }
}

impl Narrow for ConvexGround {
    #[inline(always)]
    fn touch<R: Real>(solid: &Side<'_, R>, ground: &Side<'_, R>, near: Near<R>, slots: &mut [Contact<R>]) {
        slots.fill(Contact::none());
        let surface = match ground.solid {
            Solid::Field(field) => Ground::Field(field),
            Solid::Triangles(mesh) => Ground::Mesh(mesh),
            Solid::Plain | Solid::Hull(_) => return,
        };
        let mut active = [0_u32; MOST];
        let lanes = near.lanes.bits();
        for lane in (0..R::LANES).filter(|lane| lanes >> lane & 1 == 1) {
            let (one, at) = (placed_lane(solid.at, lane), placed_lane(ground.at, lane));
            let limit = bellcrank_math::Elem::to_f64(near.limit.lane(lane));
            let solid = (&one, solid.form, solid.solid.corners());
            let job = One { solid, at: &at, ground: surface, limit, slots: slots.len() };
            let found = <f64 as Real>::run(job);
            for k in 0..slots.len().min(MOST) {
                active[k] |= u32::from(found[k].active) << lane;
                // the routine looks from the ground; the pair is (solid, ground)
                write_lane(&mut slots[k], lane, &found[k].swapped());
            }
        }
        for (slot, bits) in slots.iter_mut().zip(active) {
            slot.active = R::Mask::from_bits(bits);
        }
    }
}
