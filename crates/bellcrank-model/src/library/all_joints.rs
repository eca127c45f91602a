//! One follower on every kind of joint, hanging off a tilted base: for tests of joints, importers and
//! drawings.
//!
//! 12 bodies, 12 joints, no loop. Freedoms: fixed 0 (twice), revolute 1, prismatic 1, screw 1, cylindrical 2,
//! universal 2, spherical 3, gimbal 3, planar 3, cartesian 3, free 6: mobility 25. Base, followers and joint
//! frames are all turned differently, so that a frame mixed up with another shows.

use super::parts::{AMBER, CORAL, PLUM, SAND, SLATE, TEAL};
use crate::{Body, BodyId, Geometry, Joint, ModelBuilder, Shape, WORLD};
use bellcrank_math::{Pose, Quat, Vec3};

const SPACING: f64 = 0.22; // [m] between neighbours
const SIZE: Vec3 = Vec3 { x: 0.06, y: 0.08, z: 0.12 }; // [m] of a follower
const MASS: f64 = 0.4; // [kg] of a follower

/// The base, fixed to the world, and its eleven followers, each named after its joint.
pub fn all_joints() -> ModelBuilder {
    let mut b = ModelBuilder::new("all_joints");
    let tilt = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 0.3);
    let size = Vec3::new(11.0 * SPACING, 0.08, 0.05);
    let base = b.body(Body::new("base").at(Pose::new(tilt, Vec3::z_axis())).solid_box(8.0, size));
    b.shape(Shape::new("base", base, Geometry::Box { half: size * 0.5 }).color(SLATE).visual_only());
    b.joint(Joint::fixed("mount", WORLD, base).placed_pose(Pose::new(tilt, Vec3::z_axis())));

    for (place, (kind, joint)) in KINDS.iter().enumerate() {
        let (follower, X_WJ) = add_follower(&mut b, kind, place);
        b.joint(joint(kind, base, follower).placed_pose(X_WJ));
    }
    b
}

/// What makes a joint from its name, predecessor and successor.
type Make = fn(&str, BodyId, BodyId) -> Joint;

/// Every kind of joint, in the order of their places along the base.
const KINDS: [(&str, Make); 11] = [
    ("fixed", |n, p, s| Joint::fixed(n, p, s)),
    ("revolute", |n, p, s| Joint::revolute(n, p, s).limits(-1.5, 1.5).damping(0.02)),
    ("prismatic", |n, p, s| Joint::prismatic(n, p, s).limits(-0.1, 0.1).spring(200.0, 0.0).damping(2.0)),
    ("cylindrical", |n, p, s| Joint::cylindrical(n, p, s)),
    ("universal", |n, p, s| Joint::universal(n, p, s)),
    ("spherical", |n, p, s| Joint::spherical(n, p, s)),
    ("gimbal", |n, p, s| Joint::gimbal(n, p, s)),
    ("planar", |n, p, s| Joint::planar(n, p, s)),
    ("cartesian", |n, p, s| Joint::cartesian(n, p, s)),
    ("screw", |n, p, s| Joint::screw(n, p, s, 0.01)),
    ("free", |n, p, s| Joint::free(n, p, s)),
];

/// A box below the base; gives it back with the pose its joint shall have.
fn add_follower(b: &mut ModelBuilder, kind: &str, place: usize) -> (BodyId, Pose) {
    let colors = [TEAL, AMBER, CORAL, PLUM, SAND];
    let name = format!("{kind}_follower");
    let x = (place as f64 - 5.0) * SPACING;
    let turn = |axis: Vec3, angle: f64| Quat::from_axis_angle(axis, angle);
    let X_WJ = Pose::new(turn(Vec3::y_axis(), 0.5 + 0.2 * place as f64), Vec3::new(x, 0.0, 0.9));
    let X_WL = Pose::new(turn(Vec3::z_axis(), 0.3 * place as f64 - 1.2), Vec3::new(x, 0.0, 0.8));
    let id = b.body(Body::new(&*name).at(X_WL).com(Vec3::new(0.0, 0.0, -0.01)).solid_box(MASS, SIZE));
    let look = Shape::new(name, id, Geometry::Box { half: SIZE * 0.5 });
    b.shape(look.color(colors[place % colors.len()]).visual_only());
    (id, X_WJ)
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn every_joint_leaves_the_freedoms_it_should() {
        Figures { bodies: 12, joints: 12, loops: 0, mobility: 25, redundant: 0 }.check(all_joints());
    }
}
