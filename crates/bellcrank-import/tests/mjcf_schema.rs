//! Every attribute that MuJoCo knows is used, listed as ignored, or refused: nothing is dropped without a word.
//!
//! The table of elements and attributes is the reader's own, which is MuJoCo's (tested below where a Python with
//! `mujoco` is named in `BELLCRANK_PYTHON`). Each attribute is written into a small scene in which it has a meaning; it
//! counts as used when the model then differs from the one without it.

#[path = "schema/scenes.rs"]
mod scenes;
#[path = "schema/values.rs"]
mod values;

use bellcrank_import::{Format, Options, loads};
use bellcrank_model::{ContactFilter, Model};
use scenes::scene;

const TABLE: &str = include_str!("../src/mjcf/vocabulary/schema.txt");

fn table() -> impl Iterator<Item = (&'static str, Vec<&'static str>)> {
    TABLE.lines().filter_map(|line| {
        let (path, attributes) = line.split_once(':')?;
        Some((path, attributes.split_ascii_whitespace().collect()))
    })
}

/// Everything that the model is, without the lines of the file.
fn fingerprint(model: &Model) -> String {
    let mut text = format!(
        "{} {:?} {} {:?}\n",
        model.name(),
        model.gravity(),
        model.time_step(),
        (model.material_rules(), model.medium())
    );
    macro_rules! parts {
        ($($list:ident),*) => {
            $(for part in model.$list() {
                let mut part = part.clone();
                part.place = None;
                text += &format!("{part:?}\n");
            })*
        };
    }
    parts!(bodies, joints, couplings, tendons, actuators, shapes, sites, cameras, sensors, keyframes);
    for filter in model.filters() {
        text += &match filter {
            ContactFilter::Exclude { a, b, .. } => format!("exclude {a:?} {b:?}\n"),
            ContactFilter::Pair { a, b, surface, .. } => format!("pair {a:?} {b:?} {surface:?}\n"),
        };
    }
    text
}

/// What a text becomes: the model and its list of ignored things, or the faults.
enum Outcome {
    Loaded { model: String, ignored: Vec<String> },
    Refused(String),
}

fn read(text: &str) -> Outcome {
    let mut options = Options::default();
    for (name, content) in scenes::FILES {
        options = options.file(*name, content.as_bytes());
    }
    match loads(text, Format::Mjcf, &options) {
        Ok(model) => {
            let ignored = model.ignored().iter().map(|ignored| ignored.why.clone()).collect();
            Outcome::Loaded { model: fingerprint(&model), ignored }
        }
        Err(error) => Outcome::Refused(error.to_string()),
    }
}

/// Why an attribute is accounted for; an error where it is dropped silently.
fn account(path: &str, attribute: &str) -> Result<&'static str, String> {
    let scene = scene(path, attribute);
    let value = values::of(path, attribute);
    let (with, without) = (read(&scene.with(attribute, value)), read(&scene.without(attribute)));
    match (with, without) {
        (Outcome::Refused(why), _) if values::REFUSED.contains(&(path, attribute)) => {
            if why.contains(attribute) {
                Ok("refused")
            } else {
                Err(format!("refused for another reason: {why}"))
            }
        }
        (Outcome::Refused(why), _) => Err(format!("{attribute}={value:?} is refused: {why}")),
        (Outcome::Loaded { .. }, Outcome::Refused(_)) => Ok("used"),
        (Outcome::Loaded { model, .. }, Outcome::Loaded { model: other, .. }) if model != other => Ok("used"),
        (Outcome::Loaded { model, ignored }, Outcome::Loaded { ignored: before, .. }) => {
            let new: Vec<&String> = ignored.iter().filter(|why| !before.contains(why)).collect();
            let named = |why: &&String| why.contains(attribute) || scenes::is_common_reason(why, attribute);
            if new.iter().any(named)
                || is_gone(&scene, attribute, value, &model)
                || is_default_of_left_out(path, attribute)
            {
                return Ok("listed");
            }
            Err(format!("{attribute}={value:?} leaves no trace; newly ignored: {new:?}"))
        }
    }
}

