//! Names that USD allows: letters, digits and underscores, not a digit first, each once among its neighbours.

use bellcrank_model::Model;
use std::collections::HashSet;

/// What parts are called in the file.
pub(super) struct Names {
    pub root: String,
    pub bodies: Vec<String>,
    pub shapes: Vec<String>,
    pub joints: Vec<String>,
    /// Names that had to change, and into what.
    pub changed: Vec<(String, String)>,
}

impl Names {
    pub fn of(model: &Model) -> Names {
        let mut changed = Vec::new();
        // bodies, joints and shapes lie in different folders, which have names themselves
        let folders = HashSet::from(["materials", "joints", "scenery"].map(str::to_owned));
        let bodies = free(model.bodies().iter().map(|body| &body.name), folders, &mut changed);
        let joints = free(model.joints().iter().map(|joint| &joint.name), HashSet::new(), &mut changed);
        let shapes = free(model.shapes().iter().map(|shape| &shape.name), HashSet::new(), &mut changed);
        Names { root: allowed(model.name()), bodies, shapes, joints, changed }
    }

    pub fn body_path(&self, body: usize) -> String {
        format!("/{}/{}", self.root, self.bodies[body])
    }
}

fn free<'a>(
    names: impl Iterator<Item = &'a String>,
    mut taken: HashSet<String>,
    changed: &mut Vec<(String, String)>,
) -> Vec<String> {
    let mut one = |name: &String| {
        let mut free = allowed(name);
        while !taken.insert(free.clone()) {
            free.push('_');
        }
        if free != *name {
            changed.push((name.clone(), free.clone()));
        }
        free
    };
    names.map(&mut one).collect()
}

fn allowed(name: &str) -> String {
    let mut allowed: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if !allowed.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') {
        allowed.insert(0, '_');
    }
    allowed
}
