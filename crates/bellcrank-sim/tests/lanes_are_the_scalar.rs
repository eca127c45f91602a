//! Lanes give the bits of the scalar: every shipped mechanism, every solver and method, both precisions.

use crate::common::{bits, built, noise};
use bellcrank_model::{Model, library};
use bellcrank_sim::{AllRows, Batch, BatchError, BatchOptions, Precision, Solver};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// The fewest that are put into lanes.
const WORLDS: usize = 3;
/// The second starts from what the first left: warm starts, hints, impulses.
const STEPS: usize = 2;

/// Every way to take a step.
fn ways() -> Vec<(&'static str, Solver)> {
    vec![
        ("reactions by Newton and PADMM", Solver::exact()),
        ("Moreau–Jean", Solver::moreau_jean()),
        ("closed form", Solver::comfree()),
        ("all rows", AllRows::default().into()),
        ("interior point, Euler", Solver::interior_point()),
        ("interior point, variational", Solver::variational()),
    ]
}

/// A few steps of worlds that are told different things; their bits, or why there is no such batch.
fn run(model: &Arc<Model>, options: BatchOptions) -> Result<Vec<Vec<u64>>, BatchError> {
    let mut b = Batch::new(model.clone(), WORLDS, options)?;
    for w in 0..WORLDS {
        for a in 0..model.actuators().len() {
            b.set_target_position(w, a, 0.1 * noise(w, a))?;
            b.set_target_velocity(w, a, noise(w + 10, a))?;
            b.set_effort(w, a, 0.2 * noise(w + 20, a))?;
        }
    }
    b.step(STEPS);
    Ok((0..WORLDS).map(|w| bits(&b, w)).collect())
}

/// How many ways of one mechanism were compared.
fn compare(name: &str, model: &Arc<Model>) -> usize {
    let mut compared = 0;
    for precision in [Precision::F64, Precision::F32] {
        for (way, solver) in ways() {
            let options = BatchOptions { precision, settings: solver.into(), ..BatchOptions::default() };
            let lanes = run(model, options);
            let scalar = run(model, BatchOptions { scalar: true, ..options });
            compared += usize::from(scalar.is_ok());
            assert!(lanes == scalar, "{name}, {precision:?}, {way}");
        }
    }
    compared
}

/// What does not go together, couplings with all rows, say, is refused by both. All cores take part, one mechanism at a time.
#[test]
#[cfg_attr(not(wide_lanes), ignore = "this build has no lanes: BELLCRANK_LANES leaves them out")]
fn every_mechanism_and_method_has_the_bits_of_the_scalar() {
    let (next, compared) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let work = || {
        while let Some((name, _, build)) = library::ALL.get(next.fetch_add(1, Ordering::Relaxed)) {
            compared.fetch_add(compare(name, &built(build())), Ordering::Relaxed);
        }
    };
    let cores = std::thread::available_parallelism().map_or(1, |n| n.get());
    std::thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    let compared = compared.into_inner();
    assert!(compared >= 6 * library::ALL.len(), "only {compared} were compared");
}
