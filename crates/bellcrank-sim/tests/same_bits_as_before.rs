//! A change that is meant to change no result changes none: runs of all shipped models, by every method, in both precisions,
//! end in the bits that are stored in `digests.txt`.
//!
//! Where results change on purpose, `BELLCRANK_WRITE_DIGESTS=1 cargo test -p bellcrank-sim --test laws same_bits` stores the new ones,
//! and the commit says why.

use crate::common::{bits, noise};
use bellcrank_model::{Model, library};
use bellcrank_sim::{
    AllRows, Batch, BatchOptions, ComFree, Integrator, InteriorPoint, Method, Precision, Settings, Solver,
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

fn settings(method: &str, precision: Precision) -> (Settings, usize) {
    let usual = match precision {
        Precision::F64 => Settings::default(),
        Precision::F32 => Settings::single(),
    };
    match method {
        "moreau_jean" => (Settings { integrator: Integrator::MoreauJean, ..usual }, 60),
        "comfree" => (Settings { solver: Solver::ComFree(ComFree::default()), ..usual }, 60),
        "published_comfree" => {
            (Settings { solver: Solver::ComFree(ComFree::published(0.05, 0.001)), ..usual }, 60)
        }
        "interior" => {
            let method = Method::InteriorPoint(InteriorPoint::default());
            (Settings { method, integrator: Integrator::Variational, ..usual }, 24)
        }
        "all_rows" => (Settings { method: Method::AllRows(AllRows::default()), ..usual }, 24),
        _ => (usual, 120),
    }
}

/// The worlds of a model under targets and efforts of their own, and what their bits add up to; or why it does not run.
fn digest(model: &Arc<Model>, precision: Precision, method: &str) -> String {
    let (settings, steps) = settings(method, precision);
    let options = BatchOptions { dt: 0.004, precision, settings: Some(settings), ..BatchOptions::default() };
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
    let each = |(name, _, build): &library::Entry| {
        let model = Arc::new(build().build().expect("a sound model"));
        let mut lines = String::new();
        for precision in [Precision::F64, Precision::F32] {
            for method in METHODS {
                let digest = digest(&model, precision, method);
                writeln!(lines, "{name} {precision:?} {method} {digest}").expect("a string");
            }
        }
        lines
    };
    let now: String = library::ALL.par_iter().map(each).collect();
    if std::env::var_os("BELLCRANK_WRITE_DIGESTS").is_some() {
        std::fs::write(STORED, &now).expect("a file that can be written");
    }
    let stored = std::fs::read_to_string(STORED).expect("tests/digests.txt");
    let changed: Vec<&str> = now.lines().filter(|line| !stored.lines().any(|known| known == *line)).collect();
    assert!(changed.is_empty(), "other bits than before:\n{}", changed.join("\n"));
    assert_eq!(now.lines().count(), stored.lines().count(), "digests.txt names runs that are gone");
}
