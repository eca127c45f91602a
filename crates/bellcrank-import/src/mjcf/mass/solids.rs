//! Volume and inertia of the plain shapes, filled or as shells.

use crate::solid::Solid;
use bellcrank_math::{Sym3, Vec3};
use bellcrank_model::Geometry;
use std::f64::consts::PI;

/// No mass at all.
pub(in crate::mjcf) fn nothing() -> Solid {
    Solid { mass: 0.0, com: Vec3::zero(), inertia: Sym3::zero() }
}

/// Volume [m³] as mass, and inertia for density one, about the shape's centre; zero for what has no volume.
pub(in crate::mjcf) fn filled(geometry: &Geometry) -> Solid {
    match *geometry {
        Geometry::Sphere { radius } => {
            filled(&Geometry::Ellipsoid { radii: Vec3::new(radius, radius, radius) })
        }
        Geometry::Ellipsoid { radii } => {
            let m = 4.0 / 3.0 * PI * radii.x * radii.y * radii.z;
            let (x, y, z) = (radii.x * radii.x, radii.y * radii.y, radii.z * radii.z);
            diagonal(m, (y + z) / 5.0, (x + z) / 5.0, (x + y) / 5.0)
        }
        Geometry::Box { half } => {
            let (x, y, z) = (half.x * half.x, half.y * half.y, half.z * half.z);
            diagonal(8.0 * half.x * half.y * half.z, (y + z) / 3.0, (x + z) / 3.0, (x + y) / 3.0)
        }
        Geometry::Cylinder { radius, half_length } => {
            let (r2, h) = (radius * radius, 2.0 * half_length);
            let across = (3.0 * r2 + h * h) / 12.0;
            diagonal(PI * r2 * h, across, across, r2 / 2.0)
        }
        Geometry::Capsule { radius, half_length } => {
            let (r2, h) = (radius * radius, 2.0 * half_length);
            let middle = filled(&Geometry::Cylinder { radius, half_length });
            // the caps: half balls whose centres of mass lie 3r/8 beyond the cylinder's ends
            let shift = h * (2.0 * h + 3.0 * radius) / 8.0;
            let caps = diagonal(4.0 / 3.0 * PI * r2 * radius, 0.4 * r2 + shift, 0.4 * r2 + shift, 0.4 * r2);
            middle.joined(caps)
        }
        _ => nothing(),
    }
}

/// Area [m²] as mass, and inertia for unit mass per area. `None` for an ellipsoid, which has no closed form.
pub(in crate::mjcf) fn shell(geometry: &Geometry) -> Option<Solid> {
    Some(match *geometry {
        Geometry::Sphere { radius } => {
            let i = 2.0 / 3.0 * radius * radius;
            diagonal(4.0 * PI * radius * radius, i, i, i)
        }
        Geometry::Box { half } => {
            [[half.x, half.y, half.z], [half.y, half.z, half.x], [half.z, half.x, half.y]]
                .into_iter()
                .enumerate()
                .fold(nothing(), |sum, (axis, [away, a, b])| sum.joined(two_plates(axis, away, a, b)))
        }
        Geometry::Cylinder { radius, half_length } => {
            let r2 = radius * radius;
            let caps = diagonal(
                2.0 * PI * r2,
                r2 / 4.0 + half_length * half_length,
                r2 / 4.0 + half_length * half_length,
                r2 / 2.0,
            );
            tube(radius, half_length).joined(caps)
        }
        Geometry::Capsule { radius, half_length } => {
            let (r2, h) = (radius * radius, 2.0 * half_length);
            // half shells' centres of mass lie r/2 beyond the tube's ends
            let across = 2.0 / 3.0 * r2 + h * h / 4.0 + h * radius / 2.0;
            tube(radius, half_length).joined(diagonal(4.0 * PI * r2, across, across, 2.0 / 3.0 * r2))
        }
        Geometry::Ellipsoid { .. } => return None,
        _ => nothing(),
    })
}

fn tube(radius: f64, half_length: f64) -> Solid {
    let (r2, h) = (radius * radius, 2.0 * half_length);
    let across = r2 / 2.0 + h * h / 12.0;
    diagonal(2.0 * PI * radius * h, across, across, r2)
}

/// Two opposite faces of a box, normal to `axis` at ±`away`, with half edges `a` and `b` along the next two axes.
fn two_plates(axis: usize, away: f64, a: f64, b: f64) -> Solid {
    let mut moments = [0.0; 3];
    moments[axis] = (a * a + b * b) / 3.0;
    moments[(axis + 1) % 3] = b * b / 3.0 + away * away;
    moments[(axis + 2) % 3] = a * a / 3.0 + away * away;
    diagonal(8.0 * a * b, moments[0], moments[1], moments[2])
}

/// From the mass and the squares of the radii of gyration.
fn diagonal(mass: f64, xx: f64, yy: f64, zz: f64) -> Solid {
    Solid { mass, com: Vec3::zero(), inertia: Sym3::diagonal(xx, yy, zz) * mass }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A capsule without length is a ball: 4/3 π r³ and 2/5 m r².
    #[test]
    fn a_capsule_without_length_is_a_ball() {
        let capsule = filled(&Geometry::Capsule { radius: 0.3, half_length: 0.0 });
        let ball = filled(&Geometry::Sphere { radius: 0.3 });
        assert!((capsule.mass - ball.mass).abs() < 1e-15);
        assert!((capsule.inertia - ball.inertia).trace().abs() < 1e-15);
    }

    /// By hand: six plates of area 4 about the centre of a cube of edge 2: (2/6 + 4/3)·16 = 80/3.
    #[test]
    fn the_shell_of_a_cube_is_six_plates() {
        let cube = shell(&Geometry::Box { half: Vec3::new(1.0, 1.0, 1.0) }).unwrap();
        assert!((cube.mass - 24.0).abs() < 1e-14);
        assert!((cube.inertia.xx - 80.0 / 3.0).abs() < 1e-13, "{}", cube.inertia.xx);
    }

    /// A long thin capsule's shell approaches a rod: m h²/12.
    #[test]
    fn a_thin_shell_is_nearly_a_rod() {
        let rod = shell(&Geometry::Capsule { radius: 1e-6, half_length: 1.0 }).unwrap();
        assert!((rod.inertia.xx / rod.mass - 1.0 / 3.0).abs() < 1e-5);
    }
}
