//! Questions about a pose: what does a ray hit, how far apart are two bodies?
//!
//! All colliding shapes take part, whatever the contact filters say. One world at a time, in `f64`.

mod distance;
mod ray;

pub use distance::Closest;
pub use ray::{Ray, RayHit};

use crate::convex::Core;
use crate::data::Placed;
use crate::plan::PlanShape;
use crate::solid::Solid;
use crate::terrain::Ground;
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{BodyId, Model, Parameters};

/// The colliding shapes of a model, ready to be asked.
#[derive(Clone, Debug)]
pub struct Queries {
    shapes: Vec<PlanShape>,
    /// X_BG: in body frames (origin at the centre of mass), or in the world.
    X_BG: Vec<Pose>,
}

impl Queries {
    /// All colliding shapes of a model.
    pub fn of(model: &Model) -> Self {
        Self::in_world(model, &Parameters::of(model), 0)
    }

    /// The same with the parameters of one world.
    pub fn in_world(model: &Model, parameters: &Parameters, world: usize) -> Self {
        let colliding = |shape: &PlanShape| model.shapes()[shape.id.index()].collides;
        let shapes: Vec<PlanShape> = PlanShape::all(model).into_iter().filter(colliding).collect();
        let place = |shape: &PlanShape| {
            let X_LG = parameters.shape(shape.id).get(world).X_LG;
            let com = |body: BodyId| parameters.body(body).get(world).com;
            Pose::new(X_LG.R, X_LG.p - shape.body.map_or(Vec3::zero(), com))
        };
        let X_BG = shapes.iter().map(place).collect();
        Queries { shapes, X_BG }
    }

    /// A shape in the world, relative to `origin`.
    fn placed(&self, i: usize, X_WB: &[Pose], origin: Vec3) -> Placed {
        let shape = &self.shapes[i];
        let X_WG = shape.body.map_or(self.X_BG[i], |body| X_WB[body.index()] * self.X_BG[i]);
        Placed::new(Pose::new(X_WG.R, X_WG.p - origin), shape.size, shape.bound)
    }
}

/// The triangles of a shape, if it has some.
fn ground_of(solid: &Solid) -> Option<Ground<'_>> {
    match solid {
        Solid::Field(field) => Some(Ground::Field(field)),
        Solid::Triangles(mesh) => Some(Ground::Mesh(mesh)),
        Solid::Plain | Solid::Hull(_) => None,
    }
}

/// A convex shape as a core.
#[inline(always)]
fn core_of(shape: &PlanShape, at: Placed) -> Core<'_> {
    Core::new(at, shape.form, shape.solid.corners())
}
