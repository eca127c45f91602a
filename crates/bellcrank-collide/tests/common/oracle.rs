//! An independent opinion: the `parry` library.

use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::Geometry;
use parry3d_f64::math::{Pose as ParryPose, Rotation, Vector};
use parry3d_f64::query;
use parry3d_f64::shape::{Ball, Capsule, Cone, ConvexPolyhedron, Cuboid, Cylinder, Shape};

pub fn vector(v: Vec3) -> Vector {
    Vector::new(v.x, v.y, v.z)
}

fn pose(X: Pose) -> ParryPose {
    ParryPose::from_parts(vector(X.p), Rotation::from_xyzw(X.R.x, X.R.y, X.R.z, X.R.w))
}

/// A point of the ellipsoid for each of many directions: parry has no ellipsoid.
fn ellipsoid_points(radii: Vec3) -> Vec<Vector> {
    let golden = std::f64::consts::PI * (3.0 - 5_f64.sqrt());
    (0..2000)
        .map(|i| {
            let z = 1.0 - 2.0 * (i as f64 + 0.5) / 2000.0;
            let (s, c) = (golden * i as f64).sin_cos();
            let r = (1.0 - z * z).sqrt();
            Vector::new(radii.x * r * c, radii.y * r * s, radii.z * z)
        })
        .collect()
}

/// The shape, and its placement in our frame (parry's cylinders and cones stand along y).
fn shape(geometry: &Geometry) -> (Box<dyn Shape>, Pose) {
    let upright = Pose::new(Quat::from_axis_angle(Vec3::x_axis(), std::f64::consts::FRAC_PI_2), Vec3::zero());
    match geometry {
        Geometry::Sphere { radius } => (Box::new(Ball::new(*radius)), Pose::identity()),
        Geometry::Capsule { radius, half_length } => {
            (Box::new(Capsule::new_z(*half_length, *radius)), Pose::identity())
        }
        Geometry::Box { half } => (Box::new(Cuboid::new(vector(*half))), Pose::identity()),
        Geometry::Cylinder { radius, half_length } => {
            (Box::new(Cylinder::new(*half_length, *radius)), upright)
        }
        Geometry::Cone { radius, half_length } => (Box::new(Cone::new(*half_length, *radius)), upright),
        Geometry::Ellipsoid { radii } => {
            let hull = ConvexPolyhedron::from_convex_hull(&ellipsoid_points(*radii));
            (Box::new(hull.expect("a hull")), Pose::identity())
        }
        Geometry::ConvexMesh(mesh) => {
            let points: Vec<Vector> = mesh.vertices.iter().map(|v| vector(*v)).collect();
            (Box::new(ConvexPolyhedron::from_convex_hull(&points).expect("a hull")), Pose::identity())
        }
        other => unreachable!("no oracle for {other:?}"),
    }
}

/// Two shapes as parry sees them.
pub struct Oracle {
    a: (Box<dyn Shape>, Pose),
    b: (Box<dyn Shape>, Pose),
}

impl Oracle {
    pub fn new(a: &Geometry, b: &Geometry) -> Self {
        Oracle { a: shape(a), b: shape(b) }
    }

    /// Zero when they overlap.
    pub fn distance(&self, [X_a, X_b]: [Pose; 2]) -> f64 {
        let (a, b) = (pose(X_a * self.a.1), pose(X_b * self.b.1));
        query::distance(&a, &*self.a.0, &b, &*self.b.0).expect("supported").distance
    }

    /// How far the points are from the surfaces that they should be on.
    pub fn off_surface(&self, X: [Pose; 2], p: [Vec3; 2]) -> f64 {
        let one = |(shape, X_own): &(Box<dyn Shape>, Pose), X: Pose, p: Vec3| {
            let projection = shape.project_point(&pose(X * *X_own), vector(p), false);
            (projection.point - vector(p)).length()
        };
        one(&self.a, X[0], p[0]).max(one(&self.b, X[1], p[1]))
    }

    /// Negative when they overlap, positive up to `reach`.
    pub fn signed_distance(&self, [X_a, X_b]: [Pose; 2], reach: f64) -> Option<f64> {
        let (a, b) = (pose(X_a * self.a.1), pose(X_b * self.b.1));
        query::contact(&a, &*self.a.0, &b, &*self.b.0, reach).expect("supported").map(|c| c.dist)
    }
}
