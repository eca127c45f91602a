//! A world's bits depend on nothing but itself: not on its lane, the batch size, the threads or a poisoned neighbour.

use crate::common::{batch, bits, built, noise};
use bellcrank_model::library;
use bellcrank_sim::{Batch, BatchError, BatchOptions, Precision, WorldStatus};
use std::sync::Arc;

fn wiggle(b: &mut Batch, world: usize, seed: usize, step: usize) {
    for a in 0..12 {
        b.set_target_position(world, a, 0.2 * noise(31 * step + seed, a)).unwrap();
    }
}

/// Worlds with seeds of their own, 60 steps of 4 ms with new targets every 10.
fn run(worlds: &[usize], options: BatchOptions) -> Vec<Vec<u64>> {
    let model = built(library::hybrid_biped());
    let mut b = Batch::new(model, worlds.len(), options).unwrap();
    for k in 0..6 {
        worlds.iter().enumerate().for_each(|(w, seed)| wiggle(&mut b, w, *seed, k));
        b.step(10);
    }
    (0..worlds.len()).map(|w| bits(&b, w)).collect()
}

#[test]
fn lanes_give_the_bits_of_the_scalar_whatever_the_batch_size_and_threads() {
    for precision in [Precision::F64, Precision::F32] {
        let options = BatchOptions { precision, ..BatchOptions::default() };
        let alone = run(&[5], BatchOptions { scalar: true, ..options })[0].clone();
        // three worlds are the fewest that are put into lanes
        assert_eq!(run(&[5, 1, 2], options)[0], alone, "{precision:?}: lane 0");
        assert_eq!(run(&[1, 2, 3, 5], options)[3], alone, "{precision:?}: lane 3");
        let many: Vec<usize> = (0..37).collect();
        assert_eq!(run(&many, options)[5], alone, "{precision:?}: 37 worlds");
        assert_eq!(
            run(&many, BatchOptions { threads: 2, ..options })[5],
            alone,
            "{precision:?}: two threads"
        );
    }
}

/// A world that is told NaN freezes where it was and is named; the others' bits do not change.
#[test]
fn a_poisoned_world_freezes_alone() {
    let seeds: Vec<usize> = (0..20).collect();
    let clean = run(&seeds, BatchOptions::default());
    let model = built(library::hybrid_biped());
    let mut b = batch(&model, 20, 0.004, Precision::F64);
    let mut before = Vec::new();
    for k in 0..6 {
        seeds.iter().for_each(|s| wiggle(&mut b, *s, *s, k));
        if k == 3 {
            b.set_target_position(7, 2, f64::NAN).unwrap();
            before = b.joint_position(7).unwrap();
        }
        b.step(10);
    }
    let report = b.report();
    assert!(matches!(report.status[7], WorldStatus::Frozen { step: 30, .. }), "{:?}", report.status[7]);
    assert_eq!(b.joint_position(7).unwrap(), before, "it keeps its last good pose");
    for w in (0..20).filter(|w| *w != 7) {
        assert_eq!(bits(&b, w), clean[w], "world {w}");
    }
}

#[test]
fn a_reset_world_is_a_fresh_world() {
    let model = built(library::hybrid_biped());
    let mut used = batch(&model, 3, 0.004, Precision::F64);
    (0..3).for_each(|w| wiggle(&mut used, w, w, 1));
    used.set_target_position(1, 0, f64::NAN).unwrap();
    used.step(20);
    used.reset(1).unwrap();
    let mut fresh = batch(&model, 1, 0.004, Precision::F64);
    assert_eq!(bits(&used, 1), bits(&fresh, 0));
    used.step(25);
    fresh.step(25);
    assert_eq!(bits(&used, 1), bits(&fresh, 0));
    assert_eq!(used.report().status[1], WorldStatus::Ok);
}

#[test]
fn different_robots_in_one_batch_are_as_if_alone() {
    let models = [built(library::four_bar()), built(library::hybrid_biped()), built(library::stack())];
    let worlds: Vec<Arc<_>> = (0..12).map(|w| models[w % 3].clone()).collect();
    let mut mixed = Batch::of(&worlds, BatchOptions::default()).unwrap();
    mixed.step(50);
    for (k, model) in models.iter().enumerate() {
        let mut alone = batch(model, 1, 0.004, Precision::F64);
        alone.step(50);
        assert_eq!(bits(&mixed, k + 6), bits(&alone, 0), "{}", model.name());
    }
}

#[test]
fn wrong_questions_get_answers_not_panics() {
    let model = built(library::four_bar());
    assert_eq!(Batch::of(&[], BatchOptions::default()).err(), Some(BatchError::NoWorlds));
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let options = BatchOptions { dt: Some(dt), ..BatchOptions::default() };
        assert!(matches!(Batch::new(model.clone(), 1, options).err(), Some(BatchError::BadTimeStep(_))));
    }
    let mut b = batch(&model, 2, 0.004, Precision::F64);
    assert_eq!(b.body_pose(2, 0).err(), Some(BatchError::NoSuchWorld { world: 2, count: 2 }));
    assert!(matches!(b.body_pose(0, 9).err(), Some(BatchError::NoSuchPart { what: "body", .. })));
    assert!(matches!(b.set_effort(0, 5, 1.0).err(), Some(BatchError::NoSuchPart { what: "actuator", .. })));
}
