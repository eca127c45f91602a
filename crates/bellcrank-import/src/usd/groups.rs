//! `PhysicsCollisionGroup`: which colliders do not touch which.
//!
//! A collider belongs to every group whose collection includes it or a prim around it. Two colliders do not touch where a
//! group of the one filters a group of the other, whichever says so. Colliders of the same groups are one class, and each
//! class is one bit of [`bellcrank_model::Shape::group`].

use super::scene::{Node, Nodes};
use crate::log::Log;
use std::collections::BTreeMap;

/// Classes that the bits of a shape can tell apart.
const CLASSES: usize = 32;

/// The classes of a stage.
pub(super) struct Groups {
    /// Included paths of every group.
    included: Vec<Vec<String>>,
    /// Whether two groups do not touch.
    filtered: Vec<Vec<bool>>,
    /// Bits by the groups that a collider is in.
    classes: BTreeMap<Vec<usize>, (u32, u32)>,
}

impl Groups {
    /// Reads all groups, and gives every collider its class.
    pub fn of(nodes: &Nodes<'_>, colliders: impl Iterator<Item = usize>, log: &Log) -> Groups {
        let prims: Vec<&Node<'_>> =
            nodes.all.iter().filter(|n| n.prim.kind == "PhysicsCollisionGroup").collect();
        let included = prims.iter().map(|n| owned(n.prim.targets("collection:colliders:includes"))).collect();
        let mut groups = Groups { included, filtered: filtered(&prims, log), classes: BTreeMap::new() };
        let mut sets: Vec<Vec<usize>> = colliders.map(|node| groups.members(&nodes.all[node].path)).collect();
        sets.sort();
        sets.dedup();
        if prims.is_empty() || sets.len() > CLASSES {
            if let Some(first) = prims.first().filter(|_| sets.len() > CLASSES) {
                log.ignore(
                    first.place.clone(),
                    "more than 32 different sets of collision groups: none is held",
                );
            }
            return Groups { classes: BTreeMap::new(), ..groups };
        }
        for (bit, set) in sets.iter().enumerate() {
            let meets =
                |other: &Vec<usize>| !set.iter().any(|a| other.iter().any(|b| groups.filtered[*a][*b]));
            let mask = sets
                .iter()
                .enumerate()
                .filter(|(_, other)| meets(other))
                .fold(0, |mask, (k, _)| mask | 1 << k);
            groups.classes.insert(set.clone(), (1 << bit, mask));
        }
        groups
    }

    /// Group and mask of a collider; `None` where the stage has no groups.
    pub fn bits(&self, path: &str) -> Option<(u32, u32)> {
        self.classes.get(&self.members(path)).copied()
    }

    fn members(&self, path: &str) -> Vec<usize> {
        let inside = |around: &String| {
            path == around || path.strip_prefix(around.as_str()).is_some_and(|rest| rest.starts_with('/'))
        };
        (0..self.included.len()).filter(|g| self.included[*g].iter().any(inside)).collect()
    }
}

fn owned(paths: Vec<&str>) -> Vec<String> {
    paths.into_iter().map(str::to_owned).collect()
}

fn filtered(prims: &[&Node<'_>], log: &Log) -> Vec<Vec<bool>> {
    let count = prims.len();
    let mut filtered = vec![vec![false; count]; count];
    for (a, node) in prims.iter().enumerate() {
        let named = owned(node.prim.targets("physics:filteredGroups"));
        // inverted: a group touches only what it names
        let inverted = node.prim.is_true("physics:invertFilteredGroups", false);
        for (b, other) in prims.iter().enumerate() {
            let apart = named.contains(&other.path) != inverted;
            filtered[a][b] |= apart;
            filtered[b][a] |= apart;
        }
        if node.prim.token("physics:mergeGroup").is_some_and(|name| !name.is_empty()) {
            log.ignore(node.place.clone(), "physics:mergeGroup: groups are not merged");
        }
    }
    filtered
}
