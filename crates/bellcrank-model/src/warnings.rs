//! What is legal but looks wrong to a mechanic.
//!
//! Every text names the part and gives the figures; a warning that comes from many parts alike is given once, with
//! their names.

use crate::actuator::{Actuator, Control};
use crate::fault::Warning;
use crate::ids::{BodyId, JointId};
use crate::joint::Joint;
use crate::model::Model;
use crate::resolve::said;
use crate::size::{Reach, reaches};
use crate::{Body, Dof};

/// Joints that are open by more than this at the reference pose are worth a warning [m and rad].
const GAP: f64 = 1e-6;
/// Neighbours whose masses differ by more than this make a stiff problem.
const MASS_RATIO: f64 = 1e4;
/// Bodies below this are as good as massless [kg].
const LEAST_MASS: f64 = 1e-6;
/// A coordinate may be outside its range by this much: files round [rad or m].
const LIMIT_SLACK: f64 = 1e-6;
/// The least principal moment, as a share of the largest, below which a part is a needle: a rod a hundred times as
/// long as thick has 3/2 · 1e-4.
const NEEDLE: f64 = 1e-4;
/// How much the two smaller moments exceed the largest, as a share of it, below which a part is a sheet: one of a
/// hundredth of its width has 1e-4.
const SHEET: f64 = 1e-5;
/// Radius of gyration as a share of the body's reach: a rod has 0.58, a motor on a long arm 0.1.
const COMPACT: f64 = 0.01;
/// No part of a body is further out than its reach, so neither is its radius of gyration; shapes may be rough.
const WIDE: f64 = 3.0;
/// So many names are listed before the rest is counted.
const LISTED: usize = 6;

/// All warnings, in the order of the checks.
pub(crate) fn of(model: &Model) -> Vec<Warning> {
    let mut found = open_joints(model);
    found.extend(limits(model));
    found.extend(mass_ratios(model));
    let bodies = model.bodies().iter().zip(reaches(model));
    found.extend(bodies.flat_map(|(body, reach)| body_warnings(body, reach)));
    found.extend(actuators(model));
    found.extend(freedoms(model));
    found
}

fn open_joints(model: &Model) -> Vec<Warning> {
    let open = model.joint_gaps().filter(|(_, metres, radians)| *metres > GAP || *radians > GAP);
    open.map(|(joint, metres, radians)| Warning {
        place: said(&joint.place),
        text: format!(
            "the two halves are apart at the reference pose: {:.3} mm, {:.3}°",
            metres * 1e3,
            radians.to_degrees()
        ),
    })
    .collect()
}

/// Coordinates that the reference pose has outside their range.
fn limits(model: &Model) -> Vec<Warning> {
    let mut found = Vec::new();
    for (j, joint) in model.joints().iter().enumerate() {
        if !joint.kind.has_scalar_coordinates() {
            continue;
        }
        let q = model.reference_coordinates(JointId::new(j));
        for (k, (dof, q)) in joint.dofs.iter().zip(q).enumerate() {
            let angle = joint.kind.is_angle(k);
            if q < dof.limits[0] - LIMIT_SLACK || q > dof.limits[1] + LIMIT_SLACK {
                found.push(Warning { place: said(&joint.place), text: outside(dof, q, angle) });
            }
        }
    }
    found
}

fn outside(dof: &Dof, q: f64, angle: bool) -> String {
    let told = |x: f64| match angle {
        _ if x.is_infinite() => "∞".to_owned(),
        true => format!("{:.2}°", rounded(x.to_degrees(), 100.0)),
        false => format!("{:.3} mm", rounded(x * 1e3, 1000.0)),
    };
    let [low, high] = dof.limits;
    let sign = if low.is_infinite() { "−" } else { "" };
    format!(
        "the reference pose has it at {}, outside its range {sign}{} to {}",
        told(q),
        told(low),
        told(high)
    )
}

/// Without a sign in front of nothing.
fn rounded(x: f64, parts: f64) -> f64 {
    (x * parts).round() / parts + 0.0
}

fn mass_ratios(model: &Model) -> Vec<Warning> {
    let body = |id: Option<BodyId>| id.map(|b| &model.bodies()[b.index()]);
    let unequal = model.joints().iter().filter_map(|joint| {
        let (p, s) = (body(joint.predecessor.body())?, body(joint.successor.body())?);
        let (heavy, light) = if p.mass >= s.mass { (p, s) } else { (s, p) };
        (heavy.mass > MASS_RATIO * light.mass).then_some((joint, heavy, light))
    });
    let text = |heavy: &Body, light: &Body| {
        format!(
            "{:?} ({}) is {:.0} times as heavy as {:?} ({}): such neighbours are hard to hold together",
            heavy.name,
            weight(heavy.mass),
            heavy.mass / light.mass,
            light.name,
            weight(light.mass)
        )
    };
    unequal.map(|(j, heavy, light)| Warning { place: said(&j.place), text: text(heavy, light) }).collect()
}

