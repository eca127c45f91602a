//! How the materials of two shapes become one surface.

use bellcrank_math::{Elem, Real};
use bellcrank_model::Material;

/// How two coefficients become one.
///
/// MuJoCo takes the larger friction of the two; USD (PhysX), Newton and Kamino take the average. The default is
/// [`Combine::Average`]: a slippery shoe on the usual ground is then slippery, which the maximum would hide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Combine {
    /// (a + b) / 2, the rule of USD.
    #[default]
    Average,
    /// The larger, the rule of MJCF.
    Maximum,
    /// The smaller.
    Minimum,
    /// a · b
    Product,
}

impl Combine {
    /// The coefficient of a pair; the same for (a, b) and (b, a).
    pub fn of(self, a: f64, b: f64) -> f64 {
        match self {
            Combine::Average => 0.5 * (a + b),
            Combine::Maximum => f64::max(a, b),
            Combine::Minimum => f64::min(a, b),
            Combine::Product => a * b,
        }
    }
}

/// One rule for the three frictions, one for the restitution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CombineRules {
    /// Sliding, torsional and rolling friction.
    pub friction: Combine,
    /// Newton's coefficient.
    pub restitution: Combine,
}

impl CombineRules {
    /// What MJCF means: the larger friction.
    pub const MJCF: CombineRules = CombineRules { friction: Combine::Maximum, restitution: Combine::Maximum };

    /// The material of a pair.
    pub fn of(self, a: &Material, b: &Material) -> Material {
        Material {
            sliding: self.friction.of(a.sliding, b.sliding),
            torsional: self.friction.of(a.torsional, b.torsional),
            rolling: self.friction.of(a.rolling, b.rolling),
            restitution: self.restitution.of(a.restitution, b.restitution),
        }
    }
}

/// How the two shapes of a pair rub, bounce and keep their distance, per lane.
#[derive(Clone, Copy, Debug, Default)]
pub struct Surface<R = f64> {
    /// Coulomb's coefficient of sliding.
    pub sliding: R,
    /// Torsional friction: moment about the normal per normal force \[m\].
    pub torsional: R,
    /// Rolling friction: moment about the tangents per normal force \[m\].
    pub rolling: R,
    /// Newton's coefficient of restitution, 0 to 1.
    pub restitution: R,
    /// Sum of the two margins \[m\]: at rest the geometries are this far apart.
    pub margin: R,
    /// Sum of the two gaps \[m\]: contacts are kept up to this distance.
    pub gap: R,
}

impl<R: Real> Surface<R> {
    /// From one material per lane.
    pub(crate) fn from_lanes(margin: f64, gap: f64, material: impl Fn(usize) -> Material) -> Self {
        let pick = |field: fn(&Material) -> f64| R::from_lanes(|i| Elem::from_f64(field(&material(i))));
        Surface {
            sliding: pick(|m| m.sliding),
            torsional: pick(|m| m.torsional),
            rolling: pick(|m| m.rolling),
            restitution: pick(|m| m.restitution),
            margin: R::constant(margin),
            gap: R::constant(gap),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_give_their_means_and_do_not_see_the_order() {
        let expected = [
            (Combine::Average, 0.5),
            (Combine::Maximum, 0.8),
            (Combine::Minimum, 0.2),
            (Combine::Product, 0.2 * 0.8),
        ];
        for (rule, value) in expected {
            assert_eq!((rule.of(0.2, 0.8), rule.of(0.8, 0.2)), (value, value), "{rule:?}");
        }
    }
}
