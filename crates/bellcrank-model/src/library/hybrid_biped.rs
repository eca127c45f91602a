//! A biped whose every leg is a small parallel robot: two half-legs, inner and outer, share pelvis and foot.
//!
//! ```text
//!  a half-leg from the side                     a leg from the front
//!
//!     [ pelvis ]                                 ===== pelvis =====
//!         |  hip roll (about x)                      |       |
//!  T---D==H  hip pitch                             inner   outer
//!   \      \                                        |       |
//!    \ rod  \ thigh    D and H: the two              |       |
//!     \      \         motors of the hip block       |       |
//!      U------K  knee                                |       |
//!            /                                       |       |
//!           / shin                                   |       |
//!          A  ankle: yaw about the shin,             o       o
//!      --------  foot   roll (x), pitch (y)        ----- foot -----
//! ```
//! Per half-leg 7 bodies and 9 hinges: hip roll, hip pitch, knee, ankle yaw, roll and pitch in a row from
//! pelvis to foot; knee drive, rod top and rod bottom close the planar five-bar H–D–T–U–K with two freedoms,
//! both driven from the hip.
//!
//! Bodies 1 + 4·7 + 2 = 31, hinges 4·9 = 36. Loops: four five-bars and two legs, 6. Rows 5·36 = 180. Each
//! half-leg alone is a chain with six freedoms, so a leg has 6 + 6 − 6 = 6 and the robot 6 + 12 = 18
//! freedoms; rank 6·31 − 18 = 168, and 12 rows are redundant: three per planar five-bar.
//!
//! Twelve motors. The inner ankle's position is set by its hip roll, hip pitch and knee drive; the outer
//! half-leg's two motors then set yaw (one ankle before the other) and roll (one above the other), and the
//! inner ankle pitch the rest.

use super::parts::{AMBER, CORAL, INK, PLUM, SAND, SLATE, TEAL, bar, ground, stock, turn_z_to};
use crate::{Actuator, Body, BodyId, Geometry, Joint, Keyframe, ModelBuilder, Sensor, Shape, Site};
use bellcrank_math::{Pose, Vec3};

const PELVIS: Vec3 = Vec3 { x: 0.13, y: 0.30, z: 0.09 }; // [m] full size
const PELVIS_MASS: f64 = 1.60; // [kg]
const THIGH: f64 = 0.20; // [m] hip pitch to knee
const SHIN: f64 = 0.20; // [m] knee to ankle
const BEND: f64 = 0.28; // [rad] thigh forward and shin back of the vertical, standing
const ANKLE_HEIGHT: f64 = 0.055; // [m] over the sole
const ROLL_ABOVE_PITCH: f64 = 0.025; // [m] hip roll axis over the hip pitch axis
const DRIVE: Vec3 = Vec3 { x: -0.035, y: 0.0, z: 0.03 }; // [m] hip pitch axis to knee drive axis
const HORN: f64 = 0.045; // [m] knee drive axis to rod top
const TAIL: f64 = 0.045; // [m] knee to rod bottom, on the shin
const HORN_DROP: f64 = 0.55; // [rad] horn and tail point backwards and this much down
const YOKE: Vec3 = Vec3 { x: 0.030, y: 0.034, z: 0.028 }; // [m] full size
const CROSS: Vec3 = Vec3 { x: 0.040, y: 0.026, z: 0.020 }; // [m] full size
const FOOT_Y: f64 = 0.090; // [m] middle of the robot to the middle of a foot
const HALF_Y: f64 = 0.045; // [m] middle of a foot to either half-leg
const ROD_Y: f64 = 0.022; // [m] plane of the thigh to the plane of horn and rod
const FOOT: Vec3 = Vec3 { x: 0.21, y: 0.12, z: 0.016 }; // [m] full size of the sole

const KP: f64 = 60.0; // [N·m/rad] of every motor
const KD: f64 = 2.0; // [N·m·s/rad]
const EFFORT: f64 = 8.0; // [N·m]

/// The robot standing on the plane z = 0 with slightly bent knees, pelvis floating.
pub fn hybrid_biped() -> ModelBuilder {
    let mut b = ModelBuilder::new("hybrid_biped");
    ground(&mut b, 0.0);
    let at = Pose::translation(0.0, 0.0, hip_height() + ROLL_ABOVE_PITCH + 0.5 * PELVIS.z);
    let pelvis = b.body(Body::new("pelvis").at(at).solid_box(PELVIS_MASS, PELVIS));
    b.shape(Shape::new("pelvis", pelvis, Geometry::Box { half: PELVIS * 0.5 }).friction(0.5).color(SLATE));
    let imu = b.site(Site::new("imu", pelvis));
    b.sensor(Sensor::imu("imu", imu));
    for (side, sign) in [("left", 1.0), ("right", -1.0)] {
        let foot = add_foot(&mut b, side, sign * FOOT_Y);
        for (half, out) in [("inner", -1.0), ("outer", 1.0)] {
            let y = sign * (FOOT_Y + out * HALF_Y);
            HalfLeg {
                name: format!("{side}_{half}"),
                inner: half == "inner",
                y,
                rod_y: y + sign * out * ROD_Y,
            }
            .add(&mut b, pelvis, foot);
        }
    }
    b.keyframe(Keyframe::new("stand"));
    b
}

