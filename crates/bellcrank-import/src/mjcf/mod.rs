//! MJCF, the format of MuJoCo.
//!
//! | room | what |
//! |---|---|
//! | `preamble/` | how the file is to be understood: `source` `include` `compiler` `defaults` `assets` `msh` `terrain` `option` |
//! | `bodies/` | the tree of bodies as the file has it: `tree` `joints` `geoms` `placement` `spec` |
//! | `mass/` | what they weigh: `solids` `mass_of_mesh` `masses` `effective_inertia` |
//! | `assemble/` | which of our bodies and joints it becomes: `lumps` `joint_groups` `assembly` `names` |
//! | `sections/` | the rest: `equality` `tendons` `actuators` `drive` `contact` `sensors` `keyframes` |
//! | `vocabulary/` | what the format knows, what is listed once, names: `known` `schema` `notes` `references` |
//!
//! Softness (`solref`, `solimp`) is listed once, since our contacts and loops are hard, unless the caller asks for MuJoCo's. A `connect` is a ball
//! joint that closes a loop, two on one axis are a hinge, a `weld` is a fixed joint. Several joints on one body are
//! one joint of ours where the combination is one (`joint_groups`), else there are carriers between them.

mod assemble;
mod bodies;
mod mass;
mod preamble;
mod sections;
mod vocabulary;

use crate::xml::{Document, Element};
use crate::{Compliance, Files, ImportError, Log, Options};
use assemble::{assembly::Assembly, names};
use bellcrank_model::ModelBuilder;
use bodies::spec::{Section, Spec};
use bodies::tree::TreeReader;
use mass::masses;
use preamble::option;
use preamble::source::{Context, Scope, Source};
use sections::replicas::{Found, Replicas};
use sections::{actuators, contact, equality, keyframes, sensors, tendons};
use std::rc::Rc;
use vocabulary::{notes::Notes, schema};

/// Sections outside the tree of bodies, by their tag: what is named before what names it.
const SECTIONS: [&str; 6] = ["tendon", "equality", "actuator", "contact", "sensor", "keyframe"];

/// The ending of the second of two `connect`s that are one hinge, whose name is the first one's.
pub(crate) const SECOND: &str = "_second";

/// Reads `<mujoco>` into parts. Faults go into the log; an error means that going on makes no sense.
pub(crate) fn read(
    document: &mut Document,
    files: &Files,
    options: &Options,
    log: &Rc<Log>,
) -> Result<ModelBuilder, ImportError> {
    let notes = Notes::new(log, options.compliance == Compliance::Mujoco);
    let context = Context { files, options, notes: &notes };
    let root = &mut document.root;
    let source = Rc::new(Source::read(root, None, context, &mut Vec::new())?);
    let scope = Scope {
        source: source.clone(),
        prefix: String::new(),
        suffix: String::new(),
        partial: false,
        keys: None,
    };
    let world = option::World::read(root, options, &notes);
    let mut spec = read_spec(root, &scope, context)?;
    masses::settle(&mut spec, log);
    names::complete(&mut spec);
    let name = root.attribute("model").unwrap_or("MuJoCo Model");
    let builder = assemble(name, &spec, &world, context);
    source.report_unread(&notes);
    schema::report_unread(root, &notes);
    notes.flush();
    Ok(builder)
}

/// The tree of bodies and all sections, attached models included.
fn read_spec(root: &Element, scope: &Scope, context: Context<'_>) -> Result<Spec, ImportError> {
    let mut reader = TreeReader::new(context, root, scope);
    for world in root.children_named("worldbody") {
        reader.world(world, scope)?;
    }
    let TreeReader { mut spec, attached, endings, .. } = reader;
    let mut replicas = Replicas::of(&spec, endings);
    let sources = attached.iter().filter_map(|scope| Some((scope.source.root.as_ref()?, scope)));
    let sources: Vec<(&Element, &Scope)> = [(root, scope)].into_iter().chain(sources).collect();
    sources.iter().for_each(|(root, _)| option::skip_sections(root, context.notes));
    for kind in SECTIONS {
        for (root, scope) in &sources {
            read_section(&mut spec, kind, (root, scope), &mut replicas, context);
        }
    }
    Ok(spec)
}

/// One section of one source: first what stands there, then its copies, copy by copy.
fn read_section(
    spec: &mut Spec,
    kind: &'static str,
    (root, scope): (&Element, &Scope),
    replicas: &mut Replicas,
    context: Context<'_>,
) {
    let mut copies: Vec<(Scope, &Element)> = Vec::new();
    for child in root.children_named(kind).flat_map(|section| &section.children) {
        match replicas.scopes(child, scope) {
            Found::Here => push_section(spec, kind, (child, scope), replicas, context),
            Found::Copies(scopes) => copies.extend(scopes.into_iter().map(|scope| (scope, child))),
            // of an attached model only a part is here, and this belongs to the rest
            Found::Nowhere => child.see_all(),
        }
    }
    let mut endings: Vec<String> = Vec::new();
    for (scope, _) in &copies {
        if !endings.contains(&scope.suffix) {
            endings.push(scope.suffix.clone());
        }
    }
    for ending in endings {
        for (scope, child) in copies.iter().filter(|(scope, _)| scope.suffix == ending) {
            push_section(spec, kind, (child, scope), replicas, context);
        }
    }
}

fn push_section(
    spec: &mut Spec,
    kind: &'static str,
    (child, scope): (&Element, &Scope),
    replicas: &mut Replicas,
    context: Context<'_>,
) {
    let classes = &scope.source.classes;
    let element = classes.merged(child, None, context.notes);
    let defaults = match kind {
        "actuator" => classes.class(child, None).actuators.clone(),
        _ => Default::default(),
    };
    replicas.note(kind, child, scope);
    spec.sections.push(Section { kind, element, defaults, scope: scope.clone() });
}

fn assemble(name: &str, spec: &Spec, world: &option::World, context: Context<'_>) -> ModelBuilder {
    let mut assembly = Assembly::new(name, spec, context);
    (assembly.contacts, assembly.magnetic) = (world.contacts, world.magnetic);
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
