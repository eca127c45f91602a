//! USD with UsdPhysics: text (`.usda`), binary (`.usdc`) and archives (`.usdz`).
//!
//! The reader is our own: files are not trusted, and the format needs little.
//!
//! | file | what |
//! |---|---|
//! | `lex` `parse` `layer` | the text: prims, properties, values |
//! | `binary/` `archive` | the same from binary files, and from zip files |
//! | `compose` | references, payloads, inherits, variants, sublayers: one scene |
//! | `scene` `xform` | where every prim is, in metres with z up, and which body carries it |
//! | `shapes` `groups` `mass` | forms, materials, colours, what touches what; masses and moments |
//! | `joints` `d6` `drives` | joints of all kinds, by type, by locked axes or by annotation; motors |

mod archive;
mod binary;
mod compose;
mod d6;
mod drives;
mod groups;
mod joints;
mod layer;
mod lex;
mod mass;
mod parse;
mod scene;
mod shapes;
mod xform;

use crate::files::File;
use crate::mend::mended;
use crate::size;
use crate::{Files, ImportError, Log, Options};
use bellcrank_math::{Sym3, Twist, Vec3};
use bellcrank_model::{Body, BodyId, Joint, Keyframe, Link, MaterialRules, ModelBuilder, Place, Shape};
use groups::Groups;
use layer::Value;
use scene::{Node, Nodes};
use shapes::Form;
use std::collections::{HashMap, HashSet};

/// Radius of a body of which only the mass is known, as PhysX takes it [m].
const SMALL_BALL: f64 = 0.1;

/// Reads a stage into parts. Faults go into the log; an error means that going on makes no sense.
pub(crate) fn read(
    file: File,
    files: &Files,
    options: &Options,
    log: &Log,
) -> Result<ModelBuilder, ImportError> {
    let unpacked = match file.bytes.starts_with(archive::START) {
        true => Some(
            archive::open(&file, files)
                .map_err(|kind| ImportError::one(Place::new(file.name.as_str(), 0), kind))?,
        ),
        false => None,
    };
    let (file, files) = unpacked.as_ref().map_or((file, files), |(first, files)| (first.clone(), files));
    let layer = parse::parse(&file, &options.limits)?;
    let scene = compose::compose(file, layer, files, &options.limits, log);
    let nodes = Nodes::of(&scene);
    let joints = nodes.all.iter().filter(|node| node.prim.kind.ends_with("Joint")).count();
    let bodies = nodes.all.iter().enumerate().filter(|(n, node)| node.body == Some(*n)).count();
    // at least so many joints must close loops; each frees three motions or so
    if let Some(kind) = size::too_large(bodies, 3 * bodies, joints.saturating_sub(bodies), &options.limits) {
        return Err(ImportError::one(Place::new(scene.file.clone(), 1), kind));
    }
    let name = layer::entry(&scene.metadata, "defaultPrim").and_then(Value::text);
    let name = name.or(scene.prims.first().map(|p| p.name.as_str())).unwrap_or("stage");
    let mut builder = ModelBuilder::new(name);
    builder.place(Place::new(scene.file.clone(), 1));
    let (bodies, names) = (HashMap::new(), HashSet::new());
    let mut assembly = Assembly { nodes: &nodes, options, log, bodies, names, rules: None, start: None };
    assembly.add_to(&mut builder);
    assembly.start.into_iter().for_each(|start| _ = builder.keyframe(start));
    report_unread(&nodes, log);
    Ok(builder)
}

struct Assembly<'a> {
    nodes: &'a Nodes<'a>,
    options: &'a Options,
    log: &'a Log,
    bodies: HashMap<usize, BodyId>,
    names: HashSet<(&'static str, String)>,
    /// How materials combine, as the first one says.
    rules: Option<MaterialRules>,
    /// Velocities and targets of drives that the file gives.
    start: Option<Keyframe>,
}

