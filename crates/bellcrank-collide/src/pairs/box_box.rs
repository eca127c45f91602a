//! Box on box: the separating axis, then either one contact of two edges, or the overlap of two faces.

use super::clip::{Quad, overlap};
use super::sat::{Boxes, Separation};
use crate::collide::{Narrow, Near, Side};
use crate::contacts::Contact;
use crate::data::Placed;
use bellcrank_math::{Mask, Mat3, Real, Vec3};

/// Up to eight contacts: features 0 to 3 begin on the edges of the incident face, 4 to 7 on those of the reference
/// face (see `clip`). Two crossing edges use feature 0.
pub struct BoxBox;

impl Narrow for BoxBox {
    #[inline(always)]
    fn touch<R: Real>(a: &Side<'_, R>, b: &Side<'_, R>, near: Near<R>, slots: &mut [Contact<R>]) {
        let (a, b) = (a.at, b.at);
        let boxes = Boxes::new(a, b);
        let found = boxes.separation();
        let normal = a.R * found.normal;
        let far = found.distance.gt(near.limit);
        if far.all() {
            for slot in slots.iter_mut() {
                slot.active = R::Mask::splat(false);
            }
            return;
        }
        faces(a, b, &found, normal, slots);
        let edge = Contact::at_b(a.world(boxes.edge_point(&found)), normal, found.distance);
        slots[0] = Contact::select(found.edges, edge, slots[0]);
        for slot in slots[1..].iter_mut() {
            slot.active = slot.active & !found.edges;
        }
        for slot in slots.iter_mut() {
            slot.active = slot.active & !far;
        }
    }
}

/// A box with its axes in the order (u, v, w), w the one that matters.
#[derive(Clone, Copy)]
struct Turned<R> {
    axes: Mat3<R>,
    half: Vec3<R>,
}

/// Cyclic order of the axes with the chosen one last.
#[inline(always)]
fn turned<R: Real>(axes: Mat3<R>, half: Vec3<R>, [is_x, is_y]: [R::Mask; 2]) -> Turned<R> {
    let (x, y, z) = (axes.x, axes.y, axes.z);
    let pick = Mat3::from_columns(
        Vec3::select(is_x, y, Vec3::select(is_y, z, x)),
        Vec3::select(is_x, z, Vec3::select(is_y, x, y)),
        Vec3::select(is_x, x, Vec3::select(is_y, y, z)),
    );
    let half = Vec3::new(
        R::select(is_x, half.y, R::select(is_y, half.z, half.x)),
        R::select(is_x, half.z, R::select(is_y, half.x, half.y)),
        R::select(is_x, half.x, R::select(is_y, half.y, half.z)),
    );
    Turned { axes: pick, half }
}

#[inline(always)]
fn select_axes<R: Real>(mask: R::Mask, yes: Mat3<R>, no: Mat3<R>) -> Mat3<R> {
    Mat3::from_columns(
        Vec3::select(mask, yes.x, no.x),
        Vec3::select(mask, yes.y, no.y),
        Vec3::select(mask, yes.z, no.z),
    )
}

