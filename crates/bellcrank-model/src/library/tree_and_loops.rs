//! A large animatronic figure for benchmarks: a torso with limbs full of linkages, made from a seed.
//!
//! A limb begins with a driven segment and goes on in pairs of a driven and a coupled one.
//!
//! ```text
//!   driven: a horn on the parent pulls the link      coupled: a crossed rod from the link before last
//!                                                    bends the link along with the one before it
//!      o--- rod ---o
//! horn |           |                                       o
//!  ====o==o========+==== link                              |`-. rod
//!  parent  hinge                                before ====o=====`-.=o==== link
//!                                                          between   `o
//! ```
//! Driven: link, horn and rod, four hinges, one loop, one freedom (3·3 − 2·4 in the plane). Coupled: link and
//! rod, three hinges, one loop, no freedom of its own (3·2 − 2·3). Planar loops leave three redundant rows
//! each. Covers are bolted on by fixed joints, and the torso floats on a free joint.
//!
//! Nine limbs with two pairs each and 33 covers: 1 + 9·(3·3 + 2·2) + 33 = 151 bodies, 1 + 9·(3·4 + 2·3) + 33
//! = 196 joints, 9·5 = 45 loops, 27 motors, mobility 6 + 27 = 33, redundant rows 3·45 = 135.

use super::parts::{AMBER, CORAL, INK, PLUM, SAND, SLATE, Stock, TEAL, bar, ground, stock, turn_z_to};
use crate::{Actuator, Body, BodyId, Geometry, Joint, ModelBuilder, Shape, WORLD};
use bellcrank_math::{Pose, Quat, Vec3};

const TORSO_HEIGHT: f64 = 1.0; // [m]
const RING: f64 = 0.16; // [m] middle of the torso to the limbs' first hinges
const TIP: f64 = 0.02; // [m] radius of the ball at the end of a limb

/// How large a figure.
#[derive(Clone, Copy, Debug)]
pub struct TreeAndLoops {
    /// Lengths, bends and directions follow from this alone.
    pub seed: u64,
    /// How many limbs around the torso.
    pub limbs: usize,
    /// Pairs of a driven and a coupled segment per limb, after the first driven one.
    pub pairs: usize,
    /// Covers bolted to the links, dealt out evenly.
    pub covers: usize,
}

impl Default for TreeAndLoops {
    fn default() -> Self {
        TreeAndLoops { seed: 1, limbs: 9, pairs: 2, covers: 33 }
    }
}

impl TreeAndLoops {
    /// The figure at its reference pose, the lowest limb just touching the ground.
    pub fn builder(&self) -> ModelBuilder {
        let mut b = ModelBuilder::new("tree_and_loops");
        let mut dice = Dice(self.seed);
        let at = Pose::translation(0.0, 0.0, TORSO_HEIGHT);
        let (radius, height) = (RING - 0.02, 0.30);
        let torso = b.body(Body::new("torso").at(at).solid_cylinder_z(12.0, radius, height));
        let look = Geometry::Cylinder { radius, half_length: 0.5 * height };
        b.shape(Shape::new("torso", torso, look).color(SLATE).visual_only());
        b.joint(Joint::free("root", WORLD, torso).placed_pose(at));

        let mut links = Vec::new();
        let mut lowest = TORSO_HEIGHT;
        for i in 0..self.limbs {
            let azimuth = std::f64::consts::TAU * i as f64 / self.limbs as f64;
            let mut limb = Limb::start(&mut b, &mut dice, torso, (format!("limb_{i}"), azimuth));
            limb.add_driven();
            for _ in 0..self.pairs {
                limb.turn_axis();
                limb.add_driven();
                limb.add_coupled();
            }
            limb.add_tip();
            lowest = lowest.min(limb.hinge.z);
            links.extend(limb.links);
        }
        // One limb after the other gets its next cover, from the torso outwards.
        let per_limb = 1 + 2 * self.pairs;
        let covers = if self.limbs == 0 { 0 } else { self.covers };
        for i in 0..covers {
            add_cover(&mut b, i, &links[(i % self.limbs) * per_limb + (i / self.limbs) % per_limb]);
        }
        ground(&mut b, lowest - TIP);
        b
    }
}

