//! `bellcrank bench`, as a user types it.

use std::process::{Command, Output};

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bellcrank"))
        .arg("bench")
        .args(arguments)
        .output()
        .expect("the binary runs")
}

/// 3 models × 1 operator × 2 precisions × every way to run it.
#[test]
fn the_tree_scene_gives_one_record_per_figure() {
    let output = bench(&["tree", "--json", "--only", "jacobian", "--batch", "64", "--seconds", "0.01"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let records: serde_json::Value = serde_json::from_slice(&output.stdout).expect("valid JSON");
    let records = records.as_array().expect("a list");
    assert_eq!(records.len(), 3 * 2 * bellcrank::tree::measure::contestants().len());
    for record in records {
        assert_eq!((record["scene"].as_str(), record["operator"].as_str()), (Some("tree"), Some("jacobian")));
        assert!(record["ns_per_state"].as_f64().is_some_and(|ns| ns > 0.0));
        assert!(record["states_per_core_second"].as_u64().is_some_and(|rate| rate > 0));
    }
}

#[test]
fn without_a_scene_it_lists_them_and_an_unknown_one_is_an_error_that_names_them() {
    assert!(String::from_utf8_lossy(&bench(&[]).stdout).contains("tree"));
    let output = bench(&["rockets"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("there is no benchmark \"rockets\"") && text.contains("tree"), "{text}");
}
