//! MuJoCo's own table of elements and attributes: what nobody read is told from what nobody knows.
//!
//! `schema.txt` is the table of MuJoCo 4.0 (`mj_printSchema`), one element per line with its attributes; `<frame>` and
//! `<replicate>`, which MuJoCo expands before it looks at the table, stand at its end. Whatever lies in `<worldbody>` is
//! listed under `worldbody/body`, however deep.

use super::known::{LOOKS, WINDOW};
use super::notes::Notes;
use crate::xml::Element;
use bellcrank_model::nearest;
use std::collections::BTreeMap;
use std::sync::LazyLock;

const TABLE: &str = include_str!("schema.txt");

static SCHEMA: LazyLock<BTreeMap<&str, Vec<&str>>> = LazyLock::new(|| {
    let row = |line: &'static str| {
        let (path, attributes) = line.split_once(':')?;
        Some((path, attributes.split_ascii_whitespace().collect()))
    };
    TABLE.lines().filter_map(row).collect()
});

/// Lists every element and attribute that nobody read.
pub(in crate::mjcf) fn report_unread(root: &Element, notes: &Notes) {
    report(root, "", "mujoco", notes);
}

/// `around` is the path of the element that this one stands in.
fn report(element: &Element, around: &str, path: &str, notes: &Notes) {
    if !element.is_seen() {
        let why = match SCHEMA.contains_key(path) {
            true => format!("<{}> has no effect here", element.tag),
            false => unknown_element(element, around, notes),
        };
        notes.ignore(element, why);
        return element.see_all();
    }
    let known = SCHEMA.get(path).map_or(&[][..], |list| list);
    let unread: Vec<String> = element.unread().map(|attribute| attribute.name.clone()).collect();
    for name in unread {
        if WINDOW.contains(&name.as_str()) {
            notes.once(element, LOOKS);
        } else if known.contains(&name.as_str()) {
            notes.counted(element, format!("the attribute {name:?} of <{}> has no effect here", element.tag));
        } else {
            notes.ignore(element, unknown(format!("the attribute {name:?}"), &name, known, notes));
        }
        element.attribute(&name);
    }
    let inside = if path == "mujoco" { "" } else { path };
    for child in &element.children {
        report(child, inside, &path_of(inside, &child.tag), notes);
    }
}

/// Where the table has an element of this tag that stands in `around`.
fn path_of(around: &str, tag: &str) -> String {
    match (around, tag) {
        ("", tag) => tag.to_owned(),
        ("default", "default") => "default".to_owned(),
        ("worldbody" | "worldbody/body" | "worldbody/body/frame" | "worldbody/body/replicate", "body") => {
            "worldbody/body".to_owned()
        }
        ("worldbody" | "worldbody/body/frame" | "worldbody/body/replicate", tag) => {
            format!("worldbody/body/{tag}")
        }
        (around, tag) => format!("{around}/{tag}"),
    }
}

fn unknown_element(element: &Element, around: &str, notes: &Notes) -> String {
    let around = if around == "worldbody" { "worldbody/body" } else { around };
    let beside = SCHEMA.keys().filter_map(|path| match around {
        "" => (!path.contains('/')).then_some(*path),
        around => path.strip_prefix(around)?.strip_prefix('/').filter(|rest| !rest.contains('/')),
    });
    let beside: Vec<&str> = beside.collect();
    unknown("this element".to_owned(), &element.tag, &beside, notes)
}

/// "… is not known here", with the nearest name that is.
fn unknown(what: String, name: &str, known: &[&str], notes: &Notes) -> String {
    let known: Vec<String> = known.iter().map(|name| (*name).to_owned()).collect();
    match nearest(name, known.iter()).filter(|_| notes.may_suggest()) {
        Some(near) => format!("{what} is not known here; did you mean {near:?}?"),
        None => format!("{what} is not known here"),
    }
}
