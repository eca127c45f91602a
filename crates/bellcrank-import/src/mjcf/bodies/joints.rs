//! `<joint>` and `<freejoint>`.

use super::placement;
use super::softness;
use crate::mjcf::preamble::source::{Context, Scope};
use crate::xml::Element;
use bellcrank_math::{Pose, Vec3};
use bellcrank_model::{Dof, Place, Softness, Spring};

/// The kinds of joint of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mjcf) enum JointType {
    Free,
    Ball,
    Slide,
    Hinge,
}

const WORDS: [(&str, JointType); 4] = [
    ("hinge", JointType::Hinge),
    ("slide", JointType::Slide),
    ("ball", JointType::Ball),
    ("free", JointType::Free),
];

/// A joint of the file, in the frame of the body that it moves.
#[derive(Clone, Debug)]
pub(in crate::mjcf) struct JointSpec {
    pub name: String,
    pub kind: JointType,
    pub position: Vec3,
    /// Unit vector.
    pub axis: Vec3,
    /// Coordinate at the reference pose [rad or m].
    pub reference: f64,
    /// Where its spring rests, whether it has one or not: springs of tendons count from there [rad or m].
    pub spring_reference: f64,
    pub dof: Dof,
    /// Of its limits and its dry friction.
    pub softness: [Softness; 2],
    /// Time constant [s] and damping ratio, from which stiffness and damping follow.
    pub spring_damper: Option<[f64; 2]>,
    /// A free body's frame is moved to its principal axes; `None` where the compiler decides.
    pub align: Option<bool>,
    pub place: Place,
}

impl JointType {
    /// By the format's word.
    pub fn of_word(word: &str) -> Option<JointType> {
        WORDS.iter().find(|(known, _)| *known == word).map(|(_, kind)| *kind)
    }

    /// Numbers in `qvel`.
    pub fn freedoms(self) -> usize {
        match self {
            JointType::Free => 6,
            JointType::Ball => 3,
            JointType::Slide | JointType::Hinge => 1,
        }
    }

    /// Numbers in `qpos`.
    pub fn coordinates(self) -> usize {
        match self {
            JointType::Free => 7,
            JointType::Ball => 4,
            JointType::Slide | JointType::Hinge => 1,
        }
    }
}

/// Reads a joint; `X_LF` is the `<frame>` it stands in.
pub(in crate::mjcf) fn read(element: &Element, X_LF: Pose, scope: &Scope, context: Context<'_>) -> JointSpec {
    let compiler = &scope.source.compiler;
    let kind = match element.tag.as_str() {
        "freejoint" => JointType::Free,
        _ => element.choice("type", &WORDS).unwrap_or(JointType::Hinge),
    };
    let angle = |x: f64| if kind == JointType::Hinge { compiler.angle(x) } else { x };
    let axis = Vec3::from_array(element.vector("axis").unwrap_or([0.0, 0.0, 1.0]));
    let scalar = matches!(kind, JointType::Hinge | JointType::Slide);
    let axis = if scalar { axis_direction(axis, element) } else { Vec3::z_axis() };
    let reference = if scalar { angle(element.number("ref").unwrap_or(0.0)) } else { 0.0 };
    let dof =
        if element.tag == "freejoint" { Dof::default() } else { resistances(element, kind, scope, context) };
    let spring_damper = element.vector("springdamper").filter(|v: &[f64; 2]| v[0] > 0.0 && v[1] > 0.0);
    JointSpec {
        name: String::new(),
        kind,
        position: X_LF * placement::position(element, "pos"),
        axis: X_LF.R.rotate(axis),
        reference,
        spring_reference: if scalar { element.number("springref").map_or(0.0, angle) } else { 0.0 },
        dof,
        softness: softness::laws(element),
        spring_damper,
        align: element
            .choice("align", &[("true", Some(true)), ("false", Some(false)), ("auto", None)])
            .flatten(),
        place: element.place(),
    }
}

