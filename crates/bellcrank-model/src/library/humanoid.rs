//! A humanoid of human size and 175 kg, as hydraulic ones were: 31 bodies on 30 hinges, no loop.
//!
//! Pelvis, three segments of the back and a head (5 bodies), seven per arm, six per leg: 5 + 14 + 12 = 31. Mobility
//! 30 + 6 = 36. Nineteen balls touch the ground: four under each foot, and eleven on pelvis, chest, head, elbows, hands
//! and knees. Parts of the body do not touch each other.
//!
//! Motors are bare efforts; hinges resist by damping and a soft spring, so that left alone it sinks to the ground, which
//! is the published drop test of hard contact.

use super::parts::{AMBER, CORAL, Color, INK, PLUM, SAND, SLATE, TEAL, ground};
use crate::{Actuator, Body, BodyId, Geometry, Joint, Keyframe, ModelBuilder, Sensor, Shape, Site};
use bellcrank_math::{Pose, Vec3};

/// What resists in every hinge.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Humanoid {
    /// [N·m·s/rad]
    pub damping: f64,
    /// Towards the upright pose [N·m/rad].
    pub stiffness: f64,
}

impl Default for Humanoid {
    fn default() -> Self {
        Humanoid { damping: 25.0, stiffness: 1.0 }
    }
}

/// Standing on the plane z = 0, arms down.
pub fn humanoid() -> ModelBuilder {
    Humanoid::default().builder()
}

/// A segment: the hinge to the part before it, and a box about its centre of mass, all in the world, upright.
struct Segment {
    name: &'static str,
    /// Height of the hinge and of the centre [m].
    hinge: f64,
    centre: f64,
    axis: Vec3,
    size: Vec3,
    mass: f64,
    color: Color,
}

const X: Vec3 = Vec3 { x: 1.0, y: 0.0, z: 0.0 };
const Y: Vec3 = Vec3 { x: 0.0, y: 1.0, z: 0.0 };
const Z: Vec3 = Vec3 { x: 0.0, y: 0.0, z: 1.0 };

const fn size(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3 { x, y, z }
}

const fn part(
    name: &'static str,
    (hinge, centre): (f64, f64),
    axis: Vec3,
    size: Vec3,
    (mass, color): (f64, Color),
) -> Segment {
    Segment { name, hinge, centre, axis, size, mass, color }
}

const SPINE: [Segment; 4] = [
    part("lower_back", (1.03, 1.06), Z, size(0.14, 0.16, 0.06), (3.0, SAND)),
    part("middle_back", (1.10, 1.13), Y, size(0.14, 0.16, 0.06), (3.0, SAND)),
    part("chest", (1.17, 1.38), X, size(0.28, 0.34, 0.42), (58.0, SLATE)),
    part("head", (1.64, 1.74), Y, size(0.18, 0.16, 0.20), (4.5, TEAL)),
];

const ARM: [Segment; 7] = [
    part("clavicle", (1.52, 1.52), Z, size(0.12, 0.10, 0.14), (4.5, PLUM)),
    part("scapula", (1.52, 1.52), X, size(0.12, 0.10, 0.12), (3.9, SAND)),
    part("upper_arm", (1.52, 1.42), Y, size(0.09, 0.09, 0.20), (4.4, AMBER)),
    part("elbow", (1.30, 1.25), X, size(0.08, 0.08, 0.10), (3.0, SAND)),
    part("forearm", (1.20, 1.12), Z, size(0.07, 0.07, 0.16), (2.6, CORAL)),
    part("wrist", (1.03, 1.01), X, size(0.06, 0.06, 0.05), (1.0, SAND)),
    part("hand", (0.98, 0.92), Y, size(0.08, 0.04, 0.12), (1.2, INK)),
];
const ARM_Y: [f64; 7] = [0.21, 0.29, 0.36, 0.36, 0.36, 0.36, 0.36]; // [m] centres beside the middle

const LEG: [Segment; 6] = [
    part("hip_yaw", (0.85, 0.83), Z, size(0.09, 0.09, 0.05), (1.9, SAND)),
    part("hip_roll", (0.80, 0.79), X, size(0.09, 0.09, 0.05), (2.0, SAND)),
    part("thigh", (0.76, 0.58), Y, size(0.13, 0.13, 0.34), (10.5, AMBER)),
    part("shin", (0.40, 0.24), Y, size(0.10, 0.10, 0.30), (6.5, CORAL)),
    part("ankle", (0.085, 0.085), Y, size(0.06, 0.06, 0.04), (0.8, SAND)),
    part("foot", (0.075, 0.045), X, size(0.26, 0.13, 0.04), (2.4, INK)),
];
const LEG_Y: f64 = 0.11; // [m]
const FOOT_X: f64 = 0.03; // [m] middle of the foot before the ankle
const SOLE: f64 = 0.025; // [m] radius of the balls under the foot

