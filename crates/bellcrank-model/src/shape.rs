//! What touches and what is drawn.

use crate::fault::Place;
use crate::ids::Link;
use crate::in_medium::InMedium;
use crate::mesh::{HeightField, Mesh};
use crate::softness::ShapeSoftness;
use crate::texture::Texture;
use bellcrank_math::{Pose, Vec3};
use std::sync::Arc;

/// A solid fixed to a body or to the world.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Unique among shapes.
    pub name: String,
    /// What it is fixed to.
    pub link: Link,
    /// X_LG: the shape's own frame in the link frame (or in the world).
    pub X_LG: Pose,
    /// Its form.
    pub geometry: Geometry,
    /// How it rubs and bounces.
    pub material: Material,
    /// Where two shapes that touch differ in this, the material of the higher one holds for both.
    pub priority: i32,
    /// The resting surface lies this far outside the geometry [m].
    pub margin: f64,
    /// Contacts are looked for within this distance of the resting surface [m].
    pub gap: f64,
    /// How its contacts give way in a model that is soft ([`crate::ModelBuilder::compliance`]).
    pub softness: Option<ShapeSoftness>,
    /// How air or water pushes it, where they push it and not the box of its body's inertia.
    pub in_medium: Option<InMedium>,
    /// False for decoration.
    pub collides: bool,
    /// Collision groups: shapes a and b may touch if `a.group & b.mask` or `b.group & a.mask`.
    pub group: u32,
    /// Collision groups that this shape touches.
    pub mask: u32,
    /// Red, green, blue, opacity, each 0 to 1.
    pub color: [f32; 4],
    /// What its mesh is covered with; the colour tints it.
    pub texture: Option<Arc<Texture>>,
    /// Where it was said.
    pub place: Option<Place>,
}

/// The form of a [`Shape`], in its own frame. Capsule, cylinder and cone stand along z, centred.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)] // lengths in metres, named plainly
pub enum Geometry {
    /// The half-space below z = 0. Only for the world.
    Plane,
    Sphere {
        radius: f64,
    },
    /// `half_length` reaches to the centres of the caps.
    Capsule {
        radius: f64,
        half_length: f64,
    },
    Box {
        half: Vec3,
    },
    Cylinder {
        radius: f64,
        half_length: f64,
    },
    Ellipsoid {
        radii: Vec3,
    },
    /// The tip points along +z.
    Cone {
        radius: f64,
        half_length: f64,
    },
    /// The convex hull of the mesh's points.
    ConvexMesh(Arc<Mesh>),
    /// The triangles themselves; only for shapes that do not move, or for drawing.
    TriangleMesh(Arc<Mesh>),
    /// Terrain.
    HeightField(Arc<HeightField>),
}

impl Geometry {
    /// The semi-axes of the ellipsoid that stands for it in a medium, along its own axes; `None` for what has no such.
    pub fn semi_axes(&self) -> Option<Vec3> {
        match *self {
            Geometry::Sphere { radius } => Some(Vec3::new(radius, radius, radius)),
            Geometry::Capsule { radius, half_length } => {
                Some(Vec3::new(radius, radius, radius + half_length))
            }
            Geometry::Cylinder { radius, half_length } => Some(Vec3::new(radius, radius, half_length)),
            Geometry::Box { half } => Some(half),
            Geometry::Ellipsoid { radii } => Some(radii),
            _ => None,
        }
    }
}

/// How a surface rubs and bounces.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Coulomb's coefficient of sliding.
    pub sliding: f64,
    /// Torsional friction: moment about the normal per normal force [m].
    pub torsional: f64,
    /// Rolling friction: moment about the tangents per normal force [m].
    pub rolling: f64,
    /// Newton's coefficient of restitution, 0 to 1.
    pub restitution: f64,
}

impl Default for Material {
    fn default() -> Self {
        Material { sliding: 0.7, torsional: 0.0, rolling: 0.0, restitution: 0.0 }
    }
}

impl Shape {
    /// A shape at the link's origin that collides.
    pub fn new(name: impl Into<String>, link: impl Into<Link>, geometry: Geometry) -> Self {
        Shape {
            name: name.into(),
            link: link.into(),
            X_LG: Pose::identity(),
            geometry,
            material: Material::default(),
            priority: 0,
            margin: 0.0,
            gap: 0.0,
            softness: None,
            in_medium: None,
            collides: true,
            group: 1,
            mask: 1,
            color: [0.6, 0.6, 0.6, 1.0],
            texture: None,
            place: None,
        }
    }

    /// X_LG: where it sits on its link.
    pub fn at(mut self, X_LG: Pose) -> Self {
        self.X_LG = X_LG;
        self
    }

    /// Lets air and water push this ellipsoid in its place, instead of the box of its body's inertia.
    pub fn in_medium(mut self, ellipsoid: InMedium) -> Self {
        self.in_medium = Some(ellipsoid);
        self
    }

    /// Coulomb's coefficient of sliding.
    pub fn friction(mut self, sliding: f64) -> Self {
        self.material.sliding = sliding;
        self
    }

    /// The whole material.
    pub fn material(mut self, material: Material) -> Self {
        self.material = material;
        self
    }

    /// Whose material holds where two shapes touch: the higher one's.
    pub fn priority(mut self, priority: i32) -> Self {
        self.priority = priority;
        self
    }

    /// Newton's coefficient of restitution.
    pub fn restitution(mut self, restitution: f64) -> Self {
        self.material.restitution = restitution;
        self
    }

    /// The resting surface lies this far outside the geometry [m].
    pub fn margin(mut self, margin: f64) -> Self {
        self.margin = margin;
        self
    }

    /// Contacts are looked for within this distance of the resting surface [m].
    pub fn gap(mut self, gap: f64) -> Self {
        self.gap = gap;
        self
    }

    /// Collision groups: which it is in, and which it touches.
    pub fn groups(mut self, group: u32, mask: u32) -> Self {
        (self.group, self.mask) = (group, mask);
        self
    }

    /// Red, green, blue, opacity, each 0 to 1.
    pub fn color(mut self, color: [f32; 4]) -> Self {
        self.color = color;
        self
    }

    /// A picture over its mesh.
    pub fn texture(mut self, texture: Arc<Texture>) -> Self {
        self.texture = Some(texture);
        self
    }

    /// Its colour seen from far away: where it has a picture, that picture's mean, tinted.
    pub fn mean_color(&self) -> [f32; 4] {
        let [r, g, b] = self.texture.as_ref().map_or([1.0; 3], |texture| texture.mean());
        let [x, y, z, opacity] = self.color;
        [x * r, y * g, z * b, opacity]
    }

    /// Decoration: drawn, never touched.
    pub fn visual_only(mut self) -> Self {
        self.collides = false;
        self
    }

    /// Says where the shape was described; otherwise it is the caller's line.
    pub fn place(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }
}
