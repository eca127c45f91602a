//! `<contact>`: pairs that touch whatever their groups say, and bodies that never do.

use crate::mjcf::assemble::assembly::Assembly;
use crate::mjcf::bodies::spec::{Section, Spec};
use crate::mjcf::vocabulary::references::{Lookup, missing};
use bellcrank_model::Link;
use std::collections::HashSet;

/// Names of geoms in pairs.
pub(in crate::mjcf) fn paired(spec: &Spec) -> HashSet<String> {
    let pairs = spec.sections.iter().filter(|s| s.kind == "contact" && s.element.tag == "pair");
    pairs
        .flat_map(|section| {
            let names = ["geom1", "geom2"].map(|name| section.element.attribute(name).unwrap_or(""));
            names.map(|name| section.scope.name(name))
        })
        .collect()
}

/// Adds the section.
pub(in crate::mjcf) fn add(assembly: &mut Assembly<'_>) {
    let spec = assembly.spec;
    for section in spec.sections.iter().filter(|s| s.kind == "contact") {
        match section.element.tag.as_str() {
            "pair" => pair(assembly, section),
            "exclude" => exclude(assembly, section),
            _ => {}
        }
    }
}

fn pair(assembly: &mut Assembly<'_>, section: &Section) {
    let element = &section.element;
    let [a, b] = ["geom1", "geom2"].map(|name| {
        let full = section.scope.name(element.required(name)?);
        let found = assembly.shapes.get(&full).copied();
        if found.is_none() && !assembly.geoms.contains_key(full.as_str()) {
            missing(assembly.context.notes, section, "geom", &full, assembly.shapes.keys());
        }
        found
    });
    let own = ["condim", "friction", "margin", "gap", "adhesion"];
    if own.iter().any(|name| element.has(name)) {
        let why = "surface properties of a single pair: those of the two geoms count";
        assembly.context.notes.once(element, why);
    }
    if let (Some(a), Some(b)) = (a, b) {
        assembly.builder.place(element.place()).pair(a, b);
    }
}

fn exclude(assembly: &mut Assembly<'_>, section: &Section) {
    let element = &section.element;
    let (a, b) = (assembly.body(section, "body1"), assembly.body(section, "body2"));
    let (Some(a), Some(b)) = (a, b) else { return };
    match [a, b].map(|body| assembly.carriers[body].0.clone()) {
        [Link::Body(a), Link::Body(b)] if a != b => {
            assembly.builder.place(element.place()).exclude(a, b);
        }
        [Link::Body(_), Link::Body(_)] | [Link::World, Link::World] => {}
        _ if assembly.is_static[a] && assembly.is_static[b] => {}
        _ => {
            let why = "a body and the world cannot be kept from touching, only two bodies";
            assembly.context.notes.ignore(element, why);
        }
    }
}
