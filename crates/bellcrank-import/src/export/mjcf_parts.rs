//! Geoms, sites, mesh assets, contacts and sensors of MJCF.

use super::Exported;
use super::write::{Xml, color, number, numbers, obj, vector};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{BodyId, ContactFilter, Frame, Geometry, Mesh, Model, SensorKind, Shape};
use std::f64::consts::TAU;

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
        xml.leaf("mesh", &[("name", shape.name.clone()), ("file", file)]);
    }
    xml.close();
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
    Mesh { vertices, triangles: (0..SIDES).flat_map(side).collect() }
}

/// Shapes and sites of a body, or of the world.
pub(super) fn add_body_content(model: &Model, body: Option<BodyId>, xml: &mut Xml, out: &mut Exported) {
    for shape in model.shapes().iter().filter(|shape| shape.link.body() == body) {
        add_geom(shape, xml, out);
    }
    for site in model.sites().iter().filter(|site| site.link.body() == body) {
        let radius = model.sensors().iter().find_map(|sensor| match &sensor.kind {
            SensorKind::Touch { site: s, radius } if model.sites()[s.id().index()].name == site.name => {
                Some(*radius)
            }
            _ => None,
        });
        let mut said = vec![("name", site.name.clone())];
        said.extend(placed(site.X_LS));
        said.extend(radius.map(|r| ("size", number(r))));
        xml.leaf("site", &said);
    }
}

fn add_geom(shape: &Shape, xml: &mut Xml, out: &mut Exported) {
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
    if shape.priority != 0 {
        said.push(("priority", shape.priority.to_string()));
    }
    if shape.collides {
        let m = shape.material;
        // MuJoCo counts the dimensions of friction: sliding 3, torsional 4, rolling 6
        let dimensions = if m.rolling > 0.0 {
            6.0
        } else if m.torsional > 0.0 {
            4.0
        } else {
            3.0
        };
        said.extend([
            ("friction", numbers(&[m.sliding, m.torsional, m.rolling])),
            ("condim", number(dimensions)),
            ("contype", (shape.group & 0x7fff_ffff).to_string()),
            ("conaffinity", (shape.mask & 0x7fff_ffff).to_string()),
        ]);
    } else {
        said.extend([("contype", "0".into()), ("conaffinity", "0".into()), ("group", "2".into())]);
    }
    xml.leaf("geom", &said);
    if shape.material.restitution != 0.0 {
        out.left_out.push(format!("shape {:?}: its restitution", shape.name));
    }
    if shape.margin != 0.0 || shape.gap != 0.0 {
        out.left_out.push(format!("shape {:?}: its margin and gap", shape.name));
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
            ContactFilter::Pair { a, b, .. } => {
                let name = |index: usize| model.shapes()[index].name.clone();
                xml.leaf("pair", &[("geom1", name(a.id().index())), ("geom2", name(b.id().index()))]);
            }
        }
    }
    xml.close();
}

