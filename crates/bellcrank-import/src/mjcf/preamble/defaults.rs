//! `<default>`: what elements say when they say nothing themselves.
//!
//! Classes are nested; a class starts as a copy of the one around it. An element belongs to the class it names,
//! else to the nearest `childclass` around it, else to the outermost class. Attributes of several numbers are
//! overwritten from the front, so `friction="0.7"` keeps the class's second and third coefficient.

use crate::ImportFaultKind;
use crate::mjcf::bodies::placement::ROTATIONS;
use crate::mjcf::vocabulary::known::{self, ACTUATORS, LOOKS};
use crate::mjcf::vocabulary::notes::Notes;
use crate::xml::{Attribute, Element};
use bellcrank_model::nearest;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Attributes that an element may overwrite in part.
const OVERWRITTEN_IN_PART: &[&str] =
    &["size", "friction", "gear", "gainprm", "biasprm", "dynprm", "polycoef"];

/// More classes than this no robot has.
const CLASSES: usize = 4_000;
/// More defaults of actuators than this, one inside the other, neither.
const ACTUATOR_DEFAULTS: usize = 200;

/// What one class says, by tag.
#[derive(Clone, Debug, Default)]
pub(in crate::mjcf) struct Class {
    attributes: BTreeMap<String, Rc<Vec<Attribute>>>,
    /// Actuators share one set of defaults, whatever their kind: they are applied one after the other.
    pub actuators: Rc<Vec<Element>>,
}

/// All classes of a file by name; the outermost is "main" whatever it is called.
#[derive(Clone, Debug, Default)]
pub(in crate::mjcf) struct Classes {
    main: Class,
    named: BTreeMap<String, Class>,
}

impl Classes {
    pub fn read(root: &Element, notes: &Notes) -> Self {
        let mut classes = Classes::default();
        for element in root.children_named("default") {
            let mut main = std::mem::take(&mut classes.main);
            main.add(element, notes);
            classes.main = main.clone();
            if let Some(name) = element.attribute("class") {
                classes.named.insert(name.to_owned(), main.clone());
            }
            classes.nested(element, &main, notes);
        }
        classes
    }

    fn nested(&mut self, element: &Element, around: &Class, notes: &Notes) {
        for inner in element.children_named("default") {
            let Some(name) = inner.required("class") else { continue };
            if self.named.len() >= CLASSES {
                let (found, limit) = (CLASSES as u64 + 1, CLASSES as u64);
                let what = "the number of default classes".to_owned();
                return inner.fault(ImportFaultKind::TooLarge { what, found, limit });
            }
            let mut class = self.named.get(name).unwrap_or(around).clone();
            class.add(inner, notes);
            self.named.insert(name.to_owned(), class.clone());
            self.nested(inner, &class, notes);
        }
    }

    /// The class that an element belongs to.
    pub fn class(&self, element: &Element, childclass: Option<&str>) -> &Class {
        match element.attribute("class").or(childclass) {
            None | Some("main") => &self.main,
            Some(name) => self.named.get(name).unwrap_or_else(|| {
                let nearest = nearest(name, self.named.keys());
                let name = name.to_owned();
                element.fault(ImportFaultKind::UnknownName { noun: "default class", name, nearest });
                &self.main
            }),
        }
    }

    /// What an element's class says, without looking further.
    pub fn said(&self, element: &Element, childclass: Option<&str>, name: &str) -> Option<&str> {
        let own = element.attributes.iter().find(|a| a.name == "class").map(|a| a.value.as_str());
        let class = match own.or(childclass) {
            None | Some("main") => &self.main,
            Some(class) => self.named.get(class)?,
        };
        class.attributes.get(&element.tag)?.iter().find(|a| a.name == name).map(|a| a.value.as_str())
    }

    /// The element with what its class adds.
    pub fn merged(&self, element: &Element, childclass: Option<&str>, notes: &Notes) -> Element {
        let mut merged = element.clone();
        let tag = tag_of_defaults(element);
        if let Some(defaults) = self.class(element, childclass).attributes.get(tag) {
            missing(&mut merged.attributes, defaults).into_iter().for_each(|default| merged.borrow(default));
        }
        known::mark(&merged, notes);
        merged
    }
}

/// Tendons of both kinds, and equalities of all kinds, have one entry in a class.
fn tag_of_defaults(element: &Element) -> &str {
    match element.tag.as_str() {
        "spatial" | "fixed" => "tendon",
        "connect" | "weld" => "equality",
        "joint" if element.has("joint1") => "equality",
        "tendon" if element.has("tendon1") => "equality",
        tag => tag,
    }
}

impl Class {
    fn add(&mut self, element: &Element, notes: &Notes) {
        for child in element.children.iter().filter(|child| child.tag != "default") {
            child.see();
            child.lend();
            child.children.iter().for_each(|layer| layer.ignore(LOOKS));
            if ["light", "texture"].contains(&child.tag.as_str()) {
                child.see_all();
                notes.once(child, LOOKS);
            } else if ACTUATORS.contains(&child.tag.as_str()) {
                if self.actuators.len() >= ACTUATOR_DEFAULTS {
                    let (found, limit) = (self.actuators.len() as u64 + 1, ACTUATOR_DEFAULTS as u64);
                    let what = "the number of actuator defaults".to_owned();
                    child.fault(ImportFaultKind::TooLarge { what, found, limit });
                    return;
                }
                Rc::make_mut(&mut self.actuators).push(child.clone());
            } else {
                let mut attributes = child.attributes.clone();
                let slot = self.attributes.entry(child.tag.clone()).or_default();
                let outer: Vec<Attribute> = missing(&mut attributes, slot).into_iter().cloned().collect();
                attributes.extend(outer);
                *slot = Rc::new(attributes);
            }
        }
    }
}

/// Completes numbers that are said in part; gives what is not said at all.
fn missing<'d>(attributes: &mut [Attribute], defaults: &'d [Attribute]) -> Vec<&'d Attribute> {
    let mut missing = Vec::new();
    let turned = attributes.iter().any(|a| ROTATIONS.contains(&a.name.as_str()));
    for default in defaults {
        match attributes.iter_mut().find(|a| a.name == default.name) {
            Some(own) if OVERWRITTEN_IN_PART.contains(&own.name.as_str()) => {
                let said = own.value.split_ascii_whitespace().count();
                for number in default.value.split_ascii_whitespace().skip(said) {
                    own.value.push(' ');
                    own.value.push_str(number);
                }
            }
            Some(_) => {}
            // a rotation said in one way overrides one said in another
            None if turned && ROTATIONS.contains(&default.name.as_str()) => {}
            None => missing.push(default),
        }
    }
    missing
}
