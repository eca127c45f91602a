//! The law of an actuator: effort = gain · u + bias, whatever name the file gives it.
//!
//! All kinds of actuator are shortcuts that write into one set of numbers. Defaults of a class are such writings too,
//! made before the element's own.

use super::dc_motor::Sheet;
use crate::mjcf::bodies::spec::Section;
use crate::xml::Element;
use bellcrank_model::{ActivationLaw, DcMotor};

/// How the control becomes the activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mjcf) enum Dynamics {
    /// At once.
    None,
    /// Through a low-pass filter.
    Filter,
    /// By integration.
    Integral,
    /// As a muscle is activated.
    Muscle,
    /// As the current in a winding.
    Current,
    /// By something of its own.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Term {
    Fixed,
    Affine,
    None,
    Muscle,
    DcMotor,
    Other,
}

/// How an effort comes from a control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::mjcf) enum Law {
    /// gain · u + bias₀ + bias₁ · length + bias₂ · velocity
    Affine {
        gain: f64,
        bias: [f64; 3],
    },
    /// (gain₀ + gain₁ · length + gain₂ · velocity) u + bias₀ + bias₁ · length + bias₂ · velocity
    Varying {
        gain: [f64; 3],
        bias: [f64; 3],
    },
    /// Its operating range, force, scale, and the shape of its curves.
    Muscle([f64; 9]),
    Voltage(DcMotor),
}

/// So many numbers have the parameters of gain, bias and dynamics.
const NUMBERS: usize = 10;

/// The numbers behind an actuator.
#[derive(Clone, Debug)]
pub(in crate::mjcf) struct Drive {
    pub(super) gain: [f64; NUMBERS],
    pub(super) bias: [f64; NUMBERS],
    pub(super) own_dynamics: [f64; NUMBERS],
    pub(super) gain_type: Term,
    pub(super) bias_type: Term,
    pub dynamics: Dynamics,
    /// Largest effort of an electric motor, if it has one.
    pub saturation: Option<f64>,
    pub gear: [f64; 6],
    pub inherit_range: f64,
    pub(super) why_not: Option<&'static str>,
    /// What of a `<dcmotor>` is told and not simulated.
    pub(super) lost: Vec<&'static str>,
    pub(super) sheet: Sheet,
    pub(super) input: String,
    pub(super) controller: [f64; 6],
    /// What was written, the outermost class first.
    written: Vec<Element>,
}

impl Drive {
    pub fn read(section: &Section) -> Self {
        let mut drive = Drive {
            gain: with_first(1.0),
            bias: [0.0; NUMBERS],
            own_dynamics: with_first(1.0),
            gain_type: Term::Fixed,
            bias_type: Term::None,
            dynamics: Dynamics::None,
            saturation: None,
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            inherit_range: 0.0,
            why_not: None,
            lost: Vec::new(),
            sheet: Sheet::default(),
            input: "voltage".to_owned(),
            controller: [0.0; 6],
            written: Vec::new(),
        };
        section.defaults.iter().for_each(Element::claim);
        for element in section.defaults.iter().chain([&section.element]) {
            drive.write(element);
            drive.written.push(element.clone());
        }
        drive
    }

    fn write(&mut self, element: &Element) {
        if let Some(gear) = element.numbers_between("gear", 1, 6) {
            self.gear[..gear.len()].copy_from_slice(&gear);
        }
        self.why_not = None;
        match element.tag.as_str() {
            "general" => self.general(element),
            "motor" => self.plain(1.0, Term::None),
            "position" => self.servo(element),
            "velocity" => {
                let kv = element.number("kv").unwrap_or(self.gain[0]);
                self.plain(kv, Term::Affine);
                self.bias = first_three([0.0, 0.0, -kv]);
            }
            "cylinder" => {
                let area = element.number("area").unwrap_or(self.gain[0]);
                let diameter = element.number("diameter");
                self.plain(diameter.map_or(area, |d| d * d * std::f64::consts::PI / 4.0), Term::Affine);
                overwrite(&mut self.bias, element, "bias");
                self.dynamics = Dynamics::Filter;
                self.own_dynamics[0] = element.number("timeconst").unwrap_or(self.own_dynamics[0]);
            }
            "intvelocity" => {
                self.servo(element);
                self.dynamics = Dynamics::Integral;
            }
            "damper" => {
                let kv = element.number("kv").unwrap_or(-self.gain[2]);
                self.plain(0.0, Term::None);
                (self.gain, self.gain_type) = (first_three([0.0, 0.0, -kv]), Term::Affine);
            }
            "muscle" => self.muscle(element),
            "dcmotor" => self.dc_motor(element),
            "adhesion" => {
                let gain = element.number("gain").unwrap_or(self.gain[0]);
                self.plain(gain, Term::None);
            }
            _ => self.why_not = Some("this kind of actuator has no counterpart here"),
        }
    }