/// A mass in the unit in which it is weighed.
fn weight(mass: f64) -> String {
    match mass {
        m if m >= 1.0 => format!("{m:.3} kg"),
        m if m >= 1e-3 => format!("{:.3} g", m * 1e3),
        m => format!("{:.3e} g", m * 1e3),
    }
}

/// What looks wrong with one body: its mass, and its inertia against its mass and size.
fn body_warnings(body: &Body, reach: Reach) -> Vec<Warning> {
    let mut texts = Vec::new();
    if body.mass < LEAST_MASS {
        texts.push(format!("it weighs next to nothing: {}", weight(body.mass)));
    }
    // a built model has no body without
    let [small, middle, large] = body.inertia.unwrap_or_default().eigen().0;
    let moments = format!("principal moments {small:.3e}, {middle:.3e}, {large:.3e} kg·m²");
    if small < NEEDLE * large {
        let thin = (small / large).sqrt();
        texts.push(format!("it is thin as a needle, {thin:.1e} of its length: {moments}"));
    } else if small + middle - large < SHEET * large {
        texts.push(format!(
            "it is flat as a sheet: the largest principal moment is the sum of the others ({moments})"
        ));
    }
    let gyration = (large / body.mass).sqrt();
    let size = reach.joints.max(reach.shapes);
    if gyration < COMPACT * size {
        texts.push(format!(
            "its inertia is that of a lump of {:.2} mm, but it reaches {:.1} mm from its centre of mass ({moments})",
            gyration * 1e3,
            size * 1e3
        ));
    }
    if reach.shapes > 0.0 && gyration > WIDE * size {
        texts.push(format!(
            "its inertia needs its mass {:.1} mm away from the centre of mass, but it reaches only {:.1} mm ({moments})",
            gyration * 1e3,
            size * 1e3
        ));
    }
    texts.into_iter().map(|text| Warning { place: said(&body.place), text }).collect()
}

fn actuators(model: &Model) -> Vec<Warning> {
    let idle = |a: &&Actuator| match a.control {
        Control::Position { kp, .. } => kp == 0.0,
        Control::Velocity { kd } => kd == 0.0,
        Control::Effort => false,
        Control::Affine { gain, .. } => gain == 0.0,
        Control::Varying { gain, .. } => gain == [0.0; 3],
        Control::Muscle(muscle) => muscle.force == 0.0,
        Control::Voltage(motor) => motor.constant == 0.0,
    };
    let unbounded = |a: &&Actuator| {
        let own = a.effort_bounds().into_iter().any(f64::is_infinite);
        let of_joint = a.coordinate().and_then(|(j, dof)| model.joints()[j.index()].dofs.get(dof));
        // an effort that is told is bounded by what may be told
        let told = a.control == Control::Effort && a.control_range.into_iter().all(f64::is_finite);
        // what a muscle gives is bounded by its force, what a voltage gives by the back-EMF
        let own = own && !matches!(a.control, Control::Muscle(_) | Control::Voltage(_));
        own && !told && of_joint.is_none_or(|dof| dof.effort_limit.is_infinite())
    };
    let all = || model.actuators().iter();
    [
        together(all().filter(idle), "no gain, so no target is followed"),
        together(all().filter(unbounded), "no effort limit, so nothing bounds the effort"),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// One warning for all actuators that lack the same thing.
fn together<'a>(actuators: impl Iterator<Item = &'a Actuator>, lack: &str) -> Option<Warning> {
    let all: Vec<&Actuator> = actuators.collect();
    let first = all.first()?;
    let text = match all.len() {
        1 => format!("the actuator has {lack}"),
        n => {
            let names: Vec<&str> = all.iter().take(LISTED).map(|a| a.name.as_str()).collect();
            let rest = if n > LISTED { format!(" and {} more", n - LISTED) } else { String::new() };
            format!("{n} actuators have {lack} ({}{rest})", names.join(", "))
        }
    };
    Some(Warning { place: said(&first.place), text })
}

/// Mechanisms that cannot move, and more motors than ways to move.
fn freedoms(model: &Model) -> Option<Warning> {
    let mut driven: Vec<(JointId, usize)> =
        model.actuators().iter().filter_map(Actuator::coordinate).collect();
    driven.sort_unstable();
    driven.dedup();
    let freedoms = model.mobility();
    if driven.len() <= freedoms || driven.is_empty() {
        return None;
    }
    let joint: &Joint = &model.joints()[driven[0].0.index()];
    let text = match freedoms {
        0 => format!("the mechanism has {} driven coordinates and cannot move at all", driven.len()),
        n => format!(
            "the mechanism moves in {n} ways, but {} coordinates are driven: motors will fight",
            driven.len()
        ),
    };
    Some(Warning { place: said(&joint.place), text })
}
