//! What bodies weigh: as the mass API says or, where it is silent, from the shapes and their density.

use super::layer::Prim;
use super::scene::Nodes;
use super::shapes::Form;
use super::xform::unit;
use crate::solid::Solid;
use bellcrank_math::{Mat3, Quat, Sym3, Vec3};
use bellcrank_model::{Geometry, Mesh};
use std::f64::consts::PI;

/// UsdPhysics: the density of water where nothing else is said [kg/m³].
const DENSITY: f64 = 1000.0;

/// The body's mass; `None` where neither the file nor its shapes give one.
pub(super) fn of_body(nodes: &Nodes<'_>, body: usize, shapes: &[(usize, &Form)]) -> Option<Solid> {
    let prim = nodes.all[body].prim;
    let units = nodes.units;
    let density = prim.number("physics:density").filter(|d| *d > 0.0);
    let per_cubic_metre = units.kilograms / units.metres.powi(3);
    let parts = shapes.iter().filter_map(|(node, form)| {
        part(nodes.all[*node].prim, form, density, per_cubic_metre, units.kilograms)
    });
    let whole = parts.reduce(Solid::joined);
    let mass = prim.number("physics:mass").filter(|m| *m > 0.0).map(|m| m * units.kilograms);
    let mut solid = match (mass, whole) {
        (Some(mass), Some(whole)) => scaled_to(whole, mass),
        (Some(mass), None) => Solid { mass, com: Vec3::zero(), inertia: Sym3::zero() },
        (None, whole) => whole?,
    };
    // (−inf, −inf, −inf) means: not given
    if let Some(com) = prim.numbers("physics:centerOfMass").map(Vec3::from_array).filter(|c| c.is_finite()) {
        solid.com = nodes.stretched(body, com);
    }
    let moments: Option<[f64; 3]> = prim.numbers("physics:diagonalInertia");
    let axes = prim.numbers("physics:principalAxes").and_then(unit).unwrap_or(Quat::identity());
    if let Some([x, y, z]) = moments.filter(|m| m.iter().any(|i| *i > 0.0)) {
        solid.inertia = (Sym3::diagonal(x, y, z) * units.inertia()).rotated(axes.to_mat3());
    }
    Some(solid)
}

fn scaled_to(solid: Solid, mass: f64) -> Solid {
    let factor = if solid.mass > 0.0 { mass / solid.mass } else { 0.0 };
    Solid { mass, inertia: solid.inertia * factor, ..solid }
}

/// A collider as a solid of its own mass or density.
fn part(
    prim: &Prim,
    form: &Form,
    density: Option<f64>,
    per_cubic_metre: f64,
    kilograms: f64,
) -> Option<Solid> {
    if !form.collides {
        return None;
    }
    let own = prim.number("physics:density").filter(|d| *d > 0.0);
    let density = own.or(density).map_or(DENSITY, |d| d * per_cubic_metre);
    let solid = volume(&form.geometry)?;
    let solid = scaled_to(solid, solid.mass * density).transformed(form.X_LG);
    let mass = prim.number("physics:mass").filter(|m| *m > 0.0);
    Some(mass.map_or(solid, |mass| scaled_to(solid, mass * kilograms)))
}

