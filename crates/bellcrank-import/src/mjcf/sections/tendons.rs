//! `<tendon>`: sums of coordinates, and ways through space.

use super::equality::Followers;
use super::spatial::{self, Spatial};
use crate::mjcf::assemble::assembly::{Assembly, Coordinate};
use crate::mjcf::bodies::joints::{effort_bounds, first, range};
use crate::mjcf::bodies::spec::Section;
use crate::mjcf::mass::effective_inertia::Weighted;
use crate::mjcf::vocabulary::references::{Lookup, missing};
use crate::xml::Element;
use bellcrank_model::{Coupling, Dof, DofSoftness, Spring, Tendon, TendonId};
use std::collections::BTreeMap;

/// Tendons by name: sums of coordinates, and ways through space.
#[derive(Debug, Default)]
pub(in crate::mjcf) struct Tendons {
    fixed: BTreeMap<String, Fixed>,
    spatial: BTreeMap<String, Through>,
}

/// A tendon that runs through space.
#[derive(Debug)]
struct Through {
    id: TendonId,
    limits: [f64; 2],
    /// How its length grows with hinges and slides at the reference pose.
    joints: Vec<(Coordinate, f64)>,
}

/// A fixed tendon.
#[derive(Debug)]
struct Fixed {
    /// Joints of the file, and their weights.
    terms: Vec<(String, f64)>,
    /// `None` where it sums up nothing.
    id: Option<TendonId>,
    /// Least and largest length.
    limits: [f64; 2],
}

/// What a fixed tendon is when joints that follow others are replaced by those.
#[derive(Debug, PartialEq)]
pub(in crate::mjcf) enum Reduced {
    /// length = coefficient · coordinate + offset.
    One { joint: String, coefficient: f64, offset: f64 },
    /// It pulls on several independent coordinates.
    Several,
    /// It runs through space.
    Spatial,
}

impl Tendons {
    /// Reads the section, and adds the fixed ones to the model.
    pub fn read(assembly: &mut Assembly<'_>) -> Self {
        let mut tendons = Tendons::default();
        let spec = assembly.spec;
        for (i, section) in spec.sections.iter().filter(|s| s.kind == "tendon").enumerate() {
            let element = &section.element;
            let name = element.attribute("name").map_or(format!("tendon_{i}"), |n| section.scope.name(n));
            if element.tag == "spatial" {
                if let Some(through) = through(assembly, section, &name) {
                    tendons.spatial.insert(name, through);
                }
                continue;
            }
            let terms = terms(assembly, section);
            let (id, limits) = add(assembly, section, &name, &terms).unzip();
            let limits = limits.unwrap_or(Dof::default().limits);
            tendons.fixed.insert(name, Fixed { terms, id, limits });
        }
        tendons
    }

    /// The tendon of the model.
    pub fn id(&self, name: &str) -> Option<TendonId> {
        match self.fixed.get(name) {
            Some(fixed) => fixed.id,
            None => self.spatial.get(name).map(|through| through.id),
        }
    }

    /// Joints of a fixed tendon, and their weights.
    pub fn terms(&self, name: &str) -> &[(String, f64)] {
        self.fixed.get(name).map_or(&[], |fixed| &fixed.terms)
    }

    /// How the length of one that runs through space grows with hinges and slides at the reference pose.
    pub fn joints(&self, name: &str) -> &[(Coordinate, f64)] {
        self.spatial.get(name).map_or(&[], |through| &through.joints)
    }

    /// Least and largest length.
    pub fn limits(&self, name: &str) -> [f64; 2] {
        let through = self.spatial.get(name).map_or(Dof::default().limits, |through| through.limits);
        self.fixed.get(name).map_or(through, |fixed| fixed.limits)
    }

    /// Whether the file has a tendon of that name.
    pub fn knows(&self, name: &str) -> bool {
        self.fixed.contains_key(name) || self.is_spatial(name)
    }

    /// Whether it is one that runs through space.
    pub fn is_spatial(&self, name: &str) -> bool {
        self.spatial.contains_key(name)
    }

