//! What a step can be differentiated with respect to, by the names of the arrays.

use crate::error::said;
use bellcrank::collide::{ContactPlan, Pair};
use bellcrank::gradient::Wrt;
use bellcrank::model::{CombineRule, Control, Material, Model, Parameters, nearest};
use pyo3::prelude::*;
use std::cmp::Ordering;

/// All names, state and controls first.
const NAMES: [&str; 29] = [
    "state",
    "effort",
    "target_position",
    "target_velocity",
    "body_wrench",
    "time_step",
    "gravity",
    "body_mass",
    "body_com",
    "body_inertia",
    "friction",
    "torsional_friction",
    "rolling_friction",
    "shape_position",
    "shape_rotation",
    "shape_size",
    "predecessor_anchor",
    "successor_anchor",
    "predecessor_axes",
    "successor_axes",
    "armature",
    "damping",
    "joint_friction",
    "spring_stiffness",
    "spring_rest",
    "limits",
    "gain",
    "rate_gain",
    "gear",
];
const CONTROLS: [&str; 3] = ["effort", "target_position", "target_velocity"];
/// Position in [`NAMES`] of the first parameter.
const FIRST_PARAMETER: usize = 5;

/// A sum of the engine's own columns: which, and how much of each.
type Mix = Vec<Vec<(usize, f64)>>;

/// The columns of one array.
pub struct Block {
    pub name: &'static str,
    /// Of the array, without the axis of worlds.
    pub shape: Vec<usize>,
    /// The engine's columns that it needs.
    pub wrt: Vec<Wrt>,
    /// How its columns follow from those; they are the same where there is no mix.
    mix: Option<Mix>,
}

impl Block {
    /// Numbers of the array.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// One number per column of the array, from one per column of the engine.
    pub fn gather(&self, engine: &[f64], out: &mut [f64]) {
        match &self.mix {
            None => out.copy_from_slice(engine),
            Some(mix) => {
                for (out, terms) in out.iter_mut().zip(mix) {
                    *out = terms.iter().map(|&(k, weight)| weight * engine[k]).sum();
                }
            }
        }
    }
}

/// Names and names of groups (`control`, `parameters`) become names, each once.
pub fn expand(model: &Model, asked: &[String]) -> PyResult<Vec<&'static str>> {
    let mut names: Vec<&'static str> = Vec::new();
    for name in asked {
        let group: Vec<&'static str> = match name.as_str() {
            "control" => CONTROLS.to_vec(),
            "parameters" => {
                let fits = |name: &&str| *name != "gain" || affine(model).is_none();
                NAMES[FIRST_PARAMETER..].iter().copied().filter(fits).collect()
            }
            _ => vec![known(name)?],
        };
        for name in group {
            if !names.contains(&name) {
                names.push(name);
            }
        }
    }
    match affine(model) {
        Some(motor) if names.contains(&"gain") => {
            let text = format!("gain: the affine motor {motor:?} has no derivative by its gain");
            Err(said("NoDerivative", text, "its effort is gain · control: use the column of its effort"))
        }
        _ => Ok(names),
    }
}

fn affine(model: &Model) -> Option<&str> {
    let found = model.actuators().iter().find(|a| matches!(a.control, Control::Affine { .. }));
    found.map(|a| a.name.as_str())
}

fn known(name: &str) -> PyResult<&'static str> {
    NAMES.iter().copied().find(|known| *known == name).ok_or_else(|| {
        let all: Vec<String> =
            NAMES.iter().chain(&["control", "parameters"]).map(|&n| n.to_owned()).collect();
        let hint = match nearest(name, all.iter()) {
            Some(near) => format!("did you mean {near:?}?"),
            None => format!("known are {}", all.join(", ")),
        };
        said("NoSuchName", format!("a step has no derivative by {name:?}"), hint)
    })
}

