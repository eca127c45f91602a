//! Robots without a loop: a four-legged one with twelve motors and a humanoid with twenty-nine, of the sizes, masses
//! and stiffnesses that such robots have. They stand on the plane z = 0 and hold themselves up.
//!
//! | | bodies | joints | loops | mobility |
//! |---|---|---|---|---|
//! | `quadruped` | 13 | 12 | 0 | 18 |
//! | `humanoid` | 30 | 29 | 0 | 35 |
//!
//! All link frames have the world's axes at the reference pose, and every axis is x, y or z.

use super::parts::{AMBER, CORAL, Color, INK, PLUM, SLATE, TEAL, ground, turn_z_to};
use crate::{Actuator, Body, BodyId, Geometry, Joint, Keyframe, ModelBuilder, Sensor, Shape, Site};
use bellcrank_math::{Pose, Vec3};

/// A link and the motor that carries it.
struct Segment {
    name: &'static str,
    axis: char,
    /// From the joint before to this one [m]; y counts outwards.
    from: [f64; 3],
    /// From this joint to the end of the link [m].
    to: [f64; 3],
    /// [kg]
    mass: f64,
}

/// How stiff the motors of a limb are.
#[derive(Clone, Copy)]
struct Motors {
    /// [N·m/rad]
    kp: f64,
    /// [N·m·s/rad]
    kd: f64,
    /// [kg·m²]
    armature: f64,
    /// [N·m]
    effort: f64,
}

/// Links in a row, on one side of the robot.
struct Limb<'a> {
    /// The beginning of all its names.
    name: String,
    /// +1 on the left, −1 on the right.
    side: f64,
    color: Color,
    motors: Motors,
    segments: &'a [Segment],
}

fn segment(name: &'static str, axis: char, from: [f64; 3], to: [f64; 3], mass: f64) -> Segment {
    Segment { name, axis, from, to, mass }
}

impl Limb<'_> {
    /// Gives the last link and where its joint is in the world [m].
    fn add(&self, b: &mut ModelBuilder, (first, mut at): (BodyId, Vec3)) -> (BodyId, Vec3) {
        let mut last = first;
        for part in self.segments {
            let mirrored = |[x, y, z]: [f64; 3]| Vec3::new(x, self.side * y, z);
            at += mirrored(part.from);
            let (name, to) = (format!("{}{}", self.name, part.name), mirrored(part.to));
            let thickness = 0.05;
            let size = Vec3::new(to.x.abs(), to.y.abs(), to.z.abs()) + Vec3::new(1.0, 1.0, 1.0) * thickness;
            let body = Body::new(&*name).at(Pose::from_position(at)).com(to * 0.5);
            let body = b.body(body.solid_box(part.mass, size));
            let look = Geometry::Capsule { radius: 0.5 * thickness, half_length: 0.5 * to.norm() };
            let middle = Pose::new(turn_z_to(to), to * 0.5);
            b.shape(Shape::new(&*name, body, look).at(middle).color(self.color).visual_only());
            let axis = match part.axis {
                'x' => Vec3::x_axis(),
                'y' => Vec3::y_axis(),
                _ => Vec3::z_axis(),
            };
            let joint = Joint::revolute(format!("{name}_joint"), last, body).placed(at, axis);
            let Motors { kp, kd, armature, effort } = self.motors;
            let joint = b.joint(joint.armature(armature).damping(0.05).limits(-1.5, 1.5));
            b.actuator(Actuator::position(format!("{name}_motor"), joint, kp, kd).effort_limit(effort));
            last = body;
        }
        (last, at)
    }
}

/// The floating box that carries the limbs.
fn add_trunk(b: &mut ModelBuilder, mass: f64, size: Vec3, height: f64) -> (BodyId, Vec3) {
    let at = Vec3::new(0.0, 0.0, height);
    let trunk = b.body(Body::new("trunk").at(Pose::from_position(at)).solid_box(mass, size));
    b.shape(Shape::new("trunk", trunk, Geometry::Box { half: size * 0.5 }).friction(0.5).color(SLATE));
    let imu = b.site(Site::new("imu", trunk));
    b.sensor(Sensor::imu("imu", imu));
    (trunk, at)
}

