//! Motors.

use crate::fault::Place;
use crate::ids::{JointId, Ref};

/// A motor on one degree of freedom of a joint.
///
/// With gear g the motor's own coordinate is g·q and its effort reaches the joint multiplied by g.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator {
    /// Unique among actuators.
    pub name: String,
    /// The joint that it drives.
    pub joint: Ref<JointId>,
    /// Which of its degrees of freedom.
    pub dof: usize,
    /// How the control becomes effort.
    pub control: Control,
    /// Motor coordinate per joint coordinate.
    pub gear: f64,
    /// Largest effort of the motor [N·m or N]; infinite for none.
    pub effort_limit: f64,
    /// Controls are clamped to this range; infinite for none.
    pub control_range: [f64; 2],
    /// Where it was said.
    pub place: Option<Place>,
}

/// How a control u becomes effort, with q and q̇ at the end of the step (implicit).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control {
    /// kp (target − q) + kd (target velocity − q̇) + feed-forward effort.
    Position {
        /// [N·m/rad or N/m]
        kp: f64,
        /// [N·m·s/rad or N·s/m]
        kd: f64,
    },
    /// kd (target velocity − q̇) + feed-forward effort.
    Velocity {
        /// [N·m·s/rad or N·s/m]
        kd: f64,
    },
    /// The effort itself.
    Effort,
    /// gain · u + bias₀ + bias₁ q + bias₂ q̇.
    Affine {
        /// [N·m or N per unit of u]
        gain: f64,
        /// [N·m, N·m/rad, N·m·s/rad] or [N, N/m, N·s/m]
        bias: [f64; 3],
    },
}

impl Control {
    /// Whether all gains are finite numbers.
    pub fn is_finite(&self) -> bool {
        match *self {
            Control::Position { kp, kd } => kp.is_finite() && kd.is_finite(),
            Control::Velocity { kd } => kd.is_finite(),
            Control::Effort => true,
            Control::Affine { gain, bias } => gain.is_finite() && bias.iter().all(|b| b.is_finite()),
        }
    }
}

impl Actuator {
    fn new(name: impl Into<String>, joint: impl Into<Ref<JointId>>, control: Control) -> Self {
        Actuator {
            name: name.into(),
            joint: joint.into(),
            dof: 0,
            control,
            gear: 1.0,
            effort_limit: f64::INFINITY,
            control_range: [f64::NEG_INFINITY, f64::INFINITY],
            place: None,
        }
    }

    /// Holds a coordinate.
    pub fn position(name: impl Into<String>, joint: impl Into<Ref<JointId>>, kp: f64, kd: f64) -> Self {
        Actuator::new(name, joint, Control::Position { kp, kd })
    }

    /// Holds a speed.
    pub fn velocity(name: impl Into<String>, joint: impl Into<Ref<JointId>>, kd: f64) -> Self {
        Actuator::new(name, joint, Control::Velocity { kd })
    }

    /// Gives the effort that it is told.
    pub fn effort(name: impl Into<String>, joint: impl Into<Ref<JointId>>) -> Self {
        Actuator::new(name, joint, Control::Effort)
    }

    /// Gives gain · u + bias₀ + bias₁ q + bias₂ q̇.
    pub fn affine(
        name: impl Into<String>,
        joint: impl Into<Ref<JointId>>,
        gain: f64,
        bias: [f64; 3],
    ) -> Self {
        Actuator::new(name, joint, Control::Affine { gain, bias })
    }

    /// Drives another degree of freedom than the first.
    pub fn dof(mut self, dof: usize) -> Self {
        self.dof = dof;
        self
    }

    /// Motor coordinate per joint coordinate.
    pub fn gear(mut self, gear: f64) -> Self {
        self.gear = gear;
        self
    }

    /// Largest effort of the motor [N·m or N].
    pub fn effort_limit(mut self, limit: f64) -> Self {
        self.effort_limit = limit;
        self
    }

    /// Controls are clamped to this range.
    pub fn control_range(mut self, low: f64, high: f64) -> Self {
        self.control_range = [low, high];
        self
    }

    /// Says where the actuator was described; otherwise it is the caller's line.
    pub fn place(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }
}
