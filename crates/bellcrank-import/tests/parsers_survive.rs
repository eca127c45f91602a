//! Spoilt files: no parser panics, hangs or eats memory. The crate `bellcrank-fuzz` does the same for as long as wanted.

mod mutate;

use mutate::{Dice, feed, mutated, seeds};
use proptest::prelude::*;
use std::time::{Duration, Instant};

#[test]
fn the_seeds_themselves_are_understood() {
    for (parser, bytes) in seeds() {
        assert!(feed(parser, &bytes), "{parser:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn spoilt_files_end_in_a_model_or_an_error(number in 1u64..) {
        let mut dice = Dice(number);
        for (parser, seed) in seeds() {
            let bytes = mutated(&seed, &mut dice);
            let start = Instant::now();
            feed(parser, &bytes);
            prop_assert!(start.elapsed() < Duration::from_secs(20), "{parser:?} took {:?}", start.elapsed());
        }
    }

    #[test]
    fn noise_ends_in_an_error(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
        for (parser, _) in seeds() {
            prop_assert!(!feed(parser, &bytes), "{parser:?} understands {bytes:?}");
        }
    }
}

/// Every beginning of a file is a file that a broken connection could leave behind.
#[test]
fn files_that_end_too_early_do_no_harm() {
    for (parser, bytes) in seeds() {
        for end in 0..bytes.len() {
            feed(parser, &bytes[..end]);
        }
    }
}
