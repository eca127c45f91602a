//! Which joints have motors: `<transmission>`, and `<ros2_control>` with its command interfaces and gains.
//!
//! A joint with a position interface is a position drive where gains are given (`kp`, `kd`), one with a velocity interface
//! a velocity drive where `kd` is; others give the effort that they are told. `min` and `max` of the interface bound the
//! control.

use crate::xml::Element;
use bellcrank_model::Control;
use std::collections::HashMap;

/// A motor of the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Motor {
    pub name: String,
    pub control: Control,
    pub range: [f64; 2],
}

/// Motors by joint; `None` where the file says nothing of them.
pub(super) fn motors(robot: &Element) -> Option<HashMap<String, Motor>> {
    let mut motors = HashMap::new();
    robot.children_named("transmission").for_each(|element| transmission(element, &mut motors));
    for hardware in robot.children_named("ros2_control") {
        for joint in hardware.children_named("joint") {
            if let (Some(name), Some(motor)) = (joint.attribute("name"), interface(joint)) {
                motors.insert(name.to_owned(), motor);
            }
        }
        hardware.see_all(); // the hardware itself, its sensors and what it reports
    }
    (!motors.is_empty()).then_some(motors)
}

fn transmission(transmission: &Element, motors: &mut HashMap<String, Motor>) {
    let named = |tag: &str| -> Vec<String> {
        let parts = transmission.children.iter().filter(|e| e.tag == tag);
        parts.filter_map(|e| e.attribute("name").map(str::to_owned)).collect()
    };
    let (joints, actuators) = (named("joint"), named("actuator"));
    for joint in joints.iter() {
        // a differential has several of both: then the joints' own names are the clearer ones
        let name = if let ([_], [one]) = (&joints[..], &actuators[..]) { one } else { joint };
        motors.insert(joint.clone(), Motor { name: name.clone(), control: Control::Effort, range: ANY });
    }
    transmission.see_all(); // interfaces, reductions: efforts are told at the joint
}

const ANY: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

/// The first command interface of a joint; `None` where it is only measured.
fn interface(joint: &Element) -> Option<Motor> {
    let interface = joint.children_named("command_interface").next()?;
    let said = |names: &[&str]| {
        let params = || interface.children_named("param").chain(joint.children_named("param"));
        names.iter().find_map(|name| {
            let param = params().find(|param| param.attribute("name") == Some(name))?;
            param.text.trim().parse::<f64>().ok().filter(|x| x.is_finite())
        })
    };
    let (kp, kd) = (said(&["kp", "p", "stiffness"]), said(&["kd", "d", "damping"]).unwrap_or(0.0));
    let control = match (interface.attribute("name"), kp) {
        (Some("position"), Some(kp)) if kp > 0.0 && kd >= 0.0 => Control::Position { kp, kd },
        (Some("velocity"), _) if kd > 0.0 => Control::Velocity { kd },
        _ => Control::Effort,
    };
    // bounds of a position say nothing where the motor is told an effort
    let same = matches!(
        (interface.attribute("name"), control),
        (Some("position"), Control::Position { .. })
            | (Some("velocity"), Control::Velocity { .. })
            | (Some("effort"), Control::Effort)
    );
    let bound = |name: &str, default: f64| said(&[name]).filter(|_| same).unwrap_or(default);
    let range = [bound("min", ANY[0]), bound("max", ANY[1])];
    let range = if range[0] <= range[1] { range } else { ANY };
    Some(Motor { name: joint.attribute("name")?.to_owned(), control, range })
}