    fn plain(&mut self, gain: f64, bias_type: Term) {
        (self.gain, self.bias_type) = (with_first(gain), bias_type);
        (self.gain_type, self.dynamics) = (Term::Fixed, Dynamics::None);
        if bias_type == Term::None {
            self.bias = [0.0; NUMBERS];
        }
    }

    /// What nothing has been written into has the muscle's own default.
    fn muscle(&mut self, element: &Element) {
        let untouched = with_first(1.0);
        let defaults = [0.75, 1.05, -1.0, 200.0, 0.5, 1.6, 1.5, 1.3, 1.2];
        for (k, default) in defaults.into_iter().enumerate() {
            if self.gain[k] == untouched[k] {
                self.gain[k] = default;
            }
        }
        for (k, default) in [0.01, 0.04].into_iter().enumerate() {
            if self.own_dynamics[k] == untouched[k] {
                self.own_dynamics[k] = default;
            }
        }
        overwrite(&mut self.own_dynamics, element, "timeconst");
        overwrite(&mut self.gain, element, "range");
        if let Some(smooth) = element.number("tausmooth") {
            self.own_dynamics[2] = smooth;
        }
        for (k, name) in ["force", "scale", "lmin", "lmax", "vmax", "fpmax", "fvmax"].into_iter().enumerate()
        {
            if let Some(x) = element.number(name) {
                self.gain[k + 2] = x;
            }
        }
        self.bias = self.gain;
        (self.gain_type, self.bias_type, self.dynamics) = (Term::Muscle, Term::Muscle, Dynamics::Muscle);
    }

    fn servo(&mut self, element: &Element) {
        let kp = element.number("kp").unwrap_or(self.gain[0]);
        let time = element.number("timeconst");
        let (kv, ratio) = (element.number("kv"), element.number("dampratio"));
        if kv.is_some() && ratio.is_some() {
            element.fault_said("the damping is said twice", "keep kv or dampratio");
        }
        let damping = kv.map(|kv| -kv).or(ratio).unwrap_or(self.bias[2]);
        let dynamics = self.dynamics;
        self.plain(kp, Term::Affine);
        self.dynamics = time.map_or(dynamics, |t| if t > 0.0 { Dynamics::Filter } else { Dynamics::None });
        self.own_dynamics[0] = time.unwrap_or(self.own_dynamics[0]);
        // a positive third number is a damping ratio, until the inertia is known
        self.bias = first_three([0.0, -kp, damping]);
        if let Some(share) = element.number("inheritrange") {
            self.inherit_range = share;
        }
    }