impl Humanoid {
    /// The model, not yet built.
    pub fn builder(self) -> ModelBuilder {
        let mut b = ModelBuilder::new("humanoid");
        ground(&mut b, 0.0);
        let pelvis_size = size(0.20, 0.26, 0.18);
        let at = Pose::translation(0.0, 0.0, 0.93);
        let pelvis = b.body(Body::new("pelvis").at(at).solid_box(17.0, pelvis_size));
        look(&mut b, "pelvis", pelvis, pelvis_size, SLATE);
        let imu = b.site(Site::new("imu", pelvis));
        b.sensor(Sensor::imu("imu", imu));
        let mut chest = pelvis;
        let mut last = pelvis;
        for segment in &SPINE {
            last = self.add(&mut b, last, segment.name, segment, Vec3::zero());
            chest = if segment.name == "chest" { last } else { chest };
        }
        for (x, name) in [(-0.13, "back"), (0.13, "breast")] {
            touch(&mut b, name, chest, Vec3::new(x, 0.0, 0.1), 0.10);
        }
        touch(&mut b, "crown", last, Vec3::zero(), 0.12);
        for (x, name) in [(-0.06, "seat"), (0.06, "belly")] {
            touch(&mut b, name, pelvis, Vec3::new(x, 0.0, -0.02), 0.12);
        }
        for (side, sign) in [("left", 1.0), ("right", -1.0)] {
            self.add_arm(&mut b, chest, side, sign);
            self.add_leg(&mut b, pelvis, side, sign);
        }
        b.keyframe(Keyframe::new("stand"));
        b
    }

    fn add_arm(self, b: &mut ModelBuilder, chest: BodyId, side: &str, sign: f64) {
        let mut last = chest;
        for (segment, y) in ARM.iter().zip(ARM_Y) {
            let name = format!("{side}_{}", segment.name);
            last = self.add(b, last, &name, segment, Vec3::new(0.0, sign * y, 0.0));
            if segment.name == "elbow" {
                touch(b, &format!("{side}_elbow_pad"), last, Vec3::zero(), 0.06);
            }
        }
        touch(b, &format!("{side}_palm"), last, Vec3::zero(), 0.06);
    }

    fn add_leg(self, b: &mut ModelBuilder, pelvis: BodyId, side: &str, sign: f64) {
        let mut last = pelvis;
        for segment in &LEG {
            let name = format!("{side}_{}", segment.name);
            let x = if segment.name == "foot" { FOOT_X } else { 0.0 };
            last = self.add(b, last, &name, segment, Vec3::new(x, sign * LEG_Y, 0.0));
            if segment.name == "shin" {
                touch(b, &format!("{side}_knee_pad"), last, Vec3::new(0.0, 0.0, 0.13), 0.07);
            }
        }
        for (k, (x, y)) in [(0.11, 0.05), (0.11, -0.05), (-0.11, 0.05), (-0.11, -0.05)].iter().enumerate() {
            touch(b, &format!("{side}_sole{k}"), last, Vec3::new(*x, *y, SOLE - 0.045), SOLE);
        }
        b.site(Site::new(format!("{side}_sole"), last));
    }

    /// A body with its hinge and motor; `aside` moves the segment from the middle plane.
    fn add(self, b: &mut ModelBuilder, last: BodyId, name: &str, segment: &Segment, aside: Vec3) -> BodyId {
        let centre = aside + Z * segment.centre;
        let body = Body::new(name).at(Pose::from_position(centre));
        let body = b.body(body.solid_box(segment.mass, segment.size));
        look(b, name, body, segment.size, segment.color);
        // shoulders are hinged before their boxes, towards the chest
        let inward = if segment.hinge == segment.centre { -0.05 * aside.y.signum() } else { 0.0 };
        let at = Vec3::new(0.0, aside.y + if aside.y == 0.0 { 0.0 } else { inward }, segment.hinge);
        let joint = format!("{name}_hinge");
        let hinge = Joint::revolute(&*joint, last, body).placed(at, segment.axis);
        b.joint(hinge.damping(self.damping).spring(self.stiffness, 0.0));
        b.actuator(Actuator::effort(format!("{name}_motor"), &*joint).effort_limit(400.0));
        body
    }
}

fn look(b: &mut ModelBuilder, name: &str, body: BodyId, size: Vec3, color: Color) {
    let shape = Shape::new(name, body, Geometry::Box { half: size * 0.5 });
    b.shape(shape.color(color).visual_only());
}

/// A ball that touches the ground and no other part.
fn touch(b: &mut ModelBuilder, name: &str, body: BodyId, at: Vec3, radius: f64) {
    let ball = Shape::new(name, body, Geometry::Sphere { radius }).at(Pose::from_position(at));
    b.shape(ball.friction(0.5).groups(2, 1).color(INK));
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn thirty_hinges_and_a_floating_base_have_thirty_six_freedoms() {
        let figures = Figures { bodies: 31, joints: 30, loops: 0, mobility: 36, redundant: 0 };
        let model = figures.check(humanoid());
        let touching = model.shapes().iter().filter(|shape| shape.collides).count();
        assert_eq!((model.actuators().len(), touching), (30, 20)); // nineteen balls and the ground
        // 17 + 68.5 + 2 · 20.6 + 2 · 24.1 kg
        assert!((model.mass() - 174.9).abs() < 1e-9, "{}", model.mass());
    }
}
