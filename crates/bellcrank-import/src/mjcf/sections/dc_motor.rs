//! `<dcmotor>`: what it writes, and what of it is a motor here.

use super::drive::{Drive, Dynamics, Law, Term};
use crate::xml::Element;
use bellcrank_model::DcMotor;

/// What a sheet says of a motor, from which its constant and its resistance follow.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Sheet {
    /// Of torque and of back-EMF, zero where not said.
    constants: [f64; 2],
    resistance: Option<f64>,
    /// Voltage, torque at rest, speed without load.
    nominal: [f64; 3],
    /// Inductance and time constant.
    winding: [f64; 2],
}

impl Sheet {
    /// R and K. The constant of torque and that of back-EMF may be told apart: the geometric mean counts, where the
    /// nominal point tells the second unless it is said.
    fn motor(&self) -> (f64, f64) {
        let [voltage, stall, no_load] = self.nominal;
        let [torque, mut back] = self.constants;
        if back == 0.0 && no_load > 0.0 {
            back = voltage / no_load;
        }
        let constant = if torque > 0.0 && back > 0.0 { (torque * back).sqrt() } else { torque.max(back) };
        let derived = if stall > 0.0 { constant * voltage / stall } else { 0.0 };
        (self.resistance.unwrap_or(derived), constant)
    }
}

/// Gain: resistance, constant, and two numbers of heat; bias: cogging and friction; dynamics: time of the winding,
/// largest change of its current, heat, friction.
impl Drive {
    pub(super) fn dc_motor(&mut self, element: &Element) {
        if self.gain_type != Term::DcMotor {
            (self.gain, self.bias, self.own_dynamics) = Default::default();
        }
        (self.gain_type, self.bias_type, self.dynamics) = (Term::DcMotor, Term::DcMotor, Dynamics::Current);
        if let Some(list) = element.numbers_between("nominal", 3, 3) {
            self.sheet.nominal.copy_from_slice(&list);
        }
        if let Some(list) = element.numbers_between("motorconst", 1, 2) {
            self.sheet.constants = [list[0], list.get(1).copied().unwrap_or(0.0)];
        }
        self.sheet.resistance = element.number("resistance").or(self.sheet.resistance);
        if let Some(list) = element.numbers_between("inductance", 1, 2) {
            self.sheet.winding = [list[0], list.get(1).copied().unwrap_or(0.0)];
        }
        (self.gain[0], self.gain[1]) = self.sheet.motor();
        let [inductance, time] = self.sheet.winding;
        // a class may say one without the other
        let ratio = if self.gain[0] > 0.0 { inductance / self.gain[0] } else { 0.0 };
        self.own_dynamics[0] = if inductance > 0.0 { ratio } else { time };
        if let Some(list) = element.numbers_between("saturation", 1, 3) {
            let get = |k: usize| list.get(k).copied().unwrap_or(0.0);
            let most = if get(0) > 0.0 { get(0) } else { get(1) * self.gain[1] };
            self.saturation = (most > 0.0).then_some(most);
            self.own_dynamics[1] = get(2);
        }
        if let Some(list) = element.numbers_between("cogging", 1, 3) {
            self.bias[..3].copy_from_slice(&[0.0; 3]);
            self.bias[..list.len()].copy_from_slice(&list);
        }
        for (name, most) in [("thermal", 6), ("lugre", 5)] {
            self.lost
                .extend(element.numbers_between(name, 1, most).is_some_and(|x| x[0] != 0.0).then_some(name));
        }
        if let Some(input) = element.attribute("input") {
            self.input = input.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        }
        if let Some(list) = element.numbers_between("controller", 1, 6) {
            self.controller = [0.0; 6];
            self.controller[..list.len()].copy_from_slice(&list);
        }
    }

    /// A motor at a voltage, or one whose controller drives it so that it gives the torque asked for, which is then a
    /// servo of that torque.
    pub(super) fn law_of_motor(&self) -> Result<Law, &'static str> {
        let [kp, ki, kd, slew, _, most] = self.controller;
        let gain = match self.input.as_str() {
            "voltage" => return Ok(Law::Voltage(self.motor())),
            "pos" => kp,
            "vel" => kd,
            "ff" => 1.0,
            _ => {
                return Err(
                    "a dcmotor with this input is left out: it has one of voltage, pos, vel or ff here",
                );
            }
        };
        let plain = ki == 0.0 && slew == 0.0 && most == 0.0;
        if !plain || self.own_dynamics[0] != 0.0 || self.bias[0] != 0.0 {
            return Err(
                "a dcmotor with an input besides its voltage and with ki, slewmax, Vmax, inductance or cogging is left out",
            );
        }
        Ok(Law::Affine { gain, bias: [0.0, -kp, -kd] })
    }

    pub(super) fn motor(&self) -> DcMotor {
        let [c0, c1, c2, ..] = self.bias;
        DcMotor { constant: self.gain[1], resistance: self.gain[0], cogging: [c0, c1, c2] }
    }

    /// What a motor says besides and has no effect.
    pub(super) fn lost_of_motor(&self) -> Vec<&'static str> {
        let mut lost = self.lost.clone();
        let controlled = self.controller != [0.0; 6];
        lost.extend((controlled && self.input == "voltage").then_some("controller"));
        let heat = self.gain[2] != 0.0 || self.own_dynamics[2..5].iter().any(|x| *x != 0.0);
        lost.extend((heat && !lost.contains(&"thermal")).then_some("thermal"));
        lost
    }
}
