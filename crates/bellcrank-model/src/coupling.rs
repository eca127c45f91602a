//! Linear relations between joint coordinates: gears, mimic joints, differentials.

use crate::fault::Place;
use crate::ids::{JointId, Ref};

/// Σ coefficient · coordinate = constant, held like any other constraint.
///
/// A gear pair of ratio n is `q₁ + n q₂ = 0`; URDF's mimic `q = multiplier · q_other + offset` is
/// `q − multiplier · q_other = offset`.
#[derive(Clone, Debug, PartialEq)]
pub struct Coupling {
    /// Unique among couplings.
    pub name: String,
    /// The coordinates that take part.
    pub terms: Vec<CouplingTerm>,
    /// Right-hand side [the unit of the sum].
    pub constant: f64,
    /// Where it was said.
    pub place: Option<Place>,
}

/// One coordinate of a [`Coupling`].
#[derive(Clone, Debug, PartialEq)]
pub struct CouplingTerm {
    /// The joint.
    pub joint: Ref<JointId>,
    /// Which of its degrees of freedom.
    pub dof: usize,
    /// Its weight in the sum.
    pub coefficient: f64,
}

impl Coupling {
    /// A coupling without terms yet; the sum shall be zero.
    pub fn new(name: impl Into<String>) -> Self {
        Coupling { name: name.into(), terms: Vec::new(), constant: 0.0, place: None }
    }

    /// Adds the first coordinate of a joint.
    pub fn term(self, joint: impl Into<Ref<JointId>>, coefficient: f64) -> Self {
        self.term_of(joint, 0, coefficient)
    }

    /// Adds any coordinate of a joint.
    pub fn term_of(mut self, joint: impl Into<Ref<JointId>>, dof: usize, coefficient: f64) -> Self {
        self.terms.push(CouplingTerm { joint: joint.into(), dof, coefficient });
        self
    }

    /// What the sum shall be.
    pub fn constant(mut self, constant: f64) -> Self {
        self.constant = constant;
        self
    }

    /// Says where the coupling was described; otherwise it is the caller's line.
    pub fn place(mut self, place: Place) -> Self {
        self.place = Some(place);
        self
    }
}
