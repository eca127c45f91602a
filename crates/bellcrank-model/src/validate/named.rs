//! Rules of what only names other parts: sensors, keyframes and contact filters.

use super::Rules;
use crate::builder::Parts;
use crate::contact::ContactFilter;
use crate::fault::FaultKind;
use crate::joint::{Joint, JointKind};
use crate::magnitude::{LEAST_LENGTH, LENGTH, within};
use crate::resolve::{Names, said};
use crate::sensor::{Frame, Sensor, SensorKind};
use crate::show::{Part, Show};
use crate::zone::Zone;

impl Rules<'_> {
    pub(super) fn sensors(&mut self, parts: &mut Parts, names: &Names) {
        for sensor in &mut parts.sensors {
            self.place = said(&sensor.place);
            let known = self.faults.len();
            self.sensor(&mut sensor.kind, names);
            if self.faults.len() == known {
                self.show(sensor, &parts.joints);
            }
        }
    }

    fn sensor(&mut self, kind: &mut SensorKind, names: &Names) {
        match kind {
            SensorKind::FramePose(frame)
            | SensorKind::FrameVelocity(frame)
            | SensorKind::FrameAcceleration(frame)
            | SensorKind::FrameSpecificForce(frame) => self.frame(frame, names),
            SensorKind::RelativePose { frame, from } | SensorKind::RelativeVelocity { frame, from } => {
                self.frame(frame, names);
                self.frame(from, names);
            }
            SensorKind::Imu { site }
            | SensorKind::SiteVelocity(site)
            | SensorKind::ForceTorque(site)
            | SensorKind::Range(site) => {
                names.sites.resolve(site, &self.place, self.faults);
            }
            SensorKind::Magnetometer { site, field } => {
                names.sites.resolve(site, &self.place, self.faults);
                self.finite_vector("the field", *field);
            }
            SensorKind::ContactForce(body) => {
                names.bodies.resolve(body, &self.place, self.faults);
            }
            SensorKind::Subtree(link) => {
                names.link(link, &self.place, self.faults);
            }
            SensorKind::JointState(joint) | SensorKind::JointEffort(joint) | SensorKind::BallRate(joint) => {
                names.joints.resolve(joint, &self.place, self.faults);
            }
            SensorKind::ActuatorState(actuator) => {
                names.actuators.resolve(actuator, &self.place, self.faults);
            }
            SensorKind::TendonState(tendon) | SensorKind::TendonEffort(tendon) => {
                names.tendons.resolve(tendon, &self.place, self.faults);
            }
            SensorKind::Touch { site, zone } => {
                names.sites.resolve(site, &self.place, self.faults);
                let lengths = zone.lengths();
                let is_ball = matches!(zone, Zone::Ellipsoid { .. }) && lengths == [lengths[0]; 3];
                let noun = if is_ball { "the radius" } else { "a length of the zone" };
                // one fault is enough
                if let Some(bad) = lengths.into_iter().find(|x| !(LEAST_LENGTH..=LENGTH).contains(x)) {
                    self.size(noun, bad);
                }
            }
            SensorKind::Energy | SensorKind::Clock => {}
        }
    }

    /// It gives numbers that it has.
    fn show(&mut self, sensor: &Sensor, joints: &[Joint]) {
        let Show { scale, offset, bounds, .. } = sensor.show;
        self.finite("the scale", scale);
        self.finite("the offset", offset);
        self.range("the bounds", bounds);
        let measured = sensor.kind.count(joints);
        if sensor.show.count(measured).is_none() {
            let what = "part of the measurement".into();
            let found = match sensor.show.part {
                Part::All => measured,
                Part::Numbers { first, count } => first.saturating_add(count),
                Part::Axis(_) => 4,
            };
            self.fault(FaultKind::WrongCount { what, found, expected: measured });
        }
    }

    fn frame(&mut self, frame: &mut Frame, names: &Names) {
        match frame {
            Frame::Body(body) => names.bodies.resolve(body, &self.place, self.faults),
            Frame::Site(site) => names.sites.resolve(site, &self.place, self.faults),
        };
    }

    pub(super) fn keyframes(&mut self, parts: &mut Parts, names: &Names) {
        for keyframe in &mut parts.keyframes {
            self.place = said(&keyframe.place);
            let joints = &parts.joints;
            for (list, what, count) in [
                (&mut keyframe.joints, "a coordinate", JointKind::coordinate_count as fn(JointKind) -> usize),
                (&mut keyframe.velocities, "a velocity", JointKind::dof_count),
            ] {
                for (joint, values) in list {
                    self.joint_values(what, values);
                    if names.joints.resolve(joint, &self.place, self.faults) {
                        let joint = &joints[joint.id().index()];
                        self.count_of(joint, values.len(), count(joint.kind));
                    }
                }
            }
            for (body, X_WL) in &mut keyframe.bodies {
                names.bodies.resolve(body, &self.place, self.faults);
                self.pose("a body's pose", X_WL);
            }
            for (body, twist) in &mut keyframe.twists {
                names.bodies.resolve(body, &self.place, self.faults);
                self.finite_vector("a body's velocity", twist.linear);
                self.finite_vector("a body's angular velocity", twist.angular);
            }
            for (actuator, value) in &mut keyframe.controls {
                names.actuators.resolve(actuator, &self.place, self.faults);
                self.finite("a control", *value);
            }
            for (actuator, value) in &mut keyframe.activations {
                names.actuators.resolve(actuator, &self.place, self.faults);
                self.finite("an activation", *value);
            }
        }
    }

    pub(super) fn filters(&mut self, parts: &mut Parts, names: &Names) {
        for filter in &mut parts.filters {
            let same = match filter {
                ContactFilter::Exclude { a, b, place } => {
                    self.place = place.clone();
                    names.bodies.resolve(a, place, self.faults) & names.bodies.resolve(b, place, self.faults)
                        && a == b
                }
                ContactFilter::Pair { a, b, surface, place } => {
                    self.place = place.clone();
                    if let Some(material) = &surface.material {
                        self.material(material);
                    }
                    self.finite("the margin", surface.margin.unwrap_or(0.0));
                    self.not_negative("the gap", surface.gap.unwrap_or(0.0));
                    if let Some(law) = &surface.softness {
                        self.softness(law, 0.0);
                    }
                    names.shapes.resolve(a, place, self.faults) & names.shapes.resolve(b, place, self.faults)
                        && a == b
                }
            };
            if same {
                self.fault(FaultKind::SameBody);
            }
        }
    }

    fn joint_values(&mut self, what: &str, values: &[f64]) {
        if let Some(bad) = values.iter().find(|x| !within(**x, LENGTH)) {
            self.near(what, *bad);
        }
    }

    fn count_of(&mut self, joint: &Joint, found: usize, expected: usize) {
        if found != expected {
            let what = format!("entry for joint {:?}", joint.name);
            self.fault(FaultKind::WrongCount { what, found, expected });
        }
    }
}
