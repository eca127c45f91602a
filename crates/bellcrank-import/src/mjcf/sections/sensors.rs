//! `<sensor>`: each gives MuJoCo's own numbers, as many and in the same order.

use super::actuators::Added;
use super::tendons::Tendons;
use crate::mjcf::assemble::assembly::Assembly;
use crate::mjcf::assemble::names::Taken;
use crate::mjcf::bodies::spec::{Section, SiteSpec};
use crate::mjcf::vocabulary::references::{Lookup, missing};
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Frame, JointKind, Link, Part, Ref, Sensor, SensorKind, Show, Site, SiteId, Zone};
use std::collections::BTreeMap;

/// A measurement, and which part of it MuJoCo's sensor gives.
type Measured = Option<(SensorKind, Show)>;

/// Adds the section.
pub(in crate::mjcf) fn add(assembly: &mut Assembly<'_>, actuators: &[Option<Added>], tendons: &Tendons) {
    let spec = assembly.spec;
    let mut taken = Taken::default();
    let actuators = &by_name(assembly, actuators);
    for (i, section) in spec.sections.iter().filter(|s| s.kind == "sensor").enumerate() {
        let element = &section.element;
        let Some((kind, mut show)) = measured(assembly, section, actuators, tendons) else {
            element.see_all(); // why it is left out has been said
            continue;
        };
        cut_off(section, &mut show);
        let name = element.attribute("name").map_or(format!("sensor_{i}"), |n| section.scope.name(n));
        let sensor = Sensor::new(taken.free(name), kind).place(element.place());
        assembly.builder.sensor(Sensor { show, ..sensor });
    }
}

/// Directions and rotations are never cut; what is never negative is cut above only.
fn cut_off(section: &Section, show: &mut Show) {
    let tag = section.element.tag.as_str();
    let turns = ["framequat", "ballquat", "framexaxis", "frameyaxis", "framezaxis"].contains(&tag);
    if turns {
        return;
    }
    let Some(most) = section.element.number("cutoff").filter(|x| *x > 0.0) else { return };
    let positive = ["touch", "rangefinder"].contains(&tag);
    show.bounds = [if positive { f64::NEG_INFINITY } else { -most }, most];
}

/// Actuators of the file by name; `None` for those that the model does not have.
type Actuators = BTreeMap<String, Option<Added>>;

fn by_name(assembly: &Assembly<'_>, actuators: &[Option<Added>]) -> Actuators {
    let sections = assembly.spec.sections.iter().filter(|s| s.kind == "actuator");
    let named = sections.zip(actuators).filter_map(|(section, added)| {
        let name = section.scope.name(section.element.attribute("name")?);
        Some((name, *added))
    });
    named.collect()
}

fn numbers(first: usize, count: usize) -> Show {
    Show { part: Part::Numbers { first, count }, ..Show::default() }
}

fn measured(
    assembly: &mut Assembly<'_>,
    section: &Section,
    actuators: &Actuators,
    tendons: &Tendons,
) -> Measured {
    let element = &section.element;
    match element.tag.as_str() {
        "accelerometer" | "gyro" | "velocimeter" | "force" | "torque" | "magnetometer" | "touch" => {
            at_site(assembly, section)
        }
        "rangefinder" if element.has("site") => at_site(assembly, section),
        "jointpos" | "jointvel" | "jointactuatorfrc" | "ballquat" | "ballangvel" => {
            of_joint(assembly, section)
        }
        "actuatorpos" | "actuatorvel" | "actuatorfrc" => of_actuator(assembly, section, actuators),
        "tendonpos" | "tendonvel" | "tendonactuatorfrc" => of_tendon(assembly, section, actuators, tendons),
        "framepos" | "framequat" | "framexaxis" | "frameyaxis" | "framezaxis" => pose(assembly, section),
        "framelinvel" | "frameangvel" => velocity(assembly, section),
        "framelinacc" | "frameangacc" => {
            let first = if element.tag == "framelinacc" { 0 } else { 3 };
            let seen = frame(assembly, section, ["objtype", "objname"])?;
            // MuJoCo counts gravity as an acceleration upwards
            Some((SensorKind::FrameSpecificForce(seen), numbers(first, 3)))
        }
        "subtreecom" | "subtreelinvel" | "subtreeangmom" => subtree(assembly, section),
        "e_potential" => Some((SensorKind::Energy, numbers(0, 1))),
        "e_kinetic" => Some((SensorKind::Energy, numbers(1, 1))),
        "clock" => Some((SensorKind::Clock, Show::default())),
        tag => {
            assembly.context.notes.ignore(element, format!("there is no {tag} sensor here"));
            None
        }
    }
}

