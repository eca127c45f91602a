//! What is held: four objects of a size that fits a hand.

use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::{Body, BodyId, Geometry, Joint, ModelBuilder, Shape, WORLD};

/// Shapes of hands touch this group.
const HELD: u32 = 2;
/// Name of the object's body.
pub const OBJECT: &str = "object";
/// Friction of all objects.
const FRICTION: f64 = 0.8;
const COLOR: [f32; 4] = [0.30, 0.62, 0.82, 1.0];

/// Name, form, place, and by how much its surface lies outside (which rounds edges).
type Part = (&'static str, Geometry, Pose, f64);

/// An object to be turned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Object {
    /// A cube of 60 mm and 100 g.
    Cube,
    /// An upright cylinder, 60 mm across, 64 mm high, 90 g.
    Cylinder,
    /// A tin: a box of 70 × 50 × 50 mm with edges rounded by 8 mm, 100 g.
    Tin,
    /// A duck of three convex parts, not convex as a whole: body, head and tail, 80 g.
    Duck,
}

impl Object {
    /// All of them.
    pub const ALL: [Object; 4] = [Object::Cube, Object::Duck, Object::Tin, Object::Cylinder];

    /// As commands name it.
    pub fn name(self) -> &'static str {
        match self {
            Object::Cube => "cube",
            Object::Cylinder => "cylinder",
            Object::Tin => "tin",
            Object::Duck => "duck",
        }
    }

    /// The one with this name.
    pub fn by_name(name: &str) -> Option<Self> {
        Object::ALL.into_iter().find(|object| object.name() == name)
    }

    /// From the lowest point to the centre of mass, as placed [m].
    pub fn height(self) -> f64 {
        match self {
            Object::Cube => 0.030,
            Object::Cylinder => 0.032,
            Object::Tin => 0.025,
            Object::Duck => 0.026,
        }
    }

    /// Adds the object, free to move, with its centre of mass at a place.
    pub fn add(self, b: &mut ModelBuilder, at: Vec3) -> BodyId {
        self.add_as(b, at, self.parts())
    }

    /// The same as a planner sees it: of parts that are looked at in lanes. A cylinder against boxes takes three times as long as boxes do,
    /// since the search differs from world to world; its planner sees six staves.
    pub fn add_planned(self, b: &mut ModelBuilder, at: Vec3) -> BodyId {
        self.add_as(b, at, self.planned_parts())
    }

    fn add_as(self, b: &mut ModelBuilder, at: Vec3, parts: Vec<Part>) -> BodyId {
        let body = Body::new(OBJECT).at(Pose::from_position(at));
        let body = b.body(match self {
            Object::Cube => body.solid_box(0.10, Vec3::new(0.06, 0.06, 0.06)),
            Object::Cylinder => body.solid_cylinder_z(0.09, 0.03, 0.064),
            Object::Tin => body.solid_box(0.10, Vec3::new(0.07, 0.05, 0.05)),
            Object::Duck => body.solid_box(0.08, Vec3::new(0.07, 0.05, 0.055)),
        });
        b.joint(Joint::free("object_free", WORLD, body));
        for (name, geometry, at, margin) in parts {
            let shape = Shape::new(format!("object_{name}"), body, geometry).at(at).margin(margin);
            b.shape(shape.groups(HELD, 1).friction(FRICTION).color(COLOR));
        }
        body
    }

    fn planned_parts(self) -> Vec<Part> {
        if self != Object::Cylinder {
            return self.parts();
        }
        let (radius, round) = (0.03, 0.008);
        let stave = |(k, name): (usize, &'static str)| {
            let (sine, cosine) = (k as f64 * std::f64::consts::FRAC_PI_3).sin_cos();
            let at = Pose::translation((radius - round) * cosine, (radius - round) * sine, 0.0);
            (name, Geometry::Capsule { radius: round, half_length: 0.032 - round }, at, 0.0)
        };
        let names = ["stave_0", "stave_1", "stave_2", "stave_3", "stave_4", "stave_5"];
        names.into_iter().enumerate().map(stave).collect()
    }

    /// Convex parts.
    fn parts(self) -> Vec<Part> {
        let here = Pose::identity();
        match self {
            Object::Cube => {
                vec![("cube", Geometry::Box { half: Vec3::new(0.03, 0.03, 0.03) }, here, 0.0)]
            }
            Object::Cylinder => {
                vec![("cylinder", Geometry::Cylinder { radius: 0.03, half_length: 0.032 }, here, 0.0)]
            }
            Object::Tin => {
                vec![("tin", Geometry::Box { half: Vec3::new(0.027, 0.017, 0.017) }, here, 0.008)]
            }
            Object::Duck => {
                let lying = Quat::from_axis_angle(Vec3::y_axis(), std::f64::consts::FRAC_PI_2);
                vec![
                    (
                        "body",
                        Geometry::Capsule { radius: 0.026, half_length: 0.012 },
                        Pose::new(lying, Vec3::zero()),
                        0.0,
                    ),
                    ("head", Geometry::Sphere { radius: 0.018 }, Pose::translation(0.022, 0.0, 0.032), 0.0),
                    ("tail", Geometry::Sphere { radius: 0.010 }, Pose::translation(-0.036, 0.0, 0.014), 0.0),
                ]
            }
        }
    }
}
