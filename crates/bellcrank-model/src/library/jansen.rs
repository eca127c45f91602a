//! Theo Jansen's leg: one crank drives three loops whose foot runs along a flat line and returns above it.
//!
//! ```text
//!            T
//!         e / \ b ` . j           O crank hinge, C crank pin, P second hinge on the frame
//!          /   \      ` .C        triangle P–T–D (sides b, e, d) and triangle L–F–foot (g, h, i) are plates
//!         D--d--P      / O        bars: j (C–T), k (C–L), c (P–L), f (D–F)
//!         |      \c  / k
//!       f |       \ /             7 bodies, 10 hinges, 10 − 7 = 3 loops
//!         F---g----L              in the plane: 3·7 − 2·10 = 1
//!          \     /                in space: 6·7 − 5·10 = −8, so 9 of the 50 rows are redundant
//!         h \  / i
//!          foot
//! ```
//! The lengths are Jansen's thirteen published numbers.

use super::parts::{AMBER, CORAL, INK, PLUM, SAND, Side, TEAL, bar, frame_bar, ground, meet, plate, stock};
use crate::{Actuator, BodyId, Geometry, Joint, Link, ModelBuilder, Shape, Site, WORLD};
use bellcrank_math::{Pose, Vec3};

/// Jansen's numbers [units of his drawing]; a and l place the second hinge, m is the crank.
pub(super) const A: f64 = 38.0;
const B: f64 = 41.5;
const C: f64 = 39.3;
const D: f64 = 40.1;
const E: f64 = 55.8;
const F: f64 = 39.4;
const G: f64 = 36.7;
const H: f64 = 65.7;
const I: f64 = 49.0;
const J: f64 = 50.0;
const K: f64 = 61.9;
pub(super) const L: f64 = 7.8;
pub(super) const M: f64 = 15.0;

/// Crank angle at which the foot is lowest, from the x axis towards z [rad].
const LOWEST: f64 = 5.747_966_12;
/// Radius of the rubber foot [m].
pub(super) const FOOT: f64 = 0.012;
/// Distance between neighbouring layers of bars [m].
const LAYER: f64 = 0.014;
/// Radius of rods and of the edges of plates [m].
const BAR: f64 = 0.005;

/// One leg on a frame fixed to the world, over the ground plane z = 0.
#[derive(Clone, Copy, Debug)]
pub struct JansenLeg {
    /// Length of Jansen's unit [m].
    pub unit: f64,
    /// Crank at the reference pose, from the x axis towards z [rad].
    pub crank_angle: f64,
    /// Between the ground and the foot at its lowest [m].
    pub clearance: f64,
}

impl Default for JansenLeg {
    /// A leg of 0.5 m whose foot, at its lowest as built, just touches the ground.
    fn default() -> Self {
        JansenLeg { unit: 0.004, crank_angle: LOWEST, clearance: 0.0 }
    }
}

/// Where the hinges are at the reference pose [m].
pub(super) struct Points {
    pub crank_hinge: Vec3,
    pub frame_hinge: Vec3,
    pub crank_pin: Vec3,
    pub top: Vec3,
    pub outer: Vec3,
    pub lower: Vec3,
    pub knee: Vec3,
    pub foot: Vec3,
}

impl Points {
    /// Every point moved.
    pub fn map(&self, place: impl Fn(Vec3) -> Vec3) -> Self {
        Points {
            crank_hinge: place(self.crank_hinge),
            frame_hinge: place(self.frame_hinge),
            crank_pin: place(self.crank_pin),
            top: place(self.top),
            outer: place(self.outer),
            lower: place(self.lower),
            knee: place(self.knee),
            foot: place(self.foot),
        }
    }
}

/// One leg between a crank pin and a frame.
pub(super) struct Leg {
    /// The beginning of all its names.
    pub name: String,
    pub frame: Link,
    pub crank: BodyId,
    pub points: Points,
    /// Mass, 1 for 0.72 kg.
    pub weight: f64,
    /// Distance between neighbouring layers of bars, along y [m].
    pub layer: f64,
    /// Whether its foot touches the feet of other legs.
    pub alone: bool,
}

impl Leg {
    fn part(&self, part: &str) -> String {
        format!("{}{part}", self.name)
    }

    /// Six bodies and nine hinges.
    pub fn add(&self, b: &mut ModelBuilder) {
        let p = &self.points;
        let mut link = |part, from, to, n: f64, (mass, color)| {
            let layer = Vec3::y_axis() * (n * self.layer);
            bar(b, &self.part(part), from + layer, to + layer, stock(BAR, self.weight * mass, color))
        };
        let j = link("upper_rod", p.crank_pin, p.top, 1.0, (0.10, TEAL));
        let k = link("lower_rod", p.crank_pin, p.lower, -1.0, (0.12, TEAL));
        let c = link("inner_rod", p.frame_hinge, p.lower, 1.0, (0.08, CORAL));
        let f = link("outer_rod", p.outer, p.knee, 1.0, (0.08, CORAL));
        let sheet = |mass, color| stock(BAR, self.weight * mass, color);
        let (upper, _) =
            plate(b, &self.part("upper_plate"), [p.frame_hinge, p.top, p.outer], sheet(0.16, PLUM));
        let (shin, X_WL) = plate(b, &self.part("shin"), [p.lower, p.knee, p.foot], sheet(0.18, SAND));
        self.add_foot(b, shin, X_WL);

        let mut hinge = |part, between: (Link, BodyId), at| {
            b.joint(Joint::revolute(self.part(part), between.0, between.1).placed(at, Vec3::y_axis()))
        };
        hinge("upper_hinge", (self.frame.clone(), upper), p.frame_hinge);
        hinge("inner_hinge", (self.frame.clone(), c), p.frame_hinge);
        hinge("upper_crank_pin", (self.crank.into(), j), p.crank_pin);
        hinge("lower_crank_pin", (self.crank.into(), k), p.crank_pin);
        hinge("top_pin", (j.into(), upper), p.top);
        hinge("outer_pin", (upper.into(), f), p.outer);
        hinge("knee_pin", (f.into(), shin), p.knee);
        hinge("inner_pin", (c.into(), shin), p.lower);
        hinge("lower_pin", (k.into(), shin), p.lower);
    }

