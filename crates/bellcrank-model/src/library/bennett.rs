//! Bennett's linkage: four hinges, no two of them parallel, no three through one point, and yet it moves.
//!
//! Sides a, b, a, b meet the hinge axes at right angles; neighbouring axes are twisted by α, β, α, β. It
//! moves exactly when sin α / a = sin β / b (G. T. Bennett, 1903). Joint angles between the sides then obey
//!   tan(θ₁/2) · tan(θ₂/2) = sin((β + α)/2) / sin((β − α)/2),   θ₃ = −θ₁,   θ₄ = −θ₂.
//!
//! 3 bodies (the fourth side is the world), 4 hinges, 1 loop. Grübler–Kutzbach: 6·3 − 5·4 = −2, in truth 1:
//! of the 20 rows only 17 are independent, 3 are redundant. Any error in the geometry, however small, locks
//! it: a mechanism to try solvers on.

use super::parts::{AMBER, CORAL, PLUM, SLATE, TEAL, bar, frame_bar, stock, turn_z_to};
use crate::{Actuator, BodyId, Geometry, Joint, ModelBuilder, Shape, WORLD};
use bellcrank_math::{Pose, Quat, Vec3};

/// Dimensions of a Bennett linkage.
#[derive(Clone, Copy, Debug)]
pub struct Bennett {
    /// Length of the first and third side [m]; the others follow from the twists.
    pub side: f64,
    /// Twist between the axes at the ends of the first and third side [rad].
    pub twist: f64,
    /// Twist between the axes at the ends of the second and fourth side [rad]; not the same as `twist`.
    pub other_twist: f64,
    /// Angle between the sides at the driven hinge, reference pose [rad], not a multiple of π.
    pub angle: f64,
    /// Mass per length of the sides [kg/m].
    pub density: f64,
}

impl Default for Bennett {
    /// Sides of 0.20 m and 0.29 m in aluminium tube.
    fn default() -> Self {
        Bennett { side: 0.20, twist: 0.7, other_twist: 1.2, angle: 1.3, density: 0.4 }
    }
}

impl Bennett {
    /// Length of the second and fourth side [m].
    pub fn other_side(&self) -> f64 {
        self.side * self.other_twist.sin() / self.twist.sin()
    }

    /// Frames at the four hinges, reference pose: z along the hinge, origin where the sides meet it.
    fn corners(&self) -> [Pose; 4] {
        let (alpha, beta) = (self.twist, self.other_twist);
        let ratio = (0.5 * (beta + alpha)).sin() / (0.5 * (beta - alpha)).sin();
        let next_angle = 2.0 * (ratio / (0.5 * self.angle).tan()).atan();
        let side = |angle: f64, length: f64, twist: f64| {
            Pose::new(Quat::from_axis_angle(Vec3::z_axis(), angle), Vec3::zero())
                * Pose::new(Quat::from_axis_angle(Vec3::x_axis(), twist), Vec3::x_axis() * length)
        };
        let first = Pose::translation(0.0, 0.0, 0.3);
        let second = first * side(self.angle, self.side, alpha);
        let third = second * side(next_angle, self.other_side(), beta);
        [first, second, third, third * side(-self.angle, self.side, alpha)]
    }