const THIGH: f64 = 0.213; // [m] hip to knee and knee to toe of the quadruped
const BEND: f64 = 0.85; // [rad] of the thigh from the vertical
const TOE: f64 = 0.022; // [m] radius of the rubber toe

/// A quadruped of 15 kg on bent legs, with balls for feet.
pub fn quadruped() -> ModelBuilder {
    let mut b = ModelBuilder::new("quadruped");
    ground(&mut b, 0.0);
    let height = TOE + 2.0 * THIGH * BEND.cos();
    let trunk = add_trunk(&mut b, 6.9, Vec3::new(0.38, 0.09, 0.11), height);
    let (back, down) = (-THIGH * BEND.sin(), -THIGH * BEND.cos());
    let motors = Motors { kp: 100.0, kd: 2.0, armature: 0.01, effort: 24.0 };
    for (leg, fore, side) in [
        ("front_left_", 1.0, 1.0),
        ("front_right_", 1.0, -1.0),
        ("rear_left_", -1.0, 1.0),
        ("rear_right_", -1.0, -1.0),
    ] {
        let segments = [
            segment("hip", 'x', [fore * 0.19, 0.047, 0.0], [0.0, 0.096, 0.0], 0.68),
            segment("thigh", 'y', [0.0, 0.096, 0.0], [back, 0.0, down], 1.15),
            segment("shank", 'y', [back, 0.0, down], [-back, 0.0, down], 0.19),
        ];
        let limb = Limb { name: leg.into(), side, color: TEAL, motors, segments: &segments };
        let (shank, _) = limb.add(&mut b, trunk);
        let toe = Shape::new(format!("{leg}toe"), shank, Geometry::Sphere { radius: TOE });
        b.shape(toe.at(Pose::translation(-back, 0.0, down)).friction(0.8).color(INK));
    }
    b.keyframe(Keyframe::new("stand"));
    b
}

const ANKLE: f64 = 0.035; // [m] height of the ankle's roll axis over the sole