/// The block of an array.
pub fn block(name: &'static str, model: &Model, plan: &ContactPlan, world: (&Parameters, usize)) -> Block {
    let [bodies, shapes] = [model.bodies().len(), model.shapes().len()];
    let [joints, dofs, motors] = [model.joints().len(), model.dof_count(), model.actuators().len()];
    let plain = |shape: &[usize], wrt: Vec<Wrt>| Block { name, shape: shape.to_vec(), wrt, mix: None };
    let one = |count: usize, wrt: fn(usize) -> Wrt| plain(&[count], (0..count).map(wrt).collect());
    let three = |count: usize, wrt: fn(usize, usize) -> Wrt| {
        plain(&[count, 3], (0..3 * count).map(|k| wrt(k / 3, k % 3)).collect())
    };
    match name {
        "state" => plain(&[bodies, 12], Wrt::state(bodies)),
        "effort" => one(motors, Wrt::Effort),
        "target_position" => one(motors, Wrt::TargetPosition),
        "target_velocity" => one(motors, Wrt::TargetVelocity),
        "body_wrench" => plain(&[bodies, 6], (0..6 * bodies).map(|k| pushed(k / 6, k % 6)).collect()),
        "time_step" => plain(&[], vec![Wrt::TimeStep]),
        "gravity" => plain(&[3], (0..3).map(|axis| Wrt::Gravity { axis }).collect()),
        "body_mass" => one(bodies, Wrt::Mass),
        "body_com" => three(bodies, |body, axis| Wrt::CentreOfMass { body, axis }),
        "body_inertia" => inertia(name, bodies),
        "friction" => rubbing(name, (model, plan), world, (|pair| Wrt::Friction { pair }, |m| m.sliding)),
        "torsional_friction" => {
            rubbing(name, (model, plan), world, (|pair| Wrt::Torsional { pair }, |m| m.torsional))
        }
        "rolling_friction" => {
            rubbing(name, (model, plan), world, (|pair| Wrt::Rolling { pair }, |m| m.rolling))
        }
        "shape_position" => three(shapes, |shape, axis| Wrt::ShapePosition { shape, axis }),
        "shape_rotation" => three(shapes, |shape, axis| Wrt::ShapeRotation { shape, axis }),
        "shape_size" => three(shapes, |shape, axis| Wrt::ShapeSize { shape, axis }),
        "predecessor_anchor" => three(joints, |joint, axis| Wrt::AnchorOnPredecessor { joint, axis }),
        "successor_anchor" => three(joints, |joint, axis| Wrt::AnchorOnSuccessor { joint, axis }),
        "predecessor_axes" => three(joints, |joint, axis| Wrt::AxesOnPredecessor { joint, axis }),
        "successor_axes" => three(joints, |joint, axis| Wrt::AxesOnSuccessor { joint, axis }),
        "armature" => one(dofs, Wrt::Armature),
        "damping" => one(dofs, Wrt::Damping),
        "joint_friction" => one(dofs, Wrt::JointFriction),
        "spring_stiffness" => one(dofs, Wrt::Stiffness),
        "spring_rest" => one(dofs, Wrt::Rest),
        "limits" => {
            let side =
                |k: usize| if k.is_multiple_of(2) { Wrt::LowerLimit(k / 2) } else { Wrt::UpperLimit(k / 2) };
            plain(&[dofs, 2], (0..2 * dofs).map(side).collect())
        }
        "gain" => gains(name, model, |law| matches!(law, Control::Position { .. }), Wrt::Kp),
        "rate_gain" => {
            let has = |law: &Control| matches!(law, Control::Position { .. } | Control::Velocity { .. });
            gains(name, model, has, Wrt::Kd)
        }
        _ => one(motors, Wrt::Gear),
    }
}

fn pushed(body: usize, k: usize) -> Wrt {
    if k < 3 { Wrt::Force { body, axis: k } } else { Wrt::Moment { body, axis: k - 3 } }
}

/// The 3×3 matrix of each body from its six numbers; what stands there twice is shared between both places.
fn inertia(name: &'static str, bodies: usize) -> Block {
    const ENTRY: [[usize; 3]; 3] = [[0, 1, 2], [1, 3, 4], [2, 4, 5]];
    let mut mix = Vec::new();
    for body in 0..bodies {
        for (i, row) in ENTRY.iter().enumerate() {
            let share = |j: usize| if i == j { 1.0 } else { 0.5 };
            mix.extend(row.iter().enumerate().map(|(j, entry)| vec![(6 * body + entry, share(j))]));
        }
    }
    let wrt = (0..6 * bodies).map(|k| Wrt::Inertia { body: k / 6, entry: k % 6 }).collect();
    Block { name, shape: vec![bodies, 3, 3], wrt, mix: Some(mix) }
}

/// Motors without such a gain do not depend on it.
fn gains(name: &'static str, model: &Model, has: fn(&Control) -> bool, wrt: fn(usize) -> Wrt) -> Block {
    let motors = model.actuators();
    let own = |(k, motor): (usize, &bellcrank::model::Actuator)| {
        if has(&motor.control) { vec![(k, 1.0)] } else { Vec::new() }
    };
    let mix = motors.iter().enumerate().map(own).collect();
    Block { name, shape: vec![motors.len()], wrt: (0..motors.len()).map(wrt).collect(), mix: Some(mix) }
}

/// Which friction: of a pair as the engine knows it, of a shape as its material says.
type Rubbing = (fn(usize) -> Wrt, fn(&Material) -> f64);

/// The engine knows the friction of pairs; that of shapes has its share in each of theirs.
fn rubbing(
    name: &'static str,
    (model, plan): (&Model, &ContactPlan),
    (parameters, world): (&Parameters, usize),
    (wrt, field): Rubbing,
) -> Block {
    let mut mix: Mix = vec![Vec::new(); model.shapes().len()];
    let rule = model.material_rules().friction;
    for (k, pair) in plan.pairs().iter().enumerate() {
        let value = |shape| field(&parameters.shape(shape).get(world).material);
        let shares = shares(pair, rule, [value(pair.shape_a), value(pair.shape_b)]);
        mix[pair.shape_a.index()].push((k, shares[0]));
        mix[pair.shape_b.index()].push((k, shares[1]));
    }
    let wrt = (0..plan.pairs().len()).map(wrt).collect();
    Block { name, shape: vec![model.shapes().len()], wrt, mix: Some(mix) }
}

/// Derivatives of a pair's coefficient by those of its shapes; where the larger or smaller counts and both are the same,
/// half of each.
fn shares(pair: &Pair, rule: CombineRule, [a, b]: [f64; 2]) -> [f64; 2] {
    let first = |order: Ordering| match order {
        Ordering::Greater => [1.0, 0.0],
        Ordering::Less => [0.0, 1.0],
        Ordering::Equal => [0.5, 0.5],
    };
    match (pair.preference, rule) {
        (Ordering::Equal, CombineRule::Average) => [0.5, 0.5],
        (Ordering::Equal, CombineRule::Maximum) => first(a.total_cmp(&b)),
        (Ordering::Equal, CombineRule::Minimum) => first(b.total_cmp(&a)),
        (Ordering::Equal, CombineRule::Product) => [b, a],
        (preferred, _) => first(preferred),
    }
}
