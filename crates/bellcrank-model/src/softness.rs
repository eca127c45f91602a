//! How limits, contacts and loops give way where they are not hard: the law of MuJoCo's constraints.
//!
//! A soft row with the gap r (negative inside), the rate v and the reaction f moves with the acceleration
//!
//! a = −b v − k d r + R f,   R = (1 − d)/d · A,
//!
//! A being the mobility of the row (1/A is the mass that it feels) and d, the impedance, a function of r. Models are hard unless
//! they say so with [`crate::ModelBuilder::compliance`].

/// k, b and d.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Softness {
    /// Time constant [s] and damping ratio of the way back, or −k and −b themselves where they are negative.
    pub reference: [f64; 2],
    /// d at the surface, d deep inside, how deep that is [m or rad], and midpoint and power of the curve between them.
    pub impedance: [f64; 5],
}

impl Default for Softness {
    fn default() -> Self {
        Softness { reference: [0.02, 1.0], impedance: [0.9, 0.95, 0.001, 0.5, 2.0] }
    }
}

/// The same of one shape, for contacts with others.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShapeSoftness {
    /// Its own.
    pub law: Softness,
    /// Its weight where two are mixed.
    pub mix: f64,
    /// A of what the shape is fixed to [1/kg]; zero for the world.
    pub mobility: f64,
}

/// The same of one degree of freedom.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DofSoftness {
    /// Of its limits.
    pub limit: Softness,
    /// Of its dry friction.
    pub friction: Softness,
    /// A [1/(kg·m²) or 1/kg].
    pub mobility: f64,
}

/// The same of what a joint holds together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HeldSoftness {
    /// Of all its rows; d follows from how far all of them are open together.
    pub law: Softness,
    /// A of its rows that push and of those that turn [1/kg, 1/(kg·m²)].
    pub mobility: [f64; 2],
}

/// A row that gives way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SoftRow {
    /// Its law.
    pub law: Softness,
    /// A [1/kg or 1/(kg·m²)].
    pub mobility: f64,
}

/// What holds for all soft contacts of a model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compliance {
    /// How much harder friction is than the normal.
    pub friction_ratio: f64,
    /// A contact gives way as the edges of a pyramid do, which shifts what it yields from the tangents to the normal.
    pub pyramid: bool,
}

impl ShapeSoftness {
    /// Of the contact between two shapes whose priorities are equal.
    pub fn mixed(&self, other: &ShapeSoftness) -> Softness {
        let counts = |x: f64| x >= 1e-15;
        let share = match (counts(self.mix), counts(other.mix)) {
            (true, true) => self.mix / (self.mix + other.mix),
            (false, false) => 0.5,
            (one, _) => f64::from(u8::from(one)),
        };
        let between = |a: f64, b: f64| share * a + (1.0 - share) * b;
        let (a, b) = (&self.law, &other.law);
        let times = a.reference[0] > 0.0 && b.reference[0] > 0.0;
        let reference = |i: usize| {
            let (a, b) = (a.reference[i], b.reference[i]);
            if times { between(a, b) } else { a.min(b) }
        };
        Softness {
            reference: [0, 1].map(reference),
            impedance: [0, 1, 2, 3, 4].map(|i| between(a.impedance[i], b.impedance[i])),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By hand: weights 3 and 1 give three quarters of the first; a shape without weight has no say; stiffnesses of which one is given
    /// directly are not averaged: the smaller number, which is the harder one, holds.
    #[test]
    fn two_shapes_are_mixed_by_their_weights() {
        let law = |time: f64| Softness { reference: [time, 1.0], ..Softness::default() };
        let shape = |time: f64, mix: f64| ShapeSoftness { law: law(time), mix, mobility: 1.0 };
        let mixed = |a: (f64, f64), b: (f64, f64)| shape(a.0, a.1).mixed(&shape(b.0, b.1)).reference[0];
        assert!((mixed((0.04, 3.0), (0.08, 1.0)) - 0.05).abs() < 1e-15);
        assert_eq!(mixed((0.04, 0.0), (0.08, 1.0)), 0.08);
        assert_eq!(mixed((0.04, 0.0), (0.08, 0.0)), 0.06);
        assert_eq!(mixed((-1000.0, 1.0), (0.08, 1.0)), -1000.0);
    }
}
