//! Contacts that can be worked out by hand.

use crate::common::*;
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::Geometry;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

const EXACT: f64 = 1e-15; // a few roundings of numbers below one

fn up(z: f64) -> Pose {
    Pose::translation(0.0, 0.0, z)
}
fn about_y(angle: f64, z: f64) -> Pose {
    Pose::new(Quat::from_axis_angle(Vec3::y_axis(), angle), Vec3::new(0.0, 0.0, z))
}
fn depths(a: Geometry, b: Geometry, X: [Pose; 2]) -> Vec<f64> {
    let mut d: Vec<f64> = Scene::new(&a, &b).contacts(X, 0.0).iter().map(|c| c.distance).collect();
    d.sort_by(f64::total_cmp);
    d
}
fn assert_depths(found: &[f64], expected: &[f64], tolerance: f64) {
    assert_eq!(found.len(), expected.len(), "{found:?} against {expected:?}");
    for (a, b) in found.iter().zip(expected) {
        assert!((a - b).abs() <= tolerance, "{found:?} against {expected:?}");
    }
}

#[test]
fn a_ball_sinks_into_a_plane_by_its_radius_less_its_height() {
    assert_depths(&depths(Geometry::Plane, ball(0.1), [Pose::identity(), up(0.09)]), &[-0.01], EXACT);
    assert_depths(&depths(Geometry::Plane, ball(0.1), [Pose::identity(), up(0.1001)]), &[], EXACT);
}

#[test]
fn a_capsule_lies_on_two_points_and_stands_on_one() {
    let lying = depths(Geometry::Plane, capsule(0.1, 0.2), [Pose::identity(), about_y(FRAC_PI_2, 0.09)]);
    assert_depths(&lying, &[-0.01, -0.01], EXACT);
    assert_depths(&depths(Geometry::Plane, capsule(0.1, 0.2), [Pose::identity(), up(0.29)]), &[-0.01], EXACT);
}

#[test]
fn a_box_rests_on_the_four_corners_of_its_face() {
    let scene = Scene::new(&Geometry::Plane, &cuboid(0.1, 0.2, 0.3));
    let contacts = scene.contacts([Pose::identity(), up(0.295)], 0.0);
    assert_eq!(contacts.len(), 4);
    for c in &contacts {
        assert!((c.distance + 0.005).abs() < EXACT && c.normal == Vec3::z_axis());
        assert!((c.point_b.x.abs() - 0.1).abs() < EXACT && (c.point_b.y.abs() - 0.2).abs() < EXACT);
        assert!(c.point_a.z.abs() < EXACT && (c.point_b.z + 0.005).abs() < EXACT);
    }
    // four different corners
    let sum = contacts.iter().fold(Vec3::zero(), |s, c| s + c.point_b);
    assert!(sum.x.abs() < EXACT && sum.y.abs() < EXACT);
}

/// A cube on its edge: the two lower corners are at half · √2 below the centre, the next two at its height.
#[test]
fn a_cube_on_its_edge_has_two_corners_down() {
    let z = 0.1 * 2_f64.sqrt() - 0.01;
    let found = depths(Geometry::Plane, cuboid(0.1, 0.1, 0.1), [Pose::identity(), about_y(FRAC_PI_4, z)]);
    assert_depths(&found, &[-0.01, -0.01], EXACT);
}

#[test]
fn a_cylinder_stands_on_a_square_of_its_rim_and_rolls_on_a_line() {
    let stands = depths(Geometry::Plane, cylinder(0.1, 0.2), [Pose::identity(), up(0.195)]);
    assert_depths(&stands, &[-0.005; 4], EXACT);
    let rolls = depths(Geometry::Plane, cylinder(0.1, 0.2), [Pose::identity(), about_y(FRAC_PI_2, 0.095)]);
    assert_depths(&rolls[..2], &[-0.005, -0.005], EXACT);
}