/// A humanoid of 35 kg with flat soles.
pub fn humanoid() -> ModelBuilder {
    let mut b = ModelBuilder::new("humanoid");
    ground(&mut b, 0.0);
    let strong = Motors { kp: 300.0, kd: 6.0, armature: 0.03, effort: 120.0 };
    let weak = Motors { kp: 40.0, kd: 1.0, armature: 0.01, effort: 25.0 };
    let leg = [
        segment("hip_pitch", 'y', [0.0, 0.065, -0.1], [0.0, 0.052, -0.03], 1.35),
        segment("hip_roll", 'x', [0.0, 0.052, -0.03], [0.025, 0.0, -0.124], 1.52),
        segment("hip_yaw", 'z', [0.025, 0.0, -0.124], [-0.03, 0.0, -0.177], 1.7),
        segment("knee", 'y', [-0.03, 0.0, -0.177], [0.0, 0.0, -0.3], 1.93),
        segment("ankle_pitch", 'y', [0.0, 0.0, -0.3], [0.0, 0.0, -0.018], 0.07),
        segment("foot", 'x', [0.0, 0.0, -0.018], [0.03, 0.0, -0.02], 0.61),
    ];
    let height = ANKLE - leg.iter().map(|part| part.from[2]).sum::<f64>();
    let trunk = add_trunk(&mut b, 3.8, Vec3::new(0.12, 0.2, 0.1), height);
    let waist = [
        segment("waist_yaw", 'z', [0.0, 0.0, 0.04], [0.0, 0.0, 0.04], 0.5),
        segment("waist_roll", 'x', [0.0, 0.0, 0.04], [0.0, 0.0, 0.03], 0.2),
        segment("chest", 'y', [0.0, 0.0, 0.03], [0.0, 0.0, 0.24], 8.9),
    ];
    let limb = Limb { name: String::new(), side: 1.0, color: PLUM, motors: strong, segments: &waist };
    let chest = limb.add(&mut b, trunk);
    let arm = [
        segment("shoulder_pitch", 'y', [0.0, 0.1, 0.24], [0.0, 0.04, -0.01], 0.72),
        segment("shoulder_roll", 'x', [0.0, 0.04, -0.01], [0.0, 0.006, -0.1], 0.64),
        segment("shoulder_yaw", 'z', [0.0, 0.006, -0.1], [0.016, 0.0, -0.08], 0.73),
        segment("elbow", 'y', [0.016, 0.0, -0.08], [0.1, 0.0, -0.01], 0.6),
        segment("wrist_roll", 'x', [0.1, 0.002, -0.01], [0.038, 0.0, 0.0], 0.09),
        segment("wrist_pitch", 'y', [0.038, 0.0, 0.0], [0.046, 0.0, 0.0], 0.48),
        segment("hand", 'z', [0.046, 0.0, 0.0], [0.08, 0.0, 0.0], 0.25),
    ];
    for (name, side) in [("left_", 1.0), ("right_", -1.0)] {
        let limb = Limb { name: name.into(), side, color: TEAL, motors: strong, segments: &leg };
        let (foot, _) = limb.add(&mut b, trunk);
        let half = Vec3::new(0.1, 0.035, 0.01);
        let sole = Shape::new(format!("{name}sole"), foot, Geometry::Box { half });
        b.shape(sole.at(Pose::translation(0.03, 0.0, half.z - ANKLE)).friction(0.8).color(INK));
        let color = if side > 0.0 { AMBER } else { CORAL };
        Limb { name: name.into(), side, color, motors: weak, segments: &arm }.add(&mut b, chest);
    }
    b.keyframe(Keyframe::new("stand"));
    b
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;
    use crate::Model;

    fn centre_of_mass(model: &Model) -> Vec3 {
        let moment = model.bodies().iter().fold(Vec3::zero(), |sum, body| sum + body.X_WB().p * body.mass);
        moment * (1.0 / model.mass())
    }

    #[test]
    fn the_quadruped_has_twelve_motors_and_a_floating_trunk() {
        let figures = Figures { bodies: 13, joints: 12, loops: 0, mobility: 18, redundant: 0 };
        assert_eq!(figures.check(quadruped()).actuators().len(), 12);
    }

    #[test]
    fn the_humanoid_has_twenty_nine_motors_and_a_floating_trunk() {
        let figures = Figures { bodies: 30, joints: 29, loops: 0, mobility: 35, redundant: 0 };
        assert_eq!(figures.check(humanoid()).actuators().len(), 29);
    }

    /// Toes stand 0.19 m before and behind the middle, straight under their hips.
    #[test]
    fn the_quadruped_stands_over_its_toes() {
        let com = centre_of_mass(&quadruped().build().expect("builds"));
        assert!(com.x.abs() < 0.19 && com.y.abs() < 1e-12, "{com:?}");
    }

    /// A sole reaches from 0.07 m behind the ankle to 0.13 m before it; the ankle is 0.005 m behind the middle. Leaning by θ
    /// moves the weight by m g h θ against two ankles, two knees and two hips in a row, each 300 N·m/rad: they hold while
    /// m g h is less than 2 · 300 / 3 = 200 N·m/rad were the mass all above the hips, and 2 · 300 = 600 were it all above
    /// the ankles only. 35 kg at 0.7 m give 240.
    #[test]
    fn the_humanoid_stands_over_its_soles_and_its_ankles_hold_it() {
        let model = humanoid().build().expect("builds");
        let com = centre_of_mass(&model);
        assert!(com.x > -0.075 + 0.03 && com.x < 0.125 - 0.03 && com.y.abs() < 1e-12, "{com:?}");
        assert!(model.mass() * 9.81 * com.z < 2.0 * 300.0, "{}", model.mass() * 9.81 * com.z);
    }
}
