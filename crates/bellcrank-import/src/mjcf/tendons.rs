//! `<tendon>`: fixed tendons are sums of coordinates; spatial ones are listed.

use super::assembly::Assembly;
use super::equality::Followers;
use super::references::{Lookup, missing};
use super::spec::Section;
use crate::xml::Element;
use bellcrank_model::Coupling;
use std::collections::BTreeMap;

/// Fixed tendons by name: the coordinates that they sum up.
#[derive(Debug, Default)]
pub(super) struct Tendons {
    fixed: BTreeMap<String, Vec<(String, f64)>>,
    spatial: Vec<String>,
}

/// What a fixed tendon is when joints that follow others are replaced by those.
#[derive(Debug, PartialEq)]
pub(super) enum Reduced {
    /// length = coefficient · coordinate + offset.
    One { joint: String, coefficient: f64, offset: f64 },
    /// It pulls on several independent coordinates.
    Several,
    /// A spatial tendon, which we do not have.
    Spatial,
}

impl Tendons {
    pub fn read(assembly: &Assembly<'_>) -> Self {
        let mut tendons = Tendons::default();
        for (i, section) in assembly.spec.sections.iter().filter(|s| s.kind == "tendon").enumerate() {
            let element = &section.element;
            let name = element.attribute("name").map_or(format!("tendon_{i}"), |n| section.scope.name(n));
            if element.tag == "spatial" {
                assembly.context.notes.ignore(element, "tendons that run through space are not simulated");
                tendons.spatial.push(name);
                continue;
            }
            let terms = terms(assembly, section);
            without_effect(assembly, element);
            tendons.fixed.insert(name, terms);
        }
        tendons
    }

    /// Names of the fixed ones.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.fixed.keys()
    }

    /// The tendon as one coordinate, if it is.
    pub fn reduced(&self, name: &str, followers: &Followers) -> Option<Reduced> {
        if self.spatial.iter().any(|known| known == name) {
            return Some(Reduced::Spatial);
        }
        let mut sum: BTreeMap<&str, f64> = BTreeMap::new();
        let mut offset = 0.0;
        for (joint, coefficient) in self.fixed.get(name)? {
            let (mut joint, mut coefficient) = (joint.as_str(), *coefficient);
            // a chain of followers is short; the bound only stops circles
            for _ in 0..16 {
                let Some((leader, slope, constant)) = followers.get(joint) else { break };
                offset += coefficient * constant;
                coefficient *= slope;
                joint = leader;
            }
            *sum.entry(joint).or_default() += coefficient;
        }
        sum.retain(|_, coefficient| *coefficient != 0.0);
        let mut left = sum.into_iter();
        match (left.next(), left.next()) {
            (Some((joint, coefficient)), None) => {
                Some(Reduced::One { joint: joint.to_owned(), coefficient, offset })
            }
            _ => Some(Reduced::Several),
        }
    }

    /// L₁ − L₁⁰ = c₀ + c₁ (L₂ − L₂⁰), with the lengths at the reference pose.
    pub fn equality(&self, assembly: &mut Assembly<'_>, section: &Section, name: String) {
        let element = &section.element;
        let c = element.numbers_between("polycoef", 0, 5).unwrap_or_default();
        let c = |i: usize, default: f64| c.get(i).copied().unwrap_or(default);
        let mut sides = vec![("tendon1", 1.0)];
        if element.has("tendon2") {
            sides.push(("tendon2", -c(1, 1.0)));
            if (2..5).any(|i| c(i, 0.0) != 0.0) {
                assembly.context.notes.ignore(element, "only the linear part of polycoef is held");
            }
        }
        let mut sum: BTreeMap<&str, f64> = BTreeMap::new();
        for (attribute, factor) in sides {
            let Some(tendon) = element.required(attribute).map(|n| section.scope.name(n)) else { return };
            if self.spatial.contains(&tendon) {
                return assembly
                    .context
                    .notes
                    .ignore(element, "tendons that run through space are not simulated");
            }
            let Some(terms) = self.fixed.get(&tendon) else {
                return missing(assembly.context.notes, section, "tendon", &tendon, self.fixed.keys());
            };
            for (joint, coefficient) in terms {
                *sum.entry(joint).or_default() += factor * coefficient;
            }
        }
        let mut constant = c(0, 0.0);
        let mut coupling = Coupling::new(name).place(element.place());
        for (joint, coefficient) in sum.into_iter().filter(|(_, coefficient)| *coefficient != 0.0) {
            let Some(at) = assembly.coordinates.get(joint) else { continue };
            constant += coefficient * at.reference;
            coupling = coupling.term_of(at.joint, at.dof, coefficient * at.sign);
        }
        assembly.builder.coupling(coupling.constant(constant));
    }
}

fn terms(assembly: &Assembly<'_>, section: &Section) -> Vec<(String, f64)> {
    let mut terms = Vec::new();
    for child in section.element.children_named("joint") {
        let inner = Section {
            kind: "tendon",
            element: child.clone(),
            defaults: Default::default(),
            scope: section.scope.clone(),
        };
        let found = assembly.scalar_joint(&inner, "joint");
        if let (Some((joint, _)), Some(coefficient)) = (found, child.required_number("coef")) {
            terms.push((joint, coefficient));
        }
    }
    terms
}

/// A fixed tendon only couples actuators and equalities here; what else it does is listed.
fn without_effect(assembly: &Assembly<'_>, element: &Element) {
    let positive = |name: &str| element.numbers(name).is_some_and(|v| v.iter().any(|x| *x != 0.0));
    let limited = element.attribute("limited") == Some("true")
        || (element.has("range") && element.attribute("limited") != Some("false"));
    for (name, there) in [
        ("limits", limited),
        ("stiffness", positive("stiffness")),
        ("damping", positive("damping")),
        ("friction", positive("frictionloss")),
        ("armature", positive("armature")),
    ] {
        if there {
            assembly.context.notes.ignore(element, format!("the {name} of a tendon is not simulated"));
        }
    }
}
