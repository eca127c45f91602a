//! Distances, depths and normals against an independent library, at random poses.

use crate::common::*;
use crate::oracle::Oracle;
use bellcrank_collide::Contact;
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::Geometry;

/// parry's GJK stops at 1e-7 of the size or so; ellipsoids are hulls of 2,000 points there, off by
/// radius · spacing² / 8 ≈ 0.1 · (0.08)² / 8.
fn tolerance(a: &Geometry, b: &Geometry) -> f64 {
    let egg = [a, b].into_iter().any(|g| matches!(g, Geometry::Ellipsoid { .. }));
    if egg { 3e-4 } else { 2e-6 }
}

/// How far a contact point may be from the surface.
fn slack(a: &Geometry, b: &Geometry) -> f64 {
    match (a, b) {
        // clipping: 1e-3 of the size
        (Geometry::Box { .. }, Geometry::Box { .. }) => 3e-4,
        // the second contact of a capsule on a face that the normal leaves by 1°: radius · sin 1°
        (Geometry::Capsule { .. }, Geometry::Box { .. }) => 1.5e-3,
        // the second contact of capsules side by side: radius · (1 − cos 6°)
        (Geometry::Capsule { .. }, Geometry::Capsule { .. }) => 3e-4,
        // edges and rims that are 1° from parallel: the ends of a stretch of 5 cm are 1 mm beside each other, and
        // where a cone has a radius of 1 cm therefore 1²/(2 · 10) mm above the surface
        _ => 1e-4,
    }
}

fn sound(contact: &Contact, name: &str) {
    assert!(contact.point_a.is_finite() && contact.point_b.is_finite(), "{name}");
    assert!((contact.normal.norm() - 1.0).abs() < 1e-12, "{name}: normal {:?}", contact.normal);
    let way = contact.normal * contact.distance - (contact.point_b - contact.point_a);
    assert!(way.norm() < 1e-12, "{name}: points and normal disagree by {way:?}");
}

/// Moving B out by the depth along the normal leaves the two just touching: the normal separates and the depth is
/// not understated. And no other way out is shorter by more than the routine's bias `slack` allows.
fn check_depth(oracle: &Oracle, X: [Pose; 2], deepest: &Contact, (tolerance, slack): (f64, f64), name: &str) {
    let out = |by: f64| [X[0], Pose::new(X[1].R, X[1].p + deepest.normal * by)];
    let freed = oracle.distance(out(-deepest.distance + 2.0 * tolerance));
    assert!(freed > 0.0, "{name}: still overlapping after moving out by {}", -deepest.distance);
    let held = oracle.distance(out(-deepest.distance - 2.0 * tolerance));
    // boxes prefer a face to an edge by 5 % of the depth
    let bias = if name == "box and box" { 0.06 * deepest.distance.abs() } else { 0.0 };
    assert!(
        held <= 2.0 * tolerance + bias,
        "{name}: {held} apart before moving out by {}",
        -deepest.distance
    );
    let Some(reference) = oracle.signed_distance(X, 0.0) else { return };
    // more than half the size deep there are several ways out, and the search finds one of the shorter
    let slack = slack + if reference < -0.05 { 0.15 * reference.abs() } else { 0.0 };
    let shorter = deepest.distance - reference;
    assert!(
        shorter > -slack - tolerance - 0.06 * reference.abs(),
        "{name}: {} against {reference}",
        deepest.distance
    );
}

