//! How far a body reaches from its centre of mass.

use crate::ids::BodyId;
use crate::model::Model;
use crate::shape::Geometry;
use bellcrank_math::Vec3;

/// How far things on a body are from its centre of mass [m]; zero where there is none.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reach {
    /// The furthest joint.
    pub joints: f64,
    /// The furthest point of a shape.
    pub shapes: f64,
}

/// For every body.
pub(crate) fn reaches(model: &Model) -> Vec<Reach> {
    let mut all = vec![Reach::default(); model.bodies().len()];
    let from_com = |body: BodyId, p: Vec3| (p - model.bodies()[body.index()].com).norm();
    for joint in model.joints() {
        for (end, X) in [(joint.predecessor.body(), joint.X_PF), (joint.successor.body(), joint.X_SM)] {
            if let Some(body) = end {
                let reach = &mut all[body.index()].joints;
                *reach = reach.max(from_com(body, X.p));
            }
        }
    }
    for shape in model.shapes() {
        if let Some(body) = shape.link.body() {
            let points = corners(&shape.geometry).into_iter().map(|p| from_com(body, shape.X_LG * p));
            let reach = &mut all[body.index()].shapes;
            *reach = points.fold(*reach, f64::max);
        }
    }
    all
}

/// Points between which the geometry lies.
fn corners(geometry: &Geometry) -> Vec<Vec3> {
    let half = match geometry {
        Geometry::Plane => Vec3::zero(),
        Geometry::Sphere { radius } => Vec3::new(*radius, 0.0, 0.0),
        Geometry::Capsule { radius, half_length } => Vec3::new(*radius, 0.0, half_length + radius),
        Geometry::Box { half } => *half,
        Geometry::Cylinder { radius, half_length } | Geometry::Cone { radius, half_length } => {
            Vec3::new(*radius, 0.0, *half_length)
        }
        Geometry::Ellipsoid { radii } => Vec3::new(radii.x.max(radii.y).max(radii.z), 0.0, 0.0),
        Geometry::ConvexMesh(mesh) | Geometry::TriangleMesh(mesh) => return mesh.vertices.clone(),
        Geometry::HeightField(field) => Vec3::new(field.size[0], field.size[1], 0.0),
    };
    let signs = [-1.0, 1.0];
    let all = signs.into_iter().flat_map(|x| signs.into_iter().flat_map(move |y| signs.map(|z| (x, y, z))));
    all.map(|(x, y, z)| Vec3::new(x * half.x, y * half.y, z * half.z)).collect()
}
