//! An arm of seven hinges with a gripper of two fingers, bolted to the world.
//!
//! 9 bodies, 9 joints, mobility 9; nothing touches.

use super::parts::{AMBER, CORAL, INK, PLUM, SAND, SLATE, TEAL};
use crate::{Actuator, Body, Geometry, Joint, Keyframe, ModelBuilder, Shape, Site, WORLD};
use bellcrank_math::{Pose, Vec3};

/// Hinge height and place [m], axis, centre of the link [m], its size [m] and mass [kg].
type Link = ([f64; 3], Vec3, [f64; 3], [f64; 3], f64);

const Y: Vec3 = Vec3 { x: 0.0, y: 1.0, z: 0.0 };
const Z: Vec3 = Vec3 { x: 0.0, y: 0.0, z: 1.0 };

/// Stretched upwards, with the last two links hanging forward.
const LINKS: [Link; 7] = [
    ([0.0, 0.0, 0.14], Z, [0.0, 0.0, 0.25], [0.11, 0.11, 0.22], 3.0),
    ([0.0, 0.0, 0.33], Y, [0.0, 0.0, 0.42], [0.11, 0.12, 0.20], 3.0),
    ([0.0, 0.0, 0.53], Z, [0.03, 0.0, 0.60], [0.12, 0.11, 0.16], 2.5),
    ([0.08, 0.0, 0.65], Y, [0.03, 0.0, 0.74], [0.12, 0.11, 0.16], 2.5),
    ([0.0, 0.0, 0.85], Z, [0.0, 0.02, 0.94], [0.10, 0.12, 0.22], 2.8),
    ([0.0, 0.0, 1.03], Y, [0.05, 0.0, 1.04], [0.15, 0.10, 0.10], 1.5),
    ([0.09, 0.0, 1.00], Z, [0.09, 0.0, 0.93], [0.08, 0.16, 0.12], 1.2),
];
const FINGER: [f64; 3] = [0.02, 0.015, 0.05]; // [m]

/// The arm, nine position-controlled motors.
pub fn arm() -> ModelBuilder {
    let mut b = ModelBuilder::new("arm");
    let mut last = WORLD;
    let vector = |[x, y, z]: [f64; 3]| Vec3::new(x, y, z);
    let colors = [SLATE, AMBER, SAND, AMBER, CORAL, PLUM, TEAL];
    for (k, ((at, axis, centre, size, mass), color)) in LINKS.into_iter().zip(colors).enumerate() {
        let (name, joint) = (format!("link{}", k + 1), format!("joint{}", k + 1));
        let body =
            b.body(Body::new(&*name).at(Pose::from_position(vector(centre))).solid_box(mass, vector(size)));
        let look = Shape::new(name, body, Geometry::Box { half: vector(size) * 0.5 });
        b.shape(look.color(color).visual_only());
        let hinge = Joint::revolute(&*joint, last, body).placed(vector(at), axis).limits(-2.8, 2.8);
        b.joint(hinge.damping(5.0).armature(0.1));
        let motor = Actuator::position(format!("motor{}", k + 1), &*joint, 400.0, 20.0);
        b.actuator(motor.effort_limit(87.0));
        last = body.into();
    }
    for (name, side) in [("left_finger", 1.0), ("right_finger", -1.0)] {
        let at = Vec3::new(0.09, side * 0.03, 0.845);
        let body = b.body(Body::new(name).at(Pose::from_position(at)).solid_box(0.1, vector(FINGER)));
        let look = Shape::new(name, body, Geometry::Box { half: vector(FINGER) * 0.5 });
        b.shape(look.color(INK).visual_only());
        let joint = format!("{name}_slide");
        let slide = Joint::prismatic(&*joint, last.clone(), body).placed(at, Y * side).limits(-0.02, 0.02);
        b.joint(slide.damping(5.0));
        b.actuator(Actuator::position(format!("{name}_motor"), &*joint, 1000.0, 20.0).effort_limit(40.0));
    }
    b.site(Site::new("tool", last).at(Pose::translation(0.0, 0.0, -0.11)));
    b.keyframe(Keyframe::new("up"));
    b
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn seven_hinges_and_two_fingers_have_nine_freedoms() {
        let figures = Figures { bodies: 9, joints: 9, loops: 0, mobility: 9, redundant: 0 };
        assert_eq!(figures.check(arm()).actuators().len(), 9);
    }
}