    /// The linkage with a speed-controlled motor on the first hinge.
    pub fn builder(&self) -> ModelBuilder {
        let mut b = ModelBuilder::new("bennett");
        let corners = self.corners();
        let points = corners.map(|corner| corner.p);
        let axes = corners.map(|corner| corner.R.rotate(Vec3::z_axis()));
        let sides: [BodyId; 3] = std::array::from_fn(|i| {
            let (name, color) = [("input", AMBER), ("coupler", TEAL), ("output", CORAL)][i];
            let mass = self.density * (points[i + 1] - points[i]).norm();
            bar(&mut b, name, points[i], points[i + 1], stock(0.007, mass, color))
        });
        let drive = Joint::revolute("input_hinge", WORLD, sides[0]).placed(points[0], axes[0]);
        let drive = b.joint(drive.armature(1e-4));
        b.joint(Joint::revolute("first_hinge", sides[0], sides[1]).placed(points[1], axes[1]));
        b.joint(Joint::revolute("second_hinge", sides[1], sides[2]).placed(points[2], axes[2]));
        b.joint(Joint::revolute("output_hinge", WORLD, sides[2]).placed(points[3], axes[3]));
        b.actuator(Actuator::velocity("input_motor", drive, 0.5).effort_limit(2.0));
        frame_bar(&mut b, "frame", points[3], points[0], 0.007);
        for (i, name) in ["input_pin", "first_pin", "second_pin", "output_pin"].into_iter().enumerate() {
            let look = Geometry::Cylinder { radius: 0.011, half_length: 0.022 };
            let at = Pose::new(turn_z_to(axes[i]), points[i]);
            // Pins of the frame belong to the world, the two others to the coupler between them.
            let pin = match i {
                1 | 2 => Shape::new(name, sides[1], look).at(bar_pose(points[1], points[2]).inverse() * at),
                _ => Shape::new(name, WORLD, look).at(at),
            };
            b.shape(pin.color(if i == 1 || i == 2 { PLUM } else { SLATE }).visual_only());
        }
        b
    }
}

/// The link frame that `parts::bar` gives a bar.
fn bar_pose(from: Vec3, to: Vec3) -> Pose {
    Pose::new(turn_z_to(to - from), from)
}

/// A Bennett linkage, see [`Bennett`].
pub fn bennett() -> ModelBuilder {
    Bennett::default().builder()
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    const FIGURES: Figures = Figures { bodies: 3, joints: 4, loops: 1, mobility: 1, redundant: 3 };

    #[test]
    fn a_bennett_linkage_moves_although_counting_says_it_is_overlocked() {
        FIGURES.check(bennett());
        FIGURES.check(Bennett { angle: -2.0, twist: 0.5, ..Bennett::default() }.builder());
    }

    #[test]
    fn the_last_side_closes_the_loop_with_the_right_length_and_twist() {
        for angle in [0.4, 1.3, 2.9, -1.0] {
            let linkage = Bennett { angle, ..Bennett::default() };
            let [first, _, _, last] = linkage.corners();
            assert!(((last.p - first.p).norm() - linkage.other_side()).abs() < 1e-14);
            let cosine = last.R.rotate(Vec3::z_axis()).dot(first.R.rotate(Vec3::z_axis()));
            assert!((cosine - linkage.other_twist.cos()).abs() < 1e-14);
        }
    }

    /// A side 1 % too long breaks Bennett's condition: the same four hinges no longer move.
    #[test]
    fn four_skew_hinges_in_general_do_not_move() {
        let mut b = ModelBuilder::new("locked");
        let corners = Bennett::default().corners();
        let mut points = corners.map(|corner| corner.p);
        let axes = corners.map(|corner| corner.R.rotate(Vec3::z_axis()));
        points[2] = points[2] + (points[2] - points[1]) * 0.01;
        let side = |b: &mut ModelBuilder, i: usize| {
            bar(b, ["a", "b", "c"][i], points[i], points[i + 1], stock(0.01, 0.1, TEAL))
        };
        let [p, q, r] = [0, 1, 2].map(|i| side(&mut b, i));
        b.joint(Joint::revolute("0", WORLD, p).placed(points[0], axes[0]));
        b.joint(Joint::revolute("1", p, q).placed(points[1], axes[1]));
        b.joint(Joint::revolute("2", q, r).placed(points[2], axes[2]));
        b.joint(Joint::revolute("3", WORLD, r).placed(points[3], axes[3]));
        Figures { mobility: 0, redundant: 2, ..FIGURES }.check(b);
    }
}
