//! Which lane types are compiled: every kernel exists once for each of them, so one less is a third of the time to build.
//!
//! By default that of the machine that compiles, so that a clone runs soon. The feature `all-lanes` brings all that the
//! target has (wheels, continuous integration). `BELLCRANK_LANES=scalar|neon|avx2|avx512` names them, comma-separated.

fn main() {
    println!("cargo::rerun-if-env-changed=BELLCRANK_LANES");
    println!("cargo::rerun-if-changed=build.rs");
    for level in ["neon", "avx2", "avx512"] {
        println!("cargo::rustc-check-cfg=cfg(bellcrank_{level})");
    }
    for level in levels() {
        println!("cargo::rustc-cfg=bellcrank_{level}");
    }
}

fn levels() -> Vec<&'static str> {
    let target = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let all: &[&'static str] = match target.as_str() {
        "x86_64" => &["avx2", "avx512"],
        "aarch64" => &["neon"],
        _ => &[],
    };
    if let Ok(wanted) = std::env::var("BELLCRANK_LANES") {
        for word in wanted.split(',') {
            assert!(
                ["scalar", "neon", "avx2", "avx512"].contains(&word),
                "BELLCRANK_LANES={wanted}: \"{word}\" is none of scalar, neon, avx2, avx512"
            );
        }
        return all.iter().copied().filter(|level| wanted.split(',').any(|word| word == *level)).collect();
    }
    if std::env::var_os("CARGO_FEATURE_ALL_LANES").is_some() {
        return all.to_vec();
    }
    native(all)
}

/// The widest that this machine has. A build for another architecture gets the one that all its processors have.
fn native(all: &[&'static str]) -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    if all.contains(&"avx512") {
        let has = [
            is_x86_feature_detected!("avx512f"),
            is_x86_feature_detected!("avx512dq"),
            is_x86_feature_detected!("avx512bw"),
            is_x86_feature_detected!("avx512vl"),
        ];
        return vec![if has.into_iter().all(|has| has) { "avx512" } else { "avx2" }];
    }
    all.first().copied().into_iter().collect()
}
