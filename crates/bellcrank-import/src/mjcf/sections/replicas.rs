//! Which elements of the sections there are: those that name a part of a `<replicate>` are there once for every copy, and
//! those that name a part of an attached model that is not here are not there.
//!
//! As in MuJoCo, an element that names `knee` where there are only `knee-0` and `knee-1` becomes two, which get the same
//! endings themselves; they come after all others of their section, copy by copy.

use crate::mjcf::bodies::spec::Spec;
use crate::mjcf::preamble::source::Scope;
use crate::xml::Element;
use std::collections::{HashMap, HashSet};

/// Attributes that name something, by what they name.
const NAMES: &[(&str, &[&str])] = &[
    ("joint", &["joint", "jointinparent", "joint1", "joint2"]),
    ("site", &["site", "site1", "site2", "refsite", "cranksite", "slidersite", "sidesite"]),
    ("body", &["body", "body1", "body2"]),
    ("geom", &["geom", "geom1", "geom2"]),
    ("tendon", &["tendon", "tendon1", "tendon2"]),
    ("actuator", &["actuator"]),
];

/// More elements than this are not made by copying.
const MOST: usize = 100_000;

/// All names of the tree, and those of the sections as they are read.
pub(in crate::mjcf) struct Replicas {
    known: HashMap<&'static str, HashSet<String>>,
    /// Endings of copies, in the order in which they were made.
    endings: Vec<String>,
    made: usize,
}

impl Replicas {
    pub fn of(spec: &Spec, endings: Vec<String>) -> Self {
        let mut known: HashMap<&'static str, HashSet<String>> = HashMap::new();
        let mut add = |noun, name: &String| known.entry(noun).or_default().insert(name.clone());
        for body in &spec.bodies {
            add("body", &body.name);
            body.joints.iter().for_each(|joint| _ = add("joint", &joint.name));
            body.geoms.iter().for_each(|geom| _ = add("geom", &geom.name));
            body.sites.iter().for_each(|site| _ = add("site", &site.name));
        }
        Replicas { known, endings, made: 0 }
    }

    /// Notes the name of a tendon or an actuator.
    pub fn note(&mut self, kind: &str, element: &Element, scope: &Scope) {
        let noun = match kind {
            "tendon" => "tendon",
            "actuator" => "actuator",
            _ => return,
        };
        if let Some(name) = said(element, "name") {
            self.known.entry(noun).or_default().insert(scope.name(name));
        }
    }

    /// Where the element is: itself, its copies, or nowhere.
    pub fn scopes(&mut self, element: &Element, scope: &Scope) -> Found {
        let mut named = Vec::new();
        references(element, &mut named);
        let is_here = |scope: &Scope| named.iter().all(|(noun, name)| self.has(noun, name, scope));
        if is_here(scope) {
            return Found::Here;
        }
        // an ending holds for every name that has it; the others are meant as they stand
        let mut copies = Vec::new();
        for ending in self.endings.iter().filter(|ending| ending.ends_with(&scope.suffix)) {
            let copy = Scope { suffix: ending.clone(), ..scope.clone() };
            let known =
                |(noun, name): &(&str, &str)| self.has(noun, name, &copy) || self.has(noun, name, scope);
            let touched = named.iter().any(|(noun, name)| self.has(noun, name, &copy));
            if touched && named.iter().all(known) {
                copies.push(copy);
            }
        }
        self.made += copies.len();
        match copies.is_empty() || self.made > MOST {
            true if scope.partial => Found::Nowhere,
            true => Found::Here, // what is missing is told where it is looked for
            false => Found::Copies(copies),
        }
    }

    fn has(&self, noun: &str, name: &str, scope: &Scope) -> bool {
        (noun == "body" && name == "world")
            || self.known.get(noun).is_some_and(|known| known.contains(&scope.name(name)))
    }
}

/// Where an element of a section is.
pub(in crate::mjcf) enum Found {
    Here,
    Copies(Vec<Scope>),
    Nowhere,
}

fn references<'e>(element: &'e Element, named: &mut Vec<(&'static str, &'e str)>) {
    for (noun, attributes) in NAMES {
        named.extend(attributes.iter().filter_map(|name| Some((*noun, said(element, name)?))));
    }
    for (kind, name) in [("objtype", "objname"), ("reftype", "refname")] {
        let noun = match said(element, kind) {
            Some("body" | "xbody") => "body",
            Some("geom") => "geom",
            Some("site") => "site",
            _ => continue,
        };
        named.extend(said(element, name).map(|name| (noun, name)));
    }
    element.children.iter().for_each(|child| references(child, named));
}

fn said<'e>(element: &'e Element, name: &str) -> Option<&'e str> {
    element
        .attributes
        .iter()
        .find(|a| a.name == name)
        .map(|a| a.value.as_str())
        .filter(|name| !name.is_empty())
}
