//! What a model can say and no simulation does yet: the one place that knows.
//!
//! A part that uses such a feature stays in the model (exports write it), has no effect, and is listed in
//! [`crate::Model::ignored`]. Whoever teaches the simulation a feature makes [`Feature::simulated`] true for it, and
//! the list shortens by itself.

use crate::builder::Parts;
use crate::combine::MaterialRules;
use crate::fault::{Ignored, Place};
use crate::resolve::said;
use crate::{Dof, Joint, SensorKind, Target};

/// Something that a model can say beyond rigid bodies, joints, motors on joints and contacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Feature {
    /// [`Target::Tendon`].
    TendonDrive,
    /// [`Target::Site`] without a reference.
    SiteDrive,
    /// [`Target::Site`] with a reference.
    SiteReference,
    /// Spring, damping and armature of a [`crate::Tendon`].
    TendonSpring,
    /// A speed limit of a [`crate::Tendon`].
    TendonResistance,
    /// [`crate::Actuator::effort_range`], where it is not symmetric.
    EffortRange,
    /// [`crate::Dof::effort_range`], where it is not symmetric.
    JointEffortRange,
    /// [`crate::Body::gravity_compensation`].
    GravityCompensation,
    /// [`MaterialRules`] other than the average.
    MaterialRules,
    /// [`crate::Shape::priority`].
    ContactPriority,
    /// [`crate::Keyframe::velocities`].
    KeyframeVelocity,
    /// Kinds of [`crate::Sensor`] beyond IMU, pose, velocity, joint state, contact force and touch.
    MoreSensors,
}

impl Feature {
    /// Whether `bellcrank-sim` does it.
    pub const fn simulated(self) -> bool {
        match self {
            Feature::SiteReference | Feature::TendonResistance => false,
            Feature::TendonDrive
            | Feature::TendonSpring
            | Feature::SiteDrive
            | Feature::EffortRange
            | Feature::JointEffortRange
            | Feature::GravityCompensation
            | Feature::MaterialRules
            | Feature::ContactPriority
            | Feature::KeyframeVelocity
            | Feature::MoreSensors => true,
        }
    }

    /// What happens instead.
    const fn instead(self) -> &'static str {
        match self {
            Feature::TendonDrive => {
                "an actuator on several coordinates at once (a tendon) is not simulated: it gives no effort"
            }
            Feature::SiteDrive => "an actuator that pushes at a site is not simulated: it gives no effort",
            Feature::SiteReference => {
                "an actuator at a site with a reference site is not simulated: it gives no effort"
            }
            Feature::TendonSpring => "springs, damping and armature of a tendon are not simulated",
            Feature::TendonResistance => "a speed limit of a tendon is not simulated",
            Feature::EffortRange | Feature::JointEffortRange => {
                "the effort range is not symmetric: its larger bound holds both ways"
            }
            Feature::GravityCompensation => "gravity compensation is not simulated: the whole weight acts",
            Feature::MaterialRules => "the frictions of two shapes are averaged, whatever rule the file has",
            Feature::ContactPriority => "priorities of materials are not simulated: frictions are averaged",
            Feature::KeyframeVelocity => "velocities of keyframes are not used: a reset to it is at rest",
            Feature::MoreSensors => "sensors of this kind are known, but not measured by the simulation",
        }
    }
}

/// Everything in the model that has no effect: motors one by one, the rest by its first place and a count.
pub(crate) fn without_effect(parts: &Parts) -> Vec<Ignored> {
    let mut list = List(Vec::new());
    for actuator in &parts.actuators {
        let place = || said(&actuator.place);
        match actuator.target {
            Target::Joint { .. } | Target::Body(_) => {}
            Target::Tendon(_) => list.one(Feature::TendonDrive, place()),
            Target::Site { reference: None, .. } => list.one(Feature::SiteDrive, place()),
            Target::Site { reference: Some(_), .. } => list.one(Feature::SiteReference, place()),
        }
    }
    let uneven = |[low, high]: [f64; 2]| low != -high;
    let dofs_uneven = |joint: &&Joint| joint.dofs.iter().any(|dof| uneven(dof.effort_range));
    let places = |joint: &Joint| said(&joint.place);
    list.counted(
        Feature::EffortRange,
        parts.actuators.iter().filter(|a| uneven(a.effort_range)).map(|a| said(&a.place)),
    );
    list.counted(Feature::JointEffortRange, parts.joints.iter().filter(dofs_uneven).map(places));
    let springs = |d: &Dof| d.spring.is_some() || d.damping > 0.0 || d.armature > 0.0;
    let elastic = parts.tendons.iter().filter(|t| springs(&t.dof));
    list.counted(Feature::TendonSpring, elastic.map(|t| said(&t.place)));
    let bounded = parts.tendons.iter().filter(|t| t.dof.velocity_limit.is_finite());
    list.counted(Feature::TendonResistance, bounded.map(|t| said(&t.place)));
    let held = parts.bodies.iter().filter(|b| b.gravity_compensation != 0.0);
    list.counted(Feature::GravityCompensation, held.map(|b| said(&b.place)));
    let preferred = parts.shapes.iter().filter(|s| s.collides && s.priority != 0);
    list.counted(Feature::ContactPriority, preferred.map(|s| said(&s.place)));
    let moving = parts.keyframes.iter().filter(|k| !k.velocities.is_empty());
    list.counted(Feature::KeyframeVelocity, moving.map(|k| said(&k.place)));
    let unmeasured = parts.sensors.iter().filter(|s| !is_plain(&s.kind));
    list.counted(Feature::MoreSensors, unmeasured.map(|s| said(&s.place)));
    let touching: Vec<&crate::Shape> = parts.shapes.iter().filter(|s| s.collides).collect();
    let alike = touching.windows(2).all(|two| two[0].material == two[1].material);
    if parts.material_rules != MaterialRules::default() && !alike {
        list.counted(Feature::MaterialRules, touching.iter().take(1).map(|s| said(&s.place)));
    }
    list.0
}

