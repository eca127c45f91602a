//! `<asset>`: meshes, height fields and colours, read when something uses them.

use super::defaults::Classes;
use super::looks::{self, Look, Paint, Picture};
use super::msh;
use super::source::{Context, Source};
use super::terrain;
use crate::mjcf::bodies::placement;
use crate::mjcf::mass::mass_of_mesh::{Fill, unit_density};
use crate::mjcf::vocabulary::known::{LOOKS, TEXTURES};
use crate::mjcf::vocabulary::notes::Notes;
use crate::solid::Solid;
use crate::xml::Element;
use crate::{File, ImportFaultKind, meshes};
use bellcrank_math::Vec3;
use bellcrank_model::{HeightField, Mesh, Texture, convex_hull, nearest};
use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;
use std::sync::Arc;

/// The assets of one file by name.
#[derive(Debug, Default)]
pub(in crate::mjcf) struct Assets {
    meshes: BTreeMap<String, Element>,
    height_fields: BTreeMap<String, Element>,
    materials: BTreeMap<String, Paint>,
    textures: BTreeMap<String, Element>,
    /// Textures that were asked for; `None` where they could not be read.
    pictures: RefCell<HashMap<String, Option<Picture>>>,
    loaded: RefCell<HashMap<String, Option<Rc<LoadedMesh>>>>,
    /// The attached model's file, which its assets are relative to.
    pub file: Option<File>,
}

/// A mesh and its mass for density one.
#[derive(Debug)]
pub(in crate::mjcf) struct LoadedMesh {
    pub mesh: Arc<Mesh>,
    /// Volume [m³] (area [m²] of a shell) as mass.
    pub unit: Solid,
}

impl Assets {
    pub fn read(&mut self, section: &Element, classes: &Classes, notes: &Notes) {
        for element in &section.children {
            match element.tag.as_str() {
                "mesh" => {
                    let merged = classes.merged(element, None, notes);
                    element.children.iter().for_each(|plugin| plugin.ignore("plugins of MuJoCo are not run"));
                    if let Some(name) = name_of(element) {
                        self.meshes.insert(name, merged);
                    }
                }
                "hfield" => {
                    let merged = classes.merged(element, None, notes);
                    if let Some(name) = name_of(element) {
                        self.height_fields.insert(name, merged);
                    }
                }
                "material" => {
                    let merged = classes.merged(element, None, notes);
                    let paint = Paint::of(&merged);
                    element.children.iter().for_each(|layer| layer.ignore(LOOKS));
                    if let Some(name) = element.attribute("name") {
                        self.materials.insert(name.to_owned(), paint);
                    }
                }
                "texture" => {
                    match element.attribute("type") {
                        _ if looks::is_laid(element) => looks::see(element),
                        kind => {
                            element.see_all();
                            notes.once(element, if kind == Some("skybox") { LOOKS } else { TEXTURES });
                        }
                    }
                    let file = looks::file_of(element).map(stem);
                    if let Some(name) = element.attribute("name").or(file) {
                        self.textures.insert(name.to_owned(), element.clone());
                    }
                }
                "skin" => element.ignore("skins are only drawn"),
                _ => {}
            }
        }
    }

    /// How something of this material looks. A mesh that says where its corners lie in a picture is covered with it; on everything
    /// else a texture is its mean colour.
    pub fn look(
        &self,
        material: &str,
        covered: bool,
        by: &Element,
        context: Context<'_>,
        source: &Source,
    ) -> Option<Look> {
        let paint = self.materials.get(material)?;
        let Some(name) = &paint.texture else { return Some(Look { color: paint.color, texture: None }) };
        let Some(element) = self.textures.get(name) else {
            context.notes.ignore(by, format!("there is no texture {name:?}, which its material names"));
            return Some(Look { color: paint.color, texture: None });
        };
        let picture = self.picture(name, element, context, source);
        match picture.as_ref().and_then(|picture| picture.image.clone()) {
            Some(image) if covered => {
                let laid = if image.repeat == paint.repeat {
                    image
                } else {
                    Arc::new(Texture { repeat: paint.repeat, ..(*image).clone() })
                };
                Some(Look { color: paint.color, texture: Some(laid) })
            }
            image => {
                if image.is_some() {
                    context.notes.once(element, TEXTURES);
                }
                let mean = picture.map_or([1.0; 3], |picture| picture.mean);
                Some(Look { color: paint.on(mean), texture: None })
            }
        }
    }

    fn picture(
        &self,
        name: &str,
        element: &Element,
        context: Context<'_>,
        source: &Source,
    ) -> Option<Picture> {
        if let Some(known) = self.pictures.borrow().get(name) {
            return known.clone();
        }
        let picture = looks::built_in(element).or_else(|| self.picture_of_file(element, context, source));
        self.pictures.borrow_mut().insert(name.to_owned(), picture.clone());
        picture
    }

