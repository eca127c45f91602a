//! `<actuator>`: what drives which coordinate, and by which law.

use super::drive::{Drive, Dynamics, Law};
use super::equality::Followers;
use super::muscle::muscle;
use super::tendons::{Reduced, Tendons};
use crate::mjcf::assemble::assembly::{Assembly, Coordinate};
use crate::mjcf::bodies::joints::{JointType, effort_bounds, range};
use crate::mjcf::bodies::spec::Section;
use crate::mjcf::mass::effective_inertia::{EffectiveInertia, Weighted};
use crate::mjcf::vocabulary::references::{Lookup, missing};
use bellcrank_model::{
    Activation, ActivationLaw, Actuator, ActuatorId, Control, DcMotor, Ref, Target, TendonId,
};
use std::cell::LazyCell;

/// What an actuator moves: length = gear · coordinate + offset.
pub(super) struct Transmission {
    pub target: Target,
    pub gear: f64,
    pub offset: f64,
    /// Joints of the file that it moves, with the weight of each.
    pub joints: Vec<(Coordinate, f64)>,
    /// Range of the joint or tendon that it names, which its control may inherit.
    pub limits: [f64; 2],
    /// The tendon that the file names, where a joint stands for it.
    instead_of: Option<TendonId>,
}

/// An actuator of the model.
#[derive(Clone, Copy, Debug)]
pub(in crate::mjcf) struct Added {
    pub id: ActuatorId,
    /// The file's length of it minus ours [rad or m].
    pub offset: f64,
    /// The tendon that the file has it on, where it drives a joint here.
    pub instead_of: Option<TendonId>,
}