fn axis_direction(axis: Vec3, element: &Element) -> Vec3 {
    let length = axis.norm();
    if length < 1e-14 {
        let hint = "a body that does not move against the one around it has no <joint>";
        element.fault_said("the axis has no direction", hint);
        return Vec3::z_axis();
    }
    axis * (1.0 / length)
}

/// What resists or bounds each degree of freedom.
fn resistances(element: &Element, kind: JointType, scope: &Scope, context: Context<'_>) -> Dof {
    let compiler = &scope.source.compiler;
    let scalar = matches!(kind, JointType::Hinge | JointType::Slide);
    let angle = |x: f64| if kind == JointType::Hinge { compiler.angle(x) } else { x };
    let mut dof = Dof {
        armature: element.number("armature").unwrap_or(0.0),
        damping: first(element, "damping", context),
        friction: element.number("frictionloss").unwrap_or(0.0),
        ..Dof::default()
    };
    // a free joint may inherit a limit, which says nothing about it
    let limited = match kind {
        JointType::Free => None,
        _ => range(element, "range", "limited", compiler.auto_limits),
    };
    match limited {
        Some(range) if scalar => dof.limits = range.map(angle),
        Some(_) if kind == JointType::Ball => {
            context.notes.ignore(element, "a bound on the angle of a ball joint (a cone) is not held");
        }
        _ => {}
    }
    let stiffness = first(element, "stiffness", context);
    if (stiffness > 0.0 || element.has("springdamper")) && scalar {
        let rest = element.number("springref").map_or(0.0, angle);
        dof.spring = Some(Spring { stiffness, rest });
    } else if stiffness > 0.0 {
        context.notes.ignore(element, "a spring on a ball or free joint is not simulated");
    }
    if let Some(range) = range(element, "actuatorfrcrange", "actuatorfrclimited", compiler.auto_limits) {
        (dof.effort_limit, dof.effort_range) = effort_bounds(range);
    }
    if element.boolean("actuatorgravcomp") == Some(true) {
        let why = "gravity compensation acts on the body; it is not counted among the efforts of the joint";
        context.notes.once(element, why);
    }
    if element.number("margin").is_some_and(|m| m != 0.0) {
        context.notes.once(element, "a margin of joint limits: ours act exactly at the bound");
    }
    dof
}

/// The first number; more would be a polynomial.
pub(in crate::mjcf) fn first(element: &Element, name: &str, context: Context<'_>) -> f64 {
    let numbers = element.numbers(name).unwrap_or_default();
    if numbers.iter().skip(1).any(|x| *x != 0.0) {
        context
            .notes
            .ignore(element, format!("{name} grows with the coordinate here; only its first number is used"));
    }
    numbers.first().copied().unwrap_or(0.0)
}

/// A range, where it counts: `limited` says so, or says nothing and the file has automatic limits.
pub(in crate::mjcf) fn range(element: &Element, range: &str, limited: &str, auto: bool) -> Option<[f64; 2]> {
    let words = [("true", Some(true)), ("false", Some(false)), ("auto", None)];
    let said = element.choice(limited, &words).flatten();
    let found = element.vector::<2>(range);
    match (said, found) {
        (Some(false), _) | (None, None) => None,
        (Some(true), None) => {
            element.fault_said(
                format!("{limited} is set, but there is no {range}"),
                format!("add {range}=\"low high\""),
            );
            None
        }
        (Some(true), found) => found,
        (None, Some(found)) if auto => (found != [0.0, 0.0]).then_some(found),
        (None, Some(_)) => {
            element.fault_said(
                format!("{range} is given, but not whether it counts"),
                format!("add {limited}=\"true\", or let the compiler have autolimits=\"true\""),
            );
            None
        }
    }
}

/// The largest effort, and the range where it is not the same in both directions.
pub(in crate::mjcf) fn effort_bounds([low, high]: [f64; 2]) -> (f64, [f64; 2]) {
    let range = if low == -high { [f64::NEG_INFINITY, f64::INFINITY] } else { [low, high] };
    (low.abs().max(high.abs()), range)
}