/// Sensors that the simulation has measured from the start.
fn is_plain(kind: &SensorKind) -> bool {
    matches!(
        kind,
        SensorKind::Imu { .. }
            | SensorKind::FramePose(_)
            | SensorKind::FrameVelocity(_)
            | SensorKind::JointState(_)
            | SensorKind::ContactForce(_)
            | SensorKind::Touch { .. }
    )
}

struct List(Vec<Ignored>);

impl List {
    fn one(&mut self, feature: Feature, place: Place) {
        if !feature.simulated() {
            self.0.push(Ignored { place, why: feature.instead().into() });
        }
    }

    fn counted(&mut self, feature: Feature, mut places: impl Iterator<Item = Place>) {
        let Some(place) = places.next().filter(|_| !feature.simulated()) else { return };
        let count = 1 + places.count();
        let more = if count > 1 { format!(" ({count} times; first here)") } else { String::new() };
        self.0.push(Ignored { place, why: format!("{}{more}", feature.instead()) });
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        Actuator, Body, Control, Joint, Keyframe, ModelBuilder, Sensor, SensorKind, Site, Target, Tendon,
        WORLD,
    };

    /// Two hinges and all that the simulation does with them; two tendons with speed limits and a thruster with a reference,
    /// which it does not.
    #[test]
    fn what_has_no_effect_is_listed_with_its_place() {
        let mut m = ModelBuilder::new("finger");
        for (name, at) in [("near", "near_body"), ("far", "far_body")] {
            m.body(Body::new(at).solid_sphere(1.0, 0.1).gravity_compensation(0.5));
            m.joint(Joint::revolute(name, WORLD, at));
        }
        m.tendon(Tendon::new("cable").term("near", 1.0).term("far", 2.0).limits(-1.0, 1.0));
        for name in ["cord", "rope"] {
            let mut cord = Tendon::new(name).term("near", 1.0).limits(-1.0, 1.0).spring(5.0, 0.1);
            cord.dof.velocity_limit = 3.0;
            m.tendon(cord);
        }
        m.actuator(Actuator::new("winch", Target::tendon("cable"), Control::Effort));
        m.site(Site::new("tip", "far_body"));
        m.site(Site::new("root", "near_body"));
        let push = [0.0, 0.0, 1.0, 0.0, 0.0, 0.0];
        m.actuator(Actuator::new("jet", Target::site("tip", push), Control::Effort));
        let aimed = Target::Site { site: "tip".into(), reference: Some("root".into()), wrench: push };
        m.actuator(Actuator::new("hand", aimed, Control::Effort));
        m.actuator(Actuator::effort("plain", "near").effort_range(-1.0, 2.0));
        m.sensor(Sensor::joint_state("angle", "near"));
        m.sensor(Sensor::new("time", SensorKind::Clock));
        m.keyframe(Keyframe::new("start").velocity("near", [1.0]));
        let model = m.build().unwrap();
        let text: Vec<String> =
            model.ignored().iter().map(|i| format!("{} {}", i.place.element, i.why)).collect();
        let expect = |part: &str, why: &str| {
            assert!(text.iter().any(|line| line.contains(part) && line.contains(why)), "{part}: {text:#?}");
        };
        expect("hand", "with a reference site is not simulated");
        expect("cord", "a speed limit of a tendon is not simulated (2 times");
        assert_eq!(text.len(), 2, "{text:#?}");
    }
}
