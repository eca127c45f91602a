//! DAE (COLLADA): geometries, and the nodes that place them.

use super::{MeshBuilder, damaged};
use crate::error::ImportFaultKind;
use crate::files::File;
use crate::log::Log;
use crate::options::Limits;
use crate::xml::{Document, Element, parse_numbers};
use bellcrank_math::{Mat3, Vec3};
use std::collections::HashMap;
use std::rc::Rc;

/// Nodes and parts of geometries that may be placed in all: nodes may name nodes, and so on.
const PLACED: usize = 50_000;
/// Numbers in one list.
const NUMBERS: usize = 12_000_000;
/// How deep nodes may name nodes.
const DEPTH: usize = 32;

pub(super) fn read(file: &File, limits: &Limits, mesh: &mut MeshBuilder) -> Result<(), ImportFaultKind> {
    let limits = Limits { text_bytes: limits.mesh_bytes, ..*limits };
    let document = Document::parse(file, &limits, &Rc::new(Log::default())).map_err(|error| {
        error.faults.into_iter().next().map_or(ImportFaultKind::UnknownFormat, |fault| fault.kind)
    })?;
    let root = &document.root;
    let unit = root.child("asset").and_then(|a| a.child("unit")).and_then(|u| u.number("meter"));
    let scale = Affine::scaling(Vec3::new(1.0, 1.0, 1.0) * unit.unwrap_or(1.0));
    let mut scene =
        Scene { geometries: HashMap::new(), nodes: HashMap::new(), decoded: HashMap::new(), placed: 0, mesh };
    scene.list(root);
    let scenes: Vec<_> = root.children_named("library_visual_scenes").flat_map(|l| &l.children).collect();
    for visual in &scenes {
        for node in visual.children_named("node") {
            scene.place(node, scale, 0)?;
        }
    }
    // a file without a scene: all geometries where they are
    if scenes.is_empty() {
        let mut all: Vec<_> = scene.geometries.values().copied().collect();
        all.sort_by_key(|geometry| geometry.line);
        all.into_iter().try_for_each(|geometry| scene.add(geometry, scale))?;
    }
    Ok(())
}

/// v ↦ L v + t
#[derive(Clone, Copy)]
struct Affine {
    L: Mat3,
    t: Vec3,
}

impl Affine {
    fn scaling(s: Vec3) -> Self {
        let L = Mat3::from_columns(Vec3::x_axis() * s.x, Vec3::y_axis() * s.y, Vec3::z_axis() * s.z);
        Affine { L, t: Vec3::zero() }
    }

    fn then(self, inner: Affine) -> Self {
        Affine { L: self.L * inner.L, t: self.L * inner.t + self.t }
    }

    fn apply(self, v: Vec3) -> Vec3 {
        self.L * v + self.t
    }
}

struct Scene<'d, 'm> {
    geometries: HashMap<&'d str, &'d Element>,
    nodes: HashMap<&'d str, &'d Element>,
    /// Geometries that were placed before, by the address of their element.
    decoded: HashMap<*const Element, Rc<Vec<Part<'d>>>>,
    placed: usize,
    mesh: &'m mut MeshBuilder,
}

/// Corners of faces, in a row.
struct Part<'d> {
    /// The element's name, which says how corners make faces.
    tag: &'d str,
    corners: Vec<Vec3>,
    /// Corners of each face of a `<polylist>`.
    sizes: Option<Rc<[usize]>>,
}

