//! A four-legged robot without loops, of the size of a dog: trunk, and per leg hip, thigh and calf in series.
//!
//! 1 + 4·3 = 13 bodies, 12 hinges, mobility 18. Only the feet touch the ground.

use super::parts::{AMBER, CORAL, INK, PLUM, SLATE, ground};
use crate::{Actuator, Body, BodyId, Geometry, Joint, Keyframe, ModelBuilder, Sensor, Shape, Site};
use bellcrank_math::{Pose, Vec3};

const TRUNK: Vec3 = Vec3 { x: 0.36, y: 0.19, z: 0.11 }; // [m] full size
const HIP: [f64; 2] = [0.18, 0.05]; // [m] middle of the trunk to the abduction axis
const THIGH_Y: f64 = 0.085; // [m] abduction axis to the leg's plane
const BONE: f64 = 0.20; // [m] thigh and calf each
const BEND: f64 = 0.75; // [rad] thigh back and calf forward of the vertical, standing
const TOE: f64 = 0.021; // [m] radius of the foot
const LIMITS: [[f64; 2]; 3] = [[-0.8, 0.8], [-1.5, 2.5], [-1.1, 1.2]]; // [rad] about the standing pose

/// The robot standing on the plane z = 0, twelve position-controlled motors.
pub fn quadruped() -> ModelBuilder {
    let mut b = ModelBuilder::new("quadruped");
    ground(&mut b, 0.0);
    let height = TOE + 2.0 * BONE * BEND.cos();
    let trunk = b.body(Body::new("trunk").at(Pose::translation(0.0, 0.0, height)).solid_box(6.0, TRUNK));
    let look = Shape::new("trunk", trunk, Geometry::Box { half: TRUNK * 0.5 });
    b.shape(look.color(SLATE).visual_only());
    let imu = b.site(Site::new("imu", trunk));
    b.sensor(Sensor::imu("imu", imu));
    for (leg, fore, left) in [
        ("front_left", 1.0, 1.0),
        ("front_right", 1.0, -1.0),
        ("rear_left", -1.0, 1.0),
        ("rear_right", -1.0, -1.0),
    ] {
        add_leg(&mut b, trunk, leg, Vec3::new(fore * HIP[0], left * HIP[1], height), left);
    }
    b.keyframe(Keyframe::new("stand"));
    b
}

/// One leg from its abduction axis on; `left` is +1 on the left side and −1 on the right.
fn add_leg(b: &mut ModelBuilder, trunk: BodyId, leg: &str, pivot: Vec3, left: f64) {
    let top = pivot + Vec3::y_axis() * (left * THIGH_Y);
    let knee = top + Vec3::new(-BEND.sin(), 0.0, -BEND.cos()) * BONE;
    let toe = knee + Vec3::new(BEND.sin(), 0.0, -BEND.cos()) * BONE;
    let block = Vec3::new(0.09, 0.06, 0.07);
    let at = Pose::from_position(pivot + Vec3::y_axis() * (left * 0.03));
    let hip = b.body(Body::new(format!("{leg}_hip")).at(at).solid_box(0.7, block));
    let look = Shape::new(format!("{leg}_hip"), hip, Geometry::Box { half: block * 0.5 });
    b.shape(look.color(PLUM).visual_only());
    let thigh =
        super::parts::bar(b, &format!("{leg}_thigh"), top, knee, super::parts::stock(0.02, 1.0, AMBER));
    let calf =
        super::parts::bar(b, &format!("{leg}_calf"), knee, toe, super::parts::stock(0.012, 0.17, CORAL));
    let hinges = [
        ("abduction", trunk, hip, pivot, Vec3::x_axis()),
        ("hip", hip, thigh, top, Vec3::y_axis()),
        ("knee", thigh, calf, knee, Vec3::y_axis()),
    ];
    for ((name, from, to, at, axis), [low, high]) in hinges.into_iter().zip(LIMITS) {
        let name = format!("{leg}_{name}");
        let hinge = Joint::revolute(&*name, from, to).placed(at, axis).limits(low, high);
        b.joint(hinge.damping(0.2).armature(0.01));
        b.actuator(Actuator::position(format!("{name}_motor"), &*name, 60.0, 1.5).effort_limit(33.0));
    }
    let tip = Pose::translation(0.0, 0.0, BONE);
    let foot = Shape::new(format!("{leg}_toe"), calf, Geometry::Sphere { radius: TOE });
    b.shape(foot.at(tip).friction(0.8).groups(2, 1).color(INK));
    b.site(Site::new(format!("{leg}_toe"), calf).at(tip));
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn twelve_hinges_and_a_floating_trunk_have_eighteen_freedoms() {
        let figures = Figures { bodies: 13, joints: 12, loops: 0, mobility: 18, redundant: 0 };
        let model = figures.check(quadruped());
        assert_eq!(model.actuators().len(), 12);
        assert!((model.mass() - (6.0 + 4.0 * 1.87)).abs() < 1e-9);
    }
}