    /// An image that is missing or of another kind costs nothing but its looks.
    fn picture_of_file(&self, element: &Element, context: Context<'_>, source: &Source) -> Option<Picture> {
        let path = source.compiler.texture_path(looks::file_of(element)?);
        if context.options.skip_meshes {
            return None;
        }
        let limit = context.files.limits().mesh_parts;
        let read = self
            .open(&path, element, context)
            .and_then(|file| looks::picture(&file.bytes, &path, limit, element));
        match read {
            Ok(picture) => Some(picture),
            Err(kind) => {
                context.notes.ignore(element, format!("{kind}; its mean colour is taken as white"));
                None
            }
        }
    }

    /// Whether the file declares the mesh.
    pub fn has_mesh(&self, name: &str) -> bool {
        self.meshes.contains_key(name)
    }

    /// The mesh of that name; `None` when it could not be read, which has then been said.
    pub fn mesh(
        &self,
        name: &str,
        by: &Element,
        context: Context<'_>,
        source: &Source,
    ) -> Option<Rc<LoadedMesh>> {
        if let Some(found) = self.loaded.borrow().get(name) {
            return found.clone();
        }
        let Some(element) = self.meshes.get(name) else {
            by.fault(unknown("mesh", name, self.meshes.keys()));
            return None;
        };
        let found = self.load(element, context, source).map(Rc::new);
        self.loaded.borrow_mut().insert(name.to_owned(), found.clone());
        found
    }

    fn load(&self, element: &Element, context: Context<'_>, source: &Source) -> Option<LoadedMesh> {
        if element.children.iter().any(|child| child.tag == "plugin") {
            let why =
                "the mesh is made by a plugin of MuJoCo, which is not run, so shapes made of it are left out";
            context.notes.ignore(element, why);
            return None;
        }
        let mut mesh = match element.attribute("file") {
            Some(file) => self.file_mesh(file, element, context, source)?,
            None => inline_mesh(element)?,
        };
        transform(&mut mesh, element);
        let words = [
            ("legacy", Some(Fill::Absolute)),
            ("exact", Some(Fill::Exact)),
            ("shell", Some(Fill::Shell)),
            ("convex", None),
        ];
        let fill = element.choice("inertia", &words).unwrap_or(Some(Fill::Absolute));
        // points without faces are their hull
        let unit = match fill {
            Some(fill) if !mesh.triangles.is_empty() => unit_density(&mesh.vertices, &mesh.triangles, fill),
            fill => {
                let hull = convex_hull(&mesh.vertices);
                unit_density(&mesh.vertices, &hull, fill.unwrap_or(Fill::Exact))
            }
        };
        Some(LoadedMesh { mesh: Arc::new(mesh), unit })
    }

    fn file_mesh(
        &self,
        file: &str,
        element: &Element,
        context: Context<'_>,
        source: &Source,
    ) -> Option<Mesh> {
        if context.options.skip_meshes {
            context.notes.once(element, "mesh files are not read, as asked by the options");
            return None;
        }
        let path = source.compiler.mesh_path(file);
        match self.open(&path, element, context) {
            Ok(bytes) if path.to_ascii_lowercase().ends_with(".msh") => {
                element.kept(msh::read(&bytes.bytes, &path))
            }
            Ok(bytes) => element.kept(meshes::read_with(&bytes, context.files)),
            Err(ImportFaultKind::NoSuchFile(_)) if !context.options.require_meshes => {
                not_there(&path, element, context);
                None
            }
            Err(kind) => {
                element.fault(kind);
                None
            }
        }
    }

    /// A file relative to the model, else to the file that names it.
    fn open(&self, path: &str, element: &Element, context: Context<'_>) -> Result<File, ImportFaultKind> {
        match context.files.binary(path, self.file.as_ref()) {
            Err(ImportFaultKind::NoSuchFile(_)) => {
                context.files.binary(path, Some(&context.files.called(&element.file)))
            }
            found => found,
        }
    }

    /// The height field of that name.
    pub fn height_field(
        &self,
        name: &str,
        by: &Element,
        context: Context<'_>,
        source: &Source,
    ) -> Option<Arc<HeightField>> {
        let Some(element) = self.height_fields.get(name) else {
            by.fault(unknown("hfield", name, self.height_fields.keys()));
            return None;
        };
        element.required("size")?;
        let [x, y, top, base]: [f64; 4] = element.vector("size")?;
        if base != 0.0 {
            let why = "the fourth number of size: a height field has no bottom here";
            context.notes.once(element, why);
        }
        let limit = context.files.limits().mesh_parts;
        let grid = match element.attribute("file") {
            Some(name) => self.terrain_file(name, element, context, source)?,
            None => terrain::from_attributes(element, limit)?,
        };
        Some(Arc::new(terrain::scaled(grid, [x, y, top])))
    }

