//! Motors.

use crate::fault::Place;
use crate::ids::{BodyId, JointId, Ref, SiteId, TendonId};
use crate::magnitude::STRENGTH;
use crate::muscle::Muscle;
use crate::torque_speed::TorqueSpeed;
use crate::voltage::DcMotor;

/// A motor.
///
/// With gear g the motor's own coordinate is g·q, where q is the coordinate of its [`Target`], and its effort
/// reaches the target multiplied by g.
#[derive(Clone, Debug, PartialEq)]
pub struct Actuator {
    /// Unique among actuators.
    pub name: String,
    /// What it moves.
    pub target: Target,
    /// How the control becomes effort.
    pub control: Control,
    /// Motor coordinate per coordinate of the target.
    pub gear: f64,
    /// Largest effort of the motor [N·m or N]; infinite for none.
    pub effort_limit: f64,
    /// Least and largest effort of a motor that does not push as it pulls [N·m or N]; infinite for none. It holds
    /// besides `effort_limit`.
    pub effort_range: [f64; 2],
    /// Controls are clamped to this range; infinite for none.
    pub control_range: [f64; 2],
    /// How strong it is at speed; `None` for a motor that gives its whole effort at any speed.
    pub torque_speed: Option<TorqueSpeed>,
    /// A state between the control and the effort; `None` where the control acts at once.
    pub activation: Option<Activation>,
    /// Where it was said.
    pub place: Option<Place>,
}

/// A state a of an [`Actuator`] that follows its control u and acts in its place: a valve that fills, a drive that integrates.
///
/// Of a position drive u is the target position, of a velocity drive the target velocity, else the effort or the control of
/// the affine law. It starts at zero, and is part of the world's state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Activation {
    /// How it follows.
    pub law: ActivationLaw,
    /// It is clamped to this range; infinite for none.
    pub range: [f64; 2],
    /// The effort of a step comes from the state at its end, not at its start.
    pub early: bool,
}

/// How an [`Activation`] follows its control.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ActivationLaw {
    /// ȧ = (u − a)/T, solved exactly over a step in which u stays.
    Filter {
        /// T [s]
        time: f64,
    },
    /// ȧ = u.
    Integral,
    /// ȧ = (u − a)/τ with u in [0, 1] and, for b = ½ + 1½ a, τ = T₀ b where a rises and T₁/b where it falls; between
    /// the two, over u − a = ±½ `smooth`, τ goes along 6x⁵ − 15x⁴ + 10x³. (Millard et al. 2013; MuJoCo's muscles.) A
    /// step takes a no further than to u.
    Muscle {
        /// T₀ and T₁ [s]
        times: [f64; 2],
        /// Zero where τ jumps.
        smooth: f64,
    },
    /// The current i of the winding of a [`DcMotor`]: T i' = (u − K ω)/R − i, with i and ω at the end of the step.
    Current {
        /// T = L/R [s]
        time: f64,
        /// Largest |i'| [A/s]; infinite for none.
        rate: f64,
    },
}

impl Activation {
    /// A low-pass filter of this time constant [s].
    pub fn filter(time: f64) -> Self {
        Activation {
            law: ActivationLaw::Filter { time },
            range: [f64::NEG_INFINITY, f64::INFINITY],
            early: false,
        }
    }

    /// The integral of the control.
    pub fn integral() -> Self {
        Activation { law: ActivationLaw::Integral, ..Activation::filter(1.0) }
    }

    /// Of a muscle that is activated and deactivated in these times [s].
    pub fn muscle(times: [f64; 2]) -> Self {
        Activation { law: ActivationLaw::Muscle { times, smooth: 0.0 }, ..Activation::filter(1.0) }
    }

    /// The current in a winding with the time constant L/R [s].
    pub fn current(time: f64) -> Self {
        let law = ActivationLaw::Current { time, rate: f64::INFINITY };
        Activation { law, early: true, ..Activation::filter(1.0) }
    }

    /// Clamps it.
    pub fn range(mut self, low: f64, high: f64) -> Self {
        self.range = [low, high];
        self
    }
}

/// What an [`Actuator`] moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Target {
    /// One degree of freedom of a joint.
    Joint {
        /// The joint.
        joint: Ref<JointId>,
        /// Which of its degrees of freedom.
        dof: usize,
    },
    /// Several coordinates at once, by their weighted sum.
    Tendon(Ref<TendonId>),
    /// A site, which it pushes and turns.
    Site {
        /// Where the wrench acts.
        site: Ref<SiteId>,
        /// In whose axes `wrench` is told, and against which the motor's coordinate is measured; the site's own
        /// axes and no coordinate for `None`.
        reference: Option<Ref<SiteId>>,
        /// Force [N] and moment [N·m] per unit of effort.
        wrench: [f64; 6],
    },
    /// What touches a body, which it pulls to the body along the normals of the contacts, in equal shares: a sucker or
    /// a gecko's foot. It has no coordinate, and pushes nothing away.
    Body(Ref<BodyId>),
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
    /// (gain₀ + gain₁ q + gain₂ q̇) u + bias₀ + bias₁ q + bias₂ q̇: a damper or a spring whose strength is the control.
    Varying {
        /// [N·m, N·m/rad, N·m·s/rad] or [N, N/m, N·s/m], per unit of u
        gain: [f64; 3],
        /// [N·m, N·m/rad, N·m·s/rad] or [N, N/m, N·s/m]
        bias: [f64; 3],
    },
    /// A muscle that u activates.
    Muscle(Muscle),
    /// An electric motor at the voltage u.
    Voltage(DcMotor),
}

