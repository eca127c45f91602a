//! `<sensor>`: those that measure what ours do; the others are listed.

use super::tendons::Tendons;
use crate::mjcf::assemble::assembly::Assembly;
use crate::mjcf::assemble::names::Taken;
use crate::mjcf::bodies::spec::Section;
use crate::mjcf::vocabulary::references::{Lookup, missing};
use bellcrank_model::{ActuatorId, Frame, Link, Ref, Sensor, SensorKind, Site, SiteId};
use std::collections::BTreeMap;

/// Sensors that give a pose, of which ours gives all seven numbers.
const POSE: &[&str] = &["framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis"];
/// Sensors that give a velocity in world axes.
const VELOCITY: &[&str] = &["framelinvel", "frameangvel"];
/// Sensors that give an acceleration in world axes.
const ACCELERATION: &[&str] = &["framelinacc", "frameangacc"];
/// Sensors of a joint's coordinate or velocity.
const JOINT: &[&str] = &["jointpos", "jointvel", "ballquat", "ballangvel"];
/// Sensors of all that a body carries.
const SUBTREE: &[&str] = &["subtreecom", "subtreelinvel", "subtreeangmom"];

/// Adds the section.
pub(in crate::mjcf) fn add(assembly: &mut Assembly<'_>, actuators: &[Option<ActuatorId>], tendons: &Tendons) {
    let spec = assembly.spec;
    let mut taken = Taken::default();
    let actuators = &by_name(assembly, actuators);
    for (i, section) in spec.sections.iter().filter(|s| s.kind == "sensor").enumerate() {
        let element = &section.element;
        let kind = kind(assembly, section, actuators, tendons);
        if let Some(kind) = kind {
            let name = element.attribute("name").map_or(format!("sensor_{i}"), |n| section.scope.name(n));
            let name = taken.free(name);
            assembly.builder.sensor(Sensor::new(name, kind).place(element.place()));
            if element.number("cutoff").is_some_and(|x| x != 0.0) {
                assembly.context.notes.once(element, "cutoff: values of sensors are not cut off");
            }
        }
    }
}

/// Actuators of the file by name; `None` for those that the model does not have.
type Actuators = BTreeMap<String, Option<ActuatorId>>;

fn by_name(assembly: &Assembly<'_>, actuators: &[Option<ActuatorId>]) -> Actuators {
    let sections = assembly.spec.sections.iter().filter(|s| s.kind == "actuator");
    let named = sections.zip(actuators).filter_map(|(section, id)| {
        let name = section.scope.name(section.element.attribute("name")?);
        Some((name, *id))
    });
    named.collect()
}

fn kind(
    assembly: &mut Assembly<'_>,
    section: &Section,
    actuators: &Actuators,
    tendons: &Tendons,
) -> Option<SensorKind> {
    let element = &section.element;
    let at_site = |assembly: &Assembly<'_>| site(assembly, section, "site").map(Ref::Id);
    match element.tag.as_str() {
        "accelerometer" | "gyro" => Some(SensorKind::Imu { site: at_site(assembly)? }),
        "velocimeter" => Some(SensorKind::SiteVelocity(at_site(assembly)?)),
        "force" | "torque" => Some(SensorKind::ForceTorque(at_site(assembly)?)),
        "rangefinder" if element.has("site") => Some(SensorKind::Range(at_site(assembly)?)),
        "touch" => touch(assembly, section),
        tag if JOINT.contains(&tag) => {
            let (_, coordinate) = assembly.joint(section, "joint")?;
            Some(SensorKind::JointState(Ref::Id(coordinate.joint)))
        }
        "jointactuatorfrc" => {
            let (_, coordinate) = assembly.joint(section, "joint")?;
            Some(SensorKind::JointEffort(Ref::Id(coordinate.joint)))
        }
        "actuatorpos" | "actuatorvel" | "actuatorfrc" => of_actuator(assembly, section, actuators),
        "tendonpos" | "tendonvel" => of_tendon(assembly, section, tendons),
        tag if POSE.contains(&tag) => pose(assembly, section),
        tag if VELOCITY.contains(&tag) => absolute(assembly, section).map(SensorKind::FrameVelocity),
        tag if ACCELERATION.contains(&tag) => absolute(assembly, section).map(SensorKind::FrameAcceleration),
        tag if SUBTREE.contains(&tag) => subtree(assembly, section),
        "e_potential" | "e_kinetic" => Some(SensorKind::Energy),
        "clock" => Some(SensorKind::Clock),
        tag => {
            assembly.context.notes.ignore(element, format!("there is no {tag} sensor here"));
            None
        }
    }
}

