//! Files of robots on the command line: how they are read, what is said of them, and into what they are converted.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn bellcrank(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_bellcrank")).args(arguments).output().expect("the binary runs")
}

fn json(output: &Output) -> serde_json::Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("no JSON: {}", String::from_utf8_lossy(&output.stderr)))
}

/// A folder that goes away with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("bellcrank_files_{}_{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn file(&self, name: &str, text: &str) -> String {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(Path::new("."))).expect("a folder");
        std::fs::write(&path, text).expect("a file");
        path.display().to_string()
    }

    fn path(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

const MASS: &str = "<inertial><mass value='1'/><inertia ixx='.01' iyy='.01' izz='.01'/></inertial>";

fn leg(shin: &str, more: &str) -> String {
    format!(
        "<robot name='leg'><link name='base'>{MASS}</link><link name='shin'>{shin}{more}</link>
         <joint name='knee' type='revolute'><parent link='base'/><child link='shin'/><axis xyz='0 1 0'/>
         <limit lower='-1' upper='1' effort='5' velocity='9'/></joint></robot>"
    )
}

/// A floating base adds six freedoms to the knee's one.
#[test]
fn the_base_may_float() {
    let folder = Folder::new("base");
    let file = folder.file("leg.urdf", &leg(MASS, ""));
    assert_eq!(json(&bellcrank(&["check", &file, "--json"]))["dofs"], 1);
    assert_eq!(json(&bellcrank(&["check", &file, "--json", "--base", "floating"]))["dofs"], 7);
    assert_eq!(bellcrank(&["check", &file, "--base", "hovering"]).status.code(), Some(2));
}

/// A shin that lies on its side: the knee's motor only gives effort, which nobody asks for, and it falls on its limit of 1 rad; held
/// it sags by m g ℓ/(I ω²) = 0.98/19.7 rad with ℓ = 0.1 m, I = 0.02 kg·m², ω = 10π.
#[test]
fn motors_that_only_give_effort_may_hold() {
    let folder = Folder::new("hold");
    let shin = "<inertial><origin xyz='.1 0 0'/><mass value='1'/><inertia ixx='.01' iyy='.01' izz='.01'/></inertial>";
    let file = folder.file("leg.urdf", &leg(shin, ""));
    let energy = |more: &[&str]| {
        let run = [&["run", file.as_str(), "--steps", "500", "--json"], more].concat();
        let figures = json(&bellcrank(&run));
        figures["energy_start_j"].as_f64().unwrap() - figures["energy_end_j"].as_f64().unwrap()
    };
    // m g ℓ sin q of the two: at its limit of 1 rad 0.83 J, held 0.049 J
    assert!(energy(&[]) > 0.5, "{}", energy(&[]));
    assert!(energy(&["--hold"]).abs() < 0.06, "{}", energy(&["--hold"]));
}

/// The hint names the option of the command line, and the option helps.
#[test]
fn hints_name_options_that_there_are() {
    let folder = Folder::new("mend");
    let file = folder.file("leg.urdf", &leg("", ""));
    let refused = bellcrank(&["check", &file]);
    let text = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(text.contains("--mend-inertia"), "{text}");
    assert_eq!(json(&bellcrank(&["check", &file, "--json", "--mend-inertia"]))["bodies"], 2);
}

#[test]
fn packages_may_lie_anywhere() {
    let folder = Folder::new("package");
    let mesh = "<collision><geometry><mesh filename='package://parts/shin.obj'/></geometry></collision>";
    let file = folder.file("robot/leg.urdf", &leg(MASS, mesh));
    folder.file(
        "elsewhere/shin.obj",
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n",
    );
    let package = format!("parts={}", folder.path("elsewhere"));
    let text = String::from_utf8_lossy(&bellcrank(&["check", &file]).stderr).into_owned();
    let without = json(&bellcrank(&["check", &file, "--json"]));
    assert!(text.contains("--package takes") || without["shapes"] == 0, "{text} {without}");
    assert_eq!(json(&bellcrank(&["check", &file, "--json", "--package", &package]))["shapes"], 1);
    assert_eq!(bellcrank(&["check", &file, "--package", "parts"]).status.code(), Some(2));
}

#[test]
fn faults_are_told_to_programs() {
    let folder = Folder::new("faults");
    let file = folder.file("leg.urdf", &leg(MASS, "").replace("xyz='0 1 0'", "xyz='0 0 0'"));
    let output = bellcrank(&["check", &file, "--json"]);
    assert_eq!(output.status.code(), Some(1));
    let fault = &json(&output)["faults"][0];
    assert_eq!(
        (fault["line"].as_u64(), fault["what"].as_str()),
        (Some(2), Some("the axis has no direction"))
    );
    assert!(fault["hint"].is_string() && fault["element"] == "<joint name=\"knee\">", "{fault}");
}

/// Nothing warns, but something has no effect.
#[test]
fn strict_also_means_that_nothing_is_ignored() {
    let folder = Folder::new("strict");
    let file = folder.file("leg.urdf", &leg(MASS, "").replace("</robot>", "<gazebo/></robot>"));
    assert_eq!(bellcrank(&["check", &file]).status.code(), Some(0));
    assert_eq!(bellcrank(&["check", &file, "--strict"]).status.code(), Some(3));
}

const KEYS: &str = "<mujoco><worldbody><body name='b'><joint name='j' axis='0 1 0'/><geom size='.1' pos='.1 0 0'/></body></worldbody>
    <keyframe><key name='low' qpos='0'/><key name='high' qpos='1'/></keyframe></mujoco>";

#[test]
fn a_run_may_start_at_any_keyframe() {
    let folder = Folder::new("keyframe");
    let file = folder.file("arm.xml", KEYS);
    let start = |key: &[&str]| {
        let words = [&["run", &file, "--steps", "0", "--json"], key].concat();
        json(&bellcrank(&words))["energy_start_j"].as_f64().expect("an energy")
    };
    // about y the arm at +x goes down: m g r sin(1) lower
    let mass = 1000.0 * 4.0 / 3.0 * std::f64::consts::PI * 1e-3;
    let lower = mass * 9.81 * 0.1 * 1f64.sin();
    assert!((start(&["--keyframe", "low"]) - start(&["--keyframe", "high"]) - lower).abs() < 1e-9 * lower);
    assert_eq!(start(&[]), start(&["--keyframe", "low"]));
    let output = bellcrank(&["run", &file, "--keyframe", "hihg"]);
    let text = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(1) && text.contains("high"), "{text}");
}