/// Defaults of an actuator that is left out as a whole have no effect with it.
fn is_default_of_left_out(path: &str, attribute: &str) -> bool {
    let Some(kind) = path.strip_prefix("default/") else { return false };
    let path = format!("actuator/{kind}");
    let own = scene(&path, attribute);
    let value = values::of(&path, attribute);
    match read(&own.with(attribute, value)) {
        Outcome::Loaded { model, .. } => path_exists(&path) && is_gone(&own, attribute, value, &model),
        Outcome::Refused(_) => false,
    }
}

fn path_exists(path: &str) -> bool {
    table().any(|(known, _)| known == path)
}

/// An element that is listed and leaves no trace in the model is ignored with all that it says.
fn is_gone(scene: &scenes::Scene, attribute: &str, value: &str, model: &str) -> bool {
    match (read(&scene.with(attribute, value)), read(&scene.absent())) {
        (Outcome::Loaded { ignored, .. }, Outcome::Loaded { model: gone, ignored: before }) => {
            gone == model
                && ignored.iter().any(|why| !before.contains(why) && !why.contains("has no effect here"))
        }
        _ => false,
    }
}

#[test]
fn every_attribute_of_the_format_is_used_listed_or_refused() {
    let (mut silent, mut counts) = (Vec::new(), std::collections::BTreeMap::new());
    for (path, attributes) in table() {
        for attribute in attributes {
            match account(path, attribute) {
                Ok(how) => *counts.entry(how).or_insert(0) += 1,
                Err(why) => silent.push(format!("{path}: {why}")),
            }
        }
    }
    println!("{counts:?}");
    assert!(silent.is_empty(), "{} attributes:\n{}", silent.len(), silent.join("\n"));
    // the test itself would be worth nothing if everything were merely listed
    assert!(counts["used"] > 300, "{counts:?}");
}

/// A slip of the pen is told, with what was probably meant.
#[test]
fn names_that_the_format_does_not_know_are_listed_with_the_nearest() {
    let text = "<mujoco><worldbody><body><joint dampng='1'/><geom size='.1'/><jont/></body></worldbody><sensors/></mujoco>";
    let model = loads(text, Format::Mjcf, &Options::default()).unwrap();
    let said: Vec<&str> = model.ignored().iter().map(|ignored| ignored.why.as_str()).collect();
    for expected in [
        "the attribute \"dampng\" is not known here; did you mean \"damping\"?",
        "this element is not known here; did you mean \"joint\"?",
        "this element is not known here; did you mean \"sensor\"?",
    ] {
        assert!(said.contains(&expected), "{expected}: {said:#?}");
    }
}

/// The table is that of the installed MuJoCo, but for the two elements at its end.
#[test]
#[cfg_attr(not(mujoco), ignore = "needs BELLCRANK_PYTHON: a Python with the package mujoco")]
fn the_table_is_mujocos_own() {
    let script = "import mujoco, re
rows, stack = [], []
for line in mujoco.mj_printSchema(False, False).split('\\n'):
    found = re.match(r'^( {0,27})(\\S+) \\((.)\\)\\s*(.*)$', line)
    if found:
        depth = len(found.group(1)) // 3
        stack = stack[:depth] + [found.group(2)]
        rows.append(['/'.join(stack), found.group(4).split()])
    elif line.strip():
        rows[-1][1] += line.split()
for path, names in rows:
    path = path.replace('(world)body', 'worldbody/body').replace('mujoco/', '', 1)
    print((path + ': ' + ' '.join(names)).rstrip())";
    let python = std::env::var("BELLCRANK_PYTHON").expect("BELLCRANK_PYTHON was set when this was built");
    let output =
        std::process::Command::new(python).args(["-c", script]).output().expect("a Python that runs");
    let theirs = String::from_utf8_lossy(&output.stdout).into_owned();
    let own = ["worldbody/body/frame:", "worldbody/body/replicate:"];
    let ours: Vec<&str> =
        TABLE.lines().filter(|line| !own.iter().any(|path| line.starts_with(path))).collect();
    assert_eq!(ours, theirs.lines().collect::<Vec<_>>());
}
