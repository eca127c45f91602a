//! What is drawn of a model, whoever draws it: its own shapes, and stand-ins for bodies without.

use super::extent::Extent;
use super::stand_in::stand_ins;
use bellcrank_math::Pose;
use bellcrank_model::{Geometry, Model, Shape, Texture};
use std::sync::Arc;

/// A colour that means "none was given" (see [`Shape::new`]).
const NO_COLOR: [f32; 4] = [0.6, 0.6, 0.6, 1.0];

/// A drawn shape, in its body's frame.
#[derive(Clone, Debug)]
pub struct Drawn {
    /// The shape's, or the body's for a stand-in.
    pub name: String,
    /// `None` for the world.
    pub body: Option<usize>,
    /// X_BG, or X_WG for the world.
    pub X_BG: Pose,
    /// Its form.
    pub geometry: Geometry,
    /// `None` where the author gave none.
    pub color: Option<[f32; 4]>,
    /// What covers its mesh; the colour tints it.
    pub texture: Option<Arc<Texture>>,
    /// The colour seen from far away.
    pub mean_color: Option<[f32; 4]>,
    /// It can touch.
    pub collides: bool,
    /// Drawn in place of a body without shapes.
    pub stand_in: bool,
}

/// All that could be drawn of a model; [`is_seen`] says what is.
pub fn drawn(model: &Model) -> Vec<Drawn> {
    let mut all: Vec<Drawn> = model.shapes().iter().map(|shape| of_shape(model, shape)).collect();
    all.extend(stand_ins(model, Extent::of(model).size()));
    all
}

/// Collision shapes are seen only where there is no mesh to look at.
pub fn is_seen(shape: &Drawn, all: &[Drawn]) -> bool {
    let mesh = |geometry: &Geometry| matches!(geometry, Geometry::ConvexMesh(_) | Geometry::TriangleMesh(_));
    let dresses = |other: &Drawn| !other.collides && other.body == shape.body && mesh(&other.geometry);
    !(shape.collides && shape.body.is_some() && all.iter().any(dresses))
}

fn of_shape(model: &Model, shape: &Shape) -> Drawn {
    let body = shape.link.body();
    let to_body = body.map_or(Pose::identity(), |b| model.bodies()[b.index()].X_LB());
    // a hull has corners of its own, and terrain none that lie in a picture
    let covered = matches!(&shape.geometry, Geometry::TriangleMesh(mesh) if !mesh.uvs.is_empty());
    let texture = shape.texture.clone().filter(|_| covered);
    let mean_color = (shape.texture.is_some() || shape.color != NO_COLOR).then(|| shape.mean_color());
    Drawn {
        name: shape.name.clone(),
        body: body.map(|b| b.index()),
        X_BG: to_body.inverse_mul(shape.X_LG),
        geometry: shape.geometry.clone(),
        color: texture.as_ref().map(|_| shape.color).or(mean_color),
        texture,
        mean_color,
        collides: shape.collides,
        stand_in: false,
    }
}
