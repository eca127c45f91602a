//! How much room a model takes at its reference pose.

use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Geometry, JointId, Model};
use serde::Serialize;

/// A box that holds bodies, joints and shapes, terrain left out [m].
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Extent {
    pub low: [f64; 3],
    pub high: [f64; 3],
}

impl Extent {
    pub fn of(model: &Model) -> Self {
        let mut extent = Extent { low: [f64::INFINITY; 3], high: [f64::NEG_INFINITY; 3] };
        for body in model.bodies() {
            extent.include(body.X_WB().p, [0.0; 3]);
        }
        for (j, joint) in model.joints().iter().enumerate() {
            let (X_PF, _) = model.joint_frames(JointId::new(j));
            let X_WP =
                joint.predecessor.body().map_or(Pose::identity(), |b| model.bodies()[b.index()].X_WB());
            extent.include((X_WP * X_PF).p, [0.0; 3]);
        }
        for shape in model.shapes() {
            let X_WL = shape.link.body().map_or(Pose::identity(), |b| model.bodies()[b.index()].X_WL);
            extent.include_shape(X_WL * shape.X_LG, &shape.geometry);
        }
        if extent.low[0] > extent.high[0] {
            extent.include(Vec3::zero(), [0.5; 3]); // a model without parts still has a place
        }
        extent
    }

    fn include(&mut self, p: Vec3, half: [f64; 3]) {
        for (k, x) in p.to_array().into_iter().enumerate() {
            self.low[k] = self.low[k].min(x - half[k]);
            self.high[k] = self.high[k].max(x + half[k]);
        }
    }

    fn include_shape(&mut self, X_WG: Pose, geometry: &Geometry) {
        let half = match geometry {
            Geometry::Plane | Geometry::HeightField(_) => return,
            Geometry::ConvexMesh(mesh) | Geometry::TriangleMesh(mesh) => {
                mesh.vertices.iter().for_each(|&v| self.include(X_WG * v, [0.0; 3]));
                return;
            }
            &Geometry::Sphere { radius } => [radius; 3],
            Geometry::Box { half } => half.to_array(),
            Geometry::Ellipsoid { radii } => radii.to_array(),
            &Geometry::Capsule { radius, half_length } => [radius, radius, half_length + radius],
            &Geometry::Cylinder { radius, half_length } | &Geometry::Cone { radius, half_length } => {
                [radius, radius, half_length]
            }
        };
        // half-widths of a turned box: |R| h
        let R = X_WG.R.to_mat3();
        let across = [0, 1, 2].map(|r| (0..3).map(|c| R.entry(r, c).abs() * half[c]).sum::<f64>());
        self.include(X_WG.p, across);
    }

    /// Its longest edge.
    pub fn size(&self) -> f64 {
        (0..3).map(|k| self.high[k] - self.low[k]).fold(0.0, f64::max)
    }
}
