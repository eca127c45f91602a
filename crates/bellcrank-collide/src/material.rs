//! The surface that two shapes make: their material (the rules are the model's), and how near counts as touching.

use bellcrank_math::numbers;
use bellcrank_model::Material;

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

numbers!(Surface { sliding, torsional, rolling, restitution, margin, gap });

impl Surface<f64> {
    /// Of two shapes with this material between them.
    pub(crate) fn of(material: &Material, margin: f64, gap: f64) -> Self {
        let Material { sliding, torsional, rolling, restitution, .. } = *material;
        Surface { sliding, torsional, rolling, restitution, margin, gap }
    }
}

impl<R: Copy> Surface<R> {
    /// All of its numbers.
    pub(crate) fn numbers(&self) -> [R; 6] {
        let Surface { sliding, torsional, rolling, restitution, margin, gap } = *self;
        [sliding, torsional, rolling, restitution, margin, gap]
    }

    /// The same in other numbers.
    pub(crate) fn in_other<S>(&self, convert: impl Fn(R) -> S) -> Surface<S> {
        let [sliding, torsional, rolling, restitution, margin, gap] = self.numbers().map(convert);
        Surface { sliding, torsional, rolling, restitution, margin, gap }
    }
}
