//! Rules of couplings, tendons and motors.

use super::Rules;
use crate::actuator::{ActivationLaw, Control, Target};
use crate::builder::Parts;
use crate::coupling::CouplingTerm;
use crate::fault::FaultKind;
use crate::joint::{Joint, JointKind};
use crate::magnitude::{LENGTH, STRENGTH, within};
use crate::muscle::Muscle;
use crate::path::{self, Waypoint};
use crate::resolve::{Names, said};
use crate::shape::Shape;

impl Rules<'_> {
    pub(super) fn couplings(&mut self, parts: &mut Parts, names: &Names) {
        for coupling in &mut parts.couplings {
            self.place = said(&coupling.place);
            self.finite("the constant", coupling.constant);
            self.terms(&mut coupling.terms, &parts.joints, names);
        }
    }

    pub(super) fn tendons(&mut self, parts: &mut Parts, names: &Names) {
        for tendon in &mut parts.tendons {
            self.place = said(&tendon.place);
            if tendon.path.is_empty() {
                self.terms(&mut tendon.terms, &parts.joints, names);
            } else {
                self.path(&mut tendon.path, &parts.shapes, names);
                if !tendon.terms.is_empty() {
                    self.fault(FaultKind::BadPath(
                        "a tendon sums up coordinates or runs through space, not both",
                    ));
                }
            }
            self.not_negative("the slack of the spring", tendon.slack);
            self.dof(&tendon.dof);
            if let Some(soft) = &tendon.softness {
                self.softness(&soft.limit, soft.mobility);
                self.softness(&soft.friction, soft.mobility);
            }
        }
    }

    /// A way through space.
    fn path(&mut self, path: &mut [Waypoint], shapes: &[Shape], names: &Names) {
        let known = self.faults.len();
        for point in path.iter_mut() {
            match point {
                Waypoint::Site(site) => _ = names.sites.resolve(site, &self.place, self.faults),
                Waypoint::Around { shape, side } => {
                    names.shapes.resolve(shape, &self.place, self.faults);
                    if let Some(side) = side {
                        names.sites.resolve(side, &self.place, self.faults);
                    }
                }
                Waypoint::Pulley { divisor } => self.size("the divisor of the pulley", *divisor),
            }
        }
        if self.faults.len() == known
            && let Some(why) = path::fault(path, shapes)
        {
            self.fault(FaultKind::BadPath(why));
        }
    }

    /// A weighted sum of coordinates.
    fn terms(&mut self, terms: &mut [CouplingTerm], joints: &[Joint], names: &Names) {
        if terms.is_empty() {
            self.fault(FaultKind::EmptyCoupling);
        }
        for term in terms {
            let usable = term.coefficient != 0.0 && term.coefficient.is_finite();
            self.in_range("the coefficient", term.coefficient, usable, "finite and not zero");
            self.at_most("the coefficient", term.coefficient, LENGTH);
            if names.joints.resolve(&mut term.joint, &self.place, self.faults) {
                let kind = joints[term.joint.id().index()].kind;
                self.dof_exists(kind, term.dof);
                if !kind.has_scalar_coordinates() && kind.dof_count() > 0 {
                    self.fault(FaultKind::NoScalarCoordinate(kind.name()));
                }
            }
        }
    }

    fn dof_exists(&mut self, kind: JointKind, dof: usize) {
        let count = kind.dof_count();
        if dof >= count {
            self.fault(FaultKind::NoSuchDof { dof, kind: kind.name(), count });
        }
    }

    pub(super) fn actuators(&mut self, parts: &mut Parts, names: &Names) {
        for actuator in &mut parts.actuators {
            self.place = said(&actuator.place);
            self.target(&mut actuator.target, &parts.joints, names);
            let geared = actuator.gear != 0.0 && actuator.gear.is_finite();
            self.in_range("the gear", actuator.gear, geared, "finite and not zero");
            self.at_most("the gear", actuator.gear, LENGTH);
            self.bound("the effort limit", actuator.effort_limit);
            self.range("the effort range", actuator.effort_range);
            self.range("the control range", actuator.control_range);
            if let Some(line) = actuator.torque_speed {
                self.size("the stall torque", line.stall);
                self.size("the speed without load", line.no_load);
                self.bound("the saturation", line.saturation);
                self.at_most("the stall torque", line.stall, STRENGTH);
                self.at_most("the slope of the torque-speed line", line.slope(), STRENGTH);
            }
            if let Some(activation) = actuator.activation {
                self.range("the range of the activation", activation.range);
                self.activation(activation.law);
            }
            match actuator.control {
                Control::Position { kp, kd } => {
                    self.not_negative("kp", kp);
                    self.not_negative("kd", kd);
                }
                Control::Velocity { kd } => self.not_negative("kd", kd),
                Control::Effort => {}
                Control::Affine { gain, bias } => {
                    self.finite("the gain", gain);
                    bias.into_iter().for_each(|b| _ = self.finite("the bias", b));
                }
                Control::Varying { gain, bias } => {
                    gain.into_iter().for_each(|g| _ = self.finite("the gain", g));
                    bias.into_iter().for_each(|b| _ = self.finite("the bias", b));
                }
                Control::Muscle(muscle) => self.muscle(&muscle),
                Control::Voltage(motor) => {
                    self.not_negative("the motor constant", motor.constant);
                    self.size("the resistance", motor.resistance);
                    motor.cogging.into_iter().for_each(|c| _ = self.finite("the cogging", c));
                }
            }
            let winding =
                matches!(actuator.activation, Some(a) if matches!(a.law, ActivationLaw::Current { .. }));
            if winding && !matches!(actuator.control, Control::Voltage(_)) {
                self.fault(FaultKind::CurrentWithoutVoltage);
            }
        }
    }

    fn activation(&mut self, law: ActivationLaw) {
        let mut time = |what, time: f64| {
            self.in_range(what, time, time > 0.0 && time.is_finite(), "finite and above zero");
        };
        match law {
            ActivationLaw::Filter { time: own } => time("the filter's time", own),
            ActivationLaw::Integral => {}
            ActivationLaw::Muscle { times, smooth } => {
                times.into_iter().for_each(|own| time("the muscle's time", own));
                self.not_negative("the width of the muscle's smooth change", smooth);
            }
            ActivationLaw::Current { time: own, rate } => {
                time("the winding's time", own);
                self.bound("the largest change of the current", rate);
            }
        }
    }

    fn muscle(&mut self, muscle: &Muscle) {
        self.not_negative("the muscle's force", muscle.force);
        self.size("the muscle's optimal length", muscle.optimal_length);
        self.finite("the tendon's length", muscle.tendon_length);
        self.not_negative("the muscle's shortest length", muscle.shortest);
        let Muscle { shortest, longest, eccentric, .. } = *muscle;
        self.in_range("the muscle's shortest length", shortest, shortest < 1.0, "below one");
        self.in_range("the muscle's longest length", longest, longest > 1.0, "above one");
        self.finite("the muscle's longest length", longest);
        self.size("the muscle's largest speed", muscle.fastest);
        self.not_negative("the muscle's passive force", muscle.passive);
        self.in_range("the muscle's force while it lengthens", eccentric, eccentric > 1.0, "above one");
        self.finite("the muscle's force while it lengthens", eccentric);
    }

    fn target(&mut self, target: &mut Target, joints: &[Joint], names: &Names) {
        match target {
            Target::Joint { joint, dof } => {
                if names.joints.resolve(joint, &self.place, self.faults) {
                    self.dof_exists(joints[joint.id().index()].kind, *dof);
                }
            }
            Target::Tendon(tendon) => {
                names.tendons.resolve(tendon, &self.place, self.faults);
            }
            Target::Body(body) => {
                names.bodies.resolve(body, &self.place, self.faults);
            }
            Target::Site { site, reference, wrench } => {
                names.sites.resolve(site, &self.place, self.faults);
                if let Some(reference) = reference {
                    names.sites.resolve(reference, &self.place, self.faults);
                }
                if let Some(bad) = wrench.iter().find(|x| !within(**x, STRENGTH)) {
                    self.finite("the wrench", *bad);
                } else if wrench.iter().all(|x| *x == 0.0) {
                    self.in_range("the wrench", 0.0, false, "not zero");
                }
            }
        }
    }
}