/// There and back through all three formats: the same counts.
#[test]
fn mechanisms_are_converted_between_formats() {
    let folder = Folder::new("convert");
    let source = folder
        .file("leg.urdf", &leg(MASS, "<collision><geometry><box size='.1 .1 .3'/></geometry></collision>"));
    let figures = |file: &str| {
        let f = json(&bellcrank(&["check", file, "--json"]));
        ["bodies", "joints", "actuators", "shapes", "dofs"].map(|key| f[key].as_u64())
    };
    let mut before = source.clone();
    for name in ["leg.xml", "leg.usda", "back.urdf"] {
        let out = folder.path(name);
        let told = json(&bellcrank(&["convert", &before, &out, "--json"]));
        assert_eq!(told["written"][0], out.as_str(), "{told}");
        assert_eq!(figures(&out)[..2], figures(&source)[..2], "{name}");
        assert_eq!(figures(&out)[3..], figures(&source)[3..], "{name}");
        before = out;
    }
    let wrong = bellcrank(&["convert", &source, &folder.path("leg.stl")]);
    let text = String::from_utf8_lossy(&wrong.stderr).into_owned();
    assert!(wrong.status.code() == Some(1) && text.contains("hint: .urdf, .xml (MJCF) or .usda"), "{text}");
    let lossy = bellcrank(&["convert", "delta", &folder.path("delta.usda"), "--strict"]);
    assert!([Some(0), Some(3)].contains(&lossy.status.code()));
}

/// The step is the file's own, as in `bc.Batch`, unless told otherwise.
#[test]
fn the_time_step_is_that_of_the_file() {
    let folder = Folder::new("step");
    let text = "<mujoco><option timestep=\"0.0025\"/><worldbody><body><freejoint/><geom size=\"0.1\" mass=\"1\"/></body></worldbody></mujoco>";
    let file = folder.file("ball.xml", text);
    let dt = |more: &[&str]| {
        json(&bellcrank(&[&["run", &file, "--steps", "3", "--json"], more].concat()))["dt"].as_f64()
    };
    assert_eq!(dt(&[]), Some(0.0025));
    assert_eq!(dt(&["--dt", "0.001"]), Some(0.001));
}
