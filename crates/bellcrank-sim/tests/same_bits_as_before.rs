//! A change that is meant to change no result changes none: runs of all shipped models, by every method, in both precisions,
//! end in the bits that are stored in `digests.txt`.
//!
//! Where results change on purpose, `BELLCRANK_WRITE_DIGESTS=1 cargo test -p bellcrank-sim --test laws same_bits` stores the new ones,
//! and the commit says why. `lanes.sh` beside this file judges instruction sets that a build does not choose by itself.

use crate::common::{bits, noise};
use bellcrank_model::{Model, library};
use bellcrank_sim::{
    AllRows, Batch, BatchOptions, ComFree, ImplicitIntegrator, InteriorPoint, Precision, Settings, Solver,
};
use rayon::prelude::*;
use std::fmt::Write;
use std::sync::Arc;

/// More than two worlds run in lanes, where the build has any: the same bits.
const WORLDS: usize = 3;
/// A model of more bodies takes a twelfth of the steps: piles are slow, and a few steps tell.
const MANY: usize = 10;
const STORED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/digests.txt");

const METHODS: [&str; 6] = ["default", "moreau_jean", "comfree", "published_comfree", "interior", "all_rows"];

fn settings(method: &str) -> (Settings, usize) {
    let (solver, steps) = match method {
        "moreau_jean" => (Solver::moreau_jean(), 60),
        "comfree" => (Solver::comfree(), 60),
        "published_comfree" => (ComFree::published(0.05, 0.001).into(), 60),
        "interior" => {
            let point = Some(InteriorPoint::default()); // in both precisions
            (Solver::InteriorPoint { point, integrator: ImplicitIntegrator::Variational }, 24)
        }
        "all_rows" => (AllRows::default().into(), 24),
        _ => (Solver::exact(), 120),
    };
    (solver.into(), steps)
}

/// The shipped models that are judged: all, or those named in `BELLCRANK_DIGESTS_OF` where a processor is emulated, a hundred times slower.
fn judged() -> Vec<&'static library::Entry> {
    let named = std::env::var("BELLCRANK_DIGESTS_OF").ok();
    let is_named = |name: &str| named.as_ref().is_none_or(|all| all.split(',').any(|one| one == name));
    let found: Vec<_> = library::ALL.iter().filter(|(name, ..)| is_named(name)).collect();
    assert!(!found.is_empty(), "BELLCRANK_DIGESTS_OF names no shipped model");
    found
}

/// The worlds of a model under targets and efforts of their own, and what their bits add up to; or why it does not run.
fn digest(model: &Arc<Model>, precision: Precision, method: &str, scalar: bool) -> String {
    let (settings, steps) = settings(method);
    let options = BatchOptions { dt: Some(0.004), precision, scalar, settings, ..BatchOptions::default() };
    let mut batch = match Batch::new(model.clone(), WORLDS, options) {
        Ok(batch) => batch,
        Err(error) => return format!("refused: {}", error.to_string().lines().next().unwrap_or_default()),
    };
    for w in 0..WORLDS {
        for a in 0..model.actuators().len() {
            batch.set_target_position(w, a, 0.3 * noise(w, a)).expect("a motor");
            batch.set_effort(w, a, 2.0 * noise(a, w)).expect("a motor");
        }
    }
    batch.step(if model.bodies().len() > MANY { steps / 12 } else { steps });
    let mut hash = 0xcbf2_9ce4_8422_2325_u64; // FNV-1a
    for number in (0..WORLDS).flat_map(|w| bits(&batch, w)) {
        for byte in number.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    format!("{hash:016x}")
}

#[test]
fn runs_end_in_the_same_bits_as_before() {
    let each = |(name, _, build): &&library::Entry| {
        let model = Arc::new(build().build().expect("a sound model"));
        let mut lines = String::new();
        for precision in [Precision::F64, Precision::F32] {
            for method in METHODS {
                let digest = digest(&model, precision, method, false);
                writeln!(lines, "{name} {precision:?} {method} {digest}").expect("a string");
            }
        }
        lines
    };
    let judged = judged();
    let now: String = judged.par_iter().map(each).collect();
    if std::env::var_os("BELLCRANK_WRITE_DIGESTS").is_some() && judged.len() == library::ALL.len() {
        std::fs::write(STORED, &now).expect("a file that can be written");
    }
    let stored = std::fs::read_to_string(STORED).expect("tests/digests.txt");
    let changed: Vec<&str> = now.lines().filter(|line| !stored.lines().any(|known| known == *line)).collect();
    assert!(changed.is_empty(), "other bits than before:\n{}", changed.join("\n"));
    if judged.len() == library::ALL.len() {
        assert_eq!(now.lines().count(), stored.lines().count(), "digests.txt names runs that are gone");
    }
}

/// A build that was asked for an instruction set (`lanes.sh` does, one after the other) runs in it, not in something plainer.
#[test]
fn lanes_are_those_that_were_asked_for() {
    let best = bellcrank_math::Level::best().to_string().to_lowercase().replace('-', "");
    let asked = option_env!("BELLCRANK_LANES").unwrap_or(&best);
    assert!(asked.split(',').any(|level| level == best), "asked for {asked}, runs in {best}");
}

/// The digests are of no instruction set in particular: whatever this build runs in lanes (AVX-512, AVX2, NEON), one world at a time ends in
/// the same bits. So a build for another processor is judged by the same file.
#[test]
fn the_scalar_ends_in_the_stored_bits_too() {
    let stored = std::fs::read_to_string(STORED).expect("tests/digests.txt");
    let each = |(name, _, build): &&library::Entry| {
        let model = Arc::new(build().build().expect("a sound model"));
        if model.bodies().len() > MANY {
            return Vec::new(); // slow, and the kernels are the same
        }
        let mut changed = Vec::new();
        for precision in [Precision::F64, Precision::F32] {
            for method in ["default", "comfree", "interior"] {
                let line =
                    format!("{name} {precision:?} {method} {}", digest(&model, precision, method, true));
                changed.extend((!stored.lines().any(|known| known == line)).then_some(line));
            }
        }
        changed
    };
    let changed: Vec<String> = judged().par_iter().flat_map(each).collect();
    assert!(changed.is_empty(), "other bits than in lanes:\n{}", changed.join("\n"));
}
