//! Geoms, sites, mesh assets and contacts of MJCF.

use super::Exported;
use super::mjcf_sensors::zone_of;
use super::softness;
use super::write::{Xml, color, number, numbers, obj, png, vector};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{
    BodyId, CameraMode, ContactFilter, Geometry, Material, Mesh, Model, Ref, Shape, Texture,
};
use std::f64::consts::TAU;
use std::sync::Arc;

fn placed(X: Pose) -> [(&'static str, String); 2] {
    [("pos", vector(X.p)), ("quat", numbers(&X.R.to_wxyz()))]
}

/// Mesh files; cones have no form of their own and become meshes too.
pub(super) fn add_assets(model: &Model, xml: &mut Xml, out: &mut Exported) {
    let meshes: Vec<_> = model.shapes().iter().filter_map(|s| Some((s, mesh_of(&s.geometry)?))).collect();
    if meshes.is_empty() {
        return;
    }
    xml.open("asset", &[]);
    for (shape, mesh) in meshes {
        let file = format!("{}.obj", shape.name.replace(['/', '\\', ':'], "_"));
        out.files.insert(file.clone(), obj(&mesh));
        // every body says its own mass, so a mesh needs no volume: MuJoCo takes a surface that is not closed only as a shell
        xml.leaf("mesh", &[("name", shape.name.clone()), ("file", file), ("inertia", "shell".into())]);
    }
    add_pictures(model, xml, out);
    xml.close();
}

/// What a shape is covered with, and the number of that picture.
fn picture_of<'m>(model: &'m Model, shape: &Shape) -> Option<(usize, &'m Texture)> {
    let pictures = model.shapes().iter().filter_map(|shape| shape.texture.as_ref());
    let wanted = shape.texture.as_ref()?;
    pictures.enumerate().find(|(_, known)| Arc::ptr_eq(known, wanted)).map(|(k, picture)| (k, &**picture))
}

/// Pictures that several shapes share are written once.
fn add_pictures(model: &Model, xml: &mut Xml, out: &mut Exported) {
    for shape in model.shapes() {
        let Some((number, picture)) = picture_of(model, shape) else { continue };
        let name = format!("picture_{number}");
        let file = format!("{name}.png");
        if out.files.contains_key(&file) {
            continue;
        }
        out.files.insert(file.clone(), png(picture));
        let said = [("name", name.clone()), ("type", "2d".into()), ("file", file)];
        xml.leaf("texture", &said);
        let repeat = picture.repeat.map(f64::from);
        xml.leaf("material", &[("name", name.clone()), ("texture", name), ("texrepeat", numbers(&repeat))]);
    }
}

fn mesh_of(geometry: &Geometry) -> Option<Mesh> {
    match geometry {
        Geometry::ConvexMesh(mesh) | Geometry::TriangleMesh(mesh) => Some((**mesh).clone()),
        Geometry::Cone { radius, half_length } => Some(cone(*radius, *half_length)),
        _ => None,
    }
}

/// A cone of 24 sides.
fn cone(radius: f64, half_length: f64) -> Mesh {
    const SIDES: u32 = 24;
    let rim = (0..SIDES).map(|k| {
        let (s, c) = (TAU * f64::from(k) / f64::from(SIDES)).sin_cos();
        Vec3::new(radius * c, radius * s, -half_length)
    });
    let mut vertices: Vec<Vec3> = rim.collect();
    vertices.extend([Vec3::new(0.0, 0.0, half_length), Vec3::new(0.0, 0.0, -half_length)]);
    let side = |k: u32| [[k, (k + 1) % SIDES, SIDES], [(k + 1) % SIDES, k, SIDES + 1]];
    Mesh::new(vertices, (0..SIDES).flat_map(side).collect())
}

/// Shapes and sites of a body, or of the world.
pub(super) fn add_body_content(model: &Model, body: Option<BodyId>, xml: &mut Xml, out: &mut Exported) {
    for shape in model.shapes().iter().filter(|shape| shape.link.body() == body) {
        add_geom(model, shape, xml, out);
    }
    for (s, site) in model.sites().iter().enumerate().filter(|(_, site)| site.link.body() == body) {
        let mut said = vec![("name", site.name.clone())];
        said.extend(placed(site.X_LS));
        said.extend(zone_of(model, s));
        xml.leaf("site", &said);
    }
    for camera in model.cameras().iter().filter(|camera| camera.link.body() == body) {
        let target = |body: &Ref<BodyId>| Some(model.bodies()[body.id().index()].name.clone());
        let (mode, target) = match &camera.mode {
            CameraMode::Fixed => ("fixed", None),
            CameraMode::Track => ("track", None),
            CameraMode::TrackCenterOfMass => ("trackcom", None),
            CameraMode::Target(body) => ("targetbody", target(body)),
            CameraMode::TargetCenterOfMass(body) => ("targetbodycom", target(body)),
        };
        let mut said = vec![("name", camera.name.clone()), ("mode", mode.into())];
        said.extend(target.map(|name| ("target", name)));
        said.extend(placed(camera.X_LC));
        said.push(("fovy", number(camera.field_of_view.to_degrees())));
        xml.leaf("camera", &said);
    }
}

