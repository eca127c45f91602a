//! Loose things on a plane: no joints, only contact. Mobility is six per body.

use super::parts::{AMBER, CORAL, Color, PLUM, SAND, TEAL, ground};
use crate::{Body, BodyId, Geometry, ModelBuilder, Shape};
use bellcrank_math::{Pose, Vec3};

const EDGE: f64 = 0.2; // [m] edge of every cube
const MASS: f64 = 1.0; // [kg] of every cube

/// One cube lying flat on the plane z = 0.
pub fn box_on_plane() -> ModelBuilder {
    let mut b = ModelBuilder::new("box");
    ground(&mut b, 0.0);
    cube(&mut b, "box", 0.5 * EDGE, TEAL);
    b
}

/// Five equal cubes, each resting on the one below.
pub fn stack() -> ModelBuilder {
    let mut b = ModelBuilder::new("stack");
    ground(&mut b, 0.0);
    for (i, color) in [TEAL, AMBER, CORAL, PLUM, SAND].into_iter().enumerate() {
        cube(&mut b, &format!("box_{i}"), (i as f64 + 0.5) * EDGE, color);
    }
    b
}

/// A ball let go 0.3 m above the plane z = 0.
pub fn sphere() -> ModelBuilder {
    const RADIUS: f64 = 0.1; // [m]
    let mut b = ModelBuilder::new("sphere");
    ground(&mut b, 0.0);
    let start = Pose::translation(0.0, 0.0, RADIUS + 0.3);
    let ball = b.body(Body::new("ball").at(start).solid_sphere(0.5, RADIUS));
    b.shape(Shape::new("ball", ball, Geometry::Sphere { radius: RADIUS }).friction(0.6).color(CORAL));
    b
}

fn cube(b: &mut ModelBuilder, name: &str, height: f64, color: Color) -> BodyId {
    let body = Body::new(name).at(Pose::translation(0.0, 0.0, height));
    let id = b.body(body.solid_box(MASS, Vec3::new(EDGE, EDGE, EDGE)));
    let half = Vec3::new(0.5 * EDGE, 0.5 * EDGE, 0.5 * EDGE);
    b.shape(Shape::new(name, id, Geometry::Box { half }).friction(0.6).color(color));
    id
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn a_loose_body_has_six_freedoms() {
        Figures { bodies: 1, joints: 0, loops: 0, mobility: 6, redundant: 0 }.check(box_on_plane());
        Figures { bodies: 1, joints: 0, loops: 0, mobility: 6, redundant: 0 }.check(sphere());
    }

    #[test]
    fn five_loose_bodies_have_thirty() {
        Figures { bodies: 5, joints: 0, loops: 0, mobility: 30, redundant: 0 }.check(stack());
    }
}
