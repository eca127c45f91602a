//! One triangle of the ground against a convex solid.
//!
//! From outside the nearest points count, unless they lie on an edge that does not stick out or towards a neighbour
//! that is nearer. From within, the way out is along the triangle's own normal.

use super::core::Core;
use super::gjk::gjk;
use super::manifold::{Manifold, manifold};
use super::separate::Parting;
use crate::contacts::Contact;
use crate::data::Placed;
use crate::plan::Form;
use crate::terrain::Triangle;
use bellcrank_math::{Mat3, Vec3};

/// How to look at a triangle.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OnTriangle {
    /// Contacts beyond this distance are not wanted \[m\].
    pub limit: f64,
    /// What is below the triangle is inside the ground.
    pub thick: bool,
}

/// Normals within this angle of the triangle's own are the same \[rad\].
const SAME_NORMAL: f64 = 1e-4;
/// An edge sticks out when the neighbour falls away by more than this slope.
const STICKS_OUT: f64 = 1e-4;

/// The contacts of a solid with a triangle, from the triangle to the solid.
#[inline(always)]
pub(crate) fn touch_triangle(triangle: &Triangle, solid: &Core<'_>, query: OnTriangle) -> Option<Manifold> {
    let n = triangle.normal;
    let centre = (triangle.corners[0] + triangle.corners[1] + triangle.corners[2]) * (1.0 / 3.0);
    let relative = triangle.corners.map(|corner| corner - centre);
    let bound = relative[0].norm().max(relative[1].norm()).max(relative[2].norm());
    let at = Placed { R: Mat3::identity(), p: centre, size: Vec3::zero(), bound };
    let face = Core::new(at, Form::TriangleMesh, &relative);
    // apart along its own normal: no need to look closer
    let lowest = n.mul_add(-solid.radius, solid.support(-n));
    if n.dot(lowest - centre) > query.limit {
        return None;
    }
    let in_front = n.dot(solid.at.p - centre) >= 0.0;
    let apart =
        gjk(&face, solid, (Vec3::zero(), f64::INFINITY), n).filter(|apart| apart.normal.dot(n) > SAME_NORMAL);
    let parting = match apart {
        Some(apart) => {
            let distance = apart.distance - solid.radius;
            let on_triangle = apart.normal.mul_add(-apart.distance, apart.b);
            if distance > query.limit || !may_push(triangle, on_triangle, apart.normal) {
                return None;
            }
            Parting { normal: apart.normal, distance, point_b: apart.normal.mul_add(-solid.radius, apart.b) }
        }
        None if in_front || query.thick => {
            Parting { normal: n, distance: n.dot(lowest - centre), point_b: lowest }
        }
        None => return None,
    };
    let mut contacts = manifold(&face, solid, parting);
    // what the clipping did not cut may still lie beside the triangle: that is for a neighbour
    for contact in &mut contacts {
        contact.active = contact.active && above(triangle, contact.point_a, parting.normal);
    }
    // far below the surface no point may lie straight behind it: then the triangle above the centre pushes
    let lost = query.thick && parting.distance < 0.0 && !contacts.iter().any(|contact| contact.active);
    if lost && above(triangle, solid.at.p, Vec3::z_axis()) {
        contacts[0] = Contact::at_b(parting.point_b, parting.normal, parting.distance);
    }
    Some(contacts)
}

/// Whether a push along `n` at a point of the triangle is not the business of a neighbour.
#[inline(always)]
fn may_push(triangle: &Triangle, p: Vec3, n: Vec3) -> bool {
    if (n - triangle.normal).norm() < SAME_NORMAL {
        return true;
    }
    for k in 0..3 {
        let (a, b) = (triangle.corners[k], triangle.corners[(k + 1) % 3]);
        let edge = b - a;
        let length2 = edge.norm_squared();
        let off = (p - a).cross(edge).norm_squared();
        let Some(far) = triangle.across[k] else { continue };
        if off > 1e-10 * length2 * length2 {
            continue; // not on this edge
        }
        let out = a - far;
        let out = out - edge * (out.dot(edge) / length2); // from the neighbour across the edge, in its plane
        let falls = triangle.normal.dot(out); // the neighbour's far corner lies below by this much
        if falls < STICKS_OUT * out.norm() || n.dot(out) < 0.0 {
            return false;
        }
    }
    true
}

/// Whether a point lies above the triangle, looking along `n`.
#[inline(always)]
fn above(triangle: &Triangle, p: Vec3, n: Vec3) -> bool {
    let mut inside = true;
    for k in 0..3 {
        let (a, b) = (triangle.corners[k], triangle.corners[(k + 1) % 3]);
        let edge = b - a;
        // n · (edge × (p − a)) is the distance from the edge times its length
        inside &= n.dot(edge.cross(p - a)) >= -1e-6 * edge.norm_squared();
    }
    inside
}
