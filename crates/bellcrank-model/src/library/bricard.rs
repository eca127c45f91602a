//! Bricard's ring of six hinges, the threefold-symmetric one: five bodies and the world, one loop.
//!
//! Six hinges have 30 rows on 30 unknowns, so counting says that the ring cannot move; one of the rows is redundant and
//! it does. Neighbouring hinges are at right angles, turned alternately to the left and to the right, and at equal
//! distances; their angles are θ and φ in turn with cos θ + cos φ + cos θ cos φ = 0 ([Chen, You and Tarnai 2005] for
//! twists of a quarter turn).

use super::parts::{AMBER, CORAL, PLUM, SAND, TEAL, bar, frame_bar, stock};
use crate::{Joint, ModelBuilder, WORLD};
use bellcrank_math::{Pose, Quat, Vec3};
use core::f64::consts::FRAC_PI_2;

/// Between neighbouring hinges [m].
const SIDE: f64 = 0.2;
/// θ at the reference pose [rad].
const ANGLE: f64 = 1.2;

/// Frames at the six hinges: z along the hinge.
fn corners() -> [Pose; 6] {
    let other = (-ANGLE.cos() / (1.0 + ANGLE.cos())).acos();
    let mut at = Pose::translation(0.0, 0.0, 0.3);
    core::array::from_fn(|i| {
        let here = at;
        let (angle, twist) = if i % 2 == 0 { (ANGLE, FRAC_PI_2) } else { (other, -FRAC_PI_2) };
        at = at
            * Pose::new(Quat::from_axis_angle(Vec3::z_axis(), angle), Vec3::zero())
            * Pose::new(Quat::from_axis_angle(Vec3::x_axis(), twist), Vec3::x_axis() * SIDE);
        here
    })
}

/// The ring, one side of it fastened to the world, without motors.
pub fn bricard() -> ModelBuilder {
    let mut b = ModelBuilder::new("bricard");
    let corners = corners();
    let points = corners.map(|corner| corner.p);
    let colors = [AMBER, TEAL, CORAL, PLUM, SAND];
    let sides: [_; 5] = core::array::from_fn(|i| {
        bar(&mut b, &format!("side_{i}"), points[i], points[i + 1], stock(0.007, 0.08, colors[i]))
    });
    for (i, corner) in corners.into_iter().enumerate() {
        let (name, axis) = (format!("hinge_{i}"), corner.R.rotate(Vec3::z_axis()));
        let joint = match i {
            0 => Joint::revolute(name, WORLD, sides[0]),
            5 => Joint::revolute(name, WORLD, sides[4]),
            _ => Joint::revolute(name, sides[i - 1], sides[i]),
        };
        b.joint(joint.placed(corner.p, axis));
    }
    frame_bar(&mut b, "frame", points[5], points[0], 0.007);
    b
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn a_ring_of_six_hinges_moves_although_counting_says_it_cannot() {
        Figures { bodies: 5, joints: 6, loops: 1, mobility: 1, redundant: 1 }.check(bricard());
    }
}
