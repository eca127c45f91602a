//! `<link>`: what it weighs, and what is fixed to it.

use super::geometry::{LinkShape, Materials, Meshes, read_shapes};
use super::origin;
use crate::error::ImportFaultKind;
use crate::solid::Solid;
use crate::xml::Element;
use bellcrank_math::{Sym3, Vec3};
use bellcrank_model::Place;
use std::collections::HashMap;

/// One `<link>`.
pub(super) struct Link {
    pub name: String,
    /// In the link's frame; `None` without `<inertial>` or with mass zero.
    pub solid: Option<Solid>,
    pub shapes: Vec<LinkShape>,
    pub place: Place,
}

/// All links, in the order of the file.
pub(super) struct Links {
    pub all: Vec<Link>,
    by_name: HashMap<String, usize>,
}

impl Links {
    pub fn read(robot: &Element, materials: &Materials, meshes: &Meshes<'_>) -> Self {
        let mut links = Links { all: Vec::new(), by_name: HashMap::new() };
        for element in robot.children_named("link") {
            let Some(name) = element.required("name") else { continue };
            if let Some(first) = links.by_name.get(name) {
                let (name, first) = (name.to_owned(), links.all[*first].place.line);
                element.fault(ImportFaultKind::RepeatedName { noun: "link", name, first });
                continue;
            }
            element.attribute("type"); // an old hint for viewers, without a meaning
            let link = Link {
                name: name.to_owned(),
                solid: element.child("inertial").and_then(inertial),
                shapes: read_shapes(element, materials, meshes),
                place: element.place(),
            };
            links.by_name.insert(link.name.clone(), links.all.len());
            links.all.push(link);
        }
        links
    }

    pub fn get(&self, name: &str) -> Option<usize> {
        self.by_name.get(name).copied()
    }

    pub fn names(&self) -> impl Iterator<Item = &String> {
        self.all.iter().map(|link| &link.name)
    }
}

/// Mass, centre of mass and inertia, turned from the inertial frame into the link's.
///
/// A mass of zero counts as no inertial at all: exporters write that for frames.
fn inertial(element: &Element) -> Option<Solid> {
    let X_LI = origin(element.child("origin"));
    let mass = match element.child("mass") {
        Some(mass) => mass.required_number("value"),
        None => {
            element.fault(ImportFaultKind::MissingElement("mass".into()));
            None
        }
    };
    let about_com = element.child("inertia").map_or(Some(Sym3::zero()), moments);
    let (mass, about_com) = (mass?, about_com?);
    if mass < 0.0 {
        element.fault_said(format!("the mass is {mass} kg"), "give a mass of zero or above");
        return None;
    }
    let massless = mass == 0.0 && about_com == Sym3::zero();
    let solid = Solid { mass, com: Vec3::zero(), inertia: about_com };
    (!massless).then(|| solid.transformed(X_LI))
}

fn moments(element: &Element) -> Option<Sym3> {
    let read = |name: &str| element.required_number(name);
    // products of inertia are often left out where they are zero
    let product = |name: &str| if element.has(name) { element.number(name) } else { Some(0.0) };
    let (xx, yy, zz) = (read("ixx"), read("iyy"), read("izz"));
    let (xy, xz, yz) = (product("ixy"), product("ixz"), product("iyz"));
    Some(Sym3 { xx: xx?, xy: xy?, xz: xz?, yy: yy?, yz: yz?, zz: zz? })
}
