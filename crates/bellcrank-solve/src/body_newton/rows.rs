//! The rows of a problem, scaled by P, and their cones.

use crate::body_space::BodySpace;
use crate::cone::Cone;
use crate::delassus::Delassus;
use crate::problem::DualProblem;
use bellcrank_math::Elem;

/// Rows scaled by one factor per cone, so that the largest entry of G̃ on the cone's diagonal is one.
#[derive(Clone, Debug, Default)]
pub(super) struct BodyRows<E> {
    /// p and 1/p, by row.
    pub scale: Vec<E>,
    pub inverse_scale: Vec<E>,
    /// C̃, by row.
    pub compliance: Vec<E>,
    pub cones: Vec<ConeRows<E>>,
    /// y₀ of the reactions that the solve starts from, and P v with them: g̃ = P v − G̃ y₀.
    pub first: Vec<E>,
    pub velocity: Vec<E>,
    /// What G is multiplied with.
    pub pushed: Vec<E>,
}

/// The rows of one cone.
#[derive(Clone, Copy, Debug)]
pub(super) struct ConeRows<E> {
    pub first: usize,
    pub count: usize,
    /// Where its small matrices begin.
    pub small: usize,
    pub law: Law<E>,
}

/// What a cone allows, in scaled reactions.
#[derive(Clone, Copy, Debug)]
pub(super) enum Law<E> {
    /// One row between bounds.
    Within { low: E, high: E },
    /// ‖y_t‖ ≤ μ y_n, the normal last.
    Contact { mu: E },
}

impl<E: Elem> BodyRows<E> {
    #[inline(always)]
    pub fn take(&mut self, problem: &DualProblem<E>, space: &BodySpace<'_, E>) {
        let (zero, far) = (E::zero(), E::from_f64(f64::INFINITY));
        for list in [&mut self.first, &mut self.velocity, &mut self.pushed] {
            list.clear();
            list.resize(problem.n, zero);
        }
        for list in [&mut self.scale, &mut self.inverse_scale, &mut self.compliance] {
            list.clear();
        }
        self.cones.clear();
        let (mut first, mut small) = (0, 0);
        for cone in &problem.cones {
            let count = cone.rows();
            let mut largest = zero;
            for i in first..first + count {
                largest = largest.max(space.diagonal(i));
            }
            let root = if largest > zero { largest.sqrt() } else { E::one() };
            let p = root.recip();
            for i in first..first + count {
                self.scale.push(p);
                self.inverse_scale.push(root);
                self.compliance.push(p * p * space.rows[i].compliance);
            }
            let law = match *cone {
                Cone::Free => Law::Within { low: -far, high: far },
                Cone::Nonnegative => Law::Within { low: zero, high: far },
                Cone::Box { low, high } => Law::Within { low: low * root, high: high * root },
                Cone::Coulomb { mu, .. } => Law::Contact { mu },
            };
            self.cones.push(ConeRows { first, count, small, law });
            (first, small) = (first + count, small + count * count);
        }
    }

    /// Numbers of all small matrices together.
    pub fn small_count(&self) -> usize {
        self.cones.last().map_or(0, |cone| cone.small + cone.count * cone.count)
    }
}