/// Lying on its side, the axis of a cone of radius r and height 2h leans by its half angle φ = atan(r / 2h), and
/// its middle is at h sin φ above the ground: tip and rim touch.
#[test]
fn a_cone_lies_on_tip_and_rim() {
    let (r, h) = (0.1, 0.15);
    let phi = f64::atan2(r, 2.0 * h);
    let X = about_y(FRAC_PI_2 + phi, h * phi.sin() - 1e-3);
    let found = depths(Geometry::Plane, cone(r, h), [Pose::identity(), X]);
    assert_depths(&found[..2], &[-1e-3, -1e-3], 1e-15);
    let tip = depths(Geometry::Plane, cone(r, h), [Pose::identity(), about_y(2.0 * FRAC_PI_2, h - 1e-3)]);
    assert_depths(&tip[..1], &[-1e-3], 1e-15);
}

/// The lowest point of an ellipsoid turned by θ in the x–z plane is √(a² sin²θ + c² cos²θ) below its centre.
#[test]
fn an_ellipsoid_touches_at_its_lowest_point() {
    let theta: f64 = 0.7;
    let low = ((0.2 * theta.sin()).powi(2) + (0.1 * theta.cos()).powi(2)).sqrt();
    let X = about_y(theta, low - 2e-3);
    let scene = Scene::new(&Geometry::Plane, &ellipsoid(0.2, 0.15, 0.1));
    let contacts = scene.contacts([Pose::identity(), X], 0.0);
    assert!((contacts[0].distance + 2e-3).abs() < EXACT);
    let q = X.inverse() * contacts[0].point_b;
    let on_surface = (q.x / 0.2).powi(2) + (q.y / 0.15).powi(2) + (q.z / 0.1).powi(2);
    assert!((on_surface - 1.0).abs() < 1e-14);
}

#[test]
fn a_hull_rests_on_the_corners_of_its_face() {
    let corners = [-1.0, 1.0];
    let points = corners.iter().flat_map(|x| corners.iter().map(move |y| (*x, *y)));
    let mut vertices: Vec<Vec3> =
        points.flat_map(|(x, y)| corners.map(|z| Vec3::new(0.1 * x, 0.1 * y, 0.1 * z))).collect();
    vertices.push(Vec3::new(0.0, 0.0, -0.1)); // a point in the middle of the face is no support
    let mesh = bellcrank_model::Mesh::new(vertices, vec![]);
    let found = depths(Geometry::Plane, Geometry::ConvexMesh(mesh.into()), [Pose::identity(), up(0.099)]);
    assert_depths(&found, &[-1e-3; 4], EXACT);
}

#[test]
fn balls_touch_along_the_line_of_their_centres() {
    let scene = Scene::new(&ball(0.1), &ball(0.2));
    let X = [Pose::translation(0.1, 0.0, 0.0), Pose::translation(0.1, 0.28, 0.0)];
    let c = scene.contacts(X, 0.0)[0];
    assert!((c.normal - Vec3::y_axis()).norm() < EXACT && (c.distance + 0.02).abs() < EXACT);
    assert!((c.point_a - Vec3::new(0.1, 0.1, 0.0)).norm() < EXACT);
    assert!((c.point_b - Vec3::new(0.1, 0.08, 0.0)).norm() < EXACT);
    // the same place: some unit normal, full depth
    let c = scene.contacts([Pose::identity(); 2], 0.0)[0];
    assert!((c.normal.norm() - 1.0).abs() < EXACT && (c.distance + 0.3).abs() < EXACT);
}

#[test]
fn a_ball_in_a_box_leaves_by_the_nearest_face() {
    let scene = Scene::new(&ball(0.05), &cuboid(0.3, 0.2, 0.1));
    let c = scene.contacts([Pose::translation(0.0, 0.17, 0.0), Pose::identity()], 0.0)[0];
    // the face y = 0.2 is 0.03 away, z = 0.1 is 0.1 away; from ball to box: −y
    assert!((c.distance + 0.08).abs() < EXACT && (c.normal + Vec3::y_axis()).norm() < EXACT);
}

#[test]
fn parallel_capsules_share_two_contacts_and_crossed_ones_one() {
    let scene = Scene::new(&capsule(0.05, 0.2), &capsule(0.05, 0.3));
    let side = [Pose::identity(), Pose::translation(0.09, 0.0, 0.15)];
    let contacts = scene.contacts(side, 0.0);
    // A reaches from −0.2 to 0.2, B from −0.15 to 0.45: shared −0.15 to 0.2
    let mut z: Vec<f64> = contacts.iter().map(|c| c.point_a.z).collect();
    z.sort_by(f64::total_cmp);
    assert_depths(&z, &[-0.15, 0.2], EXACT);
    assert!(contacts.iter().all(|c| (c.distance + 0.01).abs() < EXACT));
    let crossed = [Pose::identity(), about_y(FRAC_PI_2, 0.0) * Pose::translation(0.0, 0.08, 0.0)];
    let contacts = scene.contacts(crossed, 0.0);
    assert!(contacts.len() == 1 && (contacts[0].distance + 0.02).abs() < EXACT);
}

