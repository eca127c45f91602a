//! `train`, `evaluate`, `play` and `export`, as a user types them.

use serde_json::Value;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

fn command(words: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bellcrank"));
    command.args(words).stdin(Stdio::null());
    command
}

fn run(words: &[&str]) -> Output {
    command(words).output().expect("the binary runs")
}

fn json(words: &[&str]) -> Value {
    let output = run(words);
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("JSON")
}

fn told(words: &[&str]) -> String {
    let output = run(words);
    assert_eq!(output.status.code(), Some(1), "{words:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("bellcrank_{name}_{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    path
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a plain path")
}

#[test]
fn a_run_leaves_a_policy_curves_and_what_it_needs_to_go_on() {
    let out = folder("train");
    let words =
        ["train", "cartpole_swing_up", "--updates", "3", "--worlds", "64", "--out", text(&out), "--json"];
    let figures = json(&words);
    assert_eq!((&figures["task"], &figures["seed"]), (&"cartpole_swing_up".into(), &1.into()));
    assert_eq!(figures["transitions"], 3 * 64 * 32);
    for key in ["minutes", "transitions_per_second", "learner_share"] {
        assert!(figures[key].as_f64().is_some_and(|x| x > 0.0), "{key}: {figures}");
    }
    assert!(figures.get("return_mean").is_some() && figures.get("fall_fraction").is_some());
    let curve: Vec<Value> =
        serde_json::from_slice(&std::fs::read(out.join("curve.json")).expect("a curve")).expect("JSON");
    assert_eq!(curve.len(), 3);
    let page = std::fs::read_to_string(out.join("report.html")).expect("a page");
    assert!(page.contains("return of an episode") && page.contains("<polyline"));
    let names: Vec<String> = std::fs::read_dir(&out)
        .expect("a folder")
        .map(|entry| entry.expect("a file").file_name().to_string_lossy().into_owned())
        .collect();
    assert!(names.iter().any(|name| name.starts_with("events.out.tfevents.")), "{names:?}");
    assert!(!names.iter().any(|name| name.ends_with(".part")), "{names:?}");

    let again = told(&words);
    assert!(again.contains("holds a run already") && again.contains("--resume"), "{again}");
    let other = told(&["train", "ant", "--out", text(&out), "--resume"]);
    assert!(other.contains("is of cartpole_swing_up"), "{other}");

    let policy = out.join("policy.safetensors");
    let found = json(&["evaluate", text(&policy), "--episodes", "3", "--json"]);
    assert_eq!((&found["episodes"], &found["fall_fraction"]), (&3.into(), &0.0.into()));
    assert!(found["reward_mean"].is_f64() && found["forward_error_mps"].is_null());
    let pushed = told(&["evaluate", text(&policy), "--push", "0.3"]);
    assert!(pushed.contains("the task has no setting \"push\""), "{pushed}");
    let onnx = out.join("policy.onnx");
    assert!(run(&["export", text(&policy), text(&onnx)]).status.success());
    assert!(std::fs::metadata(&onnx).expect("a model").len() > 10_000);
    std::fs::remove_dir_all(out).expect("cleaned up");
}

#[test]
fn wrong_words_are_answered_with_the_way_out() {
    assert!(told(&["train", "juggle"]).contains("there is no task \"juggle\"; known are cartpole_swing_up"));
    assert!(told(&["evaluate", "nowhere.safetensors"]).contains("cannot read nowhere.safetensors"));
    assert!(told(&["evaluate", "biped_walk", "--dt", "0.003"]).contains("whole part of it: 0.002"));
    let config = folder("config.toml");
    std::fs::write(&config, "epoch = 3").expect("written");
    let error = told(&["train", "ant", "--config", text(&config)]);
    assert!(error.contains("unknown field `epoch`"), "{error}");
    std::fs::remove_file(config).expect("cleaned up");
}

/// Sixteen episodes of the shipped policy; what a thousand give is in docs/guides/learning.md.
#[test]
fn the_policy_in_the_box_walks() {
    let found = json(&["evaluate", "biped_walk", "--episodes", "16", "--json"]);
    assert_eq!(found["fall_fraction"], 0.0, "{found}");
    assert!(found["forward_error_mps"].as_f64().is_some_and(|x| x < 0.05), "{found}");
    assert!(found["sideways_error_mps"].as_f64().is_some_and(|x| x < 0.05), "{found}");
    assert!(found["turn_error_radps"].as_f64().is_some_and(|x| x < 0.1), "{found}");
    assert!(
        run(&["play", "biped_walk", "--worlds", "2", "--seconds", "0.5", "--forward", "0.3"])
            .status
            .success()
    );
}

/// A run that is killed goes on from its last checkpoint, and gives the policy of a run that was not: a first run is stopped by
/// Ctrl-C in order, its successor is killed, the last one goes to the end.
#[cfg(unix)]
#[test]
fn a_killed_run_goes_on_to_the_same_policy() {
    let (whole, broken) = (folder("whole"), folder("broken"));
    let words = |out: &Path| {
        ["train", "cartpole_swing_up", "--updates", "60", "--worlds", "64", "--out"]
            .map(str::to_owned)
            .into_iter()
            .chain([text(out).to_owned()])
            .collect::<Vec<_>>()
    };
    let start = |more: &[&str]| {
        let all = words(&broken);
        let all: Vec<&str> = all.iter().map(String::as_str).chain(more.iter().copied()).collect();
        command(&all).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("runs")
    };
    let all = words(&whole);
    assert!(run(&all.iter().map(String::as_str).collect::<Vec<_>>()).status.success());

    let mut first = start(&[]);
    let begin = Instant::now();
    let events = || std::fs::read_dir(&broken).is_ok_and(|mut files| files.next().is_some());
    while !events() && begin.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(10));
    }
    std::thread::sleep(Duration::from_millis(150));
    Command::new("kill").args(["-INT", &first.id().to_string()]).status().expect("a signal");
    assert!(first.wait().expect("ends").success(), "Ctrl-C ends in order");
    assert!(broken.join("checkpoint.safetensors").exists());
    let mut second = start(&["--resume"]);
    std::thread::sleep(Duration::from_millis(150));
    second.kill().expect("killed");
    second.wait().expect("ended");
    assert!(start(&["--resume"]).wait().expect("ends").success());
    let policy = |folder: &Path| std::fs::read(folder.join("policy.safetensors")).expect("a policy");
    assert!(policy(&whole) == policy(&broken));
    [whole, broken].iter().for_each(|path| std::fs::remove_dir_all(path).expect("cleaned up"));
}