impl<'d> Scene<'d, '_> {
    fn list(&mut self, root: &'d Element) {
        for geometry in root.children_named("library_geometries").flat_map(|l| &l.children) {
            self.geometries.extend(geometry.attribute("id").map(|id| (id, geometry)));
        }
        let mut waiting: Vec<&Element> =
            root.children.iter().filter(|e| e.tag.starts_with("library_")).collect();
        while let Some(element) = waiting.pop() {
            if element.tag == "node" {
                self.nodes.extend(element.attribute("id").map(|id| (id, element)));
            }
            let nested = |e: &&Element| e.tag == "node" || e.tag == "visual_scene";
            waiting.extend(element.children.iter().filter(nested));
        }
    }

    /// A node, what it shows, and the nodes in it.
    fn place(&mut self, node: &'d Element, outer: Affine, depth: usize) -> Result<(), ImportFaultKind> {
        self.count(1)?;
        if depth > DEPTH {
            return Err(endless());
        }
        let mut X = outer;
        for step in &node.children {
            X = X.then(transform(step)?);
        }
        for child in &node.children {
            let target = child.attribute("url").map(|url| url.trim_start_matches('#')).unwrap_or("");
            match child.tag.as_str() {
                "node" => self.place(child, X, depth + 1)?,
                "instance_node" => {
                    if let Some(named) = self.nodes.get(target).copied() {
                        self.place(named, X, depth + 1)?;
                    }
                }
                "instance_geometry" => {
                    let how =
                        || damaged("", &format!("its scene names a geometry {target:?} that is not there"));
                    let geometry = self.geometries.get(target).copied().ok_or_else(how)?;
                    self.add(geometry, X)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn count(&mut self, placed: usize) -> Result<(), ImportFaultKind> {
        self.placed += placed;
        if self.placed > PLACED { Err(endless()) } else { Ok(()) }
    }

    /// Places a geometry, which is decoded only once however often it is placed.
    fn add(&mut self, geometry: &'d Element, X: Affine) -> Result<(), ImportFaultKind> {
        let parts = match self.decoded.get(&std::ptr::from_ref(geometry)) {
            Some(parts) => parts.clone(),
            None => {
                let parts = Rc::new(decode(geometry)?);
                self.decoded.insert(geometry, parts.clone());
                parts
            }
        };
        self.count(1 + parts.len())?;
        for part in parts.iter() {
            let corners: Vec<Vec3> = part.corners.iter().map(|p| X.apply(*p)).collect();
            self.split(part.tag, &corners, part.sizes.as_deref())?;
        }
        Ok(())
    }

    /// Corners in a row become faces, as the element's name says.
    fn split(&mut self, tag: &str, corners: &[Vec3], sizes: Option<&[usize]>) -> Result<(), ImportFaultKind> {
        match (tag, sizes) {
            ("polylist", Some(sizes)) => {
                let mut rest = corners;
                for &size in sizes {
                    if rest.is_empty() {
                        break;
                    }
                    let (face, after) = rest.split_at_checked(size).unwrap_or((rest, &[]));
                    self.mesh.polygon(face)?;
                    rest = after;
                }
                Ok(())
            }
            ("polygons" | "trifans", _) => self.mesh.polygon(corners),
            ("tristrips", _) => corners.windows(3).enumerate().try_for_each(|(i, w)| {
                // every other triangle of a strip runs the other way round
                self.mesh.triangle(if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] })
            }),
            _ => corners.chunks_exact(3).try_for_each(|c| self.mesh.triangle([c[0], c[1], c[2]])),
        }
    }
}

fn endless() -> ImportFaultKind {
    damaged("", "its nodes name each other without end, or place far too many parts")
}

/// The faces of a geometry.
fn decode(geometry: &Element) -> Result<Vec<Part<'_>>, ImportFaultKind> {
    let Some(shape) = geometry.child("mesh") else { return Ok(Vec::new()) }; // splines and such
    let points = positions(shape)?;
    let mut parts = Vec::new();
    for part in &shape.children {
        if matches!(part.tag.as_str(), "triangles" | "polylist" | "polygons" | "tristrips" | "trifans") {
            faces(part, &points, &mut parts)?;
        }
    }
    Ok(parts)
}

