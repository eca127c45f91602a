//! Electric motors that are told a voltage.

/// A direct-current motor: its control is the voltage u, its effort K i with i = (u − K ω)/R, or with the current of
/// its winding where it has [inductance](crate::ActivationLaw::Current).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DcMotor {
    /// K: torque per current and voltage per speed [N·m/A, V·s/rad].
    pub constant: f64,
    /// R [Ω]
    pub resistance: f64,
    /// Torque of the magnets on the iron, c₀ sin(c₁ θ + c₂) at the angle θ of the motor [N·m, 1, rad]; zero for none.
    pub cogging: [f64; 3],
}

impl DcMotor {
    /// By its constant and its resistance.
    pub fn new(constant: f64, resistance: f64) -> Self {
        DcMotor { constant, resistance, cogging: [0.0; 3] }
    }

    /// By what the sheet says: at this voltage it has this torque at rest and this speed without load.
    pub fn nominal(voltage: f64, stall: f64, no_load: f64) -> Self {
        let constant = voltage / no_load;
        DcMotor::new(constant, constant * voltage / stall)
    }

    /// All numbers, in their order.
    pub fn numbers(&self) -> [f64; 5] {
        let [c0, c1, c2] = self.cogging;
        [self.constant, self.resistance, c0, c1, c2]
    }
}
