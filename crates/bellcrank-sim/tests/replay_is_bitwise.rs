//! A snapshot resumes bit for bit; a damaged one is refused.

use crate::common::{batch, bits, built, noise};
use bellcrank_model::library;
use bellcrank_sim::{BatchError, Precision};

#[test]
fn a_restored_batch_goes_on_as_if_nothing_had_happened() {
    let model = built(library::hybrid_biped());
    for precision in [Precision::F64, Precision::F32] {
        let mut b = batch(&model, 11, 0.004, precision);
        for w in 0..11 {
            (0..12).for_each(|a| b.set_target_position(w, a, 0.2 * noise(w, a)).unwrap());
        }
        b.step(40);
        let blob = b.snapshot();
        b.step(40);
        let expected: Vec<_> = (0..11).map(|w| bits(&b, w)).collect();
        let mut other = batch(&model, 11, 0.004, precision);
        other.restore(&blob).unwrap();
        other.step(40);
        (0..11).for_each(|w| assert_eq!(bits(&other, w), expected[w], "{precision:?}, world {w}"));
        b.restore(&blob).unwrap();
        assert_eq!(b.snapshot(), blob);
    }
}

#[test]
fn a_damaged_or_foreign_snapshot_is_refused_and_changes_nothing() {
    let model = built(library::four_bar());
    let mut b = batch(&model, 2, 0.004, Precision::F64);
    b.step(5);
    let (blob, before) = (b.snapshot(), bits(&b, 0));
    let mut damaged: Vec<Vec<u8>> = vec![Vec::new(), b"BCSN".to_vec(), blob[..blob.len() - 3].to_vec()];
    damaged.push([blob.clone(), vec![0]].concat());
    let mut later = blob.clone();
    later[4] = 99;
    damaged.push(later);
    let mut endless = blob.clone();
    endless[16..24].fill(0xff);
    damaged.push(endless);
    damaged.push(batch(&model, 3, 0.004, Precision::F64).snapshot());
    damaged.push(batch(&built(library::pendulum()), 2, 0.004, Precision::F64).snapshot());
    for bytes in damaged {
        assert!(matches!(b.restore(&bytes), Err(BatchError::BadSnapshot(_))));
    }
    assert_eq!(bits(&b, 0), before);
}
