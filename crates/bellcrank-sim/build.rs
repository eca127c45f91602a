//! Tells the tests whether this build has lanes (`cfg(wide_lanes)`): those that compare them with the scalar are ignored
//! where it has not.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=BELLCRANK_LANES");
    println!("cargo::rustc-check-cfg=cfg(wide_lanes)");
    let target = std::env::var("CARGO_CFG_TARGET_ARCH").unwrap_or_default();
    let wanted = std::env::var("BELLCRANK_LANES").unwrap_or_else(|_| "neon,avx2,avx512".into());
    let of_target: &[&str] = match target.as_str() {
        "x86_64" => &["avx2", "avx512"],
        "aarch64" => &["neon"],
        _ => &[],
    };
    if wanted.split(',').any(|word| of_target.contains(&word)) {
        println!("cargo::rustc-cfg=wide_lanes");
    }
}
