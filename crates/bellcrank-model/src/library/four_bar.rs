//! The planar four-bar linkage: crank, coupler, rocker; the ground link is the world.
//!
//! ```text
//!              coupler
//!          C ----------- D          3 bodies, 4 hinges, 1 loop
//!         /               \         Grübler–Kutzbach in the plane: 3·3 − 2·4 = 1
//!  crank /                 \ rocker in space: 6·3 − 5·4 = −2
//!       A ................. B       so 3 of the 20 rows say nothing new
//!             ground
//! ```
//! The three redundant rows are the parallel hinges': staying in the plane and not tipping out of it (twice)
//! is already seen to by the other three.

use super::parts::{AMBER, CORAL, Side, TEAL, bar, frame_bar, meet, stock};
use crate::{Actuator, Joint, ModelBuilder, WORLD};
use bellcrank_math::Vec3;

/// Lengths of a four-bar linkage, crank hinge at the origin, rocker hinge on the x axis.
///
/// The crank turns right round when it is the shortest bar and shortest + longest < sum of the other two
/// (Grashof). Lengths that do not reach at `crank_angle` give a builder whose `build()` fails.
#[derive(Clone, Copy, Debug)]
pub struct FourBar {
    /// Between the two hinges on the world [m].
    pub ground: f64,
    /// The driven bar [m].
    pub crank: f64,
    /// The bar that floats [m].
    pub coupler: f64,
    /// The bar that swings to and fro [m].
    pub rocker: f64,
    /// Crank at the reference pose, from the x axis towards z [rad].
    pub crank_angle: f64,
    /// Which side of the line from the crank's pin to the rocker's hinge the coupler's far pin is on.
    pub side: Side,
    /// Mass per length of every bar [kg/m].
    pub density: f64,
    /// Radius of every bar [m].
    pub radius: f64,
}

impl Default for FourBar {
    /// A crank-rocker (0.08 + 0.30 < 0.26 + 0.20) of steel bar, 10 mm thick.
    fn default() -> Self {
        FourBar {
            ground: 0.30,
            crank: 0.08,
            coupler: 0.26,
            rocker: 0.20,
            crank_angle: 1.0,
            side: Side::Left,
            density: 0.62,
            radius: 0.005,
        }
    }
}

impl FourBar {
    /// The linkage with a speed-controlled motor on the crank.
    pub fn builder(&self) -> ModelBuilder {
        let mut b = ModelBuilder::new("four_bar");
        let (crank_hinge, rocker_hinge) = (Vec3::zero(), Vec3::x_axis() * self.ground);
        let [crank_pin, rocker_pin] = self.pins();
        let y = Vec3::y_axis();
        let bar_of = |length: f64, color| stock(self.radius, self.density * length, color);

        let crank = bar(&mut b, "crank", crank_hinge, crank_pin, bar_of(self.crank, AMBER));
        let coupler = bar(&mut b, "coupler", crank_pin, rocker_pin, bar_of(self.coupler, TEAL));
        let rocker = bar(&mut b, "rocker", rocker_hinge, rocker_pin, bar_of(self.rocker, CORAL));
        let drive = Joint::revolute("crank_hinge", WORLD, crank).placed(crank_hinge, y).armature(1e-4);
        let drive = b.joint(drive);
        b.joint(Joint::revolute("crank_pin", crank, coupler).placed(crank_pin, y));
        b.joint(Joint::revolute("rocker_pin", coupler, rocker).placed(rocker_pin, y));
        b.joint(Joint::revolute("rocker_hinge", WORLD, rocker).placed(rocker_hinge, y));
        b.actuator(Actuator::velocity("crank_motor", drive, 0.5).effort_limit(2.0));
        frame_bar(&mut b, "frame", crank_hinge, rocker_hinge, 0.8 * self.radius);
        b
    }

    /// The two moving pins at the reference pose, in the world [m].
    fn pins(&self) -> [Vec3; 2] {
        let crank_pin = Vec3::new(self.crank_angle.cos(), 0.0, self.crank_angle.sin()) * self.crank;
        let rocker_hinge = Vec3::x_axis() * self.ground;
        [crank_pin, meet(crank_pin, self.coupler, rocker_hinge, self.rocker, self.side)]
    }
}

/// A crank-rocker of steel, see [`FourBar`].
pub fn four_bar() -> ModelBuilder {
    FourBar::default().builder()
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    const FIGURES: Figures = Figures { bodies: 3, joints: 4, loops: 1, mobility: 1, redundant: 3 };

    #[test]
    fn a_planar_loop_has_one_freedom_and_three_redundant_rows() {
        FIGURES.check(four_bar());
    }

    #[test]
    fn the_crank_turns_right_round_with_bars_of_constant_length() {
        for step in 0..24 {
            let linkage = FourBar { crank_angle: 0.2618 * step as f64, ..FourBar::default() };
            let [c, d] = linkage.pins();
            assert!(((d - c).norm() - linkage.coupler).abs() < 1e-15);
            assert!(((d - Vec3::x_axis() * linkage.ground).norm() - linkage.rocker).abs() < 1e-15);
            FIGURES.check(linkage.builder());
        }
    }

    #[test]
    fn bars_that_do_not_reach_are_refused() {
        assert!(FourBar { coupler: 0.05, ..FourBar::default() }.builder().build().is_err());
    }
}
