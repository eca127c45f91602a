//! Open chains that hang from the world.
//!
//! | | bodies | joints | loops | mobility |
//! |---|---|---|---|---|
//! | `pendulum` | 1 | 1 | 0 | 1 |
//! | `double_pendulum` | 2 | 2 | 0 | 2 |
//! | `chain` of n links | n | n | 0 | n |

use super::parts::{AMBER, CORAL, INK, TEAL, bar, frame_bar, stock};
use crate::{Actuator, Body, Geometry, Joint, Keyframe, ModelBuilder, Shape, WORLD};
use bellcrank_math::{Pose, Vec3};

/// A light rod with a steel bob, hanging straight down from a hinge at the origin.
///
/// Rod and bob are one body: its centre of mass is 0.5 m below the hinge and it weighs 1 kg. The motor is too
/// weak to lift the bob in one go (m g l = 4.9 N·m), as a swing-up task wants it.
pub fn pendulum() -> ModelBuilder {
    const LENGTH: f64 = 0.5; // [m] hinge to centre of mass
    const BOB: f64 = 0.03; // [m] radius of the bob: 1 kg of steel has 31 mm
    let mut b = ModelBuilder::new("pendulum");
    let rod = b.body(Body::new("rod").com(Vec3::new(0.0, 0.0, -LENGTH)).solid_sphere(1.0, BOB));
    let hinge = Joint::revolute("hinge", WORLD, rod).placed(Vec3::zero(), Vec3::y_axis());
    let hinge = b.joint(hinge);
    b.actuator(Actuator::effort("hinge_motor", hinge).effort_limit(2.0));
    b.keyframe(Keyframe::new("raised").joint(hinge, [2.5]));

    let middle = Pose::translation(0.0, 0.0, -0.5 * LENGTH);
    let look = Geometry::Capsule { radius: 0.006, half_length: 0.5 * LENGTH };
    b.shape(Shape::new("rod", rod, look).at(middle).color(TEAL).visual_only());
    let bob = Shape::new("bob", rod, Geometry::Sphere { radius: BOB });
    b.shape(bob.at(Pose::translation(0.0, 0.0, -LENGTH)).color(INK).visual_only());
    frame_bar(&mut b, "axle", Vec3::new(0.0, -0.04, 0.0), Vec3::new(0.0, 0.04, 0.0), 0.01);
    b
}

/// Two aluminium bars hanging straight down, a motor at the elbow only (an acrobot).
pub fn double_pendulum() -> ModelBuilder {
    const UPPER: f64 = 0.40; // [m]
    const LOWER: f64 = 0.30; // [m]
    let mut b = ModelBuilder::new("double_pendulum");
    let (shoulder, elbow) = (Vec3::zero(), Vec3::new(0.0, 0.0, -UPPER));
    let tip = elbow + Vec3::new(0.0, 0.0, -LOWER);
    let upper = bar(&mut b, "upper", shoulder, elbow, stock(0.012, 0.49, TEAL));
    let lower = bar(&mut b, "lower", elbow, tip, stock(0.012, 0.37, CORAL));
    let shoulder = b.joint(Joint::revolute("shoulder", WORLD, upper).placed(shoulder, Vec3::y_axis()));
    let elbow = b.joint(Joint::revolute("elbow", upper, lower).placed(elbow, Vec3::y_axis()));
    b.actuator(Actuator::effort("elbow_motor", elbow).effort_limit(1.5));
    b.keyframe(Keyframe::new("raised").joint(shoulder, [2.5]).joint(elbow, [-0.5]));
    frame_bar(&mut b, "axle", Vec3::new(0.0, -0.04, 0.0), Vec3::new(0.0, 0.04, 0.0), 0.015);
    b
}

/// Links in a row, hinged about y, held out straight along x: let go, it falls like a rope.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    /// How many links.
    pub links: usize,
    /// Length of one link, hinge to hinge [m].
    pub length: f64,
    /// Radius of a link [m].
    pub radius: f64,
    /// Mass of a link [kg].
    pub mass: f64,
    /// Viscous friction of each hinge [N·m·s/rad].
    pub damping: f64,
}

impl Default for Chain {
    fn default() -> Self {
        Chain { links: 10, length: 0.1, radius: 0.008, mass: 0.054, damping: 0.0 }
    }
}

impl Chain {
    /// The chain, its first hinge at the origin of the world.
    pub fn builder(&self) -> ModelBuilder {
        let mut b = ModelBuilder::new("chain");
        let colors = [TEAL, AMBER, CORAL];
        let mut previous = None;
        for i in 0..self.links {
            let from = Vec3::x_axis() * (i as f64 * self.length);
            let to = Vec3::x_axis() * ((i + 1) as f64 * self.length);
            let link = stock(self.radius, self.mass, colors[i % colors.len()]);
            let link = bar(&mut b, &format!("link_{i}"), from, to, link);
            let name = format!("hinge_{i}");
            let hinge = match previous {
                None => Joint::revolute(name, WORLD, link),
                Some(previous) => Joint::revolute(name, previous, link),
            };
            b.joint(hinge.placed(from, Vec3::y_axis()).damping(self.damping));
            previous = Some(link);
        }
        b
    }
}

/// Ten links of 0.1 m, see [`Chain`].
pub fn chain() -> ModelBuilder {
    Chain::default().builder()
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn a_pendulum_has_one_freedom() {
        Figures { bodies: 1, joints: 1, loops: 0, mobility: 1, redundant: 0 }.check(pendulum());
    }

    #[test]
    fn a_double_pendulum_has_two_freedoms() {
        Figures { bodies: 2, joints: 2, loops: 0, mobility: 2, redundant: 0 }.check(double_pendulum());
    }

    #[test]
    fn a_chain_has_as_many_freedoms_as_links() {
        for n in [1, 10, 25] {
            let chain = Chain { links: n, ..Chain::default() };
            Figures { bodies: n, joints: n, loops: 0, mobility: n, redundant: 0 }.check(chain.builder());
        }
    }
}