impl Assembly<'_> {
    fn add_to(&mut self, builder: &mut ModelBuilder) {
        let forms: Vec<(usize, Form)> = (0..self.nodes.all.len())
            .filter_map(|n| Some((n, shapes::form(self.nodes, &self.nodes.all[n], self.log)?)))
            .collect();
        let mut of_body: HashMap<usize, Vec<(usize, &Form)>> = HashMap::new();
        for (node, form) in &forms {
            if let Some(body) = self.nodes.all[*node].body {
                of_body.entry(body).or_default().push((*node, form));
            }
        }
        for node in 0..self.nodes.all.len() {
            if self.nodes.all[node].body == Some(node) {
                self.add_body(node, of_body.get(&node).map_or(&[], Vec::as_slice), builder);
            }
        }
        let colliders = forms.iter().filter(|(_, form)| form.collides).map(|(node, _)| *node);
        let groups = Groups::of(self.nodes, colliders, self.log);
        for (node, form) in &forms {
            self.add_shape(*node, form, &groups, builder);
        }
        for node in &self.nodes.all {
            self.add_joint(node, builder);
            self.read_scene(node, builder);
            self.add_filters(node, builder);
        }
    }

    fn link(&self, node: usize) -> Link {
        self.bodies.get(&node).map_or(Link::World, |id| Link::from(*id))
    }

    fn add_body(&mut self, index: usize, forms: &[(usize, &Form)], builder: &mut ModelBuilder) {
        let node = &self.nodes.all[index];
        let mut solid = mass::of_body(self.nodes, index, forms);
        if self.options.mend_inertia {
            let (new, said) = mended(solid, 0.0);
            said.into_iter().for_each(|why| self.log.ignore(node.place.clone(), why));
            solid = Some(new);
        }
        let name = self.unused("body", node);
        let mut body = Body::new(name).at(self.nodes.pose(index)).place(node.place.clone());
        match solid {
            Some(solid) => {
                body = body.mass(solid.mass).com(solid.com);
                body.inertia = Some(solid.inertia).filter(|i| *i != Sym3::zero());
                if body.inertia.is_none() {
                    let why =
                        "it has a mass, but neither an inertia nor a collider; taken as a ball of 0.1 m";
                    self.log.ignore(node.place.clone(), why);
                    let i = 0.4 * solid.mass * SMALL_BALL * SMALL_BALL;
                    body.inertia = Some(Sym3::diagonal(i, i, i));
                }
            }
            // as in PhysX
            None => {
                let why = "it has neither a mass nor a collider that could give it one; taken as a ball of 1 kg and 0.1 m";
                self.log.ignore(node.place.clone(), why);
                body = body.solid_sphere(1.0, SMALL_BALL);
            }
        }
        let name = body.name.clone();
        let id = builder.body(body);
        self.bodies.insert(index, id);
        if node.prim.is_true("physics:kinematicEnabled", false) {
            self.log.ignore(
                node.place.clone(),
                "kinematic bodies do not move by themselves; it is fixed to the world",
            );
            let at = self.nodes.pose(index);
            builder.joint(
                Joint::fixed(format!("{name}_kinematic"), Link::World, id)
                    .placed_pose(at)
                    .place(node.place.clone()),
            );
        }
        self.read_velocity(index, id);
        node.prim.is_true("physics:startsAsleep", false); // there is no sleep
    }

    /// Velocities are told in the axes of the prim around the body, angles in degrees; they are part of a keyframe.
    fn read_velocity(&mut self, index: usize, id: BodyId) {
        let node = &self.nodes.all[index];
        let vector = |name: &str| node.prim.numbers::<3>(name).map_or(Vec3::zero(), Vec3::from_array);
        let (v, w) = (vector("physics:velocity"), vector("physics:angularVelocity"));
        if !(v.is_finite() && w.is_finite()) || v.norm() + w.norm() == 0.0 {
            return;
        }
        let around = node.path.rsplit_once('/').and_then(|(path, _)| self.nodes.get(path));
        let R_WA = around.map_or(self.nodes.units.upright, |around| self.nodes.pose(around).R);
        let linear = R_WA.rotate(v * self.nodes.units.metres);
        let angular = R_WA.rotate(w * 1f64.to_radians());
        let start = self.start.take().unwrap_or_else(|| Keyframe::new("start").place(node.place.clone()));
        self.start = Some(start.twist(id, Twist::new(linear, angular)));
    }

    fn add_shape(&mut self, index: usize, form: &Form, groups: &Groups, builder: &mut ModelBuilder) {
        let node = &self.nodes.all[index];
        let link = node.body.map_or(Link::World, |body| self.link(body));
        let name = self.unused("shape", node);
        let mut shape = Shape::new(name, link, form.geometry.clone()).at(form.X_LG).place(node.place.clone());
        shape.collides = form.collides;
        if let Some((group, mask)) = groups.bits(&node.path).filter(|_| form.collides) {
            shape = shape.groups(group, mask);
        }
        shape.material = shapes::material(self.nodes, node);
        if let Some(rules) = shapes::rules(self.nodes, node).filter(|_| form.collides) {
            match self.rules {
                Some(first) if first != rules => self.log.ignore(
                    node.place.clone(),
                    "materials combine by different rules: that of the first shape holds for all",
                ),
                _ => {
                    self.rules = Some(rules);
                    builder.material_rules(rules);
                }
            }
        }
        shape.color = shapes::color(node.prim).unwrap_or(shape.color);
        builder.shape(shape);
    }

    fn add_joint(&mut self, node: &Node<'_>, builder: &mut ModelBuilder) {
        let kind = node.prim.kind.as_str();
        if !(kind.starts_with("Physics") && kind.ends_with("Joint")) {
            return;
        }
        let name = self.unused("joint", node);
        let link = |node: usize| self.link(node);
        let reader = joints::Reader { nodes: self.nodes, log: self.log, link: &link };
        if let Some(made) = reader.joint(node, &name) {
            builder.joint(made.joint.clone());
            for (motor, target) in drives::add(self.nodes, node, &made, self.log, builder) {
                let start =
                    self.start.take().unwrap_or_else(|| Keyframe::new("start").place(node.place.clone()));
                self.start = Some(start.control(motor, target));
            }
        }
    }

    fn read_scene(&self, node: &Node<'_>, builder: &mut ModelBuilder) {
        if node.prim.kind != "PhysicsScene" {
            return;
        }
        let units = self.nodes.units;
        let magnitude = node.prim.number("physics:gravityMagnitude").filter(|g| *g >= 0.0 && g.is_finite());
        let magnitude = magnitude.map_or(9.81, |g| g * units.metres);
        let direction = node.prim.numbers("physics:gravityDirection").map(Vec3::from_array);
        let direction = direction.filter(|d| d.norm() > 0.0 && d.norm().is_finite());
        let down = direction.map_or(-Vec3::z_axis(), |d| units.upright.rotate(d.normalized()));
        builder.gravity(down * magnitude);
    }

    fn add_filters(&self, node: &Node<'_>, builder: &mut ModelBuilder) {
        for path in node.prim.targets("physics:filteredPairs") {
            let other = self.nodes.get(path).and_then(|n| self.nodes.all[n].body);
            let pair = node.body.zip(other).filter(|(a, b)| a != b);
            match pair.and_then(|(a, b)| self.bodies.get(&a).zip(self.bodies.get(&b))) {
                Some((a, b)) => {
                    builder.place(node.place.clone());
                    builder.exclude(*a, *b);
                }
                None => self.log.ignore(node.place.clone(), "physics:filteredPairs: not between two bodies"),
            }
        }
    }

    /// The prim's name, or its path where another part has that name already.
    fn unused(&mut self, noun: &'static str, node: &Node<'_>) -> String {
        let short = (noun, node.prim.name.clone());
        let name = if self.names.contains(&short) { node.path.clone() } else { node.prim.name.clone() };
        self.names.insert((noun, name.clone()));
        name
    }
}

/// Physics that nobody read. What only concerns looks is not listed.
fn report_unread(nodes: &Nodes<'_>, log: &Log) {
    const PHYSICS: [&str; 6] = ["physics:", "drive:", "limit:", "physx", "newton:", "mjc:"];
    for node in &nodes.all {
        for property in &node.prim.properties {
            if !property.read.get() && PHYSICS.iter().any(|start| property.name.starts_with(start)) {
                let place = Place { line: property.line, ..node.place.clone() };
                log.ignore(place, format!("the property {:?} is not known here", property.name));
            }
        }
        let kind = node.prim.kind.as_str();
        let known = ["PhysicsScene", "PhysicsCollisionGroup"].contains(&kind) || kind.ends_with("Joint");
        if kind.starts_with("Physics") && !known || kind.starts_with("Physx") || kind.starts_with("Mjc") {
            log.ignore(node.place.clone(), format!("prims of type {kind} are not known here"));
        }
    }
}
