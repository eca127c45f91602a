//! Poses that divide by zero if one lets them: coincident centres, parallel faces, edge on edge, vertex on edge.

use crate::common::*;
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::Geometry;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI};

fn turns() -> Vec<Quat> {
    let about = Quat::from_axis_angle;
    let (x, y, z) = (Vec3::x_axis(), Vec3::y_axis(), Vec3::z_axis());
    vec![
        Quat::identity(),
        about(x, FRAC_PI_2),
        about(y, FRAC_PI_2),
        about(z, FRAC_PI_4),
        about(x, FRAC_PI_4),
        about(y, PI),
        about(x, FRAC_PI_4) * about(y, FRAC_PI_4),
        about(z, 1e-9),
        about(x, 1e-12),
    ]
}

fn places() -> Vec<Vec3> {
    let mut places = vec![Vec3::zero()];
    for d in [1e-300, 1e-16, 1e-9, 0.05, 0.07, 0.1, 0.15, 0.2] {
        for (x, y, z) in
            [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (1.0, 1.0, 0.0), (1.0, -1.0, 1.0)]
        {
            places.push(Vec3::new(x, y, z) * d);
        }
    }
    places
}

/// Every contact is finite, its normal a unit vector, its points where normal and distance say.
fn check(a: &Geometry, b: &Geometry, name: &str) {
    let scene = Scene::new(a, b);
    let mut found = 0;
    for R in turns() {
        for p in places() {
            for c in scene.contacts([Pose::identity(), Pose::new(R, p)], 0.01) {
                found += 1;
                assert!(
                    c.point_a.is_finite() && c.point_b.is_finite() && c.distance.is_finite(),
                    "{name} at {p:?}, {R:?}: {c:?}"
                );
                assert!((c.normal.norm() - 1.0).abs() < 1e-9, "{name} at {p:?}, {R:?}: {c:?}");
                let way = c.point_b - c.point_a - c.normal * c.distance;
                assert!(way.norm() < 1e-9, "{name} at {p:?}, {R:?}: {c:?}");
            }
        }
    }
    assert!(found > 100, "{name}: {found}");
}

#[test]
fn awkward_poses_give_finite_contacts_with_unit_normals() {
    let mut all = vec![("plane", Geometry::Plane)];
    all.extend(solids());
    for (i, (name, a)) in all.iter().enumerate() {
        for (other, b) in &all[i.max(1)..] {
            check(a, b, &format!("{name} and {other}"));
        }
    }
}

/// In every such pose in which the two overlap by more than rounding, something is found.
#[test]
fn no_overlap_is_missed_in_awkward_poses() {
    let solids = solids();
    for (i, (name, a)) in solids.iter().enumerate() {
        for (other, b) in &solids[i..] {
            let scene = Scene::new(a, b);
            for R in turns() {
                // every solid contains the ball of 4 cm around its origin but the cone's, which is 2 cm
                for p in places().into_iter().filter(|p| p.norm() < 0.055) {
                    assert!(
                        scene.depth([Pose::identity(), Pose::new(R, p)], 0.0).is_some_and(|d| d < -1e-3),
                        "{name} and {other} at {p:?}, {R:?}"
                    );
                }
            }
        }
    }
}
