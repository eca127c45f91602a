//! The command line, as a user types it.

use std::process::{Command, Output};

fn bellcrank(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bellcrank")).args(arguments).output().expect("the binary runs")
}

fn json(arguments: &[&str]) -> serde_json::Value {
    let output = bellcrank(arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("valid JSON")
}

#[test]
fn check_prints_the_biped_s_figures() {
    let figures = json(&["check", "hybrid_biped", "--json"]);
    for (key, expected) in [
        ("bodies", 31),
        ("joints", 36),
        ("actuators", 12),
        ("loops", 6),
        ("dofs", 18),
        ("redundant_rows", 12),
    ] {
        assert_eq!(figures[key], expected, "{key}");
    }
    assert!(figures["mass_kg"].as_f64().is_some_and(|mass| (1.0..20.0).contains(&mass)));
    assert!(figures["ignored"].is_array() && figures["warnings"].is_array());
}

#[test]
fn every_listed_model_checks() {
    for model in json(&["models", "--json"]).as_array().expect("a list") {
        let name = model["name"].as_str().expect("a name");
        let output = bellcrank(&["check", name]);
        assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stdout).contains("freedoms"));
    }
}

#[test]
fn an_unknown_model_is_an_error_that_lists_the_known() {
    let output = bellcrank(&["check", "perpetuum_mobile"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        text.contains("there is no mechanism \"perpetuum_mobile\"") && text.contains("four_bar"),
        "{text}"
    );
}

/// Newton's method ends at rounding; lanes and scalars end at the same bits.
#[test]
fn the_demo_closes_its_loops() {
    let figures = json(&["demo", "--json"]);
    assert!(figures["loop_gap_max_m"].as_f64().is_some_and(|gap| gap < 1e-15), "{figures}");
    assert!(figures["freudenstein_miss_max"].as_f64().is_some_and(|miss| miss < 1e-13), "{figures}");
    assert_eq!(figures["same_bits"], true);
}

#[test]
fn help_has_examples() {
    for command in ["demo", "check", "models"] {
        let output = bellcrank(&[command, "--help"]);
        assert!(String::from_utf8_lossy(&output.stdout).contains("Example:"), "{command}");
    }
}
