//! SRDF, the planners' file beside a URDF: links that never touch, and named states.

use super::groups::Groups;
use super::joint::Joints;
use super::link::Links;
use crate::error::{ImportError, ImportFaultKind};
use crate::files::File;
use crate::xml::{Document, Element};
use crate::{Files, Log, Options};
use bellcrank_model::{BodyId, Keyframe, ModelBuilder, nearest};
use std::collections::{BTreeMap, HashSet};
use std::rc::Rc;

/// What is needed to understand names of links and joints.
pub(super) struct Names<'a> {
    pub links: &'a Links,
    pub joints: &'a Joints,
    pub groups: &'a Groups,
    /// The body of each group; `None` for the world.
    pub bodies: &'a [Option<BodyId>],
}

/// Reads the file that the options name.
pub(super) fn open(files: &Files, options: &Options, log: &Rc<Log>) -> Result<Option<Document>, ImportError> {
    let Some(path) = &options.srdf else { return Ok(None) };
    let name = path.display().to_string();
    let fail = |kind| ImportError::one(bellcrank_model::Place::new(name.as_str(), 0), kind);
    let file = match options.memory.get(&name) {
        Some(bytes) => File::new(name.clone(), bytes.clone()),
        // the caller names it, not the robot: it may lie anywhere
        None => Files::open(path, options).map_err(fail)?.1,
    };
    let document = Document::parse(&file, files.limits(), log)?;
    document.root.see();
    document.root.attribute("name");
    Ok(Some(document))
}

/// Adds what a file says, or a URDF that has these elements in it.
pub(super) fn add(root: &Element, names: &Names<'_>, builder: &mut ModelBuilder) {
    disabled(root, names, builder);
    let mut states: BTreeMap<String, Keyframe> = BTreeMap::new();
    for element in root.children_named("group_state") {
        let Some(name) = element.required("name") else { continue };
        element.attribute("group"); // the joints are named one by one
        // the same name for several groups is one state of the robot
        let state = states.remove(name).unwrap_or_else(|| Keyframe::new(name).place(element.place()));
        let state = element.children_named("joint").fold(state, |state, joint| told(state, joint, names));
        states.insert(name.to_owned(), state);
    }
    states
        .into_values()
        .filter(|state| !state.joints.is_empty())
        .for_each(|state| _ = builder.keyframe(state));
    for element in &root.children {
        if ["group", "end_effector", "virtual_joint", "passive_joint", "chain", "joint_property"]
            .contains(&element.tag.as_str())
        {
            element.ignore("groups and frames of a planner");
        }
    }
}

/// One joint of a state.
fn told(state: Keyframe, joint: &Element, names: &Names<'_>) -> Keyframe {
    let (Some(name), Some(values)) = (joint.required("name"), joint.numbers("value")) else { return state };
    match names.joints.all.iter().find(|known| known.name == name) {
        Some(known) if known.kind.coordinate_count() == values.len() && known.kind.dof_count() == 1 => {
            state.joint(name, values)
        }
        Some(_) => {
            joint.note("only joints of one coordinate are part of a state here");
            state
        }
        None => {
            let known: Vec<String> = names.joints.all.iter().map(|joint| joint.name.clone()).collect();
            let nearest = nearest(name, known.iter());
            joint.fault(ImportFaultKind::UnknownName { noun: "joint", name: name.to_owned(), nearest });
            state
        }
    }
}

fn disabled(root: &Element, names: &Names<'_>, builder: &mut ModelBuilder) {
    let mut known = HashSet::new();
    for element in root.children_named("disable_collisions") {
        element.attribute("reason");
        let [a, b] = ["link1", "link2"].map(|attribute| {
            let name = element.required(attribute)?;
            let found = names.links.all.iter().position(|link| link.name == name);
            if found.is_none() {
                let all: Vec<String> = names.links.all.iter().map(|link| link.name.clone()).collect();
                let nearest = nearest(name, all.iter());
                element.fault(ImportFaultKind::UnknownName { noun: "link", name: name.to_owned(), nearest });
            }
            found
        });
        let (Some(a), Some(b)) = (a, b) else { continue };
        let (a, b) = (names.groups.of[a], names.groups.of[b]);
        let (Some(one), Some(other)) = (names.bodies[a], names.bodies[b]) else { continue };
        if one != other && known.insert((one.min(other), one.max(other))) {
            builder.place(element.place()).exclude(one, other);
        }
    }
}