/// Clips the face of one box that looks against the reference face of the other.
#[inline(always)]
fn faces<R: Real>(
    a: &Placed<R>,
    b: &Placed<R>,
    found: &Separation<R>,
    normal: Vec3<R>,
    slots: &mut [Contact<R>],
) {
    let of_b = found.face_of_b;
    let (ref_p, inc_p) = (Vec3::select(of_b, b.p, a.p), Vec3::select(of_b, a.p, b.p));
    let reference = turned(select_axes(of_b, b.R, a.R), Vec3::select(of_b, b.size, a.size), found.axis);
    let out = Vec3::select(of_b, -normal, normal); // out of the reference face
    let incident_axes = select_axes(of_b, a.R, b.R);
    let along = incident_axes.transpose_mul(out);
    let (dx, dy, dz) = (along.x.abs(), along.y.abs(), along.z.abs());
    let is_x = dx.ge(dy) & dx.ge(dz);
    let which = [is_x, !is_x & dy.ge(dz)];
    let incident = turned(incident_axes, Vec3::select(of_b, a.size, b.size), which);
    let quad = incident_face(&reference, &incident, inc_p - ref_p, out);
    let corners = overlap(&quad, [reference.half.x, reference.half.y]);
    let (u, v) = (reference.axes.x, reference.axes.y);
    let mut deepest = R::constant(1e30);
    for (slot, ([x, y, w], exists)) in slots.iter_mut().zip(corners) {
        let distance = w - reference.half.z;
        let p = ref_p + u * x + v * y + out * w;
        // p is on the incident box; the reference box's surface is `distance` behind it
        let point_b = Vec3::select(of_b, out.mul_add(-distance, p), p);
        *slot = Contact::at_b(point_b, normal, distance);
        slot.active = exists;
        deepest = deepest.min(R::select(exists, distance, deepest));
    }
    let slack = (a.bound + b.bound) * R::constant(UNDERSTATED);
    let missing = found.distance.lt(deepest - slack) & found.distance.le(R::zero());
    let lowest = lowest_corner(&reference, &quad, (ref_p, out), found, normal);
    add(missing, lowest, slots);
}

/// The overlap of the faces may understate the depth by this fraction of the sizes.
const UNDERSTATED: f64 = 1e-4;

/// Writes a contact into the first slot that is free, in the lanes of `mask`.
#[inline(always)]
fn add<R: Real>(mask: R::Mask, contact: Contact<R>, slots: &mut [Contact<R>]) {
    let mut open = mask;
    for slot in slots {
        let here = open & !slot.active;
        *slot = Contact::select(here, contact, *slot);
        open = open & !here;
    }
}

/// The incident face in the reference face's coordinates, counter-clockwise.
#[inline(always)]
fn incident_face<R: Real>(
    reference: &Turned<R>,
    incident: &Turned<R>,
    between: Vec3<R>,
    out: Vec3<R>,
) -> Quad<R> {
    let side = -incident.axes.z.dot(out).signum_or_one();
    let centre = incident.axes.z.mul_add(incident.half.z * side, between);
    let frame = Mat3::from_columns(reference.axes.x, reference.axes.y, out);
    let c = frame.transpose_mul(centre).to_array();
    let e1 = frame.transpose_mul(incident.axes.x * incident.half.x).to_array();
    let e2 = frame.transpose_mul(incident.axes.y * incident.half.y);
    let turn = (e1[0] * e2.y - e1[1] * e2.x).signum_or_one();
    Quad { c, e1, e2: (e2 * turn).to_array() }
}

/// The lowest corner of the incident face, moved onto the reference face: for boxes that overlap although clipping
/// leaves nothing, or nothing that deep.
#[inline(always)]
fn lowest_corner<R: Real>(
    reference: &Turned<R>,
    quad: &Quad<R>,
    (ref_p, out): (Vec3<R>, Vec3<R>),
    found: &Separation<R>,
    normal: Vec3<R>,
) -> Contact<R> {
    let s1 = -quad.e1[2].signum_or_one();
    let s2 = -quad.e2[2].signum_or_one();
    let (hu, hv) = (reference.half.x, reference.half.y);
    let x = quad.e2[0].mul_add(s2, quad.e1[0].mul_add(s1, quad.c[0])).clamp(-hu, hu);
    let y = quad.e2[1].mul_add(s2, quad.e1[1].mul_add(s1, quad.c[1])).clamp(-hv, hv);
    let on_face = ref_p + reference.axes.x * x + reference.axes.y * y + out * reference.half.z;
    // the point on B is on the face where the face is B's, else `distance` away from it
    let point_b = Vec3::select(found.face_of_b, on_face, normal.mul_add(found.distance, on_face));
    Contact::at_b(point_b, normal, found.distance)
}
