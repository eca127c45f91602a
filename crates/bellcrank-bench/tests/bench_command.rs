//! `bellcrank-bench`, as a user types it.

use std::process::{Command, Output};

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bellcrank-bench")).args(arguments).output().expect("the binary runs")
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

fn records(output: &Output) -> Vec<serde_json::Value> {
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("valid JSON");
    found.as_array().expect("a list").clone()
}

fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// 2 s at 4 ms are 500 steps, of which every fifth and the start are told: 101 states of 10 links with 13 numbers.
#[test]
fn one_way_of_one_robot_can_be_chosen_and_watched() {
    let only = "chain padmm f64 1 threads 1 worlds";
    let options = ["robots", "--only", only, "--rounds", "1", "--seconds", "0.01", "--states", "--json"];
    let records = records(&bench(&options));
    assert_eq!(records.len(), 1);
    assert_eq!((records[0]["model"].as_str(), records[0]["worlds"].as_u64()), (Some("chain"), Some(1)));
    assert!(records[0]["loop_gap_max_m"].as_f64().is_some_and(|gap| gap < 1e-6));
    let samples = records[0]["states"]["samples"].as_array().expect("states");
    assert_eq!(samples.len(), 101);
    assert!(samples.iter().all(|s| s.as_array().is_some_and(|bodies| bodies.len() == 10)));
    assert_eq!(samples[0][0].as_array().map(Vec::len), Some(13));
}

/// What other engines build from: the four-bar has three bodies and four hinges, of which one closes the loop.
#[test]
fn scenes_are_written_for_other_programs() {
    let folder = folder("exported_scenes");
    let path = folder.to_string_lossy().into_owned();
    assert!(records(&bench(&["robots", "--only", "none", "--export", &path, "--json"])).is_empty());
    let text = std::fs::read_to_string(folder.join("four_bar.json")).expect("the description");
    let scene: serde_json::Value = serde_json::from_str(&text).expect("valid JSON");
    assert_eq!(scene["bodies"].as_array().map(Vec::len), Some(3));
    let joints = scene["joints"].as_array().expect("joints");
    assert_eq!((joints.len(), joints.iter().filter(|j| j["closes_loop"] == true).count()), (4, 1));
    assert!(std::fs::read_to_string(folder.join("four_bar.xml")).is_ok_and(|xml| xml.contains("<connect")));
    assert!(folder.join("quadruped.urdf").exists());
}

#[test]
fn the_page_needs_nothing_from_elsewhere() {
    let page = folder("bench_page").join("bench.html");
    let path = page.to_string_lossy().into_owned();
    let output =
        bench(&["chain", "--only", "10 links padmm", "--rounds", "1", "--seconds", "0.01", "--plot", &path]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let html = std::fs::read_to_string(page).expect("a page");
    assert!(html.contains("<svg") && html.contains("memory bytes per world"));
    let html = html.replace("http://www.w3.org/2000/svg", ""); // a name, which nobody fetches
    assert!(!html.contains("src=") && !html.contains("href=") && !html.contains("://"));
}

#[test]
fn times_and_rounds_that_make_no_sense_are_refused() {
    for options in [["chain", "--seconds", "-1"], ["chain", "--rounds", "0"], ["chain", "--seconds", "nan"]] {
        let output = bench(&options);
        assert_eq!(output.status.code(), Some(2), "{options:?}");
    }
}
