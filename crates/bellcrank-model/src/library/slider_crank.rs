//! Crank, connecting rod and piston; the cylinder is the world.
//!
//! ```text
//!        B
//!       / `-.  rod             3 bodies, 3 hinges + 1 slide, 1 loop
//! crank/     `-.    _____      in the plane: 3·3 − 2·4 = 1
//!     A ........ C |piston|    in space: 6·3 − 5·4 = −2, so 3 redundant rows
//! ```

use super::parts::{AMBER, CORAL, TEAL, bar, frame_bar, stock};
use crate::{Actuator, Body, Geometry, Joint, ModelBuilder, Shape, WORLD};
use bellcrank_math::{Pose, Vec3};

/// Dimensions of a slider-crank, crank hinge at the origin, piston sliding along x.
///
/// A rod too short for the crank and the offset gives a builder whose `build()` fails.
#[derive(Clone, Copy, Debug)]
pub struct SliderCrank {
    /// Crank hinge to crank pin [m]; half the stroke when there is no offset.
    pub crank: f64,
    /// Crank pin to piston pin [m].
    pub rod: f64,
    /// Height of the piston's line over the crank hinge [m].
    pub offset: f64,
    /// Crank at the reference pose, from the x axis towards z [rad].
    pub crank_angle: f64,
    /// Mass of the crank [kg].
    pub crank_mass: f64,
    /// Mass of the connecting rod [kg].
    pub rod_mass: f64,
    /// Mass of the piston [kg].
    pub piston_mass: f64,
}

impl Default for SliderCrank {
    /// A small compressor: stroke 80 mm, rod three cranks long.
    fn default() -> Self {
        SliderCrank {
            crank: 0.04,
            rod: 0.12,
            offset: 0.0,
            crank_angle: 0.9,
            crank_mass: 0.25,
            rod_mass: 0.15,
            piston_mass: 0.30,
        }
    }
}

impl SliderCrank {
    /// The mechanism with a speed-controlled motor on the crank.
    pub fn builder(&self) -> ModelBuilder {
        let mut b = ModelBuilder::new("slider_crank");
        let y = Vec3::y_axis();
        let hinge = Vec3::zero();
        let pin = Vec3::new(self.crank_angle.cos(), 0.0, self.crank_angle.sin()) * self.crank;
        let drop = self.offset - pin.z;
        let reach = (self.rod * self.rod - drop * drop).sqrt();
        let wrist = Vec3::new(pin.x + reach, 0.0, self.offset);

        let crank = bar(&mut b, "crank", hinge, pin, stock(0.010, self.crank_mass, AMBER));
        let rod = bar(&mut b, "rod", pin, wrist, stock(0.006, self.rod_mass, TEAL));
        let size = Vec3::new(0.05, 0.04, 0.04);
        let piston = Body::new("piston").at(Pose::from_position(wrist));
        let piston = b.body(piston.solid_box(self.piston_mass, size));
        b.shape(Shape::new("piston", piston, Geometry::Box { half: size * 0.5 }).color(CORAL).visual_only());

        let drive = Joint::revolute("crank_hinge", WORLD, crank).placed(hinge, y).armature(5e-4);
        let drive = b.joint(drive);
        b.joint(Joint::revolute("crank_pin", crank, rod).placed(pin, y));
        b.joint(Joint::revolute("wrist_pin", rod, piston).placed(wrist, y));
        b.joint(Joint::prismatic("cylinder", WORLD, piston).placed(wrist, Vec3::x_axis()).damping(1.0));
        b.actuator(Actuator::velocity("crank_motor", drive, 0.5).effort_limit(4.0));

        let half_bore = 0.5 * size.z + 0.004;
        let far = self.crank + self.rod + size.x;
        for (name, z) in [("rail_above", half_bore), ("rail_below", -half_bore)] {
            let z = self.offset + z;
            let (from, to) = (Vec3::new(self.rod - self.crank, 0.0, z), Vec3::new(far, 0.0, z));
            frame_bar(&mut b, name, from, to, 0.004);
        }
        b
    }
}

/// A small compressor, see [`SliderCrank`].
pub fn slider_crank() -> ModelBuilder {
    SliderCrank::default().builder()
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn a_slider_crank_has_one_freedom_and_three_redundant_rows() {
        let figures = Figures { bodies: 3, joints: 4, loops: 1, mobility: 1, redundant: 3 };
        figures.check(slider_crank());
        figures.check(SliderCrank { offset: 0.03, ..SliderCrank::default() }.builder());
    }

    #[test]
    fn a_rod_that_does_not_reach_the_piston_is_refused() {
        assert!(SliderCrank { offset: 0.3, ..SliderCrank::default() }.builder().build().is_err());
    }
}
