//! MJCF, the format of MuJoCo.
//!
//! | room | what |
//! |---|---|
//! | `preamble/` | how the file is to be understood: `source` `include` `compiler` `defaults` `assets` `msh` `option` |
//! | `bodies/` | the tree of bodies as the file has it: `tree` `joints` `geoms` `placement` `spec` |
//! | `mass/` | what they weigh: `solids` `mass_of_mesh` `hull` `masses` `effective_inertia` |
//! | `assemble/` | which of our bodies and joints it becomes: `lumps` `joint_groups` `assembly` `names` |
//! | `sections/` | the rest: `equality` `tendons` `actuators` `drive` `contact` `sensors` `keyframes` |
//! | `vocabulary/` | what the format knows, what is listed once, names: `known` `notes` `references` |
//!
//! Softness (`solref`, `solimp`) is read and listed once: our contacts and loops are hard. A `connect` is a ball
//! joint that closes a loop, two on one axis are a hinge, a `weld` is a fixed joint. Several joints on one body are
//! one joint of ours where the combination is one (`joint_groups`), else there are carriers between them.

mod assemble;
mod bodies;
mod mass;
mod preamble;
mod sections;
mod vocabulary;

use crate::xml::{Document, Element};
use crate::{Files, ImportError, Log, Options};
use assemble::{assembly::Assembly, names};
use bellcrank_model::ModelBuilder;
use bodies::spec::{Section, Spec};
use bodies::tree::TreeReader;
use mass::masses;
use preamble::option;
use preamble::source::{Context, Scope, Source};
use sections::{actuators, contact, equality, keyframes, sensors, tendons};
use std::rc::Rc;
use vocabulary::notes::Notes;

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
    read_sections(&mut spec, root, scope, context);
    for scope in attached {
        if let Some(root) = &scope.source.root {
            read_sections(&mut spec, root, &scope, context);
        }
    }
    Ok(spec)
}

fn read_sections(spec: &mut Spec, root: &Element, scope: &Scope, context: Context<'_>) {
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
