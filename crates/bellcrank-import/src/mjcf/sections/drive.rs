//! The law of an actuator: effort = gain · u + bias, whatever name the file gives it.
//!
//! All kinds of actuator are shortcuts that write into one set of numbers. Defaults of a class are such writings too,
//! made before the element's own.

use crate::mjcf::bodies::spec::Section;
use crate::xml::Element;

/// How the control becomes the activation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::mjcf) enum Dynamics {
    /// At once.
    None,
    /// Through a low-pass filter.
    Filter,
    /// By integration.
    Integral,
    /// By something of its own.
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Term {
    Fixed,
    Affine,
    None,
    Other,
}

/// effort = gain · u + bias₀ + bias₁ · length + bias₂ · velocity.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(in crate::mjcf) struct Law {
    pub gain: f64,
    pub bias: [f64; 3],
}

/// The numbers behind an actuator.
#[derive(Clone, Debug)]
pub(in crate::mjcf) struct Drive {
    gain: [f64; 3],
    bias: [f64; 3],
    gain_type: Term,
    bias_type: Term,
    pub dynamics: Dynamics,
    /// Of the filter [s].
    pub time: f64,
    pub gear: [f64; 6],
    pub inherit_range: f64,
    why_not: Option<&'static str>,
    /// What was written, the outermost class first.
    written: Vec<Element>,
}

impl Drive {
    pub fn read(section: &Section) -> Self {
        let mut drive = Drive {
            gain: [1.0, 0.0, 0.0],
            bias: [0.0; 3],
            gain_type: Term::Fixed,
            bias_type: Term::None,
            dynamics: Dynamics::None,
            time: 1.0,
            gear: [1.0, 0.0, 0.0, 0.0, 0.0, 0.0],
            inherit_range: 0.0,
            why_not: None,
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
            "motor" => self.plain([1.0, 0.0, 0.0], Term::None),
            "position" => self.servo(element),
            "velocity" => {
                let kv = element.number("kv").unwrap_or(self.gain[0]);
                self.plain([kv, 0.0, 0.0], Term::Affine);
                self.bias = [0.0, 0.0, -kv];
            }
            "cylinder" => {
                let area = element.number("area").unwrap_or(self.gain[0]);
                let diameter = element.number("diameter");
                self.plain(
                    [diameter.map_or(area, |d| d * d * std::f64::consts::PI / 4.0), 0.0, 0.0],
                    Term::Affine,
                );
                overwrite(&mut self.bias, element, "bias");
                self.dynamics = Dynamics::Filter;
                self.time = element.number("timeconst").unwrap_or(self.time);
            }
            "intvelocity" => {
                self.servo(element);
                self.dynamics = Dynamics::Integral;
            }
            "damper" => self.why_not = Some("an actuator whose control is a damping (damper) is left out"),
            "muscle" => self.why_not = Some("muscles are not simulated"),
            "adhesion" => self.why_not = Some("adhesion is not simulated"),
            _ => self.why_not = Some("this kind of actuator has no counterpart here"),
        }
    }

    fn plain(&mut self, gain: [f64; 3], bias_type: Term) {
        (self.gain, self.bias_type) = (gain, bias_type);
        (self.gain_type, self.dynamics) = (Term::Fixed, Dynamics::None);
        if bias_type == Term::None {
            self.bias = [0.0; 3];
        }
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
        self.plain([kp, 0.0, 0.0], Term::Affine);
        self.dynamics = time.map_or(dynamics, |t| if t > 0.0 { Dynamics::Filter } else { Dynamics::None });
        self.time = time.unwrap_or(self.time);
        // a positive third number is a damping ratio, until the inertia is known
        self.bias = [0.0, -kp, damping];
        if let Some(share) = element.number("inheritrange") {
            self.inherit_range = share;
        }
    }

    fn general(&mut self, element: &Element) {
        overwrite(&mut self.gain, element, "gainprm");
        overwrite(&mut self.bias, element, "biasprm");
        let other = ["muscle", "user", "dcmotor", "pid"].map(|word| (word, Term::Other));
        let terms = |plain: &[(&'static str, Term)]| [plain, &other].concat();
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
            ("muscle", Dynamics::Other),
            ("user", Dynamics::Other),
            ("dcmotor", Dynamics::Other),
            ("pid", Dynamics::Other),
        ];
        if let Some(dynamics) = element.choice("dyntype", &words) {
            self.dynamics = dynamics;
        }
        if let Some(time) = element.numbers("dynprm").and_then(|numbers| numbers.first().copied()) {
            self.time = time;
        }
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
        let gain_is_plain = self.gain_type == Term::Fixed
            || (self.gain_type == Term::Affine && self.gain[1] == 0.0 && self.gain[2] == 0.0);
        if !gain_is_plain {
            return Err("an actuator whose gain changes with its length or speed is left out");
        }
        let bias = match self.bias_type {
            Term::None => [0.0; 3],
            Term::Affine => self.bias,
            _ => return Err("an actuator with a bias of MuJoCo's own or the user's is left out"),
        };
        Ok(Law { gain: self.gain[0], bias })
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
        let delay = ["delay"].into_iter().filter(|name| said(name));
        delay.chain(powers.then_some("damping that grows with a power of the speed")).collect()
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

/// The first numbers, as many as there are.
fn overwrite(numbers: &mut [f64; 3], element: &Element, name: &str) {
    for (slot, number) in numbers.iter_mut().zip(element.numbers(name).unwrap_or_default()) {
        *slot = number;
    }
}
