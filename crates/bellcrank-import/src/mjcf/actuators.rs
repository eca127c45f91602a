//! `<actuator>`: what drives which coordinate, and by which law.

use super::assembly::Assembly;
use super::drive::{Drive, Dynamics, Law};
use super::effective_inertia::effective_inertia;
use super::equality::Followers;
use super::joints::{JointType, range, symmetric};
use super::references::{Lookup, missing};
use super::spec::Section;
use super::tendons::{Reduced, Tendons};
use bellcrank_model::{Actuator, ActuatorId, Control, Ref};
use std::cell::LazyCell;

/// The coordinate that an actuator drives: length = gear · coordinate + offset.
struct Transmission {
    joint: String,
    gear: f64,
    offset: f64,
}

/// Adds all actuators; those without counterpart are `None`, so that controls keep their numbers.
pub(super) fn add(
    assembly: &mut Assembly<'_>,
    tendons: &Tendons,
    followers: &Followers,
) -> Vec<Option<ActuatorId>> {
    let spec = assembly.spec;
    let inertias = LazyCell::new(|| effective_inertia(spec));
    let sections = spec.sections.iter().filter(|s| s.kind == "actuator");
    sections
        .enumerate()
        .map(|(i, section)| {
            let drive = Drive::read(section);
            let found = transmission(assembly, section, &drive, tendons, followers)?;
            let actuator = actuator(assembly, section, drive, &found, &|b, j| inertias[b][j])?;
            let name = section.element.attribute("name").map(|n| section.scope.name(n));
            let name = name.unwrap_or_else(|| format!("actuator_{i}"));
            Some(assembly.builder.actuator(Actuator { name, ..actuator }))
        })
        .collect()
}

fn transmission(
    assembly: &Assembly<'_>,
    section: &Section,
    drive: &Drive,
    tendons: &Tendons,
    followers: &Followers,
) -> Option<Transmission> {
    let element = &section.element;
    if let Some(attribute) = ["joint", "jointinparent"].into_iter().find(|name| element.has(name)) {
        let (joint, coordinate) = assembly.joint(section, attribute)?;
        if matches!(coordinate.kind, JointType::Hinge | JointType::Slide) {
            return Some(Transmission { joint, gear: drive.gear, offset: 0.0 });
        }
        let why = "an actuator on a ball or free joint is left out: ours drive one coordinate";
        assembly.context.notes.ignore(element, why);
        return None;
    }
    let Some(tendon) = element.attribute("tendon").map(|name| section.scope.name(name)) else {
        without_joint(assembly, section);
        return None;
    };
    match tendons.reduced(&tendon, followers) {
        Some(Reduced::One { joint, coefficient, offset }) => {
            return Some(Transmission { joint, gear: drive.gear * coefficient, offset: drive.gear * offset });
        }
        Some(Reduced::Several) => {
            let why = "an actuator on several coordinates at once (a tendon) is left out";
            assembly.context.notes.ignore(element, why);
        }
        Some(Reduced::Spatial) => {
            let why = "an actuator on a tendon that runs through space is left out";
            assembly.context.notes.ignore(element, why);
        }
        None => missing(assembly.context.notes, section, "tendon", &tendon, tendons.names()),
    }
    None
}

/// What an actuator drives that is neither a joint nor a tendon has no counterpart.
fn without_joint(assembly: &Assembly<'_>, section: &Section) {
    let element = &section.element;
    let why = if element.has("site") {
        "an actuator that pushes at a site is left out: ours drive joints"
    } else if element.has("body") {
        "an actuator that makes a body sticky (adhesion) is left out"
    } else if element.has("slidersite") || element.has("cranksite") {
        "an actuator through a slider-crank is left out: build the crank from bodies and joints"
    } else {
        return element.fault_said("the actuator drives nothing", "add joint=\"...\"");
    };
    assembly.context.notes.ignore(element, why);
}

fn actuator(
    assembly: &Assembly<'_>,
    section: &Section,
    mut drive: Drive,
    by: &Transmission,
    inertias: &dyn Fn(usize, usize) -> f64,
) -> Option<Actuator> {
    let element = &section.element;
    let notes = assembly.context.notes;
    let at = *assembly.coordinates.get(&by.joint)?;
    let (b, j) = at.at;
    drive.settle_damping_ratio(|| inertias(b, j) / (by.gear * by.gear));
    let law = match drive.law() {
        Ok(law) => law,
        Err(why) => {
            notes.ignore(element, why);
            return None;
        }
    };
    if by.gear == 0.0 || !by.gear.is_finite() {
        notes.ignore(element, "the gear is zero: the actuator drives nothing");
        return None;
    }
    if drive.dynamics == Dynamics::Filter {
        notes.ignore(
            element,
            "the filter between control and effort is not simulated; the control acts at once",
        );
    }
    for name in drive.extras() {
        notes.ignore(element, format!("{name} of an actuator is not simulated"));
    }
    let mut actuator = Actuator::effort("", Ref::Id(at.joint)).dof(at.dof).gear(by.gear * at.sign);
    actuator.control = control(law, by.offset);
    actuator.place = Some(element.place());
    bound(assembly, section, &drive, at.at, &mut actuator);
    Some(actuator)
}

/// Ranges of effort and control, some of them taken from the joint.
fn bound(
    assembly: &Assembly<'_>,
    section: &Section,
    drive: &Drive,
    (b, j): (usize, usize),
    actuator: &mut Actuator,
) {
    let element = &section.element;
    let auto = section.scope.source.compiler.auto_limits;
    let settings = drive.merged(element);
    if let Some([low, high]) = range(&settings, "forcerange", "forcelimited", auto) {
        actuator.effort_limit = symmetric(low, high, "forcerange", element, assembly.context);
    }
    if let Some(range) = range(&settings, "ctrlrange", "ctrllimited", auto) {
        actuator.control_range = range;
    } else if drive.inherit_range > 0.0 {
        let [low, high] = assembly.spec.bodies[b].joints[j].dof.limits;
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low) * drive.inherit_range);
        if half.is_finite() {
            actuator.control_range = [middle - half, middle + half];
        }
    }
}

/// Our control for a law, in a length that is offset from the coordinate.
fn control(law: Law, offset: f64) -> Control {
    let Law { gain, bias } = law;
    let plain = offset == 0.0 || bias[1] == 0.0;
    if plain && gain > 0.0 && bias[0] == 0.0 && bias[1] == -gain && bias[2] <= 0.0 {
        return Control::Position { kp: gain, kd: -bias[2] };
    }
    if gain > 0.0 && bias == [0.0, 0.0, -gain] {
        return Control::Velocity { kd: gain };
    }
    if gain == 1.0 && bias == [0.0; 3] {
        return Control::Effort;
    }
    Control::Affine { gain, bias: [bias[0] + bias[1] * offset, bias[1], bias[2]] }
}