/// A bar of a limb, where it is.
#[derive(Clone, Copy)]
struct Link {
    body: BodyId,
    from: Vec3,
    to: Vec3,
}

/// A limb while it grows.
struct Limb<'a> {
    b: &'a mut ModelBuilder,
    dice: &'a mut Dice,
    name: String,
    torso: BodyId,
    links: Vec<Link>,
    /// Where the last link ends and the next begins [m].
    hinge: Vec3,
    /// Where the last link points.
    along: Vec3,
    /// Axis of the hinges being added.
    axis: Vec3,
}

impl<'a> Limb<'a> {
    fn start(
        b: &'a mut ModelBuilder,
        dice: &'a mut Dice,
        torso: BodyId,
        (name, azimuth): (String, f64),
    ) -> Limb<'a> {
        let outward = Vec3::new(azimuth.cos(), azimuth.sin(), 0.0);
        let height = TORSO_HEIGHT + dice.between(-0.1, 0.1);
        let along = (outward - Vec3::z_axis() * dice.between(0.4, 1.0)).normalized();
        let axis = Vec3::z_axis().cross(outward);
        let hinge = outward * RING + Vec3::z_axis() * height;
        Limb { b, dice, name, torso, links: Vec::new(), hinge, along, axis }
    }

    /// The last link, or the torso before there is one.
    fn parent(&self) -> BodyId {
        self.links.last().map_or(self.torso, |link| link.body)
    }

    /// The next hinges turn about another axis across the limb.
    fn turn_axis(&mut self) {
        let angle = self.dice.between(-0.6, 0.6);
        self.axis = Quat::from_axis_angle(self.along, angle).rotate(self.axis);
    }

    fn part(&self, part: &str) -> String {
        format!("{}_{part}_{}", self.name, self.links.len())
    }

    fn bar(&mut self, part: &str, from: Vec3, to: Vec3, stock: Stock) -> BodyId {
        let name = self.part(part);
        bar(self.b, &name, from, to, stock)
    }

    fn hinge(&mut self, part: &str, bodies: (BodyId, BodyId), at: Vec3) -> Joint {
        Joint::revolute(self.part(part), bodies.0, bodies.1).placed(at, self.axis)
    }

    /// A link bent a little further about the axis, with its hinge.
    fn add_link(&mut self, color: super::parts::Color) -> Link {
        let bend = self.dice.between(0.15, 0.45);
        self.along = Quat::from_axis_angle(self.axis, bend).rotate(self.along);
        let from = self.hinge;
        let length = self.dice.between(0.11, 0.15);
        let to = from + self.along * length;
        let mass = 1.6 * length * 0.85_f64.powi(self.links.len() as i32);
        let body = self.bar("link", from, to, stock(0.014, mass, color));
        let hinge = self.hinge("hinge", (self.parent(), body), from).damping(0.01);
        self.b.joint(hinge);
        Link { body, from, to }
    }

    fn add_driven(&mut self) {
        let parent = self.parent();
        let link = self.add_link(TEAL);
        let up = self.along.cross(self.axis);
        let drive = link.from - self.along * 0.03 + up * self.dice.between(0.015, 0.025);
        let lean = self.dice.between(-0.3, 0.3);
        let top = drive + (up + self.along * lean).normalized() * 0.035;
        let bottom = link.from + self.along * 0.04 + up * self.dice.between(0.035, 0.045);
        let horn = self.bar("horn", drive, top, stock(0.007, 0.04, AMBER));
        let rod = self.bar("rod", top, bottom, stock(0.005, 0.03, PLUM));
        let hinge = self.hinge("drive", (parent, horn), drive).armature(0.005).limits(-0.6, 0.6);
        let motor = self.part("motor");
        let hinge = self.b.joint(hinge);
        self.b.actuator(Actuator::position(motor, hinge, 40.0, 1.0).effort_limit(10.0));
        let pin = self.hinge("rod_top", (horn, rod), top);
        self.b.joint(pin);
        let pin = self.hinge("rod_bottom", (rod, link.body), bottom);
        self.b.joint(pin);
        self.grow(link);
    }

    fn add_coupled(&mut self) {
        let Some(&between) = self.links.last() else { return };
        let before = self.links.iter().rev().nth(1).map_or(self.torso, |link| link.body);
        let across = self.along.cross(self.axis);
        let link = self.add_link(CORAL);
        let start = between.from - across * self.dice.between(0.025, 0.035);
        let end = between.to + across * self.dice.between(0.025, 0.035);
        let rod = self.bar("tendon", start, end, stock(0.005, 0.04, PLUM));
        let pin = self.hinge("tendon_start", (before, rod), start);
        self.b.joint(pin);
        let pin = self.hinge("tendon_end", (rod, link.body), end);
        self.b.joint(pin);
        self.grow(link);
    }

    /// A rubber ball at the end, the only part that touches the ground.
    fn add_tip(&mut self) {
        let Some(last) = self.links.last() else { return };
        let end = Pose::translation(0.0, 0.0, (last.to - last.from).norm());
        let ball = Shape::new(format!("{}_tip", self.name), last.body, Geometry::Sphere { radius: TIP });
        self.b.shape(ball.at(end).friction(0.8).color(INK));
    }

    fn grow(&mut self, link: Link) {
        self.hinge = link.to;
        self.links.push(link);
    }
}

