//! Bodies without shapes are still seen: bars between the joints that they carry.

use super::drawn::Drawn;
use bellcrank_math::{Mat3, Pose, Quat, Vec3};
use bellcrank_model::{Geometry, JointId, Model};

/// Thickness of a bar, as a part of the model's size.
const RADIUS: f64 = 0.012;

pub(super) fn stand_ins(model: &Model, size: f64) -> Vec<Drawn> {
    let mut drawn = vec![false; model.bodies().len()];
    for shape in model.shapes() {
        if let Some(body) = shape.link.body() {
            drawn[body.index()] = true;
        }
    }
    let bare = (0..drawn.len()).filter(|&b| !drawn[b]);
    bare.flat_map(|body| bars(model, body, RADIUS * size)).collect()
}

/// One bar between two joints; a star from the middle for more; a bar to the centre of mass for one; else a ball.
fn bars(model: &Model, body: usize, radius: f64) -> Vec<Drawn> {
    let name = &model.bodies()[body].name;
    let shape = |X_BG: Pose, geometry| Drawn {
        name: name.clone(),
        body: Some(body),
        X_BG,
        geometry,
        color: None,
        collides: false,
        stand_in: true,
        texture: None,
        mean_color: None,
    };
    let ends = anchors(model, body);
    let pairs: Vec<(Vec3, Vec3)> = match ends.as_slice() {
        [] => Vec::new(),
        [one] => vec![(*one, Vec3::zero())],
        [one, other] => vec![(*one, *other)],
        more => {
            let middle = more.iter().fold(Vec3::zero(), |sum, p| sum + *p) * (1.0 / more.len() as f64);
            more.iter().map(|p| (middle, *p)).collect()
        }
    };
    let long = pairs.into_iter().filter(|(a, b)| (*b - *a).norm() > 0.5 * radius);
    let mut shapes: Vec<Drawn> = long
        .map(|(a, b)| {
            let half_length = 0.5 * (b - a).norm();
            shape(Pose::new(turn_z_to(b - a), (a + b) * 0.5), Geometry::Capsule { radius, half_length })
        })
        .collect();
    if shapes.is_empty() {
        shapes.push(shape(Pose::identity(), Geometry::Sphere { radius: 2.0 * radius }));
    }
    shapes
}

/// Joint frames on a body, in its body frame; those that coincide once.
fn anchors(model: &Model, body: usize) -> Vec<Vec3> {
    let mut found: Vec<Vec3> = Vec::new();
    for (j, joint) in model.joints().iter().enumerate() {
        let (X_PF, X_SM) = model.joint_frames(JointId::new(j));
        for (link, frame) in [(&joint.predecessor, X_PF), (&joint.successor, X_SM)] {
            let here = link.body().is_some_and(|b| b.index() == body);
            if here && found.iter().all(|p| (*p - frame.p).norm() > 1e-9) {
                found.push(frame.p);
            }
        }
    }
    found
}

/// A rotation that takes z to a direction.
fn turn_z_to(direction: Vec3) -> Quat {
    let z = direction.normalized();
    let x = z.any_perpendicular().normalized();
    Quat::from_mat3(Mat3::from_columns(x, z.cross(x), z))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bellcrank_model::{Body, Joint, ModelBuilder, WORLD};

    /// Two joints 0.3 m apart: one bar of half-length 0.15 m.
    #[test]
    fn a_link_without_shapes_is_drawn_as_a_bar_between_its_joints() {
        let mut b = ModelBuilder::new("two links");
        let link = b.body(Body::new("link").at(Pose::translation(0.15, 0.0, 0.0)).solid_sphere(1.0, 0.1));
        let tip = b.body(Body::new("tip").at(Pose::translation(0.3, 0.0, 0.0)).solid_sphere(1.0, 0.1));
        b.joint(Joint::revolute("a", WORLD, link).placed(Vec3::zero(), Vec3::y_axis()));
        b.joint(Joint::revolute("b", link, tip).placed(Vec3::new(0.3, 0.0, 0.0), Vec3::y_axis()));
        let shapes = stand_ins(&b.build().expect("sound"), 1.0);
        assert_eq!(shapes.len(), 2);
        let Geometry::Capsule { half_length, .. } = shapes[0].geometry else { panic!("a bar") };
        assert!((half_length - 0.15).abs() < 1e-12);
        assert!(matches!(shapes[1].geometry, Geometry::Sphere { .. }), "the tip's joint is at its centre");
    }
}
