//! A crank and a rocker in two parallel planes, joined by a tie rod: the spatial four-bar as cars and robots
//! have it.
//!
//! Ball joint at the crank, universal joint at the rocker: 3 bodies, 4 joints, 1 loop. Grübler–Kutzbach in
//! space: 6·3 − (5 + 3 + 4 + 5) = 1, so no row is redundant, unlike in the planar `four_bar`. With ball
//! joints at both ends the rod could also spin about itself (mobility 2); the universal joint stops that,
//! which is why its two axes lie across the rod.

use super::parts::{AMBER, CORAL, SAND, TEAL, bar, frame_bar, stock, turn_xz_to};
use crate::{Actuator, Geometry, Joint, ModelBuilder, Shape, WORLD};
use bellcrank_math::{Pose, Vec3};

/// The linkage with a position-controlled motor on the crank.
pub fn four_bar_tie_rod() -> ModelBuilder {
    const OFFSET: f64 = 0.05; // [m] between the crank's plane and the rocker's
    let mut b = ModelBuilder::new("four_bar_tie_rod");
    let y = Vec3::y_axis();
    let (crank_hinge, rocker_hinge) = (Vec3::zero(), Vec3::new(0.25, OFFSET, 0.0));
    let crank_ball = Vec3::new(0.03, 0.0, 0.07);
    let rocker_cross = Vec3::new(0.23, OFFSET, 0.14);

    let crank = bar(&mut b, "crank", crank_hinge, crank_ball, stock(0.008, 0.08, AMBER));
    let rod = bar(&mut b, "tie_rod", crank_ball, rocker_cross, stock(0.005, 0.12, TEAL));
    let rocker = bar(&mut b, "rocker", rocker_hinge, rocker_cross, stock(0.008, 0.16, CORAL));
    let drive = Joint::revolute("crank_hinge", WORLD, crank).placed(crank_hinge, y).armature(1e-3);
    let drive = b.joint(drive.limits(-0.9, 0.9));
    b.joint(Joint::spherical("crank_ball", crank, rod).placed(crank_ball, y));
    // x along the rocker's hinge, z along the rod: turning about z is what a universal joint forbids.
    let cross = Pose::new(turn_xz_to(y, rocker_cross - crank_ball), rocker_cross);
    b.joint(Joint::universal("rocker_cross", rocker, rod).placed_pose(cross));
    b.joint(Joint::revolute("rocker_hinge", WORLD, rocker).placed(rocker_hinge, y));
    b.actuator(Actuator::position("crank_motor", drive, 20.0, 0.5).effort_limit(3.0));

    let ball = Shape::new("ball", rod, Geometry::Sphere { radius: 0.011 });
    b.shape(ball.color(SAND).visual_only());
    frame_bar(&mut b, "frame", crank_hinge, rocker_hinge, 0.006);
    b
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn a_tie_rod_loop_has_one_freedom_and_no_redundant_row() {
        Figures { bodies: 3, joints: 4, loops: 1, mobility: 1, redundant: 0 }.check(four_bar_tie_rod());
    }
}
