//! Boxes and balls that fall into a heap.

use bellcrank::math::{Pose, Vec3};
use bellcrank::model::{Body, Geometry, ModelBuilder, Shape, WORLD};

/// Layers of four.
const LAYERS: usize = 4;

pub fn pile() -> ModelBuilder {
    let mut b = ModelBuilder::new("pile");
    b.shape(Shape::new("ground", WORLD, Geometry::Plane).friction(0.8));
    for n in 0..4 * LAYERS {
        let (layer, corner) = (n / 4, n % 4);
        let side = |bit: usize| if corner >> bit & 1 == 1 { 0.062 } else { -0.062 };
        // every layer a little aside, so that it topples
        let lean = 0.012 * (layer as f64) * if layer % 2 == 0 { 1.0 } else { -1.0 };
        let at = Pose::translation(side(0) + lean, side(1) - lean, 0.08 + 0.13 * layer as f64);
        let name = format!("{}_{n}", if n % 3 == 2 { "ball" } else { "box" });
        let body = Body::new(&*name).at(at);
        if n % 3 == 2 {
            let body = b.body(body.solid_sphere(0.3, 0.05));
            b.shape(Shape::new(name, body, Geometry::Sphere { radius: 0.05 }).friction(0.6));
        } else {
            let half = Vec3::new(0.05, 0.04 + 0.004 * corner as f64, 0.045);
            let body = b.body(body.solid_box(0.4, half * 2.0));
            b.shape(Shape::new(name, body, Geometry::Box { half }).friction(0.6));
        }
    }
    b
}
