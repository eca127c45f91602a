//! Heaps of loose solids of about 5 cm that fall on a plane.

use super::parts::{AMBER, CORAL, Color, PLUM, SAND, TEAL, ground};
use crate::{Body, Geometry, Material, ModelBuilder, Shape};
use bellcrank_math::{Pose, Vec3};
use std::f64::consts::PI;

/// Kinds of solids in a pile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Solid {
    /// A cube of 5 cm.
    Cube,
    /// 5 cm across and 5 cm high.
    Cylinder,
    /// Half axes of 3, 2.5 and 2 cm.
    Ellipsoid,
    /// 4 cm across, 8 cm long.
    Capsule,
    /// 5 cm across.
    Ball,
}

/// Layers of `across` × `across` solids above a plane.
#[derive(Clone, Debug)]
pub struct Pile {
    /// Solids along each side of a layer.
    pub across: usize,
    /// What each layer consists of, from below.
    pub layers: Vec<Solid>,
    /// From centre to centre in a layer, and from layer to layer [m].
    pub spacing: [f64; 2],
    /// How far solids stand from their place in the layer, at most [m].
    pub jitter: f64,
    /// Coefficient of rolling friction of all of them [m].
    pub rolling: f64,
}

impl Default for Pile {
    /// 125 solids of all kinds.
    fn default() -> Self {
        use Solid::{Ball, Capsule, Cube, Cylinder, Ellipsoid};
        let layers = vec![Cube, Cylinder, Ellipsoid, Capsule, Ball];
        // no two overlap at the start: the longest is 60 mm and stands up to 6 mm beside its place
        Pile { across: 5, layers, spacing: [0.073, 0.07], jitter: 0.006, rolling: 0.0 }
    }
}

const DENSITY: f64 = 1000.0; // [kg/m³]
const FRICTION: f64 = 0.8;

impl Pile {
    /// Twelve cubes, capsules and balls in three layers of 2 × 2.
    pub fn small() -> Self {
        let layers = vec![Solid::Cube, Solid::Capsule, Solid::Ball];
        Pile { across: 2, layers, spacing: [0.063, 0.07], ..Pile::default() }
    }

    /// The model, not yet built.
    pub fn builder(&self) -> ModelBuilder {
        let mut b =
            ModelBuilder::new(if self.across * self.layers.len() < 10 { "small_pile" } else { "pile" });
        ground(&mut b, 0.0);
        let middle = 0.5 * (self.across as f64 - 1.0);
        for (layer, solid) in self.layers.iter().enumerate() {
            for k in 0..self.across * self.across {
                let (i, j) = (k / self.across, k % self.across);
                let at = |row: usize, salt: usize| {
                    (row as f64 - middle) * self.spacing[0]
                        + self.jitter * scatter(3 * k + 101 * layer + salt)
                };
                let z = 0.05 + layer as f64 * self.spacing[1];
                let name = format!("{}_{layer}_{i}_{j}", solid.name());
                solid.add(&mut b, name, Vec3::new(at(i, 0), at(j, 1), z), self.rolling);
            }
        }
        b
    }
}

/// Between −1 and 1, the same every time.
fn scatter(seed: usize) -> f64 {
    let mixed = (seed as u64 + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    ((mixed ^ (mixed >> 31)) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

impl Solid {
    fn name(self) -> &'static str {
        match self {
            Solid::Cube => "cube",
            Solid::Cylinder => "cylinder",
            Solid::Ellipsoid => "ellipsoid",
            Solid::Capsule => "capsule",
            Solid::Ball => "ball",
        }
    }

    fn add(self, b: &mut ModelBuilder, name: String, p: Vec3, rolling: f64) {
        let (geometry, color): (Geometry, Color) = match self {
            Solid::Cube => (Geometry::Box { half: Vec3::new(0.025, 0.025, 0.025) }, TEAL),
            Solid::Cylinder => (Geometry::Cylinder { radius: 0.025, half_length: 0.025 }, AMBER),
            Solid::Ellipsoid => (Geometry::Ellipsoid { radii: Vec3::new(0.03, 0.025, 0.02) }, CORAL),
            Solid::Capsule => (Geometry::Capsule { radius: 0.02, half_length: 0.02 }, PLUM),
            Solid::Ball => (Geometry::Sphere { radius: 0.025 }, SAND),
        };
        let (mass, [x, y, z]) = self.inertia();
        let body = Body::new(&name).at(Pose::from_position(p)).mass(mass).inertia_diagonal(x, y, z);
        let id = b.body(body);
        let material = Material { sliding: FRICTION, torsional: 0.0, rolling, restitution: 0.0 };
        b.shape(Shape::new(&name, id, geometry).material(material).color(color));
    }

    /// Mass [kg] and principal moments [kg·m²] of the solid, from its volume.
    fn inertia(self) -> (f64, [f64; 3]) {
        match self {
            Solid::Cube => {
                let m = DENSITY * 0.05_f64.powi(3);
                (m, [m * 0.05 * 0.05 / 6.0; 3])
            }
            Solid::Cylinder => {
                let (r, l) = (0.025_f64, 0.05);
                let m = DENSITY * PI * r * r * l;
                let across = m * (3.0 * r * r + l * l) / 12.0;
                (m, [across, across, 0.5 * m * r * r])
            }
            Solid::Ellipsoid => {
                let [a, b, c] = [0.03_f64, 0.025, 0.02];
                let m = DENSITY * 4.0 / 3.0 * PI * a * b * c;
                (m, [b * b + c * c, a * a + c * c, a * a + b * b].map(|sum| 0.2 * m * sum))
            }
            Solid::Capsule => {
                // a cylinder of length l and two half balls, whose centres of mass lie 3r/8 beyond its ends
                let (r, l) = (0.02_f64, 0.04);
                let (rod, ends) = (DENSITY * PI * r * r * l, DENSITY * 4.0 / 3.0 * PI * r * r * r);
                let along = 0.5 * rod * r * r + 0.4 * ends * r * r;
                let across =
                    rod * (3.0 * r * r + l * l) / 12.0 + ends * (0.4 * r * r + 0.25 * l * l + 0.375 * r * l);
                (rod + ends, [across, across, along])
            }
            Solid::Ball => {
                let r = 0.025_f64;
                let m = DENSITY * 4.0 / 3.0 * PI * r * r * r;
                (m, [0.4 * m * r * r; 3])
            }
        }
    }
}

/// 125 solids in five layers, let go above a plane.
pub fn pile() -> ModelBuilder {
    Pile::default().builder()
}

/// Twelve solids in three layers, let go above a plane.
pub fn small_pile() -> ModelBuilder {
    Pile::small().builder()
}
