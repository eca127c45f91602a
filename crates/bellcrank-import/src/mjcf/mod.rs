//! MJCF, the format of MuJoCo.
//!
//! | file | what |
//! |---|---|
//! | `source` `include` `compiler` `defaults` `assets` | how the file is to be understood |
//! | `tree` `joints` `geoms` `spec` | the tree of bodies as the file has it |
//! | `placement` `solids` `mass_of_mesh` `msh` `hull` `masses` `effective_inertia` | poses and masses |
//! | `lumps` `joint_groups` `assembly` `names` | which of our bodies and joints it becomes |
//! | `equality` `tendons` `actuators` `drive` `contact` `sensors` `keyframes` `option` | the other sections |
//! | `known` `notes` `references` | what the format knows, what is listed once, names |
//!
//! Softness (`solref`, `solimp`) is read and listed once: our contacts and loops are hard. A `connect` is a ball
//! joint that closes a loop, two on one axis are a hinge, a `weld` is a fixed joint. Several joints on one body are
//! one joint of ours where the combination is one (`joint_groups`), else there are carriers between them.

mod actuators;
mod assembly;
mod assets;
mod compiler;
mod contact;
mod defaults;
mod drive;
mod effective_inertia;
mod equality;
mod geoms;
mod hull;
mod include;
mod joint_groups;
mod joints;
mod keyframes;
mod known;
mod lumps;
mod mass_of_mesh;
mod masses;
mod msh;
mod names;
mod notes;
mod option;
mod placement;
mod references;
mod sensors;
mod solids;
mod source;
mod spec;
mod tendons;
mod tree;

use crate::xml::{Document, Element};
use crate::{Files, ImportError, Log, Options};
use assembly::Assembly;
use bellcrank_model::ModelBuilder;
use notes::Notes;
use source::{Context, Scope, Source};
use spec::{Section, Spec};
use std::rc::Rc;
use tree::TreeReader;

/// Sections outside the tree of bodies, by their tag.
const SECTIONS: [&str; 6] = ["equality", "tendon", "actuator", "contact", "sensor", "keyframe"];

/// Reads `<mujoco>` into parts. Faults go into the log; an error means that going on makes no sense.
pub(crate) fn read(
    document: &mut Document,
    files: &Files,
    options: &Options,
    log: &Rc<Log>,
) -> Result<ModelBuilder, ImportError> {
    let notes = Notes::new(log);
    let context = Context { files, options, notes: &notes };
    let root = &mut document.root;
    let source = Rc::new(Source::read(root, None, context, &mut Vec::new())?);
    let scope = Scope { source: source.clone(), prefix: String::new(), partial: false };
    let world = option::World::read(root, &notes);
    let mut spec = read_spec(root, &scope, context)?;
    masses::settle(&mut spec, log);
    names::complete(&mut spec);
    let name = root.attribute("model").unwrap_or("MuJoCo Model");
    let builder = assemble(name, &spec, &world, context);
    source.report_unread();
    notes.flush();
    Ok(builder)
}

/// The tree of bodies and all sections, attached models included.
fn read_spec(root: &Element, scope: &Scope, context: Context<'_>) -> Result<Spec, ImportError> {
    let mut reader = TreeReader::new(context, root, scope);
    for world in root.children_named("worldbody") {
        reader.world(world, scope)?;
    }
    let TreeReader { mut spec, attached, .. } = reader;
    sections(&mut spec, root, scope, context);
    for scope in attached {
        if let Some(root) = &scope.source.root {
            sections(&mut spec, root, &scope, context);
        }
    }
    Ok(spec)
}

fn sections(spec: &mut Spec, root: &Element, scope: &Scope, context: Context<'_>) {
    option::skip_sections(root, context.notes);
    let classes = &scope.source.classes;
    for kind in SECTIONS {
        for child in root.children_named(kind).flat_map(|section| &section.children) {
            let element = classes.merged(child, None, context.notes);
            if kind == "sensor" {
                child.see_all();
            }
            child.children.iter().for_each(Element::see_all);
            let defaults = match kind {
                "actuator" => classes.class(child, None).actuators.clone(),
                _ => Default::default(),
            };
            spec.sections.push(Section { kind, element, defaults, scope: scope.clone() });
        }
    }
}

fn assemble(name: &str, spec: &Spec, world: &option::World, context: Context<'_>) -> ModelBuilder {
    let mut assembly = Assembly::new(name, spec, context);
    assembly.contacts = world.contacts;
    world.apply(&mut assembly.builder);
    assembly.add_tree(&contact::paired(spec));
    let tendons = tendons::Tendons::read(&mut assembly);
    let followers = equality::add(&mut assembly, &tendons);
    let actuators = actuators::add(&mut assembly, &tendons, &followers);
    contact::add(&mut assembly);
    sensors::add(&mut assembly, &actuators, &tendons);
    keyframes::add(&mut assembly, &actuators);
    assembly.builder
}