fn add_geom(model: &Model, shape: &Shape, xml: &mut Xml, out: &mut Exported) {
    let (kind, size) = match &shape.geometry {
        Geometry::Plane => ("plane", numbers(&[0.0, 0.0, 1.0])),
        Geometry::Sphere { radius } => ("sphere", number(*radius)),
        Geometry::Capsule { radius, half_length } => ("capsule", numbers(&[*radius, *half_length])),
        Geometry::Box { half } => ("box", vector(*half)),
        Geometry::Cylinder { radius, half_length } => ("cylinder", numbers(&[*radius, *half_length])),
        Geometry::Ellipsoid { radii } => ("ellipsoid", vector(*radii)),
        Geometry::Cone { .. } | Geometry::ConvexMesh(_) | Geometry::TriangleMesh(_) => {
            ("mesh", String::new())
        }
        Geometry::HeightField(_) => {
            return out.left_out.push(format!("shape {:?}: a height field", shape.name));
        }
    };
    let mut said = vec![("name", shape.name.clone()), ("type", kind.to_owned())];
    said.push(if size.is_empty() { ("mesh", shape.name.clone()) } else { ("size", size) });
    said.extend(placed(shape.X_LG));
    said.push(("rgba", color(shape.color)));
    said.extend(picture_of(model, shape).map(|(number, _)| ("material", format!("picture_{number}"))));
    if shape.priority != 0 {
        said.push(("priority", shape.priority.to_string()));
    }
    if shape.collides {
        let m = shape.material;
        said.extend([
            ("friction", numbers(&[m.sliding, m.torsional, m.rolling])),
            ("condim", dimensions(&m).to_owned()),
            ("contype", (shape.group & 0x7fff_ffff).to_string()),
            ("conaffinity", (shape.mask & 0x7fff_ffff).to_string()),
        ]);
    } else {
        said.extend([("contype", "0".into()), ("conaffinity", "0".into()), ("group", "2".into())]);
    }
    let distances = [("margin", shape.margin), ("gap", shape.gap)];
    said.extend(distances.into_iter().filter(|(_, x)| *x != 0.0).map(|(name, x)| (name, number(x))));
    said.extend(softness::of_shape(shape.softness.as_ref()));
    if let Some(own) = &shape.in_medium {
        let same = |radii: Vec3| (radii - own.radii).norm() < 1e-12 && own.X_GE == Pose::identity();
        let mesh = matches!(shape.geometry, Geometry::ConvexMesh(_) | Geometry::TriangleMesh(_));
        if mesh || shape.geometry.semi_axes().is_some_and(same) {
            said.push(("fluidshape", "ellipsoid".into()));
            said.push(("fluidcoef", numbers(&own.coefficients)));
        } else {
            out.left_out.push(format!("shape {:?}: its own ellipsoid in the medium", shape.name));
        }
    }
    xml.leaf("geom", &said);
    if shape.material.restitution != 0.0 {
        out.left_out.push(format!("shape {:?}: its restitution", shape.name));
    }
}

/// MuJoCo counts the dimensions of friction: none 1, sliding 3, torsional 4, rolling 6.
fn dimensions(m: &Material) -> &'static str {
    match m {
        m if m.rolling > 0.0 => "6",
        m if m.torsional > 0.0 => "4",
        m if m.sliding > 0.0 => "3",
        _ => "1",
    }
}

/// Exceptions from the rule of groups.
pub(super) fn add_contacts(model: &Model, xml: &mut Xml) {
    if model.filters().is_empty() {
        return;
    }
    xml.open("contact", &[]);
    for filter in model.filters() {
        match filter {
            ContactFilter::Exclude { a, b, .. } => {
                let name = |body: BodyId| model.bodies()[body.index()].name.clone();
                xml.leaf("exclude", &[("body1", name(a.id())), ("body2", name(b.id()))]);
            }
            ContactFilter::Pair { a, b, surface, .. } => {
                let name = |index: usize| model.shapes()[index].name.clone();
                let mut said = vec![("geom1", name(a.id().index())), ("geom2", name(b.id().index()))];
                if let Some(m) = surface.material {
                    let friction = [m.sliding, m.sliding, m.torsional, m.rolling, m.rolling];
                    said.extend([("condim", dimensions(&m).to_owned()), ("friction", numbers(&friction))]);
                }
                said.extend(surface.margin.map(|x| ("margin", number(x))));
                said.extend(surface.gap.map(|x| ("gap", number(x))));
                said.extend(softness::of_law(surface.softness.as_ref()));
                xml.leaf("pair", &said);
            }
        }
    }
    xml.close();
}
