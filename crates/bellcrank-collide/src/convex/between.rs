//! Is there a plane between two solids? One direction asked in all lanes at once, which is far cheaper than a search.

use crate::collide::Side;
use crate::plan::Form;
use bellcrank_math::{Elem, Real, Vec3};

/// Lanes in which the solids are further apart than `limit` along the unit vector `n` from A to B, beyond doubt: what
/// rounding may do to these numbers is taken off, so that a search would say the same.
#[inline(always)]
pub(crate) fn far_along<R: Real>(a: &Side<'_, R>, b: &Side<'_, R>, n: Vec3<R>, limit: R) -> R::Mask {
    let apart = b.at.p - a.at.p;
    let gap = n.dot(apart) - extent(a, n) - extent(b, -n);
    let sizes = a.at.bound + b.at.bound + apart.norm();
    gap.gt(limit + sizes * R::constant(32.0 * R::Elem::EPSILON.to_f64()))
}

/// How far a solid reaches from its origin in direction `d` [m].
#[inline(always)]
fn extent<R: Real>(side: &Side<'_, R>, d: Vec3<R>) -> R {
    let (m, size) = (side.at.R.transpose_mul(d), side.at.size);
    match side.form {
        Form::Sphere => size.x,
        Form::Capsule => size.x + size.y * m.z.abs(),
        Form::Box => size.x * m.x.abs() + size.y * m.y.abs() + size.z * m.z.abs(),
        Form::Round => {
            let across = (m.x * m.x + m.y * m.y).sqrt();
            (size.z * across + size.y * m.z).max(size.x * across - size.y * m.z)
        }
        Form::Ellipsoid => Vec3::new(m.x * size.x, m.y * size.y, m.z * size.z).norm(),
        _ => {
            let mut most = R::constant(f64::from(f32::MIN));
            for corner in side.solid.corners() {
                most = most.max(m.dot(Vec3::constant(*corner)));
            }
            most
        }
    }
}