/// The form filled with one kilogram per cubic metre.
fn volume(geometry: &Geometry) -> Option<Solid> {
    let centred = |mass: f64, xx: f64, yy: f64, zz: f64| {
        Some(Solid { mass, com: Vec3::zero(), inertia: Sym3::diagonal(xx, yy, zz) * mass })
    };
    match geometry {
        Geometry::Sphere { radius } => {
            volume(&Geometry::Ellipsoid { radii: Vec3::new(*radius, *radius, *radius) })
        }
        Geometry::Ellipsoid { radii } => {
            let [a, b, c] = radii.to_array().map(|r| r * r / 5.0);
            centred(4.0 / 3.0 * PI * radii.x * radii.y * radii.z, b + c, a + c, a + b)
        }
        Geometry::Box { half } => {
            let [a, b, c] = half.to_array().map(|h| h * h / 3.0);
            centred(8.0 * half.x * half.y * half.z, b + c, a + c, a + b)
        }
        Geometry::Cylinder { radius, half_length } => {
            let (r, h) = (radius * radius, half_length * half_length);
            let across = r / 4.0 + h / 3.0;
            centred(2.0 * PI * r * half_length, across, across, r / 2.0)
        }
        Geometry::Capsule { radius, half_length } => {
            // a cylinder and two half balls; a half ball's centre lies 3r/8 beyond the rim, its moment about that
            // centre across the axis is 83/320 m r²
            let (r, l) = (*radius, *half_length);
            let (tube, ball) = (2.0 * PI * r * r * l, 4.0 / 3.0 * PI * r * r * r);
            let out = l + 0.375 * r;
            let across = tube * (r * r / 4.0 + l * l / 3.0) + ball * (83.0 / 320.0 * r * r + out * out);
            let along = tube * r * r / 2.0 + ball * 0.4 * r * r;
            let mass = tube + ball;
            centred(mass, across / mass, across / mass, along / mass)
        }
        Geometry::Cone { radius, half_length } => {
            // the centre of mass lies a quarter of the height above the base
            let (r, h) = (*radius, 2.0 * half_length);
            let mut cone = centred(PI * r * r * h / 3.0, 0.0, 0.0, 0.3 * r * r)?;
            let across = cone.mass * (0.15 * r * r + 0.0375 * h * h);
            (cone.inertia.xx, cone.inertia.yy) = (across, across);
            cone.com.z = -0.25 * h;
            Some(cone)
        }
        Geometry::ConvexMesh(mesh) | Geometry::TriangleMesh(mesh) => of_mesh(mesh),
        Geometry::Plane | Geometry::HeightField(_) => None,
    }
}

/// The inside of a closed surface, as a sum of tetrahedra from the origin.
fn of_mesh(mesh: &Mesh) -> Option<Solid> {
    let (mut mass, mut first, mut second) = (0.0, Vec3::zero(), Mat3::zero());
    for triangle in &mesh.triangles {
        let [a, b, c] = triangle.map(|i| mesh.vertices.get(i as usize).copied().unwrap_or(Vec3::zero()));
        let volume = a.dot(b.cross(c)) / 6.0;
        let sum = a + b + c;
        mass += volume;
        first += sum * (0.25 * volume);
        // ∫ r rᵀ over a tetrahedron at the origin: V/20 (Σ rᵢrᵢᵀ + s sᵀ)
        let corners = Mat3::outer(a, a) + Mat3::outer(b, b) + Mat3::outer(c, c);
        second = second + (corners + Mat3::outer(sum, sum)) * (volume / 20.0);
    }
    if mass <= 0.0 {
        return None;
    }
    let com = first * (1.0 / mass);
    let about = second - Mat3::outer(com, com) * mass;
    let trace = about.entry(0, 0) + about.entry(1, 1) + about.entry(2, 2);
    Some(Solid { mass, com, inertia: Sym3::from_upper(Mat3::identity() * trace - about) })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of 2 × 4 × 6 as twelve triangles has the moments of the box.
    #[test]
    fn a_meshed_box_weighs_as_much_as_the_box() {
        let half = Vec3::new(1.0, 2.0, 3.0);
        let sign = |i: usize, bit: usize| if i >> bit & 1 == 1 { 1.0 } else { -1.0 };
        let vertices = (0..8).map(|i| Vec3::new(sign(i, 0), 2.0 * sign(i, 1), 3.0 * sign(i, 2))).collect();
        let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
        let triangles = quads.iter().flat_map(|[a, b, c, d]| [[*a, *b, *c], [*a, *c, *d]]).collect();
        let meshed = of_mesh(&Mesh::new(vertices, triangles)).unwrap();
        let solid = volume(&Geometry::Box { half }).unwrap();
        assert!((meshed.mass - 48.0).abs() < 1e-12 && (solid.mass - 48.0).abs() < 1e-12);
        let error = (meshed.inertia - solid.inertia).to_mat3();
        assert!(error.x.norm() + error.y.norm() + error.z.norm() < 1e-10);
    }

    /// A capsule without a tube is a ball: 2/5 m r².
    #[test]
    fn a_capsule_without_length_is_a_ball() {
        let capsule = volume(&Geometry::Capsule { radius: 2.0, half_length: 0.0 }).unwrap();
        let ball = volume(&Geometry::Sphere { radius: 2.0 }).unwrap();
        assert!((capsule.inertia.xx - ball.inertia.xx).abs() < 1e-12 * ball.inertia.xx);
    }
}
