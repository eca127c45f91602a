//! What the shipped mechanisms are made of: bars, triangular plates, a ground, and one small palette.
//!
//! A bar's link frame sits at its first end with z along the bar. A plate's link frame sits at its centroid,
//! turned into the principal axes, so that its inertia is diagonal. Faults name the line that asked for the
//! part.

use crate::{Body, BodyId, Geometry, ModelBuilder, Shape, WORLD};
use bellcrank_math::{Mat3, Pose, Quat, Vec3};

/// Red, green, blue, opacity, each 0 to 1.
pub type Color = [f32; 4];

/// Bodies that stay put: frames, bases, trunks.
pub const SLATE: Color = [0.30, 0.35, 0.41, 1.0];
/// Links that a motor drives.
pub const AMBER: Color = [0.93, 0.65, 0.19, 1.0];
/// First passive links.
pub const TEAL: Color = [0.16, 0.56, 0.56, 1.0];
/// Second passive links.
pub const CORAL: Color = [0.86, 0.40, 0.33, 1.0];
/// Third passive links.
pub const PLUM: Color = [0.50, 0.36, 0.58, 1.0];
/// Small parts between larger ones.
pub const SAND: Color = [0.80, 0.74, 0.60, 1.0];
/// Feet and everything else that touches.
pub const INK: Color = [0.13, 0.15, 0.19, 1.0];
/// The ground plane.
pub const GROUND: Color = [0.88, 0.89, 0.87, 1.0];

/// What a bar is cut from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Stock {
    /// Radius [m].
    pub radius: f64,
    /// Mass of the finished bar [kg].
    pub mass: f64,
    /// How it is drawn.
    pub color: Color,
}

/// Shorthand for a bar's stock: radius [m], mass [kg], colour.
pub(super) fn stock(radius: f64, mass: f64, color: Color) -> Stock {
    Stock { radius, mass, color }
}

/// The horizontal plane `z = height` that things stand on.
#[track_caller]
pub(super) fn ground(b: &mut ModelBuilder, height: f64) {
    let plane = Shape::new("ground", WORLD, Geometry::Plane);
    b.shape(plane.at(Pose::translation(0.0, 0.0, height)).friction(0.8).color(GROUND));
}

/// A round bar as a body of its own, from one point of the world to another.
#[track_caller]
pub(super) fn bar(b: &mut ModelBuilder, name: &str, from: Vec3, to: Vec3, stock: Stock) -> BodyId {
    let length = (to - from).norm();
    let body = Body::new(name)
        .at(Pose::new(turn_z_to(to - from), from))
        .com(Vec3::new(0.0, 0.0, 0.5 * length))
        .solid_cylinder_z(stock.mass, stock.radius, length);
    let id = b.body(body);
    let look = Geometry::Capsule { radius: stock.radius, half_length: 0.5 * length };
    let middle = Pose::translation(0.0, 0.0, 0.5 * length);
    b.shape(Shape::new(name, id, look).at(middle).color(stock.color).visual_only());
    id
}

/// Draws a bar that belongs to the world (a frame); it weighs nothing and touches nothing.
#[track_caller]
pub(super) fn frame_bar(b: &mut ModelBuilder, name: &str, from: Vec3, to: Vec3, radius: f64) {
    let look = Geometry::Capsule { radius, half_length: 0.5 * (to - from).norm() };
    let middle = Pose::new(turn_z_to(to - from), (from + to) * 0.5);
    b.shape(Shape::new(name, WORLD, look).at(middle).color(SLATE).visual_only());
}