    fn add_foot(&self, b: &mut ModelBuilder, shin: BodyId, X_WL: Pose) {
        let at = Pose::from_position(X_WL.inverse() * self.points.foot);
        let foot = Shape::new(self.part("foot"), shin, Geometry::Sphere { radius: FOOT });
        let foot = if self.alone { foot } else { foot.groups(2, 1) }; // the ground's group is 1
        b.shape(foot.at(at).friction(0.8).color(INK));
        b.site(Site::new(self.part("foot"), shin).at(at));
    }
}

impl JansenLeg {
    /// The leg with a speed-controlled motor on the crank.
    pub fn builder(&self) -> ModelBuilder {
        let mut b = ModelBuilder::new("jansen_leg");
        ground(&mut b, 0.0);
        let p = self.points();
        let layer = |point: Vec3, n: f64| point + Vec3::y_axis() * (n * LAYER);
        let (hinge, pin, frame_hinge) = (p.crank_hinge, p.crank_pin, p.frame_hinge);
        let crank = bar(&mut b, "crank", layer(hinge, 2.0), layer(pin, 2.0), stock(0.007, 0.06, AMBER));
        let drive = Joint::revolute("crank_hinge", WORLD, crank).placed(hinge, Vec3::y_axis());
        let drive = b.joint(drive.armature(1e-3));
        let name = String::new();
        Leg { name, frame: WORLD, crank, points: p, weight: 1.0, layer: LAYER, alone: true }.add(&mut b);
        b.actuator(Actuator::velocity("crank_motor", drive, 1.0).effort_limit(8.0));
        frame_bar(&mut b, "frame", layer(frame_hinge, 3.0), layer(hinge, 3.0), 0.006);
        b
    }

    /// Solved loop by loop around the crank hinge, then lifted so that the foot at its lowest clears the
    /// ground.
    fn points(&self) -> Points {
        let lift = Vec3::z_axis() * (self.clearance + self.crank_height());
        self.points_about_crank(self.crank_angle).map(|p| p + lift)
    }

    /// The crank hinge over the ground when the foot at its lowest touches it [m].
    pub(super) fn crank_height(&self) -> f64 {
        FOOT - self.points_about_crank(LOWEST).foot.z
    }

    /// In the plane y = 0, the crank hinge at the origin.
    pub(super) fn points_about_crank(&self, angle: f64) -> Points {
        let u = self.unit;
        let frame_hinge = Vec3::new(-A * u, 0.0, -L * u);
        let crank_pin = Vec3::new(angle.cos(), 0.0, angle.sin()) * (M * u);
        let top = meet(crank_pin, J * u, frame_hinge, B * u, Side::Right);
        let outer = meet(frame_hinge, D * u, top, E * u, Side::Left);
        let lower = meet(crank_pin, K * u, frame_hinge, C * u, Side::Left);
        let knee = meet(outer, F * u, lower, G * u, Side::Right);
        let foot = meet(knee, H * u, lower, I * u, Side::Right);
        Points { crank_hinge: Vec3::zero(), frame_hinge, crank_pin, top, outer, lower, knee, foot }
    }
}

/// One of Jansen's legs, see [`JansenLeg`].
pub fn jansen_leg() -> ModelBuilder {
    JansenLeg::default().builder()
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn three_planar_loops_leave_one_freedom_and_nine_redundant_rows() {
        Figures { bodies: 7, joints: 10, loops: 3, mobility: 1, redundant: 9 }.check(jansen_leg());
    }

    /// Jansen's aim: while the foot carries weight it neither rises nor sinks.
    #[test]
    fn for_more_than_half_a_turn_the_foot_is_nearly_level() {
        let leg = JansenLeg::default();
        let turn = (0..360).map(|i| leg.points_about_crank(f64::to_radians(i as f64)).foot);
        let path: Vec<Vec3> = turn.collect();
        let lowest = leg.points_about_crank(LOWEST).foot.z;
        assert!(path.iter().all(|foot| foot.z > lowest - 1e-9));
        let low: Vec<&Vec3> = path.iter().filter(|foot| foot.z < lowest + 2.3 * leg.unit).collect();
        let (back, front) = low.iter().fold((f64::MAX, f64::MIN), |(b, f), p| (b.min(p.x), f.max(p.x)));
        assert!(low.len() > 180, "{} degrees", low.len());
        assert!((front - back) / leg.unit > 65.0, "stride {}", (front - back) / leg.unit);
    }
}