/// Height of the hip pitch axes, standing [m].
fn hip_height() -> f64 {
    ANKLE_HEIGHT + (THIGH + SHIN) * BEND.cos()
}

/// A sole on the ground with a motor housing between the ankles.
fn add_foot(b: &mut ModelBuilder, side: &str, y: f64) -> BodyId {
    let name = format!("{side}_foot");
    let body = Body::new(&*name).at(Pose::translation(0.0, y, 0.0)).com(Vec3::new(0.0, 0.0, 0.018));
    let foot = b.body(body.solid_box(0.36, Vec3::new(FOOT.x, FOOT.y, 0.036)));
    let sole = Shape::new(format!("{side}_sole"), foot, Geometry::Box { half: FOOT * 0.5 });
    b.shape(sole.at(Pose::translation(0.0, 0.0, 0.5 * FOOT.z)).friction(0.8).color(INK));
    let housing = Geometry::Box { half: Vec3::new(0.025, 0.020, 0.025) };
    let at = Pose::translation(0.0, 0.0, FOOT.z + 0.025);
    b.shape(Shape::new(format!("{side}_ankle_housing"), foot, housing).at(at).color(SLATE).visual_only());
    b.site(Site::new(format!("{side}_sole"), foot));
    foot
}

/// One of the four half-legs, at the reference pose.
struct HalfLeg {
    /// Side and half, the beginning of all its names.
    name: String,
    /// The inner half also drives hip roll and ankle pitch.
    inner: bool,
    /// Plane of thigh and shin [m].
    y: f64,
    /// Plane of horn and rod [m].
    rod_y: f64,
}

/// Bodies of a half-leg, from the pelvis down, then those of the knee drive.
struct Links {
    hip: BodyId,
    thigh: BodyId,
    shin: BodyId,
    yoke: BodyId,
    cross: BodyId,
    horn: BodyId,
    rod: BodyId,
}

impl HalfLeg {
    fn part(&self, part: &str) -> String {
        format!("{}_{part}", self.name)
    }

    /// Hip pitch axis, knee and ankle [m]: the ankle is under the hip, the knee in front.
    fn hip_knee_ankle(&self) -> [Vec3; 3] {
        let hip = Vec3::new(0.0, self.y, hip_height());
        let knee = hip + Vec3::new(BEND.sin(), 0.0, -BEND.cos()) * THIGH;
        [hip, knee, knee - Vec3::new(BEND.sin(), 0.0, BEND.cos()) * SHIN]
    }

    /// Knee drive axis, top and bottom of the rod [m].
    fn drive_points(&self) -> [Vec3; 3] {
        let [hip, knee, _] = self.hip_knee_ankle();
        let aside = Vec3::y_axis() * (self.rod_y - self.y);
        let back = Vec3::new(-HORN_DROP.cos(), 0.0, -HORN_DROP.sin());
        let drive = hip + DRIVE + aside;
        [drive, drive + back * HORN, knee + back * TAIL + aside]
    }

    fn add(&self, b: &mut ModelBuilder, pelvis: BodyId, foot: BodyId) {
        let Links { hip, thigh, shin, yoke, cross, horn, rod } = self.add_links(b);
        let [hip_at, knee_at, ankle_at] = self.hip_knee_ankle();
        let [drive_at, top_at, bottom_at] = self.drive_points();
        let roll_at = hip_at + Vec3::z_axis() * ROLL_ABOVE_PITCH;
        let (x, y, down_shin) = (Vec3::x_axis(), Vec3::y_axis(), (ankle_at - knee_at).normalized());
        let hinge = |part: &str, p: BodyId, s: BodyId| Joint::revolute(self.part(part), p, s);

        let roll = hinge("hip_roll", pelvis, hip).placed(roll_at, x).limits(-0.4, 0.4);
        self.add_joint(b, roll, "hip_roll", self.inner);
        let pitch = hinge("hip_pitch", hip, thigh).placed(hip_at, y).limits(-0.8, 0.8);
        self.add_joint(b, pitch, "hip_pitch", true);
        // The leg would be straight at −2·BEND, where the foot cannot be pushed further: stop before.
        b.joint(hinge("knee", thigh, shin).placed(knee_at, y).limits(-1.6 * BEND, 1.1));
        b.joint(hinge("ankle_yaw", shin, yoke).placed(ankle_at, down_shin).limits(-0.7, 0.7));
        b.joint(hinge("ankle_roll", yoke, cross).placed(ankle_at, x).limits(-0.5, 0.5));
        let flex = hinge("ankle_pitch", cross, foot).placed(ankle_at, y).limits(-0.9, 0.9);
        self.add_joint(b, flex, "ankle_pitch", self.inner);
        let drive = hinge("knee_drive", hip, horn).placed(drive_at, y).limits(-0.7, 0.9);
        self.add_joint(b, drive, "knee_drive", true);
        b.joint(hinge("rod_top", horn, rod).placed(top_at, y));
        b.joint(hinge("rod_bottom", rod, shin).placed(bottom_at, y));
    }

