//! Two shapes in a scene of their own, and what `collide` says about them.
#![allow(dead_code)] // each test file uses a part

use bellcrank_collide::{Contact, ContactPlan, Contacts, ShapeData, collide};
use bellcrank_math::{Elem, LaneJob, Pose, Quat, Real, Vec3, so3};
use bellcrank_model::{Body, Geometry, Model, ModelBuilder, Parameters, Shape, WORLD};
use std::sync::Arc;

/// A scene of two shapes. A plane or terrain stands still, everything else is on a free body.
pub struct Scene {
    pub model: Model,
    pub plan: ContactPlan,
    pub parameters: Parameters,
}

pub fn is_fixed(geometry: &Geometry) -> bool {
    matches!(geometry, Geometry::Plane | Geometry::HeightField(_) | Geometry::TriangleMesh(_))
}

impl Scene {
    pub fn new(a: &Geometry, b: &Geometry) -> Self {
        let mut builder = ModelBuilder::new("scene");
        for (name, geometry) in [("a", a), ("b", b)] {
            // the link frame sits away from the centre of mass, so that X_BG matters
            let com = Vec3::new(0.3, -0.2, 0.1);
            if is_fixed(geometry) {
                builder.shape(Shape::new(name, WORLD, geometry.clone()));
            } else {
                let body = builder.body(Body::new(name).com(com).solid_sphere(1.0, 0.1));
                builder.shape(Shape::new(name, body, geometry.clone()));
            }
        }
        let model = builder.build().expect("a valid scene");
        let plan = ContactPlan::of(&model);
        let parameters = Parameters::of(&model);
        Scene { model, plan, parameters }
    }

    /// Body poses for given poses of the moving shapes, in order.
    pub fn body_poses<R: Real>(&self, X_WG: [Pose<R>; 2]) -> Vec<Pose<R>> {
        let moving = self.model.shapes().iter().zip(X_WG).filter(|(shape, _)| shape.link != WORLD);
        moving
            .map(|(shape, X)| {
                let com = shape.link.body().map_or(Vec3::zero(), |b| self.model.bodies()[b.index()].com);
                X * Pose::from_position(Vec3::constant(com))
            })
            .collect()
    }

    /// Contacts of any number of worlds at once, slot by slot.
    pub fn slots<R: Real>(&self, X_WG: [Pose<R>; 2], reach: f64) -> Vec<Contact<R>> {
        let data = ShapeData::of(&self.plan, &self.parameters, 0).splat::<R>();
        let mut contacts = Contacts::new(&self.plan);
        collide(&self.plan, &data, &self.body_poses(X_WG), R::constant(reach), &mut contacts);
        contacts.slots().to_vec()
    }

    /// Active contacts, normals from the first shape to the second.
    pub fn contacts(&self, X_WG: [Pose; 2], reach: f64) -> Vec<Contact> {
        let Some(pair) = self.plan.pairs().first() else { return Vec::new() };
        let swapped = pair.shape_a.index() == 1;
        let found = self.slots(X_WG, reach).into_iter().filter(|contact| contact.active);
        found.map(|contact| if swapped { contact.swapped() } else { contact }).collect()
    }

    /// The least distance of all contacts.
    pub fn depth(&self, X_WG: [Pose; 2], reach: f64) -> Option<f64> {
        self.contacts(X_WG, reach).iter().map(|contact| contact.distance).reduce(f64::min)
    }
}

/// Numbers in [−1, 1), the same in every run.
pub struct Dice(u64);

impl Dice {
    pub fn new(seed: u64) -> Self {
        Dice(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64 * 2.0 - 1.0
    }
    pub fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::new(self.number(), self.number(), self.number()) * size
    }
    pub fn rotation(&mut self) -> Quat {
        so3::exp(self.vector(2.5))
    }
    pub fn pose(&mut self, size: f64) -> Pose {
        Pose::new(self.rotation(), self.vector(size))
    }
}

pub fn ball(radius: f64) -> Geometry {
    Geometry::Sphere { radius }
}
pub fn capsule(radius: f64, half_length: f64) -> Geometry {
    Geometry::Capsule { radius, half_length }
}
pub fn cuboid(x: f64, y: f64, z: f64) -> Geometry {
    Geometry::Box { half: Vec3::new(x, y, z) }
}
pub fn cylinder(radius: f64, half_length: f64) -> Geometry {
    Geometry::Cylinder { radius, half_length }
}
pub fn cone(radius: f64, half_length: f64) -> Geometry {
    Geometry::Cone { radius, half_length }
}
pub fn ellipsoid(x: f64, y: f64, z: f64) -> Geometry {
    Geometry::Ellipsoid { radii: Vec3::new(x, y, z) }
}
/// A hull of scattered points.
pub fn hull(points: usize, size: f64) -> Geometry {
    let mut dice = Dice::new(7);
    let vertices = (0..points).map(|_| dice.vector(1.0).normalized() * size).collect();
    Geometry::ConvexMesh(Arc::new(bellcrank_model::Mesh::new(vertices, Vec::new())))
}

/// All solids that move, about 10 cm each.
pub fn solids() -> Vec<(&'static str, Geometry)> {
    vec![
        ("sphere", ball(0.1)),
        ("capsule", capsule(0.05, 0.1)),
        ("box", cuboid(0.1, 0.07, 0.05)),
        ("cylinder", cylinder(0.08, 0.06)),
        ("cone", cone(0.09, 0.08)),
        ("ellipsoid", ellipsoid(0.1, 0.07, 0.05)),
        ("hull", hull(24, 0.1)),
    ]
}

/// One pose per lane.
pub fn lanes_of<R: Real>(poses: &[Pose]) -> Pose<R> {
    let pick = |f: fn(&Pose) -> f64| R::from_lanes(|i| Elem::from_f64(f(&poses[i % poses.len()])));
    Pose::new(
        Quat::from_wxyz([pick(|X| X.R.w), pick(|X| X.R.x), pick(|X| X.R.y), pick(|X| X.R.z)]),
        Vec3::new(pick(|X| X.p.x), pick(|X| X.p.y), pick(|X| X.p.z)),
    )
}

/// Slots of many worlds, `R::LANES` at a time, as bits: per world and slot the eleven numbers of an active contact,
/// or nothing.
pub struct Bits<'a> {
    pub scene: &'a Scene,
    pub worlds: &'a [[Pose; 2]],
    pub reach: f64,
}

impl<E: Elem> LaneJob<E> for Bits<'_> {
    type Output = Vec<Vec<Option<[u64; 10]>>>;
    fn run<R: Real<Elem = E>>(self) -> Self::Output {
        use bellcrank_math::Mask;
        let mut rows = Vec::new();
        for chunk in self.worlds.chunks(R::LANES) {
            let side = |k: usize| lanes_of::<R>(&chunk.iter().map(|X| X[k]).collect::<Vec<_>>());
            let slots = self.scene.slots([side(0), side(1)], self.reach);
            for lane in 0..chunk.len() {
                let row = slots.iter().map(|slot| {
                    (slot.active.bits() >> lane & 1 == 1).then(|| {
                        let [a, b, n] = [slot.point_a, slot.point_b, slot.normal].map(|v| v.lane(lane));
                        let d = slot.distance.lane(lane);
                        [a.x, a.y, a.z, b.x, b.y, b.z, n.x, n.y, n.z, d].map(|x| x.to_f64().to_bits())
                    })
                });
                rows.push(row.collect());
            }
        }
        rows
    }
}
