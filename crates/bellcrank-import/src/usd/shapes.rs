//! Cubes, spheres, capsules, cylinders, cones, planes and meshes.

use super::layer::Prim;
use super::scene::{Node, Nodes};
use super::xform::Affine;
use crate::log::Log;
use bellcrank_math::{Pose, Quat, Vec3};
use bellcrank_model::{CombineRule, Geometry, Material, MaterialRules, Mesh};
use std::sync::Arc;

/// The kinds of prim that have a form.
const FORMS: [&str; 7] = ["Cube", "Sphere", "Capsule", "Cylinder", "Cone", "Plane", "Mesh"];

/// A form fixed to a body or to the world.
pub(super) struct Form {
    pub X_LG: Pose,
    pub geometry: Geometry,
    pub collides: bool,
}

/// The form of a prim, if it has one, in the frame of its body (or of the world).
pub(super) fn form(nodes: &Nodes<'_>, node: &Node<'_>, log: &Log) -> Option<Form> {
    let prim = node.prim;
    if !FORMS.contains(&prim.kind.as_str()) {
        return None;
    }
    let carrier = node.body.map_or(Pose::identity(), |body| nodes.pose(body));
    let X_LG = Affine::of_pose(carrier.inverse()).then(node.X_W);
    let (pose, scale) = X_LG.split();
    let collides = prim.has_api("PhysicsCollisionAPI") && prim.is_true("physics:collisionEnabled", true);
    if prim.kind == "Mesh" {
        let mesh = Arc::new(mesh(prim, X_LG)?);
        let exact = prim.token("physics:approximation").is_none_or(|a| a == "none");
        let solid = collides && (node.body.is_some() || !exact);
        let geometry = if solid { Geometry::ConvexMesh(mesh) } else { Geometry::TriangleMesh(mesh) };
        return Some(Form { X_LG: Pose::identity(), geometry, collides });
    }
    let size = |name: &str, default: f64| prim.number(name).unwrap_or(default);
    // capsules and their like stand along z unless the file says otherwise
    let (turn, along, across) = axis(prim.token("axis").unwrap_or("Z"), scale);
    let round = |radius: f64, half_length: f64| (radius * across, half_length * along);
    let mut X_LG = pose;
    let geometry = match prim.kind.as_str() {
        "Cube" => Geometry::Box { half: scale * (0.5 * size("size", 2.0)) },
        "Sphere" => ball(scale * size("radius", 1.0)),
        "Plane" => Geometry::Plane,
        kind => {
            X_LG.R = X_LG.R * turn;
            let default = if kind == "Capsule" { (0.5, 1.0) } else { (1.0, 2.0) };
            let (radius, half_length) = round(size("radius", default.0), 0.5 * size("height", default.1));
            match kind {
                "Capsule" => Geometry::Capsule { radius, half_length },
                "Cylinder" => Geometry::Cylinder { radius, half_length },
                _ => Geometry::Cone { radius, half_length },
            }
        }
    };
    if prim.kind == "Plane" && node.body.is_some() && collides {
        log.ignore(node.place.clone(), "a plane cannot move; it is left out");
        return None;
    }
    if prim.kind == "Plane" {
        X_LG.R = X_LG.R * turn;
    }
    Some(Form { X_LG, geometry, collides })
}

fn ball(radii: Vec3) -> Geometry {
    if radii.x == radii.y && radii.y == radii.z {
        return Geometry::Sphere { radius: radii.x };
    }
    Geometry::Ellipsoid { radii }
}

/// The turn that takes z to the axis, and the stretching along and across it.
fn axis(name: &str, scale: Vec3) -> (Quat, f64, f64) {
    let half = std::f64::consts::FRAC_1_SQRT_2;
    match name {
        "X" => (Quat::from_wxyz([half, 0.0, half, 0.0]), scale.x, scale.y.max(scale.z)),
        "Y" => (Quat::from_wxyz([half, -half, 0.0, 0.0]), scale.y, scale.x.max(scale.z)),
        _ => (Quat::identity(), scale.z, scale.x.max(scale.y)),
    }
}

/// Faces as fans of triangles, in the frame of the body.
fn mesh(prim: &Prim, X_LG: Affine) -> Option<Mesh> {
    let points = prim.row("points")?;
    let vertices: Vec<Vec3> =
        points.chunks_exact(3).map(|p| X_LG.apply(Vec3::new(p[0], p[1], p[2]))).collect();
    let corners = prim.row("faceVertexIndices")?;
    let counts = prim.row("faceVertexCounts")?;
    let inside_out = (prim.token("orientation") == Some("leftHanded")) != (X_LG.L.determinant() < 0.0);
    let mut triangles = Vec::new();
    let mut rest = corners;
    for count in counts {
        let (face, after) = rest.split_at_checked(*count as usize)?;
        rest = after;
        let corner = |k: usize| (face[k] >= 0.0 && face[k] < vertices.len() as f64).then_some(face[k] as u32);
        for k in 2..face.len() {
            let [a, b, c] = [corner(0)?, corner(k - 1)?, corner(k)?];
            triangles.push(if inside_out { [a, c, b] } else { [a, b, c] });
        }
    }
    Some(Mesh::new(vertices, triangles))
}

/// Friction and restitution of the material bound to a node.
pub(super) fn material(nodes: &Nodes<'_>, node: &Node<'_>) -> Material {
    let mut material = Material::default();
    let bound = node.material.as_ref().and_then(|path| nodes.get(path)).map(|m| nodes.all[m].prim);
    if let Some(prim) = bound.filter(|prim| prim.has_api("PhysicsMaterialAPI")) {
        let kinetic = prim.number("physics:dynamicFriction");
        let stuck = prim.number("physics:staticFriction");
        material.sliding = kinetic.or(stuck).unwrap_or(0.0);
        material.restitution = prim.number("physics:restitution").unwrap_or(0.0);
    }
    material
}

/// How the material bound to a node wants to be combined with others: the rules of PhysX, whose default is the average.
pub(super) fn rules(nodes: &Nodes<'_>, node: &Node<'_>) -> Option<MaterialRules> {
    let prim = nodes.all[nodes.get(node.material.as_ref()?)?].prim;
    let rule = |name: &str| match prim.token(name) {
        Some("min") => CombineRule::Minimum,
        Some("multiply") => CombineRule::Product,
        Some("max") => CombineRule::Maximum,
        _ => CombineRule::Average,
    };
    prim.has_api("PhysicsMaterialAPI").then(|| MaterialRules {
        friction: rule("physxMaterial:frictionCombineMode"),
        restitution: rule("physxMaterial:restitutionCombineMode"),
    })
}

/// Red, green, blue, opacity, if the prim has a colour.
pub(super) fn color(prim: &Prim) -> Option<[f32; 4]> {
    let rgb = prim.row("primvars:displayColor")?;
    let part = |k: usize| rgb.get(k).map(|x| x.clamp(0.0, 1.0) as f32);
    let opacity = prim.row("primvars:displayOpacity").and_then(|o| o.first()).map_or(1.0, |x| *x as f32);
    Some([part(0)?, part(1)?, part(2)?, opacity.clamp(0.0, 1.0)])
}
