//! A wheel in two rings: 3 bodies, 3 joints, no loop, mobility 3.
//!
//! Spin the wheel and the small weight at the end of the inner ring's shaft makes it precess about the
//! vertical instead of tipping over. At rest the axes are: outer ring z, inner ring x, wheel y. Held rate of
//! precession: Ω = weight · lever / (spin inertia · spin).

use super::parts::{AMBER, Color, INK, PLUM, TEAL, turn_z_to};
use crate::{Actuator, Body, BodyId, Geometry, Joint, ModelBuilder, Shape, WORLD};
use bellcrank_math::{Pose, Vec3};

const HEIGHT: f64 = 0.30; // [m] of the common centre
const WHEEL: f64 = 0.06; // [m] radius
const RIM: f64 = 0.02; // [m] width
const INNER: f64 = 0.08; // [m] radius of the ring
const OUTER: f64 = 0.10; // [m] radius of the ring
const SHAFT: f64 = 0.09; // [m] centre to the small weight

/// The gyroscope at rest; its motor keeps whatever spin is asked for.
pub fn gyroscope() -> ModelBuilder {
    let mut b = ModelBuilder::new("gyroscope");
    let centre = Vec3::new(0.0, 0.0, HEIGHT);
    let at = Pose::translation(0.0, 0.0, HEIGHT);
    let outer = b.body(Body::new("outer_ring").at(at).mass(0.10).inertia_diagonal(5.0e-4, 1.0e-3, 5.0e-4));
    ring(&mut b, "outer_ring", outer, Vec3::y_axis(), (OUTER, TEAL));
    let inner = b.body(inner_ring(at));
    ring(&mut b, "inner_ring", inner, Vec3::z_axis(), (INNER, PLUM));
    let weight = Shape::new("weight", inner, Geometry::Sphere { radius: 0.009 });
    b.shape(weight.at(Pose::translation(0.0, SHAFT, 0.0)).color(INK).visual_only());
    // A solid disc of aluminium: 2700 kg/m³ · π r² · width.
    let wheel = b.body(Body::new("wheel").at(at).solid_cylinder_y(0.61, WHEEL, RIM));
    let look = Geometry::Cylinder { radius: WHEEL, half_length: 0.5 * RIM };
    let disc = Shape::new("wheel", wheel, look).at(Pose::new(turn_z_to(Vec3::y_axis()), Vec3::zero()));
    b.shape(disc.color(AMBER).visual_only());

    b.joint(Joint::revolute("precession", WORLD, outer).placed(centre, Vec3::z_axis()));
    b.joint(Joint::revolute("nutation", outer, inner).placed(centre, Vec3::x_axis()));
    let spin = b.joint(Joint::revolute("spin", inner, wheel).placed(centre, Vec3::y_axis()));
    b.actuator(Actuator::velocity("spin_motor", spin, 0.01).effort_limit(0.5));
    b
}

/// A ring of 0.08 kg in the x–y plane and 0.02 kg at the end of a shaft along y.
///
/// Centre of mass 0.018 m along y. About it: ring ½mr² = 2.56e-4 (diameter), twice that about z; the offsets
/// of ring and weight add Σ m d² = 0.08·0.018² + 0.02·0.072² = 1.30e-4 about x and z.
fn inner_ring(at: Pose) -> Body {
    let (ring, weight) = (0.08, 0.02);
    let mass = ring + weight;
    let offset = SHAFT * weight / mass;
    let steiner = ring * offset * offset + weight * (SHAFT - offset) * (SHAFT - offset);
    let across = 0.5 * ring * INNER * INNER;
    let body = Body::new("inner_ring").at(at).com(Vec3::new(0.0, offset, 0.0)).mass(mass);
    body.inertia_diagonal(across + steiner, across, 2.0 * across + steiner)
}

/// Draws a ring about `axis` through the body's origin as twelve short bars.
fn ring(b: &mut ModelBuilder, name: &str, body: BodyId, axis: Vec3, (radius, color): (f64, Color)) {
    const PIECES: usize = 12;
    let first = axis.cross(Vec3::x_axis());
    let around = |i: usize| {
        let angle = std::f64::consts::TAU * i as f64 / PIECES as f64;
        (Vec3::x_axis() * angle.cos() + first * angle.sin()) * radius
    };
    for i in 0..PIECES {
        let (from, to) = (around(i), around(i + 1));
        let look = Geometry::Capsule { radius: 0.004, half_length: 0.5 * (to - from).norm() };
        let middle = Pose::new(turn_z_to(to - from), (from + to) * 0.5);
        b.shape(Shape::new(format!("{name}_{i}"), body, look).at(middle).color(color).visual_only());
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Figures;
    use super::*;

    #[test]
    fn a_wheel_in_two_rings_turns_every_way() {
        Figures { bodies: 3, joints: 3, loops: 0, mobility: 3, redundant: 0 }.check(gyroscope());
    }
}
