//! `<sensor>`: those that measure what ours do; the others are listed.

use super::assembly::Assembly;
use super::names::Taken;
use super::references::{Lookup, missing};
use super::spec::Section;
use bellcrank_model::{ActuatorId, Frame, Ref, Sensor, SensorKind, Site, SiteId};
use std::collections::BTreeMap;

/// Sensors that give a pose, of which ours gives all seven numbers.
const POSE: &[&str] = &["framepos", "framequat", "framexaxis", "frameyaxis", "framezaxis"];
/// Sensors that give a velocity in world axes.
const VELOCITY: &[&str] = &["framelinvel", "frameangvel"];
/// Sensors of a joint's coordinate or velocity.
const JOINT: &[&str] = &["jointpos", "jointvel", "ballquat", "ballangvel"];

/// Adds the section.
pub(super) fn add(assembly: &mut Assembly<'_>, actuators: &[Option<ActuatorId>]) {
    let spec = assembly.spec;
    let mut taken = Taken::default();
    let actuators = &driven(assembly, actuators);
    for (i, section) in spec.sections.iter().filter(|s| s.kind == "sensor").enumerate() {
        let element = &section.element;
        let kind = kind(assembly, section, actuators);
        if let Some(kind) = kind {
            let name = element.attribute("name").map_or(format!("sensor_{i}"), |n| section.scope.name(n));
            let name = taken.free(name);
            assembly.builder.sensor(Sensor::new(name, kind).place(element.place()));
        }
    }
}

/// Actuators of the file by name: whether they are in the model, and the joint that they name.
type Driven = BTreeMap<String, (bool, Option<String>)>;

fn driven(assembly: &Assembly<'_>, actuators: &[Option<ActuatorId>]) -> Driven {
    let sections = assembly.spec.sections.iter().filter(|s| s.kind == "actuator");
    let named = sections.zip(actuators).filter_map(|(section, id)| {
        let element = &section.element;
        let name = section.scope.name(element.attribute("name")?);
        let joint = element.attribute("joint").or(element.attribute("jointinparent"));
        Some((name, (id.is_some(), joint.map(|joint| section.scope.name(joint)))))
    });
    named.collect()
}

fn kind(assembly: &mut Assembly<'_>, section: &Section, actuators: &Driven) -> Option<SensorKind> {
    let element = &section.element;
    match element.tag.as_str() {
        "accelerometer" | "gyro" => Some(SensorKind::Imu { site: Ref::Id(site(assembly, section, "site")?) }),
        "touch" => {
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
        tag if JOINT.contains(&tag) => {
            let (_, coordinate) = assembly.joint(section, "joint")?;
            Some(SensorKind::JointState(Ref::Id(coordinate.joint)))
        }
        "actuatorpos" | "actuatorvel" => of_actuator(assembly, section, actuators),
        tag if POSE.contains(&tag) => frame(assembly, section).map(SensorKind::FramePose),
        tag if VELOCITY.contains(&tag) => frame(assembly, section).map(SensorKind::FrameVelocity),
        tag => {
            assembly.context.notes.ignore(element, format!("there is no {tag} sensor here"));
            None
        }
    }
}

fn site(assembly: &Assembly<'_>, section: &Section, attribute: &str) -> Option<SiteId> {
    assembly.site(section, attribute)?;
    let full = section.scope.name(section.element.attribute(attribute)?);
    assembly.sites.get(&full).map(|(id, _, _)| *id)
}

/// The joint behind an actuator; its coordinate is the actuator's divided by the gear.
fn of_actuator(assembly: &Assembly<'_>, section: &Section, actuators: &Driven) -> Option<SensorKind> {
    let element = &section.element;
    let full = section.scope.name(element.required("actuator")?);
    let Some((driven, joint)) = actuators.get(&full) else {
        missing(assembly.context.notes, section, "actuator", &full, actuators.keys());
        return None;
    };
    match (driven, joint.as_ref().and_then(|joint| assembly.coordinates.get(joint))) {
        (true, Some(coordinate)) => Some(SensorKind::JointState(Ref::Id(coordinate.joint))),
        _ => {
            assembly
                .context
                .notes
                .ignore(element, "the actuator that it measures is left out or drives no joint");
            None
        }
    }
}

/// The frame of a body, a site or a geom.
fn frame(assembly: &mut Assembly<'_>, section: &Section) -> Option<Frame> {
    let element = &section.element;
    if element.has("refname") || element.has("reftype") {
        assembly
            .context
            .notes
            .ignore(element, "measured relative to another frame; ours are relative to the world");
        return None;
    }
    let kind = element.required("objtype")?;
    match kind {
        "site" => site(assembly, section, "objname").map(|id| Frame::Site(Ref::Id(id))),
        "body" | "xbody" => {
            let b = assembly.body(section, "objname")?;
            let body = &assembly.spec.bodies[b];
            // "body" means the principal axes of inertia there
            let inertial = kind == "body";
            let X_LS = if inertial { body.X_LI } else { bellcrank_math::Pose::identity() };
            let suffix = if inertial { "inertial" } else { "frame" };
            Some(new_site(assembly, b, X_LS, format!("{}_{suffix}", body.name), section))
        }
        "geom" => {
            let full = section.scope.name(element.required("objname")?);
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