#[test]
#[cfg_attr(not(onnxruntime), ignore = "needs BELLCRANK_PYTHON: a Python with the package onnxruntime")]
fn onnx_runtime_gives_the_same_actions() {
    let out = folder("onnx");
    std::fs::create_dir_all(&out).expect("a folder");
    let model = out.join("walk.onnx");
    assert!(run(&["export", "biped_walk", text(&model)]).status.success());
    let (policy, _) = bellcrank::learn::Policy::open("biped_walk").expect("a policy");
    let (n, _) = policy.ends();
    let observations: Vec<f32> = (0..5 * n).map(|k| 3.0 * (k as f32 * 0.7).sin()).collect();
    let script = "import sys, json, numpy as np, onnxruntime as ort\n\
                  x = np.array(json.loads(sys.argv[2]), np.float32)\n\
                  y = ort.InferenceSession(sys.argv[1]).run(['actions'], {'observations': x})[0]\n\
                  print(json.dumps(y.tolist()))";
    let rows: Vec<&[f32]> = observations.chunks(n).collect();
    let python = std::env::var("BELLCRANK_PYTHON").expect("it was set when this was built");
    let asked = serde_json::json!(rows).to_string();
    let output = Command::new(python).args(["-c", script, text(&model), &asked]).output().expect("Python");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let theirs: Vec<Vec<f32>> = serde_json::from_slice(&output.stdout).expect("JSON");
    let ours = policy.act(&observations).expect("actions");
    let difference = ours.iter().zip(theirs.concat()).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max);
    assert!(ours.len() == 5 * 12 && difference < 1e-5, "{difference}"); // sums of a hundred products in another order
    std::fs::remove_dir_all(out).expect("cleaned up");
}