fn touch(assembly: &Assembly<'_>, section: &Section) -> Option<SensorKind> {
    let element = &section.element;
    let id = site(assembly, section, "site")?;
    let full = section.scope.name(element.required("site")?);
    let &(_, b, i) = assembly.sites.get(&full)?;
    let zone = &assembly.spec.bodies[b].sites[i];
    if !zone.is_ball {
        let why = "touch: the sensitive zone is a ball of the site's first size";
        assembly.context.notes.once(element, why);
    }
    Some(SensorKind::Touch { site: Ref::Id(id), radius: zone.radius })
}

fn site(assembly: &Assembly<'_>, section: &Section, attribute: &str) -> Option<SiteId> {
    assembly.site(section, attribute)?;
    let full = section.scope.name(section.element.attribute(attribute)?);
    assembly.sites.get(&full).map(|(id, _, _)| *id)
}

fn of_actuator(assembly: &Assembly<'_>, section: &Section, actuators: &Actuators) -> Option<SensorKind> {
    let element = &section.element;
    let full = section.scope.name(element.required("actuator")?);
    match actuators.get(&full) {
        Some(Some(id)) => return Some(SensorKind::ActuatorState(Ref::Id(*id))),
        Some(None) => {
            assembly.context.notes.ignore(element, "the actuator that it measures is left out");
        }
        None => missing(assembly.context.notes, section, "actuator", &full, actuators.keys()),
    }
    None
}

fn of_tendon(assembly: &Assembly<'_>, section: &Section, tendons: &Tendons) -> Option<SensorKind> {
    let element = &section.element;
    let full = section.scope.name(element.required("tendon")?);
    let id = tendons.id(&full);
    if id.is_none() && tendons.knows(&full) {
        assembly.context.notes.ignore(element, "the tendon that it measures is left out");
    } else if id.is_none() {
        missing(assembly.context.notes, section, "tendon", &full, tendons.names());
    }
    id.map(|id| SensorKind::TendonState(Ref::Id(id)))
}

/// The body and what it carries. The world carries everything, which no sensor of ours measures.
fn subtree(assembly: &Assembly<'_>, section: &Section) -> Option<SensorKind> {
    let b = assembly.body(section, "body")?;
    match &assembly.carriers[b].0 {
        Link::Body(body) => Some(SensorKind::Subtree(body.clone())),
        Link::World => {
            let why = "sums over all bodies of the world are not measured";
            assembly.context.notes.ignore(&section.element, why);
            None
        }
    }
}

fn pose(assembly: &mut Assembly<'_>, section: &Section) -> Option<SensorKind> {
    let seen = frame(assembly, section, ["objtype", "objname"])?;
    if !section.element.has("refname") {
        return Some(SensorKind::FramePose(seen));
    }
    let from = frame(assembly, section, ["reftype", "refname"])?;
    Some(SensorKind::RelativePose { frame: seen, from })
}

/// A frame whose motion is told in the world.
fn absolute(assembly: &mut Assembly<'_>, section: &Section) -> Option<Frame> {
    if section.element.has("refname") || section.element.has("reftype") {
        let why = "measured relative to another frame; ours are relative to the world";
        assembly.context.notes.ignore(&section.element, why);
        return None;
    }
    frame(assembly, section, ["objtype", "objname"])
}

/// The frame of a body, a site or a geom, by the attributes that tell its type and name.
fn frame(assembly: &mut Assembly<'_>, section: &Section, [kind, name]: [&str; 2]) -> Option<Frame> {
    let element = &section.element;
    let kind = element.required(kind)?;
    match kind {
        "site" => site(assembly, section, name).map(|id| Frame::Site(Ref::Id(id))),
        "body" | "xbody" => {
            let b = assembly.body(section, name)?;
            let body = &assembly.spec.bodies[b];
            // "body" means the principal axes of inertia there
            let inertial = kind == "body";
            let X_LS = if inertial { body.X_LI } else { bellcrank_math::Pose::identity() };
            let suffix = if inertial { "inertial" } else { "frame" };
            Some(new_site(assembly, b, X_LS, format!("{}_{suffix}", body.name), section))
        }
        "geom" => {
            let full = section.scope.name(element.required(name)?);
            let Some(&(b, i)) = assembly.geoms.get(full.as_str()) else {
                missing(assembly.context.notes, section, "geom", &full, assembly.shapes.keys());
                return None;
            };
            let X_LG = assembly.spec.bodies[b].geoms[i].X_LG;
            Some(new_site(assembly, b, X_LG, format!("{full}_frame"), section))
        }
        _ => {
            assembly.context.notes.ignore(element, format!("frames of a {kind} are not measured"));
            None
        }
    }
}

fn new_site(
    assembly: &mut Assembly<'_>,
    b: usize,
    X_LS: bellcrank_math::Pose,
    name: String,
    by: &Section,
) -> Frame {
    let (link, X_CL) = assembly.carriers[b].clone();
    let name = assembly.site_names.free(name);
    let site = Site::new(name, link).at(X_CL * X_LS).place(by.element.place());
    Frame::Site(Ref::Id(assembly.builder.site(site)))
}