/// A light plate over the middle of a link.
fn add_cover(b: &mut ModelBuilder, i: usize, link: &Link) {
    let middle = (link.from + link.to) * 0.5;
    let X_WL = Pose::new(turn_z_to(link.to - link.from), middle) * Pose::translation(-0.02, 0.0, 0.0);
    let size = Vec3::new(0.006, 0.06, 0.8 * (link.to - link.from).norm());
    let name = format!("cover_{i}");
    let cover = b.body(Body::new(&*name).at(X_WL).solid_box(0.05, size));
    b.shape(Shape::new(&*name, cover, Geometry::Box { half: size * 0.5 }).color(SAND).visual_only());
    b.joint(Joint::fixed(name, link.body, cover).placed_pose(X_WL));
}

/// Reproducible random numbers (SplitMix64), the same on every computer.
struct Dice(u64);

impl Dice {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^= z >> 31;
        let unit = (z >> 11) as f64 / (1_u64 << 53) as f64;
        low + (high - low) * unit
    }
}

/// A figure of 151 bodies, see [`TreeAndLoops`].
pub fn tree_and_loops() -> ModelBuilder {
    TreeAndLoops::default().builder()
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn the_large_figure_has_151_bodies_45_loops_and_27_motors() {
        let figures = Figures { bodies: 151, joints: 196, loops: 45, mobility: 33, redundant: 135 };
        let model = figures.check(tree_and_loops());
        assert_eq!(model.actuators().len(), 27);
    }

    #[test]
    fn other_seeds_and_sizes_count_by_the_same_rule() {
        for (seed, limbs, pairs, covers) in [(2, 1, 0, 0), (3, 2, 1, 3), (4, 4, 3, 40)] {
            let figure = TreeAndLoops { seed, limbs, pairs, covers };
            let (driven, coupled) = (limbs * (1 + pairs), limbs * pairs);
            let loops = driven + coupled;
            let figures = Figures {
                bodies: 1 + 3 * driven + 2 * coupled + covers,
                joints: 1 + 4 * driven + 3 * coupled + covers,
                loops,
                mobility: 6 + driven,
                redundant: 3 * loops,
            };
            figures.check(figure.builder());
        }
    }
}