    /// A joint that is moved by a geared motor, or by the others.
    fn add_joint(&self, b: &mut ModelBuilder, joint: Joint, part: &str, motor: bool) {
        if motor {
            let joint = b.joint(joint.armature(0.01).damping(0.02).velocity_limit(12.0));
            let motor = Actuator::position(format!("{}_motor", self.part(part)), joint, KP, KD);
            b.actuator(motor.effort_limit(EFFORT));
        } else {
            b.joint(joint);
        }
    }

    fn add_links(&self, b: &mut ModelBuilder) -> Links {
        let [hip, knee, ankle] = self.hip_knee_ankle();
        let [drive, top, bottom] = self.drive_points();
        let thigh = bar(b, &self.part("thigh"), hip, knee, stock(0.013, 0.13, TEAL));
        let shin = bar(b, &self.part("shin"), knee, ankle, stock(0.011, 0.11, CORAL));
        let X_WL = Pose::new(turn_z_to(ankle - knee), knee);
        let tail = X_WL.inverse() * bottom;
        let look = Geometry::Capsule { radius: 0.007, half_length: 0.5 * tail.norm() };
        let shape = Shape::new(self.part("tail"), shin, look).at(Pose::new(turn_z_to(tail), tail * 0.5));
        b.shape(shape.color(CORAL).visual_only());
        Links {
            hip: self.add_block(b, "hip", hip + DRIVE * 0.5, (Vec3::new(0.075, 0.036, 0.060), 0.30)),
            thigh,
            shin,
            yoke: self.add_block(b, "yoke", ankle + Vec3::z_axis() * 0.014, (YOKE, 0.045)),
            cross: self.add_block(b, "cross", ankle, (CROSS, 0.030)),
            horn: bar(b, &self.part("horn"), drive, top, stock(0.008, 0.030, AMBER)),
            rod: bar(b, &self.part("rod"), top, bottom, stock(0.005, 0.040, PLUM)),
        }
    }

    fn add_block(&self, b: &mut ModelBuilder, part: &str, at: Vec3, (size, mass): (Vec3, f64)) -> BodyId {
        let id = b.body(Body::new(self.part(part)).at(Pose::from_position(at)).solid_box(mass, size));
        let look = Shape::new(self.part(part), id, Geometry::Box { half: size * 0.5 });
        b.shape(look.color(SAND).visual_only());
        id
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn the_biped_has_six_loops_eighteen_freedoms_and_twelve_redundant_rows() {
        let figures = Figures { bodies: 31, joints: 36, loops: 6, mobility: 18, redundant: 12 };
        let model = figures.check(hybrid_biped());
        assert_eq!(model.actuators().len(), 12);
    }

    /// Whatever a motor joins is welded together instead: only the six freedoms of the whole are left.
    #[test]
    fn with_all_motors_held_the_biped_is_one_rigid_thing() {
        let mut b = hybrid_biped();
        for side in ["left", "right"] {
            let foot = format!("{side}_foot");
            for half in ["inner", "outer"] {
                let part = |part: &str| format!("{side}_{half}_{part}");
                let mut weld = |p: &str, s: &str| {
                    let weld = Joint::fixed(format!("{s}_{half}_weld"), p, s);
                    b.joint(weld.placed(Vec3::zero(), Vec3::x_axis()));
                };
                weld(&part("hip"), &part("thigh"));
                weld(&part("hip"), &part("horn"));
                if half == "inner" {
                    weld("pelvis", &part("hip"));
                    weld(&part("cross"), &foot);
                }
            }
        }
        assert_eq!(b.build().expect("builds").mobility(), 6);
    }

    #[test]
    fn the_centre_of_mass_stands_over_the_middle_of_the_feet() {
        let model = hybrid_biped().build().expect("builds");
        let moment = model.bodies().iter().fold(Vec3::zero(), |sum, body| sum + body.X_WB().p * body.mass);
        let com = moment * (1.0 / model.mass());
        assert!(com.x.abs() < 0.005 && com.y.abs() < 1e-12, "{com:?}");
    }

    /// A half-leg bears a quarter of the weight at the ankle, right under the hip. Turning the thigh by dθ
    /// with the shin kept parallel lowers the hip by THIGH · sin BEND · dθ; turning the shin likewise. So
    /// each of the two motors sees about load · 0.2 m · sin 0.28 = 0.69 N·m, 0.011 rad. (Statics of the whole
    /// robot: 0.69 hip, 0.51 knee drive.)
    #[test]
    fn standing_sags_by_less_than_three_hundredths_of_a_radian() {
        let model = hybrid_biped().build().expect("builds");
        let load = 0.25 * 9.81 * model.mass();
        let torque = load * THIGH.max(SHIN) * BEND.sin();
        assert!(torque < 0.2 * EFFORT, "{torque} N·m");
        assert!(torque / KP < 0.03, "{} rad", torque / KP);
    }
}
