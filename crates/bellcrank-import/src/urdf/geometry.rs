//! `<collision>` and `<visual>`: shapes, their colours and their meshes.

use super::origin;
use crate::error::ImportFaultKind;
use crate::meshes;
use crate::xml::Element;
use crate::{Files, Options};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Geometry, Mesh, Place};
use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

/// A shape on a link, in the link's frame.
pub(super) struct LinkShape {
    pub name: Option<String>,
    pub X_LG: Pose,
    pub geometry: Geometry,
    pub collides: bool,
    pub color: Option<[f32; 4]>,
    pub place: Place,
}

/// Colours by name, from the robot's own `<material>`s and those inside visuals.
pub(super) struct Materials(HashMap<String, [f32; 4]>);

impl Materials {
    pub fn read(robot: &Element) -> Self {
        let mut colors = HashMap::new();
        let inside = robot.children.iter().filter(|e| e.tag == "link").flat_map(|link| {
            link.children
                .iter()
                .filter(|e| e.tag == "visual")
                .flat_map(|visual| visual.children_named("material"))
        });
        // a visual may name a material whose colour stands in a later one
        for material in robot.children_named("material").chain(inside) {
            let (Some(name), Some(color)) = (material.attribute("name"), color(material)) else { continue };
            colors.entry(name.to_owned()).or_insert(color);
        }
        Materials(colors)
    }

    fn of(&self, visual: &Element) -> Option<[f32; 4]> {
        let material = visual.child("material")?;
        let named = material.attribute("name").and_then(|name| self.0.get(name).copied());
        color(material).or(named)
    }
}

fn color(material: &Element) -> Option<[f32; 4]> {
    if let Some(texture) = material.children.iter().find(|e| e.tag == "texture") {
        texture.ignore("textures are not drawn");
    }
    let rgba: [f64; 4] = material.child("color")?.vector("rgba")?;
    Some(rgba.map(|x| x.clamp(0.0, 1.0) as f32))
}

/// Mesh files, each read once per scale.
pub(super) struct Meshes<'a> {
    files: &'a Files,
    options: &'a Options,
    known: RefCell<HashMap<String, Result<Arc<Mesh>, ImportFaultKind>>>,
}

impl<'a> Meshes<'a> {
    pub fn new(files: &'a Files, options: &'a Options) -> Self {
        Meshes { files, options, known: RefCell::default() }
    }

    fn read(&self, element: &Element) -> Option<Arc<Mesh>> {
        let name = element.required("filename")?;
        let scale = match element.has("scale") {
            true => element.vector("scale")?,
            false => [1.0; 3],
        };
        if self.options.skip_meshes {
            element.ignore("meshes are not read, as asked");
            return None;
        }
        let loaded =
            self.known.borrow_mut().entry(name.to_owned()).or_insert_with(|| self.load(name)).clone();
        match loaded {
            Ok(mesh) if scale == [1.0; 3] => Some(mesh),
            Ok(mesh) => Some(Arc::new(meshes::scaled(&mesh, Vec3::from_array(scale)))),
            Err(ImportFaultKind::NoSuchFile(_) | ImportFaultKind::NoSuchPackage(_))
                if !self.options.require_meshes =>
            {
                element.ignore("the mesh file is not there; the shape is left out");
                None
            }
            Err(kind) => {
                element.fault(kind);
                None
            }
        }
    }

    fn load(&self, name: &str) -> Result<Arc<Mesh>, ImportFaultKind> {
        let file = self.files.binary(name, None)?;
        meshes::read_with(&file, self.files).map(Arc::new)
    }
}

/// All collisions and visuals of a link, in the order of the file.
pub(super) fn read_shapes(link: &Element, materials: &Materials, meshes: &Meshes<'_>) -> Vec<LinkShape> {
    let mut shapes = Vec::new();
    for element in link.children.iter().filter(|e| e.tag == "collision" || e.tag == "visual") {
        element.see();
        let collides = element.tag == "collision";
        let Some(geometry) = element.child("geometry") else {
            element.fault(ImportFaultKind::MissingElement("geometry".into()));
            continue;
        };
        let color = materials.of(element);
        for extra in element.children.iter().filter(|e| e.tag == "contact_coefficients") {
            extra.ignore("friction of old URDF files has no agreed meaning; set it on the shape");
        }
        let X_LG = origin(element.child("origin"));
        if let Some(geometry) = read_geometry(geometry, collides, meshes) {
            let name = element.attribute("name").filter(|n| !n.is_empty()).map(str::to_owned);
            let place = element.place();
            shapes.push(LinkShape { name, X_LG, geometry, collides, color, place });
        }
        element.attribute("name");
        element.attribute("group");
    }
    shapes
}

fn read_geometry(geometry: &Element, collides: bool, meshes: &Meshes<'_>) -> Option<Geometry> {
    let Some(form) = geometry.children.first() else {
        geometry.fault_said("the geometry is empty", "put a <box>, <cylinder>, <sphere> or <mesh> in it");
        return None;
    };
    form.see();
    geometry.attribute("name");
    let length = |name: &str| form.required_number(name);
    match form.tag.as_str() {
        "box" => {
            form.required("size")?;
            Some(Geometry::Box { half: Vec3::from_array(form.vector("size")?) * 0.5 })
        }
        "sphere" => Some(Geometry::Sphere { radius: length("radius")? }),
        "cylinder" => {
            let (radius, whole) = (length("radius"), length("length"));
            Some(Geometry::Cylinder { radius: radius?, half_length: 0.5 * whole? })
        }
        "capsule" => {
            let (radius, whole) = (length("radius"), length("length"));
            Some(Geometry::Capsule { radius: radius?, half_length: 0.5 * whole? })
        }
        "cone" => {
            let (radius, whole) = (length("radius"), length("length"));
            Some(Geometry::Cone { radius: radius?, half_length: 0.5 * whole? })
        }
        "ellipsoid" => {
            form.required("radii")?;
            Some(Geometry::Ellipsoid { radii: Vec3::from_array(form.vector("radii")?) })
        }
        "plane" => Some(Geometry::Plane),
        "mesh" => {
            let mesh = meshes.read(form)?;
            Some(if collides { Geometry::ConvexMesh(mesh) } else { Geometry::TriangleMesh(mesh) })
        }
        other => {
            let what = format!("<{other}> is not a shape that is known here");
            form.fault_said(what, "use a box, cylinder, sphere, capsule, cone, ellipsoid or mesh");
            None
        }
    }
}
