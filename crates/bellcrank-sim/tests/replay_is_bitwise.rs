//! A snapshot resumes bit for bit; a damaged one is refused.

use crate::common::{batch, bits, built, noise};
use bellcrank_math::Vec3;
use bellcrank_model::{Body, Joint, ModelBuilder, WORLD, library};
use bellcrank_sim::{Batch, BatchError, BatchOptions, Precision, Settings, Solver};

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

/// Whatever happens to the bytes, a changed snapshot is refused: 4,000 here, 100,000 with `BELLCRANK_CORRUPTED=100000`.
#[test]
fn no_corrupted_snapshot_is_accepted() {
    let count = std::env::var("BELLCRANK_CORRUPTED").ok().and_then(|n| n.parse().ok()).unwrap_or(4_000);
    let model = built(library::four_bar());
    let mut b = batch(&model, 2, 0.004, Precision::F64);
    b.step(5);
    let (blob, before) = (b.snapshot(), bits(&b, 0));
    let mut dice = 0x9e37_79b9_7f4a_7c15_u64;
    let mut throw = |below: usize| {
        dice ^= dice << 13;
        dice ^= dice >> 7;
        dice ^= dice << 17;
        (dice % below as u64) as usize
    };
    for case in 0..count {
        let mut bytes = blob.clone();
        for _ in 0..=throw(3) {
            let at = throw(bytes.len().max(1));
            match throw(6) {
                0 => bytes[at] ^= 1 << throw(8),
                1 => bytes[at] = throw(256) as u8,
                2 => bytes.truncate(at),
                3 => bytes.insert(at, throw(256) as u8),
                4 => _ = bytes.remove(at),
                _ => {
                    let other = throw(bytes.len());
                    bytes.swap(at, other);
                }
            }
            if bytes.is_empty() {
                break;
            }
        }
        let refused = b.restore(&bytes).is_err() && b.adopt(&bytes).is_err();
        assert!(refused || bytes == blob, "case {case}");
    }
    assert_eq!(bits(&b, 0), before);
}

/// A snapshot that fits another model in size is refused, and the part that differs is named.
#[test]
fn a_snapshot_of_another_model_is_refused_and_the_difference_named() {
    let arm = |mass: f64, axis: Vec3, name: &str| {
        let mut m = ModelBuilder::new("arm");
        m.body(Body::new(name).solid_sphere(mass, 0.1).com(Vec3::new(0.2, 0.0, 0.0)));
        m.joint(Joint::revolute("hinge", WORLD, name).placed(Vec3::zero(), axis));
        batch(&built(m), 1, 0.004, Precision::F64)
    };
    let mut here = arm(1.0, Vec3::y_axis(), "link");
    here.restore(&arm(1.0, Vec3::y_axis(), "link").snapshot()).unwrap();
    for (other, what) in [
        (arm(1000.0, Vec3::y_axis(), "link"), "body \"link\" is another one"),
        (arm(1.0, Vec3::x_axis(), "link"), "joint \"hinge\" is another one"),
        (arm(1.0, Vec3::y_axis(), "rod"), "it has body \"rod\" where body \"link\" is here"),
    ] {
        for error in [here.restore(&other.snapshot()), here.adopt(&other.snapshot())] {
            let text = error.unwrap_err().to_string();
            assert!(text.contains(what), "{text}");
        }
    }
}

/// What would not go on bit for bit is refused, and taken only where that is asked for.
#[test]
fn a_snapshot_of_another_precision_step_or_solver_must_be_asked_for() {
    let model = built(library::four_bar());
    let of = |dt: f64, precision, settings| {
        let options = BatchOptions { dt: Some(dt), precision, settings, ..BatchOptions::default() };
        Batch::new(model.clone(), 1, options).unwrap()
    };
    let usual = Settings::default();
    let mut here = of(0.004, Precision::F64, usual);
    let comfree = Settings { solver: Solver::comfree(), ..usual };
    let soft = Settings { softness: Some(1e-5), ..usual };
    for (mut other, what) in [
        (of(0.004, Precision::F32, usual), "it is in F32, the batch in F64"),
        (of(0.002, Precision::F64, usual), "its time step is 0.002 s, the batch's 0.004 s"),
        (of(0.004, Precision::F64, comfree), "its solver is comfree, the batch's padmm"),
        (of(0.004, Precision::F64, soft), "its solver padmm has other settings"),
    ] {
        other.step(3);
        let blob = other.snapshot();
        let text = here.restore(&blob).unwrap_err().to_string();
        assert!(text.contains(what), "{text}");
        here.adopt(&blob).unwrap();
        assert_eq!(bits(&here, 0), bits(&other, 0), "{what}");
    }
}

#[test]
fn a_snapshot_of_an_older_format_says_so() {
    let mut b = batch(&built(library::four_bar()), 1, 0.004, Precision::F64);
    let mut blob = b.snapshot();
    blob[4] = 3;
    let text = b.restore(&blob).unwrap_err().to_string();
    assert!(text.contains("it has format 3, this program reads format 4"), "{text}");
}
