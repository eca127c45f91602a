//! A hand of four fingers, palm up: three in a row and a thumb that faces them. The far half of each finger bends through a four-bar.
//!
//! ```text
//!        T
//!         \        per finger: abduction at the knuckle K (motor), flexion at A (motor), and at C on the near
//!     B----\-D     phalanx a crank (motor) whose rod E–D turns the far phalanx about B
//!    /     /       5 bodies, 6 hinges, 1 loop
//!   C-----E        rows: 6 · 5 = 30, three of them redundant in the planar loop; freedoms 6·5 − 27 = 3
//!  A
//!   K              palm
//! ```
//!
//! Phalanges and palm touch what is held (shapes of group 2), not one another.

use super::parts::{AMBER, CORAL, INK, PLUM, SAND, SLATE, TEAL, bar, stock};
use crate::{Actuator, BodyId, Geometry, Joint, Keyframe, ModelBuilder, Shape, Site, WORLD};
use bellcrank_math::{Pose, Quat, Vec3};

/// Knuckles: name, place on the palm [m], and whether the finger points along +x or, as the thumb, along −x.
const FINGERS: [(&str, [f64; 2], bool); 4] = [
    ("first", [0.028, 0.042], true),
    ("middle", [0.032, 0.0], true),
    ("ring", [0.028, -0.042], true),
    ("thumb", [-0.036, 0.0], false),
];
const PALM: [f64; 3] = [0.055, 0.060, 0.012]; // half edges [m]
const KNUCKLE: f64 = 0.014; // K to A [m]
const NEAR: f64 = 0.050; // A to B [m]
const FAR: f64 = 0.042; // B to T [m]
const CRANK: f64 = 0.012; // C to E, and B to D [m]
const CRANK_AT: f64 = 0.010; // A to C [m]
const RADIUS: f64 = 0.0095; // of the phalanges [m]
/// The near phalanx above the palm, and the far one above the near one, as built [rad].
const BENT: [f64; 2] = [1.05, 0.85];
/// Only what is held is touched: shapes of this group.
const HELD: u32 = 2;

/// The hand, twelve position-controlled motors.
pub fn linkage_hand() -> ModelBuilder {
    let mut b = ModelBuilder::new("linkage_hand");
    let half = Vec3::new(PALM[0], PALM[1], PALM[2]);
    let palm = Shape::new("palm", WORLD, Geometry::Box { half }).at(Pose::translation(0.0, 0.0, -PALM[2]));
    b.shape(palm.groups(1, HELD).friction(0.8).color(SLATE));
    for (name, [x, y], forward) in FINGERS {
        let turn = if forward { 0.0 } else { std::f64::consts::PI };
        let R = Quat::from_axis_angle(Vec3::z_axis(), turn);
        Finger { name, X_WK: Pose::new(R, Vec3::new(x, y, 0.0)) }.add(&mut b);
    }
    b.keyframe(Keyframe::new("open"));
    b
}

/// One finger, with its knuckle's frame: x forward, z up.
struct Finger {
    name: &'static str,
    X_WK: Pose,
}

impl Finger {
    fn part(&self, part: &str) -> String {
        format!("{}_{part}", self.name)
    }

    fn add(&self, b: &mut ModelBuilder) {
        let along = |angle: f64| Vec3::new(angle.cos(), 0.0, angle.sin());
        let (near, back) = (along(BENT[0]), along(BENT[0] - std::f64::consts::FRAC_PI_2));
        let A = Vec3::new(KNUCKLE, 0.0, 0.0);
        let B = A + near * NEAR;
        let T = B + along(BENT[0] + BENT[1]) * FAR;
        let C = A + near * CRANK_AT;
        let [K, A, B, C, D, E, T] =
            [Vec3::zero(), A, B, C, B + back * CRANK, C + back * CRANK, T].map(|p| self.X_WK * p);

        let knuckle = bar(b, &self.part("knuckle"), K, A, stock(0.008, 0.02, SLATE));
        let near = bar(b, &self.part("near"), A, B, stock(0.007, 0.03, AMBER));
        let far = bar(b, &self.part("far"), B, T, stock(0.007, 0.02, CORAL));
        let crank = bar(b, &self.part("crank"), C, E, stock(0.003, 0.004, PLUM));
        let rod = bar(b, &self.part("rod"), E, D, stock(0.002, 0.004, TEAL));
        self.add_skin(b, near, NEAR, "near_pad");
        self.add_skin(b, far, FAR, "far_pad");
        b.site(Site::new(self.part("tip"), far).at(Pose::translation(0.0, 0.0, FAR)));

        let up = Vec3::z_axis();
        let bend = self.X_WK.R.rotate(-Vec3::y_axis()); // turning about it lifts the finger
        let abduction =
            Joint::revolute(self.part("abduction"), WORLD, knuckle).placed(K, up).limits(-0.5, 0.5);
        let flexion = Joint::revolute(self.part("flexion"), knuckle, near).placed(A, bend).limits(-0.8, 0.9);
        let drive = Joint::revolute(self.part("drive"), near, crank).placed(C, bend).limits(-0.8, 0.9);
        for (joint, motor) in [(abduction, "spread"), (flexion, "bend"), (drive, "curl")] {
            let name = joint.name.clone();
            let limits = joint.dofs[0].limits;
            b.joint(joint.armature(1e-4).damping(0.02));
            let motor = Actuator::position(self.part(motor), name, 1.5, 0.05).effort_limit(0.6);
            b.actuator(motor.control_range(limits[0], limits[1]));
        }
        b.joint(Joint::revolute(self.part("hinge"), near, far).placed(B, bend));
        b.joint(Joint::revolute(self.part("rod_in"), crank, rod).placed(E, bend));
        b.joint(Joint::revolute(self.part("rod_out"), rod, far).placed(D, bend));
    }

    /// What touches, over the outer part of a phalanx.
    fn add_skin(&self, b: &mut ModelBuilder, phalanx: BodyId, length: f64, name: &str) {
        let pad = Geometry::Capsule { radius: RADIUS, half_length: 0.35 * length };
        let at = Pose::translation(0.0, 0.0, 0.65 * length);
        let color = if name.starts_with("far") { INK } else { SAND };
        b.shape(Shape::new(self.part(name), phalanx, pad).at(at).groups(1, HELD).friction(0.8).color(color));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn four_fingers_have_a_loop_and_three_freedoms_each() {
        let figures = Figures { bodies: 20, joints: 24, loops: 4, mobility: 12, redundant: 12 };
        assert_eq!(figures.check(linkage_hand()).actuators().len(), 12);
    }
}