#[test]
fn a_capsule_lies_on_a_box_with_both_ends_of_the_stretch_above_it() {
    let scene = Scene::new(&capsule(0.05, 0.3), &cuboid(0.2, 0.2, 0.1));
    let X = [about_y(FRAC_PI_2, 0.149), Pose::identity()];
    let contacts = scene.contacts(X, 0.0);
    let mut x: Vec<f64> = contacts.iter().map(|c| c.point_b.x).collect();
    x.sort_by(f64::total_cmp);
    assert_depths(&x, &[-0.2, 0.2], 1e-14);
    assert!(contacts.iter().all(|c| (c.distance + 1e-3).abs() < 1e-14));
    assert!(contacts.iter().all(|c| (c.normal + Vec3::z_axis()).norm() < 1e-14));
}

#[test]
fn equal_cubes_on_top_of_each_other_touch_at_four_corners() {
    let cube = cuboid(0.1, 0.1, 0.1);
    assert_depths(&depths(cube.clone(), cube.clone(), [up(0.1), up(0.299)]), &[-1e-3; 4], 1e-15);
    // half off in x and y: the overlap is a square again
    let X = [Pose::identity(), Pose::translation(0.1, 0.1, 0.199)];
    let scene = Scene::new(&cube, &cube);
    let contacts = scene.contacts(X, 0.0);
    assert_eq!(contacts.len(), 4);
    for c in contacts {
        assert!(c.point_a.x > -1e-9 && c.point_a.x < 0.1 + 1e-9 && c.point_a.y > -1e-9);
        assert!((c.distance + 1e-3).abs() < 1e-15);
    }
}

/// Turned by 45° about the vertical, the overlap of two equal squares is an octagon.
#[test]
fn a_turned_cube_touches_at_eight_points() {
    let cube = cuboid(0.1, 0.1, 0.1);
    let turned = Pose::new(Quat::from_axis_angle(Vec3::z_axis(), FRAC_PI_4), Vec3::new(0.0, 0.0, 0.199));
    let scene = Scene::new(&cube, &cube);
    let contacts = scene.contacts([Pose::identity(), turned], 0.0);
    assert_eq!(contacts.len(), 8);
    // corners of the octagon: one coordinate is 0.1, the other 0.1 (√2 − 1)
    for c in contacts {
        let (x, y) = (c.point_a.x.abs(), c.point_a.y.abs());
        let (large, small) = (x.max(y), x.min(y));
        // the comparisons have a slack of a thousandth
        assert!((large - 0.1).abs() < 2e-4 && (small - 0.1 * (2_f64.sqrt() - 1.0)).abs() < 2e-4, "{x} {y}");
    }
}

/// Two cubes, each turned by 45° about its own horizontal axis so that an edge points at the other: the edges cross
/// at right angles, √2 · half away from each centre.
#[test]
fn crossing_edges_touch_at_one_point() {
    let cube = cuboid(0.1, 0.1, 0.1);
    let below = about_y(FRAC_PI_4, 0.0);
    let above = Pose::new(
        Quat::from_axis_angle(Vec3::x_axis(), FRAC_PI_4),
        Vec3::new(0.02, 0.03, 0.2 * 2_f64.sqrt() - 0.004),
    );
    let c = Scene::new(&cube, &cube).contacts([below, above], 0.0);
    assert_eq!(c.len(), 1);
    assert!((c[0].distance + 0.004).abs() < 1e-14 && (c[0].normal - Vec3::z_axis()).norm() < 1e-14);
    // the lower edge runs along y at x = 0, the upper along x at y = 0.03
    assert!((c[0].point_b.x).abs() < 1e-14 && (c[0].point_b.y - 0.03).abs() < 1e-14);
}
