//! Names for what has none, always the same ones, and never one that is taken.

use crate::mjcf::bodies::spec::Spec;
use std::collections::HashSet;

/// Names of one kind of part that are taken.
#[derive(Clone, Debug, Default)]
pub(in crate::mjcf) struct Taken(HashSet<String>);

impl Taken {
    /// The name itself if it is free, else with underscores behind it; taken from now on.
    pub fn free(&mut self, name: String) -> String {
        let mut name = name;
        while !self.0.insert(name.clone()) {
            name.push('_');
        }
        name
    }

    /// Notes a name of the file.
    pub fn take(&mut self, name: &str) {
        self.0.insert(name.to_owned());
    }

    /// Whether it is taken.
    pub fn has(&self, name: &str) -> bool {
        self.0.contains(name)
    }
}

/// Gives `body_3`, `joint_0`, `geom_2`, `camera_0`, `site_1` to what is unnamed, by MuJoCo's numbering.
pub(in crate::mjcf) fn complete(spec: &mut Spec) {
    fill("body", spec.bodies.iter_mut().map(|body| &mut body.name).collect());
    fill("joint", spec.bodies.iter_mut().flat_map(|b| &mut b.joints).map(|j| &mut j.name).collect());
    fill("geom", spec.bodies.iter_mut().flat_map(|b| &mut b.geoms).map(|g| &mut g.name).collect());
    fill("camera", spec.bodies.iter_mut().flat_map(|b| &mut b.cameras).map(|c| &mut c.name).collect());
    fill("site", spec.bodies.iter_mut().flat_map(|b| &mut b.sites).map(|s| &mut s.name).collect());
}

fn fill(noun: &str, names: Vec<&mut String>) {
    let mut taken = Taken::default();
    names.iter().filter(|name| !name.is_empty()).for_each(|name| taken.take(name));
    for (i, name) in names.into_iter().enumerate() {
        if name.is_empty() {
            *name = taken.free(format!("{noun}_{i}"));
        }
    }
}
