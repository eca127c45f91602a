//! The Stewart platform: six legs that change their length carry a platform in all six freedoms.
//!
//! ```text
//!      ____platform____       per leg: universal joint on the world, slide (motor), ball at the platform
//!      \   /\    /\   /       2·6 + 1 = 13 bodies, 18 joints, 18 − 13 = 5 loops
//!       \ /  \  /  \ /        rows: 6·(4 + 5 + 3) = 72; freedoms 6·13 − 72 = 6, no row redundant
//!      __V____\/____V__
//! ```
//! Feet stand in three close pairs on the base, heads in three close pairs on the platform, turned by 60°:
//! then the legs lean against each other and the platform is stiff in every direction.

use super::parts::{AMBER, CORAL, SLATE, TEAL, bar, stock, turn_xz_to};
use crate::{Actuator, Body, BodyId, Geometry, Joint, ModelBuilder, Shape, Site, WORLD};
use bellcrank_math::{Pose, Vec3};

/// Dimensions of a Stewart platform.
#[derive(Clone, Copy, Debug)]
pub struct Stewart {
    /// Radius of the circle of feet [m].
    pub base_radius: f64,
    /// Radius of the circle of heads [m].
    pub platform_radius: f64,
    /// Height of the heads over the feet at the reference pose [m].
    pub height: f64,
    /// Half the angle between the two feet of a pair, and between the two heads of a pair [rad].
    pub half_pair: f64,
    /// How far each leg may shorten or lengthen [m].
    pub stroke: f64,
    /// Mass of the platform with its load [kg].
    pub platform_mass: f64,
}

impl Default for Stewart {
    /// A motion base for a load of ten kilograms.
    fn default() -> Self {
        Stewart {
            base_radius: 0.32,
            platform_radius: 0.20,
            height: 0.40,
            half_pair: 0.22,
            stroke: 0.09,
            platform_mass: 10.0,
        }
    }
}

impl Stewart {
    /// The platform at mid-stroke with a position-controlled motor in each leg.
    pub fn builder(&self) -> ModelBuilder {
        let mut b = ModelBuilder::new("stewart");
        let thickness = 0.03;
        let radius = self.platform_radius + 0.02;
        let body = Body::new("platform").at(Pose::translation(0.0, 0.0, self.height));
        let body = body.com(Vec3::new(0.0, 0.0, 0.5 * thickness));
        let platform = b.body(body.solid_cylinder_z(self.platform_mass, radius, thickness));
        let disc = Geometry::Cylinder { radius, half_length: 0.5 * thickness };
        let middle = Pose::translation(0.0, 0.0, 0.5 * thickness);
        b.shape(Shape::new("platform", platform, disc).at(middle).friction(0.7).color(CORAL));
        b.site(Site::new("top", platform).at(Pose::translation(0.0, 0.0, thickness)));
        for i in 0..6 {
            self.add_leg(&mut b, i, platform);
        }
        let disc = Geometry::Cylinder { radius: self.base_radius + 0.03, half_length: 0.01 };
        let below = Pose::translation(0.0, 0.0, -0.03);
        b.shape(Shape::new("base", WORLD, disc).at(below).color(SLATE).visual_only());
        b
    }

    /// Foot and head of a leg at the reference pose [m].
    fn ends(&self, i: usize) -> (Vec3, Vec3) {
        let third = std::f64::consts::TAU / 3.0;
        let sign = if i.is_multiple_of(2) { 1.0 } else { -1.0 };
        let middle = third * (i / 2) as f64;
        let foot = middle + sign * self.half_pair;
        let head = middle + sign * (0.5 * third - self.half_pair);
        let on_circle = |radius: f64, angle: f64, z: f64| {
            Vec3::new(radius * angle.cos(), radius * angle.sin(), z) //
        };
        (on_circle(self.base_radius, foot, 0.0), on_circle(self.platform_radius, head, self.height))
    }

    fn add_leg(&self, b: &mut ModelBuilder, i: usize, platform: BodyId) {
        let (foot, head) = self.ends(i);
        let leg = head - foot;
        let direction = leg.normalized();
        // Cylinder and rod overlap by a stroke and a half, so that they never part.
        let overlap = 1.5 * self.stroke;
        let half = 0.5 * (leg.norm() + overlap);
        let barrel = stock(0.022, 0.9, TEAL);
        let cylinder = bar(b, &format!("cylinder_{i}"), foot, foot + direction * half, barrel);
        let rod = bar(b, &format!("rod_{i}"), head - direction * half, head, stock(0.012, 0.5, AMBER));

        let across = Vec3::z_axis().cross(direction).normalized();
        let cross = Pose::new(turn_xz_to(across, direction), foot);
        b.joint(Joint::universal(format!("foot_{i}"), WORLD, cylinder).placed_pose(cross));
        let slide = Joint::prismatic(format!("slide_{i}"), cylinder, rod).placed(foot, direction);
        let slide = b.joint(slide.limits(-self.stroke, self.stroke).armature(0.5).damping(20.0));
        b.joint(Joint::spherical(format!("head_{i}"), rod, platform).placed(head, direction));
        b.actuator(Actuator::position(format!("motor_{i}"), slide, 3.0e4, 600.0).effort_limit(400.0));
    }
}

/// A motion base, see [`Stewart`].
pub fn stewart() -> ModelBuilder {
    Stewart::default().builder()
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn a_platform_on_six_legs_has_six_freedoms_and_no_redundant_row() {
        Figures { bodies: 13, joints: 18, loops: 5, mobility: 6, redundant: 0 }.check(stewart());
    }

    #[test]
    fn all_legs_are_equally_long_at_mid_stroke() {
        let platform = Stewart::default();
        let length = |i: usize| (platform.ends(i).1 - platform.ends(i).0).norm();
        assert!((1..6).all(|i| (length(i) - length(0)).abs() < 1e-15));
    }
}
