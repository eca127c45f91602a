//! The Delta robot: three arms swing on a base, each holds the platform by a pair of parallel rods.
//!
//! ```text
//!    ___base___         per arm: 1 hinge (motor), 2 universal joints at the elbow, 2 balls at the platform
//!   /          \        10 bodies, 15 joints, 15 − 10 = 5 loops
//!  o    arm     o       rows: 3·5 + 6·4 + 6·3 = 57; freedoms 6·10 − 57 = 3, no row redundant
//!  \\          //       (balls at both ends would add 6 spins of the rods)
//!   \\  rods  //
//!    \\______//         the platform moves in x, y, z and never turns
//! ```

use super::parts::{AMBER, CORAL, SLATE, TEAL, bar, ground, stock, turn_xz_to, turn_z_to};
use crate::{Actuator, Body, BodyId, Geometry, Joint, ModelBuilder, Shape, Site, WORLD};
use bellcrank_math::{Pose, Vec3};

/// Dimensions of a Delta robot that hangs from a base.
#[derive(Clone, Copy, Debug)]
pub struct Delta {
    /// Height of the base over the ground [m].
    pub height: f64,
    /// Axis of the robot to the shoulder hinges [m].
    pub base_radius: f64,
    /// Shoulder to elbow [m].
    pub arm: f64,
    /// Elbow to platform [m].
    pub rod: f64,
    /// Between the two rods of an arm [m].
    pub rod_spacing: f64,
    /// Axis of the platform to the rods' lower ends [m].
    pub platform_radius: f64,
    /// Arms below the horizontal at the reference pose [rad].
    pub arm_angle: f64,
}

impl Default for Delta {
    /// A table-top robot with aluminium arms and carbon rods, 0.9 kg in all.
    fn default() -> Self {
        Delta {
            height: 0.60,
            base_radius: 0.11,
            arm: 0.17,
            rod: 0.36,
            rod_spacing: 0.07,
            platform_radius: 0.045,
            arm_angle: 0.35,
        }
    }
}

impl Delta {
    /// The robot with a position-controlled motor at each shoulder.
    pub fn builder(&self) -> ModelBuilder {
        let mut b = ModelBuilder::new("delta");
        ground(&mut b, 0.0);
        let at = Pose::translation(0.0, 0.0, self.platform_height());
        let (radius, thickness) = (self.platform_radius + 0.01, 0.012);
        let platform = b.body(Body::new("platform").at(at).solid_cylinder_z(0.20, radius, thickness));
        let look = Geometry::Cylinder { radius, half_length: 0.5 * thickness };
        b.shape(Shape::new("platform", platform, look).color(CORAL));
        b.site(Site::new("tool", platform).at(Pose::translation(0.0, 0.0, -0.5 * thickness)));
        for i in 0..3 {
            self.add_arm(&mut b, i, platform);
        }
        let look = Geometry::Cylinder { radius: self.base_radius, half_length: 0.01 };
        let at = Pose::translation(0.0, 0.0, self.height + 0.01);
        b.shape(Shape::new("base", WORLD, look).at(at).color(SLATE).visual_only());
        b
    }

    /// Height of the platform at the reference pose, all three arms alike [m].
    fn platform_height(&self) -> f64 {
        let across = self.base_radius + self.arm * self.arm_angle.cos() - self.platform_radius;
        let drop = (self.rod * self.rod - across * across).sqrt();
        self.height - self.arm * self.arm_angle.sin() - drop
    }

    fn add_arm(&self, b: &mut ModelBuilder, i: usize, platform: BodyId) {
        let azimuth = std::f64::consts::TAU * i as f64 / 3.0;
        let outward = Vec3::new(azimuth.cos(), azimuth.sin(), 0.0);
        let hinge_axis = Vec3::z_axis().cross(outward); // turning about it lowers the arm
        let shoulder = outward * self.base_radius + Vec3::z_axis() * self.height;
        let reach = outward * self.arm_angle.cos() - Vec3::z_axis() * self.arm_angle.sin();
        let elbow = shoulder + reach * self.arm;
        let rim = outward * self.platform_radius + Vec3::z_axis() * self.platform_height();

        let arm = bar(b, &format!("arm_{i}"), shoulder, elbow, stock(0.011, 0.18, AMBER));
        let hinge = Joint::revolute(format!("shoulder_{i}"), WORLD, arm).placed(shoulder, hinge_axis);
        let hinge = b.joint(hinge.limits(-1.0, 1.0).armature(2e-3).damping(0.01));
        b.actuator(Actuator::position(format!("motor_{i}"), hinge, 30.0, 0.8).effort_limit(6.0));
        for (hand, sign) in [("left", 0.5), ("right", -0.5)] {
            let aside = hinge_axis * (sign * self.rod_spacing);
            let name = format!("rod_{i}_{hand}");
            let rod = bar(b, &name, elbow + aside, rim + aside, stock(0.004, 0.025, TEAL));
            // x along the elbow, z along the rod: the joint forbids just the spin of the rod.
            let cross = Pose::new(turn_xz_to(hinge_axis, rim - elbow), elbow + aside);
            b.joint(Joint::universal(format!("elbow_{i}_{hand}"), arm, rod).placed_pose(cross));
            let ball = Joint::spherical(format!("wrist_{i}_{hand}"), rod, platform);
            b.joint(ball.placed(rim + aside, hinge_axis));
        }
        let look = Geometry::Capsule { radius: 0.006, half_length: 0.5 * self.rod_spacing };
        // In the arm's frame z runs along the arm, so the elbow's cross bar is drawn from its world pose.
        let cross_bar = Pose::new(turn_z_to(hinge_axis), elbow);
        let X_WL = Pose::new(turn_z_to(elbow - shoulder), shoulder);
        let shape = Shape::new(format!("elbow_{i}"), arm, look).at(X_WL.inverse() * cross_bar);
        b.shape(shape.color(AMBER).visual_only());
    }
}

/// A table-top Delta robot, see [`Delta`].
pub fn delta() -> ModelBuilder {
    Delta::default().builder()
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn a_delta_platform_has_three_freedoms_and_no_redundant_row() {
        Figures { bodies: 10, joints: 15, loops: 5, mobility: 3, redundant: 0 }.check(delta());
    }
}
