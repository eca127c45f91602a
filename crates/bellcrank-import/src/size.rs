//! Mechanisms that are too large to be analysed.
//!
//! Building a model costs more than its file is long: a chain of n bodies needs n² numbers, and the rank of r rows
//! of loops over c columns needs r·c·min(r, c) operations. Files shall not be able to ask for hours.

use crate::error::ImportFaultKind;
use crate::options::Limits;

/// Operations that the analysis of the loops may take.
const LOOP_WORK: f64 = 2e10;

/// What is too large, if anything: `dofs` of all joints in the tree, `loops` outside it.
pub(crate) fn too_large(
    bodies: usize,
    dofs: usize,
    loops: usize,
    limits: &Limits,
) -> Option<ImportFaultKind> {
    let kind = |what: &str, found: usize, limit: usize| ImportFaultKind::TooLarge {
        what: what.into(),
        found: found as u64,
        limit: limit as u64,
    };
    if bodies > limits.bodies {
        return Some(kind("the number of bodies", bodies, limits.bodies));
    }
    let (rows, columns) = (6.0 * loops as f64, dofs as f64);
    let work = rows * columns * rows.min(columns);
    let affordable = (LOOP_WORK / (36.0 * columns.max(1.0))).sqrt() as usize;
    (work > LOOP_WORK).then(|| kind("the number of loops", loops, affordable))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn robots_are_small_and_bombs_are_not() {
        let limits = Limits::default();
        assert_eq!(too_large(500, 600, 150, &limits), None);
        assert_eq!(too_large(5_000, 30_000, 0, &limits), None); // a pile of free bodies
        assert!(too_large(100_000, 100_000, 0, &limits).is_some());
        assert!(too_large(5_000, 5_000, 5_000, &limits).is_some());
    }
}
