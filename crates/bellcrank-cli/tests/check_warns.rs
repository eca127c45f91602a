//! `bellcrank check`: loops by name, what a mechanic says, and the exit codes.

use std::process::{Command, Output};

fn check(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_bellcrank"));
    command.arg("check").args(arguments).output().expect("the binary runs")
}

/// A leg of one link, whose knee may not stand where it is drawn.
const LEG: &str = "<robot name='leg'><link name='base'/><link name='shin'><inertial><mass value='1'/>
  <inertia ixx='.01' iyy='.01' izz='.01'/></inertial></link>
  <joint name='knee' type='revolute'><parent link='base'/><child link='shin'/><axis xyz='0 1 0'/>
    <limit lower='.5' upper='1' effort='5' velocity='1'/></joint></robot>";

fn with_file(name: &str, text: &str, run: impl Fn(&str)) {
    let folder = std::env::temp_dir().join(format!("bellcrank_check_warns_{}_{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let file = folder.join("leg.urdf");
    std::fs::write(&file, text).expect("a file");
    run(&file.display().to_string());
    std::fs::remove_dir_all(&folder).expect("cleaned up");
}

#[test]
fn the_exit_code_says_how_it_went() {
    with_file("codes", LEG, |file| {
        let plain = check(&[file]);
        let text = String::from_utf8_lossy(&plain.stdout).into_owned();
        assert_eq!(plain.status.code(), Some(0));
        // 0.5 rad = 28.65°, 1 rad = 57.30°
        let warning =
            "<joint name=\"knee\">: the reference pose has it at 0.00°, outside its range 28.65° to 57.30°";
        assert!(text.contains("1 warning\n") && text.contains(warning), "{text}");
        assert_eq!(check(&[file, "--strict"]).status.code(), Some(3));
    });
    assert_eq!(check(&["four_bar", "--strict"]).status.code(), Some(0));
    assert_eq!(check(&["no_such_model"]).status.code(), Some(1));
    assert_eq!(check(&["four_bar", "--no-such-option"]).status.code(), Some(2));
}

#[test]
fn loops_are_told_by_name() {
    let text = String::from_utf8_lossy(&check(&["four_bar"]).stdout).into_owned();
    let way = "coupler –rocker_pin– rocker –rocker_hinge– world –crank_hinge– crank –crank_pin– coupler";
    assert!(text.contains(&format!("1. closed by rocker_pin: {way}")), "{text}");
    let figures: serde_json::Value =
        serde_json::from_slice(&check(&["four_bar", "--json"]).stdout).expect("valid JSON");
    assert_eq!(figures["loop_list"][0]["closed_by"], "rocker_pin");
    assert_eq!(figures["loop_list"][0]["bodies"].as_array().map(Vec::len), Some(4));
}

/// The Delta robot's tool, with its picture; a frame that is not there is named with those that are.
#[test]
fn a_workspace_is_told_and_drawn() {
    let picture = std::env::temp_dir().join(format!("bellcrank_workspace_{}.svg", std::process::id()));
    let place = picture.to_string_lossy().into_owned();
    let told = check(&["delta", "--workspace", "tool", "--picture", &place, "--json"]);
    assert_eq!(told.status.code(), Some(0), "{}", String::from_utf8_lossy(&told.stderr));
    let figures: serde_json::Value = serde_json::from_slice(&told.stdout).expect("JSON");
    let poses = figures["workspace"]["poses"].as_u64().expect("a number");
    let svg = std::fs::read_to_string(&picture).expect("a picture");
    assert!(poses > 2500 && svg.matches("<circle").count() as u64 == 3 * poses);
    assert!(figures["workspace"]["high_m"][0].as_f64().is_some_and(|x| x > 0.1 && x < 0.5));
    std::fs::remove_file(picture).expect("it was there");
    let wrong = check(&["delta", "--workspace", "tail"]);
    let text = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(wrong.status.code() == Some(1) && text.contains("\"tail\"") && text.contains("tool"), "{text}");
}
