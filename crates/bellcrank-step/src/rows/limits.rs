//! Whether a step kept joints within their limits.

use crate::layout::ScalarKind;
use crate::state::State;
use crate::step::scene::Scene;
use bellcrank_math::{Mask, Real};

/// A limit that gives way by more than this in one step [rad or m] was not kept.
const GIVES_WAY: f64 = 1e-3;
/// Coordinates are followed along the rows of the start of a step: this share of what they move, and its square.
const CURVATURE: f64 = 1e-3;

/// Lanes in which a coordinate went beyond a limit, or further beyond it than it was `before`. A limit that was far away
/// when the step began is not among its rows: whoever passes it in one step all the same is found here.
#[inline(always)]
pub fn passed<R: Real>(scene: &Scene<'_, R>, before: &[R], state: &State<R>) -> R::Mask {
    let Scene { layout, constants, .. } = *scene;
    let mut passed = R::Mask::splat(false);
    if layout.compliance.is_some() {
        return passed; // limits give way
    }
    for scalar in &layout.scalars {
        let joint = &layout.joints[scalar.at.joint];
        let c = &constants.dofs[joint.first_dof + scalar.at.dof];
        let k = joint.first_coordinate + scalar.at.dof;
        let (old, new) = match scalar.kind {
            ScalarKind::Lower => (before[k] - c.low, state.q[k] - c.low),
            ScalarKind::Upper => (c.high - before[k], c.high - state.q[k]),
            _ => continue,
        };
        let moved = (new - old).abs();
        let allowed = moved.mul_add(moved + R::constant(CURVATURE), R::constant(GIVES_WAY));
        passed = passed | new.lt(old.min(R::zero()) - allowed);
    }
    passed
}