    /// Names of all.
    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.fixed.keys().chain(self.spatial.keys())
    }

    /// The tendon as one coordinate, if it is.
    pub fn reduced(&self, name: &str, followers: &Followers) -> Option<Reduced> {
        if self.is_spatial(name) {
            return Some(Reduced::Spatial);
        }
        let mut sum: BTreeMap<&str, f64> = BTreeMap::new();
        let mut offset = 0.0;
        for (joint, coefficient) in &self.fixed.get(name)?.terms {
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
            if self.is_spatial(&tendon) {
                let why = "a relation between lengths of tendons that run through space is not held";
                return assembly.context.notes.ignore(element, why);
            }
            let Some(Fixed { terms, .. }) = self.fixed.get(&tendon) else {
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

/// The tendon of the model: its sum, and what bounds or resists it.
fn add(
    assembly: &mut Assembly<'_>,
    section: &Section,
    name: &str,
    terms: &[(String, f64)],
) -> Option<(TendonId, [f64; 2])> {
    let element = &section.element;
    let mut tendon = Tendon::new(name).place(element.place());
    let mut rest = 0.0;
    for (joint, coefficient) in terms.iter().filter(|(_, coefficient)| *coefficient != 0.0) {
        let Some(at) = assembly.coordinates.get(joint) else { continue };
        let (b, j) = at.at;
        rest += coefficient * assembly.spec.bodies[b].joints[j].spring_reference;
        tendon = tendon.term_of(at.joint, at.dof, coefficient * at.sign);
    }
    if tendon.terms.is_empty() {
        assembly.context.notes.ignore(element, "the tendon sums up nothing");
        return None;
    }
    resistances(assembly, section, rest, &mut tendon);
    let weighted =
        terms.iter().filter_map(|(joint, weight)| Some((*assembly.coordinates.get(joint)?, *weight)));
    tendon.softness = softness(assembly, element, weighted);
    let limits = tendon.dof.limits;
    Some((assembly.builder.tendon(tendon), limits))
}

/// A tendon that runs through space.
fn through(assembly: &mut Assembly<'_>, section: &Section, name: &str) -> Option<Through> {
    let element = &section.element;
    let Spatial { path, rest, joints } = spatial::read(assembly, section)?;
    let mut tendon = Tendon::new(name).path(path).place(element.place());
    resistances(assembly, section, rest, &mut tendon);
    tendon.softness = softness(assembly, element, joints.iter().copied());
    let limits = tendon.dof.limits;
    Some(Through { id: assembly.builder.tendon(tendon), limits, joints })
}

/// How limits and friction give way, where that is asked for.
fn softness(
    assembly: &Assembly<'_>,
    element: &Element,
    joints: impl Iterator<Item = (Coordinate, f64)>,
) -> Option<DofSoftness> {
    let terms: Vec<Weighted> = joints.map(|(at, weight)| (at.at.0, at.at.1, weight)).collect();
    if terms.is_empty() { None } else { assembly.mobilities.of_sum(element, &terms) }
}

/// What bounds or resists the length; `rest` is the length at which the springs of all joints are slack.
fn resistances(assembly: &Assembly<'_>, section: &Section, rest: f64, tendon: &mut Tendon) {
    let (element, context) = (&section.element, assembly.context);
    let auto = section.scope.source.compiler.auto_limits;
    let mut dof = Dof {
        armature: element.number("armature").unwrap_or(0.0),
        damping: first(element, "damping", context),
        friction: element.number("frictionloss").unwrap_or(0.0),
        ..Dof::default()
    };
    if let Some(limits) = range(element, "range", "limited", auto) {
        dof.limits = limits;
    }
    if let Some(range) = range(element, "actuatorfrcrange", "actuatorfrclimited", auto) {
        (dof.effort_limit, dof.effort_range) = effort_bounds(range);
    }
    let stiffness = first(element, "stiffness", context);
    if stiffness > 0.0 {
        let lengths = element.numbers_between("springlength", 1, 2).unwrap_or_else(|| vec![-1.0]);
        match (lengths[0], lengths[lengths.len() - 1]) {
            // the format's word for "as the joints' own springs"
            (-1.0, -1.0) => dof.spring = Some(Spring { stiffness, rest }),
            (low, high) => {
                dof.spring = Some(Spring { stiffness, rest: low });
                tendon.slack = (high - low).max(0.0);
            }
        }
    }
    if element.number("margin").is_some_and(|m| m != 0.0) {
        context.notes.once(element, "a margin of joint limits: ours act exactly at the bound");
    }
    tendon.dof = dof;
}
