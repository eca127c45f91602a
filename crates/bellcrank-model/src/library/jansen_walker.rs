//! A walking machine on eight of Jansen's legs: two crankshafts, left and right, each with two throws half a turn apart;
//! every throw drives a leg that reaches forward and its mirror image that reaches back.
//!
//! ```text
//!      T´      `T            from the side: one throw, two legs; the other throw stands opposite, so that one
//!     / \ `.  .' / \         foot in front and one behind always carry the side
//!    D---P  `C'  P---D
//!    |    \  O  /    |       bodies 1 + 2 + 8·6 = 51, hinges 2 + 8·9 = 74, 74 − 50 = 24 loops
//!    F-----L   L-----F       a freedom per crankshaft and six of the whole: 8
//!     \  /       \  /        rows 5·74 = 370, rank 6·51 − 8 = 298, 72 redundant: nine per leg
//!      foot      foot
//! ```
//! Half a turn apart, the lower of two feet rises by 1.45 of Jansen's units (4 mm) while a foot carries weight. Cranks that
//! turn about +y walk towards +x; different speeds left and right steer.

use super::jansen::{A, FOOT, JansenLeg, L, Leg, M, Points};
use super::parts::{AMBER, SLATE, ground, turn_z_to};
use crate::{Actuator, Body, BodyId, Geometry, Joint, ModelBuilder, Sensor, Shape, Site};
use bellcrank_math::{Pose, Vec3};
use std::f64::consts::{FRAC_PI_2, PI};

/// Jansen's unit [m].
const UNIT: f64 = 0.003;
/// Middle of the body to the inner and to the outer plane of legs [m].
const PLANES: [f64; 2] = [0.095, 0.165];
/// Distance between neighbouring layers of bars [m].
const LAYER: f64 = 0.012;
/// Full size of the body [m], and its mass [kg].
const TRUNK: (Vec3, f64) = (Vec3 { x: 0.17, y: 0.12, z: 0.055 }, 1.6);
/// Mass of a leg, 1 for 0.72 kg.
const LEG_WEIGHT: f64 = 0.3;

/// The machine standing on the plane z = 0 with four feet, the other four raised.
pub fn jansen_walker() -> ModelBuilder {
    let mut b = ModelBuilder::new("jansen_walker");
    ground(&mut b, 0.0);
    let trunk = add_trunk(&mut b);
    for (side, left) in [("left", 1.0), ("right", -1.0)] {
        let crank = add_crank(&mut b, trunk, side, left);
        for (plane, y, angle) in [("inner", PLANES[0], FRAC_PI_2), ("outer", PLANES[1], FRAC_PI_2 + PI)] {
            for (end, fore) in [("fore", true), ("aft", false)] {
                Leg {
                    name: format!("{side}_{plane}_{end}_"),
                    frame: trunk.into(),
                    crank,
                    points: leg_points(angle, fore).map(|p| p + Vec3::new(0.0, left * y, height())),
                    weight: LEG_WEIGHT,
                    layer: left * LAYER,
                    alone: false,
                }
                .add(&mut b);
            }
        }
    }
    b
}

/// Crankshafts over the ground, as built [m]: the lowest foot touches.
fn height() -> f64 {
    let lowest = leg_points(FRAC_PI_2, true).foot.z.min(leg_points(FRAC_PI_2 + PI, true).foot.z);
    FOOT - lowest
}

/// Jansen's leg reaches towards −x; the one that reaches forward is its mirror image, with the crank mirrored too.
fn leg_points(crank_angle: f64, fore: bool) -> Points {
    let leg = JansenLeg { unit: UNIT, ..JansenLeg::default() };
    if fore {
        leg.points_about_crank(PI - crank_angle).map(|p| Vec3::new(-p.x, p.y, p.z))
    } else {
        leg.points_about_crank(crank_angle)
    }
}

/// The body with its axles and rails.
fn add_trunk(b: &mut ModelBuilder) -> BodyId {
    let (size, mass) = TRUNK;
    let trunk = b.body(Body::new("trunk").at(Pose::translation(0.0, 0.0, height())).solid_box(mass, size));
    let shell = Shape::new("trunk", trunk, Geometry::Box { half: size * 0.5 });
    b.shape(shell.groups(2, 1).friction(0.5).color(SLATE));
    let outside = PLANES[1] + 1.8 * LAYER;
    for (name, x) in [("fore", A * UNIT), ("aft", -A * UNIT)] {
        let end = Vec3::new(x, outside, -L * UNIT);
        let mirrored = Vec3::new(x, -outside, -L * UNIT);
        add_rail(b, trunk, (format!("{name}_axle"), 0.006), [end, mirrored]);
        for (side, y) in [("left", 0.4 * size.y), ("right", -0.4 * size.y)] {
            let root = Vec3::new(0.0, y, 0.0);
            add_rail(b, trunk, (format!("{side}_{name}_rail"), 0.009), [root, Vec3::new(x, y, end.z)]);
        }
    }
    let imu = b.site(Site::new("imu", trunk));
    b.sensor(Sensor::imu("imu", imu));
    trunk
}

