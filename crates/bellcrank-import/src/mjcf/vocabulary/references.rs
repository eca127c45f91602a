//! From names in the file to what they mean.

use super::notes::Notes;
use crate::ImportFaultKind;
use crate::mjcf::assemble::assembly::{Assembly, Coordinate};
use crate::mjcf::bodies::joints::JointType;
use crate::mjcf::bodies::spec::Section;
use bellcrank_math::Pose;
use bellcrank_model::nearest;

/// So many names are looked through for the nearest.
const COMPARED: usize = 1_000;

/// Finding bodies, joints and sites by an attribute. What is not found is a fault, unless only part of a model was
/// attached and the name may belong to the rest.
pub(in crate::mjcf) trait Lookup {
    /// Index of a body of the file.
    fn body(&self, section: &Section, attribute: &str) -> Option<usize>;
    /// A joint of the file by its full name.
    fn joint(&self, section: &Section, attribute: &str) -> Option<(String, Coordinate)>;
    /// The same, where only hinges and slides have a meaning.
    fn scalar_joint(&self, section: &Section, attribute: &str) -> Option<(String, Coordinate)>;
    /// A site's body and its pose there.
    fn site(&self, section: &Section, attribute: &str) -> Option<(usize, Pose)>;
}

impl Lookup for Assembly<'_> {
    fn body(&self, section: &Section, attribute: &str) -> Option<usize> {
        let name = section.element.required(attribute)?;
        if name == "world" {
            return Some(0);
        }
        let full = section.scope.name(name);
        let found = self.bodies.get(full.as_str()).copied();
        if found.is_none() {
            missing(
                self.context.notes,
                section,
                "body",
                &full,
                self.spec.bodies.iter().map(|body| &body.name),
            );
        }
        found
    }

    fn joint(&self, section: &Section, attribute: &str) -> Option<(String, Coordinate)> {
        let full = section.scope.name(section.element.required(attribute)?);
        let found = self.coordinates.get(&full).copied();
        if found.is_none() {
            missing(self.context.notes, section, "joint", &full, self.coordinates.keys());
        }
        found.map(|coordinate| (full, coordinate))
    }

    fn scalar_joint(&self, section: &Section, attribute: &str) -> Option<(String, Coordinate)> {
        let (name, coordinate) = self.joint(section, attribute)?;
        if matches!(coordinate.kind, JointType::Hinge | JointType::Slide) {
            return Some((name, coordinate));
        }
        section.element.fault_said(
            format!("{attribute}={name:?} is a ball or free joint, which has no single coordinate"),
            "name a hinge or a slide",
        );
        None
    }

    fn site(&self, section: &Section, attribute: &str) -> Option<(usize, Pose)> {
        let full = section.scope.name(section.element.required(attribute)?);
        let found = self.sites.get(&full).map(|&(_, b, i)| (b, self.spec.bodies[b].sites[i].X_LS));
        if found.is_none() {
            missing(self.context.notes, section, "site", &full, self.sites.keys());
        }
        found
    }
}

/// Says that there is nothing of that name.
pub(in crate::mjcf) fn missing<'a>(
    notes: &Notes,
    section: &Section,
    noun: &'static str,
    name: &str,
    known: impl Iterator<Item = &'a String>,
) {
    if !section.scope.partial {
        let nearest = if notes.may_suggest() { nearest(name, known.take(COMPARED)) } else { None };
        let name = name.to_owned();
        section.element.fault(ImportFaultKind::UnknownName { noun, name, nearest });
    }
}