/// A uniform triangular plate in a plane y = const, drawn as its three edges. Returns the body and its pose.
///
/// The second moment of a uniform triangle about its centroid is (m/12) Σ r rᵀ over its corners r.
#[track_caller]
pub(super) fn plate(b: &mut ModelBuilder, name: &str, corners: [Vec3; 3], stock: Stock) -> (BodyId, Pose) {
    let centroid = (corners[0] + corners[1] + corners[2]) * (1.0 / 3.0);
    let (mut cxx, mut cxz, mut czz) = (0.0, 0.0, 0.0);
    for corner in corners {
        let r = corner - centroid;
        cxx += r.x * r.x * stock.mass / 12.0;
        cxz += r.x * r.z * stock.mass / 12.0;
        czz += r.z * r.z * stock.mass / 12.0;
    }
    // Principal axes: a turn by φ about y makes the mixed moment vanish.
    let phi = -0.5 * (2.0 * cxz).atan2(cxx - czz);
    let (mean, half) = (0.5 * (cxx + czz), (0.25 * (cxx - czz).powi(2) + cxz * cxz).sqrt());
    let (long, short) = (mean + half, mean - half);
    let cyy = stock.mass * stock.radius.powi(2) / 3.0; // a plate of thickness 2·radius
    let X_WL = Pose::new(Quat::from_axis_angle(Vec3::y_axis(), phi), centroid);
    let body = Body::new(name).at(X_WL).mass(stock.mass);
    let id = b.body(body.inertia_diagonal(cyy + short, long + short, cyy + long));
    for (edge, (from, to)) in [(0, 1), (1, 2), (2, 0)].into_iter().enumerate() {
        let (from, to) = (X_WL.inverse() * corners[from], X_WL.inverse() * corners[to]);
        let look = Geometry::Capsule { radius: stock.radius, half_length: 0.5 * (to - from).norm() };
        let middle = Pose::new(turn_z_to(to - from), (from + to) * 0.5);
        b.shape(Shape::new(format!("{name}_{edge}"), id, look).at(middle).color(stock.color).visual_only());
    }
    (id, X_WL)
}

/// A rotation that takes z to the given direction and keeps y as near to the world's y as that allows.
pub(super) fn turn_z_to(direction: Vec3) -> Quat {
    let z = direction.normalized();
    let x = Vec3::y_axis().cross(z);
    let x = if x.norm() > 1e-9 { x.normalized() } else { Vec3::x_axis() };
    Quat::from_mat3(Mat3::from_columns(x, z.cross(x), z))
}

/// A rotation that takes x to the direction of `x` and z as near to `z` as that allows.
pub(super) fn turn_xz_to(x: Vec3, z: Vec3) -> Quat {
    let x = x.normalized();
    let y = z.cross(x).normalized();
    Quat::from_mat3(Mat3::from_columns(x, y, x.cross(y)))
}

/// Which side of the line from the first centre to the second, seen with x to the right and z up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// On the left hand of someone walking from the first centre to the second.
    Left,
    /// On the right hand.
    Right,
}

/// Where two bars of a plane y = const meet: the point `reach_a` from `a` and `reach_b` from `b`.
///
/// Lengths that do not reach give a point that is not a number, which `ModelBuilder::build` refuses.
pub(super) fn meet(a: Vec3, reach_a: f64, b: Vec3, reach_b: f64, side: Side) -> Vec3 {
    let between = b - a;
    let distance = between.norm();
    let along = (reach_a * reach_a - reach_b * reach_b + distance * distance) / (2.0 * distance);
    let across = (reach_a * reach_a - along * along).sqrt();
    let forward = between * (1.0 / distance);
    let left = Vec3::new(-forward.z, 0.0, forward.x);
    let signed = if side == Side::Left { across } else { -across };
    a + forward * along + left * signed
}

#[cfg(test)]
mod tests {
    use super::*;

    fn apart(a: Vec3, b: Vec3) -> f64 {
        (a - b).norm()
    }

    #[test]
    fn turning_z_reaches_every_direction_even_its_own_opposite_and_y() {
        for to in [
            Vec3::z_axis(),
            -Vec3::z_axis(),
            Vec3::y_axis(),
            -Vec3::y_axis(),
            Vec3::new(1.0, -2.0, 0.5).normalized(),
        ] {
            assert!(apart(turn_z_to(to * 3.0).rotate(Vec3::z_axis()), to) < 1e-15);
        }
    }

    #[test]
    fn turning_two_axes_keeps_the_first_exact() {
        let x = Vec3::new(0.3, 0.4, -1.2).normalized();
        let z = Vec3::new(-1.0, 2.0, 0.7);
        let q = turn_xz_to(x, z);
        assert!(apart(q.rotate(Vec3::x_axis()), x) < 1e-15);
        let best = (z - x * x.dot(z)).normalized();
        assert!(apart(q.rotate(Vec3::z_axis()), best) < 1e-15);
    }

    #[test]
    fn bars_of_three_and_four_meet_over_a_line_of_five_at_a_right_angle() {
        let (a, b) = (Vec3::new(0.0, 1.0, 0.0), Vec3::new(5.0, 1.0, 0.0));
        assert!(apart(meet(a, 3.0, b, 4.0, Side::Left), Vec3::new(1.8, 1.0, 2.4)) < 1e-15);
        assert!(apart(meet(a, 3.0, b, 4.0, Side::Right), Vec3::new(1.8, 1.0, -2.4)) < 1e-15);
        assert!(meet(a, 1.0, b, 1.0, Side::Left).x.is_nan());
    }
}