fn faces<'d>(part: &'d Element, points: &[Vec3], parts: &mut Vec<Part<'d>>) -> Result<(), ImportFaultKind> {
    let inputs: Vec<_> = part.children_named("input").collect();
    let offset = |input: &&Element| input.number("offset").unwrap_or(0.0).clamp(0.0, 64.0) as usize;
    let stride = inputs.iter().map(offset).max().unwrap_or(0) + 1;
    let vertex = inputs.iter().find(|i| i.attribute("semantic") == Some("VERTEX")).map_or(0, offset);
    let sizes: Option<Rc<[usize]>> = match part.child("vcount") {
        Some(counts) => Some(whole_numbers(&counts.text)?.into()),
        None => None,
    };
    for list in part.children_named("p") {
        let numbers = whole_numbers(&list.text)?;
        let missing = || damaged("", "a face names a vertex that is not there");
        let corner = |tuple: &[usize]| points.get(tuple[vertex]).copied().ok_or_else(missing);
        let corners: Vec<Vec3> = numbers.chunks_exact(stride).map(corner).collect::<Result<_, _>>()?;
        parts.push(Part { tag: &part.tag, corners, sizes: sizes.clone() });
    }
    Ok(())
}

/// The points that `<vertices>` names by its input POSITION.
fn positions(shape: &Element) -> Result<Vec<Vec3>, ImportFaultKind> {
    let input = shape
        .child("vertices")
        .and_then(|v| v.children_named("input").find(|i| i.attribute("semantic") == Some("POSITION")));
    let target = input.and_then(|i| i.attribute("source")).unwrap_or("").trim_start_matches('#');
    let source = shape
        .children_named("source")
        .find(|s| s.attribute("id") == Some(target))
        .ok_or_else(|| damaged("", "a geometry has no positions"))?;
    let accessor = source.child("technique_common").and_then(|t| t.child("accessor"));
    let stride = accessor.and_then(|a| a.number("stride")).unwrap_or(3.0).clamp(3.0, 64.0) as usize;
    let text = source.child("float_array").map_or("", |a| a.text.as_str());
    let numbers = parse_numbers("float_array", text, NUMBERS)?;
    Ok(numbers.chunks_exact(stride).map(|c| Vec3::new(c[0], c[1], c[2])).collect())
}

fn whole_numbers(text: &str) -> Result<Vec<usize>, ImportFaultKind> {
    text.split_ascii_whitespace()
        .take(NUMBERS)
        .map(|word| word.parse().map_err(|_| damaged("", &format!("{word:?} is not the number of a vertex"))))
        .collect()
}

/// `<matrix>`, `<translate>`, `<rotate>` or `<scale>`; the identity for anything else.
fn transform(step: &Element) -> Result<Affine, ImportFaultKind> {
    let wanted = match step.tag.as_str() {
        "matrix" => 16,
        "rotate" => 4,
        "translate" | "scale" => 3,
        _ => return Ok(Affine::scaling(Vec3::new(1.0, 1.0, 1.0))),
    };
    let n = parse_numbers(&step.tag, &step.text, wanted)?;
    if n.len() != wanted {
        return Err(damaged(
            "",
            &format!("<{}> has {} numbers where {wanted} are expected", step.tag, n.len()),
        ));
    }
    Ok(match step.tag.as_str() {
        "matrix" => Affine {
            L: Mat3::from_rows([[n[0], n[1], n[2]], [n[4], n[5], n[6]], [n[8], n[9], n[10]]]),
            t: Vec3::new(n[3], n[7], n[11]),
        },
        "rotate" => {
            let axis = Vec3::new(n[0], n[1], n[2]);
            let unit = if axis.norm() > 0.0 { axis.normalized() } else { Vec3::x_axis() };
            let turn = bellcrank_math::Quat::from_axis_angle(unit, n[3].to_radians());
            Affine { L: turn.to_mat3(), t: Vec3::zero() }
        }
        "translate" => Affine { L: Mat3::identity(), t: Vec3::new(n[0], n[1], n[2]) },
        _ => Affine::scaling(Vec3::new(n[0], n[1], n[2])),
    })
}
