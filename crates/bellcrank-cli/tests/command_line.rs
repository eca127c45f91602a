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
        text.contains("there is no file and no shipped mechanism \"perpetuum_mobile\"")
            && text.contains("four_bar"),
        "{text}"
    );
}

#[test]
fn a_device_that_steps_do_not_run_on_is_an_error_with_a_way_out() {
    for (device, told) in [
        ("cuda:0", "this build does not compute steps there\n  hint: leave --device out"),
        ("cuda", "this build does not compute steps there"),
        ("cuda:first", "it must be cpu, cuda:0 (or another number) or wgpu"),
        ("tpu", "it must be cpu, cuda:0 (or another number) or wgpu"),
    ] {
        let output = bellcrank(&["run", "pendulum", "--steps", "1", "--device", device]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{device}");
        assert!(text.contains(told) && text.contains(device), "{text}");
    }
    assert!(bellcrank(&["run", "pendulum", "--steps", "1", "--device", "cpu"]).status.success());
}

#[test]
fn a_count_that_makes_no_sense_is_an_error() {
    for (flag, value) in [("--worlds", "0"), ("--worlds", "many"), ("--steps", "1.5"), ("--show", "0")] {
        let output = bellcrank(&["run", "box", flag, value]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{flag} {value}");
        assert!(text.contains("it must be a whole number"), "{text}");
    }
    let output = bellcrank(&["run", "box", "--worlds", "100000000000"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    if cfg!(target_os = "linux") {
        assert!(text.contains("GB of memory") && text.contains("hint: fewer --worlds"), "{text}");
    }
}

/// The benchmarks are a program of their own: it is handed all words and its exit code is given back; where it is not, the way to it is told.
#[cfg(unix)]
#[test]
fn bench_hands_its_words_to_the_program_of_benchmarks() {
    let folder =
        std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("bench_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (own, bench) = (folder.join("bellcrank"), folder.join("bellcrank-bench"));
    std::fs::hard_link(env!("CARGO_BIN_EXE_bellcrank"), &own).unwrap();
    let asked =
        || Command::new(&own).args(["bench", "robots", "--json"]).env("PATH", &folder).output().unwrap();
    let missing = asked();
    let text = String::from_utf8_lossy(&missing.stderr).into_owned();
    assert!(
        missing.status.code() == Some(1) && text.contains("cargo build --release -p bellcrank-bench"),
        "{text}"
    );
    for (program, said, code) in [("/bin/echo", "robots --json", 0), ("/bin/false", "", 1)] {
        std::os::unix::fs::symlink(program, &bench).unwrap();
        let found = asked();
        let words = String::from_utf8_lossy(&found.stdout).into_owned();
        assert_eq!((words.trim(), found.status.code()), (said, Some(code)));
        std::fs::remove_file(&bench).unwrap();
    }
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn a_file_that_is_not_there_is_said_so() {
    let text = String::from_utf8_lossy(&bellcrank(&["check", "robots/leg.urdf"]).stderr).into_owned();
    assert!(text.contains("there is no file \"robots/leg.urdf\"\n  hint: looked for it from"), "{text}");
}

#[test]
fn a_slip_of_the_pen_is_understood() {
    let text = String::from_utf8_lossy(&bellcrank(&["check", "four-bar"]).stderr).into_owned();
    assert!(text.contains("did you mean \"four_bar\"?"), "{text}");
}

/// A second of standing: closed to 10 µm even in single precision, every step solved, nothing lost.
#[test]
fn run_prints_the_figures_that_scripts_rely_on() {
    let figures =
        json(&["run", "hybrid_biped", "--worlds", "20", "--steps", "250", "--precision", "f32", "--json"]);
    for key in [
        "world_steps_per_second",
        "world_steps_per_core_second",
        "penetration_max_m",
        "iterations_median",
        "iterations_p95",
        "residual_max",
        "energy_start_j",
        "energy_end_j",
        "memory_bytes_per_world",
    ] {
        assert!(figures[key].is_number(), "{key}: {}", figures[key]);
    }
    assert!(figures["loop_gap_max_m"].as_f64().is_some_and(|gap| gap < 1e-5), "{figures}");
    assert!(figures["loop_gap_max_rad"].as_f64().is_some_and(|gap| gap < 1e-4), "{figures}");
    assert_eq!((&figures["converged_fraction"], &figures["status"]["ok"]), (&1.0.into(), &20.into()));
}

#[test]
fn the_same_seed_gives_the_same_energy_whatever_the_threads() {
    let run = |threads: &str| {
        let mut arguments = vec!["run", "four_bar", "--worlds", "40", "--steps", "100", "--json"];
        arguments.extend(["--control", "random", "--seed", "7", "--threads", threads]);
        json(&arguments)["energy_end_j"].as_f64().map(f64::to_bits)
    };
    assert!(run("1").is_some());
    assert_eq!(run("1"), run("2"));
}

#[test]
fn a_bad_time_step_is_an_error() {
    for dt in ["0", "-1", "nan"] {
        let output = bellcrank(&["run", "box", "--dt", dt]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{dt}");
        assert!(text.contains("it must be a number above zero"), "{dt}: {text}");
    }
}

/// The default solver by both of its names, integrators with the solvers that have them, and what does not go together.
#[test]
fn solvers_have_their_integrators() {
    let solver = |more: &[&str]| {
        json(&[&["run", "pendulum", "--steps", "3", "--json"], more].concat())["solver"].clone()
    };
    assert_eq!(solver(&[]), "padmm");
    assert_eq!(solver(&["--solver", "exact"]), "padmm");
    assert_eq!(solver(&["--solver", "padmm", "--integrator", "moreau-jean"]), "padmm");
    assert_eq!(solver(&["--integrator", "variational"]), "interior-point");
    assert_eq!(solver(&["--solver", "comfree", "--integrator", "euler"]), "comfree");
    for (solver, integrator) in
        [("padmm", "variational"), ("comfree", "variational"), ("interior-point", "moreau-jean")]
    {
        let output = bellcrank(&["run", "pendulum", "--solver", solver, "--integrator", integrator]);
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(1));
        assert!(text.contains("does not go with") && text.contains("hint:"), "{text}");
    }
}

/// A robot file with a fault: the error names file, line, element and the way out.
#[test]
fn check_says_where_a_file_is_wrong() {
    let folder = std::env::temp_dir().join(format!("bellcrank_check_{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("leg.urdf");
    let mass = "<inertial><mass value=\"1\"/><inertia ixx=\"1\" iyy=\"1\" izz=\"1\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>";
    let text = format!(
        "<robot name=\"leg\">\n<link name=\"a\">{mass}</link>\n<link name=\"b\">{mass}</link>\n\
         <joint name=\"knee\" type=\"revolute\"><parent link=\"a\"/><child link=\"b\"/><axis xyz=\"0 0 0\"/>\
         <limit lower=\"-1\" upper=\"1\" effort=\"1\" velocity=\"1\"/></joint>\n</robot>\n"
    );
    std::fs::write(&file, text).expect("a file");
    let output = bellcrank(&["check", &file.display().to_string()]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("leg.urdf:4: <joint name=\"knee\">: the axis has no direction\n  hint:"), "{text}");
    std::fs::remove_dir_all(&folder).expect("cleaned up");
}

#[test]
fn help_has_examples() {
    for command in [
        "demo",
        "check",
        "convert",
        "run",
        "view",
        "train",
        "evaluate",
        "play",
        "export",
        "models",
        "completions",
    ] {
        let output = bellcrank(&[command, "--help"]);
        assert!(String::from_utf8_lossy(&output.stdout).contains("Example:"), "{command}");
    }
}

#[test]
fn a_file_that_is_not_there_is_told_in_json_too() {
    let output = bellcrank(&["check", "nobody.urdf", "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let told: serde_json::Value = serde_json::from_slice(&output.stdout).expect("valid JSON");
    assert!(told["faults"][0]["what"].as_str().is_some_and(|what| what.contains("nobody.urdf")), "{told}");
}

/// `run hyb<Tab>`: shells know the shipped names, and files are taken all the same.
#[test]
fn shells_complete_the_names_of_shipped_mechanisms() {
    for shell in ["bash", "zsh", "fish"] {
        let script = String::from_utf8(bellcrank(&["completions", shell]).stdout).expect("text");
        assert!(script.contains("hybrid_biped"), "{shell}");
    }
    let output = bellcrank(&["check", "nobody.xml"]);
    assert_eq!(output.status.code(), Some(1), "any name is taken, and looked for");
}

/// Digits alone where a program reads: 12345 world-steps, not "12 345" with spaces that do not break.
#[test]
fn figures_can_be_read_by_programs_and_name_the_solver() {
    let output = bellcrank(&["run", "four_bar", "--steps", "50", "--integrator", "variational"]);
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(text.contains("interior-point"), "{text}");
    assert!(!text.contains('\u{a0}'), "{text}");
    let many = bellcrank(&["run", "box", "--steps", "1", "--threads", "500"]);
    assert!(String::from_utf8_lossy(&many.stderr).contains("hint: leave --threads out"));
}

#[test]
fn several_mechanisms_are_viewed_together_but_a_recording_alone() {
    let folder = std::env::temp_dir().join(format!("bellcrank-view-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let page = folder.join("box.html");
    std::fs::write(&page, "<!doctype html>").expect("a file");
    let output = bellcrank(&["view", "box", page.to_str().expect("a path")]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("a recording is shown alone"));
    let output = bellcrank(&["view", "box", "stack", "--worlds", "100000000"]);
    assert!(String::from_utf8_lossy(&output.stderr).contains("at most 1000 worlds of each"));
    std::fs::remove_dir_all(&folder).expect("removed");
}
