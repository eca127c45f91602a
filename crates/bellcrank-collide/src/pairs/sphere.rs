//! A ball against something: one contact, along the shortest way from its centre to the other's surface.

use super::balls;
use super::nearest::{Nearest, nearest_on_box, nearest_on_round};
use crate::collide::{Narrow, Near, Side};
use crate::contacts::Contact;
use crate::data::Placed;
use bellcrank_math::{Real, Vec3};

/// Ball on ball; up where the centres coincide.
pub struct SphereSphere;

impl Narrow for SphereSphere {
    #[inline(always)]
    fn touch<R: Real>(a: &Side<'_, R>, b: &Side<'_, R>, _: Near<R>, slots: &mut [Contact<R>]) {
        slots[0] = balls([a.at.p, b.at.p], [a.at.size.x, b.at.size.x], Vec3::z_axis());
    }
}

/// Ball on the ball around the nearest point of the capsule's axis.
pub struct SphereCapsule;

impl Narrow for SphereCapsule {
    #[inline(always)]
    fn touch<R: Real>(ball: &Side<'_, R>, capsule: &Side<'_, R>, _: Near<R>, slots: &mut [Contact<R>]) {
        let (axis, half) = (capsule.at.R.z, capsule.at.size.y);
        let along = axis.dot(ball.at.p - capsule.at.p).clamp(-half, half);
        let centre = axis.mul_add(along, capsule.at.p);
        slots[0] = balls([ball.at.p, centre], [ball.at.size.x, capsule.at.size.x], capsule.at.R.x);
    }
}

/// From the nearest point of a solid to the contact of a ball around the query point.
#[inline(always)]
fn ball_on<R: Real>(ball: &Placed<R>, solid: &Placed<R>, nearest: Nearest<R>) -> Contact<R> {
    let normal = -(solid.R * nearest.normal); // from the ball (A) into the solid (B)
    Contact::at_b(solid.world(nearest.point), normal, nearest.distance - ball.size.x)
}

/// Ball on box.
pub struct SphereBox;

impl Narrow for SphereBox {
    #[inline(always)]
    fn touch<R: Real>(ball: &Side<'_, R>, cube: &Side<'_, R>, _: Near<R>, slots: &mut [Contact<R>]) {
        let nearest = nearest_on_box(cube.at.size, cube.at.local(ball.at.p));
        slots[0] = ball_on(ball.at, cube.at, nearest);
    }
}

/// Ball on cylinder or cone.
pub struct SphereRound;

impl Narrow for SphereRound {
    #[inline(always)]
    fn touch<R: Real>(ball: &Side<'_, R>, round: &Side<'_, R>, _: Near<R>, slots: &mut [Contact<R>]) {
        let nearest = nearest_on_round(round.at.size, round.at.local(ball.at.p));
        slots[0] = ball_on(ball.at, round.at, nearest);
    }
}