    fn general(&mut self, element: &Element) {
        overwrite(&mut self.gain, element, "gainprm");
        overwrite(&mut self.bias, element, "biasprm");
        let other = ["user", "pid", "so3"].map(|word| (word, Term::Other));
        let own = [("muscle", Term::Muscle), ("dcmotor", Term::DcMotor)];
        let terms = |plain: &[(&'static str, Term)]| [plain, &own, &other].concat();
        let gains = terms(&[("fixed", Term::Fixed), ("affine", Term::Affine)]);
        if let Some(term) = element.choice("gaintype", &gains) {
            self.gain_type = term;
        }
        let biases = terms(&[("none", Term::None), ("affine", Term::Affine)]);
        if let Some(term) = element.choice("biastype", &biases) {
            self.bias_type = term;
        }
        let words = [
            ("none", Dynamics::None),
            ("filter", Dynamics::Filter),
            ("filterexact", Dynamics::Filter),
            ("integrator", Dynamics::Integral),
            ("muscle", Dynamics::Muscle),
            ("user", Dynamics::Other),
            ("dcmotor", Dynamics::Current),
            ("pid", Dynamics::Other),
        ];
        if let Some(dynamics) = element.choice("dyntype", &words) {
            self.dynamics = dynamics;
        }
        overwrite(&mut self.own_dynamics, element, "dynprm");
        if element.number("actdim").is_some_and(|count| count > 1.0) {
            self.why_not = Some("an actuator with several states is left out");
        }
        if let Some(share) = element.number("inheritrange") {
            self.inherit_range = share;
        }
    }

    /// A damping ratio becomes a damping: 2 ζ √(kp · inertia), with the inertia that the actuator's length feels.
    pub fn settle_damping_ratio(&mut self, inertia: impl FnOnce() -> f64) {
        let servo = self.bias_type == Term::Affine && self.gain[0] == -self.bias[1];
        if servo && self.bias[2] > 0.0 {
            self.bias[2] = -2.0 * self.bias[2] * (self.gain[0] * inertia()).max(0.0).sqrt();
        }
    }

    /// The law, or why we have none such.
    pub fn law(&self) -> Result<Law, &'static str> {
        if let Some(why) = self.why_not {
            return Err(why);
        }
        if self.dynamics == Dynamics::Other {
            return Err("an actuator with an internal state is left out");
        }
        let [b0, b1, b2, ..] = self.bias;
        let bias = match self.bias_type {
            Term::None => [0.0; 3],
            Term::Affine => [b0, b1, b2],
            Term::Muscle if self.gain_type == Term::Muscle => return Ok(Law::Muscle(nine(&self.gain))),
            Term::DcMotor if self.gain_type == Term::DcMotor => return self.law_of_motor(),
            _ => return Err("an actuator with a bias of MuJoCo's own or the user's is left out"),
        };
        let [g0, g1, g2, ..] = self.gain;
        match self.gain_type {
            Term::Fixed => Ok(Law::Affine { gain: g0, bias }),
            Term::Affine if g1 == 0.0 && g2 == 0.0 => Ok(Law::Affine { gain: g0, bias }),
            Term::Affine => Ok(Law::Varying { gain: [g0, g1, g2], bias }),
            _ => Err("an actuator with a gain of MuJoCo's own or the user's is left out"),
        }
    }

    /// Whether MuJoCo keeps a state for it, of which keyframes tell.
    pub fn has_state(&self) -> bool {
        match self.dynamics {
            Dynamics::None => false,
            Dynamics::Current => self.own_dynamics[0] > 0.0,
            _ => true,
        }
    }

    /// How the state between control and effort follows; `None` where there is none.
    pub fn activation(&self) -> Option<ActivationLaw> {
        let [time, second, third, ..] = self.own_dynamics;
        match self.dynamics {
            Dynamics::Filter if time > 0.0 => Some(ActivationLaw::Filter { time }),
            Dynamics::Integral => Some(ActivationLaw::Integral),
            // MuJoCo divides by no less than its smallest number either
            Dynamics::Muscle => {
                Some(ActivationLaw::Muscle { times: [time, second].map(|t| t.max(1e-15)), smooth: third })
            }
            Dynamics::Current if time > 0.0 && self.gain_type == Term::DcMotor => {
                let rate = if second > 0.0 { second } else { f64::INFINITY };
                Some(ActivationLaw::Current { time, rate })
            }
            _ => None,
        }
    }

    /// Attributes that count, with those of the classes; for ranges.
    pub fn merged(&self, element: &Element) -> Element {
        let mut merged = element.clone();
        for outer in self.written.iter().rev().skip(1) {
            for attribute in &outer.attributes {
                if !merged.has(&attribute.name) {
                    merged.attributes.push(attribute.clone());
                }
            }
        }
        merged
    }

    /// What was said and has no effect.
    pub fn extras(&self) -> Vec<&'static str> {
        let said = |name: &str| self.last(name).iter().any(|x| *x != 0.0);
        let powers = self.last("damping").iter().skip(1).any(|x| *x != 0.0);
        let own = if self.gain_type == Term::DcMotor { self.lost_of_motor() } else { Vec::new() };
        let delay = ["delay"].into_iter().filter(|name| said(name));
        delay.chain(own).chain(powers.then_some("damping that grows with a power of the speed")).collect()
    }

    /// The rotor's inertia and its viscous damping, both before the gear.
    pub fn rotor(&self) -> [f64; 2] {
        ["armature", "damping"].map(|name| self.last(name).first().copied().unwrap_or(0.0))
    }

    /// The numbers of an attribute as the element or the innermost class has them.
    fn last(&self, name: &str) -> Vec<f64> {
        let said = self.written.iter().rev().find_map(|e| e.has(name).then(|| e.numbers(name)));
        said.flatten().unwrap_or_default()
    }
}

/// One number, and zeros.
fn with_first(first: f64) -> [f64; NUMBERS] {
    first_three([first, 0.0, 0.0])
}

fn first_three(three: [f64; 3]) -> [f64; NUMBERS] {
    let mut all = [0.0; NUMBERS];
    all[..3].copy_from_slice(&three);
    all
}

fn nine(all: &[f64; NUMBERS]) -> [f64; 9] {
    let [nine @ .., _] = *all;
    nine
}

/// The first numbers, as many as there are.
fn overwrite(numbers: &mut [f64; NUMBERS], element: &Element, name: &str) {
    for (slot, number) in numbers.iter_mut().zip(element.numbers(name).unwrap_or_default()) {
        *slot = number;
    }
}