/// Adds all actuators; those without counterpart are `None`, so that controls keep their numbers.
pub(in crate::mjcf) fn add(
    assembly: &mut Assembly<'_>,
    tendons: &Tendons,
    followers: &Followers,
) -> Vec<Option<Added>> {
    let spec = assembly.spec;
    let inertias = LazyCell::new(|| EffectiveInertia::of(spec));
    let sections = spec.sections.iter().filter(|s| s.kind == "actuator");
    sections
        .enumerate()
        .map(|(i, section)| {
            let drive = Drive::read(section);
            let rotor = drive.rotor();
            let found = transmission(assembly, section, &drive, tendons, followers);
            let actuator = found.and_then(|found| {
                let (offset, instead_of) = (found.offset, found.instead_of);
                let actuator = actuator(assembly, section, drive, found, &inertias);
                Some((actuator?, offset, instead_of))
            });
            let Some((actuator, offset, instead_of)) = actuator else {
                section.element.see_all(); // why it is left out has been said
                return None;
            };
            let name = section.element.attribute("name").map(|n| section.scope.name(n));
            let name = name.unwrap_or_else(|| format!("actuator_{i}"));
            add_rotor(assembly, section, &actuator, rotor);
            let id = assembly.builder.actuator(Actuator { name, ..actuator });
            Some(Added { id, offset, instead_of })
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
        let (_, coordinate) = assembly.joint(section, attribute)?;
        if matches!(coordinate.kind, JointType::Hinge | JointType::Slide) {
            let (b, j) = coordinate.at;
            let limits = assembly.spec.bodies[b].joints[j].dof.limits;
            return Some(on_joint(coordinate, drive.gear[0], 0.0, limits));
        }
        let why = "an actuator on a ball or free joint is left out: ours drive one coordinate";
        assembly.context.notes.ignore(element, why);
        return None;
    }
    if element.has("site") {
        return at_site(assembly, section, drive);
    }
    if element.has("body") {
        return sticky(assembly, section);
    }
    let Some(tendon) = element.attribute("tendon").map(|name| section.scope.name(name)) else {
        without_joint(assembly, section);
        return None;
    };
    let gear = drive.gear[0];
    match tendons.reduced(&tendon, followers) {
        Some(Reduced::One { joint, coefficient, offset }) => {
            let coordinate = *assembly.coordinates.get(&joint)?;
            let by = on_joint(coordinate, gear * coefficient, gear * offset, tendons.limits(&tendon));
            return Some(Transmission { instead_of: tendons.id(&tendon), ..by });
        }
        Some(Reduced::Several) => {
            let joints = tendons.terms(&tendon).iter();
            let joints =
                joints.filter_map(|(joint, weight)| Some((*assembly.coordinates.get(joint)?, gear * weight)));
            let target = Target::tendon(tendons.id(&tendon)?);
            let (joints, limits) = (joints.collect(), tendons.limits(&tendon));
            return Some(Transmission { target, gear, offset: 0.0, joints, limits, instead_of: None });
        }
        Some(Reduced::Spatial) => {
            let joints = tendons.joints(&tendon).iter().map(|(at, arm)| (*at, gear * arm)).collect();
            let (target, limits) = (Target::tendon(tendons.id(&tendon)?), tendons.limits(&tendon));
            return Some(Transmission { target, gear, offset: 0.0, joints, limits, instead_of: None });
        }
        None => missing(assembly.context.notes, section, "tendon", &tendon, tendons.names()),
    }
    None
}

fn on_joint(at: Coordinate, gear: f64, offset: f64, limits: [f64; 2]) -> Transmission {
    let target = Target::Joint { joint: Ref::Id(at.joint), dof: at.dof };
    Transmission { target, gear: gear * at.sign, offset, joints: vec![(at, gear)], limits, instead_of: None }
}

/// A wrench at a site; all six numbers of the gear count.
fn at_site(assembly: &Assembly<'_>, section: &Section, drive: &Drive) -> Option<Transmission> {
    let id = |attribute: &str| {
        assembly.site(section, attribute)?;
        let full = section.scope.name(section.element.attribute(attribute)?);
        assembly.sites.get(&full).map(|(id, _, _)| Ref::Id(*id))
    };
    let site = id("site")?;
    let reference = if section.element.has("refsite") { Some(id("refsite")?) } else { None };
    if drive.gear == [0.0; 6] {
        assembly.context.notes.ignore(&section.element, "the gear is zero: the actuator drives nothing");
        return None;
    }
    let target = Target::Site { site, reference, wrench: drive.gear };
    let limits = [f64::NEG_INFINITY, f64::INFINITY];
    Some(Transmission { target, gear: 1.0, offset: 0.0, joints: Vec::new(), limits, instead_of: None })
}

/// All that touches a body.
fn sticky(assembly: &Assembly<'_>, section: &Section) -> Option<Transmission> {
    let b = assembly.body(section, "body")?;
    let body = if b == 0 { None } else { assembly.carriers[b].0.body() };
    let Some(body) = body else {
        let why = "an actuator that makes the world or what is fixed to it sticky is left out: give it to what touches";
        assembly.context.notes.ignore(&section.element, why);
        return None;
    };
    if !assembly.is_own[b] {
        let why = "adhesion acts on all that the body is fixed to, since they are one body here";
        assembly.context.notes.ignore(&section.element, why);
    }
    let limits = [f64::NEG_INFINITY, f64::INFINITY];
    let target = Target::Body(Ref::Id(body));
    Some(Transmission { target, gear: 1.0, offset: 0.0, joints: Vec::new(), limits, instead_of: None })
}

/// What an actuator drives that is neither a joint, a tendon, a site nor a body has no counterpart.
fn without_joint(assembly: &Assembly<'_>, section: &Section) {
    let element = &section.element;
    let why = if element.has("slidersite") || element.has("cranksite") {
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
    by: Transmission,
    inertias: &LazyCell<EffectiveInertia, impl FnOnce() -> EffectiveInertia>,
) -> Option<Actuator> {
    let element = &section.element;
    let notes = assembly.context.notes;
    // what the actuator's length feels
    let terms: Vec<Weighted> = by.joints.iter().map(|(at, w)| (at.at.0, at.at.1, *w)).collect();
    drive.settle_damping_ratio(|| if terms.is_empty() { 0.0 } else { inertias.of_sum(&terms) });
    if by.gear == 0.0 || !by.gear.is_finite() {
        notes.ignore(element, "the gear is zero: the actuator drives nothing");
        return None;
    }
    for name in drive.extras() {
        notes.ignore(element, format!("{name} of an actuator is not simulated"));
    }
    let control = drive.law().and_then(|law| match law {
        // what is integrated is no target any more
        Law::Affine { gain, bias } if drive.dynamics == Dynamics::Integral => {
            Ok(affine(gain, bias, by.offset))
        }
        Law::Affine { gain, bias } => Ok(control(gain, bias, by.offset)),
        Law::Varying { gain, bias } => {
            let moved = |own: [f64; 3]| [own[0] + own[1] * by.offset, own[1], own[2]];
            Ok(Control::Varying { gain: moved(gain), bias: moved(bias) })
        }
        Law::Muscle(numbers) => muscle(element, numbers, &by, inertias).map(Control::Muscle),
        Law::Voltage(motor) => {
            let [c0, c1, c2] = motor.cogging;
            Ok(Control::Voltage(DcMotor { cogging: [c0, c1, c2 + c1 * by.offset], ..motor }))
        }
    });
    let control = match control {
        Ok(control) => control,
        Err(why) => {
            notes.ignore(element, why);
            return None;
        }
    };
    let mut actuator = Actuator::new("", by.target, control).gear(by.gear).place(element.place());
    actuator.activation = activation(section, &drive);
    bound(section, &drive, by.limits, &mut actuator);
    Some(actuator)
}

/// The state between control and effort. A filter without a time is none.
fn activation(section: &Section, drive: &Drive) -> Option<Activation> {
    let mut activation = Activation { law: drive.activation()?, ..Activation::integral() };
    let settings = drive.merged(&section.element);
    let auto = section.scope.source.compiler.auto_limits;
    if let Some([low, high]) = range(&settings, "actrange", "actlimited", auto) {
        activation = activation.range(low, high);
    }
    let winding = matches!(activation.law, ActivationLaw::Current { .. });
    activation.early = settings.boolean("actearly").unwrap_or(winding);
    Some(activation)
}

/// A rotor of inertia a and damping d behind a gear g is g² a and g² d on what it moves.
fn add_rotor(
    assembly: &mut Assembly<'_>,
    section: &Section,
    actuator: &Actuator,
    [armature, damping]: [f64; 2],
) {
    if armature == 0.0 && damping == 0.0 {
        return;
    }
    let gear = actuator.gear * actuator.gear;
    match assembly.builder.dof_of(&actuator.target) {
        Some(dof) => {
            dof.armature += gear * armature;
            dof.damping += gear * damping;
        }
        None => {
            let why = "armature and damping of an actuator at a site are not simulated";
            assembly.context.notes.ignore(&section.element, why);
        }
    }
}

/// Ranges of effort and control; `limits` are those of the joint or tendon.
fn bound(section: &Section, drive: &Drive, limits: [f64; 2], actuator: &mut Actuator) {
    let element = &section.element;
    let auto = section.scope.source.compiler.auto_limits;
    let settings = drive.merged(element);
    if let Some(range) = range(&settings, "forcerange", "forcelimited", auto) {
        (actuator.effort_limit, actuator.effort_range) = effort_bounds(range);
    }
    if let Some(most) = drive.saturation {
        (actuator.effort_limit, actuator.effort_range) = effort_bounds([-most, most]);
    }
    if let Some(range) = range(&settings, "ctrlrange", "ctrllimited", auto) {
        actuator.control_range = range;
    } else if drive.inherit_range > 0.0 {
        let [low, high] = limits;
        let (middle, half) = (0.5 * (low + high), 0.5 * (high - low) * drive.inherit_range);
        let inherited = [middle - half, middle + half];
        match &mut actuator.activation {
            _ if !half.is_finite() => {}
            // an integral is the position, its control a speed
            Some(activation) if drive.dynamics == Dynamics::Integral => activation.range = inherited,
            _ => actuator.control_range = inherited,
        }
    }
}

/// Our control for a law, in a length that is offset from the coordinate.
fn control(gain: f64, bias: [f64; 3], offset: f64) -> Control {
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
    affine(gain, bias, offset)
}

fn affine(gain: f64, bias: [f64; 3], offset: f64) -> Control {
    Control::Affine { gain, bias: [bias[0] + bias[1] * offset, bias[1], bias[2]] }
}