fn at_site(assembly: &Assembly<'_>, section: &Section) -> Measured {
    let site = Ref::Id(site(assembly, section, "site")?);
    Some(match section.element.tag.as_str() {
        "accelerometer" => (SensorKind::Imu { site }, numbers(0, 3)),
        "gyro" => (SensorKind::Imu { site }, numbers(3, 3)),
        "velocimeter" => (SensorKind::SiteVelocity(site), numbers(0, 3)),
        // what carries the body puts on it, the opposite of ours
        "force" => (SensorKind::ForceTorque(site), Show { scale: -1.0, ..numbers(0, 3) }),
        "torque" => (SensorKind::ForceTorque(site), Show { scale: -1.0, ..numbers(3, 3) }),
        "magnetometer" => (SensorKind::Magnetometer { site, field: assembly.magnetic }, Show::default()),
        "rangefinder" => (SensorKind::Range(site), Show::default()),
        _ => (SensorKind::Touch { site, zone: touched(assembly, section)? }, Show::default()),
    })
}

/// The zone of a touch sensor is its site's volume.
fn touched(assembly: &Assembly<'_>, section: &Section) -> Option<Zone> {
    let full = section.scope.name(section.element.required("site")?);
    let &(_, b, i) = assembly.sites.get(&full)?;
    let SiteSpec { zone, .. } = &assembly.spec.bodies[b].sites[i];
    Some(*zone)
}

fn site(assembly: &Assembly<'_>, section: &Section, attribute: &str) -> Option<SiteId> {
    assembly.site(section, attribute)?;
    let full = section.scope.name(section.element.attribute(attribute)?);
    assembly.sites.get(&full).map(|(id, _, _)| *id)
}

fn of_joint(assembly: &Assembly<'_>, section: &Section) -> Measured {
    let tag = section.element.tag.as_str();
    if matches!(tag, "ballquat" | "ballangvel") {
        let (_, at) = assembly.joint(section, "joint")?;
        if at.ours != JointKind::Spherical {
            section.element.fault_said("the joint is no ball joint", "use jointpos or jointvel");
            return None;
        }
        return Some(match tag {
            "ballquat" => (SensorKind::JointState(Ref::Id(at.joint)), numbers(0, 4)),
            _ => (SensorKind::BallRate(Ref::Id(at.joint)), Show::default()),
        });
    }
    let (_, at) = assembly.scalar_joint(section, "joint")?;
    let joint = Ref::Id(at.joint);
    let (kind, first) = match tag {
        "jointpos" => (SensorKind::JointState(joint), at.dof),
        "jointvel" => (SensorKind::JointState(joint), at.ours.coordinate_count() + at.dof),
        _ => (SensorKind::JointEffort(joint), at.dof),
    };
    Some((kind, Show { scale: at.sign, ..numbers(first, 1) }))
}

fn of_actuator(assembly: &Assembly<'_>, section: &Section, actuators: &Actuators) -> Measured {
    let element = &section.element;
    let full = section.scope.name(element.required("actuator")?);
    match actuators.get(&full) {
        Some(Some(added)) => {
            let (first, offset) = match element.tag.as_str() {
                "actuatorpos" => (0, added.offset),
                "actuatorvel" => (1, 0.0),
                _ => (2, 0.0),
            };
            let show = Show { offset, ..numbers(first, 1) };
            return Some((SensorKind::ActuatorState(Ref::Id(added.id)), show));
        }
        Some(None) => {
            assembly.context.notes.ignore(element, "the actuator that it measures is left out");
        }
        None => missing(assembly.context.notes, section, "actuator", &full, actuators.keys()),
    }
    None
}

