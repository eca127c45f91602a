//! Terrain: as good as a plane where it is flat, and no seams.

use crate::common::*;
use bellcrank_math::{LaneJob, Level, Pose, Vec3};
use bellcrank_model::{Geometry, HeightField, Mesh};
use std::sync::Arc;

fn field(n: usize, size: f64, height: impl Fn(f64, f64) -> f64) -> HeightField {
    let at = |k: usize| size * (k as f64 / (n - 1) as f64 - 0.5);
    let heights = (0..n * n).map(|k| height(at(k % n), at(k / n))).collect();
    HeightField { rows: n, columns: n, size: [size, size], heights }
}

/// The same triangles as a mesh.
fn as_mesh(field: &HeightField) -> Mesh {
    let n = field.columns;
    let at = |k: usize, size: f64, count: usize| size * (k as f64 / (count - 1) as f64 - 0.5);
    let vertex = |k: usize| {
        Vec3::new(at(k % n, field.size[0], n), at(k / n, field.size[1], field.rows), field.heights[k])
    };
    let vertices = (0..field.heights.len()).map(vertex).collect();
    let mut triangles = Vec::new();
    for j in 0..field.rows as u32 - 1 {
        for i in 0..n as u32 - 1 {
            let first = j * n as u32 + i;
            let last = first + n as u32 + 1;
            triangles.push([first, first + 1, last]);
            triangles.push([first, last, last - 1]);
        }
    }
    Mesh::new(vertices, triangles)
}

