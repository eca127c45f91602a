//! A four-legged robot whose legs are five-bar linkages: both leg motors sit at the hip, the shanks are
//! light.
//!
//! ```text
//!        hip             per leg: abduction hinge (about x) between trunk and hip; on the hip two cranks,
//!      o-----o           fore and aft, each with a shank; the shanks meet at the toe
//!     /       \  cranks  bodies 1 + 4·5 = 21, hinges 4·6 = 24, one loop per leg
//!    o         o         in the plane of a leg: 3·4 − 2·5 = 2 freedoms, with abduction 3
//!     \       /  shanks  mobility 6 + 4·3 = 18; rows 120, rank 6·21 − 18 = 108, 12 redundant
//!       \   /
//!         o  toe
//! ```

use super::parts::{AMBER, CORAL, INK, PLUM, SLATE, TEAL, bar, ground, stock};
use crate::{Actuator, Body, BodyId, Geometry, Joint, Keyframe, ModelBuilder, Sensor, Shape, Site};
use bellcrank_math::{Pose, Quat, Vec3};
use std::f64::consts::FRAC_PI_2;

const TRUNK: Vec3 = Vec3 { x: 0.42, y: 0.14, z: 0.10 }; // [m] full size
const TRUNK_MASS: f64 = 5.0; // [kg]
const HIP_X: f64 = 0.17; // [m] middle of the trunk to the legs, fore and aft
const ABDUCTION_Y: f64 = 0.06; // [m] middle of the trunk to the abduction axes
const LEG_Y: f64 = 0.045; // [m] abduction axis to the plane of the leg
const AXLE: f64 = 0.03; // [m] middle of the hip to each crank's axle
const CRANK: f64 = 0.11; // [m]
const SHANK: f64 = 0.20; // [m]
const CRANK_ANGLE: f64 = 0.8; // [rad] cranks below the horizontal, standing
const TOE: f64 = 0.018; // [m] radius of the rubber toe
const KNEE: f64 = 0.014; // [m] radius of knees that touch
const SHIELD: f64 = 0.18; // [m] radius of the round shields to roll on
const SHIELD_X: f64 = 0.36; // [m] middle of the trunk to the shields, fore and aft of all that legs reach
const SUNK: f64 = 0.05; // [m] how far the trunk hangs below the middle of hips and shields, so that it rolls upright
// Who touches whom where the robot tumbles: legs and shields touch trunk and ground, not each other.
const BODY: u32 = 1;
const LEGS: u32 = 2;
const SHIELDS: u32 = 4;

/// The robot standing on the plane z = 0, twelve position-controlled motors.
pub fn five_bar_quadruped() -> ModelBuilder {
    quadruped("five_bar_quadruped", Build::Walks)
}

/// The same between two round shields, with a trunk that hangs low and knees that touch. With its legs tucked in it rolls upright from any side,
/// and with its legs out it lies where it fell: after a fall it has to tuck them in, to roll, and to push itself up.
pub fn tumbling_quadruped() -> ModelBuilder {
    quadruped("tumbling_quadruped", Build::Tumbles)
}

/// What the robot is built for.
#[derive(Clone, Copy, PartialEq)]
enum Build {
    Walks,
    Tumbles,
}

/// The robot on its feet.
fn quadruped(name: &str, build: Build) -> ModelBuilder {
    let mut b = ModelBuilder::new(name);
    ground(&mut b, 0.0);
    let sunk = if build == Build::Tumbles { SUNK } else { 0.0 };
    let at = Pose::translation(0.0, 0.0, hip_height() - sunk);
    let trunk = b.body(Body::new("trunk").at(at).solid_box(TRUNK_MASS, TRUNK));
    b.shape(Shape::new("trunk", trunk, Geometry::Box { half: TRUNK * 0.5 }).friction(0.5).color(SLATE));
    if build == Build::Tumbles {
        add_shields(&mut b, trunk);
    }
    let imu = b.site(Site::new("imu", trunk));
    b.sensor(Sensor::imu("imu", imu));
    for (name, fore, left) in [
        ("front_left", 1.0, 1.0),
        ("front_right", 1.0, -1.0),
        ("rear_left", -1.0, 1.0),
        ("rear_right", -1.0, -1.0),
    ] {
        add_leg(&mut b, trunk, name, Place { x: fore * HIP_X, left, build });
    }
    b.keyframe(Keyframe::new("stand"));
    b
}

/// Drop from the hip to the knees, and from the knees to the toe [m].
fn drops() -> (f64, f64) {
    let across = AXLE + CRANK * CRANK_ANGLE.cos();
    (CRANK * CRANK_ANGLE.sin(), (SHANK * SHANK - across * across).sqrt())
}

/// Height of the hips when the toes touch the ground [m].
fn hip_height() -> f64 {
    TOE + drops().0 + drops().1
}