fn of_tendon(
    assembly: &Assembly<'_>,
    section: &Section,
    actuators: &Actuators,
    tendons: &Tendons,
) -> Measured {
    let element = &section.element;
    let full = section.scope.name(element.required("tendon")?);
    let Some(id) = tendons.id(&full) else {
        if tendons.knows(&full) {
            assembly.context.notes.ignore(element, "the tendon that it measures is left out");
        } else {
            missing(assembly.context.notes, section, "tendon", &full, tendons.names());
        }
        return None;
    };
    match element.tag.as_str() {
        "tendonpos" => Some((SensorKind::TendonState(Ref::Id(id)), numbers(0, 1))),
        "tendonvel" => Some((SensorKind::TendonState(Ref::Id(id)), numbers(1, 1))),
        _ if actuators.values().flatten().any(|added| added.instead_of == Some(id)) => {
            let why = "the actuator of this tendon drives a joint here, so its effort on the tendon is not measured";
            assembly.context.notes.ignore(element, why);
            None
        }
        _ => Some((SensorKind::TendonEffort(Ref::Id(id)), Show::default())),
    }
}

/// The body and what it carries; everything for the world.
fn subtree(assembly: &Assembly<'_>, section: &Section) -> Measured {
    let b = assembly.body(section, "body")?;
    let first = match section.element.tag.as_str() {
        "subtreecom" => 0,
        "subtreelinvel" => 3,
        _ => 6,
    };
    if b != 0 && !assembly.is_own[b] {
        let why = "the body is part of the one that carries it, so what it carries is not measured by itself";
        assembly.context.notes.ignore(&section.element, why);
        return None;
    }
    let link = if b == 0 { Link::World } else { assembly.carriers[b].0.clone() };
    Some((SensorKind::Subtree(link), numbers(first, 3)))
}

fn pose(assembly: &mut Assembly<'_>, section: &Section) -> Measured {
    let seen = frame(assembly, section, ["objtype", "objname"])?;
    let show = match section.element.tag.as_str() {
        "framepos" => numbers(0, 3),
        "framequat" => numbers(3, 4),
        "framexaxis" => Show { part: Part::Axis(0), ..Show::default() },
        "frameyaxis" => Show { part: Part::Axis(1), ..Show::default() },
        _ => Show { part: Part::Axis(2), ..Show::default() },
    };
    if !section.element.has("refname") {
        return Some((SensorKind::FramePose(seen), show));
    }
    let from = frame(assembly, section, ["reftype", "refname"])?;
    Some((SensorKind::RelativePose { frame: seen, from }, show))
}

fn velocity(assembly: &mut Assembly<'_>, section: &Section) -> Measured {
    let seen = frame(assembly, section, ["objtype", "objname"])?;
    let show = numbers(if section.element.tag == "framelinvel" { 0 } else { 3 }, 3);
    if !section.element.has("refname") {
        return Some((SensorKind::FrameVelocity(seen), show));
    }
    let from = frame(assembly, section, ["reftype", "refname"])?;
    Some((SensorKind::RelativeVelocity { frame: seen, from }, show))
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
            let X_LS = if inertial { body.X_LI } else { Pose::identity() };
            let suffix = if inertial { "inertial" } else { "frame" };
            Some(new_site(assembly, b, X_LS, format!("{}_{suffix}", body.name), section))
        }
        "geom" => {
            let full = section.scope.name(element.required(name)?);
            let Some(&(b, i)) = assembly.geoms.get(full.as_str()) else {
                missing(assembly.context.notes, section, "geom", &full, assembly.shapes.keys());
                return None;
            };
            // MuJoCo moves the frame of a mesh to its principal axes
            let X_LG = assembly.spec.bodies[b].geoms[i].X_LI;
            Some(new_site(assembly, b, X_LG, format!("{full}_frame"), section))
        }
        _ => {
            assembly.context.notes.ignore(element, format!("frames of a {kind} are not measured"));
            None
        }
    }
}

fn new_site(assembly: &mut Assembly<'_>, b: usize, X_LS: Pose, name: String, by: &Section) -> Frame {
    let (link, X_CL) = assembly.carriers[b].clone();
    let X = X_CL * X_LS;
    // the same frame may be measured by several sensors
    if let Some(known) = assembly.measured.get(&name) {
        return Frame::Site(Ref::Id(*known));
    }
    let free = assembly.site_names.free(name.clone());
    let id = assembly.builder.site(Site::new(free, link).at(X).place(by.element.place()));
    assembly.measured.insert(name, id);
    Frame::Site(Ref::Id(id))
}

/// MuJoCo's own field where the file says none.
pub(in crate::mjcf) const MAGNETIC: Vec3 = Vec3 { x: 0.0, y: -0.5, z: 0.0 };