/// Sensors, as one or two of MuJoCo's.
pub(super) fn add_sensors(model: &Model, xml: &mut Xml, out: &mut Exported) {
    if model.sensors().is_empty() {
        return;
    }
    xml.open("sensor", &[]);
    for sensor in model.sensors() {
        let site = |index: usize| ("site", model.sites()[index].name.clone());
        let framed = |frame: &Frame| match frame {
            Frame::Body(b) => {
                [("objtype", "xbody".to_owned()), ("objname", model.bodies()[b.id().index()].name.clone())]
            }
            Frame::Site(s) => {
                [("objtype", "site".to_owned()), ("objname", model.sites()[s.id().index()].name.clone())]
            }
        };
        let named = |end: &str| ("name", format!("{}{end}", sensor.name));
        match &sensor.kind {
            SensorKind::Imu { site: s } => {
                xml.leaf("accelerometer", &[named("_acceleration"), site(s.id().index())]);
                xml.leaf("gyro", &[named("_rate"), site(s.id().index())]);
            }
            SensorKind::FramePose(frame) => {
                xml.leaf("framepos", &[&[named("_position")], &framed(frame)[..]].concat());
                xml.leaf("framequat", &[&[named("_rotation")], &framed(frame)[..]].concat());
            }
            SensorKind::FrameVelocity(frame) => {
                xml.leaf("framelinvel", &[&[named("_linear")], &framed(frame)[..]].concat());
                xml.leaf("frameangvel", &[&[named("_angular")], &framed(frame)[..]].concat());
            }
            SensorKind::JointState(j) if model.joints()[j.id().index()].kind.dof_count() == 1 => {
                let joint = ("joint", model.joints()[j.id().index()].name.clone());
                xml.leaf("jointpos", &[named("_position"), joint.clone()]);
                xml.leaf("jointvel", &[named("_velocity"), joint]);
            }
            SensorKind::RelativePose { frame, from } => {
                let [kind, name] = framed(from);
                let seen_from = [("reftype", kind.1), ("refname", name.1)];
                for (tag, end) in [("framepos", "_position"), ("framequat", "_rotation")] {
                    xml.leaf(tag, &[&[named(end)], &framed(frame)[..], &seen_from[..]].concat());
                }
            }
            SensorKind::FrameAcceleration(frame) => {
                xml.leaf("framelinacc", &[&[named("_linear")], &framed(frame)[..]].concat());
                xml.leaf("frameangacc", &[&[named("_angular")], &framed(frame)[..]].concat());
            }
            SensorKind::SiteVelocity(s) => {
                xml.leaf("velocimeter", &[named("_linear"), site(s.id().index())]);
                xml.leaf("gyro", &[named("_angular"), site(s.id().index())]);
            }
            SensorKind::ForceTorque(s) => {
                xml.leaf("force", &[named("_force"), site(s.id().index())]);
                xml.leaf("torque", &[named("_torque"), site(s.id().index())]);
            }
            SensorKind::Range(s) => xml.leaf("rangefinder", &[named(""), site(s.id().index())]),
            SensorKind::JointEffort(j) if model.joints()[j.id().index()].kind.dof_count() == 1 => {
                let joint = ("joint", model.joints()[j.id().index()].name.clone());
                xml.leaf("jointactuatorfrc", &[named(""), joint]);
            }
            SensorKind::ActuatorState(a) => {
                let actuator = ("actuator", model.actuators()[a.id().index()].name.clone());
                for (tag, end) in
                    [("actuatorpos", "_position"), ("actuatorvel", "_velocity"), ("actuatorfrc", "_effort")]
                {
                    xml.leaf(tag, &[named(end), actuator.clone()]);
                }
            }
            SensorKind::TendonState(t) => {
                let tendon = ("tendon", model.tendons()[t.id().index()].name.clone());
                xml.leaf("tendonpos", &[named("_length"), tendon.clone()]);
                xml.leaf("tendonvel", &[named("_rate"), tendon]);
            }
            SensorKind::Subtree(b) => {
                let body = ("body", model.bodies()[b.id().index()].name.clone());
                for (tag, end) in
                    [("subtreecom", "_com"), ("subtreelinvel", "_velocity"), ("subtreeangmom", "_momentum")]
                {
                    xml.leaf(tag, &[named(end), body.clone()]);
                }
            }
            SensorKind::Energy => {
                xml.leaf("e_potential", &[named("_potential")]);
                xml.leaf("e_kinetic", &[named("_kinetic")]);
            }
            SensorKind::Clock => xml.leaf("clock", &[named("")]),
            SensorKind::Touch { site: s, .. } => xml.leaf("touch", &[named(""), site(s.id().index())]),
            SensorKind::JointState(_) | SensorKind::JointEffort(_) | SensorKind::ContactForce(_) => {
                out.left_out.push(format!("sensor {:?}", sensor.name));
            }
        }
    }
    xml.close();
}
