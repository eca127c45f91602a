//! Named poses to start from.

use crate::fault::Place;
use crate::ids::{ActuatorId, BodyId, JointId, Ref};
use bellcrank_math::{Pose, Twist};

/// A named state: whatever it does not mention stays as at the reference pose.
///
/// For a mechanism with loops it is enough to give some coordinates; the others follow when it is assembled.
#[derive(Clone, Debug, PartialEq)]
pub struct Keyframe {
    /// Unique among keyframes.
    pub name: String,
    /// Joint coordinates [rad or m].
    pub joints: Vec<(Ref<JointId>, Vec<f64>)>,
    /// Joint velocities [rad/s or m/s]; zero where nothing is said.
    pub velocities: Vec<(Ref<JointId>, Vec<f64>)>,
    /// X_WL of bodies, for floating bases.
    pub bodies: Vec<(Ref<BodyId>, Pose)>,
    /// Velocities of bodies that nothing carries: of the centre of mass [m/s] and angular [rad/s], world axes.
    pub twists: Vec<(Ref<BodyId>, Twist)>,
    /// Controls [unit of the actuator].
    pub controls: Vec<(Ref<ActuatorId>, f64)>,
    /// States of actuators that have one; zero where nothing is said.
    pub activations: Vec<(Ref<ActuatorId>, f64)>,
    /// Where it was said.
    pub place: Option<Place>,
}

impl Keyframe {
    /// The reference pose under another name, until told more.
    pub fn new(name: impl Into<String>) -> Self {
        Keyframe {
            name: name.into(),
            joints: Vec::new(),
            velocities: Vec::new(),
            bodies: Vec::new(),
            twists: Vec::new(),
            controls: Vec::new(),
            activations: Vec::new(),
            place: None,
        }
    }

    /// Coordinates of a joint.
    pub fn joint(mut self, joint: impl Into<Ref<JointId>>, coordinates: impl Into<Vec<f64>>) -> Self {
        self.joints.push((joint.into(), coordinates.into()));
        self
    }

    /// Velocities of a joint.
    pub fn velocity(mut self, joint: impl Into<Ref<JointId>>, velocities: impl Into<Vec<f64>>) -> Self {
        self.velocities.push((joint.into(), velocities.into()));
        self
    }

    /// Pose X_WL of a body.
    pub fn body(mut self, body: impl Into<Ref<BodyId>>, X_WL: Pose) -> Self {
        self.bodies.push((body.into(), X_WL));
        self
    }

    /// Velocity of a body that nothing carries: of its centre of mass [m/s] and angular [rad/s], world axes.
    pub fn twist(mut self, body: impl Into<Ref<BodyId>>, V_WB: Twist) -> Self {
        self.twists.push((body.into(), V_WB));
        self
    }

    /// Control of an actuator.
    pub fn control(mut self, actuator: impl Into<Ref<ActuatorId>>, value: f64) -> Self {
        self.controls.push((actuator.into(), value));
        self
    }

    /// State of an actuator that has one, see [`crate::Activation`].
    pub fn activation(mut self, actuator: impl Into<Ref<ActuatorId>>, value: f64) -> Self {
        self.activations.push((actuator.into(), value));
        self
    }

    /// Says where the keyframe was described; otherwise it is the caller's line.
    pub fn place(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }
}