/// Decoration on a body, from one point of it to another.
fn add_rail(b: &mut ModelBuilder, body: BodyId, (name, radius): (String, f64), [from, to]: [Vec3; 2]) {
    let look = Geometry::Capsule { radius, half_length: 0.5 * (to - from).norm() };
    let middle = Pose::new(turn_z_to(to - from), (from + to) * 0.5);
    b.shape(Shape::new(name, body, look).at(middle).color(SLATE).visual_only());
}

/// A crankshaft with two opposite throws, its hinge and its motor.
fn add_crank(b: &mut ModelBuilder, trunk: BodyId, side: &str, left: f64) -> BodyId {
    let at = Vec3::new(0.0, left * 0.5 * (PLANES[0] + PLANES[1]), height());
    let body = Body::new(format!("{side}_crank")).at(Pose::from_position(at));
    let crank = b.body(body.solid_cylinder_y(0.20, M * UNIT, PLANES[1] - PLANES[0] + 3.0 * LAYER));
    let y = |distance: f64| left * distance - at.y;
    let mut draw = |name: &str, radius, from: Vec3, to: Vec3| {
        let look = Geometry::Capsule { radius, half_length: 0.5 * (to - from).norm() };
        let middle = Pose::new(turn_z_to(to - from), (from + to) * 0.5);
        b.shape(Shape::new(format!("{side}_{name}"), crank, look).at(middle).color(AMBER).visual_only());
    };
    let [inner, outer] = PLANES.map(|plane| [y(plane - 1.6 * LAYER), y(plane + 1.6 * LAYER)]);
    let axis = |y| Vec3::new(0.0, y, 0.0);
    let throw = |y, up: f64| Vec3::new(0.0, y, up * M * UNIT);
    draw("shaft", 0.007, axis(y(0.5 * TRUNK.0.y)), axis(inner[0]));
    draw("inner_web", 0.007, axis(inner[0]), throw(inner[0], 1.0));
    draw("inner_throw", 0.006, throw(inner[0], 1.0), throw(inner[1], 1.0));
    draw("middle_web", 0.007, throw(inner[1], 1.0), throw(outer[0], -1.0));
    draw("outer_throw", 0.006, throw(outer[0], -1.0), throw(outer[1], -1.0));
    let hinge = Joint::revolute(format!("{side}_crank_hinge"), trunk, crank).placed(at, Vec3::y_axis());
    let hinge = b.joint(hinge.armature(2e-3));
    b.actuator(Actuator::velocity(format!("{side}_motor"), hinge, 2.0).effort_limit(8.0));
    crank
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn eight_legs_on_two_crankshafts_have_eight_freedoms_and_nine_redundant_rows_each() {
        let figures = Figures { bodies: 51, joints: 74, loops: 24, mobility: 8, redundant: 72 };
        let model = figures.check(jansen_walker());
        assert_eq!(model.actuators().len(), 2);
    }

    /// Whatever the crank angle, the lower of the two feet fore and the lower of the two feet aft are nearly level: within
    /// 0.6 of Jansen's units (1.7 mm over 0.4 m), and the body rises and sinks by less than 1.5 of them.
    #[test]
    fn front_and_rear_are_carried_at_every_crank_angle() {
        let lowest =
            |angle: f64, fore| leg_points(angle, fore).foot.z.min(leg_points(angle + PI, fore).foot.z) / UNIT;
        let turn: Vec<(f64, f64)> = (0..360)
            .map(|degree| f64::to_radians(degree as f64))
            .map(|angle| (lowest(angle, true), lowest(angle, false)))
            .collect();
        assert!(turn.iter().all(|(fore, aft)| (fore - aft).abs() < 0.6));
        let heights = turn.iter().map(|(fore, aft)| 0.5 * (fore + aft));
        let (low, high) = heights.fold((f64::MAX, f64::MIN), |(l, h), z| (l.min(z), h.max(z)));
        assert!(high - low < 1.5, "{}", high - low);
    }
}
