//! How the materials of two shapes that touch become one.

use crate::shape::Material;

/// How two coefficients become one.
///
/// MuJoCo takes the larger friction of the two; USD (PhysX), Newton and Kamino take the average. The default is
/// [`CombineRule::Average`]: a slippery shoe on the usual ground is then slippery, which the maximum would hide.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CombineRule {
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

impl CombineRule {
    /// The coefficient of a pair; the same for (a, b) and (b, a).
    pub fn of(self, a: f64, b: f64) -> f64 {
        match self {
            CombineRule::Average => 0.5 * (a + b),
            CombineRule::Maximum => f64::max(a, b),
            CombineRule::Minimum => f64::min(a, b),
            CombineRule::Product => a * b,
        }
    }
}

/// The rules of a model. Where two shapes differ in [`crate::Shape::priority`], the material of the higher one holds
/// and nothing is combined.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MaterialRules {
    /// Of sliding, torsional and rolling friction.
    pub friction: CombineRule,
    /// Of Newton's coefficient.
    pub restitution: CombineRule,
}

impl MaterialRules {
    /// What MJCF means: element by element the larger.
    pub const MJCF: MaterialRules =
        MaterialRules { friction: CombineRule::Maximum, restitution: CombineRule::Maximum };

    /// The material of a pair whose shapes have the same priority.
    pub fn of(self, a: &Material, b: &Material) -> Material {
        Material {
            sliding: self.friction.of(a.sliding, b.sliding),
            torsional: self.friction.of(a.torsional, b.torsional),
            rolling: self.friction.of(a.rolling, b.rolling),
            restitution: self.restitution.of(a.restitution, b.restitution),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_give_their_means_and_do_not_see_the_order() {
        let expected = [
            (CombineRule::Average, 0.5),
            (CombineRule::Maximum, 0.8),
            (CombineRule::Minimum, 0.2),
            (CombineRule::Product, 0.2 * 0.8),
        ];
        for (rule, value) in expected {
            assert_eq!((rule.of(0.2, 0.8), rule.of(0.8, 0.2)), (value, value), "{rule:?}");
        }
    }
}
