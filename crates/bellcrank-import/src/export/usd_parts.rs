//! Shapes and their materials as USD prims.

use super::Exported;
use super::usd::{placed, tuple};
use super::write::number;
use bellcrank_math::Vec3;
use bellcrank_model::{CombineRule, Geometry, Material, Mesh, Model, Shape};
use std::fmt::Write;

/// Materials of shapes that collide, each once.
fn distinct(model: &Model) -> Vec<Material> {
    let mut all: Vec<Material> = Vec::new();
    for shape in model.shapes().iter().filter(|shape| shape.collides) {
        if !all.contains(&shape.material) {
            all.push(shape.material);
        }
    }
    all
}

/// The prim that holds all materials.
pub(super) fn materials(model: &Model, text: &mut String) {
    let word = |rule: CombineRule| match rule {
        CombineRule::Average => "average",
        CombineRule::Maximum => "max",
        CombineRule::Minimum => "min",
        CombineRule::Product => "multiply",
    };
    let rules = model.material_rules();
    text.push_str("    def Scope \"materials\"\n    {\n");
    for (k, material) in distinct(model).iter().enumerate() {
        let _ = write!(
            text,
            "        def Material \"material_{k}\" (\n            prepend apiSchemas = [\"PhysicsMaterialAPI\"]\n        )\n        {{\n\
             \x20           float physics:dynamicFriction = {0}\n            float physics:staticFriction = {0}\n\
             \x20           float physics:restitution = {1}\n\
             \x20           custom token physxMaterial:frictionCombineMode = \"{2}\"\n\
             \x20           custom token physxMaterial:restitutionCombineMode = \"{3}\"\n        }}\n",
            number(material.sliding),
            number(material.restitution),
            word(rules.friction),
            word(rules.restitution)
        );
    }
    text.push_str("    }\n\n");
}

/// A prim of its own for a shape, `depth` levels deep.
pub(super) fn add_shape(
    model: &Model,
    (root, name): (&str, &str),
    shape: &Shape,
    depth: usize,
    text: &mut String,
    out: &mut Exported,
) {
    let indent = "    ".repeat(depth + 1);
    let Some((prim, said, scale)) = form(&shape.geometry, &indent) else {
        return out.left_out.push(format!("shape {:?}: its form", shape.name));
    };
    let mut apis: Vec<&str> = Vec::new();
    let mut more = String::new();
    if shape.collides {
        apis.push("\"PhysicsCollisionAPI\"");
        if matches!(shape.geometry, Geometry::ConvexMesh(_)) {
            apis.push("\"PhysicsMeshCollisionAPI\"");
            let _ = writeln!(more, "{indent}uniform token physics:approximation = \"convexHull\"");
        }
        let material = distinct(model).iter().position(|material| *material == shape.material).unwrap_or(0);
        apis.push("\"MaterialBindingAPI\"");
        let _ =
            writeln!(more, "{indent}rel material:binding:physics = </{root}/materials/material_{material}>");
    }
    if shape.texture.is_some() {
        out.left_out
            .push(format!("shape {:?}: its picture, in place of which is its mean colour", shape.name));
    }
    let [r, g, b, a] = shape.mean_color().map(|x| number(f64::from(x)));
    let _ = writeln!(more, "{indent}color3f[] primvars:displayColor = [({r}, {g}, {b})]");
    let _ = writeln!(more, "{indent}float[] primvars:displayOpacity = [{a}]");
    let around = "    ".repeat(depth);
    let metadata = match apis.is_empty() {
        true => String::new(),
        false => format!(" (\n{indent}prepend apiSchemas = [{}]\n{around})", apis.join(", ")),
    };
    let place = placed(shape.X_LG, scale, &indent);
    let _ =
        write!(text, "{around}def {prim} \"{name}\"{metadata}\n{around}{{\n{said}{place}{more}{around}}}\n");
    let m = shape.material;
    let lost = [
        (shape.collides && (m.torsional != 0.0 || m.rolling != 0.0), "its torsional and rolling friction"),
        (shape.margin != 0.0 || shape.gap != 0.0, "its margin and gap"),
        (shape.collides && (shape.group, shape.mask) != (1, 1), "its collision groups"),
        (shape.priority != 0, "its priority"),
    ];
    out.left_out.extend(
        lost.into_iter().filter(|(is, _)| *is).map(|(_, what)| format!("shape {:?}: {what}", shape.name)),
    );
}

/// The prim's type, its own properties, and how it is stretched.
fn form(geometry: &Geometry, indent: &str) -> Option<(&'static str, String, Option<Vec3>)> {
    let long = |radius: f64, half_length: f64| {
        format!(
            "{indent}uniform token axis = \"Z\"\n{indent}double radius = {}\n{indent}double height = {}\n",
            number(radius),
            number(2.0 * half_length)
        )
    };
    Some(match geometry {
        Geometry::Plane => ("Plane", format!("{indent}uniform token axis = \"Z\"\n"), None),
        Geometry::Sphere { radius } => {
            ("Sphere", format!("{indent}double radius = {}\n", number(*radius)), None)
        }
        Geometry::Ellipsoid { radii } => ("Sphere", format!("{indent}double radius = 1\n"), Some(*radii)),
        Geometry::Box { half } => ("Cube", format!("{indent}double size = 2\n"), Some(*half)),
        Geometry::Capsule { radius, half_length } => ("Capsule", long(*radius, *half_length), None),
        Geometry::Cylinder { radius, half_length } => ("Cylinder", long(*radius, *half_length), None),
        Geometry::Cone { radius, half_length } => ("Cone", long(*radius, *half_length), None),
        Geometry::ConvexMesh(mesh) | Geometry::TriangleMesh(mesh) if !mesh.triangles.is_empty() => {
            ("Mesh", triangles(mesh, indent), None)
        }
        Geometry::ConvexMesh(_) | Geometry::TriangleMesh(_) | Geometry::HeightField(_) => return None,
    })
}

fn triangles(mesh: &Mesh, indent: &str) -> String {
    let points: Vec<String> = mesh.vertices.iter().map(|v| tuple(*v)).collect();
    let corners: Vec<String> = mesh.triangles.iter().flatten().map(u32::to_string).collect();
    let counts = vec!["3"; mesh.triangles.len()];
    format!(
        "{indent}point3f[] points = [{}]\n{indent}int[] faceVertexCounts = [{}]\n{indent}int[] faceVertexIndices = [{}]\n\
         {indent}uniform token subdivisionScheme = \"none\"\n",
        points.join(", "),
        counts.join(", "),
        corners.join(", ")
    )
}