fn compare(a: &Geometry, b: &Geometry, name: &str) -> (usize, usize) {
    let (scene, oracle, tolerance) = (Scene::new(a, b), Oracle::new(a, b), tolerance(a, b));
    let mut dice = Dice::new(11);
    let boxes = matches!((a, b), (Geometry::Box { .. }, Geometry::Box { .. }));
    let (mut apart, mut deep) = (0, 0);
    for _ in 0..400 {
        let X_a = dice.pose(0.3);
        let X = [X_a, Pose::new(dice.rotation(), X_a.p + dice.vector(0.16))];
        let contacts = scene.contacts(X, 0.02);
        for c in &contacts {
            sound(c, name);
            let off = oracle.off_surface(X, [c.point_a, c.point_b]);
            // the search for the way out of deep overlaps stops at some rounds
            let most = tolerance.max(slack(a, b)) + 0.02 * c.distance.min(0.0).abs();
            // Not asked of boxes that are apart (measured along the best separating axis, not between points), of
            // boxes 1 cm deep (the lowest corner may lie beside the other's face and is then moved onto it), and of
            // anything with half its size inside the other (the way out may still be turning when the search ends).
            if boxes && !(-0.01..=0.0).contains(&c.distance) || c.distance < -0.05 {
                continue;
            }
            assert!(off < most, "{name}: {off} off the surface, {c:?}");
        }
        let distance = oracle.distance(X);
        let deepest = contacts.iter().min_by(|c, d| c.distance.total_cmp(&d.distance));
        if distance > 2.0 * tolerance {
            let Some(nearest) = deepest else {
                assert!(distance > 0.02 - tolerance, "{name}: nothing found at {distance}");
                continue;
            };
            apart += 1;
            // Both points are on the surfaces, so that no distance below the true one can be claimed; parry's own answer is
            // the looser one. Boxes are measured along the best of fifteen separating axes: at most the true distance,
            // and above zero exactly where they are apart, but for the preference of faces, 1e-4 of the size.
            let low = if boxes { -distance - 2e-5 } else { -tolerance.max(3e-5) };
            let difference = nearest.distance - distance;
            assert!(
                difference < tolerance.max(if boxes { 3e-4 } else { 2e-5 }) && difference > low,
                "{name}: {} against {distance}",
                nearest.distance
            );
        } else {
            let Some(deepest) = deepest else { panic!("{name}: overlap not seen") };
            if deepest.distance < -4.0 * tolerance {
                deep += 1;
                // two contacts of a capsule may stand for one that is 1e-4 of the radius deeper, those of boxes for
                // one that is 1e-4 of the size deeper
                check_depth(&oracle, X, deepest, (tolerance + if boxes { 2e-5 } else { 5e-6 }, 1e-4), name);
            }
        }
    }
    (apart, deep)
}

#[test]
fn distances_and_depths_agree_for_every_pair() {
    let solids = solids();
    for (i, (name, geometry)) in solids.iter().enumerate() {
        for (other_name, other) in &solids[i..] {
            if Scene::new(geometry, other).plan.pairs().is_empty() {
                continue;
            }
            let name = format!("{name} and {other_name}");
            let (apart, deep) = compare(geometry, other, &name);
            println!("{name}: {apart} near, {deep} overlapping");
            assert!(apart >= 5 && deep >= 50, "{name}: {apart} near, {deep} overlapping");
        }
    }
}

/// The order in which a file lists its shapes changes neither points nor depths.
#[test]
fn the_order_of_shapes_does_not_matter() {
    let solids = solids();
    let mut dice = Dice::new(5);
    for (name, a) in &solids {
        for (other_name, b) in &solids {
            let (scene, swapped) = (Scene::new(a, b), Scene::new(b, a));
            for _ in 0..60 {
                let X_a = dice.pose(0.3);
                let X = [X_a, Pose::new(dice.rotation(), X_a.p + dice.vector(0.12))];
                let (one, other) = (scene.depth(X, 0.01), swapped.depth([X[1], X[0]], 0.01));
                let same = match (one, other) {
                    (Some(d), Some(e)) => {
                        // boxes prefer the first's face by 1e-5 of the size; deep inside there are several ways out
                        let deep = if d < -0.05 { 0.05 } else { 1e-3 };
                        (d - e).abs() < 1e-5 + deep * d.abs()
                    }
                    (d, e) => d.or(e).is_none_or(|d| d > 0.005),
                };
                assert!(same, "{name} and {other_name}: {one:?} against {other:?}");
            }
        }
    }
}

/// The distance of two bodies changes no faster than they move.
#[test]
fn distance_is_continuous_along_a_path() {
    let solids = solids();
    let mut dice = Dice::new(17);
    for (i, (name, a)) in solids.iter().enumerate() {
        for (other_name, b) in &solids[i..] {
            let scene = Scene::new(a, b);
            if scene.plan.pairs().is_empty() {
                continue;
            }
            for _ in 0..8 {
                let (start, along) = (dice.vector(0.15), dice.vector(1.0).normalized());
                let (R_a, R_b) = (dice.rotation(), dice.rotation());
                let at = |s: f64| [Pose::new(R_a, Vec3::zero()), Pose::new(R_b, start + along * s)];
                let step = 2e-4;
                let mut last: Option<f64> = None;
                for k in 0..1000 {
                    let d = scene.depth(at(-0.1 + step * k as f64), 0.0);
                    // deeper than a third of the size the shortest way out may change sides
                    if let (Some(d), Some(e)) = (d.filter(|d| *d > -0.03), last) {
                        // boxes hold on to a face until an edge is better by 1e-4 of the size and 5 % of the depth
                        let jump = (d - e).abs() - step;
                        assert!(
                            jump < 1e-4 + 0.06 * d.abs(),
                            "{name} and {other_name}: jump of {jump} at {d}"
                        );
                    }
                    last = d;
                }
            }
        }
    }
}