impl Control {
    /// Whether all gains are finite numbers that can be computed with ([`STRENGTH`]).
    pub fn is_finite(&self) -> bool {
        let usable = |x: f64| x.abs() <= STRENGTH;
        match *self {
            Control::Position { kp, kd } => usable(kp) && usable(kd),
            Control::Velocity { kd } => usable(kd),
            Control::Effort => true,
            Control::Affine { gain, bias } => usable(gain) && bias.into_iter().all(usable),
            Control::Varying { gain, bias } => gain.into_iter().chain(bias).all(usable),
            Control::Muscle(muscle) => muscle.numbers().into_iter().all(usable),
            Control::Voltage(motor) => motor.numbers().into_iter().all(usable),
        }
    }
}

impl Target {
    /// The first degree of freedom of a joint.
    pub fn joint(joint: impl Into<Ref<JointId>>) -> Self {
        Target::Joint { joint: joint.into(), dof: 0 }
    }

    /// A weighted sum of coordinates.
    pub fn tendon(tendon: impl Into<Ref<TendonId>>) -> Self {
        Target::Tendon(tendon.into())
    }

    /// What touches a body.
    pub fn body(body: impl Into<Ref<BodyId>>) -> Self {
        Target::Body(body.into())
    }

    /// A wrench at a site, in the site's axes.
    pub fn site(site: impl Into<Ref<SiteId>>, wrench: [f64; 6]) -> Self {
        Target::Site { site: site.into(), reference: None, wrench }
    }
}

impl Actuator {
    /// A motor on any target.
    pub fn new(name: impl Into<String>, target: Target, control: Control) -> Self {
        Actuator {
            name: name.into(),
            target,
            control,
            gear: 1.0,
            effort_limit: f64::INFINITY,
            effort_range: [f64::NEG_INFINITY, f64::INFINITY],
            control_range: [f64::NEG_INFINITY, f64::INFINITY],
            torque_speed: None,
            activation: None,
            place: None,
        }
    }

    /// Holds a coordinate.
    pub fn position(name: impl Into<String>, joint: impl Into<Ref<JointId>>, kp: f64, kd: f64) -> Self {
        Actuator::new(name, Target::joint(joint), Control::Position { kp, kd })
    }

    /// Holds a speed.
    pub fn velocity(name: impl Into<String>, joint: impl Into<Ref<JointId>>, kd: f64) -> Self {
        Actuator::new(name, Target::joint(joint), Control::Velocity { kd })
    }

    /// Gives the effort that it is told.
    pub fn effort(name: impl Into<String>, joint: impl Into<Ref<JointId>>) -> Self {
        Actuator::new(name, Target::joint(joint), Control::Effort)
    }

    /// Gives gain · u + bias₀ + bias₁ q + bias₂ q̇.
    pub fn affine(
        name: impl Into<String>,
        joint: impl Into<Ref<JointId>>,
        gain: f64,
        bias: [f64; 3],
    ) -> Self {
        Actuator::new(name, Target::joint(joint), Control::Affine { gain, bias })
    }

    /// Drives another degree of freedom than the first of its joint; other targets have one only.
    pub fn dof(mut self, number: usize) -> Self {
        if let Target::Joint { dof, .. } = &mut self.target {
            *dof = number;
        }
        self
    }

    /// Motor coordinate per coordinate of the target.
    pub fn gear(mut self, gear: f64) -> Self {
        self.gear = gear;
        self
    }

    /// Largest effort of the motor [N·m or N].
    pub fn effort_limit(mut self, limit: f64) -> Self {
        self.effort_limit = limit;
        self
    }

    /// Least and largest effort [N·m or N].
    pub fn effort_range(mut self, low: f64, high: f64) -> Self {
        self.effort_range = [low, high];
        self
    }

    /// Controls are clamped to this range.
    pub fn control_range(mut self, low: f64, high: f64) -> Self {
        self.control_range = [low, high];
        self
    }

    /// How strong it is at speed.
    pub fn torque_speed(mut self, line: TorqueSpeed) -> Self {
        self.torque_speed = Some(line);
        self
    }

    /// A state between the control and the effort.
    pub fn activation(mut self, activation: Activation) -> Self {
        self.activation = Some(activation);
        self
    }

    /// Says where the actuator was described; otherwise it is the caller's line.
    pub fn place(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }

    /// The joint and the degree of freedom that it drives; `None` where it drives something else.
    ///
    /// # Panics
    /// When the joint is still a name, which a built model never contains.
    pub fn coordinate(&self) -> Option<(JointId, usize)> {
        match &self.target {
            Target::Joint { joint, dof } => Some((joint.id(), *dof)),
            Target::Tendon(_) | Target::Site { .. } | Target::Body(_) => None,
        }
    }

    /// Whether it drives this degree of freedom of this joint.
    ///
    /// # Panics
    /// When the joint is still a name, which a built model never contains.
    pub fn drives(&self, joint: usize, dof: usize) -> bool {
        self.coordinate().is_some_and(|(j, d)| j.index() == joint && d == dof)
    }

    /// What the motor can give at most at any speed, from all bounds: least and largest effort [N·m or N].
    pub fn effort_bounds(&self) -> [f64; 2] {
        let most = self.torque_speed.map_or(f64::INFINITY, |line| line.saturation);
        effort_bounds(self.effort_limit.min(most), self.effort_range)
    }
}

/// The bounds that a largest effort and a range leave together; in order where the range is.
pub(crate) fn effort_bounds(limit: f64, range: [f64; 2]) -> [f64; 2] {
    range.map(|bound| bound.max(-limit).min(limit))
}