/// The field, and the mesh.
fn grounds(field: HeightField) -> [(&'static str, Geometry); 2] {
    let mesh = as_mesh(&field);
    [
        ("height field", Geometry::HeightField(Arc::new(field))),
        ("mesh", Geometry::TriangleMesh(Arc::new(mesh))),
    ]
}

/// Everything that stands a little inside flat terrain is as deep as in a plane, pushed straight up.
#[test]
fn flat_terrain_is_a_plane() {
    let mut dice = Dice::new(23);
    for (ground_name, ground) in grounds(field(9, 0.8, |_, _| 0.0)) {
        for (name, solid) in solids() {
            let (terrain, plane) = (Scene::new(&ground, &solid), Scene::new(&Geometry::Plane, &solid));
            for _ in 0..100 {
                let p = dice.vector(0.2);
                let mut X = [Pose::identity(), Pose::new(dice.rotation(), Vec3::new(p.x, p.y, 1.0))];
                // lower it until it is 2 mm deep
                let Some(height) = plane.depth(X, 9.0) else { panic!("{name}: no height") };
                X[1].p.z -= height + 2e-3;
                let contacts = terrain.contacts(X, 0.0);
                let deepest = contacts.iter().map(|c| c.distance).fold(f64::INFINITY, f64::min);
                // discs are sampled at eight points of their rim: between two of them 1 − cos 22.5° of a tilt of
                // half a degree and 8 cm is missing
                let slack = if name == "cylinder" || name == "cone" { 6e-5 } else { 1e-7 };
                assert!((deepest + 2e-3).abs() < slack, "{name} on {ground_name}: {deepest}");
                for c in contacts {
                    assert!(
                        (c.normal - Vec3::z_axis()).norm() < 1e-9,
                        "{name} on {ground_name}: {:?}",
                        c.normal
                    );
                    assert!(c.point_a.z.abs() < 1e-7, "{name} on {ground_name}: {:?}", c.point_a);
                }
            }
        }
    }
}

/// A box that slides over many seams keeps its four corners, its depth and the direction of its support.
#[test]
fn a_box_slides_over_seams_without_noticing() {
    for (ground_name, ground) in grounds(field(21, 1.0, |_, _| 0.0)) {
        let scene = Scene::new(&ground, &cuboid(0.06, 0.04, 0.03));
        for k in 0..400 {
            let p = Vec3::new(-0.3 + 0.0013 * k as f64, 0.07 + 0.0004 * k as f64, 0.0295);
            let contacts = scene.contacts([Pose::identity(), Pose::from_position(p)], 0.0);
            assert!(contacts.len() >= 4, "{ground_name}, step {k}: {} contacts", contacts.len());
            for c in &contacts {
                assert!((c.distance + 5e-4).abs() < 1e-9 && (c.normal - Vec3::z_axis()).norm() < 1e-9);
            }
            // the support reaches to the four corners
            for (x, y) in [(1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0)] {
                let corner = p + Vec3::new(0.06 * x, 0.04 * y, -0.03);
                let near = contacts.iter().map(|c| (c.point_b - corner).norm()).fold(1.0, f64::min);
                assert!(near < 1e-3, "{ground_name}, step {k}: no contact at corner ({x}, {y}): {near}");
            }
        }
    }
}

/// A ball that rolls over flat ground, just touching or just above it, meets no edge.
#[test]
fn a_ball_rolls_over_seams_without_noticing() {
    for (ground_name, ground) in grounds(field(21, 1.0, |x, _| 0.1 * x)) {
        let scene = Scene::new(&ground, &ball(0.05));
        let up = Vec3::new(-0.1, 0.0, 1.0).normalized();
        for (k, sunk) in (0..600).flat_map(|k| [(k, 1e-3), (k, -1e-3), (k, 0.0)]) {
            let on = Vec3::new(-0.3 + 0.001 * k as f64, 0.05, 0.1 * (-0.3 + 0.001 * k as f64));
            let X = [Pose::identity(), Pose::from_position(on + up * (0.05 - sunk))];
            let contacts = scene.contacts(X, 2e-3);
            assert!(!contacts.is_empty(), "{ground_name}: nothing at step {k}");
            for c in contacts {
                assert!((c.normal - up).norm() < 1e-6, "{ground_name}, step {k}: {:?}", c.normal);
                assert!((c.distance + sunk).abs() < 1e-9, "{ground_name}, step {k}: {}", c.distance);
            }
        }
    }
}

/// A ridge sticks out: a ball above it touches the edge. A ball in the valley touches both sides.
#[test]
fn ridges_are_felt_and_valleys_hold() {
    // z = −|x|: a ridge along y at x = 0 with slopes of 45°
    for (ground_name, ground) in grounds(field(5, 1.0, |x, _| -x.abs())) {
        let scene = Scene::new(&ground, &ball(0.1));
        let c = scene.contacts([Pose::identity(), Pose::translation(0.01, 0.1, 0.1)], 0.01);
        let expected = (0.01_f64.powi(2) + 0.01).sqrt() - 0.1;
        let deepest = c.iter().map(|c| c.distance).fold(1.0, f64::min);
        assert!((deepest - expected).abs() < 1e-9, "{ground_name}: {deepest} against {expected}");
    }
    for (ground_name, ground) in grounds(field(5, 1.0, |x, _| x.abs())) {
        let scene = Scene::new(&ground, &ball(0.1));
        // touching both slopes: height r √2
        let X = [Pose::identity(), Pose::translation(0.0, 0.1, 0.1 * 2_f64.sqrt() - 1e-3)];
        let contacts = scene.contacts(X, 0.0);
        let left = contacts.iter().filter(|c| c.normal.x > 0.5).count();
        let right = contacts.iter().filter(|c| c.normal.x < -0.5).count();
        assert!(left >= 1 && right >= 1, "{ground_name}: {left} and {right}");
    }
}

/// What has fallen through a height field is lifted out again.
#[test]
fn a_body_below_terrain_is_pushed_up() {
    let ground =
        Geometry::HeightField(Arc::new(field(9, 1.0, |x, y| 0.05 * (9.0 * x).sin() * (7.0 * y).cos())));
    for (name, solid) in solids() {
        let contacts =
            Scene::new(&ground, &solid).contacts([Pose::identity(), Pose::translation(0.1, 0.1, -0.4)], 0.0);
        assert!(!contacts.is_empty(), "{name} is lost");
        assert!(contacts.iter().all(|c| c.normal.z > 0.5 && c.distance < -0.2), "{name}");
    }
}

#[test]
fn terrain_gives_the_same_bits_in_every_lane() {
    let hills = field(9, 1.0, |x, y| 0.05 * (9.0 * x).sin() * (7.0 * y).cos());
    let mut dice = Dice::new(29);
    let worlds: Vec<[Pose; 2]> = (0..40).map(|_| [Pose::identity(), dice.pose(0.15)]).collect();
    for (ground_name, ground) in grounds(hills) {
        for (name, solid) in solids() {
            let scene = Scene::new(&ground, &solid);
            let job = || Bits { scene: &scene, worlds: &worlds, reach: 0.01 };
            let expected = LaneJob::<f64>::run::<f64>(job());
            assert!(Level::best().f64(job()) == expected, "{name} on {ground_name}");
        }
    }
}
