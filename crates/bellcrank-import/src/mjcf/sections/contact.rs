//! `<contact>`: pairs that touch whatever their groups say, and bodies that never do.

use crate::Compliance;
use crate::mjcf::assemble::assembly::Assembly;
use crate::mjcf::bodies::geoms::dimensions;
use crate::mjcf::bodies::softness;
use crate::mjcf::bodies::spec::{GeomSpec, Section, Spec, Surface};
use crate::mjcf::vocabulary::references::{Lookup, missing};
use crate::xml::Element;
use bellcrank_model::{Link, Material, PairSurface, Softness};
use std::cmp::Ordering;
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
    element.ignore_attribute("adhesion", "adhesion is not simulated");
    let [a, b] = ["geom1", "geom2"].map(|name| {
        let full = section.scope.name(element.required(name)?);
        let found = assembly.geoms.get(full.as_str()).map(|&(b, i)| &assembly.spec.bodies[b].geoms[i]);
        if found.is_none() {
            missing(assembly.context.notes, section, "geom", &full, assembly.shapes.keys());
        }
        Some((found?, assembly.shapes.get(&full).copied()))
    });
    let (Some((first, a)), Some((second, b))) = (a, b) else { return };
    let surface = PairSurface {
        material: material(assembly, section, [first, second]),
        margin: element.number("margin"),
        gap: element.number("gap").map(|gap| gap.max(0.0)),
        softness: softness(assembly, element),
    };
    if let (Some(a), Some(b)) = (a, b) {
        assembly.builder.place(element.place()).pair_with(a, b, surface);
    }
}

/// What the pair says of its own softness.
fn softness(assembly: &Assembly<'_>, element: &Element) -> Option<Softness> {
    if element.has("solreffriction") {
        assembly
            .context
            .notes
            .once(element, "solreffriction of a pair: its friction is as soft as its normal");
    }
    let said = element.has("solref") || element.has("solimp");
    (said && assembly.context.options.compliance == Compliance::Mujoco)
        .then(|| softness::law(element, ["solref", "solimp"]))
}

/// What the pair says of itself; the rest is that of the geom with the higher priority, or the larger of both.
fn material(assembly: &Assembly<'_>, section: &Section, geoms: [&GeomSpec; 2]) -> Option<Material> {
    let element = &section.element;
    let (said, dimensions) = (element.numbers_between("friction", 0, 5), dimensions(element));
    if said.is_none() && dimensions.is_none() {
        return None;
    }
    let [a, b] = geoms.map(|geom| (geom.priority, geom.surface));
    let usual = match a.0.cmp(&b.0) {
        Ordering::Greater => a.1,
        Ordering::Less => b.1,
        Ordering::Equal => Surface {
            friction: [0, 1, 2].map(|i| a.1.friction[i].max(b.1.friction[i])),
            dimensions: a.1.dimensions.max(b.1.dimensions),
        },
    };
    let mut friction = usual.friction;
    let said = said.unwrap_or_default();
    for (slot, i) in friction.iter_mut().zip([0, 2, 3]) {
        *slot = said.get(i).copied().unwrap_or(*slot);
    }
    let uneven = |i: usize| said.get(i + 1).is_some_and(|second| *second != said[i]);
    if uneven(0) || uneven(3) {
        let why = "friction that differs by direction: the first of each two coefficients counts";
        assembly.context.notes.once(element, why);
    }
    Some(Surface { friction, dimensions: dimensions.unwrap_or(usual.dimensions) }.material())
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
