//! How the materials of two shapes that touch become one.

/// How two coefficients become one.
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
}
