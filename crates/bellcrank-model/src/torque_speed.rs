//! What an electric motor can give at speed.

/// The line between a motor's effort at rest and its speed without load.
///
/// A motor at a fixed voltage turns against its own back-EMF, so that what it can give falls with the speed: at the
/// rate ω of the motor (that of the joint times the gear) its effort lies between −s (1 + ω/ω₀) and s (1 − ω/ω₀), and
/// never beyond the saturation. Driven faster than ω₀ it can only brake.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TorqueSpeed {
    /// s: the effort at rest that the line begins at [N·m or N].
    pub stall: f64,
    /// ω₀: the speed at which nothing is left [rad/s or m/s].
    pub no_load: f64,
    /// The largest effort at any speed, as far as the current reaches [N·m or N].
    pub saturation: f64,
}

impl TorqueSpeed {
    /// A motor that is saturated by its stall torque.
    pub fn new(stall: f64, no_load: f64) -> Self {
        TorqueSpeed { stall, no_load, saturation: stall }
    }

    /// Where the current, and with it the effort, ends sooner or later than at the stall torque.
    pub fn saturation(mut self, saturation: f64) -> Self {
        self.saturation = saturation;
        self
    }

    /// s/ω₀ [N·m·s/rad or N·s/m]
    pub fn slope(&self) -> f64 {
        self.stall / self.no_load
    }
}