/// Shields like lenses fore and aft, and the spar that carries them; their weight is in the trunk's.
fn add_shields(b: &mut ModelBuilder, trunk: BodyId) {
    let across = Quat::from_axis_angle(Vec3::y_axis(), FRAC_PI_2);
    let spar = Geometry::Capsule { radius: 0.012, half_length: SHIELD_X };
    let at = Pose::new(across, Vec3::z_axis() * SUNK);
    b.shape(Shape::new("spar", trunk, spar).at(at).color(INK).visual_only());
    for (name, x) in [("front_shield", SHIELD_X), ("rear_shield", -SHIELD_X)] {
        let shield = Geometry::Ellipsoid { radii: Vec3::new(0.03, SHIELD, SHIELD) };
        let at = Pose::translation(x, 0.0, SUNK);
        b.shape(Shape::new(name, trunk, shield).at(at).friction(0.5).groups(SHIELDS, BODY).color(PLUM));
    }
}

/// Where a leg is on the trunk [m], +1 on the left side and −1 on the right.
struct Place {
    x: f64,
    left: f64,
    build: Build,
}

/// One leg.
fn add_leg(b: &mut ModelBuilder, trunk: BodyId, leg: &str, Place { x, left, build }: Place) {
    let pivot = Vec3::new(x, left * ABDUCTION_Y, hip_height());
    let centre = pivot + Vec3::y_axis() * (left * LEG_Y);
    let size = Vec3::new(0.10, 0.05, 0.06);
    let hip = b.body(Body::new(format!("{leg}_hip")).at(Pose::from_position(centre)).solid_box(0.45, size));
    let look = Shape::new(format!("{leg}_hip"), hip, Geometry::Box { half: size * 0.5 });
    b.shape(look.color(PLUM).visual_only());
    let name = format!("{leg}_abduction");
    let joint = Joint::revolute(&*name, trunk, hip).placed(pivot, Vec3::x_axis()).limits(-0.6, 0.6);
    drive(b, &name, joint);

    let toe = Vec3::new(x, centre.y, TOE);
    let [fore_shank, aft_shank] = [("fore", 1.0), ("aft", -1.0)].map(|(half, sign)| {
        let axle = centre + Vec3::x_axis() * (sign * AXLE);
        let knee = axle + Vec3::new(sign * CRANK * CRANK_ANGLE.cos(), 0.0, -CRANK * CRANK_ANGLE.sin());
        let crank = bar(b, &format!("{leg}_{half}_crank"), axle, knee, stock(0.012, 0.14, AMBER));
        let color = if sign > 0.0 { TEAL } else { CORAL };
        let shank = bar(b, &format!("{leg}_{half}_shank"), knee, toe, stock(0.008, 0.09, color));
        if build == Build::Tumbles {
            let cap = Shape::new(format!("{leg}_{half}_knee"), shank, Geometry::Sphere { radius: KNEE });
            b.shape(cap.friction(0.5).groups(LEGS, BODY).color(INK));
        }
        let name = format!("{leg}_{half}_hip");
        let joint = Joint::revolute(&*name, hip, crank).placed(axle, Vec3::y_axis()).limits(-0.9, 0.9);
        drive(b, &name, joint);
        b.joint(Joint::revolute(format!("{leg}_{half}_knee"), crank, shank).placed(knee, Vec3::y_axis()));
        shank
    });
    b.joint(Joint::revolute(format!("{leg}_toe"), fore_shank, aft_shank).placed(toe, Vec3::y_axis()));
    let tip = Pose::translation(0.0, 0.0, SHANK);
    let rubber = Shape::new(format!("{leg}_toe"), fore_shank, Geometry::Sphere { radius: TOE });
    let rubber = if build == Build::Tumbles { rubber.groups(LEGS, BODY) } else { rubber };
    b.shape(rubber.at(tip).friction(0.9).color(INK));
    b.site(Site::new(format!("{leg}_toe"), fore_shank).at(tip));
}

/// Adds the joint with its geared motor; 80 N·m/rad lets the standing robot sag by less than 0.03 rad.
fn drive(b: &mut ModelBuilder, name: &str, joint: Joint) {
    let joint = b.joint(joint.armature(0.01).damping(0.05).velocity_limit(20.0));
    b.actuator(Actuator::position(format!("{name}_motor"), joint, 80.0, 2.0).effort_limit(15.0));
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn four_five_bars_on_abduction_hinges_have_twelve_freedoms_and_the_trunk_six() {
        let figures = || Figures { bodies: 21, joints: 24, loops: 4, mobility: 18, redundant: 12 };
        for robot in [five_bar_quadruped(), tumbling_quadruped()] {
            assert_eq!(figures().check(robot).actuators().len(), 12);
        }
    }

    /// Virtual work: both cranks of a leg down by dθ lower the hip by (C cos θ + w C sin θ / s) dθ, where w
    /// is a knee's distance from the middle and s the shanks' drop; each leg bears a quarter of the weight.
    #[test]
    fn standing_sags_by_less_than_three_hundredths_of_a_radian() {
        let model = five_bar_quadruped().build().expect("builds");
        let load = 0.25 * 9.81 * model.mass();
        let (crank_drop, shank_drop) = drops();
        let across = CRANK * CRANK_ANGLE.cos();
        let rate = across + (AXLE + across) * crank_drop / shank_drop;
        let hip_torque = 0.5 * load * rate;
        let abduction_torque = load * LEG_Y;
        assert!(
            hip_torque / 80.0 < 0.03 && abduction_torque / 80.0 < 0.03,
            "{hip_torque} {abduction_torque}"
        );
    }
}