    fn terrain_file(
        &self,
        name: &str,
        element: &Element,
        context: Context<'_>,
        source: &Source,
    ) -> Option<terrain::Grid> {
        let path = source.compiler.mesh_path(name);
        match self.open(&path, element, context) {
            Ok(file) => {
                element.kept(terrain::from_file(&file.bytes, &path, context.files.limits().mesh_parts))
            }
            Err(ImportFaultKind::NoSuchFile(_)) if !context.options.require_meshes => {
                not_there(&path, element, context);
                None
            }
            Err(kind) => {
                element.fault(kind);
                None
            }
        }
    }
}

/// A file that is missing costs the shapes that need it.
fn not_there(path: &str, element: &Element, context: Context<'_>) {
    let beside = &element.file;
    let why = format!(
        "the file {path:?} is not there (looked for from the model and from {beside:?}), so shapes made of it are left out"
    );
    context.notes.ignore(element, why);
}

fn unknown<'a>(noun: &'static str, name: &str, known: impl Iterator<Item = &'a String>) -> ImportFaultKind {
    ImportFaultKind::UnknownName { noun, name: name.to_owned(), nearest: nearest(name, known) }
}

/// Its name, else its file's name without folder and ending.
fn name_of(element: &Element) -> Option<String> {
    if let Some(name) = element.attribute("name") {
        return Some(name.to_owned());
    }
    element.required("file").map(|file| stem(file).to_owned())
}

/// A file's name without folder and ending.
fn stem(file: &str) -> &str {
    let file = file.rsplit(['/', '\\']).next().unwrap_or(file);
    file.rsplit_once('.').map_or(file, |(stem, _)| stem)
}

/// Red, green, blue, opacity.
pub(in crate::mjcf) fn color(element: &Element) -> Option<[f32; 4]> {
    let rgba: [f64; 4] = element.vector("rgba")?;
    Some(rgba.map(|x| x as f32))
}

fn inline_mesh(element: &Element) -> Option<Mesh> {
    if element.has("builtin") {
        element.ignore_attribute(
            "builtin",
            "meshes that MuJoCo makes itself are not known here, so shapes made of it are left out",
        );
        return None;
    }
    let numbers = match element.numbers("vertex") {
        Some(numbers) => numbers,
        None => {
            element.fault(ImportFaultKind::MissingAttribute("file".into()));
            return None;
        }
    };
    let faces = element.numbers("face").unwrap_or_default();
    if !numbers.len().is_multiple_of(3) || !faces.len().is_multiple_of(3) {
        element.fault_said("vertex and face are lists of threes", "check that no number is missing");
        return None;
    }
    let vertices: Vec<Vec3> = numbers.chunks_exact(3).map(|v| Vec3::new(v[0], v[1], v[2])).collect();
    let triangles = faces.chunks_exact(3).map(|f| [f[0] as u32, f[1] as u32, f[2] as u32]).collect();
    let mut mesh = Mesh::new(vertices, triangles);
    let places: Vec<[f32; 2]> = element
        .numbers("texcoord")
        .unwrap_or_default()
        .chunks_exact(2)
        .map(|p| [p[0] as f32, p[1] as f32])
        .collect();
    let named = element.numbers("facetexcoord").unwrap_or_default();
    let named: Vec<[u32; 3]> =
        named.chunks_exact(3).map(|f| [f[0] as u32, f[1] as u32, f[2] as u32]).collect();
    let at = |corners: &[u32; 3]| {
        let [a, b, c] = corners.map(|k| places.get(k as usize).copied());
        Some([a?, b?, c?])
    };
    // each corner names its place, or has that of its vertex
    let which = if named.len() == mesh.triangles.len() { &named } else { &mesh.triangles };
    if !places.is_empty() {
        mesh.uvs = which.iter().map(at).collect::<Option<_>>().unwrap_or_default();
    }
    Some(mesh)
}

/// MuJoCo keeps the vertices of files and attributes in single precision; masses shall agree.
fn in_single_precision(v: Vec3) -> Vec3 {
    Vec3::from_array(v.to_array().map(|x| f64::from(x as f32)))
}

/// Reference pose first, then scale; a mirrored mesh is turned inside out again.
fn transform(mesh: &mut Mesh, element: &Element) {
    let p = placement::position(element, "refpos");
    let q = element.vector("refquat").map(|q| placement::unit(q, element)).unwrap_or_default();
    let scale = Vec3::from_array(element.vector("scale").unwrap_or([1.0; 3]));
    for v in &mut mesh.vertices {
        let w = q.rotate_inverse(in_single_precision(*v) - p);
        *v = Vec3::new(w.x * scale.x, w.y * scale.y, w.z * scale.z);
    }
    if scale.x * scale.y * scale.z < 0.0 {
        mesh.turn_inside_out();
    }
}
